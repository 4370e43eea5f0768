//! Experiments that keep their results one by one: the scaling tables and the claims.

use anyhow::{Context, Result};
use serde_json::json;
use sqfa::optimize::Stopping;
use sqfa_io::datasets::scaling::ScalingForm;
use sqfa_lab::compare::Protocol;
use sqfa_paper::{
    Claim, DATA_CLAIMS, DRAWN, GENERAL_CLAIMS, Item, Memo, Problem, ScalingRow, Sheet, Verdicts,
    data_claim, general_claim, scaling_problems, scaling_row, scaling_sheet,
};

use super::{Desk, Paper, paused};
use crate::interrupt::Guard;
use crate::progress::Line;

/// Starts of a claim unless told otherwise.
const CLAIM_STARTS: usize = 5;
/// Timings of which the shortest counts.
const TIMINGS: usize = 3;

impl Paper {
    /// One of the two scaling tables.
    pub(super) fn scaling(&self, item: &Item, desk: &Desk) -> Result<Sheet> {
        let sizes = match item.name {
            "scaling-dimension" => &self.args.dimensions,
            _ => &self.args.filters,
        };
        let form = if self.args.dense { ScalingForm::Dense } else { ScalingForm::LowRank };
        let problems = scaling_problems(item.name, sizes.as_deref())
            .context("its printed table cannot be read")?;
        let memo = Memo::new(&desk.out.join("cells").join(item.name));
        let mut rows: Vec<ScalingRow> = Vec::new();
        for problem in problems {
            let (n, m) = (problem.dimensions, problem.informative);
            let key = format!("n{n}-m{m}-{}", form.name());
            let settings = json!({ "spread": problem.spread, "a": problem.a, "b": problem.b, "seed": problem.seed, "drawn": DRAWN });
            if let Some(row) = memo.get(&key, &settings) {
                rows.push(row);
                continue;
            }
            let line = Line::new(&format!("{}: n = {n}, m = {m}", item.name));
            let guard = Guard::new();
            let row = scaling_row(&problem, form, Stopping::default(), DRAWN, &mut |progress| {
                line.observe(&format!("{}: n = {n}, m = {m}", item.name), progress)
            });
            drop(line);
            paused(&guard, &desk.out)?;
            let row = row?;
            memo.keep(&key, &settings, &row)?;
            rows.push(row);
        }
        Ok(scaling_sheet(item.name, &rows)?)
    }

    /// Every claim on every data set.
    pub(super) fn claims(&self, item: &Item, desk: &Desk) -> Result<Verdicts> {
        let memo = Memo::new(&desk.out.join("cells/claims"));
        let starts = self.seeds(CLAIM_STARTS) as u64;
        let mut claims: Vec<Claim> = Vec::new();
        let guard = Guard::new();
        for name in GENERAL_CLAIMS {
            let settings = json!({});
            let known = memo.get(name, &settings);
            let claim = match known {
                Some(claim) => claim,
                None => general_claim(name, TIMINGS)?,
            };
            memo.keep(name, &settings, &claim)?;
            claims.push(claim);
            paused(&guard, &desk.out)?;
        }
        for set in self.sets(item) {
            let protocol = Protocol::named(set).context("an unknown data set")?;
            let data = desk.data(set)?;
            let settings = json!({
                "starts": starts, "train": data.train.points.rows(),
                "test": data.test.as_ref().map(|test| test.points.rows()),
                "photographs": set == "speed" && self.args.data.as_ref().is_some_and(|folder| folder.join("natural/gray.npz").exists()),
            });
            let mut problem = None;
            for name in DATA_CLAIMS {
                let key = format!("{set}-{name}");
                if let Some(claim) = memo.get(&key, &settings) {
                    claims.push(claim);
                    continue;
                }
                let what = format!("claims: {name} on {set}");
                let line = Line::new(&what);
                if problem.is_none() {
                    problem = Some(Problem::new(data, &protocol)?);
                }
                let own = problem.as_ref().context("no problem")?;
                let claim =
                    data_claim(name, own, starts, &mut |progress| line.observe(&what, progress));
                drop(line);
                paused(&guard, &desk.out)?;
                let claim = claim?;
                memo.keep(&key, &settings, &claim)?;
                claims.push(claim);
            }
        }
        Ok(Verdicts { name: item.name.to_owned(), claims })
    }
}
