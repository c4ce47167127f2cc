//! Reference documents: stored section by section, replacing the document at the same path.

use super::{ApplyResult, BatchContext};
use crate::error::ApplyError;
use crate::json;
use model::{NewReference, ReferenceId, Section, StoredVectors};
use store::ChangeResult;
use store::rules::checks;

impl BatchContext<'_, '_> {
    pub(super) fn put_reference(
        &mut self,
        new: &NewReference,
        vectors: &[Option<StoredVectors>],
    ) -> ApplyResult<ChangeResult> {
        const SQL: &str = "INSERT INTO documents (path, title, hash, sections, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (path) DO UPDATE SET title = excluded.title, hash = excluded.hash,
                sections = excluded.sections, updated_at = excluded.updated_at
             RETURNING id";
        new.check()?;
        if vectors.len() != new.sections.len() {
            let (given, needed) = (vectors.len(), new.sections.len());
            return Err(ApplyError::invalid(format!("got {given} vectors for {needed} sections")));
        }
        let sections = i64::try_from(new.sections.len()).unwrap_or(i64::MAX);
        let params = (&new.path, &new.title, new.hash.0, sections, self.at.0);
        let id = self.conn.prepare_cached(SQL)?.query_one(params, |row| row.get(0))?;
        // The document keeps its id, but its sections are all written again: their ordinals shift.
        self.execute("DELETE FROM sections WHERE document = ?1", [id])?;
        for (ordinal, (section, vector)) in (0_i64..).zip(new.sections.iter().zip(vectors)) {
            self.add_section(id, ordinal, section, vector.as_ref())?;
        }
        self.counters.references_changed();
        Ok(ChangeResult::Reference(ReferenceId(id)))
    }

    pub(super) fn remove_reference(&mut self, path: &str) -> ApplyResult<ChangeResult> {
        // The sections go with the document, by `ON DELETE CASCADE`.
        if self.execute("DELETE FROM documents WHERE path = ?1", [path])? == 0 {
            return Err(ApplyError::not_found("reference", path));
        }
        self.counters.references_changed();
        Ok(ChangeResult::Done)
    }

    fn add_section(
        &mut self,
        document: i64,
        ordinal: i64,
        section: &Section,
        vector: Option<&StoredVectors>,
    ) -> ApplyResult<()> {
        const SQL: &str = "INSERT INTO sections (document, ordinal, model, windows, heading, text)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        vector.map_or(Ok(()), checks::check_vector)?;
        let model =
            vector.map(|vector| self.counters.model(self.conn, &vector.model)).transpose()?;
        let windows = vector.map(|vector| &vector.data);
        let heading = json::list_text(&section.heading);
        self.execute(SQL, (document, ordinal, model, windows, heading, &section.text))?;
        Ok(())
    }
}
