//! The refinement improves what can be improved, and knows when filters should stay as they are.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use sqfa::Labels;
use sqfa::optimize::{Control, Optimizer};
use sqfa::pipeline::{Fitted, Labeled, Pipeline};
use sqfa::reduce::ReducerSettings;

use crate::{Data, accuracy, recipe};

fn normals(count: usize, generator: &mut ChaCha8Rng) -> Vec<f64> {
    (0..count).map(|_| StandardNormal.sample(generator)).collect()
}

/// Classes that the projected Gaussians describe badly along the directions of largest distance: one feature separates the
/// class means, others have large but shared, heavy-tailed variance that differs between classes.
fn misleading(per_class: usize, seed: u64) -> Data {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let labels: Vec<i64> = (0..3 * per_class as i64).map(|row| row % 3).collect();
    let mut values = Vec::new();
    for &class in &labels {
        let z = normals(6, &mut generator);
        let tail = if z[5] > 1.3 { 6.0 } else { 0.4 };
        let class = class as f64;
        values.extend([
            class * 1.1 + 0.5 * z[0],
            tail * (1.0 + class) * z[1],
            tail * (3.0 - class) * z[2],
            z[3],
            z[4],
        ]);
    }
    Data { values, columns: 5, labels }
}

/// Class sums of folds are added in another order than those of all samples.
fn assert_close(one: &Fitted, other: &Fitted) {
    let difference = one.filters() - other.filters();
    assert!(difference.norm_max() < 1e-12, "{difference:?}");
}

#[test]
fn it_finds_what_its_start_has_missed() {
    let (train, test) = (misleading(900, 1), misleading(900, 2));
    let (plain, refined) =
        (train.fit(&recipe("pca", 1)).unwrap(), train.fit(&recipe("pca+refine", 1)).unwrap());
    let choice = refined.record.refinement.as_ref().unwrap();
    assert!(choice.steps > 0, "{choice:?}");
    assert!(choice.accuracy >= choice.before().unwrap());
    let (plain, refined) = (accuracy(&plain, &test), accuracy(&refined, &test));
    assert!(refined > plain + 0.05, "from {plain} to {refined}");
    // The same in subspaces, whose steps are fewer.
    let settings = ReducerSettings { optimizer: Optimizer::Subspace, ..ReducerSettings::default() };
    let spaces = train.fit(&Pipeline { settings, ..recipe("pca+refine", 1) }).unwrap();
    let spaces = accuracy(&spaces, &test);
    assert!(spaces > plain + 0.05, "from {plain} to {spaces}");
}

#[test]
fn it_stays_put_where_there_is_nothing_to_learn() {
    // Labels that do not depend on the samples: any gain on held-out samples would be chance.
    for seed in 0..6 {
        let values = normals(5 * 150, &mut ChaCha8Rng::seed_from_u64(100 + seed));
        let data = Data { values, columns: 5, labels: (0..150).map(|at| at % 3).collect() };
        let refined = data.fit(&recipe("lda+refine", 2)).unwrap();
        let choice = refined.record.refinement.as_ref().unwrap();
        if choice.steps == 0 {
            let plain = data.fit(&recipe("lda", 2)).unwrap();
            assert_close(&refined, &plain);
        } else {
            let gain = choice.gain.unwrap();
            assert!(gain.mean > 2.0 * gain.error, "{choice:?}");
        }
    }
}

#[test]
fn cancelling_returns_the_filters_as_they_were() {
    let data = misleading(200, 3);
    let plain = data.fit(&recipe("pca", 2)).unwrap();
    let labels = Labels::from_integers(&data.labels);
    let samples = Labeled::new(data.points(), &labels);
    let refined = recipe("pca+refine", 2).fit(samples, &mut |_| Control::Cancel).unwrap();
    assert_close(&refined, &plain);
    assert!(!refined.record.run.converged());
}

#[test]
fn it_needs_samples_and_enough_of_them() {
    let refine = recipe("sqfa-h+refine", 1);
    let data = misleading(10, 4);
    let error = refine.fit(data.statistics(), &mut |_| Control::Continue).unwrap_err();
    assert!(error.to_string().contains("refinement"), "{error}");
    // Of two samples of each class none can be held out.
    let tiny = misleading(2, 5);
    let error = tiny.fit(&refine).unwrap_err();
    assert!(error.to_string().contains("held out"), "{error}");
}
