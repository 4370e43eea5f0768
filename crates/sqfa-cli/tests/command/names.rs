//! Names of files, columns and classes that strangers chose: no control character reaches the terminal, and no name fills a disk.
#![cfg(unix)]

use std::process::{Command, Stdio};

use crate::common::{Folder, Said, table};

/// Text without control characters except the ends of lines.
#[track_caller]
fn is_clean(said: &Said) {
    for text in [&said.out, &said.err] {
        let raw = text.chars().find(|letter| letter.is_control() && *letter != '\n');
        assert!(raw.is_none(), "sqfa {} printed {raw:?}:\n{text:?}", said.line);
    }
}

#[test]
fn control_characters_of_names_are_escaped() {
    let folder = Folder::new();
    let header = "width,\"hei\ng\u{1b}[31mht\",depth,species";
    let data = table(20).replacen("width,height,depth,species", header, 1);
    let data = data.replace(",bee", ",\"b\u{1b}]0;e\ne\u{7}\"");
    let name = "da\u{1b}[31mta.csv";
    folder.write(name, data);
    folder.write("da\nta.csv", table(20));
    let run = |line: &str, file: &str| {
        let words: Vec<&str> =
            line.split(' ').map(|word| if word == "DATA" { file } else { word }).collect();
        let mut command = Command::new(env!("CARGO_BIN_EXE_sqfa"));
        command.args(words).current_dir(folder.path("")).stdin(Stdio::null());
        let said = Said::new(line, command.output().unwrap());
        is_clean(&said);
        said
    };
    for line in [
        "fit DATA --label species -m 2 --out m.sqfa",
        "evaluate m.sqfa DATA --label species",
        "inspect m.sqfa",
        "distances m.sqfa",
        "distances DATA --label species",
        "stats DATA --label species --out s.stats",
        "inspect s.stats",
        "transform m.sqfa DATA --label species --out z.csv",
        "compare DATA --label species --methods pca,lda --filters 1 --seeds 1",
        "compare DATA --label species --methods pca,lda --filters 1 --seeds 1 --markdown",
    ] {
        let said = run(line, name);
        assert_eq!(said.code, 0, "sqfa {line}\n{}", said.err);
        // A name never begins a line of its own.
        let broken = said.out.lines().chain(said.err.lines()).find(|line| {
            line.starts_with("e\\u{7}")
                || line.starts_with("g\\u{1b}")
                || line.starts_with("ta.csv")
        });
        assert_eq!(broken, None, "sqfa {line}\n{}", said.out);
    }
    for line in [
        "fit DATA --label nothing -m 2 --out m.sqfa",
        "fit DATA --label width -m 2 --out m.sqfa",
        "fit DATA --label species --ignore nothing -m 2 --out m.sqfa",
        "compare DATA --label nothing",
    ] {
        let said = run(line, name);
        assert_ne!(said.code, 0, "sqfa {line}\n{}", said.out);
        let errors = said.err.lines().filter(|line| line.starts_with("error: ")).count();
        let others = said.err.lines().filter(|line| !line.starts_with("For more")).count();
        assert_eq!((errors, others), (1, 1), "one line: {}", said.err);
    }
    let said = run("fit DATA --label species -m 1 --noise 0.1 --out n.sqfa", "da\nta.csv");
    assert!(said.out.contains("\nsqfa on da\\nta: "), "{}", said.out);
    // Data are not text for people: labels come back as they are.
    let mut command = folder.command("predict m.sqfa --label species");
    let out = command.arg(name).stdin(Stdio::null()).output().unwrap().stdout;
    assert!(String::from_utf8(out).unwrap().contains("\"b\u{1b}]0;e\ne\u{7}\""));
}

#[test]
fn a_huge_label_does_not_make_a_huge_report() {
    let folder = Folder::new();
    let label = "x".repeat(1 << 20) + "end";
    let data = table(20).replace(",bee", &format!(",{label}"));
    folder.write("data.csv", data.replacen("width", &"w".repeat(10_000), 1));
    folder.ok("fit data.csv --label species -m 2 --noise 0.1 --out m.sqfa --report fit.html");
    folder.ok(
        "compare data.csv --label species --methods pca,sqfa --filters 2 --seeds 1 --report compare.html",
    );
    for name in ["fit.html", "compare.html"] {
        let page = std::fs::read_to_string(folder.path(name)).unwrap();
        assert!(page.len() < 2 << 20, "{name} has {} bytes", page.len());
        assert!(
            page.contains("xxx…x") && page.contains("xend"),
            "both ends of the label are shown"
        );
        assert!(!page.contains(&"w".repeat(200)), "long columns are shortened as well");
    }
    // The model keeps the whole label.
    let about = folder.json("inspect m.sqfa");
    assert!(about.to_string().contains(&label));
}
