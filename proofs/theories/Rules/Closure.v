(** [closure]: waiting that gains nothing is left out.

    The simulation must be on the closure of the relation: after the first
    point the given pairs themselves need no longer be followed step by step. *)

From Coq Require Import List PArith Bool.
From Proved Require Import Sets Model Simulation Reach.
From Proved.Rules Require Import Relation.
Import ListNotations.

(** What is found at a point is replaced. *)
Definition replaced (idx : index_type point) (p : point) (l : list point) : index_type point := PM.add (fst p) (PM.add (snd p) l (inner idx (fst p))) idx.

Lemma found_replaced idx p l q : found (replaced idx p l) q = if point_eqb q p then l else found idx q.
Proof.
  destruct p as [a b], q as [c d]. unfold found, replaced, inner at 1, point_eqb. cbn [fst snd]. destruct (Pos.eqb_spec c a) as [->|N]; cbn [andb].
  - rewrite PM.gss. unfold found1 at 1. destruct (Pos.eqb_spec d b) as [->|M]; [now rewrite PM.gss|now rewrite PM.gso].
  - now rewrite PM.gso.
Qed.

Section Point.
  Context (R : list (id * id)) (known : pset) (known_R : forall p, pmem known p = true -> In p R).
  (** The steps, and an index of them. *)
  Context (fuel : nat) (T : list step) (idx : index_type point) (idx_T : forall p q, In q (found idx p) <-> In (p, q) T) (l g : id).

  Definition gains_nothing (p : point) : bool := Pos.eqb (snd p) g && (Pos.eqb (fst p) l || pmem known (l, fst p)).
  Definition stay (idx : index_type point) (p : point) : list point := tfilter gains_nothing (found idx p).

  (** The departures of the point are replaced. *)
  Definition close1 : option (list step * index_type point) :=
    let inside := reach (stay idx) fuel (l, g) in
    if closed (stay idx) inside (l, g) then
      let exits := tflat (fun p => tfilter (fun q => negb (gains_nothing q)) (found idx p)) inside in
      Some (tapp (tmap (fun q => ((l, g), q)) exits) (tfilter (fun s => negb (point_eqb (fst s) (l, g))) T), replaced idx (l, g) exits)
    else None.

  Context (T' : list step) (idx' : index_type point) (E : close1 = Some (T', idx')).
  Let U := reach (stay idx) fuel (l, g).

  Lemma close1_closed : closed (stay idx) U (l, g) = true.
  Proof. unfold close1 in E. fold U in E. destruct (closed _ _ _); auto; discriminate. Qed.

  Lemma close1_in p q : In (p, q) T' <-> (p <> (l, g) /\ In (p, q) T) \/
    (p = (l, g) /\ gains_nothing q = false /\ exists u, In u U /\ In (u, q) T).
  Proof.
    unfold close1 in E. fold U in E. destruct (closed _ _ _); [|discriminate]. injection E as <- _.
    rewrite tapp_in, tmap_in, tfilter_in, negb_true_iff, <- not_true_iff_false, point_eqb_eq. cbn [fst]. split.
    - intros [(q' & [= <- <-] & J)|[J N]]; auto. right. apply tflat_in in J as (u & Iu & J).
      apply tfilter_in in J as [J N]. apply idx_T in J. apply negb_true_iff in N. eauto.
    - intros [[N J]|(-> & N & u & Iu & J)]; auto. left. exists q. split; auto. apply tflat_in. exists u; split; auto.
      apply tfilter_in. rewrite idx_T, negb_true_iff. auto.
  Qed.

  Lemma close1_index p q : In q (found idx' p) <-> In (p, q) T'.
  Proof.
    rewrite close1_in. unfold close1 in E. fold U in E. destruct (closed _ _ _); [|discriminate]. injection E as _ <-. rewrite found_replaced.
    destruct (point_eqb p (l, g)) eqn:D.
    - apply point_eqb_eq in D. rewrite tflat_in. split.
      + intros (u & Iu & J). apply tfilter_in in J as [J N]. apply idx_T in J. apply negb_true_iff in N. right. eauto.
      + intros [[N _]|(_ & N & u & Iu & J)]; [contradiction|]. exists u. split; auto. apply tfilter_in. rewrite idx_T, negb_true_iff. auto.
    - assert (N : p <> (l, g)) by (intros ->; now rewrite point_eqb_refl in D). rewrite idx_T. split; [auto|]. intros [[_ J]|[-> _]]; [exact J|contradiction].
  Qed.

  Lemma inside_leads u : In u U -> path T (l, g) u /\ snd u = g /\ direct R l (fst u).
  Proof.
    intros I. apply reach_sound in I.
    assert (H : forall p q, leads (stay idx) p q -> path T p q /\ (snd p = g /\ direct R l (fst p) -> snd q = g /\ direct R l (fst q))).
    { induction 1 as [p|p q r S' L [P D]]; [split; [constructor|auto]|].
      unfold stay in S'. apply tfilter_in in S' as [J G]. apply idx_T in J. split; [econstructor; eauto|].
      intros _. apply D. unfold gains_nothing in G. rewrite andb_true_iff, orb_true_iff, !Pos.eqb_eq in G.
      destruct G as [-> [->|K]]; split; auto; [now left|right; auto]. }
    destruct (H _ _ I) as [P D]. split; auto. apply D. cbn. split; auto. now left.
  Qed.

  Lemma inside_start : In (l, g) U.
  Proof. eapply closed_complete; [apply close1_closed|constructor]. Qed.

  Lemma inside_closed u q : In u U -> In (u, q) T -> gains_nothing q = true -> In q U.
  Proof.
    intros I M G. pose proof close1_closed as C. apply reach_sound in I.
    eapply closed_complete; [exact C|]. eapply leads_app; [exact I|]. econstructor; [|constructor].
    unfold stay. apply tfilter_in; split; auto. now apply idx_T.
  Qed.

  Lemma close1_paths p q : In (p, q) T' -> path T p q.
  Proof.
    intros J. apply close1_in in J as [[_ J]|(-> & _ & u & Iu & J)]; [now apply path_one|].
    destruct (inside_leads _ Iu) as [P _]. eapply path_app; [exact P|now apply path_one].
  Qed.

  (** An old path is followed by a new one that ends at least as well; if it
      begins inside, there is one from the point itself. *)
  Lemma close1_follow p e : path T p e ->
    (exists c, path T' p (c, snd e) /\ star R c (fst e)) /\
    (In p U -> exists c, path T' (l, g) (c, snd e) /\ star R c (fst e)).
  Proof.
    induction 1 as [p|p q e M P [IH1 IH2]].
    - split; [exists (fst p); split; [destruct p; constructor|constructor]|].
      intros I. destruct (inside_leads _ I) as (_ & G & D). exists l. rewrite G. split; [constructor|].
      destruct D as [->|D]; [constructor|now apply star_one].
    - assert (Second : In p U -> exists c, path T' (l, g) (c, snd e) /\ star R c (fst e)).
      { intros I. destruct (gains_nothing q) eqn:G; [apply IH2; eapply inside_closed; eauto|].
        destruct IH1 as (c & Pc & Sc). exists c; split; auto. econstructor; [|exact Pc]. apply close1_in. right; eauto. }
      split; auto. destruct (point_dec p (l, g)) as [->|N]; [apply Second, inside_start|].
      destruct IH1 as (c & Pc & Sc). exists c; split; auto. econstructor; [|exact Pc]. apply close1_in; auto.
  Qed.

  Lemma close1_weak : weak T (star R) ->
    (forall x y g1 y' g2, star R x y -> In ((y, g1), (y', g2)) T -> exists x', path T' (x, g1) (x', g2) /\ star R x' y') /\
    weak T' (star R).
  Proof.
    intros W.
    assert (H : forall p q x, path T p q -> star R x (fst p) -> exists x', path T' (x, snd p) (x', snd q) /\ star R x' (fst q)).
    { intros p q x P S'. destruct (weak_path _ _ W _ _ P x S') as (x1 & P1 & S1).
      destruct (close1_follow _ _ P1) as [(x2 & P2 & S2) _]. cbn in *. exists x2; split; auto. eapply star_trans; eauto. }
    split.
    - intros x y g1 y' g2 S' M. apply (H (y, g1) (y', g2)); auto. now apply path_one.
    - intros x y g1 y' g2 S' M. apply (H (y, g1) (y', g2)); auto. now apply close1_paths.
  Qed.
End Point.

Fixpoint close_all (known : pset) (fuel : nat) (T : list step) (idx : index_type point) (ps : list point) : option (list step) :=
  match ps with
  | [] => Some T
  | (l, g) :: ps => match close1 known fuel T idx l g with Some (T, idx) => close_all known fuel T idx ps | None => None end
  end.

Definition closure (f : form) (R : list (id * id)) (ps : list point) : option form :=
  if check_done f R && check_weak (fsteps f) R then
    match close_all (pset_of R) (fuel_of (fsteps f)) (fsteps f) (index (fsteps f)) ps with
    | Some T => Some (with_steps f T)
    | None => None
    end
  else None.

Theorem closure_sound f R ps f' : closure f R ps = Some f' -> same f f' /\ finer f' f.
Proof.
  unfold closure. destruct (_ && _) eqn:C; [|discriminate]. apply andb_true_iff in C as [Cd Cw].
  pose proof (check_done_sound _ _ Cd) as D. pose proof (check_weak_sound _ _ Cw) as W.
  generalize (fuel_of (fsteps f)); intros fuel.
  assert (H : forall ps T idx T', (forall p q, In q (found idx p) <-> In (p, q) T) -> weak T (star R) -> close_all (pset_of R) fuel T idx ps = Some T' ->
    same (steps_now f T) (steps_now f T') /\ finer (steps_now f T') (steps_now f T)).
  { clear W Cw. induction ps0 as [|[l g] ps0 IH]; cbn [close_all]; intros T idx T' IT W E.
    - injection E as <-. split; [apply same_refl|apply finer_refl].
    - destruct (close1 (pset_of R) fuel T idx l g) as [[T1 idx1]|] eqn:E1; [|discriminate].
      assert (KR : forall p, pmem (pset_of R) p = true -> In p R) by (intros; now apply pmem_of).
      destruct (close1_weak R _ KR fuel T idx IT l g T1 idx1 E1 W) as [Fo W1].
      destruct (IH _ _ _ (close1_index _ fuel T idx IT l g T1 idx1 E1) W1 E) as [Sa Fi].
      assert (F1 : finer (steps_now f T1) (steps_now f T)).
      { repeat split; auto. cbn. intros p q. exact (close1_paths R _ KR fuel T idx IT l g T1 idx1 E1 p q). }
      split; [|eapply finer_trans; eauto]. eapply same_trans; [|exact Sa]. split; [|now apply expansion].
      apply forward with (Rn := star R) (Rg := eq); auto.
      + intros y I. exists y; split; auto. constructor.
      + intros c y S' Dy. assert (c = y) as -> by (apply D; auto). auto.
      + intros c y k g1 y' g2 S' -> M. destruct (Fo _ _ _ _ _ S' M) as (x' & P & S2). exists x', g2; auto. }
  destruct (close_all _ _ _ _ _) as [T|] eqn:E; [|discriminate]. intros [= <-].
  destruct (H _ _ _ _ (fun p q => found_index (fsteps f) p q) W E) as [Sa Fi]. assert (steps_now f (fsteps f) = f) as Ef by now destruct f. rewrite Ef in *.
  split; [now apply with_steps_same|now apply with_steps_finer].
Qed.
