//! Nonlinear feature maps: kernels, scaling, serialization of parts, precision, threads and rejected input.

#![allow(clippy::unwrap_used)]

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use sqfa::lift::{Lift, LiftError, LiftKind, LiftParts, LiftRecipe};
use sqfa::{Points, Table};

/// Tolerance for sums of a few hundred products in double precision.
const ROUNDING: f64 = 1e-10;

fn normals(count: usize, seed: u64) -> Vec<f64> {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| StandardNormal.sample(&mut generator)).collect()
}

fn table(values: &[f64], columns: usize) -> Points<'_> {
    Points::F64(Table::row_major(values, values.len() / columns, columns).unwrap())
}

fn recipe(kind: &str) -> LiftRecipe {
    LiftRecipe { kind: kind.parse().unwrap(), bandwidth: None, seed: 3 }
}

fn mapped(lift: &Lift, values: &[f64]) -> Vec<Vec<f64>> {
    let features = lift.apply(table(values, lift.columns())).unwrap().to_f64();
    features.chunks(lift.dimension()).map(<[f64]>::to_vec).collect()
}

/// Returns the columns as a map scales them.
fn scaled(lift: &Lift, values: &[f64]) -> Vec<Vec<f64>> {
    let LiftParts { offset, factors, .. } = lift.parts();
    let scale = |(j, value): (usize, &f64)| (value - offset[j]) * factors[j];
    values.chunks(lift.columns()).map(|row| row.iter().enumerate().map(scale).collect()).collect()
}

fn product(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn kernel(x: &[f64], y: &[f64]) -> f64 {
    let square: f64 = x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum();
    (-0.5 * square).exp()
}

#[test]
fn quadratic_features_are_the_columns_and_their_products_in_standard_units() {
    let values = normals(3 * 200, 1);
    let lift = recipe("quadratic").fit(table(&values, 3)).unwrap();
    assert_eq!((lift.columns(), lift.dimension()), (3, 9));
    for (row, z) in mapped(&lift, &values).iter().zip(scaled(&lift, &values)) {
        let expected = [
            z[0],
            z[1],
            z[2],
            z[0] * z[0],
            z[0] * z[1],
            z[0] * z[2],
            z[1] * z[1],
            z[1] * z[2],
            z[2] * z[2],
        ];
        assert!(row.iter().zip(expected).all(|(x, y)| (x - y).abs() < ROUNDING));
    }
    // Every column has mean 0 and variance 1.
    let all = mapped(&lift, &values);
    for j in 0..3 {
        let mean: f64 = all.iter().map(|row| row[j]).sum::<f64>() / 200.0;
        let square: f64 = all.iter().map(|row| row[j] * row[j]).sum::<f64>() / 200.0;
        assert!(mean.abs() < ROUNDING && (square - 1.0).abs() < ROUNDING);
    }
}

#[test]
fn nystroem_features_have_the_kernel_of_the_kept_points_exactly() {
    let values = normals(4 * 60, 2);
    let lift = recipe("nystroem:20").fit(table(&values, 4)).unwrap();
    assert_eq!(lift.dimension(), 20);
    let (features, z) = (mapped(&lift, &values), scaled(&lift, &values));
    let anchors: Vec<&[f64]> = lift.parts().anchors.chunks(4).collect();
    let kept: Vec<usize> = anchors
        .iter()
        .map(|anchor| z.iter().position(|row| kernel(row, anchor) > 1.0 - 1e-12).unwrap())
        .collect();
    for &i in &kept {
        for j in 0..60 {
            let gap = product(&features[i], &features[j]) - kernel(&z[i], &z[j]);
            assert!(gap.abs() < 1e-8, "{i} {j}: {gap:e}");
        }
    }
    // At other samples, the kernel of a sample with itself is never larger for the features than the true kernel.
    assert!(features.iter().all(|row| product(row, row) < 1.0 + 1e-8));
    // If all samples are kept, the features have exactly the kernel.
    let all = recipe("nystroem:60").fit(table(&values, 4)).unwrap();
    let (features, z) = (mapped(&all, &values), scaled(&all, &values));
    let gap = |i: usize, j: usize| product(&features[i], &features[j]) - kernel(&z[i], &z[j]);
    // Tolerance for the small eigenvalues that are dropped.
    assert!((0..60).all(|i| (0..60).all(|j| gap(i, j).abs() < 1e-4)));
}

#[test]
fn fourier_features_have_the_kernel_on_average() {
    let values = normals(3 * 30, 4);
    let count = 20_000;
    let lift = recipe(&format!("fourier:{count}")).fit(table(&values, 3)).unwrap();
    let (features, z) = (mapped(&lift, &values), scaled(&lift, &values));
    // Tolerance of five standard deviations of a mean of this many terms with variance at most 1.
    let allowed = 5.0 / (count as f64).sqrt();
    for i in 0..30 {
        for j in 0..30 {
            let gap = product(&features[i], &features[j]) - kernel(&z[i], &z[j]);
            assert!(gap.abs() < allowed, "{i} {j}: {gap}");
        }
    }
}

#[test]
fn the_default_bandwidth_is_the_median_distance_of_scaled_columns() {
    let values = normals(2 * 101, 5);
    let lift = recipe("nystroem:5").fit(table(&values, 2)).unwrap();
    let width = lift.parts().bandwidth;
    let z: Vec<Vec<f64>> = scaled(&lift, &values)
        .into_iter()
        .map(|row| row.iter().map(|x| x * width).collect())
        .collect();
    let mut distances: Vec<f64> = (0..101)
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .map(|(i, j)| (-2.0 * kernel(&z[i], &z[j]).ln()).sqrt())
        .collect();
    distances.sort_by(f64::total_cmp);
    assert!((width - distances[distances.len() / 2]).abs() < 1e-6);
    let given = LiftRecipe { bandwidth: Some(2.0 * width), ..recipe("nystroem:5") };
    let wider = given.fit(table(&values, 2)).unwrap();
    let ratio = wider.parts().factors[0] / lift.parts().factors[0];
    assert!((ratio - 0.5).abs() < ROUNDING);
}

#[test]
fn features_do_not_depend_on_units_or_constant_columns() {
    let plain = normals(3 * 80, 6);
    let other: Vec<f64> = plain
        .chunks(3)
        .flat_map(|row| [1e6 * row[0] + 5.0, 7.0, 1e-3 * row[1], row[2] - 100.0])
        .collect();
    for kind in ["quadratic", "nystroem:10", "fourier:10"] {
        let lift = recipe(kind).fit(table(&plain, 3)).unwrap();
        let again = recipe(kind).fit(table(&other, 4)).unwrap();
        assert_eq!(again.parts().factors[1], 0.0);
        if kind == "nystroem:10" {
            let gap = mapped(&lift, &plain)
                .concat()
                .iter()
                .zip(mapped(&again, &other).concat())
                .fold(0.0_f64, |gap, (x, y)| gap.max((x - y).abs()));
            assert!(gap < 1e-6, "{gap:e}");
        }
        assert!(mapped(&again, &other).concat().iter().all(|value| value.is_finite()));
    }
}

#[test]
fn single_precision_and_bytes_give_single_precision_close_to_double() {
    let bytes: Vec<u8> = normals(5 * 64, 7).iter().map(|x| (128.0 + 30.0 * x) as u8).collect();
    let doubles: Vec<f64> = bytes.iter().map(|&x| f64::from(x)).collect();
    for kind in ["quadratic", "fourier:12", "nystroem:12"] {
        let lift = recipe(kind).fit(table(&doubles, 5)).unwrap();
        let of_bytes = Points::U8(Table::row_major(&bytes, 64, 5).unwrap());
        assert_eq!(recipe(kind).fit(of_bytes).unwrap(), lift);
        let single = lift.apply(of_bytes).unwrap();
        assert!(matches!(single, sqfa::transform::Features::F32(_)));
        let exact = lift.apply(table(&doubles, 5)).unwrap().to_f64();
        let gap =
            single.to_f64().iter().zip(&exact).fold(0.0_f64, |gap, (x, y)| gap.max((x - y).abs()));
        assert!(gap < 1e-4, "{kind}: {gap:e}");
    }
}

#[test]
fn maps_are_restored_from_parts_and_bits_do_not_depend_on_threads() {
    let values = normals(6 * 700, 8);
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    for kind in ["quadratic", "fourier:33", "nystroem:33"] {
        let fit = || recipe(kind).fit(table(&values, 6)).unwrap();
        let lift = pool(1).install(fit);
        assert_eq!(lift, pool(3).install(fit));
        let again = Lift::from_parts(lift.parts().clone()).unwrap();
        let apply = || mapped(&again, &values);
        assert_eq!(mapped(&lift, &values), pool(3).install(apply));
    }
    let other = LiftRecipe { seed: 4, ..recipe("fourier:33") }.fit(table(&values, 6)).unwrap();
    assert_ne!(other, recipe("fourier:33").fit(table(&values, 6)).unwrap());
}

#[test]
fn invalid_recipes_are_rejected_with_a_remedy() {
    let values = normals(2 * 10, 9);
    let fit = |recipe: LiftRecipe| recipe.fit(table(&values, 2)).unwrap_err().to_string();
    assert!(fit(recipe("nystroem:11")).contains("there are only 10: use at most nystroem:10"));
    assert!(
        fit(recipe("nystroem:9000"))
            .contains("8192 is the largest supported: use fewer features, or fourier:9000")
    );
    for bandwidth in [0.0, -1.0, f64::NAN] {
        let error = fit(LiftRecipe { bandwidth: Some(bandwidth), ..recipe("fourier:5") });
        assert!(error.contains("above 0"), "{error}");
    }
    let same = [1.0; 20];
    let error = recipe("fourier:5").fit(table(&same, 2)).unwrap_err();
    assert_eq!(error, LiftError::NoSpread { points: 10 });
    let mut bad = values.clone();
    bad[7] = f64::NAN;
    assert!(
        recipe("quadratic")
            .fit(table(&bad, 2))
            .unwrap_err()
            .to_string()
            .contains("row 3, column 1")
    );
    let lift = recipe("quadratic").fit(table(&values, 2)).unwrap();
    assert_eq!(
        lift.apply(table(&values, 4)).unwrap_err(),
        LiftError::Columns { expected: 2, found: 4 }
    );
    for text in ["cubic", "fourier", "fourier:0", "nystroem:many", "quadratic:3"] {
        assert!(text.parse::<LiftKind>().is_err(), "{text}");
    }
    assert!("nystrom:3".parse::<LiftKind>().unwrap_err().to_string().contains("nystroem"));
    assert_eq!(LiftKind::Quadratic.dimension(usize::MAX), None);
    assert_eq!("nystroem:7".parse::<LiftKind>().unwrap().to_string(), "nystroem:7");
}

#[test]
fn inconsistent_parts_are_rejected() {
    let values = normals(2 * 10, 10);
    let sound = recipe("nystroem:4").fit(table(&values, 2)).unwrap().parts().clone();
    let spoil: [fn(&mut LiftParts); 6] = [
        |parts| parts.offset.clear(),
        |parts| parts.anchors.truncate(3),
        |parts| parts.whitening.clear(),
        |parts| parts.whitening.truncate(3),
        |parts| parts.phases.push(0.0),
        |parts| parts.factors[0] = f64::INFINITY,
    ];
    for spoil in spoil {
        let mut parts = sound.clone();
        spoil(&mut parts);
        assert!(matches!(Lift::from_parts(parts), Err(LiftError::Parts { .. })));
    }
}
