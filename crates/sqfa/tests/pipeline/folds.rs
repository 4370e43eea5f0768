//! Folds: merged sums are the statistics of the other rows, and equal rows share a fold whatever their weights and order.

use sqfa::optimize::{Control, Progress};
use sqfa::pipeline::{Filters, Labeled, Parts, Plan, Summed};
use sqfa::points::ShrinkingPoints;
use sqfa::reduce::reducers;
use sqfa::{ClassStatistics, Estimator, Labels, Points};

use crate::{Data, recipe, three_classes};

const PLAN: Plan = Plan { parts: 5, held: 5, repeats: 1 };

fn parts<'a>(data: &'a Data, labels: &'a Labels, weights: Option<&'a [u64]>) -> Parts<'a> {
    Parts::new(Labeled { weights, ..Labeled::new(data.points(), labels) }, PLAN, 3).unwrap()
}

/// Covariances by the textbook formula, written apart from the library.
fn covariance(data: &Data, class: i64, i: usize, j: usize) -> f64 {
    let rows: Vec<usize> = (0..data.rows()).filter(|&row| data.labels[row] == class).collect();
    let at = |row: usize, column: usize| data.values[row * data.columns + column];
    let mean = |column| rows.iter().map(|&row| at(row, column)).sum::<f64>() / rows.len() as f64;
    let (a, b) = (mean(i), mean(j));
    let sum: f64 = rows.iter().map(|&row| (at(row, i) - a) * (at(row, j) - b)).sum();
    sum / (rows.len() - 1) as f64
}

#[test]
fn merged_sums_are_the_statistics_of_the_other_rows() {
    let data = three_classes(97, 1);
    let labels = Labels::from_integers(&data.labels);
    let parts = parts(&data, &labels, None);
    let mut seen = vec![0; data.rows()];
    for &fold in parts.folds() {
        let held = parts.rows(fold);
        held.iter().for_each(|&row| seen[row] += 1);
        let others: Vec<usize> = (0..data.rows()).filter(|row| !held.contains(row)).collect();
        let rest = data.picked(&others);
        let merged = parts.without(fold).unwrap().finish(Estimator::Empirical).unwrap();
        let own = Labels::from_integers(&rest.labels);
        let direct =
            ClassStatistics::from_points(rest.points(), &own, Estimator::Empirical).unwrap();
        for class in 0..3 {
            let scale = |i: usize| covariance(&rest, class as i64, i, i).sqrt();
            let diagonal = merged.covariances()[class].diagonal();
            for i in 0..6 {
                let by_hand = covariance(&rest, class as i64, i, i);
                assert!((diagonal[i] - by_hand).abs() <= 1e-12 * by_hand);
                let (a, b) = (merged.means()[(i, class)], direct.means()[(i, class)]);
                assert!((a - b).abs() <= 1e-12 * (b.abs() + scale(i)), "{a} {b}");
            }
        }
    }
    assert_eq!(seen, vec![1; data.rows()], "every row is held out once");
    let total = parts.total().unwrap();
    assert_eq!(total.counts().iter().sum::<u64>(), 97);
}

#[test]
fn what_is_left_out_is_neither_learned_from_nor_held_out() {
    let data = three_classes(60, 2);
    let labels = Labels::from_integers(&data.labels);
    let parts = parts(&data, &labels, None);
    let left = parts.leave_out(2);
    assert_eq!(left.folds(), [0, 1, 3, 4]);
    let gone = parts.rows(2);
    assert!(left.learned().iter().all(|row| !gone.contains(row)));
    assert_eq!(left.learned().len() + gone.len(), 60);
    assert_eq!(left.total().unwrap().counts(), parts.without(2).unwrap().counts());
}

#[test]
fn a_weighted_row_and_repeated_rows_share_a_fold() {
    let data = three_classes(45, 3);
    let weights: Vec<u64> = (0..45).map(|row| [1, 0, 2, 3][row % 4]).collect();
    // Repeated rows, in another order altogether.
    let mut repeated: Vec<usize> =
        (0..45).flat_map(|row| vec![row; weights[row] as usize]).collect();
    repeated.sort_by_key(|row| (row * 17) % 45);
    let copies = data.picked(&repeated);
    let (first, second) =
        (Labels::from_integers(&data.labels), Labels::from_integers(&copies.labels));
    let weighted = parts(&data, &first, Some(&weights));
    let plain = parts(&copies, &second, None);
    for &fold in weighted.folds() {
        let mut own: Vec<usize> = weighted
            .rows(fold)
            .into_iter()
            .flat_map(|row| vec![row; weights[row] as usize])
            .collect();
        let mut theirs: Vec<usize> =
            plain.rows(fold).into_iter().map(|row| repeated[row]).collect();
        own.sort_unstable();
        theirs.sort_unstable();
        assert_eq!(own, theirs);
        let (a, b) = (weighted.without(fold).unwrap(), plain.without(fold).unwrap());
        assert_eq!(a.counts(), b.counts());
    }
}

#[test]
fn folds_do_not_know_units() {
    let data = three_classes(50, 4);
    let other = data.mapped(|column, value| [2.0, 0.5, 8.0, 1.0, 4.0, 16.0][column] * value + 1.0);
    let labels = Labels::from_integers(&data.labels);
    let (first, second) = (parts(&data, &labels, None), parts(&other, &labels, None));
    for &fold in first.folds() {
        assert_eq!(first.rows(fold), second.rows(fold));
    }
}

#[test]
fn small_classes_are_held_out_as_far_as_they_go() {
    let mut data = three_classes(60, 5);
    // Class 0 keeps 4 rows and class 1 only 2.
    let rows: Vec<usize> = (0..60)
        .filter(|&row| match data.labels[row] {
            0 => row < 12,
            1 => row < 6,
            _ => true,
        })
        .collect();
    data = data.picked(&rows);
    let labels = Labels::from_integers(&data.labels);
    let parts = parts(&data, &labels, None);
    let held: Vec<i64> = parts
        .folds()
        .iter()
        .flat_map(|&fold| parts.rows(fold))
        .map(|row| data.labels[row])
        .collect();
    assert_eq!(held.iter().filter(|class| **class == 0).count(), 4);
    assert_eq!(held.iter().filter(|class| **class == 1).count(), 0);
    for &fold in parts.folds() {
        assert!(parts.without(fold).unwrap().counts().iter().all(|count| *count >= 2));
    }
}

/// A table so wide beside its rows that one fit does not keep the sums of its folds.
fn wide_beside_its_rows() -> Data {
    wide(220, 150)
}

fn wide(rows: usize, columns: usize) -> Data {
    let mut state = 7_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f64 / f64::from(1 << 24) - 0.5
    };
    let value = |at: usize| uniform() * (1.0 + (at % columns) as f64 * ((at / columns) % 3) as f64);
    Data {
        values: (0..rows * columns).map(value).collect(),
        labels: (0..rows as i64).map(|row| row % 3).collect(),
        columns,
    }
}

#[test]
fn sums_that_are_made_again_give_the_bits_of_sums_that_are_kept() {
    let data = wide_beside_its_rows();
    let labels = Labels::from_integers(&data.labels);
    let weights: Vec<u64> = (0..data.rows() as u64).map(|row| row % 4).collect();
    for (method, weights) in [("sqfa-h", None), ("sqfa-h", Some(&weights[..])), ("lda", None)] {
        let points = Labeled { weights, ..Labeled::new(data.points(), &labels) };
        let pipeline = recipe(method, 2);
        let mut observer = |_: &sqfa::optimize::Progress| sqfa::optimize::Control::Continue;
        let alone = pipeline.fit(points, &mut observer).unwrap();
        let shared = Summed::new(points, pipeline.settings.seed).unwrap();
        let other = pipeline.fit(&shared, &mut observer).unwrap();
        assert_eq!(alone.filters(), other.filters(), "{method}");
    }
}

/// So wide that discriminants are found with one covariance for all classes, and every class is summed up once they are known.
#[test]
fn one_covariance_gives_the_discriminants_of_all_classes() {
    let mut data = wide(400, 300);
    // A constant column is set dropped, and others are in other units.
    for row in data.values.chunks_mut(300) {
        row[17] = 3.0;
        row[18] *= 1e4;
        row[19] += 2.0 * (row[20] + row[21]);
    }
    let labels = Labels::from_integers(&data.labels);
    let weights: Vec<u64> = (0..data.rows() as u64).map(|row| 1 + row % 2).collect();
    for weights in [None, Some(&weights[..])] {
        let points = Labeled { weights, ..Labeled::new(data.points(), &labels) };
        let pipeline = recipe("lda", 2);
        let mut observer = |_: &sqfa::optimize::Progress| sqfa::optimize::Control::Continue;
        let alone = pipeline.fit(points, &mut observer).unwrap();
        let shared = Summed::new(points, pipeline.settings.seed).unwrap();
        let other = pipeline.fit(&shared, &mut observer).unwrap();
        assert_eq!(alone.record.used, other.record.used);
        assert_eq!(alone.record.trials, other.record.trials);
        assert_eq!(alone.record.dropped, other.record.dropped);
        let (one, two) = (&alone.filters(), &other.filters());
        assert!((one - two).norm_max() < 1e-9 * two.norm_max());
        let entry = |fitted: &sqfa::pipeline::Fitted, class: usize| {
            fitted.features.covariances()[class].entries().unwrap().at(1, 0)
        };
        for class in 0..3 {
            let (one, two) = (entry(&alone, class), entry(&other, class));
            assert!((one - two).abs() < 1e-12 * (1.0 + two.abs()), "{one} {two}");
        }
    }
}

/// Points that are given up.
struct Given(Data);

impl ShrinkingPoints for Given {
    fn view(&self) -> Points<'_> {
        self.0.points()
    }
    fn swap_rows(&mut self, one: usize, other: usize) {
        let n = self.0.columns;
        (0..n).for_each(|at| self.0.values.swap(one * n + at, other * n + at));
    }
    fn keep_rows(&mut self, rows: usize) {
        self.0.values.truncate(rows * self.0.columns);
        self.0.labels.truncate(rows);
    }
}

/// With few columns and with many, whatever the method asks of its points; classes follow each other out of order.
#[test]
fn points_that_are_given_up_give_the_bits_of_those_that_stay() {
    let all: Vec<&str> = reducers().iter().map(|entry| entry.name).collect();
    let many = ["sqfa", "sqfa-h", "pca", "lda", "spca", "sqfa+refine"];
    let tables = [(&all[..], three_classes(120, 5)), (&many[..], wide(330, 280))];
    for (methods, data) in &tables {
        let labels = Labels::from_integers(&data.labels);
        for method in *methods {
            let mut pipeline = recipe(method, 2);
            pipeline.settings.stopping.max_iterations = 15;
            let counts = [Filters::Count(2), Filters::Auto { max: 2 }];
            let counts = if *method == "pca" { &counts[..] } else { &counts[..1] };
            for &filters in counts {
                pipeline.filters = filters;
                let mut observer = |_: &Progress| Control::Continue;
                let points = Labeled::new(data.points(), &labels);
                let stays = pipeline.fit(points, &mut observer).unwrap();
                let given = Given(data.picked(&(0..data.rows()).collect::<Vec<_>>()));
                let owned = sqfa::pipeline::Data::Owned(Box::new(given), &labels);
                let gone = pipeline.fit(owned, &mut observer).unwrap();
                assert_eq!(stays.filters(), gone.filters(), "{method}");
                assert_eq!(stays.record.used, gone.record.used, "{method}");
                assert_eq!(stays.mean, gone.mean, "{method}");
                assert_eq!(stays.record.dropped, gone.record.dropped, "{method}");
                let seen =
                    |fitted: &sqfa::pipeline::Fitted| fitted.gaussians().covariance(1).to_vec();
                assert_eq!(seen(&stays), seen(&gone), "{method}");
            }
        }
    }
}
