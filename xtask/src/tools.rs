//! The tools that checks and tests need: which are there, and how to get the others.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anyhow::{Result, bail};

use crate::invocation::Invocation;
use crate::report::{PhaseEnd, Phases};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Present,
    Missing,
}

impl Presence {
    fn of(probe: &Invocation) -> Self {
        if probe.succeeds() {
            Self::Present
        } else {
            Self::Missing
        }
    }
}

/// What runs the Rust tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runner {
    Nextest,
    /// Without nextest, `cargo test` does: no hard limits, and documentation tests in the same run.
    CargoTest,
}

impl Runner {
    /// Returns the command that runs tests with the given arguments.
    pub(crate) fn invocation<'a>(self, arguments: impl IntoIterator<Item = &'a str>) -> Invocation {
        match self {
            Self::Nextest => Invocation::cargo()
                .arguments(["nextest", "run"])
                .arguments(arguments),
            Self::CargoTest => Invocation::cargo().arguments(["test"]).arguments(arguments),
        }
    }

    /// Returns what is installed, without installing anything.
    pub(crate) fn installed() -> Self {
        match Presence::of(&Invocation::cargo().arguments(["nextest", "--version"])) {
            Presence::Present => Self::Nextest,
            Presence::Missing => Self::CargoTest,
        }
    }

    /// Returns nextest, installed as a phase when it is missing and can be had.
    pub(crate) fn installed_or_installable(phases: &mut Phases) -> Self {
        match Self::installed() {
            Self::Nextest => Self::Nextest,
            Self::CargoTest => {
                let install = Invocation::cargo().arguments(["install", "--locked", "cargo-nextest"]);
                match install_or_do_without(&install) {
                    Presence::Present => Self::Nextest,
                    Presence::Missing => {
                        phases.skip("nextest", "cannot be installed here; `cargo test` runs the tests");
                        Self::CargoTest
                    }
                }
            }
        }
    }
}

fn install_or_do_without(install: &Invocation) -> Presence {
    match install.run() {
        Ok(()) => Presence::Present,
        Err(error) => {
            crate::report::error(&error);
            Presence::Missing
        }
    }
}

pub(crate) fn cargo_deny() -> Presence {
    Presence::of(&Invocation::cargo().arguments(["deny", "--version"]))
}

/// A program outside Rust that some tests use.
struct Tool {
    name: &'static str,
    program: &'static str,
    probe: &'static [&'static str],
    debian_packages: &'static [&'static str],
}

/// What the installers of other people's agents use.
const AGENT_TOOLS: [Tool; 2] = [
    Tool {
        name: "Python 3 with venv and pip",
        program: "python3",
        probe: &["-c", "import venv, ensurepip"],
        debian_packages: &["python3", "python3-venv", "python3-pip"],
    },
    Tool {
        name: "npm",
        program: "npm",
        probe: &["--version"],
        debian_packages: &["nodejs", "npm"],
    },
];

/// What the page is built and tested with.
const PAGE_TOOLS: [Tool; 1] = [Tool {
    name: "npm",
    program: "npm",
    probe: &["--version"],
    debian_packages: &["nodejs", "npm"],
}];

/// The browser of the page's tests, as Debian packages it.
const BROWSER: [Tool; 1] = [Tool {
    name: "Chromium",
    program: "chromium",
    probe: &["--version"],
    debian_packages: &["chromium"],
}];

impl Tool {
    fn presence(&self) -> Presence {
        Presence::of(&Invocation::of(self.program).arguments(self.probe.iter().copied()))
    }
}

/// Makes the tools of the real agents be there.
pub(crate) fn agent_tools(phases: &mut Phases) -> Presence {
    have(phases, "real agents", &AGENT_TOOLS)
}

/// Makes what builds the page be there.
pub(crate) fn page_tools(phases: &mut Phases) -> Presence {
    have(phases, "page", &PAGE_TOOLS)
}

/// Makes the browser of the page's tests be there.
pub(crate) fn browser(phases: &mut Phases) -> Presence {
    have(phases, "page: browser", &BROWSER)
}

/// Makes tools be there. Returns whether they are.
///
/// As root on Debian missing ones are installed. Elsewhere the phase is skipped with what to install; where
/// `CI` is set it fails instead, since nobody reads what a green run skipped.
fn have(phases: &mut Phases, phase: &str, tools: &[Tool]) -> Presence {
    let missing: Vec<&Tool> = tools
        .iter()
        .filter(|tool| tool.presence() == Presence::Missing)
        .collect();
    if missing.is_empty() {
        return Presence::Present;
    }
    let names = missing
        .iter()
        .map(|tool| tool.name)
        .collect::<Vec<_>>()
        .join(" and ");
    let packages: Vec<&str> = missing
        .iter()
        .flat_map(|tool| tool.debian_packages)
        .copied()
        .collect();
    let install = format!("apt-get update && apt-get install --yes {}", packages.join(" "));
    if may_install_debian_packages() {
        return match phases.work("tools", &install, || install_debian_packages(&packages, &missing)) {
            PhaseEnd::Passed => Presence::Present,
            PhaseEnd::Failed => Presence::Missing,
        };
    }
    let why = format!("{names} is missing: install it (on Debian: {install})");
    if std::env::var_os("CI").is_some() {
        phases.work("tools", &install, || bail!("{why}"));
    } else {
        phases.skip(phase, &why);
    }
    Presence::Missing
}

fn may_install_debian_packages() -> bool {
    let root = std::fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0);
    root && Path::new("/etc/debian_version").exists()
}

fn install_debian_packages(packages: &[&str], tools: &[&Tool]) -> Result<()> {
    let apt_get = || Invocation::of("apt-get").environment("DEBIAN_FRONTEND", "noninteractive");
    apt_get().arguments(["update"]).run()?;
    apt_get()
        .arguments(["install", "--yes", "--no-install-recommends"])
        .arguments(packages.iter().copied())
        .run()?;
    match tools.iter().find(|tool| tool.presence() == Presence::Missing) {
        None => Ok(()),
        Some(tool) => {
            bail!(
                "{} is still missing: another {} may come first in PATH",
                tool.name,
                tool.program
            )
        }
    }
}
