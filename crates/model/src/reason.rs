//! Why something ended: the sentence for people, and what of it a program may know.

use std::fmt;

use pupitre_protocol::Cause;

/// A reason in words, with its cause where that is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reason {
    pub text: String,
    pub cause: Option<Cause>,
}

impl Reason {
    pub fn new(text: impl Into<String>, cause: Cause) -> Self {
        Self {
            text: text.into(),
            cause: Some(cause),
        }
    }

    /// Returns the reason with other words for it.
    #[must_use]
    pub fn with_text(&self, text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            cause: self.cause.clone(),
        }
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        Self { text, cause: None }
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<&String> for Reason {
    fn from(text: &String) -> Self {
        text.clone().into()
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}
