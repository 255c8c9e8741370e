(** [split]: requests come in at a fresh copy of an initial node. *)

From Coq Require Import List PArith Bool.
From Proved Require Import Sets Model Simulation.
Import ListNotations.

Definition mentions (n : id) (s : step) : bool := Pos.eqb n (fst (fst s)) || Pos.eqb n (fst (snd s)).

(** The number of the copy is given; it must be new. *)
Definition split (f : form) (l copy : id) : option form :=
  match kind_of f l, PM.find copy (kinds f) with
  | Initial, None => (* split.initial *)
      if existsb (mentions copy) (fsteps f) then None
      else
        let copies := tmap (fun s => ((copy, snd (fst s)), snd s)) (tfilter (fun s => Pos.eqb l (fst (fst s))) (fsteps f)) in
        Some (Form (first f) (PM.add copy Initial (PM.add l Inner (kinds f))) (tidy (tapp copies (fsteps f))))
  | _, _ => None
  end.

Section Split.
  Context (f : form) (l copy : id).
  Context (I : kind_of f l = Initial) (N : PM.find copy (kinds f) = None).
  Context (U : existsb (mentions copy) (fsteps f) = false).

  Let T := tapp (tmap (fun s => ((copy, snd (fst s)), snd s)) (tfilter (fun s => Pos.eqb l (fst (fst s))) (fsteps f))) (fsteps f).
  Let new := Form (first f) (PM.add copy Initial (PM.add l Inner (kinds f))) T.

  Lemma split_steps n g q : In ((n, g), q) T <-> In ((n, g), q) (fsteps f) \/ (n = copy /\ In ((l, g), q) (fsteps f)).
  Proof.
    unfold T. rewrite tapp_in, tmap_in. split.
    - intros [(s & E & J)|]; auto. apply tfilter_in in J as [J Q]. apply Pos.eqb_eq in Q.
      destruct s as [[n0 g0] q0]; cbn in *; subst. injection E as <- <- <-. auto.
    - intros [|[-> J]]; auto. left. exists ((l, g), q); cbn; split; auto. apply tfilter_in; split; auto. apply Pos.eqb_refl.
  Qed.

  Lemma unused n g n' g' : In ((n, g), (n', g')) (fsteps f) -> n <> copy /\ n' <> copy.
  Proof.
    intros J. assert (X : mentions copy ((n, g), (n', g')) = false).
    { destruct (mentions _ _) eqn:E; auto. rewrite <- U. symmetry. apply existsb_exists. eauto. }
    unfold mentions in X; cbn in X. apply orb_false_iff in X as [A B]. apply Pos.eqb_neq in A, B. auto.
  Qed.

  Lemma fresh : copy <> l.
  Proof. intros ->. unfold kind_of in I. rewrite N in I. discriminate. Qed.

  Lemma kind_new n : n <> copy -> n <> l -> kind_of new n = kind_of f n.
  Proof. intros. unfold kind_of; cbn. rewrite !PM.gso; auto. Qed.

  Lemma split_same_steps : same f new.
  Proof.
    pose proof fresh as F. split.
    - apply forward with (Rn := fun c y => c = y \/ (c = copy /\ y = l)) (Rg := eq); auto.
      + intros y Iy. destruct (Pos.eq_dec y l) as [->|Ny].
        * exists copy; split; auto. unfold kind_of; cbn. now rewrite PM.gss.
        * exists y; split; auto. rewrite kind_new; auto. intros ->. unfold kind_of in Iy. rewrite N in Iy. discriminate.
      + intros c y [->|[-> ->]] D; [|congruence]. split; auto.
        rewrite kind_new; auto; [|congruence]. intros ->. unfold kind_of in D. rewrite N in D. discriminate.
      + intros c y k g y' g' [->|[-> ->]] -> M.
        * exists y', g'; repeat split; auto. apply path_one, split_steps; auto.
        * exists y', g'; repeat split; auto. apply path_one, split_steps; auto.
    - apply forward with (Rn := fun c y => (c = y /\ y <> copy) \/ (c = l /\ y = copy)) (Rg := eq); auto.
      + intros y Iy. destruct (Pos.eq_dec y copy) as [->|Ny]; [exists l; auto|].
        exists y; split; auto. rewrite <- (kind_new y); auto. intros ->. revert Iy. unfold kind_of; cbn.
        rewrite PM.gso, PM.gss by auto. discriminate.
      + intros c y [[-> Ny]|[-> ->]] D.
        * split; auto. rewrite <- (kind_new y); auto. intros ->. revert D. unfold kind_of; cbn. rewrite PM.gso, PM.gss by auto. discriminate.
        * revert D. unfold kind_of; cbn. rewrite PM.gss. discriminate.
      + intros c y k g y' g' C -> M. apply split_steps in M as [M|[-> M]]; destruct (unused _ _ _ _ M).
        * destruct C as [[-> _]|[_ ->]]; [|congruence]. exists y', g'; repeat split; auto. now apply path_one.
        * destruct C as [[_ ?]|[-> _]]; [congruence|]. exists y', g'; repeat split; auto. now apply path_one.
  Qed.
End Split.

Theorem split_sound f l copy f' : split f l copy = Some f' -> same f f'.
Proof.
  unfold split. destruct (kind_of f l) eqn:I; try discriminate. destruct (PM.find copy (kinds f)) eqn:N; try discriminate.
  destruct (existsb _ _) eqn:U; try discriminate. intros [= <-].
  eapply same_trans; [apply (split_same_steps f l copy I N U)|].
  match goal with |- same ?a _ => apply (tidy_same a) end. reflexivity.
Qed.
