(** [right] and [left]: steps that need not be interrupted are joined. *)

From Coq Require Import List PArith Bool.
From Proved Require Import Sets Model Simulation Reach.
From Proved.Rules Require Import Pairs Trace.
Import ListNotations.

(** The step, the other, and the paths of both that change their places. *)
Record witness := Witness { own_step : step; other_step : step; other_path : list point; own_path : list point }.

(** * The check of the exchanges, for landings in the set *)

Section Exchange.
  Context (T : list step) (S' : pset) (meet : id -> id -> id -> bool) (ws : list witness).

  Fixpoint follow_path (known : sset) (p : point) (Q : list point) : option point :=
    match Q with
    | [] => Some p
    | q :: Q => if smem known (p, q) then follow_path known q Q else None
    end.

  Lemma follow_path_sound p Q q : follow_path (sset_of T) p Q = Some q -> lpath T p Q q.
  Proof.
    revert p; induction Q as [|r Q IH]; cbn [follow_path]; intros p; [intros [= ->]; constructor|].
    destruct (smem _ _) eqn:E; [|discriminate]. intros H. constructor; [now apply smem_of|auto].
  Qed.

  (** No step leads from the point to its own node. *)
  Definition no_loop (idx : index_type point) (p : point) : bool := negb (existsb (fun q => Pos.eqb (fst q) (fst p)) (found idx p)).

  Lemma no_loop_sound m g : no_loop (index T) (m, g) = true -> forall h, ~ In ((m, g), (m, h)) T.
  Proof.
    unfold no_loop. rewrite negb_true_iff, <- not_true_iff_false, existsb_exists. intros H h M. apply H.
    exists (m, h). split; [now apply found_index|]. cbn. apply Pos.eqb_refl.
  Qed.

  (** mover.last.other, mover.last.own, mover.last.single, mover.last.leaves *)
  Definition last_ok (idx : index_type point) (l1 m1 g2 h : id) (empty single : bool) : bool :=
    empty || negb (pmem S' (m1, h)) || (pmem S' (m1, g2) && pmem S' (l1, g2) && single && no_loop idx (m1, g2)).

  Definition split_last (p : point) (Q : list point) : option (list point * point) :=
    match rev_append Q [] with [] => None | q :: Q => Some (rev_append Q [], q) end.

  (** Single steps, or none of the other request. *)
  Definition simple (idx : index_type point) (known : sset) (l g l1 m m1 g2 : id) : bool :=
    let here := fun h empty => smem known ((l, h), (l1, g2)) && last_ok idx l1 m1 g2 h empty true in
    (Pos.eqb m m1 && here g true) ||
    existsb (fun q => Pos.eqb (fst q) m1 && here (snd q) false) (found idx (m, g)).

  (** mover.paths, mover.inner *)
  Definition by_witness (idx : index_type point) (known : sset) (l g l1 m m1 g2 : id) (w : witness) : bool :=
    match follow_path known (m, g) (other_path w) with
    | Some (m', h) =>
        Pos.eqb m' m1 &&
        match split_last (l, h) (own_path w) with
        | Some (Q, q) =>
            point_eqb q (l1, g2) && forallb (fun q => negb (pmem S' q)) Q &&
            match follow_path known (l, h) Q with
            | Some p => smem known (p, q) &&
                last_ok idx l1 m1 g2 h (match other_path w with [] => true | _ => false end) (match Q with [] => true | _ => false end)
            | None => false
            end
        | None => false
        end
    | None => false
    end.

  Definition check_exchanges : bool :=
    let idx := index T in
    let known := sset_of T in
    let under := index1 (tmap (fun s => (snd (fst s), (fst (fst s), snd s))) T) in
    let listed := index (tmap (fun w => (fst (own_step w), w)) ws) in
    forallb (fun s =>
      negb (pmem S' (snd s)) ||
      (let l := fst (fst s) in let g := snd (fst s) in let l1 := fst (snd s) in let g1 := snd (snd s) in
       let mine := found listed (fst s) in
       forallb (fun o => let m := fst o in let m1 := fst (snd o) in let g2 := snd (snd o) in
         negb (meet l1 m g1) || negb (meet l m g) || negb (meet l1 m1 g2) ||
         simple idx known l g l1 m m1 g2 ||
         existsb (fun w => step_eqb (own_step w) s && step_eqb (other_step w) ((m, g1), (m1, g2)) && by_witness idx known l g l1 m m1 g2 w) mine)
         (found1 under g1))) T.

  Lemma last_ok_sound l1 m1 g2 h empty single (P Q : list point) : last_ok (index T) l1 m1 g2 h empty single = true ->
    (empty = true -> P = []) -> (single = true -> Q = []) ->
    P = [] \/ pmem S' (m1, h) = false \/
      (pmem S' (m1, g2) = true /\ pmem S' (l1, g2) = true /\ Q = [] /\ forall h', ~ In ((m1, g2), (m1, h')) T).
  Proof.
    unfold last_ok. intros H Em Si. apply orb_true_iff in H as [H|H]; [apply orb_true_iff in H as [H|H]|].
    - left; auto.
    - right; left. now apply negb_true_iff.
    - right; right. rewrite !andb_true_iff in H. destruct H as [[[A B] C] D]. repeat split; auto. now apply no_loop_sound.
  Qed.

  Lemma simple_sound l g l1 m m1 g2 : simple (index T) (sset_of T) l g l1 m m1 g2 = true -> exchanges T (pmem S') l g l1 m m1 g2.
  Proof.
    unfold simple. intros H. apply orb_true_iff in H as [H|H].
    - apply andb_true_iff in H as [E H]. apply Pos.eqb_eq in E. subst m1. apply andb_true_iff in H as [K L]. apply smem_of in K.
      exists g, [], [], (l, g). repeat split; auto; try constructor; auto. intros q [].
    - apply existsb_exists in H as ([m' h] & J & H). cbn [fst snd] in H. apply andb_true_iff in H as [E H]. apply Pos.eqb_eq in E. subst m'.
      apply andb_true_iff in H as [K L]. apply smem_of in K. apply found_index in J.
      exists h, [(m1, h)], [], (l, h). split; [econstructor; [exact J|constructor]|]. split; [constructor|]. split; auto. split; [intros q []|].
      apply (last_ok_sound _ _ _ _ _ _ [(m1, h)] [] L); auto. discriminate.
  Qed.

  Lemma split_last_sound p Q Q' q : split_last p Q = Some (Q', q) -> Q = Q' ++ [q].
  Proof.
    unfold split_last. destruct (rev_append Q []) as [|r R] eqn:E; [discriminate|]. intros [= <- <-].
    rewrite rev_append_rev, app_nil_r in *. rewrite <- (rev_involutive Q), E. reflexivity.
  Qed.

  Lemma by_witness_sound l g l1 m m1 g2 w : by_witness (index T) (sset_of T) l g l1 m m1 g2 w = true -> exchanges T (pmem S') l g l1 m m1 g2.
  Proof.
    unfold by_witness. destruct (follow_path _ (m, g) _) as [[m' h]|] eqn:P; [|discriminate]. rewrite andb_true_iff, Pos.eqb_eq. intros [-> H].
    destruct (split_last _ _) as [[Q q]|] eqn:Sp; [|discriminate]. rewrite !andb_true_iff, point_eqb_eq, forallb_forall in H. destruct H as [[-> I] H].
    destruct (follow_path _ (l, h) Q) as [p|] eqn:Po; [|discriminate]. apply andb_true_iff in H as [K L].
    apply follow_path_sound in P, Po. apply smem_of in K.
    exists h, (other_path w), Q, p. repeat split; auto.
    - intros q J. apply I in J. now apply negb_true_iff.
    - apply (last_ok_sound _ _ _ _ _ _ _ _ L); [destruct (other_path w)|destruct Q]; auto; discriminate.
  Qed.

  Theorem check_exchanges_sound : check_exchanges = true ->
    forall l g l1 g1 m m1 g2, In ((l, g), (l1, g1)) T -> pmem S' (l1, g1) = true -> In ((m, g1), (m1, g2)) T ->
      meet l m g = true -> meet l1 m g1 = true -> meet l1 m1 g2 = true -> exchanges T (pmem S') l g l1 m m1 g2.
  Proof.
    unfold check_exchanges. rewrite forallb_forall. intros H l g l1 g1 m m1 g2 M L O A1 A2 A3.
    specialize (H _ M). cbn [fst snd] in H. rewrite L in H. cbn [negb orb] in H. rewrite forallb_forall in H.
    assert (J : In (m, (m1, g2)) (found1 (index1 (tmap (fun s => (snd (fst s), (fst (fst s), snd s))) T)) g1)).
    { apply found_index1, tmap_in. exists ((m, g1), (m1, g2)); auto. }
    specialize (H _ J). cbn [fst snd] in H. rewrite A1, A2, A3 in H. cbn [negb orb] in H.
    apply orb_true_iff in H as [H|H]; [now apply simple_sound|].
    apply existsb_exists in H as (w & _ & H). rewrite !andb_true_iff in H. destruct H as [_ H]. eapply by_witness_sound; eauto.
  Qed.
End Exchange.

(** * What can be reached through the set *)

Section Through.
  Context (T : list step) (S' : pset).

  Definition inside (idx : index_type point) (p : point) : list point := if pmem S' p then found idx p else [].

  (** For each point of the set that is landed on; [None] if a search was not complete. *)
  Definition beyond : option (PM.t (PM.t (list point))) :=
    let idx := index T in
    let fuel := fuel_of T in
    fold_left (fun acc s => match acc with
      | None => None
      | Some m =>
          if pmem S' (snd s) then
            match PM.find (snd (snd s)) (level m (fst (snd s))) with
            | Some _ => acc
            | None =>
                let ps := reach (inside idx) fuel (snd s) in
                if closed (inside idx) ps (snd s)
                then Some (PM.add (fst (snd s)) (PM.add (snd (snd s)) ps (level m (fst (snd s)))) m) else None
            end
          else acc
      end) T (Some (PM.empty _)).

  Definition beyond_at (m : PM.t (PM.t (list point))) (p : point) : list point :=
    match PM.find (snd p) (level m (fst p)) with Some l => l | None => [] end.

  Definition through : point -> point -> Prop := leads (inside (index T)).

  Lemma through_path p q : through p q -> path T p q.
  Proof.
    induction 1 as [p|p q r J L IH]; [constructor|]. unfold inside in J. destruct (pmem S' p); [|destruct J].
    apply found_index in J. econstructor; eauto.
  Qed.

  Lemma through_cons p q r : pmem S' p = true -> In (p, q) T -> through q r -> through p r.
  Proof. intros L M H. econstructor; [|exact H]. unfold inside. rewrite L. now apply found_index. Qed.

  Lemma beyond_sound m : beyond = Some m ->
    (forall p q, In q (beyond_at m p) -> through p q) /\
    (forall s, In s T -> pmem S' (snd s) = true -> forall q, through (snd s) q -> In q (beyond_at m (snd s))).
  Proof.
    unfold beyond. set (body := fun acc s => _).
    assert (N : forall l, fold_left body l None = None) by (induction l; auto).
    assert (H : forall l m0 m, (forall p ps, PM.find (snd p) (level m0 (fst p)) = Some ps -> closed (inside (index T)) ps p = true /\ forall q, In q ps -> through p q) ->
      fold_left body l (Some m0) = Some m ->
      (forall p ps, PM.find (snd p) (level m (fst p)) = Some ps -> closed (inside (index T)) ps p = true /\ forall q, In q ps -> through p q) /\
      (forall p ps, PM.find (snd p) (level m0 (fst p)) = Some ps -> exists ps', PM.find (snd p) (level m (fst p)) = Some ps') /\
      (forall s, In s l -> pmem S' (snd s) = true -> exists ps, PM.find (snd (snd s)) (level m (fst (snd s))) = Some ps)).
    { clear m. induction l as [|s l IH]; cbn [fold_left]; intros m0 m H0 E.
      - injection E as <-. split; [auto|split; [eauto|intros s []]].
      - unfold body at 2 in E. destruct (pmem S' (snd s)) eqn:L.
        + destruct (PM.find (snd (snd s)) (level m0 (fst (snd s)))) as [ps|] eqn:F.
          * destruct (IH _ _ H0 E) as (A & B & D). split; [auto|split; [auto|]]. intros s' [<-|J] Ls; eauto.
          * destruct (closed _ _ _) eqn:C; [|rewrite N in E; discriminate].
            set (ps := reach (inside (index T)) (fuel_of T) (snd s)) in *.
            set (m1 := PM.add _ _ m0) in E.
            assert (At : forall p, PM.find (snd p) (level m1 (fst p)) = if point_eqb p (snd s) then Some ps else PM.find (snd p) (level m0 (fst p))).
            { intros [a b]. destruct (snd s) as [c d] eqn:Es. unfold m1, level at 1, point_eqb. cbn [fst snd].
              destruct (Pos.eqb a c) eqn:Ea; [apply Pos.eqb_eq in Ea; subst a; rewrite PM.gss|apply Pos.eqb_neq in Ea; rewrite PM.gso by auto; reflexivity].
              destruct (Pos.eqb b d) eqn:Eb; cbn [andb]; [apply Pos.eqb_eq in Eb; subst b; rewrite PM.gss; auto|apply Pos.eqb_neq in Eb; rewrite PM.gso by auto; auto]. }
            destruct (IH m1 m) as (A & B & D); auto.
            -- intros p ps' X. rewrite At in X. destruct (point_eqb p (snd s)) eqn:Ep; [|auto]. apply point_eqb_eq in Ep; subst p. injection X as <-.
               split; auto. intros q. apply reach_sound.
            -- split; [auto|split].
               ++ intros p ps' X. destruct (point_eqb p (snd s)) eqn:Ep; [apply (B p ps)|apply (B p ps')]; rewrite At, Ep; auto.
               ++ intros s' [<-|J] Ls; eauto. apply (B (snd s) ps). rewrite At, point_eqb_refl. auto.
        + destruct (IH _ _ H0 E) as (A & B & D). split; [auto|split; [auto|]]. intros s' [<-|J] Ls; eauto. congruence. }
    intros E. destruct (H T (PM.empty _) m) as (A & _ & D); auto.
    { intros p ps. unfold level. rewrite !PM.gempty. discriminate. }
    unfold beyond_at. split.
    - intros p q. destruct (PM.find _ _) as [ps|] eqn:F; [|intros []]. destruct (A _ _ F); auto.
    - intros s J L q Q. destruct (D s J L) as (ps & F). rewrite F. destruct (A _ _ F) as [C _]. eapply closed_complete; eauto.
  Qed.
End Through.

Definition meets_of (known : option (columns * option pairs_set)) (a b g : id) : bool :=
  match known with None => true | Some (cols, F) => among F (column cols a) (column cols b) g end.

Definition known_pairs (f : form) (known : option (columns * option pairs_set)) : Prop :=
  match known with None => True | Some (cols, F) => Pairs.known f cols (among F) end.

Lemma known_meets f known ts c g ds i j a b : known_pairs f known -> all f Initial ts -> all f Done ds ->
  moves (fsteps f) (first f, ts) c -> moves (fsteps f) c (g, ds) -> i <> j ->
  nth_error (snd c) i = Some a -> nth_error (snd c) j = Some b -> meets_of known a b (fst c) = true.
Proof.
  destruct known as [[cols F]|]; cbn; auto. intros K I D M1 M2 N Ea Eb.
  apply (K ts c g ds I M1 M2 D (S (S i)) (S (S j))); auto; now apply tokens_nth.
Qed.

(** mover.ends *)
Definition without (f : form) (k : kind) (points : list point) : bool :=
  forallb (fun p => match kind_of f (fst p), k with Done, Done | Initial, Initial | Inner, Inner => false | _, _ => true end) points.

Lemma without_sound f k points n g : without f k points = true -> kind_of f n = k -> pmem (pset_of points) (n, g) = false.
Proof.
  unfold without. rewrite forallb_forall. intros H K. destruct (pmem _ _) eqn:E; auto. apply pmem_of in E. specialize (H _ E). cbn in H.
  rewrite K in H. destruct k; discriminate.
Qed.

(** * Right *)

Section Right.
  Context (f : form) (known : option (columns * option pairs_set)) (points : list point) (ws : list witness).
  Let S' := pset_of points.
  Let T := fsteps f.

  Definition joined_right (m : PM.t (PM.t (list point))) : list step :=
    tflat (fun s => if pmem S' (snd s) then tmap (fun q => (fst s, q)) (tfilter (fun q => negb (pmem S' q)) (beyond_at m (snd s))) else [s]) T.

  Definition right : option form :=
    if without f Done points && check_exchanges T S' (meets_of known) ws then
      match beyond T S' with
      | Some m => Some (with_steps f (joined_right m))
      | None => None
      end
    else None.

  Context (m : PM.t (PM.t (list point))) (B : beyond T S' = Some m).
  Let T' := joined_right m.

  Lemma right_plain p q : In (p, q) T -> pmem S' q = false -> In (p, q) T'.
  Proof. intros M L. apply tflat_in. exists (p, q). split; auto. cbn. rewrite L. now left. Qed.

  Lemma right_joined p q r : In (p, q) T -> pmem S' q = true -> through T S' q r -> pmem S' r = false -> In (p, r) T'.
  Proof.
    intros M L Q R. apply tflat_in. exists (p, q). split; auto. cbn. rewrite L. apply tmap_in. exists r. split; auto.
    apply tfilter_in. rewrite R. split; auto. exact (proj2 (beyond_sound _ _ _ B) (p, q) M L r Q).
  Qed.

  Lemma right_paths p q : In (p, q) T' -> path T p q.
  Proof.
    intros J. apply tflat_in in J as ([p' q'] & M & J). cbn [fst snd] in J. destruct (pmem S' q').
    - apply tmap_in in J as (r & [= <- <-] & J). apply tfilter_in in J as [J _]. apply (beyond_sound _ _ _ B) in J.
      econstructor; [exact M|eapply through_path; exact J].
    - destruct J as [[= <- <-]|[]]. now apply path_one.
  Qed.

  Lemma right_run R : forall c e, trun T c R e -> settled (pmem S') R None ->
    moves T' c e /\
    (forall i, head R None = Some i -> forall n, nth_error (snd c) i = Some n -> pmem S' (n, fst c) = true ->
      exists r, through T S' (n, fst c) r /\ pmem S' r = false /\ moves T' (snd r, upd (snd c) i (fst r)) e).
  Proof.
    induction R as [|[i [[n g] [n' g']]] R IH]; intros c e X Z.
    - inversion X; subst. split; [constructor|discriminate].
    - inversion X as [|? ts ? ? ? ? ? ? E M X1]; subst. destruct Z as [Z0 Z1]. cbn [snd] in Z0. destruct (IH _ _ X1 Z1) as [A Bh]. cbn [fst snd] in *.
      assert (Ei : nth_error (upd ts i n') i = Some n') by (apply upd_same; congruence).
      destruct (pmem S' (n', g')) eqn:L.
      + destruct (Bh i (Z0 eq_refl) n' Ei L) as ([nr gr] & Q & Lr & Mv). cbn [fst snd] in Mv. rewrite upd_upd in Mv. split.
        * apply moves_cons with (n := n) (i := i) (n' := nr) (g' := gr); auto. eapply right_joined; eauto.
        * intros j [= <-] n0 E0 L0. rewrite E in E0. injection E0 as <-. exists (nr, gr). split; [eapply through_cons; eauto|auto].
      + split.
        * apply moves_cons with (n := n) (i := i) (n' := n') (g' := g'); auto. now apply right_plain.
        * intros j [= <-] n0 E0 L0. rewrite E in E0. injection E0 as <-. exists (n', g').
          split; [eapply through_cons; eauto; constructor|auto].
  Qed.

  Lemma right_path p e : path T p e -> pmem S' e = false ->
    path T' p e /\ (pmem S' p = true -> exists r, through T S' p r /\ pmem S' r = false /\ path T' r e).
  Proof.
    induction 1 as [p|p q e M P IH]; intros Le; [split; [constructor|congruence]|].
    destruct (IH Le) as [A Bh]. destruct (pmem S' q) eqn:L.
    - destruct (Bh eq_refl) as (r & Q & Lr & Pr). split; [econstructor; [eapply right_joined; eauto|auto]|].
      intros Lp. exists r. split; [eapply through_cons; eauto|auto].
    - split; [apply path_cons with q; [apply right_plain; auto|auto]|]. intros Lp. exists q. split; [eapply through_cons; eauto; constructor|auto].
  Qed.
End Right.

Theorem right_sound f known points ws f' : known_pairs f known -> right f known points ws = Some f' -> same f f' /\ finer f' f.
Proof.
  intros K. unfold right. destruct (_ && _) eqn:C; [|discriminate]. apply andb_true_iff in C as [Cd Ce].
  destruct (beyond _ _) as [m|] eqn:B; [|discriminate]. intros [= <-].
  pose proof (check_exchanges_sound _ _ _ _ Ce) as Ex.
  assert (Fi : finer (steps_now f (joined_right f points m)) f).
  { repeat split; auto. cbn. intros p q. now apply right_paths. }
  split; [|now apply with_steps_finer]. apply with_steps_same. split; [|now apply expansion]. split.
  - intros ds (ts & g & I & D & M). destruct (moves_trun _ _ _ M) as [R X].
    destruct (settle (fsteps f) (pmem (pset_of points)) (meets_of known) (first f, ts) (g, ds)) with (R := R) (c := (first f, ts)) as (R' & X' & Z); auto.
    + intros c i j a b M1 M2 N Ea Eb. eapply (known_meets f known ts c g ds i j); eauto.
    + intros i n E. cbn in E. apply without_sound with (f := f) (k := Done); auto. apply nth_error_In in E. unfold all in D. rewrite Forall_forall in D. auto.
    + constructor.
    + exists ts, g. repeat split; auto. cbn. eapply right_run; eauto.
  - intros ds (g & W). exists g. cbn [first steps_now]. revert W. generalize (first f).
    induction ds as [|d ds IH]; intros g0 W; inversion W as [|? n ? g' ? ? I D P W']; subst; [constructor|].
    econstructor; eauto. cbn. eapply right_path; eauto. eapply without_sound; eauto.
Qed.

(** * Left *)

Section Left.
  Context (f : form) (known : option (columns * option pairs_set)) (points : list point) (ws : list witness).
  Let S' := pset_of points.
  Let T := fsteps f.

  Definition joined_left (m : PM.t (PM.t (list point))) : list step :=
    tflat (fun s => if pmem S' (fst s) then [] else
      s :: if pmem S' (snd s) then tmap (fun q => (fst s, q)) (beyond_at m (snd s)) else []) T.

  (** Landings are departures of the system with all steps reversed, and so are the witnesses. *)
  Definition left : option form :=
    if without f Initial points && check_exchanges (swapped T) S' (meets_of known) ws then
      match beyond T S' with
      | Some m => Some (with_steps f (joined_left m))
      | None => None
      end
    else None.

  Context (m : PM.t (PM.t (list point))) (B : beyond T S' = Some m).
  Let T' := joined_left m.

  (** A step, and what follows it in the set. *)
  Definition composite (p q : point) : Prop := exists r, In (p, r) T /\ through T S' r q.

  Lemma left_in p q : pmem S' p = false -> composite p q -> In (p, q) T'.
  Proof.
    intros L (r & M & Q). apply tflat_in. exists (p, r). split; auto. cbn [fst snd]. rewrite L.
    destruct (pmem S' r) eqn:Lr.
    - right. apply tmap_in. exists q. split; auto. exact (proj2 (beyond_sound _ _ _ B) (p, r) M Lr q Q).
    - left. f_equal. unfold through in Q. inversion Q as [|? x ? J]; subst; auto. unfold inside in J. rewrite Lr in J. destruct J.
  Qed.

  Lemma left_paths p q : In (p, q) T' -> path T p q.
  Proof.
    intros J. apply tflat_in in J as ([p' q'] & M & J). cbn [fst snd] in J. destruct (pmem S' p'); [destruct J|].
    destruct J as [[= <- <-]|J]; [now apply path_one|]. destruct (pmem S' q'); [|destruct J].
    apply tmap_in in J as (r & [= <- <-] & J). apply (beyond_sound _ _ _ B) in J. econstructor; [exact M|eapply through_path; exact J].
  Qed.

  Lemma composite_snoc p q r : composite p q -> pmem S' q = true -> In (q, r) T -> composite p r.
  Proof.
    intros (x & M & Q) L J. exists x. split; auto. eapply leads_app; [exact Q|]. econstructor; [|constructor].
    unfold inside. rewrite L. now apply found_index.
  Qed.

  Lemma composite_one p q : In (p, q) T -> composite p q.
  Proof. intros M. exists q. split; auto. constructor. Qed.

  (** A request has come from [p] so far, and goes on. *)
  Lemma left_run R : forall ts0 i p n g e, nth_error ts0 i = Some (fst p) -> pmem S' p = false -> composite p (n, g) ->
    trun T (g, upd ts0 i n) R e -> lsettled (pmem S') (Some i) R -> moves T' (snd p, ts0) e.
  Proof.
    induction R as [|[j [[n1 g1] [n2 g2]]] R IH]; intros ts0 i p n g e E L C X Z.
    - inversion X; subst. destruct p as [np gp]. apply moves_cons with (n := np) (i := i) (n' := n) (g' := g); auto; [now apply left_in|constructor].
    - assert (g1 = g) as -> by (inversion X; auto). inversion X as [|? ? ? ? ? ? ? ? E1 M X1]; subst. destruct Z as [Z0 Z1]. cbn [fst] in Z0.
      destruct (pmem S' (n1, g)) eqn:L1.
      + specialize (Z0 eq_refl). injection Z0 as ->. rewrite upd_same in E1 by congruence. injection E1 as <-.
        rewrite upd_upd in X1. apply (IH ts0 j p n2 g2 e); auto. eapply composite_snoc; eauto.
      + destruct p as [np gp]. apply moves_cons with (n := np) (i := i) (n' := n) (g' := g); auto; [now apply left_in|].
        apply (IH (upd ts0 i n) j (n1, g) n2 g2 e); auto. now apply composite_one.
  Qed.

  Lemma left_path p q e : composite p q -> pmem S' p = false -> path T q e -> path T' p e.
  Proof.
    intros C L P. revert p C L. induction P as [q|q r e M P IH]; intros p C L; [apply path_one, left_in; auto|].
    destruct (pmem S' q) eqn:Lq; [apply IH; auto; eapply composite_snoc; eauto|].
    econstructor; [apply left_in; eauto|]. apply IH; auto. now apply composite_one.
  Qed.
End Left.

Lemma swapped_in T p q : In (q, p) (swapped T) <-> In (p, q) T.
Proof.
  unfold swapped. rewrite tmap_in. split.
  - intros ([a b] & [= <- <-] & J). auto.
  - intros J. exists (p, q); auto.
Qed.

Lemma moves_swapped T c d : moves (swapped T) c d -> moves T d c.
Proof.
  intros M. destruct (moves_trun _ _ _ M) as [R X].
  apply (trun_reversed _ T) in X; [now apply trun_moves in X|]. intros p q J. now apply swapped_in.
Qed.

Theorem left_sound f known points ws f' : known_pairs f known -> left f known points ws = Some f' -> same f f' /\ finer f' f.
Proof.
  intros K. unfold left. destruct (_ && _) eqn:C; [|discriminate]. apply andb_true_iff in C as [Cd Ce].
  destruct (beyond _ _) as [m|] eqn:B; [|discriminate]. intros [= <-].
  pose proof (check_exchanges_sound _ _ _ _ Ce) as Ex.
  assert (Fi : finer (steps_now f (joined_left f points m)) f).
  { repeat split; auto. cbn. intros p q. now apply left_paths. }
  split; [|now apply with_steps_finer]. apply with_steps_same. split; [|now apply expansion]. split.
  - intros ds (ts & g & I & D & M). destruct (moves_trun _ _ _ M) as [R X].
    assert (Xr : trun (swapped (fsteps f)) (g, ds) (reversed R) (first f, ts)).
    { eapply trun_reversed; [|exact X]. intros p q. apply swapped_in. }
    destruct (settle (swapped (fsteps f)) (pmem (pset_of points)) (meets_of known) (g, ds) (first f, ts)) with (R := reversed R) (c := (g, ds)) as (R' & X' & Z); auto.
    + intros c i j a b M1 M2 N Ea Eb. apply moves_swapped in M1, M2. eapply (known_meets f known ts c g ds i j); eauto.
    + intros i n E. cbn in E. apply without_sound with (f := f) (k := Initial); auto. apply nth_error_In in E. unfold all in I. rewrite Forall_forall in I. auto.
    + constructor.
    + exists ts, g. repeat split; auto. cbn [fsteps first steps_now].
      apply (trun_reversed _ (fsteps f)) in X'; [|intros p q J; now apply swapped_in].
      rewrite <- (reversed_involutive R') in Z. apply settled_reversed in Z. revert X' Z. generalize (reversed R'). clear - B.
      intros [|[i [[n h] [n' h']]] Q] X Z; [inversion X; subst; constructor|].
      assert (h = first f) as -> by (inversion X; auto). inversion X as [|? ? ? ? ? ? ? ? E M X1]; subst. destruct Z as [Z0 Z1]. cbn [fst] in Z0.
      apply (left_run f points m B Q ts i (n, first f) n' h' (g, ds)); auto.
      * destruct (pmem _ _); auto. specialize (Z0 eq_refl). discriminate.
      * now apply composite_one.
  - intros ds (g & W). exists g. cbn [first steps_now]. revert W. generalize (first f).
    induction ds as [|d ds IH]; intros g0 W; inversion W as [|? n ? g' ? ? I D P W']; subst; [constructor|].
    econstructor; eauto. cbn. inversion P as [|? q ? M P']; subst; [constructor|].
    eapply left_path; eauto; [now apply composite_one|]. eapply without_sound; eauto.
Qed.
