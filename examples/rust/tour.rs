//! A tour of the crate: from labeled samples to filters, features and a classifier.
//!
//! Run with `cargo run --release -p sqfa --example tour`.

use sqfa::distance::pairwise;
use sqfa::optimize::Control;
use sqfa::{ClassStatistics, Distance, Estimator, Labels, Noise, Points, Qda, Sqfa, Table};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Three classes in ten dimensions. They differ only in the covariance of dimensions 0 and 1.
    // Dimension 9 has by far the largest variance, but it is the same in all classes.
    let (points, labels) = example(3 * 400);
    let table = Table::row_major(&points, labels.len(), 10).ok_or("not 10 numbers per sample")?;
    let labels = Labels::from_integers(&labels);

    // A fit needs the class statistics: counts, means and covariances.
    let statistics =
        ClassStatistics::from_points(Points::F64(table), &labels, Estimator::Empirical)?;

    // The observer is called after every iteration and can cancel the fit.
    let recipe = Sqfa::new(2)?.distance(Distance::named("hellinger")?).noise(Noise::Fraction(1.0));
    let model = recipe.fit_observed(&statistics, &mut |_| Control::Continue)?;
    show(&format!(
        "objective {:.4} after {} passes over the covariances ({})",
        model.objective(),
        model.passes(),
        model.termination().name()
    ));
    for (index, filter) in model.filters().col_iter().enumerate() {
        let weights: Vec<String> = filter.iter().map(|weight| format!("{weight:5.2}")).collect();
        show(&format!("filter {index}: {}", weights.join(" ")));
    }

    // Distances between the classes in feature space, including the noise.
    let features = sqfa::statistics::project(&statistics, model.filters().as_ref(), model.noise());
    let distances = pairwise(&Distance::named("calvo-oller")?, &features)?;
    show(&format!("Calvo–Oller distance of classes 0 and 1: {:.3}", distances[(0, 1)]));

    // The model transforms samples, and QDA classifies their features.
    let qda = Qda::from_statistics(&statistics, model.filters().as_ref(), None)?;
    let projected = model.transform(Points::F64(table))?;
    let accuracy = qda.accuracy(projected.as_points(2), labels.codes())?;
    show(&format!("QDA accuracy with 2 of 10 dimensions: {:.1} %", 100.0 * accuracy));
    Ok(())
}

/// Returns random samples with a fixed seed. The first two coordinates of class k vary mostly along the direction of 60·k degrees.
fn example(count: usize) -> (Vec<f64>, Vec<i64>) {
    let mut state = 7_u64;
    let mut uniform = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    };
    let mut normal =
        move || (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
    let mut points = Vec::new();
    let mut labels = Vec::new();
    for row in 0..count {
        let class = (row % 3) as i64;
        let (sine, cosine) = (60.0 * class as f64).to_radians().sin_cos();
        let (long, short) = (normal(), 0.15 * normal());
        points.extend([cosine * long - sine * short, sine * long + cosine * short]);
        points.extend((2..9).map(|_| normal()));
        points.push(20.0 * normal());
        labels.push(class);
    }
    (points, labels)
}

#[allow(clippy::print_stdout)] // an example shows its result
fn show(line: &str) {
    println!("{line}");
}
