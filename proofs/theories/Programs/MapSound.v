(** What passes the check of the map does the same as the program, and the program cannot fail. *)

From Coq Require Import List PArith ZArith Bool Lia.
From Proved Require Import Sets Components.
From Proved Require Model.
From Proved.Programs Require Import Syntax Semantics Same Step Starts Together Bisimulation Map.
Import ListNotations.
Close Scope Z_scope.

Lemma traverse_all {A B} (f : A -> option B) : forall l m, traverse f l = Some m -> Forall2 (fun x y => f x = Some y) l m.
Proof.
  induction l as [|x l IH]; intros m; cbn.
  - intros [= <-]. constructor.
  - destruct (f x) as [y|] eqn:E; [|discriminate]. destruct (traverse f l) as [m'|]; [|discriminate]. intros [= <-]. constructor; auto.
Qed.

Lemma forall2_in_l {A B} (R : A -> B -> Prop) l m : Forall2 R l m -> forall x, In x l -> exists y, In y m /\ R x y.
Proof. induction 1 as [|x y l m H F IH]; intros z []; [subst; exists y; cbn; auto|]. destruct (IH z) as (w & I & K); auto. exists w. cbn; auto. Qed.

Lemma forall2_in_r {A B} (R : A -> B -> Prop) l m : Forall2 R l m -> forall y, In y m -> exists x, In x l /\ R x y.
Proof. induction 1 as [|x y l m H F IH]; intros z []; [subst; exists x; cbn; auto|]. destruct (IH z) as (w & I & K); auto. exists w. cbn; auto. Qed.

Lemma forall2_middle {A B} (R : A -> B -> Prop) x : forall l1 l2 m, Forall2 R (l1 ++ x :: l2) m ->
  exists m1 y m2, m = m1 ++ y :: m2 /\ Forall2 R l1 m1 /\ R x y /\ Forall2 R l2 m2.
Proof. intros l1 l2 m H. apply Forall2_app_inv_l in H as (m1 & m' & H1 & H2 & ->). inversion H2; subst. eauto 8. Qed.

Lemma each_all f : forall rs i, each f i rs = true -> forall k s, nth_error rs k = Some s -> f (i + k) s = true.
Proof.
  induction rs as [|s rs IH]; intros i E [|k] s' N; try discriminate; cbn in *; apply andb_true_iff in E as [E1 E2].
  - injection N as <-. now rewrite Nat.add_0_r.
  - replace (i + S k) with (S i + k) by lia. eauto.
Qed.

Lemma others_stay_all : forall ims ims' k, others_stay k ims ims' = true -> forall j, Some j <> k -> nth j ims' xH = nth j ims xH.
Proof.
  induction ims as [|x ims IH]; intros [|y ims'] k; cbn; try discriminate; auto.
  destruct k as [[|k]|]; rewrite ?andb_true_iff.
  - intros H [|j] N; [congruence|]. apply (IH ims' None H). discriminate.
  - intros [E H] [|j] N; [apply Pos.eqb_eq in E; auto|]. apply (IH ims' (Some k) H). congruence.
  - intros [E H] [|j] N; [apply Pos.eqb_eq in E; auto|]. apply (IH ims' None H). discriminate.
Qed.

Lemma same_points_in l m : same_points l m = true -> forall x, In x l <-> In x m.
Proof.
  unfold same_points. rewrite andb_true_iff, !forallb_forall. intros [A B] x. split; intros I.
  - apply pmem_of. auto.
  - apply pmem_of. auto.
Qed.

Lemma places_in_in ms m i : In m ms -> occurs m i = true -> In i (places_in ms).
Proof.
  intros M O. unfold places_in. apply tmap_in.
  set (body := fun s m => fold_left (fun s e => iadd s (fst e)) (PM.elements (many m)) (fold_left iadd (few m) s)).
  assert (H1 : forall (l : list (id * unit)) s, imem (fold_left (fun s e => iadd s (fst e)) l s) i = true <-> imem s i = true \/ exists u, In (i, u) l).
  { induction l as [|[x u] l IH]; cbn [fold_left fst]; intros s; [cbn; firstorder|]. rewrite IH, imem_iadd. cbn. split.
    - intros [[->|]|(v & V)]; eauto.
    - intros [|(v & [[= -> ->]|V])]; eauto. }
  assert (H2 : forall l s, imem (fold_left iadd l s) i = true <-> In i l \/ imem s i = true).
  { induction l as [|x l IH]; cbn [fold_left]; intros s; [cbn; tauto|]. rewrite IH, imem_iadd. cbn. intuition congruence. }
  assert (B : forall s m, imem (body s m) i = true <-> imem s i = true \/ occurs m i = true).
  { intros s m'. unfold body, occurs. rewrite H1, H2, orb_true_iff, existsb_exists. split.
    - intros [[I|]|(u & U)]; auto; right; [right; exists i; now rewrite Pos.eqb_refl|left].
      apply PM.elements_complete in U. unfold imem. now rewrite U.
    - intros [|[I|(j & J & E)]]; auto.
      + right. unfold imem in I. destruct (PM.find i (many m')) as [u|] eqn:E; [|discriminate]. exists u. now apply PM.elements_correct.
      + apply Pos.eqb_eq in E as ->. auto. }
  assert (F : forall l s, (imem s i = true \/ exists m, In m l /\ occurs m i = true) -> imem (fold_left body l s) i = true).
  { intros ms'. induction ms' as [|m0 ms' IH]; cbn [fold_left]; intros s [I|(m' & J & Om)]; auto; try destruct J as [->|J]; try apply IH.
    - left. apply B. auto.
    - left. apply B. auto.
    - right. eauto. }
  specialize (F ms (PM.empty _) (or_intror (ex_intro _ m (conj M O)))). unfold imem in F. fold body.
  destruct (PM.find i (fold_left body ms (PM.empty unit))) as [u|] eqn:E; [|discriminate]. exists (i, u). split; auto. now apply PM.elements_correct.
Qed.

Section Sound.
  Context (fuel : nat) (p : program) (ss : list Model.system) (h : map_hint).
  Let t := prepare ss h.
  Let back := letters_back t.
  Context (starts : list (asked * local)) (starts_are : all_starts p = Some starts)
    (CA : check_answers t back = true) (CS : check_starts t starts = true) (CI : check_initial p t = true) (CT : check_steps fuel t starts = true).

  Lemma component k s : nth_error (components t) k = Some s -> exists s', nth_error ss k = Some s' /\ s = get_ready s'.
  Proof. cbn. rewrite nth_error_map. destruct (nth_error ss k) as [s'|]; [|discriminate]. intros [= <-]. eauto. Qed.

  Lemma component_back k s : nth_error ss k = Some s -> nth_error (components t) k = Some (get_ready s).
  Proof. intros E. cbn. rewrite nth_error_map, E. reflexivity. Qed.

  Lemma local_entry x i m : local_of t x = Some (i, m) -> In (x, (i, m)) (local_entries t).
  Proof. apply (find_at_in state_key state_eqb state_eqb_eq). Qed.

  Lemma global_entry g n ims : global_of t g = Some (n, ims) -> In (g, (n, ims)) (global_entries t).
  Proof. apply (find_at_in global_key store_eqb store_eqb_eq). Qed.

  Lemma in_component_of g n ims k : global_of t g = Some (n, ims) -> in_component t g k = nth k ims xH.
  Proof. unfold in_component. now intros ->. Qed.

  (** ** Local states *)

  Lemma local_there a l i m : local_of t (a, l) = Some (i, m) ->
    PM.find i (by_place t) = Some ((a, l), m) /\ exists k r s, flies t (a, l) = Some (k, (r, m)) /\ home t a = Some (k, r) /\
      nth_error ss k = Some s /\ answers_match (letter_image t) (letter_back back) s k r m a l /\
      (running l = false -> forall g q, ~ In ((m, g), q) (Model.steps s)).
  Proof.
    intros E. pose proof (local_entry _ _ _ E) as I. unfold check_answers in CA. rewrite forallb_forall in CA. specialize (CA _ I).
    unfold check_answer in CA. destruct (PM.find i (by_place t)) as [[x m']|] eqn:P; [|discriminate].
    destruct (home t a) as [[k r]|] eqn:H; [|discriminate]. apply andb_true_iff in CA as [C A]. apply andb_true_iff in C as [X M].
    apply state_eqb_eq in X as ->. apply Pos.eqb_eq in M as ->. split; auto.
    destruct (nth_error (components t) k) as [s'|] eqn:K; [|discriminate]. pose proof (component k s' K) as (s & Es & ->). cbn [answers_at moving get_ready] in A.
    exists k, r, s. split; [|split; [auto|split; [auto|]]].
    - unfold flies, flying. cbn [fst]. rewrite H. unfold image. now rewrite E.
    - split; [split|].
      + intros x Ix. apply found_index1 in Ix. destruct l as [e q|v].
        * destruct (found1 _ m); [destruct Ix|discriminate].
        * exists v. split; auto. unfold letter_image. cbn [fst snd]. rewrite E, H, K. cbn [answers_at get_ready].
          destruct (found1 (index1 (Model.answers s)) m) as [|y more]; [destruct Ix|]. apply andb_true_iff in A as [A _]. apply andb_true_iff in A as [_ A].
          rewrite forallb_forall in A.           destruct Ix as [<-|Ix]; auto. apply A, Pos.eqb_eq in Ix. congruence.
      + intros v ->. destruct (found1 (index1 (Model.answers s)) m) as [|y more] eqn:Y; [discriminate|]. exists y. split; [|split].
        * apply found_index1. rewrite Y. now left.
        * unfold letter_image. cbn [fst snd]. rewrite E, H, K. cbn [answers_at get_ready]. now rewrite Y.
        * apply andb_true_iff in A as [_ A]. apply andb_true_iff in A as [A1 A2]. apply asked_eqb_eq in A1. apply Z.eqb_eq in A2.
          destruct (letter_back back (r, y)); cbn in *. congruence.
      + destruct l as [|v]; [discriminate|]. intros _ g q Q. destruct (found1 _ m); [discriminate|]. apply andb_true_iff in A as [A _].
        apply andb_true_iff in A as [A _]. apply negb_true_iff in A. rewrite <- not_true_iff_false in A. apply A, imem_iset, tmap_in.
        now exists ((m, g), q).
  Qed.

  (** ** Pairs *)

  Lemma pair_matches g n ims i w a l m : global_of t g = Some (n, ims) -> local_of t (a, l) = Some (i, m) -> check_pair fuel t g ims i = Some w ->
    matches ss (home t) (image t) (in_component t) (letter_image t) (letter_back back) g a l /\ ~ fails l g /\
    forall l' g', steps l g l' g' -> exists j m' n' ims', local_of t (a, l') = Some (j, m') /\ global_of t g' = Some (n', ims') /\
      In (if running l' then Some j else None, n') w.
  Proof.
    intros G L. destruct (local_there a l i m L) as (P & k & r & s & Fl & H & Es & A & _). unfold check_pair. rewrite P, H, (component_back k s Es).
    destruct (outcomes fuel l g) as [[R [|]]|] eqn:O; try discriminate. destruct (traverse _ R) as [os|] eqn:T; [|discriminate].
    cbn [steps_at get_ready]. destruct (same_points _ _) eqn:S; [|discriminate]. intros [= <-]. apply traverse_all in T.
    pose proof (outcomes_steps fuel l g R false O) as St. pose proof (outcomes_fails fuel l g R false O) as Fa.
    pose proof (same_points_in _ _ S) as Sp.
    assert (C : forall o q, check_outcome t ims k a o = Some q -> exists j m' n' ims', local_of t (a, fst o) = Some (j, m') /\
      global_of t (snd o) = Some (n', ims') /\ q = ((if running (fst o) then Some j else None, n'), (m', nth k ims' xH)) /\ forall d, d <> k -> in_component t (snd o) d = in_component t g d).
    { intros [l' g'] q. unfold check_outcome. cbn [fst snd]. destruct (local_of t (a, l')) as [[j m']|] eqn:L'; [|discriminate].
      destruct (global_of t g') as [[n' ims']|] eqn:G'; [|discriminate]. destruct (others_stay _ _ _) eqn:Os; [|discriminate]. intros [= <-].
      exists j, m', n', ims'. repeat split; auto. intros d D. rewrite (in_component_of _ _ _ d G'), (in_component_of _ _ _ d G).
      apply (others_stay_all _ _ _ Os). congruence. }
    assert (Fl' : forall l' j m', local_of t (a, l') = Some (j, m') -> flies t (a, l') = Some (k, (r, m'))).
    { intros l' j m' L'. unfold flies, flying, image. cbn [fst]. now rewrite H, L'. }
    split; [|split].
    - exists k, s, r, m. split; [exact Fl|]. split; [exact Es|]. split; [exact A|]. split.
      + intros l' g' Q. apply St in Q. destruct (forall2_in_l _ _ _ T _ Q) as (q & Iq & Cq). apply C in Cq as (j & m' & n' & ims' & L' & G' & -> & Oth).
        cbn [fst snd] in *. exists m'. split; [eapply Fl'; eauto|]. split; auto.
        apply found_index. rewrite (in_component_of _ _ _ k G), (in_component_of _ _ _ k G'). apply Sp, tmap_in. eexists. split; [|exact Iq]. reflexivity.
      + intros m' n' Q. apply found_index in Q. rewrite (in_component_of _ _ _ k G) in Q. apply Sp, tmap_in in Q as (q & Eq & Iq).
        destruct (forall2_in_r _ _ _ T _ Iq) as ([l' g'] & Io & Cq). apply C in Cq as (j & m2 & n2 & ims' & L' & G' & -> & Oth). cbn [fst snd] in *.
        injection Eq as <- <-. exists l', g'. split; [now apply St|]. split; [eapply Fl'; eauto|]. split; auto. apply (in_component_of _ _ _ k G').
    - rewrite Fa. discriminate.
    - intros l' g' Q. apply St in Q. destruct (forall2_in_l _ _ _ T _ Q) as (q & Iq & Cq). apply C in Cq as (j & m' & n' & ims' & L' & G' & -> & _).
      exists j, m', n', ims'. repeat split; auto. apply tmap_in. eexists. split; [|exact Iq]. reflexivity.
  Qed.

  (** ** What is known of all configurations *)

  Definition at_place (x : asked * local) (i : id) : Prop := exists m, local_of t x = Some (i, m).

  Definition in_flight_still (F : list (asked * local)) : list (asked * local) := filter (fun x => running (snd x)) F.

  Definition known (g : store) (F : list (asked * local)) : Prop :=
    (exists n ims m ns, global_of t g = Some (n, ims) /\ In m (markings_of t n) /\ Forall2 at_place (in_flight_still F) ns /\ covers m ns) /\
    forall x, In x F -> exists i, at_place x i.

  Definition start_places : list id := match traverse (fun x => match local_of t x with Some (i, _) => Some i | None => None end) starts with Some l => l | None => [] end.

  Lemma checked g n ims : global_of t g = Some (n, ims) -> exists ways,
    (forall m, In m (markings_of t n) -> check_marking t start_places ways m = true) /\
    forall i w, In (i, w) ways -> check_pair fuel t g ims i = Some w.
  Proof.
    intros G. pose proof (global_entry _ _ _ G) as I. unfold check_steps in CT. unfold start_places. destruct (traverse _ starts) as [places|]; [|discriminate].
    rewrite forallb_forall in CT. specialize (CT _ I). unfold check_global in CT. destruct (traverse _ (places_in _)) as [ways|] eqn:W; [|discriminate].
    rewrite forallb_forall in CT. exists ways. split; auto. intros i w Iw. apply traverse_all in W. destruct (forall2_in_r _ _ _ W _ Iw) as (j & _ & E).
    destruct (check_pair fuel t g ims j) as [w'|] eqn:C; [|discriminate]. injection E as -> ->. exact C.
  Qed.

  Lemma start_place a l : comes p a l -> exists i m, local_of t (a, l) = Some (i, m) /\ In i start_places.
  Proof.
    intros C. apply (all_starts_in p starts starts_are) in C. unfold check_steps in CT. unfold start_places. destruct (traverse _ starts) as [places|] eqn:T; [|discriminate].
    apply traverse_all in T. destruct (forall2_in_l _ _ _ T _ C) as (i & I & E). destruct (local_of t (a, l)) as [[j m]|] eqn:L; [|discriminate].
    injection E as ->. eauto.
  Qed.

  (** Each pair that may occur was checked. *)
  Lemma known_pair g F a l : known g F -> In (a, l) F -> running l = true -> exists n ims m ns i im ways w, global_of t g = Some (n, ims) /\ In m (markings_of t n) /\
    Forall2 at_place (in_flight_still F) ns /\ covers m ns /\ local_of t (a, l) = Some (i, im) /\ In i ns /\ In (i, w) (filter (fun w => occurs m (fst w)) ways) /\
    check_marking t start_places ways m = true /\ check_pair fuel t g ims i = Some w.
  Proof.
    intros [(n & ims & m & ns & G & M & Fl & Co) _] I Rl.
    destruct (forall2_in_l _ _ _ Fl (a, l)) as (i & Ii & im & L); [now apply filter_In|].
    destruct (checked g n ims G) as (ways & Wm & Wp). pose proof (Wm m M) as Cm.
    assert (W : exists w, In (i, w) (filter (fun w => occurs m (fst w)) ways)).
    { unfold check_marking in Cm. apply andb_true_iff in Cm as [_ Cm]. apply andb_true_iff in Cm as [_ Cm].
      apply andb_true_iff in Cm as [Ce Cf].
      assert (In i (map fst (filter (fun w => occurs m (fst w)) ways))) as J.
      { destruct (covers_in m ns i Co Ii) as [Mi|Fi].
        - rewrite forallb_forall in Ce. unfold imem in Mi. destruct (PM.find i (many m)) as [u|] eqn:E; [|discriminate].
          apply imem_iset. exact (Ce (i, u) (PM.elements_correct _ _ E)).
        - rewrite forallb_forall in Cf. apply imem_iset. auto. }
      apply in_map_iff in J as ([j w] & Ej & J). cbn in Ej. subst j. eauto. }
    destruct W as (w & W). exists n, ims, m, ns, i, im, ways, w. repeat split; auto. apply filter_In in W as [W _]. auto.
  Qed.

  Lemma known_matches g F a l : known g F -> In (a, l) F ->
    matches ss (home t) (image t) (in_component t) (letter_image t) (letter_back back) g a l.
  Proof.
    intros K I. destruct (running l) eqn:Rl.
    - destruct (known_pair g F a l K I Rl) as (n & ims & m & ns & i & im & ways & w & G & _ & _ & _ & L & _ & _ & _ & C).
      now apply (pair_matches g n ims i w a l im).
    - destruct K as [_ K]. destruct (K _ I) as (i & m & L). destruct (local_there a l i m L) as (_ & k & r & s & Fl & _ & Es & A & N).
      exists k, s, r, m. split; [exact Fl|]. split; [exact Es|]. split; [exact A|]. destruct l as [|v]; [discriminate|]. split.
      + intros l' g' S. inversion S.
      + intros m' n' Q. destruct (N eq_refl _ _ Q).
  Qed.

  Lemma known_safe g F a l : known g F -> In (a, l) F -> ~ fails l g.
  Proof.
    intros K I. destruct (running l) eqn:Rl; [|destruct l; [discriminate|]; intros B; inversion B].
    destruct (known_pair g F a l K I Rl) as (n & ims & m & ns & i & im & ways & w & G & _ & _ & _ & L & _ & _ & _ & C).
    now apply (pair_matches g n ims i w a l im).
  Qed.

  Lemma known_start : known (globals p) [].
  Proof.
    unfold check_initial in CI. destruct (global_of t (globals p)) as [[n ims]|] eqn:G; [|discriminate]. apply andb_true_iff in CI as [_ C].
    destruct (markings_of t n) as [|m ms] eqn:M; [discriminate|]. split; [|intros x []]. exists n, ims, m, []. rewrite M.
    split; [exact G|]. split; [now left|]. split; [constructor|apply covers_nil].
  Qed.

  Lemma known_spawn g F a l : known g F -> comes p a l -> known g ((a, l) :: F).
  Proof.
    intros [(n & ims & m & ns & G & M & Fl & Co) K] C. destruct (start_place a l C) as (i & im & L & I).
    destruct (checked g n ims G) as (ways & Wm & _). specialize (Wm m M). unfold check_marking in Wm. apply andb_true_iff in Wm as [S _].
    rewrite forallb_forall in S. split; [|intros x [<-|X]; auto; exists i; now exists im]. exists n, ims, m, (i :: ns). split; [exact G|]. split; [exact M|].
    assert (Rl : running l = true) by now destruct C. split.
    - unfold in_flight_still. cbn [filter snd]. rewrite Rl. constructor; auto. now exists im.
    - apply covers_cons; auto.
  Qed.

  Lemma known_move g g' F1 F2 a l l' : known g (F1 ++ (a, l) :: F2) -> steps l g l' g' -> known g' (F1 ++ (a, l') :: F2).
  Proof.
    intros K S. assert (Rl : running l = true) by now destruct S.
    destruct (known_pair g _ a l K (in_elt _ _ _) Rl) as (n & ims & m & ns & i & im & ways & w & G & M & Fl & Co & L & _ & W & Cm & C).
    destruct (pair_matches g n ims i w a l im G L C) as (_ & _ & H). destruct (H l' g' S) as (j & m' & n' & ims' & L' & G' & Iw).
    unfold check_marking in Cm. apply andb_true_iff in Cm as [_ Cm]. apply andb_true_iff in Cm as [Q _]. rewrite forallb_forall in Q. specialize (Q _ W).
    rewrite forallb_forall in Q. specialize (Q _ Iw). cbn [fst snd] in Q. destruct (PM.find n' _) as [ms|] eqn:E; [|discriminate].
    apply above_in in E as ->. apply existsb_exists in Q as (m2 & I2 & R). apply filter_In in I2 as [I2 A2].
    unfold in_flight_still in Fl. rewrite filter_app in Fl. cbn [filter snd] in Fl. rewrite Rl in Fl.
    apply forall2_middle in Fl as (n1 & i' & n2 & -> & Fl1 & (im' & Li) & Fl2). rewrite L in Li. injection Li as <- <-. split.
    - exists n', ims', m2, (n1 ++ to_list (if running l' then Some j else None) ++ n2). split; [exact G'|]. split; [exact I2|]. split.
      + unfold in_flight_still. rewrite filter_app. cbn [filter snd]. destruct (running l'); cbn [to_list app]; apply Forall2_app; auto.
        constructor; auto. now exists m'.
      + eapply covers_move; eauto.
    - destruct K as [_ K]. intros x X. apply in_app_or in X as [X|[<-|X]].
      + apply K, in_or_app. auto.
      + exists j. now exists m'.
      + apply K, in_or_app. right. now right.
  Qed.

  Lemma known_respond g F1 F2 a v : known g (F1 ++ (a, Finished v) :: F2) -> known g (F1 ++ F2).
  Proof.
    intros [(n & ims & m & ns & G & M & Fl & Co) K]. split.
    - exists n, ims, m, ns. unfold in_flight_still in *. rewrite filter_app in *. cbn [filter snd running] in Fl. auto.
    - intros x X. apply K. apply in_or_app. apply in_app_or in X as [|]; [auto|right; now right].
  Qed.

  Lemma starts_do : starts_match p ss (home t) (image t) (in_component t).
  Proof.
    unfold check_starts in CS. apply andb_true_iff in CS as [C1 C2]. rewrite forallb_forall in C1. split; [|split].
    - intros a l C. apply (all_starts_in p starts starts_are) in C. specialize (C1 _ C). unfold flies in C1.
      destruct (flying (home t) (image t) (a, l)) as [[k [r m]]|] eqn:E; [|discriminate].
      destruct (nth_error (components t) k) as [s'|] eqn:K; [|discriminate]. apply component in K as (s & Es & ->).
      exists k, s, r, m. repeat split; auto. now apply pmem_of.
    - intros k s r m Es I. pose proof (each_all _ _ _ C2 k _ (component_back k s Es)) as C. cbn beta in C. rewrite forallb_forall in C.
      specialize (C _ I). cbn [Nat.add] in C. apply pmem_of in C. unfold hand in C. apply in_flat_map in C as ([a l] & Il & D).
      exists a, l. split; [now apply (all_starts_in p starts starts_are)|]. unfold dealt, flies in D.
      destruct (flying (home t) (image t) (a, l)) as [[j y]|]; [|destruct D]. destruct (Nat.eqb_spec j k) as [->|]; [|destruct D].
      destruct D as [->|[]]. reflexivity.
    - intros k s Es. unfold check_initial in CI. destruct (global_of t (globals p)) as [[n ims]|] eqn:G; [|discriminate]. apply andb_true_iff in CI as [C _].
      pose proof (each_all _ _ _ C k _ (component_back k s Es)) as E. cbn in E. apply Pos.eqb_eq in E. rewrite (in_component_of _ _ _ k G). exact E.
  Qed.

  Lemma runs_known ok c d : run p ok c d -> known (global c) (flight c) -> known (global d) (flight d).
  Proof.
    induction 1 as [|c d e O V R IH]; auto. intros K. apply IH. clear -K V starts_are CA CS CI CT.
    destruct V; cbn [global flight] in *; eauto using known_spawn, known_move, known_respond.
  Qed.

  Theorem never_fails : ~ can_fail p.
  Proof.
    intros (c & a & l & R & I & B). apply runs_known in R; [|apply known_start]. exact (known_safe _ _ _ _ R I B).
  Qed.

  Theorem map_bisimilar : serializable p <-> product_serializable ss.
  Proof.
    exact (bisimilar p ss (home t) (image t) (in_component t) (letter_image t) (letter_back back) known known_start known_spawn known_move
      known_respond known_matches starts_do).
  Qed.
End Sound.

Theorem check_map_sound fuel p ss h : check_map fuel p ss h = true -> (serializable p <-> product_serializable ss) /\ ~ can_fail p.
Proof.
  unfold check_map. destruct (all_starts p) as [starts|] eqn:S; [|discriminate]. rewrite !andb_true_iff. intros [[[A B] C] D].
  split; [eapply map_bisimilar; eauto|eapply never_fails; eauto].
Qed.
