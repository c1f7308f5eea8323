//! What a subscriber wants to see.

use pupitre_protocol::event::{EventKind, SubscribeParams};
use pupitre_protocol::{AgentName, SurfaceId};

/// A set of event types.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct KindSet(u64);

impl KindSet {
    pub(super) fn insert(&mut self, kind: EventKind) {
        self.0 |= bit(kind);
    }

    pub(super) const fn contains(self, kind: EventKind) -> bool {
        self.0 & bit(kind) != 0
    }

    pub(super) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn to_vec(self) -> Vec<EventKind> {
        EventKind::ALL
            .iter()
            .copied()
            .filter(|kind| self.contains(*kind))
            .collect()
    }
}

impl FromIterator<EventKind> for KindSet {
    fn from_iter<Kinds: IntoIterator<Item = EventKind>>(kinds: Kinds) -> Self {
        let mut set = Self::default();
        kinds.into_iter().for_each(|kind| set.insert(kind));
        set
    }
}

const fn bit(kind: EventKind) -> u64 {
    1 << kind as u64
}

/// The filters of one subscription.
#[derive(Debug, Clone)]
pub(super) struct Filter {
    pub(super) kinds: KindSet,
    agents: Option<Vec<AgentName>>,
    surfaces: Option<Vec<SurfaceId>>,
}

impl Filter {
    pub(super) fn new(params: &SubscribeParams) -> Self {
        let kinds = match &params.types {
            Some(types) => types.iter().copied().collect(),
            None => EventKind::ALL
                .iter()
                .copied()
                .filter(|kind| !kind.is_by_name_only())
                .collect(),
        };
        Self {
            kinds,
            agents: params.agents.clone(),
            surfaces: params.surfaces.clone(),
        }
    }

    pub(super) fn passes(
        &self,
        kind: EventKind,
        agent: Option<&AgentName>,
        surface: Option<SurfaceId>,
    ) -> bool {
        self.kinds.contains(kind)
            && is_wanted(self.agents.as_deref(), agent)
            && is_wanted(self.surfaces.as_deref(), surface.as_ref())
    }
}

/// Says whether an event about `subject` is among those that are `wanted`; one about nothing is not, when some are.
fn is_wanted<Subject: PartialEq>(wanted: Option<&[Subject]>, subject: Option<&Subject>) -> bool {
    match (wanted, subject) {
        (Some(wanted), Some(subject)) => wanted.contains(subject),
        (Some(_), None) => false,
        (None, _) => true,
    }
}
