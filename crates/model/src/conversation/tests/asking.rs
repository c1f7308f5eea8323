//! What an agent asks of its user: it waits, is answered once, and ends with the turn.

use pupitre_protocol::ElicitationId;
use pupitre_protocol::conversation::{
    AnsweredBy, ElicitationAction, ElicitationOutcome, Login, Part, PermissionOutcome, StopReason,
    SystemCode, Wanted,
};

use super::Scene;
use crate::conversation::{Cancelled, Change, ToolPatch, TurnEnd, Update};

impl Scene {
    fn elicit(&mut self) -> Option<ElicitationId> {
        let url = "https://example.org/".to_owned();
        self.conversation
            .elicit("go there", Wanted::Url { url }, &mut self.stamps)
    }

    fn want_login(&mut self) {
        self.conversation.want_login(Login {
            message: "log in first".into(),
            methods: Vec::new(),
        });
    }

    fn outcomes(&mut self) -> Vec<ElicitationOutcome> {
        let revisions = self.conversation.take_revisions();
        let outcome = |change| match change {
            Change::ElicitationResolved { outcome, .. } => Some(outcome),
            _ => None,
        };
        revisions
            .into_iter()
            .filter_map(|revision| outcome(revision.change))
            .collect()
    }
}

#[test]
fn a_question_is_open_until_it_is_answered() {
    let mut scene = Scene::in_turn();
    let id = scene.elicit().expect("it can be asked");
    assert_eq!(scene.conversation.elicitations()[0].id, id);
    assert!(!scene.conversation.owes_word());
    let answered = ElicitationOutcome::Answered {
        action: ElicitationAction::Accept,
        answered_by: AnsweredBy::Program,
    };
    scene.conversation.resolve_elicitation(id, answered);
    scene
        .conversation
        .resolve_elicitation(id, ElicitationOutcome::Withdrawn);
    assert_eq!(scene.outcomes(), [answered]);
    assert!(scene.conversation.owes_word());
}

#[test]
fn stop_and_the_end_of_the_turn_end_what_is_asked() {
    let mut scene = Scene::in_turn();
    let id = scene.elicit().expect("it can be asked");
    assert_eq!(scene.conversation.cancel().elicitations, [id]);
    assert_eq!(scene.outcomes(), [ElicitationOutcome::Cancelled]);
    assert_eq!(scene.elicit(), None, "the turn is being cancelled");

    let mut scene = Scene::in_turn();
    scene.elicit().expect("it can be asked");
    scene.end(TurnEnd::Failed("no more".into()));
    assert_eq!(scene.outcomes(), [ElicitationOutcome::Withdrawn]);
}

#[test]
fn too_many_questions_are_refused() {
    let mut scene = Scene::in_turn();
    let asked = std::iter::from_fn(|| scene.elicit()).take(1_000).count();
    assert_eq!(asked, 8);
}

#[test]
fn a_login_is_waited_for_as_long_as_the_turn_runs() {
    let mut scene = Scene::new();
    scene.want_login();
    assert_eq!(scene.conversation.login(), None, "nothing waits for it");
    scene.send("a question");
    scene.want_login();
    assert!(!scene.conversation.owes_word());
    scene.conversation.login_done();
    assert!(scene.conversation.owes_word());
    scene.want_login();
    scene.conversation.cancel();
    scene.end(TurnEnd::Failed(String::new()));
    assert_eq!(scene.conversation.login(), None);
}

#[test]
fn a_tool_call_shows_how_its_request_ended() {
    let mut scene = Scene::in_turn();
    let id = scene.ask("t").expect("it can be asked");
    let outcome = PermissionOutcome::Selected {
        option_id: "once".into(),
        answered_by: AnsweredBy::Rule,
    };
    scene.conversation.resolve(id, outcome.clone());
    let patch = ToolPatch {
        id: "t".into(),
        output: Some("done".into()),
        ..ToolPatch::default()
    };
    scene.conversation.update(Update::Tool(patch), &mut scene.stamps);
    let messages = scene.messages();
    let Some(Part::Tool { tool }) = messages.last().and_then(|message| message.parts.last()) else {
        panic!("there is no tool call in {messages:?}");
    };
    assert_eq!(tool.permission, Some(outcome));
}

#[test]
fn what_is_asked_outside_of_a_turn_is_cancelled_by_stop() {
    let mut scene = Scene::in_turn();
    scene.end(TurnEnd::Stopped(StopReason::EndTurn));
    let id = scene.elicit().expect("it can be asked");
    scene.conversation.take_revisions();
    let cancelled = scene.conversation.cancel();
    assert_eq!(
        (cancelled.turn, cancelled.elicitations.as_slice()),
        (None, &[id][..])
    );
    assert_eq!(scene.outcomes(), [ElicitationOutcome::Cancelled]);
    assert_eq!(scene.conversation.cancel(), Cancelled::default());
}

#[test]
fn what_is_asked_beyond_the_limit_is_said_once_a_turn() {
    let mut scene = Scene::in_turn();
    let told = |scene: &Scene| {
        let messages = scene.messages().into_iter();
        messages
            .filter(|message| message.code == Some(SystemCode::TooManyRequests))
            .count()
    };
    while scene.ask("t").is_some() {}
    assert_eq!(told(&scene), 1);
    while scene.elicit().is_some() {}
    assert_eq!(told(&scene), 1);
    scene.end(TurnEnd::Stopped(StopReason::EndTurn));
    scene.send("again");
    while scene.elicit().is_some() {}
    assert_eq!(told(&scene), 2);
    // Nothing is asked in a turn that is being cancelled, which is no excess.
    scene.conversation.cancel();
    assert_eq!(scene.elicit(), None);
    assert_eq!(told(&scene), 2);
}
