//! Outputs: nothing is destroyed, streams are streamed to, leftovers are no obstacle, parts keep their names.
#![cfg(unix)]

use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

use crate::common::{Folder, table};
use sqfa_io::formats::{Limits, Npz, NpzWriter};

const FIT: &str = "fit data.csv --label species -m 1 --n-init 1";

#[test]
fn an_output_never_destroys_an_input_or_another_output() {
    let folder = Folder::new();
    folder.write("data.csv", table(20));
    folder.ok(&format!("{FIT} --out m.sqfa"));
    symlink("data.csv", folder.path("link.csv")).unwrap();
    std::fs::hard_link(folder.path("data.csv"), folder.path("hard.csv")).unwrap();
    std::fs::create_dir(folder.path("folder")).unwrap();
    for (line, message) in [
        (format!("{FIT} --out data.csv"), "is an input"),
        (format!("{FIT} --out ./data.csv"), "is an input"),
        (format!("{FIT} --out link.csv"), "is an input"),
        (format!("{FIT} --out hard.csv"), "is an input"),
        (format!("{FIT} --out a.sqfa --report ./a.sqfa"), "two outputs"),
        (format!("{FIT} --out folder"), "is a folder"),
        (format!("{FIT} --out a.sqfa --report folder"), "is a folder"),
        ("transform m.sqfa data.csv --label species --out data.csv".to_owned(), "is an input"),
        ("predict m.sqfa data.csv --label species --out data.csv".to_owned(), "is an input"),
        ("stats data.csv --label species --out data.csv".to_owned(), "is an input"),
        ("export m.sqfa --format csv --out m.sqfa".to_owned(), "is an input"),
    ] {
        folder.run(&line).fails(2, message);
    }
    assert_eq!(std::fs::read_to_string(folder.path("data.csv")).unwrap(), table(20));
    assert!(!folder.names().contains(&"a.sqfa".to_owned()));
}

#[test]
fn modes_and_links_stay_and_read_only_files_are_respected() {
    let folder = Folder::new();
    folder.write("data.csv", table(20));
    let mode =
        |name: &str| std::fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o777;
    folder.write("m.sqfa", "old");
    std::fs::set_permissions(folder.path("m.sqfa"), PermissionsExt::from_mode(0o600)).unwrap();
    symlink("m.sqfa", folder.path("link.sqfa")).unwrap();
    folder.ok(&format!("{FIT} --out link.sqfa"));
    assert_eq!(mode("m.sqfa"), 0o600);
    assert!(folder.path("link.sqfa").is_symlink());
    folder.ok("inspect m.sqfa");
    std::fs::set_permissions(folder.path("m.sqfa"), PermissionsExt::from_mode(0o444)).unwrap();
    folder.run(&format!("{FIT} --out m.sqfa")).fails(1, "read-only");
    // What a killed process of number 1 left behind, as in a container.
    folder.write(".n.sqfa.1-0.part", "half");
    folder.ok(&format!("{FIT} --out n.sqfa"));
    assert!(!folder.names().iter().any(|name| name.ends_with(".part")));
}

#[test]
fn standard_output_and_pipes_are_streamed_to() {
    let folder = Folder::new();
    folder.write("data.csv", table(20));
    folder.ok(&format!("{FIT} --out m.sqfa"));
    let plain = std::fs::read(folder.path("m.sqfa")).unwrap();
    // Redirected to a file, through the shell's own descriptor.
    let out = std::fs::File::create(folder.path("redirected")).unwrap();
    let line = "transform m.sqfa data.csv --label species --json --out /dev/stdout";
    assert!(folder.run(line).err.contains(".npy"), "a stream has no ending");
    let mut command = folder.command("export m.sqfa --format csv --out /dev/stdout");
    assert!(command.stdout(out).status().unwrap().success());
    let text = std::fs::read_to_string(folder.path("redirected")).unwrap();
    assert_eq!(text, folder.ok("export m.sqfa --format csv"));
    assert!(std::path::Path::new("/dev/stdout").is_symlink());
    // A pipe gets the whole model, though archives and models are not written front to back.
    let pipe = folder.path("pipe.npz");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = Command::new("cat").arg(&pipe).stdout(Stdio::piped()).spawn().unwrap();
    folder.ok("export m.sqfa --format npz --out pipe.npz");
    let bytes = reader.wait_with_output().unwrap().stdout;
    folder.ok("export m.sqfa --format npz --out file.npz");
    assert_eq!(bytes, std::fs::read(folder.path("file.npz")).unwrap());
    assert_eq!(std::fs::read(folder.path("m.sqfa")).unwrap(), plain);
}

#[test]
fn waiting_for_the_reader_of_a_pipe_ends_when_asked() {
    let folder = Folder::new();
    folder.write("data.csv", table(20));
    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut child = folder
        .command(&format!("{FIT} --out pipe"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Until the command listens, the signal ends it too, only without a code of its own.
    let kill = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let status = child.wait().unwrap();
    assert!(status.code().is_none_or(|code| code == 130), "{status:?}");
}

#[test]
fn all_parts_of_an_archive_are_transformed_and_said() {
    let folder = Folder::new();
    folder.write("data.csv", table(20).replace("species", "label"));
    folder.ok("fit data.csv -m 1 --n-init 1 --out m.sqfa");
    let write = |name: &str, labeled: bool| {
        let mut npz = NpzWriter::create(&folder.path(name), false).unwrap();
        npz.add("X_train", &[4, 3], &vec![0.5f64; 12]).unwrap();
        npz.add("X_test", &[2, 3], &vec![1.5f64; 6]).unwrap();
        if labeled {
            npz.add("y_train", &[4], &["ant", "bee", "cat", "ant"].map(str::to_owned).to_vec())
                .unwrap();
        }
        npz.finish().unwrap();
    };
    for labeled in [true, false] {
        write("parts.npz", labeled);
        let said = folder.ok("transform m.sqfa parts.npz --out z.npz");
        assert!(said.contains("4 train, 2 test"), "{said}");
        let mut z = Npz::open(&folder.path("z.npz"), Limits::default()).unwrap();
        assert_eq!(z.shape("X_train").unwrap(), [4, 1]);
        assert_eq!(z.shape("X_test").unwrap(), [2, 1]);
        assert_eq!(z.contains("y_train"), labeled);
        let said = folder.run("predict m.sqfa parts.npz");
        let lines: Vec<&str> = said.out.lines().collect();
        assert_eq!((lines.len(), lines[0]), (7, "part,label"), "{}", said.err);
        assert!(lines[1..5].iter().all(|line| line.starts_with("train,")), "{lines:?}");
        assert!(lines[5..].iter().all(|line| line.starts_with("test,")), "{lines:?}");
        assert!(said.err.contains("4 train, 2 test"), "{}", said.err);
        let json = folder.json("predict m.sqfa parts.npz");
        assert_eq!(
            (json["n_points"].as_u64(), json["parts"][1]["n_points"].as_u64()),
            (Some(6), Some(2))
        );
        assert_eq!(json["predicted"].as_array().unwrap().len(), 6);
        folder.run("predict m.sqfa parts.npz --out y.npy").fails(2, "name one with --part");
        assert_eq!(folder.ok("predict m.sqfa parts.npz --part train").lines().count(), 4);
    }
}

#[test]
fn points_that_are_not_finite_never_get_a_class() {
    let folder = Folder::new();
    folder.write("data.csv", table(20).replace("species", "label"));
    folder.ok("fit data.csv -m 1 --n-init 1 --out m.sqfa");
    for (value, message) in [(f64::NAN, "row 1, column 'depth' is NaN"), (f64::INFINITY, "inf")] {
        let mut npz = NpzWriter::create(&folder.path("x.npz"), false).unwrap();
        npz.add("X", &[2, 3], &vec![0.5, 1.0, 1.5, 0.5, 1.0, value]).unwrap();
        npz.add("y", &[2], &["ant", "bee"].map(str::to_owned).to_vec()).unwrap();
        npz.finish().unwrap();
        for line in ["predict m.sqfa x.npz", "evaluate m.sqfa x.npz"] {
            folder.run(line).fails(1, message);
        }
        // A row without a value keeps its place, an infinite one is refused.
        let said = folder.run("transform m.sqfa x.npz --out z.csv");
        match value.is_nan() {
            true => {
                assert_eq!(said.code, 0, "{}", said.err);
                let rows = std::fs::read_to_string(folder.path("z.csv")).unwrap();
                assert_eq!(rows.lines().nth(2), Some(",bee"), "{rows}");
            }
            false => said.fails(1, message),
        }
        folder.run("fit x.npz -m 1 --out n.sqfa").fails(1, "x.npz");
        folder.run("compare x.npz --methods pca --filters 1").fails(1, "x.npz");
    }
    let mut npz = NpzWriter::create(&folder.path("big.npz"), false).unwrap();
    npz.add("X", &[4, 1], &vec![1e30f32, 2e30, 3e30, 5e30]).unwrap();
    npz.add("y", &[4], &vec![0i64, 0, 1, 1]).unwrap();
    npz.finish().unwrap();
    folder.run("fit big.npz -m 1 --out n.sqfa").fails(1, "--precision f64");
}

#[test]
fn two_comparisons_do_not_share_a_folder_and_a_torn_record_is_told_once() {
    let folder = Folder::new();
    folder.write("data.csv", table(20));
    let line = "compare data.csv --label species --methods pca --filters 1 --out runs";
    std::fs::create_dir(folder.path("runs")).unwrap();
    // As a kill leaves it while the manifest is written.
    folder.write("runs/.spec.json.0123456789abcdef.part", "{");
    folder.ok(line);
    let lock = std::fs::File::open(folder.path("runs/.lock")).unwrap();
    lock.lock().unwrap();
    folder.run(line).fails(1, "in use");
    drop(lock);
    let path = folder.path("runs/records.jsonl");
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str("{\"method\":");
    std::fs::write(&path, text).unwrap();
    let (first, second) = (folder.run(line), folder.run(line));
    assert!(first.err.contains("is no record"), "{}", first.err);
    assert!(second.code == 0 && !second.err.contains("is no record"), "{}", second.err);
}

#[test]
fn a_closed_pipe_does_not_cost_the_report() {
    let folder = Folder::new();
    folder.write("data.csv", table(20));
    let line = "compare data.csv --label species --methods pca --filters 1 --report r.html";
    let mut child =
        folder.command(line).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(folder.path("r.html").exists());
}
