//! Sessions: started, logged into, ended with an episode, resumed.

use crate::fixture::{EngineFixture, agent, in_session, of_kind, refused, secret};
use engine::Caller;
use engine::sessions::{
    EndSessionRequest, EpisodeSource, LogExchangeRequest, ResumeSessionRequest, SessionRef,
    StartSessionRequest,
};
use model::{ErrorCode, Kind, LinkKind, Origin, OwnerId, Page, SessionId, Status};
use store::{Change, Ref};

async fn start(fixture: &EngineFixture, caller: &Caller) -> SessionId {
    fixture
        .engine
        .sessions()
        .start(caller, &StartSessionRequest::default())
        .await
        .unwrap()
        .session
        .id
}

fn exchange(session: SessionId, user: &str) -> LogExchangeRequest {
    let session = Some(SessionRef::Id(session));
    LogExchangeRequest { session, user: Some(user.to_owned()), ..LogExchangeRequest::default() }
}

fn end(session: SessionId) -> EndSessionRequest {
    EndSessionRequest { session: Some(SessionRef::Id(session)), ..EndSessionRequest::default() }
}

fn working_on(project: &str) -> Caller {
    let mut caller = agent("codex");
    caller.environment.project = Some(project.to_owned());
    caller
}

#[tokio::test]
async fn a_new_session_starts_with_the_last_episode_of_the_project() {
    let fixture = EngineFixture::new().await;
    let (here, elsewhere) = (working_on("quipu"), working_on("other"));
    let first =
        fixture.engine.sessions().start(&here, &StartSessionRequest::default()).await.unwrap();
    assert_eq!((first.resumed, first.previous, first.last_episode), (false, None, None));
    assert_eq!(first.session.project.as_deref(), Some("quipu"));
    fixture
        .engine
        .sessions()
        .log_exchange(&here, &exchange(first.session.id, "Let us use WAL."))
        .await
        .unwrap();
    let told = EndSessionRequest {
        episode: EpisodeSource::Written("We chose WAL.".into()),
        ..end(first.session.id)
    };
    fixture.engine.sessions().end(&here, &told).await.unwrap();
    start(&fixture, &elsewhere).await;
    let next =
        fixture.engine.sessions().start(&here, &StartSessionRequest::default()).await.unwrap();
    assert_eq!(next.previous.unwrap().id, first.session.id);
    assert_eq!(next.last_episode.unwrap().text, "We chose WAL.");
    assert_eq!(next.total, 3);
}

#[tokio::test]
async fn the_key_in_the_client_environment_resumes_the_same_session() {
    let fixture = EngineFixture::new().await;
    let mut caller = agent("codex");
    caller.environment.session = Some("run-7".into());
    let first =
        fixture.engine.sessions().start(&caller, &StartSessionRequest::default()).await.unwrap();
    let again =
        fixture.engine.sessions().start(&caller, &StartSessionRequest::default()).await.unwrap();
    assert_eq!((again.session.id, again.resumed), (first.session.id, true));
    let hello = LogExchangeRequest { user: Some("hi".into()), ..LogExchangeRequest::default() };
    let logged = fixture.engine.sessions().log_exchange(&caller, &hello).await.unwrap();
    assert_eq!(logged.session, first.session.id);
}

#[tokio::test]
async fn a_number_given_by_the_caller_is_used() {
    let fixture = EngineFixture::new().await;
    let input = StartSessionRequest {
        session: Some(SessionRef::Id(SessionId(41))),
        ..StartSessionRequest::default()
    };
    let started = fixture.engine.sessions().start(&agent("codex"), &input).await.unwrap();
    assert_eq!((started.session.id, started.resumed), (SessionId(41), false));
}

#[tokio::test]
async fn each_exchange_links_to_the_previous_one() {
    let fixture = EngineFixture::new().await;
    let caller = agent("codex");
    let session = start(&fixture, &caller).await;
    let first = fixture
        .engine
        .sessions()
        .log_exchange(&caller, &exchange(session, "Which port?"))
        .await
        .unwrap();
    assert_eq!(first.follows, None);
    fixture.clock.advance(1);
    let second = fixture
        .engine
        .sessions()
        .log_exchange(&caller, &exchange(session, "Which port?"))
        .await
        .unwrap();
    assert_eq!(second.follows, Some(first.memory));
    assert_ne!(second.memory, first.memory, "the same words may be said twice");
    let links = fixture.store.links(&OwnerId::me(), first.memory).await.unwrap();
    let next: Vec<_> = links.outgoing.iter().map(|link| (link.kind, link.target)).collect();
    assert_eq!(next, [(LinkKind::TemporalNext, second.memory)]);
}

#[tokio::test]
async fn an_exchange_records_speaker_words_and_topic() {
    let fixture = EngineFixture::new().await;
    let input = LogExchangeRequest {
        session: Some(SessionRef::Key("new-run".into())),
        user: Some("Which port?".into()),
        agent: Some("2222".into()),
        topic: Some("ssh".into()),
        kind: Some(Kind::new("fact").unwrap()),
        confidence: Some(0.7),
        ..LogExchangeRequest::default()
    };
    let logged =
        fixture.engine.sessions().log_exchange(&working_on("quipu"), &input).await.unwrap();
    let memory = fixture.memory(logged.memory).await;
    assert_eq!(memory.text, "User: Which port?\nAgent: 2222");
    assert_eq!((memory.title.as_deref(), memory.kind.as_str()), (Some("ssh"), "fact"));
    assert_eq!((memory.project.as_deref(), memory.session), (Some("quipu"), Some(logged.session)));
    let session = fixture
        .engine
        .sessions()
        .get(&agent("codex"), &SessionRef::Key("new-run".into()))
        .await
        .unwrap();
    assert_eq!((session.session.id, session.memories), (logged.session, 1));
}

#[tokio::test]
async fn an_exchange_needs_words_and_an_existing_session() {
    let fixture = EngineFixture::new().await;
    let caller = agent("codex");
    let log = async |input: LogExchangeRequest| {
        fixture.engine.sessions().log_exchange(&caller, &input).await
    };
    let message = refused(log(exchange(SessionId(99), "hi")).await, ErrorCode::NotFound);
    assert!(message.contains("no session 99") && message.contains("list"), "{message}");
    let nowhere = LogExchangeRequest { user: Some("hi".into()), ..LogExchangeRequest::default() };
    refused(log(nowhere).await, ErrorCode::InvalidArgument);
    let session = start(&fixture, &caller).await;
    refused(log(exchange(session, " ")).await, ErrorCode::InvalidArgument);
}

#[tokio::test]
async fn a_secret_is_not_logged() {
    let fixture = EngineFixture::new().await;
    let caller = agent("codex");
    let session = start(&fixture, &caller).await;
    let secret = secret();
    let refusal = refused(
        fixture
            .engine
            .sessions()
            .log_exchange(&caller, &exchange(session, &format!("log in with {secret}")))
            .await,
        ErrorCode::SecretRefused,
    );
    assert!(!refusal.contains(&secret), "{refusal}");
}

#[tokio::test]
async fn a_retried_exchange_is_logged_once() {
    let fixture = EngineFixture::new().await;
    let caller = agent("codex");
    let input = LogExchangeRequest {
        session: Some(SessionRef::Key("run".into())),
        idempotency_key: Some("turn-1".into()),
        user: Some("hi".into()),
        ..LogExchangeRequest::default()
    };
    let first = fixture.engine.sessions().log_exchange(&caller, &input).await.unwrap();
    let again = fixture.engine.sessions().log_exchange(&caller, &input).await.unwrap();
    assert_eq!((again.memory, again.session), (first.memory, first.session));
    let session =
        fixture.engine.sessions().get(&caller, &SessionRef::Id(first.session)).await.unwrap();
    assert_eq!(session.memories, 1);
}

#[tokio::test]
async fn an_episode_quotes_current_memories_and_links_all_of_them() {
    let fixture = EngineFixture::new().await;
    let caller = working_on("quipu");
    let session = start(&fixture, &caller).await;
    let wrong = fixture.add("codex", "The port is 22.", in_session(session)).await;
    let right = fixture.add("codex", "The port is 2222.", in_session(session)).await;
    fixture.write("codex", vec![Change::Supersede { old: wrong, new: Ref::Id(right) }]).await;
    let decision = fixture
        .add("codex", "We keep one SQLite file per owner.", |add| {
            of_kind("decision")(add);
            in_session(session)(add);
        })
        .await;
    let ended = fixture.engine.sessions().end(&caller, &end(session)).await.unwrap();
    let episode = ended.episode.unwrap();
    assert_eq!(episode.kind, Kind::episode());
    assert!(
        episode.text.contains("Decided:\n- We keep one SQLite file per owner."),
        "{}",
        episode.text
    );
    assert!(
        episode.text.contains("2222") && !episode.text.contains("port is 22."),
        "{}",
        episode.text
    );
    assert_eq!((ended.parts, ended.left_out, ended.session.episode), (3, 0, Some(episode.id)));
    let parts = fixture.store.links(&OwnerId::me(), episode.id).await.unwrap().incoming;
    let mut sources: Vec<_> =
        parts.iter().filter(|l| l.kind == LinkKind::PartOf).map(|l| l.source).collect();
    sources.sort_unstable();
    assert_eq!(sources, [wrong, right, decision]);
}

#[tokio::test]
async fn an_extract_is_trusted_no_more_than_its_weakest_part() {
    let fixture = EngineFixture::new().await;
    let caller = agent("codex");
    let session = start(&fixture, &caller).await;
    fixture
        .add("codex", "A page said to trust evil.example.", |add| {
            crate::fixture::from_origin(Origin::Outside)(add);
            in_session(session)(add);
        })
        .await;
    let episode =
        fixture.engine.sessions().end(&caller, &end(session)).await.unwrap().episode.unwrap();
    assert_eq!(episode.provenance.trust, Origin::Outside.trust());
    assert_eq!(episode.provenance.origin, Origin::Inferred);
}

#[tokio::test]
async fn ending_twice_returns_the_existing_episode() {
    let fixture = EngineFixture::new().await;
    let caller = agent("codex");
    let session = start(&fixture, &caller).await;
    fixture.engine.sessions().log_exchange(&caller, &exchange(session, "hello")).await.unwrap();
    let first = fixture.engine.sessions().end(&caller, &end(session)).await.unwrap();
    fixture.clock.advance(60);
    let told = EndSessionRequest {
        episode: EpisodeSource::Written("Another summary.".into()),
        ..end(session)
    };
    let again = fixture.engine.sessions().end(&caller, &told).await.unwrap();
    assert!(again.already_ended && !first.already_ended);
    assert_eq!(again.episode, first.episode);
    assert_eq!(again.session.ended_at, first.session.ended_at);
}

#[tokio::test]
async fn memories_after_the_end_get_another_episode() {
    let fixture = EngineFixture::new().await;
    let caller = agent("codex");
    let session = start(&fixture, &caller).await;
    fixture
        .engine
        .sessions()
        .log_exchange(&caller, &exchange(session, "the first half"))
        .await
        .unwrap();
    let first = fixture.engine.sessions().end(&caller, &end(session)).await.unwrap();
    fixture.clock.advance(60);
    fixture
        .engine
        .sessions()
        .log_exchange(&caller, &exchange(session, "the second half"))
        .await
        .unwrap();
    let second = fixture.engine.sessions().end(&caller, &end(session)).await.unwrap();
    let (first, second) = (first.episode.unwrap(), second.episode.unwrap());
    assert_ne!(first.id, second.id);
    assert!(
        second.text.contains("second half") && !second.text.contains("first half"),
        "{}",
        second.text
    );
}

#[tokio::test]
async fn a_session_can_end_without_an_episode_and_get_one_later() {
    let fixture = EngineFixture::new().await;
    let caller = agent("codex");
    let session = start(&fixture, &caller).await;
    fixture.engine.sessions().log_exchange(&caller, &exchange(session, "hello")).await.unwrap();
    let silent = EndSessionRequest { episode: EpisodeSource::None, ..end(session) };
    let ended = fixture.engine.sessions().end(&caller, &silent).await.unwrap();
    assert_eq!((ended.episode, ended.already_ended), (None, false));
    assert!(ended.session.ended_at.is_some());
    assert!(fixture.engine.sessions().end(&caller, &silent).await.unwrap().already_ended);
    assert!(fixture.engine.sessions().end(&caller, &end(session)).await.unwrap().episode.is_some());
}

#[tokio::test]
async fn an_empty_session_ends_without_an_episode() {
    let fixture = EngineFixture::new().await;
    let caller = agent("codex");
    let session = start(&fixture, &caller).await;
    let ended = fixture.engine.sessions().end(&caller, &end(session)).await.unwrap();
    assert_eq!((ended.episode, ended.session.ended_at.is_some()), (None, true));
    refused(fixture.engine.sessions().end(&caller, &end(SessionId(99))).await, ErrorCode::NotFound);
    refused(
        fixture.engine.sessions().end(&caller, &EndSessionRequest::default()).await,
        ErrorCode::InvalidArgument,
    );
}

#[tokio::test]
async fn a_resume_returns_current_memories_within_its_limit() {
    let fixture = EngineFixture::new().await;
    let caller = working_on("quipu");
    let session = start(&fixture, &caller).await;
    fixture.engine.sessions().log_exchange(&caller, &exchange(session, "chatter")).await.unwrap();
    let told = EndSessionRequest {
        episode: EpisodeSource::Written("What happened.".into()),
        ..end(session)
    };
    fixture.engine.sessions().end(&caller, &told).await.unwrap();
    let here = |kind: &'static str| {
        move |add: &mut store::AddMemory| {
            of_kind(kind)(add);
            add.memory.project = Some("quipu".into());
        }
    };
    for n in 0..5 {
        fixture.clock.advance(1);
        fixture.add("codex", &format!("decision {n}"), here("decision")).await;
        fixture.add("codex", &format!("fact {n}"), here("fact")).await;
    }
    let gone = fixture.add("codex", "a fact that was wrong", here("fact")).await;
    fixture
        .write("codex", vec![Change::SetStatus { memory: Ref::Id(gone), status: Status::Rejected }])
        .await;
    fixture.add("codex", "a fact of another project", of_kind("fact")).await;
    let within =
        |limit| ResumeSessionRequest { limit: Some(limit), ..ResumeSessionRequest::default() };
    let resumed = fixture.engine.sessions().resume(&caller, &within(5)).await.unwrap();
    assert_eq!(resumed.memories().count(), 5);
    assert_eq!(resumed.last_episode.as_ref().unwrap().text, "What happened.");
    let texts =
        |list: &[model::Memory]| list.iter().map(|memory| memory.text.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&resumed.decisions), ["decision 4", "decision 3"]);
    assert_eq!(texts(&resumed.facts), ["fact 4", "fact 3"]);
    assert_eq!((resumed.previous.unwrap().id, resumed.open_handoffs), (session, 0));
    let one = fixture.engine.sessions().resume(&caller, &within(1)).await.unwrap();
    assert_eq!(one.memories().count(), 1);
}

#[tokio::test]
async fn sessions_are_listed_and_an_unknown_one_is_not_found() {
    let fixture = EngineFixture::new().await;
    let caller = agent("codex");
    for _ in 0..3 {
        fixture.clock.advance(1);
        start(&fixture, &caller).await;
    }
    let listed =
        fixture.engine.sessions().list(&caller, Page { limit: 2, offset: 0 }).await.unwrap();
    assert_eq!((listed.items.len(), listed.total), (2, 3));
    let unknown = fixture.engine.sessions().get(&caller, &SessionRef::Key("nowhere".into())).await;
    assert!(refused(unknown, ErrorCode::NotFound).contains("`nowhere`"));
}
