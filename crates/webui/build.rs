//! Builds the page of `apps/web` into the folder that the program embeds.
//!
//! Without npm there is a page that says so, and a warning; an npm that fails stops the build with its words.
//! `PUPITRE_UI=skip` leaves the page out, `PUPITRE_UI=require` takes no stand-in, and `PUPITRE_UI_DIST` names a folder with
//! a page that is built already.
#![expect(clippy::disallowed_methods, reason = "a build script runs npm")]

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What of `apps/web` the bundle is made from. Whatever else is there, the packages above all, is not looked at.
const SOURCES: [&str; 8] = [
    "index.html",
    "package.json",
    "package-lock.json",
    "public",
    "src",
    "svelte.config.js",
    "tsconfig.json",
    "vite.config.ts",
];

/// What becomes of the page when npm is missing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wish {
    /// A page is built when it can be.
    WhenPossible,
    /// `PUPITRE_UI=skip`.
    Skip,
    /// `PUPITRE_UI=require`.
    Require,
}

fn main() {
    println!("cargo::rerun-if-env-changed=PUPITRE_UI");
    println!("cargo::rerun-if-env-changed=PUPITRE_UI_DIST");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=fallback");
    let page = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo names the folder")).join("page");
    let built = std::env::var_os("PUPITRE_UI_DIST").filter(|folder| !folder.is_empty());
    let outcome = match (built, wish()) {
        (Some(folder), _) => take_built(Path::new(&folder), &page),
        (None, Wish::Skip) => stand_in("skipped.html", &page),
        (None, wish) => build(wish, &page),
    };
    if let Err(error) = outcome {
        panic!("the page cannot be put into the program: {error}");
    }
}

fn wish() -> Wish {
    match std::env::var("PUPITRE_UI").as_deref() {
        Ok("skip") => Wish::Skip,
        Ok("require") => Wish::Require,
        Ok("") | Err(_) => Wish::WhenPossible,
        Ok(other) => panic!("PUPITRE_UI is \"{other}\"; it can be \"skip\" or \"require\""),
    }
}

/// Copies a page that somebody built before.
fn take_built(folder: &Path, page: &Path) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    assert!(
        folder.join("index.html").is_file(),
        "PUPITRE_UI_DIST is {}, which has no index.html",
        folder.display()
    );
    renew(page)?;
    copy_all(folder, page)
}

/// Puts a page there that says why there is no other.
fn stand_in(name: &str, page: &Path) -> io::Result<()> {
    renew(page)?;
    fs::copy(Path::new("fallback").join(name), page.join("index.html"))?;
    Ok(())
}

fn build(wish: Wish, page: &Path) -> io::Result<()> {
    // Cargo runs this in the folder of the crate.
    let sources = Path::new("../../apps/web").canonicalize()?;
    for source in SOURCES.map(|name| sources.join(name)) {
        // Cargo takes a path that is not there for one that has just changed, each time.
        if source.exists() {
            println!("cargo::rerun-if-changed={}", source.display());
        }
    }
    if !run(&sources, ["--version"]).is_ok_and(|output| output.status.success()) {
        assert!(
            wish != Wish::Require,
            "PUPITRE_UI=require, and npm cannot be run: install Node.js 20 or later with npm"
        );
        println!(
            "cargo::warning=npm cannot be run, so the program has no page: install Node.js 20 or later with npm and build again"
        );
        // Whoever installs it then touches nothing that cargo watches.
        println!("cargo::rerun-if-changed=no-such-file");
        return stand_in("no-npm.html", page);
    }
    // Two builds, of another target folder perhaps, would write the same packages.
    let lock = File::options()
        .create(true)
        .append(true)
        .open(sources.join(".build.lock"))?;
    lock.lock()?;
    if are_packages_old(&sources) {
        npm(&sources, ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
        // npm keeps the time at which the file was packed, which says nothing.
        let installed = File::options().append(true).open(installed_lock(&sources))?;
        installed.set_modified(std::time::SystemTime::now())?;
    }
    renew(page)?;
    let vite = ["exec", "--", "vite", "build", "--emptyOutDir", "--outDir"].map(OsStr::new);
    npm(&sources, vite.into_iter().chain([page.as_os_str()]));
    assert!(page.join("index.html").is_file(), "vite built no index.html");
    Ok(())
}

fn installed_lock(sources: &Path) -> PathBuf {
    sources.join("node_modules/.package-lock.json")
}

/// Says whether the packages are other ones than those the lock names, as far as times tell.
fn are_packages_old(sources: &Path) -> bool {
    let changed = |path: PathBuf| fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    changed(installed_lock(sources)) < changed(sources.join("package-lock.json"))
}

/// Runs npm, and stops the build with its words when it fails.
fn npm<Word: AsRef<OsStr>>(sources: &Path, arguments: impl IntoIterator<Item = Word>) {
    let arguments: Vec<_> = arguments
        .into_iter()
        .map(|word| word.as_ref().to_owned())
        .collect();
    let output = run(sources, &arguments).expect("npm could be run a moment ago");
    assert!(
        output.status.success(),
        "npm {} failed in {} with {}; `PUPITRE_UI=skip` builds without the page\n{}\n{}",
        arguments.join(OsStr::new(" ")).display(),
        sources.display(),
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
}

fn run<Word: AsRef<OsStr>>(sources: &Path, arguments: impl IntoIterator<Item = Word>) -> io::Result<Output> {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    Command::new(program)
        .args(arguments)
        .current_dir(sources)
        .output()
}

/// Makes the folder anew: a file of the page before would be embedded too.
fn renew(page: &Path) -> io::Result<()> {
    match fs::remove_dir_all(page) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    fs::create_dir_all(page)
}

fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            fs::create_dir_all(&target)?;
            copy_all(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
