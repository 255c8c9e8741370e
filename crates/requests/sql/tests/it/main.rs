//! What a workload is, from texts.

mod reading;
