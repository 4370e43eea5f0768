//! A radix-2 Fourier transform with the same bits on every processor.

use std::f64::consts::TAU;

/// Tables for transforms with a power of two as length.
#[derive(Debug, Clone)]
pub(super) struct Fourier {
    length: usize,
    cosines: Vec<f64>,
    sines: Vec<f64>,
    reversed: Vec<usize>,
}

impl Fourier {
    /// Prepares transforms of 2^`bits` numbers.
    pub(super) fn new(bits: u32) -> Self {
        let length = 1usize << bits;
        let angle = |k: usize| TAU * k as f64 / length as f64;
        let shift = usize::BITS - bits;
        Self {
            length,
            cosines: (0..length / 2).map(|k| angle(k).cos()).collect(),
            sines: (0..length / 2).map(|k| angle(k).sin()).collect(),
            reversed: (0..length)
                .map(|k| k.reverse_bits().checked_shr(shift).unwrap_or(0))
                .collect(),
        }
    }

    /// Computes Σⱼ xⱼ e^{−2πi jk/N} in place.
    pub(super) fn forward(&self, re: &mut [f64], im: &mut [f64]) {
        self.transform(re, im, -1.0);
    }

    /// Computes Σₖ xₖ e^{+2πi jk/N} in place, without the factor 1/N.
    pub(super) fn inverse(&self, re: &mut [f64], im: &mut [f64]) {
        self.transform(re, im, 1.0);
    }

    fn transform(&self, re: &mut [f64], im: &mut [f64], sign: f64) {
        let n = self.length;
        let (re, im) = (&mut re[..n], &mut im[..n]);
        for (k, &r) in self.reversed.iter().enumerate() {
            if k < r {
                re.swap(k, r);
                im.swap(k, r);
            }
        }
        let mut half = 1;
        while half < n {
            let step = n / (2 * half);
            for (re, im) in re.chunks_exact_mut(2 * half).zip(im.chunks_exact_mut(2 * half)) {
                let (re_low, re_high) = re.split_at_mut(half);
                let (im_low, im_high) = im.split_at_mut(half);
                for k in 0..half {
                    let (c, s) = (self.cosines[k * step], sign * self.sines[k * step]);
                    let turned_re = c * re_high[k] - s * im_high[k];
                    let turned_im = c * im_high[k] + s * re_high[k];
                    re_high[k] = re_low[k] - turned_re;
                    im_high[k] = im_low[k] - turned_im;
                    re_low[k] += turned_re;
                    im_low[k] += turned_im;
                }
            }
            half *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_the_definition_and_comes_back() {
        let n = 16;
        let fourier = Fourier::new(4);
        let x: Vec<f64> = (0..n).map(|j| ((j * j) as f64 * 0.37).sin()).collect();
        let y: Vec<f64> = (0..n).map(|j| (j as f64 * 1.7).cos()).collect();
        let (mut re, mut im) = (x.clone(), y.clone());
        fourier.forward(&mut re, &mut im);
        for k in 0..n {
            let (mut a, mut b) = (0.0, 0.0);
            for j in 0..n {
                let (s, c) = (-TAU * (j * k) as f64 / n as f64).sin_cos();
                a += x[j] * c - y[j] * s;
                b += x[j] * s + y[j] * c;
            }
            assert!((re[k] - a).abs() < 1e-12 && (im[k] - b).abs() < 1e-12);
        }
        fourier.inverse(&mut re, &mut im);
        for j in 0..n {
            assert!((re[j] / 16.0 - x[j]).abs() < 1e-14 && (im[j] / 16.0 - y[j]).abs() < 1e-14);
        }
    }
}
