//! Every name: what it is, which item of the paper it makes again, what it needs and how long it takes.

use anyhow::Result;
use serde_json::json;
use sqfa_paper::{About, ITEMS, Options};

use sqfa_cli::terminal;

const HINT: &str = "\nsqfa-paper NAME … --out FOLDER makes them, all makes all; svhn and mnist need --data FOLDER.\n";

/// Prints all names.
pub(super) fn list(as_json: bool) -> Result<()> {
    let items = ITEMS.map(|item| (item.about(), item.needs(&Options::default()).sets));
    if as_json {
        let items = items.map(|(about, sets)| {
            let About { name, kind, paper, title, takes } = about;
            json!({
                "name": name, "kind": kind.name(), "paper": paper, "title": title,
                "data": sets, "takes": takes,
            })
        });
        return terminal::say_json(&items.as_slice());
    }
    let mut rows = vec![["name", "paper", "shows", "data", "takes"].map(str::to_owned).to_vec()];
    rows.extend(items.map(|(about, sets)| {
        let data = if sets.is_empty() { "none".to_owned() } else { sets.join(", ") };
        [about.name, about.paper, about.title, &data, about.takes].map(str::to_owned).to_vec()
    }));
    terminal::say(&(terminal::table(&rows, &[1, 2, 3, 4]) + HINT))
}
