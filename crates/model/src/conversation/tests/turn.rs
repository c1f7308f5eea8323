//! Turns, rule by rule: queue, cancel, ends, and permission requests.

use pupitre_protocol::Cause;
use pupitre_protocol::conversation::{AnsweredBy, PermissionOutcome, StopReason, ToolStatus};
use pupitre_protocol::limits::QUEUED_MESSAGES;

use super::{Scene, check};
use crate::conversation::{Cancelled, SendError, TurnEnd};
use crate::reason::Reason;

fn selected(option_id: &str) -> PermissionOutcome {
    PermissionOutcome::Selected {
        answered_by: AnsweredBy::Program,
        option_id: option_id.to_owned(),
    }
}

#[test]
fn queued_messages_follow_in_order_each_its_own_turn() {
    let mut scene = Scene::in_turn();
    let (second, prompt) = scene.send("second");
    assert_eq!(prompt, None);
    let (third, _) = scene.send("third");
    assert!(scene.message(second).queued && scene.message(third).queued);
    assert_eq!(scene.next(), None, "one turn at a time");
    scene.end_well();
    let next = scene.next().expect("the second");
    assert_eq!((next.message, next.text.as_str()), (second, "second"));
    assert_eq!(scene.conversation.turn(), Some(second));
    assert!(!scene.message(second).queued && scene.message(third).queued);
    scene.say("answer");
    assert_eq!(scene.last().turn, Some(second));
    scene.end_well();
    assert_eq!(scene.next().map(|prompt| prompt.message), Some(third));
}

#[test]
fn what_is_empty_is_not_sent() {
    let mut scene = Scene::new();
    for text in ["", " \n"] {
        let sent = scene
            .conversation
            .send(text.to_owned(), Vec::new(), &mut scene.stamps);
        assert_eq!(sent, Err(SendError::Empty));
    }
    assert!(scene.conversation.is_empty());
}

#[test]
fn no_more_than_a_hundred_wait() {
    let mut scene = Scene::in_turn();
    for number in 0..QUEUED_MESSAGES {
        scene.send(&format!("{number}"));
    }
    let sent = scene
        .conversation
        .send("one more".into(), Vec::new(), &mut scene.stamps);
    assert_eq!(sent, Err(SendError::QueueFull));
}

#[test]
fn a_queued_message_can_be_taken_back_once() {
    let mut scene = Scene::in_turn();
    let running = scene.conversation.turn().expect("it runs");
    let (second, _) = scene.send("second");
    let (third, _) = scene.send("third");
    assert!(scene.conversation.withdraw(running).is_err());
    assert_eq!(scene.conversation.withdraw(second), Ok(()));
    assert!(scene.conversation.withdraw(second).is_err());
    let message = scene.message(second);
    assert!(!message.queued);
    assert_eq!(message.error.as_deref(), Some("withdrawn"));
    assert_eq!(message.cause, Some(Cause::Withdrawn));
    scene.end_well();
    assert_eq!(scene.next().map(|prompt| prompt.message), Some(third));
}

#[test]
fn a_cancel_ends_tools_drops_the_queue_and_answers_requests() {
    let mut scene = Scene::in_turn();
    let running = scene.conversation.turn();
    scene.announce("done", "");
    scene.set_status("done", ToolStatus::Completed);
    scene.announce("under way", "");
    scene.set_status("under way", ToolStatus::InProgress);
    let asked = scene.ask("to be asked").expect("it can be asked");
    let (queued, _) = scene.send("second");
    let cancelled = scene.conversation.cancel();
    assert_eq!(cancelled.turn, running);
    assert_eq!(cancelled.dropped, [queued]);
    assert_eq!(cancelled.permissions, [asked]);
    assert!(scene.conversation.permissions().is_empty());
    assert_eq!(scene.message(queued).error.as_deref(), Some("cancelled"));
    assert_eq!(scene.message(queued).cause, Some(Cause::Dropped));
    for (id, status, by_stop) in [
        ("done", ToolStatus::Completed, false),
        ("under way", ToolStatus::Failed, true),
        ("to be asked", ToolStatus::Failed, true),
    ] {
        let tool = scene.tool(id);
        assert_eq!((tool.status, tool.cancelled), (status, by_stop), "{id}");
    }
    assert!(scene.conversation.is_busy(), "the agent has not answered yet");
    // What comes until then is shown; what is still not done ends with the turn.
    scene.say("stopping");
    scene.set_status("under way", ToolStatus::InProgress);
    scene.end(TurnEnd::Stopped(StopReason::Cancelled));
    assert!(scene.tool("under way").cancelled);
    assert!(!scene.conversation.is_busy());
    assert_eq!(scene.next(), None);
}

#[test]
fn a_second_cancel_has_nothing_to_do() {
    let mut scene = Scene::in_turn();
    assert!(scene.conversation.cancel().turn.is_some());
    assert_eq!(scene.conversation.cancel(), Cancelled::default());
    scene.end_well();
    assert_eq!(scene.conversation.cancel(), Cancelled::default());
}

#[test]
fn one_message_can_be_cancelled_alone() {
    let mut scene = Scene::in_turn();
    let running = scene.conversation.turn().expect("it runs");
    let (second, _) = scene.send("second");
    let (third, _) = scene.send("third");
    assert_eq!(scene.conversation.cancel_message(third).dropped, [third]);
    assert!(!scene.conversation.is_cancelling());
    let cancelled = scene.conversation.cancel_message(running);
    assert_eq!(cancelled.turn, Some(running));
    assert_eq!(cancelled.dropped, []);
    scene.end(TurnEnd::Stopped(StopReason::Cancelled));
    assert_eq!(
        scene.next().map(|prompt| prompt.message),
        Some(second),
        "what others queued goes on"
    );
}

#[test]
fn a_cancelled_turn_ends_as_cancelled_whatever_the_agent_answers() {
    for end in [
        TurnEnd::Stopped(StopReason::EndTurn),
        TurnEnd::Failed("request aborted".into()),
        TurnEnd::Unclear("null".into()),
    ] {
        let mut scene = Scene::in_turn();
        scene.say("half an ans");
        scene.conversation.cancel();
        scene.end(end);
        check(
            &scene,
            &["user | \"a question\"", "agent | \"half an ans\" | Cancelled"],
        );
    }
}

#[test]
fn an_abandoned_turn_has_ended_and_a_late_answer_frees_the_agent() {
    let mut scene = Scene::in_turn();
    scene.say("half");
    scene.abandon();
    assert!(!scene.last().done, "only a cancelled turn is abandoned");
    scene.conversation.cancel();
    scene.abandon();
    check(&scene, &["user | \"a question\"", "agent | \"half\" | Cancelled"]);
    assert!(scene.conversation.is_busy());
    let (second, prompt) = scene.send("second");
    assert_eq!(prompt, None, "it waits until the agent is free");
    assert_eq!(scene.ask("t"), None, "a turn that was stopped asks nothing");
    scene.set_status("late", ToolStatus::InProgress);
    scene.end(TurnEnd::Failed("too late".into()));
    assert!(
        scene.tool("late").cancelled,
        "nothing of the turn stays under way"
    );
    check(
        &scene,
        &[
            "user | \"a question\"",
            "agent | \"half\" | tool late Failed | Cancelled",
            "user | \"second\" | queued",
        ],
    );
    assert_eq!(scene.next().map(|prompt| prompt.message), Some(second));
}

#[test]
fn an_unclear_end_says_what_came() {
    let mut scene = Scene::in_turn();
    scene.say("well");
    scene.end(TurnEnd::Unclear("the stop reason \"tired\"".into()));
    check(
        &scene,
        &[
            "user | \"a question\"",
            "agent | \"well\" | error: the stop reason \"tired\"",
        ],
    );
}

#[test]
fn an_error_ends_the_message_in_the_agents_words() {
    let mut scene = Scene::in_turn();
    scene.end(TurnEnd::Failed("no more tokens".into()));
    check(
        &scene,
        &["user | \"a question\"", "agent | error: no more tokens"],
    );
}

#[test]
fn an_agent_that_ends_ends_its_turn_and_what_waits() {
    let mut scene = Scene::in_turn();
    scene.say("half");
    scene.ask("t").expect("it can be asked");
    scene.send("second");
    scene.conversation.agent_ended(
        Reason::new("it exited with code 3", Cause::Exited { code: 3 }),
        &mut scene.stamps,
    );
    let (page, _) = scene.conversation.held_page(None, 9);
    let causes: Vec<_> = page
        .messages
        .into_iter()
        .filter_map(|message| message.cause)
        .collect();
    assert_eq!(causes, [Cause::Exited { code: 3 }, Cause::Exited { code: 3 }]);
    check(
        &scene,
        &[
            "user | \"a question\"",
            "agent | \"half\" | tool t Failed | error: the agent ended: it exited with code 3",
            "user | \"second\" | error: not sent: the agent ended: it exited with code 3",
        ],
    );
    assert!(scene.conversation.permissions().is_empty());
    assert!(!scene.conversation.is_busy());
}

#[test]
fn an_agent_that_is_not_there_says_why() {
    let mut scene = Scene::in_turn();
    scene.send("second");
    scene
        .conversation
        .agent_unavailable("no such program", &mut scene.stamps);
    check(
        &scene,
        &[
            "user | \"a question\"",
            "user | \"second\" | error: not sent: the agent is not available",
            "system | error: no such program | AgentUnavailable",
        ],
    );
    assert!(!scene.conversation.is_busy());
}

#[test]
fn what_an_agent_said_before_it_was_found_unavailable_is_done() {
    let mut scene = Scene::in_turn();
    scene.say("starting");
    scene.ask("t").expect("it can be asked");
    scene
        .conversation
        .agent_unavailable("no session", &mut scene.stamps);
    check(
        &scene,
        &[
            "user | \"a question\"",
            "agent | \"starting\" | tool t Pending",
            "system | error: no session | AgentUnavailable",
        ],
    );
    assert!(scene.conversation.permissions().is_empty());
}

#[test]
fn a_restarted_agent_is_told_of_in_the_turn() {
    let mut scene = Scene::in_turn();
    scene.conversation.agent_restarted(&mut scene.stamps);
    scene.say("who are you?");
    scene.end_well();
    check(
        &scene,
        &[
            "user | \"a question\"",
            "system | AgentRestarted",
            "agent | \"who are you?\" | EndTurn",
        ],
    );
}

#[test]
fn refusals_of_a_turn_are_counted() {
    let mut scene = Scene::in_turn();
    let mut ask_and_answer = |outcome: PermissionOutcome| {
        let id = scene.ask("t").expect("it can be asked");
        let asked = scene.conversation.permission(id).expect("it is open").clone();
        scene.conversation.resolve(id, outcome);
        asked.rejections
    };
    assert_eq!(ask_and_answer(selected("to-reject_once")), 0);
    assert_eq!(ask_and_answer(selected("to-allow_once")), 1);
    assert_eq!(
        ask_and_answer(PermissionOutcome::Dismissed {
            answered_by: AnsweredBy::Program
        }),
        1
    );
    assert_eq!(ask_and_answer(PermissionOutcome::Withdrawn), 2);
    assert_eq!(ask_and_answer(selected("to-allow_once")), 2);
    scene.end_well();
    scene.send("next");
    let id = scene.ask("t").expect("it can be asked");
    let rejections = scene.conversation.permission(id).map(|asked| asked.rejections);
    assert_eq!(rejections, Some(0), "the next turn counts anew");
}

#[test]
fn a_request_shows_its_tool_call_and_is_answered_once() {
    let mut scene = Scene::in_turn();
    scene.announce("t", "remove everything");
    let id = scene.ask("t").expect("it can be asked");
    let asked = scene.conversation.permission(id).expect("it is open").clone();
    assert_eq!(asked.tool_call, scene.tool("t"));
    assert_eq!(asked.message_id, scene.last().id);
    scene.take();
    scene.conversation.resolve(id, selected("to-allow_once"));
    assert_eq!(
        scene.take().len(),
        2,
        "the tool call shows it, and the request is over"
    );
    scene.conversation.resolve(id, selected("to-reject_once"));
    assert_eq!(scene.take(), []);
    assert_eq!(scene.conversation.permission(id), None);
}
