//! Class sums of batches: one thread reads ahead while the others add, and files join one by one.
//!
//! The size of a batch depends only on the dimension, so the sums have the same bits at any thread count.

use std::sync::mpsc::sync_channel;

use sqfa::Classes;
use sqfa::labels::LabelError;
use sqfa::statistics::{ClassAccumulator, StatisticsError};

use super::super::DataError;
use super::super::load::IDS;
use super::{Batch, BatchReader};
use crate::formats::{FormatError, Note};

/// Numbers of one batch: large enough for whole blocks of every class, small enough that three fit anywhere.
const NUMBERS: usize = 6 << 20;
/// Batches hold at least this many points, however many dimensions they have.
const FEWEST: usize = 512;
/// The same for sketches, whose bits do not depend on batches.
const FEWEST_SKETCHED: usize = 32;

/// What is known while sums are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summing {
    /// Points added so far.
    pub rows: u64,
    /// Points in all, where known.
    pub total: Option<u64>,
}

/// Sums of one or several files.
#[derive(Debug, Default)]
pub struct Summed {
    sums: Option<ClassAccumulator>,
    /// The file the first sums came from.
    first: String,
    image: Option<(usize, usize)>,
    /// The names of the columns; empty where there are none.
    columns: Vec<String>,
    /// The label column of the tables, where one is known.
    label: Option<String>,
    notes: Vec<Note>,
    /// Bytes that sums may take.
    memory: Option<u64>,
    /// Rows of a sketch, where the sums are to be sketches.
    sketch: Option<usize>,
}

impl Summed {
    /// Sums that may take so many bytes, where somebody says.
    pub fn within(memory: Option<u64>) -> Self {
        Self { memory, ..Self::default() }
    }

    /// The same for sketches of so many rows, where a number is given.
    pub fn sketched(self, sketch: Option<usize>) -> Self {
        Self { sketch, ..self }
    }

    /// Adds the sums of another file; labels of another type and points of another dimension are refused.
    pub fn join(&mut self, sums: ClassAccumulator, place: &str) -> Result<(), DataError> {
        self.join_named(sums, &[], place)
    }

    /// The same for sums whose columns have names, which must be those of the file before.
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

    /// Adds all batches of a file for as long as `go_on` says so; returns whether all were added.
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

    /// The label column of the tables, by name or by position where they have no names.
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// Remembers the label column of sums that were read, unless one is known.
    pub fn know_label(&mut self, label: Option<String>) {
        self.label = self.label.take().or(label);
    }

    /// The names of the columns; empty where there are none.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// What the readers decided since the last call.
    pub fn take_notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.notes)
    }

    /// Height and width of the first file's points, when they are images.
    pub fn image_shape(&self) -> Option<(usize, usize)> {
        self.image
    }

    /// All sums; an error when nothing was added or nothing had any weight.
    pub fn finish(self) -> Result<ClassAccumulator, DataError> {
        let sums = self.sums.ok_or_else(|| DataError::content("DATA", "it holds no points"))?;
        if sums.counts().iter().all(|&count| count == 0) {
            let problem = "the weights of all points are 0: nothing is left to learn from";
            return Err(DataError::content(&self.first, problem));
        }
        let counts = sums.counts();
        if counts.len() >= IDS && counts.iter().all(|&count| count == 1) {
            return Err(DataError::AllDifferent { place: self.first, count: counts.len() });
        }
        Ok(sums)
    }
}

/// The sums of all batches of a file, or `None` when `go_on` said to stop.
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
    // One batch waits while another is read and a third is added.
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
                // Nobody listens after a failure or a stop.
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
        let sums = sums.ok_or_else(|| DataError::content(&place, "it holds no points"))?;
        Ok(Some(sums.with_integer_classes()))
    })
}

/// Bytes that sums take: one triangle of entries a class, or the rows of sketches, of which one is combined at a time.
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

/// Rows counted from the file's first instead of the batch's.
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

/// Sums whose classes are both numbers or both texts: numbers join texts that have all of them.
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

/// A label of the first set that shows why it is text: one that reads as no number, if there is one.
fn example(classes: &Classes, other: &Classes) -> String {
    let words = match classes {
        Classes::Texts(texts) => texts.iter().find(|text| text.trim().parse::<i64>().is_err()),
        Classes::Integers(_) => None,
    };
    let any = || classes.iter().chain(other.iter()).next().map(|label| label.to_string());
    words.cloned().or_else(any).unwrap_or_default()
}

/// All classes of two sets of one type, in order; the first set where the types differ.
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
