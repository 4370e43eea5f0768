//! Seeded changes of JSON values and of bytes: keys lost, types turned, numbers at the ends of their range, pieces moved.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

/// Mutants of one kind unless the environment says otherwise.
const USUAL: u64 = 150;

/// Makes so many times the usual number of mutants and hands each to a check; a panic is told with its seed.
#[allow(clippy::print_stderr)] // the seed is what a failure is found again by
pub(crate) fn mutants(times: u64, mut check: impl FnMut(&mut Mutator)) {
    let number = |name: &str, usual| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (count, seed) = (times * number("SQFA_MUTANTS", USUAL), number("SQFA_SEED", 1));
    for at in 0..count {
        let mut mutator = Mutator::new(seed, at);
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(&mut mutator))) {
            eprintln!("mutant {at} of SQFA_SEED={seed}");
            resume_unwind(panic);
        }
    }
}

/// One mutant's own random numbers.
pub(crate) struct Mutator(ChaCha8Rng);

impl Mutator {
    pub(crate) fn new(seed: u64, mutant: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(mutant);
        Self(rng)
    }

    /// Heads or tails.
    pub(crate) fn chance(&mut self) -> bool {
        self.0.random()
    }

    /// A value with one to three of its parts changed.
    pub(crate) fn json(&mut self, value: &Value) -> Value {
        let mut mutant = value.clone();
        for _ in 0..self.0.random_range(1..=3) {
            let mut paths = Vec::new();
            collect(&mutant, String::new(), &mut paths);
            let path = paths[self.0.random_range(0..paths.len())].clone();
            self.change(&mut mutant, &path);
        }
        mutant
    }

    fn change(&mut self, value: &mut Value, path: &str) {
        let (parent, key) = path.rsplit_once('/').unwrap_or(("", path));
        if self.0.random_range(0..5) == 0 {
            // Lost.
            match value.pointer_mut(parent) {
                Some(Value::Object(fields)) => drop(fields.remove(key)),
                Some(Value::Array(values)) => {
                    let at = key.parse().unwrap_or(0);
                    if at < values.len() {
                        values.remove(at);
                    }
                }
                _ => {}
            }
            return;
        }
        let extreme = self.extreme();
        let Some(target) = value.pointer_mut(path) else { return };
        *target = match (target.take(), self.0.random_range(0..3)) {
            // A number near what stood there, so that it passes the first check.
            (Value::Number(number), 0) => match number.as_i64() {
                Some(whole) => json!(whole.wrapping_add(self.0.random_range(-2..=2))),
                None => json!(number.as_f64().unwrap_or(0.0) * -1e3),
            },
            (Value::String(text), 0) => json!(text.repeat(self.0.random_range(0..4))),
            (Value::Array(mut values), 0 | 1) => {
                if let Some(last) = values.last().cloned() {
                    values.extend(vec![last; self.0.random_range(1..40)]);
                }
                Value::Array(values)
            }
            _ => extreme,
        };
    }

    fn extreme(&mut self) -> Value {
        let all = [
            json!(null),
            json!(true),
            json!(0),
            json!(-1),
            json!(1),
            json!(u64::MAX),
            json!(i64::MIN),
            json!(1u64 << 53),
            json!(1e308),
            json!(-1e308),
            json!(5e-324),
            json!(1e-300),
            json!(""),
            json!("NaN"),
            json!("\u{1b}[31m</script>\u{0}"),
            json!("AAAA////AAAA"),
            json!([]),
            json!([[]]),
            json!({}),
            json!({"status": "done"}),
            json!([1, 2, 3]),
        ];
        all[self.0.random_range(0..all.len())].clone()
    }

    /// Bytes with one to three changes: a bit, a byte, a piece lost, doubled or moved.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut mutant = bytes.to_vec();
        for _ in 0..self.0.random_range(1..=3) {
            if mutant.is_empty() {
                break;
            }
            let at = self.0.random_range(0..mutant.len());
            let end = (at + self.0.random_range(1..64)).min(mutant.len());
            match self.0.random_range(0..6) {
                0 => mutant[at] ^= 1 << self.0.random_range(0..8),
                1 => mutant[at] = self.0.random(),
                2 => drop(mutant.drain(at..end)),
                3 => {
                    let piece = mutant[at..end].to_vec();
                    mutant.splice(at..at, piece);
                }
                4 => {
                    let piece: Vec<u8> = mutant.drain(at..end).collect();
                    let to = self.0.random_range(0..=mutant.len());
                    mutant.splice(to..to, piece);
                }
                _ => mutant.truncate(at),
            }
        }
        mutant
    }
}

/// The paths of all parts of a value, itself included.
fn collect(value: &Value, path: String, paths: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, own) in fields {
                let key = key.replace('~', "~0").replace('/', "~1");
                collect(own, format!("{path}/{key}"), paths);
            }
        }
        Value::Array(values) => {
            for (at, own) in values.iter().enumerate() {
                collect(own, format!("{path}/{at}"), paths);
            }
        }
        _ => {}
    }
    paths.push(path);
}
