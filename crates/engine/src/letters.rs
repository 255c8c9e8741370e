//! Proofs over the numbers of answers alone.
