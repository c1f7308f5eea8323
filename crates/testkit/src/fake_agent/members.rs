//! A JSON object with the order of its members kept, so that a replayed line looks as the agent wrote it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

pub(super) struct Members(Vec<(String, Box<RawValue>)>);

impl Members {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(found, _)| found == name)
            .map(|(_, value)| value.get())
    }

    /// Returns the object as one line, with `text` as the value of the member `name`.
    pub(super) fn with(&self, name: &str, text: &str) -> String {
        let mut line = String::from("{");
        for (index, (found, value)) in self.0.iter().enumerate() {
            if index > 0 {
                line.push(',');
            }
            line.push_str(&serde_json::Value::from(found.as_str()).to_string());
            line.push(':');
            line.push_str(if found == name { text } else { value.get() });
        }
        line.push('}');
        line
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a JSON object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}
