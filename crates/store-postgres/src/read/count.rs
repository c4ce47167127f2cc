//! Counts of all items.

use super::{all, query_count};
use crate::error::SqlResult;
use crate::owner_transaction::OwnerTransaction;
use crate::row;
use model::Status;
use std::collections::HashMap;
use store::Counts;

/// Returns all counts except the size on disk, which is that of the files.
pub(crate) fn counts(conn: &OwnerTransaction) -> SqlResult<Counts> {
    let count = |sql| query_count(conn, sql, ());
    Ok(Counts {
        links: count("SELECT count(*) FROM links WHERE owner = $1")?,
        sessions: count("SELECT count(*) FROM sessions WHERE owner = $1")?,
        entities: count("SELECT count(*) FROM entities WHERE owner = $1")?,
        observations: count("SELECT count(*) FROM observations WHERE owner = $1")?,
        relations: count("SELECT count(*) FROM relations WHERE owner = $1")?,
        records: count("SELECT coalesce(sum(rows), 0)::bigint FROM tables WHERE owner = $1")?,
        handoffs: count("SELECT count(*) FROM handoffs WHERE owner = $1")?,
        references: count("SELECT count(*) FROM documents WHERE owner = $1")?,
        reviews_open: count(
            "SELECT count(*) FROM reviews WHERE owner = $1 AND resolution IS
             NULL",
        )?,
        events: count("SELECT count(*) FROM audit WHERE owner = $1")?,
        vectors: vectors(conn)?,
        ..memories(conn)?
    })
}

fn memories(conn: &OwnerTransaction) -> SqlResult<Counts> {
    const SQL: &str = "SELECT status, kind, collection, project, count(*) FROM memories
         WHERE owner = $1 GROUP BY 1, 2, 3, 4";
    let mut statuses = HashMap::new();
    let (mut kinds, mut collections, mut projects) =
        (NameCounts::new(), NameCounts::new(), NameCounts::new());
    for row in conn.rows(SQL, ())? {
        let (status, count) = (row::status(row.get(0)?)?, row.get::<usize>(4)?);
        *statuses.entry(status).or_insert(0) += count;
        if status == Status::Active {
            *kinds.entry(row.get(1)?).or_insert(0) += count;
            *collections.entry(row.get(2)?).or_insert(0) += count;
            row.get::<Option<String>>(3)?
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

fn vectors(conn: &OwnerTransaction) -> SqlResult<Vec<(String, usize)>> {
    const SQL: &str = "SELECT o.name, c.vectors FROM models o JOIN
            (SELECT model, count(*) AS vectors FROM vectors WHERE owner = $1 GROUP BY model) c
            ON c.model = o.id WHERE o.owner = $1";
    let rows = all(conn, SQL, (), |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(most_first(rows.into_iter().collect()))
}

type NameCounts = HashMap<String, usize>;

/// Sorts by count, largest first, then by name.
fn most_first(tally: NameCounts) -> Vec<(String, usize)> {
    let mut sorted: Vec<_> = tally.into_iter().collect();
    sorted.sort_by(|(a, m), (b, n)| n.cmp(m).then_with(|| a.cmp(b)));
    sorted
}
