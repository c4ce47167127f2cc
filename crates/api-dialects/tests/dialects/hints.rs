//! Recovery hints fit the arguments of each contract.

use dialects::{Agentic, CodeMemory, DialectApi, Epitome, Librarian, Quipu};
use model::ErrorCode;

#[test]
fn no_hint_names_an_argument_that_the_contract_lacks() {
    let dialects: [&dyn DialectApi; 5] = [
        &Quipu::default(),
        &Epitome::default(),
        &Agentic::default(),
        &Librarian::default(),
        &CodeMemory::default(),
    ];
    for dialect in dialects {
        let takes = |argument: &str| {
            dialect.tools().iter().any(|tool| tool.input["properties"].get(argument).is_some())
        };
        for &code in ErrorCode::ALL {
            for argument in ["allow_forgotten", "allowForgotten"] {
                let named = dialect.hint(code).contains(argument);
                assert!(
                    !named || takes(argument),
                    "{}: {code}: {}",
                    dialect.name(),
                    dialect.hint(code)
                );
            }
        }
    }
}
