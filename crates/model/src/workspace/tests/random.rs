//! Anything done in any order leaves every workspace sound, and every pane where it was put.

use proptest::collection::vec;
use proptest::prelude::*;
use pupitre_protocol::workspace::{Direction, Layout};
use pupitre_protocol::{SurfaceId, WorkspaceId};

use super::{check, part};
use crate::workspace::{Workspace, Workspaces};

/// What a person or a program does. Numbers choose among what is there, and now and then what is not.
#[derive(Debug, Clone)]
enum Operation {
    Create,
    Add { workspace: Option<usize> },
    Split { beside: usize, direction: Direction },
    Remove { pane: usize },
    SetLayout { workspace: usize, layout: Plan },
    Focus { pane: usize },
    Select { workspace: usize },
    Close { workspace: usize },
}

/// A layout whose panes are those of the workspace, in the order of the leaves; those that are left stand beside it.
#[derive(Debug, Clone)]
enum Plan {
    Leaf,
    Split(Direction, Vec<(u16, Plan)>),
}

impl Plan {
    fn layout(&self, panes: &mut dyn Iterator<Item = SurfaceId>) -> Layout {
        match self {
            Self::Leaf => Layout::Pane {
                surface: panes.next().unwrap_or(SurfaceId(u64::MAX)),
            },
            Self::Split(direction, parts) => Layout::Split {
                direction: *direction,
                parts: parts
                    .iter()
                    .map(|(share, plan)| part(*share, plan.layout(panes)))
                    .collect(),
            },
        }
    }

    fn whole_layout(&self, panes: &[SurfaceId]) -> Layout {
        let mut panes = panes.iter().copied();
        let mut parts = vec![part(1, self.layout(&mut panes))];
        parts.extend(panes.map(|surface| part(2, Layout::Pane { surface })));
        if parts.len() == 1 {
            return parts.remove(0).layout;
        }
        Layout::Split {
            direction: Direction::Row,
            parts,
        }
    }

    fn leaves(&self) -> usize {
        match self {
            Self::Leaf => 1,
            Self::Split(_, parts) => parts.iter().map(|(_, plan)| plan.leaves()).sum(),
        }
    }
}

fn direction() -> impl Strategy<Value = Direction> {
    prop_oneof![Just(Direction::Row), Just(Direction::Column)]
}

fn plan() -> impl Strategy<Value = Plan> {
    Just(Plan::Leaf).prop_recursive(4, 12, 4, |inner| {
        let share = prop_oneof![1 => Just(0_u16), 20 => 1_u16..=u16::MAX];
        let part = (share, inner);
        let parts = prop_oneof![1 => vec(part.clone(), 1), 15 => vec(part, 2..4)];
        (direction(), parts).prop_map(|(direction, parts)| Plan::Split(direction, parts))
    })
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        2 => Just(Operation::Create),
        6 => proptest::option::of(any::<usize>()).prop_map(|workspace| Operation::Add { workspace }),
        6 => (any::<usize>(), direction())
            .prop_map(|(beside, direction)| Operation::Split { beside, direction }),
        5 => any::<usize>().prop_map(|pane| Operation::Remove { pane }),
        4 => (any::<usize>(), plan())
            .prop_map(|(workspace, layout)| Operation::SetLayout { workspace, layout }),
        3 => any::<usize>().prop_map(|pane| Operation::Focus { pane }),
        1 => any::<usize>().prop_map(|workspace| Operation::Select { workspace }),
        1 => any::<usize>().prop_map(|workspace| Operation::Close { workspace }),
    ]
}

/// Does it, and compares which panes are where with what is expected of that.
fn perform(workspaces: &mut Workspaces, next: &mut u64, operation: Operation) {
    *next += 1;
    let new = *next;
    let ids: Vec<WorkspaceId> = workspaces.views().iter().map(|view| view.workspace).collect();
    let workspace = |choice: usize| match ids.len() {
        0 => WorkspaceId(0),
        count => ids[choice % count],
    };
    let order = workspaces.order();
    let pane = |choice: usize| match order.len() {
        0 => SurfaceId(0),
        count => order[choice % count],
    };
    let mut expected: Vec<SurfaceId> = order.clone();
    match operation {
        Operation::Create => {
            let _full = workspaces.create(WorkspaceId(new), None);
        }
        Operation::Add { workspace: choice } => {
            let wanted = choice.map(workspace);
            if let Ok(id) = workspaces.add(wanted, SurfaceId(new)) {
                expected.push(SurfaceId(new));
                assert!(wanted.is_none_or(|wanted| wanted == id));
                assert_eq!(workspaces.of(SurfaceId(new)), Some(id));
            }
        }
        Operation::Split { beside, direction } => {
            if let Ok(id) = workspaces.split(pane(beside), direction, SurfaceId(new)) {
                expected.push(SurfaceId(new));
                assert_eq!(workspaces.of(SurfaceId(new)), Some(id));
                let after = workspaces.order();
                let place = after
                    .iter()
                    .position(|found| *found == pane(beside))
                    .expect("it stays");
                assert_eq!(after[place + 1], SurfaceId(new), "it stands behind the other one");
            }
        }
        Operation::Remove { pane: choice } => {
            let was = workspaces.of(pane(choice));
            assert_eq!(workspaces.remove(pane(choice)), was);
            expected.retain(|kept| *kept != pane(choice));
            assert_eq!(workspaces.order(), expected, "the others stay in order");
        }
        Operation::SetLayout {
            workspace: choice,
            layout,
        } => {
            let id = workspace(choice);
            let mut panes = workspaces.get(id).map(Workspace::panes).unwrap_or_default();
            let fits = layout.leaves() <= panes.len();
            panes.reverse();
            let before = workspaces.clone();
            match workspaces.set_layout(id, layout.whole_layout(&panes)) {
                Ok(()) => {
                    assert!(fits);
                    assert_eq!(workspaces.get(id).expect("it").panes(), panes);
                }
                Err(_) => assert_eq!(*workspaces, before),
            }
        }
        Operation::Focus { pane: choice } => {
            let place = workspaces.focus(pane(choice));
            assert_eq!(place, workspaces.of(pane(choice)));
            if let Some(id) = place {
                let current = workspaces.current().expect("its workspace");
                assert_eq!((current.id(), current.focused()), (id, Some(pane(choice))));
            }
        }
        Operation::Select { workspace: choice } => {
            let selected = workspaces.select(workspace(choice)).map(Workspace::id);
            assert_eq!(selected, workspaces.current().map(Workspace::id));
        }
        Operation::Close { workspace: choice } => {
            if let Some(gone) = workspaces.close(workspace(choice)) {
                expected.retain(|kept| !gone.contains(kept));
            }
        }
    }
    let mut found = workspaces.order();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

proptest! {
    #[test]
    fn whatever_is_done_all_stays_sound(operations in vec(operation(), 1..80)) {
        let mut workspaces = Workspaces::default();
        let mut next = 0;
        for operation in operations {
            perform(&mut workspaces, &mut next, operation);
            check(&workspaces);
        }
    }
}
