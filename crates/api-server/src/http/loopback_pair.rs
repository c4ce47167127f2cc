//! The listener of a server. Browsers resolve `localhost` and every name below it to both loopback
//! addresses, so a server on one of them takes the port on the other too: whoever else listened
//! there would get requests that are meant for us, cookies included.

use super::{HttpError, cannot_bind};
use axum::serve::Listener;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use tokio::net::{TcpListener, TcpStream};

/// Number of ports that are tried when the system may choose one.
const PORTS_TRIED: usize = 20;

/// A listener, and its companion on the other loopback address.
#[derive(Debug)]
pub(super) struct LoopbackPair {
    first: TcpListener,
    second: Option<TcpListener>,
}

impl LoopbackPair {
    /// Binds an address, and its companion where there is one.
    pub async fn bind(address: SocketAddr) -> Result<Self, HttpError> {
        let mut tried = 1;
        loop {
            match Self::bind_both(address).await {
                // A port that is free on one address may be in use on the other.
                Err(HttpError::InUse(_)) if address.port() == 0 && tried < PORTS_TRIED => {
                    tried += 1
                }
                bound => return bound,
            }
        }
    }

    async fn bind_both(address: SocketAddr) -> Result<Self, HttpError> {
        let failed = |source| cannot_bind(address, source);
        let first = TcpListener::bind(address).await.map_err(failed)?;
        let port = first.local_addr().map_err(failed)?.port();
        let Some(other) = companion(address.ip()) else { return Ok(Self { first, second: None }) };
        let other = SocketAddr::new(other, port);
        let second = match TcpListener::bind(other).await {
            Ok(second) => Some(second),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                return Err(HttpError::InUse(other));
            }
            // This machine has no addresses of that family; then nobody else can listen there.
            Err(_) => None,
        };
        Ok(Self { first, second })
    }

    /// Returns the address that was asked for, with its port.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.first.local_addr()
    }

    /// Waits for the next connection.
    pub async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        let Some(second) = &mut self.second else { return Listener::accept(&mut self.first).await };
        tokio::select! {
            accepted = Listener::accept(&mut self.first) => accepted,
            accepted = Listener::accept(second) => accepted,
        }
    }
}

/// Returns the other loopback address.
fn companion(address: IpAddr) -> Option<IpAddr> {
    match address {
        IpAddr::V4(Ipv4Addr::LOCALHOST) => Some(Ipv6Addr::LOCALHOST.into()),
        IpAddr::V6(Ipv6Addr::LOCALHOST) => Some(Ipv4Addr::LOCALHOST.into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_port_is_taken_on_both_loopback_addresses() {
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let pair = LoopbackPair::bind(any).await.unwrap();
        let port = pair.address().unwrap().port();
        let there = SocketAddr::from((Ipv6Addr::LOCALHOST, port));
        if pair.second.is_some() {
            assert!(TcpListener::bind(there).await.is_err());
            drop(pair);
            let _other = TcpListener::bind(there).await.unwrap();
            let bound = LoopbackPair::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await;
            assert!(matches!(bound, Err(HttpError::InUse(taken)) if taken == there));
        }
    }
}
