(** Closed sets of markings. *)

From Coq Require Import List PArith NArith ZArith Bool Lia.
From Proved Require Import Sets Arithmetic.
From Proved.Nets Require Import Net Goal Marking Bounds.
Import ListNotations.
Open Scope N_scope.

(** * Sets of markings *)

(** The digits of a number in front of others, so that it is seen where they end. *)
Fixpoint digits (p k : positive) : positive :=
  match p with
  | xH => xO k
  | xO p => xI (xO (digits p k))
  | xI p => xI (xI (digits p k))
  end.

Lemma digits_inj p : forall q k l, digits p k = digits q l -> p = q /\ k = l.
Proof.
  induction p as [p IH|p IH|]; intros [q|q|] k l H; cbn in H; try discriminate H; injection H as H; auto; now destruct (IH _ _ _ H) as [-> ->].
Qed.

(** The tokens of all places as one number. *)
Definition written (ps : list id) (m : markings) : positive := fold_left (fun k p => digits (N.succ_pos (at_place m p)) k) ps xH.

Lemma succ_pos_inj a b : N.succ_pos a = N.succ_pos b -> a = b.
Proof. intros H. apply (f_equal Npos) in H. rewrite !N.succ_pos_spec in H. lia. Qed.

Lemma written_inj ps m m' : written ps m = written ps m' -> forall p, In p ps -> at_place m p = at_place m' p.
Proof.
  unfold written. enough (H : forall k k', fold_left (fun k p => digits (N.succ_pos (at_place m p)) k) ps k
    = fold_left (fun k p => digits (N.succ_pos (at_place m' p)) k) ps k' -> k = k' /\ forall p, In p ps -> at_place m p = at_place m' p).
  { intros E. now apply (H xH xH). }
  induction ps as [|p ps IH]; intros k k' E; cbn [fold_left] in E; [split; [auto|intros ? []]|].
  destruct (IH _ _ E) as [D A]. apply digits_inj in D as [D ->]. apply succ_pos_inj in D. split; auto. intros q [<-|I]; auto.
Qed.

(** A marking has no tokens but on places of the net. *)
Definition on_places (s : idset) (arcs : list arc) : bool := forallb (fun a => imem s (fst a)) arcs.
Definition net_on_places (n : net) : bool :=
  let s := iset (places n) in on_places s (marked n) && forallb (fun t => on_places s (outputs t)) (transitions n).

Lemma on_places_weight s arcs p : on_places s arcs = true -> imem s p = false -> weight arcs p = 0.
Proof.
  unfold on_places. rewrite forallb_forall. intros H I. destruct (N.eq_dec (weight arcs p) 0) as [|D]; auto.
  assert (L : 0 < weight arcs p) by lia. apply weight_in, in_map_iff in L as (a & <- & J). rewrite (H a J) in I. discriminate.
Qed.

Lemma elsewhere n M p : net_on_places n = true -> reachable n M -> ~ In p (places n) -> M p = 0.
Proof.
  unfold net_on_places. rewrite andb_true_iff, forallb_forall. intros [B T] R Np.
  assert (I : imem (iset (places n)) p = false) by (apply not_true_iff_false; now rewrite imem_iset).
  induction R as [M E|M t M' R IH It [En F]]; [rewrite E; eapply on_places_weight; eauto|].
  rewrite F, IH. rewrite (on_places_weight _ _ p (T t It) I). reflexivity.
Qed.

(** * Closed sets *)

(** The tokens of a marking, place after place. *)
Definition marking_of (ps : list id) (row : list N) : markings :=
  fold_left (fun m a => PM.add (fst a) (snd a) m) (combine ps row) (PM.empty N).

Section Closed.
  Context (n : net).

  Definition listed (rows : list (list N)) : idset := fold_left (fun s row => iadd s (written (places n) (marking_of (places n) row))) rows (PM.empty unit).

  (** Whether a marking is in the list, and that all it leads to are. *)
  Definition in_list (s : idset) (m : markings) : bool := imem s (written (places n) m).
  Definition closed_at (s : idset) (ts : list transition) (m : markings) : bool :=
    forallb (fun t => match fire m t with Some m' => in_list s m' | None => true end) ts.

  Definition check_closed (rows : list (list N)) (each : markings -> bool) : bool :=
    let s := listed rows in
    net_on_places n &&
    in_list s (first_marking n) &&                                                          (* net.states.initial *)
    forallb (fun row => let m := marking_of (places n) row in closed_at s (transitions n) m && each m) rows.    (* net.states.closed *)

  Lemma listed_in rows k : imem (listed rows) k = true -> exists row, In row rows /\ written (places n) (marking_of (places n) row) = k.
  Proof.
    unfold listed. enough (H : forall s, imem (fold_left (fun s row => iadd s (written (places n) (marking_of (places n) row))) rows s) k = true ->
      imem s k = true \/ exists row, In row rows /\ written (places n) (marking_of (places n) row) = k).
    { intros I. destruct (H _ I) as [J|J]; auto. unfold imem in J. rewrite PM.gempty in J. discriminate. }
    induction rows as [|row rows IH]; intros s I; cbn [fold_left] in I; auto.
    destruct (IH _ I) as [J|(r & J & E)]; [|right; exists r; cbn; auto]. apply imem_iadd in J as [->|J]; auto. right. exists row. cbn; auto.
  Qed.

  Lemma marking_of_elsewhere row p : ~ In p (places n) -> at_place (marking_of (places n) row) p = 0.
  Proof.
    intros Np. unfold marking_of. assert (I : forall a, In a (combine (places n) row) -> fst a <> p).
    { intros [q k] J E. cbn in E. subst. apply in_combine_l in J. auto. }
    assert (Z : at_place (PM.empty N) p = 0) by (unfold at_place; now rewrite PM.gempty).
    revert Z I. generalize (PM.empty N) as m. induction (combine (places n) row) as [|a l IH]; intros m Z I; cbn [fold_left]; auto.
    apply IH; [|intros b J; apply I; cbn; auto]. rewrite at_other; auto. intros E. apply (I a); cbn; auto.
  Qed.

  Theorem check_closed_sound rows each : check_closed rows each = true -> forall M, reachable n M ->
    exists m, In m (map (marking_of (places n)) rows) /\ each m = true /\ forall p, M p = at_place m p.
  Proof.
    unfold check_closed. rewrite !andb_true_iff, forallb_forall. intros [[W B] C].
    assert (L : forall m M, in_list (listed rows) m = true -> reachable n M -> (forall p, M p = at_place m p) ->
      exists row, In row rows /\ forall p, M p = at_place (marking_of (places n) row) p).
    { intros m M I R E. apply listed_in in I as (row & I & K). exists row. split; auto. intros p.
      destruct (in_dec Pos.eq_dec p (places n)) as [J|J]; [rewrite E; symmetry; exact (written_inj _ _ _ K p J)|].
      now rewrite marking_of_elsewhere, (elsewhere n M p W R J). }
    assert (H : forall M, reachable n M -> exists row, In row rows /\ forall p, M p = at_place (marking_of (places n) row) p).
    { induction 1 as [M E|M t M' R (row & I & E) It F].
      - apply (L _ M B); [now apply Beginning|]. intros p. now rewrite E, first_at.
      - specialize (C row I). apply andb_true_iff in C as [C _]. unfold closed_at in C. rewrite forallb_forall in C. specialize (C t It).
        destruct (fire_complete _ t M M' E F) as (m' & G & E'). rewrite G in C. apply (L m' M'); auto. apply (Firing n M t M'); auto. }
    intros M R. destruct (H M R) as (row & I & E). exists (marking_of (places n) row). split; [now apply in_map|]. split; auto.
    specialize (C row I). now apply andb_true_iff in C as [_ C].
  Qed.

  (** net.states.goal *)
  Definition check_states (g : goal) (rows : list (list N)) : bool := check_closed rows (fun m => negb (goal_met (at_place m) g)).

  Theorem check_states_sound g rows : check_states g rows = true -> ~ goal_reachable n g.
  Proof.
    intros H (M & R & G). destruct (check_closed_sound rows _ H M R) as (m & _ & N & E). rewrite (goal_met_ext M (at_place m) g E) in G.
    rewrite G in N. discriminate.
  Qed.

  Definition check_states_bound (rows : list (list N)) : bool := check_closed rows (fun _ => true).

  Lemma most_of (ms : list markings) p : exists most, forall m, In m ms -> at_place m p <= most.
  Proof.
    induction ms as [|m ms [k IH]]; [exists 0; intros ? []|]. exists (N.max (at_place m p) k). intros m' [<-|I]; [lia|]. specialize (IH m' I). lia.
  Qed.

  Theorem check_states_bound_sound rows ps : check_states_bound rows = true -> bounded n ps.
  Proof.
    intros H. apply bounded_each. intros p _. destruct (most_of (map (marking_of (places n)) rows) p) as [most Hm]. exists most. intros M R.
    destruct (check_closed_sound rows _ H M R) as (m & I & _ & E). rewrite E. auto.
  Qed.
End Closed.
