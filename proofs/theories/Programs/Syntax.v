(** Programs in the core language, as [serval export --to core] writes them.

    Names are not part of the tree: a variable is its place in a list, and the
    reader keeps the names beside. What the core text has beyond this is how
    it is written:
    - [a; b; c] is [Seq a (Seq b c)], [a && b && c] is [And a (And b c)], and so for [||];
      [a - b + c] is [Binary Add (Binary Subtract a b) c];
    - a missing [else] is [else { 0 }], and [else if] an [If] in the last place;
    - [-5] is [Negate (Number 5)]; only the least number of all has its sign in [Number].

    Ranges, [assert], [assume], arrays and functions are no part of the core:
    the core text says them with [if], [while] and a division by zero. *)

From Coq Require Import List ZArith.
From Proved Require Import Sets.
Import ListNotations.
Open Scope Z_scope.

(** The place of a variable: the first has place 0. *)
Inductive var := Global (n : nat) | Local (n : nat).

Inductive operator :=
| Add | Subtract | Multiply | Divide | Remainder
| Equal | NotEqual | Less | LessOrEqual | Greater | GreaterOrEqual.

Inductive expr :=
| Number (v : Z)
| Choice                          (** [?] *)
| Yield
| Read (x : var)
| Assign (x : var) (e : expr)
| Not (e : expr)
| Negate (e : expr)
| Binary (o : operator) (a b : expr)
| And (a b : expr)
| Or (a b : expr)
| Seq (a b : expr)
| If (c a b : expr)
| While (c b : expr)
| Return (e : expr).

(** The values of variables, each at its place. *)
Definition store := list Z.

(** Requests with the same name are given the same number. The first locals
    are the parameters: each may have any value from the least to the greatest,
    and a caller knows which. The other locals are 0 in the beginning. *)
Record request := Request {
  name : id;
  parameters : list (Z * Z);      (** the least and the greatest value of each *)
  others : nat;                   (** how many other locals there are *)
  body : expr
}.

Record program := Program {
  globals : store;                (** in the beginning *)
  requests : list request
}.

(** * What the map says (a hint, about which nothing is assumed)

    A request in flight is in a [local] state ([Semantics.v]): [Running e r] with what is left of
    its body, as a term, and its registers (the locals), or [Finished v]. What is
    left after a [yield] is the context around it with 0 in its place:
    operands before it have become numbers, a loop around it is unfolded.
    The hint is four lists ([Map.v]):
    - who is asked: ((name, values of the parameters), (component, its request)); components are counted from 0;
    - locals: ((name, values of the parameters), local state), the compiled local state;
    - globals: the values of all globals, the compiled global state in each component;
    - markings: for each global state (in the order of the list before) what may occur with it, as a list of markings
      [(many, few)] of places in the list of locals, counted from 1: any number of requests may be in those of
      [many], and in those of [few] as many as they are listed. Finished states need not be there.
      Mostly one marking with all that may occur in [many] is enough (the cheap pass of the compiler).
    The lists are those of the program as written; the compiled states are the
    numbers that the reader gives to names in the system ([Input.read_system]).
    To find them it is enough to explore the program with [Step.outcomes] and to look up for each
    local state where its [yield] stands and what its registers are; the
    conditions of [Map.v] refuse what does not fit. *)
