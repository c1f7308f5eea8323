//! Whatever is recorded, in whatever batches, is read back as it was.

use std::collections::BTreeMap;

use proptest::prelude::*;
use pupitre_model::conversation::{Attachment, WholeField, compose};
use pupitre_model::reason::Reason;
use pupitre_protocol::Cause;
use pupitre_protocol::conversation::{
    AnsweredBy, Diff, Media, Part, PermissionOption, PermissionOutcome, PlanEntry, Resource, ToolStatus,
};
use pupitre_protocol::limits::FIELD_BYTES;

use super::*;

/// Something that happens to a conversation.
#[derive(Debug, Clone)]
enum Step {
    Send(String),
    SendImage(usize),
    Say {
        voice: bool,
        message: Option<u8>,
        text: String,
    },
    Tool {
        id: u8,
        output: Option<usize>,
        input: bool,
        diff: Option<usize>,
        is_over: bool,
    },
    Plan(u8),
    Image(usize),
    Resource(usize),
    Usage(u64),
    Title(String),
    Ask(u8),
    Answer,
    End(bool),
    Next,
    Cancel,
    Abandon,
    AgentEnded,
    /// What changed so far is handed over.
    Record,
}

fn length() -> impl Strategy<Value = usize> {
    prop_oneof![6 => 0..2_000_usize, 1 => Just(FIELD_BYTES + 10), 1 => Just(3 * FIELD_BYTES)]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => ".{0,20}".prop_map(Step::Send),
        1 => length().prop_map(Step::SendImage),
        8 => (any::<bool>(), proptest::option::weighted(0.2, 0..3_u8), ".{0,30}")
            .prop_map(|(voice, message, text)| Step::Say { voice, message, text }),
        5 => (0..4_u8, proptest::option::of(length()), any::<bool>(), proptest::option::weighted(0.3, length()), any::<bool>())
            .prop_map(|(id, output, input, diff, is_over)| Step::Tool { id, output, input, diff, is_over }),
        1 => (0..4_u8).prop_map(Step::Plan),
        1 => length().prop_map(Step::Image),
        1 => length().prop_map(Step::Resource),
        1 => (0..9_u64).prop_map(Step::Usage),
        1 => ".{0,9}".prop_map(Step::Title),
        1 => (0..4_u8).prop_map(Step::Ask),
        1 => Just(Step::Answer),
        3 => any::<bool>().prop_map(Step::End),
        3 => Just(Step::Next),
        1 => Just(Step::Cancel),
        1 => Just(Step::Abandon),
        1 => Just(Step::AgentEnded),
        6 => Just(Step::Record),
    ]
}

fn perform(conversation: &mut Conversation, step: Step, stamps: &mut Counter) {
    match step {
        Step::Send(text) => {
            drop(conversation.send(text, Vec::new(), stamps));
            conversation.prompt_sent();
        }
        Step::SendImage(length) => {
            let image = Media {
                mime_type: "image/png".into(),
                data: "A".repeat(length),
                uri: None,
                truncated: false,
            };
            let attachment = Attachment::Image {
                uri: "file:///a.png".into(),
                bytes: length as u64,
                image,
            };
            drop(conversation.send(String::new(), vec![attachment], stamps));
            conversation.prompt_sent();
        }
        Step::Say { voice, message, text } => {
            let voice = if voice { Voice::Answer } else { Voice::Thought };
            let message_id = message.map(|id| id.to_string());
            conversation.update(
                Update::Text {
                    voice,
                    message_id,
                    text,
                },
                stamps,
            );
        }
        Step::Tool {
            id,
            output,
            input,
            diff,
            is_over,
        } => {
            conversation.update(
                Update::Tool(ToolPatch {
                    id: id.to_string(),
                    output: output.map(|length| "\"\n".repeat(length / 2)),
                    input: input.then(|| "{\"a\":1}".to_owned()),
                    diffs: diff.map(|length| vec![diff_of(length)]),
                    status: is_over.then_some(ToolStatus::Completed),
                    ..ToolPatch::default()
                }),
                stamps,
            );
        }
        Step::Plan(count) => {
            let entry = |n: u8| PlanEntry {
                content: n.to_string(),
                priority: "low".into(),
                status: "pending".into(),
            };
            conversation.update(Update::Plan((0..count).map(entry).collect()), stamps);
        }
        Step::Image(length) => {
            let image = Media {
                mime_type: "image/png".into(),
                data: "B".repeat(length),
                uri: None,
                truncated: false,
            };
            conversation.update(
                Update::Image {
                    message_id: None,
                    image,
                },
                stamps,
            );
        }
        Step::Resource(length) => {
            let text = Some("ü".repeat(length));
            let resource = Resource {
                uri: "file:///r".into(),
                name: None,
                mime_type: None,
                text,
                truncated: false,
            };
            conversation.update(
                Update::Resource {
                    message_id: None,
                    resource,
                },
                stamps,
            );
        }
        Step::Usage(used) => conversation.update(
            Update::Usage(Usage {
                used,
                size: 10,
                cost: None,
            }),
            stamps,
        ),
        Step::Title(title) => conversation.update(Update::Title(Some(title)), stamps),
        Step::Ask(id) => {
            let option = PermissionOption {
                option_id: "yes".into(),
                name: "Yes".into(),
                kind: "allow_once".into(),
            };
            conversation.ask(
                ToolPatch {
                    id: id.to_string(),
                    ..ToolPatch::default()
                },
                vec![option],
                stamps,
            );
        }
        Step::Answer => {
            if let Some(id) = conversation.permissions().first().map(|permission| permission.id) {
                conversation.resolve(
                    id,
                    PermissionOutcome::Selected {
                        answered_by: AnsweredBy::Program,
                        option_id: "yes".into(),
                    },
                );
            }
        }
        Step::End(true) => conversation.end_turn(TurnEnd::Stopped(StopReason::EndTurn), stamps),
        Step::End(false) => conversation.end_turn(TurnEnd::Failed("it broke".into()), stamps),
        Step::Next => {
            drop(conversation.next_prompt());
            conversation.prompt_sent();
        }
        Step::Cancel => drop(conversation.cancel()),
        Step::Abandon => conversation.abandon_turn(stamps),
        Step::AgentEnded => {
            conversation.agent_ended(Reason::new("crashed", Cause::Exited { code: 3 }), stamps)
        }
        Step::Record => {}
    }
}

fn diff_of(length: usize) -> Diff {
    let old_text = Some("é".repeat(length / 2));
    Diff {
        path: "src/a.rs".into(),
        old_text,
        new_text: "n".repeat(length),
        new_file: false,
    }
}

fn header_of(stored: Stored) -> Header {
    let Stored {
        id,
        agent,
        cwd,
        title,
        created_at,
        rev,
        total,
        usage,
        newest: _,
    } = stored;
    Header {
        id,
        agent,
        cwd,
        title,
        created_at,
        rev,
        total,
        usage,
    }
}

/// The wholes that a client of `chat.part` should get, by message and part.
type Wholes = BTreeMap<(MessageId, u32), BTreeMap<WholeField, String>>;

fn note_wholes(wholes: &mut Wholes, revisions: &[Revision]) {
    for revision in revisions {
        if let Change::Whole {
            message,
            index,
            field,
            text,
        } = &revision.change
        {
            let part = wholes.entry((*message, *index)).or_default();
            match text {
                Some(text) => drop(part.insert(*field, text.clone())),
                None => drop(part.remove(field)),
            }
        }
    }
}

fn run(work: impl Future<Output = Result<(), TestCaseError>>) -> Result<(), TestCaseError> {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(work)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn what_was_recorded_is_read_back(steps in proptest::collection::vec(step(), 1..80), limit in 1..30_usize) {
        run(async {
            let mut stamps = Counter(0);
            let mut conversation = conversation(&mut stamps);
            let mut wholes = Wholes::new();
            let running = Running::start(Place::Memory);
            running.history.make_current(CONFIG.into(), Header::of(&conversation));
            for step in steps.into_iter().chain([Step::Record]) {
                let is_record = matches!(step, Step::Record);
                perform(&mut conversation, step, &mut stamps);
                if is_record && conversation.has_revisions() {
                    let revisions = conversation.take_revisions();
                    note_wholes(&mut wholes, &revisions);
                    running.history.record(Header::of(&conversation), revisions);
                }
            }
            let held = held(&conversation);
            let TakenUp { stored, session, .. } = running.history.load(conversation.id()).await.unwrap().unwrap();
            let newest_at = held.len() - stored.newest.len();
            prop_assert_eq!(&stored.newest, &held[newest_at..]);
            prop_assert!(newest_at == 0 || stored.newest.len() > 2);
            prop_assert_eq!(session, None);
            prop_assert_eq!(header_of(stored), Header::of(&conversation));
            prop_assert_eq!(kept(&running.history, conversation.id(), limit).await, held.clone());
            for ((message, index), wholes) in wholes {
                let part = held.iter().find(|kept| kept.id == message).unwrap().parts[index as usize].clone();
                let json = whole_part(&running.history, message, index).await;
                let read: Part = serde_json::from_str(&json).unwrap();
                prop_assert_eq!(read, compose(part, wholes.into_iter().collect()));
            }
            running.stop();
            Ok(())
        })?;
    }
}

#[tokio::test]
async fn thirteen_megabytes_come_back_in_windows() {
    let mut stamps = Counter(0);
    let mut conversation = conversation(&mut stamps);
    let running = Running::start(Place::Memory);
    let output: String = (0..1_000_000).map(|n| format!("línea {n}\n")).collect();
    assert!(output.len() > 13 << 20);
    tool_output(&mut conversation, "big", output.clone(), &mut stamps);
    running.record(&mut conversation);
    let message = held(&conversation).remove(0);
    assert!(serde_json::to_string(&message).unwrap().len() < 1 << 20);
    let read: Part = serde_json::from_str(&whole_part(&running.history, message.id, 0).await).unwrap();
    let Part::Tool { tool } = read else {
        panic!("{read:?}")
    };
    assert!(tool.output.as_deref() == Some(output.as_str()));
    assert!(!tool.truncated);
    assert_eq!(running.history.part(message.id, 1, 0).await.unwrap(), None);
    assert_eq!(
        running
            .history
            .part(MessageId(stamps.new_id()), 0, 0)
            .await
            .unwrap(),
        None
    );
    running.stop();
}

#[tokio::test]
async fn windows_of_a_part_that_changes_are_of_one_text() {
    let mut stamps = Counter(0);
    let mut conversation = conversation(&mut stamps);
    let running = Running::start(Place::Memory);
    tool_output(&mut conversation, "big", "a".repeat(2 << 20), &mut stamps);
    running.record(&mut conversation);
    let message = held(&conversation).remove(0).id;
    let first = running.history.part(message, 0, 0).await.unwrap().unwrap();
    tool_output(&mut conversation, "big", "b".repeat(3 << 20), &mut stamps);
    running.record(&mut conversation);
    let second = running
        .history
        .part(message, 0, first.next.unwrap())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(second.bytes, first.bytes);
    assert!(!second.json.contains("bbb"));
    let again = whole_part(&running.history, message, 0).await;
    assert!(again.contains(&"b".repeat(3 << 20)) && !again.contains("aaa"));
    running.stop();
}

#[tokio::test]
async fn a_session_is_kept_even_when_it_began_before_the_first_message() {
    let mut stamps = Counter(0);
    let mut conversation = conversation(&mut stamps);
    let id = conversation.id();
    let running = Running::start(Place::Memory);
    running.history.set_session(id, Some("first".into()));
    assert_eq!(running.history.load(id).await.unwrap(), None);
    exchange(&mut conversation, "hello", "there", &mut stamps);
    running
        .history
        .make_current(CONFIG.into(), Header::of(&conversation));
    running.record(&mut conversation);
    let session = async || {
        running
            .history
            .current(CONFIG.into(), agent("demo"))
            .await
            .unwrap()
            .unwrap()
            .session
    };
    assert_eq!(session().await.as_deref(), Some("first"));
    running.history.set_session(id, Some("second".into()));
    assert_eq!(session().await.as_deref(), Some("second"));
    running.history.set_session(id, None);
    assert_eq!(session().await, None);
    running.stop();
}

#[tokio::test]
async fn permission_requests_and_their_answers_are_kept() {
    let mut stamps = Counter(0);
    let mut conversation = conversation(&mut stamps);
    let running = Running::start(Place::Memory);
    conversation.send("go".into(), Vec::new(), &mut stamps).unwrap();
    conversation.prompt_sent();
    perform(&mut conversation, Step::Ask(1), &mut stamps);
    perform(&mut conversation, Step::Ask(2), &mut stamps);
    running.record(&mut conversation);
    perform(&mut conversation, Step::Answer, &mut stamps);
    running.record(&mut conversation);
    running.history.flush().await.unwrap();
    let rows = running
        .inspect(|connection| {
            let mut statement = connection
                .prepare("SELECT tool, outcome, resolved_at IS NOT NULL, options FROM permission ORDER BY id")
                .unwrap();
            let rows = statement.query_map([], |row| {
                let (tool, outcome, options): (String, Option<String>, String) =
                    (row.get(0)?, row.get(1)?, row.get(3)?);
                assert!(options.contains("allow_once"));
                Ok((tool, outcome, row.get::<_, bool>(2)?))
            });
            rows.unwrap().collect::<Result<Vec<_>, _>>().unwrap()
        })
        .await;
    let chosen = r#"{"outcome":"selected","optionId":"yes","answeredBy":"program"}"#;
    assert_eq!(
        rows,
        [("1".into(), Some(chosen.into()), true), ("2".into(), None, false)]
    );
    running.stop();
}
