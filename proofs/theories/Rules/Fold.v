(** [fold]: identity steps are taken when their source is landed on. *)

From Coq Require Import List PArith Bool.
From Proved Require Import Sets Model Simulation.
Import ListNotations.

Section Fold.
  Context (f : form) (l x : id).

  Definition is_identity (s : step) : bool :=
    Pos.eqb (fst (fst s)) l && Pos.eqb (fst (snd s)) x && Pos.eqb (snd (fst s)) (snd (snd s)).
  Definition lands (s : step) : bool := Pos.eqb (fst (snd s)) l.
  Definition kept_steps : list step := tfilter (fun s => negb (is_identity s)) (fsteps f).
  Definition folded_steps : list step := tapp (tmap (fun s => (fst s, (x, snd (snd s)))) (tfilter lands kept_steps)) kept_steps.

  Definition fold1 : option form :=
    match kind_of f l with
    | Inner => (* fold.initial *)
        if Pos.eqb l x then if existsb lands (fsteps f) then None else Some f
        else
          let known := sset_of (fsteps f) in
          (* fold.present *)
          if forallb (fun s => negb (lands s) || smem known (snd s, (x, snd (snd s)))) (fsteps f)
          then Some (with_steps f folded_steps) else None
    | _ => None
    end.

  Lemma is_identity_eq s : is_identity s = true <-> exists h, s = ((l, h), (x, h)).
  Proof.
    destruct s as [[n g] [n' g']]. unfold is_identity; cbn. rewrite !andb_true_iff, !Pos.eqb_eq. split.
    - intros [[-> ->] ->]; eauto.
    - intros (h & [= -> -> -> ->]); auto.
  Qed.

  Lemma kept_in s : In s kept_steps <-> In s (fsteps f) /\ is_identity s = false.
  Proof. unfold kept_steps. rewrite tfilter_in, negb_true_iff. tauto. Qed.

  Lemma folded_in s : In s folded_steps <-> In s kept_steps \/ exists p h, s = (p, (x, h)) /\ In (p, (l, h)) kept_steps.
  Proof.
    unfold folded_steps. rewrite tapp_in, tmap_in. split.
    - intros [([p [n h]] & <- & J)|]; auto. apply tfilter_in in J as [J E]. unfold lands in E; cbn in *. apply Pos.eqb_eq in E; subst. eauto.
    - intros [|(p & h & -> & J)]; auto. left. exists (p, (l, h)); split; auto. apply tfilter_in; split; auto. unfold lands; cbn. apply Pos.eqb_refl.
  Qed.

  Theorem fold1_sound f' : fold1 = Some f' -> same f f' /\ finer f' f.
  Proof.
    unfold fold1. destruct (kind_of f l) eqn:K; try discriminate.
    destruct (Pos.eqb l x) eqn:E.
    { destruct (existsb _ _); [discriminate|]. intros [= <-]. split; [apply same_refl|apply finer_refl]. }
    apply Pos.eqb_neq in E. destruct (forallb _ _) eqn:P; [|discriminate]. intros [= <-].
    rewrite forallb_forall in P.
    assert (Present : forall p h, In (p, (l, h)) (fsteps f) -> In ((l, h), (x, h)) (fsteps f)).
    { intros p h J. apply P in J. unfold lands in J; cbn in J. rewrite Pos.eqb_refl in J. now apply smem_of. }
    assert (Fi : finer (steps_now f folded_steps) f).
    { repeat split; auto. cbn. intros p q J. apply folded_in in J as [J|(p' & h & [= -> ->] & J)]; apply kept_in in J as [J _].
      - now apply path_one.
      - eapply path_cons; [exact J|]. eapply path_one, Present; eauto. }
    split; [|now apply with_steps_finer]. apply with_steps_same. split; [|now apply expansion].
    apply backward with (Bn := fun c y => c = y \/ (y = l /\ c = x)); auto.
    - intros c y [->|[-> ->]] I; auto. congruence.
    - intros c' y g y' g' M B. destruct (is_identity ((y, g), (y', g'))) eqn:Q.
      + apply is_identity_eq in Q as (h & [= -> -> -> ->]). destruct B as [->|[? ->]]; [|congruence].
        exists x; split; auto. constructor.
      + assert (J : In ((y, g), (y', g')) kept_steps) by (apply kept_in; auto).
        exists y; split; auto. apply path_one, folded_in. destruct B as [->|[-> ->]]; auto. right; eauto.
  Qed.
End Fold.

Fixpoint fold_all (f : form) (ps : list (id * id)) : option form :=
  match ps with
  | [] => Some f
  | (l, x) :: ps => match fold1 f l x with Some f => fold_all f ps | None => None end
  end.

Theorem fold_sound ps f f' : fold_all f ps = Some f' -> same f f' /\ finer f' f.
Proof.
  revert f; induction ps as [|[l x] ps IH]; cbn; intros f.
  - intros [= <-]. split; [apply same_refl|apply finer_refl].
  - destruct (fold1 f l x) as [f1|] eqn:E; [|discriminate]. intros H.
    destruct (fold1_sound _ _ _ _ E), (IH _ H). split; [eapply same_trans|eapply finer_trans]; eauto.
Qed.
