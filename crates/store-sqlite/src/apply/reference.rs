//! Reference documents: stored section by section, replacing the document at the same path.

use super::vector::check_vector;
use super::{Applied, Applying};
use crate::fault::Fault;
use crate::json;
use model::{NewReference, ReferenceId, Section, StoredVector};
use store::Made;

impl Applying<'_, '_> {
    pub(super) fn put_reference(
        &mut self,
        new: &NewReference,
        vectors: &[Option<StoredVector>],
    ) -> Applied<Made> {
        const SQL: &str = "INSERT INTO documents (path, title, hash, sections, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (path) DO UPDATE SET title = excluded.title, hash = excluded.hash,
                sections = excluded.sections, updated_at = excluded.updated_at
             RETURNING id";
        new.check()?;
        if vectors.len() != new.sections.len() {
            let (given, needed) = (vectors.len(), new.sections.len());
            return Err(Fault::invalid(format!("got {given} vectors for {needed} sections")));
        }
        let sections = i64::try_from(new.sections.len()).unwrap_or(i64::MAX);
        let params = (&new.path, &new.title, new.hash.0, sections, self.at.0);
        let id = self.conn.prepare_cached(SQL)?.query_one(params, |row| row.get(0))?;
        // The document keeps its id, but its sections are all written again: their ordinals shift.
        self.run("DELETE FROM sections WHERE document = ?1", [id])?;
        for (ordinal, (section, vector)) in (0_i64..).zip(new.sections.iter().zip(vectors)) {
            self.add_section(id, ordinal, section, vector.as_ref())?;
        }
        self.ledger.references_changed();
        Ok(Made::Reference(ReferenceId(id)))
    }

    pub(super) fn remove_reference(&mut self, path: &str) -> Applied<Made> {
        // The sections go with the document, by `ON DELETE CASCADE`.
        if self.run("DELETE FROM documents WHERE path = ?1", [path])? == 0 {
            return Err(Fault::not_found("reference", path));
        }
        self.ledger.references_changed();
        Ok(Made::Nothing)
    }

    fn add_section(
        &mut self,
        document: i64,
        ordinal: i64,
        section: &Section,
        vector: Option<&StoredVector>,
    ) -> Applied<()> {
        const SQL: &str = "INSERT INTO sections (document, ordinal, model, windows, heading, text)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        vector.map_or(Ok(()), check_vector)?;
        let model = vector.map(|vector| self.ledger.model(self.conn, &vector.model)).transpose()?;
        let windows = vector.map(|vector| &vector.windows);
        let heading = json::text_of_list(&section.heading);
        self.run(SQL, (document, ordinal, model, windows, heading, &section.text))?;
        Ok(())
    }
}
