(** An example of a tree, and of what is refused. *)

From Coq Require Import List ZArith PArith.
From Proved Require Import Sets Tree.
Import ListNotations.
Open Scope Z_scope.

(** x + y = 1; x is at least 1 or y at least 2; and x + 1 is odd. The same
    example as in the documentation of the other checker. *)
Module Example_tree.
  Definition x := 1%positive.
  Definition y := 2%positive.
  Definition p := Problem 3%positive [Linear [(x, 1); (y, 1)] (-1)] []
    [[AtLeastZero (Linear [(x, 1)] (-1)); AtLeastZero (Linear [(y, 1)] (-2))]; [NotDivisible (Linear [(x, 1)] 1) 2]].
  Definition leaf_sum := [(Known 3%positive, 1); (Known 2%positive, -1)].
  Definition tight := [(Known 2%positive, 1); (Known 1%positive, -1)].
  Definition tree (modulus : Z) := [Clause 1%positive; Clause 2%positive; Lattice modulus leaf_sum tight; Farkas tight].

  Example accepted : check_tree p (tree 2) = true.
  Proof. reflexivity. Qed.
  Example wrong_modulus : check_tree p (tree 3) = false.
  Proof. reflexivity. Qed.
  Example not_tight : check_tree p [Clause 1%positive; Clause 2%positive; Lattice 2 leaf_sum []; Farkas tight] = false.
  Proof. reflexivity. Qed.
  Example child_missing : check_tree p [Clause 1%positive; Clause 2%positive; Lattice 2 leaf_sum tight] = false.
  Proof. reflexivity. Qed.
  Example too_many : check_tree p (tree 2 ++ tree 2) = false.
  Proof. reflexivity. Qed.
  Example wrong_sign : check_tree p [Clause 1%positive; Clause 2%positive; Lattice 2 leaf_sum tight; Farkas [(Known 2%positive, -1)]] = false.
  Proof. reflexivity. Qed.
End Example_tree.
