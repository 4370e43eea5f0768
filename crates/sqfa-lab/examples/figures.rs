//! Draws one figure with every kind of mark and writes it as SVG and PNG.
//!
//! `cargo run -p sqfa-lab --features png --example figures -- FOLDER`

use std::error::Error;
use std::path::PathBuf;

use sqfa_lab::figure::{
    Arrow, Axis, Band, Bar, Bitmap, Color, Dash, Ellipse, Figure, HeatMap, Line, Map, Mark, Panel,
    Picture, Place, Points, Range, Rule, Style, png,
};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    let figure = Figure::grid(
        "Six kinds of panels",
        3,
        360.0,
        260.0,
        vec![lines(), scatter(), heat_map(), picture()?, bars(), times()],
    );
    let svg = figure.svg(Place::File);
    std::fs::write(folder.join("figures.png"), png(&svg, 2.0)?)?;
    std::fs::write(folder.join("figures.svg"), svg)?;
    Ok(())
}

fn lines() -> Panel {
    let filters = [2.0, 4.0, 8.0, 16.0];
    let axis = Axis::log("filters").ticks_at(filters.to_vec());
    let mut panel =
        Panel::new("Lines and bands", axis, Axis::linear("accuracy (%)").spanning(0.0, 100.0));
    for series in 0..5 {
        let value = |m: f64| 100.0 - (40.0 + 8.0 * series as f64) / m;
        let style = Style::series(series);
        panel = panel
            .with(Mark::Band(Band {
                name: format!("method {series}"),
                color: style.color,
                edges: filters
                    .iter()
                    .map(|&m| (m, value(m) - 6.0 / m, value(m) + 6.0 / m))
                    .collect(),
            }))
            .with(Mark::Line(Line::new(
                format!("method {series}"),
                style,
                filters.iter().map(|&m| (m, value(m))).collect(),
            )));
    }
    panel.with(Mark::Rule(Rule::Horizontal(10.0))).with_legend()
}

fn scatter() -> Panel {
    let mut panel = Panel::new("Points, ellipses, arrows", Axis::linear("z₁"), Axis::linear("z₂"));
    for class in 0..3 {
        let style = Style::series(class);
        let center = (3.0 * class as f64, (class as f64).powi(2));
        let around = |k: usize| {
            let (a, r) = (k as f64 * 2.4, (k as f64 / 40.0).sqrt());
            (center.0 + 1.4 * r * a.cos(), center.1 + 0.8 * r * a.sin())
        };
        panel = panel
            .with(Mark::Points(Points {
                name: format!("class {class}"),
                style,
                points: (0..40).map(around).collect(),
                tips: Vec::new(),
                hollow: Vec::new(),
                radius: 2.2,
                opacity: 0.7,
            }))
            .with(Mark::Ellipse(Ellipse {
                name: format!("class {class}"),
                color: style.color,
                dash: Dash::Solid,
                center,
                covariance: (0.5, 0.1, 0.16),
                radius: 2.0,
                filled: true,
                tip: String::new(),
            }))
            .with(Mark::Arrow(Arrow {
                name: String::new(),
                color: Color::Ink,
                from: (0.0, 4.0),
                to: center,
            }));
    }
    panel
}

fn heat_map() -> Panel {
    let names: Vec<String> = ["ant", "bee", "cat", "dog", "elephant"].map(String::from).to_vec();
    let values: Vec<f64> = (0..25).map(|at| ((at / 5) as f64 - (at % 5) as f64).abs()).collect();
    let texts = values.iter().map(|value| format!("{value:.0}")).collect();
    let axes = (Axis::names("predicted", names.clone()), Axis::names("true", names));
    let map = HeatMap {
        values,
        columns: 5,
        range: Range { low: 0.0, high: 4.0 },
        map: Map::Sequential,
        texts,
        tips: Vec::new(),
    };
    Panel { downwards: true, ..Panel::new("Heat map", axes.0, axes.1) }.with(Mark::HeatMap(map))
}

fn picture() -> Result<Panel, Box<dyn Error>> {
    let values: Vec<f64> =
        (0..450).map(|at| ((at % 30) as f64 * 0.5 + (at / 30) as f64 * 0.4).sin()).collect();
    let bitmap = Bitmap::signed(&values, 15, 30).ok_or("not 450 pixels")?;
    let picture = Picture { bitmap, x: (0.0, 30.0), y: (0.0, 15.0) };
    Ok(Panel::picture("A filter").with(Mark::Picture(picture)))
}

fn bars() -> Panel {
    let names: Vec<String> = ["ant", "bee", "cat"].map(String::from).to_vec();
    let axis = Axis::linear("accuracy (%)").spanning(0.0, 100.0);
    let panel = Panel { downwards: true, ..Panel::new("Bars", axis, Axis::names("", names)) };
    [71.0, 83.0, 96.0].into_iter().enumerate().fold(panel, |panel, (at, value)| {
        panel.with(Mark::Bar(Bar {
            name: String::new(),
            color: Color::Series(0),
            at: at as f64,
            span: (0.0, value),
            tip: String::new(),
        }))
    })
}

fn times() -> Panel {
    let mut panel =
        Panel::new("Logarithmic axis", Axis::log("seconds"), Axis::linear("accuracy (%)"));
    for series in 0..12 {
        panel = panel.with(Mark::Points(Points {
            name: format!("m{series}"),
            style: Style::series(series),
            points: vec![(0.01 * 2f64.powi(series as i32), 60.0 + 3.0 * series as f64)],
            tips: Vec::new(),
            hollow: Vec::new(),
            radius: 4.0,
            opacity: 1.0,
        }));
    }
    panel.with_legend()
}
