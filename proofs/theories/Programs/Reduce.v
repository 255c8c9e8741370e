(** One small step as a function, and that it is the one of the definition. *)

From Coq Require Import List ZArith Bool Lia.
From Proved Require Import Sets.
From Proved.Programs Require Import Syntax Semantics.
Import ListNotations.
Open Scope Z_scope.

(** What comes of a term; [Loops] is a small step that unfolds a loop. *)
Inductive reduced :=
| Value (v : Z)
| To (m : moment)
| Loops (e : expr)
| Either (a b : expr)
| Waits (e : expr)
| Answers (v : Z)
| Faulty.

Definition in_frame (f : frame) (m : moment) : moment := Moment (fill f (left m)) (registers m) (shared m).

Definition under (f : frame) (x : reduced) : reduced :=
  match x with
  | To m => To (in_frame f m)
  | Loops e => Loops (fill f e)
  | Either a b => Either (fill f a) (fill f b)
  | Waits e => Waits (fill f e)
  | x => x
  end.

Section Reduce.
  Context (r g : store).

  Definition to (e : expr) : reduced := To (Moment e r g).
  Definition result (v : option Z) : reduced := match v with Some v => to (Number v) | None => Faulty end.

  Fixpoint reduce (e : expr) : reduced :=
    match e with
    | Number v => Value v
    | Choice => Either (Number 0) (Number 1)
    | Yield => Waits (Number 0)
    | Read x => to (Number (look (Moment e r g) x))
    | Assign x a => match reduce a with Value v => To (write (Moment e r g) x v (Number v)) | d => under (AssignTo x) d end
    | Not a => match reduce a with Value v => to (Number (truth (v =? 0))) | d => under NotOf d end
    | Negate a => match reduce a with Value v => result (ranged (- v)) | d => under NegateOf d end
    | Binary o a b =>
        match reduce a with
        | Value v => match reduce b with Value w => result (apply o v w) | d => under (RightOf o v) d end
        | d => under (LeftOf o b) d
        end
    | And a b => match reduce a with Value v => to (if v =? 0 then Number 0 else Not (Not b)) | d => under (AndThen b) d end
    | Or a b => match reduce a with Value v => to (if v =? 0 then Not (Not b) else Number 1) | d => under (OrElse b) d end
    | Seq a b => match reduce a with Value _ => to b | d => under (Before b) d end
    | If c a b => match reduce c with Value v => to (if v =? 0 then b else a) | d => under (Test a b) d end
    | While c b => Loops (If c (Seq b (While c b)) (Number 0))
    | Return a => match reduce a with Value v => Answers v | d => under ReturnOf d end
    end.

  (** The small steps that keep their context. *)
  Inductive inner : expr -> moment -> Prop :=
  | inner_becomes E e e' : becomes (Moment e r g) e e' -> inner (plug E e) (Moment (plug E e') r g)
  | inner_assigns E x v : inner (plug E (Assign x (Number v))) (write (Moment (Number 0) r g) x v (plug E (Number v))).

  Lemma inner_frame f e m : inner e m -> inner (fill f e) (in_frame f m).
  Proof.
    intros [E a a' B|E x v].
    - exact (inner_becomes (f :: E) a a' B).
    - assert (H : in_frame f (write (Moment (Number 0) r g) x v (plug E (Number v))) = write (Moment (Number 0) r g) x v (plug (f :: E) (Number v)))
        by now destruct x.
      rewrite H. exact (inner_assigns (f :: E) x v).
  Qed.

  (** What the function says. *)
  Definition says (e : expr) (x : reduced) : Prop :=
    match x with
    | Value v => e = Number v
    | To m => inner e m
    | Loops e' => inner e (Moment e' r g)
    | Either a b => exists E, e = plug E Choice /\ a = plug E (Number 0) /\ b = plug E (Number 1)
    | Waits e' => exists E, e = plug E Yield /\ e' = plug E (Number 0)
    | Answers v => exists E, e = plug E (Return (Number v))
    | Faulty => exists E f, e = plug E f /\ faulty f
    end.

  Lemma says_under f e x : (forall v, x <> Value v) -> says e x -> says (fill f e) (under f x).
  Proof.
    destruct x as [v|m|e'|a b|e'|v|]; cbn [says under]; intros N H.
    - now destruct (N v).
    - now apply inner_frame.
    - exact (inner_frame f e _ H).
    - destruct H as (E & -> & -> & ->). now exists (f :: E).
    - destruct H as (E & -> & ->). now exists (f :: E).
    - destruct H as (E & ->). now exists (f :: E).
    - destruct H as (E & h & -> & Fh). now exists (f :: E), h.
  Qed.

  Lemma inner_here e e' : becomes (Moment e r g) e e' -> inner e (Moment e' r g).
  Proof. exact (inner_becomes [] e e'). Qed.

  Lemma says_result e v : (forall w, v = Some w -> becomes (Moment e r g) e (Number w)) -> (v = None -> faulty e) -> says e (result v).
  Proof.
    intros A B. destruct v; cbn; [now apply inner_here, A|]. exists [], e. split; auto.
  Qed.

  Ltac step_under f := match goal with H : says ?a ?d |- _ => refine (says_under f a d _ H); congruence end.

  Lemma reduce_says e : says e (reduce e).
  Proof.
    induction e as [v| | |x|x a IH|a IH|a IH|o a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|c IHc a IHa b IHb|c IHc b IHb|a IH]; cbn [reduce].
    - reflexivity.
    - now exists [].
    - now exists [].
    - apply inner_here. constructor.
    - destruct (reduce a); try step_under (AssignTo x). cbn in IH. subst a. cbn [says].
      replace (write (Moment (Assign x (Number v)) r g) x v (Number v)) with (write (Moment (Number 0) r g) x v (Number v)) by now destruct x.
      exact (inner_assigns [] x v).
    - destruct (reduce a); try step_under NotOf. cbn in IH. subst a. apply inner_here. constructor.
    - destruct (reduce a); try step_under NegateOf. cbn in IH. subst a. apply says_result; intros; now constructor.
    - destruct (reduce a) as [v| | | | | |] eqn:Ea; try step_under (LeftOf o b). cbn in IHa. subst a.
      destruct (reduce b) as [w| | | | | |] eqn:Eb; try step_under (RightOf o v). cbn in IHb. subst b.
      apply says_result; intros; now constructor.
    - destruct (reduce a) as [v| | | | | |]; try step_under (AndThen b). cbn in IHa. subst a. apply inner_here.
      destruct (Z.eqb_spec v 0) as [->|]; now constructor.
    - destruct (reduce a) as [v| | | | | |]; try step_under (OrElse b). cbn in IHa. subst a. apply inner_here.
      destruct (Z.eqb_spec v 0) as [->|]; now constructor.
    - destruct (reduce a) as [v| | | | | |]; try step_under (Before b). cbn in IHa. subst a. apply inner_here. constructor.
    - destruct (reduce c) as [v| | | | | |]; try step_under (Test a b). cbn in IHc. subst c. apply inner_here.
      destruct (Z.eqb_spec v 0) as [->|]; now constructor.
    - apply inner_here. constructor.
    - destruct (reduce a) as [v| | | | | |]; try step_under ReturnOf. cbn in IH. subst a. now exists [].
  Qed.

  (** There is one way only to see a term as a context with something in it. *)
  Lemma reduce_plug E h : (forall v, reduce h <> Value v) -> reduce (plug E h) = fold_right under (reduce h) E.
  Proof.
    intros N. assert (U : forall E v, fold_right under (reduce h) E <> Value v).
    { clear -N. induction E as [|f E IH]; cbn; auto. intros v. specialize (IH v). destruct (fold_right under (reduce h) E); cbn; congruence. }
    induction E as [|f E IH]; cbn; auto. rewrite <- IH in *. specialize (U E).
    destruct f; cbn [fill reduce]; rewrite <- ?IH in U; destruct (reduce (plug E h)); try reflexivity; exfalso; eapply U; eauto.
  Qed.

  Lemma under_to E m : fold_right under (To m) E = To (Moment (plug E (left m)) (registers m) (shared m)).
  Proof. induction E as [|f E IH]; cbn; [now destruct m|]. now rewrite IH. Qed.

  Lemma under_loops E e : fold_right under (Loops e) E = Loops (plug E e).
  Proof. induction E as [|f E IH]; cbn; auto. now rewrite IH. Qed.

  Lemma under_either E a b : fold_right under (Either a b) E = Either (plug E a) (plug E b).
  Proof. induction E as [|f E IH]; cbn; auto. now rewrite IH. Qed.

  Lemma reduce_yield E : reduce (plug E Yield) = Waits (plug E (Number 0)).
  Proof. rewrite reduce_plug by discriminate. induction E as [|f E IH]; cbn in *; auto. now rewrite IH. Qed.

  Lemma reduce_return E v : reduce (plug E (Return (Number v))) = Answers v.
  Proof. rewrite reduce_plug by discriminate. cbn [reduce]. induction E as [|f E IH]; cbn in *; auto. now rewrite IH. Qed.

  Lemma reduce_faulty E f : faulty f -> reduce (plug E f) = Faulty.
  Proof.
    intros F. assert (H : reduce f = Faulty) by (destruct F as [v H|o v w H]; cbn; now rewrite H).
    rewrite reduce_plug, H by (rewrite H; discriminate). induction E as [|k E IH]; cbn; auto. now rewrite IH.
  Qed.

  (** The moments after one small step. *)
  Definition after (x : reduced) : list moment :=
    match x with
    | To m => [m]
    | Loops e => [Moment e r g]
    | Either a b => [Moment a r g; Moment b r g]
    | Answers v => [Moment (Number v) r g]
    | Value _ | Waits _ | Faulty => []
    end.

  Lemma becomes_reduce m e e' : registers m = r -> shared m = g -> becomes m e e' ->
    (forall v, reduce e <> Value v) /\ (reduce e = to e' \/ reduce e = Loops e' \/ exists a b, reduce e = Either a b /\ (e' = a \/ e' = b)).
  Proof.
    intros Er Eg B.
    destruct B as [| |x|v|v w H|o v w u H|b|v b N|b|v b N|v b|a b|v a b N|c b]; cbn [reduce]; try (split; [discriminate|]); eauto 8.
    - left. unfold to, look. cbn. now destruct x; rewrite ?Er, ?Eg.
    - rewrite H. split; [discriminate|auto].
    - rewrite H. split; [discriminate|auto].
    - left. now rewrite (proj2 (Z.eqb_neq v 0) N).
    - left. now rewrite (proj2 (Z.eqb_neq v 0) N).
    - left. now rewrite (proj2 (Z.eqb_neq v 0) N).
  Qed.

  Lemma becomes_left e k a b : becomes (Moment e r g) a b -> becomes (Moment k r g) a b.
  Proof.
    destruct 1; try now constructor. replace (look (Moment e r g) x) with (look (Moment k r g) x) by now destruct x. constructor.
  Qed.

  Theorem small_reduce e m : small (Moment e r g) m <-> In m (after (reduce e)).
  Proof.
    split.
    - remember (Moment e r g) as k eqn:Ek. intros H; destruct H as [E a a' r' g' B|E x v r' g' m0|E v r' g']; [|unfold m0 in *; clear m0|]; injection Ek as <- -> ->.
      + apply becomes_reduce in B as (N & [H|[H|(c & d & H & X)]]); auto; rewrite reduce_plug, H by (auto; rewrite H; discriminate).
        * unfold to. rewrite under_to. now left.
        * rewrite under_loops. now left.
        * rewrite under_either. cbn. destruct X as [-> | ->]; auto.
      + rewrite reduce_plug by discriminate. cbn [reduce]. rewrite under_to. cbn [after]. left. now destruct x.
      + rewrite reduce_return. now left.
    - pose proof (reduce_says e) as H. destruct (reduce e) as [v|n|e'|a b|e'|v|]; cbn in *; try tauto.
      + intros [<-|[]]. destruct H as [E a a' B|E x v].
        * constructor. eapply becomes_left; eauto.
        * replace (write (Moment (Number 0) r g) x v (plug E (Number v))) with
            (write (Moment (plug E (Assign x (Number v))) r g) x v (plug E (Number v))) by now destruct x.
          constructor.
      + intros [<-|[]]. remember (Moment e' r g) as n eqn:En. destruct H as [E a a' B|E x v].
        * rewrite En in *. injection En as <-. constructor. eapply becomes_left; eauto.
        * replace (write (Moment (Number 0) r g) x v (plug E (Number v))) with
            (write (Moment (plug E (Assign x (Number v))) r g) x v (plug E (Number v))) by now destruct x.
          constructor.
      + destruct H as (E & -> & -> & ->). intros [<-|[<-|[]]]; apply inside; [apply choose_0|apply choose_1].
      + destruct H as (E & ->). intros [<-|[]]. constructor.
  Qed.
End Reduce.
