//! One line of progress on terminals, nothing elsewhere; also where a fit learns that it should stop.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sqfa::optimize::{Control, Progress};
use sqfa_io::data::Summing;

use crate::{interrupt, output};

/// How often the line is redrawn while nothing is reported.
const TICK: Duration = Duration::from_millis(120);

/// The line on the terminal, if there is one.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Does something that prints while the progress line, if any, is out of the way.
pub(crate) fn undisturbed<T>(print: impl FnOnce() -> T) -> T {
    let shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match shown {
        Some(bar) => bar.suspend(print),
        None => print(),
    }
}

/// The progress line; it vanishes when dropped.
pub struct StatusLine {
    bar: ProgressBar,
}

impl StatusLine {
    /// A line that begins by saying what is under way.
    pub fn new(message: &str) -> Self {
        // Standard error draws nothing unless it is a terminal.
        let target = match output::is_quiet() {
            true => ProgressDrawTarget::hidden(),
            false => ProgressDrawTarget::stderr(),
        };
        let bar = ProgressBar::with_draw_target(None, target);
        // A wide message is cut to the width of the terminal: a line that wraps could not be removed again.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} · {wide_msg}") {
            bar.set_style(style);
        }
        bar.set_message(output::printable(message));
        if !bar.is_hidden() {
            *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
            bar.enable_steady_tick(TICK);
        }
        Self { bar }
    }

    /// Says what is under way now.
    pub fn tell(&self, message: &str) {
        self.bar.set_message(output::printable(message));
    }

    /// Shows an iteration and answers whether to go on.
    pub fn observe(&self, name: &str, progress: &Progress) -> Control {
        if !self.bar.is_hidden() {
            let learned = match progress.frozen {
                0 => String::new(),
                frozen => format!(" · {frozen} filters learned"),
            };
            self.tell(&format!(
                "{name}: iteration {} · objective {:.5} · {} passes · {} of {} initializations running{learned}",
                progress.iteration,
                progress.objective,
                progress.passes,
                progress.active,
                progress.starts,
            ));
        }
        if interrupt::asked() { Control::Cancel } else { Control::Continue }
    }
}

/// How fast points of one file are summed up.
pub(crate) struct Rate {
    what: String,
    began: Instant,
}

impl Rate {
    /// A file among several.
    pub(crate) fn new(file: &str, at: usize, files: usize) -> Self {
        let which = if files > 1 { format!(" ({} of {files})", at + 1) } else { String::new() };
        Self { what: format!("summing up {file}{which}"), began: Instant::now() }
    }

    /// Shows points, points a second and the time left.
    pub(crate) fn tell(&mut self, line: &StatusLine, now: Summing) {
        if line.bar.is_hidden() {
            return;
        }
        let rate = now.rows as f64 / self.began.elapsed().as_secs_f64().max(1e-9);
        let left = match now.total {
            Some(total) if rate > 0.0 => {
                let left = total.saturating_sub(now.rows) as f64 / rate;
                format!(" of {total} · {} left", crate::output::seconds(left))
            }
            _ => String::new(),
        };
        line.tell(&format!("{}: {} samples{left} · {rate:.0} samples/s", self.what, now.rows));
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.bar.finish_and_clear();
    }
}
