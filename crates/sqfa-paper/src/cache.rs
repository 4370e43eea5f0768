//! Results of long computations, one JSON file each, so that an interrupted table goes on where it stopped.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::PaperError;
use sqfa_io::formats::{AtomicFile, crash};

/// A folder of results.
#[derive(Debug, Clone)]
pub struct ResultCache(PathBuf);

#[derive(Serialize, Deserialize)]
struct Kept<T> {
    /// What the result depends on; a result of something else is not used.
    settings: Value,
    result: T,
}

impl ResultCache {
    /// A folder, made when something is kept.
    pub fn new(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    fn path(&self, key: &str) -> PathBuf {
        self.0.join(format!("{key}.json"))
    }

    /// The result of a key under the same settings; a broken file counts as none.
    pub fn get<T: DeserializeOwned>(&self, key: &str, settings: &Value) -> Option<T> {
        let text = crash::read_to_string(&self.path(key)).ok()?;
        let kept: Kept<T> = serde_json::from_str(&text).ok()?;
        (kept.settings == *settings).then_some(kept.result)
    }

    /// Keeps a result, whole or not at all.
    pub fn keep<T: Serialize>(
        &self,
        key: &str,
        settings: &Value,
        result: &T,
    ) -> Result<(), PaperError> {
        let fail = |error: &dyn std::fmt::Display| {
            PaperError::numbers(format!("cannot keep {}", self.path(key).display()), error)
        };
        let made = crash::before_operation().and_then(|()| std::fs::create_dir_all(&self.0));
        made.map_err(|error| fail(&error))?;
        let kept = Kept { settings: settings.clone(), result };
        let text = serde_json::to_string_pretty(&kept).map_err(|error| fail(&error))?;
        let mut file = AtomicFile::create(&self.path(key)).map_err(|error| fail(&error))?;
        file.write_all(text.as_bytes()).map_err(|error| fail(&error))?;
        file.commit().map_err(|error| fail(&error))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn results_come_back_for_the_same_settings_alone() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ResultCache::new(&folder.path().join("deep/er"));
        let settings = json!({ "n": 3 });
        assert_eq!(cache.get::<f64>("a", &settings), None);
        cache.keep("a", &settings, &0.1).unwrap();
        assert_eq!(cache.get::<f64>("a", &settings), Some(0.1));
        assert_eq!(cache.get::<f64>("a", &json!({ "n": 4 })), None);
        std::fs::write(cache.path("a"), "{ broken").unwrap();
        assert_eq!(cache.get::<f64>("a", &settings), None);
    }
}
