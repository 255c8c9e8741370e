(** [pairs]: which two requests can be where at the same time.

    The sets are hints. Each must be closed relative to the one before, in its
    direction; then every pair of requests of a complete run is in it at every
    moment. *)

From Coq Require Import List PArith Bool Lia.
From Proved Require Import Sets Model Simulation.
Import ListNotations.

(** For each global state a set of pairs of columns. *)
Definition pairs_set := PM.t pset.
Definition tmem (F : pairs_set) (a b g : id) : bool := match PM.find g F with Some s => pmem s (a, b) | None => false end.
Definition pairs_of (l : list (id * point)) : pairs_set :=
  fold_left (fun F e => PM.add (fst e) (padd (match PM.find (fst e) F with Some s => s | None => PM.empty _ end) (snd e)) F) l (PM.empty _).
(** The set before the first turn has all pairs. *)
Definition among (C : option pairs_set) (a b g : id) : bool := match C with Some F => tmem F a b g | None => true end.

Arguments tmem F (a b g)%positive_scope.
Arguments among C (a b g)%positive_scope.

(** All done nodes have column 1. *)
Definition columns := PM.t id.
Definition column (cols : columns) (n : id) : id := match PM.find n cols with Some c => c | None => Pos.succ n end.

Definition beside (F : id -> id -> id -> bool) (g : id) (cs : list id) : Prop :=
  forall i j a b, i <> j -> nth_error cs i = Some a -> nth_error cs j = Some b -> F a b g = true.

(** The columns of the requests, and of two more that are done. *)
Definition tokens (cols : columns) (ts : list id) : list id := 1%positive :: 1%positive :: map (column cols) ts.

Definition all_beside (cols : columns) (F : id -> id -> id -> bool) (c : state) : Prop := beside F (fst c) (tokens cols (snd c)).

(** At every moment of a complete run every pair is in the set. *)
Definition known (f : form) (cols : columns) (F : id -> id -> id -> bool) : Prop :=
  forall ts c g ds, all f Initial ts -> moves (fsteps f) (first f, ts) c -> moves (fsteps f) c (g, ds) -> all f Done ds ->
    all_beside cols F c.

Lemma moves_finer new old c d : finer new old -> moves (fsteps new) c d -> moves (fsteps old) c d.
Proof.
  intros (_ & _ & S'). induction 1 as [c|g ts i n n' g' d E M R IH]; [constructor|].
  eapply moves_app; [exact (moves_path _ _ _ ts i (S' _ _ M) E)|exact IH].
Qed.

Lemma all_kinds f g k ts : (forall n, kind_of f n = kind_of g n) -> all f k ts -> all g k ts.
Proof. intros K. unfold all. apply Forall_impl. intros n E. now rewrite <- K. Qed.

Lemma known_finer new old cols F : finer new old -> known old cols F -> known new cols F.
Proof.
  intros Fi H ts c g ds I M1 M2 D. pose proof Fi as (Fe & K & _).
  apply (H ts c g ds); try (eapply all_kinds; eauto; fail); try (eapply moves_finer; eauto; fail).
  rewrite <- Fe. eapply moves_finer; eauto.
Qed.

(** * One step *)

Section OneStep.
  Context (F C : id -> id -> id -> bool) (a g a' g' : id).
  Context (own : forall b, F a b g = true -> C a' b g' = true -> F a' b g' = true /\ F b a' g' = true).
  Context (third : forall x y, F x y g = true -> F x a g = true -> F y a g = true -> C x y g' = true -> F x y g' = true).

  Lemma one_step cs m : nth_error cs m = Some a -> beside F g cs -> beside C g' (upd cs m a') -> beside F g' (upd cs m a').
  Proof.
    intros E H K i j x y N Ex Ey.
    assert (Em : nth_error (upd cs m a') m = Some a') by (apply upd_same; congruence).
    destruct (PeanoNat.Nat.eq_dec i m) as [->|Ni].
    - rewrite Em in Ex. injection Ex as <-. pose proof (K m j a' y N Em Ey) as Cy. rewrite upd_other in Ey by auto.
      apply own; auto. eapply H; eauto.
    - destruct (PeanoNat.Nat.eq_dec j m) as [->|Nj].
      + rewrite Em in Ey. injection Ey as <-. pose proof (K m i a' x (not_eq_sym Ni) Em Ex) as Cx. rewrite upd_other in Ex by auto.
        apply own; auto. apply (H m i); auto.
      + pose proof (K i j x y N Ex Ey) as Cxy. rewrite upd_other in Ex, Ey by auto.
        apply third; auto; [apply (H i j)|apply (H i m)|apply (H j m)]; auto.
  Qed.
End OneStep.

Lemma tokens_upd cols ts i n : tokens cols (upd ts i n) = upd (tokens cols ts) (S (S i)) (column cols n).
Proof.
  unfold tokens. cbn. do 2 f_equal. revert i; induction ts; destruct i; cbn; auto; f_equal; auto.
Qed.

Lemma tokens_nth cols ts i n : nth_error ts i = Some n -> nth_error (tokens cols ts) (S (S i)) = Some (column cols n).
Proof. cbn. apply map_nth_error. Qed.

(** A set is closed under a step. *)
Definition closed_under (F C : id -> id -> id -> bool) (cols : columns) (p q : point) : Prop :=
  let a := column cols (fst p) in
  let a' := column cols (fst q) in
  (forall b, F a b (snd p) = true -> C a' b (snd q) = true -> F a' b (snd q) = true /\ F b a' (snd q) = true) /\
  (forall x y, F x y (snd p) = true -> F x a (snd p) = true -> F y a (snd p) = true -> C x y (snd q) = true -> F x y (snd q) = true).

Section Turns.
  Context (T : list step) (cols : columns) (F C : id -> id -> id -> bool) (e : state).

  Lemma forward_turn : (forall p q, In (p, q) T -> closed_under F C cols p q) ->
    forall c d, moves T c d -> moves T d e -> (forall x, moves T c x -> moves T x e -> all_beside cols C x) ->
    all_beside cols F c -> all_beside cols F d.
  Proof.
    intros Cl c d M. induction M as [c|g ts i n n' g' d E M R IH]; intros Me K H; auto.
    assert (One : moves T (g, ts) (g', upd ts i n')) by (econstructor; eauto; constructor).
    apply IH; auto.
    - intros x X. apply K. eapply moves_app; eauto.
    - destruct (Cl _ _ M) as [Own Third]. cbn in Own, Third. unfold all_beside; cbn [fst snd]. rewrite tokens_upd.
      eapply one_step; eauto; [now apply tokens_nth|]. rewrite <- tokens_upd.
      apply (K (g', upd ts i n')); auto. eapply moves_app; eauto.
  Qed.

  Lemma backward_turn : (forall p q, In (p, q) T -> closed_under F C cols q p) ->
    forall c, moves T c e -> (forall x, moves T c x -> moves T x e -> all_beside cols C x) ->
    all_beside cols F e -> all_beside cols F c.
  Proof.
    intros Cl c M. induction M as [c|g ts i n n' g' d E M R IH]; intros K H; auto.
    assert (One : moves T (g, ts) (g', upd ts i n')) by (econstructor; eauto; constructor).
    assert (H1 : all_beside cols F (g', upd ts i n')).
    { apply IH; auto. intros x X. apply K. eapply moves_app; eauto. }
    destruct (Cl _ _ M) as [Own Third]. cbn in Own, Third. unfold all_beside in *; cbn [fst snd] in *.
    assert (Back : tokens cols ts = upd (tokens cols (upd ts i n')) (S (S i)) (column cols n)).
    { rewrite <- tokens_upd, upd_upd, upd_id; auto. }
    rewrite Back. eapply one_step; eauto.
    - apply tokens_nth, upd_same. congruence.
    - rewrite <- Back. apply (K (g, ts)); [constructor|]. econstructor; eauto.
  Qed.
End Turns.

(** * The check of a turn *)

(** The pairs under a global state, and beside a column. *)
Definition plane (F : pairs_set) (g : id) : pset := match PM.find g F with Some s => s | None => PM.empty _ end.

Lemma tmem_plane F a b g : tmem F a b g = imem (row (plane F g) a) b.
Proof. unfold tmem, plane. destruct (PM.find g F); [reflexivity|]. unfold row, imem. now rewrite !PM.gempty. Qed.

(** What is asked of the pairs beside a column, under a global state. *)
Definition forall_rows (P : id -> id -> idset -> bool) (F : pairs_set) : bool :=
  forallb (fun e => let of_global := P (fst e) in forallb (fun r => of_global (fst r) (snd r)) (PM.elements (snd e))) (PM.elements F).

Lemma forall_rows_sound P F a b g : forall_rows P F = true -> tmem F a b g = true -> P g a (row (plane F g) a) = true.
Proof.
  unfold forall_rows, tmem, plane. rewrite forallb_forall. intros H. destruct (PM.find g F) as [s|] eqn:E; [|discriminate].
  apply PM.elements_correct in E. specialize (H _ E). cbn [fst snd] in H. rewrite forallb_forall in H.
  unfold pmem, row. cbn [fst snd]. destruct (PM.find a s) as [r|] eqn:Ea; [|unfold imem; rewrite PM.gempty; discriminate].
  apply PM.elements_correct in Ea. specialize (H _ Ea). now cbn [fst snd] in H.
Qed.

Section Check.
  Context (cols : columns) (T : list step) (C : option pairs_set) (F : pairs_set).

  Definition col_moves : index_type point :=
    index (tmap (fun s => ((column cols (fst (fst s)), snd (fst s)), (column cols (fst (snd s)), snd (snd s)))) T).
  Definition changes : PM.t (list point) :=
    index1 (tmap (fun s => (snd (fst s), (column cols (fst (fst s)), snd (snd s)))) (tfilter (fun s => negb (Pos.eqb (snd (fst s)) (snd (snd s)))) T)).

  (** What the set before has beside a column; where there is none a set that has all that matters. *)
  Definition before_row (a g : id) (all : idset) : idset := match C with Some B => row (plane B g) a | None => all end.

  Lemma among_row a b g all : among C a b g = true -> imem all b = true -> imem (before_row a g all) b = true.
  Proof. unfold among, before_row. destruct C as [B|]; auto. now rewrite tmem_plane. Qed.

  (** Rows are compared as a whole. *)
  Definition check_closed : bool :=
    let ms := col_moves in
    let cs := changes in
    forall_rows (fun g =>
      let here := plane F g in
      let changing := found1 cs g in
      fun a beside =>
        forallb (fun b => imem (row here (fst b)) a) (PM.elements beside) &&
        forallb (fun q => common_in beside beside (before_row (fst q) (snd q) beside) (row (plane F (snd q)) (fst q))) (found ms (a, g)) &&
        forallb (fun q => negb (imem beside (fst q)) || common_in beside (row here (fst q)) (before_row a (snd q) beside) (row (plane F (snd q)) a)) changing) F.

  Lemma check_closed_sound : check_closed = true -> forall p q, In (p, q) T -> closed_under (tmem F) (among C) cols p q.
  Proof.
    intros H [n g] [n' g'] M. unfold closed_under; cbn [fst snd].
    assert (S : forall a b g, tmem F a b g = true -> tmem F b a g = true).
    { intros a b h Fab. pose proof (forall_rows_sound _ _ _ _ _ H Fab) as X. cbn beta zeta in X. rewrite !andb_true_iff in X. destruct X as [[X _] _].
      rewrite tmem_plane in *. rewrite forallb_forall in X. unfold imem at 1 in Fab. destruct (PM.find b (row (plane F h) a)) as [u|] eqn:E; [|discriminate].
      exact (X (b, u) (PM.elements_correct _ _ E)). }
    split.
    - intros b Fb Cb. pose proof (forall_rows_sound _ _ _ _ _ H Fb) as X. cbn beta zeta in X. rewrite !andb_true_iff in X. destruct X as [[_ X] _].
      rewrite forallb_forall in X. specialize (X (column cols n', g')). cbn [fst snd] in X. rewrite tmem_plane in Fb.
      assert (G : tmem F (column cols n') b g' = true); [|auto]. rewrite tmem_plane.
      eapply common_in_sound; [apply X|exact Fb|exact Fb|now apply among_row].
      unfold col_moves. apply found_index, tmap_in. exists ((n, g), (n', g')); auto.
    - intros x y Fxy Fx Fy Cxy. destruct (Pos.eq_dec g g') as [<-|N]; auto.
      pose proof (forall_rows_sound _ _ _ _ _ H Fxy) as X. cbn beta zeta in X. rewrite !andb_true_iff in X. destruct X as [_ X].
      rewrite forallb_forall in X. specialize (X (column cols n, g')). cbn [fst snd] in X.
      apply S in Fy. rewrite tmem_plane in Fxy, Fx, Fy. rewrite Fx in X. cbn [negb orb] in X. rewrite tmem_plane.
      eapply common_in_sound; [apply X|exact Fxy|exact Fy|now apply among_row].
      unfold changes. apply found_index1, tmap_in. exists ((n, g), (n', g')). split; auto. apply tfilter_in; split; auto.
      cbn. apply negb_true_iff. now apply Pos.eqb_neq.
  Qed.
End Check.

(** The steps of which no pair with a request that is done is missing. *)
Definition visits (cols : columns) (F : pairs_set) (p : point) : bool := tmem F (column cols (fst p)) 1 (snd p).
Definition possible (cols : columns) (F : pairs_set) (T : list step) : list step :=
  rev_append (tfilter (fun s => visits cols F (fst s) && visits cols F (snd s)) T) [].

Definition begins (f : form) (cols : columns) : list id :=
  1%positive :: tmap (fun e => column cols (fst e)) (tfilter (fun e => match snd e with Initial => true | _ => false end) (PM.elements (kinds f))).

Record turn_hint := Turn { backwards : bool; set : pairs_set }.

Definition swapped (T : list step) : list step := tmap (fun s => (snd s, fst s)) T.

Definition check_turn (f : form) (cols : columns) (C : option pairs_set) (t : turn_hint) : bool :=
  let F := set t in
  if backwards t
  then forallb (fun g => negb (among C 1 1 g) || tmem F 1 1 g) (first f :: tmap (fun s => snd (snd s)) (fsteps f)) &&
    check_closed cols (swapped (fsteps f)) C F
  else let bs := begins f cols in
    forallb (fun a => forallb (fun b => negb (among C a b (first f)) || tmem F a b (first f)) bs) bs && check_closed cols (fsteps f) C F.

Lemma begins_in f cols n : kind_of f n = Initial -> In (column cols n) (begins f cols).
Proof.
  intros I. right. apply tmap_in. exists (n, Initial). split; auto. apply tfilter_in; split; auto.
  apply PM.elements_correct. unfold kind_of in I. destruct (PM.find n (kinds f)); congruence.
Qed.

Lemma final_global T c d : moves T c d -> fst d = fst c \/ exists s, In s T /\ snd (snd s) = fst d.
Proof.
  induction 1 as [c|g ts i n n' g' d E M R IH]; auto. cbn in *. destruct IH as [->|]; eauto.
Qed.

(** Done nodes have column 1. *)
Definition cols_done (f : form) (cols : columns) : Prop := forall n, kind_of f n = Done -> column cols n = 1%positive.

Lemma check_turn_sound f cols C t : cols_done f cols -> known f cols (among C) -> check_turn f cols C t = true ->
  known f cols (tmem (set t)).
Proof.
  intros Cd K H ts c g ds I M1 M2 D. unfold check_turn in H.
  assert (Kx : forall x, moves (fsteps f) (first f, ts) x -> moves (fsteps f) x (g, ds) -> all_beside cols (among C) x).
  { intros x X1 X2. eapply K; eauto. }
  destruct (backwards t); apply andb_true_iff in H as [H0 H1].
  - pose proof (check_closed_sound _ _ _ _ H1) as Cl.
    eapply backward_turn with (C := among C); [|exact M2| |].
    + intros p q J. apply Cl. unfold swapped. apply tmap_in. exists (p, q); auto.
    + intros x X1 X2. apply Kx; auto. eapply moves_app; eauto.
    + assert (All : forall i a, nth_error (tokens cols ds) i = Some a -> a = 1%positive).
      { intros i a. destruct i as [|[|i]]; cbn; try (intros [= <-]; auto; fail). intros E. apply nth_error_In in E.
        apply in_map_iff in E as (n & <- & J). apply Cd. unfold all in D. rewrite Forall_forall in D. auto. }
      assert (Cg : among C 1 1 g = true).
      { apply (Kx (g, ds) (moves_app _ _ _ _ M1 M2) (moves_nil _ _) 0 1); auto. }
      rewrite forallb_forall in H0.
      assert (Fg : tmem (set t) 1 1 g = true).
      { assert (J : In g (first f :: tmap (fun s => snd (snd s)) (fsteps f))).
        { destruct (final_global _ _ _ (moves_app _ _ _ _ M1 M2)) as [E|(s & Js & E)]; cbn in E; [left; auto|right].
          apply tmap_in. eauto. }
        specialize (H0 _ J). now rewrite Cg in H0. }
      intros i j a b _ Ea Eb. apply All in Ea, Eb. subst. exact Fg.
  - pose proof (check_closed_sound _ _ _ _ H1) as Cl.
    eapply forward_turn with (C := among C); [exact Cl|exact M1|exact M2|exact Kx|].
    assert (All : forall i a, nth_error (tokens cols ts) i = Some a -> In a (begins f cols)).
    { intros i a. destruct i as [|[|i]]; cbn [nth_error tokens]; try (intros [= <-]; left; auto; fail). intros E. apply nth_error_In in E.
      apply in_map_iff in E as (n & <- & J). apply begins_in. unfold all in I. rewrite Forall_forall in I. auto. }
    intros i j a b N Ea Eb. cbn [fst].
    pose proof (Kx (first f, ts) (moves_nil _ _) (moves_app _ _ _ _ M1 M2) i j a b N Ea Eb) as Cab. cbn [fst] in Cab.
    rewrite forallb_forall in H0. specialize (H0 _ (All _ _ Ea)). rewrite forallb_forall in H0. specialize (H0 _ (All _ _ Eb)).
    now rewrite Cab in H0.
Qed.

(** * Pruning *)

(** A step that a complete run makes. *)
Definition made (f : form) (s : step) : Prop := exists ts g ts1 i g2 ds,
  all f Initial ts /\ all f Done ds /\ moves (fsteps f) (first f, ts) (g, ts1) /\ g = snd (fst s) /\ nth_error ts1 i = Some (fst (fst s)) /\
  In s (fsteps f) /\ moves (fsteps f) (snd (snd s), upd ts1 i (fst (snd s))) (g2, ds).

Lemma moves_made f ts g ds : all f Initial ts -> all f Done ds -> forall c, moves (fsteps f) c (g, ds) -> moves (fsteps f) (first f, ts) c ->
  forall T', (forall s, made f s -> In s T') -> moves T' c (g, ds).
Proof.
  intros I D c M. remember (g, ds) as e eqn:Ee. induction M as [c|h us i n n' h' d E M R IH]; intros M0 T' H; [constructor|]. subst d.
  apply moves_cons with (n := n) (n' := n') (i := i) (g' := h'); [exact E| |].
  - apply H. exists ts, h, us, i, g, ds. cbn [fst snd]. repeat split; auto.
  - apply IH; auto. eapply moves_app; [exact M0|]. econstructor; eauto. constructor.
Qed.

Lemma upd_app (p : list id) n q m : upd (p ++ n :: q) (length p) m = p ++ m :: q.
Proof. induction p; cbn; auto. f_equal; auto. Qed.

Lemma nth_app (p : list id) n q : nth_error (p ++ n :: q) (length p) = Some n.
Proof. induction p; cbn; auto. Qed.

(** A walk is a run of requests that begin where they begin. *)
Lemma walk_moves f g ds g' : walk f g ds g' -> exists ts, all f Initial ts /\ forall p, moves (fsteps f) (g, p ++ ts) (g', p ++ ds).
Proof.
  induction 1 as [g|g n d g1 ds g' I D P W (ts & A & M)]; [exists []; split; [constructor|constructor]|].
  exists (n :: ts). split; [constructor; auto|]. intros p.
  eapply moves_app; [exact (moves_path _ _ _ (p ++ n :: ts) (length p) P (nth_app _ _ _))|]. cbn [fst snd].
  rewrite upd_app. specialize (M (p ++ [d])). now rewrite <- !app_assoc in M.
Qed.

Lemma made_same f T' : (forall s, made f s -> In s T') -> (forall s, In s T' -> In s (fsteps f)) -> same f (steps_now f T') /\ finer (steps_now f T') f.
Proof.
  intros H K. assert (Fi : finer (steps_now f T') f) by (repeat split; auto; cbn; intros; apply path_one; auto).
  split; auto. split; [|now apply expansion]. split.
  - intros ds (ts & g & I & D & M). exists ts, g. repeat split; auto. cbn. eapply moves_made; eauto. constructor.
  - intros ds (g & W). exists g. cbn [first steps_now].
    assert (G : forall g0 ds, walk f g0 ds g -> forall ts0 pre, all f Initial ts0 -> all f Done pre ->
      (forall ts, all f Initial ts -> length ts = length ds -> moves (fsteps f) (first f, ts0 ++ ts) (g0, pre ++ ts)) ->
      walk (steps_now f T') g0 ds g).
    { clear W ds. induction 1 as [g|g0 n d g1 ds g I D P W IH]; intros ts0 pre I0 D0 M0; [constructor|].
      destruct (walk_moves _ _ _ _ W) as (ts & A & M).
      assert (Dds : all f Done ds).
      { clear -W. induction W; constructor; auto. }
      assert (Lts : length ts = length ds).
      { specialize (M []). cbn in M. clear -M. remember (g1, ts) as a. remember (g, ds) as b. revert g1 ts Heqa. subst b.
        remember (g, ds) as b. induction M; intros; subst; [injection Heqa as -> ->; auto|]. injection Heqa as -> ->.
        specialize (IHM eq_refl _ _ eq_refl). now rewrite upd_length in IHM. }
      assert (Path : forall p q, path (fsteps f) p q -> q = (d, g1) -> moves (fsteps f) (first f, ts0 ++ n :: ts) (snd p, pre ++ fst p :: ts) ->
        path T' p q).
      { induction 1 as [p|p r q St P' IHp]; intros Eq Mp; [constructor|].
        assert (Mr : moves (fsteps f) (snd p, pre ++ fst p :: ts) (snd r, pre ++ fst r :: ts)).
        { destruct p as [np hp], r as [nr hr]. cbn. econstructor; [apply nth_app|exact St|]. rewrite upd_app. constructor. }
        econstructor; [|apply IHp; auto; eapply moves_app; eauto].
        apply H. exists (ts0 ++ n :: ts), (snd p), (pre ++ fst p :: ts), (length pre), g, (pre ++ d :: ds). cbn [fst snd].
        repeat split; auto.
        - apply Forall_app; split; auto; constructor; auto.
        - apply Forall_app; split; auto; constructor; auto.
        - apply nth_app.
        - rewrite upd_app. pose proof (moves_path _ _ _ (pre ++ fst r :: ts) (length pre) P' (nth_app _ _ _)) as X.
          rewrite upd_app in X. subst q. cbn [fst snd] in X. eapply moves_app; [exact X|].
          specialize (M (pre ++ [d])). now rewrite <- !app_assoc in M. }
      econstructor; [exact I|exact D| |].
      - apply (Path (n, g0) (d, g1)); auto. cbn. apply (M0 (n :: ts)); [constructor; auto|cbn; auto].
      - apply (IH (ts0 ++ [n]) (pre ++ [d])).
        + apply Forall_app; split; auto; constructor; auto.
        + apply Forall_app; split; auto; constructor; auto.
        + intros us Ius Lus. rewrite <- !app_assoc. cbn.
          eapply moves_app; [apply (M0 (n :: us)); [constructor; auto|cbn; auto]|].
          pose proof (moves_path _ _ _ (pre ++ n :: us) (length pre) P (nth_app _ _ _)) as X. rewrite upd_app in X. exact X. }
    apply (G _ _ W [] []); intros; constructor.
Qed.

Lemma possible_in cols F T s : In s (possible cols F T) <-> In s T /\ visits cols F (fst s) = true /\ visits cols F (snd s) = true.
Proof.
  unfold possible. rewrite rev_append_rev, app_nil_r, <- in_rev, tfilter_in, andb_true_iff. tauto.
Qed.

Lemma prune_sound f cols F : known f cols (tmem F) ->
  same f (steps_now f (possible cols F (fsteps f))) /\ finer (steps_now f (possible cols F (fsteps f))) f.
Proof.
  intros K. apply made_same; [|intros s J; now apply possible_in in J].
  intros [[n h] [n' h']] (ts & g & us & i & g2 & ds & I & D & M1 & -> & E & J & M2). cbn [fst snd] in *.
  assert (One : moves (fsteps f) (h, us) (h', upd us i n')) by (econstructor; eauto; constructor).
  apply possible_in. split; auto. split.
  - apply (K ts (h, us) g2 ds I M1 (moves_app _ _ _ _ One M2) D (S (S i)) 0 (column cols n) 1%positive); auto. now apply tokens_nth.
  - apply (K ts (h', upd us i n') g2 ds I (moves_app _ _ _ _ M1 One) M2 D (S (S i)) 0 (column cols n') 1%positive); auto.
    apply tokens_nth, upd_same. congruence.
Qed.

(** * The rule *)

Definition columns_of (f : form) : columns :=
  fold_left (fun m e => match snd e with Done => PM.add (fst e) 1%positive m | _ => m end) (PM.elements (kinds f)) (PM.empty _).

(** Computed, and then checked. *)
Definition check_columns (f : form) (cols : columns) : bool :=
  forallb (fun e => match snd e with Done => Pos.eqb (column cols (fst e)) 1 | _ => true end) (PM.elements (kinds f)).

Lemma check_columns_sound f cols : check_columns f cols = true -> cols_done f cols.
Proof.
  unfold check_columns. rewrite forallb_forall. intros H n D. unfold kind_of in D. destruct (PM.find n (kinds f)) eqn:E; [subst|discriminate].
  apply PM.elements_correct in E. specialize (H _ E). now apply Pos.eqb_eq.
Qed.

Fixpoint turns (f : form) (cols : columns) (C : option pairs_set) (hs : list turn_hint) : option (form * option pairs_set) :=
  match hs with
  | [] => Some (f, C)
  | t :: hs => if check_turn f cols C t then turns (steps_now f (possible cols (set t) (fsteps f))) cols (Some (set t)) hs else None
  end.

Definition pairs (f : form) (hs : list turn_hint) : option (form * (columns * option pairs_set)) :=
  let cols := columns_of f in
  if check_columns f cols then match turns f cols None hs with Some (f', F) => Some (f', (cols, F)) | None => None end else None.

Theorem pairs_sound f hs f' cols F : pairs f hs = Some (f', (cols, F)) ->
  same f f' /\ finer f' f /\ known f' cols (among F).
Proof.
  unfold pairs. destruct (check_columns _ _) eqn:Cc; [|discriminate]. apply check_columns_sound in Cc.
  set (cs := columns_of f) in *.
  assert (H : forall hs f0 C f1 F1, (forall n, kind_of f0 n = kind_of f n) -> known f0 cs (among C) -> turns f0 cs C hs = Some (f1, F1) ->
    same f0 f1 /\ finer f1 f0 /\ known f1 cs (among F1)).
  { clear F f' hs. induction hs as [|t hs IH]; cbn [turns]; intros f0 C f1 F1 Ke K E.
    - injection E as <- <-. repeat split; auto using same_refl, finer_refl; try apply same_refl; try apply finer_refl.
    - destruct (check_turn f0 cs C t) eqn:Ct; [|discriminate].
      assert (Cd : cols_done f0 cs) by (intros n D; apply Cc; now rewrite <- Ke).
      pose proof (check_turn_sound _ _ _ _ Cd K Ct) as K1. destruct (prune_sound _ _ _ K1) as [Sa Fi].
      destruct (IH (steps_now f0 (possible cs (set t) (fsteps f0))) (Some (set t)) _ _ Ke (known_finer _ _ _ _ Fi K1) E) as (Sa2 & Fi2 & K2).
      split; [eapply same_trans; eauto|split; [eapply finer_trans; eauto|auto]]. }
  destruct (turns f cs None hs) as [[f1 F1]|] eqn:E; [|discriminate]. intros [= <- <- <-].
  apply (H hs f None); auto. intros ? ? ? ? _ _ _ _ ? ? ? ? _ _ _. reflexivity.
Qed.
