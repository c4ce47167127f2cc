//! The Librarian dialect: the seven verbs of its contract, and documented behavior that the
//! original does not deliver.

mod flags;
mod handoffs;
mod odd;
mod recall;
mod references;
mod remember;
mod surface;

use crate::house::House;
use dialects::Librarian;
use serde_json::{Value, json};

async fn library() -> House {
    House::speaking(Librarian::default()).await
}

impl House {
    /// Stores a note and returns its id.
    async fn file(&self, title: &str, body: &str) -> String {
        let receipt = self.call("remember", json!({"title": title, "body": body})).await;
        receipt["id"].as_str().unwrap().to_owned()
    }

    /// Returns the titles that `recall` returns, best first.
    async fn titles(&self, arguments: Value) -> Vec<String> {
        let answer = self.call("recall", arguments).await;
        let memories = answer["memories"].as_array().unwrap().clone();
        memories
            .iter()
            .map(|memory| memory["title"].as_str().unwrap_or_default().to_owned())
            .collect()
    }
}
