//! The address of the running `quipu serve`, in a file in the home directory, so that commands find
//! a server on any port. A server removes the file when it stops; what a killed one left is
//! recognised because nobody listens there.

use crate::exit::Problem;
use crate::files;
use crate::setup::Setup;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

/// Largest file that is read.
const FILE_BYTES_MAX: u64 = 200;
/// Time after which nobody listens at an address of this machine.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(500);

/// The file of a running server; it is removed with this value.
#[derive(Debug)]
pub struct AddressFile {
    path: PathBuf,
    text: String,
}

impl AddressFile {
    /// Writes the address of a server that listens.
    ///
    /// # Errors
    /// Fails when the file cannot be written.
    pub fn write(setup: &Setup, address: SocketAddr) -> Result<Self, Problem> {
        let (path, text) = (setup.home.address_file(), format!("{address}\n"));
        files::replace_file(&path, &text)?;
        Ok(Self { path, text })
    }
}

impl Drop for AddressFile {
    fn drop(&mut self) {
        // Another server may have written its own address since.
        let is_own = std::fs::read_to_string(&self.path).is_ok_and(|text| text == self.text);
        if is_own {
            // Whoever reads it finds that nobody listens there.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Returns the address at which a server of this home directory can be reached: the one that a
/// running server wrote, or else the configured one.
pub fn server_address(setup: &Setup) -> SocketAddr {
    let text = files::read_small(&setup.home.address_file(), FILE_BYTES_MAX).ok().flatten();
    let written = text.and_then(|text| text.trim().parse().ok()).map(reachable);
    let listens =
        |address: &SocketAddr| TcpStream::connect_timeout(address, CONNECT_TIMEOUT).is_ok();
    written.filter(listens).unwrap_or_else(|| reachable(setup.config.listen))
}

/// Returns the address of this machine for a server that listens on all of its addresses.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_on_all_addresses_is_reached_on_this_machine() {
        for (listens, reached) in [
            ("0.0.0.0:7717", "127.0.0.1:7717"),
            ("[::]:1", "[::1]:1"),
            ("10.0.0.2:80", "10.0.0.2:80"),
        ] {
            assert_eq!(reachable(listens.parse().unwrap()).to_string(), reached);
        }
    }
}
