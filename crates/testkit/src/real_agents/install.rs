//! Installs an agent with the package manager of its language. A finished folder appears under its name in one step,
//! so what is there is whole; a lock file keeps two installations apart.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{AgentPackage, Source, Unavailable};

/// Returns the folder of the agent below `cache`, installed now if it was not there.
pub fn install(agent: impl Into<AgentPackage>, cache: &Path) -> Result<PathBuf, Unavailable> {
    let agent = agent.into();
    let folder = agent.folder(cache);
    let cannot_use = |path: &Path| {
        let path = path.to_owned();
        move |source| Unavailable::Folder {
            agent: agent.name(),
            path,
            source,
        }
    };
    if folder.is_dir() {
        return Ok(folder);
    }
    std::fs::create_dir_all(cache).map_err(cannot_use(cache))?;
    let lock_path = cache.join(format!("{}.lock", agent.name()));
    let lock = File::create(&lock_path).map_err(cannot_use(&lock_path))?;
    lock.lock().map_err(cannot_use(&lock_path))?;
    if folder.is_dir() {
        // Somebody else has installed it while this waited for the lock.
        return Ok(folder);
    }
    let partial = cache.join(format!("{}.partial", agent.name()));
    if partial.exists() {
        std::fs::remove_dir_all(&partial).map_err(cannot_use(&partial))?;
    }
    std::fs::create_dir_all(&partial).map_err(cannot_use(&partial))?;
    let installed = fill(agent, &partial);
    if let Err(problem) = installed {
        std::fs::remove_dir_all(&partial).map_err(cannot_use(&partial))?;
        return Err(problem);
    }
    std::fs::rename(&partial, &folder).map_err(cannot_use(&folder))?;
    Ok(folder)
}

fn fill(agent: AgentPackage, folder: &Path) -> Result<(), Unavailable> {
    match agent.source {
        Source::Npm { name, version } => {
            let mut npm = program("npm");
            npm.arg("install").arg("--prefix").arg(folder);
            npm.args(["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
            run(agent, "npm", npm.arg(format!("{name}@{version}")))
        }
        Source::PythonWithExamples { name, version } => {
            let requirement = format!("{name}=={version}");
            let mut pip = program("python3");
            pip.args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--target",
            ]);
            run(agent, "pip", pip.arg(folder.join("lib")).arg(&requirement))?;
            let mut pip = program("python3");
            pip.args([
                "-m",
                "pip",
                "download",
                "--quiet",
                "--disable-pip-version-check",
                "--no-deps",
            ]);
            pip.args(["--no-binary", ":all:", "--dest"]);
            run(agent, "pip", pip.arg(folder.join("archive")).arg(&requirement))?;
            let archive = format!("{}-{version}.tar.gz", name.replace('-', "_"));
            let mut tar = program("tar");
            tar.args(["--extract", "--gzip", "--strip-components=1", "--file"]);
            tar.arg(folder.join("archive").join(archive))
                .arg("--directory")
                .arg(folder);
            run(agent, "tar", &mut tar)
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "test support calls package managers")]
fn program(name: &str) -> Command {
    Command::new(name)
}

fn run(agent: AgentPackage, name: &'static str, command: &mut Command) -> Result<(), Unavailable> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|source| Unavailable::NoProgram {
            agent: agent.name(),
            program: name,
            source,
        })?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let mut last_lines: Vec<_> = stderr
        .lines()
        .rev()
        .filter(|line| !line.trim().is_empty())
        .take(5)
        .collect();
    last_lines.reverse();
    Err(Unavailable::Failed {
        agent: agent.name(),
        program: name,
        status: output.status,
        last_words: last_lines.join(" / "),
    })
}
