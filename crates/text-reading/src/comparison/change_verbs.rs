//! Verbs that tell of a change, alone or when they lead to a value, and verbs by which somebody
//! sets one. The lists are in the order of their first bytes.

use crate::word_list::WordList;

/// Returns true for verbs that tell of a change of state: "switched", "moved", "renamed".
pub(super) fn is_change_verb(word: &str) -> bool {
    CHANGE_VERBS.contains(word)
}

/// Returns true for past forms that tell of a change when they lead to a value: "climbed to 78%".
pub(super) fn is_leading_verb(word: &str) -> bool {
    LEADING_VERBS.contains(word)
}

/// Returns true for the plain form of a verb of change, as it stands behind "had to".
pub(super) fn is_plain_change(word: &str) -> bool {
    PLAIN_CHANGES.contains(word)
}

/// Returns true for verbs of change, also those that do so only when they lead to a value.
pub(super) fn tells_of_change(word: &str) -> bool {
    is_change_verb(word) || is_leading_verb(word)
}

/// Returns true for verbs by which somebody sets a value: "raised", "approved", "wants".
pub(super) fn is_setting_verb(word: &str) -> bool {
    SETTING_VERBS.contains(word) || is_change_verb(word)
}

/// Verbs that tell of a change.
#[rustfmt::skip]
static CHANGE_VERBS: WordList = WordList::new(&[
    "aangepast", "abaissé", "abaissée", "abaissées", "abaissés", "abbassata", "abbassato",
    "abgelöst", "abgeändert", "accorciata", "accorciato", "accru", "accrue", "accrues", "accrus",
    "acortada", "acortado", "acortó", "actualizada", "actualizado", "adelantada", "adelantadas",
    "adelantado", "adelantados", "adelantamos", "adelantaron", "adelantó", "adiada", "adiado",
    "adiantado", "aggiornata", "aggiornato", "agrandado", "agrandi", "agrandie", "agrandies",
    "agrandis", "ajusté", "ajustée", "ajustées", "aktualisiert", "alargada", "alargadas",
    "alargado", "alargados", "alargamos", "alargaron", "alargó", "allongé", "allongée", "allongées",
    "allongés", "allungata", "allungato", "alterada", "alterado", "altered", "alzata", "alzato",
    "ampliada", "ampliadas", "ampliado", "ampliados", "ampliamos", "ampliaron", "ampliata",
    "ampliato", "amplió", "angehoben", "angepasst", "antecipada", "antecipado", "anticipata",
    "anticipato", "aplaza", "aplazada", "aplazadas", "aplazado", "aplazados", "aplazamos",
    "aplazan", "aplazaron", "aplazó", "ascendida", "ascendido", "ascendió", "aufgestockt",
    "augmenté", "augmentée", "augmentées", "augmentés", "aumentada", "aumentadas", "aumentado",
    "aumentados", "aumentamos", "aumentaron", "aumentata", "aumentato", "aumentou", "aumentó",
    "ausgebaut", "ausgetauscht", "ausgeweitet", "avancé", "avancée", "avancées", "baissé",
    "baissée", "baissées", "baissés", "baixou", "bajado", "bajados", "bajamos", "bajaron", "bajó",
    "basculé", "basculée", "basculées", "basculés", "became", "become", "befördert", "bijgewerkt",
    "bumped", "caiu", "cambiada", "cambiadas", "cambiado", "cambiados", "cambiamos", "cambiaron",
    "cambiata", "cambiato", "cambié", "cambió", "changed", "changes", "changé", "changée",
    "changées", "changés", "corregida", "corregido", "crecido", "creció", "cut", "decreased",
    "deferred", "demoted", "dimezzato", "diminué", "diminuée", "diminuées", "diminués", "doublé",
    "doublée", "doublées", "doublés", "downgraded", "duplicada", "duplicadas", "duplicado",
    "duplicados", "duplicamos", "duplicaron", "duplicó", "décalé", "décalée", "décalées", "décalés",
    "déménagé", "déplacé", "déplacée", "déplacées", "déplacés", "elevada", "elevado", "elevó",
    "encurtado", "erhöht", "ersetzt", "erweitert", "estendida", "estendido", "extended",
    "extendida", "extendido", "extendió", "gedaald", "gedrosselt", "gehalveerd", "gehoben",
    "gekürzt", "gelockert", "geschrumpft", "gesenkt", "gestegen", "gesteigert", "gestiegen",
    "gesunken", "gewachsen", "gewechselt", "gewijzigd", "gezogen", "geändert", "gone", "grew",
    "halbiert", "herabgesetzt", "herabgestuft", "heraufgesetzt", "hochgesetzt", "hochgestuft",
    "increased", "incrementada", "incrementadas", "incrementado", "incrementados", "incrementamos",
    "incrementaron", "incrementó", "ingekort", "korrigiert", "lowered", "migrada", "migradas",
    "migrado", "migrados", "migramos", "migraron", "migrated", "migrato", "migriert", "migré",
    "migrée", "migrées", "migrés", "migró", "modernisiert", "modificada", "modificadas",
    "modificado", "modificados", "modificamos", "modificaron", "modificó", "modifié", "modifiée",
    "modifiées", "modifiés", "moved", "moves", "movida", "movido", "mudada", "mudadas", "mudado",
    "mudados", "mudamos", "mudaram", "mudaron", "mudou", "mudé", "mudó", "mutata", "mutato", "muté",
    "mutée", "mutées", "mutés", "omgezet", "outgrew", "outgrown", "overgenomen", "overgestapt",
    "overhauled", "passato", "passou", "passé", "pasó", "ported", "portiert", "porting", "pospone",
    "posponen", "pospuesta", "pospuestas", "pospuesto", "pospuestos", "pospuso", "posticipato",
    "postponed", "prolongé", "prolongée", "prolongées", "prolongés", "promoted", "promu", "promue",
    "promues", "promus", "prorogata", "prorogato", "prorroga", "prorrogada", "prorrogadas",
    "prorrogado", "prorrogados", "prorrogamos", "prorrogan", "prorrogaron", "prorrogó", "pushed",
    "raccourci", "raccourcie", "raccourcies", "raccourcis", "raddoppiato", "raised", "rallongé",
    "rallongée", "rallongées", "ramené", "ramenée", "ramenées", "ramenés", "reallocated",
    "reasignada", "reasignadas", "reasignado", "reasignados", "reasignamos", "reasignaron",
    "reasignó", "reassigned", "rebajada", "rebajadas", "rebajado", "rebajados", "rebajamos",
    "rebajaron", "rebajó", "rebaptisé", "rebaptisée", "rebaptisées", "rebaptisés", "rebased",
    "rebooked", "rebranded", "rebudgeted", "reclassified", "recortada", "recortadas", "recortado",
    "recortados", "recortamos", "recortaron", "recortó", "rectifié", "rectifiée", "redefined",
    "reduced", "reducida", "reducidas", "reducido", "reducidos", "reducimos", "redució",
    "redujeron", "redujo", "reduzida", "reduzido", "reduziert", "reduziram", "reemplazada",
    "reemplazadas", "reemplazado", "reemplazados", "reemplazamos", "reemplazaron", "reemplazó",
    "reescribida", "reescribidas", "reescribido", "reescribidos", "reescribieron", "reescribimos",
    "reescribió", "reescrita", "reescrito", "rehaussé", "rehaussée", "rehaussées", "rehaussés",
    "rekeyed", "relabeled", "relevé", "relevée", "relevées", "relicensed", "relocated", "remapped",
    "remarcada", "remarcado", "remplacé", "remplacée", "remplacées", "remplacés", "renamed",
    "renegotiated", "renombrada", "renombradas", "renombrado", "renombrados", "renombramos",
    "renombraron", "renombró", "renommé", "renommée", "renommées", "renommés", "repainted",
    "replace", "replaced", "replacing", "replatformed", "reporté", "reportée", "reportées",
    "reportés", "repoussé", "repoussée", "repoussées", "repoussés", "repriced", "reprogramada",
    "reprogramadas", "reprogramado", "reprogramados", "reprogramamos", "reprogramaron",
    "reprogramó", "rerouted", "rescheduled", "reset", "resized", "retardé", "retardée", "retardées",
    "retardés", "retargeted", "retimed", "retrained", "retrasa", "retrasada", "retrasadas",
    "retrasado", "retrasados", "retrasamos", "retrasaron", "retrasó", "revu", "revue", "revues",
    "revus", "reworded", "rewriting", "rewritten", "rewrote", "ridotta", "ridotto", "rimandata",
    "rimandato", "rinominato", "rinviata", "rinviato", "riscritto", "rose", "réaffecté",
    "réaffectée", "réaffectées", "réaffectés", "réduit", "réduite", "réduites", "réduits", "révisé",
    "révisée", "révisées", "révisés", "réécrit", "réécrite", "réécrites", "réécrits", "salita",
    "salito", "scesa", "sceso", "shifted", "shortened", "shrunk", "slashed", "slipped",
    "sostituita", "sostituito", "spostata", "spostate", "spostati", "spostato", "subido", "subidos",
    "subieron", "subimos", "subiu", "subió", "substituiu", "substituted", "substituída",
    "substituído", "superseded", "supplanted", "sustituida", "sustituidas", "sustituido",
    "sustituidos", "sustituieron", "sustituimos", "sustituió", "sustituyeron", "sustituyó",
    "swapped", "switched", "traded", "transferida", "transferido", "transferiert", "transferred",
    "transféré", "transférée", "transférées", "transférés", "traslada", "trasladada", "trasladado",
    "trasladados", "trasladan", "trasladaron", "trasladó", "triplada", "tripladas", "triplado",
    "triplados", "triplamos", "triplaron", "triplé", "triplée", "triplées", "triplés", "tripló",
    "trocada", "trocado", "trocamos", "trocou", "uitgesteld", "umbenannt", "umgebucht", "umgelegt",
    "umgeschrieben", "umgestellt", "umgestiegen", "umgezogen", "umverteilt", "upgraded", "upped",
    "verdoppelt", "verdreifacht", "verdubbeld", "vergrößert", "verhoogd", "verhuisd", "verkleinert",
    "verkürzt", "verlaagd", "verlegt", "verlengd", "verlängert", "vermindert", "verplaatst",
    "verringert", "verschiebt", "verschoben", "verschoven", "verschärft", "versetzt", "vertagt",
    "vervangen", "vervroegd", "verzet", "vorgezogen", "vorverlegt", "élargi", "élargie", "élargies",
    "élargis", "étendu", "étendue", "étendues", "étendus", "überarbeitet", "übernimmt",
    "übernommen", "übertragen", "вырос", "выросла", "выросло", "заменили", "заменён", "изменена",
    "изменили", "изменён", "обновили", "отложили", "переехал", "переехала", "переехали",
    "перенесен", "перенесена", "перенесли", "перенесён", "повысили", "подняли", "поменял",
    "поменяла", "поменяли", "продлена", "продлили", "продлён", "сменил", "сменила", "сменили",
    "снизили", "сократили", "сокращена", "сокращён", "увеличен", "увеличена", "увеличено",
    "увеличили", "уменьшили",
]);

/// Forms that tell of a change only when "to", "as", "into" or "under" leads to a value.
#[rustfmt::skip]
static LEADING_VERBS: WordList = WordList::new(&[
    "accelerated", "adjusted", "advanced", "amended", "appointed", "assigned", "augmente",
    "aumenta", "baisse", "baja", "bajan", "ballooned", "boosted", "bounced", "broadened", "brought",
    "cambia", "cambian", "capped", "changing", "chuté", "climbed", "confié", "confiée", "confiées",
    "confiés", "converted", "cranked", "crept", "curtailed", "cutting", "daalt", "delayed",
    "descend", "descendu", "deviennent", "devient", "dialed", "dialled", "dipped", "diventa",
    "doubled", "downsized", "drifted", "dropped", "edged", "elected", "elevated", "enlarged",
    "entered", "escalated", "expanded", "exploded", "extending", "fell", "fällt", "gaat",
    "gebracht", "gefallen", "geklettert", "gerutscht", "gesprungen", "grimpé", "grown", "halved",
    "handed", "inched", "jumped", "klettert", "knocked", "leaped", "leapt", "lengthened", "lifted",
    "loosened", "lowering", "monte", "monté", "montée", "mushroomed", "narrowed", "negotiated",
    "notched", "nudged", "pared", "pasa", "pasada", "pasado", "pasamos", "pasan", "pasaron",
    "passa", "passano", "passed", "passent", "passons", "picked", "plummeted", "plunged", "porté",
    "portée", "portées", "portés", "postponing", "progressed", "prolonged", "quadrupled", "raising",
    "ratcheted", "readjusted", "rebuilt", "recalculated", "reconfigured", "recut", "redirected",
    "renewed", "retitled", "revised", "reworked", "rocketed", "rounded", "rutscht", "rückt", "sank",
    "scaled", "settled", "shaved", "shrank", "sinkt", "skyrocketed", "slid", "slowed", "slumped",
    "soared", "sped", "spiked", "squeezed", "steigt", "stijgt", "stretched", "sube", "suben",
    "surged", "swelled", "switching", "swollen", "talked", "tapered", "ticked", "tightened",
    "tombe", "tombé", "topped", "transitioned", "trasferita", "trasferito", "trimmed", "tripled",
    "tumbled", "turned", "tweaked", "upsized", "verhuist", "verhuizen", "wandern", "wandert",
    "wechseln", "wechselt", "whittled", "widened", "wächst", "ziehen", "zieht", "ändert",
]);

/// Verbs by which somebody sets a value, besides those of change.
#[rustfmt::skip]
static SETTING_VERBS: WordList = WordList::new(&[
    "agreed", "announced", "approved", "arranged", "asked", "assigned", "capped", "chose",
    "configured", "confirmed", "decided", "demanded", "embed", "fixed", "gave", "gives", "granted",
    "insisted", "lets", "negotiated", "offered", "picked", "prescribed", "promised", "put", "puts",
    "quoted", "revised", "says", "set", "sets", "signed", "told", "upped", "wants", "wrote",
]);

/// Plain forms of verbs of change.
#[rustfmt::skip]
static PLAIN_CHANGES: WordList = WordList::new(&[
    "bump", "change", "cut", "decrease", "defer", "delay", "double", "downgrade", "extend", "halve",
    "increase", "lengthen", "lower", "migrate", "move", "postpone", "push", "raise", "rebook",
    "reduce", "relocate", "rename", "reschedule", "shift", "shorten", "shrink", "swap", "switch",
    "tighten", "transfer", "trim", "upgrade", "widen",
]);
