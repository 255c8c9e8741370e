(** Proofs over the numbers of answers alone.

    The automaton of serial runs is made smaller, level by level; its letters are
    put into classes; regions are counts of classes that its walks have. Facts hold
    for the answers of all complete runs, and a tree shows that no counts meet all
    facts and are in no region. So the answers of every complete run are those of
    a walk, and, back through the levels, of a serial run. Behind the levels there
    may be groups of letters, each with levels, classes, regions and a tree of its own. *)

From Coq Require Import List ZArith PArith Bool Permutation Lia.
From Proved Require Import Sets Model Sums Euler Tree LinearSet Labels.
From Proved.Rules Require Pairs.
From Proved.Letters Require Import Level Slice Explicit Counting Sum Region Clauses Classes Groups.
Import ListNotations.
Open Scope Z_scope.

Inductive answer_fact :=
| ByReach (a : absence)
| ByPairs (a : absence)
| ByCount (c : counting)
| ByExactly (paired : bool) (a : absence) (es : list exactly).

(** Why all counts that meet the facts are those of walks. *)
Record cover := Cover { in_classes : list (list id); regions : list region; against : list node }.

Record group := Group { members : list id; first_steps : N; own_levels : list level; own_cover : cover }.

(** Without groups nothing is visited, and what is left is everything. *)
Record letters_proof := LettersProof {
  known_facts : list answer_fact;
  levels : list level;
  loop_visits : list visit;
  groups : list group;
  left_cover : cover
}.

Section Check.
  (** Hints: sets of pairs, what can be reached, where requests can be that are followed, and the global states that serial runs pass through. *)
  Context (pairs_hint : form -> list Pairs.turn_hint) (reach_hint : form -> list id * list id) (follow_hint : form -> list exactly -> controls) (serial_globals : list id).
  Context (f : form) (globals nodes : list id) (next_global : id) (p : letters_proof).

  (** ** Facts *)

  Definition all_letters (l : list id) : bool := forallb (is_kind f Done) l.                  (* letters.numbers *)
  Definition some {A} (l : list A) : bool := match l with [] => false | _ => true end.

  Definition check_absence (check : form -> bool) (a : absence) : bool :=
    all_letters (outside a) && all_letters (never a) &&
    match slice f (outside a) with Some f' => check f' | None => false end.

  Definition check_never (paired : bool) (a : absence) (f' : form) : bool :=
    if paired then check_pairs pairs_hint f' (never a) else check_reach f' (reach_hint f') (never a).

  (** If no request can answer as is said, anything holds of those that do. *)
  Definition check_exactly (paired : bool) (a : absence) (es : list exactly) (f' : form) : bool :=
    match explicit (follow_hint f' es) f' (never a) es with
    | Some (Some f') => some (never a) && check_never paired a f'
    | Some None => true
    | None => false
    end.

  Definition check_fact (x : answer_fact) : bool :=
    match x with
    | ByReach a => check_absence (fun f' => some (never a) && check_never false a f') a
    | ByPairs a => check_absence (fun f' => some (never a) && check_never true a f') a
    | ByExactly paired a es => forallb (fun e => all_letters (in_set e)) es && check_absence (check_exactly paired a es) a
    | ByCount c => all_letters (away c) && check_count pairs_hint globals nodes next_global f c
    end.

  Definition fact_means (ds : list id) (x : answer_fact) : Prop :=
    match x with
    | ByReach a | ByPairs a => guards ds a
    | ByCount c => Exists (bound_holds ds) (literals c) \/ exists x, In x ds /\ In x (away c)
    | ByExactly _ a es => Exists (fun e => answers_in e ds <> Z.of_N (so_often e)) es \/ never a <> [] /\ (forall x, In x ds -> ~ In x (never a)) \/ exists x, In x ds /\ In x (outside a)
    end.

  (** What a fact says about classes, if it says anything. *)
  Section Clause.
    Context (classes : list (list id)).
    Definition ones (l : list id) : list (id * Z) := tmap (fun x => (x, 1)) l.
    Definition bound_clause (b : letter_bound) : option literal :=
      match class_sum classes (bound_terms b) with
      | Some s => Some (if bound_divisor b =? 0 then AtLeastZero (Linear s (bound_plus b)) else NotDivisible (Linear s (bound_plus b)) (bound_divisor b))
      | None => None
      end.
    Fixpoint bound_clauses (bs : list letter_bound) (acc : list literal) : option (list literal) :=
      match bs with
      | [] => Some (rev_append acc [])
      | b :: bs => match bound_clause b with Some l => bound_clauses bs (l :: acc) | None => None end
      end.
    Definition never_literal (a : absence) : literal := AtLeastZero (Linear (whole_classes classes (iset (never a))) 0).
    (** Each set is answered fewer times than is said, or more. *)
    Fixpoint exactly_clauses (es : list exactly) (acc : list literal) : option (list literal) :=
      match es with
      | [] => Some (rev_append acc [])
      | e :: es =>
          match class_sum classes (ones (in_set e)) with
          | Some s => exactly_clauses es (AtLeastZero (Linear s (- Z.of_N (so_often e) - 1)) :: AtLeastZero (Linear (tmap (fun t => (fst t, - snd t)) s) (Z.of_N (so_often e) - 1)) :: acc)
          | None => None
          end
      end.
    Definition class_clause (x : answer_fact) : option (list literal) :=
      match x with
      | ByReach a | ByPairs a =>
          match class_sum classes (ones (outside a)) with
          | Some s => Some [never_literal a; AtLeastZero (Linear s (-1))]
          | None => None
          end
      | ByExactly _ a es =>
          match class_sum classes (ones (outside a)), exactly_clauses es (if some (never a) then [never_literal a] else []) with
          | Some s, Some ls => Some (joined ls [AtLeastZero (Linear s (-1))])
          | _, _ => None
          end
      | ByCount c =>
          match class_sum classes (ones (away c)), bound_clauses (literals c) [] with
          | Some s, Some ls => Some (joined ls [AtLeastZero (Linear s (-1))])
          | _, _ => None
          end
      end.
  End Clause.

  (** ** The whole *)

  Definition absences : PM.t absence :=
    fold_left (fun m e => match snd e with ByReach a | ByPairs a => PM.add (fst e) a m | _ => m end) (tnumbers (known_facts p)) (PM.empty _).

  Fixpoint check_levels (guard : PM.t absence) (A : automaton) (removed : idset) (ls : list level) : option (automaton * idset) :=
    match ls with
    | [] => Some (A, removed)
    | l :: ls =>
        if all_letters (tmap fst (loops l)) && check_level guard A removed l
        then check_levels guard (after l) (remove removed l) ls else None
    end.

  Fixpoint resolve_flows (edges : PM.t edge) (fs : list flow_of) (acc : list used) : option (list used) :=
    match fs with
    | [] => Some (rev_append acc [])
    | x :: fs => match PM.find (edge_number x) edges with Some e => resolve_flows edges fs ((e, x) :: acc) | None => None end   (* letters.region.numbers *)
    end.

  (** The items of all regions, each of which is as it should be. *)
  Fixpoint region_items (B : automaton) (edges : PM.t edge) (numbers : list id) (rs : list region) (acc : list (list item)) : option (list (list item)) :=
    match rs with
    | [] => Some (rev_append acc [])
    | r :: rs =>
        match resolve_flows edges (flows r) [] with
        | Some us => if check_region (start_state B) r us then region_items B edges numbers rs (items (start_state B) numbers r us :: acc) else None
        | None => None
        end
    end.

  Fixpoint all_clauses (n : id) (iss : list (list item)) (cs : list (list literal)) (zs : list (id * (literal * literal))) :=
    match iss with
    | [] => (rev_append cs [], zs, n)
    | is :: iss => let '(c, z, m) := item_clauses n is in all_clauses m iss (rev_append c cs) (rev_append z zs)
    end.

  Definition check_cover (A : automaton) (removed : idset) (k : cover) : bool :=
    let classes := in_classes k in
    let B := class_automaton classes A in
    let numbers := rev_append (tnumbers classes) [] in
    let n := fold_left (fun n _ => Pos.succ n) classes 1%positive in
    check_classes f removed classes && check_twins classes A &&
    match region_items B (numbered (arcs B)) (rev_append (tmap fst numbers) []) (regions k) [] with
    | Some iss =>
        let facts := ordered (fun x => match class_clause classes x with Some c => [c] | None => [] end) (known_facts p) in
        let '(cs, zs, m) := all_clauses n iss [] [] in
        forallb (forallb (item_over n)) iss && forallb (forallb (literal_over n)) facts &&
        distinct (tmap fst zs) && forallb (fun z => negb (Pos.ltb (fst z) n)) zs &&
        check_tree (Problem m [] [] (joined facts cs)) (against k)
    | None => false
    end.

  Definition check_group (A : automaton) (g : group) : bool :=
    let away := others f (members g) in
    match check_levels absences (without away A) away (own_levels g) with
    | Some (B, removed) => check_cover B removed (own_cover g)
    | None => false
    end.

  Definition turns : list (list id * N) := rev_append (tmap (fun g => (members g, first_steps g)) (groups p)) [].

  Definition check_letters : bool :=
    forallb check_fact (known_facts p) &&
    match check_levels absences (Automaton (first f) (edge_list f serial_globals)) (PM.empty _) (levels p) with
    | Some (A, removed) =>
        let A' := unlooped A removed (loop_visits p) in
        let away := removed_groups removed (loop_visits p) turns in
        all_letters (tmap visited (loop_visits p)) && forallb (fun g => all_letters (members g)) (groups p) &&
        check_groups absences A removed (loop_visits p) turns &&
        forallb (check_group A') (groups p) && check_cover (without away A') away (left_cover p)
    | None => false
    end.

  (** ** Facts hold for all complete runs *)

  Lemma check_never_sound paired a f' ts g ds : check_never paired a f' = true -> all f' Initial ts -> all f' Done ds -> moves (fsteps f') (first f', ts) (g, ds) ->
    forall x, In x ds -> ~ In x (never a).
  Proof. intros C I D M. unfold check_never in C. destruct paired; [eapply check_pairs_sound|eapply check_reach_sound]; eauto. Qed.

  Lemma check_fact_sound x ts g ds : check_fact x = true -> all f Initial ts -> all f Done ds -> moves (fsteps f) (first f, ts) (g, ds) -> fact_means ds x.
  Proof.
    intros C I D M.
    assert (H : forall check a (Q : Prop), check_absence check a = true ->
      (forall f', check f' = true -> all f' Initial ts -> all f' Done ds -> moves (fsteps f') (first f', ts) (g, ds) -> Q) ->
      Q \/ exists x, In x ds /\ In x (outside a)).
    { intros check a Q Ca K. unfold check_absence in Ca. rewrite !andb_true_iff in Ca. destruct Ca as [_ Ca].
      destruct (slice f (outside a)) as [f'|] eqn:E; [|discriminate].
      destruct (existsb (fun x => imem (iset (outside a)) x) ds) eqn:X.
      - right. apply existsb_exists in X as (y & Iy & Oy). exists y. split; auto. now apply imem_iset.
      - left. destruct (slice_run _ _ _ ds E D) as (Ef & Ek & Mo).
        { intros y Iy Oy. apply imem_iset in Oy. assert (existsb (fun x => imem (iset (outside a)) x) ds = true) by (apply existsb_exists; eauto). congruence. }
        assert (Kk : forall n, kind_of f n = kind_of f' n) by (intros n; unfold kind_of; now rewrite Ek).
        apply (K f' Ca); [eapply Pairs.all_kinds; eauto|eapply Pairs.all_kinds; eauto|rewrite Ef; auto]. }
    destruct x as [a|a|c|paired a es]; cbn [check_fact fact_means] in *.
    - apply (H _ _ _ C). intros f' C' I' D' M'. apply andb_true_iff in C' as [_ C']. exact (check_never_sound _ _ _ _ _ _ C' I' D' M').
    - apply (H _ _ _ C). intros f' C' I' D' M'. apply andb_true_iff in C' as [_ C']. exact (check_never_sound _ _ _ _ _ _ C' I' D' M').
    - apply andb_true_iff in C as [_ C]. eapply check_count_sound; eauto.
    - apply andb_true_iff in C as [_ C].
      destruct (Exists_dec (fun e => answers_in e ds <> Z.of_N (so_often e)) es) as [X|X]; [|now left|right].
      { intros e. destruct (Z.eq_dec (answers_in e ds) (Z.of_N (so_often e))); [right; tauto|left; auto]. }
      apply (H _ _ _ C). intros f' C' I' D' M'. unfold check_exactly in C'.
      destruct (explicit (follow_hint f' es) f' (never a) es) as [r|] eqn:E; [|discriminate].
      destruct (explicit_sound _ _ _ _ _ _ _ _ E I' D' M') as (f2 & ts2 & g2 & ds2 & -> & I2 & D2 & M2 & Mo).
      { intros e Ie. destruct (Z.eq_dec (answers_in e ds) (Z.of_N (so_often e))); auto. destruct X. apply Exists_exists. eauto. }
      apply andb_true_iff in C' as [C1 C2]. split; [now destruct (never a)|]. intros x Ix Nx.
      exact (check_never_sound _ _ _ _ _ _ C2 I2 D2 M2 x (Mo x Ix Nx) Nx).
  Qed.

  (** ** And so do their clauses *)

  Lemma sum_over_answered ts ds : sum_over ts ds = tsum (answered ds) ts.
  Proof.
    unfold sum_over. rewrite (wsum_ext _ (fun x => wsum (fun t => snd t * delta (fst t) x) ts)) by (intros; rewrite total_sum; reflexivity).
    rewrite wsum_swap, tsum_wsum. apply wsum_ext. intros t _. rewrite wsum_times. f_equal. unfold answered. rewrite <- wsum_count.
    apply wsum_ext. intros x _. unfold delta. now rewrite Pos.eqb_sym.
  Qed.

  Lemma some_outside out ds x : In x ds -> In x out -> 1 <= sum_over (ones out) ds.
  Proof.
    intros I O. unfold sum_over.
    assert (N : forall y, 0 <= total (index1 (ones out)) y).
    { intros y. rewrite total_sum, tsum_wsum. apply wsum_nonneg. intros t It. apply tmap_in in It as (z & <- & _). cbn [fst snd]. pose proof (delta_bounds z y). lia. }
    etransitivity; [|apply (wsum_part (fun y => total (index1 (ones out)) y) ds x); auto].
    rewrite total_sum, tsum_wsum. etransitivity; [|apply (wsum_part (fun t => snd t * delta (fst t) x) (ones out) (x, 1))].
    - cbn [fst snd]. rewrite delta_refl. lia.
    - intros t It. apply tmap_in in It as (z & <- & _). cbn [fst snd]. pose proof (delta_bounds z x). lia.
    - apply tmap_in. eauto.
  Qed.

  Lemma ones_answers e ds : sum_over (ones (in_set e)) ds = answers_in e ds.
  Proof.
    unfold sum_over, answers_in. apply wsum_ext. intros d _. rewrite total_sum, tsum_wsum. unfold ones. rewrite wsum_tmap. apply wsum_ext. intros. cbn [fst snd]. lia.
  Qed.

  Lemma class_clause_holds removed classes ds x c : check_classes f removed classes = true -> all f Done ds -> fact_means ds x ->
    class_clause classes x = Some c -> Exists (holds (in_class removed classes ds)) c.
  Proof.
    intros C D M. set (v := in_class removed classes ds).
    assert (Never : forall a, (forall x, In x ds -> ~ In x (never a)) -> holds v (never_literal classes a)).
    { intros a G. cbn [never_literal holds]. unfold value. cbn [terms constant]. unfold v.
      rewrite (whole_classes_zero f removed classes C); auto; [lia|]. intros y Iy. apply not_true_iff_false. intros Y. apply imem_iset in Y. exact (G y Iy Y). }
    assert (Out : forall out s y, class_sum classes (ones out) = Some s -> In y ds -> In y out -> holds v (AtLeastZero (Linear s (-1)))).
    { intros out s y E Iy Oy. cbn [holds]. unfold value. cbn [terms constant]. unfold v.
      rewrite (class_sum_value f removed classes C _ _ ds E D). pose proof (some_outside _ _ _ Iy Oy). lia. }
    assert (Absent : forall a, guards ds a -> forall c,
      match class_sum classes (ones (outside a)) with Some s => Some [never_literal classes a; AtLeastZero (Linear s (-1))] | None => None end = Some c -> Exists (holds v) c).
    { intros a G c'. destruct (class_sum classes (ones (outside a))) as [s|] eqn:E; [|discriminate]. intros [= <-]. destruct G as [G|(y & Iy & Oy)].
      - apply Exists_cons_hd. auto.
      - apply Exists_cons_tl, Exists_cons_hd. eauto. }
    destruct x as [a|a|k|paired a es]; cbn [class_clause fact_means] in *; [now apply Absent|now apply Absent| |].
    2: {
      destruct (class_sum classes (ones (outside a))) as [s|] eqn:E; [|discriminate].
      destruct (exactly_clauses classes es (if some (never a) then [never_literal classes a] else [])) as [ls|] eqn:B; [|discriminate].
      intros [= <-]. unfold joined. rewrite !rev_append_rev, app_nil_r, rev_involutive. apply Exists_app.
      assert (Part : Exists (fun e => answers_in e ds <> Z.of_N (so_often e)) es \/ Exists (holds v) (if some (never a) then [never_literal classes a] else []) -> Exists (holds v) ls).
      { revert B. generalize (if some (never a) then [never_literal classes a] else []) as acc. clear -C D. revert ls.
        induction es as [|e es IH]; cbn [exactly_clauses]; intros ls acc B H.
        - injection B as <-. destruct H as [H|H]; [inversion H|]. rewrite rev_append_rev, app_nil_r. now apply Exists_rev.
        - destruct (class_sum classes (ones (in_set e))) as [s|] eqn:Es; [|discriminate]. apply (IH _ _ B). destruct H as [H|H]; [|right; now do 2 apply Exists_cons_tl].
          inversion H as [? ? He|? ? He]; subst; auto. right.
          pose proof (class_sum_value f removed classes C _ _ ds Es D) as V. rewrite ones_answers in V.
          destruct (Z.lt_ge_cases (answers_in e ds) (Z.of_N (so_often e))) as [L|L]; [apply Exists_cons_tl|]; apply Exists_cons_hd; cbn [holds]; unfold value; cbn [terms constant]; unfold v.
          + rewrite tsum_wsum, wsum_tmap. rewrite (wsum_ext _ (fun t => -1 * (snd t * in_class removed classes ds (fst t)))) by (intros; cbn [fst snd]; lia).
            rewrite wsum_times, <- tsum_wsum, V. lia.
          + rewrite V. lia. }
      destruct M as [M|[[N M]|(y & Iy & Oy)]].
      - left. auto.
      - left. apply Part. right. destruct (never a) eqn:En; [congruence|]. cbn [some]. rewrite <- En in *. apply Exists_cons_hd. auto.
      - right. apply Exists_cons_hd. eauto. }
    destruct (class_sum classes (ones (away k))) as [s|] eqn:E; [|discriminate]. destruct (bound_clauses classes (literals k) []) as [ls|] eqn:B; [|discriminate].
    intros [= <-]. unfold joined. rewrite !rev_append_rev, app_nil_r, rev_involutive. apply Exists_app. destruct M as [M|(y & Iy & Oy)].
    - left. assert (H : forall bs acc ls, bound_clauses classes bs acc = Some ls -> Exists (bound_holds ds) bs \/ Exists (holds v) acc -> Exists (holds v) ls).
      { induction bs as [|b bs IH]; cbn [bound_clauses]; intros acc ls0 E0 H.
        - injection E0 as <-. destruct H as [H|H]; [inversion H|]. rewrite rev_append_rev, app_nil_r. apply Exists_exists in H as (l & I & H). apply Exists_exists. exists l. split; auto. now apply -> in_rev.
        - destruct (bound_clause classes b) as [l|] eqn:Eb; [|discriminate]. apply (IH _ _ E0). destruct H as [H|H]; [|right; now apply Exists_cons_tl].
          inversion H as [? ? Hb|? ? Hb]; subst; auto. right. apply Exists_cons_hd. unfold bound_clause in Eb.
          destruct (class_sum classes (bound_terms b)) as [s'|] eqn:Es; [|discriminate]. injection Eb as <-.
          pose proof (class_sum_value f removed classes C _ _ ds Es D) as V. rewrite sum_over_answered in V. unfold bound_holds in Hb.
          destruct (bound_divisor b =? 0); cbn [holds]; unfold value; cbn [terms constant]; unfold v; rewrite V; exact Hb. }
      apply (H _ _ _ B). auto.
    - right. apply Exists_cons_hd. eauto.
  Qed.

  (** ** Levels *)

  Lemma absences_in k a : PM.find k absences = Some a -> In (ByReach a) (known_facts p) \/ In (ByPairs a) (known_facts p).
  Proof.
    unfold absences.
    assert (H : forall l m, (forall e, In e l -> In (snd e) (known_facts p)) ->
      (forall k a, PM.find k m = Some a -> In (ByReach a) (known_facts p) \/ In (ByPairs a) (known_facts p)) ->
      forall k a, PM.find k (fold_left (fun m e => match snd e with ByReach a | ByPairs a => PM.add (fst e) a m | _ => m end) l m) = Some a ->
      In (ByReach a) (known_facts p) \/ In (ByPairs a) (known_facts p)).
    { clear. induction l as [|[n x] l IH]; cbn [fold_left fst snd]; intros m I H; [exact H|]. assert (Ix := I _ (or_introl eq_refl)). cbn [snd] in Ix.
      apply IH; [intros; apply I; now right|]. destruct x as [b|b|c|? ? ?]; auto; intros k a; (destruct (Pos.eq_dec k n) as [->|N]; [rewrite PM.gss; intros [= <-]; auto|rewrite PM.gso by auto; apply H]). }
    apply H; [|intros ? ?; rewrite PM.gempty; discriminate]. intros [n x] I. rewrite tnumbers_rev, <- in_rev in I. now apply numbers_in in I as [I _].
  Qed.

  Lemma levels_sound ds guard : (forall k a, PM.find k guard = Some a -> guards ds a) -> forall ls A removed B removed',
    check_levels guard A removed ls = Some (B, removed') -> walks B (kept removed' ds) -> walks A (kept removed ds).
  Proof.
    intros G. induction ls as [|l ls IH]; cbn [check_levels]; intros A removed B removed' E W; [now injection E as -> ->|].
    destruct (_ && _) eqn:C; [|discriminate]. apply andb_true_iff in C as [_ C]. eapply level_sound; eauto.
  Qed.

  Lemma serial_walks ds : all f Done ds -> walks (Automaton (first f) (edge_list f serial_globals)) (kept (PM.empty _) ds) -> exists ds', Permutation ds ds' /\ Ser f ds'.
  Proof.
    intros D (W & t & T & F & P). exists (map letter_of W). split.
    - rewrite <- P. unfold kept. clear. induction ds as [|d ds IH]; cbn [filter]; auto. unfold imem at 1. rewrite PM.gempty. cbn [negb]. now constructor.
    - exists t. apply (trail_walk f _ _ _ T). revert F. apply Forall_impl. intros e I. eapply edge_list_genuine; eauto.
  Qed.

  (** ** Regions *)

  Lemma item_dec v i : {item_holds v i} + {~ item_holds v i}.
  Proof.
    destruct i as [l|l m]; cbn [item_holds]; [apply holds_dec|]. destruct (holds_dec v l), (holds_dec v m); [left; auto|right; tauto|right; tauto|right; tauto].
  Qed.

  Lemma region_items_sound B edges numbers v rs : (forall k e, PM.find k edges = Some e -> In e (arcs B)) -> forall acc iss,
    region_items B edges numbers rs acc = Some iss -> Forall (Exists (item_holds v)) acc ->
    (exists W t, trail (start_state B) W t /\ Forall (fun e => In e (arcs B)) W /\ forall c, In c numbers -> wsum (fun e => delta (letter_of e) c) W = v c) \/
    Forall (Exists (item_holds v)) iss.
  Proof.
    intros Ed. induction rs as [|r rs IH]; cbn [region_items]; intros acc iss E F.
    - injection E as <-. right. rewrite rev_append_rev, app_nil_r. now apply Forall_rev.
    - destruct (resolve_flows edges (flows r) []) as [us|] eqn:R; [|discriminate]. destruct (check_region (start_state B) r us) eqn:C; [|discriminate].
      destruct (Exists_dec (item_holds v) (items (start_state B) numbers r us) (item_dec v)) as [X|N]; [apply (IH _ _ E); auto|]. left.
      destruct (region_walk (start_state B) numbers r us v C) as (W & T & FW & Cl).
      { intros i I H. apply N, Exists_exists. eauto. }
      exists W, (last r). repeat split; auto.
      assert (Us : forall fs acc us, resolve_flows edges fs acc = Some us -> (forall u, In u acc -> In (fst u) (arcs B)) -> forall u, In u us -> In (fst u) (arcs B)).
      { clear -Ed. induction fs as [|x fs IH]; cbn [resolve_flows]; intros acc us E H.
        - injection E as <-. intros u I. rewrite rev_append_rev, app_nil_r, <- in_rev in I. auto.
        - destruct (PM.find (edge_number x) edges) as [e|] eqn:Ee; [|discriminate]. apply (IH _ _ E). intros u [<-|I]; cbn; eauto. }
      revert FW. apply Forall_impl. intros e (u & Iu & <-). apply (Us _ _ _ R); auto. intros ? [].
  Qed.

  Lemma all_clauses_sound b v0 v : (forall x, (x < b)%positive -> v x = v0 x) -> (forall x, 0 <= v0 x) -> forall iss n cs zs cs' zs' m,
    all_clauses n iss cs zs = (cs', zs', m) -> forallb (forallb (item_over b)) iss = true -> (forall e, In e zs' -> stands v0 v e) ->
    Forall (Exists (item_holds v0)) iss -> Forall (Exists (holds v)) cs -> Forall (Exists (holds v)) cs'.
  Proof.
    intros Ag Po.
    assert (More : forall iss n cs zs cs' zs' m e, all_clauses n iss cs zs = (cs', zs', m) -> In e zs -> In e zs').
    { induction iss as [|is iss IH]; cbn [all_clauses]; intros n cs zs cs' zs' m e E I; [now injection E as _ <- _|].
      destruct (item_clauses n is) as [[c z] k]. apply (IH _ _ _ _ _ _ _ E). rewrite rev_append_rev. apply in_or_app; auto. }
    induction iss as [|is iss IH]; cbn [all_clauses forallb]; intros n cs zs cs' zs' m E O St F H.
    - injection E as <- _ _. rewrite rev_append_rev, app_nil_r. now apply Forall_rev.
    - destruct (item_clauses n is) as [[c z] k] eqn:Ic. apply andb_true_iff in O as [O1 O2]. inversion F as [|? ? Fi F']; subst.
      apply (IH _ _ _ _ _ _ E); auto. rewrite rev_append_rev. apply Forall_app. split; auto. apply Forall_rev.
      apply (item_clauses_sound b v0 v Ag Po n is c z k Ic O1); auto. intros e I. apply St. apply (More _ _ _ _ _ _ _ e E).
      rewrite rev_append_rev. apply in_or_app. left. now apply -> in_rev.
  Qed.

  (** The values: numbers of answers of classes, and what new variables stand for. *)
  Definition values (b : id) (v0 : id -> Z) (zs : list (id * (literal * literal))) (x : id) : Z :=
    if Pos.ltb x b then v0 x
    else if existsb (fun e => Pos.eqb (fst e) x && (if item_dec v0 (Both (fst (snd e)) (snd (snd e))) then true else false)) zs then 1 else 0.

  Lemma values_stand b v0 zs : NoDup (map fst zs) -> (forall z, In z zs -> (b <= fst z)%positive) -> forall e, In e zs -> stands v0 (values b v0 zs) e.
  Proof.
    intros N L [z [l m]] I. pose proof (L _ I) as Lz. cbn [fst] in Lz. unfold stands, values. destruct (Pos.ltb_spec z b); [lia|].
    destruct (existsb _ zs) eqn:E.
    - left. apply existsb_exists in E as ([z' [l' m']] & I' & E). cbn [fst snd] in E. apply andb_true_iff in E as [E1 E2]. apply Pos.eqb_eq in E1. subst z'.
      assert (E : (l', m') = (l, m)).
      { clear -N I I'. induction zs as [|[y k] zs IH]; [destruct I|]. cbn [map fst] in N. inversion N as [|? ? Ny N']; subst.
        destruct I as [[= -> ->]|I], I' as [[= -> ->]|I']; auto; exfalso; apply Ny; apply in_map_iff; [exists (z, (l', m'))|exists (z, (l, m))]; auto. }
      injection E as -> ->. destruct (item_dec v0 (Both l m)) as [[A B]|]; [auto|discriminate].
    - right. split; auto. intros H2. apply not_true_iff_false in E. apply E, existsb_exists. exists (z, (l, m)). split; auto. cbn [fst snd].
      rewrite Pos.eqb_refl. destruct (item_dec v0 (Both l m)); auto.
  Qed.

  Theorem cover_sound ds A removed k : check_cover A removed k = true -> all f Done ds -> (forall x, In x (known_facts p) -> fact_means ds x) -> walks A (kept removed ds).
  Proof.
    unfold check_cover. rewrite !andb_true_iff. intros [[Cl Tw] C] D Mean.
    set (classes := in_classes k) in *. set (B := class_automaton classes A) in *.
    set (n := fold_left (fun n _ => Pos.succ n) classes 1%positive) in *.
    destruct (region_items _ _ _ _ _) as [iss|] eqn:Ri; [|discriminate].
    set (facts := ordered _ _) in C. destruct (all_clauses n iss [] []) as [[cs zs] m] eqn:Ac. rewrite !andb_true_iff in C.
    destruct C as [[[[O1 O2] Di] Ab] Tr].
    set (v0 := in_class removed classes ds). assert (P0 : forall x, 0 <= v0 x) by (intros; apply in_class_nonneg).
    destruct (region_items_sound B (numbered (arcs B)) _ v0 (regions k) (fun k e H => numbered_in _ _ _ H) _ _ Ri (Forall_nil _)) as [(W & t & T & F & K)|Out].
    - apply (twins_walk f removed classes Cl A ds W t Tw D T F). intros c Ic. apply K.
      rewrite rev_append_rev, app_nil_r, <- in_rev, tmap_in. apply in_map_iff in Ic as (e & <- & Ie). exists e. split; auto.
      rewrite rev_append_rev, app_nil_r, tnumbers_rev, rev_involutive. exact Ie.
    - exfalso. apply (check_tree_sound _ _ Tr). set (v := values n v0 zs). exists v.
      assert (Ag : forall x, (x < n)%positive -> v x = v0 x) by (intros x L; unfold v, values; apply Pos.ltb_lt in L; now rewrite L).
      assert (St : forall e, In e zs -> stands v0 v e).
      { apply values_stand.
        - apply distinct_sound in Di. assert (R : tmap fst zs = rev (map fst zs)).
          { unfold tmap. rewrite <- (app_nil_r (rev (map fst zs))). generalize (@nil id) as acc. clear. induction zs as [|z zs IH]; cbn [fold_left map rev]; intros acc; auto. rewrite IH, <- app_assoc. reflexivity. }
          rewrite R in Di. apply NoDup_rev in Di. now rewrite rev_involutive in Di.
        - rewrite forallb_forall in Ab. intros z Iz. specialize (Ab z Iz). apply negb_true_iff, Pos.ltb_ge in Ab. exact Ab. }
      split; [|split; [constructor|split; [constructor|]]]; cbn [Arithmetic.bound clauses].
      + intros x _. unfold v, values. destruct (Pos.ltb x n); auto. destruct (existsb _ _); lia.
      + unfold joined. rewrite !rev_append_rev, app_nil_r, rev_involutive. apply Forall_app. split.
        * apply Forall_forall. intros c Ic. pose proof Ic as Jc. apply ordered_in in Ic as (x & Ix & Ec). destruct (class_clause classes x) as [c'|] eqn:Ecl; [|destruct Ec].
          destruct Ec as [<-|[]]. pose proof (class_clause_holds removed classes ds x c' Cl D (Mean x Ix) Ecl) as H. fold v0 in H.
          rewrite forallb_forall in O2. specialize (O2 c' Jc). rewrite forallb_forall in O2.
          rewrite Exists_exists in H |- *. destruct H as (l & Il & Hl). exists l. split; auto. apply (over_holds n v0 v Ag l (O2 l Il)). exact Hl.
        * apply (all_clauses_sound n v0 v Ag P0 iss n [] [] cs zs m Ac); auto.
  Qed.

  Theorem letters_sound : check_letters = true -> fserializable f.
  Proof.
    unfold check_letters. rewrite andb_true_iff, forallb_forall. intros [Fa C] ds (ts & g & I & D & M).
    destruct (check_levels _ _ _ _) as [[A removed]|] eqn:Le; [|discriminate]. rewrite !andb_true_iff, (forallb_forall (check_group _)) in C.
    destruct C as [[[_ Gr] Ea] Co].
    assert (Mean : forall x, In x (known_facts p) -> fact_means ds x) by (intros x Ix; eapply check_fact_sound; eauto).
    assert (Guard : forall k a, PM.find k absences = Some a -> guards ds a) by (intros k a E; apply absences_in in E as [E|E]; apply Mean in E; apply E).
    apply serial_walks; auto. apply (levels_sound ds absences Guard) with (ls := levels p) (B := A) (removed' := removed); auto.
    apply (groups_sound absences A removed (loop_visits p) turns); auto.
    - intros t It. unfold turns in It. rewrite rev_append_rev, app_nil_r, <- in_rev, tmap_in in It. destruct It as (h & <- & Ih). cbn [fst].
      specialize (Ea h Ih). unfold check_group in Ea. destruct (check_levels _ _ _ (own_levels h)) as [[B removed']|] eqn:Lh; [|discriminate].
      rewrite <- (kept_others f (members h) ds D). eapply without_walks. apply (levels_sound ds absences Guard _ _ _ _ _ Lh). now apply (cover_sound ds B removed' (own_cover h)).
    - eapply without_walks. eapply cover_sound; eauto.
  Qed.
End Check.
