//! A collector of OpenTelemetry on a loopback port, which decodes what it receives.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

/// Longest wait for a span. Only a failing test waits that long.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running collector. Its thread ends with the process of the test.
pub struct OtlpCollector {
    pub address: String,
    requests: Receiver<CollectedRequest>,
}

/// A request to the collector.
#[derive(Debug)]
pub struct CollectedRequest {
    pub head: String,
    pub body: Vec<u8>,
}

/// A span as the collector received it.
#[derive(Debug, Clone)]
pub struct CollectedSpan {
    pub trace_id: String,
    pub span_id: String,
    pub parent_id: String,
    pub name: String,
    pub attributes: BTreeMap<String, String>,
    pub is_error: bool,
}

impl OtlpCollector {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (sender, requests) = mpsc::channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let sender = sender.clone();
                std::thread::spawn(move || answer_all(stream, &sender));
            }
        });
        Self { address, requests }
    }

    /// Waits for requests until one of their spans satisfies a condition, and returns all requests.
    pub fn wait_for(&self, is_last: impl Fn(&CollectedSpan) -> bool) -> Vec<CollectedRequest> {
        let mut requests = Vec::new();
        while !requests.iter().flat_map(CollectedRequest::spans).any(|span| is_last(&span)) {
            requests.push(self.requests.recv_timeout(PATIENCE).expect("a request in time"));
        }
        requests
    }

    /// Returns the requests that have arrived.
    pub fn arrived(&self) -> Vec<CollectedRequest> {
        self.requests.try_iter().collect()
    }
}

/// Reads the requests of a connection until its end, and accepts each.
fn answer_all(stream: TcpStream, sender: &Sender<CollectedRequest>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some(request) = read_request(&mut reader) {
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        // The process of the test may be gone; then nobody wants it.
        if sender.send(request).is_err() || (&stream).write_all(answer).is_err() {
            return;
        }
    }
}

fn read_request(reader: &mut impl BufRead) -> Option<CollectedRequest> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    })?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(CollectedRequest { head, body })
}

impl CollectedRequest {
    /// Decodes the spans: resource spans (1), scope spans (2), spans (2).
    pub fn spans(&self) -> Vec<CollectedSpan> {
        let request = Message::decode(&self.body);
        let resource_spans = request.messages(1);
        let scope_spans = resource_spans.iter().flat_map(|one| one.messages(2));
        let spans: Vec<Message> = scope_spans.flat_map(|one| one.messages(2)).collect();
        spans.iter().map(CollectedSpan::decode).collect()
    }

    /// Decodes the attributes of the process: resource spans (1), resource (1).
    pub fn resource(&self) -> BTreeMap<String, String> {
        let resources = Message::decode(&self.body).messages(1).remove(0).messages(1);
        attributes(&resources[0], 1)
    }
}

impl CollectedSpan {
    fn decode(span: &Message) -> Self {
        Self {
            trace_id: hex(span.bytes(1)),
            span_id: hex(span.bytes(2)),
            parent_id: hex(span.bytes(4)),
            name: text(span.bytes(5)),
            attributes: attributes(span, 9),
            is_error: span.messages(15).iter().any(|status| status.number(3) == Some(2)),
        }
    }
}

fn attributes(message: &Message, field: u64) -> BTreeMap<String, String> {
    let value = |any: &Message| match any.number(3).or(any.number(2)) {
        Some(number) => number.cast_signed().to_string(),
        None => text(any.bytes(1)),
    };
    let pair = |pair: Message| (text(pair.bytes(1)), value(&pair.messages(2)[0]));
    message.messages(field).into_iter().map(pair).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A decoded protobuf message: its fields by number, in order.
struct Message(Vec<(u64, WireValue)>);

enum WireValue {
    Number(u64),
    Bytes(Vec<u8>),
}

impl Message {
    fn decode(mut bytes: &[u8]) -> Self {
        let mut fields = Vec::new();
        while !bytes.is_empty() {
            let tag = varint(&mut bytes);
            let value = match tag & 7 {
                0 => WireValue::Number(varint(&mut bytes)),
                1 => WireValue::Number(u64::from_le_bytes(take(&mut bytes, 8).try_into().unwrap())),
                2 => {
                    let length = varint(&mut bytes);
                    WireValue::Bytes(take(&mut bytes, length as usize).to_vec())
                }
                5 => {
                    let number = u32::from_le_bytes(take(&mut bytes, 4).try_into().unwrap());
                    WireValue::Number(u64::from(number))
                }
                wire => panic!("wire type {wire}"),
            };
            fields.push((tag >> 3, value));
        }
        Self(fields)
    }

    fn values(&self, field: u64) -> impl Iterator<Item = &WireValue> {
        self.0.iter().filter(move |(number, _)| *number == field).map(|(_, value)| value)
    }

    fn messages(&self, field: u64) -> Vec<Self> {
        let bytes = self.values(field).filter_map(|value| match value {
            WireValue::Bytes(bytes) => Some(bytes),
            WireValue::Number(_) => None,
        });
        bytes.map(|bytes| Self::decode(bytes)).collect()
    }

    fn bytes(&self, field: u64) -> &[u8] {
        match self.values(field).next() {
            Some(WireValue::Bytes(bytes)) => bytes,
            _ => &[],
        }
    }

    fn number(&self, field: u64) -> Option<u64> {
        match self.values(field).next() {
            Some(WireValue::Number(number)) => Some(*number),
            _ => None,
        }
    }
}

fn take<'b>(bytes: &mut &'b [u8], length: usize) -> &'b [u8] {
    let (taken, rest) = bytes.split_at(length);
    *bytes = rest;
    taken
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..).step_by(7) {
        let byte = take(bytes, 1)[0];
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    number
}
