(** Lists are the truth; maps and sets are indexes built from them.

    Nothing is proved about the shape of an index, only what is found in it.
    Functions on lists that a user can make long are tail-recursive; most of
    them turn the order around, so that what is proved about them is which
    elements their results have. *)

From Coq Require Import List PArith FMapPositive Bool Permutation.
Import ListNotations.

Module PM := PositiveMap.

Definition id := positive.
(** A node, or a local state, and a global state. *)
Definition point := (id * id)%type.
(** A step leads from a point to a point. *)
Definition step := (point * point)%type.

Definition point_eqb (p q : point) : bool := Pos.eqb (fst p) (fst q) && Pos.eqb (snd p) (snd q).
Definition step_eqb (s t : step) : bool := point_eqb (fst s) (fst t) && point_eqb (snd s) (snd t).

Lemma point_eqb_eq p q : point_eqb p q = true <-> p = q.
Proof.
  destruct p, q; unfold point_eqb; cbn [fst snd].
  rewrite andb_true_iff, !Pos.eqb_eq. split; [intros [-> ->]; auto | intros [= -> ->]; auto].
Qed.

Lemma point_eqb_refl p : point_eqb p p = true.
Proof. now apply point_eqb_eq. Qed.

Lemma step_eqb_eq s t : step_eqb s t = true <-> s = t.
Proof.
  destruct s, t; unfold step_eqb; cbn [fst snd].
  rewrite andb_true_iff, !point_eqb_eq. split; [intros [-> ->]; auto | intros [= -> ->]; auto].
Qed.

Lemma point_dec (p q : point) : {p = q} + {p <> q}.
Proof.
  destruct (point_eqb p q) eqn:E; [left; now apply point_eqb_eq|right].
  intros H; apply point_eqb_eq in H; congruence.
Defined.

Lemma step_dec (s t : step) : {s = t} + {s <> t}.
Proof.
  destruct (step_eqb s t) eqn:E; [left; now apply step_eqb_eq|right].
  intros H; apply step_eqb_eq in H; congruence.
Defined.

(** * Lists without deep recursion *)

Section Tail.
  Context {A B : Type}.

  Definition tmap (f : A -> B) (l : list A) : list B := fold_left (fun acc x => f x :: acc) l [].
  Definition tfilter (f : A -> bool) (l : list A) : list A :=
    fold_left (fun acc x => if f x then x :: acc else acc) l [].
  Definition tapp (l m : list A) : list A := rev_append l m.
  Definition tflat (f : A -> list B) (l : list A) : list B := fold_left (fun acc x => rev_append (f x) acc) l [].

  Lemma tmap_in f l y : In y (tmap f l) <-> exists x, f x = y /\ In x l.
  Proof.
    unfold tmap. assert (H : forall acc, In y (fold_left (fun acc x => f x :: acc) l acc) <-> In y acc \/ exists x, f x = y /\ In x l).
    { induction l as [|x l IH]; cbn; intros; [split; [auto|intros [|(? & _ & [])]; auto]|]. rewrite IH; cbn. split.
      - intros [[|]|(z & ? & ?)]; eauto.
      - intros [|(z & E & [->|])]; eauto. }
    rewrite H; cbn; tauto.
  Qed.

  Lemma tfilter_in f l y : In y (tfilter f l) <-> In y l /\ f y = true.
  Proof.
    unfold tfilter.
    assert (H : forall acc, In y (fold_left (fun acc x => if f x then x :: acc else acc) l acc) <-> In y acc \/ (In y l /\ f y = true)).
    { induction l as [|x l IH]; cbn; intros; [tauto|]. rewrite IH; destruct (f x) eqn:E; cbn.
      - split; [intros [[->|]|[]]; auto|intros [|[[->|] ?]]; auto].
      - split; [intros [|[]]; auto|intros [|[[->|] ?]]; auto; congruence]. }
    rewrite H; cbn; tauto.
  Qed.

  Lemma tapp_in l m (y : A) : In y (tapp l m) <-> In y l \/ In y m.
  Proof. unfold tapp. rewrite rev_append_rev, in_app_iff, <- in_rev. tauto. Qed.

  Lemma tflat_in f l y : In y (tflat f l) <-> exists x, In x l /\ In y (f x).
  Proof.
    unfold tflat.
    assert (H : forall acc, In y (fold_left (fun acc x => rev_append (f x) acc) l acc) <-> In y acc \/ exists x, In x l /\ In y (f x)).
    { induction l as [|x l IH]; cbn; intros; [split; [auto|intros [|(? & [] & _)]; auto]|].
      rewrite IH, rev_append_rev, in_app_iff, <- in_rev. split.
      - intros [[|]|(z & ? & ?)]; eauto.
      - intros [|(z & [->|] & ?)]; eauto. }
    rewrite H; cbn; tauto.
  Qed.
End Tail.

(** * Indexes *)

Section Index.
  Context {A : Type}.
  Definition index_type := PM.t (PM.t (list A)).

  Definition found1 (m : PM.t (list A)) (x : id) : list A := match PM.find x m with Some l => l | None => [] end.
  Definition inner (m : index_type) (x : id) : PM.t (list A) := match PM.find x m with Some l => l | None => PM.empty _ end.
  Definition found (m : index_type) (p : point) : list A := found1 (inner m (fst p)) (snd p).
  Definition put1 (m : PM.t (list A)) (x : id) (a : A) := PM.add x (a :: found1 m x) m.
  Definition put (m : index_type) (p : point) (a : A) : index_type := PM.add (fst p) (put1 (inner m (fst p)) (snd p) a) m.
  Definition index1 (l : list (id * A)) : PM.t (list A) := fold_left (fun m e => put1 m (fst e) (snd e)) l (PM.empty _).
  Definition index (l : list (point * A)) : index_type := fold_left (fun m e => put m (fst e) (snd e)) l (PM.empty _).

  Lemma found1_put1 m x a y b : In b (found1 (put1 m x a) y) <-> (y = x /\ b = a) \/ In b (found1 m y).
  Proof.
    unfold found1 at 1, put1. destruct (Pos.eq_dec y x) as [->|N].
    - rewrite PM.gss. cbn. intuition congruence.
    - rewrite PM.gso by auto. unfold found1. intuition.
  Qed.

  Lemma found_put m p a q b : In b (found (put m p a) q) <-> (q = p /\ b = a) \/ In b (found m q).
  Proof.
    unfold found, put, inner at 1. destruct (Pos.eq_dec (fst q) (fst p)) as [E|N].
    - rewrite E, PM.gss, found1_put1. destruct p, q; cbn in *; subst. intuition congruence.
    - rewrite PM.gso by auto. change (match PM.find (fst q) m with Some l => l | None => PM.empty (list A) end) with (inner m (fst q)).
      intuition. subst; congruence.
  Qed.

  (** What is found at a point is what the list has for it. *)
  Lemma found_index l p a : In a (found (index l) p) <-> In (p, a) l.
  Proof.
    unfold index.
    assert (H : forall m, In a (found (fold_left (fun m e => put m (fst e) (snd e)) l m) p) <-> In a (found m p) \/ In (p, a) l).
    { induction l as [|[q b] l IH]; cbn [fold_left fst snd]; intros m; [cbn; tauto|].
      rewrite IH, found_put; cbn. intuition congruence. }
    rewrite H. unfold found, inner, found1. rewrite !PM.gempty. cbn. tauto.
  Qed.

  Lemma found_index1 l x a : In a (found1 (index1 l) x) <-> In (x, a) l.
  Proof.
    unfold index1.
    assert (H : forall m, In a (found1 (fold_left (fun m e => put1 m (fst e) (snd e)) l m) x) <-> In a (found1 m x) \/ In (x, a) l).
    { induction l as [|[q b] l IH]; cbn [fold_left fst snd]; intros m; [cbn; tauto|].
      rewrite IH, found1_put1; cbn. intuition congruence. }
    rewrite H. unfold found1. rewrite PM.gempty. cbn. tauto.
  Qed.
End Index.
Arguments index_type : clear implicits.

(** * Sets *)

(** Sets of numbers. *)
Definition idset := PM.t unit.
Definition imem (s : idset) (x : id) : bool := match PM.find x s with Some _ => true | None => false end.
Definition iadd (s : idset) (x : id) : idset := PM.add x tt s.
Definition iset (l : list id) : idset := fold_left iadd l (PM.empty _).

Lemma imem_iadd s x y : imem (iadd s x) y = true <-> y = x \/ imem s y = true.
Proof.
  unfold imem, iadd. destruct (Pos.eq_dec y x) as [->|N].
  - rewrite PM.gss. intuition.
  - rewrite PM.gso by auto. intuition.
Qed.

Lemma imem_iset l x : imem (iset l) x = true <-> In x l.
Proof.
  unfold iset.
  assert (H : forall s, imem (fold_left iadd l s) x = true <-> imem s x = true \/ In x l).
  { induction l as [|y l IH]; cbn; intros; [tauto|]. rewrite IH, imem_iadd. intuition congruence. }
  rewrite H. unfold imem. rewrite PM.gempty. intuition discriminate.
Qed.

(** What three sets have in common is in a fourth one; they are walked through side by side. *)
Fixpoint common_in (a b c d : idset) : bool :=
  match a, b, c with
  | PM.Node a1 x a2, PM.Node b1 y b2, PM.Node c1 z c2 =>
      let '(d1, w, d2) := match d with PM.Leaf _ => (PM.Leaf _, None, PM.Leaf _) | PM.Node d1 w d2 => (d1, w, d2) end in
      match x, y, z, w with Some _, Some _, Some _, None => false | _, _, _, _ => common_in a1 b1 c1 d1 && common_in a2 b2 c2 d2 end
  | _, _, _ => true
  end.

Lemma common_in_sound a : forall b c d, common_in a b c d = true -> forall i, imem a i = true -> imem b i = true -> imem c i = true -> imem d i = true.
Proof.
  assert (L : forall i, imem (PM.Leaf _) i = false) by (intros i; unfold imem; now destruct i).
  induction a as [|a1 IH1 x a2 IH2]; intros b c d H i A B C; [now rewrite L in A|].
  destruct b as [|b1 y b2]; [now rewrite L in B|]. destruct c as [|c1 z c2]; [now rewrite L in C|]. cbn in H.
  destruct d as [|d1 w d2].
  - assert (K : common_in a1 b1 c1 (PM.Leaf _) && common_in a2 b2 c2 (PM.Leaf _) = true) by (destruct x, y, z; try discriminate; exact H).
    apply andb_true_iff in K as [K1 K2]. destruct i as [i|i|]; cbn in *.
    + specialize (IH2 _ _ _ K2 i A B C). now rewrite L in IH2.
    + specialize (IH1 _ _ _ K1 i A B C). now rewrite L in IH1.
    + unfold imem in A, B, C. cbn in A, B, C. destruct x, y, z; discriminate.
  - assert (K : common_in a1 b1 c1 d1 && common_in a2 b2 c2 d2 = true) by (destruct x, y, z, w; try discriminate; exact H).
    apply andb_true_iff in K as [K1 K2]. destruct i as [i|i|]; [exact (IH2 _ _ _ K2 i A B C)|exact (IH1 _ _ _ K1 i A B C)|].
    unfold imem in *. cbn in *. destruct x, y, z, w; discriminate || reflexivity.
Qed.

(** Sets of points, and of pairs of numbers. *)
Definition pset := PM.t idset.
Definition row (s : pset) (x : id) : idset := match PM.find x s with Some r => r | None => PM.empty _ end.
Definition pmem (s : pset) (p : point) : bool := imem (row s (fst p)) (snd p).
Definition padd (s : pset) (p : point) : pset := PM.add (fst p) (iadd (row s (fst p)) (snd p)) s.
Definition pset_of (l : list point) : pset := fold_left padd l (PM.empty _).

Lemma pmem_padd s p q : pmem (padd s p) q = true <-> q = p \/ pmem s q = true.
Proof.
  unfold pmem, padd, row at 1. destruct (Pos.eq_dec (fst q) (fst p)) as [E|N].
  - rewrite E, PM.gss, imem_iadd. destruct p, q; cbn in *; subst. intuition congruence.
  - rewrite PM.gso by auto. change (match PM.find (fst q) s with Some r => r | None => PM.empty unit end) with (row s (fst q)).
    intuition. subst; congruence.
Qed.

Lemma pmem_of l p : pmem (pset_of l) p = true <-> In p l.
Proof.
  unfold pset_of.
  assert (H : forall s, pmem (fold_left padd l s) p = true <-> pmem s p = true \/ In p l).
  { induction l as [|q l IH]; cbn; intros; [tauto|]. rewrite IH, pmem_padd. intuition congruence. }
  rewrite H. unfold pmem, row, imem. rewrite !PM.gempty. intuition discriminate.
Qed.

(** Sets of steps. *)
Definition sset := PM.t (PM.t pset).
Definition level {A} (s : PM.t (PM.t A)) (x : id) : PM.t A := match PM.find x s with Some r => r | None => PM.empty _ end.
Definition smem (s : sset) (x : step) : bool := pmem (level (level s (fst (fst x))) (snd (fst x))) (snd x).
Definition sadd (s : sset) (x : step) : sset :=
  let one := level s (fst (fst x)) in
  PM.add (fst (fst x)) (PM.add (snd (fst x)) (padd (level one (snd (fst x))) (snd x)) one) s.
Definition sset_of (l : list step) : sset := fold_left sadd l (PM.empty _).

Lemma smem_sadd s x y : smem (sadd s x) y = true <-> y = x \/ smem s y = true.
Proof.
  destruct x as [[a b] p], y as [[c d] q]. unfold smem, sadd. cbn [fst snd].
  unfold level at 2. destruct (Pos.eq_dec c a) as [->|N].
  - rewrite PM.gss. unfold level at 1. destruct (Pos.eq_dec d b) as [->|M].
    + rewrite PM.gss, pmem_padd. intuition congruence.
    + rewrite PM.gso by auto. fold (level (level s a) d). intuition congruence.
  - rewrite PM.gso by auto. fold (level s c). intuition congruence.
Qed.

Lemma smem_of l x : smem (sset_of l) x = true <-> In x l.
Proof.
  unfold sset_of.
  assert (H : forall s, smem (fold_left sadd l s) x = true <-> smem s x = true \/ In x l).
  { induction l as [|q l IH]; cbn [fold_left]; intros; [cbn; tauto|]. rewrite IH, smem_sadd. cbn. intuition congruence. }
  rewrite H. unfold smem, level, pmem, row, imem. rewrite !PM.gempty. intuition discriminate.
Qed.

(** * Sorting, which keeps the elements *)

Section Sort.
  Context {A : Type} (le : A -> A -> bool).

  (** Merges two lists onto the reverse of a third. *)
  Fixpoint rmerge (a : list A) : list A -> list A -> list A :=
    fix inner (b acc : list A) : list A :=
      match a, b with
      | [], _ => rev_append b acc
      | _, [] => rev_append a acc
      | x :: a', y :: b' => if le x y then rmerge a' b (x :: acc) else inner b' (y :: acc)
      end.
  Definition merge (a b : list A) : list A := rev_append (rmerge a b []) [].

  Fixpoint push (stack : list (option (list A))) (l : list A) : list (option (list A)) :=
    match stack with
    | [] => [Some l]
    | None :: rest => Some l :: rest
    | Some m :: rest => None :: push rest (merge m l)
    end.
  Definition collapse (stack : list (option (list A))) : list A :=
    fold_left (fun acc e => match e with Some m => merge m acc | None => acc end) stack [].
  Definition sort (l : list A) : list A := collapse (fold_left (fun s x => push s [x]) l []).

  Lemma rmerge_perm a b acc : Permutation (rmerge a b acc) (a ++ b ++ acc).
  Proof.
    revert b acc; induction a as [|y a IHa]; intros b.
    - intros acc. replace (rmerge [] b acc) with (rev_append b acc) by now destruct b.
      rewrite rev_append_rev. apply (Permutation_app_tail acc). symmetry. apply Permutation_rev.
    - induction b as [|z b IHb]; intros acc; cbn [rmerge].
      + rewrite rev_append_rev. change ([] ++ acc) with acc. apply (Permutation_app_tail acc). symmetry. apply (Permutation_rev (y :: a)).
      + destruct (le y z).
        * rewrite IHa, app_assoc, <- Permutation_middle, <- app_assoc. reflexivity.
        * rewrite IHb, app_assoc, <- Permutation_middle. cbn [app]. rewrite <- app_assoc, perm_swap.
          apply perm_skip. change (z :: b ++ acc) with ((z :: b) ++ acc). rewrite app_assoc, <- (app_assoc a).
          apply (Permutation_middle a (b ++ acc) z).
  Qed.

  Lemma merge_perm a b : Permutation (merge a b) (a ++ b).
  Proof.
    unfold merge. rewrite rev_append_rev, app_nil_r, <- Permutation_rev, rmerge_perm. now rewrite app_nil_r.
  Qed.

  Definition unstack (s : list (option (list A))) : list A :=
    flat_map (fun e => match e with Some l => l | None => [] end) s.

  Lemma push_perm s l : Permutation (unstack (push s l)) (unstack s ++ l).
  Proof.
    revert l; induction s as [|[m|] s IH]; intros l; cbn [push unstack flat_map app].
    - now rewrite app_nil_r.
    - fold (unstack (push s (merge m l))) (unstack s). rewrite IH, merge_perm.
      rewrite (Permutation_app_comm m (unstack s)), <- app_assoc. reflexivity.
    - apply Permutation_app_comm.
  Qed.

  Lemma sort_perm l : Permutation (sort l) l.
  Proof.
    unfold sort, collapse.
    assert (H : forall s acc, Permutation (fold_left (fun acc e => match e with Some m => merge m acc | None => acc end) s acc) (unstack s ++ acc)).
    { induction s as [|[m|] s IH]; cbn [fold_left unstack flat_map app]; intros acc; [reflexivity| |apply IH].
      fold (unstack s). rewrite IH, merge_perm, !app_assoc. apply Permutation_app_tail, Permutation_app_comm. }
    rewrite H, app_nil_r.
    assert (G : forall s, Permutation (unstack (fold_left (fun s x => push s [x]) l s)) (unstack s ++ l)).
    { induction l as [|y l IH]; cbn [fold_left]; intros s; [now rewrite app_nil_r|]. rewrite IH, push_perm, <- app_assoc. reflexivity. }
    rewrite G. reflexivity.
  Qed.

  Lemma sort_in l x : In x (sort l) <-> In x l.
  Proof. split; apply Permutation_in; [|symmetry]; apply sort_perm. Qed.
End Sort.

Definition point_leb (p q : point) : bool :=
  match Pos.compare (fst p) (fst q) with Lt => true | Gt => false | Eq => Pos.leb (snd p) (snd q) end.
Definition step_leb (s t : step) : bool :=
  if point_eqb (fst s) (fst t) then point_leb (snd s) (snd t) else point_leb (fst s) (fst t).

(** Leaves out neighbours that are equal; turns the order around. *)
Definition unique (l : list step) : list step :=
  fold_left (fun acc x => match acc with y :: _ => if step_eqb x y then acc else x :: acc | [] => [x] end) l [].

Lemma unique_in l x : In x (unique l) <-> In x l.
Proof.
  unfold unique.
  assert (H : forall acc, In x (fold_left (fun acc x => match acc with y :: _ => if step_eqb x y then acc else x :: acc | [] => [x] end) l acc)
    <-> In x acc \/ In x l).
  { induction l as [|y l IH]; cbn [fold_left]; intros acc; [cbn; tauto|]. rewrite IH.
    destruct acc as [|z acc]; [cbn; tauto|]. destruct (step_eqb y z) eqn:E; [apply step_eqb_eq in E; subst|]; cbn; tauto. }
  rewrite H; cbn; tauto.
Qed.

(** Sorted, without repetition and without steps that change nothing. *)
Definition tidy (l : list step) : list step :=
  unique (sort (fun s t => step_leb t s) (tfilter (fun s => negb (point_eqb (fst s) (snd s))) l)).

Lemma tidy_in l x : In x (tidy l) <-> In x l /\ fst x <> snd x.
Proof.
  unfold tidy. rewrite unique_in, sort_in, tfilter_in, negb_true_iff.
  rewrite <- not_true_iff_false, point_eqb_eq. reflexivity.
Qed.

(** * Numbers of elements of a list, from 1 *)

Definition numbered {A} (l : list A) : PM.t A :=
  fst (fold_left (fun a x => (PM.add (snd a) x (fst a), Pos.succ (snd a))) l (PM.empty _, 1%positive)).

Lemma numbered_in {A} (l : list A) n x : PM.find n (numbered l) = Some x -> In x l.
Proof.
  unfold numbered.
  assert (H : forall m k, (forall n x, PM.find n m = Some x -> In x l) -> forall l', incl l' l ->
    forall n x, PM.find n (fst (fold_left (fun a x => (PM.add (snd a) x (fst a), Pos.succ (snd a))) l' (m, k))) = Some x -> In x l).
  { intros m k H l'; revert m k H. induction l' as [|y l' IH]; cbn; intros m k H I n' x'; [apply H|].
    apply IH; [|intros z Hz; apply I; cbn; auto].
    intros n2 x2. destruct (Pos.eq_dec n2 k) as [->|N].
    - rewrite PM.gss. intros [= <-]. apply I; cbn; auto.
    - rewrite PM.gso by auto. apply H. }
  apply (H (PM.empty _) 1%positive); [|apply incl_refl]. intros ? ?; rewrite PM.gempty; discriminate.
Qed.
