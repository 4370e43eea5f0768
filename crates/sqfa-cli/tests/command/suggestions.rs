//! Whatever the command suggests works when it is pasted into a shell.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{Folder, Said, flags_in_messages, table};

/// Runs a line in a shell that finds the command by its name.
fn paste(folder: &Folder, line: &str) -> Said {
    let own = Path::new(env!("CARGO_BIN_EXE_sqfa")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(std::iter::once(own.to_owned()).chain(std::env::split_paths(&path)));
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(line).current_dir(folder.path("")).env("PATH", path.unwrap());
    Said::new(line, shell.stdin(Stdio::null()).output().unwrap())
}

/// Runs a line that must succeed.
fn works(folder: &Folder, line: &str) -> Said {
    let said = paste(folder, line);
    assert_eq!(said.code, 0, "{line}\n{}{}", said.out, said.err);
    said
}

/// The command behind the last `next` of an output.
fn next(said: &Said) -> String {
    let line = said.out.lines().rev().find_map(|line| line.trim_start().strip_prefix("next "));
    let line = line.unwrap_or_else(|| panic!("{}", said.out)).trim_start();
    line.split("   (").next().unwrap().to_owned()
}

/// The flags in the last parentheses of an error; alternatives are separated by "or".
fn flags(said: &Said) -> Vec<String> {
    let error = said.err.lines().find(|line| line.starts_with("error:")).unwrap();
    let inside = error.rsplit_once("(--").unwrap_or_else(|| panic!("no flag: {error}")).1;
    let inside = inside.rsplit_once(')').unwrap().0.replace(" to try it anyway", "");
    format!("--{inside}").split(" or ").map(str::to_owned).collect()
}

/// A row of a table of three classes.
fn row(at: usize) -> (String, String, &'static str) {
    let wave = |k: f64| (at as f64 * k).sin() + (at % 3) as f64;
    (format!("{:.4}", wave(0.7)), format!("{:.4}", wave(1.3)), ["ant", "bee", "cat"][at % 3])
}

#[test]
fn the_next_command_after_a_fit_or_a_data_set_works() {
    let folder = Folder::new();
    folder.write("my 'own' data.csv", table(20).replace("species", "its kind"));
    folder.write("semi.csv", table(20).replace(',', ";"));
    let bare: String = table(20).lines().skip(1).map(|line| format!("{line}\n")).collect();
    folder.write("bare.csv", bare);
    folder.write("gaps.csv", format!("{},1,2,ant\n", table(20)));
    let quoted = "'my '\\''own'\\'' data.csv'";
    for line in [
        format!("sqfa fit {quoted} --label 'its kind' -m 2 --out 'my model.sqfa'"),
        "sqfa fit semi.csv --label species --delimiter ';' -m 2 --out m.sqfa".to_owned(),
        "sqfa fit bare.csv --label 3 --header no -m 2 --out m.sqfa".to_owned(),
        "sqfa fit bare.csv --label 3 --ignore 1 -m 2 --out m.sqfa".to_owned(),
        "sqfa fit gaps.csv --label species --missing drop -m 2 --out m.sqfa".to_owned(),
        "sqfa fit - --label species -m 2 --out m.sqfa < gaps.csv --missing drop".to_owned(),
        "sqfa dataset toy-6d --train 60 --test 60 --out 'a toy.npz'".to_owned(),
        "sqfa dataset toy-6d --out 'exact toy.npz'".to_owned(),
        "sqfa fit 'a toy.npz' -m 2 --out m.sqfa".to_owned(),
        "sqfa fit 'exact toy.npz' -m 2 --out m.sqfa".to_owned(),
        "sqfa stats semi.csv --label species --out s.stats; sqfa fit s.stats -m 2 --out m.sqfa"
            .to_owned(),
        "sqfa fit gaps.csv semi.csv --label species --missing drop -m 2 --out m.sqfa".to_owned(),
    ] {
        let said = works(&folder, &line);
        let next = next(&said);
        assert!(next.starts_with("sqfa "), "{next}");
        works(&folder, &next);
    }
}

#[test]
fn the_commands_after_a_demonstration_work() {
    let folder = Folder::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/command/demo.rs");
    let source = std::fs::read_to_string(source).unwrap();
    let commands: Vec<&str> = source
        .lines()
        .filter_map(|line| line.strip_prefix("  sqfa "))
        .map(|line| line.split("   ").next().unwrap())
        .collect();
    assert!(commands.len() >= 5, "{commands:?}");
    for command in commands {
        // Every method would take a while; which ones are compared is not what is suggested.
        let fast = if command.starts_with("compare") { " --methods lda,pca" } else { "" };
        works(&folder, &format!("sqfa {command}{fast}"));
    }
}

#[test]
fn flags_that_an_error_suggests_remove_it() {
    let folder = Folder::new();
    let mut odd = "a,-b,it's,my day,c,label\n".to_owned();
    let mut twice = "alcohol,acid,alcohol,label\n".to_owned();
    let mut single = "a,b,label\n9,9,\"d e\"\n".to_owned();
    let mut unlabeled = "a,b,label\n1,2,\n".to_owned();
    let mut gaps = "a,b,label\n,2,ant\n".to_owned();
    let mut both = "a,b,label,class\n".to_owned();
    let mut xy = "x,y,z,kind\n".to_owned();
    let mut latin = b"a,b,label\n".to_vec();
    let mut empty = "a,b,no thing,label\n".to_owned();
    let mut kinds = "name,a,b,my kind\n".to_owned();
    let mut bare = String::new();
    let mut marked = "a,b,label\n".to_owned();
    for at in 0..60 {
        let (a, b, class) = row(at);
        odd.push_str(&format!("{a},m,n,mon,{b},{class}\n"));
        twice.push_str(&format!("{a},{b},{a}1,{class}\n"));
        single.push_str(&format!("{a},{b},{class} e\n"));
        unlabeled.push_str(&format!("{a},{b},{class}\n"));
        gaps.push_str(&format!("{a},{b},{class}\n"));
        both.push_str(&format!("{a},{b},{},{}\n", at % 3, at % 2));
        xy.push_str(&format!("{a},{b},{a}2,{class}\n"));
        empty.push_str(&format!("{a},{b},,{class}\n"));
        kinds.push_str(&format!("{at}.5,{a},{b},{class}\n"));
        bare.push_str(&format!("{a},{b},{class}\n"));
        marked.push_str(&format!("{},{b},{class}\n", if at % 9 == 0 { "not seen" } else { &a }));
        latin.extend(format!("{a},{b},").bytes());
        latin.extend(if at % 2 == 0 { b"M\xe4rk\n" } else { b"M\xf6rk\n" });
    }
    folder.write("odd.csv", odd);
    folder.write("twice.csv", twice);
    folder.write("single.csv", single);
    folder.write("unlabeled.csv", unlabeled);
    folder.write("gaps.csv", gaps);
    folder.write("both.csv", both);
    folder.write("xy.csv", xy);
    folder.write("latin.csv", latin);
    folder.write("empty.csv", empty);
    folder.write("kinds.csv", kinds);
    folder.write("bare.csv", bare);
    folder.write("marked.csv", marked);
    for (line, count) in [
        ("sqfa fit odd.csv -m 1 --out m.sqfa", 1),
        ("sqfa fit twice.csv -m 1 --out m.sqfa", 1),
        ("sqfa fit single.csv -m 1 --out m.sqfa", 1),
        ("sqfa compare single.csv --methods lda,pca", 1),
        ("sqfa fit unlabeled.csv -m 1 --out m.sqfa", 1),
        ("sqfa fit gaps.csv -m 1 --out m.sqfa", 2),
        ("sqfa fit both.csv -m 1 --out m.sqfa", 2),
        ("sqfa fit xy.csv -m 1 --out m.sqfa", 1),
        ("sqfa stats xy.csv --out s.stats", 1),
        ("sqfa fit latin.csv -m 1 --out m.sqfa", 2),
        ("sqfa fit empty.csv -m 1 --out m.sqfa", 1),
        // A column of texts that repeat is likely to hold the labels; the same text in several rows marks gaps.
        ("sqfa fit kinds.csv -m 1 --out m.sqfa", 1),
        ("sqfa distances kinds.csv", 1),
        ("sqfa fit bare.csv -m 1 --out m.sqfa", 1),
        ("sqfa fit marked.csv -m 1 --out m.sqfa", 1),
        ("sqfa compare gaps.csv --missing drop --methods lda,pca --memory 0.000001", 1),
    ] {
        let said = paste(&folder, line);
        assert_eq!(said.code, 1, "{line}\n{}", said.err);
        let flags = flags(&said);
        assert_eq!(flags.len(), count, "{line}\n{}", said.err);
        for flag in flags {
            let line = line.replace(" --memory 0.000001", "");
            works(&folder, &format!("{line} {flag}"));
        }
    }
    // A name with a slip of the pen.
    let said = paste(&folder, "sqfa fit kinds.csv --label 'my kimd' -m 1 --out m.sqfa");
    assert_eq!(flags(&said), ["--label 'my kind'"], "{}", said.err);
    let line = "fit odd.csv --label label --columns my,b -m 1 --out m.sqfa";
    folder.run(line).fails(1, "has no column 'my'; it has");
    folder
        .run("fit empty.csv --ignore no-thing -m 1 --out m.sqfa")
        .fails(1, "did you mean 'no thing'?");
    // Two columns of texts, of which any may be the label, and two texts that are no numbers: nothing is suggested.
    folder.write("texts.csv", "a,b,c\n1,x,u\n2,x,u\n3,y,v\n4,y,v\n");
    folder.run("fit texts.csv -m 1 --out m.sqfa").fails(1, "(--label COLUMN)");
    folder.write("two.csv", "a,label\nm,x\n2,x\n3,y\n4,y\n5,y\nn,x\n");
    let said = folder.run("fit two.csv -m 1 --out m.sqfa");
    said.fails(1, "correct it, or remove the line");
    assert!(!said.err.contains("--na-values"), "{}", said.err);
    // One of two columns of a name is left out, not both.
    assert_eq!(folder.json("fit twice.csv -m 1 --ignore 2 --out m.sqfa")["dimensions"], 2);
    // An error that has nothing to do with the label does not name its flag.
    let mut bad = table(20);
    bad.push_str("1,inf,2,ant\n");
    folder.write("bad.csv", bad);
    for line in ["fit bad.csv", "fit xy.csv --columns x,nothing"] {
        let said = folder.run(&format!("{line} --label species -m 1 --out m.sqfa").replace(
            "xy.csv --columns x,nothing --label species",
            "xy.csv --columns x,nothing --label kind",
        ));
        assert_eq!(said.code, 1);
        assert!(!said.err.contains("--label"), "{}", said.err);
    }
}

#[test]
fn flags_that_a_message_mentions_help() {
    let folder = Folder::new();
    folder.write("few.csv", "a,b,label\n1,2,x\n2,3,x\n3,1,y\n4,1,y\n");
    let mut constant = "a,b,c,label\n".to_owned();
    let mut wide = (0..200).map(|at| format!("c{at},")).collect::<String>() + "label\n";
    for at in 0..60 {
        let (a, b, class) = row(at);
        constant.push_str(&format!("{a},{b},{},{class}\n", if at % 3 == 0 { "7" } else { &b }));
        let cells = (0..200).map(|k| format!("{:.4},", ((at * 7 + k * k) as f64).sin()));
        wide.push_str(&format!("{}{class}\n", cells.collect::<String>()));
    }
    folder.write("constant.csv", constant);
    folder.write("wide.csv", wide);
    for (file, mentioned, flags) in [
        ("few.csv", "leave it out", ""),
        ("constant.csv", "set --noise", "--noise 0.1"),
        ("few.csv", "--covariance-estimator oas", "--noise 0 --covariance-estimator oas"),
        ("few.csv", "--pca-dims 1", "--noise 0 --pca-dims 1"),
        ("constant.csv", "--covariance-estimator oas", "--noise 0 --covariance-estimator oas"),
        ("constant.csv", "drop constant dimensions", "--noise 0 --ignore c"),
    ] {
        let said = folder.run(&format!("fit {file} -m 1 --noise 0 --scaling none --out m.sqfa"));
        assert!(said.code == 1 && said.err.contains(mentioned), "{}", said.err);
        works(&folder, &format!("sqfa fit {file} -m 1 --out m.sqfa {flags}"));
    }
    let said = folder.run("fit wide.csv -m 1 --out m.sqfa");
    assert!(
        said.err.contains("--covariance-estimator oas or --pca-dims 19 may be"),
        "{}",
        said.err
    );
    // Twenty samples in each of three classes.
    for flags in ["--covariance-estimator oas", "--pca-dims 19"] {
        let said = works(&folder, &format!("sqfa fit wide.csv -m 1 --out m.sqfa {flags}"));
        assert!(!said.err.contains("singular"), "{}", said.err);
    }
    // More filters than that many components have room for, and no noise at all.
    for flags in ["-m 30", "-m 30 --noise 0 --scaling none"] {
        let said = folder.run(&format!("fit wide.csv {flags} --out m.sqfa"));
        assert!(!said.err.contains("--pca-dims"), "{}", said.err);
        works(
            &folder,
            &format!("sqfa fit wide.csv {flags} --covariance-estimator oas --out m.sqfa"),
        );
    }
    let said = folder.run("fit wide.csv -m 1 --noise 0 --scaling none --out m.sqfa");
    assert!(said.err.contains("leave out --noise 0"), "{}", said.err);
    works(&folder, "sqfa fit wide.csv -m 1 --constraint orthonormal --out m.sqfa");
}

#[test]
fn other_commands_that_a_message_names_work() {
    let folder = Folder::new();
    folder.write("t.csv", table(20));
    let unnamed: String =
        table(20).lines().map(|line| format!("{}\n", line.rsplit_once(',').unwrap().0)).collect();
    folder.write("no labels.csv", unnamed);
    folder.ok("fit t.csv --label species -m 2 --out m.sqfa");
    let said = paste(&folder, "sqfa evaluate m.sqfa 'no labels.csv'");
    assert_eq!(said.code, 1, "{}", said.err);
    let predict = &said.err[said.err.rfind("sqfa predict").unwrap()..];
    assert_eq!(works(&folder, predict.trim()).out.lines().count(), 60);
    for line in ["compare toy-6d", "evaluate m.sqfa toy-6d"] {
        let said = folder.run(line);
        let draw = &said.err[said.err.rfind("sqfa dataset").unwrap()..];
        works(&folder, draw.trim());
    }
    // A file of statistics is no toy, and a built-in family without points has none to draw.
    folder.ok("stats t.csv --label species --out t.stats");
    assert!(!folder.run("compare t.stats").err.contains("sqfa dataset"));
    assert!(!folder.run("evaluate m.sqfa scaling").err.contains("sqfa dataset"));
}

/// The long flags of a command.
fn known(folder: &Folder, command: &str) -> BTreeSet<String> {
    let help = folder.ok(format!("{command} --help").trim());
    let words = help.split(|c: char| c.is_whitespace() || "[]()=,;.:".contains(c));
    words.filter(|word| word.starts_with("--")).map(str::to_owned).collect()
}

/// Every flag in the messages of a command is one that this command has.
#[test]
fn messages_name_flags_of_their_own_command() {
    let folder = Folder::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let commands = [
        ("command/fit", "fit"),
        ("command/compare", "compare"),
        ("command/distances", "distances"),
        ("command/distances.rs", "distances"),
        ("command/evaluate.rs", "evaluate"),
        ("command/predict.rs", "predict"),
        ("command/transform.rs", "transform"),
        ("command/export.rs", "export"),
        ("command/stats.rs", "stats"),
        ("command/clean.rs", "clean"),
        ("command/dataset.rs", "dataset"),
        ("warnings.rs", "fit"),
    ];
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for (place, command) in commands {
        let path = source.join(place);
        let all: Vec<_> = match path.is_dir() {
            true => std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()).collect(),
            false => vec![path],
        };
        for file in all.into_iter().filter(|file| file.extension().is_some_and(|end| end == "rs")) {
            files.insert(std::fs::read_to_string(file).unwrap(), command.to_owned());
        }
    }
    for (text, command) in files {
        let known = known(&folder, &command);
        for (flag, line) in flags_in_messages(&text) {
            assert!(known.contains(&flag), "{flag} is no flag of sqfa {command}: {line}");
        }
    }
}
