//! Systems that are not what was compiled, for tests of what has to notice.

use serval_model::{GlobalId, LocalId, NetworkSystem, Step, SystemBuilder};

/// The system with other steps, answers, starts and initial global state.
pub(crate) fn rebuilt(
    old: &NetworkSystem,
    initial: GlobalId,
    steps: &[Step],
    answer: impl Fn(LocalId, &str) -> Option<String>,
    start: impl Fn(LocalId) -> bool,
) -> NetworkSystem {
    let mut builder = SystemBuilder::new();
    old.globals().for_each(|id| assert_eq!(builder.global(old.global_name(id)), id));
    old.locals().for_each(|id| assert_eq!(builder.local(old.local_name(id)), id));
    for &(request, local) in old.starts().iter().filter(|(_, local)| start(*local)) {
        let request = builder.request(old.request_name(request));
        builder.start(request, local);
    }
    for &(local, response) in old.answers() {
        if let Some(name) = answer(local, old.response_name(response)) {
            let response = builder.response(&name);
            builder.answer(local, response);
        }
    }
    for step in steps {
        builder.step(step.local, step.global, step.to_local, step.to_global);
    }
    builder.finish(initial)
}

/// Every answer as it is.
pub(crate) fn same(_: LocalId, name: &str) -> Option<String> {
    Some(name.to_owned())
}
