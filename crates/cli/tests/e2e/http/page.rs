//! Where the page is, what it is made of, and the commands that open it.

use std::net::{IpAddr, Ipv6Addr};
use std::os::unix::fs::PermissionsExt;

use super::browser::Browser;
use crate::support::{Desk, PATIENCE, utf8};

#[test]
fn it_listens_on_loopback_alone() {
    let desk = Desk::start();
    let (browser, _) = Browser::outside(&desk);
    let ending = format!(":{:04X}", browser.port);
    let mut listening = Vec::new();
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        for line in std::fs::read_to_string(table).unwrap_or_default().lines().skip(1) {
            let columns: Vec<&str> = line.split_whitespace().collect();
            // 0A: it listens.
            if columns[1].ends_with(&ending) && columns[3] == "0A" {
                listening.push(columns[1].trim_end_matches(&ending).to_owned());
            }
        }
    }
    assert!(!listening.is_empty());
    for address in listening {
        let loopback = ["0100007F", "00000000000000000000000001000000"];
        assert!(loopback.contains(&address.as_str()), "{address}");
    }
}

#[test]
fn every_name_of_loopback_leads_there() {
    let desk = Desk::start();
    let mut browser = Browser::inside(&desk);
    let port = browser.port;
    for host in [
        format!("localhost:{port}"),
        format!("127.0.0.1:{port}"),
        format!("[::1]:{port}"),
    ] {
        assert_eq!(
            browser.send("GET /", &[("host", &host)], b"").status,
            200,
            "{host}"
        );
        let origin = format!("http://{host}");
        browser
            .try_socket(&host, Some(&origin))
            .map_err(|status| format!("{host}: {status}"))
            .unwrap();
    }
    if std::net::TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_err() {
        eprintln!("skipped: this machine has no IPv6 loopback");
        return;
    }
    browser.address = IpAddr::V6(Ipv6Addr::LOCALHOST);
    let host = format!("[::1]:{port}");
    let origin = format!("http://{host}");
    assert_eq!(
        browser.send("GET /healthz", &[("host", &host)], b"").text(),
        "ok\n"
    );
    browser
        .try_socket(&host, Some(&origin))
        .map_err(|status| status.to_string())
        .unwrap();
}

#[test]
fn files_are_kept_as_long_as_they_are_the_same() {
    let desk = Desk::start();
    let (browser, _) = Browser::outside(&desk);
    let index = browser.get("/");
    assert_eq!(
        (index.status, index.header("cache-control")),
        (200, Some("no-store"))
    );
    assert_eq!(index.header("content-type"), Some("text/html; charset=utf-8"));
    let text = index.text();
    assert!(text.contains("<title>Pupitre</title>"), "{text}");
    assert!(!text.contains("<script>") && !text.contains("://"), "{text}");
    let named = text
        .split('"')
        .filter(|word| word.starts_with('/') && word.contains('.'));
    for path in named {
        let file = browser.get(path);
        assert_eq!(file.status, 200, "{path}");
        if path.starts_with("/assets/") {
            let keeping = file.header("cache-control");
            assert_eq!(keeping, Some("public, max-age=31536000, immutable"), "{path}");
        } else {
            assert_eq!(file.header("cache-control"), Some("no-cache"), "{path}");
            let tag = file.header("etag").expect("a tag");
            let headers = [("host", browser.host()), ("if-none-match", tag.to_owned())];
            let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
            let again = browser.send(&format!("GET {path}"), &headers, b"");
            assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
        }
    }
    let head = browser.send("HEAD /", &[("host", &browser.host())], b"");
    assert_eq!((head.status, head.body.len()), (200, 0));
    for path in [
        "/../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/assets/",
        "/assets/../index.html",
    ] {
        assert_eq!(browser.get(path).status, 404, "{path}");
    }
}

#[test]
fn health_says_nothing_else() {
    let desk = Desk::start();
    let (browser, _) = Browser::outside(&desk);
    let health = browser.get("/healthz");
    assert_eq!((health.status, health.text().as_str()), (200, "ok\n"));
}

#[test]
fn a_port_that_was_asked_for_is_taken_and_one_that_is_not_free_is_told() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let mut desk = Desk::without_daemon(&[]);
    desk.start_daemon_with(&["--port", &port]);
    let words = format!("port {port} of this machine is used by another program");
    desk.run(&["app", "--print-url"])
        .expect_code(1)
        .expect_stderr(&words);
    // Everything else works.
    desk.run(&[])
        .expect_code(0)
        .expect_stdout(&words)
        .expect_stdout("next: pupitre ask demo");
    desk.run(&["ask", "demo", "hello"]).expect_code(0);
    desk.stop_daemon();
    drop(taken);
    let here = format!("http://127.0.0.1:{port}/#token=");
    desk.start_daemon_with(&["--port", &port]);
    desk.run(&["app", "--print-url"])
        .expect_code(0)
        .expect_stdout(&here);
    desk.stop_daemon();
    // The same in the configuration.
    desk.write_settings(&format!("port = {port}\n"), &[]);
    desk.start_daemon();
    desk.run(&["app", "--print-url"])
        .expect_code(0)
        .expect_stdout(&here);
}

#[test]
fn without_a_display_the_address_is_printed() {
    let desk = Desk::without_daemon(&[]);
    // Each of them starts the daemon when none runs.
    for (arguments, words) in [
        (&["app", "--print-url"][..], "http://127.0.0.1:"),
        (
            &["app"],
            "the page, for one browser and five minutes: http://127.0.0.1:",
        ),
        (
            &[],
            "the page, for one browser and five minutes: http://127.0.0.1:",
        ),
    ] {
        let output = desk.run(arguments);
        output.expect_code(0).expect_stdout(words);
        let token = output.stdout.split("#token=").nth(1).expect("a token");
        let (browser, _) = Browser::outside(&desk);
        assert_eq!(
            browser.login(token.split_whitespace().next().unwrap()).status,
            204
        );
    }
    desk.run(&["stop"]).expect_code(0);
}

#[test]
fn with_a_display_a_browser_is_opened() {
    let mut desk = Desk::without_daemon(&[]);
    let (program, told) = (desk.path("work/chromium"), desk.path("work/told"));
    let pipe = desk.path("work/pipe");
    // It writes into a pipe, so that the test can wait for it.
    let script = format!(
        "#!/bin/sh\necho \"$1\" > {}\necho done > {}\n",
        utf8(&told),
        utf8(&pipe)
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
    let path = format!("{}:{}", utf8(&desk.path("work")), std::env::var("PATH").unwrap());
    desk.set_variable("PATH", &path);
    desk.set_variable("DISPLAY", ":77");
    desk.start_daemon();
    desk.run(&["app"])
        .expect_code(0)
        .expect_stdout("opens in a window of its own");
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(std::fs::read_to_string(pipe)));
    receiver
        .recv_timeout(PATIENCE)
        .expect("the browser was started")
        .unwrap();
    let told = std::fs::read_to_string(told).unwrap();
    let token = told
        .trim()
        .strip_prefix("--app=http://127.0.0.1:")
        .expect("an address");
    let (browser, _) = Browser::outside(&desk);
    assert_eq!(browser.login(token.split_once("/#token=").unwrap().1).status, 204);
    // What is read by a program opens nothing.
    desk.run(&[])
        .expect_code(0)
        .expect_stdout("for one browser and five minutes");
}
