//! The answer to `session/prompt`: how the turn ended.

use agent_client_protocol_schema::v1;
use pupitre_protocol::conversation::StopReason;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::values::object;

/// A turn that ended without a reason that is known here; the text says what came.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum StopReasonError {
    /// What it said is whole, however long: who cuts it has to see a secret that the cut would go through.
    #[error("the agent ended the turn with an unknown stop reason: {said}")]
    Unknown { said: String },
    #[error("the agent ended the turn without a stop reason")]
    Missing,
}

/// Reads the answer to `session/prompt`. What agents add to it, such as usage, is left alone.
pub(crate) fn stop_reason(result: &RawValue) -> Result<StopReason, StopReasonError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Members<'a> {
        #[serde(borrow)]
        stop_reason: Option<&'a RawValue>,
    }
    let members: Members<'_> = object(Some(result)).map_err(|_| StopReasonError::Missing)?;
    let said = members.stop_reason.ok_or(StopReasonError::Missing)?;
    let unknown = || StopReasonError::Unknown {
        said: said.get().trim_matches('"').to_owned(),
    };
    match serde_json::from_str(said.get()) {
        Ok(v1::StopReason::EndTurn) => Ok(StopReason::EndTurn),
        Ok(v1::StopReason::Cancelled) => Ok(StopReason::Cancelled),
        Ok(v1::StopReason::MaxTokens) => Ok(StopReason::MaxTokens),
        Ok(v1::StopReason::MaxTurnRequests) => Ok(StopReason::MaxTurnRequests),
        Ok(v1::StopReason::Refusal) => Ok(StopReason::Refusal),
        Ok(_) | Err(_) => Err(unknown()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(result: &str, expected: Result<StopReason, &str>) {
        let found = stop_reason(&RawValue::from_string(result.to_owned()).unwrap());
        assert_eq!(
            found.map_err(|error| error.to_string()),
            expected.map_err(str::to_owned),
            "{result}"
        );
    }

    #[test]
    fn a_turn_ends_with_a_reason_or_with_what_came() {
        check(
            r#"{"stopReason":"end_turn","usage":{"totalTokens":1}}"#,
            Ok(StopReason::EndTurn),
        );
        check(r#"{"stopReason":"cancelled"}"#, Ok(StopReason::Cancelled));
        check(r#"{"stopReason":"max_tokens"}"#, Ok(StopReason::MaxTokens));
        check(
            r#"{"stopReason":"max_turn_requests"}"#,
            Ok(StopReason::MaxTurnRequests),
        );
        check(r#"{"stopReason":"refusal"}"#, Ok(StopReason::Refusal));
        for missing in [
            "null",
            "{}",
            r#"{"stopReason":null}"#,
            r#"{"messageId":"m"}"#,
            "[]",
        ] {
            check(missing, Err("the agent ended the turn without a stop reason"));
        }
        check(
            r#"{"stopReason":"bored"}"#,
            Err("the agent ended the turn with an unknown stop reason: bored"),
        );
        check(
            r#"{"stopReason":7}"#,
            Err("the agent ended the turn with an unknown stop reason: 7"),
        );
    }
}
