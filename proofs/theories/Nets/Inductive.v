(** Inductive invariants: clauses that hold initially, that every transition
    preserves, and that exclude the goal. *)

From Coq Require Import List PArith NArith ZArith Bool Lia.
From Proved Require Import Sets Arithmetic Tree.
From Proved.Nets Require Import Net Goal Marking Clauses.
Import ListNotations.
Open Scope Z_scope.

(** One of these holds: bounds, and numbers that do not divide. *)
Definition clause := list literal.

Definition expression_of (l : literal) : linear := match l with AtLeastZero e => e | NotDivisible e _ => e end.
Definition literal_met (M : marking) (l : literal) : bool :=
  match l with AtLeastZero e => 0 <=? sum_at M e | NotDivisible e d => negb (divides d (sum_at M e)) end.

Lemma literal_met_holds M l : literal_met M l = true <-> holds (tokens_of M) l.
Proof.
  destruct l as [e|e d]; cbn [literal_met holds]; [rewrite Z.leb_le; reflexivity|].
  rewrite negb_true_iff, <- not_true_iff_false, divides_spec. reflexivity.
Qed.

(** The variable behind those of all places. *)
Definition behind (n : net) : id := Pos.of_succ_nat (length (places n)).
Definition same_place (p : id) : id := p.

Section Inductive.
  Context (n : net).

  Definition clause_over (c : clause) : bool := forallb (fun l => expression_over same_place (behind n) (expression_of l)) c.

  (** * What a transition does not end without further ado *)

  (** An atom with the factors of its places. *)
  Definition counted_atom := (literal * PM.t Z)%type.
  Definition counted_clause (c : clause) : list counted_atom := map (fun l => (l, factors (terms (expression_of l)))) c.

  Definition not_lost (t : transition) (a : counted_atom) : bool :=
    match fst a with AtLeastZero _ => 0 <=? change (snd a) t | NotDivisible _ d => divides d (change (snd a) t) end.
  Definition given (t : transition) (a : counted_atom) : bool :=
    match fst a with
    | AtLeastZero e => forallb (fun x => 0 <=? snd x) (terms e) && (0 <=? moved (snd a) (outputs t) + constant e)
    | NotDivisible _ _ => false
    end.
  Definition keeps (t : transition) (c : list counted_atom) : bool := forallb (not_lost t) c || existsb (given t) c.

  Lemma keeps_sound t c M M' : fires t M M' -> keeps t (counted_clause c) = true -> existsb (literal_met M) c = true -> existsb (literal_met M') c = true.
  Proof.
    unfold keeps, counted_clause. intros F K H. apply orb_true_iff in K as [K|K].
    - rewrite forallb_forall in K. apply existsb_exists in H as (l & I & H). apply existsb_exists. exists l. split; auto.
      specialize (K _ (in_map (fun l => (l, factors (terms (expression_of l)))) _ _ I)). unfold not_lost in K. cbn [fst snd] in K.
      destruct l as [e|e d]; cbn [literal_met expression_of] in *; rewrite (change_sum t M M' e F).
      + apply Z.leb_le in H, K. apply Z.leb_le. lia.
      + apply negb_true_iff, not_true_iff_false. apply negb_true_iff, not_true_iff_false in H. rewrite divides_spec in *. intros D. apply H.
        replace (sum_at M e) with (sum_at M e + change (factors (terms e)) t - change (factors (terms e)) t) by lia. now apply Z.divide_sub_r.
    - apply existsb_exists in K as (a & I & K). apply in_map_iff in I as (l & <- & I). apply existsb_exists. exists l. split; auto.
      unfold given in K. cbn [fst snd] in K. destruct l as [e|e d]; [|discriminate]. cbn [literal_met expression_of] in *. apply andb_true_iff in K as [K1 K2].
      apply Z.leb_le in K2. apply Z.leb_le. rewrite moved_spec in K2. unfold sum_at, value. rewrite forallb_forall in K1.
      enough (tsum (of_weight (outputs t)) (terms e) <= tsum (tokens_of M') (terms e)) by lia. clear -K1 F. destruct F as [_ F].
      induction (terms e) as [|[p k] ts IH]; [reflexivity|]. rewrite !tsum_cons. cbn [fst snd]. specialize (K1 (p, k) (or_introl eq_refl)) as Kp. cbn [snd] in Kp.
      apply Z.leb_le in Kp. specialize (IH (fun x I => K1 x (or_intror I))). unfold tokens_of at 1, of_weight at 1. rewrite F. nia.
  Qed.

  (** * Problems for trees *)

  (** That no atom holds, after a transition has changed the sums; quotients are variables from [next] on. *)
  Fixpoint negated (t : transition) (next : id) (c : list counted_atom) : list linear * list linear * id :=
    match c with
    | [] => ([], [], next)
    | (AtLeastZero e, f) :: c =>
        let '(es, is, next) := negated t next c in (es, times (-1) e (- change f t - 1) :: is, next)
    | (NotDivisible e d, f) :: c =>
        let '(es, is, next') := negated t (Pos.succ next) c in
        (Linear (map (fun x => (fst x, snd x mod d)) (terms e) ++ [(next, - d)]) ((constant e + change f t) mod d) :: es, is, next')
    end.

  Definition divisors (c : clause) : bool := forallb (fun l => match l with AtLeastZero _ => true | NotDivisible _ d => 1 <=? d end) c.

  Lemma negated_spec t M M' (F : fires t M M') c : clause_over c = true -> divisors c = true -> existsb (literal_met M') c = false ->
    forall next es is next', negated t next (counted_clause c) = (es, is, next') -> (next <= next')%positive /\
    exists w, (forall x, 0 <= w x) /\ forall u, stands_for same_place (behind n) M u -> agrees u w next next' ->
      Forall (fun e => value u e = 0) es /\ Forall (fun e => 0 <= value u e) is.
  Proof.
    induction c as [|l c IH]; intros O D N next es is next' H.
    - cbn in H. injection H as <- <- <-. split; [lia|]. exists (fun _ => 0). split; [intros; lia|]. intros; split; constructor.
    - cbn [clause_over forallb divisors] in O, D. fold (clause_over c) in O. fold (divisors c) in D. apply andb_true_iff in O as [O1 O2], D as [D1 D2].
      cbn [existsb] in N. apply orb_false_iff in N as [N1 N2]. cbn [counted_clause map negated] in H. fold (counted_clause c) in H.
      assert (V : forall u e, expression_over same_place (behind n) e = true -> stands_for same_place (behind n) M u -> value u e = sum_at M e).
      { intros u e Oe S. unfold sum_at, value. f_equal. apply tsum_ext. intros x I. unfold expression_over in Oe. rewrite forallb_forall in Oe.
        specialize (Oe x I). apply Pos.ltb_lt in Oe. exact (S (fst x) Oe). }
      destruct l as [e|e d]; cbn [expression_of literal_met] in *.
      + destruct (negated t next (counted_clause c)) as [[es1 is1] n1] eqn:E. injection H as <- <- <-. destruct (IH O2 D2 N2 _ _ _ _ E) as (L & w & P & S).
        split; auto. exists w. split; auto. intros u Su A. destruct (S u Su A) as [S1 S2]. split; auto. constructor; auto.
        assert (Q : value u (times (-1) e (- change (factors (terms e)) t - 1)) = -1 * value u e + (- change (factors (terms e)) t - 1)).
        { unfold value, times. cbn [terms constant]. rewrite tsum_scale. change (tsum u []) with 0. ring. }
        rewrite Q, (V u e) by auto. apply Z.leb_gt in N1. rewrite (change_sum t M M' e F) in N1. lia.
      + destruct (negated t (Pos.succ next) (counted_clause c)) as [[es1 is1] n1] eqn:E. injection H as <- <- <-. destruct (IH O2 D2 N2 _ _ _ _ E) as (L & w & P & S).
        apply negb_false_iff, divides_spec in N1. rewrite (change_sum t M M' e F) in N1. apply Z.leb_le in D1.
        set (ch := change (factors (terms e)) t) in *.
        set (total := tsum (tokens_of M) (map (fun x => (fst x, snd x mod d)) (terms e)) + (constant e + ch) mod d).
        assert (T0 : 0 <= total).
        { unfold total. enough (0 <= tsum (tokens_of M) (map (fun x => (fst x, snd x mod d)) (terms e))) by (pose proof (Z.mod_pos_bound (constant e + ch) d); lia).
          clear -D1. induction (terms e) as [|x ts IH]; cbn [map]; rewrite ?tsum_cons; [reflexivity|]. cbn [fst snd]. pose proof (Z.mod_pos_bound (snd x) d). unfold tokens_of at 1. nia. }
        assert (Td : (d | total)).
        { assert (M1 : (d | tsum (tokens_of M) (terms e) - tsum (tokens_of M) (map (fun x => (fst x, snd x mod d)) (terms e)))).
          { clear -D1. induction (terms e) as [|x ts IH]; cbn [map]; rewrite ?tsum_cons; [apply Z.divide_0_r|]. cbn [fst snd].
            replace (snd x * tokens_of M (fst x) + tsum (tokens_of M) ts - (snd x mod d * tokens_of M (fst x) + tsum (tokens_of M) (map (fun x0 => (fst x0, snd x0 mod d)) ts)))
              with ((snd x - snd x mod d) * tokens_of M (fst x) + (tsum (tokens_of M) ts - tsum (tokens_of M) (map (fun x0 => (fst x0, snd x0 mod d)) ts))) by ring.
            apply Z.divide_add_r; auto. apply Z.divide_mul_l. exists (snd x / d). rewrite (Z.div_mod (snd x) d) at 1 by lia. ring. }
          assert (M2 : (d | (constant e + ch) - (constant e + ch) mod d)) by (exists ((constant e + ch) / d); rewrite (Z.div_mod (constant e + ch) d) at 1 by lia; ring).
          unfold sum_at, value in N1. pose proof (Z.divide_add_r _ _ _ M1 M2) as M3. pose proof (Z.divide_sub_r _ _ _ N1 M3) as M4.
          unfold total. match goal with |- (d | ?x) => match type of M4 with (d | ?y) => replace x with y by ring end end. exact M4. }
        destruct Td as [q Eq]. split; [lia|]. exists (fun x => if Pos.eqb x next then q else w x).
        split; [intros x; destruct (Pos.eqb x next); auto; nia|]. intros u Su A. destruct (S u Su) as [S1 S2].
        { intros x L1 L2. rewrite A by lia. destruct (Pos.eqb_spec x next); [lia|auto]. }
        split; auto. constructor; auto. unfold value. cbn [terms constant]. rewrite tsum_app.
        assert (U : u next = q) by (rewrite A by lia; now rewrite Pos.eqb_refl).
        assert (Tu : tsum u (map (fun x => (fst x, snd x mod d)) (terms e)) = tsum (tokens_of M) (map (fun x => (fst x, snd x mod d)) (terms e))).
        { apply tsum_ext. intros x I. apply in_map_iff in I as (y & <- & I). cbn [fst]. unfold expression_over in O1. rewrite forallb_forall in O1.
          specialize (O1 y I). apply Pos.ltb_lt in O1. exact (Su (fst y) O1). }
        rewrite Tu, tsum_cons. cbn [fst snd]. change (tsum u []) with 0. rewrite U. fold ch. unfold total in Eq. lia.
  Qed.

  Section Problems.
    Context (cs : list clause) (ones : list linear) (more : list clause).

    Definition step_problem (t : transition) (c : list counted_atom) : problem :=
      let '(es, is, next) := negated t (behind n) c in
      Problem next es (map (fun a => one_place 1 (fst a) (- Z.of_N (snd a))) (inputs t) ++ ones ++ is) more.

    Definition goal_problem (g : goal) : problem :=
      let '(gs, next) := clauses_of same_place (behind n) g in
      Problem next [] (ones ++ flat_map single gs) (more ++ flat_map several gs).

    (** * Checking *)

    Definition inputs_over (t : transition) : bool := forallb (fun a => Pos.ltb (fst a) (behind n)) (inputs t).

    Definition check_clause (trees : index_type (list node)) (k : id) (c : clause) : bool :=
      let counted := counted_clause c in
      existsb (literal_met (at_place (first_marking n))) c &&                               (* net.inductive.initial *)
      clause_over c && divisors c &&
      forallb (fun x => keeps (snd x) counted ||
        match found trees (k, fst x) with
        | tree :: _ => inputs_over (snd x) && check_tree (step_problem (snd x) counted) tree
        | [] => false                                                                       (* net.inductive.step *)
        end) (enumerated xH (transitions n)).
  End Problems.

  (** Trees for steps are for a clause and a transition, by number. *)
  Definition check_invariant (cs : list clause) (steps : list (point * list node)) : bool :=
    let trees := index steps in
    let ones := flat_map single cs in
    let more := flat_map several cs in
    forallb (fun x => check_clause ones more trees (fst x) (snd x)) (enumerated xH cs).

  Definition invariant_at (cs : list clause) (M : marking) : Prop := Forall (fun c => existsb (literal_met M) c = true) cs.

  Lemma invariant_clauses cs M u : invariant_at cs M -> forallb clause_over cs = true -> stands_for same_place (behind n) M u -> all_hold u cs.
  Proof.
    unfold invariant_at, all_hold. rewrite forallb_forall. intros H O S. rewrite Forall_forall in *. intros c I. specialize (H c I). specialize (O c I).
    apply existsb_exists in H as (l & J & H). apply Exists_exists. exists l. split; auto. unfold clause_over in O. rewrite forallb_forall in O. specialize (O l J).
    apply literal_met_holds in H. unfold expression_over in O. rewrite forallb_forall in O.
    assert (E : tsum u (terms (expression_of l)) = tsum (tokens_of M) (terms (expression_of l))).
    { apply tsum_ext. intros x K. specialize (O x K). apply Pos.ltb_lt in O. exact (S (fst x) O). }
    destruct l as [e|e d]; cbn [holds expression_of] in *; unfold value in *; now rewrite E.
  Qed.

  Lemma literal_met_ext M M' l : (forall p, M p = M' p) -> literal_met M l = literal_met M' l.
  Proof. intros E. destruct l; cbn [literal_met]; now rewrite (sum_at_ext M M'). Qed.

  Lemma existsb_ext' {A} (f g : A -> bool) l : (forall x, f x = g x) -> existsb f l = existsb g l.
  Proof. intros E. induction l as [|x l IH]; cbn; [auto|now rewrite E, IH]. Qed.

  (** Names, and the tokens of places before them. *)
  Definition valued (M : marking) (w : id -> Z) : id -> Z := fun x => if Pos.ltb x (behind n) then Z.of_N (M x) else w x.

  Lemma valued_stands M w : stands_for same_place (behind n) M (valued M w).
  Proof. intros p L. unfold valued, same_place in *. destruct (Pos.ltb_spec p (behind n)); [auto|lia]. Qed.
  Lemma valued_agrees M w next : agrees (valued M w) w (behind n) next.
  Proof. intros x L _. unfold valued. destruct (Pos.ltb_spec x (behind n)); [lia|auto]. Qed.
  Lemma valued_nonneg M w : (forall x, 0 <= w x) -> forall x, 0 <= valued M w x.
  Proof. intros P x. unfold valued. destruct (Pos.ltb x (behind n)); auto. lia. Qed.

  Theorem check_invariant_sound cs steps : check_invariant cs steps = true -> forall M, reachable n M -> invariant_at cs M.
  Proof.
    unfold check_invariant. rewrite forallb_forall. intros H.
    assert (C : forall c, In c cs -> exists k, check_clause (flat_map single cs) (flat_map several cs) (index steps) k c = true).
    { intros c I. destruct (in_enumerated cs c xH I) as [k J]. exists k. exact (H _ J). }
    assert (O : forallb clause_over cs = true).
    { apply forallb_forall. intros c I. destruct (C c I) as [k K]. unfold check_clause in K. now rewrite !andb_true_iff in K. }
    induction 1 as [M B|M t M' R IH It F]; apply Forall_forall; intros c I; destruct (C c I) as [k K]; unfold check_clause in K; rewrite !andb_true_iff in K;
      destruct K as [[[K1 K2] K3] K4].
    - rewrite (existsb_ext' _ (literal_met (at_place (first_marking n)))); auto. intros l. apply literal_met_ext. intros p. now rewrite B, first_at.
    - rewrite forallb_forall in K4. destruct (in_enumerated _ _ xH It) as [j J]. specialize (K4 _ J). cbn [fst snd] in K4. apply orb_true_iff in K4 as [K4|K4].
      + apply (keeps_sound t c M M' F K4). unfold invariant_at in IH. rewrite Forall_forall in IH. auto.
      + destruct (found (index steps) (k, j)) as [|tree rest]; [discriminate|]. apply andb_true_iff in K4 as [Kp K4].
        destruct (existsb (literal_met M') c) eqn:N; auto. exfalso. apply check_tree_sound in K4. apply K4. unfold step_problem.
        destruct (negated t (behind n) (counted_clause c)) as [[es is] next] eqn:E. destruct (negated_spec t M M' F c K2 K3 N _ _ _ _ E) as (L & w & P & S).
        exists (valued M w). destruct (S _ (valued_stands M w) (valued_agrees M w next)) as [S1 S2].
        destruct (single_holds _ _ (invariant_clauses cs M _ IH O (valued_stands M w))) as [T1 T2].
        unfold solution. cbn [bound equalities inequalities clauses]. split; [intros; now apply valued_nonneg|]. split; auto. split; auto.
        apply Forall_app. split; [|apply Forall_app; auto]. apply Forall_forall. intros e Ie. apply in_map_iff in Ie as (a & <- & Ia).
        unfold inputs_over in Kp. rewrite forallb_forall in Kp. specialize (Kp a Ia). apply Pos.ltb_lt in Kp. destruct F as [En _]. specialize (En (fst a)).
        unfold value, one_place. cbn [terms constant]. rewrite tsum_cons. cbn [fst snd]. change (tsum (valued M w) []) with 0.
        pose proof (valued_stands M w (fst a) Kp) as V. unfold same_place in V. rewrite V.
        assert (snd a <= weight (inputs t) (fst a))%N; [|lia]. clear -Ia. induction (inputs t) as [|b l IHl]; [destruct Ia|]. rewrite weight_cons.
        destruct Ia as [->|Ia]; [rewrite Pos.eqb_refl; lia|]. specialize (IHl Ia). lia.
  Qed.

  Definition check_inductive (g : goal) (cs : list clause) (steps : list (point * list node)) (tree : list node) : bool :=
    check_invariant cs steps && forallb clause_over cs && goal_over same_place (behind n) g &&
    check_tree (goal_problem (flat_map single cs) (flat_map several cs) g) tree.

  Theorem check_inductive_sound g cs steps tree : check_inductive g cs steps tree = true -> ~ goal_reachable n g.
  Proof.
    unfold check_inductive. rewrite !andb_true_iff. intros [[[I O] G] T] (M & R & Gm). pose proof (check_invariant_sound cs steps I M R) as Im.
    apply check_tree_sound in T. apply T. unfold goal_problem. destruct (clauses_of same_place (behind n) g) as [gs next] eqn:E.
    destruct (clauses_of_spec same_place (behind n) M g G _ _ _ E) as (L & w & P & S). exists (valued M w).
    destruct (single_holds _ _ (invariant_clauses cs M _ Im O (valued_stands M w))) as [T1 T2].
    destruct (single_holds _ _ (S _ (valued_stands M w) (valued_agrees M w next) Gm)) as [T3 T4].
    unfold solution. cbn [bound equalities inequalities clauses]. split; [intros; now apply valued_nonneg|]. split; [constructor|]. split; apply Forall_app; auto.
  Qed.
End Inductive.
