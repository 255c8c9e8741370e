//! How much work a certificate may ask for.

use crate::TooLarge;

/// The largest certificates that are checked. Beyond a cap the answer is
/// [`TooLarge`], never "valid".
///
/// With the defaults a check takes some seconds at worst, if the steps of the
/// system are cheap to compute and few states follow each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Bytes of the certificate's text. Default 64 MiB.
    pub bytes: usize,
    /// Events of a run. Default 1,000,000.
    pub events: usize,
    /// Requests that a run completes. Default 10,000.
    pub requests: u64,
    /// Sub-multisets of the completed multiset: the product of `count + 1`
    /// over its letters. Default 2²⁰ = 1,048,576.
    pub submultisets: u64,
    /// Work in all. Default 200,000,000 ticks: one for each successor and
    /// response that the replay asks for, one for each name that it looks at
    /// and one more per 64 bytes of it, and what [`SerialExplorer`](serval_model::SerialExplorer) says it costs.
    pub ticks: u64,
}

impl Default for Caps {
    fn default() -> Self {
        Self { bytes: 64 << 20, events: 1_000_000, requests: 10_000, submultisets: 1 << 20, ticks: 200_000_000 }
    }
}

impl Caps {
    /// Whether a certificate of so many bytes may be read.
    pub fn admit_bytes(&self, bytes: usize) -> Result<(), TooLarge> {
        within("bytes", bytes, self.bytes)
    }

    pub(crate) fn admit_events(&self, events: usize) -> Result<(), TooLarge> {
        within("events", events, self.events)
    }

    pub(crate) fn admit_requests(&self, requests: u128) -> Result<(), TooLarge> {
        if requests <= u128::from(self.requests) { Ok(()) } else { Err(TooLarge { what: "requests", limit: self.requests }) }
    }

    /// Whether the multiset with these counts has few enough sub-multisets.
    pub(crate) fn admit_submultisets(&self, counts: impl Iterator<Item = u64>) -> Result<(), TooLarge> {
        let product = counts.into_iter().try_fold(1_u64, |product, count| product.checked_mul(count.checked_add(1)?));
        match product {
            Some(product) if product <= self.submultisets => Ok(()),
            _ => Err(TooLarge { what: "sub-multisets", limit: self.submultisets }),
        }
    }
}

fn within(what: &'static str, size: usize, limit: usize) -> Result<(), TooLarge> {
    if size <= limit { Ok(()) } else { Err(TooLarge { what, limit: u64::try_from(limit).unwrap_or(u64::MAX) }) }
}
