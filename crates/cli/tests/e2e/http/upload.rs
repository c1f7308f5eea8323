//! Files that a page gives the daemon, and sends along with a message.

use pupitre_protocol::conversation::SendParams;
use pupitre_protocol::limits::ATTACHMENT_BYTES;
use pupitre_protocol::method::chat;
use pupitre_protocol::{ErrorKind, UploadId};

use super::browser::Browser;
use crate::support::{Desk, agent_name, files_below, text_of_turn};

fn upload(browser: &Browser, name: &str, content: &[u8]) -> UploadId {
    let answer = browser.post(
        &format!("/api/upload?name={name}"),
        "application/octet-stream",
        content,
    );
    assert_eq!(answer.status, 200, "{}", answer.text());
    let reply: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
    reply["id"]
        .as_str()
        .expect("an id")
        .parse()
        .expect("an id of ours")
}

fn message(uploads: Vec<UploadId>) -> SendParams {
    SendParams {
        agent: agent_name("demo"),
        text: "what is this".to_owned(),
        attachments: Vec::new(),
        uploads,
    }
}

#[test]
fn an_upload_reaches_the_agent() {
    let desk = Desk::start();
    let browser = Browser::inside(&desk);
    let picture = upload(&browser, "a%20picture.png", b"not really");
    let notes = upload(&browser, "..%2F..%2Fnotes.txt", b"some notes");
    let mut events = desk.events();
    let sent = browser
        .socket()
        .call::<chat::Send>(&message(vec![picture, notes]));
    events.wait_for_end_of_turn(sent.message_id);
    let answer = text_of_turn(&desk.conversation("demo"), sent.message_id);
    for part in ["an image (image/png", "a link to notes.txt"] {
        assert!(answer.contains(part), "{part} in {answer}");
    }
    let kept = files_below(&desk.path("state/pupitre/uploads"));
    assert!(
        kept.iter()
            .any(|file| file.ends_with(format!("{notes}/notes.txt"))),
        "{kept:?}"
    );
}

#[test]
fn what_is_not_there_is_not_sent() {
    let desk = Desk::start();
    let browser = Browser::inside(&desk);
    let there = upload(&browser, "a.txt", b"a");
    let missing: UploadId = "01933a8c-0d2f-7c1e-9b1a-5f0e2d3c4b5a".parse().unwrap();
    let (kind, words) = desk.call_refused::<chat::Send>(message(vec![there, missing]));
    assert_eq!(kind, ErrorKind::NotFound);
    assert!(words.contains(&missing.to_string()), "{words}");
    let (kind, _) = desk.call_refused::<chat::Send>(message(vec![there; 17]));
    assert_eq!(kind, ErrorKind::TooLarge);
    assert!(desk.conversation("demo").messages.is_empty());
}

#[test]
fn a_file_over_the_limit_is_refused_and_not_kept() {
    let desk = Desk::start();
    let browser = Browser::inside(&desk);
    let content = vec![b'x'; ATTACHMENT_BYTES + 1];
    upload(&browser, "most", &content[1..]);
    let over = browser.post("/api/upload?name=over", "application/octet-stream", &content);
    assert_eq!(over.status, 413);
    assert!(over.text().contains("32 MiB"), "{}", over.text());
    let kept = files_below(&desk.path("state/pupitre/uploads"));
    assert_eq!(kept.len(), 1, "{kept:?}");
}
