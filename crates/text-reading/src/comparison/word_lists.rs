//! The words behind [`lexicon`](super::lexicon). Lists of the type `WordList` are in the order of
//! their first bytes.

use crate::word_list::WordList;

#[rustfmt::skip]
pub(super) const ENGLISH_WORDS: &[&str] = &[
    "the", "is", "are", "of", "and", "to", "my", "for", "with", "on", "at", "I", "we", "The", "My",
    "We", "not", "has", "from", "now",
];

#[rustfmt::skip]
pub(super) const OTHER_WORDS: &[&str] = &[
    "der", "die", "das", "und", "ist", "ein", "eine", "nicht", "mit", "el", "la", "los", "las",
    "es", "de", "que", "un", "una", "no", "le", "les", "est", "et", "du", "des", "pas", "je", "il",
    "Der", "Die", "Das", "El", "La", "Los", "Le", "Les", "Mi", "Mon", "Ma", "Je", "Ich", "Il", "O",
    "en", "se", "für", "im", "am", "ich", "wir", "nous", "on", "para", "con", "por", "Wir",
    "Mein", "Meine", "haben", "auf", "Nous", "Notre", "Nos", "Nuestro", "Nuestra",
];

/// Function words of other languages that are words or names in English.
#[rustfmt::skip]
pub(super) static NOT_ENGLISH: WordList = WordList::new(&[
    "bin", "con", "dem", "den", "des", "die", "don", "el", "era", "es", "ha", "hat", "la", "las",
    "le", "les", "los", "mais", "mal", "mes", "mi", "mit", "mon", "nun", "pas", "plus", "pour",
    "sans", "se", "sin", "solo", "son", "sur", "un", "und", "vais", "voy", "war", "y", "ya", "yo",
    "zu",
]);

#[rustfmt::skip]
pub(super) static NEGATIONS: WordList = WordList::new(&[
    "abolished", "aucun", "aucune", "banned", "cannot", "cant", "didnt", "doesnt", "dont",
    "dropped", "gar nicht", "gone", "isnt", "jamais", "kein", "keine", "keinen", "keiner", "lacks",
    "n't", "neither", "never", "ni", "nicht", "nichts", "nie", "niemals", "no", "nobody", "non",
    "none", "nor", "not", "nowhere", "nunca", "não", "ohne", "pas", "plus", "sans", "sin",
    "stopped", "tampoco", "unpaid", "wasnt", "without", "wont", "не", "нет", "不", "别", "勿", "无",
    "未", "没", "禁", "非",
]);

#[rustfmt::skip]
pub(super) static QUANTIFIERS: WordList = WordList::new(&[
    "about", "all", "alle", "allein", "almost", "always", "any", "approximately", "both", "casi",
    "chaque", "each", "every", "everyone", "exactly", "except", "few", "half", "immer", "jeden",
    "jeder", "just", "majority", "manchmal", "many", "minority", "most", "mostly", "nur", "often",
    "only", "parfois", "presque", "quasi", "rarely", "roughly", "seulement", "several", "siempre",
    "solamente", "solo", "some", "sometimes", "sólo", "todas", "todos", "toujours", "tous",
    "usually", "只", "每", "都",
]);

#[rustfmt::skip]
pub(super) static COPULAS: WordList = WordList::new(&[
    "'re", ":", "=", ">", "am", "are", "be", "being", "bin", "bist", "es", "est", "está", "is",
    "ist", "sind", "son", "sont", "soy", "suis", "è", "é", "→", "是", "：",
]);

#[rustfmt::skip]
pub(super) static PAST_COPULAS: WordList = WordList::new(&[
    "been", "era", "foram", "fue", "fueron", "war", "waren", "was", "were", "wurde", "wurden",
    "était",
]);

#[rustfmt::skip]
pub(super) static CHANGE_WORDS: WordList = WordList::new(&[
    "ab", "actually", "actualmente", "adesso", "agora", "ahora", "antes", "anymore", "anymore.",
    "atualmente", "auparavant", "corrección", "correction", "currently", "desde", "dorénavant",
    "désormais", "edit", "effective", "erreur", "finalement", "formerly", "früher", "henceforth",
    "instead", "inzwischen", "irrtum", "jetzt", "korrektur", "lately", "maintenant", "mittlerweile",
    "moment", "neuerdings", "now", "nowadays", "nun", "nunmehr", "ora", "ormai", "presently",
    "previously", "présent", "recientemente", "seit", "since", "starting", "today", "update",
    "updated", "vorher", "zwischenzeitlich", "теперь", "今", "升", "変", "変更", "延", "换", "搬", "改", "更",
    "涨", "现在", "调", "降",
]);

#[rustfmt::skip]
pub(super) static MODALS: WordList = WordList::new(&[
    "can", "compte", "could", "going", "intend", "intends", "may", "maybe", "might", "must", "need",
    "needs", "perhaps", "possibly", "should", "todo", "vais", "voy",
    "want", "wants", "werde", "werden", "will", "wird", "won't", "would", "会", "将", "要",
]);

#[rustfmt::skip]
pub(super) static WEAK_WORDS: WordList = WordList::new(&[
    "ma", "mein", "meine", "mi", "mon", "my", "notre", "nuestra", "nuestro", "our", "ours", "unser",
    "unsere", "的",
]);

#[rustfmt::skip]
pub(super) static PREPOSITIONS: WordList = WordList::new(&[
    "a", "above", "across", "after", "against", "al", "among", "around", "as", "at", "auf", "aus",
    "avant", "before", "behind", "bei", "below", "beside", "between", "beyond", "bis", "by", "chez",
    "con", "dal", "dans", "de", "desde", "después", "durch", "during", "em", "en", "for", "from",
    "für", "gegen", "hacia", "hasta", "im", "in", "inside", "into", "mit", "na", "nach", "near",
    "nel", "of", "off", "on", "onto", "out", "outside", "over", "para", "past", "per", "por",
    "pour", "sobre", "sur", "through", "throughout", "to", "toward", "towards", "um", "under",
    "unter", "until", "upon", "via", "von", "vor", "with", "within", "zu", "à", "über",
]);

/// Returns true for a preposition.
pub(crate) fn is_preposition(term: &str) -> bool {
    PREPOSITIONS.contains(term)
}

#[rustfmt::skip]
pub(super) static DROPPED: WordList = WordList::new(&[
    "already", "also", "an", "and", "avons", "basically", "beim", "bitte", "c", "c'", "d", "d'",
    "das", "dass", "days", "del", "dem", "den", "der", "des", "did", "die", "do", "does", "don",
    "doña", "dr", "du", "ein", "eine", "einem", "einen", "einer", "el", "et", "exactly", "frau",
    "fyi", "got", "ha", "habe", "haben", "had", "has", "hat", "have", "hemos", "herr", "herrn",
    "indeed", "it", "its", "j", "l", "l'", "la", "las", "le", "les", "lo", "los", "m", "m'", "miss",
    "mr", "mrs", "ms", "n", "n'", "ne", "note", "ok", "okay", "old", "please", "please,", "prof",
    "qu", "qu'", "que", "qui", "quien", "really", "remember", "reminder", "s", "s'", "said", "says",
    "se", "señor", "señora", "sharp", "sich", "so", "still", "thank", "thanks", "that", "the",
    "then", "there", "these", "this", "those", "too", "un", "una", "und", "une", "very", "vom",
    "well", "which", "whom", "y", "yes", "you", "your", "zum", "zur", "了", "吗", "吧", "呢", "啊", "已",
    "经",
]);

#[rustfmt::skip]
pub(super) static PARTICIPLE_NOUNS: WordList = WordList::new(&[
    "allowed", "based", "called", "embed", "exceed", "feed", "hundred", "indeed", "located",
    "married", "named", "need", "preferred", "required", "seed", "speed", "supposed", "united",
    "weed",
]);

#[rustfmt::skip]
pub(super) const IRREGULAR_PAST: &[(&str, &str)] = &[
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
    ("learnt", "learn"), ("burnt", "burn"), ("spelt", "spell"), ("won", "win"), ("wore", "wear"),
    ("wrote", "write"), ("written", "write"), ("led", "lead"), ("borrowed", "borrow"),
    ("caught", "catch"), ("drew", "draw"), ("dug", "dig"), ("fed", "feed"), ("fought", "fight"),
    ("forgot", "forget"), ("froze", "freeze"), ("hid", "hide"), ("rang", "ring"),
    ("shook", "shake"), ("shot", "shoot"), ("stole", "steal"), ("swept", "sweep"),
    ("tore", "tear"), ("struck", "strike"), ("withdrew", "withdraw"), ("blew", "blow"),
    ("bit", "bite"), ("beat", "beat"), ("dealt", "deal"), ("fled", "flee"), ("laid", "lay"),
    ("overslept", "oversleep"), ("sank", "sink"),
];

#[rustfmt::skip]
pub(super) const ANTONYMS: &[(&str, &str)] = &[
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
    ("agreed", "rejected"), ("agreed", "refused"), ("agreed", "disagreed"), ("settled",
    "outstanding"), ("bien", "mal"), ("gratuit", "payant"),
    ("good", "bad"), ("alive", "dead"), ("willing", "refuses"), ("green", "red"),
    ("eingeschaltet", "ausgeschaltet"), ("activo", "inactivo"), ("aktiv", "inaktiv"), ("optin",
    "optout"), ("gut", "schlecht"), ("free", "paid"), ("include", "exclude"),
    ("welcome", "banned"), ("включены", "отключены"), ("necesario", "innecesario"),
    ("cheap", "expensive"), ("easy", "hard"), ("hot", "cold"), ("working", "broken"),
    ("works", "broken"), ("strict", "lenient"), ("manual", "automatic"), ("won", "lost"),
    ("mandatory", "voluntary"), ("开", "关"), ("启", "禁"),
    ("gained", "lost"), ("win", "lose"), ("remember", "forget"), ("present", "absent"),
];

#[rustfmt::skip]
pub(super) const SYNONYMS: &[&[&str]] = &[
    &["begin", "start", "commence", "kick", "open"], &["end", "finish", "conclude", "close"],
    &["buy", "purchase"], &["use", "utilize", "employ", "rely"], &["fix", "repair", "mend"],
    &["car", "vehicle", "automobile"], &["job", "position", "role"],
    &["manager", "boss", "supervisor", "chief", "chef", "cheffe",
        "chefin", "jefe", "jefa", "head", "lead", "leader", "run", "dirige", "leitet", "leiter",
        "leiterin", "responsable", "gère", "lleva", "encabeza", "cuida", "zuständig",
        "verantwortlich", "encarga", "encargado", "encargada", "occupe"],
    &["director", "directora", "directeur", "directrice"], &["lawyer", "counsel", "attorney"],
    &["hausarzt", "hausärztin"], &["zahnarzt", "zahnärztin"], &["doctor", "physician"],
    &["kid", "child", "children"],
    &["big", "large"], &["fast", "quick", "rapid"], &["meeting", "meet", "call", "sync"],
    &["production", "prod"], &["standup", "daily"], &["delete", "remove", "erase"],
    &["database", "db"],
    &["repository", "repo"], &["configuration", "config", "setting"], &["deploy", "ship",
        "release", "rollout", "deployment"], &["write", "author"], &["prefer", "favor",
        "favourite"],
    &["phone", "telephone", "mobile"], &["movie", "film"], &["reside", "live"], &["like", "enjoy"],
    &["must", "should", "need"], &["error", "failure"], &["send", "mail"], &["store", "keep",
        "save"], &["evening", "night"], &["holiday", "vacation"], &["mum", "mom", "mother"],
    &["grandma", "grandmother", "granny", "gran"], &["grandpa", "grandfather", "grandad"],
    &["dad", "father"], &["medication", "medicine", "drug", "tablet"], &["test", "tests"],
    &["customer", "client"], &["staff", "employee"], &["shop", "store"], &["apartment", "flat"],
    &["photo", "picture"], &["salary", "wage", "pay"], &["allergic", "allergy"],
    &["responsible", "owner", "own", "ownership", "belong", "handle", "maintain", "maintainer"],
    &["deadline", "due"], &["need", "require"],
    &["documentation", "docs", "doc"],
    &["pull", "pr"], &["branch", "branches"], &["production", "prod"], &["environment", "env"],
    &["hold", "host"], &["twice", "two"], &["weekly", "week"], &["monthly", "month"],
    &["expire", "expiry", "expiration", "lifetime", "ttl", "valid"], &["tall", "height"],
    &["coach", "trainer"], &["tutor", "teach", "teacher"], &["keep", "retain", "retention"],
    &["cost", "price", "charge", "rate", "fee"], &["old", "age", "aged", "turn"],
    &["ask", "request", "req"],
    &["permit", "allow", "may"], &["refund", "money"], &["purge", "clear", "empty", "erase"],
    &["supply", "provide"], &["check", "review", "inspect"], &["bear", "birth", "born"],
    &["company", "firm"], &["launch", "live"], &["admin", "administrator"], &["ocean", "sea"],
    &["concise", "brief", "short"], &["reply", "answer"], &["secret", "credential"],
    &["die", "pass"], &["length", "last", "long"], &["weigh", "weight"], &["rent", "miete"],
    &["fly", "flight"], &["arrive", "arrival"],
    &["deliver", "delivery"], &["livrer", "livraison"], &["bicycle", "bike"], &["refuse", "reject",
    "deny"],
];

#[rustfmt::skip]
pub(super) const VERBS: &[&str] = &[
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

/// Nouns of what is measured again and again; a note of one with a number is one measurement.
#[rustfmt::skip]
pub(super) static MEASUREMENTS: WordList = WordList::new(&[
    "blutdruck", "blutzucker", "bodyweight", "calories", "carbs", "cholesterol", "fever", "fieber",
    "fiebre", "fièvre", "gewicht", "glucosa", "glucose", "glycémie", "heartrate", "hrv", "humeur",
    "ketones", "meter", "mileage", "mood", "odometer", "pain", "pas", "pasos", "peso", "poids",
    "pouls", "presión", "pressure", "protein", "puls", "pulse", "pulso", "reading", "schlaf",
    "schritte", "sleep", "sommeil", "spo2", "steps", "stimmung", "sueño", "sugar", "temperature",
    "tension", "weight", "体温", "体重", "步数", "血压", "血糖",
]);

#[rustfmt::skip]
pub(super) static ROUTINE_PAST: WordList = WordList::new(&[
    "ate", "biked", "cooked", "cycled", "drank", "hiked", "jogged", "meditated", "practiced",
    "practised", "ran", "rowed", "slept", "swam", "took", "trained", "walked", "watered", "weighed",
]);

#[rustfmt::skip]
pub(super) static FOREIGN_PRESENT: WordList = WordList::new(&[
    "ahí", "allée", "allí", "aquí", "así", "bebé", "blé", "café", "carné", "chalé", "clé", "comité",
    "comté", "côté", "está", "geben", "gebeten", "gebäude", "gefallen", "gegen", "gehalt", "gehen",
    "gehört", "geld", "gemeinsam", "genannt", "genau", "geplant", "gerade", "gericht", "gesamt",
    "geschlossen", "geschäft", "gesenkt", "gesund", "getrennt", "gewechselt", "geändert",
    "geöffnet", "jamás", "porqué", "qualité", "santé", "société", "thé", "usted", "été",
]);

#[rustfmt::skip]
pub(super) static FOREIGN_PAST: WordList = WordList::new(&[
    "acheté", "angerufen", "appelé", "aß", "bezahlt", "bu", "compré", "comí", "corrí", "couru",
    "dormí", "eingenommen", "envoyé", "estuve", "estuvimos", "fuhr", "fui", "fuimos", "gegangen",
    "gegessen", "gekauft", "gelaufen", "geschlafen", "getroffen", "getrunken", "ging", "gingen",
    "hice", "hicimos", "kam", "lief", "llamé", "mangé", "mis", "pagué", "payé", "pris", "puse",
    "rencontré", "rief", "telefoniert", "tomé", "traf", "trank", "tuve", "tuvimos", "vendu",
    "verkauft", "vimos", "vine", "vino", "war", "吃", "喝", "跑",
]);

#[rustfmt::skip]
pub(super) static ACTIVITIES: WordList = WordList::new(&[
    "abendessen", "achat", "almuerzo", "anruf", "appel", "appointment", "arzttermin", "atelier",
    "bench", "besprechung", "bike", "breakfast", "brunch", "call", "carrera", "cena", "checkup",
    "cita", "compra", "concert", "course", "deadlift", "delivery", "deploy", "desayuno", "dinner",
    "dose", "déjeuner", "dîner", "einkauf", "entraînement", "entrenamiento", "exam", "flight",
    "frühstück", "fuel", "game", "groceries", "haircut", "hike", "incident", "inspection",
    "interview", "invoice", "jog", "jogging", "laufen", "llamada", "lunch", "massage", "match",
    "meeting", "meetup", "mittagessen", "nap", "notes", "order", "outage", "partido", "petrol",
    "purchase", "race", "rehearsal", "release", "rendez-vous", "repair", "retro", "reunión", "ride",
    "run", "réunion", "schulung", "seminar", "session", "shot", "snack", "spaziergang", "squat",
    "squats", "swim", "taller", "tournament", "training", "trip", "vaccination", "visit", "walk",
    "webinar", "weigh-in", "workout", "workshop", "yoga", "午餐", "午饭", "早餐", "早饭", "晚餐", "晚饭",
]);

#[rustfmt::skip]
pub(super) const PAST_STATES: &[&str] = &[
    "live", "reside", "work", "prefer", "use", "want", "need", "know", "own", "belong", "base",
    "locate", "schedule", "set", "configure", "assign", "maintain", "prescribe", "allow", "enable",
    "disable", "limit", "name", "marry", "pin", "suppose", "expect", "require", "agree", "plan",
    "decide", "book", "cap", "raise", "hire", "store", "support", "share", "include", "exclude",
    "approve", "cancel", "found", "close", "open", "start",
];

#[rustfmt::skip]
pub(super) const STATE_VERBS: &[&str] = &[
    "live", "reside", "work", "prefer", "use", "want", "need", "know", "own", "belong", "report",
    "manage", "run", "listen", "expire", "default", "deploy", "cost", "weigh", "contain", "require",
    "support", "store", "host", "base", "locate", "schedule", "set", "configure", "assign",
    "maintain", "prescribe", "allow", "enable", "disable", "limit", "call", "name", "marry",
    "allocate", "pin", "lead", "drive", "keep", "bill", "charge", "close", "open", "start", "end",
];

#[rustfmt::skip]
pub(super) const MANY_VALUED_VERBS: &[&str] = &[
    "add", "aime", "allergic", "attend", "attending", "buy", "collect", "contain", "depend",
    "dislike", "eat", "enjoy", "fala", "falo", "guest", "gusta", "habla", "hablo", "hate", "hobby",
    "include", "interest", "invite", "know", "learn", "like", "love", "mag", "meet", "member",
    "own", "parla", "parle", "parlo", "parlons", "participant", "play", "read", "see", "skill",
    "speak", "spreche", "spricht", "support", "visit", "watch",
];

#[rustfmt::skip]
pub(super) const SINGLE_VALUED: &[&str] = &[
    "favorite", "preferred", "default", "primary", "main", "name", "nickname", "username", "color",
    "branch", "theme", "license", "port", "age", "birthday", "birthdate", "email", "address",
    "timezone", "version", "deadline", "timeout", "limit", "price", "salary", "budget", "phone",
    "height", "weight", "size", "capital", "hostname", "domain", "host", "url", "database",
    "language", "editor", "owner", "framework", "boss", "manager", "lead", "employer", "wife",
    "husband", "ceo", "cto", "hometown", "nationality", "interval", "threshold", "quota", "ttl",
    "region", "provider", "temperature", "prefer", "teacher", "dentist", "doctor", "landlord",
    "title", "status", "password", "bucket", "currency", "format", "policy", "strategy", "venue",
    "gate", "seat", "room", "dose", "dosage", "retention", "diet", "breed", "school", "bank",
    "plan", "tier", "runtime", "shell", "font", "keyboard", "laptop", "car", "allowance", "rate",
    "fee", "rent", "level", "code", "pin", "mascot", "logo", "slogan", "motto", "location",
    "destination", "topic", "schedule", "platform", "stack", "engine", "backend", "registry",
    "mirror", "cluster", "namespace", "image", "milestone", "goal", "priority", "stage", "phase",
    "mode", "channel", "route", "flavor", "dish", "supplier", "vendor", "carrier", "insurer",
    "insurance", "model", "orm", "target", "ceiling", "floor", "cap", "minimum", "maximum", "max",
    "min", "duration", "lifetime", "expiry", "expiration", "frequency", "cadence", "headcount",
    "capacity", "coverage", "distance", "speed", "latitude", "longitude", "altitude", "zip",
    "postcode", "extension", "iban", "account", "balance", "mortgage", "bloodtype", "religion",
    "degree", "major", "profession", "occupation", "job", "position", "residence", "birthplace",
    "citizenship", "gender", "pronoun", "pronouns", "surname", "hairdresser", "barber", "gym",
    "pharmacy", "supermarket", "airline", "hotel", "airport", "terminal", "track", "itinerary",
    "wifi", "ssid", "router", "printer", "monitor", "browser", "searchengine", "os", "compiler",
    "linter", "formatter", "bundler", "packager", "template", "encoding", "charset", "locale",
    "alias", "endpoint", "baseurl", "webhook", "queue", "index", "shard", "replica", "workspace",
    "tenant", "environment", "cron", "replication", "cachesize", "poolsize", "batchsize", "workers",
    "concurrency", "parallelism", "retries", "backoff", "loglevel", "verbosity", "encryption",
    "algorithm", "hash", "cipher", "protocol", "scheme", "quorum", "majority", "agenda", "chairman",
    "subscription", "thermostat", "setpoint", "lieblingsfarbe", "wohnort", "adresse",
    "telefonnummer", "geburtstag", "passwort", "arbeitgeber", "gehalt", "miete", "preis", "frist",
    "standort", "sprache", "farbe", "ort", "termin", "lautstärke", "dirección", "teléfono",
    "contraseña", "cumpleaños", "sueldo", "alquiler", "precio", "plazo", "puerto", "versión",
    "idioma", "nombre", "cumpleanos", "téléphone", "anniversaire", "salaire", "loyer", "prix",
    "délai", "langue", "couleur", "nom", "seuil", "length", "width", "linelength", "favorito",
    "favorita", "favoritos", "favoritas", "preferido", "preferida", "predilecto", "favori",
    "préféré", "préférée", "preferito", "preferita", "preferiti", "lieblingsessen", "lieblingsfilm",
    "lieblingsbuch", "lieblingsband", "lieblingslied", "lieblingsfach", "lieblingsort",
    "lieblingsverein", "lieblingssport", "lieblingsserie", "lieblingsspiel", "lieblingstier",
    "lieblingsrestaurant", "lieblingsautor", "lieblingsautorin", "lieblingsgericht", "kontonummer",
    "kennwort", "postleitzahl", "hausnummer", "schuhgröße", "blutgruppe", "versicherung",
    "krankenkasse", "hausbank", "stromanbieter", "anbieter", "lieferant", "betreiber",
    "zahlungsziel", "kündigungsfrist", "tagessatz", "stundensatz", "stundenlohn", "steuersatz",
    "mindestalter", "höchstalter", "obergrenze", "untergrenze", "zeitzone", "schwellenwert",
    "zielgruppe", "startzeit", "abfahrtszeit", "stellplatz", "zimmernummer", "spitzname", "beruf",
    "talla", "apodo", "profesión", "oficio", "matrícula", "domicilio", "correo", "aula", "sede",
    "tarifa", "cuota", "proveedor", "aseguradora", "banco", "compañía", "umbral", "límite", "tope",
    "frecuencia", "intervalo", "moneda", "pointure", "surnom", "métier", "immatriculation",
    "domicile", "courriel", "fournisseur", "assureur", "banque", "plafond", "fréquence",
    "fuseau", "mutuelle", "forfait", "tarif",
];

#[rustfmt::skip]
pub(super) static HEDGES: WordList = WordList::new(&[
    "could", "guess", "guessed", "heard", "hope", "hopes", "likely", "maybe", "might", "perhaps",
    "possibly", "probably", "rumor", "rumour", "seems", "suspect", "think", "thinks", "unsure",
    "vielleicht", "wonder", "可能", "听说",
]);

/// Words that tell nothing of a subject.
#[rustfmt::skip]
pub(super) static FILLERS: WordList = WordList::new(&[
    "accesible", "accessible", "according", "actual", "actuel", "actuelle", "again", "aktuelle",
    "aktuellen", "aktueller", "almost", "amount", "back", "casi", "current", "currently", "curso",
    "derzeit", "directly", "doch", "down", "einmal", "en", "erst", "everywhere", "exactly",
    "finally", "find", "firma", "forward", "found", "fresh", "fully", "gerade", "kind", "latest",
    "moment", "neue", "neuen", "neuer", "neues", "new", "newest", "next", "noch", "normally",
    "nouveau", "nouvelle", "nueva", "nuevo", "number", "official", "one", "ones", "out", "own",
    "part", "place", "por", "présent", "rather", "raus", "rolled", "rollout", "same", "statt",
    "thing", "things", "today", "total", "turn", "turns", "up", "value", "way", "yet", "à-présent",
    "一", "下", "个", "为", "也", "了", "从", "们", "共", "到", "和", "在", "就", "成", "把", "有", "现", "用", "由",
    "的", "给", "至", "被", "设", "跑", "这", "部",
]);

/// Verbs that only join a subject and its value.
#[rustfmt::skip]
pub(super) const LIGHT_VERBS: &[&str] = &[
    "abgerechnet", "arranca", "begin", "belong", "beträgt", "cojo", "configure", "cost", "coûte",
    "cuesta", "deploy", "démarre", "ejecuta", "enforce", "enroll", "expect", "fahre", "findet",
    "fire", "gehe", "get", "gilt", "go", "happen", "have", "heißt", "hold", "host", "join", "kick",
    "kostet", "lance", "lie", "liegt", "live", "läuft", "nehme", "nutzen", "passe", "plan",
    "prends", "process", "provide", "publish", "queda", "roll", "run", "sale", "schedule",
    "schreiben", "set", "sit", "staff", "stand", "start", "startet", "stay", "steht", "store",
    "supply", "take", "tomo", "tourne", "trigger", "usa", "usamos", "use", "utilise", "vais",
    "verwenden", "voy", "work",
];

/// Stretches of time.
#[rustfmt::skip]
pub(super) static PERIODS: WordList = WordList::new(&[
    "afternoon", "année", "autumn", "año", "day", "evening", "fall", "jahr", "mes", "mois", "monat",
    "month", "months", "morning", "night", "quarter", "season", "semaine", "semana", "semester",
    "spring", "sprint", "summer", "term", "today", "week", "weekend", "weeks", "winter", "woche",
    "year", "years",
]);

/// Words that place a stretch of time.
#[rustfmt::skip]
pub(super) static RELATIVES: WordList = WordList::new(&[
    "ce", "cette", "coming", "dernier", "dernière", "diesen", "este", "following", "last", "letzte",
    "letzten", "letzter", "next", "nächste", "nächsten", "pasado", "past", "prochain", "prochaine",
    "próximo", "this",
]);

/// Words before the day on which something began.
#[rustfmt::skip]
pub(super) static PERIOD_OPENERS: WordList = WordList::new(&[
    "ab", "beginning", "depuis", "desde", "effective", "from", "seit", "since", "starting",
]);

/// Words that open a reason.
#[rustfmt::skip]
pub(super) static REASON_WORDS: WordList = WordList::new(&[
    "because", "da", "denn", "due", "owing", "parce", "porque", "thanks", "weil",
]);

/// Irregular participles.
#[rustfmt::skip]
pub(super) static PARTICIPLES: WordList = WordList::new(&[
    "bound", "built", "chosen", "cut", "done", "drawn", "driven", "given", "grown", "held", "kept",
    "led", "made", "met", "paid", "read", "rebuilt", "rewritten", "sent", "shown", "shut", "taken",
    "thrown", "written",
]);

/// Function words of German that no other language has.
#[rustfmt::skip]
pub(super) static GERMAN_WORDS: WordList = WordList::new(&[
    "auf", "bei", "beträgt", "das", "dem", "der", "ein", "eine", "einen", "euro", "für", "ich",
    "im", "ist", "jetzt", "läuft", "mein", "meine", "mit", "nach", "nicht", "seit", "sind", "uhr",
    "und", "unser", "unsere", "wir", "wird", "wurde", "zum", "zur",
]);

/// Verbs of moving house.
#[rustfmt::skip]
pub(super) static MOVE_VERBS: WordList = WordList::new(&[
    "déménagé", "gezogen", "moved", "mudado", "mudamos", "mudé", "mudó", "relocated", "trasferita",
    "trasferito", "trasladado", "trasladé", "trasladó", "umgezogen", "搬",
]);

/// Verbs behind which one place, means or company is named at a time.
#[rustfmt::skip]
pub(super) const STAYING_VERBS: &[&str] = &[
    "bank", "belong", "commute", "default", "deploy", "hang", "keep", "land", "listen", "live",
    "meet", "park", "point", "report", "reside", "rest", "run", "sit", "sleep", "stand", "start",
    "stay", "store", "study", "work",
];
