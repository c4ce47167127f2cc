//! The owner with a browser, against the real binary: comes in by the printed link, opens what a
//! program sends them to, and says yes or no. It keeps cookies as a browser would: the session goes
//! only where our own site leads.

use crate::served::Served;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

/// The owner, come in.
pub struct Owner {
    address: String,
    cookie: String,
}

/// An answer to the owner's browser.
pub struct Page {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl Owner {
    /// Opens the link that was printed.
    pub fn come_in(served: &Served) -> Self {
        let address = served.address().to_owned();
        let link = served.text("dashboard").split_once(&address).unwrap().1;
        let opened = ask(&address, "GET", link, &[], "");
        let cookie = opened.headers["set-cookie"].split(';').next().unwrap().to_owned();
        Self { address, cookie }
    }

    /// Opens a page of ours, within the visit.
    pub fn open(&self, path: &str) -> Page {
        ask(&self.address, "GET", path, &[("Cookie", &self.cookie), ("Accept", "text/html")], "")
    }

    /// Opens the address that a program sends the browser to, up to the page where the owner is
    /// asked.
    pub fn asked(&self, url: &str) -> Page {
        let path = url.split_once(&self.address).unwrap_or_else(|| panic!("{url} is not ours")).1;
        let led = ask(&self.address, "GET", path, &[("Accept", "text/html")], "");
        assert_eq!(led.status, 200, "{}", led.body);
        self.open(led.headers["refresh"].strip_prefix("0; url=").unwrap())
    }

    /// Answers a program, and gives the address that the browser is sent to then.
    pub fn decide(&self, url: &str, decision: &str, grants: &Value) -> String {
        let page = self.asked(url);
        assert_eq!(page.status, 200, "{}", page.body);
        let request = unescaped(between(&page.body, r#"name="request" value=""#));
        let request: Value = serde_json::from_str(&request).unwrap();
        let body = json!({ "request": request, "decision": decision, "grants": grants });
        let token = between(&page.body, r#"name="form-token" content=""#);
        let told = self.send("POST", "/v1/consent", token, &body);
        let go: Value = serde_json::from_str(&told.body).unwrap();
        go["go"].as_str().unwrap_or_else(|| panic!("{}", told.body)).to_owned()
    }

    /// Calls an operation as a page does.
    pub fn send(&self, method: &str, path: &str, form_token: &str, body: &Value) -> Page {
        let headers = [
            ("Cookie", &*self.cookie),
            ("X-Form-Token", form_token),
            ("Content-Type", "application/json"),
        ];
        ask(&self.address, method, path, &headers, &body.to_string())
    }

    /// The form token of the visit.
    pub fn form_token(&self) -> String {
        between(&self.open("/settings").body, r#"name="form-token" content=""#).to_owned()
    }

    /// A browser that programs can be given by its address: it opens `?url=`, says yes with these
    /// grants, and answers with where it was sent.
    pub fn browser(self, grants: Vec<Value>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        let owner = Arc::new(self);
        std::thread::spawn(move || {
            // The last answer holds for whoever comes after it.
            for (at, stream) in listener.incoming().enumerate() {
                owner.serve(stream.unwrap(), grants.get(at).or(grants.last()).unwrap());
            }
        });
        address
    }

    fn serve(&self, mut stream: TcpStream, grants: &Value) {
        let mut line = String::new();
        BufReader::new(stream.try_clone().unwrap()).read_line(&mut line).unwrap();
        let url = line.split_whitespace().nth(1).unwrap().split_once("?url=").unwrap().1;
        let go = self.decide(&decoded(url), "allow", grants);
        write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{go}",
            go.len()
        )
        .unwrap();
    }
}

/// One request, by hand.
pub fn ask(address: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Page {
    let mut stream = TcpStream::connect(address).unwrap();
    let named = headers.iter().any(|(name, _)| *name == "Host");
    let host = if named { String::new() } else { format!("Host: {address}\r\n") };
    let headers: String =
        headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\n{host}{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split_whitespace().nth(1).unwrap().parse().unwrap();
    let header = |line: &str| {
        line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned()))
    };
    Page { status, headers: head.lines().filter_map(header).collect(), body: body.to_owned() }
}

fn between<'p>(page: &'p str, before: &str) -> &'p str {
    page.split(before)
        .nth(1)
        .unwrap_or_else(|| panic!("no {before} in {page}"))
        .split('"')
        .next()
        .unwrap()
}

fn unescaped(text: &str) -> String {
    text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// A text as it stood in an address.
pub fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let digits = if byte == b'%' { [rest.next(), rest.next()] } else { [None, None] };
        bytes.push(match digits {
            [Some(high), Some(low)] => {
                u8::from_str_radix(std::str::from_utf8(&[high, low]).unwrap(), 16).unwrap()
            }
            _ => byte,
        });
    }
    String::from_utf8(bytes).unwrap()
}
