//! Class statistics of batches. One thread reads the next batch while the others accumulate, and
//! files are merged one by one.
//!
//! The size of a batch depends only on the number of features, so the result has the same bits for
//! any number of threads.

use std::sync::mpsc::sync_channel;

use sqfa::Classes;
use sqfa::labels::LabelError;
use sqfa::statistics::{ClassAccumulator, StatisticsError};

use super::super::DataError;
use super::super::load::IDS;
use super::{Batch, BatchReader};
use crate::formats::{FormatError, Note};

/// The number of values per batch. It is large enough for whole blocks of every class, and small
/// enough that three batches fit into memory.
const NUMBERS: usize = 6 << 20;
/// The smallest number of samples per batch, for any number of features.
const FEWEST: usize = 512;
/// The smallest number of samples per batch for sketches, whose bits do not depend on batches.
const FEWEST_SKETCHED: usize = 32;

/// The progress of an accumulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summing {
    /// The number of samples so far.
    pub rows: u64,
    /// The total number of samples, if known.
    pub total: Option<u64>,
}

/// Accumulated class statistics of one or several files.
#[derive(Debug, Default)]
pub struct Summed {
    sums: Option<ClassAccumulator>,
    /// The name of the first file.
    first: String,
    image: Option<(usize, usize)>,
    /// The names of the columns. Empty if they have none.
    columns: Vec<String>,
    /// The label column of the tables, if known.
    label: Option<String>,
    notes: Vec<Note>,
    /// The number of bytes that class statistics may use.
    memory: Option<u64>,
    /// The number of rows of sketches, or `None` for covariances with all entries.
    sketch: Option<usize>,
}

impl Summed {
    /// Returns empty statistics that may use a number of bytes, or any number with `None`.
    pub fn within(memory: Option<u64>) -> Self {
        Self { memory, ..Self::default() }
    }

    /// Selects sketches with a number of rows instead of covariances with all entries.
    pub fn sketched(self, sketch: Option<usize>) -> Self {
        Self { sketch, ..self }
    }

    /// Merges the statistics of another file.
    ///
    /// # Errors
    ///
    /// If the type of the labels or the number of features differs.
    pub fn join(&mut self, sums: ClassAccumulator, place: &str) -> Result<(), DataError> {
        self.join_named(sums, &[], place)
    }

    /// Merges statistics with named columns.
    ///
    /// # Errors
    ///
    /// If the names differ from those of the previous files, or if the type of the labels or the
    /// number of features differs.
    pub fn join_named(
        &mut self,
        sums: ClassAccumulator,
        columns: &[String],
        place: &str,
    ) -> Result<(), DataError> {
        if self.columns.is_empty() {
            self.columns = columns.to_vec();
        } else if !columns.is_empty() && columns.len() == self.columns.len() {
            let pairs = self.columns.iter().zip(columns).enumerate();
            if let Some((at, (mine, other))) = pairs.into_iter().find(|(_, (a, b))| a != b) {
                return Err(DataError::FileColumns {
                    place: place.to_owned(),
                    other: self.first.clone(),
                    difference: format!("column {} is '{other}' here and '{mine}' there", at + 1),
                });
            }
        }
        let Some(mine) = self.sums.take() else {
            self.first = place.to_owned();
            self.sums = Some(sums);
            return Ok(());
        };
        let (kind, other) = (kind_of(sums.classes()), kind_of(mine.classes()));
        let example = example(sums.classes(), mine.classes());
        let Some((mine, sums)) = of_one_type(mine, sums) else {
            return Err(DataError::LabelTypes {
                place: place.to_owned(),
                found: kind,
                example,
                other: self.first.clone(),
                expected: other,
            });
        };
        let mine = self.sums.insert(mine);
        if sums.dimension() != mine.dimension() {
            return Err(DataError::FileDimensions {
                place: place.to_owned(),
                found: sums.dimension(),
                other: self.first.clone(),
                expected: mine.dimension(),
            });
        }
        let fail = |source| DataError::Sums { place: place.to_owned(), source };
        let mut sums = sums;
        let all = union(mine.classes(), sums.classes());
        if *mine.classes() != all {
            mine.widen(all.clone()).map_err(fail)?;
        }
        if *sums.classes() != all {
            sums.widen(all).map_err(fail)?;
        }
        mine.merge(&sums).map_err(fail)
    }

    /// Accumulates all batches of a file while `go_on` returns true. Returns whether all were
    /// accumulated.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or does not match the previous files, or if the statistics need
    /// too much memory.
    pub fn add(
        &mut self,
        reader: Box<dyn BatchReader>,
        go_on: &mut dyn FnMut(Summing) -> bool,
    ) -> Result<bool, DataError> {
        let place = reader.place().to_owned();
        let image = reader.image_shape();
        let columns = reader.names().to_vec();
        let mut reader = reader;
        let Some(sums) = sum_reader(&mut *reader, self.memory, self.sketch, go_on)? else {
            return Ok(false);
        };
        self.notes.extend(reader.notes());
        self.label = self.label.take().or_else(|| reader.label().map(str::to_owned));
        if self.sums.is_none() {
            self.image = image;
        }
        self.join_named(sums, &columns, &place)?;
        Ok(true)
    }

    /// Returns the label column of the tables by name, or by position if they have no names.
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// Sets the label column of statistics that were read from a file, unless it is known.
    pub fn know_label(&mut self, label: Option<String>) {
        self.label = self.label.take().or(label);
    }

    /// Returns the names of the columns, or an empty slice if they have none.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Returns the notes of the readers since the last call.
    pub fn take_notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.notes)
    }

    /// Returns the height and width of the samples of the first file, if they are images.
    pub fn image_shape(&self) -> Option<(usize, usize)> {
        self.image
    }

    /// Returns the class statistics of all files.
    ///
    /// # Errors
    ///
    /// If nothing was added, or if all weights are 0.
    pub fn finish(self) -> Result<ClassAccumulator, DataError> {
        let sums = self.sums.ok_or_else(|| DataError::content("DATA", "it contains no samples"))?;
        if sums.counts().iter().all(|&count| count == 0) {
            let problem = "the weights of all samples are 0, so no samples are left";
            return Err(DataError::content(&self.first, problem));
        }
        let counts = sums.counts();
        if counts.len() >= IDS && counts.iter().all(|&count| count == 1) {
            return Err(DataError::AllDifferent { place: self.first, count: counts.len() });
        }
        Ok(sums)
    }
}

/// Accumulates all batches of a file. Returns `None` if `go_on` returned false.
///
/// # Errors
///
/// If the file cannot be read, or if the statistics need too much memory.
pub fn sum_batches(
    mut reader: Box<dyn BatchReader>,
    go_on: &mut dyn FnMut(Summing) -> bool,
) -> Result<Option<ClassAccumulator>, DataError> {
    sum_reader(&mut *reader, None, None, go_on)
}

fn sum_reader(
    reader: &mut dyn BatchReader,
    memory: Option<u64>,
    sketch: Option<usize>,
    go_on: &mut dyn FnMut(Summing) -> bool,
) -> Result<Option<ClassAccumulator>, DataError> {
    let place = reader.place().to_owned();
    let (columns, total) = (reader.columns(), reader.rows());
    let fewest = if sketch.is_some() { FEWEST_SKETCHED } else { FEWEST };
    let rows = (NUMBERS / columns.max(1)).max(fewest);
    // One batch waits while another is read and a third is accumulated.
    let (sender, receiver) = sync_channel::<Result<Batch, DataError>>(1);
    std::thread::scope(|scope| {
        let read = move || {
            loop {
                let message = match reader.next_batch(rows) {
                    Ok(Some(batch)) => Ok(batch),
                    Ok(None) => return,
                    Err(error) => Err(error),
                };
                let failed = message.is_err();
                // The receiver no longer exists after an error or a stop.
                if sender.send(message).is_err() || failed {
                    return;
                }
            }
        };
        std::thread::Builder::new().spawn_scoped(scope, read).map_err(|source| {
            FormatError::Io { place: place.clone(), action: "start a thread to read", source }
        })?;
        let mut sums: Option<ClassAccumulator> = None;
        let mut seen = 0;
        for batch in receiver {
            let batch = batch?;
            let own = batch.labels.classes();
            let classes = sums.as_ref().map_or(own.len(), |sums| union(sums.classes(), own).len());
            let needed = bytes(classes, columns, sketch);
            if let Some(memory) = memory.filter(|&memory| needed > u128::from(memory)) {
                let place = place.clone();
                return Err(DataError::SumsTooLarge { place, classes, columns, needed, memory });
            }
            let fail = |error| DataError::Sums { place: place.clone(), source: moved(error, seen) };
            let mut so_far = match sums.take() {
                Some(sums) => sums,
                None => empty(batch.labels.classes().clone(), columns, sketch).map_err(fail)?,
            };
            let mut asked = || go_on(Summing { rows: seen, total });
            let added = add(&mut so_far, &batch, &mut asked).map_err(fail)?;
            sums = Some(so_far);
            if !added {
                return Ok(None);
            }
            seen += batch.points.rows() as u64;
            if !go_on(Summing { rows: seen, total }) {
                return Ok(None);
            }
        }
        let sums = sums.ok_or_else(|| DataError::content(&place, "it contains no samples"))?;
        Ok(Some(sums.with_integer_classes()))
    })
}

/// Returns the memory of class statistics: one triangle of entries per class, or the rows of
/// sketches, of which one is combined at a time.
fn bytes(classes: usize, columns: usize, sketch: Option<usize>) -> u128 {
    let (classes, columns) = (classes as u128, columns as u128);
    match sketch {
        None => 8 * classes * (columns * (columns + 1) / 2),
        Some(size) => 8 * columns * (classes * (3 * size as u128 / 2 + 2) + size as u128),
    }
}

fn empty(
    classes: Classes,
    columns: usize,
    sketch: Option<usize>,
) -> Result<ClassAccumulator, StatisticsError> {
    match sketch {
        None => Ok(ClassAccumulator::new(classes, columns)),
        Some(size) => ClassAccumulator::sketched(classes, columns, size),
    }
}

fn add(
    sums: &mut ClassAccumulator,
    batch: &Batch,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<bool, StatisticsError> {
    let all = union(sums.classes(), batch.labels.classes());
    if *sums.classes() != all {
        sums.widen(all)?;
    }
    sums.update_while(batch.points.view(), &batch.labels, batch.weights.as_deref(), go_on)
}

/// Converts a row number of a batch to one of the file.
fn moved(error: StatisticsError, first: u64) -> StatisticsError {
    let first = first as usize;
    match error {
        StatisticsError::NotFinite { row, column, value } => {
            StatisticsError::NotFinite { row: row + first, column, value }
        }
        StatisticsError::Label(LabelError::Unknown { row, label, classes }) => {
            LabelError::Unknown { row: row + first, label, classes }.into()
        }
        other => other,
    }
}

pub(in super::super) fn kind_of(classes: &Classes) -> &'static str {
    match classes {
        Classes::Integers(_) => "whole numbers",
        Classes::Texts(_) => "text",
    }
}

/// Converts the classes of both statistics to one type. Texts that are all numbers are joined with
/// numbers.
fn of_one_type(
    first: ClassAccumulator,
    second: ClassAccumulator,
) -> Option<(ClassAccumulator, ClassAccumulator)> {
    match (first.classes().clone(), second.classes().clone()) {
        (texts @ Classes::Texts(_), Classes::Integers(_)) => {
            Some((first, second.named_as(&texts)?))
        }
        (Classes::Integers(_), texts @ Classes::Texts(_)) => {
            Some((first.named_as(&texts)?, second))
        }
        _ => Some((first, second)),
    }
}

/// Returns a label that shows why the first set is text: one that is not a number, if it exists.
fn example(classes: &Classes, other: &Classes) -> String {
    let words = match classes {
        Classes::Texts(texts) => texts.iter().find(|text| text.trim().parse::<i64>().is_err()),
        Classes::Integers(_) => None,
    };
    let any = || classes.iter().chain(other.iter()).next().map(|label| label.to_string());
    words.cloned().or_else(any).unwrap_or_default()
}

/// Returns the sorted union of two sets of classes with the same type, or the first set if the
/// types differ.
pub(in super::super) fn union(first: &Classes, second: &Classes) -> Classes {
    fn joined<T: Ord + Clone>(a: &[T], b: &[T]) -> Vec<T> {
        let all: std::collections::BTreeSet<&T> = a.iter().chain(b).collect();
        all.into_iter().cloned().collect()
    }
    match (first, second) {
        (Classes::Integers(a), Classes::Integers(b)) => Classes::Integers(joined(a, b)),
        (Classes::Texts(a), Classes::Texts(b)) => Classes::Texts(joined(a, b)),
        _ => first.clone(),
    }
}
