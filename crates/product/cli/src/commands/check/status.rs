//! What files mean for the exit status.

use std::process::ExitCode;

/// What a file means for the exit status, the gravest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::commands) enum Status {
    Fine,
    Undecided,
    NotSerializable,
    Input,
    Internal,
}

impl Status {
    /// This status, or a graver one where something that was asked for could not be written.
    pub(in crate::commands) fn unless_written(self, is_written: bool) -> Self {
        if is_written { self } else { self.max(Self::Input) }
    }

    pub(in crate::commands) fn exit_code(self, exit_zero: bool) -> ExitCode {
        ExitCode::from(match self {
            Self::Fine => 0,
            Self::Undecided | Self::NotSerializable if exit_zero => 0,
            Self::NotSerializable => 1,
            Self::Input => 2,
            Self::Undecided => 3,
            Self::Internal => 4,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gravest_status_wins() {
        let order = [Status::Fine, Status::Undecided, Status::NotSerializable, Status::Input, Status::Internal];
        assert!(order.is_sorted());
        let codes = order.map(|status| status.exit_code(false));
        assert_eq!(codes, [0, 3, 1, 2, 4].map(ExitCode::from));
        assert_eq!(order.map(|status| status.exit_code(true)), [0, 0, 0, 2, 4].map(ExitCode::from));
    }
}
