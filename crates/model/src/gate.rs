//! The gate: what may be asked of the daemon by whom. A guard rail between programs of one user, no wall against malice.
//!
//! Responsible for the table of the conductor page; who asks is found out by the daemon.

use pupitre_protocol::method::Access;
use pupitre_protocol::{AgentName, ErrorKind, RpcError, SurfaceId};

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asker {
    /// A program of the user's own.
    Outside,
    /// A program of the user's own without a terminal, as timers and services start them.
    Detached,
    /// The page, in a browser that its user let in.
    Page,
    /// Something that an agent runs: below it, or broken away from it.
    Inside { agent: AgentName },
    /// Something that an agent in a pane runs: below it, or broken away from the pane.
    InsidePane { surface: SurfaceId },
    /// It cannot be told; may do what is allowed inside.
    Unknown,
}

/// Whether agents may do what their user's own programs may (`ai_unrestricted` in the configuration).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FreeAccess {
    #[default]
    Off,
    On,
}

impl Asker {
    /// Says whether the gate is open for this one.
    pub fn is_free(&self, free_access: FreeAccess) -> bool {
        match (self, free_access) {
            (Self::Outside | Self::Detached | Self::Page, _) | (_, FreeAccess::On) => true,
            (Self::Inside { .. } | Self::InsidePane { .. } | Self::Unknown, FreeAccess::Off) => false,
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Outside => "from outside".to_owned(),
            Self::Detached => "from outside, by a program without a terminal".to_owned(),
            Self::Page => "from the page".to_owned(),
            Self::Inside { agent } => format!("from inside agent {agent}"),
            Self::InsidePane { surface } => format!("by what an agent in pane {surface} runs"),
            Self::Unknown => "by a program of which it cannot be told who started it".to_owned(),
        }
    }
}

/// Says whether `what`, a method or a type of events, may be had.
///
/// # Errors
///
/// `gate_closed` with the way to open the gate, or `not_from_inside`.
pub fn check(what: &str, access: Access, asker: &Asker, free_access: FreeAccess) -> Result<(), RpcError> {
    let needs = match access {
        Access::Read => return Ok(()),
        Access::Private => "read what may hold secrets or belongs to others",
        Access::Prompt => "make agents work",
        Access::Arrange => "start, stop, cancel or arrange",
        Access::Person if *asker == Asker::Detached => {
            let message = format!(
                "{what} was asked {}: it is for persons, who have a terminal",
                asker.words()
            );
            return Err(RpcError::new(ErrorKind::GateClosed, message));
        }
        Access::Person => "use a pane as a person does",
        Access::Decide => {
            return match asker {
                Asker::Outside | Asker::Detached | Asker::Page => Ok(()),
                Asker::Inside { .. } | Asker::InsidePane { .. } | Asker::Unknown => {
                    let message = format!(
                        "{what} was asked {}: only a person decides this, from a terminal or a program of their own",
                        asker.words()
                    );
                    Err(RpcError::new(ErrorKind::NotFromInside, message))
                }
            };
        }
    };
    if asker.is_free(free_access) {
        return Ok(());
    }
    let message = format!(
        "{what} was asked {}: an agent may not {needs} while AI free access is off; a person opens it with `ai_unrestricted = true` in the configuration",
        asker.words()
    );
    Err(RpcError::new(ErrorKind::GateClosed, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(access: Access, asker: &Asker, free_access: FreeAccess) -> Option<ErrorKind> {
        check("x.y", access, asker, free_access)
            .err()
            .and_then(|error| error.kind())
    }

    #[test]
    fn the_table_holds() {
        let inside = Asker::Inside {
            agent: "demo".parse().expect("a name"),
        };
        let in_pane = Asker::InsidePane {
            surface: SurfaceId(7),
        };
        let all = [
            Access::Read,
            Access::Private,
            Access::Prompt,
            Access::Arrange,
            Access::Person,
            Access::Decide,
        ];
        for access in all {
            for free_access in [FreeAccess::Off, FreeAccess::On] {
                for asker in [Asker::Outside, Asker::Page] {
                    assert_eq!(kind(access, &asker, free_access), None, "{access:?} {asker:?}");
                }
                let detached = kind(access, &Asker::Detached, free_access);
                assert_eq!(
                    detached,
                    (access == Access::Person).then_some(ErrorKind::GateClosed)
                );
                for asker in [&inside, &in_pane, &Asker::Unknown] {
                    let expected = match (access, free_access) {
                        (Access::Decide, _) => Some(ErrorKind::NotFromInside),
                        (Access::Read, _) | (_, FreeAccess::On) => None,
                        (
                            Access::Private | Access::Prompt | Access::Arrange | Access::Person,
                            FreeAccess::Off,
                        ) => Some(ErrorKind::GateClosed),
                    };
                    assert_eq!(
                        kind(access, asker, free_access),
                        expected,
                        "{access:?} {asker:?} {free_access:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_refusal_says_who_and_how_to_open() {
        let inside = Asker::Inside {
            agent: "demo".parse().expect("a name"),
        };
        let error = check("chat.send", Access::Prompt, &inside, FreeAccess::Off).expect_err("it is closed");
        assert_eq!(error.code, -32001);
        for part in ["chat.send", "inside agent demo", "ai_unrestricted = true"] {
            assert!(error.message.contains(part), "{error}");
        }
    }
}
