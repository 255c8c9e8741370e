(** Which local states may occur together: markings.

    A marking says of some local states that any number of requests may be in them, and of others how many at most.
    Local states are numbers here. *)

From Coq Require Import List PArith Arith Bool Lia Permutation.
From Proved Require Import Sets.
Import ListNotations.

(** Those in which any number of requests may be; and others, as often as they are listed. *)
Record marking := Marking { many : idset; few : list id }.

Definition count (l : list id) (i : id) : nat := count_occ Pos.eq_dec l i.
Definition covers (m : marking) (ns : list id) : Prop := forall i, imem (many m) i = true \/ count ns i <= count (few m) i.

Lemma covers_in m ns i : covers m ns -> In i ns -> imem (many m) i = true \/ In i (few m).
Proof.
  intros C I. destruct (C i) as [|L]; auto. right. apply (count_occ_In Pos.eq_dec) in I. apply (count_occ_In Pos.eq_dec).
  unfold count in L. lia.
Qed.

Lemma covers_nil m : covers m [].
Proof. intros i. right. cbn. lia. Qed.

Lemma covers_cons m ns i : imem (many m) i = true -> covers m ns -> covers m (i :: ns).
Proof.
  intros I C j. destruct (C j) as [|L]; auto. destruct (Pos.eq_dec i j) as [->|N]; auto. right. unfold count in *. now rewrite count_occ_cons_neq.
Qed.

Lemma covers_less m n1 i n2 : covers m (n1 ++ i :: n2) -> covers m (n1 ++ n2).
Proof.
  intros C j. destruct (C j) as [|L]; auto. right. unfold count in *. rewrite count_occ_app in *. cbn in L. destruct (Pos.eq_dec i j); lia.
Qed.

(** All that is below one marking is below the other. *)
Definition all_many (m m' : marking) : bool := forallb (fun e => imem (many m') (fst e)) (PM.elements (many m)).

Lemma all_many_in m m' i : all_many m m' = true -> imem (many m) i = true -> imem (many m') i = true.
Proof.
  unfold all_many. rewrite forallb_forall. intros A. unfold imem at 1. destruct (PM.find i (many m)) as [u|] eqn:E; [|discriminate].
  intros _. exact (A (i, u) (PM.elements_correct _ _ E)).
Qed.

Definition to_list (j : option id) : list id := match j with Some j => [j] | None => [] end.

(** A request goes from [i] to [j], or to its end; the others stay. *)
Definition room (m : marking) (i : id) (j : option id) (m' : marking) : bool :=
  forallb (fun k => imem (many m') k || Nat.leb (count (to_list j) k + count (few m) k - (if Pos.eqb k i then 1 else 0)) (count (few m') k)) (to_list j ++ few m).

Lemma covers_move m m' i j n1 n2 : all_many m m' = true -> room m i j m' = true -> covers m (n1 ++ i :: n2) -> covers m' (n1 ++ to_list j ++ n2).
Proof.
  unfold room. rewrite forallb_forall. intros A R C k.
  destruct (imem (many m') k) eqn:N; auto. right. destruct (C k) as [H|L]; [apply (all_many_in m m' k A) in H; congruence|].
  assert (E : count (n1 ++ to_list j ++ n2) k + (if Pos.eqb k i then 1 else 0) = count (to_list j) k + count (n1 ++ i :: n2) k).
  { unfold count. rewrite !count_occ_app. cbn [count_occ]. destruct (Pos.eq_dec i k), (Pos.eqb_spec k i); subst; try congruence; unfold id in *; lia. }
  destruct (in_dec Pos.eq_dec k (to_list j ++ few m)) as [I|I].
  - specialize (R k I). rewrite N in R. apply Nat.leb_le in R. lia.
  - assert (Z : count (few m) k = 0 /\ count (to_list j) k = 0) by (split; apply count_occ_not_In; intros H; apply I, in_or_app; auto). lia.
Qed.

(** Where one leads: the markings above it, by a number. *)
Definition above (m : marking) (candidates : id -> list marking) (targets : list id) : PM.t (list marking) :=
  fold_left (fun t n => if PM.mem n t then t else PM.add n (filter (all_many m) (candidates n)) t) targets (PM.empty _).

Lemma above_in m candidates targets n l : PM.find n (above m candidates targets) = Some l -> l = filter (all_many m) (candidates n).
Proof.
  unfold above. assert (H : forall t, (forall n l, PM.find n t = Some l -> l = filter (all_many m) (candidates n)) -> forall n l,
    PM.find n (fold_left (fun t n => if PM.mem n t then t else PM.add n (filter (all_many m) (candidates n)) t) targets t) = Some l ->
    l = filter (all_many m) (candidates n)).
  { induction targets as [|k targets IH]; cbn; intros t T; auto. apply IH. destruct (PM.mem k t); auto.
    intros i j. destruct (Pos.eq_dec i k) as [->|N]; [rewrite PM.gss; congruence|rewrite PM.gso by auto; auto]. }
  apply H. intros i j. rewrite PM.gempty. discriminate.
Qed.
