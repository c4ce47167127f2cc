//! An engine with items of every type that an export contains.

use super::{agent, map};
use crate::fixture::{InterchangeFixture, me};
use engine::correct::CorrectRequest;
use engine::entities::{EntityRef, PutEntityRequest, RelateEntitiesRequest};
use engine::forget::ForgetRequest;
use engine::handoffs::{ClaimHandoffRequest, StoreHandoffRequest};
use engine::profile::PatchProfileRequest;
use engine::recall::RecallRequest;
use engine::references::FileReferenceRequest;
use engine::remember::{NewRow, RememberRequest};
use engine::review::{FlagMemoryRequest, ListReviewsRequest, ResolveReviewRequest};
use engine::sessions::{EndSessionRequest, EpisodeSource, SessionRef, StartSessionRequest};
use engine::tables::UpdateRowRequest;
use model::{HandoffId, MemoryId, NewHandoff, RecordId, Resolution};
use serde_json::json;

impl InterchangeFixture {
    /// Creates an engine with items of every type, and gaps in the ids where some were deleted.
    pub(super) async fn populated() -> Self {
        let fixture = Self::new().await;
        fixture.add_memories().await;
        fixture.add_graph().await;
        fixture.add_documents().await;
        fixture
    }

    async fn add_memories(&self) {
        let (engine, agent) = (&self.engine, agent());
        let started = StartSessionRequest {
            session: Some(SessionRef::Key("workshop".to_owned())),
            ..StartSessionRequest::default()
        };
        engine.sessions().start(&agent, &started).await.unwrap();
        let session = Some(SessionRef::Key("workshop".to_owned()));
        let decided = RememberRequest {
            title: Some("Shipping".to_owned()),
            tags: vec!["release".to_owned()],
            project: Some("kiln".to_owned()),
            session: session.clone(),
            metadata: map(json!({"ticket": "K-1"})),
            ..RememberRequest::text("We ship on Tuesdays.")
        };
        engine.memories().remember(&agent, &decided).await.unwrap();
        let gone = self.remember(&agent, "The spare key lies under the third stone.").await;
        engine
            .memories()
            .forget(&me(), &ForgetRequest { memories: vec![gone], dry_run: false })
            .await
            .unwrap();
        let old = self.remember(&agent, "The kiln fires at 1000 degrees.").await;
        self.clock.advance(1);
        engine
            .memories()
            .correct(
                &agent,
                &CorrectRequest::new(old, "The kiln fires at 1240 degrees.".to_owned()),
            )
            .await
            .unwrap();
        let flagged = self.remember(&me(), "Ada Lovelace works at Acme on src/kiln.rs.").await;
        engine
            .reviews()
            .flag(&agent, &FlagMemoryRequest { memory: flagged, reason: "she left".to_owned() })
            .await
            .unwrap();
        self.remember(&agent, "The kiln listens on port 8080.").await;
        self.remember(&agent, "The kiln does not listen on port 8080.").await;
        let waiting =
            engine.reviews().list(&me(), &ListReviewsRequest::default()).await.unwrap().items;
        let review = waiting
            .iter()
            .find(|view| view.subject.as_ref().is_some_and(|m| m.id != flagged))
            .unwrap();
        let decision = ResolveReviewRequest::new(review.item.id, Resolution::Reject);
        engine.reviews().resolve(&me(), &decision).await.unwrap();
        engine.memories().recall(&agent, &RecallRequest::query("when do we ship?")).await.unwrap();
        self.clock.advance(3_600);
        let summed_up = EpisodeSource::Written("Talked about the kiln.".to_owned());
        engine
            .sessions()
            .end(&agent, &EndSessionRequest { session, episode: summed_up, title: None })
            .await
            .unwrap();
    }

    async fn add_graph(&self) {
        let (engine, agent) = (&self.engine, agent());
        let kiln = PutEntityRequest {
            name: "the kiln".to_owned(),
            kind: Some("tool".to_owned()),
            properties: map(json!({"colour": "red"})),
            observations: vec!["it is old".to_owned(), "it is hot".to_owned()],
            ..PutEntityRequest::default()
        };
        engine.graph().put_entity(&agent, &kiln).await.unwrap();
        self.clock.advance(60);
        engine
            .graph()
            .rename_entity(&me(), &EntityRef::Name("the kiln".to_owned()), "Big kiln")
            .await
            .unwrap();
        let location = RelateEntitiesRequest {
            source: "Big kiln".to_owned(),
            target: "Workshop".to_owned(),
            kind: "located_at".to_owned(),
            memory: Some(MemoryId(1)),
            ..RelateEntitiesRequest::default()
        };
        engine.graph().relate(&agent, &location).await.unwrap();
        self.clock.advance(60);
        engine
            .graph()
            .relate(&agent, &RelateEntitiesRequest { memory: None, ..location })
            .await
            .unwrap();
        for (food, calories) in
            [("pizza", json!(800)), ("soup", json!(250.5)), ("bread", json!(300))]
        {
            self.clock.advance(60);
            let data = map(json!({"food": food, "calories": calories}));
            let row = Some(NewRow {
                table: "meals".to_owned(),
                description: Some("What I ate".to_owned()),
                data,
            });
            engine
                .memories()
                .remember(&agent, &RememberRequest { row, ..RememberRequest::text("") })
                .await
                .unwrap();
        }
        engine.tables().delete_row(&me(), "meals", RecordId(1)).await.unwrap();
        let change = UpdateRowRequest {
            table: "meals".to_owned(),
            row: RecordId(2),
            patch: map(json!({"note": "hot"})),
            text: None,
        };
        engine.tables().update_row(&agent, &change).await.unwrap();
    }

    async fn add_documents(&self) {
        let (engine, agent) = (&self.engine, agent());
        for (caller, patch) in
            [(me(), json!({"name": "Ada"})), (agent.clone(), json!({"work": {"role": "potter"}}))]
        {
            self.clock.advance(60);
            engine
                .profile()
                .patch(
                    &caller,
                    &PatchProfileRequest {
                        patch: map(patch),
                        reason: Some("stated in chat".to_owned()),
                    },
                )
                .await
                .unwrap();
        }
        let document =
            ["Start & intent", "Journey", "Current state", "What's left", "Open questions"]
                .map(|heading| format!("## {heading}\nThe glaze is not dry yet."))
                .join("\n\n");
        for title in ["Glaze the bowls", "Mend the door", "Sweep"] {
            let handoff = NewHandoff {
                title: title.to_owned(),
                document: document.clone(),
                tags: vec!["pots".to_owned()],
                ..NewHandoff::default()
            };
            engine
                .handoffs()
                .store(&agent, &StoreHandoffRequest { handoff, idempotency_key: None })
                .await
                .unwrap();
        }
        let notes = vec![("harness".to_owned(), "codex".to_owned())];
        let claim = ClaimHandoffRequest { notes, ..ClaimHandoffRequest::new(HandoffId(1)) };
        engine.handoffs().claim(&agent, &claim).await.unwrap();
        engine.handoffs().cancel(&me(), HandoffId(2)).await.unwrap();
        let text = "# Kiln\n\nHow to fire it.\n\n## Glaze\n\nCobalt and ash.\n".to_owned();
        engine
            .references()
            .put(&me(), &FileReferenceRequest { path: "manuals/kiln.md".to_owned(), text })
            .await
            .unwrap();
    }
}
