(** Problems of linear integer arithmetic: integers, not negative, that meet
    equalities, inequalities and clauses.

    Nothing is sorted that need not be, and no number is too large. *)

From Coq Require Import List ZArith PArith Bool Permutation Lia.
From Proved Require Import Sets.
Import ListNotations.
Open Scope Z_scope.

(** * Problems *)

Record linear := Linear { terms : list (id * Z); constant : Z }.

Definition tsum (v : id -> Z) (ts : list (id * Z)) : Z := fold_right (fun t s => snd t * v (fst t) + s) 0 ts.
Definition value (v : id -> Z) (e : linear) : Z := tsum v (terms e) + constant e.

Inductive literal :=
| AtLeastZero (e : linear)
| NotDivisible (e : linear) (d : Z).

Definition holds (v : id -> Z) (l : literal) : Prop :=
  match l with
  | AtLeastZero e => 0 <= value v e
  | NotDivisible e d => ~ (d | value v e)
  end.

(** Its variables are the numbers below [bound]. *)
Record problem := Problem {
  bound : id;
  equalities : list linear;
  inequalities : list linear;
  clauses : list (list literal)
}.

Definition solution (p : problem) (v : id -> Z) : Prop :=
  (forall x, (x < bound p)%positive -> 0 <= v x) /\
  Forall (fun e => value v e = 0) (equalities p) /\
  Forall (fun e => 0 <= value v e) (inequalities p) /\
  Forall (Exists (holds v)) (clauses p).

Definition over (n : id) (e : linear) : bool := forallb (fun t => Pos.ltb (fst t) n) (terms e).

Definition well_formed (p : problem) : bool :=
  forallb (over (bound p)) (equalities p) && forallb (over (bound p)) (inequalities p) &&
  forallb (forallb (fun l => match l with
    | AtLeastZero e => over (bound p) e
    | NotDivisible e d => over (bound p) e && (1 <=? d)
    end)) (clauses p).

(** * Expressions *)

Definition scale (m : Z) (ts acc : list (id * Z)) : list (id * Z) :=
  fold_left (fun acc t => (fst t, m * snd t) :: acc) ts acc.

(** So many times an expression, and a constant. *)
Definition times (m : Z) (e : linear) (c : Z) : linear := Linear (scale m (terms e) []) (m * constant e + c).

Definition by_variable (a b : id * Z) : bool := Pos.leb (fst a) (fst b).

(** Brings the terms of neighbours with one variable together. *)
Definition gather (acc : list (id * Z)) (t : id * Z) : list (id * Z) :=
  match acc with
  | (x, c) :: rest => if Pos.eqb x (fst t) then (x, c + snd t) :: rest else t :: acc
  | [] => [t]
  end.
Definition collect (ts : list (id * Z)) : list (id * Z) :=
  fold_left gather (sort by_variable ts) [].

Definition divides (m n : Z) : bool := if m =? 0 then n =? 0 else n mod m =? 0.

(** * Sums *)

Lemma tsum_cons v t a : tsum v (t :: a) = snd t * v (fst t) + tsum v a.
Proof. reflexivity. Qed.

Lemma tsum_app v a b : tsum v (a ++ b) = tsum v a + tsum v b.
Proof. induction a as [|t a IH]; cbn [app]; rewrite ?tsum_cons; [reflexivity|lia]. Qed.

Lemma tsum_perm v a b : Permutation a b -> tsum v a = tsum v b.
Proof. induction 1; rewrite ?tsum_cons; lia. Qed.

Lemma tsum_scale v m ts acc : tsum v (scale m ts acc) = m * tsum v ts + tsum v acc.
Proof.
  unfold scale. revert acc; induction ts as [|t ts IH]; cbn [fold_left]; intros acc; [change (tsum v []) with 0; lia|].
  rewrite IH, !tsum_cons. cbn [fst snd]. lia.
Qed.

Lemma tsum_collect v ts : tsum v (collect ts) = tsum v ts.
Proof.
  unfold collect. rewrite <- (tsum_perm v _ _ (sort_perm by_variable ts)).
  generalize (sort by_variable ts) as l. intros l. transitivity (tsum v [] + tsum v l); [|reflexivity].
  generalize (@nil (id * Z)) as acc.
  induction l as [|t l IH]; cbn [fold_left]; intros acc; [change (tsum v []) with 0; lia|]. rewrite IH.
  destruct acc as [|[x c] acc]; cbn [gather]; [rewrite !tsum_cons; lia|].
  destruct (Pos.eqb x (fst t)) eqn:E; [apply Pos.eqb_eq in E; subst|]; rewrite !tsum_cons; cbn [fst snd]; lia.
Qed.

Lemma over_in n e : over n e = true <-> forall t, In t (terms e) -> (fst t < n)%positive.
Proof. unfold over. rewrite forallb_forall. split; intros H t I; specialize (H t I); now apply Pos.ltb_lt. Qed.

Lemma tsum_ext v w ts : (forall t, In t ts -> v (fst t) = w (fst t)) -> tsum v ts = tsum w ts.
Proof.
  induction ts as [|t ts IH]; intros H; [reflexivity|]. rewrite !tsum_cons, IH, H by (intros; try apply H; cbn; auto). reflexivity.
Qed.

Definition set_at (v : id -> Z) (x : id) (q : Z) : id -> Z := fun y => if Pos.eqb y x then q else v y.

Lemma value_set_at v x q e : over x e = true -> value (set_at v x q) e = value v e.
Proof.
  intros H. unfold value. rewrite (tsum_ext (set_at v x q) v); auto.
  intros t I. apply (proj1 (over_in x e) H) in I. unfold set_at.
  destruct (Pos.eqb (fst t) x) eqn:E; auto. apply Pos.eqb_eq in E. lia.
Qed.

Lemma over_le m n e : (m <= n)%positive -> over m e = true -> over n e = true.
Proof. rewrite !over_in. intros L H t I. specialize (H t I). lia. Qed.

Lemma scale_in m ts acc t : In t (scale m ts acc) <-> In t acc \/ exists u, In u ts /\ t = (fst u, m * snd u).
Proof.
  unfold scale. revert acc; induction ts as [|u ts IH]; cbn [fold_left]; intros acc; [split; [auto|intros [|(? & [] & _)]; auto]|].
  rewrite IH. cbn. split.
  - intros [[<-|I]|(w & I & E)]; eauto.
  - intros [I|(w & [<-|I] & E)]; eauto.
Qed.

Lemma divides_spec m n : divides m n = true <-> (m | n).
Proof.
  unfold divides. destruct (Z.eqb m 0) eqn:E.
  - apply Z.eqb_eq in E. subst. rewrite Z.eqb_eq. split; [intros ->; apply Z.divide_refl|apply Z.divide_0_l].
  - apply Z.eqb_neq in E. rewrite Z.eqb_eq. now apply Z.mod_divide.
Qed.
