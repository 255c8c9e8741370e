//! Certificates as JSON, whatever their kind: the header says what it is, and
//! the module of the kind reads and writes the rest.

use serde::Deserialize;
use serde::de::{Deserializer, Error};

use crate::format::{FORMAT, FormatError, Object, VERSION};
use crate::shown::shown;
use crate::{Body, Certificate, Kind, parts, run};

impl Certificate {
    /// Reads a certificate. A byte order mark is skipped.
    ///
    /// Costs time and memory in proportion to the text; see
    /// [`Caps::admit_bytes`](crate::Caps::admit_bytes).
    pub fn from_json(text: &str) -> Result<Self, FormatError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let Object(Header { kind, .. }) = serde_json::from_str(text)?;
        match kind {
            Kind::Run => run::read(text),
            Kind::Atomic | Kind::Flow => parts::read(text),
            Kind::Components => parts::read_list(text),
        }
    }

    /// Writes a certificate: the same bytes for the same certificate, one
    /// event per line.
    pub fn to_json(&self) -> String {
        match &self.body {
            Body::Run(body) => run::write(self, body),
            Body::Part(part) => parts::write(self, part),
            Body::Components(list) => parts::write_list(self, list),
        }
    }
}

/// What every certificate begins with, in any order.
#[derive(Deserialize)]
struct Header {
    #[serde(rename = "format")]
    _format: FormatName,
    #[serde(rename = "version")]
    _version: Version,
    kind: Kind,
}

struct FormatName;

impl<'de> Deserialize<'de> for FormatName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        if name == FORMAT { Ok(Self) } else { Err(D::Error::custom(format!("the format is {}, not {FORMAT:?}", shown(&name)))) }
    }
}

struct Version;

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let version = u64::deserialize(deserializer)?;
        if version == VERSION {
            Ok(Self)
        } else {
            Err(D::Error::custom(format!("this is version {version} of the format; this program reads version {VERSION}")))
        }
    }
}
