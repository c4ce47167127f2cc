//! Settings of the owner: a name and any JSON value.

use super::{ApplyOutcome, BatchTransaction};
use model::{JsonMap, limits};
use serde_json::Value;
use store::ChangeResult;

impl BatchTransaction<'_> {
    pub(super) fn put_setting(&mut self, name: &str, value: &Value) -> ApplyOutcome<ChangeResult> {
        const SQL: &str = "INSERT INTO settings (owner, name, value) VALUES ($1, $2, $3)
                           ON CONFLICT (owner, name) DO UPDATE SET value = excluded.value";
        limits::chars("setting", name, limits::NAME_CHARS)?;
        // The limit checks size and depth of a map, so the value is wrapped in one.
        let map = JsonMap::from_iter([(name.to_owned(), value.clone())]);
        limits::json("setting", &map, limits::METADATA_BYTES)?;
        self.send(SQL, (name, value.to_string()))?;
        Ok(ChangeResult::Done)
    }
}
