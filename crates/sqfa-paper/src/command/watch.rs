//! Progress, warnings and Ctrl-C while items are made.

use sqfa::optimize::{Control, Progress};
use sqfa_paper::{Ending, Observer, Work};

use sqfa_cli::terminal::{self, Guard, StatusLine, asked};

/// The terminal that watches.
pub(super) struct Terminal;

struct Task {
    line: StatusLine,
    /// As long as it lives, Ctrl-C only leaves a note.
    _guard: Option<Guard>,
}

impl Observer for Terminal {
    fn begin<'a>(&'a self, what: &str, ending: Ending) -> Box<dyn Work + 'a> {
        let guard = (ending == Ending::InOrder).then(Guard::new);
        Box::new(Task { line: StatusLine::new(what), _guard: guard })
    }

    fn warn(&self, message: &str) {
        terminal::warn(message);
    }

    fn stopped(&self) -> bool {
        asked()
    }
}

impl Work for Task {
    fn step(&self, what: &str, progress: Option<&Progress>) -> Control {
        match progress {
            Some(progress) => self.line.observe(what, progress),
            None => {
                self.line.tell(what);
                if asked() { Control::Cancel } else { Control::Continue }
            }
        }
    }
}
