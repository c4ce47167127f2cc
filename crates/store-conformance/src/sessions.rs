//! Sessions: started, resumed by key or id, ended with an episode.

use super::builders::{batch_by, fields, moment, remember};
use super::fixture::StoreFixture;
use model::{AgentName, ErrorCode, NewSession, Page, Session, SessionId};
use serde_json::json;
use store::{Change, ChangeResult, Ref};

fn keyed(key: &str) -> NewSession {
    NewSession { key: Some(key.to_owned()), ..NewSession::default() }
}

async fn start(at: &StoreFixture, seconds: i64, new: NewSession) -> SessionId {
    at.apply_at(seconds, Change::StartSession(new)).await.session().unwrap()
}

async fn read(at: &StoreFixture, id: SessionId) -> Session {
    at.store.session(&at.owner, id).await.unwrap().expect("the session exists")
}

pub async fn a_session_reads_back_as_it_was_started(at: &StoreFixture) {
    let new = NewSession {
        id: None,
        key: Some("run-1".into()),
        project: Some("quipu".into()),
        metadata: fields(json!({"cwd": "/src"})),
    };
    let batch = batch_by("bob", moment(4), vec![Change::StartSession(new.clone())]);
    let id = at.commit(batch).await.results[0].session().unwrap();
    let expected = Session {
        id,
        key: new.key,
        project: new.project,
        agent: AgentName::new("bob"),
        metadata: new.metadata,
        started_at: moment(4),
        ended_at: None,
        episode: None,
    };
    assert_eq!(read(at, id).await, expected);
    assert_eq!(at.store.session_by_key(&at.owner, "run-1").await.unwrap(), Some(expected));
    assert_eq!(at.store.session_by_key(&at.owner, "run-2").await.unwrap(), None);
    assert_eq!(at.store.session(&at.owner, SessionId(987_654)).await.unwrap(), None);
}

pub async fn a_known_key_resumes_the_session(at: &StoreFixture) {
    let first = start(at, 1, keyed("run")).await;
    let other = start(at, 2, keyed("other run")).await;
    assert_eq!(start(at, 3, keyed("run")).await, first);
    assert_ne!(first, other);
    assert_eq!(read(at, first).await.started_at, moment(1));
}

pub async fn a_known_id_resumes_the_session(at: &StoreFixture) {
    let numbered = |id| NewSession { id: Some(id), ..NewSession::default() };
    let chosen = SessionId(41);
    assert_eq!(start(at, 1, numbered(chosen)).await, chosen);
    assert_eq!(start(at, 2, numbered(chosen)).await, chosen);
    assert_eq!(read(at, chosen).await.started_at, moment(1));
    assert_ne!(start(at, 3, NewSession::default()).await, chosen);
}

pub async fn sessions_without_a_key_are_always_new(at: &StoreFixture) {
    let first = start(at, 1, NewSession::default()).await;
    assert_ne!(start(at, 2, NewSession::default()).await, first);
}

pub async fn racing_starts_under_one_key_start_one_session(at: &StoreFixture) {
    let mut starts = tokio::task::JoinSet::new();
    for n in 0..20 {
        let (store, owner) = (
            if n % 2 == 0 { at.store.clone() } else { at.second_handle.clone() },
            at.owner.clone(),
        );
        let batch = super::builders::batch(vec![Change::StartSession(keyed("run"))]);
        starts.spawn(async move { store.write(&owner, batch).await.unwrap().results.remove(0) });
    }
    let results = starts.join_all().await;
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "{results:?}");
    assert_eq!(at.store.sessions(&at.owner, Page::first(10)).await.unwrap().total, 1);
}

pub async fn ending_a_session_records_the_time_and_the_episode(at: &StoreFixture) {
    let id = start(at, 1, NewSession::default()).await;
    let end = Change::EndSession { session: Ref::Id(id), episode: Some(Ref::ResultOf(0)) };
    let results = at.write_at(9, vec![remember("what happened"), end]).await.results;
    let session = read(at, id).await;
    assert_eq!(session.ended_at, Some(moment(9)));
    assert_eq!(session.episode, results[0].memory());
    assert_eq!(results[1], ChangeResult::Done);
}

pub async fn an_end_needs_no_episode(at: &StoreFixture) {
    let id = start(at, 1, NewSession::default()).await;
    at.write_at(9, vec![Change::EndSession { session: Ref::Id(id), episode: None }]).await;
    assert_eq!(read(at, id).await.episode, None);
}

pub async fn the_most_recently_started_session_comes_first(at: &StoreFixture) {
    let mut begun = Vec::new();
    for n in 0..4 {
        begun.push(start(at, n, NewSession::default()).await);
    }
    begun.reverse();
    let listing = at.store.sessions(&at.owner, Page { limit: 2, offset: 1 }).await.unwrap();
    assert_eq!(listing.items.iter().map(|session| session.id).collect::<Vec<_>>(), begun[1..3]);
    assert_eq!(listing.total, 4);
}

pub async fn a_session_id_below_one_is_refused(at: &StoreFixture) {
    let bad = NewSession { id: Some(SessionId(-1)), ..NewSession::default() };
    assert_eq!(at.refusal_code(vec![Change::StartSession(bad)]).await, ErrorCode::InvalidArgument);
}
