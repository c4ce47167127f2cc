//! Fixture: the test dialect over pipes, for clients that start a command. The command is a relay
//! to a local port, so that the server under test stays in this process. The app's tests cover the
//! real program's stdin and stdout.

use crate::dialect::TestDialect;
use crate::driver::{node, scripts};
use crate::temporary_engine::TemporaryEngine;
use engine::{ClientEnvironment, Engine};
use model::OwnerId;
use quipu_server::LocalClient;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// Serves every connection to its port as a pipe, until it is dropped.
pub struct StdioRelay {
    port: u16,
    _runtime: Runtime,
    _memory: TemporaryEngine,
}

impl StdioRelay {
    pub fn start() -> Self {
        let runtime = Runtime::new().unwrap();
        let memory = runtime.block_on(TemporaryEngine::new()).unwrap();
        let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", 0))).unwrap();
        let port = listener.local_addr().unwrap().port();
        runtime.spawn(serve(listener, memory.engine()));
        Self { port, _runtime: runtime, _memory: memory }
    }

    /// Returns the server entry of a plan.
    pub fn command(&self) -> Value {
        let relay = scripts().join("relay.mjs");
        let args = json!([relay, self.port.to_string()]);
        json!({ "command": node(&[]).get_program().to_str(), "args": args, "env": {} })
    }
}

async fn serve(listener: TcpListener, engine: Arc<Engine>) {
    while let Ok((stream, _)) = listener.accept().await {
        let engine = Arc::clone(&engine);
        tokio::spawn(async move {
            let streams = stream.into_split();
            let stop = CancellationToken::new();
            quipu_server::serve_pipe(
                engine,
                Arc::new(TestDialect::new()),
                local_client(),
                streams,
                stop,
            )
            .await
            .unwrap();
        });
    }
}

pub fn local_client() -> LocalClient {
    let surroundings = ClientEnvironment {
        project: Some("quipu".to_owned()),
        session: Some("s-1".to_owned()),
        cwd: Some("/somewhere".to_owned()),
    };
    LocalClient { owner: OwnerId::me(), surroundings }
}
