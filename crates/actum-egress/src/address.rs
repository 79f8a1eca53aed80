//! Which addresses are out in the world, and which are this machine, its neighbours or its keeper.
//!
//! A granted name must lead to the former. The IPv4 table is a list of what is refused, after the IANA registry of
//! special-purpose addresses; IPv6 is the other way round: only global unicast passes, less the ranges carved out of
//! it. Addresses that carry an IPv4 address inside are judged by what they carry. Pure. Start at [`is_public`].

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is in the public internet, and so fit to be where a granted *name* leads.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !NOT_PUBLIC_V4.iter().any(|(base, length)| {
        let mask = u32::MAX << (32 - length);
        address.to_bits() & mask == base.to_bits()
    })
}

const NOT_PUBLIC_V4: [(Ipv4Addr, u32); 16] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8), // "this network"; 0.0.0.0 reaches loopback on Linux
    (Ipv4Addr::new(10, 0, 0, 0), 8), // private
    (Ipv4Addr::new(100, 64, 0, 0), 10), // carrier-grade NAT; one cloud's metadata at 100.100.100.200
    (Ipv4Addr::new(127, 0, 0, 0), 8), // loopback
    (Ipv4Addr::new(168, 63, 129, 16), 32), // a cloud's host agent, in public space but never public
    (Ipv4Addr::new(169, 254, 0, 0), 16), // link-local; metadata at 169.254.169.254
    (Ipv4Addr::new(172, 16, 0, 0), 12), // private
    (Ipv4Addr::new(192, 0, 0, 0), 24), // protocol assignments; one cloud's metadata at 192.0.0.192
    (Ipv4Addr::new(192, 0, 2, 0), 24), // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24), // 6to4 relays, withdrawn
    (Ipv4Addr::new(192, 168, 0, 0), 16), // private
    (Ipv4Addr::new(198, 18, 0, 0), 15), // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24), // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24), // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4), // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4), // reserved, and broadcast
];

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(inside) = carried_v4(address) {
        return is_public_v4(inside);
    }
    let [first, second, ..] = address.segments();
    let global_unicast = first & 0xe000 == 0x2000;
    let protocol_assignments = first == 0x2001 && second & 0xfe00 == 0; // Teredo, benchmarks, ORCHID
    let documentation = (first == 0x2001 && second == 0x0db8) || (first == 0x3fff && second & 0xf000 == 0);
    global_unicast && !protocol_assignments && !documentation
}

/// The IPv4 address that an IPv6 one stands for: mapped, compatible, NAT64 or 6to4.
fn carried_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let join = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match [a, b, c, d, e, f] {
        [0, 0, 0, 0, 0, 0xffff | 0] | [0x0064, 0xff9b, 0, 0, 0, 0] => Some(join(g, h)),
        [0x2002, high, low, ..] => Some(join(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn public_addresses_pass() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "93.184.216.34",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.17.0.1",
            "198.20.0.1",
            "223.255.255.255",
            "168.63.129.17",
            "11.0.0.0",
            "2606:4700::1111",
            "2001:4860:4860::8888",
            "2a00::1",
            "3fff:1000::1",
            "::ffff:1.1.1.1",
            "64:ff9b::1.1.1.1",
            "2002:101:101::1",
        ] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn everything_near_home_is_refused() {
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.255.254",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::2",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "100::1",
            "64:ff9b:1::1",
            "5f00::1",
            "::ffff:0:10.0.0.1",
            "2001::1",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "2001:db8::1",
            "3fff::1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::10.0.0.1",
            "::7f00:1",
            "64:ff9b::10.0.0.1",
            "64:ff9b::a9fe:a9fe",
            "2002:7f00:1::",
            "2002:a9fe:a9fe::1",
            "2002:c0a8:101::1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_carried_address_is_as_public_as_itself(bits: u32) {
            let [a, b] = [(bits >> 16) as u16, bits as u16];
            let own = is_public_v4(Ipv4Addr::from_bits(bits));
            prop_assert_eq!(is_public_v6(Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, a, b)), own);
            prop_assert_eq!(is_public_v6(Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, a, b)), own);
            prop_assert_eq!(is_public_v6(Ipv6Addr::new(0x2002, a, b, 7, 7, 7, 7, 7)), own);
        }
    }
}
