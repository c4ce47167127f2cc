//! Word lists of the comparison: words that say nothing, words that turn a statement around, words
//! that tell of a change, and words that mean the same. English is covered best; of German,
//! Spanish, French and Chinese the lists hold what makes a statement false or another one.

use super::tokens::{TokenClass, stem_key};
use crate::word_list::WordList;
use std::collections::{HashMap, HashSet};
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
        ("at", "least" | "most") | ("up", "to") | ("more" | "less" | "fewer", "than") => {
            return (WordClass::Class(T::Quantifier), 2);
        }
        ("going" | "plan" | "plans" | "planning", "to") => {
            return (WordClass::Class(T::Modal), 2);
        }
        ("as", "of") | ("from", "now") | ("ab", "sofort") => {
            return (WordClass::Class(T::Change), 2);
        }
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
        _ if is_change_verb(term) && next == "to" => {
            return (WordClass::Class(T::Change), 2);
        }
        _ if is_change_verb(term) => T::Change,
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
        | "ich" | "mir" | "mich" | "mein" | "meine" | "yo" | "mi" | "je" | "mon" | "ma" | "mes"
        | "我" => "self".to_owned(),
        "we" | "us" | "our" | "ours" | "we're" | "we've" | "we'll" | "wir" | "uns" | "unser"
        | "unsere" | "nosotros" | "nuestro" | "nuestra" | "nous" | "notre" => "we".to_owned(),
        "'ll" | "wo" => "will".to_owned(),
        "n't" | "not" => "not".to_owned(),
        "first" => "1st".to_owned(),
        "second" => "2nd".to_owned(),
        "third" => "3rd".to_owned(),
        "fourth" => "4th".to_owned(),
        "fifth" => "5th".to_owned(),
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
}

/// Returns the American spelling of a British word.
pub(super) fn american_spelling(term: &str) -> String {
    let spelled = term.replace("our", "or").replace("lled", "led").replace("lling", "ling");
    let spelled = match spelled.strip_suffix("ise").or(spelled.strip_suffix("ised")) {
        Some(stem) if stem.len() > 3 => format!("{stem}iz"),
        _ => spelled,
    };
    match spelled.as_str() {
        "four" | "hor" => term.to_owned(),
        "centre" => "center".to_owned(),
        "licence" => "license".to_owned(),
        "programme" => "program".to_owned(),
        "grey" => "gray".to_owned(),
        _ => spelled,
    }
}

/// Returns the base form of an irregular past form.
pub(super) fn irregular_base(term: &str) -> Option<&'static str> {
    IRREGULAR_PAST.iter().find(|(form, _)| *form == term).map(|(_, base)| *base)
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
        plain.len() > 3 && prefixes.iter().any(|prefix| denied.strip_prefix(prefix) == Some(plain))
    };
    if denies(one, other) || denies(other, one) {
        return true;
    }
    static OPPOSITES: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
        let mut opposites: HashMap<String, Vec<String>> = HashMap::new();
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
        SYNONYMS.iter().flat_map(|group| words(group)).collect()
    });
    GROUPS.get(key).copied().unwrap_or(key)
}

/// Returns true if a text is most likely English, by its commonest words.
pub(super) fn is_english(text: &str) -> bool {
    let words = |list: &'static [&'static str]| {
        let all = text.split(|c: char| !c.is_alphanumeric());
        all.filter(|word| list.contains(word)).count()
    };
    words(ENGLISH_WORDS) >= words(OTHER_WORDS)
}

const ENGLISH_WORDS: &[&str] = &[
    "the", "is", "are", "of", "and", "to", "my", "for", "with", "on", "at", "I", "we", "The", "My",
    "We", "not", "has", "from", "now",
];

const OTHER_WORDS: &[&str] = &[
    "der", "die", "das", "und", "ist", "ein", "eine", "nicht", "mit", "el", "la", "los", "las",
    "es", "de", "que", "un", "una", "no", "le", "les", "est", "et", "du", "des", "pas", "je", "il",
    "Der", "Die", "Das", "El", "La", "Los", "Le", "Les", "Mi", "Mon", "Ma", "Je", "Ich", "Il", "O",
    "en", "se", "für", "im", "am", "ich", "wir", "nous", "on", "para", "con", "por",
];

/// Function words of other languages that are words or names in English.
#[rustfmt::skip]
static NOT_ENGLISH: WordList = WordList::new(&[
    "bin", "con", "dem", "den", "des", "die", "don", "el", "era", "es", "ha", "hat", "la", "las",
    "le", "les", "los", "mais", "mal", "mes", "mi", "mit", "mon", "nun", "pas", "plus", "pour",
    "sans", "se", "sin", "solo", "son", "sur", "un", "und", "vais", "voy", "war", "y", "ya", "yo",
    "zu",
]);

#[rustfmt::skip]
static NEGATIONS: WordList = WordList::new(&[
    "abolished", "aucun", "aucune", "banned", "cannot", "cant", "didnt", "doesnt", "dont",
    "dropped", "gar nicht", "gone", "isnt", "jamais", "kein", "keine", "keinen", "keiner", "lacks",
    "n't", "neither", "never", "ni", "nicht", "nichts", "nie", "niemals", "no", "nobody", "non",
    "none", "nor", "not", "nowhere", "nunca", "não", "ohne", "pas", "plus", "sans", "sin",
    "stopped", "tampoco", "unpaid", "wasnt", "without", "wont", "не", "нет", "不", "别", "无", "未",
    "没", "禁", "非",
]);

#[rustfmt::skip]
static QUANTIFIERS: WordList = WordList::new(&[
    "about", "all", "alle", "allein", "almost", "always", "any", "approximately", "both", "chaque",
    "each", "every", "everyone", "exactly", "except", "few", "half", "immer", "jeden", "jeder",
    "just", "manchmal", "many", "most", "mostly", "nur", "often", "only", "parfois", "rarely",
    "roughly", "seulement", "several", "siempre", "solamente", "solo", "some", "sometimes", "sólo",
    "todas", "todos", "toujours", "tous", "usually", "只", "每", "都",
]);

#[rustfmt::skip]
static COPULAS: WordList = WordList::new(&[
    "'re", ":", "=", "am", "are", "be", "being", "bin", "bist", "es", "est", "está", "is", "ist",
    "sind", "son", "sont", "soy", "suis", "→", "是", "：",
]);

#[rustfmt::skip]
static PAST_COPULAS: WordList = WordList::new(&[
    "been", "era", "foram", "fue", "fueron", "war", "waren", "was", "were", "wurde", "wurden",
    "était",
]);

#[rustfmt::skip]
static CHANGE_WORDS: WordList = WordList::new(&[
    "ab", "actually", "actualmente", "adesso", "agora", "ahora", "antes", "anymore", "anymore.",
    "atualmente", "auparavant", "correction", "currently", "desde", "désormais", "edit",
    "effective", "formerly", "früher", "henceforth", "instead", "jetzt", "longer", "maintenant",
    "mittlerweile", "now", "nowadays", "nun", "presently", "previously", "seit", "since",
    "starting", "today", "update", "updated", "vorher", "теперь", "今", "升", "変", "変更", "换", "搬",
    "改", "更", "现在",
]);

#[rustfmt::skip]
static MODALS: WordList = WordList::new(&[
    "can", "compte", "could", "going", "intend", "intends", "may", "maybe", "might", "must", "need",
    "needs", "perhaps", "plan", "planning", "plans", "possibly", "should", "todo", "vais", "voy",
    "want", "wants", "werde", "werden", "will", "wird", "won't", "would", "会", "将", "要",
]);

#[rustfmt::skip]
static WEAK_WORDS: WordList = WordList::new(&[
    "ma", "mein", "meine", "mi", "mon", "my", "notre", "nuestra", "nuestro", "our", "ours", "unser",
    "unsere", "的",
]);

#[rustfmt::skip]
static PREPOSITIONS: WordList = WordList::new(&[
    "a", "above", "across", "after", "against", "among", "around", "as", "at", "auf", "aus",
    "avant", "before", "behind", "bei", "below", "beside", "between", "beyond", "bis", "by", "chez",
    "con", "dans", "de", "desde", "después", "durch", "during", "en", "for", "from", "für", "gegen",
    "hacia", "hasta", "in", "inside", "into", "mit", "nach", "near", "of", "off", "on", "onto",
    "out", "outside", "over", "para", "past", "per", "por", "pour", "sobre", "sur", "through",
    "throughout", "to", "toward", "towards", "under", "unter", "until", "upon", "via", "von", "vor",
    "with", "within", "zu", "à", "über",
]);

#[rustfmt::skip]
static DROPPED: WordList = WordList::new(&[
    "already", "also", "an", "and", "basically", "c", "d", "das", "dass", "days", "dem", "den",
    "der", "des", "did", "die", "do", "does", "don", "doña", "dr", "ein", "eine", "einem", "einen",
    "einer", "el", "et", "exactly", "frau", "fyi", "got", "ha", "habe", "haben", "had", "has",
    "hat", "have", "herr", "indeed", "it", "its", "j", "l", "la", "las", "le", "les", "los", "m",
    "miss", "mr", "mrs", "ms", "n", "ne", "note", "ok", "okay", "old", "please", "please,", "prof",
    "qu", "que", "really", "remember", "reminder", "s", "said", "says", "se", "señor", "señora",
    "sharp", "sich", "so", "still", "thank", "thanks", "that", "the", "then", "there", "these",
    "this", "those", "too", "un", "una", "und", "une", "very", "well", "y", "yes", "you", "your",
    "了", "吗", "吧", "呢", "啊", "已", "经",
]);

#[rustfmt::skip]
static PARTICIPLE_NOUNS: WordList = WordList::new(&[
    "allowed", "based", "called", "embed", "exceed", "feed", "hundred", "indeed", "located",
    "married", "named", "need", "preferred", "required", "seed", "speed", "supposed", "united",
    "weed",
]);

#[rustfmt::skip]
const IRREGULAR_PAST: &[(&str, &str)] = &[
    ("ate", "eat"), ("began", "begin"), ("bought", "buy"), ("broke", "break"),
    ("brought", "bring"), ("built", "build"), ("came", "come"), ("chose", "choose"),
    ("drank", "drink"), ("drove", "drive"), ("fell", "fall"), ("felt", "feel"), ("flew", "fly"),
    ("found", "find"), ("gave", "give"), ("got", "get"), ("grew", "grow"), ("heard", "hear"),
    ("held", "hold"), ("knew", "know"), ("left", "leave"), ("lent", "lend"), ("lost", "lose"),
    ("made", "make"), ("met", "meet"), ("paid", "pay"), ("ran", "run"), ("rode", "ride"),
    ("said", "say"), ("sang", "sing"), ("sat", "sit"), ("saw", "see"), ("sent", "send"),
    ("slept", "sleep"), ("sold", "sell"), ("spent", "spend"), ("spoke", "speak"),
    ("stood", "stand"), ("swam", "swim"), ("taught", "teach"), ("thought", "think"),
    ("threw", "throw"), ("told", "tell"), ("took", "take"), ("went", "go"), ("woke", "wake"),
    ("learnt", "learn"), ("burnt", "burn"), ("spelt", "spell"), ("won", "win"), ("wore", "wear"), ("wrote", "write"), ("borrowed", "borrow"),
];

#[rustfmt::skip]
const ANTONYMS: &[(&str, &str)] = &[
    ("enabled", "disabled"), ("enable", "disable"), ("enables", "disables"), ("true", "false"),
    ("allowed", "forbidden"), ("allowed", "prohibited"), ("allow", "forbid"), ("allow", "deny"),
    ("allowed", "banned"), ("open", "closed"), ("required", "optional"), ("required", "forbidden"),
    ("mandatory", "optional"), ("online", "offline"), ("like", "dislike"), ("like", "hate"),
    ("love", "hate"), ("loves", "hates"), ("likes", "dislikes"), ("enjoy", "hate"),
    ("public", "private"), ("synchronous", "asynchronous"), ("supported", "unsupported"),
    ("safe", "unsafe"), ("accepts", "rejects"), ("accept", "reject"), ("married", "single"),
    ("married", "divorced"), ("increases", "decreases"), ("on", "off"), ("yes", "no"),
    ("passes", "fails"), ("pass", "fail"), ("passing", "failing"), ("active", "inactive"),
    ("available", "unavailable"), ("up", "down"), ("start", "stop"), ("started", "stopped"),
    ("vegetarian", "carnivore"), ("approved", "rejected"), ("encrypted", "unencrypted"),
    ("deprecated", "supported"), ("stable", "unstable"), ("happy", "unhappy"),
    ("possible", "impossible"), ("include", "exclude"), ("includes", "excludes"),
    ("included", "excluded"), ("early", "late"), ("known", "unknown"), ("paid", "unpaid"),
    ("full", "empty"), ("always", "never"), ("everyone", "nobody"),
    ("aktiviert", "deaktiviert"), ("an", "aus"),
    ("activado", "desactivado"), ("activé", "désactivé"), ("erlaubt", "verboten"),
    ("permitido", "prohibido"), ("autorisé", "interdit"), ("offen", "geschlossen"),
    ("abierto", "cerrado"), ("ouvert", "fermé"), ("keep", "remove"), ("agree", "reject"),
    ("agreed", "rejected"), ("agreed", "refused"), ("agreed", "disagreed"), ("settled", "outstanding"), ("bien", "mal"), ("gratuit", "payant"),
    ("good", "bad"), ("alive", "dead"), ("willing", "refuses"), ("green", "red"),
    ("eingeschaltet", "ausgeschaltet"), ("activo", "inactivo"), ("aktiv", "inaktiv"), ("optin", "optout"), ("gut", "schlecht"), ("free", "paid"), ("include", "exclude"),
    ("welcome", "banned"), ("включены", "отключены"), ("necesario", "innecesario"),
    ("cheap", "expensive"), ("easy", "hard"), ("hot", "cold"), ("working", "broken"),
    ("works", "broken"), ("strict", "lenient"), ("manual", "automatic"), ("won", "lost"), ("mandatory", "voluntary"),
    ("gained", "lost"), ("win", "lose"), ("remember", "forget"), ("present", "absent"),
];

#[rustfmt::skip]
const SYNONYMS: &[&[&str]] = &[
    &["begin", "start", "commence", "kick", "open"], &["end", "finish", "conclude", "close"],
    &["buy", "purchase"], &["use", "utilize", "employ", "rely"], &["fix", "repair", "mend"],
    &["car", "vehicle", "automobile"], &["job", "position", "role"],
    &["manager", "boss", "supervisor"], &["doctor", "physician"], &["kid", "child", "children"],
    &["big", "large"], &["fast", "quick", "rapid"], &["meeting", "meet", "call", "sync"],
    &["standup", "daily"], &["delete", "remove", "erase"], &["database", "db"],
    &["repository", "repo"], &["configuration", "config", "setting"], &["deploy", "ship",
        "release", "rollout", "deployment"], &["write", "author"], &["prefer", "favor", "favourite"],
    &["phone", "telephone", "mobile"], &["movie", "film"], &["reside", "live"], &["like", "enjoy"],
    &["must", "should", "need"], &["error", "failure"], &["send", "mail"], &["store", "keep",
        "save"], &["evening", "night"], &["holiday", "vacation"], &["mum", "mom", "mother"],
    &["dad", "father"], &["medication", "medicine", "drug", "tablet"], &["test", "tests"],
    &["customer", "client"], &["staff", "employee"], &["shop", "store"], &["apartment", "flat"],
    &["photo", "picture"], &["salary", "wage", "pay"], &["allergic", "allergy"],
    &["responsible", "owner", "own"], &["need", "require"], &["documentation", "docs", "doc"],
    &["pull", "pr"], &["branch", "branches"], &["production", "prod"], &["environment", "env"],
    &["hold", "host"], &["twice", "two"], &["weekly", "week"], &["monthly", "month"],
    &["owner", "ownership"], &["head", "lead", "run", "dirige", "leitet"], &["tall", "height"],
    &["coach", "trainer"], &["tutor", "teach", "teacher"], &["keep", "retain", "retention"],
    &["cost", "price", "charge"], &["old", "age", "aged", "turn"], &["ask", "request"],
    &["permit", "allow", "may"], &["refund", "money"], &["purge", "clear", "empty", "erase"],
    &["supply", "provide"], &["check", "review", "inspect"], &["bear", "birth", "born"],
    &["company", "firm"], &["launch", "live"], &["admin", "administrator"], &["ocean", "sea"],
    &["concise", "brief", "short"], &["reply", "answer"], &["secret", "credential"],
    &["die", "pass"], &["length", "last", "long"], &["weigh", "weight"], &["rent", "miete"],
    &["deliver", "delivery"], &["livrer", "livraison"], &["bicycle", "bike"], &["refuse", "reject", "deny"],
];

/// Returns true if a word is a form of a common verb.
pub(super) fn is_verb(word: &str) -> bool {
    in_stems(&VERB_STEMS, &stem_key(word)) || is_past_form(word)
}

/// Returns true if a word is the plain form of a verb, as it stands behind "to".
pub(super) fn is_plain_verb(word: &str) -> bool {
    VERBS.contains(&word)
}

/// Returns true for verbs that tell of a change of state: "switched", "moved", "renamed".
pub(super) fn is_change_verb(word: &str) -> bool {
    CHANGE_VERBS.contains(word)
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

/// Returns true if a key is the stem of a verb that tells of a state.
pub(super) fn is_state_verb(key: &str) -> bool {
    in_stems(&STATE_STEMS, key)
}

/// Returns true for nouns of activities that are logged: meals, runs, doses.
pub(super) fn is_activity(word: &str) -> bool {
    ACTIVITIES.contains(word)
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

/// Returns true if two keys are choices of one closed class: two colours, two sizes.
pub(super) fn same_choice(one: &str, other: &str) -> bool {
    static CLASSES: LazyLock<Vec<HashSet<String>>> =
        LazyLock::new(|| CHOICES.iter().map(|class| stems(class)).collect());
    one != other && CLASSES.iter().any(|class| class.contains(one) && class.contains(other))
}

type StemSet = LazyLock<HashSet<String>>;

fn in_stems(stems: &StemSet, key: &str) -> bool {
    stems.contains(key)
}

fn stems(words: &[&str]) -> HashSet<String> {
    words.iter().map(|word| stem_key(word)).collect()
}

static STATE_STEMS: StemSet = StemSet::new(|| stems(STATE_VERBS));
static MANY_VALUED_STEMS: StemSet = StemSet::new(|| stems(MANY_VALUED_VERBS));
static SINGLE_VALUED_STEMS: StemSet = StemSet::new(|| stems(SINGLE_VALUED));

static VERB_STEMS: StemSet = StemSet::new(|| stems(VERBS));

#[rustfmt::skip]
const VERBS: &[&str] = &[
    "accept", "allow", "answer", "approve", "arrive", "ask", "attend", "avoid", "begin", "belong",
    "bill", "block", "build", "buy", "cache", "call", "carry", "charge", "check", "climb", "close",
    "coach", "collect", "come", "connect", "contain", "cost", "cover", "default", "depend",
    "deploy", "drink", "drive", "earn", "eat", "end", "expire", "feed", "fly", "follow", "get",
    "give", "go", "handle", "happen", "hate", "head", "hold", "host", "include", "inject", "keep",
    "kick", "know", "last", "lead", "leave", "lend", "like", "limit", "link", "list", "listen",
    "live", "load", "log", "look", "love", "maintain", "manage", "meditate", "meet", "mentor",
    "merge", "munch", "need", "open", "owe", "own", "page", "pay", "pin", "play", "point",
    "practise", "prefer", "process", "publish", "push", "put", "reach", "read", "receive", "refill",
    "rehearse", "release", "rely", "remind", "rent", "report", "require", "reside", "respond",
    "rest", "retry", "return", "review", "ring", "rotate", "run", "save", "say", "schedule", "sell",
    "send", "serve", "set", "ship", "show", "sit", "sleep", "smoke", "speak", "spend", "start",
    "stay", "stop", "store", "study", "supply", "support", "swallow", "sync", "take", "teach",
    "tell", "text", "think", "time", "train", "travel", "try", "use", "visit", "wait", "wake",
    "walk", "want", "watch", "wear", "weld", "weigh", "work", "write",
];

#[rustfmt::skip]
static CHANGE_VERBS: WordList = WordList::new(&[
    "aplazado", "became", "become", "bumped", "cambiado", "cambió", "changed", "changes", "changé",
    "cut", "decreased", "downgraded", "déménagé", "erhöht", "extended", "gesenkt", "gewechselt",
    "geändert", "gone", "grew", "increased", "lowered", "migrated", "migré", "moved", "moves",
    "mudado", "mudó", "passé", "postponed", "promoted", "pushed", "raised", "reassigned", "reduced",
    "relocated", "renamed", "replace", "replaced", "rescheduled", "reset", "rewritten", "rose",
    "shifted", "shortened", "shrunk", "slipped", "swapped", "switched", "transferred", "trasladado",
    "umgestiegen", "umgezogen", "upgraded", "upped", "verschoben",
]);

#[rustfmt::skip]
static FOREIGN_PRESENT: WordList = WordList::new(&[
    "ahí", "allée", "allí", "aquí", "así", "bebé", "blé", "café", "carné", "chalé", "clé", "comité",
    "comté", "côté", "está", "geben", "gebeten", "gebäude", "gefallen", "gegen", "gehalt", "gehen",
    "gehört", "geld", "gemeinsam", "genannt", "genau", "geplant", "gerade", "gericht", "gesamt",
    "geschlossen", "geschäft", "gesenkt", "gesund", "getrennt", "gewechselt", "geändert",
    "geöffnet", "jamás", "porqué", "qualité", "santé", "société", "thé", "usted", "été",
]);

#[rustfmt::skip]
static FOREIGN_PAST: WordList = WordList::new(&[
    "acheté", "angerufen", "appelé", "aß", "bezahlt", "bu", "compré", "comí", "corrí", "couru",
    "dormí", "eingenommen", "envoyé", "fuhr", "gegangen", "gegessen", "gekauft", "gelaufen",
    "geschlafen", "getroffen", "getrunken", "ging", "gingen", "kam", "lief", "llamé", "mangé",
    "mis", "pagué", "payé", "pris", "rencontré", "rief", "telefoniert", "tomé", "traf", "trank",
    "vendu", "verkauft", "war", "吃", "喝", "跑",
]);

#[rustfmt::skip]
static ACTIVITIES: WordList = WordList::new(&[
    "abendessen", "almuerzo", "anruf", "appel", "besprechung", "bike", "breakfast", "brunch",
    "call", "cena", "checkup", "deploy", "desayuno", "dinner", "dose", "déjeuner", "dîner", "exam",
    "flight", "frühstück", "hike", "interview", "invoice", "jog", "jogging", "llamada", "lunch",
    "meeting", "mittagessen", "nap", "notes", "order", "release", "reunión", "ride", "run",
    "réunion", "session", "shot", "snack", "swim", "vaccination", "visit", "walk", "weigh-in",
    "workout", "yoga", "午餐", "早餐", "晚餐",
]);

/// Returns true if a key is the stem of a verb whose past form still tells of a state.
pub(super) fn is_past_state(key: &str) -> bool {
    in_stems(&PAST_STATE_STEMS, key)
}

static PAST_STATE_STEMS: StemSet = StemSet::new(|| stems(PAST_STATES));

const PAST_STATES: &[&str] = &[
    "live",
    "reside",
    "work",
    "prefer",
    "use",
    "want",
    "need",
    "know",
    "own",
    "belong",
    "base",
    "locate",
    "schedule",
    "set",
    "configure",
    "assign",
    "maintain",
    "prescribe",
    "allow",
    "enable",
    "disable",
    "limit",
    "name",
    "marry",
    "pin",
    "suppose",
    "expect",
    "require",
    "agree",
    "plan",
    "decide",
    "book",
    "cap",
    "raise",
    "hire",
    "store",
    "support",
    "share",
    "include",
    "exclude",
    "approve",
    "cancel",
    "found",
    "close",
    "open",
    "start",
];

const STATE_VERBS: &[&str] = &[
    "live",
    "reside",
    "work",
    "prefer",
    "use",
    "want",
    "need",
    "know",
    "own",
    "belong",
    "report",
    "manage",
    "run",
    "listen",
    "expire",
    "default",
    "deploy",
    "cost",
    "weigh",
    "contain",
    "require",
    "support",
    "store",
    "host",
    "base",
    "locate",
    "schedule",
    "set",
    "configure",
    "assign",
    "maintain",
    "prescribe",
    "allow",
    "enable",
    "disable",
    "limit",
    "call",
    "name",
    "marry",
    "allocate",
    "pin",
    "lead",
    "drive",
    "keep",
    "bill",
    "charge",
    "close",
    "open",
    "start",
    "end",
];

const MANY_VALUED_VERBS: &[&str] = &[
    "like",
    "love",
    "enjoy",
    "hate",
    "dislike",
    "speak",
    "know",
    "own",
    "visit",
    "buy",
    "meet",
    "eat",
    "read",
    "watch",
    "play",
    "support",
    "include",
    "contain",
    "depend",
    "learn",
    "collect",
    "allergic",
    "invite",
    "add",
    "see",
    "attend",
    "attending",
    "member",
    "participant",
    "guest",
    "skill",
    "mag",
    "gusta",
    "aime",
    "habla",
    "parle",
    "spricht",
];

#[rustfmt::skip]
const SINGLE_VALUED: &[&str] = &[
    "favorite", "preferred", "default", "primary", "main", "name", "nickname", "username", "color",
    "branch", "theme", "license", "port", "age", "birthday", "birthdate", "email", "address",
    "timezone", "version", "deadline", "timeout", "limit", "price", "salary", "budget", "phone",
    "height", "weight", "size", "capital", "hostname", "domain", "host", "url", "database",
    "language", "editor", "owner", "framework", "boss", "manager", "lead", "employer", "wife",
    "husband", "ceo", "cto", "hometown", "nationality", "interval", "threshold", "quota", "ttl",
    "region", "provider", "temperature", "prefer", "teacher", "dentist", "doctor", "landlord",
    "title", "status", "password", "bucket", "currency", "format", "policy", "strategy", "venue",
    "gate", "seat", "room", "dose", "dosage", "retention", "diet", "breed", "school", "bank",
    "plan", "tier", "runtime", "shell", "font", "keyboard", "laptop", "car",
];

#[rustfmt::skip]
const CHOICES: &[&[&str]] = &[
    &["red", "blue", "green", "yellow", "black", "white", "orange", "purple", "pink", "brown",
        "grey", "gray", "teal", "navy", "turquoise", "violet"],
    &["small", "medium", "large"], &["left", "right"], &["dark", "light"], &["tabs", "spaces"],
    &["daily", "weekly", "monthly", "yearly", "hourly", "biweekly", "quarterly"],
    &["morning", "afternoon", "evening", "noon", "night"], &["single", "married", "divorced"],
    &["vegan", "vegetarian", "pescatarian", "omnivore"], &["low", "medium", "high"],
    &["spring", "summer", "autumn", "winter"], &["north", "south", "east", "west"],
    &["squash", "rebase", "merge"], &["girl", "boy"], &["male", "female"],
    &["optin", "optout"], &["son", "daughter"], &["never", "always", "sometimes", "rarely", "often"],
    &["rot", "blau", "grün", "gelb", "schwarz", "weiß"], &["rojo", "azul", "verde", "negro"],
    &["rouge", "bleu", "vert", "noir", "blanc"], &["debug", "info", "warn", "warning", "error"],
];

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

static ROLE_VERB_STEMS: StemSet = StemSet::new(|| stems(ROLE_VERBS));

const ROLE_VERBS: &[&str] = &["maintain", "own", "lead", "manage", "head", "chair", "supervise"];

static ROLE_STEMS: StemSet = StemSet::new(|| stems(ROLES));

#[rustfmt::skip]
const ROLES: &[&str] = &[
    "coach", "teach", "teacher", "manage", "manager", "own", "owner", "maintain", "maintainer",
    "lead", "leads", "approve", "approver", "tutor", "instructor", "supervise", "supervisor",
    "responsible", "charge", "represent", "treat", "doctor", "dentist", "boss", "chef", "chefin",
    "lessons", "runs", "handle", "belong", "area", "assign", "landlord", "partner", "head",
];

#[rustfmt::skip]
static HEDGES: WordList = WordList::new(&[
    "could", "guess", "guessed", "heard", "hope", "hopes", "likely", "maybe", "might", "perhaps",
    "possibly", "probably", "rumor", "rumour", "seems", "suspect", "think", "thinks", "unsure",
    "vielleicht", "wonder", "可能", "听说",
]);
