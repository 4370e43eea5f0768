//! Tests that compare the gradient and the lines of objectives with finite differences, for every
//! constraint.

use super::{Criterion, Objective, OnStatistics};
use crate::constraint::{CONSTRAINTS, Constraint};
use crate::distance::Distance;
use crate::labels::Classes;
use crate::linalg::{Mat, inner};
use crate::statistics::{ClassStatistics, GivenMatrices};

/// Step of central differences. Their error is about 1e-10 times the third derivative, plus
/// round-off.
const DIFFERENCE: f64 = 1e-5;
const AGREEMENT: f64 = 2e-8;

/// Returns class statistics with different means and covariances of full rank.
pub(crate) fn example(n: usize, classes: usize) -> ClassStatistics {
    let wave =
        |a: usize, b: usize, c: usize| ((a * 37 + b * 101 + c * 53 + 11) % 89) as f64 / 44.5 - 1.0;
    let means: Vec<f64> = (0..classes * n).map(|at| wave(at / n, at % n, 3)).collect();
    let covariances = (0..classes)
        .map(|class| {
            let root =
                Mat::from_fn(n, n, |i, j| wave(class + 7, i, j) + if i == j { 1.5 } else { 0.0 });
            let full = &root * root.transpose();
            (0..n * n).map(|at| full[(at / n, at % n)]).collect()
        })
        .collect();
    ClassStatistics::from_moments(
        Classes::numbered(classes),
        None,
        &means,
        GivenMatrices::F64(covariances),
    )
    .unwrap()
}

pub(crate) fn block(n: usize, m: usize, salt: usize) -> Mat<f64> {
    Mat::from_fn(n, m, |i, j| (((i + 3) * (j + 5) * 17 + salt * 29) % 71) as f64 / 35.5 - 1.0)
}

fn calvo_oller() -> Criterion {
    Criterion::mean_distance(Distance::named("calvo-oller").unwrap(), 4, None)
}

fn likelihood_gain() -> Criterion {
    Criterion::LikelihoodGain { shares: vec![0.1, 0.4, 0.2, 0.3] }
}

/// Returns initial filters whose frozen columns satisfy the constraint, as learned filters do.
pub(crate) fn start(n: usize, frozen: usize) -> Mat<f64> {
    let mut start = block(n, 3, 1);
    if frozen > 0 {
        let leading = crate::linalg::orthonormalize(start.subcols(0, frozen)).unwrap();
        start.as_mut().subcols_mut(0, frozen).copy_from(&leading);
    }
    start
}

/// Compares gradient, slope and refresh of an objective with central differences of its value.
pub(crate) fn assert_consistent<O: Objective>(
    objective: &O,
    free: &Mat<f64>,
    direction: &Mat<f64>,
    frozen: usize,
    name: &str,
) {
    let mut point = objective.at(vec![free.clone()]).remove(0).unwrap();
    let mut line = objective.along(vec![(&point, direction.clone())]).remove(0);
    for step in [0.0, 0.4] {
        let value = |t: f64| {
            let mut moved = free.clone();
            let change = direction * faer::Scale(t);
            let mut moving = moved.as_mut().subcols_mut(frozen, direction.ncols());
            moving += &change;
            let point = objective.at(vec![moved]).remove(0).unwrap();
            objective.value(&point)
        };
        let (along, slope) = objective.try_step(&point, &mut line, step).unwrap();
        assert!((along - value(step)).abs() < 1e-12, "{name} {frozen}");
        let difference = (value(step + DIFFERENCE) - value(step - DIFFERENCE)) / (2.0 * DIFFERENCE);
        assert!(
            (slope - difference).abs() < AGREEMENT,
            "{name}, frozen {frozen}: slope {slope}, difference {difference}"
        );
    }
    let at_zero = objective.try_step(&point, &mut line, 0.0).unwrap().1;
    let from_gradient = inner(objective.gradient(&point), direction.as_ref());
    assert!((at_zero - from_gradient).abs() < 1e-12, "{name}, frozen {frozen}");
    objective.take_step(&mut point, line, 0.4).unwrap();
    let kept = objective.value(&point);
    let gradient = objective.gradient(&point).to_owned();
    objective.refresh(vec![&mut point]).unwrap();
    assert!((kept - objective.value(&point)).abs() < 1e-12);
    assert!((gradient - objective.gradient(&point)).norm_max() < 1e-12);
}

#[test]
fn gradient_and_slope_agree_with_differences() {
    let statistics = example(6, 4);
    for (name, constraint) in CONSTRAINTS {
        for frozen in [0, 2] {
            for criterion in [calvo_oller(), likelihood_gain()] {
                let objective =
                    OnStatistics::new(&statistics, criterion, constraint, 0.3, 3, frozen);
                let free = start(6, frozen);
                assert_consistent(&objective, &free, &block(6, 3 - frozen, 2), frozen, name);
            }
        }
    }
}

#[test]
fn without_noise_only_the_subspace_matters_and_with_noise_more_does() {
    let statistics = example(6, 4);
    let mix = Mat::from_fn(3, 3, |i, j| if i == j { 2.0 } else { 0.3 * (i as f64 - j as f64) });
    for (noise, unchanged) in [(0.0, true), (0.3, false)] {
        let objective =
            OnStatistics::new(&statistics, calvo_oller(), Constraint::None, noise, 3, 0);
        let value = |free| objective.value(&objective.at(vec![free]).remove(0).unwrap());
        let change = (value(block(6, 3, 1)) - value(&block(6, 3, 1) * &mix)).abs();
        assert_eq!(change < 1e-12, unchanged, "noise {noise}: change {change}");
    }
}
