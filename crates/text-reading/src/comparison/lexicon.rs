//! Word lists of the comparison: words that say nothing, words that turn a statement around, words
//! that tell of a change, and words that mean the same. English is covered best; of German,
//! Spanish, French and Chinese the lists hold what makes a statement false or another one.

use super::change_verbs;
use super::people::{PEOPLE, ROLE_VERBS, ROLES};
use super::tokens::{TokenClass, stem_key};
use super::word_lists::{
    ACTIVITIES, ANTONYMS, CHANGE_WORDS, COPULAS, DROPPED, ENGLISH_WORDS, FILLERS, FOREIGN_PAST,
    FOREIGN_PRESENT, GERMAN_WORDS, HEDGES, IRREGULAR_PAST, LIGHT_VERBS, MANY_VALUED_VERBS,
    MEASUREMENTS, MODALS, MOVE_VERBS, NEGATIONS, NOT_ENGLISH, OTHER_WORDS, PARTICIPLE_NOUNS,
    PARTICIPLES, PAST_COPULAS, PAST_STATES, PERIOD_OPENERS, PERIODS, PREPOSITIONS, QUANTIFIERS,
    REASON_WORDS, RELATIVES, ROUTINE_PAST, SINGLE_VALUED, STATE_VERBS, STAYING_VERBS, SYNONYMS,
    VERBS, WEAK_WORDS,
};
use foldhash::{HashMap, HashSet};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Key of the words that say that something ended: "no longer", "nicht mehr", "ya no".
pub(super) const NO_LONGER: &str = "no longer";

/// Class of a word.
pub(super) enum WordClass {
    Content,
    Class(TokenClass),
}

/// Returns the class of a word and the number of words that it takes with the next one.
pub(super) fn class_of(term: &str, next: &str, written: &str, english: bool) -> (WordClass, usize) {
    use TokenClass as T;
    let shouted = written.chars().filter(|c| c.is_uppercase()).count() > 1;
    if shouted && !NEGATIONS.contains(term) || english && NOT_ENGLISH.contains(term) {
        return (WordClass::Content, 1);
    }
    let class = match (term, next) {
        ("no" | "not", "longer" | "more") | ("nicht", "mehr") | ("ya", "no") => {
            return (WordClass::Class(T::Negation), 2);
        }
        ("at", "least" | "most")
        | ("up", "to")
        | ("more" | "less" | "fewer" | "longer" | "larger" | "shorter", "than") => {
            return (WordClass::Class(T::Quantifier), 2);
        }
        ("going" | "plan" | "plans" | "planning", "to") => {
            return (WordClass::Class(T::Modal), 2);
        }
        ("as", "of")
        | ("any", "longer" | "more")
        | ("from", "now")
        | ("ab", "sofort")
        | ("these", "days")
        | ("took" | "taken" | "taking", "over")
        | ("went" | "gone" | "put", "up" | "down")
        | ("after", "all")
        | ("al", "final")
        | ("down", "to") => {
            return (WordClass::Class(T::Change), 2);
        }
        // "Nur noch fünf", "plus que 4 200 euros": fewer than before.
        ("nur", "noch")
        | ("erst", "am" | "ab" | "im" | "um")
        | ("plus", "que")
        | ("ya", "solo" | "sólo") => {
            return (WordClass::Class(T::Change), 2);
        }
        // "从来不" means never.
        ("从", "来") => return (WordClass::Class(T::Dropped), 2),
        ("提" | "升", "高") | ("降", "低" | "到" | "为") | ("增" | "减", "到" | "至") => {
            return (WordClass::Class(T::Change), 2);
        }
        ("现", "在") | ("目", "前") | ("如", "今") => {
            return (WordClass::Class(T::Change), 2);
        }
        // "He cambiado" is Spanish.
        ("he", _) if !english => T::Dropped,
        // "am Montag".
        ("am", _) if !english => T::Preposition,
        ("今", "天" | "早" | "晚") => T::Dropped,
        // "大小为20": "is" before a number.
        ("为", _) if next.starts_with(|c: char| c.is_ascii_digit()) => T::Copula,
        ("'m" | "'re" | "'s", _) => T::Copula,
        ("'ll", _) => T::Modal,
        ("'ve" | "'d", _) => T::Dropped,
        ("n't", _) => T::Negation,
        ("wo" | "ca", "n't") => T::Modal,
        ("at", "the") if written == "at" => T::Preposition,
        ("cannot", _) => T::Negation,
        ("still" | "noch", "not") => T::Dropped,
        ("not", "only" | "just") => return (WordClass::Class(T::Dropped), 2),
        ("s" | "t", _) if written.len() == 1 => T::Content,
        ("a", _) if english => T::Dropped,
        _ if change_verbs::is_change_verb(term) && next == "to" => {
            return (WordClass::Class(T::Change), 2);
        }
        _ if change_verbs::is_change_verb(term) => T::Change,
        _ if NEGATIONS.contains(term) || term.ends_with("n't") => T::Negation,
        _ if QUANTIFIERS.contains(term) => T::Quantifier,
        _ if COPULAS.contains(term) => T::Copula,
        _ if PAST_COPULAS.contains(term) => T::PastCopula,
        _ if CHANGE_WORDS.contains(term) => T::Change,
        _ if MODALS.contains(term) => T::Modal,
        _ if WEAK_WORDS.contains(term) => T::Weak,
        _ if PREPOSITIONS.contains(term) => T::Preposition,
        _ if DROPPED.contains(term) => T::Dropped,
        _ => return (WordClass::Content, 1),
    };
    (WordClass::Class(class), 1)
}

/// Returns the key of a word.
pub(super) fn key_of(term: &str) -> String {
    match term {
        "i" | "me" | "myself" | "user" | "my" | "mine" | "i'm" | "i've" | "i'll" | "i'd"
        | "ich" | "mir" | "mich" | "mein" | "meine" | "yo" | "mi" | "je" | "j'" | "mon" | "ma"
        | "mes" | "我" => "self".to_owned(),
        "we" | "us" | "our" | "ours" | "we're" | "we've" | "we'll" | "wir" | "uns" | "unser"
        | "unsere" | "nosotros" | "nos" | "nuestro" | "nuestra" | "nous" | "notre" => {
            "we".to_owned()
        }
        "'ll" | "wo" => "will".to_owned(),
        "ca" => "can".to_owned(),
        "n't" | "not" => "not".to_owned(),
        "first" => "1st".to_owned(),
        "second" => "2nd".to_owned(),
        "third" => "3rd".to_owned(),
        "fourth" => "4th".to_owned(),
        "fifth" => "5th".to_owned(),
        "sixth" => "6th".to_owned(),
        "seventh" => "7th".to_owned(),
        "eighth" => "8th".to_owned(),
        "ninth" => "9th".to_owned(),
        "tenth" => "10th".to_owned(),
        // Not the stem of "fee".
        "feed" | "feeds" | "fed" | "feeding" => "feed".to_owned(),
        "he" | "him" | "his" => "he".to_owned(),
        "she" | "her" | "hers" => "she".to_owned(),
        "they" | "them" | "their" => "they".to_owned(),
        _ => match irregular_base(term) {
            Some(base) => stem_key(base),
            None => stem_key(term),
        },
    }
}

/// Returns true for the keys of pronouns.
pub(super) fn is_pronoun_key(key: &str) -> bool {
    matches!(key, "self" | "we" | "he" | "she" | "they" | "you" | "er" | "sie" | "il" | "elle")
}

/// Returns true for possessive pronouns.
pub(super) fn is_possessive(term: &str) -> bool {
    matches!(term, "my" | "our" | "his" | "her" | "their" | "your" | "its")
        || matches!(term, "mein" | "meine" | "unser" | "unsere" | "mi" | "mon" | "ma" | "notre")
}

/// Returns true for articles.
pub(super) fn is_article(term: &str) -> bool {
    matches!(term, "a" | "an" | "the" | "this" | "that" | "these" | "those")
        || matches!(term, "der" | "die" | "das" | "den" | "dem" | "des" | "ein" | "eine" | "einen")
        || matches!(term, "el" | "la" | "los" | "las" | "un" | "una" | "une" | "le" | "les" | "du")
}

/// Returns the American spelling of a British word.
pub(super) fn american_spelling(term: &str) -> Cow<'_, str> {
    // "Travelling", but not "calling".
    let doubled = |ending: &str| {
        let vowel = |c: char| "aeiou".contains(c);
        let stem = term.strip_suffix(ending);
        stem.is_some_and(|stem| stem.chars().filter(|c| vowel(*c)).count() > 1)
    };
    let has = |part: &str| term.as_bytes().windows(part.len()).any(|at| at == part.as_bytes());
    // Most words have none of these, and are left as they are.
    let spelled = match has("our") || doubled("lled") || doubled("lling") {
        true if has("our") => Cow::Owned(term.replace("our", "or")),
        true => Cow::Owned(term.replace("lled", "led").replace("lling", "ling")),
        false => Cow::Borrowed(term),
    };
    let verb = ["ise", "ised", "ising"].iter().find_map(|ending| spelled.strip_suffix(ending));
    let lysed = ["lyse", "lysed", "lysing"].iter().find_map(|ending| spelled.strip_suffix(ending));
    let spelled = match verb.or(lysed) {
        Some(stem) if lysed.is_some() => Cow::Owned(format!("{stem}lyz")),
        Some(stem) if stem.len() > 3 => Cow::Owned(format!("{stem}iz")),
        _ => spelled,
    };
    match &*spelled {
        "hor" => Cow::Borrowed(term),
        "centre" => Cow::Borrowed("center"),
        "licence" => Cow::Borrowed("license"),
        "programme" => Cow::Borrowed("program"),
        "grey" => Cow::Borrowed("gray"),
        _ => spelled,
    }
}

/// Returns the base form of an irregular past form.
pub(super) fn irregular_base(term: &str) -> Option<&'static str> {
    static BASES: LazyLock<HashMap<&str, &str>> =
        LazyLock::new(|| IRREGULAR_PAST.iter().rev().copied().collect());
    BASES.get(term).copied()
}

/// Returns true if a word is a verb in the past tense by its form.
pub(super) fn is_past_form(term: &str) -> bool {
    let regular = term.len() > 4 && term.ends_with("ed") && !PARTICIPLE_NOUNS.contains(term);
    regular || irregular_base(term).is_some()
}

/// Returns true if two keys are opposites of one another.
pub(super) fn are_antonyms(one: &str, other: &str) -> bool {
    let denies = |plain: &str, denied: &str| {
        let prefixes = ["non", "un", "in", "im", "dis"];
        let prefix = if plain.len() > 3 { denied.strip_suffix(plain) } else { None };
        prefix.is_some_and(|prefix| prefixes.contains(&prefix))
    };
    if denies(one, other) || denies(other, one) {
        return true;
    }
    static OPPOSITES: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
        let mut opposites: HashMap<String, Vec<String>> = HashMap::default();
        for (left, right) in ANTONYMS {
            opposites.entry(stem_key(left)).or_default().push(stem_key(right));
            opposites.entry(stem_key(right)).or_default().push(stem_key(left));
        }
        opposites
    });
    OPPOSITES.get(one).is_some_and(|opposites| opposites.iter().any(|known| known == other))
}

/// Returns the name of the group of words that mean the same, or the key itself.
pub(super) fn synonym_key(key: &str) -> &str {
    static GROUPS: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
        let words = |group: &&'static [&'static str]| {
            let group = *group;
            group.iter().map(move |word| (stem_key(word), group[0])).collect::<Vec<_>>()
        };
        SYNONYMS.iter().flat_map(words).collect()
    });
    GROUPS.get(key).copied().unwrap_or(key)
}

/// Returns the key by which words of one topic are recognised: "renewal" and "renews", "payment"
/// and "payable".
pub(super) fn topic_key(key: &str) -> &str {
    const ENDINGS: [&str; 9] = ["ation", "ment", "able", "abl", "al", "er", "or", "ing", "e"];
    const LETTERS_MIN: usize = 3;
    const ACT_LETTERS_MIN: usize = 6;
    let group = synonym_key(key);
    // A locker is no lock; a manager is who manages.
    let person = is_role(group);
    let plain = |ending: &&&str| person || !matches!(**ending, "er" | "or");
    let stem = ENDINGS.iter().filter(plain).find_map(|ending| group.strip_suffix(ending));
    // "Collection" and "collected", but not "version".
    let act = group.strip_suffix("ion").filter(|stem| stem.len() >= ACT_LETTERS_MIN);
    stem.or(act).filter(|stem| stem.len() >= LETTERS_MIN && stem.is_ascii()).unwrap_or(group)
}

/// Returns true if a text is most likely English, by its commonest words.
pub(super) fn is_english(text: &str) -> bool {
    let words = |list: &'static [&'static str]| {
        let all = text.split(|c: char| !c.is_alphanumeric());
        all.filter(|word| list.contains(word)).count()
    };
    words(ENGLISH_WORDS) >= words(OTHER_WORDS)
}

/// Returns true if a word is a form of a common verb.
pub(super) fn is_verb(word: &str) -> bool {
    in_stems(&VERB_STEMS, &stem_key(word)) || is_past_form(word)
}

/// Returns true if a word is the plain form of a verb, as it stands behind "to".
pub(super) fn is_plain_verb(word: &str) -> bool {
    VERBS.contains(&word)
}

/// Returns true for "new" in several languages.
pub(super) fn is_new(word: &str) -> bool {
    matches!(word, "new" | "neue" | "neuer" | "neues" | "neuen" | "nueva" | "nuevo" | "nouveau")
        || word == "nouvelle"
}

/// Returns true for past forms of verbs in other languages, by their endings.
pub(super) fn is_foreign_past(word: &str) -> bool {
    let long = word.chars().count() >= 4 && !FOREIGN_PRESENT.contains(word);
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    FOREIGN_PAST.contains(word)
        || long
            && ends(&["é", "í", "ó", "aron", "ieron", "ала", "али", "ила", "ил", "ился", "лась"])
        || word.starts_with("ge")
            && word.len() > 6
            && ends(&["t", "en"])
            && !ends(&["heit", "ment"])
}

/// Returns true for words of other languages that only look like a past form.
pub(super) fn is_foreign_present(word: &str) -> bool {
    FOREIGN_PRESENT.contains(word)
}

/// Returns true for German participles that tell of a state behind "ist".
pub(super) fn is_stative_participle(word: &str) -> bool {
    matches!(word, "geplant" | "gebucht" | "gesetzt" | "geöffnet" | "geschlossen" | "gespeichert")
        || matches!(word, "geregelt" | "gesperrt" | "gedeckelt" | "gehostet" | "genehmigt")
        || matches!(word, "angesetzt" | "eingestellt" | "vorgesehen" | "reserviert" | "festgelegt")
}

/// Returns true if a key is the stem of a verb that tells of a state.
pub(super) fn is_state_verb(key: &str) -> bool {
    in_stems(&STATE_STEMS, key)
}

/// Returns true for nouns of activities that are logged: meals, runs, doses.
pub(super) fn is_activity(word: &str) -> bool {
    ACTIVITIES.contains(word)
}

/// Returns true for a meal.
pub(super) fn is_meal(word: &str) -> bool {
    matches!(word, "breakfast" | "brunch" | "lunch" | "dinner" | "supper" | "snack")
        || matches!(word, "frühstück" | "mittagessen" | "abendessen" | "desayuno" | "almuerzo")
        || matches!(word, "comida" | "cena" | "déjeuner" | "dîner" | "goûter" | "pranzo")
}

/// Returns true for nouns of what is measured again and again: "pulse", "mood".
pub(super) fn is_measurement(word: &str) -> bool {
    MEASUREMENTS.contains(word)
}

/// Returns true for past forms of what people do again and again: "ran", "slept".
pub(super) fn is_routine_past(word: &str) -> bool {
    ROUTINE_PAST.contains(word)
}

/// Returns true if a key is the stem of a verb with several objects at a time: one may like many
/// things.
pub(super) fn is_many_valued_verb(key: &str) -> bool {
    in_stems(&MANY_VALUED_STEMS, key)
}

/// Returns true if a key is the stem of an attribute that has one value at a time.
pub(super) fn is_single_valued(key: &str) -> bool {
    in_stems(&SINGLE_VALUED_STEMS, key)
}

pub(super) type StemSet = LazyLock<HashSet<String>>;

pub(super) fn in_stems(stems: &StemSet, key: &str) -> bool {
    stems.contains(key)
}

pub(super) fn stems(words: &[&str]) -> HashSet<String> {
    words.iter().map(|word| stem_key(word)).collect()
}

static STATE_STEMS: StemSet = StemSet::new(|| stems(STATE_VERBS));
static MANY_VALUED_STEMS: StemSet = StemSet::new(|| stems(MANY_VALUED_VERBS));
static SINGLE_VALUED_STEMS: StemSet = StemSet::new(|| stems(SINGLE_VALUED));

static VERB_STEMS: StemSet = StemSet::new(|| stems(VERBS));

/// Returns true if a key is the stem of a verb whose past form still tells of a state.
pub(super) fn is_past_state(key: &str) -> bool {
    in_stems(&PAST_STATE_STEMS, key)
}

static PAST_STATE_STEMS: StemSet = StemSet::new(|| stems(PAST_STATES));

/// Returns true if a key is the stem of a day by which something has to be done.
pub(super) fn is_deadline(key: &str) -> bool {
    matches!(key, "deadlin" | "du" | "expiry" | "plazo" | "délai" | "dat")
        || ["termin", "frist", "datum"].iter().any(|ending| key.ends_with(ending))
}

/// Returns true for irregular participles.
pub(super) fn is_participle(word: &str) -> bool {
    PARTICIPLES.contains(word)
}

/// Returns true for verbs of moving house.
pub(super) fn is_move(word: &str) -> bool {
    MOVE_VERBS.contains(word)
}

/// Returns true for function words of German that no other language has.
pub(super) fn is_german(word: &str) -> bool {
    GERMAN_WORDS.contains(word)
}

/// Returns true if a key is the stem of an attribute or of a role.
pub(super) fn is_attribute(key: &str) -> bool {
    const GERMAN_ENDINGS: [&str; 8] =
        ["termin", "frist", "miet", "preis", "adress", "numm", "gehalt", "datum"];
    is_single_valued(key) || is_role(key) || GERMAN_ENDINGS.iter().any(|it| key.ends_with(it))
}

/// Returns true if a key is the stem of a word for somebody of the family or the household.
pub(super) fn is_relative_person(key: &str) -> bool {
    in_stems(&PEOPLE_STEMS, key)
}

static PEOPLE_STEMS: StemSet = StemSet::new(|| stems(PEOPLE));

/// Returns true for words that tell nothing of a subject: "new", "current", "total".
pub(super) fn is_filler(word: &str) -> bool {
    FILLERS.contains(word)
}

/// Returns true if a key is the stem of a verb that only joins a subject and its value: "runs",
/// "uses", "stands".
pub(super) fn is_light_verb(key: &str) -> bool {
    in_stems(&LIGHT_VERB_STEMS, key)
}

/// Returns true for names of stretches of time: "week", "spring".
pub(super) fn is_period(word: &str) -> bool {
    PERIODS.contains(word)
}

/// Returns true for words that place a stretch of time: "last", "next".
pub(super) fn is_relative(word: &str) -> bool {
    RELATIVES.contains(word)
}

/// Returns true for words before the day on which something began: "since", "starting".
pub(super) fn opens_period(word: &str) -> bool {
    PERIOD_OPENERS.contains(word)
}

/// Returns true for the article of one of several.
pub(super) fn is_indefinite_article(word: &str) -> bool {
    matches!(word, "a" | "an" | "ein" | "eine" | "un" | "una" | "une")
}

/// Returns true for prepositions before the place of something.
pub(super) fn is_place_preposition(word: &str) -> bool {
    matches!(word, "in" | "at" | "on" | "under" | "behind" | "inside" | "near" | "beside" | "with")
        || matches!(
            word,
            "im" | "bei" | "unter" | "hinter" | "auf" | "en" | "sous" | "dans" | "chez"
        )
}

/// Returns true for words that open a note of a failure.
pub(super) fn is_failure(word: &str) -> bool {
    matches!(word, "error" | "erreur" | "fehler" | "crash" | "exception" | "alert" | "warning")
}

/// Returns true for words before what something followed: "after the upgrade".
pub(super) fn is_after(word: &str) -> bool {
    matches!(word, "after" | "following" | "nach" | "tras" | "après" | "dopo" | "após")
}

/// Returns true for words that open a reason: "because", "weil".
pub(super) fn opens_reason(word: &str) -> bool {
    REASON_WORDS.contains(word)
}

/// Returns true for words that leave a claim as it is: "just", "about".
pub(super) fn is_estimate(word: &str) -> bool {
    matches!(word, "just" | "exactly" | "about" | "roughly" | "approximately" | "almost")
}

/// Returns true if a key is the stem of a verb behind which one place or means is named.
pub(super) fn is_staying_verb(key: &str) -> bool {
    in_stems(&STAYING_STEMS, key)
}

static STAYING_STEMS: StemSet = StemSet::new(|| stems(STAYING_VERBS));

/// Returns true for words that make a statement a guess or somebody's opinion.
pub(super) fn is_hedge(word: &str) -> bool {
    HEDGES.contains(word)
}

/// Returns true if a key is the stem of a role that one person has: coach, owner, teacher.
pub(super) fn is_role(key: &str) -> bool {
    in_stems(&ROLE_STEMS, key)
}

/// Returns true if a key is the stem of a verb whose subject is the one holder of a role.
pub(super) fn is_role_verb(key: &str) -> bool {
    in_stems(&ROLE_VERB_STEMS, key)
}

static LIGHT_VERB_STEMS: StemSet = StemSet::new(|| {
    let topics = LIGHT_VERBS.iter().map(|word| topic_key(&stem_key(word)).to_owned());
    topics.chain(["run".to_owned()]).collect()
});
static ROLE_STEMS: StemSet = StemSet::new(|| stems(ROLES));
static ROLE_VERB_STEMS: StemSet = StemSet::new(|| stems(ROLE_VERBS));
