//! Values: how constants of SQL become numbers, which values a column can have, and those of parameters.
//!
//! Whole numbers are themselves, truth values 0 and 1, members of an enumeration their place. Texts and moments are the
//! places of the constants that occur anywhere in the workload, in the order of their bytes; so equality is exact, and
//! order is that of SQL for moments written in one form. NULL is one less than the least value of its column.

use std::collections::BTreeSet;

use serval_diagnostic::{Diagnostic, Span};

use super::usage::{Place, Usage, constants, has_parameter};
use crate::codes;
use crate::workload::{Aggregate, Beyond, Bounds, Constant, Kind, Parameter, Scalar, Workload};

/// What a script stores into a column, or compares it with.
type ScriptUse = (usize, Scalar);

/// The values of a column as numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Domain {
    pub(super) bounds: Bounds,
    pub(super) nullable: bool,
    /// Whether the bounds limit what is stored; values of others are known to lie between them.
    pub(super) limits: bool,
}

impl Domain {
    /// What stands for NULL.
    pub(super) fn null(&self) -> i64 {
        self.bounds.low.saturating_sub(1)
    }

    /// The least number that occurs.
    pub(super) fn least(&self) -> i64 {
        if self.nullable { self.null() } else { self.bounds.low }
    }

    /// How many numbers there are, that of NULL among them.
    pub(super) fn count(&self) -> i64 {
        self.bounds.count().saturating_add(i64::from(self.nullable))
    }
}

/// All texts that occur in a workload, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts(Vec<String>);

impl Texts {
    pub(super) fn of(workload: &Workload, usage: &Usage) -> Self {
        let mut found = BTreeSet::new();
        let mut keep = |constant: &Constant| {
            if let Constant::Text(text) = constant {
                found.insert(text.clone());
            }
        };
        for table in &workload.tables {
            table.rows.iter().flatten().for_each(&mut keep);
            table.columns.iter().filter_map(|column| column.default.as_ref()).for_each(&mut keep);
        }
        for (_, scalar) in usage.stored.values().chain(usage.compared.values()).flatten() {
            scalar.visit(&mut |part| {
                if let Scalar::Constant(constant) = part {
                    keep(constant);
                }
            });
        }
        Self(found.into_iter().collect())
    }

    pub(super) fn place(&self, text: &str) -> Option<i64> {
        self.0.binary_search_by(|known| known.as_str().cmp(text)).ok().and_then(|place| i64::try_from(place).ok())
    }

    pub(super) fn at(&self, place: i64) -> Option<&str> {
        usize::try_from(place).ok().and_then(|place| self.0.get(place)).map(String::as_str)
    }
}

/// The number of a constant among values of this kind; `None` for NULL.
pub(super) fn coded(constant: &Constant, kind: &Kind, texts: &Texts) -> Option<Option<i64>> {
    Some(match (constant, kind) {
        (Constant::Null | Constant::Unknown, _) => None,
        (Constant::Integer(value), Kind::Integer | Kind::Other) => Some(*value),
        (Constant::Text(text), Kind::Integer) => Some(text.trim().parse().ok()?),
        (Constant::Boolean(value), Kind::Boolean | Kind::Integer) => Some(i64::from(*value)),
        (Constant::Text(text), Kind::Boolean) => match text.to_lowercase().as_str() {
            "t" | "true" | "on" | "yes" | "1" => Some(1),
            "f" | "false" | "off" | "no" | "0" => Some(0),
            _ => return None,
        },
        (Constant::Text(text), Kind::Enumeration(members)) => Some(i64::try_from(members.iter().position(|member| member == text)?).ok()?),
        (Constant::Text(text), Kind::Text | Kind::Moment | Kind::Other) => Some(texts.place(text)?),
        _ => return None,
    })
}

/// Finds the values of columns.
pub(super) struct Domains<'w> {
    pub(super) workload: &'w Workload,
    pub(super) usage: &'w Usage,
    pub(super) texts: &'w Texts,
}

impl Domains<'_> {
    /// The values of a column that is followed.
    pub(super) fn of(&self, place: Place) -> Result<Domain, Box<Diagnostic>> {
        let column = self.workload.table(place.0).column(place.1);
        let free = |low, high| Bounds { low, high, beyond: Beyond::Fail };
        let fixed = |bounds, limits| Ok(Domain { bounds, nullable: column.nullable, limits });
        if let Some(bounds) = column.bounds {
            return fixed(bounds, true);
        }
        match &column.kind {
            Kind::Boolean => return fixed(free(0, 1), false),
            Kind::Enumeration(members) => return fixed(free(0, i64::try_from(members.len()).unwrap_or(1).max(1) - 1), false),
            Kind::Other => {
                let message = format!("values of column `{}` are not modelled, and it is looked at", column.name);
                return Err(Box::new(
                    Diagnostic::error(codes::BAD_TYPE, column.span, message)
                        .expected("whole numbers, truth values, text, dates or an enumeration")
                        .help("name the columns that matter instead of `*`, or give the column one of these types"),
                ));
            }
            Kind::Integer | Kind::Text | Kind::Moment => {}
        }
        let mut values = BTreeSet::new();
        let mut seen = BTreeSet::new();
        if self.collect(place, &mut values, &mut seen) {
            let (low, high) = (values.first().copied().unwrap_or(0), values.last().copied().unwrap_or(0));
            return fixed(free(low, high), false);
        }
        match self.workload.settings.default_range {
            Some(bounds) => fixed(bounds, true),
            None => Err(self.no_range(place)),
        }
    }

    fn no_range(&self, place: Place) -> Box<Diagnostic> {
        let (table, column) = (self.workload.table(place.0), self.workload.table(place.0).column(place.1));
        let message = format!("column `{}.{}` is computed with and has no range", table.name, column.name);
        Box::new(
            Diagnostic::error(codes::NO_RANGE, column.span, message)
                .expected("a CHECK with BETWEEN, or a range for the model")
                .help(format!("add this line to the schema: -- serval: range {}.{} 0..2 wrap", table.name, column.name)),
        )
    }

    /// Collects the values that a column can have, where all are constants; `false` where some are computed.
    fn collect(&self, place: Place, values: &mut BTreeSet<i64>, seen: &mut BTreeSet<Place>) -> bool {
        if !seen.insert(place) {
            return true;
        }
        let table = self.workload.table(place.0);
        let column = table.column(place.1);
        if let Some(bounds) = column.bounds {
            values.extend([bounds.low, bounds.high]);
            return true;
        }
        if column.generated && self.usage.inserted.contains(&place.0) {
            // Rows that come have the numbers behind those that are there.
            let numbers = table.rows.len().saturating_add(table.further as usize);
            values.extend([1, i64::try_from(numbers).unwrap_or(i64::MAX)]);
        }
        let mut constant = |constant: &Constant| {
            if let Some(Some(value)) = coded(constant, &column.kind, self.texts) {
                values.insert(value);
            }
        };
        table.rows.iter().for_each(|row| constant(&row[place.1.0]));
        column.default.iter().for_each(&mut constant);
        let mut found = Vec::new();
        self.usage.compared.get(&place).into_iter().flatten().for_each(|(_, scalar)| constants(scalar, &mut found));
        self.usage.stored.get(&place).into_iter().flatten().for_each(|(_, scalar)| constants(scalar, &mut found));
        found.iter().for_each(&mut constant);
        let mut bounded = true;
        for key in &table.foreign {
            for (_, referred) in key.columns.iter().zip(&key.referred).filter(|(column, _)| **column == place.1) {
                bounded &= self.collect((key.parent, *referred), values, seen);
            }
        }
        let compared = self.usage.compared.get(&place).into_iter().flatten().filter(|(_, scalar)| matches!(scalar, Scalar::Parameter(_)));
        let stored = self.usage.stored.get(&place).into_iter().flatten();
        for (script, scalar) in stored.chain(compared) {
            bounded &= self.simple(*script, scalar, values, seen);
        }
        bounded
    }

    fn simple(&self, script: usize, scalar: &Scalar, values: &mut BTreeSet<i64>, seen: &mut BTreeSet<Place>) -> bool {
        match scalar {
            Scalar::Constant(_) => true,
            Scalar::Column(table, column) => self.collect((*table, *column), values, seen),
            Scalar::Parameter(index) => {
                if let Some((low, high)) = self.workload.scripts.get(script).and_then(|script| script.parameters[*index].values) {
                    values.extend([low, high]);
                }
                true
            }
            Scalar::Case(arms, otherwise) => {
                arms.iter().map(|(_, value)| value).chain([&**otherwise]).all(|value| self.simple(script, value, values, seen))
            }
            Scalar::Coalesce(parts) | Scalar::Extreme(_, parts) => parts.iter().all(|part| self.simple(script, part, values, seen)),
            Scalar::SubSelect(select) => select.list.iter().all(|(_, value)| self.simple(script, value, values, seen)),
            Scalar::Aggregate(Aggregate::Min | Aggregate::Max, Some(part)) => self.simple(script, part, values, seen),
            // Truth values are 0 and 1.
            Scalar::Compare(..) | Scalar::And(_) | Scalar::Or(_) | Scalar::Not(_) | Scalar::IsNull(_) => {
                values.extend([0, 1]);
                true
            }
            _ => false,
        }
    }

    /// The column that a parameter meets: one that is looked at, where there is one, since what is stored elsewhere
    /// tells nothing of its values.
    fn met(&self, script: usize, parameter: usize) -> Option<Place> {
        let is = |scalar: &Scalar| matches!(scalar, Scalar::Parameter(index) if *index == parameter);
        let directly = |uses: &[ScriptUse]| uses.iter().any(|(of, scalar)| *of == script && is(scalar));
        let inside = |uses: &[ScriptUse]| uses.iter().any(|(of, scalar)| *of == script && has_parameter(scalar, parameter));
        let find = |read: bool, holds: &dyn Fn(&[ScriptUse]) -> bool| {
            let maps = [&self.usage.compared, &self.usage.stored].into_iter().flatten();
            let mut places = maps.filter(|(place, _)| self.usage.read.contains(place) == read);
            places.find(|(_, uses)| holds(uses)).map(|(place, _)| *place)
        };
        let found = |read| find(read, &directly).or_else(|| find(read, &inside));
        found(true).or_else(|| found(false))
    }

    /// The values of a parameter, as numbers, and of what kind they are.
    pub(super) fn parameter(&self, script: usize, index: usize, parameter: &Parameter) -> Result<(Vec<i64>, Kind), Box<Diagnostic>> {
        self.has_one_type(script, index, parameter)?;
        let met = self.met(script, index);
        let kind = met.map_or(Kind::Integer, |(table, column)| self.workload.table(table).column(column).kind.clone());
        if let Some((low, high)) = parameter.values {
            return Ok(((low..=high).take(MOST_VALUES).collect(), kind));
        }
        let Some(place) = met else {
            return Err(self.no_values(parameter.span, &parameter.name));
        };
        let read = self.usage.read.contains(&place);
        if !read {
            // What is stored and never looked at can be anything.
            return if self.usage.used.contains(&(script, index)) {
                Err(self.no_values(parameter.span, &parameter.name))
            } else {
                Ok((vec![0], kind))
            };
        }
        let domain = self.of(place)?;
        if matches!(kind, Kind::Text | Kind::Moment) {
            let (mut values, mut seen) = (BTreeSet::new(), BTreeSet::new());
            self.collect(place, &mut values, &mut seen);
            if values.is_empty() {
                return Err(self.no_values(parameter.span, &parameter.name));
            }
            return Ok((values.into_iter().collect(), kind));
        }
        Ok(((domain.bounds.low..=domain.bounds.high).take(MOST_VALUES).collect(), kind))
    }

    /// A parameter that is compared with, or stored into, columns of different types has none.
    fn has_one_type(&self, script: usize, index: usize, parameter: &Parameter) -> Result<(), Box<Diagnostic>> {
        let meets = |uses: &[ScriptUse]| uses.iter().any(|(of, scalar)| *of == script && *scalar == Scalar::Parameter(index));
        let maps = [&self.usage.compared, &self.usage.stored].into_iter().flatten();
        let places: BTreeSet<Place> = maps.filter(|(_, uses)| meets(uses)).map(|(place, _)| *place).collect();
        let typed = places.into_iter().map(|(table, column)| (self.workload.table(table), self.workload.table(table).column(column)));
        let mut typed = typed.filter(|(_, column)| column.kind != Kind::Other);
        let Some((table, column)) = typed.next() else { return Ok(()) };
        // Texts, members of enumerations and moments are written alike.
        let is_plain = |kind: &Kind| matches!(kind, Kind::Integer | Kind::Boolean);
        let differ = |further: &Kind| *further != column.kind && (is_plain(further) || is_plain(&column.kind));
        let Some((other, further)) = typed.find(|(_, further)| differ(&further.kind)) else { return Ok(()) };
        let message = format!(
            "parameter `{}` has two types: `{}.{}` is {} and `{}.{}` is {}",
            parameter.name, table.name, column.name, column.written, other.name, further.name, further.written
        );
        Err(Box::new(
            Diagnostic::error(codes::BAD_TYPE, parameter.span, message)
                .expected("one type for all columns that a parameter meets")
                .help("give the two uses parameters of their own"),
        ))
    }

    fn no_values(&self, span: Span, name: &str) -> Box<Diagnostic> {
        let message = format!("the values of parameter `{name}` are not known");
        Box::new(
            Diagnostic::error(codes::NO_RANGE, span, message)
                .expected("a parameter that is compared with a column, or stored into one")
                .help(format!("add this line to the script: -- serval: param {name} 1..2")),
        )
    }
}

/// A parameter with more values is cut, which is then an error about the number of requests.
const MOST_VALUES: usize = 4096;
