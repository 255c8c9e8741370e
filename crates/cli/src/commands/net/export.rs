//! `serval net export NET`.

use serval::nets::smtlib;
use serval_petri::{lola, pnml, pnml_reads_back, tina, tina_reads_back};
use serval_report::escape::name;
use serval_report::nets::{net_dot, net_graph, net_mermaid, net_words};

use super::read;
use crate::args::{NetExport, NetForm};
use crate::failure::Failure;
use crate::input::shown;
use crate::output::{keep_input, write_to};

pub(super) fn run(args: &NetExport) -> Result<(), Failure> {
    keep_input(&args.net.file, args.out.as_deref())?;
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
            let question = read::question(&args.property, &input)?;
            smtlib(net, &question.property).map_err(Failure::message)?
        }
    };
    write_to(args.out.as_deref(), &text)
}
