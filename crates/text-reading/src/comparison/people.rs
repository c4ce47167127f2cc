//! Words behind [`lexicon`](super::lexicon) for people and the roles they hold.

/// Words for people of the family and the household.
#[rustfmt::skip]
pub(super) const PEOPLE: &[&str] = &[
    "aunt", "boy", "boyfriend", "brother", "child", "children", "cousin", "dad", "daughter",
    "eldest", "father", "fiancé", "fiancée", "flatmate", "friend", "girl", "girlfriend", "grandad",
    "granddad", "grandfather", "grandma", "grandmother", "grandpa", "granny", "husband", "inlaws",
    "kid", "kids", "mom", "mother", "mum", "neighbor", "nephew", "niece", "parents", "roommate",
    "sister", "son", "spouse", "stepdad", "stepmum", "toddler", "twin", "twins", "uncle", "wife",
    "youngest",
    "bruder", "eltern", "frau", "großmutter", "großvater", "kinder", "mutter", "oma", "opa",
    "schwester", "sohn", "tante", "tochter", "vater", "onkel", "nachbar", "abuela", "abuelo",
    "hermana", "hermano", "hija", "hijo", "madre", "padre", "padres", "primo", "prima", "tía",
    "tío", "vecino", "belle-mère", "cousine", "fille", "fils", "frère", "grand-mère", "grand-père",
    "mari", "mère", "oncle", "parents", "père", "sœur", "voisin",
];

#[rustfmt::skip]
pub(super) const ROLE_VERBS: &[&str] = &[
    "maintain", "own", "lead", "manage", "head", "chair", "supervise", "run", "direct", "coach",
    "teach", "mentor", "coordinate", "moderate", "host", "represent", "captain", "edit", "produce",
    "sponsor", "administer", "gère", "dirige", "leitet", "betreut", "verantwortet", "cuida",
    "lleva", "encabeza",
];

#[rustfmt::skip]
pub(super) const ROLES: &[&str] = &[
    "coach", "teach", "teacher", "manage", "manager", "own", "owner", "maintain", "maintainer",
    "lead", "leads", "approve", "approver", "tutor", "instructor", "supervise", "supervisor",
    "responsible", "charge", "represent", "treat", "doctor", "dentist", "boss", "chef", "chefin",
    "lessons", "runs", "handle", "belong", "area", "assign", "landlord", "partner", "head",
    "director", "directora", "chair", "chairman", "president", "chairperson", "treasurer",
    "secretary", "counsel", "lawyer", "attorney", "contact", "speaker", "keynote", "babysitter",
    "nanny", "accountant", "captain", "vendor", "supplier", "reviewer", "assignee", "sponsor",
    "mentor", "editor", "producer", "principal", "headteacher", "pediatrician", "therapist", "vet",
    "veterinarian", "plumber", "electrician", "mechanic", "hairdresser", "barber", "agent",
    "broker", "curator", "moderator", "host", "organizer", "coordinator", "administrator", "admin",
    "champion", "delegate", "liaison", "physician", "surgeon", "gp", "nurse", "trainer",
    "conductor", "guitarist", "drummer", "leiter", "leiterin", "vorsitzende", "vorsitzender",
    "hausarzt", "hausärztin", "trainerin", "lehrer", "lehrerin", "ansprechpartner",
    "ansprechpartnerin", "direktor", "direktorin", "geschäftsführer", "jefe", "jefa", "entrenador",
    "profesora", "profesor", "médico", "médica", "abogado", "directeur", "directrice",
    "responsable", "médecin", "professeur", "avocat", "cuida", "gère", "dirige", "leitet",
    "betreut", "verantwortet", "zuständig", "verantwortlich", "encarga", "encargado", "encargada",
    "occupe", "orthodontist", "cleaner", "gardener", "midwife", "optician", "dermatologist",
    "physio", "physiotherapist", "caretaker", "caterer", "photographer", "architect", "notary",
    "vermieter", "vermieterin", "kinderarzt", "kinderärztin", "tierarzt", "tierärztin", "friseur",
    "friseurin", "steuerberater", "anwalt", "anwältin", "hausmeister", "casero", "casera",
    "dentista", "entrenadora", "fisioterapeuta", "pediatra", "veterinario", "peluquero",
    "peluquera", "abogada", "proveedor", "propriétaire", "dentiste", "kiné", "pédiatre",
    "vétérinaire", "coiffeur", "coiffeuse", "entraîneur", "avocate", "fournisseur", "comptable",
];
