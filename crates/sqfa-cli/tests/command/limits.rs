//! Too little memory, too many samples, too many threads: the command works or says why not, and never aborts.
#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};

use crate::common::{Folder, Said, table};
use sqfa_io::formats::NpzWriter;

/// Runs a command line with so many KB of address space; a signal would leave no exit code.
fn within(folder: &Folder, kilobytes: u64, line: &str) -> Said {
    let mut shell = Command::new("sh");
    let script = format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\"");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_sqfa")]).args(line.split(' '));
    shell.current_dir(folder.path("")).stdin(Stdio::null()).env("RUST_BACKTRACE", "0");
    Said::new(line, shell.output().unwrap())
}

#[test]
fn a_limited_address_space_is_enough_or_a_clear_error() {
    let folder = Folder::new();
    folder.write("data.csv", table(100));
    let mut succeeded = 0;
    // From less than the program itself needs to what is enough for a thread or two, on both sides of the allocator's first block.
    for megabytes in [160, 200, 300, 500, 700, 1000, 1300, 2000, 4000, 16_000] {
        for threads in ["", " --threads 16"] {
            let line = format!("fit data.csv --label species -m 2 --out m.sqfa{threads}");
            let said = within(&folder, megabytes * 1000, &line);
            match said.code {
                0 => succeeded += 1,
                1 => {
                    let clear = said.err.contains("error: out of memory: use a smaller file")
                        || said.err.contains("could not be started");
                    assert!(clear, "{megabytes} MB\n{}", said.err);
                }
                code => panic!("{megabytes} MB, exit code {code}\n{}", said.err),
            }
        }
    }
    assert!(succeeded > 0, "16 GB are enough");
}

#[test]
fn an_archive_larger_than_the_address_space_is_summed_or_a_clear_error() {
    let folder = Folder::new();
    let (rows, columns) = (20_000, 250);
    let mut npz = NpzWriter::create(&folder.path("x.npz"), false).unwrap();
    let values: Vec<f32> = (0..rows * columns).map(|at| (at * at % 101) as f32).collect();
    npz.add("X", &[rows, columns], &values).unwrap();
    npz.add("y", &[rows], &(0..rows as i64).map(|row| row % 2).collect::<Vec<_>>()).unwrap();
    npz.finish().unwrap();
    for megabytes in [200, 250, 300, 400, 600] {
        for line in ["fit x.npz -m 1 --method pca --out m.sqfa", "stats x.npz --out s.stats"] {
            let said = within(&folder, megabytes * 1000, line);
            let clear = said.err.contains("memory") || said.err.contains("could not be started");
            assert!(said.code == 0 || (said.code == 1 && clear), "{megabytes}: {}", said.err);
        }
    }
}

#[test]
fn counts_of_built_in_data_sets_are_checked_before_work_starts() {
    let folder = Folder::new();
    for (line, message) in [
        ("toy-6d --train 18446744073709551615", "--train 18446744073709551615"),
        ("toy-6d --train 1000000000000", "GB are available"),
        ("toy-6d --train 5 --test 18446744073709551615", "--test 18446744073709551615"),
        ("scaling --dimensions 10000000", "--dimensions 10000000"),
        ("scaling --dimensions 18446744073709551615", "--dimensions 18446744073709551615"),
        ("scaling --informative 18446744073709551615", "informative is 18446744073709551615"),
        ("speed --train 18446744073709551615", "--train 18446744073709551615"),
        ("speed --train 1 --test 1000000000000", "--test 1000000000000"),
        ("neural --train 18446744073709551615", "--train 18446744073709551615"),
        ("neural --train 1000000000000", "GB are available"),
    ] {
        folder.run(&format!("dataset {line} --out x.npz")).fails(1, message);
    }
    assert!(folder.names().is_empty());
    folder.ok("dataset toy-6d --train 20 --test 10 --out x.npz");
}

#[test]
fn threads_are_capped() {
    let folder = Folder::new();
    folder.write("data.csv", table(20));
    let line = "stats data.csv --label species --out s.stats";
    folder.ok(line);
    let expected = std::fs::read(folder.path("s.stats")).unwrap();
    for threads in ["100000", "18446744073709551615"] {
        let said = folder.run(&format!("{line} --threads {threads}"));
        assert_eq!(said.code, 0, "{}", said.err);
        assert!(said.err.contains(&format!("--threads {threads}: using")), "{}", said.err);
        assert!(std::fs::read(folder.path("s.stats")).unwrap() == expected);
    }
    assert!(!folder.run(&format!("{line} --threads 3")).err.contains("--threads"));
}
