(** Proofs by counting.

    Beside what holds for counts of every complete run there are facts: nothing
    happens outside a region before something leads out, the same backwards,
    steps that need others because of pairs, and that the answers are in no
    linear set. Each is a clause; a tree shows that no counts meet all. *)

From Coq Require Import List ZArith PArith Bool Permutation Lia.
From Proved Require Import Sets Model Simulation Sums Euler Tree LinearSet Labels Invariant Counts.
From Proved.Rules Require Pairs.
Import ListNotations.
Open Scope Z_scope.

Inductive flow_fact :=
| Forward (gs ns : list id)
| Backward (gs ns : list id)
| PairsFact (without : list id)
| SetFact (set : written_set).

(** What is said of counts of steps alone. *)
Definition is_cut (x : flow_fact) : bool := match x with SetFact _ => false | _ => true end.

Record flow := Flow { phases : PM.t id; flow_facts : list flow_fact; flow_tree : list node }.

(** If a step of the first kind is made, so is one of the second, unless the run
    ends in one of these global states. *)
Definition implies (f : form) (P Q : id * step -> bool) (unless : list id) : list literal :=
  AtLeastZero (Linear (select f (-1) P) 0) :: AtLeastZero (Linear (select f 1 Q) (-1)) ::
  match unless with [] => [] | _ => [AtLeastZero (Linear (tmap (fun g => (final_variable f g, 1)) unless) (-1))] end.

Section Regions.
  Context (f : form) (gs ns : idset).

  Definition begins_inside (e : id * step) : bool := imem gs (global_before (snd e)) && imem ns (node_before (snd e)).
  Definition stays_inside (e : id * step) : bool :=
    imem gs (global_after (snd e)) && (imem ns (node_after (snd e)) || is_kind f Done (node_after (snd e))).
  Definition forward_clause : list literal :=
    implies f (fun e => negb (begins_inside e)) (fun e => begins_inside e && negb (stays_inside e)) [].

  Definition ends_inside (e : id * step) : bool := imem gs (global_after (snd e)) && imem ns (node_after (snd e)).
  Definition is_fresh (l : idset) (n : id) : bool := is_kind f Initial n && negb (imem l n).
  Definition was_inside (l : idset) (e : id * step) : bool :=
    imem gs (global_before (snd e)) && (imem ns (node_before (snd e)) || is_fresh l (node_before (snd e))).
  Definition backward_clause (globals : list id) : list literal :=
    let l := landed_set f in
    implies f (fun e => negb (ends_inside e)) (fun e => ends_inside e && negb (was_inside l e)) (tfilter (fun g => negb (imem gs g)) globals).
End Regions.

(** The steps that are left without those of a list, and of these what pairs leave. *)
Definition without_steps (f : form) (without : idset) : form :=
  steps_now f (tmap snd (tfilter (fun e => negb (imem without (fst e))) (tnumbers (fsteps f)))).
Definition pairs_clause (f : form) (without : idset) (left : sset) : list literal :=
  implies f (fun e => negb (imem without (fst e)) && negb (smem left (snd e))) (fun e => imem without (fst e)) [].

(** The clause of a fact, if its conditions hold. *)
Definition fact_clause (hint : form -> list Pairs.turn_hint) (f : form) (globals : list id) (edges : PM.t edge) (landings : PM.t (list id)) (x : flow_fact) : option (list literal) :=
  match x with
  | Forward gs ns =>
      let gs := iset gs in let ns := iset ns in
      if imem gs (first f) && forallb (imem ns) (nodes_of f Initial)                        (* flow.forward *)
      then Some (forward_clause f gs ns) else None
  | Backward gs ns =>
      let gs := iset gs in let ns := iset ns in
      if forallb (imem ns) (nodes_of f Done)                                                (* flow.backward *)
      then Some (backward_clause f gs ns globals) else None
  | PairsFact without =>
      let without := iset without in
      let kept := without_steps f without in
      match Pairs.pairs kept (hint kept) with
      | Some (f', _) => Some (pairs_clause f without (sset_of (fsteps f')))
      | None => None
      end
  | SetFact w =>
      match resolve_set edges w with
      | Some set => if check_set f set then Some (set_clause landings (nodes_of f Done) set) else None
      | None => None
      end
  end.

Fixpoint clauses_of (hint : form -> list Pairs.turn_hint) (f : form) (globals : list id) (edges : PM.t edge) (landings : PM.t (list id))
  (xs : list flow_fact) (acc : list (list literal)) : option (list (list literal)) :=
  match xs with
  | [] => Some (rev_append acc [])
  | x :: xs =>
      match fact_clause hint f globals edges landings x with
      | Some c => clauses_of hint f globals edges landings xs (c :: acc)
      | None => None
      end
  end.

(** The global states and nodes are those of the certificate, in order. The sets
    of pairs are hints, and so are the global states that serial runs pass
    through: they number the edges. *)
Definition check_counts (hint : form -> list Pairs.turn_hint) (f : form) (globals nodes : list id) (next_global : id)
  (serial_globals : list id) (p : flow) : bool :=
  check_numbers f (phases p) globals nodes next_global &&
  match clauses_of hint f globals (numbered (edge_list f serial_globals)) (landings_of (fsteps f)) (flow_facts p) [] with
  | Some cs => check_tree (flow_problem f (phases p) globals nodes next_global cs) (flow_tree p)
  | None => false
  end.

(** * Regions *)

Section Region_sound.
  Context (f : form) (stays : done_stays f = true).
  Let T := fsteps f.

  Lemma not_from_done l s : In (l, s) (numbers 1%positive T) -> kind_of f (node_before s) <> Done.
  Proof.
    intros I. apply numbers_in in I as [I _]. unfold done_stays in stays. rewrite forallb_forall in stays. specialize (stays s I).
    intros E. now rewrite E in stays.
  Qed.

  Definition indicator (P : id * step -> bool) (e : id * step) : Z := if P e then 1 else 0.

  Lemma indicator_nonneg P ls : 0 <= weight T (indicator P) ls.
  Proof. apply weight_nonneg. intros e. unfold indicator. destruct (P e); lia. Qed.

  Lemma upd_in (ts : list id) i n x : In x (upd ts i n) -> x = n \/ In x ts.
  Proof.
    revert i; induction ts as [|t ts IH]; destruct i; cbn; auto; intros [<-|I]; auto. apply IH in I. tauto.
  Qed.

  Lemma in_upd (ts : list id) i m n x : nth_error ts i = Some m -> In x ts -> x = m \/ In x (upd ts i n).
  Proof.
    revert i; induction ts as [|t ts IH]; destruct i; cbn; try discriminate; auto.
    - intros [= <-] [->|I]; auto.
    - intros E [->|I]; auto. destruct (IH _ E I); auto.
  Qed.

  Lemma forward_fact gs ns c ls d : labelled T c ls d -> imem gs (fst c) = true ->
    (forall n, In n (snd c) -> imem ns n = true \/ kind_of f n = Done) ->
    weight T (indicator (fun e => negb (begins_inside gs ns e))) ls = 0 \/
    1 <= weight T (indicator (fun e => begins_inside gs ns e && negb (stays_inside f gs ns e))) ls.
  Proof.
    induction 1 as [c|g ts i n n' g' l ls d E M R IH]; cbn [fst snd] in *; intros G N; [left; apply weight_nil|].
    assert (Nn : imem ns n = true).
    { destruct (N n (nth_error_In _ _ E)) as [|D]; auto. apply not_from_done in M. contradiction. }
    rewrite !(weight_cons _ _ _ _ _ M). unfold indicator at 1 3. unfold begins_inside at 1 3. unfold stays_inside at 1.
    cbn [snd global_before node_before global_after node_after fst]. unfold global_before, node_before, global_after, node_after. cbn [fst snd]. rewrite G, Nn. cbn [andb negb].
    match goal with |- context [if negb ?b then _ else _] => destruct b eqn:Si end; cbn [negb].
    - apply andb_true_iff in Si as [Sg Sn]. rewrite orb_true_iff, is_kind_eq in Sn.
      assert (N' : forall m, In m (upd ts i n') -> imem ns m = true \/ kind_of f m = Done) by (intros m I; apply upd_in in I as [->|I]; auto).
      destruct (IH Sg N') as [H|H]; [left|right]; lia.
    - right. pose proof (indicator_nonneg (fun e => begins_inside gs ns e && negb (stays_inside f gs ns e)) ls). lia.
  Qed.

  Lemma backward_fact gs ns c ls d : labelled T c ls d -> imem gs (fst d) = true -> (forall n, In n (snd d) -> imem ns n = true) ->
    1 <= weight T (indicator (fun e => ends_inside gs ns e && negb (was_inside f gs ns (landed_set f) e))) ls \/
    (weight T (indicator (fun e => negb (ends_inside gs ns e))) ls = 0 /\ imem gs (fst c) = true /\
     forall n, In n (snd c) -> imem ns n = true \/ is_fresh f (landed_set f) n = true).
  Proof.
    induction 1 as [c|g ts i n n' g' l ls d E M R IH]; intros G N.
    - right. split; [apply weight_nil|split; auto].
    - destruct (IH G N) as [H|(W & G' & N')].
      + left. rewrite (weight_cons _ _ _ _ _ M). unfold indicator at 1. destruct (_ && _); lia.
      + cbn [fst snd] in G', N'.
        assert (Nn : imem ns n' = true).
        { assert (J : In n' (upd ts i n')) by (apply nth_error_In with i, upd_same; congruence).
          destruct (N' n' J) as [|F]; auto.
          unfold is_fresh in F. rewrite andb_true_iff, negb_true_iff in F. destruct F as [_ F]. exfalso. apply not_true_iff_false in F. apply F.
          unfold landed_set. apply imem_iset, tmap_in. apply numbers_in in M as [M _]. exists ((n, g), (n', g')). auto. }
        rewrite !(weight_cons _ _ _ _ _ M). unfold indicator at 1 3. unfold ends_inside at 1 3. unfold was_inside at 1.
        unfold global_before, node_before, global_after, node_after. cbn [fst snd]. rewrite G', Nn. cbn [andb negb].
        match goal with |- context [if negb ?b then _ else _] => destruct b eqn:Si end; cbn [negb].
        * right. rewrite W. apply andb_true_iff in Si as [Sg Sn]. apply orb_true_iff in Sn. repeat split; auto.
          intros m I. destruct (in_upd ts i n n' m E I) as [->|J]; auto.
        * left. pose proof (indicator_nonneg (fun e => ends_inside gs ns e && negb (was_inside f gs ns (landed_set f) e)) ls) as H. lia.
  Qed.
End Region_sound.

(** * Pairs *)

(** A step that a complete run makes is possible, turn by turn. *)
Lemma made_possible f cols F s : Pairs.known f cols (Pairs.tmem F) -> Pairs.made f s -> In s (Pairs.possible cols F (fsteps f)).
Proof.
  intros K (ts & g & us & i & g2 & ds & I & D & M1 & -> & E & J & M2). destruct s as [[n h] [n' h']]. cbn [fst snd] in *.
  assert (One : moves (fsteps f) (h, us) (h', upd us i n')) by (econstructor; eauto; constructor).
  apply Pairs.possible_in. split; auto. split.
  - apply (K ts (h, us) g2 ds I M1 (moves_app _ _ _ _ One M2) D (S (S i)) 0%nat (Pairs.column cols n) 1%positive); auto. now apply Pairs.tokens_nth.
  - apply (K ts (h', upd us i n') g2 ds I (moves_app _ _ _ _ M1 One) M2 D (S (S i)) 0%nat (Pairs.column cols n') 1%positive); auto.
    apply Pairs.tokens_nth, upd_same. congruence.
Qed.

Lemma moves_between f ts g ds T' : all f Initial ts -> all f Done ds -> (forall s, Pairs.made f s -> In s T') ->
  forall c x, moves (fsteps f) c x -> moves (fsteps f) (first f, ts) c -> moves (fsteps f) x (g, ds) -> moves T' c x.
Proof.
  intros I D H c x M. induction M as [c|h us i n n' h' d E M R IH]; intros M0 M1; [constructor|].
  apply moves_cons with (n := n) (n' := n') (i := i) (g' := h'); [exact E| |].
  - apply H. exists ts, h, us, i, g, ds. cbn [fst snd]. repeat split; auto. eapply moves_app; eauto.
  - apply IH; auto. eapply moves_app; [exact M0|]. econstructor; eauto. constructor.
Qed.

(** A step that is made is made without the steps that are left out. *)
Lemma made_still f T' s : (forall s, Pairs.made f s -> In s T') -> Pairs.made f s -> Pairs.made (steps_now f T') s.
Proof.
  intros H Ms. pose proof (H s Ms) as Is. destruct Ms as (ts & g & us & i & g2 & ds & I & D & M1 & Eg & E & J & M2).
  assert (One : moves (fsteps f) (g, us) (snd (snd s), upd us i (fst (snd s)))).
  { subst g. destruct s as [[n h] [n' h']]. cbn [fst snd] in *. econstructor; eauto. constructor. }
  exists ts, g, us, i, g2, ds. cbn [first fsteps steps_now]. repeat split; auto.
  - apply (moves_between f ts g2 ds T' I D H _ _ M1); [constructor|]. eapply moves_app; eauto.
  - apply (moves_between f ts g2 ds T' I D H _ _ M2); [|constructor]. eapply moves_app; eauto.
Qed.

Lemma pairs_made f hs f' x s : Pairs.pairs f hs = Some (f', x) -> Pairs.made f s -> In s (fsteps f').
Proof.
  unfold Pairs.pairs. destruct (Pairs.check_columns f (Pairs.columns_of f)) eqn:Cc; [|discriminate]. apply Pairs.check_columns_sound in Cc.
  set (cs := Pairs.columns_of f) in *.
  assert (H : forall hs f0 C f1 F1, (forall n, kind_of f0 n = kind_of f n) -> Pairs.known f0 cs (Pairs.among C) ->
    Pairs.turns f0 cs C hs = Some (f1, F1) -> Pairs.made f0 s -> In s (fsteps f1)).
  { clear f' hs x. induction hs as [|t hs IH]; cbn [Pairs.turns]; intros f0 C f1 F1 Ke K E Ms.
    - injection E as <- <-. destruct Ms as (? & ? & ? & ? & ? & ? & _ & _ & _ & _ & _ & J & _). exact J.
    - destruct (Pairs.check_turn f0 cs C t) eqn:Ct; [|discriminate].
      assert (Cd : Pairs.cols_done f0 cs) by (intros n D; apply Cc; now rewrite <- Ke).
      pose proof (Pairs.check_turn_sound _ _ _ _ Cd K Ct) as K1. destruct (Pairs.prune_sound _ _ _ K1) as [_ Fi].
      apply (IH (steps_now f0 (Pairs.possible cs (Pairs.set t) (fsteps f0))) (Some (Pairs.set t)) _ _ Ke (Pairs.known_finer _ _ _ _ Fi K1) E).
      apply made_still; auto. intros s' M'. now apply made_possible. }
  destruct (Pairs.turns f cs None hs) as [[f1 F1]|] eqn:E; [|discriminate]. intros [= <- _] Ms.
  apply (H hs f None f1 F1); auto. intros ? ? ? ? _ _ _ _ ? ? ? ? _ _ _. reflexivity.
Qed.

(** All steps of a complete run are made by one. *)
Lemma labelled_made f ts g ds : all f Initial ts -> all f Done ds -> forall c ls, labelled (fsteps f) c ls (g, ds) ->
  moves (fsteps f) (first f, ts) c -> forall without,
  (forall l, In l ls -> imem without l = false) -> moves (fsteps (without_steps f without)) (first f, ts) c ->
  forall l s, In l ls -> In (l, s) (numbers 1%positive (fsteps f)) -> Pairs.made (without_steps f without) s.
Proof.
  intros I D c ls R. remember (g, ds) as e eqn:Ee.
  assert (Kept : forall c ls d without, labelled (fsteps f) c ls d -> (forall l, In l ls -> imem without l = false) ->
    moves (fsteps (without_steps f without)) c d).
  { clear. induction 1 as [c|g us i n n' g' l ls d E M R IH]; intros W; [constructor|]. econstructor; [exact E| |apply IH; intros; apply W; cbn; auto].
    cbn. apply tmap_in. exists (l, ((n, g), (n', g'))). split; auto. apply tfilter_in. rewrite tnumbers_rev, <- in_rev. split; auto.
    cbn [fst]. rewrite W by (cbn; auto). reflexivity. }
  induction R as [c|h us i n n' h' l0 ls d E M R IH]; intros M0 without W Mk l s Il Is; [destruct Il|]. subst d.
  assert (K0 : In ((n, h), (n', h')) (fsteps (without_steps f without))).
  { cbn. apply tmap_in. exists (l0, ((n, h), (n', h'))). split; auto. apply tfilter_in. rewrite tnumbers_rev, <- in_rev. split; auto.
    cbn [fst]. rewrite W by (cbn; auto). reflexivity. }
  assert (W' : forall l, In l ls -> imem without l = false) by (intros; apply W; cbn; auto).
  destruct Il as [->|Il].
  - assert (s = ((n, h), (n', h'))) as -> by exact (numbers_function _ _ _ _ _ Is M).
    exists ts, h, us, i, g, ds. cbn [fst snd]. repeat split; auto. eapply Kept; eauto.
  - apply (IH eq_refl) with (l := l); auto.
    + eapply moves_app; [exact M0|]. apply numbers_in in M as [M _]. econstructor; eauto. constructor.
    + eapply moves_app; [exact Mk|]. econstructor; eauto. constructor.
Qed.

(** * The theorem *)

Section Sound.
  Context (hint : form -> list Pairs.turn_hint) (f : form) (globals nodes : list id) (next_global : id) (serial_globals : list id) (p : flow).
  Let T := fsteps f.
  Let edges := numbered (edge_list f serial_globals).
  Let landings := landings_of T.
  Context (ts : list id) (g : id) (ds ls : list id).
  Context (begin : all f Initial ts) (done : all f Done ds) (run : labelled T (first f, ts) ls (g, ds)).
  Context (K : point -> id -> Z).
  Context (numbered : check_numbers f (phases p) globals nodes next_global = true).
  Let v := counts f (phases p) nodes next_global g ls K.

  Lemma implies_holds P Q unless :
    weight T (indicator P) ls = 0 \/ 1 <= weight T (indicator Q) ls \/ In g unless ->
    (forall h, In h unless -> In h globals) ->
    Exists (holds v) (implies f P Q unless).
  Proof.
    intros H U. unfold implies. destruct H as [H|[H|H]].
    - apply Exists_cons_hd. cbn [holds]. unfold value. cbn [terms constant]. unfold v. rewrite select_value. fold T. unfold indicator in H. lia.
    - apply Exists_cons_tl, Exists_cons_hd. cbn [holds]. unfold value. cbn [terms constant]. unfold v. rewrite select_value. fold T. unfold indicator in H. lia.
    - apply Exists_cons_tl, Exists_cons_tl. destruct unless as [|h0 unless]; [destruct H|]. apply Exists_cons_hd. cbn [holds]. unfold value. cbn [terms constant].
      rewrite tsum_wsum, wsum_tmap. cbn [fst snd].
      pose proof (numbers_checked f (phases p) globals nodes next_global numbered ts g ds ls run) as (_ & _ & L & _).
      assert (V : forall h, In h (h0 :: unless) -> v (final_variable f h) = delta g h) by (intros h I; apply counts_final; auto).
      assert (P1 : 1 * v (final_variable f g) <= wsum (fun h => 1 * v (final_variable f h)) (h0 :: unless)).
      { apply (wsum_part (fun h => 1 * v (final_variable f h))); auto. intros h I. rewrite V by auto. pose proof (delta_bounds g h). lia. }
      rewrite (V g H), delta_refl in P1. lia.
  Qed.

  Lemma cut_holds x c es : is_cut x = true -> fact_clause hint f globals es landings x = Some c -> Exists (holds v) c.
  Proof.
    pose proof (numbers_checked f (phases p) globals nodes next_global numbered ts g ds ls run) as (St & _ & _ & _ & _ & Ig & _).
    destruct x as [gs ns|gs ns|without|w]; cbn [fact_clause is_cut]; [intros _|intros _|intros _|discriminate].
    - destruct (_ && _) eqn:C; [|discriminate]. intros [= <-]. apply andb_true_iff in C as [C1 C2]. rewrite forallb_forall in C2.
      apply implies_holds; [|intros ? []].
      destruct (forward_fact f St (iset gs) (iset ns) _ _ _ run C1) as [H|H]; auto.
      intros n I. left. apply C2. apply nodes_of_in; [discriminate|]. unfold all in begin. rewrite Forall_forall in begin. auto.
    - destruct (forallb _ _) eqn:C; [|discriminate]. intros [= <-]. rewrite forallb_forall in C.
      apply implies_holds; [|intros h I; apply tfilter_in in I; tauto].
      destruct (imem (iset gs) g) eqn:Gg.
      + destruct (backward_fact f (iset gs) (iset ns) _ _ _ run Gg) as [H|(H & _)]; auto.
        intros n I. apply C. apply nodes_of_in; [discriminate|]. unfold all in done. rewrite Forall_forall in done. auto.
      + right. right. apply tfilter_in. split; auto. now rewrite Gg.
    - destruct (Pairs.pairs _ _) as [[f' x]|] eqn:E; [|discriminate]. intros [= <-].
      apply implies_holds; [|intros ? []]. destruct (existsb (imem (iset without)) ls) eqn:Ex.
      + right. left. apply existsb_exists in Ex as (l & Il & Ol). destruct (label_step _ _ _ _ run l Il) as (s & Is).
        unfold weight. etransitivity; [|apply (wsum_part (fun e => indicator (fun e => imem (iset without) (fst e)) e * made ls (fst e)) _ (l, s)); auto].
        * cbn [fst]. unfold indicator. cbn [fst]. rewrite Ol. rewrite Z.mul_1_l. rewrite <- (delta_refl l). apply (wsum_part (fun y => delta y l)); auto.
          intros; apply delta_bounds.
        * intros e _. apply Z.mul_nonneg_nonneg; [unfold indicator; destruct (imem (iset without) (fst e)); lia|apply made_nonneg].
      + left. apply wsum_zero. intros [l s] I. cbn [fst]. unfold indicator. cbn [fst snd].
        destruct (_ && _) eqn:B; [|lia]. apply andb_true_iff in B as [_ B]. apply negb_true_iff in B.
        destruct (in_dec id_dec l ls) as [Il|Nl].
        * exfalso. apply not_true_iff_false in B. apply B. apply smem_of. apply (pairs_made _ _ _ _ s E).
          apply (labelled_made f ts g ds begin done _ ls run) with (l := l); auto; try constructor.
          intros l' Il'. destruct (imem (iset without) l') eqn:O; auto.
          assert (existsb (imem (iset without)) ls = true) by (apply existsb_exists; eauto). congruence.
        * rewrite Z.mul_1_l. apply wsum_zero. intros y Iy. apply delta_neq. intros ->. contradiction.
  Qed.

  Lemma fact_holds x c : fact_clause hint f globals edges landings x = Some c ->
    (exists ds', Permutation ds ds' /\ Ser f ds') \/ Exists (holds v) c.
  Proof.
    pose proof (numbers_checked f (phases p) globals nodes next_global numbered ts g ds ls run) as (St & _ & _ & _ & _ & Ig & _).
    destruct (is_cut x) eqn:Cut; [intros E; right; eapply cut_holds; eauto|]. destruct x as [| | |w]; try discriminate. cbn [fact_clause].
    destruct (resolve_set edges w) as [set|] eqn:Rs; [|discriminate]. destruct (check_set f set) eqn:C; [|discriminate]. intros [= <-].
    destruct (set_clauses_sound f landings v ds [set]) as [|H]; auto.
    - intros s [<-|[]]. split; auto. eapply resolve_set_real; [|exact Rs]. intros k e Ek. eapply edge_list_genuine, numbered_in, Ek.
    - intros a Da. apply (answers_counted f ts (first f) ls g ds St begin run); auto. intros l Il.
        apply in_map_iff in Il as ([l' s] & El & Il). cbn in El. subst l'. now apply (counts_step f (phases p) nodes next_global g ls K l s).
    - right. apply H. cbn; auto.
  Qed.
End Sound.

Theorem counts_sound hint f globals nodes next_global serial_globals p :
  check_counts hint f globals nodes next_global serial_globals p = true -> fserializable f.
Proof.
  unfold check_counts. rewrite andb_true_iff. intros [N C] ds (ts & g & I & D & M). apply moves_labelled in M as (ls & R).
  pose proof (numbers_checked f (phases p) globals nodes next_global N ts g ds ls R) as (St & _ & _ & _ & Nx & _).
  assert (Ac : forall s, In s (fsteps f) -> phase_of (phases p) (global_before s) <> phase_of (phases p) (global_after s) ->
    In (crossing (phases p) s) (crossings f (phases p))).
  { intros s Is Ne. unfold crossings. apply sorted_points_in, tfilter_in. split; [apply tmap_in; eauto|]. cbn. apply negb_true_iff. now apply Pos.eqb_neq. }
  destruct (carried_exists f (phases p) (crossings f (phases p)) Nx Ac _ _ _ R) as (K & K1 & K2 & K3).
  set (v := counts f (phases p) nodes next_global g ls K).
  destruct (clauses_of hint f globals (numbered (edge_list f serial_globals)) (landings_of (fsteps f)) (flow_facts p) []) as [cs|] eqn:E; [|discriminate].
  assert (H : forall xs acc cs, clauses_of hint f globals (numbered (edge_list f serial_globals)) (landings_of (fsteps f)) xs acc = Some cs ->
    Forall (Exists (holds v)) acc -> (exists ds', Permutation ds ds' /\ Ser f ds') \/ Forall (Exists (holds v)) cs).
  { induction xs as [|x xs IH]; cbn [clauses_of]; intros acc cs0 E0 F.
    - injection E0 as <-. right. rewrite rev_append_rev, app_nil_r. now apply Forall_rev.
    - destruct (fact_clause hint f globals (numbered (edge_list f serial_globals)) (landings_of (fsteps f)) x) as [c|] eqn:Ex; [|discriminate].
      destruct (fact_holds hint f globals nodes next_global serial_globals p ts g ds ls I D R K N x c Ex) as [|Hc]; auto.
      apply (IH _ _ E0). constructor; auto. }
  destruct (H _ _ _ E (Forall_nil _)) as [|F]; auto. exfalso. apply (check_tree_sound _ _ C). exists v.
  apply (flow_solved f (phases p) globals nodes next_global N ts g ds ls I D R K K1 K2 K3); auto.
Qed.
