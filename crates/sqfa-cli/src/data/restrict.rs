//! Some of the classes: those the user names, or those a model knows.

use anyhow::Result;
use sqfa::names::suggestion;
use sqfa::{Classes, Labels};
use sqfa_io::data::{GivenMoments, GivenStatistics, LabeledData, Loaded, Part};
use sqfa_io::formats::Stack;

use crate::failure::usage;
use crate::points::select;
use crate::suggest;

/// The data of the named classes alone.
pub(crate) fn restrict(loaded: Loaded, names: &[String]) -> Result<Loaded> {
    let all = match &loaded {
        Loaded::Data(data) => data.train.labels.classes(),
        Loaded::Statistics(given) => &given.classes,
        Loaded::Sums(_, sums) => sums.classes(),
    };
    let kept = chosen(all, names)?;
    let classes = subset(all, &kept);
    Ok(match loaded {
        Loaded::Data(data) => Loaded::Data(LabeledData {
            train: part(data.train, &classes)?.0,
            test: data.test.map(|test| part(test, &classes)).transpose()?.map(|(part, _)| part),
            ..data
        }),
        Loaded::Statistics(given) => Loaded::Statistics(statistics(given, classes, &kept)),
        Loaded::Sums(name, sums) => Loaded::Sums(name, sums.of_classes(&kept)),
    })
}

/// Refuses classes with fewer than two samples, of which no covariance can be estimated, with the classes that are left.
pub(crate) fn check_counts(labels: &Labels) -> Result<()> {
    const LISTED: usize = 50;
    let (counts, classes) = (labels.counts(), labels.classes());
    let name = |class: usize| classes.label(class).to_string();
    let (kept, few): (Vec<usize>, Vec<usize>) =
        (0..counts.len()).partition(|&class| counts[class] >= 2);
    if few.is_empty() || counts.len() < 2 {
        return Ok(());
    }
    let shown: Vec<String> =
        few.iter().take(5).map(|&class| format!("'{}'", name(class))).collect();
    let (shown, more) = (shown.join(", "), if few.len() > 5 { ", …" } else { "" });
    let which = match few.len() {
        1 => format!("class {shown} has 1 sample"),
        count => format!("{count} classes have 1 sample each ({shown}{more})"),
    };
    let names: Vec<String> = kept.iter().map(|&class| name(class)).collect();
    let typed = (2..=LISTED).contains(&names.len()) && !names.iter().any(|name| name.contains(','));
    let remedy = match typed {
        true => format!(" ({})", suggest::flag("--classes", &names.join(","))),
        false => String::new(),
    };
    anyhow::bail!(
        "{which}, and a covariance needs at least 2: add samples, or leave such classes out{remedy}"
    )
}

/// The points whose class is known, with labels in those classes, and how many were left out.
pub(crate) fn keep_known(data: Part, classes: &Classes) -> Result<(Part, usize)> {
    part(data, classes)
}

/// Positions of the named classes, ascending.
fn chosen(all: &Classes, names: &[String]) -> Result<Vec<usize>> {
    let known: Vec<String> = all.iter().map(|label| label.to_string()).collect();
    let mut kept = Vec::new();
    for name in names {
        let Some(at) = known.iter().position(|label| label == name.trim()) else {
            let near = suggestion(name, known.iter().map(String::as_str));
            let listed = known.iter().take(50).cloned().collect::<Vec<_>>().join(", ");
            return usage(format!(
                "--classes: there is no class '{name}'{near}; DATA has {listed}"
            ));
        };
        if !kept.contains(&at) {
            kept.push(at);
        }
    }
    if kept.len() < 2 {
        return usage("--classes: name at least 2 different classes");
    }
    kept.sort_unstable();
    Ok(kept)
}

fn subset(classes: &Classes, kept: &[usize]) -> Classes {
    match classes {
        Classes::Integers(all) => Classes::Integers(kept.iter().map(|&at| all[at]).collect()),
        Classes::Texts(all) => Classes::Texts(kept.iter().map(|&at| all[at].clone()).collect()),
    }
}

fn part(data: Part, classes: &Classes) -> Result<(Part, usize)> {
    let codes = classes.positions_of(data.labels.classes());
    let code = |row: usize| codes[data.labels.codes()[row] as usize];
    let rows: Vec<usize> = (0..data.labels.len()).filter(|&row| code(row).is_some()).collect();
    let left_out = data.labels.len() - rows.len();
    let kept = rows.iter().filter_map(|&row| code(row)).collect();
    let labels = Labels::from_codes(classes.clone(), kept)
        .ok_or_else(|| anyhow::anyhow!("a class has no position of its own"))?;
    let points = if left_out == 0 { data.points } else { select(&data.points, &rows)? };
    Ok((Part { points, labels }, left_out))
}

fn statistics(given: GivenStatistics, classes: Classes, kept: &[usize]) -> GivenStatistics {
    let n = given.dimensions;
    let pick = |stack: Stack| match stack {
        Stack::F32(mut parts) => {
            Stack::F32(kept.iter().map(|&at| std::mem::take(&mut parts[at])).collect())
        }
        Stack::F64(mut parts) => {
            Stack::F64(kept.iter().map(|&at| std::mem::take(&mut parts[at])).collect())
        }
    };
    let moments = match given.moments {
        GivenMoments::Central { means, covariances } => GivenMoments::Central {
            means: kept.iter().flat_map(|&at| means[at * n..][..n].iter().copied()).collect(),
            covariances: pick(covariances),
        },
        GivenMoments::Second(stack) => GivenMoments::Second(pick(stack)),
    };
    let counts = given.counts.map(|counts| kept.iter().map(|&at| counts[at]).collect());
    GivenStatistics { classes, counts, moments, ..given }
}
