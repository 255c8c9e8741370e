//! Messages through channels without a bound, which may be doubled, and overtake each other.
//!
//! A sender sends the message of its phase as often as it likes, and goes on to the next phase when it is acknowledged.
//! A receiver waits for the message of its phase, delivers it, goes on to its next phase, and acknowledges what it
//! delivered last as often as it likes. `new` is marked while what the sender sends has not been delivered, and `old`
//! afterwards. The target is that a message is delivered although it is `old`.
//!
//! **Without the mistake** the phases are numbered from 1 to `n`, and then both have ended. Let `s` and `r` be the
//! phases of sender and receiver. A message of phase `r` is in its channel only if the sender has been in that phase,
//! so that it is delivered only if `s ≥ r`, and an acknowledgement of phase `s` only if the receiver has left it, so
//! that `r > s` where it is taken. So `r` is `s` or `s + 1` always, and `new` is marked iff it is `s`: what is
//! delivered is new.
//!
//! **With the mistake** the numbers are used again after `n`, as if what was sent with them were gone. A message of
//! phase 1 that was sent twice stays in its channel while both go round once; then the receiver waits for phase 1 again
//! while the sender has not got the acknowledgement of phase `n`, and delivers the second one, which is old.

use super::Spec;

/// The system with a number of numbers, at least 2, as a specification. With the mistake numbers are used again, and
/// the target can be covered; without it the target cannot.
///
/// ```
/// assert!(serval_families::covering::messages(2, true).contains("old >= 1, receive1 >= 1, data1 >= 1"));
/// ```
pub fn messages(n: usize, mistake: bool) -> String {
    let n = n.max(2);
    let again = if mistake { "which are used again" } else { "each used once" };
    let mut spec = Spec::new(format!("messages through channels without a bound, with {n} numbers, {again}"));
    let last = if mistake { n } else { n + 1 };
    for phase in 1..=last {
        spec.counter(format!("send{phase}"), usize::from(phase == 1));
        spec.counter(format!("receive{phase}"), usize::from(phase == 1));
    }
    for phase in 1..=n {
        spec.counter(format!("data{phase}"), 0);
        spec.counter(format!("ack{phase}"), 0);
    }
    [("new", 1), ("old", 0), ("alarm", 0)].into_iter().for_each(|(name, tokens)| spec.counter(name, tokens));
    for phase in 1..=n {
        let next = if phase == last { 1 } else { phase + 1 };
        let [data, ack] = ["data", "ack"].map(|name| format!("{name}{phase}"));
        let [send, sent] = [phase, next].map(|phase| format!("send{phase}"));
        let [receive, received] = [phase, next].map(|phase| format!("receive{phase}"));
        spec.rule(&[(&send, 0), (&data, 1)]);
        spec.rule(&[(&send, -1), (&ack, -1), ("old", -1), (&sent, 1), ("new", 1)]);
        spec.rule(&[(&receive, -1), (&data, -1), ("new", -1), (&received, 1), ("old", 1)]);
        spec.rule(&[("old", 0), (&receive, -1), (&data, -1), (&received, 1), ("alarm", 1)]);
        spec.rule(&[(&received, 0), (&ack, 1)]);
    }
    spec.target(&[("alarm", 1)]);
    spec.text()
}
