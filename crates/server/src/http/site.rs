//! Which site a request was meant for, and which site sent it. A page in the owner's browser can send requests
//! here, under a name of its own that it lets point to this machine; those are recognised by these two headers.

use super::refusal::Refusal;
use axum::http::header::{ACCESS_CONTROL_REQUEST_METHOD, HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, Method};
use std::net::IpAddr;

/// Whether the request was meant for this machine, and no other site sent it.
pub(super) fn check(request: &Parts) -> Result<(), Refusal> {
    let host = only(&request.headers, HOST).filter(|host| names_this_machine(host));
    let meant_for_us = request.uri.authority().is_none_or(|authority| names_this_machine(authority.as_str()));
    let (Some(host), true) = (host, meant_for_us) else { return Err(Refusal::foreign_host()) };
    let sent_by_us = only(&request.headers, ORIGIN).is_some_and(|origin| is_site(origin, host));
    if request.headers.contains_key(ORIGIN) && !sent_by_us {
        return Err(Refusal::foreign_origin());
    }
    if asks_for_another_site(request) {
        return Err(Refusal::foreign_origin());
    }
    Ok(())
}

/// A browser asks first whether another site may send a request. None may.
fn asks_for_another_site(request: &Parts) -> bool {
    request.method == Method::OPTIONS && request.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())?.to_str().ok()
}

/// A name that no stranger can let point here. Any port: a tunnel may have moved it.
fn names_this_machine(authority: &str) -> bool {
    let Ok(authority) = Authority::try_from(authority) else { return false };
    let host = authority.host();
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let plain = !authority.as_str().contains('@');
    plain
        && (host.eq_ignore_ascii_case("localhost")
            || address.parse().is_ok_and(|ip: IpAddr| ip.is_loopback()))
}

/// Whether a page of this very site sent the request; another port on this machine is another site.
fn is_site(origin: &str, host: &str) -> bool {
    origin.strip_prefix("http://").is_some_and(|origin| origin.eq_ignore_ascii_case(host))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::Request;

    fn passes(method: &str, uri: &str, headers: &[(&str, &str)]) -> bool {
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        check(&request.body(()).unwrap().into_parts().0).is_ok()
    }

    #[test]
    fn a_request_for_this_machine_passes_under_each_of_its_names() {
        for host in
            ["127.0.0.1:7717", "localhost:7717", "LOCALHOST", "[::1]:7717", "127.8.8.8", "localhost:9000"]
        {
            assert!(passes("POST", "/mcp", &[("host", host)]), "{host}");
        }
    }

    #[test]
    fn a_request_for_any_other_name_does_not_pass() {
        for host in [
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil.example:7717",
            "0.0.0.0:7717",
            "[::]:7717",
            "192.168.1.5:7717",
            "user@localhost",
            "localhost@evil.example",
            "",
            "[::1",
            "2130706433",
        ] {
            assert!(!passes("POST", "/mcp", &[("host", host)]), "{host}");
        }
        assert!(!passes("POST", "/mcp", &[]));
        assert!(!passes("POST", "/mcp", &[("host", "localhost"), ("host", "localhost")]));
        assert!(!passes("POST", "http://evil.example/mcp", &[("host", "localhost")]));
    }

    #[test]
    fn only_a_page_of_this_very_site_may_send_requests() {
        let from = |origin| passes("POST", "/mcp", &[("host", "localhost:7717"), ("origin", origin)]);
        assert!(from("http://localhost:7717"));
        for foreign in [
            "http://evil.example",
            "null",
            "",
            "http://localhost:3000",
            "http://localhost",
            "https://localhost:7717",
            "http://127.0.0.1:7717",
            "http://localhost:7717.evil.example",
            "file://",
            "http://localhost:7717/",
        ] {
            assert!(!from(foreign), "{foreign}");
        }
        let twice =
            [("host", "localhost"), ("origin", "http://localhost"), ("origin", "http://evil.example")];
        assert!(!passes("POST", "/mcp", &twice));
    }

    #[test]
    fn no_preflight_passes_whoever_asks() {
        let ask = ("access-control-request-method", "POST");
        assert!(!passes("OPTIONS", "/mcp", &[("host", "localhost"), ("origin", "http://localhost"), ask]));
        assert!(!passes("OPTIONS", "/mcp", &[("host", "localhost"), ask]));
    }
}
