//! Closed classes of choices of which one is made at a time: colours, diets, means of transport,
//! tools that do the same work.

use super::lexicon::stems;
use foldhash::HashMap;
use std::sync::LazyLock;

/// Returns true if two keys are choices of one closed class: two colours, two sizes.
pub(super) fn same_choice(one: &str, other: &str) -> bool {
    one != other && classes_of(one) & classes_of(other) != 0
}

/// Returns true if a key is the stem of a choice of some closed class.
pub(super) fn is_choice(key: &str) -> bool {
    classes_of(key) != 0
}

/// Returns the classes that a key belongs to, one bit each.
fn classes_of(key: &str) -> u128 {
    static CLASSES: LazyLock<HashMap<String, u128>> = LazyLock::new(|| {
        let mut classes: HashMap<String, u128> = HashMap::default();
        for (number, class) in CHOICES.iter().enumerate() {
            stems(class)
                .into_iter()
                .for_each(|key| *classes.entry(key).or_default() |= 1 << number);
        }
        classes
    });
    CLASSES.get(key).copied().unwrap_or(0)
}

// One bit each.
const _: () = assert!(CHOICES.len() <= 128);

#[rustfmt::skip]
const CHOICES: &[&[&str]] = &[
    &["red", "blue", "green", "yellow", "black", "white", "orange", "purple", "pink", "brown",
        "grey", "gray", "teal", "navy", "turquoise", "violet", "beige", "sage", "maroon", "coral"],
    &["small", "medium", "large"], &["left", "right"], &["dark", "light"], &["tabs", "spaces"],
    &["daily", "weekly", "monthly", "yearly", "hourly", "biweekly", "quarterly"],
    &["morning", "afternoon", "evening", "noon", "night"],
    &["single", "married", "divorced", "engaged", "widowed", "separated"],
    &["vegan", "vegetarian", "pescatarian", "omnivore", "keto", "paleo", "mediterranean",
        "carnivore", "lowcarb", "glutenfree"],
    &["low", "medium", "high", "critical", "top", "urgent", "lowest", "highest"],
    &["spring", "summer", "autumn", "winter"], &["north", "south", "east", "west"],
    &["squash", "rebase", "merge"], &["girl", "boy"], &["male", "female"],
    &["optin", "optout"], &["son", "daughter"],
    &["never", "always", "sometimes", "rarely", "often"],
    &["dollars", "euros", "pounds", "francs", "yen"],
    &["rot", "blau", "grün", "gelb", "schwarz", "weiß", "grau", "braun", "lila", "rosa", "beige"],
    &["rojo", "roja", "azul", "verde", "negro", "negra", "amarillo", "amarilla", "blanco",
        "blanca", "naranja", "gris", "marrón", "rosa"],
    &["rouge", "bleu", "bleue", "vert", "verte", "noir", "noire", "blanc", "blanche", "jaune",
        "gris", "grise", "rose", "marron"],
    &["rosso", "rossa", "blu", "verde", "giallo", "gialla", "arancione", "nero", "nera", "bianco",
        "bianca", "grigio", "grigia"],
    &["english", "german", "french", "spanish", "italian", "portuguese", "dutch", "chinese"],
    &["englisch", "deutsch", "französisch", "spanisch", "italienisch", "portugiesisch"],
    &["inglés", "español", "castellano", "francés", "alemán", "italiano", "portugués", "catalán"],
    &["anglais", "français", "espagnol", "allemand", "italien", "portugais", "néerlandais"],
    &["matte", "glossy"], &["automatically", "manually"], &["digital", "paper", "printed"],
    &["tea", "coffee", "cocoa"], &["kaffee", "tee", "kakao"], &["café", "té"], &["café", "thé"],
    &["email", "phone", "chat", "sms", "letter"], &["aisle", "window", "middle"],
    &["cash", "card", "cheque"], &["metric", "imperial"],
    &["remote", "hybrid", "onsite", "inperson"],
    &["petrol", "diesel", "electric", "hybrid"], &["fulltime", "parttime"],
    &["npm", "pnpm", "yarn", "bun"], &["jest", "vitest", "mocha"], &["pytest", "unittest"],
    &["vue", "react", "svelte", "angular", "solidjs", "ember"],
    &["postgres", "postgresql", "mysql", "sqlite", "mariadb", "mongodb", "cassandra", "dynamodb"],
    &["github", "gitlab", "bitbucket", "gitea", "forgejo"],
    &["vim", "neovim", "emacs", "vscode", "helix", "zed"],
    &["celsius", "fahrenheit"], &["webpack", "vite", "rollup", "parcel", "esbuild"],
    &["debug", "info", "warn", "warning", "error", "trace"],
    &["bike", "tram", "train", "bus", "car", "foot", "subway", "metro", "scooter", "ferry",
        "ebike", "bicycle", "taxi", "motorbike", "carpool"],
    &["zug", "fahrrad", "rad", "auto", "bus", "straßenbahn", "ubahn", "sbahn", "ebike", "roller",
        "fuß"],
    &["bici", "bicicleta", "coche", "tren", "autobús", "metro", "tranvía", "moto", "pie"],
    &["vélo", "voiture", "train", "bus", "métro", "tram", "scooter", "pied"],
    &["treno", "bici", "macchina", "autobus", "metro"],
    &["black", "milk"], &["freelance", "permanent"], &["rent", "own"],
    &["compulsory", "optional", "voluntary", "mandatory"],
    &["sunny", "shady"], &["indoors", "outdoors"], &["public", "private", "internal"],
    &["zsh", "bash", "fish", "nushell"], &["sass", "less", "tailwind", "bootstrap"],
    &["redux", "zustand", "mobx", "recoil"], &["eslint", "biome", "oxlint"],
    &["prettier", "biome", "dprint"], &["ruff", "flake", "pylint"], &["mypy", "pyright"],
    &["poetry", "pip", "uv", "pipenv", "conda"], &["gradle", "maven", "bazel"],
    &["kubernetes", "nomad", "swarm"], &["terraform", "pulumi", "cloudformation", "opentofu"],
    &["redis", "memcached", "valkey"], &["kafka", "rabbitmq", "nats", "sqs", "pulsar"],
    &["jenkins", "circleci", "buildkite", "travis", "teamcity"],
    &["aws", "azure", "gcp", "hetzner", "heroku"], &["nginx", "caddy", "traefik", "haproxy"],
    &["slack", "teams", "discord", "mattermost"], &["zoom", "teams", "meet", "webex"],
    &["jira", "linear", "asana", "trello"], &["notion", "confluence", "obsidian"],
    &["android", "ios"], &["windows", "macos", "linux", "ubuntu", "debian", "fedora"],
    &["chrome", "firefox", "safari", "edge", "brave"], &["spotify", "tidal", "deezer"],
    &["stripe", "adyen", "paypal", "mollie"], &["salesforce", "hubspot", "pipedrive"],
    &["prisma", "drizzle", "sequelize", "typeorm", "diesel", "sqlx"],
    &["tokio", "asyncstd", "smol"], &["mit", "apache", "gpl", "bsd", "mpl", "agpl"],
    &["beginner", "intermediate", "advanced"], &["junior", "senior", "principal", "intern"],
    &["alpha", "beta", "discovery", "prototype", "production"],
    &["draft", "signed", "negotiation", "approved"],
    &["jwt", "cookie", "session", "oauth"], &["utf8", "latin1", "utf16"],
    &["rsa", "ed25519", "ecdsa"], &["md5", "sha1", "sha256", "blake3"],
    &["bronze", "silver", "gold", "platinum"],
    &["cosine", "euclidean", "dot"], &["kindergarten", "primary", "secondary", "university"],
    &["hs256", "rs256", "es256", "eddsa"], &["rest", "graphql", "grpc", "soap"],
    &["oat", "soy", "almond", "cow", "goat", "coconut"],
    &["argon2id", "argon2", "bcrypt", "scrypt", "pbkdf2"], &["gzip", "zstd", "brotli", "lz4"],
    &["scrum", "kanban"],
    &["linear", "exponential"], &["tcp", "udp"],
    &["eager", "lazy"], &["ssd", "hdd"], &["stdout", "stderr"], 
    &["glasses", "contacts"], &["ponytail", "bun", "braid", "bob", "pixie", "buzz"],
];
