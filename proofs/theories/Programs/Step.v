(** All steps from one pause to the next, computed; and that they are those of the definition.

    Small steps are made until nothing new is met; what was met is kept, since
    choices may come together again and loops may never end. *)

From Coq Require Import List ZArith Bool Lia.
From Proved Require Import Sets.
From Proved.Programs Require Import Syntax Semantics Reduce Same.
Import ListNotations.
Open Scope Z_scope.

(** Where small steps lead: moments from which to go on, pauses, and whether one fails. *)
Record found_here := Here { more : list moment; pauses_at : list (local * store); failing : bool }.

Definition next_of (m : moment) : reduced := reduce (registers m) (shared m) (left m).

Definition one_step (m : moment) : found_here :=
  match next_of m with
  | Value v | Answers v => Here [] [(Finished v, shared m)] false
  | Waits e => Here [] [(Running e (registers m), shared m)] false
  | Loops e => Here [Moment e (registers m) (shared m)] [] false
  | Either a b => Here [Moment a (registers m) (shared m); Moment b (registers m) (shared m)] [] false
  | Faulty => Here [] [] true
  | To n => Here [n] [] false
  end.

(** Small steps without a choice and without unfolding a loop. *)
Fixpoint straight (fuel : nat) (m : moment) : option found_here :=
  let h := one_step m in
  match next_of m with
  | To n => match fuel with O => None | S fuel => straight fuel n end
  | _ => Some h
  end.

Definition met := PM.t (list moment).
Definition is_met (s : met) (m : moment) : bool := existsb (moment_eqb m) (found1 s (moment_key m)).

Fixpoint explore (fuel : nat) (todo : list moment) (seen : met) (acc : list (local * store)) (bad : bool) :
    option (list (local * store) * bool) :=
  match todo with
  | [] => Some (acc, bad)
  | m :: todo =>
      match fuel with
      | O => None
      | S less =>
          if is_met seen m then explore less todo seen acc bad
          else match straight fuel m with
               | None => None
               | Some h => explore less (more h ++ todo) (put1 seen (moment_key m) m) (pauses_at h ++ acc) (failing h || bad)
               end
      end
  end.

(** The steps from a local and a global state, and whether one fails; nothing if there is too little fuel. *)
Definition outcomes (fuel : nat) (l : local) (g : store) : option (list (local * store) * bool) :=
  match l with
  | Finished _ => Some ([], false)
  | Running e r => explore fuel [Moment e r g] (PM.empty _) [] false
  end.

(** * It is what the definition says *)

(** How a moment ends. *)
Inductive stops : moment -> local * store -> Prop :=
| stops_value v r g : stops (Moment (Number v) r g) (Finished v, g)
| stops_yield E r g : stops (Moment (plug E Yield) r g) (Running (plug E (Number 0)) r, g).
Inductive breaks : moment -> Prop :=
| breaks_at E f r g : faulty f -> breaks (Moment (plug E f) r g).

Lemma smalls_app m n o : smalls m n -> smalls n o -> smalls m o.
Proof. induction 1; auto. intros; econstructor; eauto. Qed.

Lemma smalls_one m n : small m n -> smalls m n.
Proof. intros; econstructor; [eauto|constructor]. Qed.

Lemma small_next m n : small m n <-> In n (after (registers m) (shared m) (next_of m)).
Proof. destruct m as [e r g]. apply small_reduce. Qed.

Lemma stops_next m o : stops m o <-> match next_of m with
  | Value v => o = (Finished v, shared m)
  | Waits e => o = (Running e (registers m), shared m)
  | _ => False end.
Proof.
  destruct m as [e r g]. unfold next_of. cbn [left registers shared]. split.
  - remember (Moment e r g) as m eqn:Em. intros H. destruct H as [v r' g'|E r' g']; injection Em as <- -> ->.
    + reflexivity.
    + now rewrite reduce_yield.
  - pose proof (reduce_says r g e) as H. destruct (reduce r g e); cbn in H; try easy.
    + intros ->. subst e. constructor.
    + intros ->. destruct H as (E & -> & ->). constructor.
Qed.

Lemma breaks_next m : breaks m <-> next_of m = Faulty.
Proof.
  destruct m as [e r g]. unfold next_of. cbn [left registers shared]. split.
  - remember (Moment e r g) as m eqn:Em. intros H. destruct H as [E f r' g' F]; injection Em as <- -> ->. now apply reduce_faulty.
  - intros H. pose proof (reduce_says r g e) as S. rewrite H in S. cbn in S. destruct S as (E & f & -> & F). now constructor.
Qed.

Lemma stops_now m o : stops m o -> forall n, ~ small m n.
Proof. intros H n K. apply stops_next in H. apply small_next in K. now destruct (next_of m). Qed.

(** What a straight piece finds is all there is. *)
Definition here_sound (m : moment) (h : found_here) : Prop :=
  (forall n, In n (more h) -> smalls m n) /\
  (forall o, In o (pauses_at h) -> exists n, smalls m n /\ stops n o) /\
  (failing h = true -> exists n, smalls m n /\ breaks n).

(** So many small steps. *)
Inductive far : nat -> moment -> moment -> Prop :=
| far_nil m : far 0 m m
| far_cons i m n o : small m n -> far i n o -> far (S i) m o.

Definition here_complete (m : moment) (h : found_here) : Prop :=
  (forall i n o, far i m n -> stops n o -> In o (pauses_at h) \/ exists j k, (j < i)%nat /\ In k (more h) /\ far j k n) /\
  (forall i n, far i m n -> breaks n -> failing h = true \/ exists j k, (j < i)%nat /\ In k (more h) /\ far j k n).

Lemma one_sound m : here_sound m (one_step m).
Proof.
  pose proof (fun n I => smalls_one m n (proj2 (small_next m n) I)) as L. pose proof (stops_next m) as Sm. pose proof (breaks_next m) as Bm.
  unfold one_step, here_sound. destruct (next_of m) as [v|n|e|a b|e|v|] eqn:E; cbn [more pauses_at failing]; cbn [after] in L.
  - repeat split; [intros _ []|intros o [<-|[]]; exists m; split; [constructor|now apply Sm]|discriminate].
  - repeat split; [exact L|intros _ []|discriminate].
  - repeat split; [exact L|intros _ []|discriminate].
  - repeat split; [exact L|intros _ []|discriminate].
  - repeat split; [intros _ []|intros o [<-|[]]; exists m; split; [constructor|now apply Sm]|discriminate].
  - repeat split; [intros _ []|intros o [<-|[]]|discriminate]. eexists. split; [apply L; now left|constructor].
  - repeat split; [intros _ []|intros _ []|intros _; exists m; split; [constructor|now apply Bm]].
Qed.

Lemma far_next i m n : far i m n -> (n = m /\ i = O) \/ exists j k, i = S j /\ In k (after (registers m) (shared m) (next_of m)) /\ far j k n.
Proof. intros [|j ? k ? A B]; auto. right. exists j, k. split; auto. split; auto. now apply small_next. Qed.

Lemma one_complete m : here_complete m (one_step m).
Proof.
  assert (V : forall i v n, far i (Moment (Number v) (registers m) (shared m)) n -> n = Moment (Number v) (registers m) (shared m)).
  { intros i v n H. apply far_next in H as [[H _]|(j & k & _ & [] & _)]. exact H. }
  pose proof (stops_next m) as Sm. pose proof (breaks_next m) as Bm.
  unfold one_step, here_complete. destruct (next_of m) as [v|n|e|a b|e|v|] eqn:E; cbn [more pauses_at failing];
    (split; [intros i n' o K S|intros i n' K S]); apply far_next in K; rewrite E in K; cbn [after] in K;
    destruct K as [[-> ->]|(j & k & -> & J & K)]; try (right; exists j, k; split; [lia|now auto]).
  all: try (apply Sm in S; cbn; auto; fail).
  all: try (apply Sm in S; now destruct S).
  all: try (apply Bm in S; discriminate S).
  all: try (now destruct J).
  all: try (now left).
  all: destruct J as [<-|[]]; apply V in K as ->.
  - left. apply stops_next in S. cbn in *. auto.
  - apply breaks_next in S. discriminate S.
Qed.

Lemma straight_one fuel m h : straight fuel m = Some h ->
  h = one_step m \/ exists less n, fuel = S less /\ one_step m = Here [n] [] false /\ straight less n = Some h.
Proof.
  unfold one_step. destruct fuel; cbn [straight]; unfold one_step; destruct (next_of m); intros H; try (injection H as <-; now left); try discriminate H.
  right. eauto.
Qed.

Lemma straight_sound fuel : forall m h, straight fuel m = Some h -> here_sound m h.
Proof.
  induction fuel as [|fuel IH]; intros m h H; apply straight_one in H as [->|(less & n & F & O & H)]; try apply one_sound; try discriminate F.
  injection F as <-. apply IH in H as (A & B & C). pose proof (one_sound m) as (Q & _ & _). rewrite O in Q. specialize (Q n (or_introl eq_refl)). repeat split.
  - intros k I. eapply smalls_app; eauto.
  - intros o I. destruct (B o I) as (k & K1 & K2). exists k. split; auto. eapply smalls_app; eauto.
  - intros I. destruct (C I) as (k & K1 & K2). exists k. split; auto. eapply smalls_app; eauto.
Qed.

Lemma straight_complete fuel : forall m h, straight fuel m = Some h -> here_complete m h.
Proof.
  induction fuel as [|fuel IH]; intros m h H; apply straight_one in H as [->|(less & n & F & O & H)]; try apply one_complete; try discriminate F.
  injection F as <-. apply IH in H as (A & B). pose proof (one_complete m) as (Q & R). rewrite O in Q, R. cbn in Q, R. split.
  - intros i k o K S. destruct (Q i k o K S) as [[]|(j & p & L & [<-|[]] & J)].
    destruct (A j k o J S) as [|(j' & p & L' & I & J')]; auto. right. exists j', p. split; auto. lia.
  - intros i k K S. destruct (R i k K S) as [|(j & p & L & [<-|[]] & J)]; [discriminate|].
    destruct (B j k J S) as [|(j' & p & L' & I & J')]; auto. right. exists j', p. split; auto. lia.
Qed.

(** ** Exploring *)

Lemma is_met_in s m : is_met s m = true -> In m (found1 s (moment_key m)).
Proof. unfold is_met. intros (n & I & E)%existsb_exists. apply moment_eqb_eq in E as <-. exact I. Qed.

Definition seen_in (s : met) (m : moment) : Prop := In m (found1 s (moment_key m)).

Lemma seen_put s m n : seen_in (put1 s (moment_key m) m) n <-> n = m \/ seen_in s n.
Proof. unfold seen_in. rewrite found1_put1. split; [intros [[_ ->]|]|intros [->|]]; auto. Qed.

Section Invariants.
  Context (from : moment).

  Lemma explore_sound fuel : forall todo seen acc bad R b, explore fuel todo seen acc bad = Some (R, b) ->
    Forall (smalls from) todo -> (forall o, In o acc -> exists n, smalls from n /\ stops n o) -> (bad = true -> exists n, smalls from n /\ breaks n) ->
    (forall o, In o R -> exists n, smalls from n /\ stops n o) /\ (b = true -> exists n, smalls from n /\ breaks n).
  Proof.
    induction fuel as [|fuel IH]; intros [|m todo] seen acc bad R b; cbn [explore]; try discriminate; try (intros [= <- <-]; now auto).
    destruct (is_met seen m); [intros H T; inversion T; eapply IH; eauto|].
    destruct (straight (S fuel) m) as [h|] eqn:E; [|discriminate]. intros H T A B. inversion T as [|? ? Tm T']; subst. apply straight_sound in E as (E1 & E2 & E3). apply IH in H; auto.
    - apply Forall_app. split; auto. apply Forall_forall. intros n I. eapply smalls_app; eauto.
    - intros o [I|I]%in_app_or; auto. destruct (E2 o I) as (n & N & S). exists n. split; auto. eapply smalls_app; eauto.
    - intros [K|K]%orb_true_iff; auto. destruct (E3 K) as (n & N & S). exists n. split; auto. eapply smalls_app; eauto.
  Qed.

  (** What was met is closed, but for what is still to do. *)
  Definition open (todo : list moment) (seen : met) (acc : list (local * store)) (bad : bool) : Prop :=
    forall m, seen_in seen m -> exists h, here_complete m h /\
      (forall n, In n (more h) -> In n todo \/ seen_in seen n) /\ incl (pauses_at h) acc /\ (failing h = true -> bad = true).

  Lemma explore_closed fuel : forall todo seen acc bad R b, explore fuel todo seen acc bad = Some (R, b) -> open todo seen acc bad ->
    exists all, open [] all R b /\ (forall m, In m todo \/ seen_in seen m -> seen_in all m).
  Proof.
    induction fuel as [|fuel IH]; intros [|m todo] seen acc bad R b; cbn [explore]; try discriminate;
      try (intros [= <- <-] O; exists seen; split; [exact O|intros n [[]|]; auto]).
    destruct (is_met seen m) eqn:M; [intros H O|].
    - apply is_met_in in M. apply IH in H as (all & O' & I).
      + exists all. split; auto. intros n [[<-|J]|J]; auto.
      + intros n N. destruct (O n N) as (h & C & S & P & F). exists h. split; [exact C|]. split; [|now split].
        intros k K. destruct (S k K) as [[<-|]|]; auto.
    - destruct (straight (S fuel) m) as [h|] eqn:E; [|discriminate]. intros H O. apply straight_complete in E. apply IH in H as (all & O' & I).
      + exists all. split; auto. intros n [[<-|J]|J]; apply I; [right; apply seen_put; auto|left; apply in_or_app; auto|right; apply seen_put; auto].
      + intros n N. apply seen_put in N as [->|N].
        * exists h. split; [exact E|]. split; [intros k K; left; apply in_or_app; auto|]. split; [intros o J; apply in_or_app; auto|].
          intros F. now rewrite F.
        * destruct (O n N) as (h' & C & S & P & F). exists h'. split; [exact C|]. split; [|split].
          -- intros k K. destruct (S k K) as [[<-|]|]; [right; apply seen_put; auto|left; apply in_or_app; auto|right; apply seen_put; auto].
          -- intros o J. apply in_or_app. auto.
          -- intros K. rewrite (F K). apply orb_true_r.
  Qed.
End Invariants.

Lemma open_complete all R b : open [] all R b -> forall i m n, far i m n -> seen_in all m ->
  (forall o, stops n o -> In o R) /\ (breaks n -> b = true).
Proof.
  intros O. induction i as [i IH] using (well_founded_induction lt_wf). intros m n F I.
  destruct (O m I) as (h & [C D] & S & P & B). split.
  - intros o K. destruct (C i n o F K) as [J|(j & k & L & J & F')]; auto. destruct (S k J) as [[]|Sk]. now apply (IH j L k n F' Sk).
  - intros K. destruct (D i n F K) as [J|(j & k & L & J & F')]; auto. destruct (S k J) as [[]|Sk]. now apply (IH j L k n F' Sk).
Qed.

Lemma smalls_far m n : smalls m n -> exists i, far i m n.
Proof. induction 1 as [|m n o A H (i & IH)]; [exists O; constructor|exists (S i); econstructor; eauto]. Qed.

Lemma explore_complete fuel m R b : explore fuel [m] (PM.empty _) [] false = Some (R, b) ->
  (forall n o, smalls m n -> stops n o -> In o R) /\ (forall n, smalls m n -> breaks n -> b = true).
Proof.
  intros H. apply explore_closed in H as (all & O & I).
  - assert (M : seen_in all m) by (apply I; left; now left). split.
    + intros n o F S. apply smalls_far in F as (i & F). now apply (open_complete all R b O i m n F M).
    + intros n F S. apply smalls_far in F as (i & F). now apply (open_complete all R b O i m n F M).
  - intros n N. unfold seen_in, found1 in N. rewrite PM.gempty in N. destruct N.
Qed.

(** * Steps *)

Theorem outcomes_steps fuel l g R b : outcomes fuel l g = Some (R, b) -> forall l' g', steps l g l' g' <-> In (l', g') R.
Proof.
  intros H l' g'. destruct l as [e r|v]; cbn [outcomes] in H.
  - split.
    + apply explore_complete in H as [C _]. intros S. inversion S as [? ? ? v r' ? M|? ? ? E r' ? M]; subst; apply (C _ _ M); constructor.
    + intros I. apply (explore_sound (Moment e r g)) in H as [S _]; try discriminate; [|repeat constructor|intros _ []].
      destruct (S _ I) as (n & N & St). remember (l', g') as o eqn:Eo. destruct St; injection Eo as <- <-; econstructor; eauto.
  - injection H as <- <-. split; [|intros []]. intros S. inversion S.
Qed.

Theorem outcomes_fails fuel l g R b : outcomes fuel l g = Some (R, b) -> fails l g <-> b = true.
Proof.
  intros H. destruct l as [e r|v]; cbn [outcomes] in H.
  - split.
    + apply explore_complete in H as [_ C]. intros S. inversion S as [? ? ? E f r' g' M F]; subst. apply (C _ M). now constructor.
    + intros B. apply (explore_sound (Moment e r g)) in H as [_ S]; [|repeat constructor|intros _ []|discriminate].
      destruct (S B) as (n & N & K). destruct K as [E f r' g' F]. exact (fails_at _ _ _ E f r' g' N F).
  - injection H as <- <-. split; [|discriminate]. intros S. inversion S.
Qed.
