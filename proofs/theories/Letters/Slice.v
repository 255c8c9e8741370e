(** Slices: the runs of a system that answer no letter of the outside. What is
    said of them because of what can be reached, or of pairs. *)

From Coq Require Import List PArith Bool.
From Proved Require Import Sets Model Simulation Reach Labels LinearSet Flow.
From Proved.Rules Require Pairs.
Import ListNotations.

(** * Slices *)

(** The nodes from which a done node can be reached that is not of the outside.
    The search begins at a point that stands for all of these. *)
Definition leading (f : form) (out : idset) : idset :=
  let dones := tfilter (fun n => negb (imem out n)) (nodes_of f Done) in
  let sources := index1 (tmap (fun s => (node_after s, node_before s)) (fsteps f)) in
  let next p := tmap (fun n => (n, 1%positive)) (if Pos.eqb (snd p) 2 then dones else found1 sources (fst p)) in
  iset (tmap fst (tfilter (fun p => Pos.eqb (snd p) 1) (reach next (fuel_of (tapp dones (tmap node_before (fsteps f)))) (1, 2)%positive))).

Definition check_leading (f : form) (out R : idset) : bool :=
  forallb (fun n => imem out n || imem R n) (nodes_of f Done) &&
  forallb (fun s => negb (imem R (node_after s)) || imem R (node_before s)) (fsteps f).

Definition slice (f : form) (outside : list id) : option form :=
  match outside with
  | [] => Some f
  | _ =>
      let out := iset outside in
      let R := leading f out in
      if check_leading f out R then Some (steps_now f (rev_append (tfilter (fun s => imem R (node_after s)) (fsteps f)) [])) else None
  end.

Lemma slice_run f outside f' ds : slice f outside = Some f' -> all f Done ds -> (forall x, In x ds -> ~ In x outside) ->
  first f' = first f /\ kinds f' = kinds f /\ forall c g, moves (fsteps f) c (g, ds) -> moves (fsteps f') c (g, ds).
Proof.
  destruct outside as [|o os]; cbn [slice]; [intros [= <-]; auto|]. set (out := iset (o :: os)). set (R := leading f out).
  destruct (check_leading f out R) eqn:C; [|discriminate]. intros [= <-] D N. split; [auto|split; [auto|]]. cbn [steps_now fsteps].
  unfold check_leading in C. rewrite andb_true_iff, !forallb_forall in C. destruct C as [C1 C2].
  assert (Dr : forall n, In n ds -> imem R n = true).
  { intros n I. unfold all in D. rewrite Forall_forall in D. specialize (D n I). apply nodes_of_in in D; [|discriminate].
    specialize (C1 n D). apply orb_true_iff in C1 as [O|]; auto. apply imem_iset in O. destruct (N n I O). }
  intros c g M. remember (g, ds) as e eqn:Ee.
  assert (H : moves (rev_append (tfilter (fun s => imem R (node_after s)) (fsteps f)) []) c e /\ forall n, In n (snd c) -> imem R n = true); [|apply H].
  induction M as [c|h us i n n' h' d E M Rs IH]; [subst; split; [constructor|auto]|]. destruct (IH Ee) as [M' A].
  assert (Rn : imem R n' = true) by (apply A; apply nth_error_In with i, upd_same; congruence). cbn [snd] in *. split.
  - apply moves_cons with (n := n) (n' := n') (i := i) (g' := h'); auto. rewrite rev_append_rev, app_nil_r, <- in_rev. apply tfilter_in. auto.
  - intros m I. destruct (in_upd us i n n' m E I) as [->|J]; auto. specialize (C2 _ M). unfold node_after, node_before in C2. cbn [fst snd] in C2.
    rewrite Rn in C2. exact C2.
Qed.

(** * What is not answered *)

(** Nodes and global states that are never left. Which they are is a hint. *)
Definition check_reach (f : form) (hint : list id * list id) (never : list id) : bool :=
  let ns := iset (fst hint) in
  let gs := iset (snd hint) in
  imem gs (first f) && forallb (imem ns) (nodes_of f Initial) &&
  forallb (fun s => negb (imem ns (node_before s) && imem gs (global_before s)) || (imem ns (node_after s) && imem gs (global_after s))) (fsteps f) &&
  forallb (fun x => negb (imem ns x)) never.                                                (* letters.reach *)

Lemma check_reach_sound f hint never ts g ds : check_reach f hint never = true -> all f Initial ts -> moves (fsteps f) (first f, ts) (g, ds) ->
  forall x, In x ds -> ~ In x never.
Proof.
  unfold check_reach. rewrite !andb_true_iff, !forallb_forall. intros [[[A B] C] D] I M x Ix Nx. specialize (D x Nx). apply negb_true_iff in D.
  enough (H : forall c d, moves (fsteps f) c d -> imem (iset (snd hint)) (fst c) = true -> (forall n, In n (snd c) -> imem (iset (fst hint)) n = true) ->
    forall n, In n (snd d) -> imem (iset (fst hint)) n = true).
  { rewrite (H _ _ M A) in D; auto; [discriminate|]. intros n J. apply B, nodes_of_in; [discriminate|]. unfold all in I. rewrite Forall_forall in I. auto. }
  clear -C. induction 1 as [c|h us i n n' h' d E M R IH]; cbn [fst snd] in *; auto. intros G N.
  specialize (C _ M). unfold node_after, node_before, global_after, global_before in C. cbn [fst snd] in C.
  rewrite G, (N n) in C by (eapply nth_error_In; eauto). cbn [andb negb orb] in C. apply andb_true_iff in C as [C1 C2].
  apply IH; auto. intros m J. apply upd_in in J as [->|J]; auto.
Qed.

Definition check_pairs (hint : form -> list Pairs.turn_hint) (f : form) (never : list id) : bool :=
  match Pairs.pairs f (hint f) with
  | Some (f', _) => let ns := iset never in forallb (fun s => negb (imem ns (node_after s))) (fsteps f')         (* letters.pairs *)
  | None => false
  end.

(** Each answer is landed on by a step that is made. *)
Lemma answer_made f ts g ds x : all f Initial ts -> all f Done ds -> moves (fsteps f) (first f, ts) (g, ds) -> In x ds ->
  exists s, Pairs.made f s /\ node_after s = x.
Proof.
  intros I D M Ix.
  assert (H : forall c e, moves (fsteps f) c e -> e = (g, ds) -> moves (fsteps f) (first f, ts) c -> In x (snd c) \/ exists s, Pairs.made f s /\ node_after s = x).
  { induction 1 as [c|h us i n n' h' d E St R IH]; intros Ee M0; [subst; auto|]. subst d. cbn [snd].
    assert (One : moves (fsteps f) (h, us) (h', upd us i n')) by (econstructor; eauto; constructor).
    destruct (IH eq_refl (moves_app _ _ _ _ M0 One)) as [J|]; auto. cbn [snd] in J. apply upd_in in J as [->|J]; auto.
    right. exists ((n, h), (n', h')). split; auto. exists ts, h, us, i, g, ds. cbn [fst snd]. repeat split; auto. }
  destruct (H _ _ M eq_refl (moves_nil _ _)) as [J|]; auto. cbn in J. unfold all in *. rewrite Forall_forall in *. apply I in J. apply D in Ix. congruence.
Qed.

Lemma check_pairs_sound hint f never ts g ds : check_pairs hint f never = true -> all f Initial ts -> all f Done ds ->
  moves (fsteps f) (first f, ts) (g, ds) -> forall x, In x ds -> ~ In x never.
Proof.
  unfold check_pairs. destruct (Pairs.pairs f (hint f)) as [[f' k]|] eqn:E; [|discriminate]. rewrite forallb_forall. intros C I D M x Ix Nx.
  destruct (answer_made f ts g ds x I D M Ix) as (s & Ms & <-). specialize (C s (pairs_made _ _ _ _ _ E Ms)).
  apply negb_true_iff, not_true_iff_false in C. apply C. now apply imem_iset.
Qed.
