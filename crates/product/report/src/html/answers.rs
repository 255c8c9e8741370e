//! The table of answers: what the requests answered together, and what serial orders give.
//!
//! A row is for all orders that give the same. Where an order can give several answers, the row has those that differ
//! from the run at fewest requests, and says how many others there are. Every row differs somewhere, as no serial
//! order gives what was seen; these answers are marked.

use std::fmt::Write;

use serval_diagnostic::counted;

use crate::counterexample::{Counterexample, SerialOrder};
use crate::escape::xml as escaped;

/// Rows for serial orders.
const MOST_ROWS: usize = 6;
/// Orders that a row names.
const NAMED: usize = 2;

/// Serial orders that give the same.
struct OrderGroup<'a> {
    orders: Vec<String>,
    answers: &'a [Vec<String>],
}

fn groups(serial: &[SerialOrder]) -> Vec<OrderGroup<'_>> {
    let mut groups: Vec<OrderGroup<'_>> = Vec::new();
    for order in serial {
        let numbers: Vec<String> = order.order.iter().map(|id| format!("#{id}")).collect();
        let title = numbers.join(" then ");
        match groups.iter_mut().find(|group| group.answers == order.answers) {
            Some(group) => group.orders.push(title),
            None => groups.push(OrderGroup { orders: vec![title], answers: &order.answers }),
        }
    }
    groups
}

impl OrderGroup<'_> {
    fn title(&self) -> String {
        let more = self.orders.len().saturating_sub(NAMED);
        let named = self.orders[..self.orders.len() - more].join("<br>");
        if more == 0 { named } else { format!("{named}<br>and {}", counted(more, "more order")) }
    }

    /// The row of the table.
    fn row(&self, seen: &[&str], out: &mut String) {
        let title = self.title();
        let differences = |answers: &Vec<String>| answers.iter().zip(seen).filter(|(one, seen)| one.as_str() != **seen).count();
        let Some(nearest) = self.answers.iter().min_by_key(|answers| differences(answers)) else {
            let _ =
                writeln!(out, "<tr><th scope=\"row\">{title}</th><td class=\"differs\" colspan=\"{}\">never ends</td></tr>", seen.len());
            return;
        };
        let cell = |(answer, seen): (&String, &&str)| {
            let class = if answer == seen { "" } else { " class=\"differs\"" };
            format!("<td{class}>{}</td>", escaped(answer))
        };
        let cells: String = nearest.iter().zip(seen).map(cell).collect();
        let others = match self.answers.len() - 1 {
            0 => String::new(),
            more => format!("<br><small>or {}, which differ, too</small>", counted(more, "more set of answers")),
        };
        let _ = writeln!(out, "<tr><th scope=\"row\">{title}{others}</th>{cells}</tr>");
    }
}

/// The table.
pub(super) fn table(run: &Counterexample) -> String {
    let mut out = String::from("<div class=\"scrolls\"><table class=\"answers\">\n<caption>Answers");
    // Where the order in time matters, those that agree with it.
    let groups = groups(run.in_time.as_ref().map_or(&run.explanation.serial, |orders| &orders.left));
    if !groups.is_empty() {
        out.push_str("; what differs from the run is <span class=\"differs\">marked</span>");
    }
    out.push_str("</caption>\n<thead><tr><th scope=\"col\">order</th>");
    for answered in &run.requests {
        let _ = write!(out, "<th scope=\"col\">{} #{}</th>", escaped(&answered.request), answered.id);
    }
    out.push_str("</tr></thead>\n<tbody>\n<tr class=\"seen\"><th scope=\"row\">together</th>");
    for answered in &run.requests {
        let _ = write!(out, "<td>{}</td>", escaped(&answered.response));
    }
    out.push_str("</tr>\n");
    let seen: Vec<&str> = run.requests.iter().map(|answered| answered.response.as_str()).collect();
    for group in groups.iter().take(MOST_ROWS) {
        group.row(&seen, &mut out);
    }
    let left: usize = groups.iter().skip(MOST_ROWS).map(|group| group.orders.len()).sum();
    if left > 0 {
        let _ = writeln!(out, "<tr><th scope=\"row\" colspan=\"{}\">and {}</th></tr>", seen.len() + 1, counted(left, "more order"));
    }
    out.push_str("</tbody>\n</table></div>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(order: [u32; 3], answers: &[[&str; 3]]) -> SerialOrder {
        let answers = answers.iter().map(|one| one.iter().map(|answer| (*answer).to_owned()).collect()).collect();
        SerialOrder { order: order.to_vec(), answers }
    }

    #[test]
    fn orders_that_give_the_same_are_one_row_and_the_nearest_answers_are_shown() {
        let one = [["0", "0", "1"], ["1", "0", "1"], ["1", "1", "1"]];
        let serial = [order([1, 2, 3], &one), order([1, 3, 2], &one), order([2, 1, 3], &one), order([3, 2, 1], &[])];
        let groups = groups(&serial);
        assert_eq!(groups.len(), 2);
        let mut rows = String::new();
        groups[0].row(&["0", "0", "0"], &mut rows);
        assert_eq!(
            rows,
            "<tr><th scope=\"row\">#1 then #2 then #3<br>#1 then #3 then #2<br>and 1 more order<br>\
             <small>or 2 more sets of answers, which differ, too</small></th><td>0</td><td>0</td><td class=\"differs\">1</td></tr>\n"
        );
        rows.clear();
        groups[1].row(&["0", "0", "0"], &mut rows);
        assert!(rows.contains("never ends"));
    }
}
