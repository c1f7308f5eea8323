//! Every recording of a real agent, through the daemon: its turns are driven as the recorded client drove them, and
//! what the conversation shows is compared with what the agent said. A replica that follows the events must hold the same.

mod recording;

use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Instant;

use pupitre_client::Client;
use pupitre_protocol::agent::{AgentParams, TraceDirection, TraceEntry};
use pupitre_protocol::conversation::{
    AnswerPermissionParams, CancelParams, ConversationView, Part, PermissionOption, Role, StopReason,
    SystemCode,
};
use pupitre_protocol::event::Event;
use pupitre_protocol::method::{agent, chat};
use pupitre_protocol::{MessageId, Method, PermissionId};
use pupitre_testkit::fixtures;
use pupitre_testkit::transcript::{
    EndCause, Opening, PermissionAnswer, RecordedTurn, Transcript, TurnOutcome,
};

use crate::support::{Desk, EndedTurn, Follower, PATIENCE, Report, agent_name, fake_replay, text_of_turn};
use recording::Recording;

/// One recording with the agent that replays it.
struct Case {
    /// The agent's name in the configuration.
    name: String,
    recording: Recording,
    report: Report,
}

/// Replays all recordings of one agent, and checks that there are so many.
fn check(agent: &str, recordings: usize) {
    let mut desk = Desk::without_daemon(&[]);
    let paths: Vec<PathBuf> = fixtures::transcripts()
        .into_iter()
        .filter(|path| path.file_stem().unwrap().to_str().unwrap().split('.').next() == Some(agent))
        .collect();
    assert_eq!(paths.len(), recordings, "{paths:#?}");
    let mut agents = Vec::new();
    let mut cases = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap().to_str().unwrap().replace('.', "-");
        let (agent, report) = fake_replay(&desk, &name, &path);
        agents.push(agent);
        cases.push(Case {
            name,
            recording: Recording::new(Transcript::load(&path).unwrap()),
            report,
        });
    }
    desk.write_config(&agents);
    desk.start_daemon();
    // Side by side at their ends: many of these agents stay until a signal comes, which takes its time.
    let ends: Vec<_> = cases.iter().map(|case| play(&desk, case)).collect();
    for end in ends {
        end.join().expect("the agent could be stopped");
    }
    for case in &cases {
        println!("{}: the fake reports {:?}", case.name, case.report.lines());
        case.report.expect_ok(1, &desk);
    }
}

/// Plays a recording up to its end, which happens on a thread of its own.
fn play(desk: &Desk, case: &Case) -> JoinHandle<()> {
    println!("{}", case.name);
    let transcript = &case.recording.transcript;
    let mut follower = Follower::new(desk, &case.name);
    match transcript.opening() {
        Opening::Ready { .. } => {}
        Opening::NoHandshake | Opening::SessionRefused { .. } => {
            let sent = desk.send(&case.name, "Hello?");
            let mut wants_login = false;
            let ended = loop {
                let frame = follower.next(&format!("{} refuses", case.name));
                if wants_login_now(&frame.event, &case.name).is_some() {
                    wants_login = true;
                    cancel(desk, &case.name);
                }
                if let Some(ended) = EndedTurn::of(&frame, sent.message_id) {
                    break ended;
                }
            };
            let told = (ended.message.code, ended.stop_reason);
            let expected = if wants_login {
                (None, Some(StopReason::Cancelled))
            } else {
                (Some(SystemCode::AgentUnavailable), None)
            };
            assert_eq!(told, expected, "{}: {ended:#?}", case.name);
            assert!(!follower.expect_same().busy);
            return stop_apart(desk, &case.name);
        }
    }
    let turns = transcript.turns();
    let mut stopping = None;
    for (index, turn) in turns.iter().enumerate() {
        let running = RunningTurn {
            desk,
            case,
            follower: &mut follower,
            turn,
            text: case.recording.text(index, desk),
            text_before_cancel: case.recording.text_before_cancel(index, desk),
            id: desk.send(&case.name, &turn.prompt).message_id,
            asked: 0,
            cancelled: false,
            login: None,
        };
        let (ended, login) = running.play(&mut stopping);
        match (login, &turn.outcome) {
            (Some(login), TurnOutcome::Failed { message, .. }) => {
                assert!(login.contains(message.as_str()), "{}: {login}", case.name);
                assert_eq!(ended.stop_reason, Some(StopReason::Cancelled), "{}", case.name);
            }
            (Some(login), outcome) => panic!("{}: {login}, and not {outcome:?}", case.name),
            (None, _) => check_end(case, turn, &ended),
        }
    }
    let view = follower.expect_same();
    check_conversation(case, &view, &turns);
    stopping.unwrap_or_else(|| stop_apart(desk, &case.name))
}

/// Returns what an agent says when it wants a login.
fn wants_login_now<'event>(event: &'event Event, name: &str) -> Option<&'event str> {
    match event {
        Event::TurnChanged(changed) if changed.agent.as_str() == name => {
            changed.login.as_ref().map(|login| login.message.as_str())
        }
        _ => None,
    }
}

fn cancel(desk: &Desk, name: &str) {
    let reply = desk.call::<chat::Cancel>(CancelParams {
        agent: agent_name(name),
        message_id: None,
    });
    assert!(reply.cancelled, "{name}: a turn runs");
}

/// A turn that is driven as the recorded client drove it.
struct RunningTurn<'case, 'desk> {
    desk: &'case Desk,
    case: &'case Case,
    follower: &'case mut Follower<'desk>,
    turn: &'case RecordedTurn,
    /// All that the agent says in it.
    text: String,
    text_before_cancel: String,
    id: MessageId,
    /// How many permission requests came.
    asked: usize,
    cancelled: bool,
    /// What the agent said when it wanted a login, which nobody gives here.
    login: Option<String>,
}

impl RunningTurn<'_, '_> {
    /// Returns how the turn ended; where the recording left it open, because the agent was stopped or ended.
    fn play(mut self, stopping: &mut Option<JoinHandle<()>>) -> (EndedTurn, Option<String>) {
        let is_open = self.turn.outcome == TurnOutcome::Open;
        if is_open {
            self.wait_until_prompted();
        }
        let mut ended = None;
        loop {
            self.cancel_when_due();
            let says_all =
                self.asked >= self.turn.permissions.len() && self.follower.text(self.id) == self.text;
            if is_open && stopping.is_none() && says_all {
                match self.case.recording.transcript.ending().cause {
                    EndCause::StdinClosed | EndCause::Terminated => {
                        *stopping = Some(stop_apart(self.desk, &self.case.name));
                    }
                    // It ends without our doing.
                    EndCause::Killed | EndCause::Itself => {}
                }
            }
            // What is said behind the end of a turn still belongs to it.
            if let Some(ended) = ended.take_if(|_| is_open || says_all) {
                return (ended, self.login);
            }
            let frame = self.follower.next(&format!("{} goes on", self.case.name));
            match &frame.event {
                Event::PermissionRequested(asked) if asked.agent.as_str() == self.case.name => {
                    self.take_permission(asked.id, &asked.options);
                }
                event if wants_login_now(event, &self.case.name).is_some() => {
                    self.login = wants_login_now(event, &self.case.name).map(str::to_owned);
                    cancel(self.desk, &self.case.name);
                }
                _ => ended = ended.or_else(|| EndedTurn::of(&frame, self.id)),
            }
        }
    }

    /// Waits until the agent was given the prompt: some then say nothing that a client could wait for.
    fn wait_until_prompted(&self) {
        let deadline = Instant::now() + PATIENCE;
        let prompt = |entry: &TraceEntry| {
            entry.direction == TraceDirection::ToAgent && entry.text.contains("\"session/prompt\"")
        };
        loop {
            let trace = self.desk.call::<agent::Trace>(AgentParams {
                agent: agent_name(&self.case.name),
            });
            if trace.entries.iter().any(prompt) {
                return;
            }
            assert!(Instant::now() < deadline, "{} was not prompted", self.case.name);
        }
    }

    fn take_permission(&mut self, id: PermissionId, options: &[PermissionOption]) {
        let answer = self.turn.permissions.get(self.asked);
        self.asked += 1;
        let is_open_at_cancel = self
            .turn
            .cancel
            .is_some_and(|cancel| cancel.after_permissions == self.asked);
        let option_id = match answer {
            Some(PermissionAnswer::Selected { option_id, kind }) => {
                let offered = options.iter().find(|option| option.option_id == *option_id);
                assert_eq!(
                    offered.map(|option| &option.kind),
                    Some(kind),
                    "{}",
                    self.case.name
                );
                Some(option_id.clone())
            }
            Some(PermissionAnswer::Cancelled) if is_open_at_cancel => return,
            Some(PermissionAnswer::Cancelled) => None,
            // The recording ended before it was answered.
            None => return,
        };
        self.desk
            .call::<chat::AnswerPermission>(AnswerPermissionParams { id, option_id });
    }

    fn cancel_when_due(&mut self) {
        let Some(point) = self.turn.cancel else { return };
        let is_due = self.asked >= point.after_permissions
            && self.follower.text(self.id).starts_with(&self.text_before_cancel);
        if self.cancelled || !is_due {
            return;
        }
        self.cancelled = true;
        cancel(self.desk, &self.case.name);
    }
}

fn check_end(case: &Case, turn: &RecordedTurn, ended: &EndedTurn) {
    let name = &case.name;
    match &turn.outcome {
        // A turn that was cancelled ends as cancelled, whatever the agent says.
        TurnOutcome::Stopped { .. } | TurnOutcome::Failed { .. } if turn.cancel.is_some() => {
            assert_eq!(
                ended.stop_reason,
                Some(StopReason::Cancelled),
                "{name}: {ended:#?}"
            );
        }
        TurnOutcome::Stopped { reason } => {
            let told = serde_json::to_value(ended.stop_reason).unwrap();
            assert_eq!(told, serde_json::json!(reason), "{name}: {ended:#?}");
            assert_eq!(ended.error, None, "{name}");
        }
        TurnOutcome::Failed { message, .. } => {
            assert_eq!(ended.stop_reason, None, "{name}: {ended:#?}");
            let error = ended.error.as_deref().unwrap_or_default();
            assert!(
                error.contains(message.as_str()),
                "{name}: {message:?} in {error:?}"
            );
        }
        TurnOutcome::Open => match case.recording.transcript.ending().cause {
            EndCause::StdinClosed | EndCause::Terminated => {
                assert_eq!(
                    ended.stop_reason,
                    Some(StopReason::Cancelled),
                    "{name}: {ended:#?}"
                );
            }
            EndCause::Killed => {
                let error = ended.error.as_deref().unwrap_or_default();
                assert!(
                    error.contains("killed by signal 9 (SIGKILL)"),
                    "{name}: {error:?}"
                );
            }
            EndCause::Itself => assert!(ended.error.is_some(), "{name}: {ended:#?}"),
        },
    }
}

/// No turn is left open, and so is no tool call of a turn that was cancelled.
fn check_conversation(case: &Case, view: &ConversationView, turns: &[RecordedTurn]) {
    let name = &case.name;
    assert!(
        !view.busy && view.permissions.is_empty() && view.queued == 0,
        "{name}: {view:#?}"
    );
    let prompts: Vec<MessageId> = view
        .messages
        .iter()
        .filter(|message| message.role == Role::User)
        .map(|message| message.id)
        .collect();
    assert_eq!(prompts.len(), turns.len(), "{name}");
    for (id, turn) in prompts.into_iter().zip(turns) {
        let answers = view
            .messages
            .iter()
            .filter(|message| message.role == Role::Agent && message.turn == Some(id));
        let ends = answers
            .clone()
            .filter(|message| message.stop_reason.is_some() || message.error.is_some());
        assert_eq!(ends.count(), 1, "{name}: a turn has one end: {view:#?}");
        assert!(answers.clone().all(|message| message.done), "{name}: {view:#?}");
        assert!(text_of_turn(view, id).contains(&turn.text), "{name}");
        let unfinished = answers
            .flat_map(|message| &message.parts)
            .filter(|part| matches!(part, Part::Tool { tool } if !tool.status.is_final()));
        if turn.cancel.is_some() {
            assert_eq!(unfinished.count(), 0, "{name}: {view:#?}");
        }
    }
}

/// Stops an agent, while the test goes on.
fn stop_apart(desk: &Desk, name: &str) -> JoinHandle<()> {
    let mut client: Client = desk.client();
    let params = AgentParams {
        agent: agent_name(name),
    };
    std::thread::spawn(move || {
        client
            .call::<agent::Stop>(&params)
            .unwrap_or_else(|error| panic!("{}: {error}", agent::Stop::NAME));
    })
}

#[test]
fn claude() {
    check("claude", 16);
}

#[test]
fn codexz() {
    check("codexz", 19);
}

#[test]
fn fastpt() {
    check("fastpt", 3);
}

#[test]
fn gemini() {
    check("gemini", 20);
}

#[test]
fn kimi() {
    check("kimi", 1);
    check("kimi51", 1);
}

#[test]
fn opencode() {
    check("opencode", 16);
}

#[test]
fn pyecho() {
    check("pyecho", 2);
}

#[test]
fn tsdk() {
    check("tsdk", 4);
}

#[test]
fn vibe() {
    check("vibe", 17);
}

#[test]
fn no_recording_is_left_out() {
    assert_eq!(
        fixtures::transcripts().len(),
        16 + 19 + 3 + 20 + 2 + 16 + 2 + 4 + 17
    );
}
