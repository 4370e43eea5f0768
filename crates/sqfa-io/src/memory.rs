//! How much memory the system has left for this process.

/// A limit on the address space of this process, as `ulimit -v` and some schedulers set it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressSpace {
    /// The most bytes of addresses that this process may have.
    pub limit: u64,
    /// The bytes of addresses that it has.
    pub used: u64,
}

impl AddressSpace {
    /// Returns the limit of this process; `None` where there is none, or where the system does not tell (Linux does).
    pub fn of_process() -> Option<Self> {
        let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let limit = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
        let used = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
        let first = |text: &str| text.split_whitespace().next()?.parse::<u64>().ok();
        // Without a limit the first word is "unlimited".
        Some(Self { limit: first(limit)?, used: first(used)? * 1024 })
    }

    /// Returns the bytes of addresses that are left.
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.used)
    }
}

/// Returns the bytes of memory that are free for use, where the system tells.
pub fn available() -> Option<u64> {
    let free = || {
        let text = std::fs::read_to_string("/proc/meminfo").ok()?;
        let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
        Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
    };
    let addresses = AddressSpace::of_process().map(|space| space.left());
    match (free(), addresses) {
        (Some(free), Some(addresses)) => Some(free.min(addresses)),
        (free, addresses) => free.or(addresses),
    }
}
