(** The marking equation with traps, weighted sums and sets that must be fed. *)

From Coq Require Import List PArith NArith ZArith Bool Lia.
From Proved Require Import Sets Arithmetic Tree.
From Proved.Nets Require Import Net Goal Marking Bounds Clauses Inductive.
Import ListNotations.
Open Scope Z_scope.

Section Equation.
  Context (n : net).

  (** Transitions come first, as variables, then places. *)
  Definition first_place : id := Pos.of_succ_nat (length (transitions n)).
  Definition place_variable (p : id) : id := Pos.pred (first_place + p).
  Definition first_name : id := place_variable (behind n).

  Definition by_number : list (id * transition) := enumerated xH (transitions n).

  (** What each transition adds to a place, and takes from it. *)
  Definition entries_of : list (id * (id * Z)) :=
    flat_map (fun x => map (fun a => (fst a, (fst x, Z.of_N (snd a)))) (outputs (snd x)) ++ map (fun a => (fst a, (fst x, - Z.of_N (snd a)))) (inputs (snd x))) by_number.
  Definition row_of (entries : PM.t (list (id * Z))) (p : id) : linear :=
    Linear ((place_variable p, -1) :: found1 entries p) (Z.of_N (weight (marked n) p)).

  (** * Traps, and sets that must be fed *)

  (** net.trap.closed net.trap.marked *)
  Definition is_trap (ps : list id) : bool :=
    let s := iset ps in
    forallb (fun t => negb (touches s (inputs t)) || touches s (outputs t)) (transitions n) && touches s (marked n).
  Definition trap_row (ps : list id) : linear := Linear (map (fun p => (place_variable p, 1)) ps) (-1).

  Lemma trap_marked ps M : is_trap ps = true -> reachable n M -> exists p, In p ps /\ (1 <= M p)%N.
  Proof.
    unfold is_trap. rewrite andb_true_iff, forallb_forall. intros [C B]. induction 1 as [M E|M t M' R (p & I & L) It [En F]].
    - apply touches_spec in B as (p & I & L). apply imem_iset in I. exists p. split; auto. rewrite E. lia.
    - specialize (C t It). apply orb_true_iff in C as [C|C].
      + apply negb_true_iff in C. exists p. split; auto. rewrite F. rewrite (not_touches _ _ p C) by now apply imem_iset. lia.
      + apply touches_spec in C as (q & Iq & Lq). apply imem_iset in Iq. exists q. split; auto. rewrite F. lia.
  Qed.

  (** net.unfed.empty *)
  Definition is_unfed (ps : list id) : bool := negb (touches (iset ps) (marked n)).
  Definition takers (ps : list id) : list (id * transition) := filter (fun x => touches (iset ps) (inputs (snd x))) by_number.
  Definition feeders (ps : list id) : list (id * transition) :=
    filter (fun x => negb (touches (iset ps) (inputs (snd x))) && touches (iset ps) (outputs (snd x))) by_number.
  Definition feeds (ps : list id) : clause :=
    [AtLeastZero (Linear (map (fun x => (fst x, -1)) (takers ps)) 0); AtLeastZero (Linear (map (fun x => (fst x, 1)) (feeders ps)) (-1))].

  (** * The problem *)

  Definition weights_row (y : weighted) : linear :=
    Linear (map (fun a => (place_variable (fst a), - Z.of_N (snd a))) y) (moved (factors (weighted_sum y)) (marked n)).

  Definition equation_problem (traps : list (list id)) (sums : list weighted) (unfed : list (list id)) (g : goal) : problem :=
    let entries := index1 entries_of in
    let '(gs, next) := clauses_of place_variable first_name g in
    Problem next (map (row_of entries) (places n)) (map trap_row traps ++ map weights_row sums ++ flat_map single gs)
      (map feeds unfed ++ flat_map several gs).

  (** * A run is a solution *)

  Definition share (v : id -> Z) (p : id) (e : id * (id * Z)) : Z := if Pos.eqb p (fst e) then snd (snd e) * v (fst (snd e)) else 0.
  Definition added (x : id -> Z) (p : id) (y : id * transition) : Z := x (fst y) * (Z.of_N (weight (outputs (snd y)) p) - Z.of_N (weight (inputs (snd y)) p)).

  (** Counts of firings with which the equation holds. *)
  Definition counts (x : id -> Z) (M : marking) : Prop :=
    (forall k, 0 <= x k) /\
    (forall p, Z.of_N (M p) = Z.of_N (weight (marked n) p)
      + fold_right (fun y s => added x p y + s) 0 by_number) /\
    (forall ps, is_unfed ps = true -> (exists y, In y (feeders ps) /\ 1 <= x (fst y)) \/
      ((forall y, In y (takers ps) -> x (fst y) = 0) /\ forall p, In p ps -> M p = 0%N)).

  Definition more (x : id -> Z) (k : id) : id -> Z := fun j => if Pos.eqb j k then x j + 1 else x j.

  Lemma more_sum {A} x k (f : A -> Z) (l : list A) : forall i y, In (k, y) (enumerated i l) ->
    fold_right (fun z s => more x k (fst z) * f (snd z) + s) 0 (enumerated i l) = fold_right (fun z s => x (fst z) * f (snd z) + s) 0 (enumerated i l) + f y.
  Proof.
    assert (Later : forall l i, (k < i)%positive -> fold_right (fun z s => more x k (fst z) * f (snd z) + s) 0 (enumerated i l)
      = fold_right (fun z s => x (fst z) * f (snd z) + s) 0 (enumerated i l)).
    { clear. induction l as [|z l IH]; intros i L; cbn [enumerated fold_right fst snd]; auto. rewrite IH by lia. unfold more at 1. destruct (Pos.eqb_spec i k); [lia|auto]. }
    induction l as [|z l IH]; intros i y I; cbn [enumerated] in *; [destruct I|]. cbn [fold_right fst snd]. destruct I as [[= -> ->]|I].
    - rewrite Later by lia. unfold more. rewrite Pos.eqb_refl. lia.
    - rewrite (IH _ _ I). apply enumerated_le in I. unfold more. destruct (Pos.eqb_spec i k); [lia|lia].
  Qed.

  Lemma counted_run M : reachable n M -> exists x, counts x M.
  Proof.
    induction 1 as [M B|M t M' R (x & P & E & U) It [En F]].
    - exists (fun _ => 0). split; [intros; lia|]. split.
      + intros p. rewrite B. induction by_number as [|y l IH]; cbn [fold_right]; unfold added at 1 || idtac; lia.
      + intros ps H. right. split; [auto|]. intros p I. rewrite B. unfold is_unfed in H. apply negb_true_iff in H.
        apply (not_touches (iset ps)); auto. now apply imem_iset.
    - destruct (in_enumerated _ t xH It) as [k I]. exists (more x k). split; [intros j; unfold more; specialize (P j); destruct (Pos.eqb j k); lia|]. split.
      + intros p. pose proof (more_sum x k (fun u => Z.of_N (weight (outputs u) p) - Z.of_N (weight (inputs u) p)) (transitions n) xH t I) as S.
        unfold by_number, added in *. rewrite S. rewrite F. specialize (E p). specialize (En p). lia.
      + assert (G : forall j, x j <= more x k j) by (intros j; unfold more; destruct (Pos.eqb j k); lia).
        intros ps H. destruct (U ps H) as [(y & Iy & Ly)|[Z1 Z2]]; [left; exists y; split; auto; specialize (G (fst y)); lia|].
        destruct (touches (iset ps) (inputs t)) eqn:Tin.
        * apply touches_spec in Tin as (p & Ip & Lp). apply imem_iset in Ip. specialize (En p). rewrite (Z2 p Ip) in En. lia.
        * destruct (touches (iset ps) (outputs t)) eqn:Tout.
          -- left. exists (k, t). split; [apply filter_In; split; auto; cbn [snd]; now rewrite Tin, Tout|]. cbn [fst]. unfold more. rewrite Pos.eqb_refl. specialize (P k). lia.
          -- right. split.
             ++ intros y Iy. unfold more. destruct (Pos.eqb_spec (fst y) k) as [D|D]; auto. exfalso. apply filter_In in Iy as [Iy Ty].
                destruct y as [j u]. cbn [fst snd] in *. subst j. pose proof (table_find _ _ _ _ Iy) as T1. pose proof (table_find _ _ _ _ I) as T2. congruence.
             ++ intros p Ip. rewrite F, (Z2 p Ip). rewrite (not_touches _ _ p Tout) by now apply imem_iset. reflexivity.
  Qed.

  Lemma found_sum v p : forall l, tsum v (found1 (index1 l) p) = fold_right (fun e s => share v p e + s) 0 l.
  Proof.
    unfold index1. intros l. enough (H : forall m, tsum v (found1 (fold_left (fun m e => put1 m (fst e) (snd e)) l m) p)
      = tsum v (found1 m p) + fold_right (fun e s => share v p e + s) 0 l).
    { rewrite H. unfold found1 at 1. rewrite PM.gempty. reflexivity. }
    induction l as [|[q y] l IH]; intros m; cbn [fold_left fold_right fst snd]; [lia|]. rewrite IH. unfold found1 at 1, put1. unfold share at 2. cbn [fst snd].
    destruct (Pos.eq_dec p q) as [->|D].
    - rewrite PM.gss, tsum_cons, Pos.eqb_refl. lia.
    - rewrite PM.gso by auto. rewrite (proj2 (Pos.eqb_neq p q) D). fold (found1 m p). lia.
  Qed.

  (** Which numbers are whose. *)
  Definition solved (x : id -> Z) (M : marking) (w : id -> Z) : id -> Z :=
    fun k => if Pos.ltb k first_place then x k else if Pos.ltb k first_name then Z.of_N (M (Pos.succ k - first_place)%positive) else w k.

  Lemma place_variable_le p : (first_place <= place_variable p)%positive.
  Proof. unfold place_variable. destruct (Pos.eq_dec p 1) as [->|D]; [rewrite Pos.add_1_r, Pos.pred_succ; lia|lia]. Qed.

  Lemma solved_place x M w p : (place_variable p < first_name)%positive -> solved x M w (place_variable p) = Z.of_N (M p).
  Proof.
    intros L. unfold solved. pose proof (place_variable_le p) as G. destruct (Pos.ltb_spec (place_variable p) first_place); [lia|].
    destruct (Pos.ltb_spec (place_variable p) first_name); [|lia]. do 2 f_equal. unfold place_variable. rewrite Pos.succ_pred by lia. lia.
  Qed.

  Lemma solved_transition x M w k : (k < first_place)%positive -> solved x M w k = x k.
  Proof. intros L. unfold solved. destruct (Pos.ltb_spec k first_place); [auto|lia]. Qed.

  Lemma number_below k t : In (k, t) by_number -> (k < first_place)%positive.
  Proof.
    unfold by_number, first_place. assert (H : forall l i, In (k, t) (enumerated i l) -> (k < i + Pos.of_succ_nat (length l))%positive).
    { induction l as [|y l IH]; intros i I; cbn [enumerated] in I; [destruct I|]. destruct I as [[= <- <-]|I]; [lia|]. apply IH in I. cbn [length]. lia. }
    intros I. assert (A : forall l i, In (k, t) (enumerated i l) -> (k + 1 < i + Pos.of_succ_nat (length l))%positive).
    { clear. induction l as [|y l IH]; intros i I; cbn [enumerated] in I; [destruct I|]. destruct I as [[= <- <-]|I]; [cbn [length]; lia|]. apply IH in I. cbn [length]. lia. }
    apply A in I. lia.
  Qed.

  Definition places_over (ps : list id) : bool := forallb (fun p => Pos.ltb (place_variable p) first_name) ps.

  Definition check_equation (g : goal) (traps : list (list id)) (sums : list weighted) (unfed : list (list id)) (tree : list node) : bool :=
    forallb is_trap traps && forallb (fun y => falls n (weighted_sum y)) sums &&
    forallb is_unfed unfed &&
    places_over (places n) && forallb places_over traps && forallb (fun y => places_over (map fst y)) sums &&
    goal_over place_variable first_name g &&
    check_tree (equation_problem traps sums unfed g) tree.

  Theorem check_equation_sound g traps sums unfed tree : check_equation g traps sums unfed tree = true -> ~ goal_reachable n g.
  Proof.
    unfold check_equation. rewrite !andb_true_iff, !forallb_forall. intros [[[[[[[Ht Hs] Hu] Op] Ot] Os] Og] T] (M & R & Gm).
    apply check_tree_sound in T. apply T. unfold equation_problem. destruct (clauses_of place_variable first_name g) as [gs next] eqn:E.
    destruct (clauses_of_spec place_variable first_name M g Og _ _ _ E) as (L & w & P & S). destruct (counted_run M R) as (x & Px & Ex & Ux).
    set (v := solved x M w). exists v.
    assert (V : stands_for place_variable first_name M v) by (intros p Lp; now apply solved_place).
    assert (A : agrees v w first_name next).
    { intros k Lk _. unfold v, solved. assert (first_place <= first_name)%positive by apply place_variable_le.
      destruct (Pos.ltb_spec k first_place); [lia|]. destruct (Pos.ltb_spec k first_name); [lia|auto]. }
    assert (X : forall k t, In (k, t) by_number -> v k = x k) by (intros k t I; apply solved_transition; eapply number_below; eauto).
    destruct (single_holds _ _ (S v V A Gm)) as [T1 T2].
    unfold solution. cbn [bound equalities inequalities clauses]. split; [|split; [|split]].
    - intros k _. unfold v, solved. destruct (Pos.ltb k first_place); [auto|]. destruct (Pos.ltb k first_name); [lia|auto].
    - apply Forall_forall. intros e I. apply in_map_iff in I as (p & <- & I). unfold row_of, value. cbn [terms constant]. rewrite tsum_cons. cbn [fst snd].
      unfold places_over in Op. rewrite forallb_forall in Op. specialize (Op p I). apply Pos.ltb_lt in Op. rewrite (V p Op), (Ex p), found_sum.
      enough (Q : fold_right (fun e s => share v p e + s) 0 entries_of
        = fold_right (fun y s => added x p y + s) 0 by_number) by lia.
      unfold entries_of. revert X. generalize by_number as l. intros l Xl.
      assert (B : forall (sg : Z) k arcs r, fold_right (fun e s => share v p e + s) r (map (fun a => (fst a, (k, sg * Z.of_N (snd a)))) arcs)
        = sg * Z.of_N (weight arcs p) * v k + r).
      { intros sg k arcs r. induction arcs as [|a arcs IHa]; [cbn; lia|]. cbn [map fold_right]. rewrite IHa, weight_cons. unfold share. cbn [fst snd].
        unfold arc, id in *. destruct (Pos.eqb p (fst a)); lia. }
      assert (C1 : forall k arcs, map (fun a : arc => (fst a, (k : id, Z.of_N (snd a)))) arcs = map (fun a => (fst a, (k, 1 * Z.of_N (snd a)))) arcs).
      { intros k arcs. apply map_ext. intros a. cut (forall y z : Z, y = z -> (fst a, (k, y)) = (fst a, (k, z))); [intros X0; apply X0; lia|intros; now subst]. }
      assert (C2 : forall k arcs, map (fun a : arc => (fst a, (k : id, - Z.of_N (snd a)))) arcs = map (fun a => (fst a, (k, -1 * Z.of_N (snd a)))) arcs).
      { intros k arcs. apply map_ext. intros a. cut (forall y z : Z, y = z -> (fst a, (k, y)) = (fst a, (k, z))); [intros X0; apply X0; lia|intros; now subst]. }
      induction l as [|[k t] l IH]; [reflexivity|]. cbn [flat_map fst snd]. rewrite C1, C2, !fold_right_app, B, B, IH by (intros; eapply Xl; right; eauto).
      cbn [fold_right]. unfold added at 2. cbn [fst snd]. rewrite <- (Xl k t) by (left; auto). ring.
    - apply Forall_app. split; [|apply Forall_app; split; [|exact T1]]; apply Forall_forall; intros e I; apply in_map_iff in I as (q & <- & I).
      + destruct (trap_marked q M (Ht q I) R) as (p & Ip & Lp). unfold trap_row, value. cbn [terms constant]. specialize (Ot q I). unfold places_over in Ot. rewrite forallb_forall in Ot.
        enough (1 <= tsum v (map (fun p => (place_variable p, 1)) q)) by lia. clear -Ip Lp Ot V.
        assert (N : forall l, (forall p, In p l -> Pos.ltb (place_variable p) first_name = true) -> 0 <= tsum v (map (fun p => (place_variable p, 1)) l)).
        { induction l as [|a l IH]; intros O; cbn [map]; [reflexivity|]. rewrite tsum_cons. cbn [fst snd]. specialize (IH (fun p I => O p (or_intror I))).
          rewrite (V a) by (apply Pos.ltb_lt, O; cbn; auto). lia. }
        induction q as [|a q IH]; [destruct Ip|]. cbn [map]. rewrite tsum_cons. cbn [fst snd]. rewrite (V a) by (apply Pos.ltb_lt, Ot; cbn; auto).
        specialize (N q (fun p I => Ot p (or_intror I))). destruct Ip as [->|Ip]; [lia|]. specialize (IH (fun p I => Ot p (or_intror I)) Ip). lia.
      + specialize (Hs q I). pose proof (falls_sound n (Linear (weighted_sum q) 0) M Hs R) as F. unfold sum_at in F. unfold weights_row, value in *. cbn [terms constant] in *.
        specialize (Os q I). unfold places_over in Os. rewrite forallb_forall in Os.
        enough (Q : tsum v (map (fun a => (place_variable (fst a), - Z.of_N (snd a))) q) = - tsum (tokens_of M) (weighted_sum q)) by lia. clear -Os V.
        induction q as [|a q IH]; [reflexivity|]. cbn [map weighted_sum]. fold (weighted_sum q). rewrite !tsum_cons. cbn [fst snd].
        rewrite IH by (intros p I; apply Os; right; auto). rewrite (V (fst a)) by (apply Pos.ltb_lt, Os; left; auto). unfold tokens_of at 2. ring.
    - apply Forall_app. split; [|exact T2]. apply Forall_forall. intros c I. apply in_map_iff in I as (q & <- & I). unfold feeds.
      destruct (Ux q (Hu q I)) as [(y & Iy & Ly)|[Z0 _]].
      + right. left. cbn [holds]. unfold value. cbn [terms constant]. enough (1 <= tsum v (map (fun x => (fst x, 1)) (feeders q))) by lia.
        assert (Xf : forall z, In z (feeders q) -> v (fst z) = x (fst z)) by (intros [k t] J; apply filter_In in J as [J _]; eapply X; eauto). revert Iy Xf. generalize (feeders q) as l.
        clear -Ly Px. intros l Iy Xf.
        assert (N : forall l, (forall z, In z l -> v (fst z) = x (fst z)) -> 0 <= tsum v (map (fun x : id * transition => (fst x, 1)) l)).
        { induction l0 as [|a l0 IH]; intros O; cbn [map]; [reflexivity|]. rewrite tsum_cons. cbn [fst snd]. specialize (IH (fun p I => O p (or_intror I))).
          rewrite (O a) by (left; auto). specialize (Px (fst a)). lia. }
        induction l as [|a l IH]; [destruct Iy|]. cbn [map]. rewrite tsum_cons. cbn [fst snd]. rewrite (Xf a) by (left; auto).
        specialize (N l (fun p I => Xf p (or_intror I))). destruct Iy as [->|Iy]; [lia|]. specialize (IH Iy (fun p I => Xf p (or_intror I))). specialize (Px (fst a)). lia.
      + left. cbn [holds]. unfold value. cbn [terms constant]. enough (Q : tsum v (map (fun x => (fst x, -1)) (takers q)) = 0) by lia.
        assert (Xf : forall z, In z (takers q) -> v (fst z) = 0) by (intros [k t] J; rewrite <- (Z0 _ J); apply filter_In in J as [J _]; eapply X; eauto).
        revert Xf. clear. generalize (takers q) as l. induction l as [|a l IH]; intros Xf; cbn [map]; [reflexivity|]. rewrite tsum_cons. cbn [fst snd].
        rewrite (Xf a) by (left; auto). rewrite IH by (intros; apply Xf; right; auto). reflexivity.
  Qed.
End Equation.
