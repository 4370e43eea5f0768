//! The memory that is available to this process.

/// A limit on the address space of this process, as set by `ulimit -v` and some schedulers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressSpace {
    /// The largest size of the address space in bytes.
    pub limit: u64,
    /// The current size of the address space in bytes.
    pub used: u64,
}

impl AddressSpace {
    /// Returns the limit of this process. Returns `None` without a limit, or on systems other than
    /// Linux.
    pub fn of_process() -> Option<Self> {
        let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
        let status = std::fs::read_to_string("/proc/self/status").ok()?;
        let limit = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
        let used = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
        let first = |text: &str| text.split_whitespace().next()?.parse::<u64>().ok();
        // Without a limit the first word is "unlimited".
        Some(Self { limit: first(limit)?, used: first(used)? * 1024 })
    }

    /// Returns the number of bytes that are left in the address space.
    pub fn left(&self) -> u64 {
        self.limit.saturating_sub(self.used)
    }
}

/// Returns the number of bytes of free memory, or `None` if the system does not report it.
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
