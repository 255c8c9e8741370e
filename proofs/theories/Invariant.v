(** Invariants: what holds at every moment of every run.

    At each moment there is the global state; a variable for each step: how
    often it has been made; and after these a variable for each node: how many
    requests are there. A bound says that a linear expression in these is at
    least 0; its constant may depend on the global state. Of each clause of the
    invariant one bound holds: in the beginning, and after each step if before
    it. At the end no answers are left that are not serial. *)

From Coq Require Import List ZArith PArith Bool Permutation Lia.
From Proved Require Import Sets Model Sums Euler Tree LinearSet Labels.
Import ListNotations.
Open Scope Z_scope.

Record ibound := IBound {
  parts : list (id * Z);    (** variables and their coefficients *)
  under : list (id * Z);    (** what is added under some global states *)
  always : Z                (** what is added under all *)
}.

Record invariant := Invariant {
  holding : list (list ibound);                 (** of each one bound holds *)
  keeping : list (point * list node);              (** a step, a clause, and why it keeps it *)
  serial_sets : list written_set;
  endings : list (id * list node)                  (** a global state, and why no run ends there with other answers *)
}.

(** The variable of a node; [after] is that of node 1. *)
Definition node_variable (after n : id) : id := Pos.pred (after + n).
Definition node_of_variable (after x : id) : id := (Pos.succ x - after)%positive.

(** A bound with its coefficients by variable, and its constants by state. *)
Definition indexed := (ibound * (PM.t (list Z) * PM.t (list Z)))%type.
Definition index_bound (b : ibound) : indexed := (b, (index1 (parts b), index1 (under b))).
Definition coefficient (b : indexed) (x : id) : Z := total (fst (snd b)) x.
Definition constant_under (b : indexed) (g : id) : Z := always (fst b) + total (snd (snd b)) g.

Section Check.
  Context (f : form).
  (** The nodes in order, the first number that is no variable, and the variable of node 1, which is not counted again for each step. *)
  Context (nodes : list id) (top after : id).
  Context (clauses : list (list indexed)).

  Definition expression_under (g : id) (b : indexed) : linear := Linear (parts (fst b)) (constant_under b g).

  (** The clauses under a global state: those with one bound, and the others. *)
  Definition single (c : list indexed) : bool := match c with [_] => true | _ => false end.
  Definition singles (g : id) : list linear :=
    rev_append (tflat (fun c => match c with [b] => [expression_under g b] | _ => [] end) clauses) [].
  Definition others (g : id) : list (list literal) :=
    rev_append (tmap (fun c => rev_append (tmap (fun b => AtLeastZero (expression_under g b)) c) [])
      (rev_append (tfilter (fun c => negb (single c)) clauses) [])) [].

  (** The constant of a bound after a step, in terms of what is before it. *)
  Definition constant_after (l : id) (s : step) (b : indexed) : Z :=
    constant_under b (global_after s) + coefficient b l + coefficient b (node_variable after (node_after s))
      - coefficient b (node_variable after (node_before s)).

  Definition step_problem (l : id) (s : step) (c : list indexed) : problem :=
    let negated := tmap (fun b => times (-1) (Linear (parts (fst b)) (constant_after l s b)) (-1)) c in
    Problem top [] (Linear [(node_variable after (node_before s), 1)] (-1) ::
      rev_append (rev_append (singles (global_before s)) []) (rev_append negated [])) (others (global_before s)).

  Definition is_kept (l : id) (s : step) (c : list indexed) : bool :=
    forallb (fun b => constant_under b (global_before s) <=? constant_after l s b) c.

  Definition check_step (trees : index_type (list node)) (numbered_clauses : list (id * list indexed)) (e : id * step) : bool :=
    let '(l, s) := e in
    forallb (fun c => is_kept l s (snd c) ||
      match found trees (l, fst c) with                                                     (* invariant.step *)
      | t :: _ => check_tree (step_problem l s (snd c)) t
      | [] => false
      end) numbered_clauses.

  Definition end_problem (sets : list (list literal)) (g : id) : problem :=
    Problem top
      (rev_append (tmap (fun n => Linear [(node_variable after n, 1)] 0) (tfilter (fun n => negb (is_kind f Done n)) (rev_append nodes []))) [])
      (singles g) (rev_append (rev_append (others g) []) sets).

  Definition check_begin (begins : list id) (c : list indexed) : bool :=
    existsb (fun b => 0 <=? constant_under b (first f)) c &&                                (* invariant.initial *)
    forallb (fun n => forallb (fun b => 0 <=? coefficient b (node_variable after n)) c) begins.   (* invariant.arrival *)

  Definition known_variables : bool := forallb (forallb (fun b => over top (Linear (parts (fst b)) 0))) clauses.   (* invariant.numbers *)
End Check.

Fixpoint resolve_sets (f : form) (edges : PM.t edge) (ws : list written_set) (acc : list linear_set) : option (list linear_set) :=
  match ws with
  | [] => Some (rev_append acc [])
  | w :: ws =>
      match resolve_set edges w with
      | Some set => if check_set f set then resolve_sets f edges ws (set :: acc) else None
      | None => None
      end
  end.

Lemma resolve_sets_sound f edges ws : (forall k e, PM.find k edges = Some e -> genuine f e) -> forall acc sets,
  (forall set, In set acc -> real_set f set /\ check_set f set = true) -> resolve_sets f edges ws acc = Some sets ->
  forall set, In set sets -> real_set f set /\ check_set f set = true.
Proof.
  intros G. induction ws as [|w ws IH]; cbn [resolve_sets]; intros acc sets A.
  - intros [= <-] set. rewrite rev_append_rev, app_nil_r, <- in_rev. auto.
  - destruct (resolve_set edges w) as [set|] eqn:E; [|discriminate]. destruct (check_set f set) eqn:C; [|discriminate].
    apply IH. intros s [<-|I]; auto. split; auto. eapply resolve_set_real; eauto.
Qed.

(** The global states that serial runs pass through are a hint: they number the edges. *)
Definition check_moments (f : form) (nodes : list id) (top : id) (serial_globals : list id) (p : invariant) : bool :=
  match resolve_sets f (numbered (edge_list f serial_globals)) (serial_sets p) [] with
  | None => false
  | Some resolved =>
  let clauses := rev_append (tmap (fun c => rev_append (tmap index_bound c) []) (holding p)) [] in
  let trees := index (keeping p) in
  let ends := iset (tmap fst (endings p)) in
  let landings := landings_of (fsteps f) in
  let sets := rev_append (tmap (set_clause landings (nodes_of f Done)) resolved) [] in
  let after := after_steps (fsteps f) in
  done_stays f &&
  known_variables top clauses &&
  forallb (check_begin f after (nodes_of f Initial)) clauses &&
  forallb (check_step top after clauses trees (tnumbers clauses)) (tnumbers (fsteps f)) &&
  imem ends (first f) && forallb (fun s => imem ends (global_after s)) (fsteps f) &&        (* invariant.ends *)
  forallb (fun e => check_tree (end_problem f nodes top after clauses sets (fst e)) (snd e)) (endings p)
  end.

(** * Why it holds *)

Lemma tsum_delta_plus v w ts : tsum (fun y => v y + w y) ts = tsum v ts + tsum w ts.
Proof. rewrite !tsum_wsum, <- wsum_plus. apply wsum_ext. intros; lia. Qed.

Lemma tsum_minus v w ts : tsum (fun y => v y - w y) ts = tsum v ts - tsum w ts.
Proof. induction ts as [|t ts IH]; [reflexivity|]. rewrite !tsum_cons. lia. Qed.

Lemma tsum_at (x : id) ts : tsum (fun y => delta x y) ts = tsum (fun y => delta y x) ts.
Proof. apply tsum_ext. intros t _. unfold delta. now rewrite Pos.eqb_sym. Qed.

Lemma rev_append_twice {A} (l m : list A) : rev_append (rev_append l []) m = l ++ m.
Proof. now rewrite !rev_append_rev, app_nil_r, rev_involutive. Qed.

Lemma delta_variable a m x : (a <= x)%positive -> delta m (node_of_variable a x) = delta (node_variable a m) x.
Proof.
  intros L. unfold node_of_variable, node_variable. destruct (Pos.eq_dec (Pos.pred (a + m)) x) as [<-|N].
  - rewrite delta_refl, Pos.succ_pred by lia. rewrite Pos.add_comm, Pos.add_sub. apply delta_refl.
  - rewrite (delta_neq _ x) by auto. apply delta_neq. intros ->. apply N. rewrite Pos.add_comm, Pos.sub_add by lia. apply Pos.pred_succ.
Qed.

Section Sound.
  Context (f : form) (nodes : list id) (top : id) (serial_globals : list id) (p : invariant).
  Let T := fsteps f.
  Let after := after_steps T.
  Let clauses := rev_append (tmap (fun c => rev_append (tmap index_bound c) []) (holding p)) [].
  Context (resolved : list linear_set).
  Let sets := rev_append (tmap (set_clause (landings_of T) (nodes_of f Done)) resolved) [].

  (** The variables at a moment. *)
  Definition moment (ls ts : list id) (x : id) : Z := if Pos.ltb x after then made ls x else tokens_at ts (node_of_variable after x).

  Lemma moment_nonneg ls ts x : 0 <= moment ls ts x.
  Proof. unfold moment. destruct (Pos.ltb x after); [apply made_nonneg|apply tokens_nonneg]. Qed.

  Lemma moment_step ls ts l : (l < after)%positive -> moment ls ts l = made ls l.
  Proof. intros L. unfold moment. apply Pos.ltb_lt in L. now rewrite L. Qed.

  Lemma moment_node ls ts n : moment ls ts (node_variable after n) = tokens_at ts n.
  Proof.
    unfold moment, node_variable, node_of_variable. assert (L : Pos.ltb (Pos.pred (after + n)) after = false).
    { apply Pos.ltb_ge. lia. }
    rewrite L. f_equal. rewrite Pos.succ_pred by lia. rewrite Pos.add_comm. apply Pos.add_sub.
  Qed.

  Lemma moment_next ls ts i n n' l x : (l < after)%positive -> nth_error ts i = Some n ->
    moment (l :: ls) (upd ts i n') x =
    moment ls ts x + (delta l x + delta (node_variable after n') x - delta (node_variable after n) x).
  Proof.
    intros L E. unfold moment. destruct (Pos.ltb_spec x after) as [Lx|Lx].
    - rewrite made_cons, (delta_neq (node_variable after n')), (delta_neq (node_variable after n)); [lia| |];
        unfold node_variable; intros <-; lia.
    - rewrite (tokens_upd_at _ _ _ _ _ E), (delta_neq l x) by lia.
      rewrite !delta_variable by auto. lia.
  Qed.

  Definition bound_value (b : indexed) (g : id) (v : id -> Z) : Z := tsum v (parts (fst b)) + constant_under b g.

  Definition invariant_at (g : id) (v : id -> Z) : Prop :=
    forall c, In c clauses -> Exists (fun b => 0 <= bound_value b g v) c.

  Lemma indexed_coefficient c b x : In c clauses -> In b c -> coefficient b x = tsum (fun y => delta y x) (parts (fst b)).
  Proof.
    intros I J. unfold clauses in I. rewrite rev_append_rev, app_nil_r, <- in_rev, tmap_in in I. destruct I as (c0 & <- & _).
    rewrite rev_append_rev, app_nil_r, <- in_rev, tmap_in in J. destruct J as (b0 & <- & _). unfold coefficient. cbn [fst snd index_bound].
    apply total_sum.
  Qed.

  Lemma bound_after c b ls ts i l s : In c clauses -> In b c -> (l < after)%positive -> nth_error ts i = Some (node_before s) ->
    bound_value b (global_after s) (moment (l :: ls) (upd ts i (node_after s))) =
    tsum (moment ls ts) (parts (fst b)) + constant_after after l s b.
  Proof.
    intros I J L E. unfold bound_value, constant_after. rewrite !(indexed_coefficient c b) by auto.
    rewrite (tsum_ext _ (fun x => moment ls ts x + (delta l x + delta (node_variable after (node_after s)) x - delta (node_variable after (node_before s)) x))).
    - rewrite tsum_delta_plus, tsum_minus, tsum_delta_plus, !tsum_at. fold after. unfold after, T. lia.
    - intros t _. now apply moment_next.
  Qed.

  Lemma singles_hold g v : invariant_at g v -> Forall (fun e => 0 <= value v e) (singles clauses g).
  Proof.
    intros H. apply Forall_forall. intros e I. unfold singles in I. rewrite rev_append_rev, app_nil_r, <- in_rev, tflat_in in I.
    destruct I as (c & I & J). specialize (H c I). destruct c as [|b [|]]; try destruct J. subst. inversion H as [? ? A|? ? A]; subst; [exact A|inversion A].
    destruct H0.
  Qed.

  Lemma others_hold g v : invariant_at g v -> Forall (Exists (holds v)) (others clauses g).
  Proof.
    intros H. apply Forall_forall. intros e I. unfold others in I. rewrite rev_append_rev, app_nil_r, <- in_rev, tmap_in in I.
    destruct I as (c & <- & I). rewrite rev_append_rev, app_nil_r, <- in_rev, tfilter_in in I. destruct I as [I _]. specialize (H c I).
    apply Exists_exists in H as (b & J & H). apply Exists_exists. exists (AtLeastZero (expression_under g b)). split; [|exact H].
    rewrite rev_append_rev, app_nil_r, <- in_rev, tmap_in. eauto.
  Qed.

  Context (resolving : resolve_sets f (numbered (edge_list f serial_globals)) (serial_sets p) [] = Some resolved).
  Context (checked : check_moments f nodes top serial_globals p = true).

  Lemma parts_checked :
    done_stays f = true /\
    (forall c, In c clauses -> check_begin f after (nodes_of f Initial) c = true) /\
    (forall e, In e (tnumbers T) -> check_step top after clauses (index (keeping p)) (tnumbers clauses) e = true) /\
    (forall set, In set resolved -> real_set f set /\ check_set f set = true) /\
    (In (first f) (map fst (endings p)) /\ forall s, In s T -> In (global_after s) (map fst (endings p))) /\
    (forall e, In e (endings p) -> check_tree (end_problem f nodes top after clauses sets (fst e)) (snd e) = true).
  Proof.
    unfold check_moments in checked. rewrite resolving, !andb_true_iff, !forallb_forall in checked.
    destruct checked as [[[[[[A _] B] C] E] F] G].
    assert (X : forall g, imem (iset (tmap fst (endings p))) g = true -> In g (map fst (endings p))).
    { intros g I. apply imem_iset, tmap_in in I as (e & Ee & I). apply in_map_iff. eauto. }
    split; [auto|split; [auto|split; [auto|split; [|split; [split; auto|auto]]]]].
    apply (resolve_sets_sound _ _ _ (fun k e Ek => edge_list_genuine _ _ _ (numbered_in _ _ _ Ek)) [] _) with (2 := resolving). intros ? [].
  Qed.

  Lemma begins_holding ts : all f Initial ts -> invariant_at (first f) (moment [] ts).
  Proof.
    destruct parts_checked as (_ & B & _). intros I c J. specialize (B c J). unfold check_begin in B. rewrite andb_true_iff, forallb_forall in B.
    destruct B as [Z0 A]. apply existsb_exists in Z0 as (b & K & Z0). apply Z.leb_le in Z0. apply Exists_exists. exists b. split; auto.
    unfold bound_value. enough (0 <= tsum (moment [] ts) (parts (fst b))) by lia.
    assert (M : forall x, moment [] ts x = wsum (fun n => delta (node_variable after n) x) ts).
    { intros x. unfold moment. destruct (Pos.ltb_spec x after) as [L|L].
      - symmetry. apply wsum_zero. intros n _. apply delta_neq. unfold node_variable. intros <-. lia.
      - unfold tokens_at. apply wsum_ext. intros n _. now apply delta_variable. }
    rewrite (tsum_ext (moment [] ts) (fun x => wsum (fun n => delta (node_variable after n) x) ts) _ (fun t _ => M (fst t))), tsum_wsum.
    rewrite (wsum_ext _ (fun t => wsum (fun n => snd t * delta (node_variable after n) (fst t)) ts)) by (intros; now rewrite wsum_times).
    rewrite wsum_swap. apply wsum_nonneg. intros n In_. rewrite <- tsum_wsum, tsum_at, <- (indexed_coefficient c b) by auto.
    assert (Kn : In n (nodes_of f Initial)).
    { apply nodes_of_in; [discriminate|]. unfold all in I. rewrite Forall_forall in I. auto. }
    specialize (A n Kn). rewrite forallb_forall in A. specialize (A b K). apply Z.leb_le in A. exact A.
  Qed.

  Lemma step_holding ls ts i l s : In (l, s) (numbers 1%positive T) -> nth_error ts i = Some (node_before s) ->
    invariant_at (global_before s) (moment ls ts) ->
    invariant_at (global_after s) (moment (l :: ls) (upd ts i (node_after s))).
  Proof.
    intros M E H c J. destruct parts_checked as (_ & _ & S' & _).
    assert (L : (l < after)%positive) by exact (numbers_below _ _ _ _ M).
    specialize (S' (l, s)). rewrite tnumbers_rev, <- in_rev in S'. specialize (S' M). unfold check_step in S'. rewrite forallb_forall in S'.
    destruct (numbers_of 1%positive _ _ J) as (k & K). specialize (S' (k, c)). rewrite tnumbers_rev, <- in_rev in S'. specialize (S' K). cbn [fst snd] in S'.
    destruct (Exists_dec (fun b => 0 <= bound_value b (global_after s) (moment (l :: ls) (upd ts i (node_after s)))) c
      (fun b => Z_le_dec _ _)) as [|N]; auto. exfalso.
    apply orb_true_iff in S' as [S'|S'].
    - apply N. specialize (H c J). apply Exists_exists in H as (b & Ib & H). apply Exists_exists. exists b. split; auto.
      unfold is_kept in S'. rewrite forallb_forall in S'. specialize (S' b Ib). apply Z.leb_le in S'.
      rewrite (bound_after c b) by auto. unfold bound_value in H. lia.
    - destruct (found (index (keeping p)) (l, k)) as [|t ?]; [discriminate|]. apply (check_tree_sound _ _ S'). exists (moment ls ts). split; [|split; [|split]].
      + intros x _. apply moment_nonneg.
      + constructor.
      + unfold step_problem; cbn [inequalities]. constructor.
        * unfold value; cbn [terms constant]. rewrite tsum_cons. cbn [fst snd]. change (tsum (moment ls ts) []) with 0. fold T. fold after. rewrite moment_node.
          pose proof (tokens_some _ _ _ E). lia.
        * rewrite rev_append_twice. apply Forall_app. split; [now apply singles_hold|].
          apply Forall_forall. intros e I. rewrite rev_append_rev, app_nil_r, <- in_rev, tmap_in in I. destruct I as (b & <- & Ib).
          assert (V : bound_value b (global_after s) (moment (l :: ls) (upd ts i (node_after s))) < 0).
          { destruct (Z_lt_ge_dec (bound_value b (global_after s) (moment (l :: ls) (upd ts i (node_after s)))) 0); auto.
            exfalso. apply N, Exists_exists. exists b. split; auto. lia. }
          rewrite (bound_after c b) in V by auto. unfold value, times; cbn [terms constant].
          rewrite tsum_scale. change (tsum (moment ls ts) []) with 0. lia.
      + now apply others_hold.
  Qed.

  Lemma run_holding c ls d : labelled T c ls d -> forall ls0, invariant_at (fst c) (moment ls0 (snd c)) ->
    invariant_at (fst d) (moment (rev_append ls ls0) (snd d)).
  Proof.
    induction 1 as [c|g ts i n n' g' l ls d E M R IH]; intros ls0 H; [exact H|]. cbn [rev_append]. apply IH.
    exact (step_holding ls0 ts i l ((n, g), (n', g')) M E H).
  Qed.

  Lemma moments_form : fserializable f.
  Proof.
    intros ds (ts & g & I & D & M). apply moves_labelled in M as (ls & R).
    pose proof parts_checked as (St & _ & _ & Cs & (E1 & E2) & Et).
    assert (Eg : In g (map fst (endings p))).
    { destruct (last_global _ _ _ _ R) as [G|(s & Is & G)]; cbn in G; subst g; auto. }
    apply in_map_iff in Eg as ([g0 t] & G0 & Ie). cbn in G0. subst g0. specialize (Et _ Ie). cbn [fst snd] in Et.
    pose proof (run_holding _ _ _ R [] (begins_holding ts I)) as H. cbn [fst snd] in H. fold (rev_append ls []) in H.
    destruct (set_clauses_sound f (landings_of T) (moment (rev_append ls []) ds) ds resolved) as [|Hs]; auto.
    - intros a Da. apply (answers_counted f ts (first f) ls g ds St I R); auto. intros l Il.
      apply in_map_iff in Il as ([l' s] & El & Il). cbn in El. subst l'. rewrite moment_step by exact (numbers_below _ _ _ _ Il).
      unfold made. rewrite rev_append_rev, app_nil_r. apply wsum_rev.
    - exfalso. apply (check_tree_sound _ _ Et). exists (moment (rev_append ls []) ds). split; [|split; [|split]].
      + intros x _. apply moment_nonneg.
      + apply Forall_forall. intros e Ie'. unfold end_problem in Ie'; cbn [equalities] in Ie'. rewrite rev_append_rev, app_nil_r, <- in_rev, tmap_in in Ie'.
        destruct Ie' as (n & <- & In_). apply tfilter_in in In_ as [_ Kn]. unfold value; cbn [terms constant]. rewrite tsum_cons.
        cbn [fst snd]. change (tsum (moment (rev_append ls []) ds) []) with 0. fold T. fold after. rewrite moment_node, tokens_none; [lia|].
        intros In_. unfold all in D. rewrite Forall_forall in D. apply D in In_. apply is_kind_eq in In_. rewrite In_ in Kn. discriminate.
      + now apply singles_hold.
      + unfold end_problem; cbn [Arithmetic.clauses]. rewrite rev_append_twice. apply Forall_app. split; [now apply others_hold|].
        apply Forall_forall. intros c Ic. unfold sets in Ic. rewrite rev_append_rev, app_nil_r, <- in_rev, tmap_in in Ic.
        destruct Ic as (set & <- & Iset). auto.
  Qed.
End Sound.

Theorem moments_sound f nodes top serial_globals p : check_moments f nodes top serial_globals p = true -> fserializable f.
Proof.
  intros C. destruct (resolve_sets f (numbered (edge_list f serial_globals)) (serial_sets p) []) as [resolved|] eqn:R.
  - exact (moments_form f nodes top serial_globals p resolved R C).
  - unfold check_moments in C. rewrite R in C. discriminate.
Qed.
