//! How the command ends when the world interferes: closed pipes, full folders, Ctrl-C, failed fits.
#![cfg(unix)]

use std::io::Read;
use std::process::{Command, Stdio};

#[cfg(target_os = "linux")]
use crate::common::wait_until_busy;
use crate::common::{Folder, table};

#[test]
fn a_closed_pipe_ends_quietly() {
    let folder = Folder::new();
    folder.write("data.csv", table(30_000));
    folder.ok("fit data.csv --label species -m 1 --n-init 1 --out m.sqfa");
    let mut child = folder
        .command("predict m.sqfa data.csv --label species --probabilities")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 5];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    assert_eq!(&first, b"label");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let folder = Folder::new();
    folder.write("data.csv", table(20));
    folder.ok("fit data.csv --label species -m 1 --out m.sqfa");
    for line in [
        "fit data.csv --label species -m 2 --out no/such/folder/m.sqfa",
        "dataset toy-6d --out no/such/folder/d.npz",
        "transform m.sqfa data.csv --label species --out no/such/folder/z.npy",
        "export m.sqfa --format csv --out no/such/folder/f.csv",
        "predict m.sqfa data.csv --label species --out no/such/folder/y.csv",
    ] {
        folder.run(line).fails(1, "cannot write no/such/folder/");
    }
}

#[test]
fn an_existing_model_survives_a_failed_fit() {
    let folder = Folder::new();
    folder.write("data.csv", table(20));
    folder.ok("fit data.csv --label species -m 1 --out m.sqfa");
    let before = std::fs::read(folder.path("m.sqfa")).unwrap();
    folder.run("fit data.csv --label species -m 9 --out m.sqfa").fails(1, "--filters 9");
    assert_eq!(std::fs::read(folder.path("m.sqfa")).unwrap(), before);
    assert_eq!(folder.names(), ["data.csv", "m.sqfa"]);
    folder.ok("fit data.csv --label species -m 2 --out m.sqfa");
    assert_ne!(std::fs::read(folder.path("m.sqfa")).unwrap(), before);
}

/// The fit would take days: that it ends at all shows that it ends between two iterations.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_and_a_request_to_terminate_leave_nothing_half_written() {
    for signal in ["-INT", "-TERM"] {
        let folder = Folder::new();
        folder.write("old.sqfa", "an older model");
        let mut child = folder
            .command("fit scaling -m 60 --n-init 8 --tol 0 --max-iter 1000000000 --out old.sqfa")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        wait_until_busy(&mut child, 100);
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{signal}: {said}");
        assert!(output.stdout.is_empty(), "{signal}");
        assert_eq!(std::fs::read(folder.path("old.sqfa")).unwrap(), b"an older model", "{signal}");
        assert_eq!(folder.names(), ["old.sqfa"], "{signal}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_reason_is_given_once() {
    let folder = Folder::new();
    folder.write("d.csv", "a,b,label\n1,2,x\n2,1,x\n3,4,y\n4,3,y\n");
    let said = folder.run("stats d.csv --label label --out /dev/full");
    assert_eq!(said.code, 1);
    assert_eq!(said.err.matches("No space left").count(), 1, "{}", said.err);
}
