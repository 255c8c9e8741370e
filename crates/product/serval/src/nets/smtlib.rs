//! The marking equation for other solvers.

use serval_net_proof::Equation;
use serval_net_proof::equation::problem;
use serval_petri::{Decides, Net, Property};

/// The marking equation with the goal of a property, as a question for SMT solvers: where it has no solution, no
/// marking of the goal can be reached. A property with several goals has no such question.
pub fn smtlib(net: &Net, property: &Property) -> Result<String, String> {
    if property.bounded_places(net).is_some() {
        return Err("that places are bounded is no question about single markings".to_owned());
    }
    if property.decides() == Decides::IfHome {
        return Err(format!("{} asks what can always be reached again, which is no question about single markings", property.name()));
    }
    let goals = property.goals(net).ok_or("a number in the property does not fit 64 bits")?;
    let [goal] = &goals[..] else {
        return Err(format!("{} asks {} questions; ask one, such as reachable:fireable(t)", property.name(), goals.len()));
    };
    let problem = problem(net, goal, &Equation::default()).map_err(|_| "a number of the equation does not fit")?;
    Ok(serval_arith::smtlib::script(&problem, None))
}
