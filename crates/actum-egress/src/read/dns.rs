//! Reads a DNS query and writes its answer (RFC 1035): one question, addresses only, nothing that could carry more.
//!
//! A query with anything beside its question, an EDNS record apart, is not answered for. The answer never exceeds what
//! UDP carries without EDNS, so there is no truncation to speak of. Pure. Start reading at [`query`].

use super::cursor::Cursor;
use std::net::IpAddr;

/// The longest query and answer.
pub(crate) const LONGEST: usize = 512;

/// Seconds that an answer may be kept. A client cannot dial it anyway; the proxy resolves for itself.
const TIME_TO_LIVE: u32 = 60;

const HEADER: usize = 12;
const INTERNET: u16 = 1;
const OPTIONS: u16 = 41;
const RECURSION_DESIRED: u16 = 0x0100;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Query {
    /// The labels joined by dots, not yet in normal form; `None` where a label holds a dot of its own.
    pub(crate) name: Option<Vec<u8>>,
    pub(crate) kind: Kind,
    heading: Heading,
    /// The question as it came, to be repeated in the answer.
    question: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    V4,
    V6,
    /// MX, TXT, HTTPS and the rest: known names have none of these here.
    Other,
}

/// What an answer repeats even when the question could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    id: u16,
    recursion_desired: u16,
}

/// Why a packet is not a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// Not even a query's header; answering could start a loop between two answerers.
    Silence,
    FormatError(Heading),
}

/// The answer codes that we use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    Fine = 0,
    FormatError = 1,
    ServerFailure = 2,
    NoSuchName = 3,
}

pub(crate) fn query(packet: &[u8]) -> Result<Query, Unreadable> {
    let mut bytes = Cursor::new(packet);
    let heading = heading(&mut bytes)?;
    rest_of_query(packet, bytes, heading).ok_or(Unreadable::FormatError(heading))
}

/// The answer to a query; addresses of the other family are left out.
pub(crate) fn answer(query: &Query, code: Code, addresses: &[IpAddr]) -> Vec<u8> {
    let records: Vec<Vec<u8>> = addresses.iter().filter_map(|address| record(query.kind, *address)).collect();
    let mut packet = header(query.heading, code, 1, records.len() as u16);
    packet.extend_from_slice(&query.question);
    for record in records {
        packet.extend_from_slice(&record);
    }
    packet
}

/// The answer to what could not be read.
pub(crate) fn format_error(heading: Heading) -> Vec<u8> {
    header(heading, Code::FormatError, 0, 0)
}

fn heading(bytes: &mut Cursor<'_>) -> Result<Heading, Unreadable> {
    let (Some(id), Some(flags)) = (bytes.u16(), bytes.u16()) else { return Err(Unreadable::Silence) };
    let is_answer = flags & 0x8000 != 0;
    if is_answer {
        return Err(Unreadable::Silence);
    }
    let heading = Heading { id, recursion_desired: flags & RECURSION_DESIRED };
    let plain_query = flags & 0x7a00 == 0; // operation 0, not truncated
    if plain_query { Ok(heading) } else { Err(Unreadable::FormatError(heading)) }
}

fn rest_of_query(packet: &[u8], mut bytes: Cursor<'_>, heading: Heading) -> Option<Query> {
    let [questions, answers, authorities, additions] =
        [bytes.u16()?, bytes.u16()?, bytes.u16()?, bytes.u16()?];
    if packet.len() > LONGEST || questions != 1 || answers != 0 || authorities != 0 || additions > 1 {
        return None;
    }
    let name = name(&mut bytes)?;
    let (kind, class) = (bytes.u16()?, bytes.u16()?);
    let question = packet.get(HEADER..bytes.used())?.to_vec();
    if additions == 1 {
        options(&mut bytes)?;
    }
    if class != INTERNET || !bytes.is_at_end() {
        return None;
    }
    let kind = match kind {
        1 => Kind::V4,
        28 => Kind::V6,
        _ => Kind::Other,
    };
    Some(Query { name, kind, heading, question })
}

/// Labels up to the empty one; `Some(None)` where a label holds a dot, which no text can show. A compression pointer has nothing to point to in a question.
fn name(bytes: &mut Cursor<'_>) -> Option<Option<Vec<u8>>> {
    let mut text = Vec::new();
    let mut honest = true;
    loop {
        let length = bytes.u8()?;
        if length == 0 {
            return Some(honest.then_some(text));
        }
        let label = (length <= 63).then(|| bytes.take(usize::from(length))).flatten()?;
        if !text.is_empty() {
            text.push(b'.');
        }
        text.extend_from_slice(label);
        honest &= !label.contains(&b'.');
        if text.len() > 253 {
            return None;
        }
    }
}

/// An EDNS record: of the root, and of no consequence.
fn options(bytes: &mut Cursor<'_>) -> Option<()> {
    let (root, kind, _size, _flags) = (bytes.u8()?, bytes.u16()?, bytes.u16()?, bytes.array::<4>()?);
    bytes.vector()?;
    (root == 0 && kind == OPTIONS).then_some(())
}

fn header(heading: Heading, code: Code, questions: u16, answers: u16) -> Vec<u8> {
    let flags = 0x8080 | heading.recursion_desired | code as u16; // an answer, recursion available
    [heading.id, flags, questions, answers, 0, 0].iter().flat_map(|word| word.to_be_bytes()).collect()
}

fn record(kind: Kind, address: IpAddr) -> Option<Vec<u8>> {
    let (number, octets) = match (kind, address) {
        (Kind::V4, IpAddr::V4(address)) => (1u16, address.octets().to_vec()),
        (Kind::V6, IpAddr::V6(address)) => (28, address.octets().to_vec()),
        (Kind::V4, IpAddr::V6(_)) | (Kind::V6, IpAddr::V4(_)) | (Kind::Other, _) => return None,
    };
    let mut record = 0xc00c_u16.to_be_bytes().to_vec(); // the question's name, at byte 12
    record.extend(number.to_be_bytes());
    record.extend(INTERNET.to_be_bytes());
    record.extend(TIME_TO_LIVE.to_be_bytes());
    record.extend((octets.len() as u16).to_be_bytes());
    record.extend(octets);
    Some(record)
}

#[cfg(test)]
mod tests;
