//! Axes, which map data to positions in a panel and have ticks at round numbers.

/// A range of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Range {
    /// Returns the smallest range of all finite numbers, which is widened if they are equal.
    /// Without finite numbers, returns 0 to 1.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let (low, high) = values
            .into_iter()
            .filter(|value| value.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            Self { low: 0.0, high: 1.0 }
        } else if low == high {
            let room = if low == 0.0 { 1.0 } else { 0.5 * low.abs() };
            Self { low: low - room, high: high + room }
        } else {
            Self { low, high }
        }
    }

    /// Returns the range with a fraction of its width added at both ends.
    pub fn widened(self, share: f64) -> Self {
        let room = share * (self.high - self.low);
        Self { low: self.low - room, high: self.high + room }
    }
}

/// The scale of an axis.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    /// A linear scale.
    Linear,
    /// A logarithmic scale, for positive numbers.
    Log,
    /// A scale of names. The k-th name is at position k.
    Names(Vec<String>),
}

/// One axis of a panel.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The label with the unit.
    pub label: String,
    /// The scale.
    pub scale: Scale,
    /// The range, or `None` for that of the marks.
    pub range: Option<Range>,
    /// The positions of ticks, or `None` for round numbers.
    pub ticks: Option<Vec<f64>>,
    /// Whether ticks and grid lines are drawn.
    pub visible: bool,
}

/// The approximate number of ticks.
const TICKS: f64 = 5.0;
/// The largest number of ticks, which is exceeded only if the width of the range is zero.
const MOST_TICKS: i64 = 100;
/// The number of decades above which some have no tick.
const MOST_DECADES: usize = 12;

impl Axis {
    /// Returns a linear axis.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Linear, range: None, ticks: None, visible: true }
    }

    /// Returns a logarithmic axis.
    pub fn log(label: impl Into<String>) -> Self {
        Self { scale: Scale::Log, ..Self::linear(label) }
    }

    /// Returns an axis with names.
    pub fn names(label: impl Into<String>, names: Vec<String>) -> Self {
        let range = Some(Range { low: -0.5, high: names.len() as f64 - 0.5 });
        Self { scale: Scale::Names(names), range, ..Self::linear(label) }
    }

    /// Returns an axis without ticks and grid lines.
    pub fn hidden() -> Self {
        Self { visible: false, ..Self::linear("") }
    }

    /// Returns the axis with a specified range.
    pub fn spanning(mut self, low: f64, high: f64) -> Self {
        self.range = Some(Range { low, high });
        self
    }

    /// Returns the axis with ticks at specified numbers.
    pub fn ticks_at(mut self, ticks: Vec<f64>) -> Self {
        self.ticks = Some(ticks);
        self
    }

    /// Returns the relative position of a number, which is 0 at the lower and 1 at the upper end of
    /// the range.
    pub(super) fn share(&self, range: Range, value: f64) -> f64 {
        match self.scale {
            Scale::Log => {
                let (low, high) = (range.low.ln(), range.high.ln());
                (value.ln() - low) / (high - low)
            }
            _ => (value - range.low) / (range.high - range.low),
        }
    }

    /// Returns the range that is drawn: the specified one, or that of the marks with margins.
    pub(super) fn drawn(&self, data: Range) -> Range {
        match (self.range, &self.scale) {
            (Some(range), _) => range,
            (None, Scale::Log) => {
                let (low, high) = (data.low.max(f64::MIN_POSITIVE), data.high);
                let room = (high / low).powf(0.06);
                Range { low: low / room, high: high * room }
            }
            (None, _) => data.widened(0.05),
        }
    }

    /// Returns ticks with their labels in ascending order.
    pub(super) fn labeled_ticks(&self, range: Range) -> Vec<(f64, String)> {
        let inside = |value: &f64| {
            let share = self.share(range, *value);
            (-1e-9..=1.0 + 1e-9).contains(&share)
        };
        if let Scale::Names(names) = &self.scale {
            let all = names.iter().enumerate().map(|(at, name)| (at as f64, shortened(name)));
            return all.filter(|(at, _)| inside(at)).collect();
        }
        let ticks = match (&self.ticks, &self.scale) {
            (Some(ticks), _) => ticks.clone(),
            (None, Scale::Log) => decades(range),
            (None, _) => round_numbers(range),
        };
        let step = match ticks.as_slice() {
            [first, second, ..] if self.scale == Scale::Linear => (second - first).abs(),
            _ => 0.0,
        };
        ticks.into_iter().filter(inside).map(|tick| (tick, text(tick, step))).collect()
    }
}

/// The number of characters above which a name is shortened, so that the panel is large enough.
const LETTERS: usize = 22;

/// Returns a name that is short enough for an axis.
fn shortened(name: &str) -> String {
    match name.chars().count() {
        0..=LETTERS => name.to_owned(),
        _ => name.chars().take(LETTERS - 1).chain(['…']).collect(),
    }
}

/// Returns multiples of 1, 2 or 5 times a power of ten.
fn round_numbers(range: Range) -> Vec<f64> {
    let width = range.high - range.low;
    if !(width > 0.0 && width.is_finite()) {
        return Vec::new();
    }
    let power = 10f64.powf((width / TICKS).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .min_by(|a, b| (width / a - TICKS).abs().total_cmp(&(width / b - TICKS).abs()))
        .unwrap_or(power);
    let first = (range.low / step - 1e-9).ceil() as i64;
    let last = (range.high / step + 1e-9).floor() as i64;
    if last.saturating_sub(first) > MOST_TICKS {
        // The width is so small that a tenth of it is rounded to zero.
        return Vec::new();
    }
    (first..=last).map(|k| k as f64 * step).collect()
}

/// Returns powers of ten. For few decades, multiples by 2 and 5 are added, and for many some are
/// omitted.
fn decades(range: Range) -> Vec<f64> {
    if !(range.low > 0.0 && range.high.is_finite()) {
        return Vec::new();
    }
    let (low, high) = (range.low.log10().floor() as i32, range.high.log10().ceil() as i32);
    let factors: &[f64] = if high - low <= 3 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let step = 1 + (high - low).max(0) as usize / MOST_DECADES;
    let ticks = (low..=high)
        .step_by(step)
        .flat_map(|power| factors.iter().map(move |f| f * 10f64.powi(power)));
    ticks.filter(|tick| (range.low..=range.high).contains(tick)).collect()
}

/// Returns the number of a tick with as many digits as its step needs.
fn text(value: f64, step: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let size = value.abs();
    if !(1e-4..1e6).contains(&size) {
        return format!("{value:e}");
    }
    if step > 0.0 {
        let decimals = (-(step * 1.000_001).log10().floor()).clamp(0.0, 9.0) as usize;
        return format!("{value:.decimals$}");
    }
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, low: f64, high: f64) -> Vec<String> {
        axis.labeled_ticks(Range { low, high }).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round_numbers_inside_the_range() {
        let axis = Axis::linear("x");
        assert_eq!(labels(&axis, 0.0, 100.0), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(
            labels(&axis, -0.11, 0.32),
            ["-0.1", "0.0", "0.1", "0.2", "0.3"].map(|t| if t == "0.0" { "0" } else { t })
        );
        assert_eq!(labels(&Axis::log("t"), 0.9, 30.0), ["1", "2", "5", "10", "20"]);
        assert_eq!(
            labels(&Axis::log("t"), 1e-4, 1e2),
            ["0.0001", "0.001", "0.01", "0.1", "1", "10", "100"]
        );
        assert_eq!(labels(&Axis::linear("m").ticks_at(vec![2.0, 4.0, 16.0]), 2.0, 8.0), ["2", "4"]);
    }

    #[test]
    fn no_range_is_too_wide_or_too_narrow_for_ticks() {
        for (low, high) in [
            (5e-324, 1e308),
            (-1e308, 1e308),
            (0.0, 5e-324),
            (1e308, f64::INFINITY),
            (0.0, 1.0),
            (-1.0, 0.0),
        ] {
            for axis in [Axis::linear("x"), Axis::log("x")] {
                assert!(labels(&axis, low, high).len() <= 30, "{axis:?} {low:e} {high:e}");
            }
        }
        assert!((5..30).contains(&labels(&Axis::log("x"), 1e-160, 1e160).len()));
    }

    #[test]
    fn long_names_are_cut() {
        let names = vec!["short".to_owned(), "ä".repeat(40)];
        let found = labels(&Axis::names("", names), -0.5, 1.5);
        assert_eq!(found, ["short".to_owned(), "ä".repeat(21) + "…"]);
    }

    #[test]
    fn shares_run_from_end_to_end() {
        let range = Range { low: 1.0, high: 100.0 };
        assert_eq!(Axis::log("t").share(range, 10.0), 0.5);
        assert_eq!(Axis::linear("t").share(range, 1.0), 0.0);
        assert_eq!(Range::of([f64::NAN, 3.0]), Range { low: 1.5, high: 4.5 });
        assert_eq!(Range::of([]), Range { low: 0.0, high: 1.0 });
    }
}
