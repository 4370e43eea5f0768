//! A claim, what was measured, the rule and whether it holds; and a list of them as text, Markdown, csv and JSON.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// One claim that was tested.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// What it was tested on.
    pub place: String,
    /// What the paper says.
    pub statement: String,
    /// What was measured.
    pub measured: Vec<(String, f64)>,
    /// What the numbers must satisfy.
    pub rule: String,
    /// Whether they do.
    pub holds: bool,
}

/// Claims that were tested.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimResults {
    /// The name of the list.
    pub name: String,
    /// The claims.
    pub claims: Vec<Claim>,
}

impl Claim {
    fn result(&self) -> &'static str {
        if self.holds { "holds" } else { "does not hold" }
    }

    fn numbers(&self) -> String {
        let numbers: Vec<String> =
            self.measured.iter().map(|(name, value)| format!("{name} {}", short(*value))).collect();
        numbers.join(", ")
    }
}

/// A number to four digits.
fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e6).contains(&size) {
        return format!("{value:.2e}");
    }
    let decimals = (3 - size.log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

impl ClaimResults {
    /// The list for a terminal.
    pub fn text(&self) -> String {
        let mut text = "Claims of the paper, tested\n".to_owned();
        for claim in &self.claims {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "\n{} ({}): {}", claim.name, claim.place, claim.result());
            let _ = writeln!(text, "  claim     {}", claim.statement);
            let _ = writeln!(text, "  measured  {}", claim.numbers());
            let _ = writeln!(text, "  rule      {}", claim.rule);
        }
        text
    }

    /// The list as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = "### Claims of the paper, tested\n\n| claim | on | says | measured | rule | result |\n|---|---|---|---|---|---|\n".to_owned();
        for claim in &self.claims {
            let Claim { name, place, statement, rule, .. } = claim;
            let (numbers, result) = (claim.numbers(), claim.result());
            let _ = writeln!(
                text,
                "| {name} | {place} | {statement} | {numbers} | {rule} | {result} |"
            );
        }
        text
    }

    /// The list as csv, one number a line, with all digits.
    pub fn csv(&self) -> String {
        let mut text = "claim,place,quantity,value,holds\n".to_owned();
        for claim in &self.claims {
            for (quantity, value) in &claim.measured {
                let (name, place, holds) = (&claim.name, &claim.place, claim.holds);
                let _ = writeln!(text, "{name},{place},\"{quantity}\",{value},{holds}");
            }
        }
        text
    }

    /// The list as one JSON object.
    pub fn json(&self) -> Value {
        json!({ "name": self.name, "claims": self.claims })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_say_what_was_measured_and_by_which_rule() {
        let claim = Claim {
            name: "x".into(),
            place: "Speed".into(),
            statement: "A is B.".into(),
            measured: vec![("a".into(), 0.98031), ("b".into(), 1234.0)],
            rule: "a above 1".into(),
            holds: false,
        };
        let list = ClaimResults { name: "claims".into(), claims: vec![claim] };
        let text = list.text();
        assert!(
            text.contains("x (Speed): does not hold") && text.contains("a 0.9803, b 1234"),
            "{text}"
        );
        assert!(
            list.markdown().lines().count() == 5
                && list.csv().contains("x,Speed,\"a\",0.98031,false")
        );
        assert_eq!(list.json()["claims"][0]["holds"], false);
        assert_eq!(
            (short(0.0), short(-2.5), short(1e-9)),
            ("0".into(), "-2.5".into(), "1.00e-9".into())
        );
    }
}
