//! The checker's entry: what holds for certificates of every kind.

use serval_model::{Cancel, Named};

use crate::conditions::require;
use crate::shown::shown;
use crate::{Body, Caps, Certificate, Refusal, fingerprint, run};

/// Checks a certificate against an input.
///
/// `text` is the input as the user gave it, `components` the number of its
/// components, and `system(k)` the component with number `k < components`; only
/// what the certificate needs is asked for.
pub fn check<S: Named>(
    text: &str,
    components: usize,
    system: impl FnOnce(usize) -> S,
    certificate: &Certificate,
    caps: &Caps,
    cancel: &Cancel,
) -> Result<(), Refusal<S::Stop>> {
    check_input(text, certificate)?;
    match &certificate.body {
        Body::Run(body) => {
            run::check_claim(certificate.claim)?;
            check_component(components, certificate.component)?;
            run::check_run(system(certificate.component), body, caps, cancel)
        }
    }
}

/// The certificate is about this text.
fn check_input<Stop>(text: &str, certificate: &Certificate) -> Result<(), Refusal<Stop>> {
    let actual = fingerprint(text);
    require!(
        "input",
        certificate.input == actual,
        None,
        "the input",
        "its fingerprint is {actual}, but the certificate is about {}",
        shown(&certificate.input)
    );
    Ok(())
}

/// The component exists.
fn check_component<Stop>(components: usize, component: usize) -> Result<(), Refusal<Stop>> {
    require!("component", component < components, None, format!("component {component}"), "the input has {components}, counted from 0");
    Ok(())
}
