//! Whether this program and a daemon speak the same protocol.

use pupitre_protocol::PROTOCOL;
use pupitre_protocol::system::IdentifyReply;

/// Says in one sentence why this program cannot talk with that daemon, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Incompatible {
    #[error("what listens at the socket calls itself \"{name}\" and is no daemon of pupitre")]
    AnotherProgram { name: String },
    #[error(
        "the daemon (version {daemon}) is older than this program: restart it with `pupitre stop` and then `pupitre`"
    )]
    OlderDaemon { daemon: String },
    #[error(
        "the daemon (version {daemon}) is newer than this program: use its own `pupitre`, or restart it with \
         `pupitre stop` and then `pupitre`"
    )]
    NewerDaemon { daemon: String },
}

/// Checks the answer of `system.identify` against the protocol of this program (protocol page, Compatibility).
pub fn check_identity(daemon: &IdentifyReply) -> Result<(), Incompatible> {
    if daemon.name != "pupitre" {
        return Err(Incompatible::AnotherProgram {
            name: daemon.name.clone(),
        });
    }
    match daemon.protocol.cmp(&PROTOCOL) {
        std::cmp::Ordering::Less => Err(Incompatible::OlderDaemon {
            daemon: daemon.version.clone(),
        }),
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Greater => Err(Incompatible::NewerDaemon {
            daemon: daemon.version.clone(),
        }),
    }
}
