//! Which text a certificate is about.

/// The identity of a text: the 128-bit FNV-1a hash of its bytes, as 32
/// hexadecimal digits.
///
/// It tells the user that a certificate belongs to another file or to an
/// older version of it. It is no protection: texts with the same fingerprint
/// can be made on purpose. Nothing rests on it either: what a certificate
/// proves is checked against the text that is given.
///
/// ```
/// use serval_evidence::fingerprint;
/// assert_eq!(fingerprint(""), "6c62272e07bb014262b821756295c58d");
/// assert_eq!(fingerprint("foobar"), "343e1662793c64bf6f0d3597ba446f18");
/// ```
pub fn fingerprint(text: &str) -> String {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let hash = text.bytes().fold(OFFSET, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
    format!("{hash:032x}")
}
