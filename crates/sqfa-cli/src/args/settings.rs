//! Settings of methods as flags, with help texts from the catalogue of methods.

use sqfa::reduce::{Parameter, ReducerEntry, Setting, Usual, reducers};

/// The flag of a setting.
pub(crate) fn flag(setting: Setting) -> &'static str {
    match setting {
        Setting::Distance => "--distance",
        Setting::Noise => "--noise",
        Setting::Constraint => "--constraint",
        Setting::Start => "--start",
        Setting::Restarts => "--restarts",
        Setting::Sequential => "--sequential",
        Setting::Optimizer => "--optimizer",
        Setting::Pairs => "--pairs",
        Setting::MaxIterations => "--max-iterations",
        Setting::Tolerance => "--tolerance",
        Setting::Shrinkage => "--shrinkage",
        Setting::Neighbors => "--neighbors",
        Setting::Regularization => "--reg",
        Setting::Dimensions => "--pca-dims",
        Setting::PerClass => "--per-class",
        Setting::Degrees => "--nu",
        other => other.name(),
    }
}

/// Help of a setting that is chosen on held-out points: what it is to every method that takes it.
pub(super) fn choice_help(setting: Setting) -> String {
    let said = takers(setting).map(|(entry, parameter)| {
        let (name, help) = (entry.name, parameter.help);
        format!("{name}: {help} [default: {}]", usual(parameter))
    });
    let said = said.collect::<Vec<_>>().join("; ");
    format!("{said}. A number, a list to choose from on held-out points, or auto")
}

/// Help of a count that methods have their own numbers for.
pub(super) fn count_help(setting: Setting, what: &str, otherwise: &str) -> String {
    let own = takers(setting).filter(|(_, parameter)| parameter.usual != Usual::Common);
    let own = own.map(|(entry, parameter)| format!("{}: {}", entry.name, parameter.number()));
    format!("{what} [{}, others: {otherwise}]", own.collect::<Vec<_>>().join(", "))
}

/// Help of a number that few methods take.
pub(super) fn number_help(setting: Setting) -> String {
    let said = takers(setting).map(|(entry, parameter)| {
        format!("{}: {} [default: {}]", entry.name, parameter.help, usual(parameter))
    });
    said.collect::<Vec<_>>().join("; ")
}

fn takers(setting: Setting) -> impl Iterator<Item = (&'static ReducerEntry, &'static Parameter)> {
    reducers().iter().filter_map(move |entry| Some((entry, entry.parameter(setting)?)))
}

fn usual(parameter: &Parameter) -> String {
    match parameter.usual {
        Usual::Number(value) => value.to_string(),
        _ => {
            let grid: Vec<String> = parameter.grid.iter().map(f64::to_string).collect();
            format!("auto, the best of {}", grid.join(", "))
        }
    }
}
