(** Flow regions: counts of classes that walks of an automaton have. A region says
    how often each edge is used; where the uses are balanced and hang together
    along a tree, they are an Euler walk. What is said about counts outside of a
    region is a clause, with a new variable for some of the arcs of the tree. *)

From Coq Require Import List ZArith PArith Bool Permutation Lia.
From Proved Require Import Sets Sums Euler Tree LinearSet.
From Proved.Letters Require Import Sum.
Import ListNotations.
Open Scope Z_scope.

Record region := Region { last : id; flows : list flow_of; branches : list (id * id) }.

(** In order, and not by recursion. *)
Definition ordered {A B} (f : A -> list B) (l : list A) : list B := rev_append (tflat f l) [].
Definition joined {A} (l m : list A) : list A := rev_append (rev_append l []) m.

Lemma ordered_in {A B} (f : A -> list B) l y : In y (ordered f l) <-> exists x, In x l /\ In y (f x).
Proof. unfold ordered. now rewrite rev_append_rev, app_nil_r, <- in_rev, tflat_in. Qed.

Lemma joined_in {A} (l m : list A) x : In x l \/ In x m -> In x (joined l m).
Proof. unfold joined. rewrite !rev_append_rev, app_nil_r, rev_involutive. apply in_or_app. Qed.

(** One of two things: a literal, or two at once. *)
Inductive item := Either (l : literal) | Both (l m : literal).
Definition item_holds (v : id -> Z) (i : item) : Prop :=
  match i with Either l => holds v l | Both l m => holds v l /\ holds v m end.

(** * What a region says *)

(** The states below each arc, in the order of the arcs. *)
Definition subtrees (tree : list (id * id)) : list ((id * id) * list id) :=
  fst (fold_left (fun a p =>
    let states := snd p :: found1 (snd a) (snd p) in
    let under := rev_append states (found1 (snd a) (fst p)) in
    ((p, states) :: fst a, PM.add (fst p) under (snd a))) (rev_append tree []) ([], PM.empty _)).

Section Items.
  Context (begin : id) (classes : list id) (r : region) (us : list used).

  Definition signed_as (p : used -> bool) : signed := tmap (fun u => (1, u)) (tfilter p us).
  Definition entering (x : id) : signed :=
    tmap (fun u => (delta (target (fst u)) x - delta (origin (fst u)) x, u))
      (tfilter (fun u => negb (Pos.eqb (origin (fst u)) (target (fst u))) && (Pos.eqb (origin (fst u)) x || Pos.eqb (target (fst u)) x)) us).
  Definition states : list id :=
    let ends := tflat (fun u => if Pos.eqb (origin (fst u)) (target (fst u)) then [] else [origin (fst u); target (fst u)]) us in
    rev_append (tmap fst (sorted_points (tmap (fun x => (x, 1%positive)) (begin :: last r :: ends)))) [].

  Definition flow_items : list item :=
    ordered (fun u =>
      [Either (at_least_zero (tmap (fun t => (fst t, - snd t)) (terms (amount (snd u)))) (- constant (amount (snd u)) - 1));
       Either (NotDivisible (amount (snd u)) (per (snd u)))]) us.
  Definition state_items : list item :=
    ordered (fun x => map Either (sum_differs (entering x) (delta x (last r) - delta x begin) None)) states.
  Definition class_items : list item :=
    ordered (fun c => map Either (sum_differs (signed_as (fun u => Pos.eqb (letter_of (fst u)) c)) 0 (Some c))) classes.
  Definition arc_items : list item :=
    ordered (fun a =>
      let '((p, q), below) := a in
      let below := iset below in
      let none := sum_at_most_zero (signed_as (fun u => Pos.eqb (origin (fst u)) p && Pos.eqb (target (fst u)) q)) in
      [if imem below (last r) then Either none
       else Both none (sum_at_least (signed_as (fun u => imem below (origin (fst u)) || imem below (target (fst u)))) 1)]) (subtrees (branches r)).

  Definition items : list item := joined flow_items (joined state_items (joined class_items arc_items)).

  (** The arcs are a tree from the beginning, and have the states of all edges. *)
  Fixpoint grows (reached : idset) (tree : list (id * id)) : option idset :=
    match tree with
    | [] => Some reached
    | (p, q) :: tree => if imem reached p && negb (imem reached q) then grows (iadd reached q) tree else None
    end.
  Definition check_region : bool :=
    forallb (fun u => 1 <=? per (snd u)) us &&                                              (* letters.region.numbers *)
    match grows (iset [begin]) (branches r) with                                            (* letters.region.tree *)
    | Some reached => forallb (fun u => imem reached (origin (fst u)) && imem reached (target (fst u))) us        (* letters.region.spans *)
    | None => false
    end.

  (** ** Counts for which nothing holds that is said about others are those of a walk *)

  Context (v : id -> Z) (checked : check_region = true) (none : forall i, In i items -> ~ item_holds v i).

  Lemma all_fit u : In u us -> fits v u.
  Proof.
    intros I. pose proof checked as C. unfold check_region in C. rewrite andb_true_iff, forallb_forall in C. destruct C as [C _].
    specialize (C u I). apply Z.leb_le in C.
    assert (A : forall i, In i flow_items -> ~ item_holds v i) by (intros i J; apply none, joined_in; auto).
    pose proof (A (Either (at_least_zero (tmap (fun t => (fst t, - snd t)) (terms (amount (snd u)))) (- constant (amount (snd u)) - 1)))) as A1.
    pose proof (A (Either (NotDivisible (amount (snd u)) (per (snd u))))) as A2. cbn [item_holds holds] in A1, A2.
    rewrite at_least_zero_holds, tsum_wsum, wsum_tmap in A1. cbn [fst snd] in A1.
    rewrite (wsum_ext _ (fun t => -1 * (snd t * v (fst t)))), wsum_times, <- tsum_wsum in A1 by (intros; lia).
    split; [exact C|split].
    - unfold value. enough (~ 0 <= -1 * tsum v (terms (amount (snd u))) + (- constant (amount (snd u)) - 1)) by lia.
      apply A1. apply ordered_in. exists u. cbn; auto.
    - destruct (Znumtheory.Zdivide_dec (per (snd u)) (value v (amount (snd u)))); auto. destruct A2; auto. apply ordered_in. exists u. cbn; auto.
  Qed.

  Lemma all_signed p x : In x (signed_as p) -> fits v (snd x).
  Proof. intros I. apply tmap_in in I as (u & <- & I). apply tfilter_in in I as [I _]. now apply all_fit. Qed.

  Lemma signed_sum p : wsum (fun x => fst x * times_used v (snd x)) (signed_as p) = wsum (fun u => if p u then times_used v u else 0) us.
  Proof. unfold signed_as. rewrite wsum_tmap, wsum_tfilter. apply wsum_ext. intros u _. cbn [fst snd]. destruct (p u); lia. Qed.

  (** Each edge as often as it is used. *)
  Definition uses : list edge := flat_map (fun u => repeat (fst u) (Z.to_nat (times_used v u))) us.

  Lemma uses_sum (w : edge -> Z) : wsum w uses = wsum (fun u => times_used v u * w (fst u)) us.
  Proof.
    unfold uses. rewrite wsum_flat_map. apply wsum_ext. intros u I. rewrite wsum_repeat, Z2Nat.id; auto. now apply times_nonneg, all_fit.
  Qed.

  Lemma uses_in e : In e uses <-> exists u, In u us /\ fst u = e /\ 1 <= times_used v u.
  Proof.
    unfold uses. rewrite in_flat_map. split.
    - intros (u & I & J). exists u. pose proof (repeat_spec _ _ _ J). split; auto. split; auto. destruct (Z.to_nat (times_used v u)) eqn:E; [destruct J|lia].
    - intros (u & I & <- & L). exists u. split; auto. destruct (Z.to_nat (times_used v u)) eqn:E; [lia|cbn; auto].
  Qed.

  (** A positive sum has a part that is used. *)
  Lemma some_used (p : used -> bool) : 1 <= wsum (fun u => if p u then times_used v u else 0) us -> exists e u, In e uses /\ In u us /\ fst u = e /\ p u = true.
  Proof.
    intros H. assert (P : 0 < wsum (fun u => if p u then times_used v u else 0) us) by lia. apply wsum_positive in P as (u & I & L).
    exists (fst u), u. destruct (p u) eqn:E; [|lia]. repeat split; auto. apply uses_in. exists u. repeat split; auto. lia.
  Qed.

  Lemma states_in x : In x states <-> x = begin \/ x = last r \/ exists u, In u us /\ origin (fst u) <> target (fst u) /\ (origin (fst u) = x \/ target (fst u) = x).
  Proof.
    unfold states. rewrite rev_append_rev, app_nil_r, <- in_rev, tmap_in. split.
    - intros ([y o] & E & I). cbn [fst] in E. subst y. rewrite sorted_points_in, tmap_in in I. destruct I as (y & [= -> _] & I).
      destruct I as [<-|[<-|I]]; auto. right; right. apply tflat_in in I as (u & I & J). exists u.
      destruct (Pos.eqb_spec (origin (fst u)) (target (fst u))); [destruct J|]. destruct J as [<-|[<-|[]]]; auto.
    - intros H. exists (x, 1%positive). split; auto. apply sorted_points_in, tmap_in. exists x. split; auto.
      destruct H as [->|[->|(u & I & N & E)]]; [now left|right; now left|right; right]. apply tflat_in. exists u. split; auto.
      destruct (Pos.eqb_spec (origin (fst u)) (target (fst u))); [contradiction|]. cbn. intuition.
  Qed.

  Lemma uses_balanced : balanced uses begin (last r).
  Proof.
    intros x. unfold excess. rewrite uses_sum.
    destruct (in_dec id_dec x states) as [I|N].
    - assert (D : wsum (fun y => fst y * times_used v (snd y)) (entering x) = delta x (last r) - delta x begin + 0).
      { apply (sum_differs_false v (entering x) (delta x (last r) - delta x begin) None).
        - intros y J. apply tmap_in in J as (u & <- & J). apply tfilter_in in J as [J _]. now apply all_fit.
        - intros l J H. apply (none (Either l)); auto. apply joined_in. right. apply joined_in. left. apply ordered_in. exists x. split; auto. now apply in_map. }
      unfold entering in D. rewrite wsum_tmap, wsum_tfilter in D. cbn [fst snd] in D.
      rewrite (wsum_ext _ (fun u => -1 * (times_used v u * (delta (origin (fst u)) x - delta (target (fst u)) x)))) in D.
      + rewrite wsum_times in D. unfold delta in D |- *. rewrite (Pos.eqb_sym begin), (Pos.eqb_sym (last r)). lia.
      + intros u _. unfold delta. destruct (Pos.eqb_spec (origin (fst u)) (target (fst u))) as [->|Ne]; cbn [negb andb]; [lia|].
        destruct (Pos.eqb (origin (fst u)) x), (Pos.eqb (target (fst u)) x); cbn [orb]; lia.
    - rewrite states_in in N. rewrite (delta_neq begin x), (delta_neq (last r) x) by (intros <-; tauto). rewrite wsum_zero; [lia|].
      intros u I. destruct (Pos.eq_dec (origin (fst u)) (target (fst u))) as [->|Ne]; [lia|].
      rewrite !delta_neq; [lia| |]; intros E; apply N; right; right; exists u; auto.
  Qed.

  Lemma uses_class c : In c classes -> wsum (fun e => delta (letter_of e) c) uses = v c.
  Proof.
    intros I. rewrite uses_sum.
    assert (D : wsum (fun y => fst y * times_used v (snd y)) (signed_as (fun u => Pos.eqb (letter_of (fst u)) c)) = 0 + v c).
    { apply (sum_differs_false v _ 0 (Some c)); [apply all_signed|]. intros l J H. apply (none (Either l)); auto.
      do 2 (apply joined_in; right). apply joined_in. left. apply ordered_in. exists c. split; auto. now apply in_map. }
    rewrite signed_sum in D. rewrite <- (Z.add_0_l (v c)), <- D. apply wsum_ext. intros u _. unfold delta. destruct (Pos.eqb _ c); lia.
  Qed.

  (** The end of an arc is below it. *)
  Lemma subtrees_in p q : In (p, q) (branches r) -> exists below, In ((p, q), below) (subtrees (branches r)) /\ In q below.
  Proof.
    intros I. unfold subtrees. set (step := fun a p => _).
    assert (H : forall l a, (In (p, q) l \/ exists below, In ((p, q), below) (fst a) /\ In q below) ->
      exists below, In ((p, q), below) (fst (fold_left step l a)) /\ In q below).
    { clear. induction l as [|[p' q'] l IH]; cbn [fold_left]; intros a H; [destruct H as [[]|]; auto|]. apply IH.
      destruct H as [[[= -> ->]|H]|(below & H & J)]; auto; right; unfold step; cbn [fst snd]; [|exists below; cbn; auto].
      eexists; split; [left; reflexivity|]. now left. }
    apply H. left. rewrite rev_append_rev, app_nil_r. now apply -> in_rev.
  Qed.

  Definition touched (x : id) : Prop := exists e, In e uses /\ (origin e = x \/ target e = x).

  Lemma arc_used p q : In (p, q) (branches r) -> touched q -> exists e, In e uses /\ origin e = p /\ target e = q.
  Proof.
    intros I (e0 & Ie & Te). destruct (subtrees_in p q I) as (below & J & Q).
    pose (along := fun u : used => Pos.eqb (origin (fst u)) p && Pos.eqb (target (fst u)) q).
    assert (N : ~ holds v (sum_at_most_zero (signed_as along))).
    { intros H. set (b := iset below).
      assert (K : In (if imem b (last r) then Either (sum_at_most_zero (signed_as along))
        else Both (sum_at_most_zero (signed_as along)) (sum_at_least (signed_as (fun u => imem b (origin (fst u)) || imem b (target (fst u)))) 1)) items).
      { do 3 (apply joined_in; right). apply ordered_in. exists ((p, q), below). split; auto. now left. }
      apply none in K. destruct (imem b (last r)); cbn [item_holds] in K; [auto|]. apply K. split; auto.
      rewrite sum_at_least_holds by apply all_signed. rewrite signed_sum. apply uses_in in Ie as (u & Iu & Eu & Lu).
      etransitivity; [|apply (wsum_part (fun u => if imem b (origin (fst u)) || imem b (target (fst u)) then times_used v u else 0) us u); auto].
      - assert (Qb : imem b q = true) by now apply imem_iset. rewrite Eu. destruct Te as [->| ->]; rewrite Qb, ?orb_true_r; cbn; lia.
      - intros u' I'. pose proof (times_nonneg v u' (all_fit u' I')). destruct (_ || _); lia. }
    rewrite sum_at_most_zero_holds in N by apply all_signed. rewrite signed_sum in N.
    destruct (some_used along) as (e & u & A & B & <- & C); [lia|]. apply andb_true_iff in C as [C1 C2]. apply Pos.eqb_eq in C1, C2. eauto.
  Qed.

  Lemma uses_hang : hangs uses begin.
  Proof.
    intros P Ps Cl. pose proof checked as C. unfold check_region in C. apply andb_true_iff in C as [_ C].
    destruct (grows (iset [begin]) (branches r)) as [reached|] eqn:G; [|discriminate]. rewrite forallb_forall in C.
    assert (H : forall tree S reached, incl tree (branches r) -> (forall x, imem S x = true -> touched x -> P x = true) ->
      grows S tree = Some reached -> forall x, imem reached x = true -> touched x -> P x = true).
    { clear -Cl checked none. induction tree as [|[p q] tree IH]; cbn [grows]; intros S reached In0 H E; [injection E as <-; exact H|].
      destruct (imem S p && negb (imem S q)) eqn:B; [|discriminate]. apply andb_true_iff in B as [B _].
      apply (IH (iadd S q) reached); auto; [intros y Y; apply In0; now right|].
      intros x X T. apply imem_iadd in X as [->|X]; auto. destruct (arc_used p q) as (e & Ie & <- & <-); [apply In0; now left|auto|].
      rewrite <- Cl by auto. apply H; auto. exists e; auto. }
    assert (All : forall x, imem reached x = true -> touched x -> P x = true).
    { apply (H (branches r) (iset [begin])); auto; [apply incl_refl|]. intros x X _. apply imem_iset in X as [<-|[]]. exact Ps. }
    intros e I. pose proof I as Iu. apply uses_in in Iu as (u & Iu & Eu & _). specialize (C u Iu). apply andb_true_iff in C as [C _]. rewrite Eu in C.
    apply All; auto. exists e; auto.
  Qed.

  Theorem region_walk : exists W, trail begin W (last r) /\ Forall (fun e => exists u, In u us /\ fst u = e) W /\
    forall c, In c classes -> wsum (fun e => delta (letter_of e) c) W = v c.
  Proof.
    destruct (euler uses begin (last r) uses_balanced uses_hang) as (W & P & T). exists W. split; auto. split.
    - apply Forall_forall. intros e I. apply (Permutation_in _ (Permutation_sym P)), uses_in in I as (u & Iu & Eu & _). eauto.
    - intros c I. rewrite <- (uses_class c I). symmetry. now apply wsum_perm.
  Qed.
End Items.
