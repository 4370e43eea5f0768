//! Textures with statistics of natural images: overlapping discs of all sizes and a 1/f texture.
//!
//! Discs with a density of radii r⁻³ occlude each other ("dead leaves"), which leads to edges and a
//! scale-free spectrum. The Gaussian texture has an amplitude spectrum of 1/f. Both are added to
//! the log intensity.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::fft::Fourier;
use super::images::GrayImage;
use crate::datasets::matrix::normal;

/// The binary logarithms of width and height.
const WIDTH_BITS: u32 = 9;
const HEIGHT_BITS: u32 = 8;
/// The smallest and largest radius of the discs, in pixels.
const SMALLEST: f64 = 4.0;
const LARGEST: f64 = 150.0;
/// The standard deviation of the log intensity of discs.
const DISC_CONTRAST: f64 = 0.6;
/// The standard deviation of the log intensity of the texture.
const TEXTURE_CONTRAST: f64 = 0.3;
/// The largest number of discs. The few pixels that are then not covered belong to the background.
const MOST_DISCS: usize = 4000;

/// Returns a random texture.
pub(super) fn texture(rng: &mut ChaCha8Rng) -> GrayImage {
    let (height, width) = (1usize << HEIGHT_BITS, 1usize << WIDTH_BITS);
    let mut values = discs(rng, height, width);
    for (value, detail) in values.iter_mut().zip(pink(rng)) {
        *value = (*value + TEXTURE_CONTRAST * detail).exp();
    }
    GrayImage { height, width, values: values.into_iter().map(|value| value as f32).collect() }
}

/// Returns the log intensity of random discs. They are drawn from front to back, so the first disc
/// at a pixel is visible.
fn discs(rng: &mut ChaCha8Rng, height: usize, width: usize) -> Vec<f64> {
    let background = DISC_CONTRAST * normal(rng);
    let mut seen: Vec<Option<f64>> = vec![None; height * width];
    let mut uncovered = height * width;
    let (small, large) = (SMALLEST.powi(-2), LARGEST.powi(-2));
    for _ in 0..MOST_DISCS {
        let radius = (small + (large - small) * rng.random::<f64>()).powf(-0.5);
        let y = rng.random_range(-radius..height as f64 + radius);
        let x = rng.random_range(-radius..width as f64 + radius);
        let intensity = DISC_CONTRAST * normal(rng);
        // A cast of a negative number to an integer is 0, which is the border.
        let rows = (y - radius).ceil() as usize..((y + radius).ceil() as usize).min(height);
        for row in rows {
            let rise = row as f64 - y;
            let reach = (radius * radius - rise * rise).max(0.0).sqrt();
            let columns = (x - reach).ceil() as usize..((x + reach).ceil() as usize).min(width);
            if columns.start >= columns.end {
                continue;
            }
            for pixel in &mut seen[row * width..(row + 1) * width][columns] {
                if pixel.is_none() {
                    *pixel = Some(intensity);
                    uncovered -= 1;
                }
            }
        }
        if uncovered == 0 {
            break;
        }
    }
    seen.into_iter().map(|intensity| intensity.unwrap_or(background)).collect()
}

/// Returns Gaussian noise with a 1/f amplitude spectrum, mean 0 and standard deviation 1.
fn pink(rng: &mut ChaCha8Rng) -> Vec<f64> {
    let (height, width) = (1usize << HEIGHT_BITS, 1usize << WIDTH_BITS);
    // The real part of the transform of white noise in frequency space is real noise.
    let mut re: Vec<f64> = (0..height * width).map(|_| normal(rng)).collect();
    let mut im: Vec<f64> = (0..height * width).map(|_| normal(rng)).collect();
    for row in 0..height {
        for column in 0..width {
            let fy = row.min(height - row) as f64 / height as f64;
            let fx = column.min(width - column) as f64 / width as f64;
            let frequency = fy.hypot(fx);
            let amplitude = if frequency > 0.0 { 1.0 / frequency } else { 0.0 };
            re[row * width + column] *= amplitude;
            im[row * width + column] *= amplitude;
        }
    }
    let along_rows = Fourier::new(WIDTH_BITS);
    for (re, im) in re.chunks_exact_mut(width).zip(im.chunks_exact_mut(width)) {
        along_rows.inverse(re, im);
    }
    let along_columns = Fourier::new(HEIGHT_BITS);
    let (mut column_re, mut column_im) = (vec![0.0; height], vec![0.0; height]);
    for column in 0..width {
        for row in 0..height {
            column_re[row] = re[row * width + column];
            column_im[row] = im[row * width + column];
        }
        along_columns.inverse(&mut column_re, &mut column_im);
        for row in 0..height {
            re[row * width + column] = column_re[row];
        }
    }
    let power = re.iter().map(|value| value * value).sum::<f64>() / re.len() as f64;
    let scale = 1.0 / power.sqrt();
    re.iter_mut().for_each(|value| *value *= scale);
    re
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::matrix::stream;

    #[test]
    fn neighbors_are_alike_and_distant_pixels_are_not() {
        let image = texture(&mut stream(5, 0));
        let log: Vec<f64> = image.values.iter().map(|&value| f64::from(value).ln()).collect();
        let mean = log.iter().sum::<f64>() / log.len() as f64;
        let product = |lag: usize| {
            let rows = log.chunks_exact(image.width);
            rows.flat_map(|row| row.iter().zip(&row[lag..]).map(|(a, b)| (a - mean) * (b - mean)))
                .sum::<f64>()
                / ((image.width - lag) * image.height) as f64
        };
        assert!(product(1) > 0.8 * product(0));
        assert!(product(128) < 0.5 * product(0));
        assert!(image.values.iter().all(|value| value.is_finite() && *value > 0.0));
    }
}
