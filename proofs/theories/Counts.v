(** What holds for how often the steps of a complete run are made.

    Variables: for each step how often it is made; for each global state whether
    the run ends there; and what is carried. Global states are in phases; when a
    step leads from one phase to another, the requests that stay at a node that is
    landed on are carried there. Then for each node and phase what comes is as much
    as what goes, but for requests that begin there. *)

From Coq Require Import List ZArith PArith Bool Permutation Lia.
From Proved Require Import Sets Model Sums Tree LinearSet Labels Invariant.
Import ListNotations.
Open Scope Z_scope.

(** Phases by global state; those that are not in the map are in phase 1. *)
Definition phase_of (phases : PM.t id) (g : id) : id := match PM.find g phases with Some q => q | None => 1%positive end.

Section Problem.
  Context (f : form) (phases : PM.t id).
  (** The global states and nodes in order, and the number after the last global state. *)
  Context (globals nodes : list id) (next_global : id).
  Let T := fsteps f.
  Let after := after_steps T.
  Let numbered_steps := tnumbers T.
  Let phase := phase_of phases.

  (** Pairs of phases that a step leads between. *)
  Definition crossing (s : step) : point := (phase (global_before s), phase (global_after s)).
  Definition crossings : list point :=
    sorted_points (tfilter (fun q => negb (Pos.eqb (fst q) (snd q))) (tmap crossing T)).

  (** The nodes that are landed on and not done. *)
  Definition landed_set : idset := iset (tmap node_after T).
  Definition landed : list id :=
    let s := landed_set in tfilter (fun n => imem s n && negb (is_kind f Done n)) (rev_append nodes []).

  (** What is carried: phases, and the node. *)
  Definition carried : list (point * id) :=
    let ns := landed in rev_append (tflat (fun q => rev_append (tmap (fun n => (q, n)) ns) []) crossings) [].

  Definition final_variable (g : id) : id := node_variable after g.
  Definition first_carried : id := node_variable after next_global.
  Definition carried_numbered : list (id * (point * id)) := tnumbers_from first_carried carried.
  Definition last_variable : id := fold_left (fun n _ => Pos.succ n) carried first_carried.

  (** The steps that are as [P] says, each so many times. *)
  Definition select (c : Z) (P : id * step -> bool) : list (id * Z) := tmap (fun e => (fst e, c)) (tfilter P numbered_steps).

  (** For each global state what comes minus what goes. *)
  Definition control_rows : list linear :=
    let terms := index1 (tflat (fun e => [(global_after (snd e), (fst e, 1)); (global_before (snd e), (fst e, -1))]) numbered_steps) in
    let variable := node_variable after in
    rev_append (tmap (fun g =>
      Linear ((variable g, -1) :: found1 terms g) (delta g (first f))) globals) [].

  Definition final_row : linear := let variable := node_variable after in Linear (tmap (fun g => (variable g, 1)) globals) (-1).
  Definition final_clause : list literal :=
    let variable := node_variable after in rev_append (tmap (fun g => AtLeastZero (Linear [(variable g, 1)] (-1))) globals) [].

  (** For each node and phase what comes minus what goes. *)
  Definition step_entries (e : id * step) : list (point * (id * Z)) :=
    let '(l, s) := e in
    ((node_before s, phase (global_before s)), (l, -1)) ::
    (if is_kind f Done (node_after s) then [] else [((node_after s, phase (global_after s)), (l, 1))]).
  Definition carried_entries (e : id * (point * id)) : list (point * (id * Z)) :=
    let '(i, (q, n)) := e in [((n, fst q), (i, -1)); ((n, snd q), (i, 1))].
  Definition entries : list (point * (id * Z)) := tapp (tflat step_entries numbered_steps) (tflat carried_entries carried_numbered).

  Definition token_rows : list linear * list linear :=
    let es := entries in
    let terms := index es in
    fold_left (fun a p =>
      match kind_of f (fst p) with
      | Initial => (fst a, Linear (scale (-1) (found terms p) []) 0 :: snd a)
      | Inner => (Linear (found terms p) 0 :: fst a, snd a)
      | Done => a
      end) (rev_append (sorted_points (tmap fst es)) []) ([], []).

  Definition carried_clauses : list (list literal) :=
    let by_crossing := index (tmap (fun e => (crossing (snd e), (fst e, 1))) numbered_steps) in
    tmap (fun e => [AtLeastZero (Linear [(fst e, -1)] 0); AtLeastZero (Linear (found by_crossing (fst (snd e))) (-1))]) carried_numbered.

  Definition flow_problem (facts : list (list literal)) : problem :=
    let '(rows, initial_rows) := token_rows in
    Problem last_variable
      (rev_append (rev_append control_rows []) (final_row :: rows)) initial_rows
      (final_clause :: rev_append (rev_append carried_clauses []) facts).

  (** What the numbering needs. *)
  Definition check_numbers : bool :=
    done_stays f &&
    distinct globals && forallb (fun g => Pos.ltb g next_global) globals &&
    distinct landed && distinct_points crossings &&
    (let s := iset globals in imem s (first f) && forallb (fun e => imem s (global_after e)) T) &&
    (let s := iset nodes in forallb (fun e => imem s (node_after e)) T).
End Problem.

Lemma delta_sym x y : delta x y = delta y x.
Proof. unfold delta. now rewrite Pos.eqb_sym. Qed.

(** * What is carried by a run *)

Section Carried.
  Context (f : form) (phases : PM.t id).
  Let T := fsteps f.
  Let phase := phase_of phases.
  Context (X : list point) (once : NoDup X).
  Context (all_crossings : forall s, In s T -> phase (global_before s) <> phase (global_after s) -> In (crossing phases s) X).

  (** What a run lands on a node in a phase, and leaves it. *)
  Definition come (n q : id) (e : id * step) : Z := delta (node_after (snd e)) n * delta (phase (global_after (snd e))) q.
  Definition go (n q : id) (e : id * step) : Z := delta (node_before (snd e)) n * delta (phase (global_before (snd e))) q.
  Definition crosses (c : point) (e : id * step) : Z := if point_eqb (crossing phases (snd e)) c then 1 else 0.

  Definition into (K : point -> id -> Z) (n q : id) : Z := wsum (fun c => delta (snd c) q * K c n) X.
  Definition out (K : point -> id -> Z) (n q : id) : Z := wsum (fun c => delta (fst c) q * K c n) X.

  Lemma carried_exists c ls d : labelled T c ls d -> exists K : point -> id -> Z,
    (forall x n, 0 <= K x n) /\
    (forall x n, 0 < K x n -> 1 <= weight T (crosses x) ls) /\
    (forall n q, delta (phase (fst c)) q * tokens_at (snd c) n + weight T (come n q) ls + into K n q =
                 delta (phase (fst d)) q * tokens_at (snd d) n + weight T (go n q) ls + out K n q).
  Proof.
    induction 1 as [c|g ts i n0 n1 g' l ls d E M R (K & KP & KS & KB)].
    - exists (fun _ _ => 0). repeat split; intros; try lia. unfold into, out. rewrite !weight_nil, !wsum_zero by (intros; lia). lia.
    - set (s := ((n0, g), (n1, g'))) in *. assert (Is : In s T) by (apply numbers_in in M as [M _]; auto).
      assert (CN : forall x ls, 0 <= weight T (crosses x) ls).
      { intros. apply weight_nonneg. intros e. unfold crosses. destruct (point_eqb _ _); lia. }
      cbn [fst snd] in KB. destruct (Pos.eq_dec (phase g) (phase g')) as [Eq|Ne].
      + exists K. split; [auto|split].
        * intros x n P. rewrite (weight_cons _ _ _ _ _ M). specialize (KS x n P). unfold crosses at 1. destruct (point_eqb _ _); lia.
        * intros n q. rewrite !(weight_cons _ _ _ _ _ M). specialize (KB n q). rewrite (tokens_upd_at _ _ _ _ _ E) in KB.
          unfold come at 1, go at 1. unfold s, node_after, node_before, global_after, global_before. cbn [fst snd]. rewrite Eq. nia.
      + pose (stay n := tokens_at ts n - delta n0 n).
        assert (SP : forall n, 0 <= stay n).
        { intros n. unfold stay. destruct (Pos.eq_dec n0 n) as [<-|N]; [rewrite delta_refl; pose proof (tokens_some _ _ _ E); lia|].
          rewrite delta_neq by auto. pose proof (tokens_nonneg ts n). lia. }
        set (x0 := (phase g, phase g')).
        assert (I0 : In x0 X) by exact (all_crossings s Is Ne).
        pose (K' := fun x n => K x n + if point_eqb x x0 then stay n else 0).
        exists K'. unfold K'. split; [|split].
        * intros x n. specialize (KP x n). specialize (SP n). destruct (point_eqb x x0); lia.
        * intros x n P. rewrite (weight_cons _ _ _ _ _ M). specialize (CN x ls). unfold crosses at 1. change (crossing phases (snd (l, s))) with x0.
          destruct (point_eqb x x0) eqn:Ex.
          -- apply point_eqb_eq in Ex. subst x. rewrite point_eqb_refl. lia.
          -- specialize (KS x n ltac:(lia)). destruct (point_eqb x0 x); lia.
        * intros n q. specialize (KB n q). rewrite (tokens_upd_at _ _ _ _ _ E) in KB.
          assert (P1 : forall h : point -> id, wsum (fun c => delta (h c) q * (K c n + (if point_eqb c x0 then stay n else 0))) X =
            wsum (fun c => delta (h c) q * K c n) X + delta (h x0) q * stay n).
          { intros h. rewrite (wsum_ext _ (fun c => delta (h c) q * K c n + delta (h c) q * (if point_eqb c x0 then stay n else 0))) by (intros; lia).
            rewrite wsum_plus. f_equal. rewrite (wsum_one _ X x0); auto.
            - rewrite point_eqb_refl. reflexivity.
            - intros b _ Nb. destruct (point_eqb b x0) eqn:Eb; [apply point_eqb_eq in Eb; congruence|lia]. }
          assert (PI : into K' n q = into K n q + delta (phase g') q * stay n) by exact (P1 snd).
          assert (PO : out K' n q = out K n q + delta (phase g) q * stay n) by exact (P1 fst).
          fold K'. rewrite PI, PO.
          rewrite !(weight_cons _ _ _ _ _ M). unfold come at 1, go at 1. unfold s, node_after, node_before, global_after, global_before, x0.
          cbn [fst snd]. unfold stay. cbn [fst snd] in *. nia.
  Qed.
End Carried.

(** * The counts of a run solve the problem *)

Section Solved.
  Context (f : form) (phases : PM.t id) (globals nodes : list id) (next_global : id).
  Context (checked : check_numbers f phases globals nodes next_global = true).
  Context (ts : list id) (g : id) (ds ls : list id).
  Context (begin : all f Initial ts) (done : all f Done ds) (run : labelled (fsteps f) (first f, ts) ls (g, ds)).
  Let T := fsteps f.
  Let after := after_steps T.
  Let phase := phase_of phases.
  Let carried_list := carried f phases nodes.
  Let first_c := first_carried f next_global.

  Lemma numbers_checked :
    done_stays f = true /\ NoDup globals /\ (forall h, In h globals -> (h < next_global)%positive) /\
    NoDup (landed f nodes) /\ NoDup (crossings f phases) /\ In g globals /\ (forall s, In s T -> In (node_after s) nodes).
  Proof.
    unfold check_numbers in checked. rewrite !andb_true_iff, !forallb_forall in checked.
    destruct checked as [[[[[[A B] C] D] E] [F1 F2]] G].
    apply distinct_sound in B, D. apply distinct_points_sound in E. repeat split; auto.
    - intros h I. apply Pos.ltb_lt. auto.
    - apply imem_iset in F1. destruct (last_global _ _ _ _ run) as [E0|(s & Is & E0)]; cbn in E0; subst; auto. apply imem_iset. auto.
    - intros s Is. apply imem_iset. auto.
  Qed.

  (** The values, where [K] says what is carried. *)
  Definition counts (K : point -> id -> Z) (x : id) : Z :=
    if Pos.ltb x after then made ls x
    else if Pos.ltb x first_c then delta g (node_of_variable after x)
    else wsum (fun e => delta x (fst e) * K (fst (snd e)) (snd (snd e))) (numbers first_c carried_list).

  Context (K : point -> id -> Z).
  Context (not_negative : forall x n, 0 <= K x n).
  Context (support : forall x n, 0 < K x n -> 1 <= weight T (crosses phases x) ls).
  Context (balance : forall n q,
    delta (phase (first f)) q * tokens_at ts n + weight T (come phases n q) ls + into (crossings f phases) K n q =
    delta (phase g) q * tokens_at ds n + weight T (go phases n q) ls + out (crossings f phases) K n q).
  Let v := counts K.

  Lemma counts_nonneg x : 0 <= v x.
  Proof.
    unfold v, counts. destruct (Pos.ltb x after); [apply made_nonneg|]. destruct (Pos.ltb x first_c); [apply delta_bounds|].
    apply wsum_nonneg. intros e _. apply Z.mul_nonneg_nonneg; auto. apply delta_bounds.
  Qed.

  Lemma counts_step l s : In (l, s) (numbers 1%positive T) -> v l = made ls l.
  Proof. intros I. apply numbers_below in I. unfold v, counts. apply Pos.ltb_lt in I. unfold after, after_steps. now rewrite I. Qed.

  Lemma counts_final h : (h < next_global)%positive -> v (final_variable f h) = delta g h.
  Proof.
    intros L. unfold v, counts, first_c, first_carried, final_variable, node_variable. fold T. fold after.
    destruct (Pos.ltb_spec (Pos.pred (after + h)) after); [lia|].
    destruct (Pos.ltb_spec (Pos.pred (after + h)) (Pos.pred (after + next_global))); [|lia].
    unfold node_of_variable. rewrite Pos.succ_pred by lia. now rewrite Pos.add_comm, Pos.add_sub.
  Qed.

  Lemma counts_carried i q n : In (i, (q, n)) (numbers first_c carried_list) -> v i = K q n.
  Proof.
    intros I. pose proof (numbers_in _ _ _ _ I) as [_ L]. unfold v, counts.
    assert (after <= first_c)%positive by (unfold first_c, first_carried, node_variable; fold T; fold after; lia).
    destruct (Pos.ltb_spec i after); [lia|]. destruct (Pos.ltb_spec i first_c); [lia|].
    exact (numbers_once first_c carried_list i (q, n) (fun e => K (fst (snd e)) (snd (snd e))) I).
  Qed.

  (** Sums over steps are weights of the run. *)
  Lemma sum_steps (w : id * step -> Z) : wsum (fun e => w e * v (fst e)) (tnumbers T) = weight T w ls.
  Proof.
    rewrite tnumbers_rev, wsum_rev. unfold weight. apply wsum_ext. intros [l s] I. cbn [fst]. now rewrite (counts_step l s I).
  Qed.

  Lemma select_value c P : tsum v (select f c P) = c * weight T (fun e => if P e then 1 else 0) ls.
  Proof.
    unfold select. rewrite tsum_wsum, wsum_tmap, wsum_tfilter. cbn [fst snd]. fold T. rewrite <- sum_steps, <- wsum_times.
    apply wsum_ext. intros e _. destruct (P e); lia.
  Qed.

  Lemma control_hold : Forall (fun e => value v e = 0) (control_rows f globals).
  Proof.
    apply Forall_forall. intros e I. unfold control_rows in I. rewrite rev_append_rev, app_nil_r, <- in_rev, tmap_in in I. destruct I as (h & <- & I).
    destruct numbers_checked as (_ & _ & L & _). unfold value. cbn [terms constant]. rewrite tsum_cons. cbn [fst snd].
    change (node_variable (after_steps (fsteps f)) h) with (final_variable f h). rewrite counts_final by auto.
    rewrite tsum_wsum, wsum_found1, wsum_tflat.
    rewrite (wsum_ext _ (fun e => (delta (global_after (snd e)) h - delta (global_before (snd e)) h) * v (fst e))).
    - fold T. rewrite sum_steps. pose proof (labelled_globals _ _ _ _ run h) as H. cbn [fst] in H. fold T in H.
      rewrite (delta_sym h). lia.
    - intros [l s] _. rewrite !wsum_cons, wsum_nil. cbn [fst snd]. unfold delta.
      destruct (Pos.eqb (global_after s) h), (Pos.eqb (global_before s) h); lia.
  Qed.

  Lemma final_hold : value v (final_row f globals) = 0.
  Proof.
    destruct numbers_checked as (_ & N & L & _ & _ & I & _). unfold value, final_row. cbn [terms constant].
    rewrite tsum_wsum, wsum_tmap. rewrite (wsum_one _ globals g); auto.
    - cbn [fst snd]. change (node_variable (after_steps (fsteps f)) g) with (final_variable f g). rewrite counts_final, delta_refl by auto. lia.
    - intros h J Ne. cbn [fst snd]. change (node_variable (after_steps (fsteps f)) h) with (final_variable f h). rewrite counts_final, delta_neq by auto. lia.
  Qed.

  Lemma final_clause_hold : Exists (holds v) (final_clause f globals).
  Proof.
    destruct numbers_checked as (_ & _ & L & _ & _ & I & _). apply Exists_exists.
    exists (AtLeastZero (Linear [(final_variable f g, 1)] (-1))). split.
    - unfold final_clause. rewrite rev_append_rev, app_nil_r, <- in_rev, tmap_in. exists g. split; auto.
    - cbn [holds]. unfold value. cbn [terms constant]. rewrite tsum_cons. cbn [fst snd]. change (tsum v []) with 0.
      rewrite counts_final, delta_refl by auto. lia.
  Qed.

  Lemma carried_clauses_hold : Forall (Exists (holds v)) (carried_clauses f phases nodes next_global).
  Proof.
    apply Forall_forall. intros c I. unfold carried_clauses in I. apply tmap_in in I as ([i [q n]] & <- & I).
    unfold carried_numbered in I. rewrite tnumbers_from_rev, <- in_rev in I. fold first_c carried_list in I. cbn [fst snd].
    pose proof (counts_carried _ _ _ I) as Ci. specialize (not_negative q n).
    destruct (Z_lt_ge_dec 0 (K q n)) as [P|P].
    - apply Exists_cons_tl, Exists_cons_hd. cbn [holds]. unfold value. cbn [terms constant]. rewrite tsum_wsum, wsum_found, wsum_tmap.
      rewrite (wsum_ext _ (fun e => crosses phases q e * v (fst e))).
      + fold T. rewrite sum_steps. specialize (support q n P). lia.
      + intros e _. cbn [fst snd]. unfold crosses. destruct (point_eqb _ _); lia.
    - apply Exists_cons_hd. cbn [holds]. unfold value. cbn [terms constant]. rewrite tsum_cons. cbn [fst snd]. change (tsum v []) with 0. lia.
  Qed.

  Lemma row_value n q : kind_of f n <> Done ->
    tsum v (found (index (entries f phases nodes next_global)) (n, q)) =
    weight T (come phases n q) ls - weight T (go phases n q) ls +
    (if imem (landed_set f) n then into (crossings f phases) K n q - out (crossings f phases) K n q else 0).
  Proof.
    intros Nd. rewrite tsum_wsum, wsum_found. unfold entries. rewrite wsum_tapp, !wsum_tflat. f_equal.
    - rewrite <- weight_minus. fold T. rewrite <- sum_steps. apply wsum_ext. intros [l s] _. unfold step_entries, come, go. cbn [fst snd].
      destruct (is_kind f Done (node_after s)) eqn:Kd; rewrite !wsum_cons, wsum_nil; cbn [fst snd]; rewrite !point_delta; cbn [fst snd].
      + apply is_kind_eq in Kd. rewrite (delta_neq (node_after s) n) by congruence. lia.
      + lia.
    - unfold carried_numbered. rewrite tnumbers_from_rev, wsum_rev. fold first_c carried_list.
      pose (w := fun x : point * id => delta (snd x) n * ((delta (snd (fst x)) q - delta (fst (fst x)) q) * K (fst x) n)).
      rewrite (wsum_ext _ (fun e => w (snd e))).
      + assert (S' : forall (h : point * id -> Z) m (l : list (point * id)), wsum (fun e => h (snd e)) (numbers m l) = wsum h l).
        { intros h m l. revert m. induction l as [|b l IH]; intros m; [reflexivity|]. cbn [numbers]. rewrite !wsum_cons, IH. reflexivity. }
        rewrite (S' w). unfold carried_list, carried. rewrite rev_append_rev, app_nil_r, wsum_rev, wsum_tflat.
        destruct numbers_checked as (_ & _ & _ & Nl & _ & _ & Iln).
        assert (Ln : In n (landed f nodes) <-> imem (landed_set f) n = true).
        { unfold landed. rewrite tfilter_in, rev_append_rev, app_nil_r, <- in_rev, andb_true_iff, negb_true_iff. split; [tauto|]. intros I. repeat split; auto.
          - unfold landed_set in I. apply imem_iset, tmap_in in I as (s & <- & Is). auto.
          - apply not_true_iff_false. now rewrite is_kind_eq. }
        assert (One : forall c : Z, wsum (fun m => delta m n * c) (landed f nodes) = if imem (landed_set f) n then c else 0).
        { intros c. destruct (imem (landed_set f) n) eqn:Im.
          - rewrite (wsum_one _ _ n); auto; [rewrite delta_refl; lia|now apply Ln|]. intros b _ Nb. rewrite delta_neq by auto. lia.
          - apply wsum_zero. intros m Im'. rewrite delta_neq; [lia|]. intros ->. apply Ln in Im'. congruence. }
        rewrite (wsum_ext _ (fun c => if imem (landed_set f) n then (delta (snd c) q - delta (fst c) q) * K c n else 0)).
        * destruct (imem (landed_set f) n); [|now apply wsum_zero]. unfold into, out.
          generalize (crossings f phases) as l. induction l as [|c l IH]; [reflexivity|]. rewrite !wsum_cons, IH. lia.
        * intros c _. rewrite rev_append_rev, app_nil_r, wsum_rev, wsum_tmap. unfold w. cbn [fst snd]. apply One.
      + intros [i [x m]] I. unfold carried_entries. rewrite !wsum_cons, wsum_nil. cbn [fst snd]. rewrite !point_delta. cbn [fst snd].
        rewrite (counts_carried _ _ _ I). unfold w. cbn [fst snd]. destruct (Pos.eq_dec m n) as [->|N]; [lia|]. rewrite (delta_neq m n) by auto. lia.
  Qed.

  Lemma come_nonneg n q l : 0 <= weight T (come phases n q) l.
  Proof. apply weight_nonneg. intros e. unfold come. apply Z.mul_nonneg_nonneg; apply delta_bounds. Qed.
  Lemma go_nonneg n q l : 0 <= weight T (go phases n q) l.
  Proof. apply weight_nonneg. intros e. unfold go. apply Z.mul_nonneg_nonneg; apply delta_bounds. Qed.

  Lemma not_landed n q : imem (landed_set f) n = false -> weight T (come phases n q) ls = 0.
  Proof.
    intros I. unfold weight. apply wsum_zero. intros [l s] J. apply numbers_in in J as [J _]. unfold come. cbn [snd].
    rewrite (delta_neq (node_after s) n); [lia|]. intros <-. apply not_true_iff_false in I. apply I. unfold landed_set.
    apply imem_iset, tmap_in. exists s; auto.
  Qed.

  Lemma row_comes n q : kind_of f n <> Done ->
    let row := tsum v (found (index (entries f phases nodes next_global)) (n, q)) in
    row <= 0 /\ (kind_of f n <> Initial -> row = 0).
  Proof.
    intros Nd row. unfold row. rewrite row_value by auto.
    assert (E0 : tokens_at ds n = 0).
    { apply tokens_none. intros I. unfold all in done. rewrite Forall_forall in done. apply done in I. congruence. }
    assert (B0 : kind_of f n <> Initial -> tokens_at ts n = 0).
    { intros N. apply tokens_none. intros I. unfold all in begin. rewrite Forall_forall in begin. apply begin in I. congruence. }
    pose proof (tokens_nonneg ts n) as P. destruct (imem (landed_set f) n) eqn:Im.
    - specialize (balance n q). rewrite E0 in balance. split; [|intros N; rewrite (B0 N) in balance; lia].
      pose proof (delta_bounds (phase (first f)) q). nia.
    - rewrite (not_landed _ _ Im). pose proof (go_nonneg n q ls). split; [lia|]. intros N.
      enough (weight T (go phases n q) ls <= 0) by lia.
      pose proof (labelled_tokens _ _ _ _ run n) as H1. cbn [snd] in H1. rewrite E0, (B0 N), weight_minus in H1. fold T in H1.
      assert (Lz : weight T (fun e => delta (node_after (snd e)) n) ls = 0).
      { unfold weight. apply wsum_zero. intros [l s] J. apply numbers_in in J as [J _]. cbn [snd].
        rewrite (delta_neq (node_after s) n); [lia|]. intros <-. apply not_true_iff_false in Im. apply Im. unfold landed_set.
        apply imem_iset, tmap_in. exists s; auto. }
      assert (Le : weight T (go phases n q) ls <= weight T (fun e => delta (node_before (snd e)) n) ls).
      { enough (0 <= weight T (fun e => delta (node_before (snd e)) n - go phases n q e) ls) by (rewrite weight_minus in *; lia).
        apply weight_nonneg. intros e. unfold go. pose proof (delta_bounds (node_before (snd e)) n).
        pose proof (delta_bounds (phase_of phases (global_before (snd e))) q). nia. }
      lia.
  Qed.

  Lemma token_rows_hold :
    Forall (fun e => value v e = 0) (fst (token_rows f phases nodes next_global)) /\
    Forall (fun e => 0 <= value v e) (snd (token_rows f phases nodes next_global)).
  Proof.
    unfold token_rows. set (terms := index _). generalize (rev_append (sorted_points (tmap fst (entries f phases nodes next_global))) []) as l.
    assert (H : forall l a, Forall (fun e => value v e = 0) (fst a) /\ Forall (fun e => 0 <= value v e) (snd a) ->
      let a' := fold_left (fun a p => match kind_of f (fst p) with
        | Initial => (fst a, Linear (scale (-1) (found terms p) []) 0 :: snd a)
        | Inner => (Linear (found terms p) 0 :: fst a, snd a)
        | Done => a end) l a in
      Forall (fun e => value v e = 0) (fst a') /\ Forall (fun e => 0 <= value v e) (snd a')).
    { induction l as [|[n q] l IH]; cbn [fold_left fst snd]; intros a H; [exact H|]. apply IH.
      destruct (kind_of f n) eqn:Kn; cbn [fst snd]; auto; destruct H as [H1 H2]; split; auto; constructor; auto;
        (assert (Nd : kind_of f n <> Done) by congruence); destruct (row_comes n q Nd) as [Le Eq]; fold terms in Le, Eq;
        unfold value; cbn [Arithmetic.terms constant].
      - rewrite tsum_scale. change (tsum v []) with 0. lia.
      - rewrite Eq by congruence. lia. }
    intros l. apply H. split; constructor.
  Qed.

  Lemma flow_solved facts : Forall (Exists (holds v)) facts -> solution (flow_problem f phases globals nodes next_global facts) v.
  Proof.
    intros F. unfold flow_problem. destruct token_rows_hold as [R I]. destruct (token_rows f phases nodes next_global) as [rows initial_rows].
    cbn [fst snd] in R, I. split; [|split; [|split]]; cbn [equalities inequalities Arithmetic.clauses].
    - intros x _. apply counts_nonneg.
    - rewrite rev_append_twice. apply Forall_app. split; [apply control_hold|]. constructor; auto. apply final_hold.
    - auto.
    - constructor; [apply final_clause_hold|]. rewrite rev_append_twice. apply Forall_app. split; auto. apply carried_clauses_hold.
  Qed.
End Solved.
