//! Counterexamples of Kind 2 and JKind, in samples made by hand after their documentation, and made from random runs.

use std::fmt::Write;

use serval_net_export::lustre::identifier;
use serval_net_export::trace::{is_meant, read};
use serval_petri::{Marking, Net, TransitionId, tina};

use crate::examples::{Random, example, examples};

/// The two firings of `t3` after which the example is not 1-safe, as Kind 2 writes them.
const KIND2: &str = r#"<?xml version="1.0"?>
<Results xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" enabled="bmc,ind" timeout="0.000000">
  <Log class="note" source="parse">something</Log>
  <AnalysisStart top="main" concrete="bool2int" abstract="" assumptions=""/>
  <Property name="prop_deadTransExists" scope="main" source="PropAnnot">
    <Runtime unit="sec" timeout="false">0.100</Runtime><K>1</K><Answer source="pdr">valid</Answer>
  </Property>
  <Property name="prop_oneSafe" scope="main" line="60" column="4" source="PropAnnot">
    <Runtime unit="sec" timeout="false">0.035</Runtime>
    <K>2</K>
    <Answer source="bmc">falsifiable</Answer>
    <CounterExample>
      <Node name="main">
        <Stream name="act_t1" type="bool" class="input"><Value instant="0">false</Value><Value instant="1">false</Value><Value instant="2">true</Value></Stream>
        <Stream name="firing_t1" type="bool" class="output"><Value instant="0">false</Value><Value instant="1">false</Value><Value instant="2">true</Value></Stream>
        <Stream name="firing_t3" type="bool" class="output"><Value instant="0">true</Value><Value instant="1">true</Value><Value instant="2">false</Value></Stream>
        <Stream name="p1" type="int" class="output"><Value instant="0">1</Value><Value instant="1">1</Value><Value instant="2">1</Value></Stream>
        <Stream name="p2" type="int" class="output"><Value instant="0">0</Value><Value instant="1">1</Value><Value instant="2">2</Value></Stream>
        <Node name="bool2int" line="10" column="2">
          <Stream name="firing_t3" type="bool" class="input"><Value instant="0">false</Value></Stream>
        </Node>
      </Node>
    </CounterExample>
  </Property>
  <AnalysisStop/>
</Results>
"#;

/// The same by JKind, and the deadlock after `t1`.
const JKIND: &str = r#"<?xml version="1.0"?>
<Results xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <Property name="prop_noDeadlock">
    <Runtime unit="sec" timeout="false">0.2</Runtime>
    <Answer source="bmc">falsifiable</Answer>
    <K>2</K>
    <Counterexample>
      <Signal name="act_t1" type="bool"><Value time="0">true</Value><Value time="1">false</Value></Signal>
      <Signal name="p1" type="int"><Value time="0">1</Value><Value time="1">0</Value></Signal>
      <Signal name="bool2int~0.i" type="int"><Value time="0">0</Value><Value time="1">0</Value></Signal>
    </Counterexample>
  </Property>
  <Property name="prop_oneSafe">
    <Answer source="bmc">falsifiable</Answer>
    <Counterexample>
      <Signal name="firing_t3" type="bool"><Value time="0">true</Value><Value time="1">true</Value><Value time="2">true</Value></Signal>
    </Counterexample>
  </Property>
</Results>
"#;

const KIND2_JSON: &str = r#"[
 {"objectType":"kind2Options","enabled":["bmc"],"timeout":0},
 {"objectType":"property","name":"prop_deadTransExists","answer":{"source":"pdr","value":"valid"}},
 {"objectType":"property","name":"prop_oneSafe","scope":"main","runtime":{"unit":"sec","timeout":false,"value":0.035},"k":2,
  "answer":{"source":"bmc","value":"falsifiable"},
  "counterExample":[{"blockType":"node","name":"main","streams":[
    {"name":"firing_t3","type":"bool","class":"output","instantValues":[[0,true],[1,true],[2,false]]},
    {"name":"p2","type":"int","class":"output","instantValues":[[0,0],[1,1],[2,2]]}
  ],"subBlocks":[]}]}
]
"#;

fn names(net: &Net, fired: &[TransitionId]) -> Vec<String> {
    fired.iter().map(|&transition| net.transition_name(transition).to_owned()).collect()
}

#[test]
fn samples_are_runs() {
    let net = example("figure-1.net");
    for (text, property, run) in [
        (KIND2, None, &["t3", "t3"][..]),
        (KIND2, Some("prop_oneSafe"), &["t3", "t3"]),
        (KIND2_JSON, None, &["t3", "t3"]),
        (JKIND, None, &["t1"]),
        (JKIND, Some("prop_oneSafe"), &["t3", "t3"]),
    ] {
        assert!(is_meant(text));
        assert_eq!(names(&net, &read(text, &net, property).unwrap()), run);
    }
    assert!(!is_meant("{\"format\":\"serval-net-trace\"}"));
}

#[test]
fn what_is_no_run_is_refused_in_one_sentence() {
    let net = example("figure-1.net");
    let refused = |text: &str, property| read(text, &net, property).unwrap_err().to_string();
    assert_eq!(refused(KIND2, Some("prop_noDeadlock")), "the file has no counterexample for prop_noDeadlock; it has prop_oneSafe");
    assert_eq!(refused("<Results/>", None), "the file has no counterexample");
    assert_eq!(refused("[]", None), "the file has no counterexample");
    assert_eq!(refused("[", None), "EOF while parsing a list at line 1 column 1");
    assert!(refused("<Results>", None).starts_with("line 1, column "));
    let value = |from: &str, to: &str| refused(&KIND2_JSON.replacen(from, to, 1), None);
    assert_eq!(value("[2,2]", "[2,3]"), "at instant 2 “p2” has 3 in the file and 2 in the net");
    assert_eq!(value("[2,2]", "[9999999,2]"), "instant 9999999 has a value, and there are 6 values in all");
    assert_eq!(value("[0,true]", "[0,\"maybe\"]"), "“maybe” is no Boolean value, at instant 0");
    assert_eq!(value("[0,true]", "[-1,true]"), "a value has no number of its instant");
    assert_eq!(value("firing_t3", "firing_t9"), "the counterexample tells of no transition of this net whether it fires");
    assert_eq!(value("firing_t3", "firing_t2"), "instant 0: “t2” takes 1 from “p2”, which has 0");
    assert_eq!(refused(&KIND2.replacen("instant=\"0\"", "", 1), None), "a <Value> has no number of its instant");
}

/// A run in the format of one of the tools.
fn written(net: &Net, steps: &[Vec<TransitionId>], form: usize) -> String {
    let mut markings: Vec<Marking> = vec![net.initial()];
    for step in steps {
        let mut marking = markings.last().unwrap().clone();
        step.iter().for_each(|&transition| net.fire(&mut marking, transition).unwrap());
        markings.push(marking);
    }
    let mut streams: Vec<(String, Vec<String>)> = Vec::new();
    for transition in net.transitions() {
        let fires = (0..markings.len()).map(|instant| steps.get(instant).is_some_and(|step| step.contains(&transition)).to_string());
        streams.push((format!("firing_{}", identifier(net.transition_name(transition))), fires.collect()));
    }
    for place in net.places() {
        streams.push((identifier(net.place_name(place)), markings.iter().map(|marking| marking.tokens(place).to_string()).collect()));
    }
    let mut text = String::new();
    let (stream, instant) = if form == 0 { ("Stream", "instant") } else { ("Signal", "time") };
    for (number, (name, values)) in streams.iter().enumerate() {
        if form == 2 {
            let pairs: Vec<String> = values.iter().enumerate().map(|(instant, value)| format!("[{instant},{value}]")).collect();
            let comma = if number == 0 { "" } else { "," };
            write!(text, "{comma}{{\"name\":\"{name}\",\"instantValues\":[{}]}}", pairs.join(",")).unwrap();
        } else {
            write!(text, "<{stream} name=\"{name}\">").unwrap();
            for (number, value) in values.iter().enumerate() {
                write!(text, "<Value {instant}=\"{number}\">{value}</Value>").unwrap();
            }
            write!(text, "</{stream}>").unwrap();
        }
    }
    match form {
        0 => {
            format!("<Results><Property name=\"p\"><CounterExample><Node name=\"main\">{text}</Node></CounterExample></Property></Results>")
        }
        1 => format!("<Results><Property name=\"p\"><Counterexample>{text}</Counterexample></Property></Results>"),
        _ => format!("[{{\"objectType\":\"property\",\"name\":\"p\",\"counterExample\":[{{\"streams\":[{text}]}}]}}]"),
    }
}

#[test]
fn random_runs_come_back() {
    let mut random = Random(11);
    let mut nets = examples();
    nets.push(("names".to_owned(), tina::read("pl {node} (1)\npl {} (1)\ntr {a b} {node} -> {node}\ntr {} {} -> {}*2").unwrap()));
    for (name, net) in nets {
        for form in 0..3 {
            let sets = serval_net_export::sets::greedy(&net);
            let (mut marking, mut steps) = (net.initial(), Vec::new());
            for _ in 0..6 {
                let set = &sets[random.below(sets.len())];
                let step: Vec<TransitionId> = set.iter().copied().filter(|&transition| net.is_enabled(&marking, transition)).collect();
                step.iter().for_each(|&transition| net.fire(&mut marking, transition).unwrap());
                steps.push(step);
            }
            let text = written(&net, &steps, form);
            assert_eq!(read(&text, &net, None).unwrap(), steps.concat(), "{name}");
        }
    }
}
