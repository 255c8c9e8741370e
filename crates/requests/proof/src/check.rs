//! The checker's entry: what holds for certificates of every kind.

use std::collections::BTreeMap;
use std::convert::Infallible;

use serval_budget::Cancel;
use serval_diagnostic::counted;
use serval_evidence::{require, shown};
use serval_model::{Moves, Named, NetworkSystem, NormalForm};

use crate::run::check_run_in_time;
use crate::{
    Body, Caps, CasesProof, Certificate, Checked, Claim, ClosedPart, Failure, FaultCertificate, Part, Reduction, Refusal, RunCertificate,
    TooLarge, Work, check_closure, check_fault, check_run, fingerprint, flow, invariant, letters, same, script, shared, strict,
};

/// An input: a list of components. Only what a certificate needs is asked for.
///
/// It means their product: each component has a global state of its own, which
/// its steps alone read and change, and a run is a shuffle of runs of the
/// components. So that they share no global state is no condition on the
/// components; it is up to the caller, which splits a program into them. That they share
/// no request name is checked.
pub trait Input {
    /// Why a component cannot be given.
    type Stop;

    /// A component whose states are made when they are asked for.
    type Lazy<'a>: Named + Moves<Stop: Into<Self::Stop>>
    where
        Self: 'a;

    /// The input as the user gave it.
    fn text(&self) -> &str;

    /// The number of components.
    fn components(&self) -> usize;

    /// The component with this number, below [`Input::components`], on demand.
    fn lazy(&self, component: usize) -> Self::Lazy<'_>;

    /// All components, written out, in order: those that [`Input::lazy`] gives.
    fn whole(&self, cancel: &Cancel) -> Result<Vec<&NetworkSystem>, Refusal<Self::Stop>>;

    /// The failure of the program that stops a component, if that is what stops it. Systems that are written out never
    /// fail.
    fn failure(_: &<Self::Lazy<'_> as Moves>::Stop) -> Option<Failure> {
        None
    }

    /// Whether a proof on a control graph shows that the input is serializable. Only programs have control graphs;
    /// whatever else refuses.
    fn check_reduction(&self, _: &Reduction, _: &Caps, _: &Cancel) -> Result<(), Refusal<Self::Stop>> {
        require!(ReductionProgram, false, about("the input"), "it is no program, and a proof of kind `reduction` is about one");
        Ok(())
    }

    /// Whether cases on nets show that a component is serializable. An input that knows nets implements this; others
    /// refuse.
    fn check_cases(&self, _: NormalForm, _: &CasesProof, _: &mut Work) -> Checked {
        require!(CasesNets, false, about("the cases"), "evidence about nets cannot be checked here");
        Ok(())
    }
}

/// Systems that are written out, and the text they came from.
#[derive(Clone, Debug)]
pub struct Systems<'a> {
    /// The text.
    pub text: &'a str,
    /// The components.
    pub systems: Vec<&'a NetworkSystem>,
}

impl<'s> Input for Systems<'s> {
    type Stop = Infallible;
    type Lazy<'a>
        = &'s NetworkSystem
    where
        Self: 'a;

    fn text(&self) -> &str {
        self.text
    }

    fn components(&self) -> usize {
        self.systems.len()
    }

    fn lazy(&self, component: usize) -> &'s NetworkSystem {
        self.systems[component]
    }

    fn whole(&self, _: &Cancel) -> Result<Vec<&NetworkSystem>, Refusal<Infallible>> {
        Ok(self.systems.clone())
    }
}

/// Checks a certificate against an input.
pub fn check<I: Input>(input: &I, certificate: &Certificate, caps: &Caps, cancel: &Cancel) -> Result<(), Refusal<I::Stop>> {
    let (actual, given) = (fingerprint(input.text()), shown(&certificate.input));
    let same = certificate.input == actual;
    require!(Input, same, "this one has the fingerprint {actual}, and the certificate is about {given}");
    check_requests(input)?;
    match &certificate.body {
        Body::Run(run) => check_refutation(input, certificate, run, caps, cancel),
        Body::Fault(fault) => check_failure(input, certificate, fault, caps, cancel),
        Body::Part(part) => check_parts(input, certificate.claim, std::slice::from_ref(part), caps, cancel),
        Body::Components(parts) => check_parts(input, certificate.claim, parts, caps, cancel),
        Body::Reduction(reduction) => {
            // A reduction shows both: it is serializable, and no step fails (`reduction.errors`), unless integers are
            // taken to be unbounded.
            let proves = matches!(certificate.claim, Claim::Serializable | Claim::Strict)
                || certificate.claim == Claim::Safe && !reduction.unbounded();
            let claimed = certificate.claim.name();
            let object = || format!("claim {claimed:?}");
            require!(ReductionClaim, proves, about(object()), "a proof of this kind can only show that an input is serializable");
            input.check_reduction(reduction, caps, cancel)
        }
        Body::Closure(parts) => check_safe(input, certificate.claim, parts, caps, cancel),
    }
}

/// No request name is in two components.
fn check_requests<I: Input>(input: &I) -> Result<(), Refusal<I::Stop>> {
    let mut owners: BTreeMap<String, usize> = BTreeMap::new();
    for component in 0..input.components() {
        let system = input.lazy(component);
        for name in system.starts().iter().map(|&(request, _)| system.request_name(request)) {
            let owner = *owners.entry(name.clone()).or_insert(component);
            let alone = owner == component;
            let object = || format!("component {component}");
            require!(ComponentsRequests, alone, about(object()), "component {owner} has a request {}, too", shown(&name));
        }
    }
    Ok(())
}

/// The run is one of a component.
fn check_refutation<I: Input>(
    input: &I,
    &Certificate { claim, component, .. }: &Certificate,
    run: &RunCertificate,
    caps: &Caps,
    cancel: &Cancel,
) -> Result<(), Refusal<I::Stop>> {
    let (refutes, claimed) = (matches!(claim, Claim::NotSerializable | Claim::NotStrict), claim.name());
    require!(RunClaim, refutes, about(format!("claim {claimed:?}")), "a run can only show that an input is not serializable");
    let count = input.components();
    require!(Component, component < count, about(format!("component {component}")), "the input has {count}, counted from 0");
    if claim == Claim::NotStrict {
        return check_run_in_time(input.lazy(component), run, caps, cancel).map_err(|refusal| refusal.map_stop(Into::into));
    }
    check_run(input.lazy(component), run, caps, cancel).map_err(|refusal| refusal.map_stop(Into::into))
}

/// The run is one of a component, and a step fails after it.
fn check_failure<I: Input>(
    input: &I,
    &Certificate { claim, component, .. }: &Certificate,
    fault: &FaultCertificate,
    caps: &Caps,
    cancel: &Cancel,
) -> Result<(), Refusal<I::Stop>> {
    let (fails, claimed) = (claim == Claim::Fault, claim.name());
    require!(FaultClaim, fails, about(format!("claim {claimed:?}")), "a run that fails can only show that the program can fail");
    let count = input.components();
    require!(Component, component < count, about(format!("component {component}")), "the input has {count}, counted from 0");
    check_fault(input.lazy(component), fault, I::failure, caps, cancel).map_err(|refusal| refusal.map_stop(Into::into))
}

/// There is a closed list of states for each component.
fn check_safe<I: Input>(input: &I, claim: Claim, parts: &[ClosedPart], caps: &Caps, cancel: &Cancel) -> Result<(), Refusal<I::Stop>> {
    let (proves, claimed) = (claim == Claim::Safe, claim.name());
    require!(ClosureClaim, proves, about(format!("claim {claimed:?}")), "a proof of this kind can only show that no step fails");
    let (given, there) = (parts.len(), input.components());
    require!(ClosureCover, given == there, about(format!("{given} parts")), "the input has {}", counted(there, "component"));
    let mut work = Work::new(caps, cancel);
    for (number, part) in parts.iter().enumerate().take(there) {
        let checked = check_closure(input.lazy(number), part, I::failure, &mut work);
        checked.map_err(|refusal| refusal.about(None, format!("component {number}")).map_stop(Into::into))?;
    }
    Ok(())
}

/// There is a proof for each component.
fn check_parts<I: Input>(input: &I, claim: Claim, parts: &[Part], caps: &Caps, cancel: &Cancel) -> Result<(), Refusal<I::Stop>> {
    let (proves, claimed) = (matches!(claim, Claim::Serializable | Claim::Strict), claim.name());
    require!(PartsClaim, proves, about(format!("claim {claimed:?}")), "a proof of this kind can only show that an input is serializable");
    if claim == Claim::Strict {
        strict::check_kinds(parts).map_err(|refusal| refusal.map_stop(|never| match never {}))?;
    }
    let systems = input.whole(cancel)?;
    let (given, there) = (parts.len(), systems.len());
    require!(PartsCover, given == there, about(format!("{given} parts")), "the input has {}", counted(there, "component"));
    let mut work = Work::new(caps, cancel);
    check_list(input, &systems, parts, &mut work).map_err(|refusal| refusal.map_stop(|never| match never {}))
}

/// Each system is serializable, because its proof says so. How deep lists are in lists is limited by how deep a text of
/// JSON may be.
fn check_list<I: Input>(input: &I, systems: &[&NetworkSystem], parts: &[Part], work: &mut Work) -> Checked {
    let form_of = |system| NormalForm::new(system).map(|(form, _)| form).ok_or(TooLarge { what: "steps", limit: u64::from(u32::MAX) });
    for (number, (part, &system)) in parts.iter().zip(systems).enumerate() {
        let form = form_of(system)?;
        match part {
            Part::Same(proof) => {
                let earlier = proof.part < number && !matches!(parts.get(proof.part), Some(Part::Same(_)));
                let object = || format!("part {number}");
                require!(SamePart, earlier, about(object()), "part {} is no earlier part with a proof of its own", proof.part);
                // Where the condition is met the component is there.
                systems.get(proof.part).map_or(Ok(()), |&earlier| same::check_same(&form, &form_of(earlier)?, proof, work))
            }
            Part::Shared(proof) => {
                let each = shared::split(system, &form, &proof.touches, proof.parts.len(), work)?;
                check_list(input, &each.iter().collect::<Vec<_>>(), &proof.parts, work)
            }
            part => check_alone(input, form, part, work),
        }?;
    }
    Ok(())
}

/// A proof that says by itself that a system is serializable.
fn check_alone<I: Input>(input: &I, form: NormalForm, part: &Part, work: &mut Work) -> Checked {
    match part {
        Part::Atomic(script) => script::check_atomic(form, script, work),
        Part::Flow(proof) => flow::check_flow(form, proof, work),
        Part::Invariant(proof) => invariant::check_invariant(form, proof, work),
        Part::Letters(proof) => letters::check_letters(form, proof, work),
        Part::Cases(proof) => input.check_cases(form, proof, work),
        Part::Same(proof) => {
            require!(SamePart, false, about("the product"), "part {} is no earlier part with a proof of its own", proof.part);
            Ok(())
        }
        Part::Shared(_) => {
            require!(StrictKind, false, about("the product"), "parts with shared letters are no proof for it");
            Ok(())
        }
        Part::Strict(proof) => strict::check_strict(form, proof, &mut |form, part, work| check_alone(input, form, part, work), work),
    }
}
