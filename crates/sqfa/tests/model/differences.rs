//! Starts turned to where classes differ: exact where differences have low rank, and shorter climbs.

use sqfa::Mat;
use sqfa::model::{Learning, Restarts, Start};
use sqfa::optimize::{Preconditioning, Stopping};

use crate::common::{Normal, normals, stream};
use crate::problems::{
    axes, bits, given, given_single, orthonormal, random_classes, recipe, subspace_gap,
};
use crate::starts::side_by_side_as_alone;

/// No iteration at all: the filters are the start.
const STAY: Stopping = Stopping { max_iterations: 0, tolerance: 1e-6 };

/// A map, row by row, that mixes all coordinates and is far from a rotation.
fn mixing(order: usize, seed: u64) -> Vec<f64> {
    let mut map = normals(order * order, &mut stream(seed));
    map.iter_mut().for_each(|entry| *entry /= 2.0 * (order as f64).sqrt());
    (0..order).for_each(|i| map[i * order + i] += 2.0);
    map
}

/// Four classes that differ in their first coordinates alone, which a map hides.
fn hidden(order: usize, differing: usize, map: &[f64], seed: u64) -> Vec<Normal> {
    let class = |own: &Normal| {
        let mut covariance = vec![0.0; order * order];
        for i in 0..order {
            covariance[i * order + i] = 1.0;
            for j in 0..differing {
                if i < differing {
                    covariance[i * order + j] = own.covariance[i * differing + j];
                }
            }
        }
        let mut mean = own.mean.clone();
        mean.resize(order, 0.0);
        Normal { mean, covariance }.mapped(map, &vec![0.5; order])
    };
    random_classes(differing, 4, seed).iter().map(class).collect()
}

#[test]
fn differences_of_low_rank_are_found_by_the_start() {
    let (order, differing) = (60, 20);
    let map = mixing(order, 50);
    let classes = hidden(order, differing, &map, 50);
    // The images of the first coordinates span all differences.
    let truth = Mat::from_fn(order, differing, |i, j| map[i * order + j]);
    let stay = |start| {
        let recipe = recipe(differing, "calvo-oller").start(start).stopping(STAY);
        recipe.preconditioning(Preconditioning::Off).fit(&given(&classes)).unwrap()
    };
    let start = stay(Start::Auto);
    assert_eq!(start.passes(), stay(Start::Random).passes() + 2);
    let gap = subspace_gap(start.filters().as_ref(), truth.as_ref());
    assert!(gap <= 1e-9, "{gap:e}");
}

#[test]
fn in_the_metric_of_the_total_covariance_they_are_solved_for() {
    let (order, differing, noise) = (60, 20, 0.1);
    let map = mixing(order, 51);
    let classes = hidden(order, differing, &map, 51);
    let mean = |i: usize| classes.iter().map(|class| class.mean[i]).sum::<f64>() / 4.0;
    let total = Mat::from_fn(order, order, |i, j| {
        let entry = |class: &Normal| {
            class.covariance[i * order + j] + (class.mean[i] - mean(i)) * (class.mean[j] - mean(j))
        };
        classes.iter().map(entry).sum::<f64>() / 4.0 + if i == j { noise } else { 0.0 }
    });
    let start = recipe(differing, "calvo-oller")
        .noise(sqfa::Noise::Value(noise))
        .preconditioning(Preconditioning::On)
        .stopping(STAY)
        .fit(&given(&classes))
        .unwrap();
    // M times the start lies in the span of the differences; M, of condition number about a thousand, is factored in single
    // precision.
    let back = &total * start.filters();
    let truth = Mat::from_fn(order, differing, |i, j| map[i * order + j]);
    let gap = subspace_gap(back.as_ref(), truth.as_ref());
    assert!(gap <= 1e-3, "{gap:e}");
}

#[test]
fn directions_of_means_are_in_the_start() {
    let order = 30;
    let common = random_classes(order, 1, 52).remove(0);
    let classes: Vec<Normal> = random_classes(order, 4, 53)
        .into_iter()
        .map(|own| Normal { mean: own.mean, covariance: common.covariance.clone() })
        .collect();
    let start = recipe(18, "calvo-oller")
        .preconditioning(Preconditioning::Off)
        .stopping(STAY)
        .fit(&given(&classes))
        .unwrap();
    let between = Mat::from_fn(order, 3, |i, k| classes[k + 1].mean[i] - classes[0].mean[i]);
    let gap = subspace_gap(between.as_ref(), start.filters().as_ref());
    assert!(gap <= 1e-9, "{gap:e}");
    // Three directions are all there is; the other filters are still filters.
    assert_eq!(orthonormal(start.filters().as_ref()).len(), 18);
    assert!(start.objective().is_finite());
}

#[test]
fn climbs_from_there_are_as_high_and_shorter() {
    let map = mixing(80, 54);
    let turned = orthonormal(Mat::from_fn(80, 80, |i, j| map[i * 80 + j]).as_ref()).concat();
    let statistics = given(&hidden(80, 20, &turned, 54));
    let recipe = recipe(20, "calvo-oller").noise(sqfa::Noise::Value(0.001));
    let fit = |start| recipe.clone().start(start).fit(&statistics).unwrap();
    let (random, turned) = (fit(Start::Random), fit(Start::Auto));
    assert!(random.converged() && turned.converged());
    assert!(turned.objective() >= random.objective() * (1.0 - 1e-5));
    let (few, many) = (turned.passes(), random.passes());
    assert!(2 * few <= many, "{few} passes against {many}");
}

#[test]
fn few_filters_start_at_random_unless_asked() {
    let statistics = given(&random_classes(24, 4, 55));
    let fit = |filters, start| {
        let recipe = recipe(filters, "hellinger").restarts(Restarts::Count(1)).start(start);
        recipe.stopping(STAY).fit(&statistics).unwrap()
    };
    let same = |filters, one: Start, other: Start| {
        bits(fit(filters, one).filters()) == bits(fit(filters, other).filters())
    };
    assert!(same(16, Start::Auto, Start::Random));
    assert!(!same(17, Start::Auto, Start::Random));
    assert!(same(17, Start::Auto, Start::Differences));
    assert!(!same(3, Start::Differences, Start::Random));
}

#[test]
fn only_the_first_of_several_starts_is_turned() {
    let classes = random_classes(12, 4, 56);
    let recipe = recipe(3, "calvo-oller");
    side_by_side_as_alone(&recipe.clone().start(Start::Differences), &classes);
    let statistics = given(&classes);
    let fit =
        |start| recipe.clone().start(start).restarts(Restarts::Count(3)).fit(&statistics).unwrap();
    let (random, turned) = (fit(Start::Random), fit(Start::Differences));
    let first =
        |restart: usize| [&random, &turned].map(|fit| fit.restarts()[restart].trace[0].to_bits());
    assert_ne!(first(0)[0], first(0)[1]);
    for restart in 1..3 {
        assert_eq!(first(restart)[0], first(restart)[1], "start {restart}");
    }
}

#[test]
fn filters_that_stay_are_left_out_of_the_start() {
    let fixed = axes(14, &[2, 5]);
    for statistics in [given(&random_classes(14, 4, 57)), given_single(&random_classes(14, 4, 57))]
    {
        let start = recipe(5, "calvo-oller")
            .start(Start::Differences)
            .fixed(fixed.clone())
            .stopping(STAY)
            .fit(&statistics)
            .unwrap();
        assert_eq!(bits(&start.filters().subcols(0, 2).to_owned()), bits(&fixed));
        let overlap = fixed.transpose() * start.filters().subcols(2, 3);
        assert!(overlap.norm_max() <= 1e-12, "{:e}", overlap.norm_max());
        let groups = recipe(6, "calvo-oller")
            .start(Start::Differences)
            .learning(Learning::Sequential(3))
            .fit(&statistics)
            .unwrap();
        assert!(groups.converged());
    }
}

#[test]
fn classes_that_do_not_differ_keep_random_filters() {
    let one = random_classes(20, 1, 58).remove(0);
    let statistics = given(&[one.clone(), one.clone(), one]);
    let fit = |start| {
        let recipe = recipe(18, "hellinger").start(start).stopping(STAY);
        recipe.fit(&statistics).unwrap().filters().clone()
    };
    assert!(fit(Start::Auto).norm_max().is_finite());
    assert_eq!(fit(Start::Auto).ncols(), 18);
}
