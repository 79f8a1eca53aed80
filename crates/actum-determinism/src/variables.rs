//! The table of variables, and what each of them pins.

use crate::pin::SetVariable;
use crate::request::PinRequest;
use crate::startup::joined;

/// Computes a value from a request.
type Value = fn(&PinRequest) -> Option<String>;

/// One variable. Where `value` is `None` there is nothing to set on this machine.
pub(crate) struct Row {
    pub name: &'static str,
    pub value: Value,
    /// A list of options, to which ours is added.
    pub is_list: bool,
    pub covers: &'static str,
}

/// What the program itself may read, in every profile.
pub(crate) const SEED: &str = "ACTUM_SEED";

const THREADS: &str = "how many threads a sum is split over";

pub(crate) const ROWS: &[Row] = &[
    row(
        "PYTHONHASHSEED",
        |request| Some(request.seed.as_32_bits().to_string()),
        "hashes and the order of sets of text in Python",
    ),
    row("OMP_NUM_THREADS", threads, THREADS),
    row("OPENBLAS_NUM_THREADS", threads, THREADS),
    row("MKL_NUM_THREADS", threads, THREADS),
    row("BLIS_NUM_THREADS", threads, THREADS),
    row("NUMEXPR_NUM_THREADS", threads, THREADS),
    row("VECLIB_MAXIMUM_THREADS", threads, THREADS),
    row("OMP_DYNAMIC", |_| fixed("FALSE"), "that the number of threads stays as it was set"),
    row("MKL_DYNAMIC", |_| fixed("FALSE"), "that the number of threads stays as it was set"),
    row(
        "OPENBLAS_CORETYPE",
        |request| request.processor.openblas_kernel().and_then(fixed),
        "the kernels of OpenBLAS, whichever processor is there",
    ),
    row(
        "NPY_DISABLE_CPU_FEATURES",
        |request| request.processor.numpy_features(),
        "the loops of NumPy, which differ in their last bits with AVX-512",
    ),
    row("MKL_CBWR", |request| request.processor.mkl_branch().and_then(fixed), "the kernels of MKL"),
    row("CUBLAS_WORKSPACE_CONFIG", |_| fixed(":4096:8"), "the order of sums in cuBLAS"),
    row("TF_DETERMINISTIC_OPS", |_| fixed("1"), "operations of TensorFlow"),
    Row {
        name: XLA,
        value: |request| {
            // Given already, for or against: the user has decided.
            let is_given =
                request.given(XLA).is_some_and(|given| given.contains("xla_gpu_deterministic_ops"));
            (!is_given).then(|| "--xla_gpu_deterministic_ops=true".to_owned())
        },
        is_list: true,
        covers: "operations of JAX and XLA on graphics cards",
    },
    row("CUPY_SEED", |request| Some(request.seed.as_32_bits().to_string()), "random numbers of CuPy"),
    row(
        "PERL_HASH_SEED",
        |request| Some(format!("{:#x}", request.seed.as_32_bits())),
        "the order of hashes in Perl",
    ),
    row(
        "PERL_RAND_SEED",
        |request| Some(request.seed.as_32_bits().to_string()),
        "rand of Perl 5.38 and newer",
    ),
    row("TZ", |_| fixed("UTC"), "the time zone"),
    row("LC_ALL", |_| fixed("C.UTF-8"), "order and form of text, numbers and dates"),
    row(
        "SOURCE_DATE_EPOCH",
        |request| Some(request.started_at.to_string()),
        "dates that build tools write into files",
    ),
];

const XLA: &str = "XLA_FLAGS";

const fn row(name: &'static str, value: Value, covers: &'static str) -> Row {
    Row { name, value, is_list: false, covers }
}

fn threads(request: &PinRequest) -> Option<String> {
    Some(request.threads.to_string())
}

fn fixed(value: &str) -> Option<String> {
    Some(value.to_owned())
}

impl Row {
    /// As it is to be set. `None` where it is not, or where the user's value wins.
    pub(crate) fn setting(&self, request: &PinRequest) -> Option<SetVariable> {
        let value = (self.value)(request)?;
        if self.is_list {
            return Some(joined(request, self.name, &value));
        }
        let variable = SetVariable { name: self.name.to_owned(), value, replaces_given: false };
        request.given(self.name).is_none().then_some(variable)
    }

    /// What is to be said where the user's value wins and is another one.
    pub(crate) fn left_alone(&self, request: &PinRequest) -> Option<String> {
        let given = request.given(self.name).filter(|_| !self.is_list)?;
        let ours = (self.value)(request)?;
        (given != ours).then(|| format!("{}: {} is left as it was given", self.covers, self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pin::tests::request;
    use crate::profile::Profile;

    #[test]
    fn no_variable_is_set_twice() {
        for (at, row) in ROWS.iter().enumerate() {
            assert!(ROWS[..at].iter().all(|other| other.name != row.name), "{}", row.name);
        }
    }

    #[test]
    fn lists_are_joined_and_single_values_left() {
        let mut request = request(Profile::Pinned);
        request.given = vec![
            ("XLA_FLAGS".to_owned(), "--xla_a=1".to_owned()),
            ("OMP_NUM_THREADS".to_owned(), "8".to_owned()),
            ("TZ".to_owned(), "UTC".to_owned()),
        ];
        let find = |name: &str| ROWS.iter().find(|row| row.name == name).unwrap();
        let xla = find("XLA_FLAGS").setting(&request).unwrap();
        assert_eq!(xla.value, "--xla_a=1 --xla_gpu_deterministic_ops=true");
        assert!(xla.replaces_given);
        assert_eq!(find("OMP_NUM_THREADS").setting(&request), None);
        let said = find("OMP_NUM_THREADS").left_alone(&request).unwrap();
        assert_eq!(said, format!("{THREADS}: OMP_NUM_THREADS is left as it was given"));
        assert_eq!(find("TZ").left_alone(&request), None);
    }

    #[test]
    fn a_decision_of_the_user_about_xla_stays() {
        let mut request = request(Profile::Pinned);
        request.given = vec![("XLA_FLAGS".to_owned(), "--xla_gpu_deterministic_ops=false".to_owned())];
        assert_eq!(ROWS.iter().find(|row| row.name == XLA).unwrap().setting(&request), None);
    }
}
