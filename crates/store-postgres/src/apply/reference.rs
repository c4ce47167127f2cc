//! Reference documents: stored section by section, replacing the document at the same path.

use super::numbers::NumberedItem;
use super::{ApplyOutcome, BatchTransaction};
use crate::error::ChangeError;
use model::{NewReference, ReferenceId, Section, StoredVectors};
use store::ChangeResult;
use store::rules::{checks, encoding};

impl BatchTransaction<'_> {
    pub(super) fn put_reference(
        &mut self,
        new: &NewReference,
        vectors: &[Option<StoredVectors>],
    ) -> ApplyOutcome<ChangeResult> {
        const SQL: &str =
            "INSERT INTO documents (owner, id, path, title, hash, sections, updated_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (owner, path) DO UPDATE SET title = excluded.title, hash = excluded.hash,
                sections = excluded.sections, updated_at = excluded.updated_at
             RETURNING id";
        new.check()?;
        if vectors.len() != new.sections.len() {
            let (given, needed) = (vectors.len(), new.sections.len());
            return Err(ChangeError::invalid(format!("got {given} vectors for {needed} sections")));
        }
        let sections = i64::try_from(new.sections.len()).unwrap_or(i64::MAX);
        // The number is used up even by a document that is replaced, as on SQLite.
        let id = self.counters.numbers().next(NumberedItem::Document);
        let params = (id, &new.path, &new.title, new.hash.0, sections, self.at.0);
        let id: i64 = self.conn.one(SQL, params, |row| row.get(0))?;
        // The document keeps its id, but its sections are all written again: their ordinals shift.
        self.execute("DELETE FROM sections WHERE owner = $1 AND document = $2", [id])?;
        for (ordinal, (section, vector)) in (0_i64..).zip(new.sections.iter().zip(vectors)) {
            self.add_section(id, ordinal, section, vector.as_ref())?;
        }
        self.counters.references_changed();
        Ok(ChangeResult::Reference(ReferenceId(id)))
    }

    pub(super) fn remove_reference(&mut self, path: &str) -> ApplyOutcome<ChangeResult> {
        // The sections go with the document, by `ON DELETE CASCADE`.
        if self.execute("DELETE FROM documents WHERE owner = $1 AND path = $2", [path])? == 0 {
            return Err(ChangeError::not_found("reference", path));
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
    ) -> ApplyOutcome<()> {
        const SQL: &str = "INSERT INTO sections (owner, document, ordinal, model, windows,
             heading, text)
                           VALUES ($1, $2, $3, $4, $5, $6, $7)";
        vector.map_or(Ok(()), checks::check_vector)?;
        let model =
            vector.map(|vector| self.counters.model(self.conn, &vector.model)).transpose()?;
        let windows = vector.map(|vector| &vector.data);
        let heading = encoding::list_text(&section.heading);
        self.send(SQL, (document, ordinal, model, windows, heading, &section.text))?;
        Ok(())
    }
}
