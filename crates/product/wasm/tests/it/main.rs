//! The border natively, the module in Node, and what the module is made of.

mod border;
mod node;
mod parts;
