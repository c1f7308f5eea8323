//! Everything that can happen to a conversation, made up at random.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use pupitre_protocol::SurfaceId;
use pupitre_protocol::conversation::{
    AnsweredBy, Command, ConfigChoice, ConfigOption, Cost, Diff, ElicitationOutcome, Location, Login, Media,
    Mode, Modes, PermissionOption, PermissionOutcome, PlanEntry, Resource, StopReason, ToolKind, ToolStatus,
    Usage, Wanted,
};
use serde_json::json;

use super::Scene;
use crate::conversation::{Attachment, ToolPatch, TurnEnd, Update, Voice};

/// One thing that happens.
#[derive(Clone, Debug)]
pub(super) enum Operation {
    Send {
        text: String,
        attachments: Vec<Attachment>,
    },
    NextPrompt,
    Update(Update),
    /// Many short messages of the agent in a row, so that old ones are let go.
    Messages(usize),
    Ask {
        patch: ToolPatch,
        options: Vec<PermissionOption>,
    },
    /// Ends the open request at this place, counted round.
    Resolve {
        place: usize,
        outcome: PermissionOutcome,
    },
    Elicit(String),
    /// Ends the open question at this place, counted round.
    Answer {
        place: usize,
        outcome: ElicitationOutcome,
    },
    WantLogin(String),
    LoginDone,
    Cancel,
    /// Cancels the message at this place, counted round from the newest.
    CancelMessage {
        place: usize,
    },
    Withdraw {
        place: usize,
    },
    Abandon,
    End(TurnEnd),
    Unavailable(String),
    Ended(String),
    Restarted,
    SessionBegan,
    SessionOpens,
    PromptSent,
}

impl Scene {
    pub(super) fn perform(&mut self, operation: Operation) {
        let Self { conversation, stamps } = self;
        let at = |place: usize, count: usize| (count > 0).then(|| place % count);
        match operation {
            Operation::Send { text, attachments } => {
                // What is empty, or one too many, is refused; the tests of turns show it.
                conversation.send(text, attachments, stamps).ok();
            }
            Operation::NextPrompt => {
                conversation.next_prompt();
            }
            Operation::Update(update) => conversation.update(update, stamps),
            Operation::Messages(count) => {
                for number in 0..count {
                    let update = Update::Text {
                        voice: Voice::Answer,
                        message_id: Some(format!("many-{number}")),
                        text: format!("message {number}"),
                    };
                    conversation.update(update, stamps);
                }
            }
            Operation::Ask { patch, options } => {
                conversation.ask(patch, options, stamps);
            }
            Operation::Resolve { place, outcome } => {
                if let Some(place) = at(place, conversation.permissions().len()) {
                    let id = conversation.permissions()[place].id;
                    conversation.resolve(id, outcome);
                }
            }
            Operation::Elicit(message) => {
                let url = "https://example.org/".to_owned();
                conversation.elicit(&message, Wanted::Url { url }, stamps);
            }
            Operation::Answer { place, outcome } => {
                if let Some(place) = at(place, conversation.elicitations().len()) {
                    let id = conversation.elicitations()[place].id;
                    conversation.resolve_elicitation(id, outcome);
                }
            }
            Operation::WantLogin(message) => conversation.want_login(Login {
                message,
                methods: Vec::new(),
            }),
            Operation::LoginDone => conversation.login_done(),
            Operation::Cancel => {
                conversation.cancel();
            }
            Operation::CancelMessage { place } | Operation::Withdraw { place } => {
                let newest_first: Vec<_> = self.messages().iter().rev().map(|message| message.id).collect();
                if let Some(place) = at(place, newest_first.len().min(20)) {
                    let id = newest_first[place];
                    if let Operation::Withdraw { .. } = operation {
                        self.conversation.withdraw(id).ok();
                    } else {
                        self.conversation.cancel_message(id);
                    }
                }
            }
            Operation::Abandon => conversation.abandon_turn(stamps),
            Operation::End(end) => conversation.end_turn(end, stamps),
            Operation::Unavailable(error) => conversation.agent_unavailable(&error, stamps),
            Operation::Ended(reason) => conversation.agent_ended(&reason, stamps),
            Operation::Restarted => conversation.agent_restarted(stamps),
            Operation::SessionBegan => conversation.session_began(),
            Operation::SessionOpens => conversation.session_opens(),
            Operation::PromptSent => conversation.prompt_sent(),
        }
    }
}

/// How long the texts are that agents send, in characters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lengths {
    pub(super) longest: usize,
    /// Of a hundred texts, so many are long.
    pub(super) long_percent: u32,
}

/// Texts of any length, of characters that JSON writes with one byte, with two, with six, or that UTF-8 writes with four.
fn text(lengths: Lengths) -> BoxedStrategy<String> {
    let unit = prop_oneof![
        6 => Just("word "),
        1 => Just("\n"),
        1 => Just("\u{1}"),
        1 => Just("é🦉"),
    ];
    let short = (unit.clone(), 0_usize..9).prop_map(|(unit, count)| unit.repeat(count));
    let long =
        (unit, 0..=lengths.longest).prop_map(|(unit, length)| unit.repeat(length / unit.chars().count()));
    prop_oneof![
        100 - lengths.long_percent => short,
        lengths.long_percent => long,
    ]
    .boxed()
}

fn status() -> impl Strategy<Value = ToolStatus> {
    prop_oneof![
        Just(ToolStatus::Pending),
        Just(ToolStatus::InProgress),
        Just(ToolStatus::Completed),
        Just(ToolStatus::Failed),
    ]
}

/// Lists of a few items of any length, or of many that are not long.
fn list<Item>(
    item: impl Fn(Lengths) -> Item,
    lengths: Lengths,
    most_times: usize,
) -> impl Strategy<Value = Vec<Item::Value>>
where
    Item: Strategy + 'static,
    Item::Value: Clone,
{
    let shorter = Lengths {
        longest: lengths.longest.min(3_000),
        ..lengths
    };
    let repeated = |items: Vec<Item::Value>, times: usize| {
        let count = items.len() * times;
        items.into_iter().cycle().take(count).collect::<Vec<_>>()
    };
    prop_oneof![
        vec(item(lengths), 0..4),
        (vec(item(shorter), 1..4), 1..most_times).prop_map(move |(items, times)| repeated(items, times)),
    ]
}

fn location(lengths: Lengths) -> impl Strategy<Value = Location> {
    text(lengths).prop_map(|path| Location { path, line: Some(7) })
}

fn diffs(lengths: Lengths) -> impl Strategy<Value = Vec<Diff>> {
    let diff =
        (text(lengths), option::of(text(lengths)), text(lengths)).prop_map(|(path, old_text, new_text)| {
            Diff {
                path,
                new_file: old_text.is_none(),
                old_text,
                new_text,
            }
        });
    vec(diff, 0..4)
}

/// Patches of one of a few tool calls.
pub(super) fn patch(lengths: Lengths) -> impl Strategy<Value = ToolPatch> {
    let id = prop_oneof![
        4 => (0..3_u32).prop_map(|number| format!("few-{number}")),
        4 => (0..400_u32).prop_map(|number| format!("many-{number}")),
        1 => text(lengths),
    ];
    (
        id,
        option::of(text(lengths)),
        option::of(status()),
        option::of(text(lengths)),
        option::of(text(lengths)),
        option::of(list(location, lengths, 200)),
        option::of(diffs(lengths)),
        option::of(vec((1..u64::MAX).prop_map(SurfaceId), 0..40)),
    )
        .prop_map(
            |(id, title, status, input, output, locations, diffs, panes)| ToolPatch {
                id,
                title,
                kind: status.map(|_| ToolKind::Execute),
                status,
                input,
                output,
                locations,
                diffs,
                panes,
            },
        )
}

fn plan_entry(lengths: Lengths) -> impl Strategy<Value = PlanEntry> {
    (text(lengths), text(lengths)).prop_map(|(content, status)| PlanEntry {
        content,
        priority: "medium".into(),
        status,
    })
}

fn command(lengths: Lengths) -> impl Strategy<Value = Command> {
    (text(lengths), text(lengths), option::of(text(lengths))).prop_map(|(name, description, hint)| Command {
        name,
        description,
        hint,
    })
}

fn mode(lengths: Lengths) -> impl Strategy<Value = Mode> {
    (text(lengths), text(lengths), option::of(text(lengths))).prop_map(|(id, name, description)| Mode {
        id,
        name,
        description,
    })
}

fn choice(lengths: Lengths) -> impl Strategy<Value = ConfigChoice> {
    let text = move || text(lengths);
    (text(), text(), option::of(text()), option::of(text())).prop_map(|(value, name, description, group)| {
        ConfigChoice {
            value,
            name,
            description,
            group,
        }
    })
}

fn config_option(lengths: Lengths) -> impl Strategy<Value = ConfigOption> {
    let text = move || text(lengths);
    let labels = (text(), text(), option::of(text()), option::of(text()));
    (labels, text(), list(choice, lengths, 50)).prop_map(
        |((id, name, description, category), value, choices)| ConfigOption {
            id,
            name,
            description,
            category,
            value: json!(value),
            choices,
        },
    )
}

fn usage(lengths: Lengths) -> impl Strategy<Value = Usage> {
    (any::<u32>(), option::of(text(lengths))).prop_map(|(used, currency)| Usage {
        used: u64::from(used),
        size: 0,
        cost: currency.map(|currency| Cost {
            amount: 0.5,
            currency,
        }),
    })
}

fn session_update(lengths: Lengths) -> impl Strategy<Value = Update> {
    let modes = (text(lengths), list(mode, lengths, 50));
    prop_oneof![
        usage(lengths).prop_map(Update::Usage),
        list(command, lengths, 200).prop_map(Update::Commands),
        modes.prop_map(|(current, available)| Update::Modes(Modes { current, available })),
        text(lengths).prop_map(Update::CurrentMode),
        list(config_option, lengths, 20).prop_map(Update::ConfigOptions),
        option::of(text(lengths)).prop_map(Update::Title),
    ]
}

fn message_id() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        3 => Just(None),
        1 => (0..3_u32).prop_map(|number| Some(format!("message-{number}"))),
    ]
}

fn media(lengths: Lengths) -> impl Strategy<Value = Media> {
    (text(lengths), text(lengths), option::of(text(lengths))).prop_map(|(mime_type, data, uri)| Media {
        mime_type,
        data,
        uri,
        truncated: false,
    })
}

pub(super) fn update(lengths: Lengths) -> impl Strategy<Value = Update> {
    let text = move || text(lengths);
    let voice = prop_oneof![3 => Just(Voice::Answer), 1 => Just(Voice::Thought)];
    let resource = (text(), option::of(text()), option::of(text()), option::of(text())).prop_map(
        |(uri, name, mime_type, text)| Resource {
            uri,
            name,
            mime_type,
            text,
            truncated: false,
        },
    );
    prop_oneof![
        8 => (voice, message_id(), text()).prop_map(|(voice, message_id, text)| Update::Text {
            voice,
            message_id,
            text
        }),
        1 => (message_id(), media(lengths)).prop_map(|(message_id, image)| Update::Image { message_id, image }),
        1 => (message_id(), resource).prop_map(|(message_id, resource)| Update::Resource {
            message_id,
            resource
        }),
        3 => patch(lengths).prop_map(Update::ToolCall),
        5 => patch(lengths).prop_map(Update::Tool),
        1 => list(plan_entry, lengths, 200).prop_map(Update::Plan),
        2 => session_update(lengths),
    ]
}

fn attachments(lengths: Lengths) -> impl Strategy<Value = Vec<Attachment>> {
    let file = text(lengths).prop_map(|name| Attachment::File {
        uri: "file:///a/b".into(),
        bytes: 3,
        name: name.chars().take(255).collect(),
        mime_type: None,
    });
    let image = (0..=lengths.longest).prop_map(|length| Attachment::Image {
        uri: "file:///a/b.png".into(),
        bytes: 3,
        image: Media {
            mime_type: "image/png".into(),
            data: "A".repeat(length),
            uri: None,
            truncated: false,
        },
    });
    prop_oneof![
        4 => Just(Vec::new()),
        1 => vec(prop_oneof![file, image], 1..4),
    ]
}

fn turn_end(lengths: Lengths) -> impl Strategy<Value = TurnEnd> {
    prop_oneof![
        3 => prop_oneof![
            Just(StopReason::EndTurn),
            Just(StopReason::Cancelled),
            Just(StopReason::MaxTokens),
            Just(StopReason::MaxTurnRequests),
            Just(StopReason::Refusal),
        ]
        .prop_map(TurnEnd::Stopped),
        1 => text(lengths).prop_map(TurnEnd::Unclear),
        1 => text(lengths).prop_map(TurnEnd::Failed),
    ]
}

fn permission_option(lengths: Lengths) -> impl Strategy<Value = PermissionOption> {
    (text(lengths), text(lengths), text(lengths)).prop_map(|(option_id, name, kind)| PermissionOption {
        option_id,
        name,
        kind,
    })
}

fn permission_options(lengths: Lengths) -> impl Strategy<Value = Vec<PermissionOption>> {
    let usual = ["allow_once", "allow_always", "reject_once"].map(|kind| PermissionOption {
        option_id: kind.into(),
        name: kind.into(),
        kind: kind.into(),
    });
    prop_oneof![
        3 => Just(usual.to_vec()),
        1 => list(permission_option, lengths, 20),
    ]
}

fn outcome() -> impl Strategy<Value = PermissionOutcome> {
    prop_oneof![
        Just(PermissionOutcome::Selected {
            answered_by: AnsweredBy::Program,
            option_id: "allow_once".into()
        }),
        Just(PermissionOutcome::Selected {
            answered_by: AnsweredBy::Program,
            option_id: "reject_once".into()
        }),
        Just(PermissionOutcome::Dismissed {
            answered_by: AnsweredBy::Rule
        }),
        Just(PermissionOutcome::Withdrawn),
    ]
}

/// Any one operation.
pub(super) fn operation(lengths: Lengths) -> impl Strategy<Value = Operation> {
    // A request carries at most 1 MiB, so no text that is sent is longer, as JSON.
    let sendable = Lengths {
        longest: lengths.longest.min(160 << 10),
        ..lengths
    };
    let place = 0_usize..20;
    prop_oneof![
        6 => (text(sendable), attachments(sendable))
            .prop_map(|(text, attachments)| Operation::Send { text, attachments }),
        4 => Just(Operation::NextPrompt),
        40 => update(lengths).prop_map(Operation::Update),
        1 => (0_usize..250).prop_map(Operation::Messages),
        4 => (patch(lengths), permission_options(lengths))
            .prop_map(|(patch, options)| Operation::Ask { patch, options }),
        3 => (place.clone(), outcome()).prop_map(|(place, outcome)| Operation::Resolve { place, outcome }),
        2 => text(lengths).prop_map(Operation::Elicit),
        1 => place.clone().prop_map(|place| Operation::Answer {
            place,
            outcome: ElicitationOutcome::Withdrawn
        }),
        1 => text(lengths).prop_map(Operation::WantLogin),
        1 => Just(Operation::LoginDone),
        1 => Just(Operation::Cancel),
        1 => place.clone().prop_map(|place| Operation::CancelMessage { place }),
        1 => place.prop_map(|place| Operation::Withdraw { place }),
        2 => Just(Operation::Abandon),
        4 => turn_end(lengths).prop_map(Operation::End),
        1 => text(lengths).prop_map(Operation::Unavailable),
        1 => text(lengths).prop_map(Operation::Ended),
        1 => Just(Operation::Restarted),
        1 => Just(Operation::SessionBegan),
        1 => Just(Operation::SessionOpens),
        4 => Just(Operation::PromptSent),
    ]
}
