//! Decides what to say first: candidates in, ranked and budgeted answer out.
