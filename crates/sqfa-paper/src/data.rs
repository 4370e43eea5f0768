//! Where the paper's data sets are: a folder with `mnist/`, `svhn/` and, if there are photographs or recordings, `natural/` and `neural/`.

use std::path::{Path, PathBuf};

use super::{PaperError, recordings};
use sqfa_io::data::{LabeledData, LoadOptions, Loaded, load};
use sqfa_io::datasets::speed::{Speed, read_images};
use sqfa_io::formats::Limits;

/// A folder of data sets, or none: the speed videos need none.
#[derive(Debug, Clone, Default)]
pub struct DataFolder(pub Option<PathBuf>);

const MNIST_FILES: &str = "mnist/ with the four IDX files of MNIST";
const SVHN_FILES: &str = "svhn/svhn_gray.npz, or svhn/train_32x32.mat and svhn/test_32x32.mat";

impl DataFolder {
    /// The sessions of a data set: several of the recordings, one of everything else.
    pub fn sessions(&self, set: &str) -> Result<Vec<LabeledData>, PaperError> {
        match set {
            "neural" => recordings::sessions(&self.recordings()),
            _ => Ok(vec![self.open(set)?]),
        }
    }

    /// The files of the recordings; simulated ones take their place where there are none.
    pub(crate) fn recordings(&self) -> Vec<PathBuf> {
        recordings::files(self.0.as_deref())
    }

    /// What tables call a data set: whether it is simulated is said everywhere.
    pub(crate) fn title(&self, set: &str, title: &str) -> String {
        match set == "neural" && self.recordings().is_empty() {
            true => format!("{title} (simulated)"),
            false => title.to_owned(),
        }
    }

    /// A data set by name: `mnist`, `svhn` or `speed`, which films photographs where there are any.
    pub fn open(&self, set: &str) -> Result<LabeledData, PaperError> {
        let mut data = match set {
            "mnist" => self.mnist()?,
            "svhn" => self.svhn()?,
            _ => self.speed()?,
        };
        set.clone_into(&mut data.name);
        Ok(data)
    }

    /// Returns whether the files of a data set exist. Always true for the speed videos and the recordings, which can be simulated.
    pub fn has(&self, set: &str) -> bool {
        match set {
            "mnist" => self.find("MNIST", MNIST_FILES, &["mnist"]).is_ok(),
            "svhn" => self
                .find("SVHN", SVHN_FILES, &["svhn/svhn_gray.npz", "svhn/train_32x32.mat"])
                .is_ok(),
            _ => true,
        }
    }

    /// The first of several files that is there.
    fn find(
        &self,
        set: &'static str,
        files: &'static str,
        paths: &[&str],
    ) -> Result<PathBuf, PaperError> {
        let folder = self.0.as_ref().ok_or(PaperError::NoFolder { set, files })?;
        let mut there = paths.iter().map(|path| folder.join(path)).filter(|path| path.exists());
        there.next().ok_or_else(|| PaperError::Missing { set, folder: folder.clone(), files })
    }

    fn mnist(&self) -> Result<LabeledData, PaperError> {
        let path = self.find("MNIST", MNIST_FILES, &["mnist"])?;
        points(&path, &LoadOptions::default())
    }

    fn svhn(&self) -> Result<LabeledData, PaperError> {
        let names = ["svhn/svhn_gray.npz", "svhn/train_32x32.mat"];
        let path = self.find("SVHN", SVHN_FILES, &names)?;
        if path.ends_with(names[0]) {
            return points(&path, &LoadOptions::default());
        }
        let test = self.find("SVHN", SVHN_FILES, &["svhn/test_32x32.mat"])?;
        let train = points(&path, &LoadOptions::default())?;
        let other = points(&test, &LoadOptions::default())?.train;
        let place = test.display().to_string();
        Ok(LabeledData::new(train.name, train.train, Some(other), train.image_shape, &place)?)
    }

    /// The photographs that the speed videos film, where there are any.
    pub(crate) fn photographs(&self) -> Option<PathBuf> {
        let path = self.0.as_ref()?.join("natural/gray.npz");
        path.exists().then_some(path)
    }

    fn speed(&self) -> Result<LabeledData, PaperError> {
        Ok(match self.photographs() {
            Some(path) => {
                Speed::default().generate_from(&read_images(&path, Limits::default())?)?
            }
            None => Speed::default().generate()?,
        })
    }
}

fn points(path: &Path, options: &LoadOptions) -> Result<LabeledData, PaperError> {
    match load(path, options)? {
        Loaded::Data(data) => Ok(data),
        _ => Err(PaperError::NoPoints(path.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_data_are_named_with_their_files() {
        let none = DataFolder(None).open("mnist").unwrap_err().to_string();
        assert!(none.contains("--data") && none.contains("IDX"), "{none}");
        let folder = tempfile::tempdir().unwrap();
        let missing = DataFolder(Some(folder.path().to_owned())).open("svhn").unwrap_err();
        assert!(missing.to_string().contains("svhn_gray.npz"), "{missing}");
    }
}
