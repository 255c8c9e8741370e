(** Runs with what happens in them, and how they are settled: landings in a set
    of points are followed at once by the next step of the same request. *)

From Coq Require Import List PArith Bool Lia.
From Proved Require Import Sets Model.
From Proved.Rules Require Import Pairs.
Import ListNotations.

Definition trace := list (nat * step).

Inductive trun (T : list step) : state -> trace -> state -> Prop :=
| trun_nil c : trun T c [] c
| trun_cons g ts i n n' g' R d : nth_error ts i = Some n -> In ((n, g), (n', g')) T ->
    trun T (g', upd ts i n') R d -> trun T (g, ts) ((i, ((n, g), (n', g'))) :: R) d.

Lemma trun_moves T c R d : trun T c R d -> moves T c d.
Proof. induction 1; econstructor; eauto. Qed.

Lemma moves_trun T c d : moves T c d -> exists R, trun T c R d.
Proof. induction 1 as [|? ? ? ? ? ? ? ? ? ? [R IH]]; eexists; econstructor; eauto. Qed.

Lemma trun_app T c R d Q e : trun T c R d -> trun T d Q e -> trun T c (R ++ Q) e.
Proof. induction 1; cbn; auto. intros; econstructor; eauto. Qed.

(** A path as a list of points, without the first. *)
Inductive lpath (T : list step) : point -> list point -> point -> Prop :=
| lpath_nil p : lpath T p [] p
| lpath_cons p q Q r : In (p, q) T -> lpath T q Q r -> lpath T p (q :: Q) r.

Fixpoint steps_of (i : nat) (p : point) (Q : list point) : trace :=
  match Q with [] => [] | q :: Q => (i, (p, q)) :: steps_of i q Q end.

Lemma lpath_trun T p Q q ts i : lpath T p Q q -> nth_error ts i = Some (fst p) ->
  trun T (snd p, ts) (steps_of i p Q) (snd q, upd ts i (fst q)).
Proof.
  intros H; revert ts. induction H as [p|[n g] [n' g'] Q r M P IH]; intros ts E; cbn [fst snd steps_of] in *.
  - rewrite upd_id by auto. constructor.
  - constructor; auto. rewrite <- (upd_upd ts i n' (fst r)). apply IH, upd_same. congruence.
Qed.

Definition head (R : trace) (next : option nat) : option nat := match R with (j, _) :: _ => Some j | [] => next end.

Section Settled.
  Context (S' : point -> bool).

  (** Who steps after the end of the trace is [next]. *)
  Fixpoint settled (R : trace) (next : option nat) : Prop :=
    match R with
    | [] => True
    | (i, s) :: R => (S' (snd s) = true -> head R next = Some i) /\ settled R next
    end.

  (** Who stepped before the trace is [prev]; departures from the set come
      directly after a step of the same request. *)
  Fixpoint lsettled (prev : option nat) (R : trace) : Prop :=
    match R with
    | [] => True
    | (i, s) :: R => (S' (fst s) = true -> prev = Some i) /\ lsettled (Some i) R
    end.

  Definition reversed (R : trace) : trace := rev (map (fun x => (fst x, (snd (snd x), fst (snd x)))) R).

  Lemma settled_snoc R i s next : settled (R ++ [(i, s)]) next <-> settled R (Some i) /\ (S' (snd s) = true -> next = Some i).
  Proof.
    induction R as [|[j t] R IH]; cbn; [intuition|]. rewrite IH. destruct R as [|[k u] R]; cbn; intuition.
  Qed.

  Lemma settled_reversed R prev : settled (reversed R) prev <-> lsettled prev R.
  Proof.
    unfold reversed. revert prev; induction R as [|[i [p q]] R IH]; intros prev; cbn; [tauto|].
    rewrite settled_snoc, IH. cbn. tauto.
  Qed.

  Lemma settled_inner i p Q R : (forall q, In q Q -> S' q = false) -> settled R None -> settled (steps_of i p Q ++ R) None.
  Proof.
    revert p; induction Q as [|q Q IH]; cbn; intros p H HR; auto. split; [|apply IH; auto]. intros E. rewrite H in E; auto. discriminate.
  Qed.

  (** The steps of one request, of which only the last landing matters. *)
  Lemma settled_own T i p Q q R : lpath T p Q q -> settled R None -> (Q = [] \/ S' q = false \/ head R None = Some i) ->
    settled (steps_of i p Q ++ R) None.
  Proof.
    intros P HR. induction P as [p|p r Q q M P IH]; cbn [steps_of app settled]; intros HQ; auto.
    destruct P as [r|r r' Q q M' P].
    - cbn. split; auto. intros E. destruct HQ as [|[|]]; [discriminate|congruence|auto].
    - split; [cbn; auto|]. apply IH. destruct HQ as [|[|]]; [discriminate|auto|auto].
  Qed.
End Settled.

Lemma trun_reversed T T' c R d : (forall p q, In (p, q) T -> In (q, p) T') -> trun T c R d -> trun T' d (reversed R) c.
Proof.
  intros H. induction 1 as [c|g ts i n n' g' R d E M X IH]; [constructor|].
  unfold reversed in *. cbn. eapply trun_app; [exact IH|]. rewrite <- (upd_id ts i n E) at 2. rewrite <- (upd_upd ts i n' n).
  constructor; [apply upd_same; congruence|auto|constructor].
Qed.

Lemma reversed_involutive R : reversed (reversed R) = R.
Proof.
  unfold reversed. rewrite map_rev, rev_involutive, map_map. rewrite <- (map_id R) at 2. apply map_ext. now intros [i [p q]].
Qed.

(** * Settling *)

(** How a step that lands in the set changes places with one of another request. *)
Definition exchanges (T : list step) (S' : point -> bool) (l g l1 m m1 g2 : id) : Prop :=
  exists h P Q pl,
    lpath T (m, g) P (m1, h) /\ lpath T (l, h) Q pl /\ In (pl, (l1, g2)) T /\ (forall q, In q Q -> S' q = false) /\
    (P = [] \/ S' (m1, h) = false \/
      (S' (m1, g2) = true /\ S' (l1, g2) = true /\ Q = [] /\ forall h', ~ In ((m1, g2), (m1, h')) T)).

Section Settle.
  Context (T : list step) (S' : point -> bool) (meet : id -> id -> id -> bool) (s e : state).
  Context (meets : forall c i j a b, moves T s c -> moves T c e -> i <> j ->
    nth_error (snd c) i = Some a -> nth_error (snd c) j = Some b -> meet a b (fst c) = true).
  Context (ends : forall i n, nth_error (snd e) i = Some n -> S' (n, fst e) = false).
  Context (exchange : forall l g l1 g1 m m1 g2, In ((l, g), (l1, g1)) T -> S' (l1, g1) = true -> In ((m, g1), (m1, g2)) T ->
    meet l m g = true -> meet l1 m g1 = true -> meet l1 m1 g2 = true -> exchanges T S' l g l1 m m1 g2).

  (** A landing in the set goes in front of a settled run. If that begins with
      a step of another request that changes its node, so does the result. *)
  Lemma push R : forall g ts i l l1 g1, moves T s (g, ts) -> nth_error ts i = Some l -> In ((l, g), (l1, g1)) T -> S' (l1, g1) = true ->
    trun T (g1, upd ts i l1) R e -> settled S' R None ->
    exists R', trun T (g, ts) R' e /\ settled S' R' None /\
      (forall j m h m1 h1 R1, R = (j, ((m, h), (m1, h1))) :: R1 -> j <> i -> m <> m1 -> head R' None = Some j).
  Proof.
    induction R as [|[j [[m h0] [m1 g2]]] R1 IH]; intros g ts i l l1 g1 Rs E M L X Z.
    - inversion X; subst. specialize (ends i l1). cbn in ends. rewrite upd_same in ends by congruence.
      rewrite ends in L; auto. discriminate.
    - destruct (PeanoNat.Nat.eq_dec j i) as [->|N].
      { exists ((i, ((l, g), (l1, g1))) :: (i, ((m, h0), (m1, g2))) :: R1). split; [constructor; auto|]. split; [split; auto|].
        intros j0 ? ? ? ? ? [= -> -> -> -> -> ->] Nj. congruence. }
      assert (h0 = g1) as -> by (inversion X; auto).
      inversion X as [|? ? ? ? ? ? ? ? Em Mm X1]; subst. rewrite upd_other in Em by auto.
      assert (C1 : moves T (g, ts) (g1, upd ts i l1)) by exact (moves_cons _ _ _ _ _ _ _ _ E M (moves_nil _ _)).
      assert (C2 : moves T (g1, upd ts i l1) (g2, upd (upd ts i l1) j m1)).
      { refine (moves_cons _ _ _ _ _ _ _ _ _ Mm (moves_nil _ _)). rewrite upd_other; auto. }
      pose proof (trun_moves _ _ _ _ X1) as C3.
      assert (A1 : meet l m g = true) by (apply (meets (g, ts) i j); auto; eapply moves_app; [exact C1|eapply moves_app; eauto]).
      assert (A2 : meet l1 m g1 = true).
      { apply (meets (g1, upd ts i l1) i j); auto; cbn; [eapply moves_app; eauto|eapply moves_app; eauto|apply upd_same; congruence|rewrite upd_other; auto]. }
      assert (A3 : meet l1 m1 g2 = true).
      { apply (meets (g2, upd (upd ts i l1) j m1) i j); auto; cbn.
        - eapply moves_app; [exact Rs|]. eapply moves_app; eauto.
        - rewrite upd_other by auto. apply upd_same. congruence.
        - apply upd_same. rewrite upd_other by auto. congruence. }
      destruct (exchange _ _ _ _ _ _ _ M L Mm A1 A2 A3) as (h & P & Q & [lx gx] & HP & HQ & Ml & Inn & Last).
      (* The other request first. *)
      pose proof (lpath_trun _ _ _ _ ts j HP Em) as XP. cbn [fst snd] in XP.
      assert (El : nth_error (upd ts j m1) i = Some l) by (rewrite upd_other; auto).
      pose proof (lpath_trun _ _ _ _ (upd ts j m1) i HQ El) as XQ. cbn [fst snd] in XQ.
      set (us := upd (upd ts j m1) i lx) in *.
      assert (Eu : nth_error us i = Some lx) by (apply upd_same; congruence).
      assert (Same : upd us i l1 = upd (upd ts i l1) j m1) by (unfold us; rewrite upd_upd; apply upd_comm; auto).
      assert (Ru : moves T s (gx, us)).
      { eapply moves_app; [exact Rs|]. eapply moves_app; [exact (trun_moves _ _ _ _ XP)|exact (trun_moves _ _ _ _ XQ)]. }
      rewrite <- Same in X1. destruct Z as [Zj Z1].
      assert (Tail : exists R', trun T (gx, us) R' e /\ settled S' R' None /\
        (S' (l1, g2) = true -> forall j m h m1 h1 R2, R1 = (j, ((m, h), (m1, h1))) :: R2 -> j <> i -> m <> m1 -> head R' None = Some j)).
      { destruct (S' (l1, g2)) eqn:Sl.
        - destruct (IH gx us i lx l1 g2 Ru Eu Ml Sl X1 Z1) as (R' & ? & ? & ?). exists R'; eauto.
        - exists ((i, ((lx, gx), (l1, g2))) :: R1). split; [constructor; auto|]. split; [split; auto; cbn; congruence|discriminate]. }
      destruct Tail as (R' & XR & ZR & HR).
      exists (steps_of j (m, g) P ++ (steps_of i (l, h) Q ++ R')). split.
      { eapply trun_app; [exact XP|]. eapply trun_app; [exact XQ|exact XR]. }
      split.
      + assert (ZQ : settled S' (steps_of i (l, h) Q ++ R') None) by (apply settled_inner; auto).
        apply settled_own with (T := T) (q := (m1, h)); auto.
        destruct Last as [->|[Lh|(S2 & Sl & -> & NoLoop)]]; auto. right; right. cbn [steps_of app].
        cbn [snd] in Zj. specialize (Zj S2). destruct R1 as [|[j' [[m' h'] [m2 h2]]] R2]; [discriminate|]. cbn in Zj. injection Zj as ->.
        assert (h' = g2) as -> by (inversion X1; auto).
        inversion X1 as [|? ? ? ? ? ? ? ? Em' Mm' X2]; subst.
        rewrite Same in Em'. rewrite upd_same in Em' by (rewrite upd_other; [congruence|auto]). injection Em' as <-.
        apply (HR Sl j m1 g2 m2 h2 R2 eq_refl N). intros ->. exact (NoLoop _ Mm').
      + intros j0 m0 h0' m1' h1' R2 [= <- <- <- <- <- <-] _ Nm. destruct P as [|q P]; [inversion HP; subst; congruence|]. reflexivity.
  Qed.

  Lemma settle R : forall c, trun T c R e -> moves T s c -> exists R', trun T c R' e /\ settled S' R' None.
  Proof.
    induction R as [|[i [[n g] [n' g']]] R IH]; intros c X Rs; [exists []; split; [exact X|exact I]|].
    inversion X as [|? ts ? ? ? ? ? ? E M X1]; subst.
    assert (C1 : moves T (g, ts) (g', upd ts i n')) by exact (moves_cons _ _ _ _ _ _ _ _ E M (moves_nil _ _)).
    destruct (IH _ X1) as (R' & X' & Z); [eapply moves_app; eauto|].
    destruct (S' (n', g')) eqn:L.
    - destruct (push R' g ts i n n' g' Rs E M L X' Z) as (R2 & ? & ? & _). eauto.
    - exists ((i, ((n, g), (n', g'))) :: R'). split; [constructor; auto|]. split; auto. cbn; congruence.
  Qed.
End Settle.
