(** Clauses over the numbers of answers, shown by counting steps of a slice: the
    counts of a complete run whose answers violate all literals would solve a
    problem that a tree refutes. *)

From Coq Require Import List ZArith PArith Bool Permutation Lia.
From Proved Require Import Sets Model Simulation Sums Tree LinearSet Labels Invariant Counts Flow.
From Proved.Rules Require Pairs.
From Proved.Letters Require Import Slice.
Import ListNotations.
Open Scope Z_scope.

(** An expression over numbers of answers is at least 0, or, if there is a
    bound_divisor, is not divided by it. *)
Record letter_bound := LetterBound { bound_divisor : Z; bound_plus : Z; bound_terms : list (id * Z) }.

Definition answered (ds : list id) (a : id) : Z := Z.of_nat (count_occ id_dec ds a).
Definition bound_holds (ds : list id) (b : letter_bound) : Prop :=
  let e := tsum (answered ds) (bound_terms b) + bound_plus b in if bound_divisor b =? 0 then 0 <= e else ~ (bound_divisor b | e).

Record counting := Counting { away : list id; literals : list letter_bound; in_phases : PM.t id; cuts : list flow_fact; why : list node }.

(** * Adding to a problem that a literal does not hold *)

Section Negations.
  Context (landings : PM.t (list id)).

  Fixpoint negations (bs : list letter_bound) (top : id) (eqs ineqs : list linear) : option (id * list linear * list linear) :=
    match bs with
    | [] => Some (top, rev_append eqs [], rev_append ineqs [])
    | b :: bs =>
        if bound_divisor b =? 0 then
          let e := in_counts landings (bound_terms b) (- bound_plus b - 1) (-1) in
          if over top e then negations bs top eqs (e :: ineqs) else None
        else
          let e := in_counts landings (bound_terms b) (- bound_plus b) (-1) in
          if over top e
          then negations bs (Pos.succ (Pos.succ top)) (Linear ((top, bound_divisor b) :: (Pos.succ top, - bound_divisor b) :: terms e) (constant e) :: eqs) ineqs
          else None
    end.
End Negations.

Definition literal_over (n : id) (l : literal) : bool := match l with AtLeastZero e | NotDivisible e _ => over n e end.

(** A solution of what is over the variables below a number. *)
Record solved (n : id) (v : id -> Z) (eqs ineqs : list linear) (cs : list (list literal)) : Prop := {
  solved_nonneg : forall x, (x < n)%positive -> 0 <= v x;
  solved_eqs : Forall (fun e => over n e = true /\ value v e = 0) eqs;
  solved_ineqs : Forall (fun e => over n e = true /\ 0 <= value v e) ineqs;
  solved_clauses : Forall (Exists (fun l => literal_over n l = true /\ holds v l)) cs }.

Lemma solved_more n v eqs ineqs cs q : solved n v eqs ineqs cs -> 0 <= q -> solved (Pos.succ n) (set_at v n q) eqs ineqs cs.
Proof.
  intros [A B C D] Q. assert (L : forall e, over n e = true -> over (Pos.succ n) e = true) by (intros e; apply over_le; lia).
  split.
  - intros x Lx. unfold set_at. destruct (Pos.eqb_spec x n); auto. apply A. lia.
  - revert B. apply Forall_impl. intros e [O E]. rewrite value_set_at by auto. auto.
  - revert C. apply Forall_impl. intros e [O E]. rewrite value_set_at by auto. auto.
  - revert D. apply Forall_impl. intros c. rewrite !Exists_exists. intros (l & I & O & H). exists l. split; auto. split; [destruct l; cbn in *; auto|].
    destruct l; cbn [holds literal_over] in *; rewrite value_set_at by auto; auto.
Qed.

Lemma solved_solution n v eqs ineqs cs : solved n v eqs ineqs cs -> solution (Problem n eqs ineqs cs) v.
Proof.
  intros [A B C D]. split; [exact A|split; [|split]]; cbn [equalities inequalities clauses].
  - revert B. apply Forall_impl. tauto.
  - revert C. apply Forall_impl. tauto.
  - revert D. apply Forall_impl. intros c. rewrite !Exists_exists. intros (l & I & _ & H). eauto.
Qed.

Lemma solution_solved p v : well_formed p = true -> solution p v -> solved (Arithmetic.bound p) v (equalities p) (inequalities p) (clauses p).
Proof.
  unfold well_formed. rewrite !andb_true_iff, !forallb_forall. intros [[W1 W2] W3] (A & B & C & D). rewrite Forall_forall in B, C, D.
  split; auto; apply Forall_forall; auto. intros c I. specialize (D c I). specialize (W3 c I). rewrite forallb_forall in W3.
  rewrite Exists_exists in D |- *. destruct D as (l & J & H). exists l. split; auto. split; auto. specialize (W3 l J).
  destruct l; cbn; auto. now apply andb_true_iff in W3.
Qed.

Lemma negations_solved landings ds cs bs : forall top eqs ineqs v n eqs' ineqs',
  negations landings bs top eqs ineqs = Some (n, eqs', ineqs') -> solved top v eqs ineqs cs ->
  (forall b a c, In b bs -> In (a, c) (bound_terms b) -> wsum v (found1 landings a) = answered ds a) ->
  (forall b a c x, In b bs -> In (a, c) (bound_terms b) -> In x (found1 landings a) -> (x < top)%positive) ->
  Forall (fun b => ~ bound_holds ds b) bs -> exists v', solved n v' eqs' ineqs' cs.
Proof.
  assert (RF : forall (P : linear -> Prop) l, Forall P l -> Forall P (rev_append l [])) by (intros; rewrite rev_append_rev, app_nil_r; now apply Forall_rev).
  induction bs as [|b bs IH]; cbn [negations]; intros top eqs ineqs v n eqs' ineqs' E S' L Lt F.
  - injection E as <- <- <-. exists v. destruct S'; split; auto.
  - inversion F as [|? ? Fb F']; subst. unfold bound_holds in Fb.
    assert (V : tsum (fun a => wsum v (found1 landings a)) (bound_terms b) = tsum (answered ds) (bound_terms b)).
    { apply tsum_ext. intros [a c] I. cbn [fst]. apply (L b a c); cbn; auto. }
    destruct (Z.eqb_spec (bound_divisor b) 0) as [Z0|NZ].
    + destruct (over top _) eqn:O; [|discriminate]. apply (IH _ _ _ v _ _ _ E); auto.
      * destruct S'; split; auto. constructor; auto. split; auto. rewrite in_counts_value, V. lia.
      * intros; eapply L; cbn; eauto.
      * intros; eapply Lt; cbn; eauto.
    + destruct (over top _) eqn:O; [|discriminate]. set (e := in_counts landings (bound_terms b) (- bound_plus b) (-1)) in *.
      destruct (Znumtheory.Zdivide_dec (bound_divisor b) (tsum (answered ds) (bound_terms b) + bound_plus b)) as [[q Q]|]; [|contradiction].
      pose (v' := set_at (set_at v top (Z.max q 0)) (Pos.succ top) (Z.max (- q) 0)).
      assert (Old : forall e, over top e = true -> value v' e = value v e).
      { intros e' O'. unfold v'. rewrite value_set_at by (eapply over_le; [|exact O']; lia). now apply value_set_at. }
      assert (Same : forall x, (x < top)%positive -> v' x = v x).
      { intros x Lx. unfold v', set_at. destruct (Pos.eqb_spec x (Pos.succ top)); [lia|]. destruct (Pos.eqb_spec x top); [lia|auto]. }
      apply (IH _ _ _ v' _ _ _ E); auto.
      * assert (S2 : solved (Pos.succ (Pos.succ top)) v' eqs ineqs cs) by (unfold v'; apply solved_more; [apply solved_more; auto; lia|lia]).
        destruct S2; split; auto. constructor; auto. split.
        -- unfold over. cbn [terms forallb fst]. rewrite !andb_true_iff, !Pos.ltb_lt. repeat split; try lia.
           apply (over_le top); auto. lia.
        -- unfold value. cbn [terms constant]. rewrite !tsum_cons. cbn [fst snd].
           specialize (Old e O). unfold value in Old. rewrite <- Z.add_assoc, <- Z.add_assoc, Old. fold (value v e). unfold e at 1. rewrite in_counts_value, V.
           unfold v', set_at. rewrite !Pos.eqb_refl. destruct (Pos.eqb_spec top (Pos.succ top)); [lia|]. nia.
      * intros b' a c I J. rewrite (wsum_ext v' v); [eapply L; cbn; eauto|]. intros x Ix. apply Same. eapply Lt; cbn; eauto.
      * intros b' a c x I J K. pose proof (Lt b' a c x (or_intror I) J K). lia.
Qed.

(** * The fact *)

Section Count.
  (** Sets of pairs are hints. *)
  Context (hint : form -> list Pairs.turn_hint) (globals nodes : list id) (next_global : id).

  Definition count_problem (f : form) (c : counting) : option problem :=
    match clauses_of hint f globals (PM.empty _) (landings_of (fsteps f)) (cuts c) [] with
    | Some cs =>
        let p := flow_problem f (in_phases c) globals nodes next_global cs in
        if well_formed p then
          match negations (landings_of (fsteps f)) (literals c) (Arithmetic.bound p) (rev_append (equalities p) []) (rev_append (inequalities p) []) with
          | Some (n, eqs, ineqs) => Some (Problem n eqs ineqs (clauses p))
          | None => None
          end
        else None
    | None => None
    end.

  Definition check_count (f : form) (c : counting) : bool :=
    match slice f (away c) with
    | Some f =>
        forallb is_cut (cuts c) && forallb (fun b => forallb (fun t => is_kind f Done (fst t)) (bound_terms b)) (literals c) &&
        check_numbers f (in_phases c) globals nodes next_global &&
        match count_problem f c with Some p => check_tree p (why c) | None => false end
    | None => false
    end.

  Lemma counting_sound f c ts g ds : forallb is_cut (cuts c) = true ->
    forallb (fun b => forallb (fun t => is_kind f Done (fst t)) (bound_terms b)) (literals c) = true ->
    check_numbers f (in_phases c) globals nodes next_global = true ->
    match count_problem f c with Some p => check_tree p (why c) | None => false end = true ->
    all f Initial ts -> all f Done ds -> moves (fsteps f) (first f, ts) (g, ds) -> Forall (fun b => ~ bound_holds ds b) (literals c) -> False.
  Proof.
    intros Cu Li Nu Tr I D M Bs. apply moves_labelled in M as (ls & R).
    pose proof (numbers_checked f (in_phases c) globals nodes next_global Nu ts g ds ls R) as (St & _ & _ & _ & Nx & _).
    assert (Ac : forall s, In s (fsteps f) -> phase_of (in_phases c) (global_before s) <> phase_of (in_phases c) (global_after s) ->
      In (crossing (in_phases c) s) (crossings f (in_phases c))).
    { intros s Is Ne. unfold crossings. apply sorted_points_in, tfilter_in. split; [apply tmap_in; eauto|]. cbn. apply negb_true_iff. now apply Pos.eqb_neq. }
    destruct (carried_exists f (in_phases c) (crossings f (in_phases c)) Nx Ac _ _ _ R) as (K & K1 & K2 & K3).
    set (v := counts f (in_phases c) nodes next_global g ls K).
    unfold count_problem in Tr.
    destruct (clauses_of hint f globals (PM.empty _) (landings_of (fsteps f)) (cuts c) []) as [cs|] eqn:E; [|discriminate].
    assert (H : forall xs acc cs, forallb is_cut xs = true -> clauses_of hint f globals (PM.empty _) (landings_of (fsteps f)) xs acc = Some cs ->
      Forall (Exists (holds v)) acc -> Forall (Exists (holds v)) cs).
    { induction xs as [|x xs IH]; cbn [clauses_of forallb]; intros acc cs0 X E0 F.
      - injection E0 as <-. rewrite rev_append_rev, app_nil_r. now apply Forall_rev.
      - apply andb_true_iff in X as [X1 X2]. destruct (fact_clause hint f globals (PM.empty _) (landings_of (fsteps f)) x) as [c0|] eqn:Ex; [|discriminate].
        apply (IH _ _ X2 E0). constructor; auto.
        exact (cut_holds hint f globals nodes next_global (Flow (in_phases c) [] []) ts g ds ls I D R K Nu x c0 _ X1 Ex). }
    pose proof (flow_solved f (in_phases c) globals nodes next_global Nu ts g ds ls I D R K K1 K2 K3 cs (H _ _ _ Cu E (Forall_nil _))) as So. fold v in So.
    set (p := flow_problem f (in_phases c) globals nodes next_global cs) in *.
    destruct (well_formed p) eqn:W; [|discriminate]. apply (solution_solved p v W) in So.
    destruct (negations _ _ _ _ _) as [[[n eqs] ineqs]|] eqn:Ne; [|discriminate].
    rewrite !forallb_forall in Li.
    assert (Lab : forall l s, In (l, s) (numbers 1%positive (fsteps f)) -> v l = made ls l).
    { intros l s J. exact (counts_step f (in_phases c) nodes next_global g ls K l s J). }
    assert (Low : forall l s, In (l, s) (numbers 1%positive (fsteps f)) -> (l < Arithmetic.bound p)%positive).
    { intros l s J. apply numbers_below in J. unfold p, flow_problem. destruct (token_rows _ _ _ _). cbn [Arithmetic.bound].
      unfold last_variable. assert (G : forall (m : list (point * id)) n, (n <= fold_left (fun n _ => Pos.succ n) m n)%positive).
      { induction m as [|x m IH]; cbn [fold_left]; intros k; [lia|]. specialize (IH (Pos.succ k)). lia. }
      eapply Pos.lt_le_trans; [|apply G]. unfold first_carried, node_variable, after_steps. lia. }
    destruct (negations_solved (landings_of (fsteps f)) ds (clauses p) (literals c) (Arithmetic.bound p)
      (rev_append (equalities p) []) (rev_append (inequalities p) []) v n eqs ineqs Ne) as (v' & So'); auto.
    - destruct So as [A1 A2 A3 A4]. split; auto; rewrite rev_append_rev, app_nil_r; now apply Forall_rev.
    - intros b a k Ib Ia. specialize (Li b Ib). rewrite forallb_forall in Li. specialize (Li _ Ia). apply is_kind_eq in Li. cbn [fst] in Li.
      apply (answers_counted f ts (first f) ls g ds St I R); auto. intros l Il. apply in_map_iff in Il as ([l' s] & El & Il). cbn in El. subst l'. eauto.
    - intros b a k x _ _ Ix. unfold landings_of in Ix. apply found_index1, tmap_in in Ix as ([l s] & [= <- <-] & Ix).
      rewrite tnumbers_rev, <- in_rev in Ix. eauto.
    - apply (check_tree_sound _ _ Tr). exists v'. now apply solved_solution.
  Qed.

  Theorem check_count_sound f c ts g ds : check_count f c = true -> all f Initial ts -> all f Done ds -> moves (fsteps f) (first f, ts) (g, ds) ->
    Exists (bound_holds ds) (literals c) \/ exists x, In x ds /\ In x (away c).
  Proof.
    intros C I D M. unfold check_count in C. destruct (slice f (away c)) as [f'|] eqn:E; [|discriminate]. rewrite !andb_true_iff in C.
    destruct C as [[[C1 C2] C3] C4].
    destruct (existsb (fun x => imem (iset (away c)) x) ds) eqn:X.
    - right. apply existsb_exists in X as (x & Ix & Ox). exists x. split; auto. now apply imem_iset.
    - left. destruct (slice_run _ _ _ ds E D) as (Ef & Ek & Mo).
      { intros x Ix Ox. apply imem_iset in Ox. assert (existsb (fun x => imem (iset (away c)) x) ds = true) by (apply existsb_exists; eauto). congruence. }
      assert (Kk : forall n, kind_of f n = kind_of f' n) by (intros n; unfold kind_of; now rewrite Ek).
      assert (Dec : forall b, {bound_holds ds b} + {~ bound_holds ds b}).
      { intros b. unfold bound_holds. destruct (bound_divisor b =? 0); [apply Z_le_dec|].
        destruct (Znumtheory.Zdivide_dec (bound_divisor b) (tsum (answered ds) (bound_terms b) + bound_plus b)); [right; tauto|left; auto]. }
      destruct (Exists_dec (bound_holds ds) (literals c) Dec) as [|N]; auto. exfalso.
      apply (counting_sound f' c ts g ds C1 C2 C3 C4).
      + eapply Pairs.all_kinds; eauto.
      + eapply Pairs.all_kinds; eauto.
      + rewrite Ef. auto.
      + apply Forall_forall. intros b Ib Hb. apply N, Exists_exists. eauto.
  Qed.
End Count.
