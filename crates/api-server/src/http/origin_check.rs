//! Checks the site that a request is meant for and the site that sent it. A page in the owner's
//! browser can send requests here, also under a host name of its own that resolves to this machine
//! (DNS rebinding); the `Host` and `Origin` headers give it away.

use super::dashboard_host::DashboardHost;
use super::public_url::{PublicUrl, host_of, is_loopback_name};
use super::refusal::HttpRefusal;
use axum::http::header::{ACCESS_CONTROL_REQUEST_METHOD, HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, Method};
use std::net::IpAddr;

/// Names that this server answers to.
#[derive(Clone, Default)]
pub(super) struct ServerNames {
    /// Address that clients use, if it differs from the listening one.
    pub public_url: Option<PublicUrl>,
    /// Accept any IP address as host. Unlike a name, an address cannot be rebound: a page under it
    /// was served by this machine.
    pub any_address: bool,
    /// Host name of the dashboard, where it has one of its own.
    pub dashboard: Option<DashboardHost>,
}

impl ServerNames {
    /// Checks that the request is meant for this server and was not sent by another site.
    pub fn check(&self, request: &Parts) -> Result<(), HttpRefusal> {
        let host = single_value(&request.headers, HOST).filter(|host| self.answers_to(host));
        // An absolute request target takes precedence over the `Host` header, so both must name us.
        let meant_for_us =
            request.uri.authority().is_none_or(|authority| self.answers_to(authority.as_str()));
        let (Some(host), true) = (host, meant_for_us) else {
            return Err(HttpRefusal::foreign_host());
        };
        let sent_by_us = single_value(&request.headers, ORIGIN)
            .is_some_and(|origin| self.is_own_origin(origin, host));
        if request.headers.contains_key(ORIGIN) && !sent_by_us {
            return Err(HttpRefusal::foreign_origin());
        }
        if is_preflight(request) {
            return Err(HttpRefusal::foreign_origin());
        }
        Ok(())
    }

    /// Returns true when a proxy passes the requests of others on.
    pub fn is_proxied(&self) -> bool {
        self.public_url.as_ref().is_some_and(|public| !public.is_local())
    }

    /// Returns the address under which the sender of this request reaches the server.
    pub fn origin_of(&self, request: &Parts) -> String {
        let host = || single_value(&request.headers, HOST).unwrap_or_default();
        self.public_url.as_ref().map_or_else(|| format!("http://{}", host()), ToString::to_string)
    }

    /// Returns true for a name that cannot be rebound, or the public one. Any port is accepted for
    /// the former, because a tunnel may have changed it.
    fn answers_to(&self, authority: &str) -> bool {
        let Ok(authority) = Authority::try_from(authority) else { return false };
        let host = host_of(authority.as_str());
        let by_address = self.any_address && host.parse::<IpAddr>().is_ok();
        let is_dashboard =
            self.dashboard.as_ref().is_some_and(|name| name.is_host(authority.as_str()));
        !authority.as_str().contains('@')
            && (is_loopback_name(host) || by_address || is_dashboard || self.is_public(&authority))
    }

    fn is_public(&self, authority: &Authority) -> bool {
        self.public_url.as_ref().is_some_and(|public| public.matches_host(authority.as_str()))
    }

    /// Returns true when a page of this site sent the request. Another port on this machine is
    /// another site.
    fn is_own_origin(&self, origin: &str, host: &str) -> bool {
        let public = self.public_url.as_ref();
        // Behind TLS the plain origin is foreign: an attacker on the network could have served it.
        let plain = public.is_none_or(|public| !public.is_https() || !public.matches_host(host));
        let is_host =
            origin.strip_prefix("http://").is_some_and(|origin| origin.eq_ignore_ascii_case(host));
        plain && is_host
            || public.is_some_and(|public| origin.eq_ignore_ascii_case(&public.to_string()))
    }
}

/// Returns true for a CORS preflight. None is allowed, so all of them are refused.
fn is_preflight(request: &Parts) -> bool {
    request.method == Method::OPTIONS && request.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

// A repeated header could be read differently by a proxy and by us, so it counts as missing.
fn single_value(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::super::token::OwnerToken;
    use super::*;
    use axum::http::Request;

    fn accepts(method: &str, uri: &str, headers: &[(&str, &str)]) -> bool {
        accepts_for(&ServerNames::default(), method, uri, headers)
    }

    fn accepts_for(names: &ServerNames, method: &str, uri: &str, headers: &[(&str, &str)]) -> bool {
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        names.check(&request.body(()).unwrap().into_parts().0).is_ok()
    }

    #[test]
    fn a_request_for_this_machine_passes_under_each_of_its_names() {
        for host in [
            "127.0.0.1:7717",
            "localhost:7717",
            "LOCALHOST",
            "[::1]:7717",
            "127.8.8.8",
            "localhost:9000",
        ] {
            assert!(accepts("POST", "/mcp", &[("host", host)]), "{host}");
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
            assert!(!accepts("POST", "/mcp", &[("host", host)]), "{host}");
        }
        assert!(!accepts("POST", "/mcp", &[]));
        assert!(!accepts("POST", "/mcp", &[("host", "localhost"), ("host", "localhost")]));
        assert!(!accepts("POST", "http://evil.example/mcp", &[("host", "localhost")]));
    }

    #[test]
    fn only_a_page_of_this_very_site_may_send_requests() {
        let from =
            |origin| accepts("POST", "/mcp", &[("host", "localhost:7717"), ("origin", origin)]);
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
        let twice = [
            ("host", "localhost"),
            ("origin", "http://localhost"),
            ("origin", "http://evil.example"),
        ];
        assert!(!accepts("POST", "/mcp", &twice));
    }

    #[test]
    fn every_preflight_is_refused() {
        let ask = ("access-control-request-method", "POST");
        assert!(!accepts(
            "OPTIONS",
            "/mcp",
            &[("host", "localhost"), ("origin", "http://localhost"), ask]
        ));
        assert!(!accepts("OPTIONS", "/mcp", &[("host", "localhost"), ask]));
    }

    #[test]
    fn the_public_address_is_accepted_and_only_its_own_pages_may_send() {
        let names = ServerNames {
            public_url: Some(PublicUrl::new("https://memory.example").unwrap()),
            any_address: false,
            dashboard: None,
        };
        let from = |host, origin| {
            accepts_for(&names, "POST", "/mcp", &[("host", host), ("origin", origin)])
        };
        assert!(from("memory.example", "https://memory.example"));
        assert!(from("127.0.0.1:7717", "https://memory.example"), "a proxy may change the host");
        assert!(from("127.0.0.1:7717", "http://127.0.0.1:7717"));
        for (host, origin) in [
            ("memory.example", "http://memory.example"),
            ("memory.example", "https://evil.example"),
            ("memory.example", "null"),
            ("memory.example.evil", "https://memory.example"),
            ("192.168.1.5:7717", "https://memory.example"),
        ] {
            assert!(!from(host, origin), "{host} {origin}");
        }
    }

    #[test]
    fn of_the_names_below_localhost_only_that_of_the_dashboard_is_accepted() {
        let token = OwnerToken::new("open-sesame").unwrap();
        let dashboard = DashboardHost::from_token(&token);
        let name = dashboard.origin_for(&HeaderMap::new()).replace("http://", "");
        let names = ServerNames { dashboard: Some(dashboard), ..ServerNames::default() };
        let to = |host: &str, origin: &str| {
            accepts_for(&names, "GET", "/", &[("host", host), ("origin", origin)])
        };
        let (ours, other) = (format!("{name}:7717"), format!("{name}:3000"));
        assert!(to(&ours, &format!("http://{ours}")));
        assert!(!to(&ours, &format!("http://{other}")), "another port is another site");
        assert!(!to(&ours, "http://127.0.0.1:7717"));
        assert!(!to("evil.localhost:7717", "http://evil.localhost:7717"));
        assert!(!accepts("GET", "/", &[("host", &ours)]));
    }

    #[test]
    fn when_other_machines_can_connect_any_address_is_accepted_but_no_other_name() {
        let names = ServerNames { any_address: true, ..ServerNames::default() };
        let to = |host| accepts_for(&names, "GET", "/", &[("host", host)]);
        assert!(to("192.168.1.5:7717") && to("[fe80::1]:7717"));
        assert!(!to("evil.example") && !to("2130706433"));
    }
}
