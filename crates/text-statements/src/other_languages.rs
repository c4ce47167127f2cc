//! Openings of statements in German, Spanish and French.

/// Openings of standing rules.
#[rustfmt::skip]
pub(crate) const RULES: &[&str] = &[
    "ab jetzt|sofort|heute", "von jetzt|nun an", "künftig|zukünftig", "in zukunft",
    "a partir de ahora|hoy", "de ahora en adelante", "en adelante",
    "désormais", "dorénavant", "à partir de maintenant", "à l'avenir",
    "en este proyecto ?usamos ?siempre|nunca", "en este proyecto siempre|nunca|usamos",
    "dans ce projet on|nous|utilise|toujours", "in diesem projekt verwenden|nutzen|schreiben|gilt",
    "chez nous on|nous",
];
/// Orders that are a rule with an adverb of all times.
#[rustfmt::skip]
pub(crate) const ORDERS: &[&str] = &[
    "schreib|schreibe|verwende|verwend|benutze|benutz|nutze|nimm|antworte|mach|mache|lass|frag|\
     frage|füge|teste|committe|pushe|halte|gib|zeig|zeige|prüfe|starte|ändere|lösche|formatiere|\
     erkläre",
    "usa|use|responde|escribe|pon|haz|pregunta|añade|muestra|no_uses|no_escribas|no_hagas|\
     no_borres|no_toques|mantén|siempre_usa|siempre_responde|siempre_escribe|siempre_pregunta|\
     nunca_uses|nunca_escribas|nunca_borres|nunca_hagas|nunca_toques",
    "utilise|réponds|écris|mets|fais|demande|ajoute|montre|n'utilise|ne_fais|ne_mets|ne_modifie|\
     ne_touche|ne_supprime|garde|formate",
];
/// Adverbs of all times.
#[rustfmt::skip]
pub(crate) const ALL_TIMES: &[&str] = &[
    "immer|nie|niemals|stets|grundsätzlich|ab_jetzt|ab_sofort|künftig",
    "siempre|nunca|jamás|toujours|jamais|systématiquement",
];
/// Openings of decisions.
#[rustfmt::skip]
pub(crate) const DECISIONS: &[&str] = &[
    "wir haben uns .. .. entschieden|geeinigt", "wir haben uns für|gegen|auf|darauf",
    "wir haben ?gemeinsam beschlossen|entschieden|vereinbart|festgelegt", "wir bleiben bei",
    "wir setzen auf", "wir wechseln zu|auf|von", "wir steigen auf", "wir verzichten auf",
    "ich habe mich für|gegen|entschieden",
    "wir unterstützen|verwenden|nutzen|benutzen kein|keine|keinen|nicht|nur",
    "hemos decidido|acordado|elegido|optado", "decidimos", "acordamos", "elegimos", "optamos por",
    "nos quedamos con", "ya no usamos", "nos cambiamos a", "he decidido",
    "on|nous a|avons décidé|choisi|opté|convenu", "on part|reste sur", "on passe à", "on garde",
    "on n'utilise plus", "nous passons à", "j'ai décidé|choisi",
];
/// Openings of preferences.
#[rustfmt::skip]
pub(crate) const PREFERENCES: &[&str] = &[
    "ich bevorzuge", "ich ziehe", "ich mag kein|keine|keinen", "ich hasse", "ich mag lieber",
    "mir ist .. lieber", "mir sind .. lieber", "wir bevorzugen", "mein|meine lieblings",
    "prefiero", "preferimos", "no me gusta|gustan", "me gusta|gustan más", "odio", "no soporto",
    "mi .. favorito|favorita es",
    "je ?ne préfère", "je n'aime pas", "je déteste", "j'aime mieux", "nous préférons",
    "mon|ma .. préféré|préférée est", "je ne supporte pas",
];
/// Start of a German word for a favourite.
pub(crate) const FAVOURITE_START: &str = "lieblings";
/// Openings of facts.
#[rustfmt::skip]
pub(crate) const FACTS: &[&str] = &[
    "ich heiße|heisse",
    "mein name|geburtstag|chef|mann|sohn|hund|arbeitgeber|team ist|heißt|arbeitet|hat",
    "meine frau|tochter|chefin|firma|katze|mutter|zeitzone|schwester ist|heißt|arbeitet|hat",
    "ich wohne|lebe in", "ich arbeite bei|als|für|in", "ich komme aus", "ich bin allergisch",
    "ich bin vegetarier|vegetarierin|veganer|veganerin|linkshänder|linkshänderin|verheiratet",
    "ich esse|trinke kein|keinen|keine", "ich spreche", "ich studiere",
    "ich habe zwei|drei kinder|hunde|katzen",
    "unser|unsere .. ist|sind|läuft|heißt|steht|hat",
    "wir verwenden|nutzen|benutzen|deployen|hosten",
    "me llamo",
    "mi nombre|cumpleaños|jefe|jefa|mujer|marido|hijo|hija|perro|equipo|empresa es|se_llama|\
     tiene",
    "vivo en", "trabajo en|como|para|de", "soy de",
    "soy alérgico|alérgica|vegetariano|vegetariana|vegano|vegana|zurdo|zurda|médico|abogado|\
     ingeniero|ingeniera|profesor|profesora|desarrollador|desarrolladora|arquitecto|arquitecta",
    "no como|bebo", "hablo", "nací en|el", "tengo dos|tres hijos|hijas|perros|gatos",
    "nuestro|nuestra .. es|está|usa",
    "usamos", "je m'appelle",
    "mon|ma nom|chef|cheffe|femme|mari|fils|fille|chien|équipe|entreprise|anniversaire est|\
     s'appelle|a",
    "j'habite|je_vis à|en|au|chez|dans", "je travaille chez|comme|pour|à|en", "je viens de",
    "je suis allergique|végétarien|végétarienne|végane|gaucher|gauchère|développeur|\
     développeuse|médecin|ingénieur|ingénieure|professeur|infirmier|infirmière|avocat|avocate",
    "je ne mange|bois pas", "je parle", "je suis né|née", "notre .. est|utilise|tourne",
    "on|nous utilise|utilisons",
];
