//! Tests that compare the posterior objective with its definition and with finite differences.

use super::*;
use crate::classify::Qda;
use crate::constraint::CONSTRAINTS;
use crate::objective::tests::{assert_consistent, block, example, start};
use crate::points::Table;
use crate::statistics::project;

const ROWS: usize = 101;
const CLASSES: usize = 4;
const DIMENSIONS: usize = 6;
const NOISE: f64 = 0.3;
const PRIORS: [f64; CLASSES] = [0.1, 0.2, 0.3, 0.4];

fn values() -> Vec<f64> {
    (0..ROWS * DIMENSIONS).map(|at| 2.0 * ((at * at + 3 * at) as f64).sin()).collect()
}

fn split<'a>(values: &'a [f64], preprocessor: Option<&'a Preprocessor>) -> LabeledRows<'a> {
    let learn: Vec<usize> = (0..ROWS).filter(|row| row % 5 != 0).collect();
    let code = |row: &usize| (row * 7 % CLASSES) as u32;
    LabeledRows {
        points: Points::F64(Table::row_major(values, ROWS, DIMENSIONS).unwrap()),
        preprocessor,
        codes: learn.iter().map(code).collect(),
        rows: learn,
    }
}

fn preprocessor() -> Preprocessor {
    Preprocessor {
        offset: (0..DIMENSIONS).map(|i| 0.3 * i as f64 - 0.5).collect(),
        factors: (0..DIMENSIONS).map(|i| 1.0 + 0.1 * i as f64).collect(),
    }
}

/// Returns the objective of three filters without a constraint.
fn objective_of<'a>(statistics: &'a ClassStatistics, values: &'a [f64]) -> Posterior<'a> {
    Posterior::new(statistics, split(values, None), Constraint::None, NOISE, 3, 0, &PRIORS)
}

#[test]
fn gradient_and_slope_agree_with_differences() {
    let statistics = example(DIMENSIONS, CLASSES);
    let (values, preprocessor) = (values(), preprocessor());
    for (name, constraint) in CONSTRAINTS {
        for frozen in [0, 2] {
            for preprocessor in [None, Some(&preprocessor)] {
                let split = split(&values, preprocessor);
                let objective =
                    Posterior::new(&statistics, split, constraint, NOISE, 3, frozen, &PRIORS);
                let direction = block(DIMENSIONS, 3 - frozen, 2);
                assert_consistent(&objective, &start(DIMENSIONS, frozen), &direction, frozen, name);
            }
        }
    }
}

#[test]
fn points_may_have_dimensions_that_are_set_aside() {
    let statistics = example(DIMENSIONS - 1, CLASSES);
    let (values, mut preprocessor) = (values(), preprocessor());
    preprocessor.factors[1] = 0.0;
    for frozen in [0, 2] {
        let split = split(&values, Some(&preprocessor));
        let constraint = Constraint::Sphere;
        let objective = Posterior::new(&statistics, split, constraint, NOISE, 3, frozen, &PRIORS);
        let direction = block(DIMENSIONS - 1, 3 - frozen, 2);
        let start = start(DIMENSIONS - 1, frozen);
        assert_consistent(&objective, &start, &direction, frozen, "set aside");
    }
}

#[test]
fn the_value_is_the_mean_log_posterior_of_a_quadratic_classifier() {
    let statistics = example(DIMENSIONS, CLASSES);
    let (values, filters) = (values(), start(DIMENSIONS, 3));
    let split = split(&values, None);
    let rows = split.rows.clone();
    let codes = split.codes.clone();
    let objective = objective_of(&statistics, &values);
    let point = objective.at(vec![filters.clone()]).remove(0).unwrap();
    let gaussians = project(&statistics, filters.as_ref(), NOISE);
    let qda = Qda::plain(statistics.classes(), &gaussians, &PRIORS, 0.0).unwrap();
    let features = |rows: &[usize]| {
        let points = Points::F64(Table::row_major(&values, ROWS, DIMENSIONS).unwrap());
        transform_rows_offset(points, rows, filters.as_ref(), None)
    };
    let posteriors = qda.log_posteriors(features(&rows).as_points(3)).unwrap();
    let mean: f64 = codes
        .iter()
        .enumerate()
        .map(|(row, &code)| posteriors[row * CLASSES + code as usize])
        .sum::<f64>()
        / rows.len() as f64;
    assert!((objective.value(&point) - mean).abs() < 1e-13);
}
