(** Firing sequences: words that fire from the initial marking into goals. What
    is repeated is not written out. *)

From Coq Require Import List PArith NArith ZArith Bool Lia.
From Proved Require Import Sets Arithmetic.
From Proved.Nets Require Import Net Goal Marking.
Import ListNotations.
Open Scope Z_scope.

(** A part of a word: a transition by its number, a word that is repeated, or
    that a goal has been reached. *)
Inductive item :=
| FireOnce (t : id)
| FireAgain (times : N) (ts : list id)
| Arrive (g : id).

(** What a word needs and what it does, by place. *)
Definition summary := PM.t (Z * Z).
Definition summed (s : summary) (p : id) : Z * Z := match PM.find p s with Some x => x | None => (0, 0) end.

Definition need_arcs (s : summary) (arcs : list arc) : summary :=
  fold_left (fun s a => let '(n, e) := summed s (fst a) in
    let w := Z.of_N (snd a) in PM.add (fst a) (Z.max n (w - e), e - w) s) arcs s.
Definition give_arcs (s : summary) (arcs : list arc) : summary :=
  fold_left (fun s a => let '(n, e) := summed s (fst a) in PM.add (fst a) (n, e + Z.of_N (snd a)) s) arcs s.
Definition then_fire (s : summary) (t : transition) : summary := give_arcs (need_arcs s (inputs t)) (outputs t).
Definition repeated (s : summary) (times : Z) : summary :=
  PM.map (fun x => let '(n, e) := x in (Z.max n (n - (times - 1) * e), times * e)) s.

Section Run.
  Context (n : net) (numbered_transitions : PM.t transition) (goals : PM.t goal).

  Fixpoint summary_of (s : summary) (ts : list id) : option summary :=
    match ts with
    | [] => Some s
    | t :: ts => match PM.find t numbered_transitions with Some t => summary_of (then_fire s t) ts | None => None end    (* net.run.transition *)
    end.

  Definition enough_for (m : markings) (s : summary) : bool :=
    forallb (fun x => fst (snd x) <=? Z.of_N (at_place m (fst x))) (PM.elements s).
  Definition change_by (m : markings) (s : summary) : markings :=
    PM._map2 (fun k x => match k, x with
      | None, None => None
      | _, _ => Some (Z.to_N (Z.of_N (match k with Some k => k | None => 0%N end) + snd (match x with Some x => x | None => (0, 0) end)))
      end) m s.

  (** The goals that a word leads into, with those before; [None] if it cannot fire. *)
  Fixpoint walk (m : markings) (word : list item) (reached : idset) : option idset :=
    match word with
    | [] => Some reached
    | FireOnce t :: word =>
        match PM.find t numbered_transitions with
        | Some t => match fire m t with Some m => walk m word reached | None => None end     (* net.run.enabled *)
        | None => None
        end
    | FireAgain times ts :: word =>
        match summary_of (PM.empty _) ts with
        | Some s =>
            if (times =? 0)%N then walk m word reached
            else let s := repeated s (Z.of_N times) in if enough_for m s then walk (change_by m s) word reached else None
        | None => None
        end
    | Arrive g :: word =>
        match PM.find g goals with
        | Some goal => if goal_met (at_place m) goal then walk m word (iadd reached g) else None                (* net.run.end net.runs.word *)
        | None => None
        end
    end.

  (** * It fires *)

  Context (there : forall k t, PM.find k numbered_transitions = Some t -> In t (transitions n)).

  Local Notation leads := (leads n).

  Lemma fires_ext t M M' M1 M1' : (forall p, M1 p = M p) -> (forall p, M1' p = M' p) -> fires t M M' -> fires t M1 M1'.
  Proof. intros E E' [En F]. split; intros p; rewrite ?E', ?E; auto. Qed.

  Lemma reachable_ext M M' : (forall p, M' p = M p) -> reachable n M -> reachable n M'.
  Proof.
    intros E R. destruct R as [M B|M t M1 R I F]; [apply Beginning; intros p; now rewrite E|].
    apply (Firing n M t M'); auto. apply (fires_ext t M M1); auto.
  Qed.

  Lemma leads_trans M M1 M2 : leads M M1 -> leads M1 M2 -> leads M M2.
  Proof.
    intros A B. induction B as [M1 M2 E|M1 M3 t M2 B IH I F]; [|exact (Then M M3 t M2 (IH A) I F)].
    destruct A as [M M1 E1|M M4 t M1 A I F]; [apply Stay; intros p; now rewrite E|]. apply (Then M M4 t M2); auto.
    apply (fires_ext t M4 M1); auto.
  Qed.

  Lemma leads_reachable M M' : leads M M' -> reachable n M -> reachable n M'.
  Proof. induction 1 as [M M' E|M M1 t M' A IH I F]; intros R; [now apply (reachable_ext M)|]. apply (Firing n M1 t M'); auto. Qed.

  (** Wherever there is what is needed, the word fires. *)
  Definition able (s : summary) : Prop := forall M, (forall p, fst (summed s p) <= Z.of_N (M p)) ->
    exists M', leads M M' /\ forall p, Z.of_N (M' p) = Z.of_N (M p) + snd (summed s p).

  Lemma summed_add s p q x : summed (PM.add p x s) q = if Pos.eqb q p then x else summed s q.
  Proof. unfold summed. destruct (Pos.eqb_spec q p) as [->|D]; [now rewrite PM.gss|now rewrite PM.gso]. Qed.

  Lemma need_arcs_spec arcs p : forall s,
    let x := summed s p in let y := summed (need_arcs s arcs) p in let w := Z.of_N (weight arcs p) in
    fst x <= fst y /\ (0 < w -> w - snd x <= fst y) /\ snd y = snd x - w.
  Proof.
    unfold need_arcs. induction arcs as [|[q w] arcs IH]; intros s; cbn [fold_left weight fst snd]; [lia|].
    destruct (summed s q) as [k e] eqn:E. specialize (IH (PM.add q (Z.max k (Z.of_N w - e), e - Z.of_N w) s)). cbn zeta in *.
    rewrite summed_add in IH. destruct (Pos.eqb p q) eqn:D; [apply Pos.eqb_eq in D; subst p; rewrite E; cbn [fst snd] in *; lia|lia].
  Qed.

  Lemma give_arcs_spec arcs p : forall s,
    fst (summed (give_arcs s arcs) p) = fst (summed s p) /\ snd (summed (give_arcs s arcs) p) = snd (summed s p) + Z.of_N (weight arcs p).
  Proof.
    unfold give_arcs. induction arcs as [|[q w] arcs IH]; intros s; cbn [fold_left weight fst snd]; [lia|].
    destruct (summed s q) as [k e] eqn:E. specialize (IH (PM.add q (k, e + Z.of_N w) s)).
    rewrite summed_add in IH. destruct (Pos.eqb p q) eqn:D; [apply Pos.eqb_eq in D; subst p; rewrite E; cbn [fst snd] in *; lia|lia].
  Qed.

  Lemma able_nothing : able (PM.empty _).
  Proof. intros M _. exists M. split; [now apply Stay|]. intros p. unfold summed. rewrite PM.gempty. cbn. lia. Qed.

  Lemma able_fire s t : In t (transitions n) -> able s -> able (then_fire s t).
  Proof.
    intros I A M N. unfold then_fire in *.
    assert (S : forall p, let x := summed s p in let y := summed (give_arcs (need_arcs s (inputs t)) (outputs t)) p in
      let i := Z.of_N (weight (inputs t) p) in let o := Z.of_N (weight (outputs t) p) in
      fst x <= fst y /\ (0 < i -> i - snd x <= fst y) /\ snd y = snd x - i + o).
    { intros p. pose proof (need_arcs_spec (inputs t) p s). pose proof (give_arcs_spec (outputs t) p (need_arcs s (inputs t))). cbn zeta in *. lia. }
    destruct (A M) as (M1 & L & E1); [intros p; specialize (S p); specialize (N p); cbn zeta in *; lia|].
    exists (fun p => (M1 p - weight (inputs t) p + weight (outputs t) p)%N).
    assert (En : enabled t M1) by (intros p; specialize (S p); specialize (N p); specialize (E1 p); cbn zeta in *; lia).
    split.
    - apply (Then M M1 t); auto. split; auto.
    - intros p. specialize (S p). specialize (E1 p). specialize (En p). cbn zeta in *. lia.
  Qed.

  Lemma able_repeated s times : 1 <= times -> able s -> able (repeated s times).
  Proof.
    intros L A M N.
    assert (S : forall p, summed (repeated s times) p
      = (Z.max (fst (summed s p)) (fst (summed s p) - (times - 1) * snd (summed s p)), times * snd (summed s p))).
    { intros p. unfold summed, repeated. unfold PM.map. rewrite PM.gmapi. destruct (PM.find p s) as [[k e]|]; cbn [option_map fst snd]; auto.
      f_equal; lia. }
    assert (H : forall i, 0 <= i -> i <= times -> exists M', leads M M' /\ forall p, Z.of_N (M' p) = Z.of_N (M p) + i * snd (summed s p)).
    { apply (natlike_ind (fun i => i <= times -> exists M', leads M M' /\ forall p, Z.of_N (M' p) = Z.of_N (M p) + i * snd (summed s p))).
      - intros _. exists M. split; [now apply Stay|]. intros p. lia.
      - intros i Gi IH Li. destruct IH as (M1 & L1 & E1); [lia|].
        destruct (A M1) as (M2 & L2 & E2).
        + intros p. rewrite E1. specialize (N p). rewrite S in N. cbn [fst] in N. assert (i <= times - 1) by lia.
          destruct (Z.le_gt_cases 0 (snd (summed s p))); nia.
        + exists M2. split; [now apply (leads_trans M M1)|]. intros p. rewrite E2, E1. lia. }
    destruct (H times) as (M' & L' & E'); [lia|lia|]. exists M'. split; auto. intros p. now rewrite S, E'.
  Qed.

  Lemma summary_able ts : forall s s', summary_of s ts = Some s' -> able s -> able s'.
  Proof.
    induction ts as [|t ts IH]; intros s s' H A; cbn [summary_of] in H; [injection H as <-; exact A|].
    destruct (PM.find t numbered_transitions) as [u|] eqn:E; [|discriminate]. apply (IH _ _ H). apply able_fire; eauto.
  Qed.

  Lemma enough_able m s : able s -> enough_for m s = true -> leads (at_place m) (at_place (change_by m s)).
  Proof.
    intros A H. unfold enough_for in H. rewrite forallb_forall in H.
    destruct (A (at_place m)) as (M' & L & E).
    - intros p. unfold summed. destruct (PM.find p s) as [x|] eqn:F; [|cbn; lia]. apply PM.elements_correct in F. specialize (H _ F). now apply Z.leb_le.
    - apply (leads_trans _ M'); auto. apply Stay. intros p. specialize (E p). unfold change_by, at_place at 1. rewrite PM.gmap2 by auto.
      unfold at_place, summed in E. destruct (PM.find p m), (PM.find p s); cbn [fst snd] in *; lia.
  Qed.

  (** Where a word ends. *)
  Fixpoint finish (m : markings) (word : list item) : option markings :=
    match word with
    | [] => Some m
    | FireOnce t :: word =>
        match PM.find t numbered_transitions with
        | Some t => match fire m t with Some m => finish m word | None => None end
        | None => None
        end
    | FireAgain times ts :: word =>
        match summary_of (PM.empty _) ts with
        | Some s =>
            if (times =? 0)%N then finish m word
            else let s := repeated s (Z.of_N times) in if enough_for m s then finish (change_by m s) word else None
        | None => None
        end
    | Arrive _ :: _ => None
    end.

  Theorem finish_sound word : forall m m', finish m word = Some m' -> leads (at_place m) (at_place m').
  Proof.
    induction word as [|[t|times ts|g0] word IH]; intros m m' H; cbn [finish] in H; [injection H as <-; now apply Stay| | |discriminate].
    - destruct (PM.find t numbered_transitions) as [u|] eqn:E; [|discriminate]. destruct (fire m u) as [m1|] eqn:F; [|discriminate].
      apply (leads_trans _ (at_place m1)); [|auto]. apply (Then _ (at_place m) u); [now apply Stay|eauto|now apply fire_some].
    - destruct (summary_of (PM.empty _) ts) as [s|] eqn:E; [|discriminate]. destruct (N.eqb_spec times 0) as [->|N]; [auto|].
      destruct (enough_for m (repeated s (Z.of_N times))) eqn:F; [|discriminate]. apply (leads_trans _ (at_place (change_by m (repeated s (Z.of_N times))))); [|auto].
      apply enough_able; auto. apply able_repeated; [lia|]. exact (summary_able ts _ _ E able_nothing).
  Qed.

  Theorem walk_sound word : forall m reached reached', walk m word reached = Some reached' -> reachable n (at_place m) ->
    forall g, imem reached' g = true -> imem reached g = true \/ exists goal, PM.find g goals = Some goal /\ goal_reachable n goal.
  Proof.
    induction word as [|[t|times ts|g0] word IH]; intros m reached reached' H R g I; cbn [walk] in H.
    - injection H as <-. auto.
    - destruct (PM.find t numbered_transitions) as [u|] eqn:E; [|discriminate]. destruct (fire m u) as [m'|] eqn:F; [|discriminate].
      apply (IH _ _ _ H); auto. apply (Firing n (at_place m) u); eauto. now apply fire_some.
    - destruct (summary_of (PM.empty _) ts) as [s|] eqn:E; [|discriminate]. destruct (N.eqb_spec times 0) as [->|N]; [apply (IH _ _ _ H); auto|].
      destruct (enough_for m (repeated s (Z.of_N times))) eqn:F; [|discriminate]. apply (IH _ _ _ H); auto.
      apply (leads_reachable (at_place m)); auto. apply enough_able; auto. apply able_repeated; [lia|].
      exact (summary_able ts _ _ E able_nothing).
    - destruct (PM.find g0 goals) as [goal|] eqn:E; [|discriminate]. destruct (goal_met (at_place m) goal) eqn:G; [|discriminate].
      destruct (IH _ _ _ H R g I) as [J|J]; auto. apply imem_iadd in J as [->|J]; auto. right. exists goal. split; auto. exists (at_place m). auto.
  Qed.
End Run.
