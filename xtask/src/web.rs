//! The tests of the page in apps/web: types, stores and rendering, and the page in a real browser.

use std::fs;
use std::path::Path;

use crate::checkout::Checkout;
use crate::invocation::Invocation;
use crate::report::{PhaseEnd, Phases};
use crate::test::RealAgents;
use crate::tools::{self, Presence};

/// The program that the browser tests drive.
const PROGRAM: &str = "PUPITRE_BIN";

/// Installs what apps/web pins, unless the build of the program has done it, and runs the page's tests.
/// The page's own scripts say which tests there are.
pub(crate) fn test(phases: &mut Phases, checkout: &Checkout, agents: &RealAgents) {
    let page = checkout.root().join("apps").join("web");
    if !page.join("package.json").is_file() {
        return;
    }
    if tools::page_tools(phases) == Presence::Missing {
        return;
    }
    let npm = || Invocation::of("npm").folder("apps/web");
    if are_packages_old(&page) {
        let install = npm().arguments(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
        if phases.command("page: packages", &install) == PhaseEnd::Failed {
            return;
        }
    }
    phases.command("page: check", &npm().arguments(["run", "check"]));
    phases.command("page: tests", &npm().arguments(["test"]));
    let build = npm().arguments(["run", "build"]);
    if phases.command("page: build", &build) == PhaseEnd::Passed
        && tools::browser(phases) == Presence::Present
    {
        let program = checkout
            .target_folder()
            .map(|target| target.join("debug").join("pupitre"));
        let in_browser = agents.told_to(npm().arguments(["run", "e2e"]));
        match program {
            Ok(program) => phases.command("page: browser", &in_browser.environment(PROGRAM, program)),
            Err(error) => phases.work("page: browser", "cargo xtask test", || Err(error)),
        };
    }
}

/// Says whether other packages are installed than those that the lock names, as far as times tell.
fn are_packages_old(page: &Path) -> bool {
    let changed = |name: &str| {
        fs::metadata(page.join(name))
            .and_then(|metadata| metadata.modified())
            .ok()
    };
    changed("node_modules/.package-lock.json") < changed("package-lock.json")
}
