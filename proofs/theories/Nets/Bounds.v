(** Place invariants and empty siphons: bounds on the tokens of places. *)

From Coq Require Import List PArith NArith ZArith Bool Lia.
From Proved Require Import Sets Arithmetic.
From Proved.Nets Require Import Net Goal Marking.
Import ListNotations.
Open Scope Z_scope.

(** A weight for each of some places. *)
Definition weighted := list arc.
Definition weighted_sum (y : weighted) : list (id * Z) := map (fun a => (fst a, Z.of_N (snd a))) y.

(** Whether no transition increases a sum. *)
Definition falls (n : net) (ts : list (id * Z)) : bool :=
  let f := factors ts in forallb (fun t => change f t <=? 0) (transitions n).

Lemma falls_sound n e M : falls n (terms e) = true -> reachable n M -> sum_at M e <= moved (factors (terms e)) (marked n) + constant e.
Proof.
  unfold falls. rewrite forallb_forall. intros H R. induction R as [M B|M t M' R IH I F]; [rewrite (first_sum n M e B); lia|].
  rewrite (change_sum t M M' e F). specialize (H t I). apply Z.leb_le in H. lia.
Qed.

(** The least of several bounds. *)
Definition tighten (b : PM.t N) (p : id) (most : N) : PM.t N :=
  match PM.find p b with Some m => if (m <=? most)%N then b else PM.add p most b | None => PM.add p most b end.
Definition bounded_by (b : PM.t N) : bounds := fun p => PM.find p b.

Lemma tighten_within b p most M : within (bounded_by b) M -> (M p <= most)%N -> within (bounded_by (tighten b p most)) M.
Proof.
  intros W L q m. unfold bounded_by, tighten. destruct (PM.find p b) as [k|] eqn:E; [destruct (k <=? most)%N; [apply W|]|];
    (destruct (Pos.eq_dec q p) as [->|D]; [rewrite PM.gss; intros [= <-]; auto|rewrite PM.gso by auto; apply W]).
Qed.

Definition bounds_of_sum (n : net) (b : PM.t N) (y : weighted) : PM.t N :=
  let total := Z.to_N (moved (factors (weighted_sum y)) (marked n)) in
  fold_left (fun b a => match snd a with N0 => b | Npos _ => tighten b (fst a) (total / snd a)%N end) y b.

(** net.weights.falling *)
Fixpoint bounds_of_weights (n : net) (ys : list weighted) (b : PM.t N) : option (PM.t N) :=
  match ys with
  | [] => Some b
  | y :: ys => if falls n (weighted_sum y) then bounds_of_weights n ys (bounds_of_sum n b y) else None
  end.

Lemma weighted_nonneg y M : 0 <= tsum (tokens_of M) (weighted_sum y).
Proof. induction y as [|a y IH]; cbn [weighted_sum map]; rewrite ?tsum_cons; [reflexivity|]. fold (weighted_sum y). unfold tokens_of at 1. cbn [fst snd]. nia. Qed.

Lemma weighted_part y M a : In a y -> Z.of_N (snd a) * Z.of_N (M (fst a)) <= tsum (tokens_of M) (weighted_sum y).
Proof.
  induction y as [|b y IH]; [intros []|]. cbn [weighted_sum map]. fold (weighted_sum y). rewrite tsum_cons. cbn [fst snd]. unfold tokens_of at 1.
  pose proof (weighted_nonneg y M). intros [->|I]; [lia|]. specialize (IH I). nia.
Qed.

Lemma bounds_of_sum_within n b y M : falls n (weighted_sum y) = true -> reachable n M -> within (bounded_by b) M ->
  within (bounded_by (bounds_of_sum n b y)) M.
Proof.
  intros H R W. pose proof (falls_sound n (Linear (weighted_sum y) 0) M H R) as L. unfold sum_at, value in L. cbn [terms constant] in L.
  unfold bounds_of_sum. set (total := moved (factors (weighted_sum y)) (marked n)) in *.
  assert (A : forall a, In a y -> snd a <> 0%N -> (M (fst a) <= Z.to_N total / snd a)%N).
  { intros a I Na. apply N.div_le_lower_bound; auto. pose proof (weighted_part y M a I). lia. }
  revert b W. clearbody total. clear -A. induction y as [|a y IH]; intros b W; cbn [fold_left]; auto. apply IH; [intros c I; apply A; cbn; auto|].
  destruct (snd a) eqn:E; auto. rewrite <- E. apply tighten_within; auto. apply A; [cbn; auto|]. rewrite E. discriminate.
Qed.

Lemma bounds_of_weights_within n ys : forall b b', bounds_of_weights n ys b = Some b' -> (forall M, reachable n M -> within (bounded_by b) M) ->
  forall M, reachable n M -> within (bounded_by b') M.
Proof.
  induction ys as [|y ys IH]; intros b b' H W; cbn [bounds_of_weights] in H; [injection H as <-; auto|].
  destruct (falls n (weighted_sum y)) eqn:F; [|discriminate]. apply (IH _ _ H). intros M R. apply bounds_of_sum_within; auto.
Qed.

Lemma no_bounds M : within (bounded_by (PM.empty N)) M.
Proof. intros p m. unfold bounded_by. rewrite PM.gempty. discriminate. Qed.

Definition check_weights (n : net) (g : goal) (ys : list weighted) : bool :=
  match bounds_of_weights n ys (PM.empty N) with Some b => excludes (bounded_by b) g | None => false end.

Theorem check_weights_sound n g ys : check_weights n g ys = true -> ~ goal_reachable n g.
Proof.
  unfold check_weights. destruct (bounds_of_weights n ys (PM.empty N)) as [b|] eqn:E; [|discriminate]. intros H (M & R & G).
  rewrite (excludes_sound _ g M H) in G; [discriminate|]. apply (bounds_of_weights_within n ys _ _ E); auto. intros; apply no_bounds.
Qed.

(** That places are bounded; net.bounded.weights *)
Definition check_weights_bound (n : net) (ps : list id) (ys : list weighted) : bool :=
  match bounds_of_weights n ys (PM.empty N) with
  | Some b => forallb (fun p => match PM.find p b with Some _ => true | None => false end) ps
  | None => false
  end.

Lemma bounded_each n ps : (forall p, In p ps -> exists most, forall M, reachable n M -> (M p <= most)%N) -> bounded n ps.
Proof.
  induction ps as [|p ps IH]; intros H; [exists 0%N; intros M p _ []|].
  destruct (H p) as [m Hm]; [cbn; auto|]. destruct IH as [m' Hm']; [intros q I; apply H; cbn; auto|].
  exists (N.max m m'). intros M q R [<-|I]; [specialize (Hm M R)|specialize (Hm' M q R I)]; lia.
Qed.

Theorem check_weights_bound_sound n ps ys : check_weights_bound n ps ys = true -> bounded n ps.
Proof.
  unfold check_weights_bound. destruct (bounds_of_weights n ys (PM.empty N)) as [b|] eqn:E; [|discriminate]. rewrite forallb_forall. intros H.
  apply bounded_each. intros p I. specialize (H p I). destruct (PM.find p b) as [m|] eqn:F; [|discriminate]. exists m. intros M R.
  apply (bounds_of_weights_within n ys _ _ E (fun M _ => no_bounds M) M R). exact F.
Qed.

(** * Empty siphons *)

Definition touches (s : idset) (arcs : list arc) : bool := existsb (fun a => imem s (fst a) && negb (snd a =? 0)%N) arcs.

Lemma touches_spec s arcs : touches s arcs = true <-> exists p, imem s p = true /\ (0 < weight arcs p)%N.
Proof.
  unfold touches. rewrite existsb_exists. split.
  - intros (a & I & H). apply andb_true_iff in H as [H1 H2]. apply negb_true_iff, N.eqb_neq in H2. exists (fst a). split; auto.
    revert I. clear H1. induction arcs as [|b arcs IH]; [intros []|]. rewrite weight_cons. intros [->|I]; [rewrite Pos.eqb_refl; lia|specialize (IH I); lia].
  - intros (p & H & L). induction arcs as [|b arcs IH]; [cbn in L; lia|]. rewrite weight_cons in L. destruct (Pos.eqb p (fst b)) eqn:E.
    + apply Pos.eqb_eq in E. subst p. destruct (N.eq_dec (snd b) 0) as [Z|Z].
      * destruct IH as (a & I & Ha); [lia|]. exists a. cbn; auto.
      * exists b. split; [cbn; auto|]. rewrite H. cbn. apply negb_true_iff. now apply N.eqb_neq.
    + destruct IH as (a & I & Ha); [lia|]. exists a. cbn; auto.
Qed.

Lemma not_touches s arcs p : touches s arcs = false -> imem s p = true -> weight arcs p = 0%N.
Proof.
  intros H I. destruct (N.eq_dec (weight arcs p) 0) as [|D]; auto. assert (T : touches s arcs = true) by (apply touches_spec; exists p; split; auto; lia). congruence.
Qed.

Definition check_dead (n : net) (g : goal) (ps : list id) : bool :=
  let s := iset ps in
  negb (touches s (marked n)) &&                                                            (* net.dead.empty *)
  forallb (fun t => negb (touches s (outputs t)) || touches s (inputs t)) (transitions n) &&                    (* net.dead.siphon *)
  excludes (fun p => if imem s p then Some 0%N else None) g.

Theorem check_dead_sound n g ps : check_dead n g ps = true -> ~ goal_reachable n g.
Proof.
  unfold check_dead. rewrite !andb_true_iff, forallb_forall, negb_true_iff. intros [[E S] X] (M & R & G).
  rewrite (excludes_sound _ g M X) in G; [discriminate|]. intros p most. destruct (imem (iset ps) p) eqn:I; [|discriminate]. intros [= <-].
  enough (M p = 0%N) by lia. clear -E S I R. revert p I. induction R as [M B|M t M' R IH It F]; intros p I.
  - rewrite B. now apply (not_touches (iset ps)).
  - specialize (S t It). apply orb_true_iff in S. rewrite negb_true_iff, touches_spec in S. destruct F as [En F]. destruct S as [S|(q & Iq & L)].
    + rewrite F, IH, (not_touches _ _ p S I) by auto. reflexivity.
    + specialize (En q). rewrite IH in En by auto. lia.
Qed.
