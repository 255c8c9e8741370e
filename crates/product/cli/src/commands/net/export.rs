//! `serval net export NET`.

mod checkers;

use serval::nets::smtlib;
use serval_petri::{lola, pnml, pnml_reads_back, tina, tina_reads_back, vass};
use serval_report::escape::name;
use serval_report::nets::{net_dot, net_graph, net_mermaid, net_words};

use super::read;
use crate::args::{LustreEncoding, NetExport, NetForm};
use crate::failure::Failure;
use crate::input::shown;
use crate::output::{keep_input, write_to};

pub(super) fn run(args: &NetExport) -> Result<(), Failure> {
    for path in [&args.out, &args.map].into_iter().flatten() {
        keep_input(&args.net.file, Some(path))?;
    }
    check_options(args)?;
    let input = read::net(&args.net)?;
    let net = input.net();
    let text = match args.to {
        NetForm::Net => {
            let text = tina::write(net);
            if tina_reads_back(&text, net) { text } else { return Err(Failure::Internal) }
        }
        NetForm::Pnml => {
            let text = pnml::write(net);
            if pnml_reads_back(&text, net) { text } else { return Err(Failure::Internal) }
        }
        NetForm::Dot => net_dot(net),
        NetForm::Svg => serval_draw::draw(&net_graph(net)).svg("net", &net_words(&name(net.name())).words()),
        NetForm::Mermaid => net_mermaid(net),
        NetForm::Lola => lola::write(net).map_err(|reason| Failure::message(format!("{}: {reason}", shown(&args.net.file))))?,
        NetForm::Smtlib => {
            let asked = checkers::one(args, &input, "deadlock-free")?;
            smtlib(net, &asked.property).map_err(Failure::message)?
        }
        NetForm::Lustre => checkers::lustre(args, &input)?,
        NetForm::Horn => checkers::refused(serval_net_export::horn::write(net, &checkers::one(args, &input, "deadlock-free")?))?,
        NetForm::Mist => checkers::refused(serval_net_export::mist::write(net, &checkers::one(args, &input, "one-safe")?))?,
        NetForm::Vass => {
            vass::write(net).ok_or_else(|| Failure::message(format!("{}: a number does not fit 63 bits", shown(&args.net.file))))?
        }
        NetForm::Vmt => checkers::refused(serval_net_export::vmt::write(net, &checkers::asked(args, &input, "deadlock-free")?))?,
        NetForm::Nuxmv => checkers::refused(serval_net_export::nuxmv::write(net, &checkers::asked(args, &input, "deadlock-free")?))?,
    };
    write_to(args.out.as_deref(), &text)
}

/// Options that only some forms have.
fn check_options(args: &NetExport) -> Result<(), Failure> {
    let is_lustre = args.to == NetForm::Lustre;
    let asks = is_lustre || matches!(args.to, NetForm::Smtlib | NetForm::Horn | NetForm::Mist | NetForm::Vmt | NetForm::Nuxmv);
    let wrong = [
        ("--encoding", args.encoding != LustreEncoding::Corrected && !is_lustre),
        ("--sets", args.sets.is_some() && !is_lustre),
        ("--assume-bounds", args.assume_bounds && !is_lustre),
        ("--map", args.map.is_some() && !is_lustre),
        ("--property", !args.property.is_empty() && !asks),
        ("--queries", !args.queries.is_empty() && !asks),
    ];
    match wrong.into_iter().find(|one| one.1) {
        Some((option @ ("--property" | "--queries"), _)) => {
            Err(Failure::message(format!("{option} is for --to lustre, horn, vmt, nuxmv, mist and smtlib")))
        }
        Some((option, _)) => Err(Failure::message(format!("{option} is for --to lustre"))),
        None => Ok(()),
    }
}
