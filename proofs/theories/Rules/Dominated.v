(** [dominated]: steps for which a better one is kept are left out. *)

From Coq Require Import List PArith Bool.
From Proved Require Import Sets Model Simulation.
From Proved.Rules Require Import Relation.
Import ListNotations.

Section Dominated.
  Context (f : form) (N G : list (id * id)) (drops : list (id * id)).

  (** Steps by number; a number without a step is refused. *)
  Definition drop_steps : option (list (step * step)) :=
    let at_number := numbered (fsteps f) in
    fold_left (fun acc d => match acc, PM.find (fst d) at_number, PM.find (snd d) at_number with
      | Some acc, Some s, Some t => Some ((s, t) :: acc) | _, _, _ => None end) drops (Some []).

  Definition better (known_n known_g : pset) (worse good : step) : bool :=
    point_eqb (fst worse) (fst good) &&
    (Pos.eqb (snd (snd worse)) (snd (snd good)) && pmem known_n (fst (snd good), fst (snd worse)) ||
     Pos.eqb (fst (snd worse)) (fst (snd good)) && pmem known_g (snd (snd good), snd (snd worse))).

  Definition kept (gone : sset) : list step := tfilter (fun s => negb (smem gone s)) (fsteps f).

  Definition dominated : option form :=
    if check_done f N && check_strong (fsteps f) N && check_strong (turned (fsteps f)) G then
      match drop_steps with
      | Some ds =>
          let gone := sset_of (tmap fst ds) in
          let known := sset_of (fsteps f) in
          let known_n := pset_of N in
          let known_g := pset_of G in
          (* dominated.kept, dominated.better *)
          if forallb (fun d => smem known (snd d) && negb (smem gone (snd d)) && better known_n known_g (fst d) (snd d)) ds
          then Some (with_steps f (kept gone)) else None
      | None => None
      end
    else None.

  Theorem dominated_sound f' : dominated = Some f' -> same f f' /\ finer f' f.
  Proof.
    unfold dominated. destruct (_ && _) eqn:C; [|discriminate]. destruct drop_steps as [ds|]; [|discriminate].
    destruct (forallb _ _) eqn:B; [|discriminate]. intros [= <-].
    apply andb_true_iff in C as [C Cg]. apply andb_true_iff in C as [Cd Cn].
    pose proof (check_done_sound _ _ Cd) as D. pose proof (check_strong_sound _ _ Cn) as Sn. pose proof (check_strong_sound _ _ Cg) as Sg.
    rewrite forallb_forall in B. set (gone := sset_of (tmap fst ds)) in *.
    assert (Fi : finer (steps_now f (kept gone)) f).
    { repeat split; auto. cbn. intros p q J. apply tfilter_in in J as [J _]. now apply path_one. }
    split; [|now apply with_steps_finer]. apply with_steps_same. split; [|now apply expansion].
    assert (Kept : forall p q, In (p, q) (fsteps f) -> exists q', In (p, q') (kept gone) /\ star N (fst q') (fst q) /\ star G (snd q') (snd q)).
    { intros p q J. destruct (smem gone (p, q)) eqn:E.
      - apply smem_of, tmap_in in E as ([s t] & Es & Id). cbn in Es. subst s. specialize (B _ Id). cbn [fst snd] in B.
        apply andb_true_iff in B as [B Bt]. apply andb_true_iff in B as [Bk Bg]. apply smem_of in Bk.
        unfold better in Bt. cbn [fst snd] in Bt. apply andb_true_iff in Bt as [Ep Bt]. apply point_eqb_eq in Ep.
        destruct t as [p' q']; cbn [fst snd] in *; subst p'. exists q'. split; [apply tfilter_in; auto|].
        apply orb_true_iff in Bt as [Bt|Bt]; apply andb_true_iff in Bt as [E1 E2]; apply Pos.eqb_eq in E1; rewrite E1; apply pmem_of in E2;
          split; try constructor; now apply star_one.
      - exists q. split; [apply tfilter_in; rewrite E; auto|]. split; constructor. }
    apply forward with (Rn := star N) (Rg := star G).
    - constructor.
    - intros y I. exists y; split; auto. constructor.
    - intros c y S' Dy. assert (c = y) as -> by (apply D; auto). auto.
    - intros c y k g y' g' Sc Sk M.
      destruct (Sn _ _ _ _ _ Sc M) as (c1 & M1 & S1). pose proof (proj2 (turned_in _ (c, g) (c1, g')) M1) as M1'.
      destruct (Sg _ _ _ _ _ Sk M1') as (k1 & M2 & S2). pose proof (proj1 (turned_in _ (c, k) (c1, k1)) M2) as M2'.
      destruct (Kept _ _ M2') as ([c2 k2] & J & N2 & G2). cbn in N2, G2.
      exists c2, k2. split; [apply path_one; auto|]. split; eapply star_trans; eauto.
  Qed.
End Dominated.
