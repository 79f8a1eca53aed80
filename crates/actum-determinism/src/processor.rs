//! Which kernels of linear algebra are chosen: one that runs on nearly every processor, so that another machine gives the same bits.

/// As `/proc/cpuinfo` has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Processor {
    pub vendor: String,
    /// `flags`, on ARM `Features`.
    pub flags: Vec<String>,
}

/// OpenBLAS's kernels, the best first, with the flags that each needs. Those for AVX-512 are left out: few machines have it, and a
/// result that is pinned to it is at home on these only.
const OPENBLAS: &[(&str, &[&str])] = &[
    ("Haswell", &["avx2", "fma"]),
    ("Sandybridge", &["avx"]),
    ("Nehalem", &["sse4_2"]),
    ("Prescott", &["sse3"]),
    ("Prescott", &["pni"]),
    ("ARMV8", &["asimd"]),
];

/// What NumPy calls the parts of AVX-512. Releases from 2.4 on need `X86_V4`; those up to 1.24 warn of names that they do not know,
/// later ones are silent. No build for everybody has any of them in its baseline, which could not be switched off.
const NUMPY: &[&str] =
    &["AVX512F", "AVX512CD", "AVX512_SKX", "AVX512_CLX", "AVX512_CNL", "AVX512_ICL", "AVX512_SPR", "X86_V4"];

impl Processor {
    fn has(&self, flags: &[&str]) -> bool {
        flags.iter().all(|flag| self.flags.iter().any(|other| other == flag))
    }

    pub(crate) fn openblas_kernel(&self) -> Option<&'static str> {
        OPENBLAS.iter().find(|(_, flags)| self.has(flags)).map(|(kernel, _)| *kernel)
    }

    /// The parts of NumPy's own loops that are switched off.
    pub(crate) fn numpy_features(&self) -> Option<String> {
        self.has(&["avx512f"]).then(|| NUMPY.join(" "))
    }

    /// MKL's branch. On other makers' processors it knows one that is reproducible, and that is slow.
    pub(crate) fn mkl_branch(&self) -> Option<&'static str> {
        let is_intel = self.vendor == "GenuineIntel";
        match (is_intel, self.has(&["avx2"]), self.has(&["sse2"])) {
            (true, true, _) => Some("AVX2"),
            (true | false, _, true) => Some("COMPATIBLE"),
            (true | false, _, false) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn processor(vendor: &str, flags: &str) -> Processor {
        Processor { vendor: vendor.to_owned(), flags: flags.split_whitespace().map(str::to_owned).collect() }
    }

    #[test]
    fn a_kernel_is_one_that_the_processor_can_run() {
        for (flags, kernel) in [
            ("sse2 pni sse4_2 avx avx2 fma avx512f", Some("Haswell")),
            ("sse2 pni sse4_2 avx avx2", Some("Sandybridge")),
            ("sse2 pni sse4_2", Some("Nehalem")),
            ("sse2 pni", Some("Prescott")),
            ("fp asimd sve", Some("ARMV8")),
            ("", None),
        ] {
            assert_eq!(processor("", flags).openblas_kernel(), kernel, "{flags}");
        }
    }

    #[test]
    fn numpy_is_told_only_where_there_is_something_to_switch_off() {
        assert!(processor("", "avx512f avx2").numpy_features().unwrap().contains("AVX512_SKX"));
        assert_eq!(processor("", "avx2").numpy_features(), None);
    }

    #[test]
    fn mkl_is_slow_but_the_same_on_other_makers_processors() {
        assert_eq!(processor("GenuineIntel", "sse2 avx2").mkl_branch(), Some("AVX2"));
        assert_eq!(processor("GenuineIntel", "sse2").mkl_branch(), Some("COMPATIBLE"));
        assert_eq!(processor("AuthenticAMD", "sse2 avx2").mkl_branch(), Some("COMPATIBLE"));
        assert_eq!(processor("", "asimd").mkl_branch(), None);
    }
}
