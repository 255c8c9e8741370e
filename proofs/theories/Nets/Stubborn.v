(** Stubborn sets: markings that are enough to see every deadlock. *)

From Coq Require Import List PArith NArith ZArith Bool Lia.
From Proved Require Import Sets Arithmetic.
From Proved.Nets Require Import Net Goal Marking Bounds States.
Import ListNotations.
Open Scope N_scope.

Section Stubborn.
  Context (n : net).

  (** * A marking and its set *)

  Definition is_enabled (m : markings) (t : transition) : bool := match take m (inputs t) with Some _ => true | None => false end.

  Lemma is_enabled_spec m t M : (forall p, M p = at_place m p) -> is_enabled m t = true <-> enabled t M.
  Proof.
    intros E. unfold is_enabled. destruct (take m (inputs t)) as [k|] eqn:T.
    - split; auto. intros _ p. rewrite E. now apply (take_some _ _ _ T p).
    - split; [discriminate|]. intros En. destruct (take_none _ _ T) as [p L]. specialize (En p). rewrite E in En. lia.
  Qed.

  (** The transitions that are no members. *)
  Definition others (s : idset) : list transition := map snd (filter (fun x => negb (imem s (fst x))) (enumerated xH (transitions n))).

  (** None of these takes from an input of it. *)
  Definition no_conflict (others : list transition) (t : transition) : bool :=
    let ins := iset (map fst (inputs t)) in forallb (fun u => negb (touches ins (inputs u))) others.
  (** None of these increases a place on which there is too little. *)
  Definition waits (others : list transition) (m : markings) (t : transition) : bool :=
    existsb (fun a => (at_place m (fst a) <? weight (inputs t) (fst a)) && forallb (fun u => weight (outputs u) (fst a) <=? weight (inputs u) (fst a)) others) (inputs t).

  Definition members (ts : PM.t transition) (set : list id) : list (option transition) := map (fun k => PM.find k ts) set.

  Definition check_set (ts : PM.t transition) (s : idset) (row : list N * list id) : bool :=
    let m := marking_of (places n) (fst row) in
    let out := others (iset (snd row)) in
    existsb (fun u => match u with Some t => is_enabled m t | None => false end) (members ts (snd row)) &&        (* net.stubborn.enabled *)
    forallb (fun u => match u with
      | Some t =>
          match fire m t with
          | Some m' => no_conflict out t && in_list n s m'                                   (* net.stubborn.conflict *)
          | None => waits out m t                                                            (* net.stubborn.waiting *)
          end
      | None => false                                                                       (* net.stubborn.sets *)
      end) (members ts (snd row)).

  (** The goal is a deadlock; net.stubborn.goal *)
  Definition check_stubborn (rows : list (list N * list id)) : bool :=
    let s := listed n (map fst rows) in
    let ts := table xH (transitions n) in
    net_on_places n && in_list n s (first_marking n) && forallb (check_set ts s) rows.

  (** * Runs into a deadlock *)

  Inductive path : list transition -> marking -> marking -> Prop :=
  | Nothing M M' : (forall p, M' p = M p) -> path [] M M'
  | Next t w M M1 M' : In t (transitions n) -> fires t M M1 -> path w M1 M' -> path (t :: w) M M'.

  Lemma path_ext w M M' K : path w M M' -> (forall p, K p = M p) -> path w K M'.
  Proof.
    intros P E. destruct P as [M M' F|t w M M1 M' It [En F] P]; [apply Nothing; intros p; now rewrite F, E|]. apply (Next t w K M1); auto.
    split; intros p; rewrite ?E; auto.
  Qed.

  Definition dead (M : marking) : Prop := forall t, In t (transitions n) -> ~ enabled t M.

  Section One.
    Context (row : list N * list id) (s : idset) (checked : check_set (table xH (transitions n)) s row = true).
    Definition here : markings := marking_of (places n) (fst row).
    Definition stubborn : idset := iset (snd row).
    Definition is_member (t : transition) : Prop := exists k, imem stubborn k = true /\ PM.find k (table xH (transitions n)) = Some t.

    (** A transition is a member, or one of the others. *)
    Lemma member_or_other t : In t (transitions n) -> is_member t \/ In t (others stubborn).
    Proof.
      intros I. destruct (in_enumerated _ t xH I) as [k J]. destruct (imem stubborn k) eqn:E.
      - left. exists k. split; auto. now apply table_find.
      - right. unfold others. apply in_map_iff. exists (k, t). split; auto. apply filter_In. cbn [fst]. now rewrite E.
    Qed.

    Lemma member_fact t : is_member t -> match fire here t with Some m' => no_conflict (others stubborn) t && in_list n s m' | None => waits (others stubborn) here t end = true.
    Proof.
      intros (k & I & F). unfold check_set in checked. apply andb_true_iff in checked as [_ C]. rewrite forallb_forall in C.
      specialize (C (Some t)). apply C. unfold members. apply in_map_iff. exists k. split; auto. now apply imem_iset in I.
    Qed.

    Lemma some_enabled : exists t, is_member t /\ is_enabled here t = true.
    Proof.
      unfold check_set in checked. apply andb_true_iff in checked as [C _]. apply existsb_exists in C as ([t|] & I & E); [|discriminate].
      unfold members in I. apply in_map_iff in I as (k & F & I). exists t. split; auto. exists k. split; auto. now apply imem_iset.
    Qed.

    (** Others leave the inputs of an enabled member alone. *)
    Lemma no_conflict_weight t u p : no_conflict (others stubborn) t = true -> In u (others stubborn) -> 0 < weight (inputs t) p -> weight (inputs u) p = 0.
    Proof.
      unfold no_conflict. rewrite forallb_forall. intros C I L. specialize (C u I). apply negb_true_iff in C. apply (not_touches _ _ p C).
      apply imem_iset. now apply weight_in.
    Qed.

    Lemma stays_enabled t w : forall M M', no_conflict (others stubborn) t = true -> enabled t M -> path w M M' -> (forall u, In u w -> In u (others stubborn)) -> enabled t M'.
    Proof.
      induction w as [|u w IH]; intros M M' C En P O; inversion P as [? ? E|? ? ? M1 ? Iu [Eu F] P1]; subst.
      - intros p. rewrite E. apply En.
      - apply (IH M1 M'); auto; [|intros v I; apply O; right; auto]. intros p. rewrite F. destruct (N.eq_dec (weight (inputs t) p) 0) as [Z|Z]; [lia|].
        rewrite (no_conflict_weight t u p); auto; [specialize (En p); lia|apply O; left; auto|lia].
    Qed.

    (** A member that can fire is taken to the front. *)
    Lemma to_front t u : forall M M1 M', no_conflict (others stubborn) t = true -> (forall v, In v u -> In v (others stubborn)) -> In t (transitions n) ->
      enabled t M -> path u M M1 -> fires t M1 M' -> exists K, fires t M K /\ path u K M'.
    Proof.
      induction u as [|v u IH]; intros M M1 M' C O It En P F.
      - inversion P as [? ? E|]; subst. exists M'. split; [|apply Nothing; auto]. destruct F as [_ F]. split; auto. intros p. rewrite F. now rewrite E.
      - inversion P as [|? ? ? M2 ? Iv [Ev Fv] P1]; subst.
        assert (In v (others stubborn)) as Ov by (apply O; left; auto).
        assert (E2 : enabled t M2).
        { intros p. rewrite Fv. destruct (N.eq_dec (weight (inputs t) p) 0) as [Z|Z]; [lia|]. rewrite (no_conflict_weight t v p) by (auto; lia). specialize (En p). lia. }
        destruct (IH M2 M1 M' C (fun x I => O x (or_intror I)) It E2 P1 F) as (K2 & [_ F2] & Q).
        exists (fun p => M p - weight (inputs t) p + weight (outputs t) p). split; [split; auto|].
        apply (Next v u _ K2); auto. assert (Ev' : forall p, weight (inputs v) p <= M p - weight (inputs t) p).
        { intros p. specialize (Ev p). destruct (N.eq_dec (weight (inputs t) p) 0) as [Z|Z]; [lia|]. rewrite (no_conflict_weight t v p) by (auto; lia). lia. }
        split; intros p; [specialize (Ev' p); lia|]. rewrite F2, Fv. specialize (En p). specialize (E2 p). rewrite Fv in E2. specialize (Ev p). specialize (Ev' p). lia.
    Qed.

    (** The first member of a run to a deadlock is enabled at once. *)
    Lemma first_member w M M' : (forall p, M p = at_place here p) -> path w M M' -> dead M' ->
      exists t u v, w = u ++ t :: v /\ is_member t /\ forall x, In x u -> In x (others stubborn).
    Proof.
      intros E P D. destruct some_enabled as (t & Mt & En). apply (is_enabled_spec here t M E) in En.
      assert (X : (forall u, In u w -> In u (others stubborn)) \/ exists t u v, w = u ++ t :: v /\ is_member t /\ forall x, In x u -> In x (others stubborn)).
      { assert (Iw : forall u, In u w -> In u (transitions n)).
        { clear -P. induction P as [|u w M M1 M' I F P IH]; intros v J; [destruct J|]. destruct J as [<-|J]; auto. }
        clear P. induction w as [|u w IH]; [left; intros ? []|]. destruct (member_or_other u (Iw u (or_introl eq_refl))) as [Mu|Ou].
        - right. exists u, [], w. split; auto. split; auto. intros ? [].
        - destruct IH as [A|(t' & a & b & -> & Mt' & A)]; [intros v J; apply Iw; right; auto|left; intros v [<-|J]; auto|].
          right. exists t', (u :: a), b. split; auto. split; auto. intros v [<-|J]; auto. }
      destruct X as [A|X]; auto. exfalso. pose proof (member_fact t Mt) as C. destruct (fire here t) as [m'|] eqn:Fi; [|destruct (fire_none here t M Fi E En)].
      apply andb_true_iff in C as [C _]. destruct Mt as (k & _ & Ft). apply (D t); [eapply table_in; eauto|]. eapply stays_enabled; eauto.
    Qed.

    Lemma path_app u v : forall M M', path (u ++ v) M M' -> exists K, path u M K /\ path v K M'.
    Proof.
      induction u as [|t u IH]; intros M M' P; cbn [app] in P; [exists M; split; [apply Nothing; auto|auto]|].
      inversion P as [|? ? ? M1 ? It F P1]; subst. destruct (IH _ _ P1) as (K & A & B). exists K. split; auto. apply (Next t u M M1); auto.
    Qed.

    Lemma app_path u v M K M' : path u M K -> path v K M' -> path (u ++ v) M M'.
    Proof.
      induction 1 as [M K E|t u M M1 K It F P IH]; intros Q; cbn [app]; [eapply path_ext; eauto|]. apply (Next t (u ++ v) M M1); auto.
    Qed.

    (** Others do not put tokens on the place that it waits for. *)
    Lemma waits_on u p : forall M K, path u M K -> (forall x, In x u -> weight (outputs x) p <= weight (inputs x) p) -> K p <= M p.
    Proof.
      induction u as [|t u IH]; intros M K P W; inversion P as [? ? E|? ? ? M1 ? It [En F] P1]; subst; [rewrite E; lia|].
      specialize (IH _ _ P1 (fun x I => W x (or_intror I))). specialize (W t (or_introl eq_refl)). specialize (En p). rewrite F in IH. lia.
    Qed.

    (** From here a deadlock can be reached in fewer steps from one of the list. *)
    Lemma shorter w M M' : (forall p, M p = at_place here p) -> path w M M' -> dead M' -> exists t m' v,
      In t (transitions n) /\ fire here t = Some m' /\ in_list n s m' = true /\ path v (at_place m') M' /\ length w = S (length v).
    Proof.
      intros E P D. destruct (first_member w M M' E P D) as (t & u & v & -> & Mt & O). apply path_app in P as (K & Pu & Pv).
      inversion Pv as [|? ? ? K1 ? It F Pv1]; subst. pose proof (member_fact t Mt) as C. destruct (fire here t) as [m'|] eqn:Fi.
      - apply andb_true_iff in C as [C1 C2]. apply fire_some in Fi as Fh. exists t, m', (u ++ v). split; auto. split; auto. split; auto.
        assert (En : enabled t M) by (intros p; rewrite E; apply Fh). destruct (to_front t u M K K1 C1 O It En Pu F) as (L & [_ FL] & Q).
        split; [|rewrite !app_length; cbn; lia]. apply (app_path u v _ K1); auto. apply (path_ext u L); auto. intros p. destruct Fh as [_ Fh]. now rewrite Fh, FL, E.
      - exfalso. unfold waits in C. apply existsb_exists in C as (a & Ia & C). apply andb_true_iff in C as [C1 C2]. apply N.ltb_lt in C1. rewrite forallb_forall in C2.
        destruct F as [En _]. specialize (En (fst a)). assert (K (fst a) <= M (fst a)); [|rewrite E in *; lia].
        apply (waits_on u (fst a) M K Pu). intros x Ix. apply N.leb_le. apply C2. auto.
    Qed.
  End One.

  Lemma reachable_path w : forall M M', path w M M' -> reachable n M -> reachable n M'.
  Proof.
    induction w as [|t w IH]; intros M M' P R; inversion P as [? ? E|? ? ? M1 ? It F P1]; subst.
    - destruct R as [M B|M t M1 R I [En F]]; [apply Beginning; intros p; now rewrite E|]. apply (Firing n M t M'); auto. split; auto. intros p. now rewrite E.
    - apply (IH M1); auto. apply (Firing n M t M1); auto.
  Qed.

  Lemma path_reachable M : reachable n M -> exists w K, (forall p, K p = weight (marked n) p) /\ path w K M.
  Proof.
    induction 1 as [M B|M t M' R (w & K & E & P) It F]; [exists [], M; split; auto; apply Nothing; auto|].
    exists (w ++ [t]), K. split; auto. clear E R. induction P as [M K E|u w M M1 K Iu Fu P IH]; cbn [app].
    - apply (Next t [] M M'); [auto| |apply Nothing; auto]. destruct F as [En F]. split; intros p; [rewrite <- E; auto|now rewrite F, E].
    - apply (Next u (w ++ [t]) M M1); auto.
  Qed.

  Lemma leads_nowhere rows : forallb (check_set (table xH (transitions n)) (listed n (map fst rows))) rows = true ->
    forall k w M M', (length w <= k)%nat -> (exists row, In row rows /\ forall p, M p = at_place (here row) p) -> net_on_places n = true -> reachable n M -> path w M M' -> dead M' -> False.
  Proof.
    intros C. assert (H : forall row, In row rows -> check_set (table xH (transitions n)) (listed n (map fst rows)) row = true) by now apply forallb_forall.
    induction k as [|k IH]; intros w M M' L (row & I & E) W R P D; destruct (shorter row _ (H row I) w M M' E P D) as (t & m' & v & It & Fi & J & Q & Lw); [lia|].
    assert (R' : reachable n (at_place m')).
    { apply (Firing n M t); auto. apply fire_some in Fi as [En F]. split; intros p; [rewrite E; apply En|now rewrite E]. }
    apply (IH v (at_place m') M'); auto; [lia|]. unfold in_list in J. apply listed_in in J as (r & Ir & Er). apply in_map_iff in Ir as (row' & <- & Ir).
    exists row'. split; auto. intros p. unfold here. destruct (in_dec Pos.eq_dec p (places n)) as [Ip|Ip]; [symmetry; exact (written_inj _ _ _ Er p Ip)|].
    rewrite (marking_of_elsewhere n _ p Ip). now apply (elsewhere n).
  Qed.

  Theorem check_stubborn_sound rows : check_stubborn rows = true -> forall M, reachable n M -> ~ dead M.
  Proof.
    unfold check_stubborn. rewrite !andb_true_iff. intros [[W B] C] M R D. destruct (path_reachable M R) as (w & K & E & P).
    apply (leads_nowhere rows C (length w) w K M); auto; [|apply Beginning; auto].
    unfold in_list in B. apply listed_in in B as (r & Ir & Er). apply in_map_iff in Ir as (row & <- & Ir). exists row. split; auto. intros p. unfold here.
    rewrite E, <- first_at. destruct (in_dec Pos.eq_dec p (places n)) as [Ip|Ip]; [symmetry; exact (written_inj _ _ _ Er p Ip)|].
    rewrite (marking_of_elsewhere n _ p Ip). apply (elsewhere n _ p W); auto. apply Beginning. intros q. apply first_at.
  Qed.
End Stubborn.
