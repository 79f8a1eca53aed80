use super::*;
use proptest::prelude::*;

fn labels(name: &str) -> Vec<u8> {
    let mut bytes: Vec<u8> =
        name.split('.').flat_map(|label| [&[label.len() as u8], label.as_bytes()].concat()).collect();
    bytes.push(0);
    bytes
}

fn packet(flags: u16, counts: [u16; 4], rest: &[u8]) -> Vec<u8> {
    let mut bytes = 7u16.to_be_bytes().to_vec();
    bytes.extend(flags.to_be_bytes());
    bytes.extend(counts.iter().flat_map(|count| count.to_be_bytes()));
    bytes.extend(rest);
    bytes
}

fn question(name: &str, kind: u16) -> Vec<u8> {
    [labels(name), kind.to_be_bytes().to_vec(), vec![0, 1]].concat()
}

fn asks(name: &str, kind: u16) -> Vec<u8> {
    packet(RECURSION_DESIRED, [1, 0, 0, 0], &question(name, kind))
}

#[test]
fn reads_a_question() {
    let query = query(&asks("Example.com", 28)).unwrap();
    assert_eq!(query.name.as_deref(), Some(&b"Example.com"[..]));
    assert_eq!(query.kind, Kind::V6);
}

#[test]
fn an_edns_record_is_let_be() {
    let rest = [question("example.com", 1), vec![0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0]].concat();
    assert_eq!(query(&packet(0, [1, 0, 0, 1], &rest)).unwrap().kind, Kind::V4);
}

#[test]
fn a_dot_within_a_label_is_no_name() {
    let rest = [&[11][..], b"example.com", &[0, 0, 1, 0, 1]].concat();
    assert_eq!(query(&packet(0, [1, 0, 0, 0], &rest)).unwrap().name, None);
}

#[test]
fn refuses_what_is_not_one_plain_question() {
    let one = question("example.com", 1);
    for bytes in [
        packet(0, [0, 0, 0, 0], &[]),
        packet(0, [2, 0, 0, 0], &[one.clone(), one.clone()].concat()),
        packet(0, [1, 1, 0, 0], &one),
        packet(0, [1, 0, 0, 1], &one),
        packet(0, [1, 0, 0, 0], &[&one[..], b"more"].concat()),
        packet(0x2800, [1, 0, 0, 0], &one),
        packet(0x0200, [1, 0, 0, 0], &one),
        packet(0, [1, 0, 0, 0], &[0xc0, 0x0c, 0, 1, 0, 1]),
        packet(0, [1, 0, 0, 0], &[labels("example.com"), vec![0, 1, 0, 3]].concat()),
        packet(0, [1, 0, 0, 0], &question(&vec!["a".repeat(60); 5].join("."), 1)),
    ] {
        assert!(matches!(query(&bytes), Err(Unreadable::FormatError(_))), "{bytes:02x?}");
    }
    for bytes in [&[][..], &[1, 2, 3], &packet(0x8180, [1, 0, 0, 0], &one)] {
        assert_eq!(query(bytes), Err(Unreadable::Silence), "{bytes:02x?}");
    }
}

#[test]
fn answers_the_family_that_was_asked_for() {
    let query = query(&asks("example.com", 1)).unwrap();
    let bytes = answer(&query, Code::Fine, &["1.2.3.4".parse().unwrap(), "::1".parse().unwrap()]);
    let record = [0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 1, 2, 3, 4];
    assert_eq!(bytes, [packet(0x8180, [1, 1, 0, 0], &question("example.com", 1)), record.to_vec()].concat());
}

#[test]
fn the_longest_answer_fits() {
    let name =
        [&"a".repeat(63), &"b".repeat(63), &"c".repeat(63), &"d".repeat(61)].map(String::as_str).join(".");
    let query = query(&asks(&name, 28)).unwrap();
    let addresses = vec!["2606::1".parse().unwrap(); crate::judge::ADDRESSES];
    assert!(answer(&query, Code::Fine, &addresses).len() <= LONGEST);
}

proptest! {
    #[test]
    fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let _ = query(&bytes);
        let _ = query(&packet(0, [1, 0, 0, 1], &bytes));
    }

    #[test]
    fn a_bent_query_never_panics(at in 0usize..29, to: u8) {
        let mut bytes = asks("example.com", 1);
        bytes[at] = to;
        let _ = query(&bytes);
    }

    #[test]
    fn any_name_reads_back(name in "[a-z0-9_-]{1,20}(\\.[a-z]{1,20}){0,5}", kind: u16) {
        let query = query(&asks(&name, kind)).unwrap();
        prop_assert_eq!(query.name, Some(name.into_bytes()));
    }
}
