//! The tool contracts: arguments in, engine call, result out.
