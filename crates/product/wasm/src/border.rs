//! The border: symbols that a host finds by name, and functions that it has.
//!
//! No memory is shared but two buffers: the host writes a request into the first, of which it knows place and length,
//! and reads an answer from the second. Both stay where they are until the next call.

#![cfg_attr(target_family = "wasm", expect(unsafe_code, reason = "symbols with fixed names, and functions of the host"))]

use std::cell::RefCell;

thread_local! {
    static REQUEST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

#[cfg(target_family = "wasm")]
mod host {
    #[link(wasm_import_module = "serval")]
    // What the host is given are numbers and a place in our memory, which it only reads.
    unsafe extern "C" {
        /// 0 to go on, 1 to stop, 2 because the time is over, 3 because memory is.
        pub(super) safe fn stop() -> i32;
        /// What the work is at.
        pub(super) safe fn tell(stage: i32, number: i32);
        /// Ends the call where it is, for a reason as `stop` has it: the host throws, and takes another instance.
        pub(super) safe fn leave(reason: i32) -> !;
        /// The message of a panic, before it ends the instance.
        pub(super) safe fn trouble(message: *const u8, length: usize);
    }
}

/// What stands for the host where there is none.
#[cfg(not(target_family = "wasm"))]
mod host {
    use super::native;

    pub(super) fn stop() -> i32 {
        native::STOP.get()()
    }

    /// Here work can be unwound, and is.
    pub(super) fn leave(_: i32) {}

    pub(super) fn tell(stage: i32, number: i32) {
        native::TELL.get()(stage, number);
    }
}

/// A host for tests.
#[cfg(not(target_family = "wasm"))]
pub mod native {
    use std::cell::Cell;

    thread_local! {
        /// What is asked whether to stop.
        pub static STOP: Cell<fn() -> i32> = const { Cell::new(|| 0) };
        /// What is told what the work is at.
        pub static TELL: Cell<fn(i32, i32)> = const { Cell::new(|_, _| ()) };
    }
}

pub(crate) fn asked_to_stop() -> i32 {
    host::stop()
}

/// Does not come back in a module.
pub(crate) fn leave(reason: i32) {
    host::leave(reason);
}

pub(crate) fn told(stage: i32, number: i32) {
    host::tell(stage, number);
}

/// Makes room for a request of so many bytes; where it is.
#[cfg_attr(target_family = "wasm", unsafe(export_name = "input"))]
pub extern "C" fn input(length: usize) -> *mut u8 {
    REQUEST.with_borrow_mut(|request| {
        request.clear();
        request.resize(length, 0);
        request.as_mut_ptr()
    })
}

/// Where the last answer is.
#[cfg_attr(target_family = "wasm", unsafe(export_name = "output"))]
pub extern "C" fn output() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

/// Answers the request that was written; how long the answer is.
fn answered(name: &str) -> usize {
    #[cfg(target_family = "wasm")]
    hear_panics();
    let request = REQUEST.take();
    // Large answers are not kept while the next one is made.
    ANSWER.take();
    let answer = match std::str::from_utf8(&request) {
        Ok(request) => crate::call(name, request),
        Err(_) => crate::answer::written(Err(crate::Unanswered::new("the request is not UTF-8"))),
    };
    let length = answer.len();
    ANSWER.set(answer.into_bytes());
    length
}

/// The message of a panic is told before it ends the instance.
#[cfg(target_family = "wasm")]
fn hear_panics() {
    use std::sync::Once;
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|panic| {
            let message = panic.to_string();
            host::trouble(message.as_ptr(), message.len());
        }));
    });
}

macro_rules! exports {
    ($($name:ident)*) => {
        $(
            #[doc = concat!("Answers a request to `", stringify!($name), "`.")]
            #[cfg_attr(target_family = "wasm", unsafe(export_name = stringify!($name)))]
            pub extern "C" fn $name() -> usize {
                answered(stringify!($name))
            }
        )*
    };
}

exports! { check hint fix verify format analyze simulate export explain examples defaults version }
