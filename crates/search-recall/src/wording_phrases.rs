//! Phrases by which questions in other languages than English show their intent. Phrases of
//! scripts with spaces match whole words; those of other scripts match anywhere.

/// Phrases that look back at what an assistant said: "hast du empfohlen", "recomendaste".
#[rustfmt::skip]
pub(crate) const REPLY_PHRASES: &[&str] = &[
    // German
    "hast du", "du hast", "haben sie mir", "deine empfehlung", "deine antwort",
    "dein vorschlag", "deinen vorschlag", "letzten gespräch", "letzten chat", "der assistent",
    // Spanish
    "recomendaste", "dijiste", "sugeriste", "mencionaste", "explicaste", "me diste",
    "has recomendado", "has dicho", "tu recomendación", "tu respuesta", "tu sugerencia",
    "última conversación", "el asistente",
    // French
    "as tu", "tu as", "avez vous", "vous avez", "ta recommandation", "ta réponse",
    "ta suggestion", "votre recommandation", "votre réponse", "dernière conversation",
    "l'assistant",
    // Portuguese
    "você disse", "você recomendou", "você sugeriu", "você mencionou", "você me",
    "sua recomendação", "sua resposta", "sua sugestão", "última conversa", "o assistente",
    // Italian
    "hai detto", "hai consigliato", "hai suggerito", "hai menzionato", "mi hai",
    "tua raccomandazione", "tua risposta", "tuo consiglio", "ultima conversazione",
    "l'assistente",
    // Dutch
    "heb je", "je hebt", "jouw advies", "jouw antwoord", "jouw suggestie", "laatste gesprek",
    "de assistent",
    // Russian
    "ты рекомендовал", "ты советовал", "ты посоветовал", "ты говорил", "ты сказал",
    "ты предложил", "вы рекомендовали", "вы сказали", "вы предложили", "твой совет",
    "твоя рекомендация", "прошлом разговоре", "ассистент",
    // Chinese
    "你推荐", "你說過", "你说过", "你提到", "你建议", "你之前", "上次对话", "助手",
    // Japanese
    "おすすめしてくれた", "言っていた", "言ってた", "教えてくれた", "提案してくれた", "前回の会話",
    "アシスタント",
    // Korean
    "추천했", "추천해 준", "추천해준", "말했던", "제안했", "지난 대화", "어시스턴트",
];

/// Phrases that ask for something new: help, advice, instructions.
#[rustfmt::skip]
pub(crate) const REQUEST_PHRASES: &[&str] = &[
    // German
    "kannst du", "könntest du", "können sie", "könnten sie", "würdest du", "soll ich",
    "sollte ich", "kann ich", "empfiehl", "empfehlungen für", "vorschläge", "tipps", "ideen",
    // Spanish
    "puedes", "podrías", "debería", "debo", "puedo", "recomiéndame", "recomiendas", "consejos",
    // French
    "peux tu", "pourrais tu", "pouvez vous", "pourriez vous", "dois je", "devrais je",
    "puis je", "conseils", "idées", "recommande moi", "recommandes tu",
    // Portuguese
    "você pode", "você poderia", "poderia", "devo", "deveria", "posso", "dicas", "sugestões",
    "ideias", "recomende",
    // Italian
    "puoi", "potresti", "dovrei", "devo", "posso", "consigli", "suggerimenti", "idee",
    // Dutch
    "kun je", "kan je", "zou je", "moet ik", "zal ik", "kan ik", "advies", "ideeën", "raad je",
    // Russian
    "можешь", "можете", "не мог бы", "посоветуй", "порекомендуй", "стоит ли мне", "как мне",
    "что мне", "советы", "идеи",
    // Chinese
    "你能", "你可以", "能不能", "帮我", "我应该", "建议我", "推荐一", "有什么建议",
    // Japanese
    "してくれますか", "してください", "できますか", "すべきですか", "すればいい", "おすすめは",
    "おすすめの", "アイデア",
    // Korean
    "해줘", "해 줘", "할 수 있", "추천해", "해야 할까", "조언",
];

/// Words that typically state a permanent preference. Each is looked up in the form that English
/// rules give it, which every text is indexed in.
pub(crate) const PREFERENCE_WORDS: &str = "\
    always never prefer rather avoid immer nie niemals stets lieber bevorzuge vermeide siempre \
    nunca jamás prefiero evita evitar toujours jamais préfère plutôt évite éviter sempre \
    prefiro evite preferisco piuttosto altijd nooit liever vermijd всегда никогда предпочитаю \
    избегай 总是 从不 永远 必ず 決して 항상 절대";
