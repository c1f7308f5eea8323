//! The checkout this tool works on: its folder, its files, and where cargo puts what it builds.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::invocation::Invocation;
use crate::rules::{SourceFile, Tree, is_source};

/// The folder with the workspace's manifest.
#[derive(Debug)]
pub(crate) struct Checkout {
    root: PathBuf,
}

impl Checkout {
    /// Finds the checkout and goes there, so that every command line is relative to its root. Cargo says where
    /// xtask's manifest is: asked at run time, since several checkouts may share one target folder.
    pub(crate) fn find() -> Result<Self> {
        let manifest_folder = std::env::var_os("CARGO_MANIFEST_DIR")
            .context("CARGO_MANIFEST_DIR is not set: run this as `cargo xtask`")?;
        match Path::new(&manifest_folder).parent() {
            Some(root) if root.join("Cargo.toml").is_file() => {
                std::env::set_current_dir(root)
                    .with_context(|| format!("cannot go to {}", root.display()))?;
                Ok(Self {
                    root: root.to_owned(),
                })
            }
            _ => bail!("{} is not inside a workspace", manifest_folder.display()),
        }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the files that git tracks or would track, with the text of those that are source.
    pub(crate) fn tree(&self) -> Result<Tree> {
        let listed = Invocation::of("git")
            .arguments(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .output()
            .context("the repository rules look at what git tracks")?;
        let mut tree = Tree::default();
        for path in listed.split('\0').filter(|path| !path.is_empty()) {
            let absolute = self.root.join(path);
            // A file deleted from disk and not yet from the index.
            if !absolute.exists() {
                continue;
            }
            tree.paths.insert(path.to_owned());
            if is_source(path) {
                let text =
                    std::fs::read_to_string(&absolute).with_context(|| format!("cannot read {path}"))?;
                tree.sources.push(SourceFile {
                    path: path.to_owned(),
                    text,
                });
            }
        }
        Ok(tree)
    }

    /// Returns the folder that cargo builds into.
    pub(crate) fn target_folder(&self) -> Result<PathBuf> {
        let metadata = Invocation::cargo()
            .arguments(["metadata", "--no-deps", "--format-version", "1"])
            .output()?;
        let metadata: serde_json::Value =
            serde_json::from_str(&metadata).context("cargo metadata did not write JSON")?;
        match metadata
            .get("target_directory")
            .and_then(serde_json::Value::as_str)
        {
            Some(folder) => Ok(PathBuf::from(folder)),
            None => bail!("cargo metadata names no target_directory"),
        }
    }
}
