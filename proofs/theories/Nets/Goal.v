(** Goals: sets of markings, as conditions under [all] and [any] without
    negation. A formula and its opposite are goals. *)

From Coq Require Import List PArith NArith ZArith Bool Lia.
From Proved Require Import Sets Arithmetic.
From Proved.Nets Require Import Net.
Import ListNotations.
Open Scope Z_scope.

Inductive goal :=
| GAtLeast (e : linear)      (** at least 0 *)
| GZero (e : linear)
| GAll (gs : list goal)
| GAny (gs : list goal).

Fixpoint goal_met (M : marking) (g : goal) : bool :=
  match g with
  | GAtLeast e => 0 <=? sum_at M e
  | GZero e => sum_at M e =? 0
  | GAll gs => forallb (goal_met M) gs
  | GAny gs => existsb (goal_met M) gs
  end.

Section Induction.
  Context (P : goal -> Prop) (HL : forall e, P (GAtLeast e)) (HZ : forall e, P (GZero e))
    (HA : forall gs, Forall P gs -> P (GAll gs)) (HE : forall gs, Forall P gs -> P (GAny gs)).
  Fixpoint goal_induction (g : goal) : P g :=
    let all := fix all gs : Forall P gs := match gs with [] => Forall_nil _ | g :: gs => Forall_cons _ (goal_induction g) (all gs) end in
    match g with
    | GAtLeast e => HL e
    | GZero e => HZ e
    | GAll gs => HA gs (all gs)
    | GAny gs => HE gs (all gs)
    end.
End Induction.

(** * Sums *)

Lemma sum_at_ext M M' e : (forall p, M p = M' p) -> sum_at M e = sum_at M' e.
Proof. intros H. unfold sum_at, value, tokens_of. f_equal. apply tsum_ext. intros t _. now rewrite H. Qed.

Lemma goal_met_ext M M' g : (forall p, M p = M' p) -> goal_met M g = goal_met M' g.
Proof.
  intros H. induction g as [e|e|gs IH|gs IH] using goal_induction; cbn [goal_met]; rewrite ?(sum_at_ext M M') by auto; auto;
    induction IH as [|g gs E _ IH]; cbn; rewrite ?E, ?IH; auto.
Qed.

Definition minus (e f : linear) (c : Z) : linear := Linear (collect (scale (-1) (terms f) (terms e))) (constant e - constant f + c).

Lemma sum_minus M e f c : sum_at M (minus e f c) = sum_at M e - sum_at M f + c.
Proof. unfold sum_at, minus, value. cbn [terms constant]. rewrite tsum_collect, tsum_scale. lia. Qed.

(** [m] times an expression, and a constant. *)
Lemma sum_times M m e c : sum_at M (times m e c) = m * sum_at M e + c.
Proof. unfold sum_at, times, value. cbn [terms constant]. rewrite tsum_scale. change (tsum (tokens_of M) []) with 0. lia. Qed.

Definition one_place (m : Z) (p : id) (c : Z) : linear := Linear [(p, m)] c.
Lemma sum_one M m p c : sum_at M (one_place m p c) = m * Z.of_N (M p) + c.
Proof. unfold sum_at, one_place, value, tokens_of. cbn. lia. Qed.

(** * Formulas as goals *)

(** That there are so many tokens, or fewer. *)
Definition enough (a : arc) : goal := GAtLeast (one_place 1 (fst a) (- Z.of_N (snd a))).
Definition fewer (a : arc) : goal := GAtLeast (one_place (-1) (fst a) (Z.of_N (snd a) - 1)).

(** Several arcs on one place count together. *)
Definition joint (arcs : list arc) : list arc := map (fun a => (fst a, weight arcs (fst a))) arcs.

Lemma weight_in arcs p : (0 < weight arcs p)%N -> In p (map fst arcs).
Proof.
  induction arcs as [|[q w] arcs IH]; cbn; [lia|]. destruct (Pos.eqb p q) eqn:E; [apply Pos.eqb_eq in E; auto|]. intros H. right. apply IH. lia.
Qed.

Definition can_fire (t : transition) : goal := GAll (map enough (joint (inputs t))).
Definition cannot_fire (t : transition) : goal := GAny (map fewer (joint (inputs t))).

Lemma can_fire_met t M : goal_met M (can_fire t) = true <-> enabled t M.
Proof.
  unfold can_fire. cbn [goal_met]. unfold joint; rewrite forallb_forall. split.
  - intros H p. destruct (N.eq_dec (weight (inputs t) p) 0) as [->|N]; [lia|].
    assert (L : (0 < weight (inputs t) p)%N) by lia. apply weight_in, in_map_iff in L as (a & <- & I).
    specialize (H (enough (fst a, weight (inputs t) (fst a)))). cbn [goal_met enough fst snd] in H. rewrite sum_one in H.
    assert (G : 0 <=? 1 * Z.of_N (M (fst a)) + - Z.of_N (weight (inputs t) (fst a)) = true) by (apply H; rewrite map_map; apply in_map_iff; eauto).
    apply Z.leb_le in G. lia.
  - intros E x I. rewrite map_map in I. apply in_map_iff in I as (a & <- & I). cbn [goal_met enough fst snd]. rewrite sum_one.
    apply Z.leb_le. specialize (E (fst a)). lia.
Qed.

Lemma cannot_fire_met t M : goal_met M (cannot_fire t) = negb (goal_met M (can_fire t)).
Proof.
  unfold cannot_fire, can_fire. cbn [goal_met]. generalize (joint (inputs t)) as l. induction l as [|a l IH]; auto.
  cbn [map existsb forallb]. rewrite IH, negb_andb. f_equal. cbn [goal_met enough fewer]. rewrite !sum_one.
  destruct (Z.leb_spec 0 (1 * Z.of_N (M (fst a)) + - Z.of_N (snd a))), (Z.leb_spec 0 (-1 * Z.of_N (M (fst a)) + (Z.of_N (snd a) - 1))); auto; lia.
Qed.

Definition compared (r : relation) (e f : linear) : goal :=
  match r with
  | AtMost => GAtLeast (minus f e 0)
  | Less => GAtLeast (minus f e (-1))
  | AtLeast => GAtLeast (minus e f 0)
  | Greater => GAtLeast (minus e f (-1))
  | Same => GZero (minus e f 0)
  | Different => GAny [GAtLeast (minus f e (-1)); GAtLeast (minus e f (-1))]
  end.

(** Where a goal does not hold. *)
Fixpoint opposite (g : goal) : goal :=
  match g with
  | GAtLeast e => GAtLeast (times (-1) e (-1))
  | GZero e => GAny [GAtLeast (times (-1) e (-1)); GAtLeast (times 1 e (-1))]
  | GAll gs => GAny (map opposite gs)
  | GAny gs => GAll (map opposite gs)
  end.

Fixpoint goal_of (n : net) (f : formula) : goal :=
  match f with
  | Compare r e f => compared r e f
  | Truth true => GAll []
  | Truth false => GAny []
  | Deadlock => GAll (map cannot_fire (transitions n))
  | Fireable ts => GAny (map can_fire ts)
  | Not f => opposite (goal_of n f)
  | Every fs => GAll (map (goal_of n) fs)
  | Some_of fs => GAny (map (goal_of n) fs)
  | Implies f g => GAny [opposite (goal_of n f); goal_of n g]
  end.

Lemma opposite_met M g : goal_met M (opposite g) = negb (goal_met M g).
Proof.
  induction g as [e|e|gs IH|gs IH] using goal_induction; cbn [goal_met opposite existsb].
  - rewrite sum_times. destruct (Z.leb_spec 0 (sum_at M e)), (Z.leb_spec 0 (-1 * sum_at M e + -1)); auto; lia.
  - rewrite !sum_times. destruct (Z.eqb_spec (sum_at M e) 0), (Z.leb_spec 0 (-1 * sum_at M e + -1)), (Z.leb_spec 0 (1 * sum_at M e + -1)); auto; lia.
  - induction IH as [|g gs E _ IH]; auto. cbn [map existsb forallb]. now rewrite E, IH, negb_andb.
  - induction IH as [|g gs E _ IH]; auto. cbn [map existsb forallb]. now rewrite E, IH, negb_orb.
Qed.

Section FormulaInduction.
  Context (P : formula -> Prop) (HC : forall r e f, P (Compare r e f)) (HT : forall b, P (Truth b)) (HD : P Deadlock)
    (HF : forall ts, P (Fireable ts)) (HN : forall f, P f -> P (Not f)) (HA : forall fs, Forall P fs -> P (Every fs))
    (HE : forall fs, Forall P fs -> P (Some_of fs)) (HI : forall f g, P f -> P g -> P (Implies f g)).
  Fixpoint formula_induction (f : formula) : P f :=
    let all := fix all fs : Forall P fs := match fs with [] => Forall_nil _ | f :: fs => Forall_cons _ (formula_induction f) (all fs) end in
    match f with
    | Compare r e f => HC r e f
    | Truth b => HT b
    | Deadlock => HD
    | Fireable ts => HF ts
    | Not f => HN f (formula_induction f)
    | Every fs => HA fs (all fs)
    | Some_of fs => HE fs (all fs)
    | Implies f g => HI f g (formula_induction f) (formula_induction g)
    end.
End FormulaInduction.

Theorem goal_of_met n M f : goal_met M (goal_of n f) = true <-> says n M f.
Proof.
  induction f as [r e f|b| |ts|f IH|fs IH|fs IH|f g IHf IHg] using formula_induction; cbn [goal_of says].
  - destruct r; cbn [compared goal_met existsb related]; rewrite ?orb_true_iff, ?Z.leb_le, ?Z.eqb_eq, !sum_minus; try lia.
  - destruct b; cbn; intuition discriminate.
  - cbn [goal_met]. rewrite forallb_forall. split.
    + intros H t I E. specialize (H (cannot_fire t) (in_map _ _ _ I)). rewrite cannot_fire_met, negb_true_iff, <- not_true_iff_false, can_fire_met in H. auto.
    + intros H x I. apply in_map_iff in I as (t & <- & I). rewrite cannot_fire_met, negb_true_iff, <- not_true_iff_false, can_fire_met. auto.
  - cbn [goal_met]. rewrite existsb_exists. split.
    + intros (x & I & H). apply in_map_iff in I as (t & <- & I). exists t. now rewrite <- can_fire_met.
    + intros (t & I & H). exists (can_fire t). rewrite can_fire_met. split; auto. now apply in_map.
  - rewrite opposite_met, negb_true_iff, <- not_true_iff_false, IH. reflexivity.
  - cbn [goal_met]. induction IH as [|f fs E _ IH]; cbn [map forallb fold_right]; [tauto|]. now rewrite andb_true_iff, E, IH.
  - cbn [goal_met]. induction IH as [|f fs E _ IH]; cbn [map existsb fold_right]; [intuition discriminate|]. now rewrite orb_true_iff, E, IH.
  - cbn [goal_met existsb]. rewrite orb_false_r, orb_true_iff, opposite_met, negb_true_iff, <- not_true_iff_false, IHg, <- IHf.
    destruct (goal_met M (goal_of n f)); intuition congruence.
Qed.

(** * Goals that are the same *)

Definition same_list {A} (eqb : A -> A -> bool) : list A -> list A -> bool :=
  fix same (l m : list A) : bool :=
    match l, m with
    | [], [] => true
    | x :: l, y :: m => eqb x y && same l m
    | _, _ => false
    end.
Definition same_linear (e f : linear) : bool :=
  same_list (fun a b => Pos.eqb (fst a) (fst b) && (snd a =? snd b)) (terms e) (terms f) && (constant e =? constant f).
Fixpoint same_goal (g h : goal) : bool :=
  match g, h with
  | GAtLeast e, GAtLeast f | GZero e, GZero f => same_linear e f
  | GAll gs, GAll hs | GAny gs, GAny hs => same_list same_goal gs hs
  | _, _ => false
  end.

Lemma same_list_eq {A} (eqb : A -> A -> bool) l : Forall (fun x => forall y, eqb x y = true -> x = y) l -> forall m, same_list eqb l m = true -> l = m.
Proof.
  induction 1 as [|x l E _ IH]; intros [|y m] H; cbn in H; try discriminate; auto. apply andb_true_iff in H as [H1 H2]. now rewrite (E y H1), (IH m H2).
Qed.

Lemma same_linear_eq e f : same_linear e f = true -> e = f.
Proof.
  unfold same_linear. rewrite andb_true_iff, Z.eqb_eq. intros [H C]. apply same_list_eq in H; [destruct e, f; cbn in *; now subst|].
  apply Forall_forall. intros [p k] _ [q j] E. cbn in E. rewrite andb_true_iff, Pos.eqb_eq, Z.eqb_eq in E. now destruct E as [-> ->].
Qed.

Lemma same_goal_eq g : forall h, same_goal g h = true -> g = h.
Proof.
  induction g as [e|e|gs IH|gs IH] using goal_induction; intros [f|f|hs|hs] H; cbn [same_goal] in H; try discriminate; f_equal;
    try (now apply same_linear_eq); eapply same_list_eq; eauto.
Qed.

(** * Goals that can be reached, and that cannot *)

Definition goal_reachable (n : net) (g : goal) : Prop := exists M, reachable n M /\ goal_met M g = true.

(** * Bounds *)

(** Where no bound is known, there is none. *)
Definition bounds := id -> option N.
Definition within (b : bounds) (M : marking) : Prop := forall p most, b p = Some most -> (M p <= most)%N.

(** The largest value of an expression within bounds, if there is one. *)
Fixpoint largest (b : bounds) (ts : list (id * Z)) (c : Z) : option Z :=
  match ts with
  | [] => Some c
  | (p, m) :: ts =>
      if 0 <? m then match b p with Some most => largest b ts (c + m * Z.of_N most) | None => None end
      else largest b ts c
  end.
Definition negative (b : bounds) (e : linear) : bool := match largest b (terms e) (constant e) with Some m => m <? 0 | None => false end.

(** Whether no marking within the bounds is in the goal; net.bounds.goal *)
Fixpoint excludes (b : bounds) (g : goal) : bool :=
  match g with
  | GAtLeast e => negative b e
  | GZero e => negative b e || negative b (times (-1) e 0)
  | GAll gs => existsb (excludes b) gs
  | GAny gs => forallb (excludes b) gs
  end.

Lemma largest_spec b M ts : within b M -> forall c m, largest b ts c = Some m -> tsum (tokens_of M) ts + c <= m.
Proof.
  intros W. induction ts as [|[p k] ts IH]; intros c m H; cbn [largest] in H; rewrite ?tsum_cons; cbn [fst snd]; unfold tokens_of at 1.
  - injection H as <-. cbn. lia.
  - destruct (Z.ltb_spec 0 k) as [L|L].
    + destruct (b p) as [most|] eqn:E; [|discriminate]. apply IH in H. specialize (W p most E). nia.
    + apply IH in H. nia.
Qed.

Lemma negative_spec b M e : within b M -> negative b e = true -> sum_at M e < 0.
Proof.
  unfold negative. intros W. destruct (largest b (terms e) (constant e)) as [m|] eqn:E; [|discriminate]. intros L. apply Z.ltb_lt in L.
  apply (largest_spec b M _ W) in E. unfold sum_at, value. lia.
Qed.

Theorem excludes_sound b g M : excludes b g = true -> within b M -> goal_met M g = false.
Proof.
  intros H W. induction g as [e|e|gs IH|gs IH] using goal_induction; cbn [excludes goal_met] in *.
  - apply (negative_spec b M e W) in H. now apply Z.leb_gt.
  - apply orb_true_iff in H as [H|H]; apply (negative_spec b M _ W) in H; [|rewrite sum_times in H]; apply Z.eqb_neq; lia.
  - apply existsb_exists in H as (g & I & H). rewrite Forall_forall in IH. apply not_true_iff_false. rewrite forallb_forall. intros A.
    specialize (IH g I H). rewrite A in IH; auto. discriminate.
  - rewrite forallb_forall in H. rewrite Forall_forall in IH. apply not_true_iff_false. rewrite existsb_exists. intros (g & I & A).
    rewrite IH in A; auto. discriminate.
Qed.
