//! `sqfa demo`: `sqfa compare` on moving textures with a spec of its own, and what to try next.

use anyhow::{Result, bail};
use clap::Parser;
use sqfa_lab::compare::Spec;

use super::compare::Compare;
use crate::args::{Arguments, DemoArgs, Subcommand};
use crate::output;

/// Fast methods, one seed, the noise of the paper's speed-estimation experiment.
const SPEC: &str = include_str!("demo.toml");

const NEXT: &str = "
Try next
  sqfa dataset toy-6d --train 500 --test 500 --out toy.npz    samples of a toy problem as a file
  sqfa fit toy.npz --filters 2 --out model.sqfa               one model
  sqfa evaluate model.sqfa toy.npz                            its accuracy on the test samples
  sqfa compare toy.npz --report toy.html                      every method, as a report
  sqfa --help                                                 everything else
Your own table goes in place of toy.npz; --label names its label column.
";

/// Compares methods on the built-in videos.
pub(crate) fn run(args: &DemoArgs) -> Result<()> {
    if !args.json {
        output::say("Filming textures that move at 41 speeds, 15 frames of 30 pixels each …\n\n")?;
    }
    // The same as typing it, but for the spec.
    let typed = Arguments::try_parse_from(["sqfa", "compare", "speed"])?;
    let Subcommand::Compare(mut flags) = typed.command else { bail!("not a comparison") };
    flags.filters.clone_from(&args.filters);
    flags.report.clone_from(&args.report);
    flags.json = args.json;
    Compare::with_spec(Spec::parse(SPEC, "demo.toml")?, *flags)?.run()?;
    if args.json { Ok(()) } else { output::say(NEXT) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spec_names_methods_that_exist() {
        let spec = Spec::parse(SPEC, "demo.toml").unwrap().resolved("speed").unwrap();
        assert!(spec.methods.contains(&"sqfa".to_owned()) && spec.seeds == 1);
    }
}
