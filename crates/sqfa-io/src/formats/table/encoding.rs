//! Encodings of names and labels in tables: UTF-8, Latin-1 and Windows-1252. Encodings are never
//! guessed, and invalid bytes are never replaced.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// The encoding of texts in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Unicode, the default.
    #[default]
    Utf8,
    /// ISO 8859-1, in which every byte is the character with this number.
    Latin1,
    /// Windows-1252, which is Latin-1 with other characters instead of the control characters 128
    /// to 159.
    Windows1252,
}

/// The characters 128 to 159 of Windows-1252 (WHATWG Encoding Standard, index windows-1252).
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

impl Encoding {
    /// All encodings with their names.
    pub const ALL: [(&'static str, Self); 3] =
        [("utf-8", Self::Utf8), ("latin-1", Self::Latin1), ("windows-1252", Self::Windows1252)];

    /// Decodes bytes, or returns `None` if they are invalid in this encoding.
    pub fn decode(self, bytes: &[u8]) -> Option<Cow<'_, str>> {
        if self == Self::Utf8 || bytes.is_ascii() {
            return std::str::from_utf8(bytes).ok().map(Cow::Borrowed);
        }
        let letter = |&byte: &u8| match byte {
            0x80..=0x9f if self == Self::Windows1252 => WINDOWS[usize::from(byte - 0x80)],
            _ => char::from(byte),
        };
        Some(Cow::Owned(bytes.iter().map(letter).collect()))
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(_, encoding)| encoding == self).map(|(name, _)| *name);
        f.write_str(name.unwrap_or("utf-8"))
    }
}

impl FromStr for Encoding {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let plain = |name: &str| name.to_lowercase().replace(['-', '_', ' '], "");
        let aliases = [("iso88591", Self::Latin1), ("cp1252", Self::Windows1252)];
        Self::ALL
            .into_iter()
            .chain(aliases)
            .find_map(|(name, encoding)| (plain(name) == plain(text)).then_some(encoding))
            .ok_or_else(|| {
                format!("unknown encoding '{text}': choose utf-8, latin-1 or windows-1252")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_letters_or_nothing() {
        assert_eq!(Encoding::Utf8.decode("Märk".as_bytes()).unwrap(), "Märk");
        assert!(Encoding::Utf8.decode(b"M\xe4rk").is_none());
        assert_eq!(Encoding::Latin1.decode(b"M\xe4rk").unwrap(), "Märk");
        assert_eq!(Encoding::Windows1252.decode(b"\x80 M\xf6rk").unwrap(), "€ Mörk");
        assert_eq!(Encoding::Latin1.decode(b"\x80").unwrap(), "\u{80}");
        assert_eq!("ISO-8859-1".parse(), Ok(Encoding::Latin1));
        assert_eq!("UTF8".parse(), Ok(Encoding::Utf8));
        assert!("utf-16".parse::<Encoding>().unwrap_err().contains("latin-1"));
    }
}
