//! What workspaces do one by one, and what always holds.

mod random;

use pupitre_protocol::limits::{PANES, WORKSPACES};
use pupitre_protocol::workspace::{Direction, Layout, LayoutPart};
use pupitre_protocol::{ErrorKind, RpcError, SurfaceId, WorkspaceId};

use super::layout::{DEEPEST, LayoutError};
use super::{NamingError, PlaceError, Workspaces};
use crate::pane::name::NameError;

const FIRST: WorkspaceId = WorkspaceId(1);
const SECOND: WorkspaceId = WorkspaceId(2);

fn pane(id: u64) -> Layout {
    Layout::Pane {
        surface: SurfaceId(id),
    }
}

fn part(share: u16, layout: Layout) -> LayoutPart {
    LayoutPart { share, layout }
}

fn row<const N: usize>(parts: [(u16, Layout); N]) -> Layout {
    split(Direction::Row, parts)
}

fn column<const N: usize>(parts: [(u16, Layout); N]) -> Layout {
    split(Direction::Column, parts)
}

fn split<const N: usize>(direction: Direction, parts: [(u16, Layout); N]) -> Layout {
    let parts = parts
        .into_iter()
        .map(|(share, layout)| part(share, layout))
        .collect();
    Layout::Split { direction, parts }
}

/// One workspace with these panes, added one after the other.
fn desk(panes: impl IntoIterator<Item = u64>) -> Workspaces {
    let mut workspaces = Workspaces::default();
    workspaces.create(FIRST, None).expect("the first");
    for id in panes {
        assert_eq!(workspaces.add(None, SurfaceId(id)), Ok(FIRST));
    }
    workspaces
}

#[track_caller]
fn check_layout(workspaces: &Workspaces, expected: Option<Layout>) {
    let workspace = workspaces.get(FIRST).expect("the first");
    assert_eq!(workspace.layout(), expected.as_ref());
}

fn focused(workspaces: &Workspaces) -> Option<u64> {
    workspaces.get(FIRST)?.focused().map(|surface| surface.0)
}

#[test]
fn names_are_made_up_and_unique() {
    let mut workspaces = Workspaces::default();
    let name = |workspaces: &mut Workspaces, id, name| -> Result<String, NamingError> {
        workspaces
            .create(WorkspaceId(id), name)
            .map(|workspace| workspace.name().to_owned())
    };
    assert_eq!(name(&mut workspaces, 1, None).as_deref(), Ok("main"));
    assert_eq!(name(&mut workspaces, 2, None).as_deref(), Ok("workspace-2"));
    assert_eq!(
        name(&mut workspaces, 3, Some("Workspace-3")).as_deref(),
        Ok("Workspace-3")
    );
    assert_eq!(name(&mut workspaces, 4, None).as_deref(), Ok("workspace-4"));
    assert_eq!(
        name(&mut workspaces, 5, Some("MAIN")),
        Err(NamingError::Taken { name: "MAIN".into() })
    );
    assert_eq!(
        name(&mut workspaces, 5, Some("")),
        Err(NamingError::Name(NameError::Empty))
    );
    assert_eq!(
        workspaces.rename(SECOND, "main"),
        Err(NamingError::Taken { name: "main".into() })
    );
    assert_eq!(
        workspaces.rename(SECOND, "Workspace-2"),
        Ok(()),
        "its own in another case"
    );
    assert_eq!(
        workspaces.rename(WorkspaceId(9), "x"),
        Err(NamingError::NoSuchWorkspace { id: WorkspaceId(9) })
    );
    assert_eq!(workspaces.get(SECOND).expect("it").name(), "Workspace-2");
}

#[test]
fn there_are_not_too_many() {
    let mut workspaces = Workspaces::default();
    for id in 0..WORKSPACES as u64 {
        workspaces
            .create(WorkspaceId(id), None)
            .expect("one of the allowed");
    }
    assert_eq!(
        workspaces.create(WorkspaceId(900), None),
        Err(NamingError::TooMany)
    );
    let error = RpcError::from(NamingError::TooMany);
    assert_eq!(error.kind(), Some(ErrorKind::TooManySurfaces));
}

#[test]
fn the_current_one_follows() {
    let mut workspaces = Workspaces::default();
    let current = |workspaces: &Workspaces| workspaces.current().map(|workspace| workspace.id().0);
    assert_eq!(current(&workspaces), None);
    assert_eq!(workspaces.add(None, SurfaceId(1)), Err(PlaceError::NoWorkspace));
    for id in 1..=3 {
        workspaces.create(WorkspaceId(id), None).expect("one");
        assert_eq!(current(&workspaces), Some(id));
    }
    workspaces.select(SECOND).expect("it is there");
    assert_eq!(workspaces.select(WorkspaceId(9)), None);
    assert_eq!(current(&workspaces), Some(2));
    assert_eq!(workspaces.add(None, SurfaceId(10)), Ok(SECOND));
    assert_eq!(workspaces.add(Some(FIRST), SurfaceId(11)), Ok(FIRST));
    assert_eq!(current(&workspaces), Some(2));
    assert_eq!(workspaces.focus(SurfaceId(11)), Some(FIRST));
    assert_eq!(current(&workspaces), Some(1));
    assert_eq!(workspaces.focus(SurfaceId(12)), None);
    assert_eq!(workspaces.order(), [SurfaceId(11), SurfaceId(10)]);
    assert_eq!(workspaces.close(FIRST), Some(vec![SurfaceId(11)]));
    assert_eq!(current(&workspaces), Some(2));
    assert_eq!(workspaces.of(SurfaceId(11)), None);
    assert_eq!(workspaces.close(WorkspaceId(3)), Some(Vec::new()));
    assert_eq!(current(&workspaces), Some(2));
    assert_eq!(workspaces.close(SECOND), Some(vec![SurfaceId(10)]));
    assert_eq!(workspaces.close(SECOND), None);
    assert_eq!(current(&workspaces), None);
    workspaces.create(WorkspaceId(4), None).expect("a new one");
    assert_eq!(workspaces.current().expect("it").name(), "main");
    assert_eq!(
        workspaces.add(Some(SECOND), SurfaceId(1)),
        Err(PlaceError::NoSuchWorkspace { id: SECOND })
    );
}

#[test]
fn panes_are_added_by_turns() {
    let mut workspaces = desk([1]);
    check_layout(&workspaces, Some(pane(1)));
    assert_eq!(focused(&workspaces), Some(1));
    workspaces.add(None, SurfaceId(2)).expect("beside");
    check_layout(&workspaces, Some(row([(1, pane(1)), (1, pane(2))])));
    workspaces.add(None, SurfaceId(3)).expect("below the focused one");
    let left = column([(1, pane(1)), (1, pane(3))]);
    check_layout(&workspaces, Some(row([(1, left.clone()), (1, pane(2))])));
    workspaces.focus(SurfaceId(2)).expect("it is there");
    workspaces.add(None, SurfaceId(4)).expect("below the focused one");
    let right = column([(1, pane(2)), (1, pane(4))]);
    check_layout(&workspaces, Some(row([(1, left), (1, right)])));
    assert_eq!(focused(&workspaces), Some(2), "the focus stays");
    assert_eq!(
        workspaces.add(None, SurfaceId(4)),
        Err(PlaceError::Placed {
            surface: SurfaceId(4),
            workspace: FIRST
        })
    );
}

#[test]
fn any_number_of_panes_finds_a_place() {
    let workspaces = desk(1..=PANES as u64);
    check(&workspaces);
    assert_eq!(workspaces.order().len(), PANES);
}

#[test]
fn a_split_of_the_same_direction_gets_one_more_part() {
    let mut workspaces = desk([1]);
    let beside = |workspaces: &mut Workspaces, beside, direction, new| {
        workspaces.split(SurfaceId(beside), direction, SurfaceId(new))
    };
    beside(&mut workspaces, 1, Direction::Column, 2).expect("below");
    check_layout(&workspaces, Some(column([(1, pane(1)), (1, pane(2))])));
    beside(&mut workspaces, 1, Direction::Column, 3).expect("between them");
    check_layout(
        &workspaces,
        Some(column([(1, pane(1)), (1, pane(3)), (2, pane(2))])),
    );
    beside(&mut workspaces, 2, Direction::Column, 4).expect("at the end");
    check_layout(
        &workspaces,
        Some(column([(1, pane(1)), (1, pane(3)), (1, pane(2)), (1, pane(4))])),
    );
    beside(&mut workspaces, 3, Direction::Row, 5).expect("across");
    let inner = row([(1, pane(3)), (1, pane(5))]);
    check_layout(
        &workspaces,
        Some(column([(1, pane(1)), (1, inner), (1, pane(2)), (1, pane(4))])),
    );
    assert_eq!(
        beside(&mut workspaces, 9, Direction::Row, 6),
        Err(PlaceError::NoSuchPane {
            surface: SurfaceId(9)
        })
    );
    assert_eq!(
        beside(&mut workspaces, 1, Direction::Row, 2),
        Err(PlaceError::Placed {
            surface: SurfaceId(2),
            workspace: FIRST
        })
    );
}

#[test]
fn shares_can_be_halved_for_ever() {
    let mut workspaces = desk([1, 2]);
    workspaces
        .set_layout(FIRST, row([(u16::MAX, pane(1)), (1, pane(2))]))
        .expect("sound");
    for id in 3..60 {
        let beside = SurfaceId(if id % 2 == 0 { 2 } else { 1 });
        workspaces
            .split(beside, Direction::Row, SurfaceId(id))
            .expect("beside");
        check(&workspaces);
    }
}

#[test]
fn what_is_left_closes_up() {
    let wanted = row([
        (2, column([(1, pane(1)), (1, row([(3, pane(2)), (1, pane(3))]))])),
        (1, pane(4)),
        (1, pane(5)),
    ]);
    let mut workspaces = desk([1, 2, 3, 4, 5]);
    workspaces.set_layout(FIRST, wanted).expect("sound");
    workspaces.focus(SurfaceId(1)).expect("it is there");
    assert_eq!(workspaces.remove(SurfaceId(1)), Some(FIRST));
    // The inner row had half of the whole, three quarters of it for its first.
    check_layout(
        &workspaces,
        Some(row([(3, pane(2)), (1, pane(3)), (2, pane(4)), (2, pane(5))])),
    );
    assert_eq!(focused(&workspaces), Some(2), "what stands in its place");
    assert_eq!(workspaces.remove(SurfaceId(1)), None);
    workspaces.focus(SurfaceId(5)).expect("it is there");
    workspaces.remove(SurfaceId(5));
    assert_eq!(focused(&workspaces), Some(4), "the last one");
    workspaces.remove(SurfaceId(3));
    assert_eq!(focused(&workspaces), Some(4), "the focus stays");
    workspaces.remove(SurfaceId(2));
    check_layout(&workspaces, Some(pane(4)));
    workspaces.remove(SurfaceId(4));
    check_layout(&workspaces, None);
    assert_eq!(focused(&workspaces), None);
    workspaces.add(None, SurfaceId(6)).expect("the first again");
    assert_eq!(focused(&workspaces), Some(6));
}

#[test]
fn a_wrong_layout_changes_nothing() {
    let mut workspaces = desk([1, 2, 3]);
    workspaces.create(SECOND, None).expect("another one");
    workspaces.add(None, SurfaceId(4)).expect("a pane of another one");
    let before = workspaces.clone();
    let mut deep = pane(3);
    for depth in 0..=DEEPEST {
        let filler = (1, pane(100 + depth as u64));
        deep = if depth % 2 == 0 {
            row([(1, deep), filler])
        } else {
            column([(1, deep), filler])
        };
    }
    let many = Layout::Split {
        direction: Direction::Row,
        parts: (1..=PANES as u64 + 1).map(|id| part(1, pane(id))).collect(),
    };
    let foreign = |id| LayoutError::Foreign {
        surface: SurfaceId(id),
    };
    for (wanted, why) in [
        (
            row([(1, pane(1)), (1, pane(2))]),
            LayoutError::Missing {
                surface: SurfaceId(3),
            },
        ),
        (
            row([(1, pane(1)), (1, pane(2)), (1, pane(2))]),
            LayoutError::Twice {
                surface: SurfaceId(2),
            },
        ),
        (
            row([(1, pane(1)), (1, pane(2)), (1, pane(3)), (1, pane(4))]),
            foreign(4),
        ),
        (
            row([(1, pane(1)), (0, pane(2)), (1, pane(3))]),
            LayoutError::NoShare,
        ),
        (row([(1, pane(1))]), LayoutError::TooFewParts),
        (row([]), LayoutError::TooFewParts),
        (
            row([(1, pane(1)), (1, pane(2)), (1, column([(1, pane(3))]))]),
            LayoutError::TooFewParts,
        ),
        (deep, LayoutError::TooDeep),
        (many, LayoutError::TooManyPanes),
        (pane(7), foreign(7)),
    ] {
        assert_eq!(
            workspaces.set_layout(FIRST, wanted),
            Err(PlaceError::Layout(why.clone()))
        );
        assert_eq!(workspaces, before, "{why}");
    }
    assert_eq!(
        workspaces.set_layout(WorkspaceId(9), pane(1)),
        Err(PlaceError::NoSuchWorkspace { id: WorkspaceId(9) })
    );
}

#[test]
fn a_layout_is_taken_and_made_one() {
    let mut workspaces = desk([1, 2, 3, 4]);
    let nested = row([
        (1, row([(1, pane(4)), (2, pane(3))])),
        (1, row([(1, pane(2)), (1, pane(1))])),
    ]);
    workspaces.set_layout(FIRST, nested).expect("sound");
    check_layout(
        &workspaces,
        Some(row([(2, pane(4)), (4, pane(3)), (3, pane(2)), (3, pane(1))])),
    );
    let plain = row([
        (500, pane(4)),
        (250, pane(3)),
        (1, column([(7, pane(2)), (7, pane(1))])),
    ]);
    workspaces.set_layout(FIRST, plain.clone()).expect("sound");
    check_layout(&workspaces, Some(plain));
}

#[test]
fn a_layout_is_as_deep_as_may_be() {
    let mut workspaces = desk([1]);
    let mut direction = Direction::Row;
    for id in 2..=DEEPEST as u64 + 1 {
        workspaces
            .split(SurfaceId(1), direction, SurfaceId(id))
            .expect("not too deep yet");
        direction = match direction {
            Direction::Row => Direction::Column,
            Direction::Column => Direction::Row,
        };
    }
    let before = workspaces.clone();
    let too_deep = Err(PlaceError::Layout(LayoutError::TooDeep));
    assert_eq!(workspaces.split(SurfaceId(1), direction, SurfaceId(99)), too_deep);
    assert_eq!(workspaces, before);
    workspaces
        .add(None, SurfaceId(99))
        .expect("added beside where below is too deep");
    check(&workspaces);
    let layout = workspaces
        .get(FIRST)
        .and_then(|workspace| workspace.layout().cloned());
    workspaces
        .set_layout(FIRST, layout.expect("a layout"))
        .expect("what was made can be set");
}

#[test]
fn workspaces_are_resolved() {
    let mut workspaces = Workspaces::default();
    for (id, name) in [(1, "Main"), (2, "web"), (30, "website"), (31, "Été")] {
        workspaces.create(WorkspaceId(id), Some(name)).expect("one");
    }
    for (text, id) in [
        ("1", 1),
        ("030", 30),
        ("main", 1),
        ("MAIN", 1),
        ("web", 2),
        ("webs", 30),
        ("ét", 31),
    ] {
        assert_eq!(workspaces.resolve(text), Ok(WorkspaceId(id)), "{text}");
    }
    let all = ["1 Main", "2 web", "30 website", "31 Été"];
    let check = |text: &str, kind, message: &str, candidates: &[&str]| {
        let error = workspaces.resolve(text).expect_err(text);
        assert_eq!(error.kind(), Some(kind));
        assert_eq!(error.message, message);
        assert_eq!(
            error.data.expect("data").candidates.expect("candidates"),
            candidates
        );
    };
    let these = "use one of these: 1 Main, 2 web, 30 website, 31 Été";
    for text in ["", "x", "3", "99999999999999999999", "eb"] {
        let message = format!("no workspace matches \"{text}\"; {these}");
        check(text, ErrorKind::NotFound, &message, &all);
    }
    check(
        "we",
        ErrorKind::Ambiguous,
        "\"we\" means 2 workspaces: 2 web, 30 website; use the id of one",
        &["2 web", "30 website"],
    );
    let error = Workspaces::default().resolve("x").expect_err("there is none");
    assert_eq!(error.message, "no workspace matches \"x\"; there is none yet");
}

/// Panics unless everything is sound.
#[track_caller]
fn check(workspaces: &Workspaces) {
    let views = workspaces.views();
    assert!(views.len() <= WORKSPACES);
    let current = views.iter().filter(|view| view.current).count();
    assert_eq!(current, usize::from(!views.is_empty()), "one is current");
    let mut names: Vec<String> = views.iter().map(|view| view.name.to_lowercase()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), views.len(), "names are unique");
    let mut order = workspaces.order();
    let count = order.len();
    order.sort_unstable();
    order.dedup();
    assert_eq!(order.len(), count, "each pane is in one place");
    for view in views {
        let panes = workspaces.get(view.workspace).expect("it is there").panes();
        assert_eq!(view.layout.is_none(), panes.is_empty());
        match view.focused {
            Some(focused) => assert!(panes.contains(&focused)),
            None => assert!(panes.is_empty()),
        }
        if let Some(layout) = &view.layout {
            check_sound(layout, None, 0);
        }
    }
}

fn check_sound(layout: &Layout, around: Option<Direction>, depth: usize) {
    let Layout::Split { direction, parts } = layout else {
        return;
    };
    assert!(depth < DEEPEST, "too deep");
    assert_ne!(
        Some(*direction),
        around,
        "a split inside one of the same direction"
    );
    assert!(parts.len() >= 2, "a split of one");
    for part in parts {
        assert!(part.share > 0, "a part without a share");
        check_sound(&part.layout, Some(*direction), depth + 1);
    }
}
