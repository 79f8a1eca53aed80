//! The Merkle tree of RFC 6962 over the entries of a log: roots, proofs, and their verification.
//!
//! Pure. A growing log needs only its [`Frontier`]; a proof asks for hashes of complete subtrees, wherever they are kept.

use actum_model::Digest;
use sha2::{Digest as _, Sha256};

/// The hash of one entry.
pub fn leaf(entry: &[u8]) -> Digest {
    Digest::finish(Sha256::new_with_prefix([0]).chain_update(entry))
}

/// The hash of two subtrees.
pub fn node(left: &Digest, right: &Digest) -> Digest {
    let mut bytes = [1; 65];
    bytes[1..33].copy_from_slice(&left.0);
    bytes[33..].copy_from_slice(&right.0);
    Digest::of(bytes)
}

/// The root of a tree without entries.
pub fn empty() -> Digest {
    Digest::of([])
}

/// A complete subtree: 2^level leaves, the index-th of its level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Subtree {
    pub level: u8,
    pub index: u64,
}

impl Subtree {
    /// The first leaf, and the one behind the last.
    pub fn leaves(self) -> (u64, u64) {
        (self.index << self.level, (self.index + 1) << self.level)
    }
}

/// The right edge of a tree: its complete subtrees, largest first. All that appending needs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frontier {
    size: u64,
    peaks: Vec<Digest>,
}

impl Frontier {
    /// As it was kept. Nothing, where the number of peaks is not that of a tree of this size.
    pub fn from_parts(size: u64, peaks: Vec<Digest>) -> Option<Self> {
        (peaks.len() == size.count_ones() as usize).then_some(Self { size, peaks })
    }

    pub fn size(&self) -> u64 {
        self.size
    }

    pub fn peaks(&self) -> &[Digest] {
        &self.peaks
    }

    /// Appends one leaf; tells each subtree that became complete with it, the leaf itself first.
    pub fn push(&mut self, leaf: Digest, mut complete: impl FnMut(Subtree, &Digest)) {
        let (mut hash, mut subtree) = (leaf, Subtree { level: 0, index: self.size });
        complete(subtree, &hash);
        // As many mergers as the size has ones at its end.
        while self.size >> subtree.level & 1 == 1 {
            let left = self.peaks.pop().expect("a one in the size is a peak");
            hash = node(&left, &hash);
            subtree = Subtree { level: subtree.level + 1, index: subtree.index >> 1 };
            complete(subtree, &hash);
        }
        self.peaks.push(hash);
        self.size += 1;
    }

    pub fn root(&self) -> Digest {
        let mut peaks = self.peaks.iter().rev();
        match peaks.next() {
            None => empty(),
            Some(last) => peaks.fold(*last, |right, left| node(left, &right)),
        }
    }
}

/// Where the hashes of complete subtrees come from.
pub trait Subtrees {
    type Error;
    fn hash(&mut self, subtree: Subtree) -> Result<Digest, Self::Error>;
}

/// The root over the first `size` leaves.
pub fn root<S: Subtrees>(size: u64, subtrees: &mut S) -> Result<Digest, S::Error> {
    range(0, size, subtrees)
}

/// The proof that the leaf at `index` is in the tree of the first `size` leaves. The leaf must be in it.
pub fn inclusion<S: Subtrees>(index: u64, size: u64, subtrees: &mut S) -> Result<Vec<Digest>, S::Error> {
    let mut proof = Vec::new();
    path(index, (0, size), subtrees, &mut proof)?;
    Ok(proof)
}

/// The proof that the tree of the first `old` leaves is a beginning of the tree of the first `new`. `old` is at most `new`.
pub fn consistency<S: Subtrees>(old: u64, new: u64, subtrees: &mut S) -> Result<Vec<Digest>, S::Error> {
    let mut proof = Vec::new();
    if old > 0 && old < new {
        sub_proof(old, (0, new), Whole::Yes, subtrees, &mut proof)?;
    }
    Ok(proof)
}

/// Whether `leaf` stands at `index` in the tree with this size and root.
pub fn verify_inclusion(leaf: &Digest, index: u64, size: u64, root: &Digest, proof: &[Digest]) -> bool {
    if index >= size {
        return false;
    }
    let (mut at, mut last, mut hash) = (index, size - 1, *leaf);
    for sibling in proof {
        if last == 0 {
            return false;
        }
        if at & 1 == 1 || at == last {
            hash = node(sibling, &hash);
            while at & 1 == 0 && at != 0 {
                at >>= 1;
                last >>= 1;
            }
        } else {
            hash = node(&hash, sibling);
        }
        at >>= 1;
        last >>= 1;
    }
    last == 0 && hash == *root
}

/// A tree's size and root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub size: u64,
    pub root: Digest,
}

/// Whether the old tree is a beginning of the new one.
pub fn verify_consistency(old: Head, new: Head, proof: &[Digest]) -> bool {
    if old.size > new.size {
        return false;
    }
    if old.size == new.size {
        return proof.is_empty() && old.root == new.root;
    }
    if old.size == 0 {
        return proof.is_empty() && old.root == empty();
    }
    // A complete old tree is its own first node, and the proof leaves it out.
    let own = [old.root];
    let mut nodes = if old.size.is_power_of_two() { own.iter() } else { [].iter() }.chain(proof);
    let shift = (old.size - 1).trailing_ones();
    let (mut at, mut last) = ((old.size - 1) >> shift, (new.size - 1) >> shift);
    let Some(first) = nodes.next() else { return false };
    let (mut was, mut is) = (*first, *first);
    for sibling in nodes {
        if last == 0 {
            return false;
        }
        if at & 1 == 1 || at == last {
            was = node(sibling, &was);
            is = node(sibling, &is);
            while at & 1 == 0 && at != 0 {
                at >>= 1;
                last >>= 1;
            }
        } else {
            is = node(&is, sibling);
        }
        at >>= 1;
        last >>= 1;
    }
    last == 0 && was == old.root && is == new.root
}

/// The largest power of two below `n`, which is at least 2.
fn split(n: u64) -> u64 {
    1 << (63 - (n - 1).leading_zeros())
}

/// The hash over leaves from `lo` to `hi`, where `lo` is a multiple of the largest power of two in the range.
fn range<S: Subtrees>(lo: u64, hi: u64, subtrees: &mut S) -> Result<Digest, S::Error> {
    let count = hi - lo;
    match count {
        0 => Ok(empty()),
        _ if count.is_power_of_two() => {
            let level = count.trailing_zeros() as u8;
            subtrees.hash(Subtree { level, index: lo >> level })
        }
        _ => {
            let middle = lo + split(count);
            let left = range(lo, middle, subtrees)?;
            Ok(node(&left, &range(middle, hi, subtrees)?))
        }
    }
}

fn path<S: Subtrees>(
    index: u64,
    (lo, hi): (u64, u64),
    subtrees: &mut S,
    proof: &mut Vec<Digest>,
) -> Result<(), S::Error> {
    if hi - lo <= 1 {
        return Ok(());
    }
    let middle = lo + split(hi - lo);
    let (inside, beside) =
        if index < middle { ((lo, middle), (middle, hi)) } else { ((middle, hi), (lo, middle)) };
    path(index, inside, subtrees, proof)?;
    proof.push(range(beside.0, beside.1, subtrees)?);
    Ok(())
}

/// Whether the range that is looked at is the whole old tree, whose root the verifier has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whole {
    Yes,
    No,
}

fn sub_proof<S: Subtrees>(
    old: u64,
    (lo, hi): (u64, u64),
    whole: Whole,
    subtrees: &mut S,
    proof: &mut Vec<Digest>,
) -> Result<(), S::Error> {
    if old == hi {
        if whole == Whole::No {
            proof.push(range(lo, hi, subtrees)?);
        }
        return Ok(());
    }
    let middle = lo + split(hi - lo);
    if old <= middle {
        sub_proof(old, (lo, middle), whole, subtrees, proof)?;
        proof.push(range(middle, hi, subtrees)?);
    } else {
        sub_proof(old, (middle, hi), Whole::No, subtrees, proof)?;
        proof.push(range(lo, middle, subtrees)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    /// Reckons every subtree from the leaves, as the definition has it.
    struct Plain(Vec<Digest>);

    impl Subtrees for Plain {
        type Error = Infallible;

        fn hash(&mut self, subtree: Subtree) -> Result<Digest, Infallible> {
            let (lo, hi) = subtree.leaves();
            Ok(define(&self.0[lo as usize..hi as usize]))
        }
    }

    fn define(leaves: &[Digest]) -> Digest {
        match leaves {
            [] => empty(),
            [one] => *one,
            many => {
                let (left, right) = many.split_at(split(many.len() as u64) as usize);
                node(&define(left), &define(right))
            }
        }
    }

    fn leaves(count: u64) -> Plain {
        Plain((0..count).map(|n| leaf(&n.to_be_bytes())).collect())
    }

    #[test]
    fn the_vectors_of_certificate_transparency_hold() {
        let entries: [&[u8]; 8] = [
            b"",
            b"\0",
            b"\x10",
            b"\x20\x21",
            b"\x30\x31",
            b"\x40\x41\x42\x43",
            &[0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57],
            &[0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f],
        ];
        let roots = [
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
            "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
            "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
            "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
        ];
        let mut frontier = Frontier::default();
        assert_eq!(
            frontier.root().to_string(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        for (entry, root) in entries.iter().zip(roots) {
            frontier.push(leaf(entry), |_, _| {});
            assert_eq!(frontier.root().to_string(), root);
        }
    }

    #[test]
    fn what_is_told_complete_is_complete() {
        let mut plain = leaves(70);
        let mut frontier = Frontier::default();
        let mut told = Vec::new();
        for leaf in plain.0.clone() {
            frontier.push(leaf, |subtree, hash| told.push((subtree, *hash)));
        }
        assert_eq!(told.len() as u64, (0..7).map(|level| 70 >> level).sum::<u64>());
        for (subtree, hash) in told {
            assert_eq!(plain.hash(subtree), Ok(hash));
        }
    }

    proptest! {
        #[test]
        fn proofs_hold_and_nothing_else_does(size in 1_u64..70, at in 0_u64..70, old in 0_u64..70, wrong in 0_usize..8, bit in 0_usize..256) {
            let (at, old) = (at % size, old % (size + 1));
            let mut plain = leaves(size);
            let all = plain.0.clone();
            let root_of = |size: u64| define(&all[..size as usize]);
            let proof = inclusion(at, size, &mut plain).unwrap();
            prop_assert!(verify_inclusion(&all[at as usize], at, size, &root_of(size), &proof));
            for other in (0..size).filter(|other| *other != at) {
                prop_assert!(!verify_inclusion(&all[at as usize], other, size, &root_of(size), &proof));
            }
            let (was, is) = (Head { size: old, root: root_of(old) }, Head { size, root: root_of(size) });
            let grown = consistency(old, size, &mut plain).unwrap();
            prop_assert!(verify_consistency(was, is, &grown));
            let forked = Head { root: leaf(b"another"), ..was };
            prop_assert!(old == 0 || !verify_consistency(forked, is, &grown) );
            for (proof, holds) in [
                (&proof, &(|proof: &[Digest]| verify_inclusion(&all[at as usize], at, size, &root_of(size), proof)) as &dyn Fn(&[Digest]) -> bool),
                (&grown, &|proof: &[Digest]| verify_consistency(was, is, proof)),
            ] {
                let mut longer = proof.clone();
                longer.push(leaf(b"more"));
                prop_assert!(!holds(&longer));
                if let Some(shorter) = proof.len().checked_sub(1) {
                    prop_assert!(!holds(&proof[..shorter]));
                    let mut bent = proof.clone();
                    bent[wrong % proof.len()].0[bit / 8] ^= 1 << (bit % 8);
                    prop_assert!(!holds(&bent));
                }
            }
        }

        #[test]
        fn hostile_proofs_are_refused_in_peace(index: u64, size: u64, old: u64, hashes in proptest::collection::vec(any::<[u8; 32]>(), 0..80)) {
            let proof: Vec<Digest> = hashes.into_iter().map(Digest).collect();
            let hash = leaf(b"x");
            prop_assert!(!verify_inclusion(&hash, index, size, &leaf(b"y"), &proof));
            let (was, is) = (Head { size: old, root: hash }, Head { size, root: leaf(b"y") });
            prop_assert!(!verify_consistency(was, is, &proof));
        }
    }
}
