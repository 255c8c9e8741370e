(** The local states in which requests come, listed. *)

From Coq Require Import List PArith ZArith Bool Lia.
From Proved Require Import Sets.
From Proved.Programs Require Import Syntax Semantics.
Import ListNotations.
Open Scope Z_scope.

(** More values of the parameters of one request are refused. *)
Definition most_values : Z := 1000000.

Definition values (range : Z * Z) : list Z :=
  map (fun i => fst range + Z.of_nat i) (seq 0 (Z.to_nat (snd range - fst range + 1))).

Fixpoint combinations (ranges : list (Z * Z)) : list (list Z) :=
  match ranges with
  | [] => [[]]
  | range :: ranges => let rest := combinations ranges in flat_map (fun v => map (cons v) rest) (values range)
  end.

Definition few_values (ranges : list (Z * Z)) : bool :=
  forallb (fun range => snd range - fst range <? most_values) ranges &&
  (fold_right (fun range n => Z.max 1 (snd range - fst range + 1) * n) 1 ranges <=? most_values).

Definition starts_of (q : request) : list (asked * local) :=
  map (fun vs => ((name q, vs), Running (body q) (vs ++ repeat 0 (others q)))) (combinations (parameters q)).

Definition all_starts (p : program) : option (list (asked * local)) :=
  if forallb (fun q => few_values (parameters q)) (requests p) then Some (flat_map starts_of (requests p)) else None.

Lemma values_in range v : In v (values range) <-> within v range.
Proof.
  unfold values, within. rewrite in_map_iff. split.
  - intros (i & <- & I). apply in_seq in I. lia.
  - intros H. exists (Z.to_nat (v - fst range)). split; [lia|]. apply in_seq. lia.
Qed.

Lemma combinations_in ranges : forall vs, In vs (combinations ranges) <-> Forall2 within vs ranges.
Proof.
  induction ranges as [|range ranges IH]; intros vs; cbn [combinations].
  - split; [intros [<-|[]]; constructor|intros H; inversion H; now left].
  - rewrite in_flat_map. split.
    + intros (v & V & H). apply in_map_iff in H as (ws & <- & W). constructor; [now apply values_in|now apply IH].
    + intros H. inversion H as [|v ? ws ? V W]; subst. exists v. split; [now apply values_in|]. apply in_map. now apply IH.
Qed.

Lemma all_starts_in p l : all_starts p = Some l -> forall a s, In (a, s) l <-> comes p a s.
Proof.
  unfold all_starts. destruct (forallb _ _); [|discriminate]. intros [= <-] a s. rewrite in_flat_map. split.
  - intros (q & Q & I). unfold starts_of in I. apply in_map_iff in I as (vs & [= <- <-] & I). constructor; auto. now apply combinations_in.
  - intros [q vs Q F]. exists q. split; auto. unfold starts_of. apply in_map_iff. exists vs. split; auto. now apply combinations_in.
Qed.
