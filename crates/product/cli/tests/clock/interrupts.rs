//! Interrupts: the work at hand ends, with the status of a signal and no half of a file.

#![cfg(unix)]

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use serval_families::Family;

use crate::alone;
use crate::support::{command, directory, signal_at_work, text};

/// Exploring this takes much longer than it is given.
fn large() -> String {
    Family::named("counter").unwrap().program(1_500_000)
}

/// Interrupts and the like, while something is written.
#[test]
fn signals_end_the_work_and_leave_nothing() {
    let _alone = alone();
    let place = directory("adversity-signals");
    fs::write(place.join("large.ser"), large()).unwrap();
    for (signal, code, by_signal) in [("INT", Some(130), None), ("TERM", None, Some(15))] {
        for more in [["--certificate", "c.json"], ["--format", "sarif"]] {
            let arguments = [&["check", "large.ser", "--method", "reduce"][..], &more].concat();
            let child = command(&arguments).current_dir(&place).stdin(Stdio::null()).spawn().unwrap();
            signal_at_work(&child, signal);
            let output = child.wait_with_output().unwrap();
            assert_eq!((output.status.code(), output.status.signal()), (code, by_signal), "{signal} {arguments:?}");
            assert!(!text(&output.stderr).contains("panicked"));
            assert_eq!(fs::read_dir(&place).unwrap().count(), 1, "{signal} {arguments:?}");
        }
    }
}

#[test]
fn an_interrupt_ends_cleanly() {
    let _alone = alone();
    let directory = directory("interrupt");
    let file = directory.join("counter.ser");
    fs::write(&file, large()).unwrap();
    let arguments = ["check", file.to_str().unwrap(), "--trace", &directory.join("t.json").display().to_string()];
    let child = command(&arguments).stdin(Stdio::null()).spawn().unwrap();
    signal_at_work(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stdout));
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 1, "a file is left");
}
