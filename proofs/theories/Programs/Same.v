(** Comparing states of programs, and keys under which they are kept.

    A key only says where to look: what is found there is compared, so nothing is proved about keys. *)

From Coq Require Import List ZArith Bool.
From Proved Require Import Sets.
From Proved.Programs Require Import Syntax Semantics.
Import ListNotations.
Open Scope Z_scope.

(** * Equality *)

Definition var_eqb (x y : var) : bool :=
  match x, y with Global n, Global m | Local n, Local m => Nat.eqb n m | _, _ => false end.

Definition operator_number (o : operator) : positive :=
  match o with
  | Add => 1 | Subtract => 2 | Multiply => 3 | Divide => 4 | Remainder => 5
  | Equal => 6 | NotEqual => 7 | Less => 8 | LessOrEqual => 9 | Greater => 10 | GreaterOrEqual => 11
  end.

Fixpoint expr_eqb (e f : expr) : bool :=
  match e, f with
  | Number v, Number w => v =? w
  | Choice, Choice | Yield, Yield => true
  | Read x, Read y => var_eqb x y
  | Assign x a, Assign y b => var_eqb x y && expr_eqb a b
  | Not a, Not b | Negate a, Negate b | Return a, Return b => expr_eqb a b
  | Binary o a b, Binary p c d => Pos.eqb (operator_number o) (operator_number p) && expr_eqb a c && expr_eqb b d
  | And a b, And c d | Or a b, Or c d | Seq a b, Seq c d | While a b, While c d => expr_eqb a c && expr_eqb b d
  | If a b c, If d h i => expr_eqb a d && expr_eqb b h && expr_eqb c i
  | _, _ => false
  end.

Fixpoint store_eqb (s t : store) : bool :=
  match s, t with
  | [], [] => true
  | v :: s, w :: t => (v =? w) && store_eqb s t
  | _, _ => false
  end.

Definition local_eqb (l m : local) : bool :=
  match l, m with
  | Running e r, Running f s => store_eqb r s && expr_eqb e f
  | Finished v, Finished w => v =? w
  | _, _ => false
  end.

Definition moment_eqb (m n : moment) : bool :=
  store_eqb (registers m) (registers n) && store_eqb (shared m) (shared n) && expr_eqb (left m) (left n).

Definition asked_eqb (a b : asked) : bool := Pos.eqb (fst a) (fst b) && store_eqb (snd a) (snd b).

Lemma var_eqb_eq x y : var_eqb x y = true -> x = y.
Proof. destruct x, y; cbn; try discriminate; intros H; apply Nat.eqb_eq in H; now subst. Qed.

Lemma operator_number_eq o p : operator_number o = operator_number p -> o = p.
Proof. destruct o, p; cbn; congruence. Qed.

Lemma expr_eqb_eq e : forall f, expr_eqb e f = true -> e = f.
Proof.
  induction e; intros [] H; cbn in H; try discriminate H; auto; rewrite ?andb_true_iff in H;
    repeat match goal with H : _ /\ _ |- _ => destruct H end; f_equal; auto using var_eqb_eq, operator_number_eq.
  - now apply Z.eqb_eq.
  - apply operator_number_eq. now apply Pos.eqb_eq.
Qed.

Lemma store_eqb_eq s : forall t, store_eqb s t = true -> s = t.
Proof. induction s as [|v s IH]; intros [|w t]; cbn; try discriminate; auto. intros [H K]%andb_true_iff. apply Z.eqb_eq in H. f_equal; auto. Qed.

Lemma store_eqb_refl s : store_eqb s s = true.
Proof. induction s; cbn; auto. now rewrite Z.eqb_refl. Qed.

Lemma local_eqb_eq l m : local_eqb l m = true -> l = m.
Proof.
  destruct l, m; cbn; try discriminate.
  - intros [H K]%andb_true_iff. f_equal; [now apply expr_eqb_eq|now apply store_eqb_eq].
  - intros H%Z.eqb_eq. now subst.
Qed.

Lemma moment_eqb_eq m n : moment_eqb m n = true -> m = n.
Proof.
  destruct m, n. unfold moment_eqb. cbn. intros [[H K]%andb_true_iff L]%andb_true_iff.
  f_equal; auto using store_eqb_eq, expr_eqb_eq.
Qed.

Lemma asked_eqb_eq a b : asked_eqb a b = true -> a = b.
Proof. destruct a, b. unfold asked_eqb. cbn. intros [H K]%andb_true_iff. apply Pos.eqb_eq in H. f_equal; auto using store_eqb_eq. Qed.

(** * Keys *)

(** The low bits of a number, put before a key. *)
Fixpoint low (n : nat) (p k : positive) : positive :=
  match n, p with
  | S n, xO p => low n p (xO k)
  | S n, xI p => low n p (xI k)
  | _, _ => k
  end.

Definition value_key (v : Z) (k : positive) : positive :=
  match v with Z0 => xO k | Zpos p => low 12 p (xO (xI k)) | Zneg p => low 12 p (xI (xI k)) end.

Definition store_key (s : store) (k : positive) : positive := fold_left (fun k v => value_key v k) s k.

(** How many parts a sequence has. *)
Fixpoint parts (e : expr) (n : positive) : positive := match e with Seq _ b => parts b (Pos.succ n) | _ => n end.

Definition var_key (x : var) (k : positive) : positive :=
  match x with Global n => xO (low 8 (Pos.of_succ_nat n) k) | Local n => xI (low 8 (Pos.of_succ_nat n) k) end.

(** What stands on the way to the hole. *)
Fixpoint expr_key (depth : nat) (e : expr) (k : positive) : positive :=
  match depth with
  | O => k
  | S depth =>
      match e with
      | Number v => value_key v (xO (xO k))
      | Choice | Yield => xI (xO k)
      | Read x => var_key x (xO (xI k))
      | Assign x a => expr_key depth a (var_key x k)
      | Not a => expr_key depth a (xO (xO (xO k)))
      | Negate a => expr_key depth a (xI (xO (xO k)))
      | Return a => expr_key depth a (xO (xI (xO k)))
      | Binary o (Number v) b => expr_key depth b (value_key v k)
      | Binary o a _ => expr_key depth a (low 4 (operator_number o) k)
      | And a b => expr_key depth a (xO (xO (xI k)))
      | Or a b => expr_key depth a (xI (xO (xI k)))
      | Seq a b => expr_key depth a (low 8 (parts b 1) (xO k))
      | If c a b => expr_key depth c (low 4 (parts a 1) (low 4 (parts b 1) (xI k)))
      | While c b => expr_key depth c (low 4 (parts b 1) k)
      end
  end.

Definition local_key (l : local) (k : positive) : positive :=
  match l with Running e r => store_key r (expr_key 12 e (xO k)) | Finished v => value_key v (xI k) end.

Definition moment_key (m : moment) : positive := store_key (shared m) (store_key (registers m) (expr_key 12 (left m) xH)).

(** * Indexes by key *)

Section Keyed.
  Context {A B : Type} (key : A -> positive) (eqb : A -> A -> bool) (eqb_eq : forall a b, eqb a b = true -> a = b).

  Definition keyed (l : list (A * B)) : PM.t (list (A * B)) := index1 (tmap (fun e => (key (fst e), e)) l).

  (** The first entry that is found. *)
  Definition find_at (m : PM.t (list (A * B))) (a : A) : option B :=
    match find (fun e => eqb a (fst e)) (found1 m (key a)) with Some e => Some (snd e) | None => None end.

  Lemma find_at_in l a b : find_at (keyed l) a = Some b -> In (a, b) l.
  Proof.
    unfold find_at. destruct (find _ _) as [[c d]|] eqn:E; [|discriminate]. intros [= <-]. apply find_some in E as [I E].
    cbn in E. apply eqb_eq in E as <-. unfold keyed in I. apply found_index1, tmap_in in I as (e & [= _ ->] & I). exact I.
  Qed.
End Keyed.
