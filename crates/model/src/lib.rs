//! The vocabulary of Quipu as types, the limits, and the one table of error codes.
