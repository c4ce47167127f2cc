//! Verbs by what they say of their subject: where it is, with which tool it is made, what it took
//! the place of; and forms that can be nothing but a verb.

use super::lexicon::{StemSet, in_stems, is_light_verb, is_staying_verb, stems};
use crate::word_list::WordList;

/// Returns true if a key is the stem of a verb for which one tool is used: "deploy with Ansible".
pub(super) fn is_tool_verb(key: &str) -> bool {
    in_stems(&TOOL_STEMS, key)
}

static TOOL_STEMS: StemSet = StemSet::new(|| {
    stems(&[
        "build",
        "bundle",
        "compile",
        "deploy",
        "format",
        "host",
        "lint",
        "monitor",
        "package",
        "provision",
        "sign",
        "test",
        "track",
    ])
});

/// Returns true if a key is the stem of a verb that says little beside an attribute: "we go to …",
/// "is allowed".
pub(super) fn says_little(key: &str) -> bool {
    is_light_verb(key) || matches!(key, "go" | "see" | "visit" | "permit" | "do" | "mak" | "say")
}

/// Returns true for verbs that only say where something is: "keep", "lock".
pub(super) fn is_placing_verb(key: &str) -> bool {
    is_staying_verb(key) || matches!(key, "lock" | "lie" | "put" | "leav" | "kept" | "launch")
}

/// Returns true for forms of verbs that are no plural of a noun: "leaves", "gets".
pub(super) fn is_finite_only(word: &str) -> bool {
    matches!(
        word,
        "leaves"
            | "gets"
            | "goes"
            | "takes"
            | "arrives"
            | "begins"
            | "runs"
            | "has"
            | "keeps"
            | "lives"
            | "opens"
            | "closes"
            | "pays"
            | "expires"
            | "requires"
            | "belongs"
            | "costs"
    )
}

/// Returns true for verbs whose past form is the plain form: "the visit cost 80 euros".
pub(super) fn is_invariant_verb(word: &str) -> bool {
    matches!(word, "beat" | "cost" | "cut" | "hit" | "put" | "quit" | "read" | "set" | "shut")
}

/// Returns true for verbs of other languages that stand in the present.
pub(super) fn is_foreign_verb(word: &str) -> bool {
    FOREIGN_VERBS.contains(word)
}

/// Returns true for verbs of putting one thing in the place of another.
pub(super) fn is_replacement(word: &str) -> bool {
    matches!(word, "replaced" | "swapped" | "traded" | "exchanged" | "ersetzt" | "ausgetauscht")
        || matches!(word, "sustituido" | "cambiado" | "remplacé" | "remplacée")
}

/// Returns true for verbs of giving another name.
pub(super) fn is_rename(word: &str) -> bool {
    matches!(
        word,
        "renamed" | "rebranded" | "retitled" | "umbenannt" | "renombrado" | "renommé" | "renommée"
    )
}

/// Verbs of other languages in the present.
#[rustfmt::skip]
static FOREIGN_VERBS: WordList = WordList::new(&[
    "abre", "acaba", "accueille", "achetons", "achète", "acoge", "alberga", "almacena",
    "almacenamos", "almacenan", "appelle", "apprend", "approuve", "aprueba", "aprueban", "arbeite",
    "arbeiten", "arbeitet", "arrive", "asiste", "atiende", "bebe", "bebo", "beginnt", "bekommt",
    "benötigen", "benötigt", "bestellen", "bestellt", "betreibt", "betreut", "beträgt", "bezahlen",
    "boit", "bringt", "bucht", "caduca", "calienta", "cierra", "cobra", "cobran", "commandons",
    "commence", "commencent", "compramos", "compro", "conduce", "conduis", "conduzco", "conserva",
    "conservan", "conservons", "coûte", "coûtent", "cuesta", "cuestan", "dauern", "dauert",
    "desayuna", "desayuno", "desplegamos", "despliega", "dirigent", "dors", "duerme", "duermo",
    "dure", "durent", "dépense", "déploie", "déployons", "dîne", "dînons", "empfängt", "empieza",
    "empiezan", "encadre", "endet", "enseigne", "entra", "entrena", "envoie", "envoyons",
    "erfordert", "erhält", "escribimos", "escucha", "estudia", "exige", "exigen", "expira",
    "expirent", "facturamos", "facturons", "fahre", "fahren", "finit", "fliegt", "funciona",
    "fährt", "gagne", "gana", "gehe", "geht", "gestiona", "gilt", "guarda", "guardamos", "guardan",
    "gère", "gèrent", "habite", "habitons", "hay", "heiße", "heißt", "hilft", "hält", "héberge",
    "hébergeons", "hört", "imparte", "incluye", "joggt", "joue", "jouent", "juega", "kaufe",
    "kaufen", "kauft", "kochen", "kocht", "kostet", "laufe", "leitet", "lerne", "lernt", "lidera",
    "liefern", "liefert", "liegt", "liest", "livrons", "llega", "llegan", "lleva", "loge", "läuft",
    "mache", "machen", "macht", "mange", "mangeons", "mide", "mido", "mietet", "misst", "necesita",
    "nehme", "nettoie", "nimmt", "nutze", "nutzen", "nutzt", "ofrece", "ouvre", "ouvrent", "paga",
    "pagamos", "pagan", "paie", "paient", "parke", "parkt", "pasea", "paye", "payons", "permet",
    "permite", "pesa", "prefiere", "prefiero", "prend", "prends", "probt", "préfère", "préfères",
    "publicamos", "publie", "publions", "putzt", "pèse", "recibe", "reciben", "recoge", "reitet",
    "requiere", "requiert", "respalda", "reçoit", "reçoivent", "roule", "sale", "schicken",
    "schickt", "schließt", "schläft", "schreibt", "schwimmt", "singt", "sirve", "speichern",
    "speichert", "spiele", "spielen", "spielt", "spricht", "startet", "steht", "stocke", "stockons",
    "studiert", "supervisa", "tarda", "termina", "terminan", "toma", "toman", "tomo", "tourne",
    "tournent", "trabaja", "trabajamos", "trabajan", "tragen", "trainiere", "trainiert",
    "travaille", "travaillent", "travaillons", "trinke", "trinken", "trinkt", "trägt", "turnt",
    "unterrichtet", "usa", "usamos", "utilise", "utilisent", "utilisons", "utiliza", "utilizamos",
    "vale", "vence", "vend", "vende", "vendemos", "vendons", "verdiene", "verdient", "verlangt",
    "verwaltet", "verwenden", "verwendet", "viaja", "vive", "vivimos", "vivo", "vérifie", "wiege",
    "wiegt", "wohne", "wohnen", "wohnt", "zahle", "zahlen", "zahlt", "zieht", "étudie", "étudient",
    "öffnet",
]);
