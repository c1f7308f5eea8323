//! Requests that a page of elsewhere makes a browser send, all of them with a good cookie or a good token.

use serde_json::json;

use super::browser::Browser;
use crate::support::Desk;

/// Paths with how they are asked for.
const EVERYWHERE: [&str; 9] = [
    "GET /",
    "GET /healthz",
    "GET /favicon.svg",
    "GET /no/such/page",
    "GET /rpc",
    "POST /api/login",
    "POST /api/logout",
    "POST /api/upload?name=a.txt",
    "DELETE /",
];

#[test]
fn a_host_that_is_not_ours_is_refused_everywhere() {
    let desk = Desk::start();
    let browser = Browser::inside(&desk);
    let port = browser.port;
    for host in [
        format!("127.evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("evil.example:{port}"),
        "evil.example".to_owned(),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{}", port ^ 1),
    ] {
        // Under rebinding the two headers are equal.
        let origin = format!("http://{host}");
        for line in EVERYWHERE {
            let answer = browser.send(line, &[("host", &host), ("origin", &origin)], b"");
            assert_eq!(answer.status, 421, "{line} {host}");
        }
        let own = browser.origin();
        for origin in [origin.as_str(), &own] {
            assert_eq!(
                browser.try_socket(&host, Some(origin)).err(),
                Some(421),
                "{host} {origin}"
            );
        }
    }
    for line in EVERYWHERE {
        let none = browser.send(line, &[], b"");
        // Without any the library answers by itself, before a route is looked for.
        assert!(matches!(none.status, 400 | 421), "{line}: {}", none.status);
        let absolute = line.replacen(" /", " http://evil.example/", 1);
        let answer = browser.send(&absolute, &[("host", &browser.host())], b"");
        assert_eq!(answer.status, 421, "{absolute}");
    }
    browser.socket();
}

#[test]
fn an_origin_that_is_not_ours_is_refused_everywhere() {
    let desk = Desk::start();
    let browser = Browser::inside(&desk);
    let (_, token) = Browser::outside(&desk);
    let host = browser.host();
    let login = json!({ "token": token }).to_string();
    for origin in [
        "null".to_owned(),
        "http://evil.example".to_owned(),
        format!("http://evil.example:{}", browser.port),
        format!("https://{host}"),
        format!("http://{host}.evil.example"),
        format!("http://127.0.0.1:{}", browser.port ^ 1),
        "file://".to_owned(),
    ] {
        for line in EVERYWHERE {
            let headers = [
                ("host", host.as_str()),
                ("origin", &origin),
                ("content-type", "application/json"),
            ];
            let answer = browser.send(line, &headers, login.as_bytes());
            assert_eq!(answer.status, 403, "{line} {origin}");
        }
        assert_eq!(
            browser.try_socket(&host, Some(&origin)).err(),
            Some(403),
            "{origin}"
        );
    }
    // A WebSocket and whatever changes something must say where it comes from.
    assert_eq!(browser.try_socket(&host, None).err(), Some(403));
    for line in ["POST /api/login", "POST /api/logout", "POST /api/upload"] {
        assert_eq!(browser.send(line, &[("host", &host)], b"").status, 403, "{line}");
    }
    // None of them took the token or ended the session.
    browser.socket();
    assert_eq!(browser.login(&token).status, 204);
}

#[test]
fn a_form_of_another_site_is_refused() {
    let desk = Desk::start();
    let browser = Browser::inside(&desk);
    let (_, token) = Browser::outside(&desk);
    let host = browser.host();
    let own = browser.origin();
    let login = json!({ "token": token }).to_string();
    for kind in [
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain",
    ] {
        for (origin, site) in [
            ("http://evil.example", "cross-site"),
            ("null", "cross-site"),
            ("http://localhost:3000", "same-site"),
            // Even where it would say that it is ours, the browser knows better.
            (&own, "cross-site"),
            (&own, "same-site"),
            (&own, "none"),
        ] {
            for line in ["POST /api/login", "POST /api/logout", "POST /api/upload?name=a"] {
                let headers = [
                    ("host", host.as_str()),
                    ("origin", origin),
                    ("sec-fetch-site", site),
                    ("content-type", kind),
                ];
                let answer = browser.send(line, &headers, login.as_bytes());
                assert_eq!(answer.status, 403, "{line} {origin} {site}");
            }
        }
        // And a form of our own is no login.
        assert_eq!(
            browser.post("/api/login", kind, login.as_bytes()).status,
            415,
            "{kind}"
        );
    }
    assert_eq!(browser.login(&token).status, 204);
    browser.socket();
}

#[test]
fn there_is_no_way_across_origins() {
    let desk = Desk::start();
    let browser = Browser::inside(&desk);
    let host = browser.host();
    for origin in ["http://evil.example", &browser.origin()] {
        let headers = [
            ("host", host.as_str()),
            ("origin", origin),
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", "content-type"),
        ];
        for path in ["/", "/rpc", "/api/login", "/api/upload"] {
            let answer = browser.send(&format!("OPTIONS {path}"), &headers, b"");
            assert!(
                matches!(answer.status, 403 | 405),
                "{path} {origin}: {}",
                answer.status
            );
            let shared = answer
                .header_names()
                .find(|name| name.starts_with("access-control"));
            assert_eq!(shared, None, "{path} {origin}");
        }
    }
}

#[test]
fn every_answer_carries_the_policy() {
    let desk = Desk::start();
    let browser = Browser::inside(&desk);
    let stranger = Browser {
        cookie: None,
        ..browser.clone()
    };
    let evil = ("host", "evil.example");
    for (what, status, answer) in [
        ("the page", 200, browser.get("/")),
        ("health", 200, browser.get("/healthz")),
        ("no page", 404, browser.get("/no/such/page")),
        (
            "no method",
            405,
            browser.send(
                "DELETE /",
                &[("host", &browser.host()), ("origin", &browser.origin())],
                b"",
            ),
        ),
        ("a foreign host", 421, browser.send("GET /", &[evil], b"")),
        (
            "a stranger",
            401,
            stranger.post("/api/upload", "text/plain", b"a"),
        ),
        ("a bad token", 403, stranger.login("AAAA")),
        (
            "a good logout",
            204,
            stranger.post("/api/logout", "text/plain", b""),
        ),
    ] {
        assert_eq!(answer.status, status, "{what}: {answer:?}");
        let policy = answer.header("content-security-policy").unwrap_or_default();
        for part in [
            "default-src 'none'",
            "script-src 'self';",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "object-src 'none'",
            "form-action 'none'",
        ] {
            assert!(policy.contains(part), "{what}: {part} in {policy}");
        }
        assert!(
            !policy.contains("unsafe-eval") && !policy.contains("http"),
            "{policy}"
        );
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{what}: {name}");
        }
        let shared = answer
            .header_names()
            .find(|name| name.starts_with("access-control"));
        assert_eq!(shared, None, "{what}");
    }
}
