//! `serval explain NAME`.

use serval_report::{escape, explain};

use crate::args::Explain;
use crate::failure::Failure;
use crate::output::write_to;

pub(crate) fn run(args: &Explain) -> Result<(), Failure> {
    let Some(name) = &args.name else {
        let list: String = explain::names().iter().map(|(name, title)| format!("{name:<20} {title}\n")).collect();
        return write_to(None, &list);
    };
    match explain::page(name) {
        Some(page) => write_to(None, page),
        None => {
            let hint = explain::similar(name).map_or(String::new(), |similar| format!("; did you mean {similar}?"));
            Err(Failure::Input(format!(
                "error: there is no page on {}{hint}\nhelp: `serval explain` lists all pages\n",
                escape::name(name)
            )))
        }
    }
}
