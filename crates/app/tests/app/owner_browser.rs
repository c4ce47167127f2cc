//! The owner's browser, against the real binary: logs in with the printed link, opens the consent
//! page of an OAuth client, and allows or denies it. It sends the session cookie as a browser
//! would, only for navigation within the site.

use crate::server_process::ServerProcess;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

/// A browser in which the owner is logged in.
pub struct OwnerBrowser {
    address: String,
    /// Host name of the dashboard.
    host: String,
    cookie: String,
    form_token: String,
}

/// An HTTP response.
pub struct BrowserResponse {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl OwnerBrowser {
    /// Logs in with a new link.
    pub fn log_in(served: &ServerProcess) -> Self {
        Self::log_in_with(served, &served.login_link())
    }

    /// Logs in with a link.
    pub fn log_in_with(served: &ServerProcess, link: &str) -> Self {
        let address = served.address().to_owned();
        let link = link.split_once(&address).unwrap().1;
        let led = http_request(&address, "GET", link, &[], "");
        let go = unescape_html(between(&led.body, r#"name="go" content=""#));
        let (host, path) = go.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let opened = http_request(&address, "GET", &format!("/{path}"), &[("Host", host)], "");
        let cookie = opened.headers["set-cookie"].split(';').next().unwrap().to_owned();
        let form_token = between(&opened.body, r#"name="form-token" content=""#).to_owned();
        Self { address, host: host.to_owned(), cookie, form_token }
    }

    /// Opens a page within the session.
    pub fn open(&self, path: &str) -> BrowserResponse {
        http_request(
            &self.address,
            "GET",
            path,
            &[("Host", &self.host), ("Cookie", &self.cookie), ("Accept", "text/html")],
            "",
        )
    }

    /// Opens the authorization URL of a client, and follows it to the consent page.
    pub fn open_consent_page(&self, url: &str) -> BrowserResponse {
        let path = url.split_once(&self.address).unwrap_or_else(|| panic!("{url} is not ours")).1;
        let led = http_request(&self.address, "GET", path, &[("Accept", "text/html")], "");
        assert_eq!(led.status, 200, "{}", led.body);
        self.open(&unescape_html(between(&led.body, r#"name="next" content=""#)))
    }

    /// Allows or denies a client, and returns the URL that the browser is redirected to.
    pub fn decide(&self, url: &str, decision: &str, grants: &Value) -> String {
        let page = self.open_consent_page(url);
        assert_eq!(page.status, 200, "{}", page.body);
        let request = unescape_html(between(&page.body, r#"name="request" value=""#));
        let request: Value = serde_json::from_str(&request).unwrap();
        let body = json!({ "request": request, "decision": decision, "grants": grants });
        let response = self.send("POST", "/v1/consent", &self.form_token, &body);
        let go: Value = serde_json::from_str(&response.body).unwrap();
        go["go"].as_str().unwrap_or_else(|| panic!("{}", response.body)).to_owned()
    }

    /// Calls an operation of the REST interface as a page does.
    pub fn send(
        &self,
        method: &str,
        path: &str,
        form_token: &str,
        body: &Value,
    ) -> BrowserResponse {
        let headers = [
            ("Host", &*self.host),
            ("Cookie", &*self.cookie),
            ("X-Form-Token", form_token),
            ("Content-Type", "application/json"),
        ];
        http_request(&self.address, method, path, &headers, &body.to_string())
    }

    /// Returns the form token of the session.
    pub fn form_token(&self) -> String {
        self.form_token.clone()
    }

    /// Serves the browser over HTTP for clients in other processes: it opens `?url=`, allows the
    /// client with these grants, and responds with the redirect URL. Returns its address.
    pub fn serve_browser(self, grants: Vec<Value>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        let owner = Arc::new(self);
        std::thread::spawn(move || {
            // The last grants apply to all further requests.
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
        let go = self.decide(&percent_decode(url), "allow", grants);
        write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{go}",
            go.len()
        )
        .unwrap();
    }
}

/// Sends one HTTP request.
pub fn http_request(
    address: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> BrowserResponse {
    let mut stream = TcpStream::connect(address).unwrap();
    let named = headers.iter().any(|(name, _)| *name == "Host");
    let host = if named { String::new() } else { format!("Host: {address}\r\n") };
    let headers: String =
        headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\n{host}{headers}Content-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split_whitespace().nth(1).unwrap().parse().unwrap();
    BrowserResponse { status, headers: read_headers(head), body: body.to_owned() }
}

/// Reads headers; the values of one that is repeated are in lines.
fn read_headers(head: &str) -> BTreeMap<String, String> {
    let mut headers: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in head.lines().filter_map(|line| line.split_once(": ")) {
        let values = headers.entry(name.to_lowercase()).or_default();
        if !values.is_empty() {
            values.push('\n');
        }
        values.push_str(value);
    }
    headers
}

fn between<'p>(page: &'p str, before: &str) -> &'p str {
    page.split(before)
        .nth(1)
        .unwrap_or_else(|| panic!("no {before} in {page}"))
        .split('"')
        .next()
        .unwrap()
}

fn unescape_html(text: &str) -> String {
    text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// Decodes percent-encoded text.
pub fn percent_decode(text: &str) -> String {
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
