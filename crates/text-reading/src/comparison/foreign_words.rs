//! Words of other languages than English that tell nothing of a subject beside a value: articles,
//! pronouns, particles, auxiliaries and verbs that only join a subject and its value. None of them
//! is a word of English as well.

use crate::word_list::WordList;

/// Returns true for words of other languages that tell nothing of a subject.
pub(super) fn is_foreign_filler(word: &str) -> bool {
    FOREIGN_FILLERS.contains(word)
}

#[rustfmt::skip]
static FOREIGN_FILLERS: WordList = WordList::new(&[
    "alle", "alors", "antes", "apenas", "au", "aucune", "aufs", "aura", "auront", "aux", "avec",
    "avons", "aún", "bajo", "beträgt", "bitte", "bout", "braucht", "cada", "cependant", "ces",
    "cet", "como", "cuando", "dauert", "debe", "deben", "della", "delle", "deve", "devono",
    "devrait", "doch", "doit", "doivent", "een", "ella", "elle", "elles", "ellos", "encore",
    "entonces", "erst", "esta", "este", "estoy", "está", "están", "eu", "fait", "feira", "findet",
    "foi", "geht", "gerade", "gilt", "hace", "hacemos", "haces", "heb", "hebben", "heeft", "heißt",
    "het", "hij", "hoy", "ihr", "ihre", "ik", "ils", "já", "kann", "kannst", "kommt", "können",
    "könnt", "leur", "lieu", "lui", "maar", "mais", "mehr", "mesmo", "meu", "mijn", "minha", "mio",
    "moet", "muss", "musst", "muy", "más", "même", "möchte", "möchten", "müssen", "nieuwe", "noch",
    "nossa", "nosso", "nuevo", "nur", "ons", "onze", "ormai", "où", "passe", "pero", "peut",
    "peuvent", "più", "pode", "podem", "podemos", "poder", "possono", "prevista", "previsto",
    "prévu", "prévue", "prévues", "prévus", "puede", "pueden", "può", "quando", "quanto", "quedan",
    "quel", "queremos", "quiere", "reste", "seul", "seule", "sie", "siempre", "sind", "situé",
    "située", "soll", "sollen", "sono", "sont", "sta", "stata", "stato", "statt", "stattfindet",
    "stehen", "steht", "suo", "são", "só", "také", "también", "tant", "tem", "temos", "tenemos",
    "tengo", "tiene", "tienen", "tiennent", "tient", "tinha", "tous", "toute", "trouve", "trova",
    "und", "unos", "va", "vai", "vamos", "veut", "viene", "voll", "vor", "voudrait", "weer", "werd",
    "werden", "wieder", "wij", "wird", "worden", "wordt", "würde", "zijn", "zu", "ça", "è", "é",
    "élève", "és", "будет", "был", "была", "были", "было", "в", "для", "до", "и", "к", "как", "мой",
    "моя", "мы", "на", "назначен", "назначена", "наш", "наша", "он", "она", "они", "от", "по",
    "раз", "с", "сейчас", "составляет", "стоит", "у", "уже", "это", "я",
]);
