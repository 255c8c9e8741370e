(** The text of a program in the core language.

    The reader of core texts need not be trusted: what it has read is printed by
    [print] and compared with the text. Names are kept beside the tree; [print]
    refuses those that could be taken for another name or for a word. *)

From Coq Require Import List ZArith Bool Ascii String DecimalString DecimalZ.
From Proved Require Import Sets.
From Proved.Programs Require Import Syntax.
Import ListNotations.
Open Scope string_scope.

(** * Pieces of text, put before the rest *)

Definition text := string -> string.
Definition say (s : string) : text := fun rest => s ++ rest.
Definition both (a b : text) : text := fun rest => a (b rest).
Infix "++>" := both (at level 60, right associativity).
Definition newline : string := String (ascii_of_nat 10) "".
Fixpoint repeated (n : nat) (s : string) : text := match n with O => say "" | S n => say s ++> repeated n s end.
Definition line (indent : nat) : text := say newline ++> repeated indent "    ".
Definition number (v : Z) : text := say (NilZero.string_of_int (Z.to_int v)).
Definition parens (t : text) : text := say "(" ++> t ++> say ")".

Fixpoint joined (between : text) (l : list text) : text :=
  match l with [] => say "" | [t] => t | t :: l => t ++> between ++> joined between l end.

(** * Expressions *)

Record names := Names { global_names : list string; request_names : list string; local_names : list (list string) }.

Definition sign (o : operator) : string :=
  match o with
  | Add => " + " | Subtract => " - " | Multiply => " * " | Divide => " / " | Remainder => " % "
  | Equal => " == " | NotEqual => " != " | Less => " < " | LessOrEqual => " <= " | Greater => " > " | GreaterOrEqual => " >= "
  end.

(** Sums go on without parentheses, and so do products; comparisons do not. *)
Definition class (o : operator) : nat :=
  match o with Add | Subtract => 1 | Multiply | Divide | Remainder => 2 | _ => 0 end.
Definition goes_on (o : operator) (a : expr) : bool :=
  match a with Binary o' _ _ => Nat.eqb (class o) (class o') && negb (Nat.eqb (class o) 0) | _ => false end.

Definition is_seq (e : expr) : bool := match e with Seq _ _ => true | _ => false end.
Definition is_return (e : expr) : bool := match e with Return _ => true | _ => false end.
Definition is_and (e : expr) : bool := match e with And _ _ => true | _ => false end.
Definition is_or (e : expr) : bool := match e with Or _ _ => true | _ => false end.
Definition is_if (e : expr) : bool := match e with If _ _ _ => true | _ => false end.
Definition is_zero (e : expr) : bool := match e with Number 0 => true | _ => false end.
Definition is_atom (e : expr) : bool :=
  match e with Number v => (0 <=? v)%Z | Choice | Yield | Read _ => true | _ => false end.

Definition within (needed : bool) (t : text) : text := if needed then parens t else t.

Section With.
Variables globals locals : list string.

Definition name_of (x : var) : text :=
  say match x with Global n => nth n globals "" | Local n => nth n locals "" end.

(** The parts of a sequence are one on each line, or behind each other. *)
Fixpoint shown (lines : bool) (indent : nat) (e : expr) : text :=
  let operand a := within (negb (is_atom a)) (shown false indent a) in
  let block a := say " {" ++> line (S indent) ++> shown true (S indent) a ++> line indent ++> say "}" in
  match e with
  | Number v => number v
  | Choice => say "?"
  | Yield => say "yield"
  | Read x => name_of x
  | Assign x a => name_of x ++> say " := " ++> within (is_seq a || is_return a) (shown false indent a)
  | Not a => say "!" ++> operand a
  | Negate a => say "-" ++> operand a
  | Binary o a b => (if goes_on o a then shown false indent a else operand a) ++> say (sign o) ++> operand b
  | And a b => operand a ++> say " && " ++> (if is_and b then shown false indent b else operand b)
  | Or a b => operand a ++> say " || " ++> (if is_or b then shown false indent b else operand b)
  | Seq a b =>
      within (is_seq a) (shown false indent a) ++> (if lines then say ";" ++> line indent else say "; ") ++> shown lines indent b
  | If c a b =>
      say "if (" ++> shown false indent c ++> say ")" ++> block a ++>
      (if is_zero b then say "" else if is_if b then say " else " ++> shown false indent b else say " else" ++> block b)
  | While c b => say "while (" ++> shown false indent c ++> say ")" ++> block b
  | Return a => say "return " ++> operand a
  end.
End With.

(** * Programs *)

Definition beginning (ns : names) (g : string * Z) : text :=
  if (snd g =? 0)%Z then say "" else say (fst g) ++> say " := " ++> number (snd g) ++> say newline.

Definition range (p : string * (Z * Z)) : text :=
  say (fst p) ++> say ": " ++> number (fst (snd p)) ++> say ".." ++> number (snd (snd p)).

Definition called (ns : names) (q : request) : string := nth (pred (Pos.to_nat (name q))) (request_names ns) "".

Definition shown_request (ns : names) (q : request * list string) : text :=
  let (q, locals) := q in
  let ranges := map range (combine locals (parameters q)) in
  say "request " ++> say (called ns q) ++> (match ranges with [] => say "" | _ => parens (joined (say ", ") ranges) end) ++>
  say " {" ++> line 1 ++> shown (global_names ns) locals true 1 (body q) ++> say newline ++> say "}" ++> say newline.

(** A program of one request without a name, where all globals are 0, is its body. *)
Definition is_bare (ns : names) (p : program) : bool :=
  match requests p with
  | [q] => String.eqb (called ns q) "request" && forallb (fun v => (v =? 0)%Z) (globals p) && match parameters q with [] => true | _ => false end
  | _ => false
  end.

Definition shown_program (ns : names) (p : program) : text :=
  if is_bare ns p then
    joined (say "") (map (fun q => shown (global_names ns) (snd q) true 0 (body (fst q))) (combine (requests p) (local_names ns))) ++> say newline
  else
    joined (say "") (map (beginning ns) (combine (global_names ns) (globals p))) ++>
    joined (say "") (map (shown_request ns) (combine (requests p) (local_names ns))).

(** * Names *)

Definition in_range (c : ascii) (from to : nat) : bool := Nat.leb from (nat_of_ascii c) && Nat.leb (nat_of_ascii c) to.
Definition is_upper (c : ascii) : bool := in_range c 65 90.
Definition is_lower (c : ascii) : bool := in_range c 97 122.
Definition is_digit (c : ascii) : bool := in_range c 48 57.
Definition is_letter (c : ascii) : bool := is_upper c || is_lower c || is_digit c || Ascii.eqb c "_".
Definition words : list string := ["request"; "if"; "else"; "while"; "yield"; "return"; "and"; "or"; "not"; "skip"].

(** The first letter tells whether a variable is global. *)
Fixpoint is_capital (s : string) : bool :=
  match s with "" => false | String c s => if is_upper c then true else if is_lower c then false else is_capital s end.
Definition is_name (s : string) : bool :=
  match s with "" => false | String c _ => negb (is_digit c) && forallb is_letter (list_ascii_of_string s) end && negb (existsb (String.eqb s) words).

Fixpoint different (l : list string) : bool :=
  match l with [] => true | s :: l => negb (existsb (String.eqb s) l) && different l end.

(** The places that an expression speaks of are there. *)
Fixpoint bound (gs ls : nat) (e : expr) : bool :=
  let place x := match x with Global n => Nat.ltb n gs | Local n => Nat.ltb n ls end in
  match e with
  | Number _ | Choice | Yield => true
  | Read x => place x
  | Assign x a => place x && bound gs ls a
  | Not a | Negate a | Return a => bound gs ls a
  | Binary _ a b | And a b | Or a b | Seq a b | While a b => bound gs ls a && bound gs ls b
  | If a b c => bound gs ls a && bound gs ls b && bound gs ls c
  end.

Definition well_named (ns : names) (p : program) : bool :=
  let gs := List.length (global_names ns) in
  forallb (fun s => is_name s && is_capital s) (global_names ns) && different (global_names ns) &&
  Nat.eqb gs (List.length (globals p)) &&
  different (request_names ns) &&
  forallb (fun s => is_name s || (is_bare ns p && String.eqb s "request")) (request_names ns) &&
  Nat.eqb (List.length (local_names ns)) (List.length (requests p)) &&
  forallb (fun q : request * list string =>
    let (q, ls) := q in
    forallb (fun s => is_name s && negb (is_capital s)) ls && different ls &&
    Nat.eqb (List.length ls) (List.length (parameters q) + others q) &&
    Nat.leb (Pos.to_nat (name q)) (List.length (request_names ns)) && bound gs (List.length ls) (body q))
    (combine (requests p) (local_names ns)).

(** The text, if the names are as they should be. *)
Definition print (ns : names) (p : program) : option string :=
  if well_named ns p then Some (shown_program ns p "") else None.
