//! The pairs of classes that an objective uses: all pairs or, if there are very many classes, a
//! random sample.
//!
//! In a sample, every class occurs in the same number of pairs. The classes are placed on a circle
//! in random order, and each is paired with the classes at d randomly drawn distances along the
//! circle. This gives c·d distinct pairs, 2d for each class. Cost: O(c·d).

use std::str::FromStr;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;

/// The pairs of classes that the objective uses during optimization. The reported objective always
/// uses all pairs.
///
/// # Examples
///
/// ```
/// use sqfa::distance::Pairs;
///
/// assert_eq!("auto".parse(), Ok(Pairs::Auto));
/// assert_eq!("5000".parse(), Ok(Pairs::Count(5000)));
/// assert!("none".parse::<Pairs>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pairs {
    /// All pairs if there are at most 60 000 (346 classes), otherwise about 60 000.
    #[default]
    Auto,
    /// All pairs.
    All,
    /// About this many pairs, with the same number for every class, or all pairs if there are not
    /// more.
    Count(usize),
}

/// Number of pairs beyond which a sample is drawn, and about the size of the sample. With 1000
/// classes, it reaches 99.9 % of the objective that all pairs reach.
const ENOUGH: usize = 60_000;

/// The stream of the random generator that pairs are drawn from, which no other part of a fit uses.
const STREAM: u64 = u64::MAX - 7;

impl FromStr for Pairs {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse()) {
            ("auto", _) => Ok(Self::Auto),
            ("all", _) => Ok(Self::All),
            (_, Ok(count)) if count > 0 => Ok(Self::Count(count)),
            _ => Err(format!(
                "'{text}' is not a number of pairs: give auto, all or a whole number above 0"
            )),
        }
    }
}

impl Pairs {
    /// Returns the drawn pairs in ascending order, or `None` if all pairs are used.
    pub(crate) fn drawn(self, classes: usize, seed: u64) -> Option<Vec<(u32, u32)>> {
        let wanted = match self {
            Self::All => return None,
            Self::Auto => ENOUGH,
            Self::Count(count) => count,
        };
        let all = classes * classes.saturating_sub(1) / 2;
        if wanted >= all {
            return None;
        }
        // The distances 1 … ⌊(c−1)/2⌋ along the circle give c distinct pairs each. At c/2 every
        // pair would occur twice.
        let distances = (classes - 1) / 2;
        let count = wanted.div_ceil(classes).clamp(1, distances.max(1));
        let mut generator = ChaCha12Rng::seed_from_u64(seed);
        generator.set_stream(STREAM);
        let mut circle: Vec<u32> = (0..classes as u32).collect();
        circle.shuffle(&mut generator);
        let mut apart: Vec<usize> = (1..=distances).collect();
        apart.shuffle(&mut generator);
        let mut pairs = Vec::with_capacity(count * classes);
        for &distance in &apart[..count.min(apart.len())] {
            for at in 0..classes {
                let (a, b) = (circle[at], circle[(at + distance) % classes]);
                pairs.push((a.min(b), a.max(b)));
            }
        }
        pairs.sort_unstable();
        Some(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_meets_equally_many_and_none_twice() {
        for (classes, wanted, each) in [(40, 100, 6), (41, 41, 2), (1000, 20_000, 40), (7, 1, 2)] {
            let pairs = Pairs::Count(wanted).drawn(classes, 3).unwrap();
            assert_eq!(pairs.len(), classes * each / 2);
            let mut met = vec![0; classes];
            for &(a, b) in &pairs {
                assert!(a < b && (b as usize) < classes);
                met[a as usize] += 1;
                met[b as usize] += 1;
            }
            assert!(met.iter().all(|&met| met == each));
            assert!(pairs.windows(2).all(|pair| pair[0] < pair[1]));
            assert_eq!(pairs, Pairs::Count(wanted).drawn(classes, 3).unwrap());
            assert_ne!(pairs, Pairs::Count(wanted).drawn(classes, 4).unwrap());
        }
    }

    #[test]
    fn all_pairs_are_drawn_where_they_are_few() {
        for pairs in [Pairs::Auto, Pairs::All, Pairs::Count(19_900)] {
            assert!(pairs.drawn(200, 0).is_none());
        }
        assert!(Pairs::Auto.drawn(346, 0).is_none() && Pairs::Auto.drawn(347, 0).is_some());
        assert!(Pairs::Count(1).drawn(2, 0).is_none());
    }
}
