(** The lemmas that carry most rules: what one system does is followed by
    another, from the beginning on or from the end. *)

From Coq Require Import List PArith Bool.
From Proved Require Import Sets Model.
Import ListNotations.

Lemma Forall2_nth {R : id -> id -> Prop} {cs ts i y} :
  Forall2 R cs ts -> nth_error ts i = Some y -> exists c, nth_error cs i = Some c /\ R c y.
Proof.
  intros H; revert i; induction H; destruct i; cbn; try discriminate; eauto.
  intros [= <-]; eauto.
Qed.

Lemma Forall2_upd {R : id -> id -> Prop} {cs ts} i {c y} :
  Forall2 R cs ts -> R c y -> Forall2 R (upd cs i c) (upd ts i y).
Proof. intros H K; revert i; induction H; destruct i; cbn; constructor; auto. Qed.

Section Forward.
  Context (old new : form) (Rn Rg : id -> id -> Prop).
  Context (firsts : Rg (first new) (first old)).
  Context (initials : forall y, kind_of old y = Initial -> exists c, Rn c y /\ kind_of new c = Initial).
  Context (dones : forall c y, Rn c y -> kind_of old y = Done -> c = y /\ kind_of new c = Done).
  Context (follow : forall c y k g y' g', Rn c y -> Rg k g -> In ((y, g), (y', g')) (fsteps old) ->
    exists c' k', path (fsteps new) (c, k) (c', k') /\ Rn c' y' /\ Rg k' g').

  Lemma forward_path p q : path (fsteps old) p q -> forall c k, Rn c (fst p) -> Rg k (snd p) ->
    exists c' k', path (fsteps new) (c, k) (c', k') /\ Rn c' (fst q) /\ Rg k' (snd q).
  Proof.
    induction 1 as [p|[y g] [y' g'] q M P IH]; cbn [fst snd] in *; intros c k C K.
    - exists c, k; repeat split; auto. constructor.
    - destruct (follow _ _ _ _ _ _ C K M) as (c1 & k1 & P1 & C1 & K1).
      destruct (IH _ _ C1 K1) as (c2 & k2 & P2 & C2 & K2). exists c2, k2; repeat split; auto. eapply path_app; eauto.
  Qed.

  Lemma forward_moves c d : moves (fsteps old) c d -> forall k cs, Forall2 Rn cs (snd c) -> Rg k (fst c) ->
    exists k' cs', moves (fsteps new) (k, cs) (k', cs') /\ Forall2 Rn cs' (snd d) /\ Rg k' (fst d).
  Proof.
    induction 1 as [c|g ts i n n' g' d E M R IH]; cbn [fst snd] in *; intros k cs C K.
    - exists k, cs; repeat split; auto. constructor.
    - destruct (Forall2_nth C E) as (c & Ec & Cn). destruct (follow _ _ _ _ _ _ Cn K M) as (c' & k' & P & C' & K').
      destruct (IH k' (upd cs i c') (Forall2_upd i C C') K') as (k2 & cs2 & R2 & C2 & K2).
      exists k2, cs2; repeat split; auto. eapply moves_app; [|exact R2]. exact (moves_path _ _ _ cs i P Ec).
  Qed.

  Lemma related_done cs ds : Forall2 Rn cs ds -> all old Done ds -> cs = ds /\ all new Done ds.
  Proof.
    induction 1 as [|c y cs ds C H IH]; intros D; [split; constructor|]. inversion D; subst.
    destruct (dones _ _ C) as [-> K]; auto. destruct (IH H3) as [-> ?]. split; auto. constructor; auto.
  Qed.

  Lemma related_initial ts : all old Initial ts -> exists cs, Forall2 Rn cs ts /\ all new Initial cs.
  Proof.
    induction 1 as [|y ts I H (cs & C & K)]; [exists []; split; constructor|].
    destruct (initials _ I) as (c & ? & ?). exists (c :: cs); split; constructor; auto.
  Qed.

  Theorem forward : below old new.
  Proof.
    split.
    - intros ds (ts & g & I & D & M). destruct (related_initial _ I) as (cs & C & K).
      destruct (forward_moves _ _ M _ cs C firsts) as (k' & cs' & M' & C' & _). cbn in C'.
      destruct (related_done _ _ C' D) as [-> D']. exists cs, k'; auto.
    - intros ds (g & W). unfold Ser.
      assert (H : forall k0 g0, Rg k0 g0 -> walk old g0 ds g -> exists k, walk new k0 ds k).
      { clear W. induction ds as [|d ds IH]; intros k0 g0 K W; inversion W as [|? n ? g' ? ? I D P W']; subst; [eexists; constructor|].
        destruct (initials _ I) as (c & C & I'). destruct (forward_path _ _ P c k0 C K) as (c' & k' & P' & C' & K'). cbn in C', K'.
        destruct (dones _ _ C' D) as [-> D']. destruct (IH _ _ K' W') as (k & W2). exists k. econstructor; eauto. }
      eauto.
  Qed.
End Forward.

Section Backward.
  Context (old new : form) (Bn : id -> id -> Prop).
  Context (firsts : first new = first old).
  Context (initials : forall c y, Bn c y -> kind_of old y = Initial -> kind_of new c = Initial).
  Context (dones : forall y, kind_of old y = Done -> Bn y y /\ kind_of new y = Done).
  Context (follow : forall c' y g y' g', In ((y, g), (y', g')) (fsteps old) -> Bn c' y' ->
    exists c, Bn c y /\ path (fsteps new) (c, g) (c', g')).

  Lemma backward_path p q : path (fsteps old) p q -> forall c', Bn c' (fst q) ->
    exists c, Bn c (fst p) /\ path (fsteps new) (c, snd p) (c', snd q).
  Proof.
    induction 1 as [p|[y g] [y' g'] q M P IH]; cbn [fst snd] in *; intros c' C.
    - exists c'; split; auto. constructor.
    - destruct (IH _ C) as (c1 & C1 & P1). destruct (follow _ _ _ _ _ M C1) as (c & C0 & P0).
      exists c; split; auto. eapply path_app; eauto.
  Qed.

  Lemma backward_moves c d : moves (fsteps old) c d -> forall cs', Forall2 Bn cs' (snd d) ->
    exists cs, Forall2 Bn cs (snd c) /\ moves (fsteps new) (fst c, cs) (fst d, cs').
  Proof.
    induction 1 as [c|g ts i n n' g' d E M R IH]; cbn [fst snd] in *; intros cs' C.
    - exists cs'; split; auto. constructor.
    - destruct (IH _ C) as (cs1 & C1 & R1).
      assert (En : nth_error (upd ts i n') i = Some n') by (apply upd_same; congruence).
      destruct (Forall2_nth C1 En) as (c1 & Ec & Cn). destruct (follow _ _ _ _ _ M Cn) as (c & C0 & P0).
      exists (upd cs1 i c). split.
      + rewrite <- (upd_id ts i n E), <- (upd_upd ts i n' n). apply Forall2_upd; auto.
      + eapply moves_app; [|exact R1].
        rewrite <- (upd_id cs1 i c1 Ec) at 2. rewrite <- (upd_upd cs1 i c c1).
        apply (moves_path _ _ _ (upd cs1 i c) i P0). apply upd_same. congruence.
  Qed.

  Theorem backward : below old new.
  Proof.
    split.
    - intros ds (ts & g & I & D & M).
      assert (C : Forall2 Bn ds ds).
      { clear -D dones. induction D; constructor; auto. now apply dones. }
      destruct (backward_moves _ _ M ds C) as (cs & Cs & M'). cbn in Cs, M'.
      exists cs, g. rewrite firsts. repeat split; auto.
      + clear -Cs I initials. induction Cs; constructor; inversion I; subst; eauto. apply IHCs; auto.
      + clear -D dones. induction D; constructor; auto. now apply dones.
    - intros ds (g & W). exists g. rewrite firsts. revert W. generalize (first old).
      induction ds as [|d ds IH]; intros g0 W; inversion W as [|? n ? g' ? ? I D P W']; subst; [constructor|].
      destruct (dones _ D) as [Bd Kd]. destruct (backward_path _ _ P d Bd) as (c & C & P'). cbn in C, P'.
      econstructor; eauto.
  Qed.
End Backward.

(** New steps are paths of the old system, and nothing else changes. *)
Definition finer (new old : form) : Prop :=
  first new = first old /\ (forall n, kind_of new n = kind_of old n) /\
  (forall p q, In (p, q) (fsteps new) -> path (fsteps old) p q).

Theorem expansion new old : finer new old -> below new old.
Proof.
  intros (F & K & S'). apply forward with (Rn := eq) (Rg := eq); auto.
  - intros y I. exists y. rewrite <- K; auto.
  - intros c y -> D. rewrite <- K; auto.
  - intros c y k g y' g' -> -> M. exists y', g'; auto.
Qed.

Lemma finer_refl f : finer f f.
Proof. repeat split; auto. intros. now apply path_one. Qed.

Lemma finer_path new old p q : finer new old -> path (fsteps new) p q -> path (fsteps old) p q.
Proof. intros (_ & _ & S'). induction 1; [constructor|eapply path_app; eauto]. Qed.

Lemma finer_trans a b c : finer a b -> finer b c -> finer a c.
Proof.
  intros (F & A & S') K. pose proof (finer_path b c) as X. destruct K as (G & B & S2). split; [congruence|split].
  - intros. rewrite A; auto.
  - intros p q M. apply X; [repeat split; auto|]. now apply S'.
Qed.

(** * Steps that change nothing, and repetition *)

Definition with_steps (f : form) (T : list step) : form := Form (first f) (kinds f) (tidy T).

Lemma tidy_path T p q : path (tidy T) p q <-> path T p q.
Proof.
  split; induction 1 as [|p q r M P IH]; try constructor.
  - apply tidy_in in M as [M _]. econstructor; eauto.
  - destruct (point_dec p q) as [->|N]; auto. econstructor; eauto. now apply tidy_in.
Qed.

Lemma tidy_same f T : fsteps f = T -> same f (with_steps f T).
Proof.
  intros E. split; apply expansion; repeat split; auto; cbn; intros p q M.
  - apply tidy_path. rewrite <- E. now apply path_one.
  - rewrite E. apply tidy_path. now apply path_one.
Qed.

(** The same with a system that has other steps. *)
Definition steps_now (f : form) (T : list step) : form := Form (first f) (kinds f) T.

Lemma with_steps_same f T : same f (steps_now f T) -> same f (with_steps f T).
Proof. intros H. eapply same_trans; [exact H|]. apply (tidy_same (steps_now f T)). reflexivity. Qed.

Lemma with_steps_finer f T : finer (steps_now f T) f -> finer (with_steps f T) f.
Proof.
  intros H. eapply finer_trans; [|exact H]. repeat split; auto. cbn. intros p q M. apply tidy_path. now apply path_one.
Qed.
