//! One layout: looking through it, splitting, taking out, and the rules that make it sound.
//!
//! Sound is: each pane once, shares above 0, at least two parts in a split, no split directly inside one of the same
//! direction, at most [`DEEPEST`] splits inside each other.

use std::collections::BTreeSet;

use pupitre_protocol::SurfaceId;
use pupitre_protocol::limits::PANES;
use pupitre_protocol::workspace::{Direction, Layout, LayoutPart};

/// How many splits may be inside each other.
pub const DEEPEST: usize = 32;

/// Says why a layout is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    #[error("the layout has more than {DEEPEST} splits inside each other")]
    TooDeep,
    #[error("a split of the layout has fewer than two parts")]
    TooFewParts,
    #[error("a share in the layout is 0: a part without area cannot be seen")]
    NoShare,
    #[error("the layout has more than {PANES} panes")]
    TooManyPanes,
    #[error("pane {surface} stands in the layout twice")]
    Twice { surface: SurfaceId },
    #[error("pane {surface} of the workspace is missing in the layout")]
    Missing { surface: SurfaceId },
    #[error("pane {surface} of the layout is not in the workspace")]
    Foreign { surface: SurfaceId },
}

/// Returns the panes in reading order.
pub(super) fn panes(layout: &Layout) -> Vec<SurfaceId> {
    let mut found = Vec::new();
    collect(layout, &mut found);
    found
}

fn collect(layout: &Layout, found: &mut Vec<SurfaceId>) {
    match layout {
        Layout::Pane { surface } => found.push(*surface),
        Layout::Split { direction: _, parts } => {
            for part in parts {
                collect(&part.layout, found);
            }
        }
    }
}

pub(super) fn has(layout: &Layout, wanted: SurfaceId) -> bool {
    match layout {
        Layout::Pane { surface } => *surface == wanted,
        Layout::Split { direction: _, parts } => parts.iter().any(|part| has(&part.layout, wanted)),
    }
}

/// Returns a layout that came from elsewhere, with splits of the same direction made one.
pub(super) fn sound(layout: Layout) -> Result<Layout, LayoutError> {
    check(&layout, 0, &mut BTreeSet::new())?;
    Ok(merged(layout))
}

fn check(layout: &Layout, depth: usize, seen: &mut BTreeSet<SurfaceId>) -> Result<(), LayoutError> {
    match layout {
        Layout::Pane { surface } => {
            if !seen.insert(*surface) {
                return Err(LayoutError::Twice { surface: *surface });
            }
            if seen.len() > PANES {
                return Err(LayoutError::TooManyPanes);
            }
        }
        Layout::Split { direction: _, parts } => {
            if depth == DEEPEST {
                return Err(LayoutError::TooDeep);
            }
            if parts.len() < 2 {
                return Err(LayoutError::TooFewParts);
            }
            for part in parts {
                if part.share == 0 {
                    return Err(LayoutError::NoShare);
                }
                check(&part.layout, depth + 1, seen)?;
            }
        }
    }
    Ok(())
}

fn merged(layout: Layout) -> Layout {
    match layout {
        Layout::Pane { .. } => layout,
        Layout::Split { direction, parts } => split_of(
            direction,
            parts
                .into_iter()
                .map(|LayoutPart { share, layout }| LayoutPart {
                    share,
                    layout: merged(layout),
                })
                .collect(),
        ),
    }
}

/// How a new pane lies to the one whose place it shares.
#[derive(Debug, Clone, Copy)]
enum Way {
    As(Direction),
    /// Across the split around it, as long as the layout may become deeper.
    Across,
}

/// Gives a new pane half of the place of another one, beside it or below it by turns.
pub(super) fn add(layout: &mut Layout, beside: SurfaceId, new: SurfaceId) {
    let placed = insert(layout, 0, beside, Way::Across, new);
    debug_assert_eq!(
        placed,
        Some(Ok(())),
        "the pane is there, and across never becomes too deep"
    );
}

/// Gives a new pane half of the place of another one; says so when that is not in the layout.
pub(super) fn split(
    layout: &mut Layout,
    beside: SurfaceId,
    direction: Direction,
    new: SurfaceId,
) -> Result<(), LayoutError> {
    insert(layout, 0, beside, Way::As(direction), new)
        .unwrap_or(Err(LayoutError::Foreign { surface: beside }))
}

/// Returns `None` when the other pane is not in this part of the layout, `depth` splits deep.
fn insert(
    layout: &mut Layout,
    depth: usize,
    beside: SurfaceId,
    way: Way,
    new: SurfaceId,
) -> Option<Result<(), LayoutError>> {
    match layout {
        Layout::Pane { surface } if *surface == beside => {
            let direction = match way {
                Way::As(direction) => direction,
                Way::Across => Direction::Row,
            };
            *layout = halves(direction, beside, new);
            Some(Ok(()))
        }
        Layout::Pane { surface: _ } => None,
        Layout::Split {
            direction: outer,
            parts,
        } => {
            let is_beside =
                |part: &LayoutPart| matches!(part.layout, Layout::Pane { surface } if surface == beside);
            let Some(place) = parts.iter().position(is_beside) else {
                return parts
                    .iter_mut()
                    .find_map(|part| insert(&mut part.layout, depth + 1, beside, way, new));
            };
            let is_deepest = depth + 1 >= DEEPEST;
            let direction = match way {
                Way::As(direction) => direction,
                Way::Across if is_deepest => *outer,
                Way::Across => across(*outer),
            };
            if direction == *outer {
                widen(parts, place, new);
            } else if is_deepest {
                return Some(Err(LayoutError::TooDeep));
            } else {
                parts[place].layout = halves(direction, beside, new);
            }
            Some(Ok(()))
        }
    }
}

const fn across(direction: Direction) -> Direction {
    match direction {
        Direction::Row => Direction::Column,
        Direction::Column => Direction::Row,
    }
}

fn halves(direction: Direction, first: SurfaceId, second: SurfaceId) -> Layout {
    let half = |surface| LayoutPart {
        share: 1,
        layout: Layout::Pane { surface },
    };
    Layout::Split {
        direction,
        parts: vec![half(first), half(second)],
    }
}

/// Adds a part behind another one, which gives it half of its share.
fn widen(parts: &mut Vec<LayoutPart>, place: usize, new: SurfaceId) {
    let half = parts[place].share / 2;
    let is_even = half > 0 && parts[place].share.is_multiple_of(2);
    let part = LayoutPart {
        share: half,
        layout: Layout::Pane { surface: new },
    };
    parts.insert(place + 1, part);
    if is_even {
        parts[place].share = half;
        return;
    }
    // The same in a finer measure.
    let whole = u64::from(parts[place].share);
    let mut weights: Vec<u64> = parts.iter().map(|part| u64::from(part.share) * 2).collect();
    weights[place] = whole;
    weights[place + 1] = whole;
    measure(parts, &weights);
}

/// Returns the layout without a pane; `None` when nothing is left.
pub(super) fn without(layout: Layout, gone: SurfaceId) -> Option<Layout> {
    match layout {
        Layout::Pane { surface } if surface == gone => None,
        Layout::Pane { .. } => Some(layout),
        Layout::Split { direction, parts } => {
            let mut parts: Vec<LayoutPart> = parts
                .into_iter()
                .filter_map(|LayoutPart { share, layout }| {
                    without(layout, gone).map(|layout| LayoutPart { share, layout })
                })
                .collect();
            if parts.len() < 2 {
                return parts.pop().map(|part| part.layout);
            }
            Some(split_of(direction, parts))
        }
    }
}

/// Returns the split of these parts, of which those that are splits of the same direction become parts of it.
fn split_of(direction: Direction, mut parts: Vec<LayoutPart>) -> Layout {
    while let Some((place, share, inner)) = take_same(direction, &mut parts) {
        // The others are measured in the inner parts' measure, so that all shares stay what they are.
        let whole: u64 = inner.iter().map(|part| u64::from(part.share)).sum();
        let mut weights: Vec<u64> = parts.iter().map(|part| u64::from(part.share) * whole).collect();
        let inner_weights = inner.iter().map(|part| u64::from(share) * u64::from(part.share));
        weights.splice(place..place, inner_weights);
        parts.splice(place..place, inner);
        measure(&mut parts, &weights);
    }
    Layout::Split { direction, parts }
}

/// Takes the first part out that is a split of this direction: where it was, its share, and its own parts.
fn take_same(direction: Direction, parts: &mut Vec<LayoutPart>) -> Option<(usize, u16, Vec<LayoutPart>)> {
    let inner = parts
        .iter_mut()
        .enumerate()
        .find_map(|(place, part)| match &mut part.layout {
            Layout::Split {
                direction: inner,
                parts,
            } if *inner == direction => Some((place, part.share, std::mem::take(parts))),
            Layout::Pane { .. } | Layout::Split { .. } => None,
        })?;
    parts.remove(inner.0);
    Some(inner)
}

/// Gives the parts these shares, in the smallest whole numbers; where those are too large, nearly these.
fn measure(parts: &mut [LayoutPart], weights: &[u64]) {
    let divisor = weights.iter().copied().fold(0, greatest_common_divisor).max(1);
    let most = weights.iter().copied().max().unwrap_or(1) / divisor;
    let largest = u64::from(u16::MAX);
    for (part, weight) in parts.iter_mut().zip(weights) {
        let exact = weight / divisor;
        let share = if most > largest {
            (exact * largest / most).max(1)
        } else {
            exact
        };
        part.share = u16::try_from(share).expect("no share is above the largest");
    }
}

fn greatest_common_divisor(first: u64, second: u64) -> u64 {
    if second == 0 {
        first
    } else {
        greatest_common_divisor(second, first % second)
    }
}
