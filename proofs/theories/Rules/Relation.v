(** Nodes and global states that can do what others can.

    Relations on global states are relations on nodes of the system with the
    two parts of each point exchanged, so that everything is proved once. *)

From Coq Require Import List PArith Bool.
From Proved Require Import Sets Model Reach.
Import ListNotations.

Definition turn (p : point) : point := (snd p, fst p).
Definition turned (T : list step) : list step := tmap (fun s => (turn (fst s), turn (snd s))) T.

Lemma turned_in T p q : In (turn p, turn q) (turned T) <-> In (p, q) T.
Proof.
  unfold turned. rewrite tmap_in. split.
  - intros ([[a b] [c d]] & E & J). destruct p, q; unfold turn in E; cbn in E. injection E as <- <- <- <-. auto.
  - intros J. exists (p, q); auto.
Qed.

Lemma turned_path T p q : path (turned T) (turn p) (turn q) <-> path T p q.
Proof.
  split.
  - intros H. remember (turn p) as p' eqn:Ep. remember (turn q) as q' eqn:Eq. revert p q Ep Eq.
    induction H as [r|r s t M P IH]; intros p q Ep Eq; subst r.
    + destruct p, q. injection Eq as -> ->. constructor.
    + destruct s as [a b]. subst t. change (a, b) with (turn (b, a)) in *. apply path_cons with (b, a); [exact (proj1 (turned_in _ _ _) M)|].
      apply IH; reflexivity.
  - induction 1; [constructor|]. econstructor; eauto. now apply turned_in.
Qed.

(** The reflexive and transitive closure. *)
Inductive star (R : list (id * id)) : id -> id -> Prop :=
| star_refl x : star R x x
| star_cons x y z : In (x, y) R -> star R y z -> star R x z.

Lemma star_trans R x y z : star R x y -> star R y z -> star R x z.
Proof. induction 1; auto. intros; econstructor; eauto. Qed.

Lemma star_one R x y : In (x, y) R -> star R x y.
Proof. intros; econstructor; [eauto|constructor]. Qed.

(** What [y] does, [x] can do by a path, or by a step, and is related again. *)
Definition weak (T : list step) (Q : id -> id -> Prop) : Prop :=
  forall x y g y' g', Q x y -> In ((y, g), (y', g')) T -> exists x', path T (x, g) (x', g') /\ Q x' y'.
Definition strong (T : list step) (Q : id -> id -> Prop) : Prop :=
  forall x y g y' g', Q x y -> In ((y, g), (y', g')) T -> exists x', In ((x, g), (x', g')) T /\ Q x' y'.

Lemma weak_path T Q : weak T Q -> forall p q, path T p q -> forall x, Q x (fst p) ->
  exists x', path T (x, snd p) (x', snd q) /\ Q x' (fst q).
Proof.
  intros W p q H. induction H as [p|[y g] [y' g'] q M P IH]; cbn [fst snd] in *; intros x X.
  - exists x; split; auto. constructor.
  - destruct (W _ _ _ _ _ X M) as (x1 & P1 & X1). destruct (IH _ X1) as (x2 & P2 & X2).
    exists x2; split; auto. eapply path_app; eauto.
Qed.

Definition direct (R : list (id * id)) (x y : id) : Prop := x = y \/ In (x, y) R.

Lemma direct_star R x y z : direct R x y -> star R y z -> star R x z.
Proof. intros [->|I] S'; auto. econstructor; eauto. Qed.

Lemma weak_star T R : weak T (direct R) -> weak T (star R).
Proof.
  intros W.
  assert (H : forall x y, star R x y -> forall p q, path T p q -> fst p = y -> exists x', path T (x, snd p) (x', snd q) /\ star R x' (fst q)).
  { induction 1 as [x|x y z I S' IH]; intros p q P E.
    - exists (fst q). subst. destruct p, q; cbn. split; auto. constructor.
    - destruct (IH _ _ P E) as (y' & Py & Sy).
      destruct (weak_path _ _ W _ _ Py x) as (x' & Px & Sx); [right; auto|]. cbn in *.
      exists x'; split; auto. eapply direct_star; eauto. }
  intros x y g y' g' S' M. apply (H _ _ S' (y, g) (y', g')); auto. now apply path_one.
Qed.

Lemma strong_star T R : strong T (direct R) -> strong T (star R).
Proof.
  intros W x y g y' g' S'. revert y' g'. induction S' as [x|x y z I S' IH]; intros y' g' M.
  - exists y'; split; auto. constructor.
  - destruct (IH _ _ M) as (y1 & M1 & S1). destruct (W x y g y1 g') as (x' & M' & D); [right; auto|auto|].
    exists x'; split; auto. eapply direct_star; eauto.
Qed.

(** * Checks *)

Section Check.
  Context (T : list step) (R : list (id * id)).

  (** For each node its steps. *)
  Definition departures : PM.t (list (id * point)) := index1 (tmap (fun s => (fst (fst s), (snd (fst s), snd s))) T).

  Lemma departures_in y g q : In (g, q) (found1 departures y) <-> In ((y, g), q) T.
  Proof.
    unfold departures. rewrite found_index1, tmap_in. split.
    - intros ([[a b] c] & E & J); cbn in E. injection E as <- <- <-. auto.
    - intros J. exists ((y, g), q); auto.
  Qed.

  (** Where paths lead from the points that are asked for. *)
  Definition sources : list point :=
    fst (fold_left (fun a p => if pmem (snd a) p then a else (p :: fst a, padd (snd a) p))
      (tflat (fun r => tmap (fun d => (fst r, fst d)) (found1 departures (snd r))) R) ([], PM.empty _)).
  Definition paths_of (idx : index_type point) (fuel : nat) : index_type point :=
    index (tflat (fun p => tmap (fun q => (p, q)) (reach (found idx) fuel p)) sources).

  Lemma paths_of_sound fuel p q : In q (found (paths_of (index T) fuel) p) -> path T p q.
  Proof.
    unfold paths_of. rewrite found_index, tflat_in. intros (p' & _ & J). apply tmap_in in J as (q' & [= -> ->] & J).
    apply leads_path. eapply reach_sound; eauto.
  Qed.

  (** relation.weak, relation.strong, relation.global.weak, relation.global.strong *)
  Definition follows (targets : index_type point) : bool :=
    let known := pset_of R in
    let from := departures in
    forallb (fun r => forallb (fun d =>
      existsb (fun q => Pos.eqb (snd q) (snd (snd d)) && (Pos.eqb (fst q) (fst (snd d)) || pmem known (fst q, fst (snd d))))
        (found targets (fst r, fst d))) (found1 from (snd r))) R.

  Definition check_weak : bool := follows (paths_of (index T) (fuel_of T)).
  Definition check_strong : bool := follows (index T).

  Lemma follows_sound targets x y g y' g' : follows targets = true -> In (x, y) R -> In ((y, g), (y', g')) T ->
    exists x', In (x', g') (found targets (x, g)) /\ direct R x' y'.
  Proof.
    unfold follows. rewrite forallb_forall. intros H I M. specialize (H _ I). cbn [fst snd] in H.
    rewrite forallb_forall in H. apply departures_in in M. specialize (H _ M). cbn [fst snd] in H.
    apply existsb_exists in H as ([x' g1] & J & E). cbn [fst snd] in E. rewrite andb_true_iff, orb_true_iff, !Pos.eqb_eq, pmem_of in E.
    destruct E as [-> D]. exists x'; split; auto.
  Qed.

  Lemma check_weak_sound : check_weak = true -> weak T (star R).
  Proof.
    intros H. apply weak_star. intros x y g y' g' [->|I] M.
    - exists y'; split; [now apply path_one|now left].
    - destruct (follows_sound _ _ _ _ _ _ H I M) as (x' & J & D). exists x'; split; auto. eapply paths_of_sound; eauto.
  Qed.

  Lemma check_strong_sound : check_strong = true -> strong T (star R).
  Proof.
    intros H. apply strong_star. intros x y g y' g' [->|I] M.
    - exists y'; split; auto. now left.
    - destruct (follows_sound _ _ _ _ _ _ H I M) as (x' & J & D). exists x'; split; auto. now apply found_index in J.
  Qed.
End Check.

(** relation.nodes: a done node is related to nothing but itself. *)
Definition check_done (f : form) (R : list (id * id)) : bool :=
  forallb (fun r => Pos.eqb (fst r) (snd r) || match kind_of f (fst r), kind_of f (snd r) with
    | Done, _ | _, Done => false | _, _ => true end) R.

Lemma check_done_sound f R : check_done f R = true -> forall x y, star R x y ->
  kind_of f x = Done \/ kind_of f y = Done -> x = y.
Proof.
  unfold check_done. rewrite forallb_forall. intros H x y S'. induction S' as [x|x y z I S' IH]; auto. intros D.
  specialize (H _ I). cbn in H. apply orb_true_iff in H as [E|E]; [apply Pos.eqb_eq in E; subst; auto|].
  destruct D as [D|D]; [rewrite D in E; discriminate|]. rewrite (IH (or_intror D)) in *.
  rewrite D in E. destruct (kind_of f x); discriminate.
Qed.

(** * Classes *)

(** In each class each member is related to the next, and the last to the first. *)
Fixpoint chain (known : pset) (first x : id) (rest : list id) : bool :=
  match rest with
  | [] => Pos.eqb x first || pmem known (x, first)
  | y :: rest => (Pos.eqb x y || pmem known (x, y)) && chain known first y rest
  end.

(** quotient.classes *)
Definition check_classes (R : list (id * id)) (classes : list (list id)) : bool :=
  let known := pset_of R in
  forallb (fun class => match class with [] => true | x :: rest => chain known x x rest end) classes.

Definition rep_map (classes : list (list id)) : PM.t id :=
  fold_left (fun m class => match class with [] => m | x :: _ => fold_left (fun m y => PM.add y x m) class m end) classes (PM.empty _).
Definition rep (m : PM.t id) (n : id) : id := match PM.find n m with Some r => r | None => n end.

Lemma chain_star R first x rest : chain (pset_of R) first x rest = true ->
  forall y, In y (x :: rest) -> star R x y /\ star R y first.
Proof.
  revert x; induction rest as [|z rest IH]; cbn [chain]; intros x.
  - rewrite orb_true_iff, Pos.eqb_eq, pmem_of. intros H y [<-|[]]. split; [constructor|].
    destruct H as [->|]; [constructor|now apply star_one].
  - rewrite andb_true_iff, orb_true_iff, Pos.eqb_eq, pmem_of. intros [D H].
    assert (S' : star R x z) by (destruct D as [->|]; [constructor|now apply star_one]).
    intros y [<-|I].
    + split; [constructor|]. eapply star_trans; [exact S'|]. apply (IH z H z); cbn; auto.
    + destruct (IH z H y I). split; auto. eapply star_trans; eauto.
Qed.

Lemma rep_star R classes : check_classes R classes = true -> forall y,
  star R y (rep (rep_map classes) y) /\ star R (rep (rep_map classes) y) y.
Proof.
  unfold check_classes, rep_map. rewrite forallb_forall.
  assert (H : forall m, (forall y, star R y (rep m y) /\ star R (rep m y) y) ->
    (forall class, In class classes -> match class with [] => true | x :: rest => chain (pset_of R) x x rest end = true) ->
    forall y, star R y (rep (fold_left (fun m class => match class with [] => m | x :: _ => fold_left (fun m y => PM.add y x m) class m end) classes m) y) /\
      star R (rep (fold_left (fun m class => match class with [] => m | x :: _ => fold_left (fun m y => PM.add y x m) class m end) classes m) y) y).
  { induction classes as [|class classes IH]; cbn [fold_left]; intros m M C y; [apply M|].
    apply IH; [|intros; apply C; cbn; auto]. assert (Cc := C class (or_introl eq_refl)).
    destruct class as [|x rest]; auto. pose proof (chain_star _ _ _ _ Cc) as K.
    assert (G : forall l, incl l (x :: rest) -> forall m, (forall y, star R y (rep m y) /\ star R (rep m y) y) ->
      forall y, star R y (rep (fold_left (fun m y => PM.add y x m) l m) y) /\ star R (rep (fold_left (fun m y => PM.add y x m) l m) y) y).
    { induction l as [|z l IHl]; cbn [fold_left]; intros L m0 M0; auto.
      apply IHl; [intros u U; apply L; cbn; auto|]. intros u. unfold rep. destruct (Pos.eq_dec u z) as [->|N].
      - rewrite PM.gss. destruct (K z); auto. apply L; cbn; auto.
      - rewrite PM.gso by auto. apply M0. }
    apply (G (x :: rest)); auto. apply incl_refl. }
  intros C. apply H; auto. intros y. unfold rep. rewrite PM.gempty. split; constructor.
Qed.
