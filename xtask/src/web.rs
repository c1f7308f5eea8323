//! The tests of the page in apps/web: nothing while the page has no package.json.

use crate::checkout::Checkout;
use crate::invocation::Invocation;
use crate::report::{PhaseEnd, Phases};

/// Installs what apps/web pins and runs its tests, as two phases. The page's own `test` script says which tests there are.
pub(crate) fn test(phases: &mut Phases, checkout: &Checkout) {
    let page = checkout.root().join("apps").join("web");
    if !page.join("package.json").is_file() {
        return;
    }
    let npm = || Invocation::of("npm").folder("apps/web");
    let install = npm().arguments(["ci", "--no-audit", "--no-fund"]);
    if phases.command("page: packages", &install) == PhaseEnd::Passed {
        phases.command("page: tests", &npm().arguments(["test"]));
    }
}
