//! Published times of questions about nets: tables 1 and 2 of M. Güdemann, "SPiNAT", measured on a quad-core i7-8665U
//! at 1.9 GHz with a limit of five minutes. What was not answered in that time is `—`.
//!
//! And how long ours take.

use std::time::{Duration, Instant};

use serval::nets::{NetDecision, NetInput, NetMethod, NetOptions, NetQuestion, decide_net};
use serval_soundness::{Limit, within};

/// Asks a question of all methods, or of one alone, within a time.
pub fn timed(input: &NetInput, question: &NetQuestion, method: Option<NetMethod>, limit: Duration) -> (NetDecision, Duration) {
    within(Limit::Time(limit), |cancel| {
        let mut options = NetOptions::default();
        options.rounds = 64;
        options.method = method;
        options.cancel = cancel.clone();
        let start = Instant::now();
        let decision = decide_net(input, question, &options);
        (decision, start.elapsed())
    })
}

/// What was published of a model: `✓` for what holds, `✗` for what does not, with the time.
pub struct PublishedRow<const N: usize> {
    /// The name in the table.
    pub name: &'static str,
    /// The model that is asked here.
    pub model: &'static str,
    /// The cells.
    pub cells: [&'static str; N],
}

const fn row<const N: usize>(name: &'static str, model: &'static str, cells: [&'static str; N]) -> PublishedRow<N> {
    PublishedRow { name, model, cells }
}

const GPU_24: &str = "GPUForwardProgress-PT-24a";
const GPU_28: &str = "GPUForwardProgress-PT-28a";
const GPU_32: &str = "GPUForwardProgress-PT-32a";
const GPU_36: &str = "GPUForwardProgress-PT-36a";
const GPU_40: &str = "GPUForwardProgress-PT-40a";
const CLOUD: &str = "CloudOpsManagement-PT-00002by00001";
const SATELLITE_100: &str = "SatelliteMemory-PT-X00100Y0003";
const SATELLITE_1000: &str = "SatelliteMemory-PT-X01000Y0032";
const SATELLITE_1500: &str = "SatelliteMemory-PT-X01500Y0046";
const SATELLITE_3000: &str = "SatelliteMemory-PT-X03000Y0094";
const SATELLITE_65535: &str = "SatelliteMemory-PT-X65535Y2048";
const REFERENDUM_10: &str = "Referendum-PT-0010";
const ELECTION: &str = "Election2020-PT-none";
const LOCKING: &str = "TwoPhaseLocking-PT-nC00004vD";
const RAFT: &str = "Raft-PT-02";
const VIRAL_03: &str = "ViralEpidemic-PT-S03D1C1A02";

/// Table 1, the upper half: no dead transitions, no dead places, no deadlock, 1-safety, by SPiNAT with JKind.
pub const JKIND: [PublishedRow<4>; 8] = [
    row("GPU FP 40 a", GPU_40, ["✗ 2m8.686s", "✗ 4m1.755s", "✗ 23.715s", "—"]),
    row("CloudOps", CLOUD, ["✗ 1.355s", "✗ 1.355s", "—", "✗ 0.329s"]),
    row("Satellite 100-3", SATELLITE_100, ["—", "✓ 0.298s", "—", "✗ 0.235s"]),
    row("Referendum 10", REFERENDUM_10, ["✗ 6.587s", "✗ 12.533s", "✗ 0.336s", "✓ 12.533s"]),
    row("Election 2020", ELECTION, ["✓ 0.754s", "✓ 1.358s", "—", "✗ 0.429s"]),
    row("2 PhaseLocking", LOCKING, ["✓ 0.321s", "✓ 0.321s", "✗ 1m5.75s", "✗ 0.228s"]),
    row("Raft 02", RAFT, ["✗ 2m50.069s", "✗ 2m50.069s", "—", "—"]),
    row("viral 03 1 1 2", VIRAL_03, ["✗ 1m25.486s", "4m40.131s", "✗ 1.271s", "—"]),
];

/// Table 1, the lower half: the same with kind2.
pub const KIND2: [PublishedRow<4>; 8] = [
    row("GPU FP 40 a", GPU_40, ["—", "—", "✗ 51.575s", "—"]),
    row("CloudOps", CLOUD, ["✗ 1.915s", "✗ 1.915s", "—", "✗ 0.083s"]),
    row("Satellite 100-3", SATELLITE_100, ["—", "✓ 0.183s", "✓ 22.284s", "✗ 0.053s"]),
    row("Referendum 10", REFERENDUM_10, ["✗ 39.335s", "✗ 39.335s", "✗ 0.224s", "✓ 3m34.42s"]),
    row("Election 2020", ELECTION, ["✓ 1.429s", "✓ 3.345s", "—", "✗ 0.517s"]),
    row("2 PhaseLocking", LOCKING, ["✓ 0.242s", "✓ 0.242s", "✗ 23.010s", "✗ 0.054s"]),
    row("Raft 02", RAFT, ["✗ 3m9.877s", "✗ 3m9.877s", "—", "—"]),
    row("viral 03 1 1 2", VIRAL_03, ["—", "—", "✗ 2.388s", "—"]),
];

/// Table 2: no deadlock (valid, SPiNAT, TINA) and 1-safety (valid, SPiNAT, TINA).
pub const TINA: [PublishedRow<6>; 23] = [
    row("GPU FP 24 a", GPU_24, ["✗", "8.073s", "0.013s", "—", "—", "—"]),
    row("GPU FP 28 a", GPU_28, ["✗", "15.27s", "0.017s", "—", "—", "—"]),
    row("GPU FP 32 a", GPU_32, ["✗", "13.643s", "0.029s", "—", "—", "—"]),
    row("GPU FP 36 a", GPU_36, ["✗", "18.204s", "0.067s", "—", "—", "—"]),
    row("GPU FP 40 a", GPU_40, ["✗", "23.715s", "0.071s", "—", "—", "—"]),
    row("CloudOps", CLOUD, ["—", "—", "—", "✗", "0.083s", "0.00s"]),
    row("Satellite 100-3", SATELLITE_100, ["✓", "22.284s", "0.160s", "✗", "0.053s", "0.00s"]),
    row("Satellite 1000-32", SATELLITE_1000, ["✓", "28.325s", "25.791s", "✗", "0.053s", "0.00s"]),
    row("Satellite 1500-46", SATELLITE_1500, ["✓", "27.352s", "1m2.946s", "✗", "0.084s", "0.00s"]),
    row("Satellite 3000-94", SATELLITE_3000, ["✓", "27.159s", "3m36.982s", "✗", "0.074s", "0.00s"]),
    row("Satellite 65535-2048", SATELLITE_65535, ["✓", "28.814s", "—", "✗", "0.074s", "0.00s"]),
    row("Referendum 10", REFERENDUM_10, ["✗", "0.224s", "0.349s", "✓", "12.533s", "0.361s"]),
    row("Referendum 15", "Referendum-PT-0015", ["✗", "0.307s", "2m13.568s", "✓", "34.352s", "2m15.971s"]),
    row("Referendum 20", "Referendum-PT-0020", ["✗", "0.417s", "—", "✓", "1m12.267s", "—"]),
    row("Referendum 50", "Referendum-PT-0050", ["✗", "1.036s", "—", "—", "—", "—"]),
    row("Noc3x3 1 a", "NoC3x3-PT-1A", ["✓", "3m24.345s", "—", "—", "—", "—"]),
    row("Election 2020", ELECTION, ["—", "—", "—", "✗", "0.429s", "0.00s"]),
    row("2 PhaseLocking", LOCKING, ["✗", "23.01s", "0.002s", "✗", "0.054s", "0.00s"]),
    row("Raft 02", RAFT, ["✓", "—", "0.045s", "✓", "—", "0.026s"]),
    row("viral 03 1 1 02", VIRAL_03, ["✗", "2.388s", "3.851s", "—", "—", "—"]),
    row("viral 04 1 1 02", "ViralEpidemic-PT-S04D1C1A02", ["✗", "2.858s", "—", "—", "—", "—"]),
    row("viral 04 1 1 03", "ViralEpidemic-PT-S04D1C1A03", ["✗", "27.464s", "—", "—", "—", "—"]),
    row("viral 08 1 1 02", "ViralEpidemic-PT-S08D1C2A02", ["✗", "1m52.008s", "—", "✗", "1.375s", "0.00s"]),
];
