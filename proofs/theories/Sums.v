(** Sums over lists, and over what an index finds. *)

From Coq Require Import List ZArith PArith Bool Permutation Lia.
From Proved Require Import Sets.
Import ListNotations.
Open Scope Z_scope.

Definition wsum {A} (w : A -> Z) (l : list A) : Z := fold_right (fun a s => w a + s) 0 l.

(** 1 where two numbers are the same, 0 elsewhere. *)
Definition delta (x y : id) : Z := if Pos.eqb x y then 1 else 0.

Lemma delta_refl x : delta x x = 1.
Proof. unfold delta. now rewrite Pos.eqb_refl. Qed.

Lemma delta_neq x y : x <> y -> delta x y = 0.
Proof. unfold delta. intros N. destruct (Pos.eqb x y) eqn:E; auto. apply Pos.eqb_eq in E. congruence. Qed.

Lemma delta_bounds x y : 0 <= delta x y <= 1.
Proof. unfold delta. destruct (Pos.eqb x y); lia. Qed.

Section Sum.
  Context {A : Type}.
  Implicit Types (w : A -> Z) (l : list A).

  Lemma wsum_cons w a l : wsum w (a :: l) = w a + wsum w l.
  Proof. reflexivity. Qed.

  Lemma wsum_nil w : wsum w [] = 0.
  Proof. reflexivity. Qed.

  Lemma wsum_app w l m : wsum w (l ++ m) = wsum w l + wsum w m.
  Proof. induction l as [|a l IH]; cbn [app]; rewrite ?wsum_cons, ?wsum_nil; lia. Qed.

  Lemma wsum_perm w l m : Permutation l m -> wsum w l = wsum w m.
  Proof. induction 1; rewrite ?wsum_cons; lia. Qed.

  Lemma wsum_rev w l : wsum w (rev l) = wsum w l.
  Proof. apply wsum_perm. symmetry. apply Permutation_rev. Qed.

  Lemma wsum_ext w w' l : (forall a, In a l -> w a = w' a) -> wsum w l = wsum w' l.
  Proof. induction l as [|a l IH]; intros H; [reflexivity|]. rewrite !wsum_cons, H, IH; cbn; auto. intros; apply H; cbn; auto. Qed.

  Lemma wsum_plus w w' l : wsum (fun a => w a + w' a) l = wsum w l + wsum w' l.
  Proof. induction l as [|a l IH]; rewrite ?wsum_cons, ?wsum_nil; lia. Qed.

  Lemma wsum_times c w l : wsum (fun a => c * w a) l = c * wsum w l.
  Proof. induction l as [|a l IH]; rewrite ?wsum_cons, ?wsum_nil; lia. Qed.

  Lemma wsum_zero w l : (forall a, In a l -> w a = 0) -> wsum w l = 0.
  Proof. induction l as [|a l IH]; intros H; [reflexivity|]. rewrite wsum_cons, H, IH; cbn; auto. intros; apply H; cbn; auto. Qed.

  Lemma wsum_nonneg w l : (forall a, In a l -> 0 <= w a) -> 0 <= wsum w l.
  Proof.
    induction l as [|a l IH]; intros H; [rewrite wsum_nil; lia|]. rewrite wsum_cons.
    assert (0 <= w a) by (apply H; cbn; auto). assert (0 <= wsum w l) by (apply IH; intros; apply H; cbn; auto). lia.
  Qed.

  (** A sum of what is not negative is positive if a part is. *)
  Lemma wsum_part w l a : (forall a, In a l -> 0 <= w a) -> In a l -> w a <= wsum w l.
  Proof.
    induction l as [|b l IH]; intros H []; rewrite wsum_cons.
    - subst. assert (0 <= wsum w l) by (apply wsum_nonneg; intros; apply H; cbn; auto). lia.
    - assert (0 <= w b) by (apply H; cbn; auto). assert (w a <= wsum w l) by (apply IH; auto; intros; apply H; cbn; auto). lia.
  Qed.

  Lemma wsum_positive w l : 0 < wsum w l -> exists a, In a l /\ 0 < w a.
  Proof.
    induction l as [|a l IH]; rewrite ?wsum_nil, ?wsum_cons; [lia|]. intros H.
    destruct (Z_lt_ge_dec 0 (w a)); [exists a; cbn; auto|]. destruct IH as (b & I & P); [lia|]. exists b; cbn; auto.
  Qed.
End Sum.

Lemma wsum_map {A B} (w : B -> Z) (f : A -> B) l : wsum w (map f l) = wsum (fun a => w (f a)) l.
Proof. induction l as [|a l IH]; [reflexivity|]. cbn [map]. rewrite !wsum_cons. lia. Qed.

Lemma wsum_flat_map {A B} (w : B -> Z) (f : A -> list B) l : wsum w (flat_map f l) = wsum (fun a => wsum w (f a)) l.
Proof. induction l as [|a l IH]; [reflexivity|]. cbn [flat_map]. rewrite wsum_app, wsum_cons. lia. Qed.

Lemma wsum_filter {A} (w : A -> Z) p l : wsum w (filter p l) = wsum (fun a => if p a then w a else 0) l.
Proof. induction l as [|a l IH]; [reflexivity|]. cbn [filter]. rewrite wsum_cons. destruct (p a); rewrite ?wsum_cons; lia. Qed.

Lemma wsum_swap {A B} (w : A -> B -> Z) l m :
  wsum (fun a => wsum (w a) m) l = wsum (fun b => wsum (fun a => w a b) l) m.
Proof.
  induction l as [|a l IH].
  - rewrite wsum_nil, wsum_zero; auto.
  - rewrite wsum_cons, IH, <- wsum_plus. apply wsum_ext. intros. now rewrite wsum_cons.
Qed.

Lemma wsum_tmap {A B} (w : B -> Z) (f : A -> B) l : wsum w (tmap f l) = wsum (fun a => w (f a)) l.
Proof.
  unfold tmap. transitivity (wsum w [] + wsum (fun a => w (f a)) l); [|reflexivity]. generalize (@nil B) as acc.
  induction l as [|a l IH]; cbn [fold_left]; intros acc; [rewrite wsum_nil; lia|]. rewrite IH, !wsum_cons. lia.
Qed.

Lemma wsum_tfilter {A} (w : A -> Z) p l : wsum w (tfilter p l) = wsum (fun a => if p a then w a else 0) l.
Proof.
  unfold tfilter. transitivity (wsum w [] + wsum (fun a => if p a then w a else 0) l); [|reflexivity]. generalize (@nil A) as acc.
  induction l as [|a l IH]; cbn [fold_left]; intros acc; [rewrite wsum_nil; lia|]. rewrite IH, wsum_cons. destruct (p a); rewrite ?wsum_cons; lia.
Qed.

Lemma wsum_tflat {A B} (w : B -> Z) (f : A -> list B) l : wsum w (tflat f l) = wsum (fun a => wsum w (f a)) l.
Proof.
  unfold tflat. transitivity (wsum w [] + wsum (fun a => wsum w (f a)) l); [|reflexivity]. generalize (@nil B) as acc.
  induction l as [|a l IH]; cbn [fold_left]; intros acc; [rewrite wsum_nil; lia|].
  rewrite IH, wsum_cons, rev_append_rev, wsum_app, wsum_rev. lia.
Qed.

Lemma wsum_found1 {A} (w : A -> Z) l x :
  wsum w (found1 (index1 l) x) = wsum (fun e => if Pos.eqb (fst e) x then w (snd e) else 0) l.
Proof.
  unfold index1.
  assert (H : forall m, wsum w (found1 (fold_left (fun m e => put1 m (fst e) (snd e)) l m) x) =
    wsum w (found1 m x) + wsum (fun e => if Pos.eqb (fst e) x then w (snd e) else 0) l).
  { induction l as [|[y a] l IH]; cbn [fold_left fst snd]; intros m; [rewrite wsum_nil; lia|]. rewrite IH, wsum_cons. cbn [fst snd].
    unfold put1, found1 at 1. destruct (Pos.eqb_spec y x) as [->|N].
    - rewrite PM.gss, wsum_cons. lia.
    - rewrite PM.gso by auto. fold (found1 m x). lia. }
  rewrite H. unfold found1. rewrite PM.gempty, wsum_nil. lia.
Qed.

Lemma wsum_found {A} (w : A -> Z) l p :
  wsum w (found (index l) p) = wsum (fun e => if point_eqb (fst e) p then w (snd e) else 0) l.
Proof.
  unfold index.
  assert (H : forall m, wsum w (found (fold_left (fun m e => put m (fst e) (snd e)) l m) p) =
    wsum w (found m p) + wsum (fun e => if point_eqb (fst e) p then w (snd e) else 0) l).
  { induction l as [|[q a] l IH]; cbn [fold_left fst snd]; intros m; [rewrite wsum_nil; lia|]. rewrite IH, wsum_cons. cbn [fst snd].
    unfold put, found at 1, inner at 1, put1, point_eqb. destruct (Pos.eqb_spec (fst q) (fst p)) as [E|N].
    - rewrite E, PM.gss. unfold found1 at 1. destruct (Pos.eqb_spec (snd q) (snd p)) as [F|N]; cbn [andb].
      + rewrite F, PM.gss, wsum_cons. unfold found. lia.
      + rewrite PM.gso by auto. fold (found1 (inner m (fst p)) (snd p)). unfold found. lia.
    - rewrite PM.gso by auto. cbn [andb]. fold (inner m (fst p)). unfold found. lia. }
  rewrite H. unfold found, inner, found1. rewrite !PM.gempty, wsum_nil. lia.
Qed.

Definition id_dec : forall x y : id, {x = y} + {x <> y} := Pos.eq_dec.

(** How often a number is in a list. *)
Lemma wsum_count x l : wsum (fun y => delta y x) l = Z.of_nat (count_occ id_dec l x).
Proof.
  induction l as [|y l IH]; [reflexivity|]. rewrite wsum_cons, IH. cbn [count_occ]. destruct (id_dec y x) as [->|N].
  - rewrite delta_refl. lia.
  - rewrite delta_neq by auto. lia.
Qed.

(** * Lists with the numbers of their elements, from 1 *)

Fixpoint numbers {A} (n : id) (l : list A) : list (id * A) :=
  match l with [] => [] | a :: l => (n, a) :: numbers (Pos.succ n) l end.

Lemma numbers_in {A} n (l : list A) i a : In (i, a) (numbers n l) -> In a l /\ (n <= i)%positive.
Proof.
  revert n; induction l as [|b l IH]; intros n []; cbn.
  - injection H as <- <-. split; auto. lia.
  - apply IH in H as [? ?]. split; auto. lia.
Qed.

Lemma numbers_of {A} n (l : list A) a : In a l -> exists i, In (i, a) (numbers n l).
Proof.
  revert n; induction l as [|b l IH]; intros n []; cbn; [subst; eauto|]. destruct (IH (Pos.succ n) H) as (i & I). eauto.
Qed.

(** Over a numbered list, what belongs to one number is found once. *)
Lemma numbers_once {A} n (l : list A) i a (w : id * A -> Z) : In (i, a) (numbers n l) ->
  wsum (fun e => delta i (fst e) * w e) (numbers n l) = w (i, a).
Proof.
  revert n; induction l as [|b l IH]; intros n I; [destruct I|]. cbn [numbers]. rewrite wsum_cons. cbn [fst snd]. destruct I as [[= <- <-]|I].
  - rewrite delta_refl, wsum_zero; [lia|]. intros [j c] J. apply numbers_in in J as [_ J]. cbn [fst]. rewrite delta_neq; [lia|]. intros ->. lia.
  - rewrite IH by auto. apply numbers_in in I as [_ I]. rewrite delta_neq; [lia|]. intros ->. lia.
Qed.

(** Not by recursion. *)
Definition next_number {A} (a : list (id * A) * id) (x : A) : list (id * A) * id := ((snd a, x) :: fst a, Pos.succ (snd a)).
Definition tnumbers_from {A} (n : id) (l : list A) : list (id * A) := fst (fold_left next_number l ([], n)).
Definition tnumbers {A} (l : list A) : list (id * A) := tnumbers_from 1%positive l.

Lemma tnumbers_from_rev {A} n (l : list A) : tnumbers_from n l = rev (numbers n l).
Proof.
  assert (H : forall acc n, fst (fold_left next_number l (acc, n)) = rev (numbers n l) ++ acc).
  { induction l as [|b l IH]; intros acc m; [reflexivity|]. cbn [fold_left numbers rev]. unfold next_number at 2. cbn [fst snd].
    rewrite IH, <- app_assoc. reflexivity. }
  unfold tnumbers_from. rewrite H. apply app_nil_r.
Qed.

Lemma tnumbers_rev {A} (l : list A) : tnumbers l = rev (numbers 1%positive l).
Proof. apply tnumbers_from_rev. Qed.

Lemma wsum_tapp {A} (w : A -> Z) l m : wsum w (tapp l m) = wsum w l + wsum w m.
Proof. unfold tapp. rewrite rev_append_rev, wsum_app, wsum_rev. reflexivity. Qed.

(** * Lists without repetition *)

Section Apart.
  Context {A B : Type} (mem : B -> A -> bool) (add : B -> A -> B).
  Context (mem_add : forall s x y, mem (add s x) y = true <-> y = x \/ mem s y = true).

  Fixpoint apart (l : list A) (seen : B) : bool :=
    match l with [] => true | x :: l => if mem seen x then false else apart l (add seen x) end.

  Lemma apart_sound l : forall seen, apart l seen = true -> NoDup l /\ forall x, In x l -> mem seen x = false.
  Proof.
    induction l as [|x l IH]; cbn [apart]; intros seen; [split; [constructor|intros ? []]|].
    destruct (mem seen x) eqn:E; [discriminate|]. intros H. destruct (IH _ H) as [N M]. split.
    - constructor; auto. intros I. apply M in I. rewrite <- not_true_iff_false, mem_add in I. tauto.
    - intros y [->|I]; auto. apply M in I. rewrite <- not_true_iff_false, mem_add in I. apply not_true_iff_false. tauto.
  Qed.
End Apart.

Definition distinct_points (l : list point) : bool := apart pmem padd l (PM.empty _).
Definition distinct (l : list id) : bool := apart imem iadd l (PM.empty _).

Lemma distinct_points_sound l : distinct_points l = true -> NoDup l.
Proof. intros H. now apply (apart_sound pmem padd pmem_padd) in H. Qed.

Lemma distinct_sound l : distinct l = true -> NoDup l.
Proof. intros H. now apply (apart_sound imem iadd imem_iadd) in H. Qed.

(** In a list without repetition one element is found once. *)
Lemma wsum_one {A} (w : A -> Z) l a : NoDup l -> In a l -> (forall b, In b l -> b <> a -> w b = 0) -> wsum w l = w a.
Proof.
  induction 1 as [|b l Nb N IH]; intros []; intros Z0; rewrite wsum_cons.
  - subst. rewrite wsum_zero; [lia|]. intros c I. apply Z0; cbn; auto. intros ->. auto.
  - rewrite IH; auto; [|intros; apply Z0; cbn; auto]. rewrite Z0; cbn; auto. intros ->. auto.
Qed.

(** Leaves out neighbours that are equal; turns the order around. *)
Definition unique_points (l : list point) : list point :=
  fold_left (fun acc x => match acc with y :: _ => if point_eqb x y then acc else x :: acc | [] => [x] end) l [].

Lemma unique_points_in l x : In x (unique_points l) <-> In x l.
Proof.
  unfold unique_points.
  assert (H : forall acc, In x (fold_left (fun acc x => match acc with y :: _ => if point_eqb x y then acc else x :: acc | [] => [x] end) l acc)
    <-> In x acc \/ In x l).
  { induction l as [|y l IH]; cbn [fold_left]; intros acc; [cbn; tauto|]. rewrite IH.
    destruct acc as [|z acc]; [cbn; tauto|]. destruct (point_eqb y z) eqn:E; [apply point_eqb_eq in E; subst|]; cbn; tauto. }
  rewrite H; cbn; tauto.
Qed.

(** The points of a list, sorted, each once. *)
Definition sorted_points (l : list point) : list point := unique_points (sort (fun p q => point_leb q p) l).

Lemma sorted_points_in l x : In x (sorted_points l) <-> In x l.
Proof. unfold sorted_points. now rewrite unique_points_in, sort_in. Qed.

Lemma point_delta a b p z : (if point_eqb (a, b) p then z else 0) = delta a (fst p) * delta b (snd p) * z.
Proof.
  unfold point_eqb, delta. cbn [fst snd]. destruct (Pos.eqb a (fst p)), (Pos.eqb b (snd p)); cbn [andb]; lia.
Qed.
