//! Concurrent connections: they are served on several threads, even while one of them is busy.

use crate::bed::Bed;
use crate::wire::Ask;
use axum::routing::get;
use std::sync::{Arc, Barrier};

#[test]
fn a_thread_that_is_busy_keeps_nobody_on_another_waiting() {
    let both = Arc::new(Barrier::new(2));
    let arrived = Arc::clone(&both);
    // Each blocks its thread until the other has arrived: on one thread they would deadlock.
    let meet = get(move || async move {
        arrived.wait();
        "met"
    });
    let server = Bed::start_with(|endpoints| endpoints.open_route("/meet", meet));
    let address = server.address;
    let requests =
        [(); 2].map(|()| std::thread::spawn(move || Ask::new("GET", "/meet").send(address)));
    for one in requests {
        assert_eq!(one.join().unwrap().body, "met");
    }
}

#[test]
fn connections_that_came_and_went_leave_every_thread_answering() {
    let server = Bed::start();
    for _ in 0..40 {
        drop(std::net::TcpStream::connect(server.address).unwrap());
        assert_eq!(Ask::new("GET", "/healthz").send(server.address).status, 200);
    }
}
