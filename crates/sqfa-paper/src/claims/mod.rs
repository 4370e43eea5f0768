//! What the paper says in passing, as small experiments: each claim is measured and judged by a rule that is named.
//!
//! | file | claims |
//! |---|---|
//! | `formulas` | pair weights, growth of cost |
//! | `constraint` | orthonormal filters, during the fit and after it |
//! | `agreement` | filters over starts, with noise and without |
//! | `reduced` | fewer points in fewer dimensions |
//! | `objective` | which objective gives the largest Fisher–Rao distance |

mod agreement;
mod constraint;
mod formulas;
mod objective;
mod problem;
mod reduced;
mod verdicts;

use sqfa::optimize::{Control, Progress};

pub use problem::Problem;
pub use verdicts::{Claim, Verdicts};

use super::PaperError;

/// Claims about formulas and about our own cost, which need no data.
pub const GENERAL_CLAIMS: [&str; 2] = ["pair-weights", "cost"];
/// Claims that are tested on a data set.
pub const DATA_CLAIMS: [&str; 5] = [
    "orthonormal-constraint",
    "orthogonalised-after",
    "noise-fixes-filters",
    "reduced-data",
    "largest-fisher-rao",
];

/// What watches the fits of an experiment and may stop them.
pub(crate) type Observer<'a> = &'a mut dyn FnMut(&Progress) -> Control;

/// Tests a claim that needs no data; `repeats` timings are taken of which the shortest counts.
pub fn general_claim(name: &str, repeats: usize) -> Result<Claim, PaperError> {
    match name {
        "pair-weights" => formulas::pair_weights(),
        "cost" => formulas::cost(repeats),
        _ => Err(PaperError::numbers(name, "no such claim")),
    }
}

/// Tests a claim on a data set with so many starts.
pub fn data_claim(
    name: &str,
    problem: &Problem<'_>,
    starts: u64,
    observer: Observer<'_>,
) -> Result<Claim, PaperError> {
    match name {
        "orthonormal-constraint" => constraint::during(problem, starts, observer),
        "orthogonalised-after" => constraint::after(problem, observer),
        "noise-fixes-filters" => agreement::over_starts(problem, starts, observer),
        "reduced-data" => reduced::reduced(problem, starts, observer),
        "largest-fisher-rao" => objective::largest(problem, starts, observer),
        _ => Err(PaperError::numbers(name, "no such claim")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqfa_io::datasets::speed::Speed;
    use sqfa_lab::compare::Protocol;

    #[test]
    fn every_claim_can_be_tested_on_a_few_videos() {
        let made = Speed {
            tenths: vec![-40, -10, 20, 50],
            train_per_class: 120,
            test_per_class: 60,
            ..Speed::default()
        };
        let data = made.generate().unwrap();
        let protocol = Protocol::named("speed").unwrap();
        let problem = Problem { filters: 2, ..Problem::new(&data, &protocol).unwrap() };
        for name in DATA_CLAIMS {
            let claim = data_claim(name, &problem, 2, &mut |_| Control::Continue).unwrap();
            assert_eq!((claim.name.as_str(), claim.place.as_str()), (name, "Speed"));
            assert!(!claim.measured.is_empty() && !claim.rule.is_empty(), "{claim:?}");
            assert!(claim.measured.iter().all(|(_, value)| value.is_finite()), "{claim:?}");
        }
        // Linear maps leave QDA alone: whatever the data, this one must hold.
        let after = data_claim("orthogonalised-after", &problem, 1, &mut |_| Control::Continue);
        assert!(after.unwrap().holds);
        assert!(data_claim("nothing", &problem, 1, &mut |_| Control::Continue).is_err());
    }
}
