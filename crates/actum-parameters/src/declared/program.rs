//! The program within a command: `torchrun --nproc_per_node 2 train.py --lr 0.1` starts `train.py`.

/// The file that a command starts, and what it is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// A path as it stands in the command, or a module's name as a path.
    pub file: String,
    /// Where its own words begin in the command.
    pub words_at: usize,
}

/// Options of launchers that take the word behind them.
const WITH_VALUE: [&str; 30] = [
    "-W",
    "-X",
    "--nproc_per_node",
    "--nproc-per-node",
    "--nnodes",
    "--node_rank",
    "--node-rank",
    "--master_addr",
    "--master-addr",
    "--master_port",
    "--master-port",
    "--rdzv_backend",
    "--rdzv-backend",
    "--rdzv_endpoint",
    "--rdzv-endpoint",
    "--rdzv_id",
    "--rdzv-id",
    "--num_processes",
    "--num_machines",
    "--mixed_precision",
    "--config_file",
    "--gpu_ids",
    "--num_gpus",
    "--num_nodes",
    "--hostfile",
    "--include",
    "--exclude",
    "-np",
    "-n",
    "--with",
];

/// The program of a command; nothing where there is none that can be read, as behind `sh -c`.
pub fn program_of(command: &[String]) -> Option<Program> {
    const ENDINGS: [&str; 8] = [".py", ".sh", ".R", ".r", ".jl", ".js", ".mjs", ".rb"];
    let mut at = 0;
    while let Some(word) = command.get(at) {
        let is_launcher = matches!(last(word), "-m" | "--module");
        if at > 0 && is_launcher {
            let module = command.get(at + 1)?;
            // `python -m torch.distributed.run train.py` starts what follows.
            if !LAUNCHERS.contains(&module.as_str()) {
                return Some(Program { file: format!("{}.py", module.replace('.', "/")), words_at: at + 2 });
            }
            at += 2;
        } else if at > 0 && word == "-c" {
            return None;
        } else if ENDINGS.iter().any(|ending| word.ends_with(ending)) && !word.starts_with('-') {
            return Some(Program { file: word.clone(), words_at: at + 1 });
        } else {
            at += if WITH_VALUE.contains(&word.as_str()) { 2 } else { 1 };
        }
    }
    None
}

/// Modules that start a program of their own.
const LAUNCHERS: [&str; 8] = [
    "torch.distributed.run",
    "torch.distributed.launch",
    "accelerate.commands.launch",
    "cProfile",
    "pdb",
    "coverage",
    "deepspeed",
    "runpy",
];

fn last(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}
