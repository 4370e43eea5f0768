//! Level sets of numbers on a grid by marching squares.

/// The level set as one path; a point that is not finite separates its pieces.
///
/// `values[row * columns + column]` lies at (`x[column]`, `y[row]`); crossings are placed by straight lines.
pub(super) fn contour(values: &[f64], x: &[f64], y: &[f64], level: f64) -> Vec<(f64, f64)> {
    let columns = x.len();
    let value = |row: usize, column: usize| values[row * columns + column] - level;
    let mut path = Vec::new();
    for row in 0..y.len().saturating_sub(1) {
        for column in 0..columns.saturating_sub(1) {
            // Corners in order around the cell.
            let corners =
                [(row, column), (row, column + 1), (row + 1, column + 1), (row + 1, column)];
            let mut crossings = Vec::new();
            for at in 0..4 {
                let ((r, c), (s, d)) = (corners[at], corners[(at + 1) % 4]);
                let (a, b) = (value(r, c), value(s, d));
                if (a < 0.0) != (b < 0.0) {
                    let t = a / (a - b);
                    crossings.push((x[c] + t * (x[d] - x[c]), y[r] + t * (y[s] - y[r])));
                }
            }
            for pair in crossings.chunks_exact(2) {
                path.extend([pair[0], pair[1], (f64::NAN, f64::NAN)]);
            }
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_set_of_a_radius_is_a_circle() {
        let axis: Vec<f64> = (-20..=20).map(|step| f64::from(step) / 10.0).collect();
        let radius = |x: f64, y: f64| x.hypot(y);
        let values: Vec<f64> =
            axis.iter().flat_map(|&y| axis.iter().map(move |&x| radius(x, y))).collect();
        let path = contour(&values, &axis, &axis, 1.0);
        // A chord of a cell of 0.1 leaves the circle by less than 0.1²/8, twice for the interpolation.
        const CHORD: f64 = 2.0 * 0.1 * 0.1 / 4.0;
        let finite: Vec<_> = path.iter().filter(|point| point.0.is_finite()).collect();
        assert!(finite.len() > 80);
        assert!(finite.iter().all(|(x, y)| (radius(*x, *y) - 1.0).abs() < CHORD));
        assert!(contour(&values, &axis, &axis, 9.0).is_empty());
    }
}
