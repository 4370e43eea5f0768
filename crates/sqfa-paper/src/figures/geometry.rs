//! How classes become points of a curved space: second moments of features (A, B) and 1-D Gaussians (C, D).
//!
//! A is drawn in the plane of log Ψ without its trace: (½(log Ψ₁₁ − log Ψ₂₂), log Ψ₁₂). Every curve is computed by the
//! exact Fisher–Rao code; in the half-plane of C they are half ellipses (μ − a)²/2 + σ² = r².

use sqfa::Mat;
use sqfa::features::Gaussian;
use sqfa::fisher_rao::{
    FisherRao, FisherRaoOptions, GaussianPoint, Geodesic, Velocity, fisher_rao,
};
use sqfa::model::Start;
use sqfa::statistics::project;

use super::toys::{learn, statistics};
use super::{evenly, look};
use crate::{About, Context, Item, ItemKind, Made, PaperError};
use sqfa_io::datasets::toy::Toy;
use sqfa_lab::figure::{
    Axis, Color, Dash, Ellipse, Figure, Line, Mark, Note, Panel, Points, Style,
};

/// The noise of the toy's filters.
const NOISE: f64 = 0.002;
/// Points of a drawn curve.
const CURVE: usize = 61;
/// Gaussians shown along a geodesic.
const SHOWN: usize = 5;
/// Radii of the circles around N(0, 1).
const RADII: [f64; 3] = [0.5, 1.0, 1.5];
/// Geodesics that leave N(0, 1).
const RAYS: usize = 16;
/// The ends of the geodesic of panels C and D: mean and standard deviation.
const ENDS: [(f64, f64); 2] = [(-2.0, 0.5), (2.0, 0.5)];

/// The figure.
pub(crate) struct Geometry;

impl Item for Geometry {
    fn about(&self) -> About {
        About {
            name: "geometry",
            kind: ItemKind::Figure,
            paper: "Figure 1",
            title: "classes as points of a curved space",
            takes: "a second",
        }
    }

    fn make(&self, _: &Context<'_>) -> Result<Made, PaperError> {
        Ok(Made::Figure(geometry()?))
    }
}

fn geometry() -> Result<Figure, PaperError> {
    let toy = statistics(Toy::SixD)?;
    let near = learn("pca", &toy, 2, NOISE, Start::Random)?;
    let far = learn("smsqfa", &toy, 2, NOISE, Start::Random)?;
    let moments = |filters: &Mat<f64>| -> Vec<GaussianPoint> {
        let own = project(&toy, filters.as_ref(), 0.0);
        (0..own.len()).map(|class| second_moment(own.get(class))).collect()
    };
    let (near, far) = (moments(&near), moments(&far));
    let panels = vec![manifold(&near, &far)?, along(&far)?, half_plane()?, densities()?];
    Ok(Figure::grid(
        "Classes as points of a space with the Fisher–Rao metric",
        2,
        520.0,
        330.0,
        panels,
    ))
}

/// A centered Gaussian with the second moments of another.
fn second_moment(own: Gaussian<'_>) -> GaussianPoint {
    let m = own.order;
    let covariance =
        (0..m * m).map(|at| own.covariance[at] + own.mean[at / m] * own.mean[at % m]).collect();
    GaussianPoint { mean: vec![0.0; m], covariance }
}

fn between(p: &GaussianPoint, q: &GaussianPoint) -> Result<FisherRao, PaperError> {
    fisher_rao(p.view(), q.view(), &FisherRaoOptions::default()).map_err(failed)
}

fn failed(error: impl ToString) -> PaperError {
    PaperError::numbers("geodesics", error)
}

/// Where a second-moment matrix of order two lies in panel A.
fn place(point: &GaussianPoint) -> (f64, f64) {
    let [xx, xy, _, yy] = point.covariance[..] else { return (f64::NAN, f64::NAN) };
    let (middle, half) = (0.5 * (xx + yy), (0.25 * (xx - yy).powi(2) + xy * xy).sqrt());
    let angle = (2.0 * xy).atan2(xx - yy);
    // Half the difference of the logarithms of the eigenvalues.
    let radius = 0.5 * ((middle + half) / (middle - half)).ln();
    (radius * angle.cos(), radius * angle.sin())
}

/// A: the classes in the features of two methods, those of smSQFA joined by geodesics.
fn manifold(near: &[GaussianPoint], far: &[GaussianPoint]) -> Result<Panel, PaperError> {
    let axes = (Axis::linear("½(log Ψ₁₁ − log Ψ₂₂)"), Axis::linear("log Ψ₁₂"));
    let mut panel = Panel::new("A  Second moments of three classes", axes.0, axes.1).with_legend();
    for first in 0..far.len() {
        for second in first + 1..far.len() {
            let pair = between(&far[first], &far[second])?;
            let curve = pair.geodesic().curve(CURVE).map_err(failed)?;
            let path: Vec<(f64, f64)> = curve.iter().map(place).collect();
            let (x, y) = path[CURVE / 2];
            panel = panel
                .with(Mark::Line(Line::new("geodesic", look::method("smsqfa"), path).plain()))
                .with(Mark::Note(Note {
                    // Outside the triangle, where there is room.
                    at: (if x < -0.1 { x - 0.42 } else { x + 0.08 }, y + 0.08),
                    text: format!("{:.2}", pair.distance),
                    color: Color::Ink,
                }));
        }
    }
    for (points, name, hollow) in [(far, "smSQFA", false), (near, "PCA", true)] {
        for (class, point) in points.iter().enumerate() {
            let style = look::class(class);
            panel = panel.with(Mark::Points(Points {
                name: if hollow { String::new() } else { format!("class {}", class + 1) },
                style,
                points: vec![place(point)],
                tips: vec![name.to_owned()],
                hollow: vec![hollow],
                radius: 4.0 + if hollow { 1.5 * class as f64 } else { 0.0 },
                opacity: 1.0,
            }));
        }
    }
    let (x, y) = near.first().map_or((0.0, 0.0), place);
    let text = "with PCA's filters".to_owned();
    Ok(panel.with(Mark::Note(Note { at: (x + 0.12, y - 0.25), text, color: Color::Ink })))
}

/// B: the second-moment ellipses along every geodesic of A, one row a pair.
fn along(far: &[GaussianPoint]) -> Result<Panel, PaperError> {
    let mut pairs = Vec::new();
    for second in (1..far.len()).rev() {
        for first in (0..second).rev() {
            let pair = between(&far[first], &far[second])?;
            let steps = pair.geodesic().curve(SHOWN).map_err(failed)?;
            pairs.push((first, second, pair.distance, steps));
        }
    }
    let names = pairs.iter().map(|(first, second, ..)| format!("{} to {}", first + 1, second + 1));
    let axes = (
        Axis::linear("Fisher–Rao distance from the first class"),
        Axis::names("classes", names.collect()),
    );
    let mut panel = Panel::new("B  Ellipses along the geodesics", axes.0, axes.1);
    panel.equal = true;
    let spacing = |distance: f64| distance / (SHOWN - 1) as f64;
    let closest = pairs.iter().map(|pair| spacing(pair.2)).fold(1.0, f64::min);
    let reach = |point: &GaussianPoint| point.covariance[0].max(point.covariance[3]).sqrt();
    let largest = pairs.iter().flat_map(|pair| &pair.3).map(reach).fold(0.0, f64::max);
    // Neighbors leave a little room between them.
    let radius = 0.46 * closest / largest;
    for (row, (first, second, distance, steps)) in pairs.iter().enumerate() {
        for (at, step) in steps.iter().enumerate() {
            let color = match at {
                0 => look::class(*first).color,
                at if at + 1 == SHOWN => look::class(*second).color,
                _ => look::method("smsqfa").color,
            };
            panel = panel.with(Mark::Ellipse(Ellipse {
                name: String::new(),
                color,
                dash: Dash::Solid,
                center: (spacing(*distance) * at as f64, row as f64),
                covariance: (step.covariance[0], step.covariance[1], step.covariance[3]),
                radius,
                filled: true,
                tip: String::new(),
            }));
        }
    }
    Ok(panel)
}

fn one_dimensional((mean, deviation): (f64, f64)) -> GaussianPoint {
    GaussianPoint { mean: vec![mean], covariance: vec![deviation * deviation] }
}

/// Where a 1-D Gaussian lies in the half-plane.
fn half_plane_place(point: &GaussianPoint) -> (f64, f64) {
    (point.mean[0], point.covariance[0].max(0.0).sqrt())
}

/// The geodesic that leaves N(0, 1) at an angle with unit speed: dμ = cos, dσ = sin/√2.
fn ray(angle: f64) -> Result<Geodesic, PaperError> {
    let velocity =
        Velocity { mean: vec![angle.cos()], covariance: vec![2f64.sqrt() * angle.sin()] };
    Geodesic::shoot(one_dimensional((0.0, 1.0)).view(), &velocity).map_err(failed)
}

/// C: geodesics and circles around N(0, 1), and one geodesic between two distant Gaussians.
fn half_plane() -> Result<Panel, PaperError> {
    let axes = (Axis::linear("mean μ"), Axis::linear("standard deviation σ"));
    let mut panel = Panel::new("C  The half-plane of 1-D Gaussians", axes.0, axes.1).with_legend();
    let longest = RADII[RADII.len() - 1];
    let turn = |at: usize, of: usize| std::f64::consts::TAU * at as f64 / of as f64;
    for at in 0..RAYS {
        let ray = ray(turn(at, RAYS))?;
        let mut path = Vec::new();
        for t in evenly(0.0, longest, CURVE) {
            path.push(half_plane_place(&ray.point(t).map_err(failed)?));
        }
        let name = if at == 0 { "geodesics from N(0, 1)" } else { "" };
        panel = panel.with(Mark::Line(Line::new(name, look::reference(), path).plain()));
    }
    for (index, radius) in RADII.into_iter().enumerate() {
        let mut path = Vec::new();
        for at in 0..=2 * CURVE {
            let point = ray(turn(at, 2 * CURVE))?.point(radius).map_err(failed)?;
            path.push(half_plane_place(&point));
        }
        let style = Style { color: Color::Series(6), ..look::method("sqfa") };
        let name = if index == 0 { "distance 0.5, 1 and 1.5" } else { "" };
        panel = panel.with(Mark::Line(Line::new(name, style, path).plain()));
    }
    let path: Vec<(f64, f64)> = long_geodesic(CURVE)?.iter().map(half_plane_place).collect();
    let shown = long_geodesic(SHOWN)?.iter().map(half_plane_place).collect();
    let style = look::method("sqfa");
    Ok(panel.with(Mark::Line(Line::new("geodesic of D", style, path).plain())).with(Mark::Points(
        Points {
            name: String::new(),
            style,
            points: shown,
            tips: Vec::new(),
            hollow: Vec::new(),
            radius: 3.4,
            opacity: 1.0,
        },
    )))
}

fn long_geodesic(points: usize) -> Result<Vec<GaussianPoint>, PaperError> {
    let [first, last] = ENDS.map(one_dimensional);
    between(&first, &last)?.geodesic().curve(points).map_err(failed)
}

/// D: the densities along that geodesic.
fn densities() -> Result<Panel, PaperError> {
    let mut panel = Panel::new("D  Densities along it", Axis::linear("z"), Axis::linear("density"))
        .with_legend();
    for (at, point) in long_geodesic(SHOWN)?.iter().enumerate() {
        let (mean, deviation) = half_plane_place(point);
        let density = |x: f64| {
            let z = (x - mean) / deviation;
            (-0.5 * z * z).exp() / (deviation * std::f64::consts::TAU.sqrt())
        };
        let path = evenly(-6.0, 6.0, 161).into_iter().map(|x| (x, density(x))).collect();
        let name = format!("t = {:.2}", at as f64 / (SHOWN - 1) as f64);
        let dash = if at == 0 || at + 1 == SHOWN { Dash::Solid } else { Dash::Dashed };
        let style = Style { dash, ..Style::series(at) };
        panel = panel.with(Mark::Line(Line::new(name, style, path).plain()));
    }
    Ok(panel)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some roundings of numbers of order one.
    const ROUNDING: f64 = 1e-9;

    #[test]
    fn the_half_planes_curves_have_their_closed_forms() {
        // Ends at ±2 with equal deviations: the center is 0 and r² = 2²/2 + 0.5².
        for point in long_geodesic(9).unwrap() {
            let (mean, deviation) = half_plane_place(&point);
            assert!((0.5 * mean * mean + deviation * deviation - 2.25).abs() < ROUNDING);
        }
        // Hyperbolic distance: √2 arccosh(1 + (Δμ²/2 + Δσ²)/(2σ₁σ₂)).
        for at in 0..RAYS {
            let ray = ray(std::f64::consts::TAU * at as f64 / RAYS as f64).unwrap();
            for radius in RADII {
                let (mean, deviation) = half_plane_place(&ray.point(radius).unwrap());
                let inner = (0.5 * mean * mean + (deviation - 1.0).powi(2)) / (2.0 * deviation);
                let distance = 2f64.sqrt() * (1.0 + inner).acosh();
                assert!((distance - radius).abs() < ROUNDING, "{distance} {radius}");
            }
        }
    }

    #[test]
    fn classes_are_placed_by_the_logarithm_of_their_moments() {
        // diag(e, 1/e) has logarithm diag(1, −1); turned by 45° it has 1 off the diagonal.
        let e = std::f64::consts::E;
        let at = |covariance: Vec<f64>| place(&GaussianPoint { mean: vec![0.0; 2], covariance });
        let (x, y) = at(vec![e, 0.0, 0.0, 1.0 / e]);
        assert!((x - 1.0).abs() < ROUNDING && y.abs() < ROUNDING);
        let (c, s) = (1f64.cosh(), 1f64.sinh());
        let (x, y) = at(vec![c, s, s, c]);
        assert!(x.abs() < ROUNDING && (y - 1.0).abs() < ROUNDING);
    }
}
