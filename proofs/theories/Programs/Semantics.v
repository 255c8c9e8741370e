(** What programs in the core language do: the definition that is to be read.

    A request runs from one pause to the next by small steps, left to right;
    between pauses others may run. These are the rules of the chapter on the
    language, with contexts [E]: what stands around the place where something happens. *)

From Coq Require Import List ZArith Bool Permutation.
From Proved Require Import Sets.
From Proved.Programs Require Import Syntax.
Import ListNotations.
Open Scope Z_scope.

(** * Values *)

(** Numbers have 64 bits: a value outside is a fault, and so is dividing by 0. *)
Definition ranged (v : Z) : option Z := if (- 2 ^ 63 <=? v) && (v <? 2 ^ 63) then Some v else None.
Definition truth (b : bool) : Z := if b then 1 else 0.

(** Division rounds down. *)
Definition apply (o : operator) (a b : Z) : option Z :=
  match o with
  | Add => ranged (a + b)
  | Subtract => ranged (a - b)
  | Multiply => ranged (a * b)
  | Divide => if b =? 0 then None else ranged (a / b)
  | Remainder => if b =? 0 then None else ranged (a mod b)
  | Equal => Some (truth (a =? b))
  | NotEqual => Some (truth (negb (a =? b)))
  | Less => Some (truth (a <? b))
  | LessOrEqual => Some (truth (a <=? b))
  | Greater => Some (truth (b <? a))
  | GreaterOrEqual => Some (truth (b <=? a))
  end.

(** A place that a list does not have is 0. *)
Definition get (s : store) (n : nat) : Z := nth n s 0.
Fixpoint set (s : store) (n : nat) (v : Z) : store :=
  match n, s with
  | O, _ => v :: tl s
  | S n, [] => 0 :: set [] n v
  | S n, w :: s => w :: set s n v
  end.

(** What is evaluated, the registers of the request, and the globals. *)
Record moment := Moment { left : expr; registers : store; shared : store }.

Definition look (m : moment) (x : var) : Z :=
  match x with Global n => get (shared m) n | Local n => get (registers m) n end.
Definition write (m : moment) (x : var) (v : Z) (e : expr) : moment :=
  match x with
  | Global n => Moment e (registers m) (set (shared m) n v)
  | Local n => Moment e (set (registers m) n v) (shared m)
  end.

(** * Contexts *)

(** [x := []], [![]], [-[]], [[] op b], [v op []], [[] && b], [[] || b], [[]; b], [if ([]) {a} else {b}] and
    [return []]. *)
Inductive frame :=
| AssignTo (x : var) | NotOf | NegateOf
| LeftOf (o : operator) (b : expr) | RightOf (o : operator) (v : Z)
| AndThen (b : expr) | OrElse (b : expr) | Before (b : expr) | Test (a b : expr) | ReturnOf.

Definition fill (f : frame) (e : expr) : expr :=
  match f with
  | AssignTo x => Assign x e
  | NotOf => Not e
  | NegateOf => Negate e
  | LeftOf o b => Binary o e b
  | RightOf o v => Binary o (Number v) e
  | AndThen b => And e b
  | OrElse b => Or e b
  | Before b => Seq e b
  | Test a b => If e a b
  | ReturnOf => Return e
  end.

(** The context [E] as frames, the outermost first; [plug E e] is [E[e]]. *)
Fixpoint plug (E : list frame) (e : expr) : expr :=
  match E with [] => e | f :: E => fill f (plug E e) end.

(** * Small steps *)

(** What is in the hole becomes something else. The registers and the globals stay, but for an assignment. *)
Inductive becomes (m : moment) : expr -> expr -> Prop :=
| choose_0 : becomes m Choice (Number 0)
| choose_1 : becomes m Choice (Number 1)
| reads x : becomes m (Read x) (Number (look m x))
| negation v : becomes m (Not (Number v)) (Number (truth (v =? 0)))
| minus v w : ranged (- v) = Some w -> becomes m (Negate (Number v)) (Number w)
| operation o v w u : apply o v w = Some u -> becomes m (Binary o (Number v) (Number w)) (Number u)
| and_no b : becomes m (And (Number 0) b) (Number 0)
| and_yes v b : v <> 0 -> becomes m (And (Number v) b) (Not (Not b))
| or_no b : becomes m (Or (Number 0) b) (Not (Not b))
| or_yes v b : v <> 0 -> becomes m (Or (Number v) b) (Number 1)
| sequel v b : becomes m (Seq (Number v) b) b
| if_no a b : becomes m (If (Number 0) a b) b
| if_yes v a b : v <> 0 -> becomes m (If (Number v) a b) a
| again c b : becomes m (While c b) (If c (Seq b (While c b)) (Number 0)).

(** [return v] ends the request, whatever is around it. *)
Inductive small : moment -> moment -> Prop :=
| inside E e e' r g : becomes (Moment (plug E e) r g) e e' -> small (Moment (plug E e) r g) (Moment (plug E e') r g)
| assigns E x v r g : let m := Moment (plug E (Assign x (Number v))) r g in small m (write m x v (plug E (Number v)))
| answers E v r g : small (Moment (plug E (Return (Number v))) r g) (Moment (Number v) r g).

Inductive smalls : moment -> moment -> Prop :=
| smalls_nil m : smalls m m
| smalls_cons m n o : small m n -> smalls n o -> smalls m o.

(** What has no result. *)
Inductive faulty : expr -> Prop :=
| faulty_negate v : ranged (- v) = None -> faulty (Negate (Number v))
| faulty_binary o v w : apply o v w = None -> faulty (Binary o (Number v) (Number w)).

(** * From one pause to the next *)

(** A request in flight: what is left of it, with its registers; or it is finished, and can answer. *)
Inductive local := Running (e : expr) (r : store) | Finished (v : Z).

(** A step leads to a value or to a [yield]. Where small steps go on for ever there is none. *)
Inductive steps : local -> store -> local -> store -> Prop :=
| ends e r g v r' g' : smalls (Moment e r g) (Moment (Number v) r' g') -> steps (Running e r) g (Finished v) g'
| pauses e r g E r' g' : smalls (Moment e r g) (Moment (plug E Yield) r' g') ->
    steps (Running e r) g (Running (plug E (Number 0)) r') g'.

(** A step can fail. *)
Inductive fails : local -> store -> Prop :=
| fails_at e r g E f r' g' : smalls (Moment e r g) (Moment (plug E f) r' g') -> faulty f -> fails (Running e r) g.

(** * Any number of requests *)

(** Who is asked: the name of a request, and the values of its parameters. *)
Definition asked := (id * list Z)%type.
(** Who was asked, and the answer. *)
Definition letter := (asked * Z)%type.

Definition within (v : Z) (range : Z * Z) : Prop := fst range <= v <= snd range.
Inductive comes (p : program) : asked -> local -> Prop :=
| comes_in q vs : In q (requests p) -> Forall2 within vs (parameters q) ->
    comes p (name q, vs) (Running (body q) (vs ++ repeat 0 (others q))).

Record config := Config {
  global : store;
  flight : list (asked * local);   (** the requests in flight *)
  completed : list letter          (** what was answered so far *)
}.

Inductive event (p : program) : config -> config -> Prop :=
| spawn g F Z a l : comes p a l -> event p (Config g F Z) (Config g ((a, l) :: F) Z)
| move g g' F1 F2 Z a l l' : steps l g l' g' ->
    event p (Config g (F1 ++ (a, l) :: F2) Z) (Config g' (F1 ++ (a, l') :: F2) Z)
| respond g F1 F2 Z a v : event p (Config g (F1 ++ (a, Finished v) :: F2) Z) (Config g (F1 ++ F2) ((a, v) :: Z)).

(** A run, all of whose configurations are as [ok] says. *)
Inductive run (p : program) (ok : config -> Prop) : config -> config -> Prop :=
| run_nil c : ok c -> run p ok c c
| run_cons c d e : ok c -> event p c d -> run p ok d e -> run p ok c e.

Definition start (p : program) : config := Config (globals p) [] [].

(** A complete run from the start answers as the list says; in a serial one never more than one request is in flight. *)
Definition interleaved (p : program) (Z : list letter) : Prop :=
  exists g, run p (fun _ => True) (start p) (Config g [] Z).
Definition serial (p : program) (Z : list letter) : Prop :=
  exists g, run p (fun c => (length (flight c) <= 1)%nat) (start p) (Config g [] Z).

Definition serializable (p : program) : Prop :=
  forall Z, interleaved p Z -> exists Z', Permutation Z Z' /\ serial p Z'.

(** Some run comes to a step that can fail. *)
Definition can_fail (p : program) : Prop :=
  exists c a l, run p (fun _ => True) (start p) c /\ In (a, l) (flight c) /\ fails l (global c).
