//! What was counted of all markings of a net.

/// What was counted of all markings that can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpaceReport {
    /// How many there are.
    pub markings: usize,
    /// Pairs of a marking and a transition that is enabled there.
    pub firings: u128,
    /// The most tokens on one place.
    pub most_on_place: u64,
    /// The most tokens on all places together.
    pub most_in_all: u128,
}

impl SpaceReport {
    /// For people.
    pub fn to_text(&self) -> String {
        let rows = [
            ("markings", u128::try_from(self.markings).unwrap_or(u128::MAX)),
            ("firings", self.firings),
            ("most tokens on a place", self.most_on_place.into()),
            ("most tokens in all", self.most_in_all),
        ];
        let mut text = String::new();
        for (name, number) in rows {
            text += &format!("{name:<24}{number}\n");
        }
        text + "counted, without evidence\n"
    }

    /// The lines of the Model Checking Contest for its examination StateSpace.
    pub fn to_mcc(&self) -> String {
        let line = |name: &str, number: u128| format!("STATE_SPACE {name} {number} TECHNIQUES EXPLICIT\n");
        [
            line("STATES", u128::try_from(self.markings).unwrap_or(u128::MAX)),
            line("TRANSITIONS", self.firings),
            line("MAX_TOKEN_PER_MARKING", self.most_in_all),
            line("MAX_TOKEN_IN_PLACE", self.most_on_place.into()),
        ]
        .concat()
    }
}
