//! The rules of turns on which the model stands, in the Node that is installed: counters over real sockets, what one
//! `emit` and one reply resume, the order of those who wait, and a ruler of microtasks beside each kind of `await`.

use std::path::Path;
use std::process::Command;

use crate::node::node;

#[test]
fn node_has_the_turns_of_the_model() {
    if node().is_none() {
        return;
    }
    let program = std::env::var("SERVAL_NODE").unwrap_or_else(|_| "node".to_owned());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/node/turns.mjs");
    let output = Command::new(program).arg(script).env_remove("NODE_OPTIONS").output().expect("Node is there");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    for rule in RULES {
        assert!(said.contains(rule), "{rule}\n{said}");
    }
}

/// What is seen, as JSON has it.
const RULES: &[&str] = &[
    // A call that really waits: all others go on meanwhile, and all updates but one are lost.
    "\"waits\":3",
    // A value, a settled promise, an `async` function, `process.nextTick`: nothing of other connections goes on in
    // between, and all that came in one packet do.
    "\"separate value\":0,\"pipelined value\":3",
    "\"separate settled\":0,\"pipelined settled\":3",
    "\"separate function\":0,\"pipelined function\":3",
    "\"separate tick\":0,\"pipelined tick\":3",
    "\"one reply\":3",
    // `Promise.all`: each function runs at once to its first `await`, and goes on after the failure of another.
    "\"all\":\"a begins, b begins, called, a ends, b ends\"",
    "\"all fails\":\"answered, not yet, written\"",
    // A pending promise: all who wait, in their order, behind what settled it and before anything new.
    "\"pending\":\"settles, settled, a goes on, b goes on, c goes on, a again, b again, c again, new\"",
    // Timers, immediates and streams of HTTP/2 have a turn each; listeners of one `emit` have one.
    "\"timers\":\"1 1' 2 2'\"",
    "\"immediates\":\"1 1' 2 2'\"",
    "\"listeners\":\"1 2 1' 2'\"",
    "\"streams\":0",
    // Ticks until the code goes on.
    "\"value\":1,\"settled\":1,\"function\":1,\"return await\":2,\"then\":2,\"all\":2,\"race\":2,\"allSettled\":2,\"thenable\":2",
    "\"returns a promise\":3,\"finally\":4",
];
