//! Functions that render marks as SVG in the pixel coordinates of a panel, one per kind of mark.

use super::render::{Drawn, FONT, MARKER};
use super::svg::{Attributes, Canvas};
use super::{Arrow, Band, Bar, Color, Ellipse, HeatMap, Line, Note, Picture, Place, Points, Rule};

/// The radius of the invisible disc that shows a tooltip.
const TOUCH: f64 = 9.0;

impl Drawn<'_> {
    pub(super) fn line(&self, canvas: &mut Canvas, line: &Line) {
        let group = canvas.series(Attributes::new(), &line.name);
        canvas.open("g", group);
        let mut path = String::new();
        let mut pen = 'M';
        for &(x, y) in &line.points {
            let (x, y) = (self.px(x), self.py(y));
            if x.is_finite() && y.is_finite() {
                path.push_str(&format!("{pen}{x:.1} {y:.1}"));
                pen = 'L';
            } else {
                pen = 'M';
            }
        }
        let stroke = Attributes::new()
            .set("d", path)
            .set("fill", "none")
            .set("stroke", line.style.color.paint())
            .set("stroke-opacity", line.style.color.opacity())
            .set("stroke-width", line.width)
            .set("stroke-linejoin", "round")
            .maybe("stroke-dasharray", line.style.dash.pattern());
        canvas.element("path", stroke);
        for (index, &(x, y)) in line.points.iter().enumerate() {
            let (x, y) = (self.px(x), self.py(y));
            if !(x.is_finite() && y.is_finite()) {
                continue;
            }
            if line.markers {
                let shape = Attributes::new()
                    .set("d", line.style.marker.path(x, y, MARKER))
                    .set("fill", line.style.color.paint());
                canvas.element("path", shape);
            }
            if let (Some(tip), Place::Page) = (line.tips.get(index), canvas.place) {
                let touch = Attributes::new().at("cx", x).at("cy", y).set("r", TOUCH);
                let touch = canvas.tip(touch.set("fill", "transparent"), tip);
                canvas.element("circle", touch);
            }
        }
        canvas.close("g");
    }

    pub(super) fn band(&self, canvas: &mut Canvas, band: &Band) {
        let finite: Vec<_> =
            band.edges.iter().filter(|e| e.1.is_finite() && e.2.is_finite()).collect();
        let upper = finite.iter().map(|e| (e.0, e.2));
        let lower = finite.iter().rev().map(|e| (e.0, e.1));
        let corners: Vec<String> = upper
            .chain(lower)
            .map(|(x, y)| format!("{:.1} {:.1}", self.px(x), self.py(y)))
            .collect();
        if corners.is_empty() {
            return;
        }
        let area = Attributes::new()
            .set("d", format!("M{}Z", corners.join("L")))
            .set("fill", band.color.paint())
            .set("fill-opacity", 0.18);
        let area = canvas.series(area, &band.name);
        canvas.element("path", area);
    }

    pub(super) fn points(&self, canvas: &mut Canvas, points: &Points) {
        let group = Attributes::new()
            .set("fill", points.style.color.paint())
            .set("fill-opacity", points.opacity * points.style.color.opacity())
            .set("class", "points");
        let group = canvas.series(group, &points.name);
        canvas.open("g", group);
        for (index, &(x, y)) in points.points.iter().enumerate() {
            let (x, y) = (self.px(x), self.py(y));
            if !(x.is_finite() && y.is_finite()) {
                continue;
            }
            let shape = Attributes::new().set("d", points.style.marker.path(x, y, points.radius));
            let shape = match points.hollow.get(index) {
                Some(true) => {
                    shape.set("fill-opacity", 0.0).set("stroke", points.style.color.paint())
                }
                _ => shape,
            };
            let shape = match points.tips.get(index) {
                Some(tip) => canvas.tip(shape, tip),
                None => shape,
            };
            canvas.element("path", shape);
        }
        canvas.close("g");
    }

    pub(super) fn ellipse(&self, canvas: &mut Canvas, ellipse: &Ellipse) {
        // A polygon with 64 corners looks round. Unlike a rotated SVG ellipse, it is also correct
        // if the two axes have different scales.
        const CORNERS: usize = 64;
        let (long, short, angle) = ellipse.axes();
        let (c, s) = (angle.cos(), angle.sin());
        let corners: Vec<String> = (0..CORNERS)
            .map(|k| {
                let turn = std::f64::consts::TAU * k as f64 / CORNERS as f64;
                let (u, v) = (long * turn.cos(), short * turn.sin());
                let (x, y) = (ellipse.center.0 + c * u - s * v, ellipse.center.1 + s * u + c * v);
                format!("{:.1} {:.1}", self.px(x), self.py(y))
            })
            .collect();
        let outline = Attributes::new()
            .set("d", format!("M{}Z", corners.join("L")))
            .set("fill", ellipse.color.paint())
            .set("fill-opacity", if ellipse.filled { 0.06 } else { 0.0 })
            .set("stroke", ellipse.color.paint())
            .set("stroke-width", if ellipse.filled { 1.8 } else { 1.0 })
            .set("class", "ellipse")
            .maybe("stroke-dasharray", ellipse.dash.pattern());
        let outline = canvas.series(canvas.tip(outline, &ellipse.tip), &ellipse.name);
        canvas.element("path", outline);
    }

    pub(super) fn arrow(&self, canvas: &mut Canvas, arrow: &Arrow) {
        const HEAD: f64 = 7.0;
        let from = (self.px(arrow.from.0), self.py(arrow.from.1));
        let to = (self.px(arrow.to.0), self.py(arrow.to.1));
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy);
        if !(length.is_finite() && length > 0.0) {
            return;
        }
        let (ux, uy) = (dx / length, dy / length);
        let side = |turn: f64| {
            (to.0 - HEAD * ux + turn * 0.45 * HEAD * uy, to.1 - HEAD * uy - turn * 0.45 * HEAD * ux)
        };
        let (a, b) = (side(1.0), side(-1.0));
        let d = format!(
            "M{:.1} {:.1}L{:.1} {:.1}M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}",
            from.0, from.1, to.0, to.1, a.0, a.1, to.0, to.1, b.0, b.1
        );
        let stroke = Attributes::new()
            .set("d", d)
            .set("fill", "none")
            .set("stroke", arrow.color.paint())
            .set("stroke-width", 2);
        let stroke = canvas.series(stroke, &arrow.name);
        canvas.element("path", stroke);
    }

    pub(super) fn heat_map(&self, canvas: &mut Canvas, heat: &HeatMap) {
        if heat.columns == 0 {
            return;
        }
        let width = heat.range.high - heat.range.low;
        for (at, &value) in heat.values.iter().enumerate() {
            let (row, column) = ((at / heat.columns) as f64, (at % heat.columns) as f64);
            let (x, next_x) = (self.px(column - 0.5), self.px(column + 0.5));
            let (y, next_y) = (self.py(row - 0.5), self.py(row + 0.5));
            let (y, next_y) = (y.min(next_y), y.max(next_y));
            let share = if width > 0.0 { (value - heat.range.low) / width } else { 0.5 };
            let (r, g, b) = heat.map.color(share);
            let cell = Attributes::new()
                .at("x", x)
                .at("y", y)
                .at("width", next_x - x + 0.3)
                .at("height", next_y - y + 0.3)
                .set(
                    "fill",
                    if value.is_nan() { "none".to_owned() } else { Color::Rgb(r, g, b).paint() },
                );
            let cell = match heat.tips.get(at) {
                Some(tip) => canvas.tip(cell, tip),
                None => cell,
            };
            canvas.element("rect", cell);
            if let Some(text) = heat.texts.get(at).filter(|text| !text.is_empty()) {
                let ink = if heat.map.takes_dark_text(share) { "#16181d" } else { "#ffffff" };
                let place = Attributes::new()
                    .at("x", 0.5 * (x + next_x))
                    .at("y", 0.5 * (y + next_y) + 0.35 * FONT)
                    .set("text-anchor", "middle")
                    .set("pointer-events", "none")
                    .set("font-size", FONT - 1.0)
                    .set("fill", ink);
                canvas.words("text", place, text);
            }
        }
    }

    pub(super) fn picture(&self, canvas: &mut Canvas, picture: &Picture) {
        let (x, next_x) = (self.px(picture.x.0), self.px(picture.x.1));
        let (a, b) = (self.py(picture.y.0), self.py(picture.y.1));
        let image = Attributes::new()
            .at("x", x)
            .at("y", a.min(b))
            .at("width", next_x - x)
            .at("height", (b - a).abs())
            .set("preserveAspectRatio", "none")
            .set("style", "image-rendering:pixelated")
            .set("href", picture.bitmap.address());
        canvas.element("image", image);
    }

    pub(super) fn rule(&self, canvas: &mut Canvas, rule: Rule) {
        let (right, bottom) = (self.left + self.width, self.top + self.height);
        let d = match rule {
            Rule::Horizontal(y) => format!("M{:.1} {:.1}H{right:.1}", self.left, self.py(y)),
            Rule::Vertical(x) => format!("M{:.1} {:.1}V{bottom:.1}", self.px(x), self.top),
        };
        let stroke = Attributes::new()
            .set("d", d)
            .set("stroke", "currentColor")
            .set("stroke-opacity", 0.55)
            .set("stroke-dasharray", "4 3");
        canvas.element("path", stroke);
    }

    pub(super) fn note(&self, canvas: &mut Canvas, note: &Note) {
        let place = Attributes::new()
            .at("x", self.px(note.at.0))
            .at("y", self.py(note.at.1))
            .set("fill", note.color.paint());
        canvas.words("text", place, &note.text);
    }

    pub(super) fn bar(&self, canvas: &mut Canvas, bar: &Bar) {
        const THICKNESS: f64 = 0.72;
        let (x, next_x) = (self.px(bar.span.0), self.px(bar.span.1));
        let (a, b) = (self.py(bar.at - 0.5 * THICKNESS), self.py(bar.at + 0.5 * THICKNESS));
        let shape = Attributes::new()
            .at("x", x.min(next_x))
            .at("y", a.min(b))
            .at("width", (next_x - x).abs())
            .at("height", (b - a).abs())
            .set("fill", bar.color.paint());
        let shape = canvas.series(canvas.tip(shape, &bar.tip), &bar.name);
        canvas.element("rect", shape);
    }
}
