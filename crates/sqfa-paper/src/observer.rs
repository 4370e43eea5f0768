//! Who watches items being made: hears what is under way and what went wrong, and may stop it.

use sqfa::optimize::{Control, Progress};

/// How work ends when somebody asks to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// At once: it leaves nothing behind.
    AtOnce,
    /// After its current step: something is written.
    InOrder,
}

/// Who watches.
pub trait Observer {
    /// Work begins; it lasts until what is returned is dropped.
    fn begin<'a>(&'a self, what: &str, ending: Ending) -> Box<dyn Work + 'a>;

    /// Something a user should know.
    fn warn(&self, message: &str);

    /// Whether somebody has asked to stop.
    fn stopped(&self) -> bool;
}

/// Work under way.
pub trait Work {
    /// What is done now, with the latest iteration of a fit; answers whether to go on.
    fn step(&self, what: &str, progress: Option<&Progress>) -> Control;
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Watches nothing and stops nothing.
    pub(crate) struct Nobody;

    impl Observer for Nobody {
        fn begin<'a>(&'a self, _: &str, _: Ending) -> Box<dyn Work + 'a> {
            Box::new(Self)
        }

        fn warn(&self, _: &str) {}

        fn stopped(&self) -> bool {
            false
        }
    }

    impl Work for Nobody {
        fn step(&self, _: &str, _: Option<&Progress>) -> Control {
            Control::Continue
        }
    }
}
