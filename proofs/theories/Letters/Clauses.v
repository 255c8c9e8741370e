(** What is said about counts outside of regions, as clauses. Where two literals
    must hold at once, a new variable is 1 if both do and 0 otherwise. *)

From Coq Require Import List ZArith PArith Bool Lia.
From Proved Require Import Sets Sums Tree LinearSet.
From Proved.Letters Require Import Sum Region Counting.
Import ListNotations.
Open Scope Z_scope.

Lemma literal_dec (l m : literal) : {l = m} + {l <> m}.
Proof.
  assert (E : forall d e : linear, {d = e} + {d <> e}).
  { intros [ts c] [us d]. destruct (Z.eq_dec c d) as [->|N]; [|right; congruence].
    destruct (list_eq_dec (fun x y : id * Z => ltac:(decide equality; [apply Z.eq_dec|apply Pos.eq_dec])) ts us) as [->|N]; [left; auto|right; congruence]. }
  destruct l as [d|d k], m as [e|e j]; try (right; congruence).
  - destruct (E d e) as [->|N]; [left; auto|right; congruence].
  - destruct (E d e) as [->|N]; [|right; congruence]. destruct (Z.eq_dec k j) as [->|N]; [left; auto|right; congruence].
Defined.

(** A clause and those of new variables, the last ones first; the variables with
    their literals; the next variable; and whether a literal holds for any counts. *)
Record whole := Whole { written : list literal; others : list (list literal); coined : list (id * (literal * literal)); top : id; trivially : bool }.

Definition either (w : whole) (l : literal) : whole :=
  match certain l with
  | Some true => Whole (written w) (others w) (coined w) (top w) true
  | Some false => w
  | None =>
      if existsb (fun m => if literal_dec l m then true else false) (written w) then w
      else Whole (l :: written w) (others w) (coined w) (top w) (trivially w)
  end.

Definition put_item (w : whole) (i : item) : whole :=
  match i with
  | Either l => either w l
  | Both a b =>
      match certain a, certain b with
      | Some false, _ | _, Some false => w
      | Some true, _ => either w b
      | _, Some true => either w a
      | None, None =>
          let z := top w in
          let not := AtLeastZero (Linear [(z, -1)] 0) in
          Whole (AtLeastZero (Linear [(z, 1)] (-1)) :: written w) ([not; b] :: [not; a] :: others w) ((z, (a, b)) :: coined w) (Pos.succ z) (trivially w)
      end
  end.

(** The clauses, the new variables, and the next one. *)
Definition item_clauses (n : id) (is : list item) : list (list literal) * list (id * (literal * literal)) * id :=
  let w := fold_left put_item is (Whole [] [] [] n false) in
  if trivially w then ([], [], n) else (rev_append (written w) [] :: rev_append (others w) [], coined w, top w).

Definition item_over (n : id) (i : item) : bool :=
  match i with Either l => literal_over n l | Both l m => literal_over n l && literal_over n m end.

Section Sound.
  (** Counts, and values that are the same below a number and say of each new variable what they should. *)
  Context (b : id) (v0 v : id -> Z) (agree : forall x, (x < b)%positive -> v x = v0 x) (positive : forall x, 0 <= v0 x).

  Lemma over_holds l : literal_over b l = true -> holds v l <-> holds v0 l.
  Proof.
    assert (H : forall e, over b e = true -> value v e = value v0 e).
    { intros e O. unfold value. f_equal. apply tsum_ext. intros t I. apply agree. now apply (proj1 (over_in b e) O). }
    destruct l; cbn [literal_over holds]; intros O; rewrite H by auto; tauto.
  Qed.

  Definition stands (e : id * (literal * literal)) : Prop :=
    let '(z, (l, m)) := e in (holds v0 l /\ holds v0 m /\ v z = 1) \/ (~ (holds v0 l /\ holds v0 m) /\ v z = 0).

  Definition fine (w : whole) : Prop := Forall (Exists (holds v)) (others w).
  Definition said (w : whole) : Prop := trivially w = true \/ Exists (holds v) (written w).

  Lemma either_said w l : literal_over b l = true -> (said w \/ holds v0 l -> said (either w l)) /\ (fine w -> fine (either w l)) /\ coined (either w l) = coined w.
  Proof.
    intros O. unfold either. destruct (certain l) as [[|]|] eqn:C.
    - split; [left; auto|split; auto].
    - split; [|auto]. intros [|H]; auto. destruct (certain_false v0 l positive C H).
    - destruct (existsb _ _) eqn:E; split; auto.
      + intros [|H]; auto. right. apply existsb_exists in E as (m & I & E). destruct (literal_dec l m) as [->|]; [|discriminate].
        apply Exists_exists. exists m. split; auto. now apply over_holds.
      + intros [[T|H]|H]; [left; auto|right; cbn; auto|right; cbn]. apply Exists_cons_hd. now apply over_holds.
  Qed.

  Lemma put_item_said w i : item_over b i = true -> (forall e, In e (coined (put_item w i)) -> stands e) ->
    (said w \/ item_holds v0 i -> said (put_item w i)) /\ (fine w -> fine (put_item w i)).
  Proof.
    destruct i as [l|l m]; cbn [item_over put_item item_holds]; intros O St; [now destruct (either_said w l O) as (A & B & _)|].
    apply andb_true_iff in O as [Ol Om]. destruct (either_said w l Ol) as (A1 & B1 & _). destruct (either_said w m Om) as (A2 & B2 & _).
    destruct (certain l) as [[|]|] eqn:Cl.
    - destruct (certain m) as [[|]|] eqn:Cm; split; auto; try tauto.
      intros [|[_ H]]; auto. destruct (certain_false v0 m positive Cm H).
    - split; auto. intros [|[H _]]; auto. destruct (certain_false v0 l positive Cl H).
    - destruct (certain m) as [[|]|] eqn:Cm.
      + split; auto. tauto.
      + split; auto. intros [|[_ H]]; auto. destruct (certain_false v0 m positive Cm H).
      + specialize (St (top w, (l, m)) (or_introl eq_refl)). cbn [stands] in St. set (z := top w) in *.
        assert (V : forall c d, value v (Linear [(z, c)] d) = c * v z + d) by (intros; unfold value; cbn; lia).
        split.
        * intros H. destruct H as [[T|H]|[Hl Hm]]; [left; auto|right; cbn; auto|right]. cbn [written]. apply Exists_cons_hd. cbn [holds]. rewrite V.
          destruct St as [(_ & _ & ->)|(N & _)]; [lia|tauto].
        * intros F. unfold fine. cbn [others]. destruct St as [(Hl & Hm & _)|(_ & Z0)]; (apply Forall_cons; [|apply Forall_cons; [|exact F]]).
          -- apply Exists_cons_tl, Exists_cons_hd. now apply over_holds.
          -- apply Exists_cons_tl, Exists_cons_hd. now apply over_holds.
          -- apply Exists_cons_hd. cbn [holds]. rewrite V, Z0. lia.
          -- apply Exists_cons_hd. cbn [holds]. rewrite V, Z0. lia.
  Qed.

  Lemma coined_more w i e : In e (coined w) -> In e (coined (put_item w i)).
  Proof.
    assert (H : forall l, coined (either w l) = coined w) by (intros l; unfold either; destruct (certain l) as [[|]|]; auto; destruct (existsb _ _); auto).
    destruct i as [l|l m]; cbn [put_item]; [now rewrite H|].
    destruct (certain l) as [[|]|], (certain m) as [[|]|]; rewrite ?H; auto. cbn; auto.
  Qed.

  Lemma items_said is : forall w, forallb (item_over b) is = true -> (forall e, In e (coined (fold_left put_item is w)) -> stands e) ->
    (said w \/ Exists (item_holds v0) is -> said (fold_left put_item is w)) /\ (fine w -> fine (fold_left put_item is w)).
  Proof.
    assert (More : forall is w e, In e (coined w) -> In e (coined (fold_left put_item is w))).
    { induction is0 as [|i is0 IH]; cbn [fold_left]; auto. intros. apply IH, coined_more; auto. }
    induction is as [|i is IH]; cbn [fold_left forallb]; intros w O St; [split; auto; intros [|H]; auto; inversion H|].
    apply andb_true_iff in O as [O1 O2]. destruct (IH (put_item w i) O2 St) as [A B].
    destruct (put_item_said w i O1) as [C D]; [intros e I; apply St, More, I|]. split; auto.
    intros [H|H]; [auto|]. inversion H as [? ? Hi|? ? Hi]; subst; auto.
  Qed.

  Theorem item_clauses_sound n is cs zs m : item_clauses n is = (cs, zs, m) -> forallb (item_over b) is = true ->
    (forall e, In e zs -> stands e) -> Exists (item_holds v0) is -> Forall (Exists (holds v)) cs.
  Proof.
    unfold item_clauses. set (w := fold_left put_item is (Whole [] [] [] n false)). destruct (trivially w) eqn:T; intros [= <- <- <-] O St H; [constructor|].
    destruct (items_said is (Whole [] [] [] n false) O St) as [A B]. fold w in A, B.
    assert (RE : forall l, Exists (holds v) l -> Exists (holds v) (rev_append l [])).
    { intros l. rewrite !Exists_exists, rev_append_rev, app_nil_r. intros (x & I & X). exists x. split; auto. now apply -> in_rev. }
    constructor.
    - destruct (A (or_intror H)) as [T'|]; [congruence|auto].
    - rewrite rev_append_rev, app_nil_r. apply Forall_rev, B. constructor.
  Qed.
End Sound.
