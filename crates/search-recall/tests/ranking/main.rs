//! Properties of every ranking, and examples for each of its parts.

mod replaced_versions;

use index::{DocFacts, DocSet, Filter, IndexEntry, IndexField, OutgoingLink, QueryTerms, View};
use model::{
    EntityId, LinkKind, MemoryId, Moment, Seq, SessionId, Status, StoredVectors, VectorModel,
};
use proptest::prelude::*;
use quipu_recall::{
    EventSide, QueryEvent, RankingPart, RankingWeights, RecallQuery, ScoreParts, rank,
};

const NOW: Moment = Moment(1_777_000_000_000_000);
const WORDS: [&str; 12] = [
    "deploy", "friday", "postgres", "billing", "cat", "printer", "harbour", "seven", "linter",
    "branch", "tea", "rack",
];

/// A generated memory; `words` are indices into [`WORDS`].
#[derive(Debug, Clone)]
struct GeneratedMemory {
    words: Vec<usize>,
    kind: &'static str,
    status: Status,
    flags: u32,
    session: Option<i64>,
}

fn generated_memory() -> impl Strategy<Value = GeneratedMemory> {
    let status = prop_oneof![
        3 => Just(Status::Active),
        1 => Just(Status::Superseded),
        1 => Just(Status::Rejected),
    ];
    let kind = prop_oneof![Just("note"), Just("decision")];
    (
        prop::collection::vec(0..WORDS.len(), 1..8),
        kind,
        status,
        0..2_u32,
        prop::option::of(0..3_i64),
    )
        .prop_map(|(words, kind, status, flags, session)| GeneratedMemory {
            words,
            kind,
            status,
            flags,
            session,
        })
}

fn text_of(words: &[usize]) -> String {
    words.iter().map(|word| WORDS[*word]).collect::<Vec<_>>().join(" ")
}

fn view_of<'t>(all: impl IntoIterator<Item = (i64, &'t GeneratedMemory)>) -> View {
    let mut view = View::new(None);
    for (id, memory) in all {
        let text = text_of(&memory.words);
        let mut facts = DocFacts::note(MemoryId(id), NOW);
        facts.kind = memory.kind;
        facts.status = memory.status;
        facts.flags = memory.flags;
        facts.session = memory.session.map(SessionId);
        let mut entry = IndexEntry::new(facts);
        entry.texts = vec![(IndexField::Text, &text)];
        view.apply([entry], [], Seq(id));
    }
    view
}

fn numbered(
    all: &[GeneratedMemory],
) -> impl DoubleEndedIterator<Item = (i64, &GeneratedMemory)> + Clone {
    (1..).zip(all).collect::<Vec<_>>().into_iter()
}

fn ids(view: &View, question: &str, within: &DocSet) -> Vec<i64> {
    ids_by(&RankingWeights::default(), view, question, within)
}

fn ids_by(weights: &RankingWeights, view: &View, question: &str, within: &DocSet) -> Vec<i64> {
    let weights = RankingWeights { floor: 0.0, ..*weights };
    rank(view, &RecallQuery::from_text(question, NOW), within, &weights)
        .iter()
        .map(|one| one.id.0)
        .collect()
}

fn current(view: &View) -> DocSet {
    view.filter(&Filter::default(), NOW)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 128,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn inactive_memories_never_appear(
        all in prop::collection::vec(generated_memory(), 1..20),
        asked in prop::collection::vec(0..WORDS.len(), 0..4),
    ) {
        let view = view_of(numbered(&all));
        for id in ids(&view, &text_of(&asked), &current(&view)) {
            prop_assert_eq!(all[id as usize - 1].status, Status::Active);
        }
    }

    #[test]
    fn an_unrelated_memory_never_removes_a_match(
        all in prop::collection::vec(generated_memory(), 1..20),
        asked in prop::collection::vec(0..WORDS.len(), 1..4),
    ) {
        let question = text_of(&asked);
        let before = view_of(numbered(&all));
        let mut after = view_of(numbered(&all));
        let mut entry = IndexEntry::new(DocFacts::note(MemoryId(999), NOW));
        entry.texts = vec![(IndexField::Text, "zeppelin quartet umbrella")];
        after.apply([entry], [], Seq(999));
        let found = ids(&after, &question, &current(&after));
        for id in ids(&before, &question, &current(&before)) {
            prop_assert!(found.contains(&id), "{} lost {}", question, id);
        }
    }

    #[test]
    fn the_order_is_the_same_however_memories_came_in(
        all in prop::collection::vec(generated_memory(), 1..20),
        asked in prop::collection::vec(0..WORDS.len(), 0..4),
    ) {
        let question = text_of(&asked);
        let (one, other) = (view_of(numbered(&all)), view_of(numbered(&all).rev()));
        for neighbour_seeds in [2, 100] {
            let weights = RankingWeights { neighbour_seeds, ..RankingWeights::default() };
            let found = |view: &View| ids_by(&weights, view, &question, &current(view));
            prop_assert_eq!(found(&one), found(&other));
        }
    }

    #[test]
    fn filtering_before_ranking_equals_filtering_after(
        mut all in prop::collection::vec(generated_memory(), 1..20),
        asked in prop::collection::vec(0..WORDS.len(), 1..4),
    ) {
        // A hidden memory does not lift its neighbours; without sessions there are none.
        all.iter_mut().for_each(|memory| memory.session = None);
        let question = text_of(&asked);
        let view = view_of(numbered(&all));
        let filter = Filter { kinds: vec!["decision".into()], ..Filter::default() };
        let ranked = |within: &DocSet, weights: &RankingWeights| {
            let ranked = rank(&view, &RecallQuery::from_text(&question, NOW), within, weights);
            let found = ranked.into_iter().map(|one| (one.id.0, one.score));
            found.filter(|(id, _)| all[*id as usize - 1].kind == "decision").collect::<Vec<_>>()
        };
        let weights = RankingWeights { floor: 0.0, ..RankingWeights::default() };
        let plain = weights.without(RankingPart::Variety);
        let within = view.filter(&filter, NOW);
        prop_assert_eq!(ranked(&within, &plain), ranked(&current(&view), &plain));
        // A hidden memory covers no terms either, so that diversification may change the order, but
        // never the set of results and their scores.
        let sorted = |mut found: Vec<(i64, f32)>| { found.sort_by_key(|(id, _)| *id); found };
        prop_assert_eq!(
            sorted(ranked(&within, &weights)),
            sorted(ranked(&current(&view), &weights))
        );
    }

    #[test]
    fn flagged_memories_come_last(
        all in prop::collection::vec(generated_memory(), 1..20),
        asked in prop::collection::vec(0..WORDS.len(), 1..4),
    ) {
        let view = view_of(numbered(&all));
        let ids = ids(&view, &text_of(&asked), &current(&view));
        let flags: Vec<u32> = ids.iter().map(|id| all[*id as usize - 1].flags).collect();
        prop_assert!(flags.is_sorted(), "{:?}", flags);
    }
}

fn view_of_notes(texts: &[&str], speaker: Option<&'static str>) -> View {
    let mut view = View::new(None);
    for (text, id) in texts.iter().zip(1..) {
        let mut facts = DocFacts::note(MemoryId(id), NOW);
        facts.speaker = speaker;
        let mut entry = IndexEntry::new(facts);
        entry.texts = vec![(IndexField::Text, text)];
        view.apply([entry], [], Seq(id));
    }
    view
}

#[test]
fn neighbours_of_the_best_candidates_are_added_and_others_are_not() {
    let line = |words: &[usize], session| GeneratedMemory {
        words: words.to_vec(),
        kind: "note",
        status: Status::Active,
        flags: 0,
        session: Some(session),
    };
    let all = [line(&[0, 1, 2], 1), line(&[10], 1), line(&[1, 7, 8, 9], 2), line(&[11], 2)];
    let view = view_of(numbered(&all));
    let found = |looked_around| {
        let weights =
            RankingWeights { neighbour_seeds: looked_around, ..RankingWeights::default() };
        let mut ids = ids_by(&weights, &view, "deploy friday postgres", &current(&view));
        ids.sort_unstable();
        ids
    };
    assert_eq!((found(0), found(1), found(2)), (vec![1, 3], vec![1, 2, 3], vec![1, 2, 3, 4]));
}

#[test]
fn adjacent_words_rank_above_the_same_words_apart() {
    let view = view_of_notes(&["the red card came late", "a card in the red box came late"], None);
    assert_eq!(ids(&view, "who saw the red card", &current(&view)), [1, 2]);
}

#[test]
fn a_permanent_preference_comes_first_when_something_new_is_asked_for() {
    let view = view_of_notes(
        &[
            "Always use tabs in tables.",
            "Two tables came on Monday.",
            "Three tables came on Friday.",
        ],
        Some("user"),
    );
    let first = |question| ids(&view, question, &current(&view))[0];
    assert_eq!(first("Can you draw tables?"), 1);
    assert_ne!(first("Which tables came?"), 1);
}

#[test]
fn words_of_an_assistant_are_no_preference_of_the_owner() {
    let texts = ["Always use tabs in tables.", "Two tables came on Monday."];
    let view = view_of_notes(&texts, Some("assistant"));
    assert_eq!(ids(&view, "Can you draw the tables that came?", &current(&view)), [2, 1]);
}

#[test]
fn statements_rank_above_questions() {
    let texts = ["Did the boat leave the harbour?", "The boat did leave the harbour."];
    let mut view = View::new(None);
    for ((text, asking), id) in texts.iter().zip([1.0, 0.0]).zip([2, 1]) {
        let mut entry = IndexEntry::new(DocFacts {
            question_share: asking,
            ..DocFacts::note(MemoryId(id), NOW)
        });
        entry.texts = vec![(IndexField::Text, text)];
        view.apply([entry], [], Seq(id));
    }
    let question = "which harbour did the boat leave";
    assert_eq!(ids(&view, question, &current(&view)), [1, 2]);
    let without = RankingWeights::default().without(RankingPart::Asking);
    assert_eq!(
        rank(&view, &RecallQuery::from_text(question, NOW), &current(&view), &without)[0].id.0,
        2
    );
}

/// Builds a view of one session; each line has a speaker, a share of questions and a text.
fn view_of_session(lines: &[(&'static str, f32, &str)]) -> View {
    let mut view = View::new(None);
    for ((speaker, asking, text), id) in lines.iter().zip(1..) {
        let facts = DocFacts::note(MemoryId(id), NOW);
        let mut entry = IndexEntry::new(DocFacts {
            speaker: Some(speaker),
            question_share: *asking,
            session: Some(SessionId(1)),
            ..facts
        });
        entry.texts = vec![(IndexField::Text, text)];
        view.apply([entry], [], Seq(id));
    }
    view
}

/// Returns one part of the score of each result, by memory id.
fn part_of(view: &View, question: &str, part: impl Fn(&ScoreParts) -> f32) -> Vec<(i64, f32)> {
    let weights = RankingWeights { floor: 0.0, ..RankingWeights::default() };
    let ranked = rank(view, &RecallQuery::from_text(question, NOW), &current(view), &weights);
    let mut parts: Vec<(i64, f32)> =
        ranked.iter().map(|one| (one.id.0, part(&one.parts))).collect();
    parts.sort_by_key(|(id, _)| *id);
    parts
}

#[test]
fn the_line_after_a_question_is_lifted_as_its_answer() {
    let view = view_of_session(&[
        ("Ann", 0.0, "Rain again."),
        ("Ann", 1.0, "Where did the boat go?"),
        ("Bob", 0.0, "Up north, slowly."),
        ("Ann", 0.0, "Lovely."),
    ]);
    let answers = part_of(&view, "where did the boat go", |parts| parts.answers);
    let lifted: Vec<i64> =
        answers.iter().filter(|(_, part)| *part > 0.0).map(|(id, _)| *id).collect();
    assert_eq!(lifted, [3]);
}

#[test]
fn half_a_question_lifts_its_answer_half_as_much() {
    let lifted = |asking| {
        let view = view_of_session(&[
            ("Ann", asking, "Where did the boat go?"),
            ("Bob", 0.0, "Up north."),
        ]);
        part_of(&view, "where did the boat go", |parts| parts.answers)[1].1
    };
    assert!(
        (lifted(1.0) - 2.0 * lifted(0.5)).abs() < 0.01 * lifted(1.0),
        "{} {}",
        lifted(1.0),
        lifted(0.5)
    );
}

#[test]
fn the_reply_of_an_assistant_is_not_lifted() {
    let view = view_of_session(&[
        ("user", 1.0, "Where did the boat go?"),
        ("assistant", 0.0, "Up north."),
    ]);
    let answers = part_of(&view, "where did the boat go", |parts| parts.answers);
    assert_eq!(answers, [(1, 0.0), (2, 0.0)]);
}

#[test]
fn only_the_first_of_several_lines_opens_a_session() {
    let view =
        view_of_session(&[("Ann", 0.0, "The boat left."), ("Bob", 0.0, "The boat is back.")]);
    let lifted = |(id, part): (i64, f32)| (id, part > 0.0);
    let opening = part_of(&view, "the boat", |parts| parts.opening);
    assert_eq!(opening.into_iter().map(lifted).collect::<Vec<_>>(), [(1, true), (2, false)]);
    let alone = view_of_session(&[("Ann", 0.0, "The boat left.")]);
    assert_eq!(part_of(&alone, "the boat", |parts| parts.opening), [(1, 0.0)]);
}

#[test]
fn the_first_visible_line_opens_the_session() {
    let view = view_of_session(&[
        ("Ann", 0.0, "The boat left."),
        ("Bob", 0.0, "The boat is back."),
        ("Ann", 0.0, "Good."),
    ]);
    let hidden: DocSet = current(&view).iter().filter(|doc| view.id(*doc) != MemoryId(1)).collect();
    let ranked =
        rank(&view, &RecallQuery::from_text("the boat", NOW), &hidden, &RankingWeights::default());
    let opening = ranked.iter().find(|one| one.id == MemoryId(2)).map(|one| one.parts.opening);
    assert!(opening.is_some_and(|part| part > 0.0), "{opening:?}");
}

#[test]
fn one_matching_passage_lifts_the_whole_memory() {
    let model = VectorModel { id: "test".into(), dimensions: 4 };
    let stored = |vectors: &[[i8; 4]]| StoredVectors {
        model: model.clone(),
        data: vectors
            .iter()
            .flat_map(|codes| 1.0_f32.to_le_bytes().into_iter().chain(codes.map(i8::cast_unsigned)))
            .collect(),
    };
    let vectors =
        [stored(&[[90, 90, 0, 0], [0, 127, 0, 0], [127, 0, 0, 0]]), stored(&[[100, 80, 0, 0]])];
    let mut view = View::new(Some(model.clone()));
    for (vector, id) in vectors.iter().zip(1..) {
        let mut entry = IndexEntry::new(DocFacts::note(MemoryId(id), NOW));
        entry.vector = Some(vector);
        view.apply([entry], [], Seq(id));
    }
    let question = RecallQuery {
        vector: Some(vec![1.0, 0.0, 0.0, 0.0]),
        ..RecallQuery::from_text("boats", NOW)
    };
    let first = |weights: &RankingWeights| rank(&view, &question, &current(&view), weights)[0].id.0;
    assert_eq!(first(&RankingWeights::default()), 1);
    assert_eq!(first(&RankingWeights::default().without(RankingPart::Passages)), 2);
}

#[test]
fn diversification_prefers_uncovered_terms_over_repetition() {
    let texts = [
        "the cat and the printer met in the harbour",
        "the printer and the cat left the harbour",
        "tea came to the linter today",
    ];
    let view = view_of_notes(&texts, None);
    let order = |weights: &RankingWeights| -> Vec<i64> {
        let question = RecallQuery::from_text("cat printer harbour tea", NOW);
        rank(&view, &question, &current(&view), weights).iter().map(|one| one.id.0).collect()
    };
    let plain = RankingWeights { floor: 0.0, ..RankingWeights::default() };
    assert_eq!(order(&plain.without(RankingPart::Variety))[2], 3);
    assert_eq!(order(&RankingWeights { diversity: 8.0, ..plain })[1], 3);
}

/// Builds a view of notes, each with a day and the entities it mentions.
fn view_of_dated_notes(all: &[(&str, i64, &[i64])]) -> View {
    let mut view = View::new(None);
    for (id, (text, day, entities)) in (1..).zip(all) {
        let mut entry = IndexEntry::new(DocFacts::note(MemoryId(id), Moment(day * 86_400_000_000)));
        entry.texts = vec![(IndexField::Text, text)];
        entry.entities = entities.iter().copied().map(EntityId).collect();
        view.apply([entry], [], Seq(id));
    }
    view
}

fn query_with_event(side: EventSide) -> RecallQuery {
    let event = QueryEvent { side, terms: QueryTerms::parse("harbour printer") };
    RecallQuery { events: vec![event], ..RecallQuery::from_text("tea", NOW) }
}

#[test]
fn an_event_has_the_time_of_the_memory_that_describes_it() {
    let view = view_of_dated_notes(&[
        ("tea", 1, &[]),
        ("harbour printer", 5, &[]),
        ("tea", 9, &[]),
        ("printer", 20, &[]),
    ]);
    let within = view.filter(&Filter::default(), NOW);
    let in_time = |question: &RecallQuery| {
        let ranked = rank(&view, question, &within, &RankingWeights::default());
        let mut ids: Vec<i64> =
            ranked.iter().filter(|one| one.parts.time > 0.0).map(|one| one.id.0).collect();
        ids.sort_unstable();
        ids
    };
    assert_eq!(in_time(&query_with_event(EventSide::Before)), [1]);
    assert_eq!(in_time(&query_with_event(EventSide::After)), [3]);
    assert_eq!(in_time(&query_with_event(EventSide::During)), Vec::<i64>::new());
    let unknown =
        QueryEvent { side: EventSide::Before, terms: QueryTerms::parse("harbour zeppelin fair") };
    assert_eq!(
        in_time(&RecallQuery { events: vec![unknown], ..RecallQuery::from_text("tea", NOW) }),
        Vec::<i64>::new()
    );
}

#[test]
fn a_memory_about_the_same_entity_as_a_better_one_is_lifted() {
    let notes: &[(&str, i64, &[i64])] = &[
        ("deploy friday billing", 1, &[7]),
        ("friday billing", 1, &[7]),
        ("friday billing", 1, &[8]),
    ];
    let lifts = |weights: &RankingWeights| {
        let view = view_of_dated_notes(notes);
        let within = view.filter(&Filter::default(), NOW);
        let ranked =
            rank(&view, &RecallQuery::from_text("deploy friday billing", NOW), &within, weights);
        let context = |id: i64| ranked.iter().find(|one| one.id.0 == id).unwrap().parts.context;
        [context(1), context(2), context(3)]
    };
    let [best, same, other] = lifts(&RankingWeights::default());
    assert!(same > other && best == other, "{best} {same} {other}");
    assert_eq!(lifts(&RankingWeights::default().without(RankingPart::Entities)), [0.0; 3]);
}

#[test]
fn a_preference_in_a_long_text_counts_less() {
    let long = format!("always tea {}", "rack ".repeat(200));
    let view = view_of_dated_notes(&[("always tea", 1, &[]), (&long, 1, &[]), ("tea", 1, &[])]);
    let within = view.filter(&Filter::default(), NOW);
    let question =
        RecallQuery { asks_for_something_new: true, ..RecallQuery::from_text("tea", NOW) };
    let ranked = rank(
        &view,
        &question,
        &within,
        &RankingWeights { floor: 0.0, ..RankingWeights::default() },
    );
    let wish = |id: i64| ranked.iter().find(|one| one.id.0 == id).unwrap().parts.wish;
    assert_eq!((wish(1), wish(3)), (RankingWeights::default().wishes, 0.0));
    assert!(wish(2) > 0.0 && wish(2) < 0.25 * wish(1), "{}", wish(2));
}

#[test]
fn a_near_word_replaces_a_rare_word() {
    let view = view_of_dated_notes(&[
        ("my brother sails", 1, &[]),
        ("my printer sails", 1, &[]),
        ("tea", 1, &[]),
    ]);
    let near = |view: &View, question: &str| part_of(view, question, |parts| parts.near_words);
    let found = near(&view, "do my siblings like sails");
    assert!(matches!(found[..], [(1, brother), (2, 0.0)] if brother > 0.0), "{found:?}");
    assert_eq!(ids(&view, "do my siblings like sails", &current(&view))[0], 1);
    let known =
        view_of_dated_notes(&[("my brother sails", 1, &[]), ("my siblings like tea", 1, &[])]);
    assert!(near(&known, "do my siblings like sails").iter().all(|(_, near)| *near == 0.0));
}
