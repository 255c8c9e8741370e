(** Markings as the checker keeps them, and how firing changes a sum. *)

From Coq Require Import List PArith NArith ZArith Bool Lia.
From Proved Require Import Sets Arithmetic.
From Proved.Nets Require Import Net Goal.
Import ListNotations.
Open Scope N_scope.

(** * Markings *)

(** A place that is not there has no tokens. *)
Definition markings := PM.t N.
Definition at_place (m : markings) (p : id) : N := match PM.find p m with Some n => n | None => 0 end.

Lemma at_add m p q n : at_place (PM.add p n m) q = if Pos.eqb q p then n else at_place m q.
Proof.
  unfold at_place. destruct (Pos.eqb_spec q p) as [->|D]; [now rewrite PM.gss|now rewrite PM.gso].
Qed.

Lemma at_other m p q n : q <> p -> at_place (PM.add p n m) q = at_place m q.
Proof. intros D. unfold at_place. now rewrite PM.gso. Qed.

Fixpoint take (m : markings) (arcs : list arc) : option markings :=
  match arcs with
  | [] => Some m
  | (p, w) :: arcs => let k := at_place m p in if w <=? k then take (PM.add p (k - w) m) arcs else None
  end.
Definition give (m : markings) (arcs : list arc) : markings :=
  fold_left (fun m a => PM.add (fst a) (at_place m (fst a) + snd a) m) arcs m.

Definition fire (m : markings) (t : transition) : option markings :=
  match take m (inputs t) with Some m => Some (give m (outputs t)) | None => None end.

Lemma take_some arcs : forall m m', take m arcs = Some m' ->
  forall p, weight arcs p <= at_place m p /\ at_place m' p = at_place m p - weight arcs p.
Proof.
  induction arcs as [|[q w] arcs IH]; intros m m' H p; cbn [take weight] in *; [injection H as <-; lia|].
  destruct (N.leb_spec w (at_place m q)) as [L|L]; [|discriminate]. specialize (IH _ _ H p). rewrite at_add in IH.
  destruct (Pos.eqb p q) eqn:D; [apply Pos.eqb_eq in D; subst|]; lia.
Qed.

Lemma take_none arcs : forall m, take m arcs = None -> exists p, at_place m p < weight arcs p.
Proof.
  induction arcs as [|[q w] arcs IH]; intros m H; cbn [take] in H; [discriminate|].
  destruct (N.leb_spec w (at_place m q)) as [L|L].
  - destruct (IH _ H) as [p Lp]. exists p. rewrite at_add in Lp. cbn [weight]. destruct (Pos.eqb p q) eqn:D; [apply Pos.eqb_eq in D; subst|]; lia.
  - exists q. cbn [weight]. rewrite Pos.eqb_refl. lia.
Qed.

Lemma give_at arcs p : forall m, at_place (give m arcs) p = at_place m p + weight arcs p.
Proof.
  unfold give. induction arcs as [|[q w] arcs IH]; intros m; cbn [fold_left weight fst snd]; [lia|].
  rewrite IH, at_add. destruct (Pos.eqb p q) eqn:D; [apply Pos.eqb_eq in D; subst|]; lia.
Qed.

Lemma fire_some m t m' : fire m t = Some m' -> fires t (at_place m) (at_place m').
Proof.
  unfold fire. destruct (take m (inputs t)) as [k|] eqn:E; [|discriminate]. intros [= <-]. pose proof (take_some _ _ _ E) as T.
  split; intros p; destruct (T p) as [L Eq]; auto. now rewrite give_at, Eq.
Qed.

Lemma fire_none m t M : fire m t = None -> (forall p, M p = at_place m p) -> ~ enabled t M.
Proof.
  unfold fire. destruct (take m (inputs t)) as [k|] eqn:E; [discriminate|]. intros _ H En. destruct (take_none _ _ E) as [p L].
  specialize (En p). rewrite H in En. lia.
Qed.

(** What fires from a marking that is kept. *)
Lemma fire_complete m t M M' : (forall p, M p = at_place m p) -> fires t M M' -> exists m', fire m t = Some m' /\ forall p, M' p = at_place m' p.
Proof.
  intros H [En F]. destruct (fire m t) as [m'|] eqn:E; [|destruct (fire_none m t M E H En)]. exists m'. split; auto.
  apply fire_some in E as [_ F']. intros p. now rewrite F, F', H.
Qed.

Definition first_marking (n : net) : markings := give (PM.empty N) (marked n).
Lemma first_at n p : at_place (first_marking n) p = weight (marked n) p.
Proof. unfold first_marking. rewrite give_at. unfold at_place. now rewrite PM.gempty. Qed.

(** * Sums *)

Open Scope Z_scope.

Definition factor_at (m : PM.t Z) (p : id) : Z := match PM.find p m with Some k => k | None => 0 end.
Definition factors (ts : list (id * Z)) : PM.t Z := fold_left (fun m t => PM.add (fst t) (factor_at m (fst t) + snd t) m) ts (PM.empty Z).

(** The sum of what arcs move, each token with the factor of its place. *)
Definition moved (m : PM.t Z) (arcs : list arc) : Z := fold_left (fun s a => s + Z.of_N (snd a) * factor_at m (fst a)) arcs 0.
(** By how much a transition changes a sum. *)
Definition change (m : PM.t Z) (t : transition) : Z := moved m (outputs t) - moved m (inputs t).

Definition of_weight (arcs : list arc) (p : id) : Z := Z.of_N (weight arcs p).

Lemma factors_at ts p : factor_at (factors ts) p = fold_right (fun t s => (if Pos.eqb p (fst t) then snd t else 0) + s) 0 ts.
Proof.
  unfold factors.
  enough (H : forall m, factor_at (fold_left (fun m t => PM.add (fst t) (factor_at m (fst t) + snd t) m) ts m) p
    = factor_at m p + fold_right (fun t s => (if Pos.eqb p (fst t) then snd t else 0) + s) 0 ts).
  { rewrite H. unfold factor_at at 1. rewrite PM.gempty. lia. }
  induction ts as [|[q k] ts IH]; intros m; cbn [fold_left fold_right fst snd]; [lia|]. rewrite IH. unfold factor_at at 1.
  destruct (Pos.eqb_spec p q) as [->|D]; [rewrite PM.gss; lia|rewrite PM.gso by auto; unfold factor_at; lia].
Qed.

Lemma weight_cons a arcs p : weight (a :: arcs) p = ((if Pos.eqb p (fst a) then snd a else 0) + weight arcs p)%N.
Proof. now destruct a. Qed.

Lemma moved_spec ts arcs : moved (factors ts) arcs = tsum (of_weight arcs) ts.
Proof.
  unfold moved. enough (H : forall s, fold_left (fun s a => s + Z.of_N (snd a) * factor_at (factors ts) (fst a)) arcs s = s + tsum (of_weight arcs) ts).
  { apply H. }
  induction arcs as [|a arcs IH]; intros s; cbn [fold_left].
  - assert (Z0 : tsum (of_weight []) ts = 0) by (induction ts as [|t ts IH]; rewrite ?tsum_cons; auto; rewrite IH; unfold of_weight; cbn; lia).
    lia.
  - rewrite IH, <- Z.add_assoc. f_equal. symmetry. rewrite factors_at. clear. induction ts as [|t ts IH]; [cbn; lia|].
    rewrite !tsum_cons, IH. cbn [fold_right]. unfold of_weight. rewrite weight_cons, (Pos.eqb_sym (fst t)). rewrite N2Z.inj_add. unfold arc, id in *. destruct (Pos.eqb (fst a) (fst t)); cbn [Z.of_N]; ring.
Qed.

Lemma change_sum t M M' e : fires t M M' -> sum_at M' e = sum_at M e + change (factors (terms e)) t.
Proof.
  intros [En F]. unfold change. rewrite !moved_spec. unfold sum_at, value. enough (tsum (tokens_of M') (terms e)
    = tsum (tokens_of M) (terms e) + (tsum (of_weight (outputs t)) (terms e) - tsum (of_weight (inputs t)) (terms e))) by lia.
  induction (terms e) as [|[p k] ts IH]; [reflexivity|]. rewrite !tsum_cons, IH. cbn [fst snd]. unfold tokens_of, of_weight.
  specialize (En p). rewrite F, N2Z.inj_add, N2Z.inj_sub by auto. ring.
Qed.

Lemma first_sum n M e : (forall p, M p = weight (marked n) p) -> sum_at M e = moved (factors (terms e)) (marked n) + constant e.
Proof. intros H. rewrite moved_spec. unfold sum_at, value. f_equal. apply tsum_ext. intros t _. unfold tokens_of, of_weight. now rewrite H. Qed.

(** * Elements of a list by number *)

Fixpoint table {A} (k : id) (l : list A) : PM.t A := match l with [] => PM.empty A | x :: l => PM.add k x (table (Pos.succ k) l) end.
Fixpoint enumerated {A} (k : id) (l : list A) : list (id * A) := match l with [] => [] | x :: l => (k, x) :: enumerated (Pos.succ k) l end.

Lemma enumerated_le {A} (l : list A) : forall k j x, In (j, x) (enumerated k l) -> (k <= j)%positive.
Proof. induction l as [|y l IH]; intros k j x I; cbn in I; [destruct I|]. destruct I as [[= <- <-]|I]; [lia|]. apply IH in I. lia. Qed.

Lemma enumerated_in {A} (l : list A) : forall k j x, In (j, x) (enumerated k l) -> In x l.
Proof. induction l as [|y l IH]; intros k j x I; cbn in I; [destruct I|]. destruct I as [[= <- <-]|I]; cbn; eauto. Qed.

Lemma in_enumerated {A} (l : list A) x : forall k, In x l -> exists j, In (j, x) (enumerated k l).
Proof.
  induction l as [|y l IH]; intros k I; [destruct I|]. destruct I as [->|I]; [exists k; cbn; auto|].
  destruct (IH (Pos.succ k) I) as [j J]. exists j. cbn; auto.
Qed.

Lemma table_find {A} (l : list A) : forall k j x, In (j, x) (enumerated k l) -> PM.find j (table k l) = Some x.
Proof.
  induction l as [|y l IH]; intros k j x I; cbn in I; [destruct I|]. destruct I as [[= <- <-]|I]; cbn [table]; [apply PM.gss|].
  rewrite PM.gso; auto. apply enumerated_le in I. lia.
Qed.

Lemma table_in {A} (l : list A) : forall k j x, PM.find j (table k l) = Some x -> In x l.
Proof.
  induction l as [|y l IH]; intros k j x F; cbn [table] in F; [rewrite PM.gempty in F; discriminate|].
  destruct (Pos.eq_dec j k) as [->|D]; [rewrite PM.gss in F; injection F as ->; cbn; auto|]. rewrite PM.gso in F by auto. cbn; eauto.
Qed.
