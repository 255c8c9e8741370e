//! What proof trees must meet.

serval_evidence::conditions! {
    /// What a tree must meet. The tests switch off one at a time and show for
    /// each a tree that is then accepted, so that none is there for nothing.
    pub enum TreeCondition {
        /// All children of a split are in the list.
        Child = "tree.child",
        /// Nothing follows the tree.
        Rest = "tree.rest",
        /// A clause is one of the problem.
        Clause = "tree.clause",
        /// Variables are those of the problem, or fresh ones on the way.
        Variables = "tree.variables",
        /// Nothing is divided by 0.
        Divisor = "tree.divisor",
        /// What is added up is on the way.
        Fact = "tree.fact",
        /// Inequalities are not multiplied by negative numbers.
        Sign = "tree.sign",
        /// No coefficient of the problem's variables is positive in a falling sum.
        Falling = "tree.falling",
        /// No fresh variable is left in a falling sum.
        Fresh = "tree.fresh",
        /// The constant of a Farkas sum is negative.
        Farkas = "tree.farkas",
        /// The constant of a tight sum is not positive.
        Tight = "tree.tight",
        /// What is added up modulo a number is an equality.
        Equality = "tree.equality",
        /// Coefficients are multiples of the modulus.
        Modulus = "tree.modulus",
        /// The constant is no multiple of the modulus.
        Remainder = "tree.remainder",
    }
}
