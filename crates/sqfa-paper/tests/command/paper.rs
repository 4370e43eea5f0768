//! `sqfa-paper` as typed: what it makes, and what it rejects.

#[cfg(debug_assertions)]
use crate::common::crash::{crash_everywhere, files};
use crate::common::{Folder, flags_in_messages};
#[cfg(feature = "png")]
use crate::png;

#[test]
fn figures_are_written_and_a_folder_is_never_shared() {
    let folder = Folder::new();
    let said = folder.ok("growth --out made");
    assert!(said.contains("growth.svg"), "{said}");
    let svg = std::fs::read_to_string(folder.path("made/growth.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("Bhattacharyya"));
    std::fs::create_dir(folder.path("other")).unwrap();
    folder.write("other/notes.txt", "mine");
    let refused = folder.run("growth --out other");
    assert_eq!(refused.code, 1, "{}", refused.out);
    assert!(!folder.path("other/growth.svg").exists());
}

#[test]
#[cfg(feature = "png")]
fn a_figure_is_a_png_too_whose_text_needs_no_fonts_of_the_machine() {
    let folder = Folder::new();
    let line = "growth --out made";
    // A home without fonts, and nothing else of the surroundings.
    let done = folder.command(line).env_clear().env("HOME", folder.path("")).output().unwrap();
    assert!(done.status.success());
    let svg = std::fs::read_to_string(folder.path("made/growth.svg")).unwrap();
    let (width, height, pixels) =
        png::pixels(&std::fs::read(folder.path("made/growth.png")).unwrap());
    assert!(svg.contains(&format!("viewBox=\"0 0 {} {}\"", width / 2, height / 2)));
    // Left of the first frame and its ticks there is nothing but the name of the axis.
    let dark = |at: usize| pixels[4 * at..4 * at + 3].iter().all(|&value| value < 128);
    let ink = (0..height).flat_map(|y| (0..30).map(move |x| y * width + x)).filter(|&at| dark(at));
    assert!(ink.count() > 50);
}

#[test]
fn unknown_names_and_missing_data_are_told_and_nothing_is_left_behind() {
    let folder = Folder::new();
    let unknown = folder.run("grwth --out made");
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("did you mean 'growth'?"), "{}", unknown.err);
    folder.run("growth --sets iris --out made").fails(2, "svhn, mnist, speed, neural");
    let nothing = folder.run("scaling-filters --filters 7 --out made");
    nothing.fails(2, "--filters leaves nothing of scaling-filters");
    assert!(!folder.path("made").exists());
    let missing = folder.run("growth qda-mnist --data nowhere --out made");
    assert_eq!(missing.code, 1);
    assert!(missing.err.contains("the four IDX files"), "{}", missing.err);
    assert!(!folder.path("made").exists());
    std::fs::create_dir_all(folder.path("empty/mnist")).unwrap();
    assert_eq!(folder.run("qda-mnist --data empty --out made").code, 1);
    assert!(!folder.path("made").exists());
    let left = folder.run("growth qda-mnist scaling-filters --filters 2 --sets speed --out made");
    assert_eq!(left.code, 0, "{}", left.err);
    assert!(left.err.contains("qda-mnist is left out"), "{}", left.err);
    assert!(left.err.contains("scaling-filters is left out"), "{}", left.err);
    // What cannot be made is told, and the others are made.
    let some = folder.run("scaling-dimension calvo-oller --dimensions 5 --out made");
    assert_eq!(some.code, 1);
    assert!(
        some.err.contains("scaling-dimension was not made") && some.err.contains("1 of 2"),
        "{}",
        some.err
    );
    assert!(folder.path("made/calvo-oller.svg").exists());
}

#[test]
fn the_list_says_what_every_name_needs() {
    let folder = Folder::new();
    let text = folder.ok("");
    for words in ["qda-svhn", "Table 1", "sensitivity", "Figure 11", "claims", "takes"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let items = folder.json("");
    let items = items.as_array().unwrap();
    assert!(items.iter().all(|item| item["takes"].is_string() && item["paper"].is_string()));
    let videos = items.iter().find(|item| item["name"] == "videos").unwrap();
    assert_eq!(videos["data"][0], "speed");
}

#[test]
fn scaling_tables_keep_their_rows_and_go_on() {
    let folder = Folder::new();
    let first = folder.json("scaling-dimension --dimensions 150 --out made");
    let cell = |said: &serde_json::Value, row: &str, column: &str| {
        let cells = said["cells"].as_array().unwrap().clone();
        let own = cells.into_iter().find(|cell| cell["row"] == row && cell["column"] == column);
        own.unwrap_or_else(|| panic!("{row}, {column}: {said}"))["ours"].as_f64().unwrap()
    };
    // Bayes accuracy of these constants by an independent simulation: 92.7 ± 0.2 %; five standard errors of 100 000 points more.
    let most = cell(&first, "n = 150", "Max (%)");
    assert!((most - 92.7).abs() < 1.4, "{most}");
    let more = folder.json("scaling-dimension --dimensions 150,160 --out made");
    // Seconds differ from run to run unless the row was kept.
    assert_eq!(cell(&first, "n = 150", "fit (s)"), cell(&more, "n = 150", "fit (s)"));
    assert!(cell(&more, "n = 160", "SQFA (%)") > 50.0);
    let text = folder.ok("scaling-filters --filters 10 --out made");
    assert!(text.contains("m = 10") && text.contains("65.9"), "{text}");
}

/// Three classes of 5 × 5 images whose spreads and means differ, as MNIST is distributed.
fn small_mnist(folder: &Folder) {
    std::fs::create_dir_all(folder.path("data/mnist")).unwrap();
    for (part, count, salt) in [("train", 180_u32, 1), ("t10k", 60, 2)] {
        let mut state: u64 = salt;
        let mut noise = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / f64::from(1 << 24) - 0.5
        };
        let mut images = vec![0, 0, 8, 3];
        let mut labels = vec![0, 0, 8, 1];
        images.extend([count, 5, 5].iter().flat_map(|size| size.to_be_bytes()));
        labels.extend(count.to_be_bytes());
        for row in 0..count {
            let class = (row % 3) as u8;
            labels.push(class);
            for pixel in 0..25 {
                let spread = if pixel % 3 == u32::from(class) { 200.0 } else { 60.0 };
                let mean = 100.0 + if pixel == u32::from(class) { 30.0 } else { 0.0 };
                images.push((mean + spread * noise()).clamp(0.0, 255.0) as u8);
            }
        }
        folder.write(&format!("data/mnist/{part}-images-idx3-ubyte"), images);
        folder.write(&format!("data/mnist/{part}-labels-idx1-ubyte"), labels);
    }
}

#[test]
fn tables_and_figures_share_their_fits_and_know_the_time_of_statistics() {
    let folder = Folder::new();
    small_mnist(&folder);
    let more = "--data data --sets mnist --seeds 1 --out made";
    let table = folder.json(&format!("qda-mnist --methods sqfa,pca --filters 2,8 {more}"));
    assert!(table["cells"].as_array().unwrap().iter().any(|cell| cell["ours"].is_number()));
    let records =
        || std::fs::read_to_string(folder.path("made/cells/mnist/records.jsonl")).unwrap();
    let before = records();
    assert!(before.lines().all(|line| line.contains("statistics_seconds")));
    // Everything it needs is known: no cell is added, and the seconds are more than those of the fit alone.
    let times = folder.json(&format!("training-time --methods sqfa {more}"));
    assert_eq!(before, records());
    let own = times["cells"][0]["ours"].as_f64().unwrap();
    let eight =
        before.lines().find(|line| line.contains("\"sqfa\"") && line.contains("\"filters\":8"));
    let eight: serde_json::Value = serde_json::from_str(eight.unwrap()).unwrap();
    let number = |name: &str| eight["outcome"][name].as_f64().unwrap();
    assert!((own - number("fit_seconds") - number("statistics_seconds")).abs() < 1e-12);
    folder.ok(&format!("co-vs-fr {more}"));
    assert!(std::fs::read_to_string(folder.path("made/co-vs-fr.svg")).unwrap().contains("MNIST"));
}

#[test]
fn sensitivity_and_claims_run_on_small_data_and_resume() {
    let folder = Folder::new();
    small_mnist(&folder);
    let more = "--data data --sets mnist --seeds 1 --out made";
    folder.ok(&format!("sensitivity --methods sqfa {more}"));
    let svg = std::fs::read_to_string(folder.path("made/sensitivity.svg")).unwrap();
    assert!(svg.contains("SQFA") && !svg.contains("NaN"));
    // One folder for each of the nine noises.
    assert_eq!(std::fs::read_dir(folder.path("made/cells/sensitivity-mnist")).unwrap().count(), 9);
    let said = folder.json(&format!("claims {more}"));
    let claims = said["claims"].as_array().unwrap();
    assert_eq!(claims.len(), 7);
    let holds =
        |name: &str| claims.iter().find(|claim| claim["name"] == name).unwrap()["holds"].clone();
    assert_eq!(holds("pair-weights"), true);
    assert!(claims.iter().all(|claim| claim["holds"].is_boolean() && claim["rule"].is_string()));
    // Timings would differ if anything were measured again.
    assert_eq!(folder.json(&format!("claims {more}")), said);
    assert!(std::fs::read_to_string(folder.path("made/claims.md")).unwrap().contains("| result |"));
}

#[test]
#[cfg(debug_assertions)]
fn the_papers_folder_is_ours_after_every_crash() {
    let line = "growth --out made";
    let whole = Folder::new();
    whole.ok(line);
    let expected = files(&whole.path("made"));
    let crashes = crash_everywhere(
        line,
        |_| {},
        |folder, at, finished| {
            let found = files(&folder.path("made"));
            assert!(found.iter().all(|(name, bytes)| expected[name] == *bytes), "operation {at}");
            assert!(!finished || found == expected, "operation {at}");
        },
    );
    assert!(crashes >= 8, "{crashes} operations");
}

#[test]
fn the_help_text_matches_its_snapshot() {
    let text = Folder::new().ok("--help");
    // Trailing blanks are clap's, not ours.
    let text: String = text.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/help.txt");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(&path).unwrap(), "{}", path.display());
}

#[test]
fn messages_name_flags_that_exist() {
    let help = Folder::new().ok("--help");
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for file in ["command/mod.rs", "command/list.rs", "options.rs", "error.rs"] {
        let text = std::fs::read_to_string(source.join(file)).unwrap();
        let flags = flags_in_messages(&text);
        for (flag, line) in &flags {
            assert!(help.contains(&format!("{flag} ")), "{flag} is no flag: {line}");
        }
        assert!(!flags.is_empty(), "{file} names no flag");
    }
}
