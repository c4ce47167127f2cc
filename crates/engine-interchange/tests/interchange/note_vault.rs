//! Vaults of Markdown notes: those of other programs are imported, and our own come back as they
//! were.

use crate::fixture::{InterchangeFixture, me};
use crate::foreign_formats::check;
use engine::remember::RememberRequest;
use interchange::transfer::ImportOutcome;
use interchange::{
    ForeignOptions, ForeignSource, VaultFile, VaultLayout, export_vault, import_foreign,
};
use model::{LinkKind, MemoryId, Moment};

fn file(path: &str, text: &str) -> VaultFile {
    VaultFile { path: path.into(), text: text.into() }
}

async fn import(fixture: &InterchangeFixture, files: Vec<VaultFile>) -> ImportOutcome {
    let content = ForeignSource::Directory(files).recognize().unwrap();
    let options = ForeignOptions::default();
    import_foreign(&fixture.engine, &me(), &*content, options, |_| ()).await.unwrap()
}

fn notes() -> Vec<VaultFile> {
    vec![
        file(
            "projects/Coffee brewing.md",
            "---\ntitle: Coffee brewing\ntype: note\npermalink: projects/coffee\n\
             tags: [coffee, home]\ncreated: 2026-01-02\n---\n\
             # Coffee brewing\n\n- [method] Pour over keeps it clear\n\
             - relates_to [[Tea]]\n",
        ),
        file("Tea.md", "Green tea at 70 degrees, see [coffee](projects/Coffee%20brewing.md).\n"),
        file("index.md", "* [Tea](Tea.md)\n"),
    ]
}

#[tokio::test]
async fn notes_keep_title_labels_time_and_the_links_between_them() {
    let fixture = InterchangeFixture::new().await;
    let outcome = import(&fixture, notes()).await;
    assert_eq!(outcome.added["memory"], 2, "{outcome:?}");
    let found = fixture.engine.memories().get(&me(), &[MemoryId(1), MemoryId(2)]).await.unwrap();
    assert_eq!(found[0].title.as_deref(), Some("Coffee brewing"));
    assert!(found[0].text.starts_with("- [method] Pour over"), "{}", found[0].text);
    assert_eq!(found[0].tags, ["coffee", "home"]);
    assert_eq!(found[0].valid_from, Moment::parse("2026-01-02").unwrap());
    assert_eq!(found[1].title.as_deref(), Some("Tea"));
    for (source, target) in [(1, 2), (2, 1)] {
        let details = fixture.engine.memories().get_details(&me(), MemoryId(source)).await.unwrap();
        let links: Vec<_> =
            details.links.outgoing.iter().map(|link| (link.target, link.kind)).collect();
        assert_eq!(links, [(MemoryId(target), LinkKind::RelatedTo)]);
    }
    assert_eq!(import(&fixture, notes()).await.added.get("memory"), None);
}

#[tokio::test]
async fn vaults_of_each_program_are_counted_imported_once_and_marked_as_imported() {
    let obsidian = vec![
        file("Daily/2026-01-02.md", "Met [[Marta]] about the move. #work\n"),
        file("Marta.md", "---\naliases: [Marta K.]\n---\nLeads the team in Porto.\n"),
    ];
    let basic_memory = notes();
    let open_knowledge = vec![
        file("index.md", "# Knowledge\n\n* [Backups](concepts/backups.md)\n"),
        file("log.md", "## 2026-01-02\n\n* Added backups.\n"),
        file("concepts/backups.md", "---\ntype: concept\ntitle: Backups\n---\nKept for a month.\n"),
    ];
    for (files, memories) in [(obsidian, 2), (basic_memory, 2), (open_knowledge, 1)] {
        let content = ForeignSource::Directory(files).recognize().unwrap();
        check(&*content, "a vault of notes", memories).await;
    }
}

async fn with_memories() -> InterchangeFixture {
    let fixture = InterchangeFixture::new().await;
    for (text, project) in [
        ("Marta Kowalska moved billing to PostgreSQL.", Some("shop")),
        ("The backup runs at 03:30: it is kept for \"thirty\" days.", None),
    ] {
        let mut request = RememberRequest::text(text);
        request.project = project.map(str::to_owned);
        fixture.engine.memories().remember(&me(), &request).await.unwrap();
    }
    fixture
}

#[tokio::test]
async fn a_vault_has_a_note_for_each_memory_with_wikilinks_to_what_it_mentions() {
    let fixture = with_memories().await;
    let pages = export_vault(&fixture.engine, &me(), VaultLayout::Memories).await.unwrap();
    let page = pages.iter().find(|page| page.path.starts_with("shop/")).unwrap();
    assert_eq!(page.path, "shop/Marta Kowalska moved billing to PostgreSQL m1.md");
    assert!(page.text.contains("[[entities/Marta Kowalska|Marta Kowalska]]"), "{}", page.text);
    assert!(pages.iter().any(|page| page.path == "entities/Marta Kowalska.md"), "{pages:#?}");
}

#[tokio::test]
async fn our_own_vault_adds_nothing_here_and_comes_back_whole_elsewhere() {
    let fixture = with_memories().await;
    let pages = export_vault(&fixture.engine, &me(), VaultLayout::Memories).await.unwrap();
    assert_eq!(import(&fixture, pages.clone()).await.added.get("memory"), None);
    let elsewhere = InterchangeFixture::new().await;
    let outcome = import(&elsewhere, pages).await;
    assert_eq!(outcome.added["memory"], 2, "{outcome:?}");
    let found = elsewhere.engine.memories().get(&me(), &[MemoryId(1), MemoryId(2)]).await.unwrap();
    let mut texts: Vec<&str> = found.iter().map(|memory| memory.text.as_str()).collect();
    texts.sort_unstable();
    assert_eq!(texts[1], "The backup runs at 03:30: it is kept for \"thirty\" days.");
    assert!(found.iter().all(|memory| memory.title.is_none()));
}

#[tokio::test]
async fn a_vault_of_topics_has_one_note_for_a_kind_in_a_project() {
    let fixture = with_memories().await;
    let pages = export_vault(&fixture.engine, &me(), VaultLayout::Topics).await.unwrap();
    let paths: Vec<&str> = pages.iter().map(|page| page.path.as_str()).collect();
    assert!(paths.contains(&"shop/note.md") && paths.contains(&"memories/note.md"), "{paths:?}");
    assert!(
        pages.iter().any(|page| page.text.contains("moved billing to PostgreSQL. ^m1")
            || page.text.contains("^m1"))
    );
}
