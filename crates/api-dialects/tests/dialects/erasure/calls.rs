//! The table of calls that remove something, one entry for each way in each dialect.

use super::{ErasedItem, PlantedItem, SESSION, TEXT};
use crate::fixture::DialectFixture;
use dialects::{Agentic, CodeMemory, DialectApi, Epitome, Librarian, Quipu};
use model::Dialect;
use serde_json::{Value, json};
use std::fmt;

/// Tools to call in order, each with its arguments.
type ToolCalls = Vec<(&'static str, Value)>;

/// A way to remove an item.
pub struct DeletingCall {
    pub dialect: Dialect,
    pub item: ErasedItem,
    pub arguments: fn(&PlantedItem) -> ToolCalls,
    /// False when what the owner typed is out of reach, because the call means its own dialect.
    pub reaches_typed: bool,
}

impl fmt::Debug for DeletingCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?}", self.dialect, (self.arguments)(&PlantedItem::default()))
    }
}

impl DeletingCall {
    pub async fn fixture(&self) -> DialectFixture {
        fixture_of(self.dialect).await
    }
}

/// Returns every dialect with its tools.
pub fn every_dialect() -> Vec<(Dialect, Box<dyn DialectApi>)> {
    vec![
        (Dialect::Quipu, Box::new(Quipu::default())),
        (Dialect::Epitome, Box::new(Epitome::listing_all())),
        (Dialect::Agentic, Box::new(Agentic::default())),
        (Dialect::Librarian, Box::new(Librarian::default())),
        (Dialect::CodeMemory, Box::new(CodeMemory::default())),
    ]
}

pub async fn fixture_of(dialect: Dialect) -> DialectFixture {
    match dialect {
        Dialect::Epitome => DialectFixture::with_dialect(Epitome::listing_all()).await,
        Dialect::CodeMemory => DialectFixture::with_dialect(CodeMemory::default()).await,
        _ => DialectFixture::new().await,
    }
}

fn call(
    dialect: Dialect,
    item: ErasedItem,
    arguments: fn(&PlantedItem) -> ToolCalls,
) -> DeletingCall {
    DeletingCall { dialect, item, arguments, reaches_typed: dialect != Dialect::CodeMemory }
}

/// Returns the table.
pub fn calls() -> Vec<DeletingCall> {
    quipu().into_iter().chain(epitome()).chain(codememory()).collect()
}

fn quipu() -> Vec<DeletingCall> {
    let call = |item, arguments| call(Dialect::Quipu, item, arguments);
    vec![
        call(ErasedItem::Memory, |item| vec![("forget", json!({"ids": [item.memory]}))]),
        call(ErasedItem::Row, |item| vec![("forget", json!({"ids": [item.memory]}))]),
        call(ErasedItem::Row, |item| {
            vec![("tables", json!({"action": "delete", "table": "meals", "id": item.row}))]
        }),
        call(ErasedItem::Field, |_| vec![("remember", json!({"profile": {"diet": null}}))]),
        call(ErasedItem::Memory, |item| {
            let flag = json!({"action": "flag", "memory": item.memory, "reason": "away with it"});
            let confirm = json!({"action": "resolve", "id": 1, "resolution": "confirm"});
            vec![("review", flag), ("review", confirm)]
        }),
    ]
}

fn epitome() -> Vec<DeletingCall> {
    let call = |item, arguments| call(Dialect::Epitome, item, arguments);
    vec![
        call(ErasedItem::Memory, |_| vec![("memorize", json!({"text": TEXT, "action": "delete"}))]),
        call(ErasedItem::Memory, |item| {
            let source = format!("vectors/memories#{}", item.memory);
            vec![("memorize", json!({"text": "x", "action": "delete", "sourceRef": source}))]
        }),
        call(ErasedItem::Row, |item| {
            let source = format!("tables/meals#{}", item.row);
            vec![("memorize", json!({"text": "x", "action": "delete", "sourceRef": source}))]
        }),
        call(ErasedItem::Entity, |item| {
            let source = format!("entity:{}", item.entity);
            vec![("memorize", json!({"text": "x", "action": "delete", "sourceRef": source}))]
        }),
        call(ErasedItem::Field, |_| {
            vec![("memorize", json!({"text": "profile:diet", "action": "delete"}))]
        }),
        call(ErasedItem::Field, |_| {
            let text = "I eat everything";
            vec![("memorize", json!({"text": text, "category": "profile", "data": {"diet": null}}))]
        }),
        call(ErasedItem::Field, |_| vec![("update_profile", json!({"data": {"diet": null}}))]),
    ]
}

fn codememory() -> Vec<DeletingCall> {
    let call = |item, arguments| call(Dialect::CodeMemory, item, arguments);
    vec![
        call(ErasedItem::Memory, |_| {
            vec![("maintenance", json!({"action": "purge_all", "confirm": true}))]
        }),
        call(ErasedItem::Memory, |_| {
            let purge = json!({"action": "purge_session", "session_id": SESSION, "confirm": true});
            vec![("maintenance", purge)]
        }),
        call(ErasedItem::Memory, |_| {
            let prune =
                json!({"action": "prune_older_than", "older_than_days": 5, "confirm": true});
            vec![("maintenance", prune)]
        }),
    ]
}
