//! Concurrent connections: they are served on several threads, even while one of them is busy.

use crate::raw_http::RawRequest;
use crate::server_fixture::ServerFixture;
use axum::routing::get;
use std::sync::{Arc, Barrier};

#[test]
fn a_busy_thread_does_not_block_the_others() {
    let both = Arc::new(Barrier::new(2));
    let arrived = Arc::clone(&both);
    // Each blocks its thread until the other has arrived: on one thread they would deadlock.
    let meet = get(move || async move {
        arrived.wait();
        "met"
    });
    let server = ServerFixture::start_with(|endpoints| endpoints.open_route("/meet", meet));
    let address = server.address;
    let requests =
        [(); 2].map(|()| std::thread::spawn(move || RawRequest::new("GET", "/meet").send(address)));
    for one in requests {
        assert_eq!(one.join().unwrap().body, "met");
    }
}

#[test]
fn dropped_connections_leave_every_thread_working() {
    let server = ServerFixture::start();
    for _ in 0..40 {
        drop(std::net::TcpStream::connect(server.address).unwrap());
        assert_eq!(RawRequest::new("GET", "/healthz").send(server.address).status, 200);
    }
}
