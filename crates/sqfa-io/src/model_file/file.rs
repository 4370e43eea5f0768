//! Conversion between models and bytes. All declared sizes are compared with the number of bytes in
//! the file.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::Path;

use flate2::Crc;
use safetensors::tensor::{Dtype, TensorView};
use safetensors::{SafeTensors, serialize};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqfa::statistics::Preprocessor;
use sqfa::{Gaussians, Mat};

use super::{Description, Model, ModelError, ModelParts, lift};
use crate::formats::crash::Input;
use crate::formats::{AtomicFile, FormatError, Limits};

/// The key of the description in the metadata.
const KEY: &str = "sqfa";
/// The format version of models without a nonlinear feature map, which earlier programs can read.
const VERSION: u64 = 1;
/// The format version of models with a nonlinear feature map.
const LIFTED_VERSION: u64 = 2;
/// The beginning of a description with a checksum.
const CHECKSUM: &str = "\"checksum\":\"";
/// The number of bytes before the header, which contain its length as a 64-bit number.
const PREFIX: usize = 8;

/// The description as stored in the file.
#[derive(Serialize, Deserialize)]
struct Versioned {
    version: u64,
    #[serde(flatten)]
    description: Description,
}

impl Model {
    /// Reads a model file and checks all of its content.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is damaged, or has another format.
    pub fn read(path: &Path, limits: Limits) -> Result<Self, ModelError> {
        let place = path.display().to_string();
        let fail = |action, source| FormatError::Io { place: place.clone(), action, source };
        let file = Input::open(path).map_err(|source| fail("open", source))?;
        let length = file.metadata().map_err(|source| fail("open", source))?.len();
        if length > limits.bytes {
            let (needed, limit) = (u128::from(length), limits.bytes);
            return Err(FormatError::Limit { place, needed, limit }.into());
        }
        let mut bytes = Vec::new();
        // One byte more than declared is read, so that a file that grows at the same time is
        // detected.
        file.take(length.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|source| fail("read", source))?;
        Self::from_bytes(&bytes, &place)
    }

    /// Writes a model file. An existing file is replaced only when the new one is complete.
    ///
    /// # Errors
    ///
    /// If the model cannot be converted or the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), ModelError> {
        let bytes = self.to_bytes()?;
        let mut file = AtomicFile::create(path)?;
        file.write_all(&bytes)
            .map_err(|source| FormatError::write(&path.display().to_string(), source))?;
        Ok(file.commit()?)
    }

    /// Returns the bytes of a model file, which depend only on the model.
    ///
    /// # Errors
    ///
    /// If the metadata cannot be written.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        let refused = |problem: String| ModelError::Metadata { problem };
        let (n, m, c) = (self.filters.nrows(), self.filters.ncols(), self.classes.len());
        let filters = (0..n).flat_map(|i| (0..m).map(move |j| self.filters[(i, j)]));
        let each = |part: fn(&Gaussians, usize) -> &[f64]| {
            (0..c).flat_map(move |class| part(&self.features, class).iter().copied())
        };
        let mut tensors = vec![
            ("filters", vec![n, m], reals(filters)),
            ("feature_means", vec![c, m], reals(each(Gaussians::mean))),
            ("feature_covariances", vec![c, m, m], reals(each(Gaussians::covariance))),
        ];
        if let Some(Preprocessor { offset, factors }) = &self.preprocessing {
            tensors.push(("offset", vec![n], reals(offset.iter().copied())));
            tensors.push(("factors", vec![n], reals(factors.iter().copied())));
        }
        if let Some(mean) = &self.mean {
            tensors.push(("mean", vec![n], reals(mean.iter().copied())));
        }
        for (name, values) in self.lift.iter().flat_map(lift::tensors) {
            tensors.push((name, vec![values.len()], reals(values.into_iter())));
        }
        if let Some(counts) = &self.counts {
            let bytes = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
            tensors.push(("counts", vec![c], bytes));
        }
        let views = tensors
            .iter()
            .map(|(name, shape, bytes)| {
                let dtype = if *name == "counts" { Dtype::U64 } else { Dtype::F64 };
                let view = TensorView::new(dtype, shape.clone(), bytes);
                view.map(|view| (*name, view)).map_err(|error| refused(error.to_string()))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let version = if self.lift.is_some() { LIFTED_VERSION } else { VERSION };
        let versioned = Versioned { version, description: self.description.clone() };
        let text = serde_json::to_string(&versioned).map_err(|error| refused(error.to_string()))?;
        let parts = tensors.iter().map(|(name, shape, bytes)| (*name, &shape[..], &bytes[..]));
        let text = format!("{{{CHECKSUM}{:08x}\",{}", checksum(&text, parts.collect()), &text[1..]);
        serialize(views, Some(HashMap::from([(KEY.to_owned(), text)])))
            .map_err(|error| refused(error.to_string()))
    }

    /// Returns the model in the bytes of a file. `place` is the name of the file in messages.
    ///
    /// # Errors
    ///
    /// If the bytes are damaged or have another format.
    pub fn from_bytes(bytes: &[u8], place: &str) -> Result<Self, ModelError> {
        let damaged = |problem: String| ModelError::damaged(place, problem);
        check_header(bytes).map_err(damaged)?;
        let tensors =
            SafeTensors::deserialize(bytes).map_err(|error| damaged(error.to_string()))?;
        let (_, metadata) =
            SafeTensors::read_metadata(bytes).map_err(|error| damaged(error.to_string()))?;
        let text = metadata.metadata().as_ref().and_then(|metadata| metadata.get(KEY));
        let text = text.ok_or_else(|| damaged("it holds tensors, but no sqfa model".to_owned()))?;
        let (stored, text) = split_checksum(text).ok_or_else(|| {
            damaged("its checksum differs from what it holds: it is none".to_owned())
        })?;
        let description = describe(&text, place)?;
        if let Some(stored) = stored {
            let views: Vec<_> = tensors.tensors();
            let parts = views.iter().map(|(name, view)| (&name[..], view.shape(), view.data()));
            if checksum(&text, parts.collect()) != stored {
                return Err(damaged("its checksum differs from what it holds".to_owned()));
            }
        }

        let (shape, filters) = floats(&tensors, "filters", 2).map_err(damaged)?;
        let (n, m) = (shape[0], shape[1]);
        let (shape, means) = floats(&tensors, "feature_means", 2).map_err(damaged)?;
        let c = shape[0];
        if shape[1] != m {
            return Err(damaged(format!("feature_means are {c} × {} for {m} filters", shape[1])));
        }
        let (shape, covariances) = floats(&tensors, "feature_covariances", 3).map_err(damaged)?;
        if shape != [c, m, m] {
            let problem = format!("feature_covariances have shape {shape:?}, not {:?}", [c, m, m]);
            return Err(damaged(problem));
        }
        let features = Gaussians::new(m, means, covariances).map_err(|e| damaged(e.to_string()))?;
        let has = |name: &str| tensors.names().contains(&name);
        let counts =
            has("counts").then(|| whole(&tensors, "counts")).transpose().map_err(damaged)?;
        let preprocessing = if has("offset") || has("factors") {
            let (_, offset) = floats(&tensors, "offset", 1).map_err(damaged)?;
            let (_, factors) = floats(&tensors, "factors", 1).map_err(damaged)?;
            Some(Preprocessor { offset, factors })
        } else {
            None
        };
        let filters = Mat::from_fn(n, m, |i, j| filters[i * m + j]);
        let mean = has("mean").then(|| floats(&tensors, "mean", 1)).transpose().map_err(damaged)?;
        let lift = match &description.lift {
            None => None,
            Some(record) => Some(
                lift::assembled(record, |name| {
                    has(name)
                        .then(|| floats(&tensors, name, 1).map(|(_, values)| values))
                        .transpose()
                })
                .map_err(damaged)?,
            ),
        };
        let parts = ModelParts { filters, preprocessing, counts, features };
        let model = Model::new(parts, description).and_then(|model| match lift {
            Some(lift) => model.with_lift(lift),
            None => Ok(model),
        });
        match mean {
            Some((_, mean)) => model.and_then(|model| model.with_mean(mean)),
            None => model,
        }
        .map(|model| Model { checksum: stored.is_some(), ..model })
        .map_err(|error| damaged(error.to_string()))
    }
}

/// Returns the CRC-32 of a description and of tensors with their names and shapes, in the order of
/// the names.
fn checksum(text: &str, mut tensors: Vec<(&str, &[usize], &[u8])>) -> u32 {
    tensors.sort_by_key(|(name, ..)| *name);
    let mut crc = Crc::new();
    crc.update(text.as_bytes());
    for (name, shape, bytes) in tensors {
        crc.update(format!("{name}{shape:?}").as_bytes());
        crc.update(bytes);
    }
    crc.sum()
}

/// Returns the checksum of a description, if it has one, and the description without it. Returns
/// `None` if the checksum is invalid, which means that the file is damaged and not that it is old.
fn split_checksum(text: &str) -> Option<(Option<u32>, String)> {
    let Some(rest) = text.strip_prefix('{').and_then(|rest| rest.strip_prefix(CHECKSUM)) else {
        return Some((None, text.to_owned()));
    };
    let (digits, rest) = rest.split_once("\",")?;
    let hexadecimal = digits.len() == 8 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let sum = hexadecimal.then(|| u32::from_str_radix(digits, 16).ok())??;
    Some((Some(sum), format!("{{{rest}")))
}

/// Compares all declared positions with the number of bytes, before the header is used.
fn check_header(bytes: &[u8]) -> Result<(), String> {
    let short = || format!("{} bytes are too few", bytes.len());
    let prefix: [u8; PREFIX] =
        bytes.get(..PREFIX).and_then(|prefix| prefix.try_into().ok()).ok_or_else(short)?;
    // A text that is interpreted as a length is above 10¹⁵.
    if prefix.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()) {
        return Err("it contains text, such as a table".to_owned());
    }
    let declared = u64::from_le_bytes(prefix);
    let header = usize::try_from(declared)
        .ok()
        .and_then(|length| bytes.get(PREFIX..length.checked_add(PREFIX)?))
        .ok_or_else(|| format!("a header of {declared} bytes in a file of {}", bytes.len()))?;
    let available = (bytes.len() - PREFIX - header.len()) as u64;
    let header: HashMap<String, Value> = serde_json::from_slice(header)
        .map_err(|error| format!("its header is no JSON: {error}"))?;
    for (name, tensor) in header.iter().filter(|(name, _)| *name != "__metadata__") {
        let end = tensor.pointer("/data_offsets/1").and_then(Value::as_u64);
        if end.is_none_or(|end| end > available) {
            return Err(format!("tensor '{name}' lies beyond the {available} bytes there"));
        }
    }
    Ok(())
}

fn describe(text: &str, place: &str) -> Result<Description, ModelError> {
    #[derive(Deserialize)]
    struct VersionOnly {
        version: u64,
    }
    let damaged =
        |error: serde_json::Error| ModelError::damaged(place, format!("metadata: {error}"));
    let VersionOnly { version } = serde_json::from_str(text).map_err(damaged)?;
    if ![VERSION, LIFTED_VERSION].contains(&version) {
        let place = place.to_owned();
        return Err(ModelError::Version { place, found: version, known: LIFTED_VERSION });
    }
    serde_json::from_str::<Versioned>(text).map(|v| v.description).map_err(damaged)
}

fn reals(values: impl Iterator<Item = f64>) -> Vec<u8> {
    values.flat_map(f64::to_le_bytes).collect()
}

fn view<'a>(
    tensors: &SafeTensors<'a>,
    name: &str,
    dtype: Dtype,
    axes: usize,
) -> Result<TensorView<'a>, String> {
    let view = tensors.tensor(name).map_err(|_| format!("it has no tensor '{name}'"))?;
    if view.dtype() != dtype || view.shape().len() != axes {
        return Err(format!(
            "tensor '{name}' is {:?} with {} axes, not {dtype:?} with {axes}",
            view.dtype(),
            view.shape().len()
        ));
    }
    Ok(view)
}

fn floats(
    tensors: &SafeTensors<'_>,
    name: &str,
    axes: usize,
) -> Result<(Vec<usize>, Vec<f64>), String> {
    let view = view(tensors, name, Dtype::F64, axes)?;
    let values: Vec<f64> = words(view.data()).map(f64::from_le_bytes).collect();
    if view.shape().contains(&0) || values.len() != view.shape().iter().product::<usize>() {
        return Err(format!("tensor '{name}' has shape {:?}", view.shape()));
    }
    if let Some(value) = values.iter().find(|value| !value.is_finite()) {
        return Err(format!("tensor '{name}' holds {value}"));
    }
    Ok((view.shape().to_vec(), values))
}

fn whole(tensors: &SafeTensors<'_>, name: &str) -> Result<Vec<u64>, String> {
    Ok(words(view(tensors, name, Dtype::U64, 1)?.data()).map(u64::from_le_bytes).collect())
}

fn words(bytes: &[u8]) -> impl Iterator<Item = [u8; 8]> + '_ {
    bytes.chunks_exact(8).filter_map(|word| word.try_into().ok())
}
