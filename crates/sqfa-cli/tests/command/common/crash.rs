//! Ends a command at every one of its file operations in turn.

use std::collections::BTreeMap;
use std::path::Path;

use sqfa_io::formats::{crash::CRASHED, is_temporary};

use super::{Folder, Said};

/// More file operations than any of these commands has: the loop must end by itself.
const MANY: u64 = 400;

fn run(folder: &Folder, line: &str, crash_at: u64) -> Said {
    let mut command = folder.command(line);
    command.env("SQFA_CRASH_AT", crash_at.to_string()).stdin(std::process::Stdio::null());
    Said::new(line, command.output().unwrap())
}

/// Crashes a command everywhere; `begin` prepares a folder, `after` looks at it after every crash and after the next run.
/// Returns the number of crashes.
pub(crate) fn crash_everywhere(
    line: &str,
    begin: impl Fn(&Folder),
    after: impl Fn(&Folder, u64, bool),
) -> u64 {
    for at in 1..MANY {
        let folder = Folder::new();
        begin(&folder);
        let said = run(&folder, line, at);
        if said.code == 0 {
            after(&folder, at, true);
            return at - 1;
        }
        assert_eq!(said.code, CRASHED, "operation {at} of sqfa {line}\n{}", said.err);
        after(&folder, at, false);
        folder.ok(line);
        after(&folder, at, true);
    }
    panic!("sqfa {line} never finished");
}

/// The files of a folder that are no leftovers, by name.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if entry.path().is_file() && !is_temporary(&name) {
            let bytes = std::fs::read(entry.path()).unwrap();
            found.insert(name.to_string_lossy().into_owned(), bytes);
        }
    }
    found
}
