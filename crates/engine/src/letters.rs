//! Proofs over the numbers of answers alone.

#[cfg(test)]
mod covering;
#[cfg_attr(not(test), expect(dead_code, reason = "until proofs are put together"))]
mod dual;
#[cfg_attr(not(test), expect(dead_code, reason = "until proofs are put together"))]
mod region;
#[cfg(test)]
mod sample;
pub(crate) mod walk;
