//! Runs the real command in a folder of its own and looks at what it said.
#![allow(dead_code, unreachable_pub)] // every test file uses its own part of this
#![allow(clippy::unwrap_used)] // a test that unwraps fails, as it should

#[cfg(debug_assertions)]
pub(crate) mod crash;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Waits until a command listens for Ctrl-C and has computed for so many hundredths of a second.
///
/// Processor time, not time on the wall: a busy machine only makes it wait longer.
#[cfg(target_os = "linux")]
pub fn wait_until_busy(child: &mut std::process::Child, hundredths: u64) {
    const INTERRUPT: u64 = 1 << 1;
    loop {
        assert!(child.try_wait().unwrap().is_none(), "the command should still be running");
        let read = |file: &str| {
            std::fs::read_to_string(format!("/proc/{}/{file}", child.id())).unwrap_or_default()
        };
        let status = read("status");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        // User time is the fourteenth field; those after the name hold no parentheses.
        let stat = read("stat");
        let fields = stat.rsplit(')').next().unwrap_or_default();
        let used = fields.split_whitespace().nth(11).and_then(|ticks| ticks.parse().ok());
        if caught.unwrap_or(0) & INTERRUPT != 0 && used.unwrap_or(0) >= hundredths {
            return;
        }
        std::thread::yield_now();
    }
}

/// A folder that vanishes with the test.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }

    /// The names of all files there, hidden ones too.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// The command, ready to run in this folder.
    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(crate::COMMAND);
        command.args(line.split_whitespace()).current_dir(self.0.path());
        command.env("COLUMNS", "100").env_remove("NO_COLOR");
        command
    }

    /// Runs a command line; arguments are separated by blanks.
    pub fn run(&self, line: &str) -> Said {
        Said::new(line, self.command(line).stdin(Stdio::null()).output().unwrap())
    }

    /// Runs a command line that must succeed, and returns what it printed.
    pub fn ok(&self, line: &str) -> String {
        let said = self.run(line);
        assert_eq!(said.code, 0, "sqfa {line}\n{}{}", said.out, said.err);
        said.out
    }

    /// Runs a command line that must succeed, and returns its JSON object.
    pub fn json(&self, line: &str) -> serde_json::Value {
        let out = self.ok(&format!("{line} --json"));
        assert_eq!(out.lines().count(), 1, "one object on one line: {out}");
        serde_json::from_str(&out).unwrap()
    }

    /// Runs a command line with something on standard input.
    pub fn feed(&self, line: &str, input: &str) -> Said {
        let mut child = self
            .command(line)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        Said::new(line, child.wait_with_output().unwrap())
    }

    /// The filters of a model, one a vector.
    pub fn filters(&self, model: &str) -> Vec<Vec<f64>> {
        let table = self.ok(&format!("export {model} --format csv --scaled"));
        let rows: Vec<Vec<f64>> = table
            .lines()
            .skip(1)
            .map(|line| line.split(',').skip(1).map(|cell| cell.parse().unwrap()).collect())
            .collect();
        (0..rows[0].len()).map(|j| rows.iter().map(|row| row[j]).collect()).collect()
    }
}

/// What a process said.
pub struct Said {
    pub line: String,
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Said {
    pub fn new(line: &str, output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let said = Self {
            line: line.to_owned(),
            code: output.status.code().unwrap_or(-1),
            out: text(&output.stdout),
            err: text(&output.stderr),
        };
        assert!(!said.err.contains("panicked"), "a panic is a bug: sqfa {line}\n{}", said.err);
        said
    }

    /// It must have failed with this code, saying this and nothing on standard output.
    #[track_caller]
    pub fn fails(&self, code: i32, message: &str) {
        assert_eq!(self.code, code, "sqfa {}\n{}", self.line, self.err);
        assert!(self.err.contains(message), "sqfa {}\n{}\nlacks: {message}", self.line, self.err);
        assert!(self.out.is_empty(), "sqfa {}\n{}", self.line, self.out);
    }
}

/// Three separable classes in three dimensions, as a table with names.
pub fn table(rows_per_class: usize) -> String {
    let mut text = "width,height,depth,species\n".to_owned();
    for row in 0..rows_per_class {
        for (class, name) in ["ant", "bee", "cat"].iter().enumerate() {
            // Deterministic scatter with a different spread in every class.
            let wave = |k: usize| ((row * (7 + k) + 3 * class) as f64 * 0.7).sin();
            let x = 3.0 * class as f64 + wave(0);
            let y = (1.0 + class as f64) * wave(1);
            text.push_str(&format!("{x:.4},{y:.4},{:.4},{name}\n", wave(2)));
        }
    }
    text
}

pub fn exists(path: &Path) -> bool {
    path.exists()
}

/// The flags that a source names outside comments and its tests, each with its line.
pub fn flags_in_messages(source: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let source = source.split("#[cfg(test)]").next().unwrap();
    for line in source.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        // A whole command that is suggested has flags of its own.
        let line = line.split("suggest::").next().unwrap();
        let mut rest = line;
        while let Some(at) = rest.find("--") {
            let flag: String =
                rest[at..].chars().take_while(|c| *c == '-' || c.is_ascii_lowercase()).collect();
            rest = &rest[at + 2..];
            if flag.len() > 3 && !flag.ends_with('-') {
                found.push((flag, line.to_owned()));
            }
        }
    }
    found
}
