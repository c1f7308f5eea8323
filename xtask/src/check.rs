//! `cargo xtask check`: what must hold before a commit, without running a test.

use anyhow::{Result, bail};

use crate::checkout::Checkout;
use crate::invocation::Invocation;
use crate::report::{self, Phases};
use crate::{rules, tools};

pub(crate) fn run(checkout: &Checkout) -> Result<()> {
    let mut phases = Phases::of("check");
    phases.work("rules", "cargo xtask check", || repository_rules(checkout));
    phases.command(
        "format",
        &Invocation::cargo().arguments(["fmt", "--all", "--check"]),
    );
    phases.command(
        "clippy",
        &Invocation::cargo().arguments(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    );
    match tools::cargo_deny() {
        tools::Presence::Present => {
            phases.command(
                "dependencies",
                &Invocation::cargo().arguments(["deny", "check", "licenses", "sources", "bans"]),
            );
        }
        tools::Presence::Missing => {
            phases.skip(
                "dependencies",
                "cargo-deny is not installed (cargo install --locked cargo-deny)",
            );
        }
    }
    phases.finish()
}

fn repository_rules(checkout: &Checkout) -> Result<()> {
    let findings = rules::check(&checkout.tree()?);
    for finding in &findings {
        report::line(finding);
    }
    match findings.len() {
        0 => Ok(()),
        1 => bail!("1 place breaks a rule of the repository"),
        many => bail!("{many} places break rules of the repository"),
    }
}
