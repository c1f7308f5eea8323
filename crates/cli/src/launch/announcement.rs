//! What a daemon in the background tells its starter, in one line of JSON on stdout, before it lets go of it.

use serde::{Deserialize, Serialize};

/// `{"ready":true}` or `{"error":"…"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Announcement {
    /// The socket answers. Always true.
    Ready(bool),
    /// Why there will be no daemon.
    Error(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_are_small_objects() {
        for (announcement, json) in [
            (Announcement::Ready(true), r#"{"ready":true}"#),
            (Announcement::Error("no".to_owned()), r#"{"error":"no"}"#),
        ] {
            assert_eq!(serde_json::to_string(&announcement).expect("JSON"), json);
            assert_eq!(
                serde_json::from_str::<Announcement>(json).expect("an announcement"),
                announcement
            );
        }
    }
}
