(** Coverability sets: ω-markings below which all reachable markings are. *)

From Coq Require Import List PArith NArith ZArith Bool Lia.
From Proved Require Import Sets Arithmetic.
From Proved.Nets Require Import Net Goal Marking Bounds.
Import ListNotations.
Open Scope N_scope.

(** Numbers for some places; all others have ω. *)
Definition omega := list arc.
Definition kept (m : omega) : markings := fold_left (fun k a => PM.add (fst a) (snd a) k) m (PM.empty N).

(** Tokens are at most these; what is not there has ω. *)
Definition under (m : markings) (M : marking) : Prop := within (bounded_by m) M.

(** Whether what is below one is below the other. *)
Definition is_below (lower : markings) (upper : omega) : bool :=
  forallb (fun a => match PM.find (fst a) lower with Some k => k <=? snd a | None => false end) upper.

Lemma kept_in m p k : PM.find p (kept m) = Some k -> In (p, k) m.
Proof.
  unfold kept. enough (H : forall l s, PM.find p (fold_left (fun k a => PM.add (fst a) (snd a) k) l s) = Some k -> PM.find p s = Some k \/ In (p, k) l).
  { intros F. destruct (H _ _ F) as [G|G]; auto. rewrite PM.gempty in G. discriminate. }
  clear m. induction l as [|[q j] l IH]; intros s F; cbn [fold_left fst snd] in F; auto. destruct (IH _ F) as [G|G]; [|right; right; auto].
  destruct (Pos.eq_dec p q) as [->|D]; [rewrite PM.gss in G; injection G as ->; right; left; auto|]. rewrite PM.gso in G by auto. auto.
Qed.

Lemma is_below_sound lower upper M : is_below lower upper = true -> under lower M -> under (kept upper) M.
Proof.
  unfold is_below. rewrite forallb_forall. intros B U p k F. apply kept_in in F. specialize (B _ F). cbn [fst snd] in B.
  destruct (PM.find p lower) as [j|] eqn:E; [|discriminate]. apply N.leb_le in B. specialize (U p j E). lia.
Qed.

(** Firing where a place without a number has enough. *)
Fixpoint take_omega (m : markings) (arcs : list arc) : option markings :=
  match arcs with
  | [] => Some m
  | (p, w) :: arcs =>
      match PM.find p m with
      | Some k => if w <=? k then take_omega (PM.add p (k - w) m) arcs else None
      | None => take_omega m arcs
      end
  end.
Definition give_omega (m : markings) (arcs : list arc) : markings :=
  fold_left (fun m a => match PM.find (fst a) m with Some k => PM.add (fst a) (k + snd a) m | None => m end) arcs m.
Definition fire_omega (m : markings) (t : transition) : option markings :=
  match take_omega m (inputs t) with Some m => Some (give_omega m (outputs t)) | None => None end.

Lemma take_omega_under arcs : forall m M, under m M -> (forall p, weight arcs p <= M p) ->
  exists m', take_omega m arcs = Some m' /\ under m' (fun p => M p - weight arcs p).
Proof.
  induction arcs as [|[q w] arcs IH]; intros m M U E; cbn [take_omega].
  - exists m. split; auto. intros p k F. specialize (U p k F). cbn [weight]. lia.
  - assert (Eq : forall p, weight ((q, w) :: arcs) p = (if Pos.eqb p q then w else 0) + weight arcs p) by reflexivity.
    assert (X : forall m1, under m1 (fun p => M p - (if Pos.eqb p q then w else 0)) ->
      exists m', take_omega m1 arcs = Some m' /\ under m' (fun p => M p - weight ((q, w) :: arcs) p)).
    { intros m1 U1. destruct (IH m1 _ U1) as (m' & T & U').
      - intros p. specialize (E p). rewrite Eq in E. destruct (Pos.eqb p q); lia.
      - exists m'. split; auto. intros p k F. specialize (U' p k F). rewrite Eq. cbn beta in U'. lia. }
    destruct (PM.find q m) as [k|] eqn:F.
    + specialize (U q k F) as Uq. specialize (E q) as Eqq. rewrite Eq, Pos.eqb_refl in Eqq. destruct (N.leb_spec w k) as [L|L]; [|lia]. apply X.
      intros p j G. unfold bounded_by in G. destruct (Pos.eq_dec p q) as [->|D].
      * rewrite PM.gss in G. injection G as <-. rewrite Pos.eqb_refl. lia.
      * rewrite PM.gso in G by auto. specialize (U p j G). lia.
    + apply X. intros p j G. specialize (U p j G). lia.
Qed.

Lemma give_omega_under arcs : forall m M, under m M -> under (give_omega m arcs) (fun p => M p + weight arcs p).
Proof.
  unfold give_omega. induction arcs as [|[q w] arcs IH]; intros m M U; cbn [fold_left fst snd].
  - intros p k F. specialize (U p k F). cbn [weight]. lia.
  - assert (Eq : forall p, weight ((q, w) :: arcs) p = (if Pos.eqb p q then w else 0) + weight arcs p) by reflexivity.
    intros p k F. rewrite Eq.
    enough (under (match PM.find q m with Some k => PM.add q (k + w) m | None => m end) (fun p => M p + (if Pos.eqb p q then w else 0))) as U1.
    { specialize (IH _ _ U1 p k F). cbn beta in IH. lia. }
    clear p k F IH. destruct (PM.find q m) as [j|] eqn:Fq; intros p k F; unfold bounded_by in F.
    + destruct (Pos.eq_dec p q) as [->|D]; [rewrite PM.gss in F; injection F as <-; rewrite Pos.eqb_refl; specialize (U q j Fq); lia|].
      rewrite PM.gso in F by auto. specialize (U p k F). rewrite (proj2 (Pos.eqb_neq p q) D). lia.
    + specialize (U p k F). destruct (Pos.eqb p q) eqn:E; [apply Pos.eqb_eq in E; subst; congruence|lia].
Qed.

Lemma fire_omega_under m t M M' : under m M -> fires t M M' -> exists m', fire_omega m t = Some m' /\ under m' M'.
Proof.
  intros U [En F]. unfold fire_omega. destruct (take_omega_under (inputs t) m M U En) as (m1 & -> & U1).
  exists (give_omega m1 (outputs t)). split; auto. pose proof (give_omega_under (outputs t) _ _ U1) as U2. intros p k G. rewrite F. exact (U2 p k G).
Qed.

Section Cover.
  Context (n : net).
  (** The number of a member that is above what is below an ω-marking; a hint. *)
  Context (above : list omega -> markings -> id).

  Definition covered (ms : list omega) : markings -> bool :=
    let numbers := numbered ms in
    let find := above ms in
    fun k => match PM.find (find k) numbers with Some m => is_below k m | None => false end.

  Definition check_members (ms : list omega) : bool :=
    let below := covered ms in
    below (first_marking n) &&                                                              (* net.cover.initial *)
    forallb (fun m =>
      let k := kept m in
      forallb (fun t => match fire_omega k t with Some k' => is_below k' m || below k' | None => true end) (transitions n)) ms.    (* net.cover.closed *)

  Lemma covered_sound ms k M : covered ms k = true -> under k M -> exists m, In m ms /\ under (kept m) M.
  Proof.
    unfold covered. destruct (PM.find (above ms k) (numbered ms)) as [m|] eqn:F; [|discriminate]. intros B U. exists m.
    split; [eapply numbered_in; eauto|]. eapply is_below_sound; eauto.
  Qed.

  Theorem check_members_sound ms : check_members ms = true -> forall M, reachable n M -> exists m, In m ms /\ under (kept m) M.
  Proof.
    unfold check_members. rewrite andb_true_iff, forallb_forall. intros [B C]. induction 1 as [M E|M t M' R (m & I & U) It F].
    - apply (covered_sound ms (first_marking n)); auto. intros p k G. rewrite E, <- first_at. unfold at_place. unfold bounded_by in G. rewrite G. lia.
    - specialize (C m I). rewrite forallb_forall in C. specialize (C t It). destruct (fire_omega_under _ t M M' U F) as (k & G & U'). rewrite G in C.
      apply orb_true_iff in C as [C|C]; [exists m; split; auto; eapply is_below_sound; eauto|]. exact (covered_sound ms k M' C U').
  Qed.

  (** net.cover.goal *)
  Definition check_cover (g : goal) (ms : list omega) : bool := forallb (fun m => excludes (bounded_by (kept m)) g) ms && check_members ms.

  Theorem check_cover_sound g ms : check_cover g ms = true -> ~ goal_reachable n g.
  Proof.
    unfold check_cover. rewrite andb_true_iff, forallb_forall. intros [X C] (M & R & G). destruct (check_members_sound ms C M R) as (m & I & U).
    rewrite (excludes_sound _ g M (X m I) U) in G. discriminate.
  Qed.

  (** net.cover.finite *)
  Definition check_cover_bound (ps : list id) (ms : list omega) : bool :=
    forallb (fun m => let k := kept m in forallb (fun p => match PM.find p k with Some _ => true | None => false end) ps) ms && check_members ms.

  Theorem check_cover_bound_sound ps ms : check_cover_bound ps ms = true -> bounded n ps.
  Proof.
    unfold check_cover_bound. rewrite andb_true_iff, forallb_forall. intros [X C]. apply bounded_each. intros p I.
    assert (B : exists most, forall m, In m ms -> exists k, PM.find p (kept m) = Some k /\ k <= most).
    { clear C. induction ms as [|m ms IH]; [exists 0; intros ? []|]. destruct IH as [most Hm]; [intros x J; apply X; right; auto|].
      specialize (X m (or_introl eq_refl)). rewrite forallb_forall in X. specialize (X p I). destruct (PM.find p (kept m)) as [k|] eqn:F; [|discriminate].
      exists (N.max k most). intros m' [<-|J]; [exists k; split; auto; lia|]. destruct (Hm m' J) as (j & Fj & L). exists j. split; auto. lia. }
    destruct B as [most Hm]. exists most. intros M R. destruct (check_members_sound ms C M R) as (m & J & U). destruct (Hm m J) as (k & F & L).
    specialize (U p k F). lia.
  Qed.
End Cover.
