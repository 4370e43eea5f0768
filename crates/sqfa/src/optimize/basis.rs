//! An orthonormal basis of filters and steps, with the products of its vectors from all earlier
//! passes.
//!
//! Every vector is an orthonormal combination of vectors whose products a pass computed, so the
//! error of a pass is never magnified. Steps are kept as coordinates in the basis and made
//! independent there, in few dimensions. Cost: c·n·p·q multiplications to replace p vectors by q
//! combinations of them.

use crate::linalg::{
    Mat, MatRef, add_products, add_scaled, column_inner, inner, take_out, tall_times,
    transpose_times,
};
use crate::parallel;

/// Fraction of a unit vector outside the span of the preceding ones below which it counts as
/// dependent on them.
const DEPENDENT: f64 = 1e-7;

#[derive(Debug)]
pub(super) struct Basis {
    pub(super) vectors: Mat<f64>,
    pub(super) images: Vec<Mat<f64>>,
    /// The matrices UᵀΦU of the leading images.
    pub(super) forms: Vec<Mat<f64>>,
}

impl Basis {
    /// Creates a basis of orthonormal vectors and their images. The first `forms` images have
    /// forms.
    pub(super) fn new(vectors: Mat<f64>, images: Vec<Mat<f64>>, forms: usize) -> Self {
        let forms = parallel::map(&images[..forms], |image| {
            symmetric(&transpose_times(vectors.as_ref(), image.as_ref()))
        });
        Self { vectors, images, forms }
    }

    /// Returns an orthonormal basis of the part of a block that lies outside this span.
    pub(super) fn outside(&self, block: MatRef<'_, f64>) -> Mat<f64> {
        let mut rest = scaled_columns(block);
        for _ in 0..2 {
            take_out(rest.as_mut(), self.vectors.as_ref());
        }
        // The rest of a column is small if the column was inside the span, so it is compared with
        // the length of the column.
        independent(rest.as_ref(), false)
    }

    /// Adds orthonormal vectors from outside the span, with their images.
    pub(super) fn extend(&mut self, vectors: Mat<f64>, images: Vec<Mat<f64>>) {
        let (old, new) = (self.vectors.ncols(), vectors.ncols());
        let own = self.vectors.as_ref();
        let forms = self.forms.iter().zip(&self.images).zip(&images);
        self.forms = parallel::map(forms, |((form, kept), image)| {
            // The mean of both halves, as in the forms of a point, because a pass in single
            // precision is not exactly symmetric.
            let cross = transpose_times(own, image.as_ref());
            let other = transpose_times(vectors.as_ref(), kept.as_ref());
            let cross = |i: usize, j: usize| 0.5 * (cross[(i, j)] + other[(j, i)]);
            let square = transpose_times(vectors.as_ref(), image.as_ref());
            Mat::from_fn(old + new, old + new, |i, j| match (i < old, j < old) {
                (true, true) => form[(i, j)],
                (true, false) => cross(i, j - old),
                (false, true) => cross(j, i - old),
                (false, false) => 0.5 * (square[(i - old, j - old)] + square[(j - old, i - old)]),
            })
        });
        append(&mut self.vectors, vectors.as_ref());
        parallel::for_each(self.images.iter_mut().zip(&images), |(kept, image)| {
            append(kept, image.as_ref());
        });
    }

    /// Replaces the basis U by U·V, where V has orthonormal columns, and reserves memory for `room`
    /// further vectors.
    pub(super) fn turn(&mut self, turn: MatRef<'_, f64>, room: usize) {
        // The products are allocated by this thread and filled by others, because the allocator
        // reuses memory late if other threads allocate it.
        let empty = |rows: usize| {
            let mut product = Mat::with_capacity(rows, turn.ncols() + room);
            product.resize_with(rows, turn.ncols(), |_, _| 0.0);
            product
        };
        let blocks = std::iter::once(&mut self.vectors).chain(&mut self.images);
        let mut turned: Vec<(Mat<f64>, &mut Mat<f64>)> =
            blocks.map(|block| (empty(block.nrows()), block)).collect();
        parallel::for_each(&mut turned, |(product, block)| {
            add_products(product.as_mut(), &[(block.as_ref(), turn)]);
        });
        turned.into_iter().for_each(|(product, block)| *block = product);
        for form in &mut self.forms {
            let half = &*form * turn;
            *form = symmetric(&transpose_times(turn, half.as_ref()));
        }
    }

    /// Returns U·C and its images. If C has fewer rows than U has columns, the leading vectors are
    /// used.
    pub(super) fn combined(&self, coordinates: MatRef<'_, f64>) -> (Mat<f64>, Vec<Mat<f64>>) {
        let rows = coordinates.nrows();
        let block = tall_times(self.vectors.subcols(0, rows), coordinates);
        let images =
            parallel::map(&self.images, |image| tall_times(image.subcols(0, rows), coordinates));
        (block, images)
    }
}

/// Appends the columns of a block to those of another, within its reserved memory.
fn append(kept: &mut Mat<f64>, block: MatRef<'_, f64>) {
    let (old, new) = (kept.ncols(), block.ncols());
    kept.resize_with(block.nrows(), old + new, |_, _| 0.0);
    kept.as_mut().subcols_mut(old, new).copy_from(block);
}

/// Returns orthonormal columns with the span of the given ones, in order, without those that depend
/// on earlier ones.
///
/// If `scaled`, only the direction of a column matters. Otherwise its length counts as well: it is
/// the fraction of a unit vector that remains after a projection.
pub(super) fn independent(block: MatRef<'_, f64>, scaled: bool) -> Mat<f64> {
    let source = if scaled { scaled_columns(block) } else { block.to_owned() };
    let mut result = Mat::zeros(source.nrows(), source.ncols().min(source.nrows()));
    let mut kept = 0;
    for j in 0..source.ncols() {
        if kept == result.ncols() {
            break;
        }
        let (done, mut rest) = result.as_mut().split_at_col_mut(kept);
        let done = done.as_ref();
        let mut own = rest.as_mut().subcols_mut(0, 1);
        own.copy_from(source.subcols(j, 1));
        let before = inner(own.as_ref(), own.as_ref()).sqrt();
        // Two rounds remove round-off; the third is for columns of which very little remains.
        for _ in 0..3 {
            for k in 0..kept {
                let other = done.subcols(k, 1);
                let overlap = inner(other, own.as_ref());
                add_scaled(own.as_mut(), -overlap, other);
            }
        }
        let norm = inner(own.as_ref(), own.as_ref()).sqrt();
        if norm.is_finite() && norm > DEPENDENT && norm > DEPENDENT * before {
            own.as_mut().col_mut(0).iter_mut().for_each(|value| *value /= norm);
            kept += 1;
        }
    }
    result.subcols(0, kept).to_owned()
}

fn scaled_columns(block: MatRef<'_, f64>) -> Mat<f64> {
    let mut scaled = block.to_owned();
    for j in 0..scaled.ncols() {
        let norm = column_inner(scaled.as_ref(), scaled.as_ref(), j).sqrt();
        if norm > 0.0 {
            scaled.as_mut().col_mut(j).iter_mut().for_each(|value| *value /= norm);
        }
    }
    scaled
}

fn symmetric(matrix: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(matrix.nrows(), matrix.ncols(), |i, j| 0.5 * (matrix[(i, j)] + matrix[(j, i)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{beside, random};

    fn gap_to_identity(basis: &Mat<f64>) -> f64 {
        let gram = transpose_times(basis.as_ref(), basis.as_ref());
        let one = Mat::<f64>::identity(gram.nrows(), gram.ncols());
        (gram - one).norm_max()
    }

    #[test]
    fn columns_that_depend_on_earlier_ones_are_left_out() {
        let two = random(30, 2, 1, 0);
        // Lengths from 1e-9 to 1e9: a sum, a multiple and a zero among three independent columns.
        let other = random(30, 1, 1, 1);
        let block = Mat::from_fn(30, 6, |i, j| match j {
            0 => 1e-9 * two[(i, 0)],
            1 => 1e9 * two[(i, 1)],
            2 => two[(i, 0)] + two[(i, 1)],
            3 => -7.0 * two[(i, 0)],
            4 => 0.0,
            _ => other[(i, 0)],
        });
        let basis = independent(block.as_ref(), true);
        assert_eq!(basis.ncols(), 3);
        assert!(gap_to_identity(&basis) < 1e-14);
        // The block has no part outside the span.
        let inside = transpose_times(basis.as_ref(), block.as_ref());
        let rest = &block - &basis * &inside;
        for j in 0..6 {
            let length = column_inner(block.as_ref(), block.as_ref(), j).sqrt();
            assert!(column_inner(rest.as_ref(), rest.as_ref(), j).sqrt() <= 1e-14 * length);
        }
    }

    #[test]
    fn images_and_forms_follow_the_vectors() {
        let root = random(20, 20, 2, 0);
        let matrix = &root * root.transpose();
        let image = |vectors: &Mat<f64>| vec![&matrix * vectors];
        let first = independent(random(20, 3, 2, 1).as_ref(), true);
        let mut basis = Basis::new(first.clone(), image(&first), 1);
        // Two columns of the second block are in the span of the first, so three of five remain.
        let fresh = random(20, 3, 2, 2);
        let mixed = &first * random(3, 2, 2, 3);
        let fresh = basis.outside(beside(&[mixed.as_ref(), fresh.as_ref()]).as_ref());
        assert_eq!(fresh.ncols(), 3);
        let images = image(&fresh);
        basis.extend(fresh, images);
        assert!(gap_to_identity(&basis.vectors) < 1e-14);
        basis.turn(independent(random(6, 4, 2, 4).as_ref(), true).as_ref(), 2);
        assert!(gap_to_identity(&basis.vectors) < 1e-14);
        let scale = matrix.norm_max();
        assert!((&basis.images[0] - &matrix * &basis.vectors).norm_max() < 1e-13 * scale);
        let form = basis.vectors.transpose() * &matrix * &basis.vectors;
        assert!((&basis.forms[0] - form).norm_max() < 1e-13 * scale);
        let lead = random(2, 2, 2, 5);
        let (block, images) = basis.combined(lead.as_ref());
        assert!((&block - basis.vectors.subcols(0, 2) * &lead).norm_max() < 1e-13);
        assert!((&images[0] - &matrix * &block).norm_max() < 1e-13 * scale);
    }
}
