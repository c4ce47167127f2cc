//! Families of words that name one attribute as a noun, a verb or an adjective: "bedtime" and "in
//! bed", "lands" and "arrival", "limit" and "maximum". Most words have other meanings as well, so
//! that a family counts only beside a value that it can have: "arrives" beside a time of day.

use super::lexicon::key_of;
use super::values::{self, ValueType};
use foldhash::HashMap;
use std::sync::LazyLock;

/// Set of families, one bit each.
pub(super) type FamilySet = u128;

/// Kinds of values, one bit each.
pub(super) mod measure {
    pub const CLOCK: u8 = 1;
    pub const DAY: u8 = 1 << 1;
    pub const MONEY: u8 = 1 << 2;
    /// A stretch of time.
    pub const SPAN: u8 = 1 << 3;
    /// A number, alone or with a unit that is neither money nor time.
    pub const AMOUNT: u8 = 1 << 4;
    pub const OFTEN: u8 = 1 << 5;
    pub const VERSION: u8 = 1 << 6;
    /// A name, or one of several choices.
    pub const NAME: u8 = 1 << 7;
}

use measure::{AMOUNT, CLOCK, DAY, MONEY, NAME, OFTEN, SPAN, VERSION};

/// Returns the kinds of a value.
pub(super) fn measures_of(kind: ValueType, key: &str) -> u8 {
    let unit = key.split_once(' ').map_or("", |(_, unit)| unit);
    match kind {
        ValueType::TimeOfDay => CLOCK,
        ValueType::Date | ValueType::Weekday => DAY,
        ValueType::Frequency => OFTEN,
        ValueType::Version => VERSION,
        ValueType::Identifier => NAME,
        ValueType::Quantity if values::is_currency(unit) => MONEY,
        ValueType::Quantity if unit.is_empty() => MONEY | AMOUNT | VERSION,
        ValueType::Quantity if matches!(unit, "s" | "day" | "month" | "workday") => SPAN,
        ValueType::Quantity => AMOUNT,
    }
}

/// Returns the families of a key beside values of these kinds.
pub(super) fn families_of(key: &str, measures: u8) -> FamilySet {
    static BY_KEY: LazyLock<HashMap<String, Vec<(u8, FamilySet)>>> = LazyLock::new(|| {
        let mut by_key: HashMap<String, Vec<(u8, FamilySet)>> = HashMap::default();
        for (number, (measures, words)) in FAMILIES.iter().enumerate() {
            for word in *words {
                by_key.entry(key_of(word)).or_default().push((*measures, 1 << number));
            }
        }
        by_key
    });
    let known = BY_KEY.get(key).map_or(&[][..], |families| &families[..]);
    let fits = |(kinds, _): &&(u8, FamilySet)| kinds & measures != 0;
    known.iter().filter(fits).fold(0, |set, (_, family)| set | family)
}

// One bit each.
const _: () = assert!(FAMILIES.len() <= 128);

#[rustfmt::skip]
const FAMILIES: &[(u8, &[&str])] = &[
    // Times and days.
    (CLOCK | DAY, &["start", "begin", "commence", "kick", "kickoff", "open", "opening", "launch",
        "beginnt", "beginn", "startet", "los", "empieza", "empezar", "comienza", "inicio",
        "commence", "début", "démarre", "inizia", "comincia", "começa"]),
    (CLOCK | DAY, &["end", "finish", "conclude", "close", "closing", "wrap", "stop", "endet",
        "ende", "schließt", "termina", "acaba", "cierra", "finit", "ferme", "termine", "fin"]),
    (CLOCK | DAY, &["arrive", "arrival", "land", "landing", "touchdown", "eta",
        "ankunft", "landet", "ankommt", "llega", "llegada", "aterriza", "arrivée", "atterrit"]),
    (CLOCK | DAY, &["flight", "plane", "vuelo", "avión", "flug", "flugzeug", "vol", "avion"]),
    (CLOCK | DAY, &["depart", "departure", "leave", "takeoff", "abfahrt",
        "abflug", "fliegt", "salida", "sale", "despega", "départ", "part", "décolle", "parte"]),
    (CLOCK, &["bed", "bedtime", "sleep", "asleep", "lights", "schlafenszeit", "bett", "schlafen",
        "acuesto", "acuesta", "acostarse", "dormir", "couche", "coucher", "lit"]),
    (CLOCK, &["wake", "alarm", "rise", "wakeup", "wecker", "aufstehen", "stehe", "klingelt",
        "levanto", "levanta", "despertador", "lève", "réveil"]),
    (CLOCK, &["dinner", "supper", "dine", "eat", "abendessen", "cena", "cenamos", "cenar", "dîner",
        "dînons", "jantar"]),
    (CLOCK, &["lunch", "eat", "mittagessen", "almuerzo", "comemos", "déjeuner"]),
    (CLOCK, &["breakfast", "eat", "frühstück", "frühstücken", "desayuno", "desayunamos"]),
    (CLOCK | DAY, &["pick", "pickup", "collect", "collection", "fetch", "abholen", "abholung",
        "abgeholt", "recoger", "recogida"]),
    (CLOCK | DAY | OFTEN | SPAN, &["deliver", "delivery", "bring", "ship", "shipping", "liefern",
        "lieferung", "geliefert", "liefert", "entrega", "entregan", "entregamos", "livraison",
        "livrer", "livrons", "consegna"]),
    (CLOCK | DAY | SPAN, &["store", "shop", "hours", "open", "opening", "öffnungszeiten",
        "geöffnet", "horario", "abre", "horaires", "ouvre"]),
    (DAY | OFTEN | SPAN, &["bill", "billing", "invoice", "invoicing", "rechnung", "rechnungen",
        "abrechnung", "factura", "facturas", "facturamos", "facture", "factures", "facturons"]),
    (DAY, &["payday", "salary", "wages", "payroll", "paid", "pay", "gehalt", "nómina", "salaire",
        "paie"]),
    (DAY, &["wedding", "marry", "married", "hochzeit", "heiraten", "heiratet", "boda", "casan",
        "casa", "mariage", "marient", "marie"]),
    (DAY, &["birthday", "birth", "born", "birthdate", "geburtstag", "geboren", "cumpleaños",
        "nació", "anniversaire", "née"]),
    (DAY | CLOCK, &["due", "deadline", "submit", "submission", "hand", "handin", "cutoff",
        "finish", "deliver", "abgabe", "abgabetermin", "abgabefrist", "fällig", "raus", "frist",
        "abgeben", "einreichen", "entregar", "entregarlo", "entregarla", "entrega", "plazo",
        "rendre", "remise", "échéance",
        "délai", "срок", "дедлайн", "сдать"]),
    (DAY | SPAN, &["expire", "expiry", "expiration", "valid", "validity", "lapse", "gültig",
        "ablaufen", "abläuft", "caduca", "vence", "vencimiento", "expirent", "valable", "expiren",
        "expira"]),
    (DAY | OFTEN, &["release", "ship", "publish", "version", "launch", "deploy", "rollout",
        "live", "veröffentlicht", "veröffentlichung", "publica", "lanzamiento", "sortie", "sort",
        "релиз", "выпуск"]),
    (DAY | OFTEN | CLOCK, &["clean", "cleaner", "cleaning", "putzt", "putzen", "limpia",
        "limpieza", "ménage"]),
    (DAY | OFTEN | CLOCK | SPAN, &["train", "training", "practice", "practise", "workout",
        "exercise", "gym", "rehearse", "rehearsal", "probe", "proben", "entreno", "entrenamiento",
        "entraînement", "allenamento"]),
    (DAY | OFTEN | CLOCK | SPAN, &["lesson", "lessons", "class", "course", "unterricht", "kurs",
        "stunde", "clase", "clases", "cours", "leçon", "lezione", "corso"]),
    (DAY | OFTEN | CLOCK | SPAN, &["meeting", "meet", "sync", "call", "catchup", "gather",
        "treffen",
        "besprechung", "reunión", "reunimos", "réunion", "réunissons", "retrouve", "riunione",
        "reunião"]),
    (DAY | OFTEN | CLOCK, &["backup", "backups", "back", "snapshot", "sicherung", "copia",
        "sauvegarde"]),
    (DAY | OFTEN, &["trash", "garbage", "rubbish", "bin", "bins", "waste", "müll", "basura",
        "poubelle", "poubelles"]),
    (DAY | OFTEN | CLOCK, &["water", "watering", "gießen", "riego", "regar", "arroser"]),
    (DAY | OFTEN | CLOCK, &["rotate", "rotation", "handover", "hand", "switch", "handed"]),
    (DAY | CLOCK, &["appointment", "checkup", "see", "visit", "termin", "cita", "rendezvous"]),
    (DAY | OFTEN | SPAN, &["remote", "remotely", "home", "homeoffice", "wfh", "telework",
        "office", "teletrabajo", "télétravail", "casa"]),
    (DAY | SPAN | AMOUNT, &["holiday", "vacation", "leave", "pto", "off", "urlaub", "urlaubstage",
        "vacaciones", "congé", "congés", "vacances"]),
    // Money.
    (MONEY, &["cost", "price", "charge", "rate", "fee", "pay", "bill", "tariff", "fare", "payment",
        "quote", "admission", "invoice", "worth", "sell", "subscription", "kosten", "kostet",
        "preis", "gebühr", "zahle", "zahlen", "cuesta", "precio", "cuota", "pago", "pagamos",
        "coûte", "prix", "tarif", "paie", "payons", "berechnet",
        "abgerechnet", "custa", "preço", "costa", "prezzo"]),
    (MONEY, &["salary", "wage", "pay", "earn", "income", "make", "paycheck", "stipend",
        "compensation", "gehalt", "verdiene", "verdient", "sueldo", "salario", "gano", "gana",
        "salaire", "gagne", "salário", "stipendio"]),
    (MONEY, &["rent", "landlord", "lease", "pay", "miete", "monatsmiete", "vermieter", "alquiler",
        "casero", "loyer", "propriétaire", "aluguel", "affitto"]),
    (MONEY, &["budget", "spend", "spending", "allowance", "funding", "available", "verfügung",
        "presupuesto", "disponible", "dépenser", "orçamento"]),
    (MONEY | AMOUNT, &["goal", "target", "aim", "objective", "ziel", "meta", "objetivo",
        "objectif"]),
    (MONEY, &["save", "saving", "savings", "aside", "sparen", "spare", "ersparnisse", "ahorro",
        "ahorrar", "ahorros", "épargne", "économies"]),
    (MONEY, &["insure", "insured", "insurance", "premium", "versicherung", "seguro", "assurance"]),
    (MONEY, &["raise", "round", "funding", "seed", "invest", "investment"]),
    (MONEY | AMOUNT, &["tip", "discount", "reduction", "off", "rebate", "rabatt", "descuento",
        "remise", "rabais"]),
    (MONEY, &["revenue", "turnover", "sales", "mrr", "arr", "umsatz", "ventas", "ingresos"]),
    (MONEY, &["electricity", "power", "energy", "strom", "luz", "électricité"]),
    (MONEY, &["park", "parking", "garage"]),
    // Numbers and sizes.
    (MONEY | SPAN | AMOUNT | OFTEN, &["limit", "limited", "max", "maximum", "cap", "capped",
        "ceiling", "allow", "permit", "quota", "restrict", "upper", "grenze", "höchstens",
        "maximal", "erlaubt", "límite", "máximo", "máxima", "permite", "limite", "permet",
        "plafond"]),
    (MONEY | SPAN | AMOUNT | VERSION, &["minimum", "min", "floor", "lowest", "least", "msrv",
        "require", "need", "support", "exige", "requiere", "requiert",
        "benötigt", "erfordert", "mínima", "minimale", "mindestens", "mínimo", "minimal",
        "supported"]),
    (VERSION | AMOUNT, &["msrv", "rust", "rustc", "toolchain"]),
    (VERSION | AMOUNT, &["version", "release", "upgrade", "run", "target", "versión", "msrv"]),
    (SPAN, &["last", "take", "long", "length", "duration", "dauer", "dauert", "dura", "duración",
        "dure", "durée", "prend", "tarda"]),
    (SPAN, &["break", "pause", "rest", "descanso", "pausa"]),
    (SPAN, &["commute", "work", "office", "drive", "arbeitsweg", "trayecto",
        "trajet"]),
    (SPAN, &["keep", "retain", "retention", "delete", "purge", "store", "aufbewahrt", "gelöscht",
        "conservés", "conserve", "rétention", "conservan", "retención", "guardan"]),
    (SPAN, &["timeout", "expire", "expiry", "lifetime", "ttl", "valid", "idle",
        "expirent", "expiration", "caducan", "caduca", "abgelaufen", "läuft"]),
    (SPAN | OFTEN, &["interval", "poll", "polling", "refresh", "check", "frequency", "cadence",
        "every", "sync", "heartbeat", "scrape"]),
    (SPAN | DAY, &["notice", "kündigungsfrist", "preaviso", "préavis"]),
    (SPAN | AMOUNT, &["sleep", "rest", "slept", "schlafe", "duermo", "dors"]),
    (SPAN | AMOUNT, &["probation", "trial", "probezeit", "prueba", "essai"]),
    (SPAN, &["warranty", "guarantee", "garantie", "garantía"]),
    (SPAN, &["payment", "payable", "pay", "invoice", "terms", "zahlungsziel", "pago"]),
    (SPAN, &["respond", "response", "reply", "answer", "sla", "turnaround"]),
    (AMOUNT, &["weigh", "weight", "scale", "heavy", "wiege", "wiegt", "gewicht", "peso", "pesa",
        "poids", "pèse"]),
    (AMOUNT, &["tall", "height", "high", "größe", "groß", "mide", "mido", "altura", "taille",
        "mesure"]),
    (AMOUNT | SPAN, &["old", "age", "aged", "turn", "alter", "alt", "edad", "cumple", "âge",
        "idade"]),
    (AMOUNT, &["temperature", "thermostat", "heat", "heating", "warm", "boiler", "set", "heizung",
        "temperatur", "calefacción", "termostato", "chauffage", "température"]),
    (AMOUNT, &["far", "distance", "away", "entfernt", "distancia", "loin"]),
    (AMOUNT, &["capacity", "seat", "seats", "hold", "fit", "fits", "accommodate", "room",
        "people", "cap", "capped", "limit", "limited", "maximum",
        "max"]),
    (SPAN, &["left", "remain", "remaining", "übrig", "quedan", "reste", "restent"]),
    (MONEY, &["reimburse", "reimbursement", "refund", "pay", "erstattet", "erstattung",
        "reembolso", "reembolsa", "remboursé", "remboursement", "rembourse"]),
    (NAME, &["teacher", "teach", "lesson", "lessons", "tutor", "class", "taught", "lehrer",
        "lehrerin", "unterricht", "profesor", "profesora", "clases", "professeur", "cours"]),
    (NAME, &["bug", "bugs", "issue", "issues", "ticket", "tickets", "tracker"]),
    (AMOUNT, &["stock", "inventory", "left", "remain", "remaining", "available", "vorrätig",
        "lager", "quedan", "reste", "stehen"]),
    (AMOUNT, &["team", "headcount", "staff", "member", "people", "engineer", "employee", "leute",
        "mitarbeiter", "personas", "empleados", "personnes", "employés", "plantilla", "equipo"]),
    (AMOUNT, &["guest", "guests", "attendee", "attend", "participant", "people", "invite",
        "invited", "come", "sign", "register", "gäste", "teilnehmer", "invitados", "invités"]),
    (AMOUNT, &["enroll", "enrolled", "enrollment", "pupil", "student", "class"]),
    (AMOUNT, &["user", "subscriber", "follower", "customer", "audience", "member"]),
    (AMOUNT, &["dose", "dosage", "take", "prescribe", "prescription", "tablet", "pill", "nehme",
        "tomo", "prends"]),
    (AMOUNT, &["disk", "storage", "space", "drive", "ssd", "speicher"]),
    (AMOUNT, &["memory", "ram"]),
    (AMOUNT, &["upload", "file", "files", "attachment", "subida", "subir", "archivos", "fichier",
        "fichiers", "datei", "dateien", "hochladen"]),
    (AMOUNT, &["size", "big", "large", "tamaño", "taille", "groß", "größe"]),
    (AMOUNT, &["port", "listen", "bind", "reachable", "expose", "serve", "puerto", "escucha",
        "lauscht", "écoute"]),
    (AMOUNT, &["replica", "instance"]),
    (AMOUNT, &["retry", "retries", "attempt", "attempts", "tries", "try"]),
    (AMOUNT, &["worker", "thread", "parallel", "concurrent", "concurrency", "parallelism"]),
    (AMOUNT, &["batch", "chunk", "page"]),
    (AMOUNT, &["approve", "approval", "approver", "review", "reviewer"]),
    (AMOUNT | OFTEN, &["request", "requests", "call", "calls", "times", "req"]),
    (AMOUNT, &["coverage", "covered", "cover"]),
    (AMOUNT, &["step", "steps", "walk", "schritte", "pasos"]),
    (AMOUNT, &["coffee", "coffees", "espresso", "kaffee", "café", "cafés"]),
    (AMOUNT, &["bench", "lift", "press", "squat", "deadlift"]),
    (AMOUNT, &["shoe", "shoes", "feet", "schuhgröße", "pointure", "chausse", "calzo"]),
    (AMOUNT, &["vote", "votes", "majority", "quorum"]),
    (AMOUNT, &["floor", "storey", "level", "stock", "etage", "piso", "étage"]),
    // Names and choices.
    (NAME, &["commute", "work", "office", "arbeit", "büro", "trabajo", "travail", "bureau"]),
    (NAME, &["auth", "authentication", "authenticate", "login", "signin", "sso", "log"]),
    (NAME, &["build", "compile", "bundle"]),
    (NAME, &["track", "keep", "record", "store", "log", "manage", "live"]),
    (NAME, &["host", "deploy", "serve", "run", "hosting"]),
    (NAME, &["slide", "slides", "deck", "presentation"]),
    (NAME, &["dentist", "teeth", "tooth", "braces", "orthodontist"]),
    (NAME, &["doctor", "gp", "physician", "huisarts", "hausarzt"]),
    (NAME, &["hair", "haircut", "haircuts", "barber", "hairdresser", "stylist"]),
    (NAME, &["bank", "account", "banking", "konto"]),
    (NAME, &["insure", "insured", "insurance", "insurer", "versichert", "versicherung", "seguro",
        "assurance"]),
    (NAME, &["diet", "eat", "food"]),
    (NAME, &["phone", "mobile", "cell", "handset", "smartphone", "handy", "móvil", "téléphone",
        "portable"]),
    (NAME, &["car", "drive", "vehicle", "auto", "coche", "conduzco", "voiture", "roule", "fahre"]),
    (NAME, &["address", "live", "home", "reside", "residence", "adresse", "wohne", "dirección"]),
    (NAME, &["school", "attend", "enroll", "university", "college", "kindergarten", "primary",
        "elementary", "academy", "nursery", "gymnasium", "grundschule", "schule", "kita",
        "colegio", "escuela", "instituto", "universidad", "école", "collège", "lycée",
        "université", "scuola", "liceo"]),
    (NAME, &["date", "dating", "boyfriend", "girlfriend", "partner", "fiancé", "fiancée",
        "husband", "wife", "together"]),
    (NAME, &["lead", "leader", "head", "run", "manage", "manager", "boss", "chief", "charge",
        "pilote", "own", "owner", "responsible", "handle", "maintain", "leitet",
        "teamleiter", "teamleiterin", "leiterin", "leiter", "dirige", "direct", "director",
        "chair", "chef", "lleva", "encarga", "gère", "cuida", "coordinate", "coordinator",
        "doing", "prepare", "zuständig", "verantwortlich", "verantwortet", "负责", "负责人"]),
    (NAME, &["supplier", "supply", "order", "vendor", "source", "buy", "provider"]),
    (NAME, &["gym", "workout", "train", "fitness", "lift"]),
];

#[cfg(test)]
mod tests {
    use super::super::{StatementRelation as R, compare};

    #[test]
    fn one_attribute_in_other_words_has_one_value() {
        for (earlier, later) in [
            ("We keep logs for 30 days.", "Logs are deleted after 90 days."),
            ("Emma goes to bed at eight.", "Emma's bedtime is half past eight."),
            ("Netflix costs us 13 euros.", "We pay 18 euros for Netflix."),
            ("We bill clients on the 1st.", "Invoices go out on the 15th."),
        ] {
            assert_eq!(compare(earlier, later).relation, R::ChangedValue, "{earlier} / {later}");
        }
    }

    #[test]
    fn an_attribute_of_something_else_is_no_change() {
        for (earlier, later) in [
            ("The blue suitcase weighs 18 kg.", "The scale says 78 kg."),
            ("Tom's bedtime is 8 pm.", "Mia goes to bed at 9 pm."),
            ("The museum opens at 10.", "The museum closes at 18."),
            ("My phone bill is 30 euros.", "My electricity bill is 70 euros."),
        ] {
            assert_ne!(compare(earlier, later).relation, R::ChangedValue, "{earlier} / {later}");
        }
    }
}
