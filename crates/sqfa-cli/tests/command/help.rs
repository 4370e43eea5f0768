//! Help texts are what they were; after a deliberate change run with `UPDATE_SNAPSHOTS=1`.

use std::path::PathBuf;

use crate::common::Folder;
use sqfa::distance::registry;
use sqfa::reduce::reducers;
use sqfa_io::data::file_kinds_help;

const COMMANDS: [&str; 13] = [
    "",
    "fit",
    "stats",
    "clean",
    "transform",
    "predict",
    "evaluate",
    "distances",
    "inspect",
    "export",
    "dataset",
    "demo",
    "compare",
];

#[test]
fn help_texts_match_their_snapshots() {
    let folder = Folder::new();
    for command in COMMANDS {
        let text = folder.ok(format!("{command} --help").trim());
        let name = if command.is_empty() { "sqfa" } else { command };
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/help/{name}.txt"));
        // Trailing blanks are clap's, not ours.
        let text: String = text.lines().map(|line| format!("{}\n", line.trim_end())).collect();
        let methods: Vec<_> = reducers().iter().map(|m| (m.name.to_owned(), m.summary)).collect();
        let distances: Vec<_> = registry().iter().map(|d| (d.spelling(), d.summary)).collect();
        let text = folded(folded(text, "methods", &methods), "distances", &distances);
        assert!(!command.is_empty() || text.contains(&file_kinds_help()), "{text}");
        let text = text.replace(&file_kinds_help(), "  <kinds of files>\n");
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(text, expected, "sqfa {command} --help differs from {}", path.display());
    }
}

/// The short help shows what most people need on one screen of 80 columns and 40 lines.
#[test]
fn short_help_fits_on_a_screen_and_matches_its_snapshot() {
    for command in ["fit", "compare"] {
        let folder = Folder::new();
        let mut asked = folder.command(&format!("{command} -h"));
        let said = asked.env("COLUMNS", "80").output().unwrap();
        let text = String::from_utf8(said.stdout).unwrap();
        let text: String = text.lines().map(|line| format!("{}\n", line.trim_end())).collect();
        assert!(text.lines().count() <= 40, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let name = format!("tests/help/{command}-short.txt");
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name);
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(text, expected, "sqfa {command} -h differs from {}", path.display());
    }
}

/// The help with a list of the catalogue in one line: it must be complete, in order and with every summary, and follows
/// the catalogue without a new snapshot. So do the kinds of files.
fn folded(text: String, what: &str, list: &[(String, &str)]) -> String {
    let begins = |line: &str, name: &str| {
        line.trim_start()
            .strip_prefix("- ")
            .is_some_and(|rest| rest.starts_with(&format!("{name}:")))
    };
    let lines: Vec<&str> = text.lines().collect();
    let Some(first) = lines.iter().position(|line| begins(line, &list[0].0)) else { return text };
    let end = (first..lines.len()).find(|&at| lines[at].trim().is_empty()).unwrap();
    let block = &lines[first..end];
    let starts = |line: &&&str| line.trim_start().starts_with("- ");
    assert_eq!(block.iter().filter(starts).count(), list.len(), "{what}");
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let expected = list.iter().flat_map(|(name, help)| words(&format!("- {name}: {help}")));
    assert_eq!(words(&block.join(" ")), expected.collect::<Vec<_>>(), "{what}");
    let listed = format!("          - <{what}>");
    let mut kept = lines[..first].to_vec();
    kept.push(&listed);
    kept.extend(&lines[end..]);
    kept.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn no_command_shows_help_and_ends_with_2() {
    let said = Folder::new().run("");
    assert_eq!(said.code, 2);
    assert!(said.err.contains("Usage: sqfa"), "{}", said.err);
    assert!(Folder::new().ok("--version").starts_with("sqfa "));
}

#[test]
fn completions_and_manual_pages_are_made() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(folder.ok(&format!("completions {shell}")).contains("evaluate"), "{shell}");
    }
    assert!(folder.ok("man").contains(".TH sqfa 1"));
    folder.ok("man --out pages");
    let pages = std::fs::read_dir(folder.path("pages")).unwrap().count();
    assert_eq!(pages, COMMANDS.len());
}

#[test]
fn the_reference_has_every_command_and_every_flag() {
    let folder = Folder::new();
    folder.ok("man --markdown --out pages");
    for command in COMMANDS {
        let name = if command.is_empty() { "sqfa".to_owned() } else { format!("sqfa-{command}") };
        let page = std::fs::read_to_string(folder.path(&format!("pages/{name}.md"))).unwrap();
        assert!(page.starts_with(&format!("# {}\n", name.replacen('-', " ", 1))), "{page}");
        let help = folder.ok(format!("{command} --help").trim());
        let flags = help.lines().filter_map(|line| line.trim_start().strip_prefix("--"));
        for flag in flags.filter_map(|rest| rest.split([' ', '[', ',']).next()) {
            assert!(page.contains(&format!("--{flag}")), "sqfa {command}: --{flag}");
        }
    }
    let fit = std::fs::read_to_string(folder.path("pages/sqfa-fit.md")).unwrap();
    for entry in registry() {
        assert!(fit.contains(&format!("`{}`", entry.spelling())), "{}", entry.name);
    }
}
