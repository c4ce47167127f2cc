//! The address that a request comes from, as far as it tells senders apart.

use super::proxy_network::ProxyNetwork;
use axum::http::Extensions;
use axum::http::HeaderMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Address of a client. Of an IPv6 address only the network counts, because whoever has one address
/// in a network has all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClientAddress(IpAddr);

/// Part of an IPv6 address that names the network.
const NETWORK: u128 = !0 << 64;

/// Header in which a proxy appends the address of its client.
const FORWARDED_FOR: &str = "x-forwarded-for";

impl ClientAddress {
    /// Returns the address that a request comes from, which the front end attaches to it. A request
    /// that did not pass there counts as one of this machine.
    #[must_use]
    pub fn of_request(request: &Extensions) -> Self {
        request.get::<Self>().copied().unwrap_or(Self(IpAddr::V4(Ipv4Addr::LOCALHOST)))
    }

    /// Returns the address behind a proxy on this machine or in one of these networks: the last
    /// one in its header, which is the one that the proxy itself has seen. Anything before it is a
    /// claim of the client.
    pub(super) fn behind_proxy(self, headers: &HeaderMap, proxies: &[ProxyNetwork]) -> Self {
        if !self.0.is_loopback() && !proxies.iter().any(|network| network.contains(self.0)) {
            return self;
        }
        let last = headers.get_all(FORWARDED_FOR).iter().next_back();
        let last = last.and_then(|value| value.to_str().ok()?.rsplit(',').next());
        let address = last.and_then(|address| address.trim().parse::<IpAddr>().ok());
        address.map_or(self, Self::from)
    }
}

impl From<IpAddr> for ClientAddress {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) if !address.is_loopback() => {
                IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & NETWORK))
            }
            address => address,
        })
    }
}

impl fmt::Display for ClientAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> ClientAddress {
        ClientAddress::from(text.parse::<IpAddr>().unwrap())
    }

    #[test]
    fn one_network_of_ipv6_is_one_address() {
        assert_eq!(address("2001:db8:1:2::3"), address("2001:db8:1:2:ffff::9"));
        assert_ne!(address("2001:db8:1:2::3"), address("2001:db8:1:3::3"));
        assert_eq!(address("::ffff:192.0.2.7"), address("192.0.2.7"));
        assert_ne!(address("192.0.2.8"), address("192.0.2.7"));
        assert_ne!(address("::1"), address("::2"));
    }

    #[test]
    fn behind_a_proxy_the_last_address_counts_and_nobody_else_names_one() {
        let headers = |lines: &[&str]| {
            let mut headers = HeaderMap::new();
            lines.iter().for_each(|line| _ = headers.append(FORWARDED_FOR, line.parse().unwrap()));
            headers
        };
        let forged = headers(&["192.0.2.1", "192.0.2.2, 192.0.2.3"]);
        assert_eq!(address("127.0.0.1").behind_proxy(&forged, &[]), address("192.0.2.3"));
        assert_eq!(address("192.0.2.9").behind_proxy(&forged, &[]), address("192.0.2.9"));
        let proxies = ["192.0.2.8/31".parse().unwrap()];
        assert_eq!(address("192.0.2.9").behind_proxy(&forged, &proxies), address("192.0.2.3"));
        assert_eq!(address("192.0.2.7").behind_proxy(&forged, &proxies), address("192.0.2.7"));
        for none in [headers(&[]), headers(&["unknown"])] {
            assert_eq!(address("127.0.0.1").behind_proxy(&none, &[]), address("127.0.0.1"));
        }
    }
}
