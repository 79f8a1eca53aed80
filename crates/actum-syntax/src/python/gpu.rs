//! Graphics cards: whether a program asks for one, and whether it has another way.

use super::call::Call;
use actum_model::{Gpu, GpuNeed, Reading, Sign};

/// More places are not listed.
const MOST: usize = 20;

/// What was seen by now.
#[derive(Debug, Default)]
pub(super) struct Cards {
    signs: Vec<Sign>,
    asks: Option<Sign>,
}

impl Cards {
    pub(super) fn of_call(&mut self, call: &Call<'_>) {
        let sign = |what: String| Sign { what, line: call.line };
        if asks(call) {
            self.asks.get_or_insert(sign(call.shown()));
            return;
        }
        let is_card = |text: &str| {
            text.starts_with("cuda") || text.to_ascii_lowercase().starts_with("/gpu") || text == "gpu"
        };
        let named = [call.text(0), call.keyword_text("device"), call.keyword_text("device_map")];
        let device = named.into_iter().flatten().find(|text| is_card(text));
        let takes_device = matches!(call.method(), "to" | "cuda")
            || matches!(call.imported(), "torch.device" | "tensorflow.device" | "torch.set_default_device")
            || call.keyword("device").is_some();
        let is_call = call.method() == "cuda" || call.imported().starts_with("torch.cuda.");
        if is_call || (takes_device && device.is_some()) {
            self.signs.push(sign(call.shown()));
        }
    }

    pub(super) fn finish(self, reading: &mut Reading) {
        let libraries = ["cupy", "pycuda", "numba.cuda", "cudf", "cuml", "pyopencl", "tensorrt"];
        let is_library = |module: &str| {
            libraries.iter().any(|library| module == *library || module.starts_with(&format!("{library}.")))
        };
        let imports = reading.imports.iter().filter(|import| {
            is_library(&import.module)
                || (import.module == "numba" && import.names.iter().any(|name| name == "cuda"))
        });
        let mut signs: Vec<Sign> =
            imports.map(|import| Sign { what: import.module.clone(), line: import.line }).collect();
        signs.extend(self.signs);
        signs.extend(self.asks.clone());
        signs.truncate(MOST);
        if signs.is_empty() {
            return;
        }
        let need = if self.asks.is_some() { GpuNeed::Guarded } else { GpuNeed::Required };
        reading.gpu = Some(Gpu { need, signs });
    }
}

/// Whether a call asks if there is a card.
fn asks(call: &Call<'_>) -> bool {
    matches!(
        call.imported(),
        "torch.cuda.is_available"
            | "torch.cuda.device_count"
            | "tensorflow.config.list_physical_devices"
            | "tensorflow.config.experimental.list_physical_devices"
            | "tensorflow.test.is_gpu_available"
            | "torch.accelerator.is_available"
            | "numba.cuda.is_available"
            | "cupy.cuda.is_available"
            | "jax.devices"
    )
}
