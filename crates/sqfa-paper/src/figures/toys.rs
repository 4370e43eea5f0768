//! The three toys: classes as ellipses, filters as arrows in every plane of two dimensions.

use sqfa::model::{Restarts, Start};
use sqfa::optimize::Control;
use sqfa::reduce::{Choice, ReducerSettings, Training, reducer};
use sqfa::statistics::{GivenMatrices, project};
use sqfa::{ClassStatistics, Mat, Noise};

use super::{evenly, look};
use crate::{About, Context, Item, ItemKind, Made, PaperError};
use sqfa_io::data::{GivenMoments, GivenStatistics};
use sqfa_io::datasets::toy::Toy;
use sqfa_io::formats::Stack;
use sqfa_lab::figure::{
    Arrow, Axis, Dash, Ellipse, Figure, Line, Mark, Marker, Panel, Points, Style,
};

/// Filters of some methods for a toy, in all of its planes.
pub(crate) struct Planes {
    about: About,
    toy: Toy,
    methods: &'static [&'static str],
    noise: f64,
}

pub(crate) static SIX_DIMENSIONS: Planes = Planes {
    about: About {
        name: "toy-6d",
        kind: ItemKind::Figure,
        paper: "Figure 3A",
        title: "SQFA, LDA and PCA in six dimensions",
        takes: "a second",
    },
    toy: Toy::SixD,
    methods: &["sqfa", "lda", "pca"],
    noise: 0.002,
};
pub(crate) static FOUR_DIMENSIONS: Planes = Planes {
    about: About {
        name: "toy-4d",
        kind: ItemKind::Figure,
        paper: "Figure 3B",
        title: "SQFA and smSQFA in four dimensions",
        takes: "a second",
    },
    toy: Toy::FourD,
    methods: &["sqfa", "smsqfa"],
    noise: 0.001,
};

impl Item for Planes {
    fn about(&self) -> About {
        self.about
    }

    fn make(&self, _: &Context<'_>) -> Result<Made, PaperError> {
        Ok(Made::Figure(planes(self.toy, self.methods, self.noise)?))
    }
}

/// Four classes with one covariance.
pub(crate) struct FourClasses;

impl Item for FourClasses {
    fn about(&self) -> About {
        About {
            name: "toy-lda",
            kind: ItemKind::Figure,
            paper: "Figure 9",
            title: "SQFA and LDA on four classes",
            takes: "a second",
        }
    }

    fn make(&self, _: &Context<'_>) -> Result<Made, PaperError> {
        Ok(Made::Figure(four_classes()?))
    }
}

/// Four classes with one covariance; SQFA's best filter and the one it climbs to from the vertical.
fn four_classes() -> Result<Figure, PaperError> {
    const NOISE: f64 = 0.001;
    let statistics = statistics(Toy::Lda)?;
    let vertical = Start::Given(Mat::from_fn(2, 1, |i, _| [0.01, 1.0][i]));
    let local = Style { marker: Marker::Diamond, ..look::method("smsqfa") };
    let filters = [
        ("LDA", look::method("lda"), learn("lda", &statistics, 1, NOISE, Start::Random)?),
        ("SQFA", look::method("sqfa"), learn("sqfa", &statistics, 1, NOISE, Start::Random)?),
        ("SQFA from vertical", local, learn("sqfa", &statistics, 1, NOISE, vertical)?),
    ];
    let mut plane = plane(&statistics, 0, "A  Classes and filters");
    for (name, style, filter) in &filters {
        plane = with_arrows(plane, name, *style, filter, 0);
    }
    let mut growth = Panel::new(
        "B  Growth of distances",
        Axis::linear("Mahalanobis distance"),
        Axis::linear("distance"),
    );
    let along = evenly(0.0, 2.0, 50);
    let exact = along.iter().map(|&d| (d, 2f64.sqrt() * (1.0 + d * d / 4.0).acosh())).collect();
    let square = along.iter().map(|&d| (d, d * d)).collect();
    growth = growth
        .with(Mark::Line(Line::new("Fisher–Rao", Style::series(0), exact).plain()))
        .with(Mark::Line(Line::new("squared Mahalanobis", Style::series(2), square).plain()));
    growth.legend = true;
    let mut panels = vec![plane.with_legend(), growth];
    for (name, _, filter) in &filters {
        panels.push(projected(&statistics, name, &unit(filter)));
    }
    Ok(Figure::grid("Four classes with one covariance", 3, 460.0, 300.0, panels))
}

/// The densities of the classes along one filter.
fn projected(statistics: &ClassStatistics, name: &str, filter: &Mat<f64>) -> Panel {
    let gaussians = project(statistics, filter.as_ref(), 0.0);
    let title = format!("C  Projection on {name}");
    let mut panel = Panel::new(title, Axis::linear("feature"), Axis::linear("density"));
    for class in 0..gaussians.len() {
        let (mean, deviation) = (gaussians.mean(class)[0], gaussians.covariance(class)[0].sqrt());
        let density = |x: f64| {
            let z = (x - mean) / deviation;
            (-0.5 * z * z).exp() / (deviation * (2.0 * std::f64::consts::PI).sqrt())
        };
        let reach = 4.0 * deviation;
        let points = evenly(mean - reach, mean + reach, 81).into_iter().map(|x| (x, density(x)));
        let style = look::class(class);
        panel = panel.with(Mark::Line(Line::new("", style, points.collect()).plain()));
    }
    panel
}

/// One panel for every two dimensions, one legend for all.
fn planes(toy: Toy, methods: &[&str], noise: f64) -> Result<Figure, PaperError> {
    let statistics = statistics(toy)?;
    let mut found = Vec::new();
    for method in methods {
        let title = sqfa::reduce::reducer_entry(method).map_or(*method, |entry| entry.title);
        found.push((
            title,
            look::method(method),
            learn(method, &statistics, 2, noise, Start::Random)?,
        ));
    }
    let mut panels = Vec::new();
    for first in (0..toy.dimensions()).step_by(2) {
        let title = format!("Dimensions {} and {}", first + 1, first + 2);
        let mut panel = plane(&statistics, first, &title);
        for (name, style, filters) in &found {
            panel = with_arrows(panel, name, *style, filters, first);
        }
        panels.push(panel);
    }
    if let Some(last) = panels.last_mut() {
        last.legend = true;
    }
    let columns = panels.len();
    Ok(Figure::grid(format!("Filters of {}", methods.join(", ")), columns, 360.0, 320.0, panels))
}

/// The classes in two dimensions as ellipses of two standard deviations.
fn plane(statistics: &ClassStatistics, first: usize, title: &str) -> Panel {
    let label = |dimension: usize| format!("x{}", ['₁', '₂', '₃', '₄', '₅', '₆'][dimension]);
    let axes = (Axis::linear(label(first)), Axis::linear(label(first + 1)));
    let mut panel = Panel::new(title, axes.0, axes.1);
    panel.equal = true;
    let n = statistics.dimension();
    let basis = Mat::from_fn(n, 2, |i, j| if i == first + j { 1.0 } else { 0.0 });
    let gaussians = project(statistics, basis.as_ref(), 0.0);
    for class in 0..gaussians.len() {
        let (mean, covariance) = (gaussians.mean(class), gaussians.covariance(class));
        panel = panel.with(Mark::Ellipse(Ellipse {
            name: format!("class {}", class + 1),
            color: look::class(class).color,
            dash: Dash::Solid,
            center: (mean[0], mean[1]),
            covariance: (covariance[0], covariance[1], covariance[3]),
            radius: 2.0,
            filled: true,
            tip: format!("class {}", class + 1),
        }));
        panel = panel.with(Mark::Points(Points {
            name: format!("class {}", class + 1),
            style: look::class(class),
            points: vec![(mean[0], mean[1])],
            tips: Vec::new(),
            hollow: Vec::new(),
            radius: 2.4,
            opacity: 1.0,
        }));
    }
    panel
}

/// Filters of length one.
fn unit(filters: &Mat<f64>) -> Mat<f64> {
    let length = |j: usize| filters.col(j).iter().map(|value| value * value).sum::<f64>().sqrt();
    Mat::from_fn(filters.nrows(), filters.ncols(), |i, j| filters[(i, j)] / length(j))
}

/// Unit filters as arrows from the origin, and an entry in the legend.
fn with_arrows(panel: Panel, name: &str, style: Style, filters: &Mat<f64>, first: usize) -> Panel {
    let mut panel = panel.with(Mark::Points(Points {
        name: name.to_owned(),
        style,
        points: vec![(0.0, 0.0)],
        tips: Vec::new(),
        hollow: Vec::new(),
        radius: 2.0,
        opacity: 1.0,
    }));
    let filters = unit(filters);
    for column in 0..filters.ncols() {
        let to = (filters[(first, column)], filters[(first + 1, column)]);
        panel = panel.with(Mark::Arrow(Arrow {
            name: name.to_owned(),
            color: style.color,
            from: (0.0, 0.0),
            to,
        }));
    }
    panel
}

pub(super) fn statistics(toy: Toy) -> Result<ClassStatistics, PaperError> {
    let GivenStatistics { classes, counts, moments, .. } = toy.statistics();
    let GivenMoments::Central { means, covariances: Stack::F64(parts) } = moments else {
        return Err(PaperError::numbers(
            toy.name(),
            "its statistics are not means and covariances",
        ));
    };
    ClassStatistics::from_moments(classes, counts, &means, GivenMatrices::F64(parts))
        .map_err(|error| PaperError::numbers(toy.name(), error))
}

pub(super) fn learn(
    method: &str,
    statistics: &ClassStatistics,
    filters: usize,
    noise: f64,
    start: Start,
) -> Result<Mat<f64>, PaperError> {
    let restarts = if matches!(start, Start::Random) { 16 } else { 1 };
    let settings = ReducerSettings {
        noise: Noise::Value(noise),
        restarts: Restarts::Count(restarts),
        shrinkage: Choice::Value(0.0),
        start,
        ..ReducerSettings::default()
    };
    let training = Training::from_statistics(statistics);
    let found = reducer(method, &settings)
        .and_then(|own| own.fit_one(&training, filters, &mut |_| Control::Continue))
        .map_err(|error| PaperError::numbers(method, error))?;
    Ok(found.filters)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the share of a filter's length lies.
    fn share(filters: &Mat<f64>, rows: std::ops::Range<usize>) -> f64 {
        let sum = |rows: std::ops::Range<usize>| -> f64 {
            rows.flat_map(|i| (0..filters.ncols()).map(move |j| (i, j)))
                .map(|at| filters[at] * filters[at])
                .sum()
        };
        sum(rows) / sum(0..filters.nrows())
    }

    #[test]
    fn methods_choose_the_subspaces_the_paper_says() {
        let six = statistics(Toy::SixD).unwrap();
        let of = |method, statistics: &ClassStatistics, noise| {
            learn(method, statistics, 2, noise, Start::Random).unwrap()
        };
        assert!(share(&of("sqfa", &six, 0.002), 0..2) > 0.99);
        assert!(share(&of("lda", &six, 0.002), 2..4) > 0.99);
        assert!(share(&of("pca", &six, 0.002), 4..6) > 0.99);
        let four = statistics(Toy::FourD).unwrap();
        assert!(share(&of("sqfa", &four, 0.001), 0..2) > 0.99);
        assert!(share(&of("smsqfa", &four, 0.001), 2..4) > 0.99);
    }

    #[test]
    fn the_best_filter_of_four_classes_is_at_29_degrees_and_the_vertical_is_local() {
        let toy = statistics(Toy::Lda).unwrap();
        let angle = |filters: &Mat<f64>| filters[(1, 0)].atan2(filters[(0, 0)]).to_degrees();
        let best = learn("sqfa", &toy, 1, 0.001, Start::Random).unwrap();
        // From a scan of all angles in steps of 0.1°.
        assert!((angle(&best).rem_euclid(180.0) - 29.1).abs() < 0.1, "{}", angle(&best));
        let vertical = Start::Given(Mat::from_fn(2, 1, |i, _| [0.01, 1.0][i]));
        let local = learn("sqfa", &toy, 1, 0.001, vertical).unwrap();
        assert!((angle(&local).rem_euclid(180.0) - 89.7).abs() < 0.1, "{}", angle(&local));
    }
}
