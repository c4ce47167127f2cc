//! Similarity search, with a minimum that is comparable across questions.

use crate::fixture::{House, agent, of_kind, refused};
use engine::remember::Remember;
use engine::similar::{Likeness, Similar};
use model::ErrorCode;

fn like(text: &str, min: f32) -> Similar {
    Similar { to: Likeness::Text(text.into()), kinds: Vec::new(), min, limit: 10 }
}

async fn remember(house: &House, text: &str) {
    house.engine.memories().remember(&agent("a"), &Remember::text(text)).await.unwrap();
}

#[tokio::test]
async fn the_same_words_are_fully_alike_and_other_words_are_not() {
    let house = House::new().await;
    remember(&house, "The staging server is in Berlin").await;
    remember(&house, "Bananas are yellow").await;
    let alike = house
        .engine
        .memories()
        .similar(&agent("a"), &like("the staging server is in Berlin", 0.9))
        .await
        .unwrap();
    assert_eq!(alike.len(), 1);
    assert!(alike[0].likeness > 0.99, "{}", alike[0].likeness);
    assert_eq!(alike[0].shared, ["staging", "server", "berlin"]);
    assert!(
        house
            .engine
            .memories()
            .similar(&agent("a"), &like("quarterly taxes", 0.5))
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn kinds_narrow_it_and_the_limit_holds() {
    let house = House::new().await;
    for number in 0..5 {
        house.add("a", &format!("server {number} in Berlin"), of_kind("fact")).await;
    }
    house.add("a", "the server in Berlin is slow", of_kind("decision")).await;
    let narrowed = Similar { kinds: vec!["decision".into()], ..like("server in Berlin", 0.0) };
    assert_eq!(house.engine.memories().similar(&agent("a"), &narrowed).await.unwrap().len(), 1);
    let few = Similar { limit: 2, ..like("server in Berlin", 0.0) };
    assert_eq!(house.engine.memories().similar(&agent("a"), &few).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_vector_must_have_the_dimension_of_the_memory() {
    let house = House::new().await;
    remember(&house, "The sky is blue").await;
    let by = |vector: Vec<f32>| Similar { to: Likeness::Vector(vector), ..like("", 0.0) };
    let message = refused(
        house.engine.memories().similar(&agent("a"), &by(vec![1.0])).await,
        ErrorCode::InvalidArgument,
    );
    assert!(message.contains(&house.engine.memories().dimensions().to_string()), "{message}");
    let zeros = by(vec![0.0; house.engine.memories().dimensions()]);
    refused(house.engine.memories().similar(&agent("a"), &zeros).await, ErrorCode::InvalidArgument);
    let some = by(vec![1.0; house.engine.memories().dimensions()]);
    assert_eq!(house.engine.memories().similar(&agent("a"), &some).await.unwrap().len(), 1);
}
