use serval_budget::{Budget, Cancel};
use serval_engine::letters::{LettersOutcome, prove};
use serval_engine::reduce::{Reduction, reduce};
use serval_model::{NetworkSystem, NormalForm};
use serval_proof::letters::LettersProof;
use serval_proof::{Body, Caps, Certificate, Claim, Part, Systems, check, fingerprint};
fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let reduced = args.first().is_some_and(|a| a == "-r");
    if reduced {
        args.remove(0);
    }
    let (mut proved, mut run, mut stuck, mut stopped) = (0, 0, 0, 0);
    for path in args {
        let text = std::fs::read_to_string(&path).unwrap();
        let Ok(systems) = serval_model::systems_from_json(&text) else {
            println!("{path}: bad");
            continue;
        };
        for system in &systems {
            let system: &NetworkSystem = system;
            let t = std::time::Instant::now();
            let (form, _) = NormalForm::new(system).unwrap();
            let mut reduction = Reduction::new(form);
            if reduced {
                let _ = reduce(&mut reduction, &mut Budget::ticks(100_000_000));
            }
            let mut budget = Budget::ticks(20_000_000);
            let out = prove(reduction.form(), &mut budget);
            let used = 20_000_000 - budget.left();
            let short = path.rsplit('/').next().unwrap();
            let steps = reduction.form().steps().len();
            match out {
                Ok(LettersOutcome::Proof(proof)) => {
                    proved += 1;
                    let proof = LettersProof { script: reduction.script.clone(), ..proof };
                    let (l, f, r, n) = (proof.levels.len(), proof.facts.len(), proof.regions.len(), proof.tree.nodes.len());
                    let c = proof.classes.len();
                    let one = serval_model::systems_to_json(std::slice::from_ref(system));
                    let certificate = Certificate {
                        input: fingerprint(&one),
                        component: 0,
                        claim: Claim::Serializable,
                        body: Body::Part(Part::Letters(Box::new(proof))),
                    };
                    let el = t.elapsed();
                    let json = certificate.to_json();
                    let back = Certificate::from_json(&json).unwrap();
                    assert_eq!(back, certificate);
                    let ok = check(&Systems { text: &one, systems: vec![system] }, &certificate, &Caps::default(), &Cancel::new());
                    println!(
                        "{short}: PROVED steps {steps} levels {l} facts {f} classes {c} regions {r} tree {n} bytes {} ticks {used} {el:?} {ok:?}",
                        json.len()
                    );
                }
                Ok(LettersOutcome::Run(found)) => {
                    run += 1;
                    println!("{short}: RUN {} steps {steps} ticks {used} {:?}", found.configuration().completed.size(), t.elapsed());
                }
                Ok(LettersOutcome::Stuck(at)) => {
                    stuck += 1;
                    println!("{short}: STUCK {at:?} steps {steps} ticks {used} {:?}", t.elapsed());
                }
                Err(e) => {
                    stopped += 1;
                    println!("{short}: {e:?} steps {steps} ticks {used} {:?}", t.elapsed());
                }
            }
        }
    }
    println!("proved {proved} run {run} stuck {stuck} stopped {stopped}");
}
