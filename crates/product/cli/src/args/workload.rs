//! What the command line says about workloads of SQL.

use clap::{Args as ClapArgs, ValueEnum};

/// A level of isolation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    /// READ COMMITTED
    #[value(alias = "read-committed")]
    Rc,
    /// REPEATABLE READ
    #[value(alias = "repeatable-read")]
    Rr,
    /// SERIALIZABLE
    Serializable,
}

impl Level {
    /// As settings of a workload have it.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Rc => "read committed",
            Self::Rr => "repeatable read",
            Self::Serializable => "serializable",
        }
    }
}

/// Of a workload of SQL, which is a directory.
#[derive(ClapArgs, Clone, Debug, Default)]
pub(crate) struct SqlArgs {
    /// With workloads of SQL: put all transactions at this level
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(crate) isolation: Option<Level>,
    /// With workloads of SQL: add a script that reads all tables
    #[arg(long)]
    pub(crate) observe: bool,
    /// With workloads of SQL: the range of columns that have none, such as "0..2 wrap"
    #[arg(long, value_name = "RANGE")]
    pub(crate) default_range: Option<String>,
}

impl SqlArgs {
    /// As lines of the settings of a workload.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.extend(self.isolation.map(|level| format!("force {}", level.words())));
        if self.observe {
            lines.push("observe".to_owned());
        }
        lines.extend(self.default_range.as_ref().map(|range| format!("default-range {}", range.replace('\n', " "))));
        lines
    }

    /// Whether anything is said.
    pub(crate) fn is_said(&self) -> bool {
        !self.lines().is_empty()
    }
}
