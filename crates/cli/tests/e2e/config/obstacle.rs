//! What every verb says when something else than the file stands in its place, or nothing does, and what to do.

use std::os::unix::fs::symlink;

use super::{changes, next_change};
use crate::support::{Desk, utf8};

/// Checks that every verb that needs the file, or makes it, says this and fails; and so does a start.
#[track_caller]
fn expect_everywhere(desk: &mut Desk, words: &str) {
    desk.set_variable("EDITOR", "echo no editor is started;");
    for arguments in [
        &["config", "check"][..],
        &["config", "init"],
        &["config", "edit"],
        &["serve"],
        &["ask", "demo", "hello"],
    ] {
        let output = desk.run(arguments);
        output.expect_code(1).expect_stderr(words);
        assert_eq!(output.stdout, "");
    }
    desk.run(&["doctor"]).expect_code(1).expect_stdout(words);
}

#[test]
fn a_link_to_nothing_is_named_with_its_target() {
    let mut desk = Desk::without_daemon(&[]);
    std::fs::remove_file(desk.config()).unwrap();
    symlink("/no/such/place.toml", desk.config()).unwrap();
    let words = format!(
        "{} is a link to /no/such/place.toml, which does not exist; make what it leads to, or remove the link",
        utf8(&desk.config())
    );
    expect_everywhere(&mut desk, &words);
    desk.set_variable("PUPITRE_CONFIG", utf8(&desk.config()));
    expect_everywhere(&mut desk, &words);
}

#[test]
fn a_link_to_itself_is_to_be_removed() {
    let mut desk = Desk::without_daemon(&[]);
    std::fs::remove_file(desk.config()).unwrap();
    let beside = desk.path("config/pupitre/beside.toml");
    symlink(&beside, desk.config()).unwrap();
    symlink(desk.config(), &beside).unwrap();
    let words = format!(
        "{} is a link that leads back to itself; remove it",
        utf8(&desk.config())
    );
    expect_everywhere(&mut desk, &words);
}

#[test]
fn what_is_no_folder_and_no_file_is_to_be_moved_away() {
    let mut desk = Desk::without_daemon(&[]);
    let folder = desk.path("config/pupitre");
    std::fs::remove_file(desk.config()).unwrap();
    std::fs::create_dir(desk.config()).unwrap();
    let words = format!("{} is no regular file; move it away", utf8(&desk.config()));
    expect_everywhere(&mut desk, &words);
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::write(&folder, "").unwrap();
    let words = format!("{} is no folder", utf8(&folder));
    expect_everywhere(&mut desk, &words);
    std::fs::remove_file(&folder).unwrap();
    symlink("nothing", &folder).unwrap();
    let words = format!(
        "{} is a link to {}, which does not exist",
        utf8(&folder),
        utf8(&desk.path("config/nothing"))
    );
    expect_everywhere(&mut desk, &words);
}

#[test]
fn a_file_that_is_named_and_missing_is_to_be_made() {
    let mut desk = Desk::without_daemon(&[]);
    let file = desk.path("work/mine.toml");
    desk.set_variable("PUPITRE_CONFIG", utf8(&file));
    let words = format!("{}, which PUPITRE_CONFIG names, does not exist", utf8(&file));
    desk.run(&["config", "check"])
        .expect_code(1)
        .expect_stderr(&words)
        .expect_stderr("`pupitre config init` makes it");
    desk.run(&["doctor"]).expect_code(1).expect_stdout(&words);
    desk.run(&["serve"]).expect_code(1).expect_stderr(&words);
    desk.run(&["config", "init"]).expect_code(0);
    desk.run(&["config", "check"]).expect_code(0);
}

#[test]
fn a_file_that_the_daemon_holds_and_that_is_gone_is_to_be_put_back() {
    let desk = Desk::start();
    let mut events = changes(&desk);
    std::fs::remove_file(desk.config()).unwrap();
    assert!(!next_change(&mut events).valid);
    let words = format!(
        "{} is not there any more, and the daemon goes on with what it read last; put it back, or \
         `pupitre config init` makes a new one",
        utf8(&desk.config())
    );
    for verb in ["check", "edit"] {
        desk.run(&["config", verb]).expect_code(1).expect_stderr(&words);
    }
    desk.run(&["doctor"]).expect_code(1).expect_stdout(&words);
    symlink("nothing", desk.config()).unwrap();
    let to_nothing = "which does not exist; make what it leads to, or remove the link";
    desk.run(&["config", "open", utf8(&desk.config())])
        .expect_code(3)
        .expect_stderr(to_nothing);
    desk.run(&["doctor"]).expect_code(1).expect_stdout(to_nothing);
    std::fs::remove_file(desk.config()).unwrap();
    desk.run(&["config", "init"]).expect_code(0);
    assert!(next_change(&mut events).valid);
    desk.run(&["doctor"]).expect_code(0);
}
