fn main() {
    use serval_bench::classic::*;
    use std::time::Duration;
    let args: Vec<String> = std::env::args().collect();
    if args[1] == "random" {
        let n: u64 = args[2].parse().unwrap();
        let mut agreement = Agreement::default();
        let only: Vec<u64> = args[3..].iter().map(|a| a.parse().unwrap()).collect();
        for number in 0..n { if !only.is_empty() && !only.contains(&number) { continue }
            for system in serval_bench::verdicts::systems_of(5, number) {
                match compare(&system, Duration::from_secs(20), &mut agreement) {
                    Ok(o) => if let Some(stop) = o.stop { println!("{number} {stop:?} {:?} {:?}\n{}", o.time, o.stages, if only.is_empty() { String::new() } else { system.to_json() }) },
                    Err(e) => println!("{number} WRONG {e}\n{}", system.to_json()),
                }
            }
        }
        println!("{agreement:#?}");
        return;
    }
    if args[1] == "show" {
        for program in suite(args[2].as_ref()).unwrap() { if args[3..].contains(&program.name) || args.len() == 3 { show(&program.name, &program.plain[0]); } }
        return;
    }
    for program in suite(args[1].as_ref()).unwrap() {
        if args.len() > 2 && !args.contains(&program.name) { continue; }
        for (name, systems) in [("split", &program.components), ("plain", &program.plain)] {
            let o = decide_program(systems, &Default::default(), Duration::from_secs(100));
            match o {
                Ok(o) => {
                    println!("{} {name} {} {} {:?} check {:?} {:?}", program.name, o.verdict, o.verdict == program.expected, o.time, o.check_time, o.stop);
                    for s in &o.stages { println!("    c {} most {} p {} dis {} away {} net {:?} left {:?} ref {} inv {:?} t {:?} {:?} {:?} {:?}", s.components, s.most_components, s.periods, s.disjuncts, s.sliced_away, s.net, s.left, s.refinements, s.invariant, s.serial_time, s.slice_time, s.reach_time, s.certify_time); }
                }
                Err(e) => println!("{} {name} ERROR {e}", program.name),
            }
        }
    }
}
#[allow(dead_code)]
pub fn show(name: &str, system: &serval_model::NetworkSystem) {
    let (_, places) = serval_petri::interleaving(system).unwrap();
    let serial = serval_classic::Serial::new(system, &places, &Default::default(), &mut serval_model::Budget::unlimited()).unwrap();
    println!("{name} {}x{} {} {}", serial.automaton.states(), serial.automaton.edges().len(), serial.image.set.components().len(), serial.image.small.components().len());
    for e in &serial.edges { println!("  {} -{}/{}-> {}", system.global_name(e.from), system.request_name(e.letter.0), system.response_name(e.letter.1), system.global_name(e.to)); }
    println!("{}", serial.image.small.display(&|l| format!("x{}", l.0)));
}
