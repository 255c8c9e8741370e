//! The border natively, and the module in Node.

mod border;
mod node;
