//! Counts of all items. Memories are counted in one pass over a partial index that exists only for
//! this, so that no text and no vector is read.

use super::{all, query_count};
use crate::enum_codes;
use model::Status;
use rusqlite::Connection;
use std::collections::HashMap;
use store::Counts;

/// Returns all counts except the size on disk, which is that of the files.
pub(crate) fn counts(conn: &Connection) -> rusqlite::Result<Counts> {
    let count = |sql| query_count(conn, sql, []);
    Ok(Counts {
        links: count("SELECT count(*) FROM links")?,
        sessions: count("SELECT count(*) FROM sessions")?,
        entities: count("SELECT count(*) FROM entities")?,
        observations: count("SELECT count(*) FROM observations")?,
        relations: count("SELECT count(*) FROM relations")?,
        records: count("SELECT coalesce(sum(rows), 0) FROM tables")?,
        handoffs: count("SELECT count(*) FROM handoffs")?,
        references: count("SELECT count(*) FROM documents")?,
        reviews_open: count("SELECT count(*) FROM reviews WHERE resolution IS NULL")?,
        events: count("SELECT count(*) FROM audit")?,
        vectors: vectors(conn)?,
        ..memories(conn)?
    })
}

fn memories(conn: &Connection) -> rusqlite::Result<Counts> {
    // `id > 0` holds for every memory. It is the condition of the partial index, which SQLite uses
    // only for a query that repeats it; the same below for vectors.
    const SQL: &str = "SELECT status, kind, collection, project, count(*) FROM memories \
        WHERE id > 0 GROUP BY 1, 2, 3, 4";
    let mut statuses = HashMap::new();
    let (mut kinds, mut collections, mut projects) =
        (CountsByName::new(), CountsByName::new(), CountsByName::new());
    let mut statement = conn.prepare_cached(SQL)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (status, count) = (enum_codes::status(row.get(0)?)?, row.get::<_, u32>(4)? as usize);
        *statuses.entry(status).or_insert(0) += count;
        if status == Status::Active {
            *kinds.entry(row.get(1)?).or_insert(0) += count;
            *collections.entry(row.get(2)?).or_insert(0) += count;
            row.get::<_, Option<String>>(3)?
                .into_iter()
                .for_each(|project| *projects.entry(project).or_insert(0) += count);
        }
    }
    let in_order =
        Status::ALL.into_iter().filter_map(|status| Some((status, *statuses.get(&status)?)));
    Ok(Counts {
        memories: in_order.collect(),
        kinds: most_first(kinds),
        collections: most_first(collections),
        projects: most_first(projects),
        ..Counts::default()
    })
}

fn vectors(conn: &Connection) -> rusqlite::Result<Vec<(String, usize)>> {
    const SQL: &str = "SELECT o.name, c.vectors FROM models o JOIN
         (SELECT model, count(*) AS vectors FROM vectors WHERE memory > 0 GROUP BY model) c \
         ON c.model = o.id";
    let rows = all(conn, SQL, [], |row| Ok((row.get(0)?, row.get::<_, u32>(1)? as usize)))?;
    Ok(most_first(rows.into_iter().collect()))
}

type CountsByName = HashMap<String, usize>;

/// Sorts by count, largest first, then by name.
fn most_first(tally: CountsByName) -> Vec<(String, usize)> {
    let mut sorted: Vec<_> = tally.into_iter().collect();
    sorted.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
    sorted
}
