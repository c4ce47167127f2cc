//! Lexicons: programming keywords, brands, tools and file extensions, which decide between readings
//! of words that look alike.

/// Returns true for keywords of programming languages that may precede a bracket.
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Returns true for products that are written in Pascal case but are not types.
pub(super) fn is_brand(word: &str) -> bool {
    BRANDS.iter().any(|brand| brand.eq_ignore_ascii_case(word))
}

/// Returns true for languages and tools, which can follow "in" without being places.
pub(super) fn is_tool(word: &str) -> bool {
    is_brand(word) || TOOLS.iter().any(|tool| tool.eq_ignore_ascii_case(word))
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
const TOOLS: &[&str] = &[
    "Rust", "Python", "Java", "Kotlin", "Scala", "Swift", "Ruby", "Perl", "Haskell", "Elixir",
    "Erlang", "Clojure", "Lua", "Zig", "Nim", "Julia", "Fortran", "Cobol", "Lisp", "Scheme", "Bash",
    "Go", "Golang", "Dart", "Flutter", "React", "Vue", "Angular", "Svelte", "Django", "Flask",
    "Rails", "Laravel", "Spring", "Express", "Tokio", "Axum", "Docker", "Kubernetes", "Terraform",
    "Ansible", "Helm", "Jenkins", "Postgres", "PostgreSQL", "SQLite", "MySQL", "Redis", "Valkey",
    "Kafka", "Cassandra", "Oracle", "Excel", "Word", "Outlook", "Slack", "Teams", "Zoom", "Jira",
    "Confluence", "Notion", "Obsidian", "Figma", "Photoshop", "Blender", "Chrome", "Firefox",
    "Safari", "Edge", "Linux", "Windows", "Android", "Ubuntu", "Debian", "Fedora", "Git", "Vim",
    "Emacs", "Cursor", "Codex", "Claude", "Grafana", "Prometheus", "Sentry", "Datadog", "Cargo",
    "Nix", "Markdown", "Unicode", "English", "German", "French", "Spanish", "Italian", "Portuguese",
    "Russian", "Chinese", "Japanese", "Korean", "Arabic", "Hindi", "Dutch", "Polish", "Latin",
];

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
