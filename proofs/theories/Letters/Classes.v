(** Classes of letters that have the same edges, and what facts about answers say
    about the numbers of answers in each class. *)

From Coq Require Import List ZArith PArith Bool Permutation Lia.
From Proved Require Import Sets Model Sums Euler Tree LinearSet.
From Proved Require Labels.
From Proved.Letters Require Import Level.
Import ListNotations.
Open Scope Z_scope.

Section Classes.
  Context (f : form) (removed : idset) (classes : list (list id)).

  Definition class_map : PM.t id := fold_left (fun m e => fold_left (fun m x => PM.add x (fst e) m) (snd e) m) (tnumbers classes) (PM.empty _).

  Definition check_classes : bool :=
    let m := class_map in
    forallb (fun e => match snd e with [] => false | _ => true end &&                       (* letters.numbers *)
      forallb (fun x => is_kind f Done x && negb (imem removed x) &&                        (* letters.classes *)
        match PM.find x m with Some c => Pos.eqb c (fst e) | None => false end) (snd e)) (tnumbers classes) &&
    distinct (tflat (fun c => c) classes) &&
    forallb (fun n => imem removed n || match PM.find n m with Some _ => true | None => false end) (nodes_of f Done).

  (** The number of the class of a letter. *)
  Definition class_of (x : id) : id := match PM.find x class_map with Some c => c | None => 1%positive end.

  Lemma class_map_in x c : PM.find x class_map = Some c -> exists X, In (c, X) (numbers 1%positive classes) /\ In x X.
  Proof.
    unfold class_map.
    assert (H : forall l m, incl l (tnumbers classes) -> (forall x c, PM.find x m = Some c -> exists X, In (c, X) (tnumbers classes) /\ In x X) ->
      forall x c, PM.find x (fold_left (fun m e => fold_left (fun m x => PM.add x (fst e) m) (snd e) m) l m) = Some c -> exists X, In (c, X) (tnumbers classes) /\ In x X).
    { clear. induction l as [|[c X] l IH]; cbn [fold_left fst snd]; intros m I H; [exact H|].
      apply IH; [intros y Y; apply I; now right|].
      assert (G : forall Y m, incl Y X -> (forall x c, PM.find x m = Some c -> exists X, In (c, X) (tnumbers classes) /\ In x X) ->
        forall x c', PM.find x (fold_left (fun m x => PM.add x c m) Y m) = Some c' -> exists X, In (c', X) (tnumbers classes) /\ In x X).
      { clear H m. induction Y as [|y Y IHY]; cbn [fold_left]; intros m IY H; [exact H|].
        apply IHY; [intros z Z; apply IY; now right|]. intros x c'. destruct (Pos.eq_dec x y) as [->|N].
        - rewrite PM.gss. intros [= <-]. exists X. split; [apply I; now left|apply IY; now left].
        - rewrite PM.gso by auto. apply H. }
      apply G; auto. apply incl_refl. }
    intros E. destruct (H (tnumbers classes) (PM.empty _) (incl_refl _)) with (2 := E) as (X & I & J).
    { intros ? ?. rewrite PM.gempty. discriminate. }
    exists X. split; auto. rewrite tnumbers_rev, <- in_rev in I. exact I.
  Qed.

  Context (checked : check_classes = true).

  Lemma class_checked c X x : In (c, X) (numbers 1%positive classes) -> In x X ->
    kind_of f x = Done /\ imem removed x = false /\ PM.find x class_map = Some c.
  Proof.
    intros I J. pose proof checked as C. unfold check_classes in C. rewrite !andb_true_iff, !forallb_forall in C. destruct C as [[C _] _].
    specialize (C (c, X)). rewrite tnumbers_rev, <- in_rev in C. specialize (C I). cbn [fst snd] in C. apply andb_true_iff in C as [_ C].
    rewrite forallb_forall in C. specialize (C x J). rewrite !andb_true_iff, is_kind_eq, negb_true_iff in C. destruct C as [[A B] C].
    destruct (PM.find x class_map) as [c'|]; [|discriminate]. apply Pos.eqb_eq in C. now subst.
  Qed.

  Lemma class_covers x : kind_of f x = Done -> imem removed x = false -> exists X, In (class_of x, X) (numbers 1%positive classes) /\ In x X.
  Proof.
    intros D R. pose proof checked as C. unfold check_classes in C. rewrite !andb_true_iff, !forallb_forall in C. destruct C as [_ C].
    specialize (C x). rewrite nodes_of_in, R in C by discriminate. specialize (C D). cbn [orb] in C. unfold class_of.
    destruct (PM.find x class_map) as [c|] eqn:E; [|discriminate]. now apply class_map_in.
  Qed.

  (** ** Sums over classes *)

  (** Letters with coefficients as classes with coefficients, if all letters of a
      class have the same. *)
  Definition class_sum (ts : list (id * Z)) : option (list (id * Z)) :=
    let by_letter := index1 ts in
    let m := class_map in
    if forallb (fun t => match PM.find (fst t) m with Some _ => true | None => false end) ts &&
       forallb (fun X => match X with [] => false | x :: X => forallb (fun y => total by_letter y =? total by_letter x) X end) classes
    then Some (tflat (fun e => match snd e with [] => [] | x :: _ => let c := total by_letter x in if c =? 0 then [] else [(fst e, c)] end) (tnumbers classes))
    else None.

  Definition in_class (ds : list id) (c : id) : Z := wsum (fun x => delta (class_of x) c) (kept removed ds).
  Definition sum_over (ts : list (id * Z)) (ds : list id) : Z := wsum (fun x => total (index1 ts) x) ds.

  Lemma in_class_nonneg ds c : 0 <= in_class ds c.
  Proof. apply wsum_nonneg. intros. apply delta_bounds. Qed.

  Lemma class_sum_value ts s ds : class_sum ts = Some s -> all f Done ds -> tsum (in_class ds) s = sum_over ts ds.
  Proof.
    unfold class_sum. destruct (_ && _) eqn:B; [|discriminate]. intros [= <-] D. apply andb_true_iff in B as [B1 B2]. rewrite forallb_forall in B1, B2.
    unfold in_class, sum_over. set (T := total (index1 ts)) in *.
    transitivity (wsum T (kept removed ds)).
    - rewrite tsum_wsum. rewrite (wsum_ext _ (fun t => wsum (fun x => snd t * delta (class_of x) (fst t)) (kept removed ds))) by (intros; now rewrite wsum_times).
      rewrite wsum_swap. apply wsum_ext. intros x I. apply filter_In in I as [I R]. apply negb_true_iff in R.
      unfold all in D. rewrite Forall_forall in D. destruct (class_covers x (D x I) R) as (X & J & K).
      rewrite wsum_tflat, tnumbers_rev, wsum_rev.
      pose (w := fun e : id * list id => match snd e with [] => 0 | y :: _ => T y end).
      rewrite (wsum_ext _ (fun e => delta (class_of x) (fst e) * w e)).
      + rewrite (numbers_once 1%positive classes (class_of x) X w J). unfold w. cbn [snd]. pose proof (proj1 (numbers_in _ _ _ _ J)) as Ix. specialize (B2 X Ix).
        destruct X as [|y X]; [discriminate|]. rewrite forallb_forall in B2. destruct K as [->|K]; auto. specialize (B2 x K). apply Z.eqb_eq in B2. auto.
      + intros [c [|y Y]] _; cbn [fst snd w]; [rewrite wsum_nil; lia|]. unfold w. cbn [snd]. destruct (Z.eqb_spec (T y) 0) as [E|E].
        * rewrite wsum_nil, E. lia.
        * rewrite wsum_cons, wsum_nil. cbn [fst snd]. lia.
    - unfold kept. rewrite wsum_filter. apply wsum_ext. intros x I. destruct (imem removed x) eqn:R; cbn [negb]; auto.
      symmetry. unfold T. rewrite total_sum, tsum_wsum. apply wsum_zero. intros [y k] It. cbn [fst snd]. rewrite delta_neq; [lia|]. intros ->.
      specialize (B1 _ It). cbn [fst] in B1. destruct (PM.find x class_map) as [c|] eqn:Fx; [|discriminate].
      destruct (class_map_in _ _ Fx) as (X & Ix & Jx). destruct (class_checked _ _ _ Ix Jx) as (_ & N & _). congruence.
  Qed.

  (** The sum over classes of which all letters are in a set is at most that over the set. *)
  Definition whole_classes (xs : idset) : list (id * Z) :=
    tflat (fun e => if forallb (imem xs) (snd e) then [(fst e, -1)] else []) (tnumbers classes).

  Lemma whole_classes_zero xs ds : all f Done ds -> (forall x, In x ds -> imem xs x = false) -> tsum (in_class ds) (whole_classes xs) = 0.
  Proof.
    intros D N. rewrite tsum_wsum. apply wsum_zero. intros [c k] I. unfold whole_classes in I. apply tflat_in in I as ([c' X] & I & J). cbn [fst snd] in J.
    destruct (forallb (imem xs) X) eqn:F; [|destruct J]. destruct J as [[= -> <-]|[]]. cbn [fst snd].
    replace (in_class ds c) with 0; [lia|]. symmetry. apply wsum_zero. intros x Ix. apply delta_neq. intros <-.
    apply filter_In in Ix as [Ix R]. apply negb_true_iff in R. unfold all in D. rewrite Forall_forall in D. destruct (class_covers x (D x Ix) R) as (Y & J & K).
    rewrite tnumbers_rev, <- in_rev in I. rewrite (Labels.numbers_function _ _ _ _ _ J I) in K. rewrite forallb_forall in F. specialize (F x K). rewrite (N x Ix) in F. discriminate.
  Qed.

  (** ** Twins *)

  Definition arcs_by_letter (A : automaton) : PM.t (list point) := index1 (tmap (fun e => (letter_of e, (origin e, target e))) (arcs A)).

  Definition check_twins (A : automaton) : bool :=                                          (* letters.twins *)
    let m := arcs_by_letter A in
    forallb (fun X => match X with
      | [] => true
      | x :: X => let l := sorted_points (found1 m x) in
          forallb (fun y => if list_eq_dec point_dec l (sorted_points (found1 m y)) then true else false) X
      end) classes.

  Definition edge_leb (d e : edge) : bool := if Pos.eqb (origin d) (origin e) then point_leb (snd d) (snd e) else Pos.ltb (origin d) (origin e).

  (** The edges of the first letter of each class, in order. *)
  Definition class_automaton (A : automaton) : automaton :=
    let m := arcs_by_letter A in
    Automaton (start_state A) (sort edge_leb (tflat (fun e => match snd e with
      | [] => []
      | x :: _ => tmap (fun p => (fst p, (fst e, snd p))) (found1 m x) end) (tnumbers classes))).

  Lemma arcs_by_letter_in A x p : In p (found1 (arcs_by_letter A) x) <-> In (fst p, (x, snd p)) (arcs A).
  Proof.
    unfold arcs_by_letter. rewrite found_index1, tmap_in. split.
    - intros ([o [a t]] & [= <- <-] & I). exact I.
    - intros I. exists (fst p, (x, snd p)). split; auto. now destruct p.
  Qed.

  Lemma twin_arcs A c X x o t : check_twins A = true -> In (o, (c, t)) (arcs (class_automaton A)) -> In (c, X) (numbers 1%positive classes) -> In x X ->
    In (o, (x, t)) (arcs A).
  Proof.
    intros C I J K. cbn [arcs class_automaton] in I. rewrite sort_in, tflat_in in I. destruct I as ([c' Y] & I & L). rewrite tnumbers_rev, <- in_rev in I. cbn [fst snd] in L.
    destruct Y as [|y Y]; [destruct L|]. apply tmap_in in L as ([o' t'] & [= <- <- <-] & L). cbn [fst snd] in *.
    rewrite (Labels.numbers_function _ _ _ _ _ J I) in K. unfold check_twins in C. rewrite forallb_forall in C. specialize (C (y :: Y)).
    specialize (C (proj1 (numbers_in _ _ _ _ I))).
    destruct K as [->|K]; [now apply (arcs_by_letter_in A x (o', t'))|]. rewrite forallb_forall in C. specialize (C x K).
    destruct (list_eq_dec _ _ _) as [E|]; [|discriminate]. apply (arcs_by_letter_in A x (o', t')), sorted_points_in. rewrite <- E. now apply sorted_points_in.
  Qed.

  (** A walk over classes with the counts of the answers is one over letters. *)
  Theorem twins_walk A ds W t : check_twins A = true -> all f Done ds -> trail (start_state A) W t -> Forall (fun e => In e (arcs (class_automaton A))) W ->
    (forall c, In c (map fst (numbers 1%positive classes)) -> wsum (fun e => delta (letter_of e) c) W = in_class ds c) -> walks A (kept removed ds).
  Proof.
    intros C D T F N.
    assert (Kd : forall x, In x (kept removed ds) -> exists X, In (class_of x, X) (numbers 1%positive classes) /\ In x X).
    { intros x I. apply filter_In in I as [I R]. apply negb_true_iff in R. unfold all in D. rewrite Forall_forall in D. now apply class_covers, R; auto. }
    assert (P : Permutation (map letter_of W) (map class_of (kept removed ds))).
    { apply (Permutation_count_occ id_dec). intros c. apply Nat2Z.inj. rewrite <- !wsum_count, !wsum_map. fold (in_class ds c).
      destruct (in_dec id_dec c (map fst (numbers 1%positive classes))) as [I|O]; [now apply N|]. transitivity 0; [|symmetry]; apply wsum_zero.
      - intros e I. apply delta_neq. intros <-. apply O. rewrite Forall_forall in F. specialize (F e I). cbn [arcs class_automaton] in F.
        rewrite sort_in, tflat_in in F. destruct F as ([c X] & J & K). rewrite tnumbers_rev, <- in_rev in J. cbn [fst snd] in K.
        destruct X as [|x X]; [destruct K|]. apply tmap_in in K as (p & <- & _). apply in_map_iff. exists (c, x :: X). auto.
      - intros x I. apply delta_neq. intros <-. apply O. destruct (Kd x I) as (X & J & _). apply in_map_iff. exists (class_of x, X). auto. }
    apply Permutation_map_inv in P as (es & E & P).
    assert (G : forall s W t, trail s W t -> forall es, Forall (fun e => In e (arcs (class_automaton A))) W -> map letter_of W = map class_of es ->
      (forall x, In x es -> exists X, In (class_of x, X) (numbers 1%positive classes) /\ In x X) ->
      exists V, trail s V t /\ Forall (fun e => In e (arcs A)) V /\ map letter_of V = es).
    { clear -C. induction 1 as [g|[o [c t']] L t T IH]; intros es F E K; destruct es as [|x es]; try discriminate; [exists []; repeat split; constructor|].
      cbn [map letter_of fst snd] in E. injection E as -> E. inversion F as [|? ? Fe F']; subst. destruct (IH es F' E) as (V & TV & FV & EV); [intros; apply K; cbn; auto|].
      destruct (K x (or_introl eq_refl)) as (X & J & Jx). exists ((o, (x, t')) :: V). repeat split; [apply (trail_cons (o, (x, t'))); exact TV| |cbn; now f_equal].
      constructor; auto. eapply twin_arcs; eauto. }
    destruct (G _ _ _ T es F E) as (V & TV & FV & EV); [intros x I; apply Kd, (Permutation_in _ (Permutation_sym P)), I|].
    exists V, t. repeat split; auto. now rewrite EV.
  Qed.
End Classes.
