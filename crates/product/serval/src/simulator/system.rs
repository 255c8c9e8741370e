//! Running network systems.

use serval_model::{Configuration, Event, Move, NetworkSystem, Run, enabled_moves};
use serval_report::escape::name as shown;
use serval_report::{StateName, States, TraceEvent};

use super::{Action, ActionKind, Simulator};

/// One or more systems that share nothing, run side by side.
pub struct SystemSimulator<'a> {
    systems: &'a [NetworkSystem],
    runs: Vec<Run>,
    /// The number of each system's n-th request among all.
    numbers: Vec<Vec<u32>>,
    next_number: u32,
    offered: Vec<(usize, Move)>,
    answers: Vec<(String, String)>,
    events: Vec<TraceEvent>,
}

impl<'a> SystemSimulator<'a> {
    /// Systems before their first step.
    pub fn new(systems: &'a [NetworkSystem]) -> Self {
        Self {
            systems,
            runs: systems.iter().map(|system| Run::new(system.initial_global())).collect(),
            numbers: vec![Vec::new(); systems.len()],
            next_number: 1,
            offered: Vec::new(),
            answers: Vec::new(),
            events: Vec::new(),
        }
    }

    fn configuration(&self, component: usize) -> &Configuration {
        self.runs[component].configuration()
    }

    fn number(&self, component: usize, thread: serval_model::ThreadId) -> u32 {
        self.numbers[component][thread.number() as usize - 1]
    }

    fn describe(&self, component: usize, chosen: Move) -> Action {
        let system = &self.systems[component];
        match chosen {
            Move::Spawn { request, local } => {
                let (request, local) = (system.request_name(request).to_owned(), system.local_name(local).to_owned());
                Action {
                    kind: ActionKind::Spawn,
                    text: format!("#{} {} comes, in {}", self.next_number, shown(&request), shown(&local)),
                    event: Some(TraceEvent::Spawn { id: self.next_number, component, request: Some(request), local }),
                }
            }
            Move::Step { thread, step } => {
                let id = self.number(component, thread);
                let name =
                    |local, global| StateName { local: system.local_name(local).to_owned(), global: system.global_name(global).to_owned() };
                let (from, to) = (name(step.local, step.global), name(step.to_local, step.to_global));
                let change =
                    if from.global == to.global { String::new() } else { format!(", {} → {}", shown(&from.global), shown(&to.global)) };
                Action {
                    kind: ActionKind::Step,
                    text: format!("#{id} {} {} → {}{change}", shown(self.request(component, thread)), shown(&from.local), shown(&to.local)),
                    event: Some(TraceEvent::Step { id, component, from, to, span: None, accesses: None }),
                }
            }
            Move::Respond { thread, response } => {
                let id = self.number(component, thread);
                let response = system.response_name(response).to_owned();
                let local = self.configuration(component).in_flight.get(&thread).map_or("", |state| system.local_name(state.local));
                Action {
                    kind: ActionKind::Respond,
                    text: format!("#{id} {} returns {}", shown(self.request(component, thread)), shown(&response)),
                    event: Some(TraceEvent::Respond { id, component, local: local.to_owned(), response, name: None }),
                }
            }
        }
    }

    fn request(&self, component: usize, thread: serval_model::ThreadId) -> &str {
        let flight = &self.configuration(component).in_flight;
        flight.get(&thread).map_or("", |state| self.systems[component].request_name(state.request))
    }
}

impl Simulator for SystemSimulator<'_> {
    fn actions(&mut self) -> Vec<Action> {
        self.offered.clear();
        for (component, system) in self.systems.iter().enumerate() {
            let Ok(moves) = enabled_moves(system, self.configuration(component));
            self.offered.extend(moves.into_iter().map(|chosen| (component, chosen)));
        }
        self.offered.iter().map(|&(component, chosen)| self.describe(component, chosen)).collect()
    }

    fn perform(&mut self, position: usize) -> String {
        let Some(&(component, chosen)) = self.offered.get(position) else { return String::new() };
        let Action { text, event, .. } = self.describe(component, chosen);
        if let Move::Respond { thread, response } = chosen {
            let answer = (self.request(component, thread).to_owned(), self.systems[component].response_name(response).to_owned());
            self.answers.push(answer);
        }
        match self.runs[component].perform(chosen) {
            Ok(Event::Spawn { .. }) => {
                self.numbers[component].push(self.next_number);
                self.next_number += 1;
            }
            Ok(_) => {}
            // Only moves that the system offered are performed.
            Err(fault) => return fault.describe(&self.systems[component]),
        }
        self.events.extend(event);
        text
    }

    fn globals(&self) -> String {
        let names =
            self.systems.iter().enumerate().map(|(component, system)| shown(system.global_name(self.configuration(component).global)));
        names.collect::<Vec<_>>().join(", ")
    }

    fn waiting(&self) -> Vec<String> {
        let mut waiting = Vec::new();
        for (component, system) in self.systems.iter().enumerate() {
            for (&thread, state) in &self.configuration(component).in_flight {
                let (number, name) = (self.number(component, thread), shown(system.request_name(state.request)));
                waiting.push(format!("#{number} {name} in {}", shown(system.local_name(state.local))));
            }
        }
        waiting
    }

    fn answers(&self) -> &[(String, String)] {
        &self.answers
    }

    fn events(&self) -> &[TraceEvent] {
        &self.events
    }

    fn states(&self) -> States {
        // The names of a network system are all there is.
        States::default()
    }

    fn events_so_far(&self) -> usize {
        self.events.len()
    }
}
