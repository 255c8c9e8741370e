(** What can be reached from a point.

    Nothing is proved about the search but that what it finds can be reached.
    Where it matters that nothing is missing, the result is checked: it has the
    start and all successors of its members. So too little fuel, or a bug in
    the search, can only lead to a refusal. *)

From Coq Require Import List PArith Bool.
From Proved Require Import Sets Model.
Import ListNotations.

Section Reach.
  Context (succ : point -> list point).

  Inductive leads : point -> point -> Prop :=
  | leads_nil p : leads p p
  | leads_cons p q r : In q (succ p) -> leads q r -> leads p r.

  Lemma leads_app p q r : leads p q -> leads q r -> leads p r.
  Proof. induction 1; auto. intros; econstructor; eauto. Qed.

  Definition visit (a : list point * list point * pset) (q : point) :=
    let '(todo, acc, seen) := a in
    if pmem seen q then a else (q :: todo, q :: acc, padd seen q).

  Fixpoint explore (fuel : nat) (todo acc : list point) (seen : pset) : list point :=
    match fuel, todo with
    | S fuel, p :: todo =>
        let '(todo, acc, seen) := fold_left visit (succ p) (todo, acc, seen) in
        explore fuel todo acc seen
    | _, _ => acc
    end.

  Definition reach (fuel : nat) (p : point) : list point := explore fuel [p] [p] (padd (PM.empty _) p).

  Lemma visits_sound (P : point -> Prop) l todo acc seen :
    Forall P l -> Forall P todo -> Forall P acc ->
    let '(todo, acc, _) := fold_left visit l (todo, acc, seen) in Forall P todo /\ Forall P acc.
  Proof.
    intros H; revert todo acc seen; induction H as [|q l Q H IH]; cbn [fold_left]; intros todo acc seen T A; auto.
    unfold visit at 2. destruct (pmem seen q); apply IH; auto.
  Qed.

  Lemma explore_sound p fuel todo acc seen :
    Forall (leads p) todo -> Forall (leads p) acc -> Forall (leads p) (explore fuel todo acc seen).
  Proof.
    revert todo acc seen; induction fuel as [|fuel IH]; intros todo acc seen T A; [destruct todo; auto|].
    destruct T as [|q todo Q T]; cbn [explore]; auto.
    assert (V : Forall (leads p) (succ q)).
    { apply Forall_forall; intros r R. apply leads_app with q; auto. econstructor; [eauto|constructor]. }
    pose proof (visits_sound _ _ todo acc seen V T A) as H.
    destruct (fold_left visit (succ q) (todo, acc, seen)) as [[todo' acc'] seen']. destruct H; auto.
  Qed.

  Lemma reach_sound fuel p q : In q (reach fuel p) -> leads p q.
  Proof.
    intros I. revert q I. apply Forall_forall. unfold reach.
    apply explore_sound; repeat constructor.
  Qed.

  (** The set has the point and all successors of its members. *)
  Definition closed (l : list point) (p : point) : bool :=
    let s := pset_of l in pmem s p && forallb (fun q => forallb (pmem s) (succ q)) l.

  Lemma closed_complete l p q : closed l p = true -> leads p q -> In q l.
  Proof.
    unfold closed. rewrite andb_true_iff, pmem_of, forallb_forall. intros [I C] L.
    induction L as [p|p q r S' L IH]; auto. apply IH.
    specialize (C p I). rewrite forallb_forall in C. now apply pmem_of, C.
  Qed.
End Reach.

Lemma leads_path T p q : leads (found (index T)) p q <-> path T p q.
Proof.
  split; induction 1; econstructor; eauto; apply found_index; auto.
Qed.

(** As many as the list has. *)
Definition fuel_of {A} (l : list A) : nat := fold_left (fun n _ => S n) l 2.
