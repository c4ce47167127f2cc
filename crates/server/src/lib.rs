//! MCP over stdio and Streamable HTTP; the only room that knows HTTP.
