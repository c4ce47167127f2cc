//! Address policy: only addresses of the public internet are connected to. They are checked after
//! name resolution and before the connection, so that a name cannot resolve to one address for the
//! check and to another for the connection (DNS rebinding).

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use ureq::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// Lookup of the addresses of a host and port.
type HostLookup = dyn Fn(&str, u16) -> std::io::Result<Vec<SocketAddr>> + Send + Sync;

/// Resolution of names, and the addresses that are allowed.
#[derive(Clone)]
pub struct AddressPolicy {
    lookup: Option<Arc<HostLookup>>,
    allowed: fn(IpAddr) -> bool,
}

impl Default for AddressPolicy {
    /// Resolution by the system; only public addresses.
    fn default() -> Self {
        Self { lookup: None, allowed: is_public }
    }
}

impl AddressPolicy {
    /// Resolves names by this function instead of the system.
    #[must_use]
    pub fn with_lookup(
        lookup: impl Fn(&str, u16) -> std::io::Result<Vec<SocketAddr>> + Send + Sync + 'static,
    ) -> Self {
        Self { lookup: Some(Arc::new(lookup)), ..Self::default() }
    }

    /// Allows these addresses instead of the public ones.
    #[must_use]
    pub fn allow(self, allowed: fn(IpAddr) -> bool) -> Self {
        Self { allowed, ..self }
    }
}

impl fmt::Debug for AddressPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Addresses(…)")
    }
}

/// Resolver that refuses addresses which are not allowed.
#[derive(Debug)]
pub(crate) struct GuardedResolver(pub AddressPolicy);

impl Resolver for GuardedResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let found = match &self.0.lookup {
            None => DefaultResolver::default().resolve(uri, config, timeout)?,
            Some(lookup) => self.resolve_with(uri, lookup.as_ref())?,
        };
        // One forbidden address among allowed ones is an attack, not a mistake.
        if found.iter().all(|address| (self.0.allowed)(address.ip())) {
            Ok(found)
        } else {
            Err(Error::HostNotFound)
        }
    }
}

impl GuardedResolver {
    fn resolve_with(&self, uri: &Uri, lookup: &HostLookup) -> Result<ResolvedSocketAddrs, Error> {
        let port = uri.port_u16().unwrap_or(443);
        let found = lookup(uri.host().unwrap_or_default(), port)?;
        let mut addresses = self.empty();
        found.into_iter().take(4).for_each(|address| addresses.push(address));
        if addresses.is_empty() { Err(Error::HostNotFound) } else { Ok(addresses) }
    }
}

/// Returns true if an address belongs to the public internet: not loopback, private, link-local,
/// multicast, reserved, or a cloud metadata service.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let reserved = matches!(
        (a, b, c),
        (0 | 10 | 127 | 240..=255, _, _)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (192, 168, _)
            | (198, 18..=19, _)
            | (198, 51, 100)
            | (203, 0, 113)
            | (224..=239, _, _)
    );
    !reserved
}

/// Returns true for global unicast addresses, except those that embed an IPv4 address.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let global_unicast = first & 0xe000 == 0x2000;
    let documentation = first == 0x2001 && second == 0x0db8 || first == 0x3fff && second < 0x1000;
    // Teredo and the other special-purpose prefixes of 2001::/23, and 6to4.
    let embeds_ipv4 = first == 0x2001 && second < 0x0200 || first == 0x2002;
    global_unicast && !documentation && !embeds_ipv4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_public_internet_are_public() {
        for public in [
            "1.1.1.1",
            "93.184.216.34",
            "100.63.0.1",
            "172.32.0.1",
            "2606:4700::1111",
            "2a00:1450::1",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for inside in [
            "0.0.0.0",
            "10.0.0.1",
            "100.64.0.1",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.168.0.1",
            "198.18.0.1",
            "203.0.113.9",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:1.1.1.1",
            "64:ff9b::7f00:1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(inside.parse().unwrap()), "{inside}");
        }
    }
}
