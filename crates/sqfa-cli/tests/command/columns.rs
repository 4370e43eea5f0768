//! Tables as people have them: read right or refused in one message, and matched to models by the names of columns.

use crate::common::{Folder, table};

/// The table with its columns in another order and more of them.
fn shuffled(text: &str) -> String {
    let rows = text.lines().enumerate().map(|(row, line)| {
        let cells: Vec<&str> = line.split(',').collect();
        let id = if row == 0 { "id".to_owned() } else { (row * 7 % 1000).to_string() };
        format!("{},{id},{},{},{}\n", cells[2], cells[3], cells[0], cells[1])
    });
    rows.collect()
}

fn accuracy(folder: &Folder, line: &str) -> f64 {
    folder.json(line)["qda_accuracy"].as_f64().unwrap()
}

#[test]
fn every_bad_table_is_refused_with_what_where_and_the_remedy() {
    let folder = Folder::new();
    let bad: [(&str, &[u8], &str, &[&str]); 21] = [
        (
            "gaps",
            b"a,b,label\n1,,x\n2,3,y\n,,x\n4,5,y\n",
            "",
            &["a: 1, b: 2", "line 2", "--missing drop"],
        ),
        (
            "text",
            b"day,a,who,label\nmon,1,me,x\ntue,2,you,y\n",
            "",
            &["'day', 'who'", "--ignore day,who"],
        ),
        ("cell", b"a,b,label\n1,2,x\n\n2,oops,y\n3,4,x\n", "", &["line 4, column 'b'", "'oops'"]),
        ("crlf", b"a,b,label\r\n1,2,x\r\n2,oops,y\r\n3,4,x\r\n", "", &["line 3, column 'b'"]),
        ("quoted", b"a,label\n1,\"x\ny\"\noops,z\n3,z\n", "", &["line 4, column 'a'"]),
        ("comma", b"a;b;label\n1,500;2;x\n2,500;3;y\n", "", &["'1,500'", "--decimal comma"]),
        (
            "latin",
            b"a,label\n1,M\xe4rk\n2,M\xf6rk\n",
            "",
            &["line 2: the label", "--encoding latin-1"],
        ),
        (
            "ids",
            b"a,label\n1,p1\n2,p2\n3,p3\n4,p4\n5,p5\n",
            "",
            &["all 5 labels are different", "--label"],
        ),
        (
            "twice",
            b"a,a,label\n1,2,x\n2,3,y\n",
            "",
            &["several columns are called 'a'", "--ignore 1"],
        ),
        (
            "both",
            b"a,label,class\n1,x,u\n2,y,v\n",
            "",
            &["'label', 'class'", "--label label or --label class"],
        ),
        (
            "same",
            b"a,kind,kind\n1,x,x\n2,y,y\n",
            "--label kind",
            &["several columns are called 'kind'"],
        ),
        (
            "none",
            b"a,label\n1,NA\n2,x\n3,y\n4,x\n5,y\n",
            "",
            &["1 of 5 rows have no label", "line 2", "--missing drop"],
        ),
        ("inf", b"a,b,label\n1,2,x\n2,inf,y\n3,4,x\n", "", &["line 3, column 'b'", "'inf'"]),
        ("ragged", b"a,b,label\n1,2,x\n2,3\n", "", &["line 3: 2 cells", "--delimiter"]),
        (
            "open",
            b"a,b,label\n1,2,x\n3,4,\"y\n5,6,x\n7,8,y\n",
            "",
            &["line 3: a quotation mark", "not closed", "2 lines below"],
        ),
        ("shut", b"a,label\r\n1,x\r\n2,\"y", "", &["line 3: a quotation mark", "0 lines below"]),
        ("name", b"a,\"b,label\n1,2,x\n3,4,y\n", "", &["line 1: a quotation mark", "not closed"]),
        // Closed by the mark of a later row.
        (
            "joined",
            b"a,label\n1,x\n2,\"y\n3,x\n4,y\n5,z\"\n6,x\n7,y\n",
            "",
            &["line 3: the label goes on over 3 more lines", "remove the mark"],
        ),
        ("utf16", b"\xff\xfea\x00,\x00", "", &["UTF-16"]),
        (
            "far",
            b"1,2,x\n2,3,y\n",
            "--label 18446744073709551615",
            &["no label column '18446744073709551615'"],
        ),
        (
            "column",
            b"a,b,label\n1,2,x\n2,3,y\n",
            "--columns a,z",
            &["no column 'z'", "a, b, label"],
        ),
    ];
    for (name, bytes, flags, messages) in bad {
        folder.write(&format!("{name}.csv"), bytes);
        let said = folder.run(&format!("fit {name}.csv {flags} -m 1 --out m.sqfa"));
        for message in messages {
            said.fails(1, message);
        }
    }
    assert!(!folder.names().iter().any(|name| name.contains("sqfa")));
}

#[test]
fn every_honest_table_gives_the_same_model() {
    let folder = Folder::new();
    let plain = table(30).replace("species", "label");
    folder.write("plain.csv", &plain);
    folder.ok("fit plain.csv -m 2 --seed 1 --out m.sqfa");
    let expected = folder.filters("m.sqfa");
    let body: Vec<&str> = plain.lines().skip(1).collect();
    let numbered = |line: (usize, &&str)| format!("{},{}\n", line.0, line.1);
    let index: String = body.iter().enumerate().map(numbered).collect();
    let tables: [(&str, String, &str, &str); 9] = [
        ("semicolon.csv", plain.replace(',', ";"), "", "separated by ';'"),
        ("tab.csv", plain.replace(',', "\t"), "", "separated by tabs"),
        ("blank.txt", plain.replace(',', "   "), "", "separated by blanks"),
        ("pipe.csv", plain.replace(',', "|"), "--delimiter |", ""),
        ("crlf.csv", plain.replace('\n', "\r\n"), "", ""),
        ("bom.csv", format!("\u{feff}{plain}"), "", ""),
        ("bare.csv", body.join("\n"), "--label 3", "used as a sample"),
        ("pandas.csv", format!("0,1,2,3\n{}", body.join("\n")), "--label 3", "taken as names"),
        ("index.csv", format!(",width,height,depth,label\n{index}"), "", "taken as an index"),
    ];
    for (name, text, flags, note) in tables {
        folder.write(name, text);
        let said = folder.run(&format!("fit {name} {flags} -m 2 --seed 1 --out n.sqfa"));
        assert_eq!(said.code, 0, "{name}: {}", said.err);
        assert!(said.err.contains(note), "{name}: {}", said.err);
        assert_eq!(folder.filters("n.sqfa"), expected, "{name}");
    }
    // The guesses can be overruled.
    folder.write("tail.csv", body[1..].join("\n"));
    let points = |line: &str| folder.json(line)["n_train"].as_u64();
    assert_eq!(points("fit tail.csv --label 3 --header yes -m 2 --out n.sqfa"), Some(88));
    assert_eq!(points("fit tail.csv --label 3 --header no -m 2 --out n.sqfa"), Some(89));
    let gap = format!(",1.5,2.5,ant\n{}", body.join("\n"));
    folder.write("gap.csv", gap);
    folder.run("fit gap.csv --label 3 -m 2 --out n.sqfa").fails(1, "1 of 91 rows");
}

#[test]
fn labels_in_other_letters_stay_apart_when_their_encoding_is_named() {
    let folder = Folder::new();
    let mut bytes = b"a,b,label\n".to_vec();
    for row in 0..40 {
        let name: &[u8] = if row % 2 == 0 { b"M\xe4rk" } else { b"M\xf6rk" };
        let (a, b) = (f64::from(row * 7 % 10), f64::from(row * 3 % 11 + 5 * (row % 2)));
        bytes.extend(format!("{a},{b},").as_bytes());
        bytes.extend(name);
        bytes.push(b'\n');
    }
    folder.write("latin.csv", bytes);
    folder.ok("fit latin.csv --encoding latin-1 -m 1 --out m.sqfa");
    let said = folder.json("inspect m.sqfa");
    assert_eq!(said["classes"], serde_json::json!(["Märk", "Mörk"]));
}

#[test]
fn a_model_finds_its_columns_by_name() {
    let folder = Folder::new();
    folder.write("train.csv", table(30));
    folder.write("other.csv", shuffled(&table(20)));
    folder.write("same.csv", table(20));
    folder.ok("fit train.csv --label species -m 2 --out m.sqfa");
    let same = accuracy(&folder, "evaluate m.sqfa same.csv --label species");
    assert_eq!(accuracy(&folder, "evaluate m.sqfa other.csv --label species"), same);
    assert_eq!(folder.ok("predict m.sqfa other.csv"), folder.ok("predict m.sqfa same.csv"));
    folder.ok("transform m.sqfa other.csv --out a.npy");
    folder.ok("transform m.sqfa same.csv --out b.npy");
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert_eq!(read("a.npy"), read("b.npy"));
    folder.write("short.csv", "depth,width\n1,2\n");
    folder.run("predict m.sqfa short.csv").fails(1, "lacks the columns 'height'");
    folder.write("nameless.csv", "1.5,2.5,0.5\n3.5,1.25,0.25\n");
    let said = folder.run("predict m.sqfa nameless.csv");
    assert!(said.code == 0 && said.err.contains("unchecked"), "{}", said.err);
    // Files of one fit, and a test file, are matched as well.
    folder.ok("fit train.csv same.csv --label species -m 2 --out two.sqfa");
    folder.ok("fit train.csv other.csv --label species -m 2 --out mixed.sqfa");
    assert_eq!(folder.filters("mixed.sqfa"), folder.filters("two.sqfa"));
    let compare = "compare train.csv --label species --methods lda --filters 2 --csv --test";
    let scores = |file: &str| {
        let text = folder.ok(&format!("{compare} {file}"));
        text.lines()
            .map(|line| line.split(',').take(8).collect::<Vec<_>>().join(","))
            .collect::<Vec<_>>()
    };
    assert_eq!(scores("other.csv").len(), scores("same.csv").len());
    folder.ok("stats train.csv --label species --out a.stats");
    folder.ok("stats other.csv --label species --ignore id --out b.stats");
    folder.run("stats merge a.stats b.stats --out c.stats").fails(1, "column 1 is 'depth' here");
    folder.ok("stats train.csv other.csv --label species --out ab.stats");
    folder.ok("fit ab.stats -m 2 --out sums.sqfa");
    assert_eq!(folder.json("inspect sums.sqfa")["feature_names"][2], "depth");
}

#[test]
fn columns_are_chosen_and_suspicious_ones_named() {
    let folder = Folder::new();
    folder.write("t.csv", shuffled(&table(30)));
    // A column of ids is set aside by its name; under another name it draws a warning.
    let said = folder.run("fit t.csv --label species -m 2 --out m.sqfa");
    assert!(
        said.code == 0 && said.err.contains("column 'id' is taken as an index"),
        "{}",
        said.err
    );
    folder.write("u.csv", shuffled(&table(30)).replacen(",id,", ",code,", 1));
    let said = folder.run("fit u.csv --label species -m 2 --out u.sqfa");
    assert!(
        said.code == 0 && said.err.contains("'code'") && said.err.contains("--ignore"),
        "{}",
        said.err
    );
    folder.ok("fit t.csv --label species --ignore id -m 2 --out i.sqfa");
    assert_eq!(folder.filters("i.sqfa"), folder.filters("m.sqfa"));
    folder.ok("fit t.csv --label species --columns depth,width-height -m 2 --out c.sqfa");
    assert_eq!(folder.filters("i.sqfa"), folder.filters("c.sqfa"));
    assert_eq!(folder.json("inspect c.sqfa")["feature_names"][0], "depth");
    folder.write("p.npy", "x");
    folder.run("fit p.npy --ignore a -m 1 --out m.sqfa").fails(2, "--ignore is about tables");
}

#[test]
fn missing_values_are_left_out_filled_in_or_left_open() {
    let folder = Folder::new();
    let plain = table(30);
    folder.write("plain.csv", &plain);
    folder.write("gaps.csv", format!("{plain},1,1,ant\n2,,1,bee\n1,2,3,NA\n"));
    folder.run("fit gaps.csv --label species -m 2 --out m.sqfa").fails(1, "3 of 93 rows");
    folder.ok("fit plain.csv --label species -m 2 --out m.sqfa");
    folder.ok("fit gaps.csv --label species --missing drop -m 2 --out d.sqfa");
    assert_eq!(folder.filters("d.sqfa"), folder.filters("m.sqfa"));
    let filled = folder.json("fit gaps.csv --label species --missing mean -m 2 --out f.sqfa");
    assert_eq!(filled["n_train"], 92);
    let said = folder.run("predict m.sqfa gaps.csv --label species --missing drop");
    let lines: Vec<&str> = said.out.lines().collect();
    assert_eq!((said.code, lines.len()), (0, 93), "{}", said.err);
    assert!(lines[90].is_empty() && lines[91].is_empty() && !lines[92].is_empty());
    let json = folder.json("predict m.sqfa gaps.csv --label species --missing drop");
    assert!(json["predicted"][90].is_null() && json["predicted"][0] == "ant");
    let said = folder.ok("predict m.sqfa gaps.csv --label species --missing mean");
    assert!(said.lines().all(|line| !line.is_empty()));
    let all = folder.json("evaluate m.sqfa gaps.csv --label species --missing drop");
    assert_eq!(all["n_test"], 90);
    folder.run("evaluate m.sqfa gaps.csv --label species").fails(1, "--missing");
    folder.ok("transform m.sqfa gaps.csv --label species --missing drop --out z.csv");
    let rows = std::fs::read_to_string(folder.path("z.csv")).unwrap().lines().count();
    assert_eq!(rows, 92, "a header, and the row without a label keeps its features");
}
