//! Settings in JSON: by the name that stays, read in either spelling.

/// One setting, for `#[serde(with = "…")]`.
pub mod setting_name {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use sqfa::reduce::Setting;

    /// Writes its name.
    pub fn serialize<S: Serializer>(setting: &Setting, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(setting.name())
    }

    /// Reads its name.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Setting, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// Settings with their values; one that is not known is left out, so that files of later versions are read.
pub(super) mod setting_list {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use sqfa::reduce::Setting;

    pub(crate) fn serialize<S: Serializer>(
        settings: &[(Setting, f64)],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let named: Vec<(&str, f64)> =
            settings.iter().map(|(s, value)| (s.name(), *value)).collect();
        named.serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<(Setting, f64)>, D::Error> {
        let named = Vec::<(String, f64)>::deserialize(from)?;
        Ok(named
            .into_iter()
            .filter_map(|(name, value)| Some((name.parse().ok()?, value)))
            .collect())
    }
}
