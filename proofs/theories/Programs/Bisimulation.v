(** A program and components that do the same, step by step, have the same answers.

    The states of the program have images in the components; this is the claim of
    [compile/src/translation.rs], for whatever is known of all configurations. *)

From Coq Require Import List PArith ZArith Bool Lia Permutation.
From Proved Require Import Sets Components.
From Proved Require Model.
From Proved.Programs Require Import Syntax Semantics.
Import ListNotations.
Close Scope Z_scope.

(** * Lists that are dealt out to places *)

Section Deal.
  Context {X Y : Type} (place : X -> option (nat * Y)).

  Definition dealt (k : nat) (x : X) : list Y :=
    match place x with Some (j, y) => if Nat.eqb j k then [y] else [] | None => [] end.
  Definition hand (k : nat) (l : list X) : list Y := flat_map (dealt k) l.

  Lemma hand_app k l m : hand k (l ++ m) = hand k l ++ hand k m.
  Proof. apply flat_map_app. Qed.

  Lemma hand_cons k x l : hand k (x :: l) = dealt k x ++ hand k l.
  Proof. reflexivity. Qed.

  Lemma dealt_here k x y : place x = Some (k, y) -> dealt k x = [y].
  Proof. intros E. unfold dealt. now rewrite E, Nat.eqb_refl. Qed.

  Lemma dealt_away j k x y : place x = Some (k, y) -> j <> k -> dealt j x = [].
  Proof. intros E N. unfold dealt. rewrite E. destruct (Nat.eqb_spec k j); congruence. Qed.

  (** What is in a hand was dealt by something. *)
  Lemma hand_split k y : forall l A B, hand k l = A ++ y :: B ->
    exists l1 x l2, l = l1 ++ x :: l2 /\ hand k l1 = A /\ place x = Some (k, y) /\ hand k l2 = B.
  Proof.
    induction l as [|x l IH]; intros A B H; [now destruct A|].
    assert (D : dealt k x = [] \/ exists z, place x = Some (k, z) /\ dealt k x = [z]).
    { unfold dealt. destruct (place x) as [[j z]|]; auto. destruct (Nat.eqb_spec j k) as [->|]; eauto. }
    unfold hand in H. cbn [flat_map] in H. fold (hand k l) in H. destruct D as [D|(z & E & D)]; rewrite D in H; cbn [app] in H.
    - apply IH in H as (l1 & x' & l2 & -> & H1 & H2 & H3). exists (x :: l1), x', l2. repeat split; auto. unfold hand. cbn. now rewrite D.
    - destruct A as [|a A]; cbn in H.
      + injection H as -> <-. exists [], x, l. repeat split; auto.
      + injection H as -> H. apply IH in H as (l1 & x' & l2 & -> & H1 & H2 & H3). exists (x :: l1), x', l2. repeat split; auto.
        unfold hand. cbn. rewrite D. cbn. f_equal. exact H1.
  Qed.

  (** All hands together. *)
  Definition hands (i n : nat) (l : list X) : list Y := concat (map (fun k => hand k l) (seq i n)).

  Definition placed (n : nat) (x : X) (y : Y) : Prop := exists k, place x = Some (k, y) /\ k < n.

  Lemma dealt_once x k y n : place x = Some (k, y) -> forall i, i <= k -> k < i + n -> concat (map (fun k => dealt k x) (seq i n)) = [y].
  Proof.
    intros E. induction n as [|n IH]; intros i L U; [lia|]. cbn.
    destruct (Nat.eq_dec i k) as [->|N].
    - rewrite (dealt_here k x y E). replace (concat _) with (@nil Y); auto. symmetry. apply concat_nil_Forall, Forall_forall.
      intros m M. apply in_map_iff in M as (j & <- & J). apply in_seq in J. apply (dealt_away j k x y E). lia.
    - rewrite (dealt_away i k x y E N). cbn. apply IH; lia.
  Qed.

  Lemma concat_both {A} (f h : A -> list Y) l :
    Permutation (concat (map (fun k => f k ++ h k) l)) (concat (map f l) ++ concat (map h l)).
  Proof.
    induction l as [|a l IH]; cbn; [constructor|]. rewrite IH, <- !app_assoc. apply Permutation_app_head.
    rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
  Qed.

  Lemma hands_perm n l m : Forall2 (placed n) l m -> Permutation (hands 0 n l) m.
  Proof.
    induction 1 as [|x y l m (k & E & L) H IH].
    - unfold hands, hand. cbn. replace (concat _) with (@nil Y); [constructor|]. symmetry. apply concat_nil_Forall, Forall_forall.
      intros z Z. now apply in_map_iff in Z as (j & <- & _).
    - unfold hands. change (fun k => hand k (x :: l)) with (fun k => dealt k x ++ hand k l). rewrite concat_both.
      rewrite (dealt_once x k y n E) by lia. cbn. now constructor.
  Qed.
End Deal.

Lemma flat_const {A B} (f : A -> list B) l : (forall a, In a l -> f a = []) -> flat_map f l = [].
Proof. induction l as [|a l IH]; cbn; auto. intros H. rewrite H, IH; auto. Qed.

(** * Products, component by component *)

Lemma pevent_map (f f' : nat -> Model.config) s : forall ss i k, nth_error ss k = Some s -> Model.event s (f (i + k)) (f' (i + k)) ->
  (forall j, j <> i + k -> f j = f' j) -> pevent ss (map f (seq i (length ss))) (map f' (seq i (length ss))).
Proof.
  induction ss as [|t ss IH]; intros i [|k] E V O; try discriminate E; cbn [length seq map].
  - injection E as ->. rewrite Nat.add_0_r in *. replace (map f' (seq (S i) (length ss))) with (map f (seq (S i) (length ss))).
    + now constructor.
    + apply map_ext_in. intros j J. apply in_seq in J. apply O. lia.
  - rewrite <- (O i) by lia. constructor. apply (IH (S i) k E).
    + now replace (S i + k) with (i + S k) by lia.
    + intros j J. apply O. lia.
Qed.

Lemma pevent_inv (f : nat -> Model.config) : forall ss i ds, pevent ss (map f (seq i (length ss))) ds ->
  exists k s d, nth_error ss k = Some s /\ Model.event s (f (i + k)) d /\
    ds = map (fun j => if Nat.eqb j (i + k) then d else f j) (seq i (length ss)).
Proof.
  induction ss as [|t ss IH]; intros i ds H; cbn [length seq map] in H; inversion H as [s ts c d cs V|s ts c cs ds' V]; subst.
  - exists 0, t, d. rewrite Nat.add_0_r. split; auto. split; auto. cbn [length seq map]. rewrite Nat.eqb_refl. f_equal.
    apply map_ext_in. intros j J. apply in_seq in J. destruct (Nat.eqb_spec j i); auto. lia.
  - apply IH in V as (k & s & d & E & V & ->). exists (S k), s, d. replace (i + S k) with (S i + k) by lia. split; auto. split; auto.
    cbn [length seq map]. destruct (Nat.eqb_spec i (S i + k)); [lia|]. reflexivity.
Qed.

(** * The bisimulation *)

Section Bisimulation.
  Context (p : program) (ss : list Model.system).
  (** The component and the request of who is asked, the images of local states, of global states in each component,
      and of letters. *)
  Context (home : asked -> option (nat * id)) (image : asked * local -> option id) (within_component : store -> nat -> id)
    (letter_image : letter -> option (nat * Model.letter)) (letter_back : Model.letter -> letter).
  (** What is known of all configurations. *)
  Context (known : store -> list (asked * local) -> Prop).

  Definition flying (x : asked * local) : option (nat * (id * id)) :=
    match home (fst x), image x with Some (k, r), Some m => Some (k, (r, m)) | _, _ => None end.

  (** translation.starts *)
  Definition starts_match : Prop :=
    (forall a l, comes p a l -> exists k s r m, flying (a, l) = Some (k, (r, m)) /\ nth_error ss k = Some s /\ In (r, m) (Model.starts s)) /\
    (forall k s r m, nth_error ss k = Some s -> In (r, m) (Model.starts s) -> exists a l, comes p a l /\ flying (a, l) = Some (k, (r, m))) /\
    (forall k s, nth_error ss k = Some s -> Model.initial s = within_component (globals p) k).

  (** translation.answers, translation.steps, translation.others, for what may occur together *)
  Definition answers_match (s : Model.system) (k : nat) (r m : id) (a : asked) (l : local) : Prop :=
    (forall x, In (m, x) (Model.answers s) -> exists v, l = Finished v /\ letter_image (a, v) = Some (k, (r, x))) /\
    (forall v, l = Finished v -> exists x, In (m, x) (Model.answers s) /\ letter_image (a, v) = Some (k, (r, x)) /\ letter_back (r, x) = (a, v)).

  Definition steps_match (s : Model.system) (k : nat) (r m : id) (g : store) (a : asked) (l : local) : Prop :=
    (forall l' g', steps l g l' g' -> exists m', flying (a, l') = Some (k, (r, m')) /\
       In ((m, within_component g k), (m', within_component g' k)) (Model.steps s) /\
       forall j, j <> k -> within_component g' j = within_component g j) /\
    (forall m' n', In ((m, within_component g k), (m', n')) (Model.steps s) ->
       exists l' g', steps l g l' g' /\ flying (a, l') = Some (k, (r, m')) /\ within_component g' k = n' /\
         forall j, j <> k -> within_component g' j = within_component g j).

  Definition matches (g : store) (a : asked) (l : local) : Prop :=
    exists k s r m, flying (a, l) = Some (k, (r, m)) /\ nth_error ss k = Some s /\ answers_match s k r m a l /\ steps_match s k r m g a l.

  Context (known_start : known (globals p) [])
    (known_spawn : forall g F a l, known g F -> comes p a l -> known g ((a, l) :: F))
    (known_move : forall g g' F1 F2 a l l', known g (F1 ++ (a, l) :: F2) -> steps l g l' g' -> known g' (F1 ++ (a, l') :: F2))
    (known_respond : forall g F1 F2 a v, known g (F1 ++ (a, Finished v) :: F2) -> known g (F1 ++ F2))
    (known_matches : forall g F a l, known g F -> In (a, l) F -> matches g a l)
    (starts_do : starts_match).

  Definition letter_good (z : letter) : Prop := exists k y, letter_image z = Some (k, y) /\ k < length ss /\ letter_back y = z.
  Definition good (c : config) : Prop := known (global c) (flight c) /\ Forall letter_good (completed c).

  Lemma good_start : good (start p).
  Proof. split; [exact known_start|constructor]. Qed.

  Lemma good_event c d : good c -> event p c d -> good d.
  Proof.
    intros [K L] V. destruct V as [g F Z a l B|g g' F1 F2 Z a l l' S|g F1 F2 Z a v]; split; cbn [global flight completed] in *; eauto.
    constructor; auto. destruct (known_matches g _ a (Finished v) K) as (k & s & r & m & E & Es & [_ A] & _); [apply in_elt|].
    destruct (A v eq_refl) as (x & I & Lx & Bx). exists k, (r, x). repeat split; auto. apply nth_error_Some. congruence.
  Qed.

  (** The image of a configuration in a component. *)
  Definition part_of (c : config) (k : nat) : Model.config :=
    Model.Config (within_component (global c) k) (hand flying k (flight c)) (hand letter_image k (completed c)).
  Definition image_of (c : config) : list Model.config := map (part_of c) (seq 0 (length ss)).

  Lemma image_start : image_of (start p) = map Model.start ss.
  Proof.
    destruct starts_do as (_ & _ & H). unfold image_of, part_of, Model.start. cbn. clear -H.
    assert (G : forall ts i, (forall k s, nth_error ts k = Some s -> Model.initial s = within_component (globals p) (i + k)) ->
      map (fun k => Model.Config (within_component (globals p) k) [] []) (seq i (length ts)) = map (fun s => Model.Config (Model.initial s) [] []) ts).
    { induction ts as [|t ts IH]; intros i E; cbn; auto. f_equal.
      - specialize (E 0 t eq_refl). rewrite Nat.add_0_r in E. now rewrite E.
      - apply IH. intros k s N. rewrite (E (S k) s N). f_equal. lia. }
    now apply (G ss 0).
  Qed.

  Lemma image_event c d : good c -> event p c d -> pevent ss (image_of c) (image_of d).
  Proof.
    intros [K L] V. unfold image_of. destruct V as [g F Z a l B|g g' F1 F2 Z a l l' S|g F1 F2 Z a v]; cbn [global flight completed] in *.
    - destruct starts_do as (H & _ & _). destruct (H a l B) as (k & s & r & m & E & Es & I). apply (pevent_map _ _ s ss 0 k Es).
      + unfold part_of. cbn [global flight completed Nat.add]. rewrite !hand_cons. rewrite (dealt_here _ _ _ _ E). now constructor.
      + intros j J. unfold part_of. cbn [global flight completed]. rewrite !hand_cons. now rewrite (dealt_away _ _ _ _ _ E J).
    - destruct (known_matches g _ a l K) as (k & s & r & m & E & Es & _ & [A _]); [apply in_elt|].
      destruct (A l' g' S) as (m' & E' & I & O). apply (pevent_map _ _ s ss 0 k Es).
      + unfold part_of. cbn [global flight completed Nat.add]. rewrite !hand_app, !hand_cons.
        rewrite (dealt_here _ _ _ _ E), (dealt_here _ _ _ _ E'). cbn [app]. now constructor.
      + intros j J. unfold part_of. cbn [global flight completed]. rewrite O by exact J. rewrite !hand_app, !hand_cons.
        now rewrite (dealt_away _ _ _ _ _ E J), (dealt_away _ _ _ _ _ E' J).
    - destruct (known_matches g _ a (Finished v) K) as (k & s & r & m & E & Es & [_ A] & _); [apply in_elt|].
      destruct (A v eq_refl) as (x & I & Lx & _). apply (pevent_map _ _ s ss 0 k Es).
      + unfold part_of. cbn [global flight completed Nat.add]. rewrite !hand_app, !hand_cons.
        rewrite (dealt_here _ _ _ _ E), (dealt_here letter_image _ _ _ Lx). cbn [app]. now constructor.
      + intros j J. unfold part_of. cbn [global flight completed]. rewrite !hand_app, !hand_cons.
        now rewrite (dealt_away _ _ _ _ _ E J), (dealt_away letter_image _ _ _ _ Lx J).
  Qed.
  Lemma flying_back k r m x : flying x = Some (k, (r, m)) -> home (fst x) = Some (k, r) /\ image x = Some m.
  Proof. unfold flying. destruct (home (fst x)) as [[j q]|], (image x) as [n|]; try discriminate. intros [= -> -> ->]. auto. Qed.

  Lemma event_image c ds : good c -> pevent ss (image_of c) ds -> exists d, event p c d /\ ds = image_of d.
  Proof.
    intros [K L] V. apply pevent_inv in V as (k & s & e & Es & V & ->). cbn [Nat.add] in *. destruct c as [g F Z]. cbn [global flight completed] in *.
    assert (R : forall d, part_of d k = e -> (forall j, j <> k -> part_of d j = part_of (Config g F Z) j) ->
      map (fun j => if Nat.eqb j k then e else part_of (Config g F Z) j) (seq 0 (length ss)) = image_of d).
    { intros d E O. unfold image_of. apply map_ext. intros j. destruct (Nat.eqb_spec j k) as [->|N]; auto. now rewrite O. }
    unfold part_of at 1 in V. cbn [global flight completed] in V.
    remember (Model.Config (within_component g k) (hand flying k F) (hand letter_image k Z)) as c eqn:Ec.
    destruct V as [gi Fi Zi r m I|gi gi' A B Zi r m m' I|gi A B Zi r m x I]; injection Ec as -> EF EZ; subst.
    - destruct starts_do as (_ & H & _). destruct (H k s r m Es I) as (a & l & C & E). exists (Config g ((a, l) :: F) Z). split; [now constructor|].
      apply R; [|intros j J]; unfold part_of; cbn [global flight completed]; rewrite hand_cons; [now rewrite (dealt_here flying _ _ _ E)|].
      now rewrite (dealt_away flying _ _ _ _ E J).
    - symmetry in EF. apply hand_split in EF as (F1 & [a l] & F2 & -> & <- & E & <-).
      destruct (known_matches g _ a l K) as (k' & s' & r' & n & E' & Es' & _ & [_ H]); [apply in_elt|].
      rewrite E in E'. injection E' as <- <- <-. assert (s' = s) as -> by congruence.
      destruct (H m' gi' I) as (l' & g' & S & E' & <- & O). exists (Config g' (F1 ++ (a, l') :: F2) Z). split; [now constructor|].
      apply R; [|intros j J]; unfold part_of; cbn [global flight completed]; rewrite !hand_app, !hand_cons; [now rewrite (dealt_here flying _ _ _ E')|].
      rewrite O by exact J. now rewrite (dealt_away flying _ _ _ _ E' J), (dealt_away flying _ _ _ _ E J).
    - symmetry in EF. apply hand_split in EF as (F1 & [a l] & F2 & -> & <- & E & <-).
      destruct (known_matches g _ a l K) as (k' & s' & r' & n & E' & Es' & [H _] & _); [apply in_elt|].
      rewrite E in E'. injection E' as <- <- <-. assert (s' = s) as -> by congruence.
      destruct (H x I) as (v & -> & Lx). exists (Config g (F1 ++ F2) ((a, v) :: Z)). split; [now constructor|].
      apply R; [|intros j J]; unfold part_of; cbn [global flight completed]; rewrite !hand_app, !hand_cons; [now rewrite (dealt_here letter_image _ _ _ Lx)|].
      now rewrite (dealt_away flying _ _ _ _ E J), (dealt_away letter_image _ _ _ _ Lx J).
  Qed.

  (** * Runs and answers *)

  Lemma run_good ok c d : run p ok c d -> good c -> good d.
  Proof. induction 1 as [|c d e O V R IH]; auto. intros G. apply IH. eapply good_event; eauto. Qed.

  Lemma run_image (ok : config -> Prop) (ok' : list Model.config -> Prop) : (forall c, good c -> ok c -> ok' (image_of c)) ->
    forall c d, run p ok c d -> good c -> prun ss ok' (image_of c) (image_of d).
  Proof.
    intros H c d R. induction R as [c O|c d e O V R IH]; intros G; [constructor; auto|].
    econstructor; [auto|apply (image_event c d G V)|]. apply IH. eapply good_event; eauto.
  Qed.

  Lemma run_back (ok : config -> Prop) (ok' : list Model.config -> Prop) : (forall c, good c -> ok' (image_of c) -> ok c) ->
    forall cs ds, prun ss ok' cs ds -> forall c, good c -> cs = image_of c -> exists d, run p ok c d /\ ds = image_of d /\ good d.
  Proof.
    intros H cs ds R. induction R as [cs O|cs ds es O V R IH]; intros c G ->.
    - exists c. split; [constructor; auto|auto].
    - apply event_image in V as (d & V & ->); auto. destruct (IH d) as (e & Re & -> & Ge); [eapply good_event; eauto|reflexivity|].
      exists e. split; auto. econstructor; eauto.
  Qed.

  Lemma flying_count c : good c -> in_flight (image_of c) = length (flight c).
  Proof.
    intros [K _]. unfold in_flight, image_of. rewrite map_map. cbn [part_of Model.flight].
    assert (H : exists m, Forall2 (placed flying (length ss)) (flight c) m).
    { assert (M : forall x, In x (flight c) -> exists y, placed flying (length ss) x y).
      { intros [a l] I. destruct (known_matches _ _ a l K I) as (k & s & r & m & E & Es & _). exists (r, m), k. split; auto.
        apply nth_error_Some. congruence. }
      clear -M. induction (flight c) as [|x F IH]; [exists []; constructor|]. destruct (M x) as [y Y]; [now left|].
      destruct IH as [m H]; [intros z Z; apply M; now right|]. exists (y :: m). now constructor. }
    destruct H as [m H]. pose proof (Permutation_length (hands_perm flying _ _ _ H)) as P. unfold hands in P. unfold part_of. cbn [Model.flight].
    rewrite P. clear -H. induction H; cbn; auto.
  Qed.

  Lemma letters_there Z : Forall letter_good Z -> exists Y, Permutation (hands letter_image 0 (length ss) Z) Y /\ map letter_back Y = Z.
  Proof.
    intros G. assert (H : exists Y, Forall2 (placed letter_image (length ss)) Z Y /\ map letter_back Y = Z).
    { induction G as [|z Z (k & y & E & L & B) G (Y & H & M)]; [exists []; split; constructor|].
      exists (y :: Y). split; [constructor; auto; exists k; auto|]. cbn. now rewrite B, M. }
    destruct H as (Y & H & M). exists Y. split; auto. now apply hands_perm.
  Qed.

  Lemma completed_image c : all_completed (image_of c) = hands letter_image 0 (length ss) (completed c).
  Proof. unfold all_completed, image_of, hands. rewrite map_map. reflexivity. Qed.

  Lemma ended c : good c -> in_flight (image_of c) = 0 -> exists g, c = Config g [] (completed c).
  Proof. intros G. rewrite flying_count by exact G. destruct c as [g [|] Z]; [|discriminate]. now exists g. Qed.

  Theorem program_to_product (ok : config -> Prop) (ok' : list Model.config -> Prop) g Z : (forall c, good c -> ok c -> ok' (image_of c)) ->
    run p ok (start p) (Config g [] Z) -> Forall letter_good Z /\ complete_run ss ok' (hands letter_image 0 (length ss) Z).
  Proof.
    intros H R. assert (G : good (Config g [] Z)) by (eapply run_good; [exact R|apply good_start]). split; [exact (proj2 G)|].
    exists (image_of (Config g [] Z)). split; [|split].
    - rewrite <- image_start. apply (run_image ok); auto. apply good_start.
    - now rewrite flying_count.
    - now rewrite completed_image.
  Qed.

  Theorem product_to_program (ok : config -> Prop) (ok' : list Model.config -> Prop) Y : (forall c, good c -> ok' (image_of c) -> ok c) ->
    complete_run ss ok' Y -> exists g Z, run p ok (start p) (Config g [] Z) /\ Forall letter_good Z /\ Permutation Y (hands letter_image 0 (length ss) Z).
  Proof.
    intros H (ds & R & F & P). rewrite <- image_start in R.
    apply (run_back ok ok' H) with (c := start p) in R as (d & R & -> & G); auto using good_start.
    destruct (ended d G F) as (g & E). exists g, (completed d). rewrite <- E. split; auto. split; [exact (proj2 G)|]. now rewrite <- completed_image.
  Qed.

  Theorem bisimilar : serializable p <-> product_serializable ss.
  Proof.
    assert (S1 : forall c, good c -> length (flight c) <= 1 -> in_flight (image_of c) <= 1) by (intros; now rewrite flying_count).
    assert (S2 : forall c, good c -> in_flight (image_of c) <= 1 -> length (flight c) <= 1) by (intros c G; now rewrite flying_count).
    split.
    - intros H Y I. destruct (product_to_program (fun _ => True) (fun _ => True) Y (fun _ _ _ => Logic.I) I) as (g & Z & R & G & P).
      destruct (H Z) as (Z' & PZ & g' & R'); [now exists g|].
      destruct (program_to_product (fun c => length (flight c) <= 1) (fun cs => in_flight cs <= 1) g' Z' S1 R') as (G' & ds & Rd & Fd & Pd).
      exists ds. repeat split; auto. rewrite P. rewrite <- Pd.
      unfold hands. clear -PZ. induction (seq 0 (length ss)) as [|k ks IH]; cbn; auto. apply Permutation_app; auto. now apply Permutation_flat_map.
    - intros H Z (g & R). destruct (program_to_product (fun _ => True) (fun _ => True) g Z (fun _ _ _ => Logic.I) R) as (G & C).
      destruct (product_to_program (fun c => length (flight c) <= 1) (fun cs => in_flight cs <= 1) _ S2 (H _ C)) as (g' & Z' & R' & G' & P).
      exists Z'. split; [|now exists g'].
      destruct (letters_there Z G) as (Y & PY & <-), (letters_there Z' G') as (Y' & PY' & <-). apply Permutation_map. now rewrite <- PY, <- PY'.
  Qed.
End Bisimulation.
