//! Rendering of panels as SVG: margins follow from the labels, then grid, marks and frame are
//! drawn.

use super::mark::Entry;
use super::svg::{Attributes, Canvas};
use super::{Axis, Figure, Mark, Panel, Place, Range, Scale, Style};

/// The font size in pixels.
pub(super) const FONT: f64 = 12.0;
/// The mean width of a character, as a fraction of the font size.
const LETTER: f64 = 0.58;
/// The distance between neighboring elements.
const GAP: f64 = 6.0;
/// The radius of a marker on a line.
pub(super) const MARKER: f64 = 3.4;
/// The space that a name below an axis needs. With less space, every second name is omitted.
const NAME_PITCH: f64 = 15.0;

/// Renders a figure.
pub(super) fn draw(figure: &Figure, place: Place) -> String {
    let rows = figure.panels.len().div_ceil(figure.columns).max(1);
    let (width, height) = (figure.width * figure.columns as f64, figure.height * rows as f64);
    let mut canvas = Canvas::new(place);
    let mut root = Attributes::new()
        .set("xmlns", "http://www.w3.org/2000/svg")
        .set("viewBox", format!("0 0 {width:.0} {height:.0}"))
        .set("role", "img")
        .set("aria-label", &figure.description)
        .set("font-family", "system-ui, sans-serif")
        .set("font-size", FONT);
    root = match place {
        // The width is limited, so that the text is not much larger than that of the page.
        Place::Page => {
            root.set("class", "figure").set("style", format!("max-width:{:.0}px", 1.2 * width))
        }
        Place::File => root.at("width", width).at("height", height).set("color", "#1b1f24"),
    };
    canvas.open("svg", root);
    if place == Place::File {
        canvas.element(
            "rect",
            Attributes::new().at("width", width).at("height", height).set("fill", "#ffffff"),
        );
    }
    for (index, panel) in figure.panels.iter().enumerate() {
        let (column, row) = (index % figure.columns, index / figure.columns);
        let corner = (column as f64 * figure.width, row as f64 * figure.height);
        Drawn::new(panel, corner, (figure.width, figure.height)).draw(&mut canvas);
    }
    canvas.close("svg");
    canvas.finish()
}

/// Returns a line and a marker as in a legend.
pub fn swatch(style: Style) -> String {
    let mut canvas = Canvas::new(Place::Page);
    let root = Attributes::new().set("width", 22).set("height", 12).set("aria-hidden", "true");
    canvas.open("svg", root);
    let stroke = Attributes::new()
        .set("d", "M0 6h22")
        .set("stroke", style.color.paint())
        .set("stroke-width", 1.8)
        .maybe("stroke-dasharray", style.dash.pattern());
    canvas.element("path", stroke);
    let shape = Attributes::new()
        .set("d", style.marker.path(11.0, 6.0, MARKER))
        .set("fill", style.color.paint());
    canvas.element("path", shape);
    canvas.close("svg");
    canvas.finish()
}

/// Returns the approximate width of a text in pixels.
fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER * FONT
}

/// A panel whose position and ranges are known.
pub(super) struct Drawn<'a> {
    panel: &'a Panel,
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    x: Range,
    y: Range,
    x_ticks: Vec<(f64, String)>,
    y_ticks: Vec<(f64, String)>,
    /// Whether names below the axis are vertical.
    upright: bool,
    legend: Vec<Entry<'a>>,
}

impl<'a> Drawn<'a> {
    fn new(panel: &'a Panel, corner: (f64, f64), size: (f64, f64)) -> Self {
        let extent: Vec<(f64, f64)> = panel.marks.iter().flat_map(Mark::extent).collect();
        let positive = |axis: &Axis, value: f64| axis.scale != Scale::Log || value > 0.0;
        let range = |axis: &Axis, pick: fn(&(f64, f64)) -> f64| {
            let values = extent.iter().map(pick).filter(|&value| positive(axis, value));
            axis.drawn(Range::of(values))
        };
        let (x, y) = (range(&panel.x, |p| p.0), range(&panel.y, |p| p.1));
        let ticks =
            |axis: &Axis, range| if axis.visible { axis.labeled_ticks(range) } else { Vec::new() };
        let (x_ticks, y_ticks) = (ticks(&panel.x, x), ticks(&panel.y, y));
        let mut legend: Vec<Entry<'_>> = Vec::new();
        for entry in panel.marks.iter().filter_map(Mark::legend).filter(|_| panel.legend) {
            if !legend.iter().any(|known| known.name == entry.name) {
                legend.push(entry);
            }
        }
        let widest = |ticks: &[(f64, String)]| {
            ticks.iter().map(|(_, text)| text_width(text)).fold(0.0, f64::max)
        };
        let line = FONT + GAP;
        let if_any = |present: bool, room: f64| if present { room } else { 0.0 };
        let beside = legend.iter().map(|entry| text_width(entry.name)).fold(0.0, f64::max);
        let overhang = x_ticks.last().map_or(0.0, |(_, text)| 0.5 * text_width(text));
        let right = GAP.max(overhang) + if_any(!legend.is_empty(), beside + 6.0 * GAP);
        let left = 2.0
            + if_any(!panel.y.label.is_empty(), line)
            + if_any(!y_ticks.is_empty(), widest(&y_ticks) + GAP);
        let top = GAP + if_any(!panel.title.is_empty(), line);
        let width = (size.0 - left - right).max(1.0);
        let named = matches!(panel.x.scale, Scale::Names(_));
        let upright = named && widest(&x_ticks) + GAP > width / x_ticks.len().max(1) as f64;
        let below = if upright { widest(&x_ticks) + GAP } else { line };
        let bottom =
            if_any(!x_ticks.is_empty(), below) + if_any(!panel.x.label.is_empty(), line) + 2.0;
        let height = (size.1 - top - bottom).max(1.0);
        let mut drawn = Self {
            panel,
            left: corner.0 + left,
            top: corner.1 + top,
            width,
            height,
            x,
            y,
            x_ticks,
            y_ticks,
            upright,
            legend,
        };
        if panel.equal {
            drawn.make_equal();
        }
        drawn
    }

    /// Shrinks the longer side until one unit has the same length on both axes.
    fn make_equal(&mut self) {
        let unit =
            (self.width / (self.x.high - self.x.low)).min(self.height / (self.y.high - self.y.low));
        let (width, height) =
            (unit * (self.x.high - self.x.low), unit * (self.y.high - self.y.low));
        self.left += 0.5 * (self.width - width);
        (self.width, self.height) = (width, height);
    }

    pub(super) fn px(&self, x: f64) -> f64 {
        self.left + self.width * self.panel.x.share(self.x, x)
    }

    pub(super) fn py(&self, y: f64) -> f64 {
        let share = self.panel.y.share(self.y, y);
        self.top + self.height * if self.panel.downwards { share } else { 1.0 - share }
    }

    fn draw(&self, canvas: &mut Canvas) {
        let mut group = Attributes::new().set("class", "panel");
        if canvas.place == Place::Page {
            // The data with which the script can position marks.
            let frame = [self.left, self.top, self.width, self.height];
            let span = [self.x.low, self.x.high, self.y.low, self.y.high];
            let text = |numbers: [f64; 4]| numbers.map(|n| n.to_string()).join(" ");
            group = group.set("data-frame", text(frame)).set("data-span", text(span));
        }
        canvas.open("g", group);
        self.labels(canvas);
        for mark in &self.panel.marks {
            match mark {
                Mark::Line(line) => self.line(canvas, line),
                Mark::Band(band) => self.band(canvas, band),
                Mark::Points(points) => self.points(canvas, points),
                Mark::Ellipse(ellipse) => self.ellipse(canvas, ellipse),
                Mark::Arrow(arrow) => self.arrow(canvas, arrow),
                Mark::HeatMap(map) => self.heat_map(canvas, map),
                Mark::Picture(picture) => self.picture(canvas, picture),
                Mark::Rule(rule) => self.rule(canvas, *rule),
                Mark::Note(note) => self.note(canvas, note),
                Mark::Bar(bar) => self.bar(canvas, bar),
            }
        }
        self.legend(canvas);
        canvas.close("g");
    }

    fn labels(&self, canvas: &mut Canvas) {
        let Panel { title, x, y, .. } = self.panel;
        let (right, bottom) = (self.left + self.width, self.top + self.height);
        let middle = (self.left + 0.5 * self.width, self.top + 0.5 * self.height);
        let ink = || Attributes::new().set("fill", "currentColor");
        if !title.is_empty() {
            let place =
                ink().at("x", middle.0).at("y", self.top - GAP).set("text-anchor", "middle");
            canvas.words("text", place.set("font-weight", 600), title);
        }
        let crowded = |ticks: usize, room: f64| (ticks as f64 * NAME_PITCH / room).ceil() as usize;
        let grid = |from: (f64, f64), to: (f64, f64)| {
            Attributes::new()
                .set("d", format!("M{:.1} {:.1}L{:.1} {:.1}", from.0, from.1, to.0, to.1))
                .set("stroke", "currentColor")
                .set("stroke-opacity", 0.13)
        };
        let named = |axis: &Axis| matches!(axis.scale, Scale::Names(_));
        let every = crowded(self.x_ticks.len(), self.width).max(1);
        for (value, text) in self.x_ticks.iter().step_by(if self.upright { every } else { 1 }) {
            let at = self.px(*value);
            if !named(x) {
                canvas.element("path", grid((at, self.top), (at, bottom)));
            }
            let place = ink().set("fill-opacity", 0.75);
            let place = if self.upright {
                let turned = format!("rotate(-90 {at:.1} {:.1})", bottom + GAP);
                place
                    .at("x", at)
                    .at("y", bottom + GAP + 0.35 * FONT)
                    .set("transform", turned)
                    .set("text-anchor", "end")
            } else {
                place.at("x", at).at("y", bottom + FONT + 3.0).set("text-anchor", "middle")
            };
            canvas.words("text", place, text);
        }
        let every = crowded(self.y_ticks.len(), self.height).max(1);
        for (value, text) in self.y_ticks.iter().step_by(if named(y) { every } else { 1 }) {
            let at = self.py(*value);
            if !named(y) {
                canvas.element("path", grid((self.left, at), (right, at)));
            }
            let place = ink().set("fill-opacity", 0.75).at("x", self.left - GAP);
            canvas.words("text", place.at("y", at + 0.35 * FONT).set("text-anchor", "end"), text);
        }
        if x.visible || y.visible {
            let outline = Attributes::new()
                .at("x", self.left)
                .at("y", self.top)
                .at("width", self.width)
                .at("height", self.height)
                .set("fill", "none")
                .set("stroke", "currentColor")
                .set("stroke-opacity", 0.35);
            canvas.element("rect", outline);
        }
        if !x.label.is_empty() {
            let below = match (self.x_ticks.is_empty(), self.upright) {
                (true, _) => 0.0,
                (_, false) => FONT + GAP,
                _ => self.x_ticks.iter().map(|(_, t)| text_width(t)).fold(0.0, f64::max) + GAP,
            };
            let place = ink().at("x", middle.0).at("y", bottom + below + FONT);
            canvas.words(
                "text",
                place.set("text-anchor", "middle").set("class", "x-label"),
                &x.label,
            );
        }
        if !y.label.is_empty() {
            let widest = self.y_ticks.iter().map(|(_, t)| text_width(t)).fold(0.0, f64::max);
            let gaps = if self.y_ticks.is_empty() { 1.0 } else { 2.0 };
            let (at, height) = (self.left - widest - gaps * GAP, middle.1);
            let place = ink()
                .at("x", at)
                .at("y", height)
                .set("transform", format!("rotate(-90 {at:.1} {height:.1})"))
                .set("text-anchor", "middle");
            canvas.words("text", place.set("class", "y-label"), &y.label);
        }
    }

    fn legend(&self, canvas: &mut Canvas) {
        let left = self.left + self.width + 2.0 * GAP;
        for (row, Entry { name, style, joined, marked }) in self.legend.iter().enumerate() {
            let y = self.top + (FONT + GAP) * (row as f64 + 0.7);
            if *joined {
                let stroke = Attributes::new()
                    .set("d", format!("M{:.1} {y:.1}h18", left - 3.0))
                    .set("stroke", style.color.paint())
                    .set("stroke-opacity", style.color.opacity())
                    .set("stroke-width", 1.8)
                    .maybe("stroke-dasharray", style.dash.pattern());
                canvas.element("path", stroke);
            }
            if *marked {
                let shape = Attributes::new()
                    .set("d", style.marker.path(left + 6.0, y, MARKER))
                    .set("fill", style.color.paint());
                canvas.element("path", shape);
            }
            let place = Attributes::new()
                .at("x", left + 20.0)
                .at("y", y + 0.35 * FONT)
                .set("fill", "currentColor");
            canvas.words("text", place, name);
        }
    }
}
