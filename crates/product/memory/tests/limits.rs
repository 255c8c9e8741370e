//! What happens at the limits. One test, as there is one counter.

use std::sync::mpsc;

use serval_memory::{Counting, begin, exempt, is_exceeded, is_full, limit, used};

#[global_allocator]
static MEMORY: Counting = Counting;

const MIB: usize = 1 << 20;

#[test]
fn the_flag_goes_up_before_the_limit_and_threads_are_held_up_at_it() {
    let before = used();
    limit(before + 40 * MIB, before + 80 * MIB);
    let small = vec![1_u8; 10 * MIB];
    assert!(!is_exceeded() && used() >= before + 10 * MIB);

    // Below the soft limit, but it could not double.
    let large = vec![1_u8; 26 * MIB];
    assert!(is_exceeded() && !is_full());
    drop(large);
    assert!(is_exceeded(), "it stays up");
    begin();
    assert!(!is_exceeded());

    // A list that grows is noticed before it has to be held up.
    let mut list: Vec<u8> = Vec::new();
    while !is_exceeded() {
        list.push(1);
    }
    assert!(used() < before + 80 * MIB);
    drop(list);
    begin();

    let over = vec![1_u8; 35 * MIB];
    assert!(is_exceeded() && is_full());
    drop(over);
    begin();

    // This cannot be had: the thread waits, and nothing of it is in use.
    exempt();
    let (done, wait) = mpsc::channel();
    let held = std::thread::spawn(move || {
        let block = vec![1_u8; 200 * MIB];
        let _ = done.send(block.len());
    });
    while !is_exceeded() {
        std::thread::yield_now();
    }
    assert!(used() < before + 250 * MIB && wait.try_recv().is_err());
    // The one that watches may go on.
    drop(vec![1_u8; 100 * MIB]);
    assert!(wait.try_recv().is_err());
    limit(usize::MAX, usize::MAX);
    assert_eq!(wait.recv(), Ok(200 * MIB));
    assert!(held.join().is_ok());
    drop(small);
}
