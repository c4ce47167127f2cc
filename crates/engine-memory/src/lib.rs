//! The use cases of a memory, one file each, called by every dialect, page and command. Rules that
//! belong to all dialects live and are tested here. Knows no transport, no tool name and no SQL.

pub mod adding;
pub mod aside;
pub mod briefing;
pub mod choose;
pub mod correct;
pub mod counted;
pub mod curate;
pub mod decay;
pub mod edit;
pub mod entities;
pub mod explore;
pub mod facts;
pub mod forget;
pub mod get;
mod handles;
pub mod handoffs;
pub mod knots;
pub mod listing;
pub mod news;
pub mod overview;
pub mod periods;
pub mod places;
pub mod profile;
pub mod quality;
pub mod recall;
pub mod references;
pub mod remember;
pub mod review;
pub mod sessions;
pub mod similar;
pub mod tables;
pub mod ties;
pub mod verify;
pub mod versions;
pub mod workspaces;

pub use handles::{
    Caches, Graph, Handoffs, Memories, Profile, References, Reviews, Sessions, Tables, Workspaces,
};
