//! What is told of panes, and in which order.

use pupitre_protocol::event::{Event, EventKind, SubscribeParams};
use pupitre_protocol::surface::SurfaceKind;

use super::{pane, status, wait_for_end};
use crate::support::{Desk, shell_agent};

#[test]
fn what_changes_of_a_pane_is_told_between_its_opening_and_its_closing() {
    let desk = Desk::start();
    let mut events = desk.events_with(&SubscribeParams {
        types: Some(vec![
            EventKind::SurfaceOpened,
            EventKind::SurfaceChanged,
            EventKind::SurfaceClosed,
        ]),
        ..SubscribeParams::default()
    });
    let id = pane(&desk, "dead", "exit 7");
    wait_for_end(&desk, &id);
    // Its program has ended; what happens to it is told nevertheless.
    desk.run(&["rename", "dead", "renamed"]).expect_code(0);
    let mut kinds = Vec::new();
    let mut is_closing = false;
    while kinds.last() != Some(&EventKind::SurfaceClosed) {
        let (kind, name) = events.wait_for("something of the pane", |frame| {
            let name = match &frame.event {
                Event::SurfaceOpened(view) | Event::SurfaceChanged(view) => view.surface_name.clone(),
                Event::SurfaceClosed(closed) => closed.surface_name.clone(),
                _ => return None,
            };
            Some((frame.event.kind(), name))
        });
        kinds.push(kind);
        if name == "renamed" && !is_closing {
            desk.run(&["close", "renamed"]).expect_code(0);
            is_closing = true;
        }
    }
    assert_eq!(kinds.first(), Some(&EventKind::SurfaceOpened), "{kinds:?}");
    assert_eq!(
        kinds
            .iter()
            .filter(|kind| **kind == EventKind::SurfaceOpened)
            .count(),
        1
    );
}

#[test]
fn nothing_is_told_of_a_pane_before_its_opening() {
    let desk = Desk::start();
    let mut events = desk.events_with(&SubscribeParams {
        types: Some(vec![EventKind::SurfaceOpened, EventKind::SurfaceChanged]),
        ..SubscribeParams::default()
    });
    // They change while they are put into their places.
    let busy = "i=0; while :; do i=$((i+1)); printf '\\033]2;%s\\007' $i; done";
    let ids: Vec<String> = (0..24)
        .map(|number| {
            let id = pane(&desk, &format!("pane-{number}"), busy);
            desk.run(&["close", &id]).expect_code(0);
            id
        })
        .collect();
    let mut open = Vec::new();
    while open.len() < ids.len() {
        let (kind, id) = events.wait_for("something of a pane", |frame| match &frame.event {
            Event::SurfaceOpened(view) | Event::SurfaceChanged(view) if view.kind == SurfaceKind::Pane => {
                Some((frame.event.kind(), view.surface_id))
            }
            _ => None,
        });
        match kind {
            EventKind::SurfaceOpened => open.push(id),
            _ => assert!(open.contains(&id), "pane {id} changed before it opened"),
        }
    }
}

#[test]
fn a_name_after_a_program_is_left_to_an_agent_that_comes() {
    let desk = Desk::start();
    let made = desk.run(&["new", "--", "sleep", "600"]);
    made.expect_code(0).expect_stdout("sleep");
    let id = made.stdout.split_whitespace().next().expect("an id").to_owned();
    let mut events = desk.events_with(&SubscribeParams {
        types: Some(vec![EventKind::SurfaceOpened]),
        ..SubscribeParams::default()
    });
    desk.write_config(&[shell_agent("sleep", "exec sleep 600")]);
    events.wait_until("the agent is there", |frame| match &frame.event {
        Event::SurfaceOpened(view) => view.surface_name == "sleep",
        _ => false,
    });
    let mut changes = desk.events_with(&SubscribeParams {
        types: Some(vec![EventKind::SurfaceChanged]),
        ..SubscribeParams::default()
    });
    if status(&desk, &id).surface_name != "sleep-2" {
        changes.wait_until("the pane makes way", |frame| match &frame.event {
            Event::SurfaceChanged(view) => view.surface_name == "sleep-2",
            _ => false,
        });
    }
    assert_eq!(status(&desk, "sleep").kind, SurfaceKind::Acp);
}
