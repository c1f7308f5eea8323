//! Where the fixtures and the programs of this package are, for the tests of every crate.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Returns the project's `fixtures` folder.
pub fn folder() -> PathBuf {
    project().join("fixtures")
}

/// Returns the folder of the whole project.
pub fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("this package stands two folders deep")
}

/// Returns all transcripts of real agents, sorted by name.
pub fn transcripts() -> Vec<PathBuf> {
    files("acp", "jsonl")
}

/// Returns the transcript `name`, such as `codexz.tool`.
pub fn transcript(name: &str) -> PathBuf {
    folder().join("acp").join(format!("{name}.jsonl"))
}

/// Returns all scripts of odd agents, sorted by name.
pub fn odd_scripts() -> Vec<PathBuf> {
    files("acp-odd", "script")
}

/// Returns the script of the odd agent `name`, such as `byte-order-mark`.
pub fn odd_script(name: &str) -> PathBuf {
    folder().join("acp-odd").join(format!("{name}.script"))
}

/// A program of this package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    FakeAgent,
    ModelServer,
    RealAgents,
}

impl Program {
    pub fn name(self) -> &'static str {
        match self {
            Self::FakeAgent => "pupitre-fake-agent",
            Self::ModelServer => "pupitre-model-server",
            Self::RealAgents => "pupitre-real-agents",
        }
    }

    /// Returns the path of the program, built beside the running test with the same profile.
    ///
    /// Cargo tells a test only of the programs of its own package, and builds no others: this builds them when
    /// they are missing or older than their source, and panics when that fails.
    pub fn path(self) -> PathBuf {
        let test = std::env::current_exe().expect("a test knows its own program");
        let profile_folder = test
            .ancestors()
            .find(|folder| folder.ends_with("deps"))
            .and_then(Path::parent)
            .or_else(|| test.parent())
            .expect("a test program stands in a folder");
        let program = profile_folder
            .join(self.name())
            .with_extension(std::env::consts::EXE_EXTENSION);
        if !is_fresh(&program) {
            build(profile_folder);
            assert!(program.is_file(), "cargo built no {}", program.display());
        }
        program
    }
}

fn is_fresh(program: &Path) -> bool {
    let modified = |path: &Path| path.metadata().and_then(|metadata| metadata.modified()).ok();
    let Some(built) = modified(program) else {
        return false;
    };
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut newest = modified(&package.join("Cargo.toml")).unwrap_or(SystemTime::UNIX_EPOCH);
    let mut folders = vec![package.join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Some(time) = modified(&path) {
                newest = newest.max(time);
            }
        }
    }
    newest <= built
}

fn build(profile_folder: &Path) {
    let profile = match profile_folder.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    let target = profile_folder
        .parent()
        .expect("a profile has its folder below the target folder");
    #[expect(clippy::disallowed_methods, reason = "test support builds its own programs")]
    let mut cargo = std::process::Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args([
        "build",
        "--quiet",
        "--package",
        env!("CARGO_PKG_NAME"),
        "--bins",
        "--profile",
        profile,
    ]);
    cargo
        .arg("--target-dir")
        .arg(target)
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    let status = cargo.status().expect("cargo can be started where its tests run");
    assert!(
        status.success(),
        "cargo could not build the programs of {}",
        env!("CARGO_PKG_NAME")
    );
    // Cargo leaves a program alone when its inputs did not change the result; the check above looks at times.
    for entry in [Program::FakeAgent, Program::ModelServer, Program::RealAgents] {
        let path = profile_folder
            .join(entry.name())
            .with_extension(std::env::consts::EXE_EXTENSION);
        if let Ok(file) = std::fs::File::options().append(true).open(path) {
            let _ = file.set_modified(SystemTime::now());
        }
    }
}

fn files(folder_name: &str, extension: &str) -> Vec<PathBuf> {
    let folder = folder().join(folder_name);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("the fixtures folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    paths.sort();
    paths
}
