//! Robust class statistics, tested against their defining equations, their invariances and outliers.

use sqfa::robust::{McdOptions, RobustError, mcd};
use sqfa::statistics::{ClassAccumulator, StatisticsError};
use sqfa::{ClassStatistics, Estimator, Labels, Points, Table};

use crate::common::{inverse, normals, product, stream, times, transposed};

/// Tolerance for the remaining error of EM in double precision, relative to the scatter.
const SETTLED: f64 = 1e-7;

/// Samples of two classes: t distributions with different scatter matrices and means.
struct Heavy {
    columns: usize,
    values: Vec<f64>,
    codes: Vec<i64>,
}

impl Heavy {
    /// Draws the samples. The degrees of freedom must be an integer, because χ² is drawn as a sum of squares.
    fn draw(count: usize, columns: usize, degrees: usize, seed: u64) -> Self {
        let mut rng = stream(seed);
        let roots: Vec<Vec<f64>> = (0..2).map(|_| normals(columns * columns, &mut rng)).collect();
        let (mut values, mut codes) = (Vec::new(), Vec::new());
        for row in 0..count {
            let class = row % 2;
            let chi: f64 = normals(degrees, &mut rng).iter().map(|x| x * x).sum();
            let factor = (degrees as f64 / chi).sqrt();
            let z = normals(columns, &mut rng);
            let point = times(&roots[class], &z);
            values.extend(point.iter().map(|x| factor * x + 3.0 * class as f64));
            codes.push(class as i64);
        }
        Self { columns, values, codes }
    }

    fn labels(&self) -> Labels {
        Labels::from_integers(&self.codes)
    }

    fn points(&self) -> Points<'_> {
        let rows = self.codes.len();
        Points::F64(Table::row_major(&self.values, rows, self.columns).unwrap())
    }

    fn statistics(&self, estimator: &str) -> ClassStatistics {
        let estimator: Estimator = estimator.parse().unwrap();
        ClassStatistics::from_points(self.points(), &self.labels(), estimator).unwrap()
    }

    /// Returns the samples of one class.
    fn class(&self, class: i64) -> Vec<&[f64]> {
        let rows = self.values.chunks(self.columns).zip(&self.codes);
        rows.filter(|(_, code)| **code == class).map(|(row, _)| row).collect()
    }

    fn mapped(&self, map: &[f64], shift: &[f64]) -> Self {
        let moved = self.values.chunks(self.columns).flat_map(|row| {
            times(map, row).into_iter().zip(shift).map(|(x, s)| x + s).collect::<Vec<_>>()
        });
        Self { columns: self.columns, values: moved.collect(), codes: self.codes.clone() }
    }
}

fn scatter(statistics: &ClassStatistics, class: usize) -> Vec<f64> {
    crate::problems::entries(statistics, class)
}

fn mean(statistics: &ClassStatistics, class: usize) -> Vec<f64> {
    statistics.means().col(class).iter().copied().collect()
}

/// Returns squared distances of samples for a mean and a scatter, computed with an explicit inverse.
fn distances(points: &[&[f64]], mean: &[f64], scatter: &[f64]) -> Vec<f64> {
    let inverse = inverse(scatter, mean.len());
    let about = |row: &&[f64]| -> Vec<f64> { row.iter().zip(mean).map(|(x, m)| x - m).collect() };
    let square = |z: Vec<f64>| times(&inverse, &z).iter().zip(&z).map(|(a, b)| a * b).sum();
    points.iter().map(about).map(square).collect()
}

/// Returns Σ w (x−μ)(x−μ)ᵀ/N and Σ v (x−μ)/N.
fn weighted(points: &[&[f64]], mean: &[f64], w: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (p, count) = (mean.len(), points.len() as f64);
    let (mut second, mut first) = (vec![0.0; p * p], vec![0.0; p]);
    for ((row, w), v) in points.iter().zip(w).zip(v) {
        let z: Vec<f64> = row.iter().zip(mean).map(|(x, m)| x - m).collect();
        for i in 0..p {
            first[i] += v * z[i] / count;
            for j in 0..p {
                second[i * p + j] += w * z[i] * z[j] / count;
            }
        }
    }
    (second, first)
}

fn gap(found: &[f64], expected: &[f64]) -> f64 {
    let unit = expected.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    found.iter().zip(expected).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs() / unit))
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let half = numbers.len() / 2;
    if numbers.len() % 2 == 1 { numbers[half] } else { 0.5 * (numbers[half - 1] + numbers[half]) }
}

#[test]
fn t_solves_the_likelihood_equations() {
    for (columns, degrees) in [(1, 5.0), (3, 5.0), (4, 1.0), (6, 30.0)] {
        let data = Heavy::draw(2000, columns, 3, 301);
        let found = data.statistics(&format!("t:{degrees}"));
        assert_eq!(found.degrees(), Some(degrees));
        let note = found.robust().unwrap();
        assert!(note.unsettled.is_empty() && note.shrunk.is_empty(), "{note:?}");
        for class in 0..2 {
            let points = data.class(class as i64);
            let (mean, scatter) = (mean(&found, class), scatter(&found, class));
            let p = columns as f64;
            let weights: Vec<f64> = distances(&points, &mean, &scatter)
                .iter()
                .map(|square| (degrees + p) / (degrees + square))
                .collect();
            // The likelihood equations have divisor N, not the sum of weights.
            let (second, first) = weighted(&points, &mean, &weights, &weights);
            assert!(gap(&second, &scatter) < SETTLED, "{columns} columns, ν = {degrees}");
            let deviation = scatter[0].sqrt();
            assert!(first.iter().all(|x| x.abs() < SETTLED * deviation), "{first:?}");
        }
    }
}

#[test]
fn degrees_of_freedom_are_found_by_likelihood() {
    // The standard error of ν from 20 000 samples in three columns is about 2 %.
    for (degrees, seed) in [(3, 311), (8, 312)] {
        let data = Heavy::draw(20_000, 3, degrees, seed);
        let found = data.statistics("t:auto").degrees().unwrap();
        assert!((found / degrees as f64 - 1.0).abs() < 0.1, "{found} for {degrees}");
    }
}

#[test]
fn tyler_uses_directions_and_is_scaled_by_the_median() {
    let data = Heavy::draw(1500, 2, 1, 321);
    let found = data.statistics("tyler");
    assert_eq!(found.degrees(), None);
    for class in 0..2 {
        let points = data.class(class as i64);
        let (mean, scatter) = (mean(&found, class), scatter(&found, class));
        let squares = distances(&points, &mean, &scatter);
        // The median of χ² with two degrees of freedom is 2 ln 2.
        assert!((median(squares.clone()) / (2.0 * 2.0_f64.ln()) - 1.0).abs() < SETTLED);
        let w: Vec<f64> = squares.iter().map(|square| 2.0 / square).collect();
        let v: Vec<f64> = squares.iter().map(|square| 1.0 / square.sqrt()).collect();
        let (second, first) = weighted(&points, &mean, &w, &v);
        assert!(gap(&second, &scatter) < SETTLED, "{}", gap(&second, &scatter));
        let deviation = scatter[0].sqrt();
        assert!(first.iter().all(|x| x.abs() < SETTLED * deviation), "{first:?}");
    }
}

#[test]
fn location_and_scatter_are_affine_equivariant() {
    let mut rng = stream(331);
    let data = Heavy::draw(900, 3, 4, 332);
    let (map, shift) = (normals(9, &mut rng), normals(3, &mut rng));
    let moved = data.mapped(&map, &shift);
    for estimator in ["t:2", "t:auto", "tyler", "mcd:0.7"] {
        let (before, after) = (data.statistics(estimator), moved.statistics(estimator));
        for class in 0..2 {
            let half = product(&map, &scatter(&before, class), 3);
            let expected = product(&half, &transposed(&map, 3), 3);
            let off = gap(&scatter(&after, class), &expected);
            assert!(off < 1e-5, "{estimator}: {off}");
            let expected: Vec<f64> =
                times(&map, &mean(&before, class)).iter().zip(&shift).map(|(a, b)| a + b).collect();
            assert!(gap(&mean(&after, class), &expected) < 1e-5, "{estimator}");
        }
    }
}

#[test]
fn outliers_hardly_change_robust_estimates() {
    let clean = Heavy::draw(1000, 5, 60, 341);
    let mut rng = stream(342);
    let mut spoilt = Heavy { values: clean.values.clone(), codes: clean.codes.clone(), columns: 5 };
    for row in (0..1000).filter(|row| row % 10 < 2) {
        let noise = normals(5, &mut rng);
        spoilt.values[row * 5..][..5].iter_mut().zip(noise).for_each(|(x, z)| *x += 1e3 * z);
    }
    let reference = clean.statistics("empirical");
    for estimator in ["t:5", "t:auto", "tyler", "mcd:0.6"] {
        let found = spoilt.statistics(estimator);
        for class in 0..2 {
            let sound = scatter(&reference, class);
            let off = gap(&scatter(&found, class), &sound);
            assert!(off < 2.0, "{estimator}: {off}");
            let deviation = sound.iter().step_by(6).fold(0.0_f64, |a, &b| a.max(b)).sqrt();
            let moved = mean(&found, class)
                .iter()
                .zip(mean(&reference, class))
                .fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
            assert!(moved < 0.5 * deviation, "{estimator}: {moved}");
        }
    }
    let ruined = spoilt.statistics("empirical");
    assert!(gap(&scatter(&ruined, 0), &scatter(&reference, 0)) > 1e3);
}

#[test]
fn constant_columns_stay_constant_and_few_samples_are_reported() {
    let mut data = Heavy::draw(60, 8, 5, 351);
    for row in data.values.chunks_mut(8).zip(&data.codes).filter(|(_, code)| **code == 1) {
        row.0[3] = 0.25;
    }
    for estimator in ["t:5", "tyler"] {
        let found = data.statistics(estimator);
        assert_eq!(mean(&found, 1)[3], 0.25);
        let entries = scatter(&found, 1);
        assert!((0..8).all(|i| entries[3 * 8 + i] == 0.0 && entries[i * 8 + 3] == 0.0));
        assert!(scatter(&found, 0)[3 * 8 + 3] > 0.0);
        let note = found.robust().unwrap();
        assert_eq!(note.shrunk, ["0", "1"], "30 points in 8 dimensions");
        assert!(note.unsettled.is_empty() && note.largest_share < 1.0, "{note:?}");
    }
    // A column in which almost all values are equal: no t distribution fits, but the estimate must be finite.
    let mut rare = Heavy::draw(800, 4, 5, 352);
    rare.values.chunks_mut(4).enumerate().for_each(|(row, x)| x[2] = f64::from(u8::from(row < 4)));
    let found = rare.statistics("t:5");
    assert!(scatter(&found, 0).iter().all(|x| x.is_finite()));
    assert_eq!(found.robust().unwrap().shrunk, ["0", "1"]);
}

#[test]
fn single_precision_and_weights_agree_with_repeated_samples() {
    let data = Heavy::draw(600, 4, 4, 361);
    let singles: Vec<f32> = data.values.iter().map(|&x| x as f32).collect();
    let table = Table::row_major(&singles, 600, 4).unwrap();
    let estimator: Estimator = "t:5".parse().unwrap();
    let single = ClassStatistics::from_points(table.into(), &data.labels(), estimator).unwrap();
    let double = data.statistics("t:5");
    assert!(gap(&scatter(&single, 1), &scatter(&double, 1)) < 1e-4);
    assert!(single.covariances().iter().all(|one| one.is_single()));
    // A sample with weight 2 counts as two equal samples.
    let weights: Vec<u64> = (0..600).map(|row| [1, 2, 0, 3][row % 4]).collect();
    let (mut values, mut codes) = (Vec::new(), Vec::new());
    for (row, point) in data.values.chunks(4).enumerate() {
        for _ in 0..weights[row] {
            values.extend_from_slice(point);
            codes.push(data.codes[row]);
        }
    }
    let repeated = Heavy { columns: 4, values, codes };
    for name in ["t:5", "tyler", "mcd:0.8"] {
        let estimator: Estimator = name.parse().unwrap();
        let weighted = ClassStatistics::from_weighted_points(
            data.points(),
            &data.labels(),
            Some(&weights),
            estimator,
        );
        let (weighted, whole) = (weighted.unwrap(), repeated.statistics(name));
        assert_eq!(weighted.counts(), whole.counts());
        assert!(gap(&scatter(&weighted, 0), &scatter(&whole, 0)) < SETTLED, "{name}");
        assert!(gap(&mean(&weighted, 0), &mean(&whole, 0)) < SETTLED, "{name}");
    }
}

#[test]
fn mcd_is_computed_for_each_class() {
    let data = Heavy::draw(300, 3, 3, 371);
    let found = data.statistics("mcd:0.75");
    for class in 0..2 {
        let own: Vec<f64> = data.class(class as i64).concat();
        let table = Table::row_major(&own, 150, 3).unwrap();
        let options = McdOptions { support: 0.75, ..McdOptions::default() };
        let expected = mcd(table.into(), &options).unwrap().reweighted;
        assert_eq!(scatter(&found, class), expected.scatter);
        assert_eq!(mean(&found, class), expected.location);
    }
}

#[test]
fn invalid_estimates_are_rejected_with_a_remedy() {
    let data = Heavy::draw(40, 3, 5, 381);
    let labels = data.labels();
    let mut sums = ClassAccumulator::new(labels.classes().clone(), 3);
    sums.update(data.points(), &labels).unwrap();
    for name in ["t:5", "t:auto", "tyler", "mcd:0.75"] {
        let estimator: Estimator = name.parse().unwrap();
        assert_eq!(estimator.to_string(), name);
        let error = sums.clone().finish(estimator).unwrap_err();
        assert_eq!(error, StatisticsError::NeedsPoints { estimator: name.to_owned() });
        assert!(error.to_string().contains("pass the samples in one table"), "{error}");
        // A class of four samples in three columns has more samples than columns; one of three does not.
        let few = Heavy {
            values: data.values[..18].to_vec(),
            codes: data.codes[..6].to_vec(),
            columns: 3,
        };
        let refused = ClassStatistics::from_points(few.points(), &few.labels(), estimator);
        let message = refused.unwrap_err().to_string();
        assert!(message.starts_with("class '0': 3 samples"), "{message}");
        assert!(message.contains("reduce the dimension first"), "{message}");
        // A class of identical samples.
        let mut same = Heavy { values: data.values.clone(), codes: data.codes.clone(), columns: 3 };
        for (row, _) in same.values.chunks_mut(3).zip(&data.codes).filter(|(_, c)| **c == 1) {
            row.fill(7.0);
        }
        let refused = ClassStatistics::from_points(same.points(), &same.labels(), estimator);
        let expected = StatisticsError::RobustClass {
            class: "1".to_owned(),
            source: RobustError::Identical { points: 20 },
        };
        assert_eq!(refused.unwrap_err(), expected);
    }
    for (name, part) in [
        ("t:0.5", "of at least 1"),
        ("t:nan", "of at least 1"),
        ("t:inf", "of at least 1"),
        ("t:many", "needs a number"),
        ("t", "t:5, or t:auto"),
        ("mcd:0.4", "above 0.5"),
        ("mcd:1.2", "at most 1"),
        ("mcd", "mcd:0.75"),
        ("tylr", "did you mean 'tyler'?"),
    ] {
        let message = name.parse::<Estimator>().unwrap_err();
        assert!(message.contains(part), "{name}: {message}");
    }
}
