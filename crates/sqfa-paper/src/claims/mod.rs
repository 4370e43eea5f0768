//! What the paper says in passing, as small experiments: each claim is measured and decided by a rule that is named.
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
mod results;

use serde_json::json;
use sqfa::optimize::Observer;

pub(crate) use problem::Problem;
pub use results::{Claim, ClaimResults};

use super::fits::protocol;
use super::{About, Context, Item, ItemKind, Made, Needs, Options, PaperError};

/// Tests a claim that needs no data.
type General = fn() -> Result<Claim, PaperError>;
/// Tests a claim on a data set with so many starts.
type OnData = fn(&Problem<'_>, u64, &mut Observer<'_>) -> Result<Claim, PaperError>;

/// Claims about formulas and about our own cost, which need no data.
const GENERAL: [(&str, General); 2] =
    [("pair-weights", formulas::pair_weights), ("cost", formulas::cost)];
/// Claims that are tested on a data set.
const ON_DATA: [(&str, OnData); 5] = [
    ("orthonormal-constraint", constraint::during),
    ("orthogonalised-after", constraint::after),
    ("noise-fixes-filters", agreement::over_starts),
    ("reduced-data", reduced::reduced),
    ("largest-fisher-rao", objective::largest),
];
/// Starts unless told otherwise.
const STARTS: usize = 5;

/// All claims: on the speed videos, which need no files, and on whatever else is there.
pub(crate) struct Claims;

impl Item for Claims {
    fn about(&self) -> About {
        About {
            name: "claims",
            kind: ItemKind::Claims,
            paper: "text",
            title: "what the paper says, tested",
            takes: "minutes",
        }
    }

    fn needs(&self, options: &Options) -> Needs {
        let named = |set: &str| options.sets.iter().flatten().any(|name| name == set);
        let there = |set: &&str| options.data.has(set) || named(set);
        let more = ["mnist", "svhn"].into_iter().filter(there);
        options.of_sets(&["speed"].into_iter().chain(more).collect::<Vec<_>>())
    }

    fn make(&self, context: &Context<'_>) -> Result<Made, PaperError> {
        let cache = context.cache(self.about().name);
        let mut claims: Vec<Claim> = Vec::new();
        for (name, test) in GENERAL {
            let settings = json!({});
            let claim = match cache.get(name, &settings) {
                Some(claim) => claim,
                None => {
                    let _work = context.begin(&format!("claims: {name}"));
                    let claim = test()?;
                    cache.keep(name, &settings, &claim)?;
                    claim
                }
            };
            claims.push(claim);
            context.proceed()?;
        }
        for set in self.needs(context.options).sets {
            claims.extend(on_data(set, context)?);
        }
        Ok(Made::Claims(ClaimResults { name: self.about().name.to_owned(), claims }))
    }
}

/// Every claim on one data set.
fn on_data(set: &str, context: &Context<'_>) -> Result<Vec<Claim>, PaperError> {
    let options = context.options;
    let cache = context.cache(Claims.about().name);
    let starts = options.seeds(STARTS) as u64;
    let data = context.data(set)?;
    let settings = json!({
        "starts": starts, "train": data.train.points.rows(),
        "test": data.test.as_ref().map(|test| test.points.rows()),
        "photographs": set == "speed" && options.data.photographs().is_some(),
    });
    let (mut claims, mut problem) = (Vec::new(), None);
    for (name, test) in ON_DATA {
        let key = format!("{set}-{name}");
        if let Some(claim) = cache.get(&key, &settings) {
            claims.push(claim);
            continue;
        }
        let what = format!("claims: {name} on {set}");
        let work = context.begin(&what);
        let own = match problem.take() {
            Some(own) => own,
            None => Problem::new(data, &protocol(set)?)?,
        };
        let claim = test(&own, starts, &mut |progress| work.step(&what, Some(progress)));
        problem = Some(own);
        context.proceed()?;
        let claim = claim?;
        cache.keep(&key, &settings, &claim)?;
        claims.push(claim);
    }
    Ok(claims)
}

#[cfg(test)]
mod tests {
    use sqfa::optimize::Control;

    use super::*;
    use sqfa_io::datasets::speed::Speed;

    #[test]
    fn every_claim_can_be_tested_on_a_few_videos() {
        let made = Speed {
            tenths: vec![-40, -10, 20, 50],
            train_per_class: 120,
            test_per_class: 60,
            ..Speed::default()
        };
        let data = made.generate().unwrap();
        let protocol = protocol("speed").unwrap();
        let problem = Problem { filters: 2, ..Problem::new(&data, &protocol).unwrap() };
        for (name, test) in ON_DATA {
            let claim = test(&problem, 2, &mut |_| Control::Continue).unwrap();
            assert_eq!((claim.name.as_str(), claim.place.as_str()), (name, "Speed"));
            assert!(!claim.measured.is_empty() && !claim.rule.is_empty(), "{claim:?}");
            assert!(claim.measured.iter().all(|(_, value)| value.is_finite()), "{claim:?}");
            // Linear maps leave QDA alone: whatever the data, this one must hold.
            assert!(claim.holds || name != "orthogonalised-after");
        }
    }
}
