(** Sums of flows, each a part of an expression in counts, and the literals that
    compare them with numbers. *)

From Coq Require Import List ZArith PArith Bool Lia.
From Proved Require Import Sets Sums Euler Tree LinearSet.
Import ListNotations.
Open Scope Z_scope.

(** * Inequalities divided by what their coefficients have in common *)

Definition gcd_of (ts : list (id * Z)) : Z := fold_left (fun g t => Z.gcd g (snd t)) ts 0.

Lemma gcd_of_divides ts t : In t ts -> (gcd_of ts | snd t).
Proof.
  unfold gcd_of. assert (H : forall (ts : list (id * Z)) g, (fold_left (fun g t => Z.gcd g (snd t)) ts g | g) /\
    forall t, In t ts -> (fold_left (fun g t => Z.gcd g (snd t)) ts g | snd t)).
  { clear. induction ts as [|u ts IH]; cbn [fold_left]; intros g; [split; [apply Z.divide_refl|intros ? []]|].
    destruct (IH (Z.gcd g (snd u))) as [A B]. split; [eapply Z.divide_trans; [exact A|apply Z.gcd_divide_l]|].
    intros t [->|I]; auto. eapply Z.divide_trans; [exact A|apply Z.gcd_divide_r]. }
  intros I. now apply H.
Qed.

(** The sum of these terms and a constant is at least 0. *)
Definition at_least_zero (ts : list (id * Z)) (c : Z) : literal :=
  let e := normal_linear ts c in
  let g := Z.max 1 (gcd_of (terms e)) in
  AtLeastZero (Linear (rev_append (tmap (fun t => (fst t, snd t / g)) (terms e)) []) (c / g)).

Lemma at_least_zero_holds v ts c : holds v (at_least_zero ts c) <-> 0 <= tsum v ts + c.
Proof.
  pose proof (normal_linear_value v ts c) as N. unfold at_least_zero. set (e := normal_linear ts c) in *. set (g := Z.max 1 (gcd_of (terms e))).
  assert (G : 1 <= g) by (unfold g; lia).
  assert (D : forall t, In t (terms e) -> (g | snd t)).
  { intros t I. pose proof (gcd_of_divides _ _ I) as D. unfold g. destruct (Z.max_spec 1 (gcd_of (terms e))) as [[_ ->]|[L ->]]; auto. apply Z.divide_1_l. }
  cbn [holds]. unfold value in *. cbn [terms constant] in *. rewrite rev_append_rev, app_nil_r, tsum_wsum, wsum_rev, wsum_tmap. cbn [fst snd].
  assert (E : g * wsum (fun t => snd t / g * v (fst t)) (terms e) = tsum v (terms e)).
  { rewrite tsum_wsum, <- wsum_times. apply wsum_ext. intros t I. destruct (D t I) as [q Q]. rewrite Q, Z.div_mul by lia. lia. }
  pose proof (Z.div_mod c g ltac:(lia)). pose proof (Z.mod_pos_bound c g ltac:(lia)).
  assert (C : constant e = c) by reflexivity. rewrite C in N. rewrite <- N, <- E. split; nia.
Qed.

(** What holds for all numbers that are not negative, or for none, as far as signs tell. *)
Definition certain (l : literal) : option bool :=
  match l with
  | AtLeastZero e =>
      if (0 <=? constant e) && forallb (fun t => 0 <? snd t) (terms e) then Some true
      else if (constant e <? 0) && forallb (fun t => snd t <? 0) (terms e) then Some false else None
  | NotDivisible e d => if forallb (fun t => divides d (snd t)) (terms e) then Some (negb (divides d (constant e))) else None
  end.

Lemma certain_false v l : (forall x, 0 <= v x) -> certain l = Some false -> ~ holds v l.
Proof.
  intros V. destruct l as [e|e d]; cbn [certain holds].
  - destruct (_ && _); [discriminate|]. destruct (_ && _) eqn:C; [|discriminate]. apply andb_true_iff in C as [C F]. apply Z.ltb_lt in C.
    rewrite forallb_forall in F. intros _. unfold value. enough (tsum v (terms e) <= 0) by lia. rewrite tsum_wsum.
    enough (0 <= wsum (fun t => -1 * (snd t * v (fst t))) (terms e)) by (rewrite wsum_times in *; lia).
    apply wsum_nonneg. intros t I. specialize (F t I). apply Z.ltb_lt in F. specialize (V (fst t)). nia.
  - destruct (forallb _ _) eqn:F; [|discriminate]. intros [= C] H. apply negb_false_iff, divides_spec in C. apply H. unfold value.
    apply Z.divide_add_r; auto. rewrite forallb_forall in F. rewrite tsum_wsum. revert F. generalize (terms e) as ts.
    induction ts as [|t ts IH]; intros F; [apply Z.divide_0_r|]. rewrite wsum_cons. apply Z.divide_add_r; [|apply IH; intros; apply F; cbn; auto].
    apply Z.divide_mul_l, divides_spec, F. cbn; auto.
Qed.

(** * Sums of flows *)

(** How often the edge with a number is used: an expression divided by a number. *)
Record flow_of := FlowOf { edge_number : id; per : Z; amount : linear }.
Notation used := (edge * flow_of)%type.
(** Flows with signs. *)
Notation signed := (list (Z * (edge * flow_of))%type).

Definition scale_of (fs : signed) : Z := fold_left (fun s x => Z.lcm s (per (snd (snd x)))) fs 1.
Definition sum_terms (sign : Z) (fs : signed) : list (id * Z) :=
  let d := scale_of fs in
  tflat (fun x => let m := sign * (fst x * (d / per (snd (snd x)))) in tmap (fun t => (fst t, m * snd t)) (terms (amount (snd (snd x))))) fs.
Definition sum_constant (sign : Z) (fs : signed) : Z :=
  let d := scale_of fs in
  fold_left (fun s x => s + sign * (fst x * (d / per (snd (snd x)))) * constant (amount (snd (snd x)))) fs 0.

(** The sum is at least a number, at most 0, or not what it should be. *)
Definition sum_at_least (fs : signed) (k : Z) : literal := at_least_zero (sum_terms 1 fs) (sum_constant 1 fs - k * scale_of fs).
Definition sum_at_most_zero (fs : signed) : literal := at_least_zero (sum_terms (-1) fs) (sum_constant (-1) fs).
Definition sum_differs (fs : signed) (k : Z) (class : option id) : list literal :=
  let d := scale_of fs in
  let more sign := match class with Some x => [(x, - sign * d)] | None => [] end in
  [at_least_zero (tapp (more 1) (sum_terms 1 fs)) (sum_constant 1 fs - k * d - 1);
   at_least_zero (tapp (more (-1)) (sum_terms (-1) fs)) (sum_constant (-1) fs + k * d - 1)].

Section Value.
  Context (v : id -> Z).

  (** How often an edge is used, and that this is a number. *)
  Definition times_used (u : used) : Z := value v (amount (snd u)) / per (snd u).
  Definition fits (u : used) : Prop := 1 <= per (snd u) /\ 0 <= value v (amount (snd u)) /\ (per (snd u) | value v (amount (snd u))).

  Lemma times_nonneg u : fits u -> 0 <= times_used u.
  Proof. intros (P & V & _). apply Z.div_pos; lia. Qed.

  Lemma times_value u : fits u -> value v (amount (snd u)) = per (snd u) * times_used u.
  Proof. intros (P & V & [q Q]). unfold times_used. rewrite Q, Z.div_mul by lia. lia. Qed.

  Lemma scale_spec (fs : signed) : (forall x, In x fs -> fits (snd x)) -> 1 <= scale_of fs /\ forall x, In x fs -> (per (snd (snd x)) | scale_of fs).
  Proof.
    unfold scale_of.
    assert (H : forall (fs : signed) s, 1 <= s -> (forall x, In x fs -> fits (snd x)) ->
      let d := fold_left (fun s x => Z.lcm s (per (snd (snd x)))) fs s in 1 <= d /\ (s | d) /\ forall x, In x fs -> (per (snd (snd x)) | d)).
    { clear. induction fs as [|x fs IH]; cbn [fold_left]; intros s L F; [repeat split; auto; [apply Z.divide_refl|intros ? []]|].
      assert (P : 1 <= per (snd (snd x))) by (apply (F x); cbn; auto).
      assert (Lc : 1 <= Z.lcm s (per (snd (snd x)))).
      { pose proof (Z.lcm_nonneg s (per (snd (snd x)))). enough (Z.lcm s (per (snd (snd x))) <> 0) by lia. rewrite Z.lcm_eq_0. lia. }
      destruct (IH _ Lc) as (A & B & C); [intros; apply F; cbn; auto|]. repeat split; auto.
      - eapply Z.divide_trans; [apply Z.divide_lcm_l|exact B].
      - intros y [<-|I]; auto. eapply Z.divide_trans; [apply Z.divide_lcm_r|exact B]. }
    intros F. destruct (H fs 1 ltac:(lia) F) as (A & _ & C). auto.
  Qed.

  (** The sum of flows, times its scale. *)
  Lemma sum_value sign (fs : signed) : (forall x, In x fs -> fits (snd x)) ->
    tsum v (sum_terms sign fs) + sum_constant sign fs = sign * (scale_of fs * wsum (fun x => fst x * times_used (snd x)) fs).
  Proof.
    intros F. destruct (scale_spec fs F) as [_ D]. unfold sum_terms, sum_constant. set (d := scale_of fs) in *. clearbody d.
    rewrite tsum_wsum, wsum_tflat.
    assert (C : forall s, fold_left (fun s x => s + sign * (fst x * (d / per (snd (snd x)))) * constant (amount (snd (snd x)))) fs s =
      s + wsum (fun x => sign * (fst x * (d / per (snd (snd x)))) * constant (amount (snd (snd x)))) fs).
    { clear. induction fs as [|x fs IH]; cbn [fold_left]; intros s; [rewrite wsum_nil; lia|]. rewrite IH, wsum_cons. lia. }
    rewrite C, Z.add_0_l, <- wsum_plus, <- !wsum_times. apply wsum_ext. intros x I. rewrite wsum_tmap. cbn [fst snd].
    rewrite (wsum_ext _ (fun t => sign * (fst x * (d / per (snd (snd x)))) * (snd t * v (fst t)))) by (intros; lia). rewrite wsum_times.
    pose proof (times_value _ (F x I)) as V. unfold value in V. rewrite tsum_wsum in V.
    destruct (D x I) as [q Q]. destruct (F x I) as (P & _). rewrite Q, Z.div_mul by lia. rewrite <- Z.mul_add_distr_l, V. ring.
  Qed.

  Lemma sum_at_least_holds fs k : (forall x, In x fs -> fits (snd x)) ->
    holds v (sum_at_least fs k) <-> k <= wsum (fun x => fst x * times_used (snd x)) fs.
  Proof.
    intros F. unfold sum_at_least. rewrite at_least_zero_holds. destruct (scale_spec fs F) as [L _]. pose proof (sum_value 1 fs F) as V. split; nia.
  Qed.

  Lemma sum_at_most_zero_holds fs : (forall x, In x fs -> fits (snd x)) ->
    holds v (sum_at_most_zero fs) <-> wsum (fun x => fst x * times_used (snd x)) fs <= 0.
  Proof.
    intros F. unfold sum_at_most_zero. rewrite at_least_zero_holds. destruct (scale_spec fs F) as [L _]. pose proof (sum_value (-1) fs F) as V. split; nia.
  Qed.

  Lemma sum_differs_false fs k class : (forall x, In x fs -> fits (snd x)) -> (forall l, In l (sum_differs fs k class) -> ~ holds v l) ->
    wsum (fun x => fst x * times_used (snd x)) fs = k + match class with Some x => v x | None => 0 end.
  Proof.
    intros F H. pose proof (H _ (or_introl eq_refl)) as H1. pose proof (H _ (or_intror (or_introl eq_refl))) as H2.
    rewrite at_least_zero_holds, tsum_wsum, wsum_tapp, <- !tsum_wsum in H1, H2.
    destruct (scale_spec fs F) as [L _]. pose proof (sum_value 1 fs F) as V1. pose proof (sum_value (-1) fs F) as V2.
    destruct class as [x|]; cbn [tsum fold_right fst snd] in H1, H2; nia.
  Qed.
End Value.
