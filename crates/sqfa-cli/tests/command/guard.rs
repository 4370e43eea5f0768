//! Where outputs go: regular files are replaced wherever they are, descriptors are used as inherited, inputs and records survive.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use crate::common::{Folder, Said, table};
use sqfa_io::formats::{write_idx_u8, write_npy};

const FIT: &str = "fit data.csv --label species -m 1 --noise 0.1 --n-init 1";

#[test]
fn files_under_dev_are_replaced_like_any_other() {
    let shared = tempfile::tempdir_in("/dev/shm").unwrap();
    let at = |name: &str| shared.path().join(name).display().to_string();
    let folder = Folder::new();
    folder.write("data.csv", table(40));
    folder.write("few.csv", table(5));
    folder.ok(&format!("{FIT} --out m.sqfa"));
    for data in ["data.csv", "few.csv"] {
        folder.ok(&format!("transform m.sqfa {data} --label species --out z.csv"));
        folder.ok(&format!("transform m.sqfa {data} --label species --out {}", at("z.csv")));
        folder.ok(&format!("stats {data} --label species --out s.stats"));
        folder.ok(&format!("stats {data} --label species --out {}", at("s.stats")));
        for name in ["z.csv", "s.stats"] {
            let (here, there) = (fs::read(folder.path(name)), fs::read(at(name)));
            assert!(here.unwrap() == there.unwrap(), "{name} of {data}");
        }
    }
    assert_eq!(fs::read_dir(shared.path()).unwrap().count(), 2, "no temporary file is left");
}

#[test]
fn descriptors_are_written_where_they_stand() {
    let folder = Folder::new();
    folder.write("data.csv", table(20));
    let line = "stats data.csv --label species --out";
    folder.ok(&format!("{line} s.stats"));
    let expected = [b"before\n".as_slice(), &fs::read(folder.path("s.stats")).unwrap()].concat();
    // With >> and with >, after something else was written through the same descriptor.
    for append in [true, false] {
        folder.write("log", "");
        let mut log = fs::OpenOptions::new();
        let mut log = log.append(append).write(true).open(folder.path("log")).unwrap();
        log.write_all(b"before\n").unwrap();
        let mut command = folder.command(&format!("{line} /dev/stdout"));
        assert!(command.stdin(Stdio::null()).stdout(log).status().unwrap().success());
        let log = fs::read(folder.path("log")).unwrap();
        assert!(log.starts_with(&expected), "append {append}: {}", String::from_utf8_lossy(&log));
    }
    let script = "echo before > log; exec 3>> log; \"$@\" --out /dev/fd/3";
    let words = ["-c", script, "sh", env!("CARGO_BIN_EXE_sqfa")];
    let words = words.into_iter().chain("stats data.csv --label species".split(' '));
    let mut shell = Command::new("sh");
    shell.args(words).current_dir(folder.path("")).stdin(Stdio::null());
    let said = Said::new("sh", shell.output().unwrap());
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(fs::read(folder.path("log")).unwrap() == expected);
}

#[test]
fn no_output_replaces_an_input_or_a_record() {
    let folder = Folder::new();
    folder.write("data.csv", table(20));
    folder.ok(&format!("{FIT} --out m.sqfa"));
    let compare = "compare data.csv --label species --methods pca --filters 1 --seeds 1 --out runs";
    folder.ok(compare);
    fs::create_dir(folder.path("mn")).unwrap();
    let images: Vec<u8> = (0..80u8).map(|at| at.wrapping_mul(37) ^ (at >> 2)).collect();
    let labels: Vec<u8> = (0..20).map(|at| at % 2).collect();
    write_idx_u8(&folder.path("mn/train-images-idx3-ubyte"), &[20, 2, 2], &images).unwrap();
    write_idx_u8(&folder.path("mn/train-labels-idx1-ubyte"), &[20], &labels).unwrap();
    let points: Vec<f64> = (0..60).map(|at| f64::from(at * at % 17)).collect();
    write_npy(&folder.path("x.npy"), &[20, 3], &points).unwrap();
    write_npy(&folder.path("y.npy"), &[20], &(0..20).map(|at| at % 2).collect::<Vec<i64>>())
        .unwrap();
    write_npy(&folder.path("f.npy"), &[3, 1], &vec![1.0, 0.5, 0.25]).unwrap();
    symlink("new.sqfa", folder.path("early")).unwrap();
    symlink(folder.path("mn"), folder.path("linked")).unwrap();
    let everything = || -> Vec<(String, Vec<u8>)> {
        let of = |inner: &str| {
            let entries = fs::read_dir(folder.path(inner)).unwrap();
            entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file())
        };
        let mut all: Vec<_> = ["", "runs", "mn"]
            .into_iter()
            .flat_map(of)
            .map(|path| (path.display().to_string(), fs::read(path).unwrap()))
            .collect();
        all.sort();
        all
    };
    let before = everything();
    for (line, message) in [
        (format!("{compare} --report runs/records.jsonl"), "is an input"),
        (format!("{compare} --report runs/spec.json"), "is an input"),
        (format!("{compare} --report runs/.lock"), "is an input"),
        ("stats mn --out mn/train-images-idx3-ubyte".to_owned(), "is an input"),
        ("stats mn --out mn/train-images-idx3-ubyte.gz".to_owned(), "is an input"),
        ("stats linked --out mn/train-labels-idx1-ubyte".to_owned(), "is an input"),
        ("fit mn -m 1 --out mn/train-labels-idx1-ubyte".to_owned(), "is an input"),
        (format!("{FIT} --out new.sqfa --report early"), "two outputs"),
        (format!("{FIT} --out early --report new.sqfa"), "two outputs"),
        (format!("{FIT} --init f.npy --out f.npy"), "is an input"),
        (format!("{FIT} --fixed f.npy --out f.npy"), "is an input"),
        ("transform m.sqfa x.npy --labels y.npy --out y.npy".to_owned(), "is an input"),
        ("predict m.sqfa x.npy --labels y.npy --out y.npy".to_owned(), "is an input"),
        ("distances x.npy --labels y.npy --out y.npy".to_owned(), "is an input"),
        ("fit x.npy --labels y.npy -m 1 --out y.npy".to_owned(), "is an input"),
        ("compare x.npy --labels y.npy --report y.npy".to_owned(), "is an input"),
        ("dataset speed --images mn --out mn/images.npz".to_owned(), "no .npz file"),
    ] {
        folder.run(&line).fails(if message.contains("npz") { 1 } else { 2 }, message);
    }
    assert!(everything() == before, "nothing changed and nothing was added");
    // Folders of inputs may hold other outputs, and a report may be next to its records.
    folder.ok("stats mn --out mn/sums.stats");
    folder.ok("stats mn --out mn/sums.stats");
    folder.ok(&format!("{compare} --report runs/report.html"));
    folder.ok(&format!("{FIT} --out early --report r.html"));
    assert!(folder.path("early").is_symlink() && folder.path("new.sqfa").is_file());
}

#[test]
fn archives_in_a_folder_of_images_are_inputs() {
    let folder = Folder::new();
    fs::create_dir(folder.path("images")).unwrap();
    folder.write("images/a.npz", "an archive");
    folder.run("dataset speed --images images --out images/a.npz").fails(2, "is an input");
    assert_eq!(fs::read(folder.path("images/a.npz")).unwrap(), b"an archive");
}
