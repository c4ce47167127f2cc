//! What a text mentions: entities, code symbols, dates, secrets.
