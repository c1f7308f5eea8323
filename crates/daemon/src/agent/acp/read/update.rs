//! The notification `session/update`.

use agent_client_protocol_schema::v1;
use pupitre_model::conversation::{Update, Voice};
use pupitre_protocol::conversation::{Command, Cost, PlanEntry, Usage};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::envelope::{Text, is_null, present};
use super::super::incoming::{Incoming, Noise};
use super::tool::ToolMembers;
use super::values::{Values, object};
use super::{content, session};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    session_id: String,
    #[serde(borrow)]
    update: Members<'a>,
}

/// The members of all kinds of updates: one look at the text finds them, whichever kind it is.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Members<'a> {
    #[serde(borrow)]
    session_update: Option<Text<'a>>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    message_id: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_call_id: Option<&'a RawValue>,
    /// Here a `null` says something: it takes the title of a session back.
    #[serde(borrow, default, deserialize_with = "present")]
    title: Option<&'a RawValue>,
    #[serde(borrow)]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    status: Option<&'a RawValue>,
    #[serde(borrow)]
    locations: Option<&'a RawValue>,
    #[serde(borrow)]
    raw_input: Option<&'a RawValue>,
    #[serde(borrow)]
    raw_output: Option<&'a RawValue>,
    #[serde(borrow)]
    entries: Option<&'a RawValue>,
    #[serde(borrow)]
    available_commands: Option<&'a RawValue>,
    #[serde(borrow)]
    current_mode_id: Option<&'a RawValue>,
    #[serde(borrow)]
    config_options: Option<&'a RawValue>,
    #[serde(borrow)]
    used: Option<&'a RawValue>,
    #[serde(borrow)]
    size: Option<&'a RawValue>,
    #[serde(borrow)]
    cost: Option<&'a RawValue>,
}

/// Returns what the parameters of `session/update` tell.
pub(in super::super) fn session_update<T>(params: Option<&RawValue>) -> Incoming<T> {
    let unreadable = |reason: String| Incoming::Noise(Noise::UnreadableUpdate { reason });
    let Params {
        session_id,
        update: members,
    } = match object(params) {
        Ok(params) => params,
        Err(reason) => return unreadable(reason),
    };
    let Some(Text(kind)) = &members.session_update else {
        return unreadable("no kind".to_owned());
    };
    let kind = kind.as_ref();
    let mut values = Values::default();
    let update = match kind {
        "user_message_chunk" => return Incoming::UserEcho,
        "agent_message_chunk" => members.chunk(Voice::Answer, &mut values),
        "agent_thought_chunk" => members.chunk(Voice::Thought, &mut values),
        "tool_call" | "tool_call_update" => members.tool(&mut values),
        "plan" => members.plan(&mut values),
        "available_commands_update" => members.commands(&mut values),
        "current_mode_update" => values
            .read("currentModeId", members.current_mode_id)
            .map(Update::CurrentMode),
        "config_option_update" => {
            session::config_options(members.config_options, &mut values).map(Update::ConfigOptions)
        }
        "session_info_update" => match members.title {
            // It may tell other things of the session, which nobody here asks for.
            None => {
                return Incoming::Noise(Noise::NothingNew {
                    kind: kind.to_owned(),
                });
            }
            Some(title) if is_null(title) => Some(Update::Title(None)),
            Some(title) => values
                .read("title", Some(title))
                .map(|title| Update::Title(Some(title))),
        },
        "usage_update" => members.usage(&mut values),
        _ => {
            return Incoming::Noise(Noise::UnknownUpdate {
                kind: kind.to_owned(),
            });
        }
    };
    match update {
        Some(Update::Text { text, .. }) if text.is_empty() => Incoming::Noise(Noise::NothingNew {
            kind: kind.to_owned(),
        }),
        Some(update) => Incoming::Update {
            session_id,
            update,
            skipped: values.skipped,
        },
        None => {
            let mut reason = format!("{kind}: ");
            reason.push_str(&values.skipped.join("; "));
            unreadable(reason)
        }
    }
}

impl Members<'_> {
    fn chunk(&self, voice: Voice, values: &mut Values) -> Option<Update> {
        let message_id = values.read("messageId", self.message_id);
        let Some(raw) = self.content else {
            values.skip("content", "it is missing");
            return None;
        };
        let block = values.read("content", Some(raw))?;
        match content::update(block, voice, message_id) {
            Ok(update) => Some(update),
            Err(reason) => {
                values.skip("content", &reason);
                None
            }
        }
    }

    fn tool(&self, values: &mut Values) -> Option<Update> {
        let members = ToolMembers {
            tool_call_id: self.tool_call_id,
            title: self.title,
            kind: self.kind,
            status: self.status,
            content: self.content,
            locations: self.locations,
            raw_input: self.raw_input,
            raw_output: self.raw_output,
        };
        match members.patch(values) {
            Ok(patch) => Some(Update::Tool(patch)),
            Err(reason) => {
                values.skip("update", reason);
                None
            }
        }
    }

    fn plan(&self, values: &mut Values) -> Option<Update> {
        #[derive(Deserialize)]
        struct EntryMembers {
            content: String,
            priority: Option<String>,
            status: Option<String>,
        }
        let entries: Vec<EntryMembers> = values.list("entries", self.entries)?;
        let entries = entries.into_iter().map(|entry| PlanEntry {
            content: entry.content,
            priority: entry.priority.unwrap_or_else(|| "medium".to_owned()),
            status: entry.status.unwrap_or_else(|| "pending".to_owned()),
        });
        Some(Update::Plan(entries.collect()))
    }

    fn commands(&self, values: &mut Values) -> Option<Update> {
        #[derive(Deserialize)]
        struct CommandMembers<'a> {
            name: String,
            description: Option<String>,
            #[serde(borrow)]
            input: Option<&'a RawValue>,
        }
        #[derive(Deserialize)]
        struct InputMembers {
            hint: Option<String>,
        }
        let commands: Vec<CommandMembers<'_>> = values.list("availableCommands", self.available_commands)?;
        let commands = commands.into_iter().map(|command| Command {
            name: command.name,
            description: command.description.unwrap_or_default(),
            hint: values
                .read("availableCommands.input", command.input)
                .and_then(|input: InputMembers| input.hint)
                .filter(|hint| !hint.is_empty()),
        });
        Some(Update::Commands(commands.collect()))
    }

    fn usage(&self, values: &mut Values) -> Option<Update> {
        let used = values.read("used", self.used).and_then(tokens);
        let Some(used) = used else {
            values.skip("used", "no number of tokens");
            return None;
        };
        let cost: Option<v1::Cost> = values.read("cost", self.cost);
        Some(Update::Usage(Usage {
            used,
            size: values.read("size", self.size).and_then(tokens).unwrap_or(0),
            cost: cost.map(|cost| Cost {
                amount: cost.amount,
                currency: cost.currency,
            }),
        }))
    }
}

/// Returns a number of tokens; some agents count in fractions.
fn tokens(number: f64) -> Option<u64> {
    // Far beyond this no agent counts, and every whole number below it is exact.
    const MOST: f64 = 9_007_199_254_740_992.0;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range is checked"
    )]
    (0.0..=MOST).contains(&number).then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use pupitre_protocol::conversation::{ConfigOption, Media, Resource};
    use serde_json::{Value, json};

    use super::*;

    fn read(update: &Value) -> Incoming<()> {
        let params = json!({"sessionId": "s", "update": update}).to_string();
        session_update(Some(&RawValue::from_string(params).unwrap()))
    }

    /// Checks what an update reads as, with nothing left out.
    fn check(update: Value, expected: Update) {
        check_skipping(update, expected, &[]);
    }

    fn check_skipping(update: Value, expected: Update, left_out: &[&str]) {
        let Incoming::Update {
            session_id,
            update: found,
            skipped,
        } = read(&update)
        else {
            panic!("{update} is no update: {:?}", read(&update));
        };
        assert_eq!((session_id.as_str(), &found), ("s", &expected), "{update}");
        assert_eq!(skipped.len(), left_out.len(), "{skipped:?}");
        for (reason, name) in skipped.iter().zip(left_out) {
            assert!(reason.starts_with(name), "{reason} is not about {name}");
        }
    }

    fn check_noise(update: Value, expected: &str) {
        let Incoming::Noise(noise) = read(&update) else {
            panic!("{update} is an update")
        };
        assert!(noise.to_string().starts_with(expected), "{noise}");
    }

    fn chunk(content: Value) -> Value {
        json!({"sessionUpdate": "agent_message_chunk", "content": content})
    }

    #[test]
    fn chunks_of_text() {
        check(
            json!({"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {"type": "text", "text": "é"}}),
            Update::Text {
                voice: Voice::Answer,
                message_id: Some("m".into()),
                text: "é".into(),
            },
        );
        check(
            json!({"sessionUpdate": "agent_thought_chunk", "messageId": null, "content": {"type": "text", "text": "t"}}),
            Update::Text {
                voice: Voice::Thought,
                message_id: None,
                text: "t".into(),
            },
        );
        check_skipping(
            json!({"sessionUpdate": "agent_message_chunk", "messageId": 5, "content": {"type": "text", "text": "t"}}),
            Update::Text {
                voice: Voice::Answer,
                message_id: None,
                text: "t".into(),
            },
            &["messageId"],
        );
        check_noise(
            chunk(json!({"type": "text", "text": ""})),
            "agent_message_chunk with nothing new",
        );
        check_noise(
            chunk(json!({"type": "hologram"})),
            "unreadable session/update: agent_message_chunk: content:",
        );
        check_noise(
            chunk(json!(null)),
            "unreadable session/update: agent_message_chunk: content:",
        );
        let echo =
            read(&json!({"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "hi"}}));
        assert!(matches!(echo, Incoming::UserEcho));
    }

    #[test]
    fn chunks_of_pictures_and_sounds() {
        let media = |mime_type: &str, uri: Option<&str>| Update::Image {
            message_id: None,
            image: Media {
                mime_type: mime_type.into(),
                data: "AAAA".into(),
                uri: uri.map(str::to_owned),
                truncated: false,
            },
        };
        let image = json!({"type": "image", "mimeType": "image/png", "data": "AAAA", "uri": "file:///a.png"});
        check(chunk(image), media("image/png", Some("file:///a.png")));
        check(
            chunk(json!({"type": "audio", "mimeType": "audio/wav", "data": "AAAA"})),
            media("audio/wav", None),
        );
        let blob = json!({"uri": "file:///b.png", "mimeType": "image/png", "blob": "AAAA"});
        check(
            chunk(json!({"type": "resource", "resource": blob})),
            media("image/png", Some("file:///b.png")),
        );
    }

    #[test]
    fn chunks_of_files() {
        let resource = |name: Option<&str>, mime_type: Option<&str>, text: Option<&str>| Update::Resource {
            message_id: None,
            resource: Resource {
                uri: "file:///a".into(),
                name: name.map(str::to_owned),
                mime_type: mime_type.map(str::to_owned),
                text: text.map(str::to_owned),
                truncated: false,
            },
        };
        check(
            chunk(json!({"type": "resource_link", "uri": "file:///a", "name": "a"})),
            resource(Some("a"), None, None),
        );
        check(
            chunk(
                json!({"type": "resource", "resource": {"uri": "file:///a", "mimeType": "text/x", "text": "t"}}),
            ),
            resource(None, Some("text/x"), Some("t")),
        );
        check(
            chunk(json!({"type": "resource", "resource": {"uri": "file:///a", "blob": "AAAA"}})),
            resource(None, None, None),
        );
    }

    #[test]
    fn a_plan_keeps_the_agents_words() {
        let entry = |content: &str, priority: &str, status: &str| PlanEntry {
            content: content.into(),
            priority: priority.into(),
            status: status.into(),
        };
        check_skipping(
            json!({"sessionUpdate": "plan", "entries": [
                {"content": "a", "priority": "high", "status": "in_progress"},
                {"content": "b", "priority": "whenever", "status": "blocked"},
                {"priority": "high"},
                {"content": "c"},
            ]}),
            Update::Plan(vec![
                entry("a", "high", "in_progress"),
                entry("b", "whenever", "blocked"),
                entry("c", "medium", "pending"),
            ]),
            &["entries"],
        );
        check(
            json!({"sessionUpdate": "plan", "entries": []}),
            Update::Plan(Vec::new()),
        );
        check_noise(
            json!({"sessionUpdate": "plan", "entries": 5}),
            "unreadable session/update: plan: entries:",
        );
    }

    #[test]
    fn commands_with_and_without_a_hint() {
        let command = |name: &str, description: &str, hint: Option<&str>| Command {
            name: name.into(),
            description: description.into(),
            hint: hint.map(str::to_owned),
        };
        check_skipping(
            json!({"sessionUpdate": "available_commands_update", "availableCommands": [
                {"name": "a", "description": "d", "input": {"hint": "h"}},
                {"name": "b", "description": "d", "input": null},
                {"name": "c", "input": {"hint": ""}},
                {"name": "e", "description": "d", "input": "text"},
                {"description": "no name"},
            ]}),
            Update::Commands(vec![
                command("a", "d", Some("h")),
                command("b", "d", None),
                command("c", "", None),
                command("e", "d", None),
            ]),
            &["availableCommands", "availableCommands.input"],
        );
    }

    #[test]
    fn modes_options_and_titles() {
        check(
            json!({"sessionUpdate": "current_mode_update", "currentModeId": "plan"}),
            Update::CurrentMode("plan".into()),
        );
        check(
            json!({"sessionUpdate": "config_option_update", "configOptions": [
                {"id": "fast", "name": "Fast", "type": "boolean", "currentValue": true},
            ]}),
            Update::ConfigOptions(vec![ConfigOption {
                id: "fast".into(),
                name: "Fast".into(),
                description: None,
                category: None,
                value: json!(true),
                choices: Vec::new(),
            }]),
        );
        let title = |title: Value| json!({"sessionUpdate": "session_info_update", "title": title});
        check(title(json!("Garden")), Update::Title(Some("Garden".into())));
        check(title(json!(null)), Update::Title(None));
        check_noise(
            title(json!(5)),
            "unreadable session/update: session_info_update: title:",
        );
        check_noise(
            json!({"sessionUpdate": "session_info_update", "updatedAt": "2026-01-01"}),
            "session_info_update with nothing new",
        );
    }

    #[test]
    fn usage_with_cost_and_odd_numbers() {
        let usage = |used, size, cost: Option<(f64, &str)>| {
            let cost = cost.map(|(amount, currency)| Cost {
                amount,
                currency: currency.into(),
            });
            Update::Usage(Usage { used, size, cost })
        };
        check(
            json!({"sessionUpdate": "usage_update", "used": 10, "size": 200, "cost": {"amount": 0.5, "currency": "USD"}}),
            usage(10, 200, Some((0.5, "USD"))),
        );
        check(
            json!({"sessionUpdate": "usage_update", "used": 10.7, "size": null}),
            usage(10, 0, None),
        );
        check_skipping(
            json!({"sessionUpdate": "usage_update", "used": 1, "size": "big", "cost": 3}),
            usage(1, 0, None),
            &["cost", "size"],
        );
        check_noise(
            json!({"sessionUpdate": "usage_update", "used": -1}),
            "unreadable session/update: usage_update:",
        );
    }

    #[test]
    fn what_is_not_known_is_named() {
        check_noise(
            json!({"sessionUpdate": "telepathy_update"}),
            "unknown kind of session/update: telepathy_update",
        );
        check_noise(
            json!({"sessionUpdate": null}),
            "unreadable session/update: no kind",
        );
        check_noise(
            json!(["agent_message_chunk"]),
            "unreadable session/update: invalid length",
        );
        for params in [
            "{}",
            "[]",
            r#"{"sessionId":5,"update":{}}"#,
            r#"{"update":{"sessionUpdate":"plan"}}"#,
        ] {
            let params = RawValue::from_string(params.to_owned()).unwrap();
            let read = session_update::<()>(Some(&params));
            assert!(
                matches!(read, Incoming::Noise(Noise::UnreadableUpdate { .. })),
                "{read:?}"
            );
        }
        assert!(matches!(
            session_update::<()>(None),
            Incoming::Noise(Noise::UnreadableUpdate { .. })
        ));
    }

    #[test]
    fn a_reason_is_short_whatever_it_quotes() {
        let long = "é".repeat(1 << 20);
        let Incoming::Noise(noise) = read(&json!({"sessionUpdate": "usage_update", "used": long})) else {
            panic!("a text is no number");
        };
        assert!(noise.to_string().len() < 400);
    }
}
