//! How a browser is let in, how long, and how it is let out.

use pupitre_protocol::method::system;
use pupitre_protocol::system::{CallerKind, Empty};

use super::browser::{Browser, Heard};
use crate::support::{Desk, files_below};

#[test]
fn a_token_lets_one_browser_in_once() {
    let desk = Desk::start();
    let (mut browser, token) = Browser::outside(&desk);
    assert_eq!(
        browser.try_socket(&browser.host(), Some(&browser.origin())).err(),
        Some(401)
    );
    for wrong in [
        "",
        "AAAA",
        &token[1..],
        &format!("{token}A"),
        &token.to_ascii_uppercase(),
    ] {
        assert_eq!(browser.login(wrong).status, 403, "{wrong}");
    }
    for body in ["", "{}", "[]", "{\"token\":1}", "token"] {
        assert_eq!(
            browser
                .post("/api/login", "application/json", body.as_bytes())
                .status,
            400,
            "{body}"
        );
    }
    let long = format!("{{\"token\":\"{}\"}}", "A".repeat(10_000));
    assert_eq!(
        browser
            .post("/api/login", "application/json", long.as_bytes())
            .status,
        413
    );

    let answer = browser.login(&token);
    assert_eq!(answer.status, 204);
    let set = answer.header("set-cookie").expect("a cookie").to_owned();
    for part in ["; HttpOnly", "; SameSite=Strict", "; Path=/"] {
        assert!(set.contains(part), "{part} in {set}");
    }
    assert!(set.starts_with(&format!("pupitre_{}=", browser.port)), "{set}");
    assert!(!set.contains(&token) && !set.contains("Domain"), "{set}");
    assert_eq!(browser.login(&token).status, 403, "a second time");

    // The token is no cookie, and the cookie of another port is none of ours.
    let secret = answer.cookie().split_once('=').unwrap().1.to_owned();
    for wrong in [
        format!("pupitre_{}={token}", browser.port),
        format!("pupitre_{}=", browser.port),
        format!("pupitre_{}={secret}", browser.port ^ 1),
        format!("pupitre={secret}"),
    ] {
        browser.cookie = Some(wrong.clone());
        let refused = browser.try_socket(&browser.host(), Some(&browser.origin())).err();
        assert_eq!(refused, Some(401), "{wrong}");
        assert_eq!(
            browser.post("/api/upload?name=a", "text/plain", b"a").status,
            401,
            "{wrong}"
        );
    }
    // Another server of this machine may have set one with the same name.
    browser.cookie = Some(format!("pupitre_{}=planted; {}", browser.port, answer.cookie()));
    let capabilities = browser.socket().call::<system::Capabilities>(&Empty {});
    assert_eq!(
        (capabilities.caller, capabilities.gate_open),
        (CallerKind::Page, true)
    );
}

#[test]
fn a_browser_that_is_in_stays_in_with_another_token() {
    let desk = Desk::start();
    let browser = Browser::inside(&desk);
    let (_, token) = Browser::outside(&desk);
    let again = browser.login(&token);
    assert_eq!(
        (again.status, Some(again.cookie())),
        (204, browser.cookie.clone())
    );
    assert_eq!(
        Some(browser.get("/").cookie()),
        browser.cookie,
        "and longer with each visit"
    );
}

#[test]
fn a_logout_ends_the_session_and_its_web_sockets() {
    let desk = Desk::start();
    let (browser, other) = (Browser::inside(&desk), Browser::inside(&desk));
    let (mut first, mut second) = (browser.socket(), browser.socket());
    let mut stays = other.socket();
    first.call::<system::Ping>(&Empty {});
    second.call::<system::Ping>(&Empty {});
    let answer = browser.post("/api/logout", "text/plain", b"");
    assert_eq!(answer.status, 204);
    assert!(answer.header("set-cookie").unwrap().contains("Max-Age=0"));
    // 1008: by policy.
    assert_eq!(
        (first.hear(), second.hear()),
        (Heard::Closed(1008), Heard::Closed(1008))
    );
    assert_eq!(
        browser.try_socket(&browser.host(), Some(&browser.origin())).err(),
        Some(401)
    );
    stays.call::<system::Ping>(&Empty {});
}

#[test]
fn a_session_and_its_address_outlive_the_daemon_and_a_token_does_not() {
    let mut desk = Desk::start();
    let browser = Browser::inside(&desk);
    let (_, unused) = Browser::outside(&desk);
    let mut socket = browser.socket();
    socket.call::<system::Ping>(&Empty {});
    desk.kill_daemon();
    desk.start_daemon();
    assert_eq!(Browser::outside(&desk).0.port, browser.port);
    browser.socket().call::<system::Ping>(&Empty {});
    assert_eq!(browser.login(&unused).status, 403);
}

#[test]
fn no_file_and_no_log_has_a_secret() {
    let mut desk = Desk::start();
    let browser = Browser::inside(&desk);
    let (_, unused) = Browser::outside(&desk);
    browser.socket().call::<system::Ping>(&Empty {});
    desk.stop_daemon();
    let secret = browser.cookie.as_deref().unwrap().split_once('=').unwrap().1;
    let files = files_below(&desk.path("state"));
    assert!(
        files.iter().any(|file| file.ends_with("pupitre/page.json")),
        "{files:?}"
    );
    for file in files {
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        let found = [secret, &unused].into_iter().find(|hidden| text.contains(hidden));
        assert_eq!(found, None, "{}", file.display());
        let mode = std::os::unix::fs::PermissionsExt::mode(&file.metadata().unwrap().permissions());
        assert_eq!(mode & 0o077, 0, "{}", file.display());
    }
}

#[test]
fn the_end_of_the_daemon_is_answered_and_told() {
    let mut desk = Desk::start();
    let browser = Browser::inside(&desk);
    let (mut asking, mut idle) = (browser.socket(), browser.socket());
    asking.call::<system::Shutdown>(&Empty {});
    // 1001: going away.
    assert_eq!(
        (asking.hear(), idle.hear()),
        (Heard::Closed(1001), Heard::Closed(1001))
    );
    desk.expect_daemon_end();
}
