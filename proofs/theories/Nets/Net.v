(** Petri nets: markings, firing, and what can be reached; formulas about
    markings, and what is asked of a net. This file has definitions alone. *)

From Coq Require Import List PArith NArith ZArith.
From Proved Require Import Sets Arithmetic.
Import ListNotations.
Open Scope N_scope.

(** * Nets *)

(** A place, and how many tokens an arc moves; or how many there are. *)
Definition arc := (id * N)%type.

(** How many tokens arcs move on a place: those of the arcs on it together. *)
Fixpoint weight (arcs : list arc) (p : id) : N :=
  match arcs with
  | [] => 0
  | (q, w) :: arcs => (if Pos.eqb p q then w else 0) + weight arcs p
  end.

Record transition := Transition { inputs : list arc; outputs : list arc }.
Record net := Net { places : list id; marked : list arc; transitions : list transition }.

Definition marking := id -> N.

Definition enabled (t : transition) (M : marking) : Prop := forall p, weight (inputs t) p <= M p.
Definition fires (t : transition) (M M' : marking) : Prop :=
  enabled t M /\ forall p, M' p = M p - weight (inputs t) p + weight (outputs t) p.

Inductive reachable (n : net) : marking -> Prop :=
| Beginning M : (forall p, M p = weight (marked n) p) -> reachable n M
| Firing M t M' : reachable n M -> In t (transitions n) -> fires t M M' -> reachable n M'.

(** Firings that lead from one marking to another. *)
Inductive leads (n : net) : marking -> marking -> Prop :=
| Stay M M' : (forall p, M' p = M p) -> leads n M M'
| Then M M1 t M' : leads n M M1 -> In t (transitions n) -> fires t M1 M' -> leads n M M'.
Arguments Stay {n}.
Arguments Then {n}.

(** * Formulas *)

(** The value of a sum of places, each with a factor, and a constant. *)
Definition tokens_of (M : marking) (p : id) : Z := Z.of_N (M p).
Definition sum_at (M : marking) (e : linear) : Z := value (tokens_of M) e.

Inductive relation := Same | Different | Less | AtMost | Greater | AtLeast.
Definition related (r : relation) (x y : Z) : Prop :=
  match r with
  | Same => x = y
  | Different => x <> y
  | Less => (x < y)%Z
  | AtMost => (x <= y)%Z
  | Greater => (x > y)%Z
  | AtLeast => (x >= y)%Z
  end.

Inductive formula :=
| Compare (r : relation) (e f : linear)
| Truth (b : bool)
| Deadlock
| Fireable (ts : list transition)
| Not (f : formula)
| Every (fs : list formula)
| Some_of (fs : list formula)
| Implies (f g : formula).

Fixpoint says (n : net) (M : marking) (f : formula) : Prop :=
  match f with
  | Compare r e f => related r (sum_at M e) (sum_at M f)
  | Truth b => b = true
  | Deadlock => forall t, In t (transitions n) -> ~ enabled t M
  | Fireable ts => exists t, In t ts /\ enabled t M
  | Not f => ~ says n M f
  | Every fs => fold_right (fun f P => says n M f /\ P) True fs
  | Some_of fs => fold_right (fun f P => says n M f \/ P) False fs
  | Implies f g => says n M f -> says n M g
  end.

(** * What is asked of a net *)

Inductive property :=
| DeadlockFree
| Safe (most : N)
| QuasiLive
| Live
| Reversible
| NoDeadPlaces
| StableMarking
| Invariant (f : formula)
| Reachable (f : formula)
| Reaches (M : list arc)
| Bounded (ps : list id)
| Largest (e : linear) (most : Z)
| NoLargest (e : linear).

Definition bounded (n : net) (ps : list id) : Prop := exists most, forall M p, reachable n M -> In p ps -> M p <= most.

Definition holds_of (n : net) (q : property) : Prop :=
  match q with
  | DeadlockFree => forall M, reachable n M -> exists t, In t (transitions n) /\ enabled t M
  | Safe most => forall M p, reachable n M -> In p (places n) -> M p <= most
  | QuasiLive => forall t, In t (transitions n) -> exists M, reachable n M /\ enabled t M
  | Live => forall M t, reachable n M -> In t (transitions n) -> exists M', leads n M M' /\ enabled t M'
  | Reversible => forall M, reachable n M -> exists M', leads n M M' /\ forall p, In p (places n) -> M' p = weight (marked n) p
  | NoDeadPlaces => forall p, In p (places n) -> exists M, reachable n M /\ 1 <= M p
  | StableMarking => exists p, In p (places n) /\ forall M, reachable n M -> M p = weight (marked n) p
  | Invariant f => forall M, reachable n M -> says n M f
  | Reachable f => exists M, reachable n M /\ says n M f
  | Reaches M => exists M', reachable n M' /\ forall p, In p (places n) -> M' p = weight M p
  | Bounded ps => bounded n ps
  | Largest e most => (exists M, reachable n M /\ sum_at M e = most) /\ forall M, reachable n M -> (sum_at M e <= most)%Z
  | NoLargest e => forall least, exists M, reachable n M /\ (least <= sum_at M e)%Z
  end.
