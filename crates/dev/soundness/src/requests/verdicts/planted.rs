//! Programs with a counterexample that needs a known number of requests.

use serval_model::SplitMix64;

/// A program whose smallest counterexample has `requests` requests, four to
/// eight, whatever the seed: something goes wrong only after `requests − 2` others
/// have been there, or needs that many others while it waits.
pub(super) fn planted(requests: u32, seed: u64) -> String {
    let mut random = SplitMix64::new(seed);
    let before = requests - 2;
    // Something that others do and that disturbs no request.
    let noise = match random.below(4) {
        0 => "request noise { D := 1 - D }\n",
        1 => "request noise { if (D == 0) { D := 1 } else { D := 0 }; 7 }\nrequest look { 5 }\n",
        2 => "request look { 0 }\n",
        _ => "",
    };
    let count = format!("request count {{ if (C == {before}) {{ 0 }} else {{ C := C + 1; 1 }} }}\n");
    let body = match random.below(5) {
        // Two that read, wait and write back.
        0 => format!("{count}request late {{ if (C == {before}) {{ t := X; yield; X := 1 - t; t }} else {{ 9 }} }}\n"),
        // Two that look at what the other writes.
        1 => format!(
            "{count}request late {{ if (C == {before}) {{ if (?) {{ t := X; yield; Y := 1; t }} else {{ t := Y; yield; X := 1; t + 2 }} }} else {{ 9 }} }}\n"
        ),
        // One that sees the count change while it waits, twice at the end.
        2 => {
            let last = requests - 1;
            format!(
                "request count {{ if (C == {last}) {{ 0 }} else {{ C := C + 1; 1 }} }}\nrequest watch {{ if (C == 0) {{ yield; if (C == {last}) {{ 3 }} else {{ 4 }} }} else {{ 5 }} }}\n"
            )
        }
        // One that waits for others, one after the other.
        3 => {
            let rounds = requests - 1;
            format!(
                "request flip {{ X := 1 - X; 2 }}\nrequest wait {{ i := {rounds}; s := 0; while (!(i == 0)) {{ while (X == s) {{ yield }}; s := 1 - s; i := i - 1 }}; 6 }}\n"
            )
        }
        // Two that both take the last one.
        _ => format!("{count}request take {{ if (C == {before} && S == 0) {{ yield; S := 1; 8 }} else {{ 9 }} }}\n"),
    };
    format!("{noise}{body}")
}
