(** Backward coverability: an upward-closed set that no transition enters
    contains the goal. *)

From Coq Require Import List PArith NArith ZArith Bool Lia.
From Proved Require Import Sets Arithmetic Tree.
From Proved.Nets Require Import Net Goal Marking Bounds Equation.
Import ListNotations.
Open Scope Z_scope.

(** So many tokens at least, on each of some places. *)
Definition needs := list arc.
Definition as_large (x : needs) (M : marking) : Prop := forall a, In a x -> (snd a <= M (fst a))%N.

(** * Least markings of a goal *)

(** The ways in which a sum of places with positive factors is so large; [None] where there are too many. *)
Fixpoint shares (ts : list (id * Z)) (missing : Z) : option (list needs) :=
  if missing <=? 0 then Some [[]]
  else match ts with
    | [] => Some []
    | (p, m) :: ts =>
        let enough := (missing + m - 1) / m in
        let whole := [(p, Z.to_N enough)] in
        match ts with
        | [] => Some [whole]
        | _ =>
            if 16384 <? enough then None
            else
              fold_right (fun k rest => match shares ts (missing - Z.of_nat k * m), rest with
                | Some some, Some rest => Some (map (fun x => (p, N.of_nat k) :: x) some ++ rest)
                | _, _ => None
                end) (Some [whole]) (seq 0 (Z.to_nat enough))
        end
    end.

Definition risen_terms (e : linear) : list (id * Z) := filter (fun t => 0 <? snd t) (terms e).

Definition few {A} (l : list A) : option (list A) := if (N.of_nat (length l) <=? 16384)%N then Some l else None.

(** One of each. *)
Fixpoint choices (xs : list (list needs)) : option (list needs) :=
  match xs with
  | [] => Some [[]]
  | x :: xs => match choices xs with Some ys => few (flat_map (fun a => map (fun b => a ++ b) ys) x) | None => None end
  end.

Fixpoint everything {A B} (f : A -> option B) (l : list A) : option (list B) :=
  match l with
  | [] => Some []
  | x :: l => match f x, everything f l with Some y, Some r => Some (y :: r) | _, _ => None end
  end.

Fixpoint least (g : goal) : option (list needs) :=
  let all := fix all gs := match gs with [] => Some [] | g :: gs => match least g, all gs with Some x, Some r => Some (x :: r) | _, _ => None end end in
  match g with
  | GAtLeast e | GZero e => shares (risen_terms e) (- constant e)
  | GAll gs => match all gs with Some xs => choices xs | None => None end
  | GAny gs => match all gs with Some xs => Some (concat xs) | None => None end
  end.
Fixpoint least_all (gs : list goal) : option (list (list needs)) :=
  match gs with [] => Some [] | g :: gs => match least g, least_all gs with Some x, Some r => Some (x :: r) | _, _ => None end end.

Lemma shares_spec M ts : (forall t, In t ts -> 0 < snd t) -> forall missing xs, shares ts missing = Some xs -> missing <= tsum (tokens_of M) ts ->
  exists x, In x xs /\ as_large x M.
Proof.
  induction ts as [|[p m] ts IH]; intros P missing xs H L; cbn [shares] in H; (destruct (Z.leb_spec missing 0) as [Z|Z]; [injection H as <-; exists []; split; [left; auto|intros ? []]|]).
  - cbn in L. lia.
  - specialize (P (p, m) (or_introl eq_refl)) as Pm. cbn [snd] in Pm. set (enough := (missing + m - 1) / m) in *.
    assert (E1 : m * enough <= missing + m - 1) by (unfold enough; apply Z.mul_div_le; lia).
    assert (E2 : missing + m - 1 < m * enough + m) by (pose proof (Z.mul_succ_div_gt (missing + m - 1) m Pm); unfold enough; lia).
    assert (W : enough <= Z.of_N (M p) -> as_large [(p, Z.to_N enough)] M) by (intros G a [<-|[]]; cbn [fst snd]; lia).
    rewrite tsum_cons in L. cbn [fst snd] in L. unfold tokens_of at 1 in L.
    destruct ts as [|t ts].
    + injection H as <-. exists [(p, Z.to_N enough)]. split; [left; auto|]. apply W. cbn in L. nia.
    + destruct (16384 <? enough); [discriminate|]. set (k := Z.min (Z.of_N (M p)) enough).
      destruct (Z.eq_dec k enough) as [D|D].
      * exists [(p, Z.to_N enough)]. split; [|apply W; lia]. clear -H. revert xs H. induction (seq 0 (Z.to_nat enough)) as [|j l IHl]; intros xs H; cbn [fold_right] in H; [injection H as <-; left; auto|].
        destruct (shares (t :: ts) (missing - Z.of_nat j * m)) as [some|]; [|discriminate]. destruct (fold_right _ _ l) as [rest|]; [|discriminate]. injection H as <-. apply in_or_app. right. now apply IHl.
      * assert (K : In (N.to_nat (M p)) (seq 0 (Z.to_nat enough))) by (apply in_seq; lia).
        assert (X : exists x, In x xs /\ exists y some, x = (p, M p) :: y /\ shares (t :: ts) (missing - Z.of_N (M p) * m) = Some some /\ In y some /\ as_large y M).
        { clear W E1 E2 D. revert xs H K. induction (seq 0 (Z.to_nat enough)) as [|j l IHl]; intros xs H K; [destruct K|]. cbn [fold_right] in H.
          destruct (shares (t :: ts) (missing - Z.of_nat j * m)) as [some|] eqn:S; [|discriminate]. destruct (fold_right _ _ l) as [rest|]; [|discriminate]. injection H as <-.
          destruct K as [->|K].
          - rewrite N_nat_Z in S. destruct (IH (fun t I => P t (or_intror I)) _ _ S) as (y & Iy & Ly); [lia|]. rewrite N2Nat.id.
            exists ((p, M p) :: y). split; [apply in_or_app; left; now apply (in_map (fun x => (p, M p) :: x))|]. exists y, some. auto.
          - destruct (IHl rest eq_refl K) as (x & Ix & Q). exists x. split; auto. apply in_or_app. auto. }
        destruct X as (x & Ix & y & some & -> & _ & _ & Ly). exists ((p, M p) :: y). split; auto. intros a [<-|I]; [cbn; lia|auto].
Qed.

Lemma risen_sum M e : sum_at M e <= tsum (tokens_of M) (risen_terms e) + constant e.
Proof.
  unfold sum_at, value, risen_terms. enough (tsum (tokens_of M) (terms e) <= tsum (tokens_of M) (filter (fun t => 0 <? snd t) (terms e))) by lia.
  induction (terms e) as [|t ts IH]; [reflexivity|]. cbn [filter]. rewrite tsum_cons. assert (0 <= tokens_of M (fst t)) by (unfold tokens_of; lia).
  destruct (0 <? snd t) eqn:L; [rewrite tsum_cons; lia|]. apply Z.ltb_ge in L. nia.
Qed.

Lemma choices_spec M xs : Forall (fun x => exists a, In a x /\ as_large a M) xs -> forall ys, choices xs = Some ys -> exists y, In y ys /\ as_large y M.
Proof.
  induction 1 as [|x xs (a & Ia & La) _ IH]; intros ys H; cbn [choices] in H.
  - injection H as <-. exists []. split; [left; auto|intros ? []].
  - destruct (choices xs) as [zs|]; [|discriminate]. destruct (IH zs eq_refl) as (b & Ib & Lb). unfold few in H. destruct (_ <=? _)%N; [|discriminate]. injection H as <-.
    exists (a ++ b). split; [apply in_flat_map; exists a; split; auto; now apply (in_map (fun b => a ++ b))|]. intros c I. apply in_app_or in I as [I|I]; auto.
Qed.

Theorem least_spec M g : goal_met M g = true -> forall xs, least g = Some xs -> exists x, In x xs /\ as_large x M.
Proof.
  induction g as [e|e|gs IH|gs IH] using goal_induction; intros G xs H.
  1,2: cbn [least goal_met] in *; apply (shares_spec M) in H; auto; [intros t I; apply filter_In in I as [_ I]; now apply Z.ltb_lt|pose proof (risen_sum M e)].
  - apply Z.leb_le in G. lia.
  - apply Z.eqb_eq in G. lia.
  - change (least (GAll gs)) with (match least_all gs with Some xs => choices xs | None => None end) in H. destruct (least_all gs) as [ys|] eqn:E; [|discriminate].
    apply (choices_spec M ys); auto. clear H. cbn [goal_met] in G. revert ys E. induction IH as [|g gs Hg _ IHl]; intros ys E; cbn [least_all forallb] in *; [injection E as <-; constructor|].
    apply andb_true_iff in G as [G1 G2]. destruct (least g) as [x|]; [|discriminate]. destruct (least_all gs) as [r|]; [|discriminate]. injection E as <-. constructor; auto.
  - change (least (GAny gs)) with (match least_all gs with Some xs => Some (concat xs) | None => None end) in H. destruct (least_all gs) as [ys|] eqn:E; [|discriminate]. injection H as <-.
    cbn [goal_met] in G. revert ys E. induction IH as [|g gs Hg _ IHl]; intros ys E; cbn [least_all existsb] in *; [discriminate|].
    destruct (least g) as [x|]; [|discriminate]. destruct (least_all gs) as [r|]; [|discriminate]. injection E as <-. cbn [concat]. apply orb_true_iff in G as [G|G].
    + destruct (Hg G x eq_refl) as (a & Ia & La). exists a. split; auto. apply in_or_app. auto.
    + destruct (IHl G r eq_refl) as (a & Ia & La). exists a. split; auto. apply in_or_app. auto.
Qed.

(** * The set *)

(** A marking that is needed, and why nothing is as large. *)
Record never := Never { too_large : needs; why_traps : list (list id); why_sums : list weighted; why_unfed : list (list id); why_tree : list node }.

Section Basis.
  Context (n : net).
  (** The number of a member that a marking is as large as; a hint. *)
  Context (below : list needs -> markings -> id).

  Definition need_at (x : needs) : markings := fold_left (fun m a => PM.add (fst a) (N.max (at_place m (fst a)) (snd a)) m) x (PM.empty N).
  Definition is_above (m : markings) (x : needs) : bool := forallb (fun a => snd a <=? at_place m (fst a))%N x.

  Lemma need_at_spec x M : as_large x M -> forall p, (at_place (need_at x) p <= M p)%N.
  Proof.
    unfold need_at. intros L. enough (H : forall m, (forall p, (at_place m p <= M p)%N) -> forall p, (at_place (fold_left (fun m a => PM.add (fst a) (N.max (at_place m (fst a)) (snd a)) m) x m) p <= M p)%N).
    { apply H. intros p. unfold at_place. rewrite PM.gempty. lia. }
    induction x as [|a x IH]; intros m Hm p; cbn [fold_left]; auto. apply IH; [intros b I; apply L; right; auto|]. intros q. specialize (L a (or_introl eq_refl)).
    destruct (Pos.eq_dec q (fst a)) as [->|D]; [unfold at_place at 1; rewrite PM.gss; apply N.max_lub; [apply Hm|exact L]|rewrite at_other; auto].
  Qed.

  Lemma is_above_spec m x M : is_above m x = true -> (forall p, (at_place m p <= M p)%N) -> as_large x M.
  Proof. unfold is_above. rewrite forallb_forall. intros H L a I. specialize (H a I). apply N.leb_le in H. specialize (L (fst a)). lia. Qed.

  (** What a transition must find so that it leads to as much. *)
  Definition before (b : needs) (t : transition) : needs :=
    map (fun a => (fst a, (snd a - weight (outputs t) (fst a) + weight (inputs t) (fst a))%N)) b ++ map (fun a => (fst a, weight (inputs t) (fst a))) (inputs t).

  Lemma before_spec b t M M' : fires t M M' -> as_large b M' -> as_large (before b t) M.
  Proof.
    intros [En F] L a I. apply in_app_or in I as [I|I]; apply in_map_iff in I as (c & <- & I); cbn [fst snd]; [|apply En].
    specialize (L c I). rewrite F in L. specialize (En (fst c)). lia.
  Qed.

  Definition out_of_sums (sums : list (linear * Z)) (m : markings) : bool := existsb (fun y => snd y <? sum_at (at_place m) (fst y)) sums.

  Definition permitted (find : markings -> id) (numbers : PM.t needs) (nevers : list never) (sums : list (linear * Z)) (m : markings) : bool :=
    match PM.find (find m) numbers with Some b => is_above m b | None => false end ||
    existsb (fun x => is_above m (too_large x)) nevers || out_of_sums sums m.

  Definition check_basis (g : goal) (ms : list needs) (ys : list weighted) (nevers : list never) : bool :=
    let numbers := numbered ms in
    let find := below ms in
    let sums := map (fun y => (Linear (weighted_sum y) 0, moved (factors (weighted_sum y)) (marked n))) ys in
    let allowed := permitted find numbers nevers sums in
    forallb (fun y => falls n (weighted_sum y)) ys &&
    forallb (fun x => check_equation n (GAll (map enough (too_large x))) (why_traps x) (why_sums x) (why_unfed x) (why_tree x)) nevers &&
    forallb (fun b => negb (is_above (first_marking n) b)) ms &&                            (* net.basis.initial *)
    match least g with Some xs => forallb (fun x => allowed (need_at x)) xs | None => false end &&      (* net.basis.goal *)
    forallb (fun b => forallb (fun t => let m := need_at (before b t) in is_above m b || allowed m) (transitions n)) ms.      (* net.basis.closed *)

  Theorem check_basis_sound g ms ys nevers : check_basis g ms ys nevers = true -> ~ goal_reachable n g.
  Proof.
    unfold check_basis. set (sums := map _ ys). set (allowed := permitted _ _ _ sums). rewrite !andb_true_iff, !forallb_forall. intros [[[[Y X] B] G] C] (M & R & Gm).
    assert (A : forall M x, reachable n M -> as_large x M -> allowed (need_at x) = true -> exists b, In b ms /\ as_large b M).
    { clear M R Gm. intros M x R L H. pose proof (need_at_spec x M L) as U. unfold allowed, permitted in H. rewrite !orb_true_iff in H. destruct H as [[H|H]|H].
      - destruct (PM.find _ (numbered ms)) as [b|] eqn:F; [|discriminate]. exists b. split; [eapply numbered_in; eauto|]. eapply is_above_spec; eauto.
      - exfalso. apply existsb_exists in H as (z & I & H). apply (check_equation_sound n _ _ _ _ _ (X z I)). exists M. split; auto. cbn [goal_met].
        apply forallb_forall. intros h J. apply in_map_iff in J as (a & <- & J). cbn [goal_met enough]. rewrite sum_one. apply Z.leb_le.
        pose proof (is_above_spec _ _ M H U a J). lia.
      - exfalso. unfold out_of_sums in H. apply existsb_exists in H as (z & I & H). unfold sums in I. apply in_map_iff in I as (y & <- & I). cbn [fst snd] in H. apply Z.ltb_lt in H.
        pose proof (falls_sound n (Linear (weighted_sum y) 0) M (Y y I) R) as F. cbn [terms constant] in F.
        enough (sum_at (at_place (need_at x)) (Linear (weighted_sum y) 0) <= sum_at M (Linear (weighted_sum y) 0)) by lia.
        unfold sum_at, value. cbn [terms constant]. clear -U. induction y as [|a y IH]; [reflexivity|]. cbn [weighted_sum map]. fold (weighted_sum y). rewrite !tsum_cons. cbn [fst snd].
        specialize (U (fst a)). unfold tokens_of at 1 3. nia. }
    assert (Into : forall M, reachable n M -> (exists b, In b ms /\ as_large b M) -> False).
    { clear M R Gm G. intros M R. induction R as [M E|M t M' R IH It F]; intros (b & I & L).
      - specialize (B b I). apply negb_true_iff, not_true_iff_false in B. apply B. unfold is_above. apply forallb_forall. intros a J. apply N.leb_le. rewrite first_at, <- E. auto.
      - apply IH. specialize (C b I). rewrite forallb_forall in C. specialize (C t It). pose proof (before_spec b t M M' F L) as L'. apply orb_true_iff in C as [C|C].
        + exists b. split; auto. eapply is_above_spec; eauto. apply need_at_spec. exact L'.
        + exact (A M _ R L' C). }
    destruct (least g) as [xs|] eqn:E; [|discriminate]. rewrite forallb_forall in G. destruct (least_spec M g Gm xs E) as (x & I & L).
    apply (Into M R). exact (A M x R L (G x I)).
  Qed.
End Basis.
