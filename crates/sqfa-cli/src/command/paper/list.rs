//! Every name: what it is, which item of the paper it makes again, what it needs and how long it takes.

use anyhow::Result;
use serde_json::json;
use sqfa_paper::{ITEMS, Item, Kind, Needs};

use crate::output;

const HINT: &str = "\nsqfa paper NAME … --out FOLDER makes them, all makes all; svhn and mnist need --data FOLDER.\n";

/// Prints all names.
pub(super) fn list(as_json: bool) -> Result<()> {
    if as_json {
        let items: Vec<_> = ITEMS
            .iter()
            .map(|item| {
                let sets = match item.needs {
                    Needs::Nothing => &[],
                    Needs::Data(sets) | Needs::Fits(sets) => sets,
                };
                json!({
                    "name": item.name, "kind": kind(item), "paper": item.paper,
                    "title": item.title, "data": sets, "takes": item.takes,
                })
            })
            .collect();
        return output::say_json(&items);
    }
    let header = ["name", "paper", "shows", "data", "takes"].map(str::to_owned).to_vec();
    let mut rows = vec![header];
    rows.extend(ITEMS.iter().map(|item| {
        let needs = match item.needs {
            Needs::Nothing => "none".to_owned(),
            Needs::Data(sets) | Needs::Fits(sets) => sets.join(", "),
        };
        [item.name, item.paper, item.title, &needs, item.takes].map(str::to_owned).to_vec()
    }));
    output::say(&(output::table(&rows, &[1, 2, 3, 4]) + HINT))
}

fn kind(item: &Item) -> &'static str {
    match item.kind {
        Kind::Table => "table",
        Kind::Figure => "figure",
        Kind::Claims => "claims",
    }
}
