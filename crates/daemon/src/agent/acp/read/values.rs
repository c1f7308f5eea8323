//! Reads single values, and keeps why one was left out.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::envelope::{cut, is_null};

/// How much of a reason is kept, in bytes: it may quote the value, which may be megabytes.
const REASON_BYTES: usize = 200;

/// Reads the members of one message; remembers what was left out.
#[derive(Debug, Default)]
pub(super) struct Values {
    pub(super) skipped: Vec<String>,
}

impl Values {
    /// Returns the value of the member `name`; `None` when it is absent, null, or not understood.
    pub(super) fn read<'a, T: Deserialize<'a>>(
        &mut self,
        name: &str,
        raw: Option<&'a RawValue>,
    ) -> Option<T> {
        let raw = raw.filter(|raw| !is_null(raw))?;
        match serde_json::from_str(raw.get()) {
            Ok(value) => Some(value),
            Err(error) => {
                self.skip(name, &error.to_string());
                None
            }
        }
    }

    /// Returns the elements of the list `name` that are understood, each read on its own; `None` when there is no list.
    pub(super) fn list<'a, T: Deserialize<'a>>(
        &mut self,
        name: &str,
        raw: Option<&'a RawValue>,
    ) -> Option<Vec<T>> {
        let elements: Vec<&RawValue> = self.read(name, raw)?;
        Some(
            elements
                .into_iter()
                .filter_map(|element| self.read(name, Some(element)))
                .collect(),
        )
    }

    /// Remembers that a value was left out.
    pub(super) fn skip(&mut self, name: &str, reason: &str) {
        self.skipped.push(format!("{name}: {}", short(reason)));
    }
}

/// Returns the beginning of a reason.
pub(super) fn short(reason: &str) -> &str {
    cut(reason, REASON_BYTES)
}

/// Reads an object's members, and nothing else: a list would be taken for members in their order.
pub(super) fn object<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>) -> Result<T, String> {
    let raw = raw.ok_or("it is missing")?;
    if !raw.get().starts_with('{') {
        return Err(format!("{} is no object", short(raw.get())));
    }
    serde_json::from_str(raw.get()).map_err(|error| short(&error.to_string()).to_owned())
}
