//! The forms of `serval export`.

use std::ffi::OsStr;

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};

use super::Format;

/// A form, and for programs in rounds how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExportForm {
    pub(crate) format: Format,
    /// 0 for the other forms.
    pub(crate) rounds: u32,
}

/// Reads a form by its name; `sc-rounds` has a number behind it.
#[derive(Clone, Debug)]
pub(crate) struct FormParser;

impl TypedValueParser for FormParser {
    type Value = ExportForm;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<ExportForm, Error> {
        let rounds = value.to_str().and_then(|text| text.strip_prefix("sc-rounds:")).map(str::parse::<u32>);
        match rounds {
            Some(Ok(rounds)) if rounds > 0 => return Ok(ExportForm { format: Format::ScRounds, rounds }),
            Some(_) => {
                let message = "sc-rounds needs how many rounds each thread has, such as sc-rounds:2\n";
                return Err(Error::raw(ErrorKind::ValueValidation, message).with_cmd(command));
            }
            None => {}
        }
        let format = EnumValueParser::<Format>::new().parse_ref(command, argument, value)?;
        Ok(ExportForm { format, rounds: 0 })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        use clap::ValueEnum;
        Some(Box::new(Format::value_variants().iter().filter_map(ValueEnum::to_possible_value)))
    }
}
