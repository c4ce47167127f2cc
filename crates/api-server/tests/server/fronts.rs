//! Several connections at once: they are answered on several threads, whatever one of them is busy
//! with.

use crate::bed::Bed;
use crate::wire::Ask;
use axum::routing::get;
use std::sync::{Arc, Barrier};

#[test]
fn a_thread_that_is_busy_keeps_nobody_on_another_waiting() {
    let both = Arc::new(Barrier::new(2));
    let met = Arc::clone(&both);
    // Each keeps its thread until the other has come too: on one thread they would wait for each
    // other for ever.
    let meet = get(move || async move {
        met.wait();
        "met"
    });
    let bed = Bed::start_with(|endpoints| endpoints.open_route("/meet", meet));
    let address = bed.address;
    let asked =
        [(); 2].map(|()| std::thread::spawn(move || Ask::new("GET", "/meet").send(address)));
    for one in asked {
        assert_eq!(one.join().unwrap().body, "met");
    }
}

#[test]
fn connections_that_came_and_went_leave_every_thread_answering() {
    let bed = Bed::start();
    for _ in 0..40 {
        drop(std::net::TcpStream::connect(bed.address).unwrap());
        assert_eq!(Ask::new("GET", "/healthz").send(bed.address).status, 200);
    }
}
