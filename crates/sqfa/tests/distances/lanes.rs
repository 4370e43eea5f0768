//! Eight pairs in one batch give what each pair gives alone.

use sqfa::distance::{pairwise, pairwise_between};

use crate::common::{Normal, assert_close, every_distance, set, stream};

/// The same formulas on the same numbers; only the count of Jacobi sweeps may differ, or the backend's
/// factorisations stand in for our own.
const AGREE: f64 = 1e-12;
/// Not a multiple of eight, so that the last batch of a row is padded.
const CLASSES: usize = 11;
/// Orders of one lane register, of odd remainders, and 49, where one-at-a-time begins.
const ORDERS: [usize; 7] = [1, 2, 8, 16, 33, 48, 49];

#[test]
fn eight_at_a_time_agree_with_one_by_one() {
    let mut rng = stream(31);
    for order in ORDERS {
        let normals: Vec<Normal> = (0..CLASSES).map(|_| Normal::random(order, &mut rng)).collect();
        let classes = set(&normals);
        // Two rows are enough where a row is slow.
        let rows = if order <= 16 { CLASSES } else { 2 };
        let first = set(&normals[..rows]);
        for case in every_distance() {
            let table = pairwise_between(&case.distance, &first, &classes).unwrap();
            assert_eq!((table.nrows(), table.ncols()), (rows, CLASSES));
            for i in 0..rows {
                for j in (0..CLASSES).filter(|&j| j != i) {
                    let alone = case.distance.evaluate(classes.get(i), classes.get(j), None);
                    let what = format!("{} of {i} and {j} at order {order}", case.name());
                    assert_close(table[(i, j)], alone, AGREE, &what);
                }
            }
        }
    }
}

#[test]
fn a_rectangle_of_distances_is_part_of_the_square() {
    let mut rng = stream(32);
    let normals: Vec<Normal> = (0..CLASSES).map(|_| Normal::random(3, &mut rng)).collect();
    let (rows, columns) = (set(&normals[..2]), set(&normals[1..]));
    for case in every_distance() {
        let square = pairwise(&case.distance, &set(&normals)).unwrap();
        let table = pairwise_between(&case.distance, &rows, &columns).unwrap();
        assert_eq!((table.nrows(), table.ncols()), (2, CLASSES - 1));
        for i in 0..2 {
            for j in 0..CLASSES - 1 {
                assert_close(table[(i, j)], square[(i, j + 1)], AGREE, case.name());
            }
        }
        assert_eq!(table[(1, 0)], 0.0, "{}: the same Gaussian in both sets", case.name());
    }
}

#[test]
fn a_batch_is_not_disturbed_by_an_extreme_neighbor() {
    let mut rng = stream(33);
    let mut normals: Vec<Normal> = (0..CLASSES).map(|_| Normal::random(4, &mut rng)).collect();
    normals[3].covariance.iter_mut().for_each(|value| *value *= 1e12);
    normals[6].covariance.iter_mut().for_each(|value| *value *= 1e-12);
    let classes = set(&normals);
    for case in every_distance() {
        let table = pairwise(&case.distance, &classes).unwrap();
        for j in [1, 2, 4, 5, 7, 10] {
            let alone = case.distance.evaluate(classes.get(0), classes.get(j), None);
            assert_close(table[(0, j)], alone, AGREE, case.name());
        }
    }
}
