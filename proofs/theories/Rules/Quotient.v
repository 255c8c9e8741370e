(** [locals] and [globals]: nodes, and global states, that simulate each other
    are merged. *)

From Coq Require Import List PArith Bool.
From Proved Require Import Sets Model Simulation Reach.
From Proved.Rules Require Import Relation.
Import ListNotations.

(** * Nodes *)

Section Locals.
  Context (f : form) (R : list (id * id)) (classes : list (list id)).
  Let r := rep (rep_map classes).

  (** A class is initial if a member is. *)
  Definition merged_kinds : PM.t kind :=
    fold_left (fun m class =>
      if existsb (fun n => match kind_of f n with Initial => true | _ => false end) class
      then match class with [] => m | x :: _ => PM.add x Initial (fold_left (fun m n => PM.add n Inner m) class m) end
      else m) classes (kinds f).

  Definition merged : form :=
    Form (first f) merged_kinds (tidy (tmap (fun s => ((r (fst (fst s)), snd (fst s)), (r (fst (snd s)), snd (snd s)))) (fsteps f))).

  (** What is said about kinds is computed, and then checked. *)
  Definition kinds_agree : bool :=
    let initials := iset (tmap (fun e => r (fst e)) (tfilter (fun e => match snd e with Initial => true | _ => false end) (PM.elements (kinds f)))) in
    forallb (fun e => match snd e with
      | Initial => match kind_of merged (r (fst e)) with Initial => true | _ => false end
      | Done => match kind_of merged (fst e) with Done => true | _ => false end
      | Inner => true end) (PM.elements (kinds f)) &&
    forallb (fun e => match snd e with
      | Initial => imem initials (fst e)
      | Done => match kind_of f (fst e) with Done => true | _ => false end
      | Inner => true end) (PM.elements merged_kinds).

  Definition locals : option form :=
    if check_done f R && check_weak (fsteps f) R && check_classes R classes && kinds_agree then Some merged else None.

  Lemma kind_elements (g : form) n k : kind_of g n = k -> k <> Inner -> In (n, k) (PM.elements (kinds g)).
  Proof.
    unfold kind_of. destruct (PM.find n (kinds g)) eqn:E; intros <-; [|congruence]. intros _. now apply PM.elements_correct.
  Qed.

  Lemma elements_kind (g : form) n k : In (n, k) (PM.elements (kinds g)) -> kind_of g n = k.
  Proof. intros H. apply PM.elements_complete in H. unfold kind_of. now rewrite H. Qed.

  Theorem locals_sound f' : locals = Some f' -> same f f'.
  Proof.
    unfold locals. destruct (_ && _) eqn:C; [|discriminate]. intros [= <-].
    apply andb_true_iff in C as [C Ka]. apply andb_true_iff in C as [C Cl]. apply andb_true_iff in C as [Cd Cw].
    pose proof (check_done_sound _ _ Cd) as D. pose proof (check_weak_sound _ _ Cw) as W. pose proof (rep_star _ _ Cl) as Cs.
    fold r in Cs. unfold kinds_agree in Ka. apply andb_true_iff in Ka as [K1 K2]. rewrite forallb_forall in K1, K2.
    set (T := tmap (fun s => ((r (fst (fst s)), snd (fst s)), (r (fst (snd s)), snd (snd s)))) (fsteps f)).
    set (g := Form (first f) merged_kinds T).
    assert (Kg : forall n, kind_of g n = kind_of merged n) by reflexivity.
    assert (Rd : forall y, kind_of f y = Done -> r y = y).
    { intros y Dy. symmetry. apply D; [apply Cs|auto]. }
    eapply same_trans; [|apply (tidy_same g T eq_refl)].
    split.
    - apply forward with (Rn := fun c y => c = r y) (Rg := eq); auto.
      + intros y I. exists (r y); split; auto. apply kind_elements in I; [|discriminate]. specialize (K1 _ I). cbn in K1.
        rewrite Kg. destruct (kind_of merged (r y)); auto; discriminate.
      + intros c y -> Dy. rewrite (Rd _ Dy). split; auto. apply kind_elements in Dy; [|discriminate]. specialize (K1 _ Dy). cbn in K1.
        rewrite Kg. destruct (kind_of merged y); auto; discriminate.
      + intros c y k h y' h' -> -> M. exists (r y'), h'. repeat split; auto. apply path_one. unfold g, T; cbn. apply tmap_in.
        exists ((y, h), (y', h')); auto.
    - apply forward with (Rn := fun c n => forall y, r y = n -> star R c y) (Rg := eq); auto.
      + intros n I. apply kind_elements in I; [|discriminate]. specialize (K2 _ I). cbn in K2. apply imem_iset, tmap_in in K2 as ([y k] & E & J).
        apply tfilter_in in J as [J Q]. cbn in E, Q. destruct k; try discriminate. exists y. split; [|now apply elements_kind].
        intros z Z. eapply star_trans; [apply Cs|]. rewrite E, <- Z. apply Cs.
      + intros c n S' Dn. apply kind_elements in Dn; [|discriminate]. specialize (K2 _ Dn). cbn in K2.
        destruct (kind_of f n) eqn:Q; try discriminate.
        assert (c = n) as -> by (apply D; auto). auto.
      + intros c n k h n' h' S' -> M. unfold g, T in M; cbn in M. apply tmap_in in M as ([[y h1] [y' h1']] & E & M). cbn in E.
        injection E as <- <- <- <-. destruct (W c y h1 y' h1' (S' y eq_refl) M) as (c' & P & S2).
        exists c', h1'. repeat split; auto. intros z Z. eapply star_trans; [exact S2|]. eapply star_trans; [apply Cs|]. rewrite <- Z. apply Cs.
  Qed.
End Locals.

(** * Global states *)

Section Globals.
  Context (f : form) (R : list (id * id)) (classes : list (list id)).
  Let r := rep (rep_map classes).

  Definition gmerged : form :=
    Form (r (first f)) (kinds f) (tidy (tmap (fun s => ((fst (fst s), r (snd (fst s))), (fst (snd s), r (snd (snd s))))) (fsteps f))).

  Definition globals : option form :=
    if check_weak (turned (fsteps f)) R && check_classes R classes then Some gmerged else None.

  Theorem globals_sound f' : globals = Some f' -> same f f'.
  Proof.
    unfold globals. destruct (_ && _) eqn:C; [|discriminate]. intros [= <-]. apply andb_true_iff in C as [Cw Cl].
    pose proof (check_weak_sound _ _ Cw) as W. pose proof (rep_star _ _ Cl) as Cs. fold r in Cs.
    set (T := tmap (fun s => ((fst (fst s), r (snd (fst s))), (fst (snd s), r (snd (snd s))))) (fsteps f)).
    set (g := Form (r (first f)) (kinds f) T).
    assert (Kg : forall n, kind_of g n = kind_of f n) by reflexivity.
    eapply same_trans; [|apply (tidy_same g T eq_refl)]. split.
    - apply forward with (Rn := eq) (Rg := fun k h => k = r h); auto.
      + intros y I. exists y; auto.
      + intros c y -> D. auto.
      + intros c y k h y' h' -> -> M. exists y', (r h'). repeat split; auto. apply path_one. unfold g, T; cbn. apply tmap_in.
        exists ((y, h), (y', h')); auto.
    - apply forward with (Rn := eq) (Rg := fun k n => forall h, r h = n -> star R k h).
      + cbn. intros h E. eapply star_trans; [apply Cs|]. rewrite <- E. apply Cs.
      + intros y I. exists y; auto.
      + intros c y -> D. auto.
      + intros c y k n y' n' -> S' M. unfold g, T in M; cbn in M. apply tmap_in in M as ([[z h] [z' h']] & E & M). cbn in E.
        injection E as <- <- <- <-.
        destruct (W k h z h' z' (S' h eq_refl)) as (k' & P & S2); [now apply (turned_in _ (z, h) (z', h'))|].
        exists z', k'. repeat split; auto; [now apply (turned_path _ (z, k) (z', k'))|].
        intros h2 E. eapply star_trans; [exact S2|]. eapply star_trans; [apply Cs|]. rewrite <- E. apply Cs.
  Qed.
End Globals.
