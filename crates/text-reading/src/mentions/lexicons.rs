//! Lexicons: programming keywords, brands, tools and file extensions, which decide between readings
//! of words that look alike.

use crate::word_list::WordList;

/// Returns true for keywords of programming languages that may precede a bracket.
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Returns true for products that are written in Pascal case but are not types.
pub(super) fn is_brand(word: &str) -> bool {
    BRANDS.iter().any(|brand| brand.eq_ignore_ascii_case(word))
}

/// Returns true for programming languages, databases, libraries, services and other tools.
pub(super) fn is_tool(word: &str) -> bool {
    is_brand(word) || TOOLS.contains(&word.to_lowercase())
}

/// Returns true if a name of one or several words is that of a tool: `Redis`, `Docker Compose`,
/// `Apache Kafka`. A given name of a person makes no tool of its family name: `Julia Roberts`.
pub(super) fn names_tool(name: &[&str]) -> bool {
    match name {
        [] => false,
        [one] => is_tool(one),
        [first, .., last] => {
            let vendor = VENDORS.contains(&first.to_lowercase()) && is_tool(last);
            vendor || (is_tool(first) && !is_also_a_given_name(first))
        }
    }
}

/// Returns true for tools whose name people have too.
pub(super) fn is_also_a_given_name(word: &str) -> bool {
    matches!(
        word.to_lowercase().as_str(),
        "ada"
            | "alexa"
            | "cassandra"
            | "claude"
            | "crystal"
            | "flow"
            | "jasmine"
            | "jenkins"
            | "julia"
            | "mercury"
            | "ruby"
            | "siri"
            | "spring"
            | "stella"
            | "swift"
    )
}

/// Returns true for languages that people speak, which can follow "in" without being places.
pub(super) fn is_spoken_language(word: &str) -> bool {
    SPOKEN_LANGUAGES.contains(&word.to_lowercase())
}

#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "if", "for", "while", "return", "switch", "catch", "match", "fn", "function", "func", "def",
    "sizeof", "typeof", "else", "elif", "do", "try", "with", "case", "when", "until", "unless",
    "in", "not", "and", "or", "is", "as", "let", "var", "const", "new", "delete", "throw", "raise",
    "assert", "yield", "await", "async", "class", "struct", "enum", "impl", "use", "import", "from",
    "super", "self", "this", "true", "false", "null", "None", "nil", "True", "False", "where",
    "loop", "break", "continue", "static", "void", "int", "lambda", "except", "finally", "foreach",
    "using", "lock",
];

#[rustfmt::skip]
const BRANDS: &[&str] = &[
    "GitHub", "GitLab", "BitBucket", "JavaScript", "TypeScript", "CoffeeScript", "YouTube",
    "LinkedIn", "WhatsApp", "PayPal", "FaceTime", "FaceBook", "PowerPoint", "PowerShell",
    "OneDrive", "OneNote", "SharePoint", "MacBook", "AirPods", "AirBnb", "DuckDuckGo",
    "DigitalOcean", "CloudFlare", "CloudFront", "WordPress", "DeepMind", "DeepSeek", "TensorFlow",
    "PyTorch", "ClickHouse", "StackOverflow", "IntelliJ", "PyCharm", "WebStorm", "BigQuery",
    "DataDog", "PagerDuty", "HashiCorp", "WebAssembly", "DevOps", "SharePoint", "TestFlight",
    "TeamCity", "DropBox", "SalesForce", "HubSpot", "MailChimp", "ServiceNow", "SolarWinds",
    "SnapChat", "TikTok", "SoundCloud", "EverNote", "LangChain", "LlamaIndex", "OpenSearch",
    "ElasticSearch", "ElastiCache", "ScyllaDb", "RedShift", "CircleCi", "GitKraken", "SourceTree",
    "SpringBoot", "NextCloud", "OpenStack", "OpenShift", "OpenTelemetry", "FreeBsd", "BlackBerry",
    "PlayStation", "DoorDash", "FedEx", "MasterCard", "ChatGpt", "OpenAi",
];

#[rustfmt::skip]
static TOOLS: WordList = WordList::new(&[
    "actix", "airflow", "alembic", "alpine", "alpinejs", "android", "angular", "ansible", "apache",
    "apollo", "appwrite", "asana", "astro", "auth0", "avro", "aws", "axum", "azure", "babel",
    "bash", "bazel", "biome", "blender", "bootstrap", "bulma", "bun", "caddy", "cargo", "cassandra",
    "celery", "ceph", "chatgpt", "chrome", "chromium", "circleci", "claude", "clickhouse",
    "clojure", "cloudflare", "cmake", "cobol", "codex", "conda", "confluence", "contentful",
    "copilot", "couchdb", "cursor", "cypress", "dagster", "dart", "databricks", "datadog", "dbt",
    "debian", "deno", "diesel", "directus", "discord", "django", "docker", "drizzle", "drupal",
    "duckdb", "dynamodb", "ec2", "edge", "elasticsearch", "elixir", "emacs", "envoy", "erlang",
    "esbuild", "eslint", "etcd", "excel", "express", "fastapi", "fastify", "fedora", "ffmpeg",
    "figma", "firebase", "firefox", "fish", "flask", "flink", "flutter", "fortran", "gatsby", "gcp",
    "gemini", "git", "go", "godot", "golang", "gradle", "grafana", "graphql", "grpc", "hadoop",
    "haproxy", "haskell", "helix", "helm", "heroku", "homebrew", "htmx", "hugo", "illustrator",
    "influxdb", "insomnia", "ios", "istio", "jaeger", "java", "jekyll", "jenkins", "jest", "jira",
    "jquery", "julia", "jupyter", "k8s", "kafka", "keras", "keycloak", "kibana", "koa", "kong",
    "kotlin", "kubernetes", "laravel", "latex", "linear", "linkerd", "linux", "lisp", "llama",
    "logstash", "loki", "lua", "macos", "magento", "mailgun", "mariadb", "markdown", "matplotlib",
    "maven", "meilisearch", "memcached", "mercurial", "minikube", "minio", "mistral", "mobx",
    "mocha", "mongo", "mongodb", "mysql", "nats", "neo4j", "neovim", "nestjs", "netlify",
    "newrelic", "next.js", "nextjs", "nginx", "nim", "nix", "nixos", "node", "nodejs", "notion",
    "npm", "numpy", "nuxt", "nvim", "obsidian", "okta", "ollama", "opencv", "openvpn", "oracle",
    "outlook", "packer", "pandas", "pandoc", "parquet", "perl", "photoshop", "pinia", "playwright",
    "pnpm", "podman", "postgres", "postgresql", "postman", "preact", "presto", "prettier", "prisma",
    "prometheus", "protobuf", "pulsar", "pulumi", "puppet", "puppeteer", "pydantic", "pytest",
    "python", "pytorch", "rabbitmq", "rails", "railway", "react", "redis", "redux", "rollup",
    "ruby", "rust", "s3", "safari", "sass", "scala", "scheme", "scipy", "selenium", "sendgrid",
    "sentry", "sequelize", "serde", "shopify", "slack", "snowflake", "solidjs", "solr", "spark",
    "splunk", "spring", "sqlalchemy", "sqlite", "sqlx", "storybook", "strapi", "stripe", "stylus",
    "subversion", "supabase", "svelte", "swift", "symfony", "tailscale", "tailwind", "tailwindcss",
    "teams", "telegram", "tensorflow", "terraform", "thrift", "timescaledb", "tokio", "traefik",
    "travis", "trello", "trino", "trpc", "twilio", "typeorm", "typesense", "typst", "ubuntu",
    "unicode", "vagrant", "valkey", "vercel", "vim", "vite", "vitest", "vscode", "vue", "vuex",
    "webpack", "windows", "wireguard", "wireshark", "word", "wordpress", "yarn", "zed", "zig",
    "zipkin", "zookeeper", "zoom", "zsh", "zustand",
]);

#[rustfmt::skip]
static VENDORS: WordList = WordList::new(&[
    "adobe", "amazon", "apache", "atlassian", "aws", "azure", "eclipse", "gnu", "google",
    "hashicorp", "ibm", "jetbrains", "meta", "microsoft", "mozilla", "oracle", "red",
]);

#[rustfmt::skip]
static SPOKEN_LANGUAGES: WordList = WordList::new(&[
    "arabic", "chinese", "czech", "danish", "dutch", "english", "finnish", "french", "german",
    "greek", "hebrew", "hindi", "indonesian", "italian", "japanese", "korean", "latin", "norwegian",
    "polish", "portuguese", "russian", "spanish", "swedish", "thai", "turkish", "ukrainian",
    "vietnamese",
]);

/// File extensions that are recognised without a folder before the file name.
#[rustfmt::skip]
pub(super) const FILE_EXTENSIONS: &[&str] = &[
    "rs", "py", "js", "ts", "tsx", "jsx", "mjs", "cjs", "go", "java", "c", "h", "cc", "cpp", "hpp",
    "cs", "rb", "php", "swift", "kt", "kts", "scala", "sh", "bash", "zsh", "fish", "ps1", "bat",
    "sql", "md", "mdx", "rst", "txt", "toml", "yaml", "yml", "json", "jsonl", "xml", "html", "htm",
    "css", "scss", "csv", "tsv", "lock", "ini", "cfg", "conf", "env", "log", "pdf", "png", "jpg",
    "jpeg", "gif", "svg", "webp", "proto", "ipynb", "db", "sqlite", "sqlite3", "zip", "gz", "tgz",
    "tar", "vue", "svelte", "tf", "lua", "ex", "exs", "erl", "hs", "ml", "zig", "dart", "gradle",
    "plist", "pem", "key", "docx", "xlsx", "pptx", "odt", "parquet", "wasm", "so", "dll", "exe",
    "gitignore", "dockerignore", "amem", "editorconfig", "npmrc", "bashrc", "zshrc", "service",
    "properties", "graphql", "prisma",
];
