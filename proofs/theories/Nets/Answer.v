(** Certificates about nets, and what they claim. *)

From Coq Require Import List PArith NArith ZArith Bool Lia.
From Proved Require Import Sets Arithmetic Tree.
From Proved.Nets Require Import Net Goal Marking Run Pump Bounds States Cover Stubborn Inductive Separator Equation Basis Homes.
Import ListNotations.
Open Scope Z_scope.

(** * Evidence that a goal cannot be reached, or that places are bounded *)

Inductive evidence :=
| ByWeights (ys : list weighted)
| ByDead (ps : list id)
| ByStates (rows : list (list N))
| ByStubborn (rows : list (list N * list id))
| ByCover (ms : list omega)
| ByBasis (ms : list needs) (sums : list weighted) (nevers : list never)
| ByEquation (traps : list (list id)) (sums : list weighted) (unfed : list (list id)) (tree : list node)
| ByInductive (cs : list clause) (steps : list (point * list node)) (tree : list node)
| BySeparator (cs : list clause) (steps : list (point * list node)) (tree : list node).

Definition deadlock (n : net) : goal := GAll (map cannot_fire (transitions n)).

Lemma deadlock_met n M : goal_met M (deadlock n) = true <-> forall t, In t (transitions n) -> ~ enabled t M.
Proof. exact (goal_of_met n M Deadlock). Qed.

(** Of several members of a list one is told, and then compared. *)
Record net_hints := NetHints { above_hint : list omega -> markings -> id; below_hint : list needs -> markings -> id }.

Definition check_evidence (hint : net_hints) (n : net) (g : goal) (e : evidence) : bool :=
  match e with
  | ByWeights ys => check_weights n g ys
  | ByDead ps => check_dead n g ps
  | ByStates rows => check_states n g rows
  | ByStubborn rows => same_goal g (deadlock n) && check_stubborn n rows                    (* net.stubborn.goal *)
  | ByCover ms => check_cover n (above_hint hint) g ms
  | ByBasis ms sums nevers => check_basis n (below_hint hint) g ms sums nevers
  | ByEquation traps sums unfed tree => check_equation n g traps sums unfed tree
  | ByInductive cs steps tree => check_inductive n g cs steps tree
  | BySeparator cs steps tree => check_separator n g cs steps tree
  end.

Theorem check_evidence_sound hint n g e : check_evidence hint n g e = true -> ~ goal_reachable n g.
Proof.
  destruct e; cbn [check_evidence].
  - apply check_weights_sound.
  - apply check_dead_sound.
  - apply check_states_sound.
  - rewrite andb_true_iff. intros [D H] (M & R & G). apply same_goal_eq in D. subst. exact (check_stubborn_sound n _ H M R (proj1 (deadlock_met n M) G)).
  - apply check_cover_sound.
  - apply check_basis_sound.
  - apply check_equation_sound.
  - apply check_inductive_sound.
  - apply check_separator_sound.
Qed.

Definition check_bounded (hint : net_hints) (n : net) (ps : list id) (e : evidence) : bool :=
  match e with
  | ByWeights ys => check_weights_bound n ps ys
  | ByStates rows => check_states_bound n rows
  | ByCover ms => check_cover_bound n (above_hint hint) ps ms
  | _ => false                                                                              (* net.claim *)
  end.

Theorem check_bounded_sound hint n ps e : check_bounded hint n ps e = true -> bounded n ps.
Proof.
  destruct e; cbn [check_bounded]; try discriminate.
  - apply check_weights_bound_sound.
  - intros H. eapply check_states_bound_sound; eauto.
  - apply check_cover_bound_sound.
Qed.

(** * Goals of a property *)

(** Another number of tokens than in the beginning. *)
Definition changed (n : net) (p : id) : goal :=
  let k := weight (marked n) p in GAny (enough (p, k + 1)%N :: (if (k =? 0)%N then [] else [fewer (p, k)])).
Definition at_least (e : linear) (least : Z) : goal := GAtLeast (Linear (terms e) (constant e - least)).

Definition exactly (n : net) (M : list arc) : goal := GAll (map (fun p => GZero (one_place 1 p (- Z.of_N (weight M p)))) (places n)).

Definition goals (n : net) (q : property) : list goal :=
  match q with
  | DeadlockFree => [deadlock n]
  | Safe most => [GAny (map (fun p => enough (p, most + 1)%N) (places n))]
  | QuasiLive => map can_fire (transitions n)
  | NoDeadPlaces => map (fun p => enough (p, 1%N)) (places n)
  | StableMarking => map (changed n) (places n)
  | Invariant f => [opposite (goal_of n f)]
  | Reachable f => [goal_of n f]
  | Reaches M => [exactly n M]
  | Largest e most => [at_least e most; at_least e (most + 1)]
  | Bounded _ | NoLargest _ | Live | Reversible => []
  end.

(** What must be home spaces. *)
Definition home_goals (n : net) (q : property) : list goal :=
  match q with Live => map can_fire (transitions n) | Reversible => [exactly n (marked n)] | _ => [] end.

Lemma at_least_met M e least : goal_met M (at_least e least) = true <-> least <= sum_at M e.
Proof. unfold at_least. cbn [goal_met]. rewrite Z.leb_le. unfold sum_at, value. cbn [terms constant]. lia. Qed.

Lemma enough_met M p k : goal_met M (enough (p, k)) = true <-> (k <= M p)%N.
Proof. cbn [goal_met enough fst snd]. rewrite sum_one, Z.leb_le. lia. Qed.

Lemma fewer_met M p k : goal_met M (fewer (p, k)) = true <-> (M p < k)%N.
Proof. cbn [goal_met fewer fst snd]. rewrite sum_one, Z.leb_le. lia. Qed.

Lemma exactly_met n G M : goal_met M (exactly n G) = true <-> forall p, In p (places n) -> M p = weight G p.
Proof.
  unfold exactly. cbn [goal_met]. rewrite forallb_forall. split.
  - intros A p I. specialize (A _ (in_map (fun p => GZero (one_place 1 p (- Z.of_N (weight G p)))) _ p I)). cbn [goal_met] in A.
    rewrite sum_one in A. apply Z.eqb_eq in A. lia.
  - intros A x I. apply in_map_iff in I as (p & <- & I). cbn [goal_met]. rewrite sum_one. apply Z.eqb_eq. rewrite A by auto. lia.
Qed.

Lemma no_deadlock n M : goal_met M (deadlock n) = false -> exists t, In t (transitions n) /\ enabled t M.
Proof.
  unfold deadlock. cbn [goal_met]. induction (transitions n) as [|t ts IH]; cbn [map forallb]; [discriminate|]. rewrite cannot_fire_met.
  destruct (goal_met M (can_fire t)) eqn:E; cbn [negb andb].
  - intros _. exists t. apply can_fire_met in E. cbn; auto.
  - intros H. destruct (IH H) as (u & I & F). exists u. cbn; auto.
Qed.

Lemma changed_met n M p : goal_met M (changed n p) = true <-> M p <> weight (marked n) p.
Proof.
  unfold changed. cbn [goal_met existsb]. rewrite orb_true_iff, enough_met. destruct (N.eqb_spec (weight (marked n) p) 0) as [E|E]; cbn [existsb].
  - intuition (try lia; discriminate).
  - rewrite orb_false_r, fewer_met. lia.
Qed.

(** * Certificates *)

(** Evidence is about goals by number, from 1. *)
Record net_certificate := NetCertificate {
  asked : property;
  claimed : bool;
  unreachable : list (id * evidence);
  words : list (list item);
  pumps : list (list pump_step);
  homes : list (list home);
  losses : list (id * (list item * evidence))
}.

Section Certificate.
  Context (hint : net_hints) (n : net).

  Fixpoint walks (ts : PM.t transition) (gs : PM.t goal) (words : list (list item)) (reached : idset) : option idset :=
    match words with
    | [] => Some reached
    | word :: words =>
        match walk ts gs (first_marking n) word reached with Some reached => walks ts gs words reached | None => None end
    end.

  Fixpoint excluded (gs : PM.t goal) (es : list (id * evidence)) (out : idset) : option idset :=
    match es with
    | [] => Some out
    | (k, e) :: es =>
        match PM.find k gs with                                                              (* net.goal *)
        | Some g => if check_evidence hint n g e then excluded gs es (iadd out k) else None
        | None => None
        end
    end.

  Lemma walks_sound gs ws : forall reached reached', walks (table xH (transitions n)) gs ws reached = Some reached' ->
    forall k, imem reached' k = true -> imem reached k = true \/ exists g, PM.find k gs = Some g /\ goal_reachable n g.
  Proof.
    induction ws as [|w ws IH]; intros r r' H k I; cbn [walks] in H; [injection H as <-; auto|].
    destruct (walk (table xH (transitions n)) gs (first_marking n) w r) as [r1|] eqn:E; [|discriminate].
    destruct (IH _ _ H k I) as [J|J]; auto. apply (walk_sound n _ gs (fun j t F => table_in _ _ _ _ F) w _ _ _ E); auto.
    apply Beginning. intros p. apply first_at.
  Qed.

  Lemma excluded_sound gs es : forall out out', excluded gs es out = Some out' ->
    forall k, imem out' k = true -> imem out k = true \/ exists g, PM.find k gs = Some g /\ ~ goal_reachable n g.
  Proof.
    induction es as [|[j e] es IH]; intros o o' H k I; cbn [excluded] in H; [injection H as <-; auto|].
    destruct (PM.find j gs) as [g|] eqn:F; [|discriminate]. destruct (check_evidence hint n g e) eqn:C; [|discriminate].
    destruct (IH _ _ H k I) as [J|J]; auto. apply imem_iadd in J as [->|J]; auto. right. exists g. split; auto. eapply check_evidence_sound; eauto.
  Qed.

  Definition all_in (s : idset) (gs : list goal) : bool := forallb (fun x => imem s (fst x)) (enumerated xH gs).
  Definition some_in (s : idset) (gs : list goal) : bool := existsb (fun x => imem s (fst x)) (enumerated xH gs).

  (** What is shown of goals decides the property; net.complete *)
  Definition decided (q : property) (holds : bool) (gs : list goal) (reached out : idset) : bool :=
    match q, holds with
    | (DeadlockFree | Safe _ | Invariant _), true => all_in out gs
    | (DeadlockFree | Safe _ | Invariant _), false => some_in reached gs
    | (QuasiLive | NoDeadPlaces | Reachable _ | Reaches _), true => all_in reached gs
    | (QuasiLive | NoDeadPlaces | Reachable _ | Reaches _), false => some_in out gs
    | StableMarking, true => some_in out gs
    | StableMarking, false => all_in reached gs
    | Largest _ _, true => imem reached 1%positive && imem out 2%positive
    | Largest _ _, false => imem out 1%positive || imem reached 2%positive
    | (Bounded _ | NoLargest _ | Live | Reversible), _ => false
    end.

  (** A word, and evidence that from where it ends the goal cannot be reached. *)
  Definition check_loss (gs : PM.t goal) (x : id * (list item * evidence)) : bool :=
    match PM.find (fst x) gs, after n (fst (snd x)) with
    | Some g, Some n' => check_evidence hint n' g (snd (snd x))
    | _, _ => false
    end.

  Lemma check_loss_sound gs x : check_loss (table xH gs) x = true -> exists g, In g gs /\ ~ home_space n g.
  Proof.
    unfold check_loss. destruct (PM.find (fst x) (table xH gs)) as [g|] eqn:F; [|discriminate]. destruct (after n (fst (snd x))) as [n'|] eqn:A; [|discriminate].
    intros H. exists g. split; [eapply table_in; eauto|]. eapply after_sound; eauto. eapply check_evidence_sound; eauto.
  Qed.

  Definition check_net (c : net_certificate) : bool :=
    match asked c with
    | Bounded ps =>
        if claimed c then existsb (fun e => check_bounded hint n ps (snd e)) (unreachable c)
        else existsb (check_pump n ps) (pumps c)
    | NoLargest e =>
        if claimed c then forallb (fun t => 1 <=? snd t) (terms e) && existsb (check_pump n (map fst (terms e))) (pumps c)
        else existsb (fun x => check_bounded hint n (map fst (terms e)) (snd x)) (unreachable c)
    | (Live | Reversible) as q =>
        let gs := home_goals n q in
        if claimed c then existsb (check_homes n gs) (homes c) else existsb (check_loss (table xH gs)) (losses c)
    | q =>
        let gs := goals n q in
        let numbers := table xH gs in
        match walks (table xH (transitions n)) numbers (words c) (PM.empty unit), excluded numbers (unreachable c) (PM.empty unit) with
        | Some reached, Some out => decided q (claimed c) gs reached out
        | _, _ => false
        end
    end.

  Definition net_claim (c : net_certificate) : Prop := if claimed c then holds_of n (asked c) else ~ holds_of n (asked c).

  (** A sum of places that are bounded is bounded. *)
  Lemma sum_bounded e : bounded n (map fst (terms e)) -> exists most, forall M, reachable n M -> sum_at M e <= most.
  Proof.
    intros [most B]. exists (fold_right (fun t s => Z.abs (snd t) * Z.of_N most + s) 0 (terms e) + constant e). intros M R. unfold sum_at, value.
    assert (H : forall p, In p (map fst (terms e)) -> (M p <= most)%N) by (intros p I; eapply B; eauto). clear B.
    induction (terms e) as [|t ts IH]; cbn [fold_right]; rewrite ?tsum_cons; [reflexivity|]. specialize (IH (fun p I => H p (or_intror I))).
    specialize (H (fst t) (or_introl eq_refl)). unfold tokens_of at 1. destruct (Z.le_gt_cases 0 (snd t)); nia.
  Qed.

  Theorem check_net_sound c : check_net c = true -> net_claim c.
  Proof.
    unfold check_net, net_claim. destruct c as [q holds es ws us hs ls]; cbn [asked claimed unreachable words pumps homes losses].
    set (gs := goals n q).
    assert (D : match walks (table xH (transitions n)) (table xH gs) ws (PM.empty unit), excluded (table xH gs) es (PM.empty unit) with
        | Some reached, Some out => decided q holds gs reached out | _, _ => false end = true ->
      exists reached out, decided q holds gs reached out = true /\
        (forall k g, imem reached k = true -> In (k, g) (enumerated xH gs) -> goal_reachable n g) /\
        (forall k g, imem out k = true -> In (k, g) (enumerated xH gs) -> ~ goal_reachable n g)).
    { destruct (walks _ _ ws _) as [reached|] eqn:W; [|discriminate]. destruct (excluded _ es _) as [out|] eqn:X; [|discriminate].
      intros D. exists reached, out. split; auto. split; intros k g I J; apply table_find in J.
      - destruct (walks_sound _ _ _ _ W k I) as [E|(g' & F & G)]; [unfold imem in E; rewrite PM.gempty in E; discriminate|congruence].
      - destruct (excluded_sound _ _ _ _ X k I) as [E|(g' & F & G)]; [unfold imem in E; rewrite PM.gempty in E; discriminate|congruence]. }
    assert (all : forall s (P : goal -> Prop), (forall k g, imem s k = true -> In (k, g) (enumerated xH gs) -> P g) ->
      all_in s gs = true -> forall g, In g gs -> P g).
    { intros s P H A g I. destruct (in_enumerated gs g 1%positive I) as [k J]. unfold all_in in A. rewrite forallb_forall in A. exact (H k g (A _ J) J). }
    assert (some : forall s (P : goal -> Prop), (forall k g, imem s k = true -> In (k, g) (enumerated xH gs) -> P g) ->
      some_in s gs = true -> exists g, In g gs /\ P g).
    { intros s P H A. unfold some_in in A. apply existsb_exists in A as ([k g] & J & I). exists g. split; [eapply enumerated_in; eauto|exact (H k g I J)]. }
    destruct q as [|most| | | | | |f|f|G|ps|e most|e].
    - intros H. destruct (D H) as (reached & out & C & Hr & Ho). destruct holds; cbn [decided holds_of] in *.
      + specialize (all out _ Ho C (deadlock n) (or_introl eq_refl)). intros M R. apply no_deadlock. apply not_true_iff_false. intros E. apply all. exists M. auto.
      + destruct (some reached _ Hr C) as (g & [<-|[]] & M & R & E). intros A. destruct (A M R) as (t & I & En). rewrite deadlock_met in E. exact (E t I En).
    - intros H. destruct (D H) as (reached & out & C & Hr & Ho). destruct holds; cbn [decided holds_of] in *.
      + specialize (all out _ Ho C _ (or_introl eq_refl)). intros M p R I. apply N.nlt_ge. intros L. apply all. exists M. split; auto.
        cbn [goal_met]. apply existsb_exists. exists (enough (p, most + 1)%N). split; [now apply (in_map (fun p => enough (p, most + 1)%N))|]. apply enough_met. lia.
      + destruct (some reached _ Hr C) as (g & [<-|[]] & M & R & E). intros A. cbn [goal_met] in E. apply existsb_exists in E as (x & J & E).
        apply in_map_iff in J as (p & <- & I). apply enough_met in E. specialize (A M p R I). lia.
    - intros H. destruct (D H) as (reached & out & C & Hr & Ho). destruct holds; cbn [decided holds_of] in *.
      + intros t I. destruct (all reached _ Hr C (can_fire t) (in_map can_fire _ t I)) as (M & R & E). exists M. split; auto. now apply can_fire_met.
      + destruct (some out _ Ho C) as (g & J & X). apply in_map_iff in J as (t & <- & I). intros A. destruct (A t I) as (M & R & E). apply X. exists M.
        split; auto. now apply can_fire_met.
    - destruct holds; intros H; apply existsb_exists in H as (x & _ & H).
      + intros M t R I. destruct (check_homes_sound n _ x H (can_fire t) (in_map can_fire _ t I) M R) as (M' & L & E). exists M'. split; auto. now apply can_fire_met.
      + apply check_loss_sound in H as (g & I & X). cbn [home_goals] in I. apply in_map_iff in I as (t & <- & I). intros A. apply X. intros M R.
        destruct (A M t R I) as (M' & L & E). exists M'. split; auto. now apply can_fire_met.
    - destruct holds; intros H; apply existsb_exists in H as (x & _ & H).
      + intros M R. destruct (check_homes_sound n _ x H (exactly n (marked n)) (or_introl eq_refl) M R) as (M' & L & E). exists M'. split; auto. now apply exactly_met.
      + apply check_loss_sound in H as (g & [<-|[]] & X). intros A. apply X. intros M R. destruct (A M R) as (M' & L & E). exists M'. split; auto. now apply exactly_met.
    - intros H. destruct (D H) as (reached & out & C & Hr & Ho). destruct holds; cbn [decided holds_of] in *.
      + intros p I. destruct (all reached _ Hr C (enough (p, 1%N)) (in_map (fun p => enough (p, 1%N)) _ p I)) as (M & R & E). exists M. split; auto. now apply enough_met.
      + destruct (some out _ Ho C) as (g & J & X). apply in_map_iff in J as (p & <- & I). intros A. destruct (A p I) as (M & R & E). apply X. exists M.
        split; auto. now apply enough_met.
    - intros H. destruct (D H) as (reached & out & C & Hr & Ho). destruct holds; cbn [decided holds_of] in *.
      + destruct (some out _ Ho C) as (g & J & X). apply in_map_iff in J as (p & <- & I). exists p. split; auto. intros M R.
        destruct (N.eq_dec (M p) (weight (marked n) p)) as [|Ne]; auto. destruct X. exists M. split; auto. now apply changed_met.
      + intros (p & I & A). destruct (all reached _ Hr C (changed n p) (in_map (changed n) _ p I)) as (M & R & E). apply changed_met in E. auto.
    - intros H. destruct (D H) as (reached & out & C & Hr & Ho). destruct holds; cbn [decided holds_of] in *.
      + specialize (all out _ Ho C _ (or_introl eq_refl)). intros M R. rewrite <- goal_of_met. apply not_false_iff_true. intros E. apply all. exists M. split; auto.
        now rewrite opposite_met, E.
      + destruct (some reached _ Hr C) as (g & [<-|[]] & M & R & E). intros A. specialize (A M R). rewrite <- goal_of_met in A. rewrite opposite_met, A in E. discriminate.
    - intros H. destruct (D H) as (reached & out & C & Hr & Ho). destruct holds; cbn [decided holds_of] in *.
      + destruct (all reached _ Hr C _ (or_introl eq_refl)) as (M & R & E). exists M. split; auto. now apply goal_of_met in E.
      + destruct (some out _ Ho C) as (g & [<-|[]] & X). intros (M & R & S). apply X. exists M. split; auto. now apply goal_of_met.
    - intros H. destruct (D H) as (reached & out & C & Hr & Ho). destruct holds; cbn [decided holds_of] in *.
      + destruct (all reached _ Hr C _ (or_introl eq_refl)) as (M & R & E). exists M. split; auto. now apply exactly_met.
      + destruct (some out _ Ho C) as (g & [<-|[]] & X). intros (M & R & S). apply X. exists M. split; auto. now apply exactly_met.
    - destruct holds; intros H; apply existsb_exists in H as (x & _ & H); [exact (check_bounded_sound _ _ _ _ H)|].
      apply check_pump_sound in H as (p & I & H). intros [most B]. destruct (H (Z.of_N most + 1)) as (M & R & L). specialize (B M p R I). lia.
    - intros H. destruct (D H) as (reached & out & C & Hr & Ho).
      assert (I1 : In (1%positive, at_least e most) (enumerated xH gs)) by (cbn; auto).
      assert (I2 : In (2%positive, at_least e (most + 1)) (enumerated xH gs)) by (cbn; auto).
      destruct holds; cbn [decided holds_of] in *.
      + apply andb_true_iff in C as [C1 C2]. specialize (Hr _ _ C1 I1). specialize (Ho _ _ C2 I2).
        assert (L : forall M, reachable n M -> sum_at M e <= most).
        { intros M R. apply Z.nlt_ge. intros L. apply Ho. exists M. split; auto. apply at_least_met. lia. }
        split; auto. destruct Hr as (M & R & E). apply at_least_met in E. exists M. split; auto. specialize (L M R). lia.
      + intros [(M & R & E) L]. apply orb_true_iff in C as [C|C].
        * apply (Ho _ _ C I1). exists M. split; auto. apply at_least_met. lia.
        * destruct (Hr _ _ C I2) as (M' & R' & E'). apply at_least_met in E'. specialize (L M' R'). lia.
    - destruct holds; intros H.
      + apply andb_true_iff in H as [F H]. rewrite forallb_forall in F. apply existsb_exists in H as (x & _ & H). apply check_pump_sound in H as (p & I & H).
        intros least. destruct (H (least - constant e)) as (M & R & L). exists M. split; auto. unfold sum_at, value. enough (Z.of_N (M p) <= tsum (tokens_of M) (terms e)) by lia.
        clear -F I. induction (terms e) as [|t ts IH]; [destruct I|]. rewrite tsum_cons. unfold tokens_of at 1.
        assert (P : 0 <= tsum (tokens_of M) ts).
        { clear -F. induction ts as [|u ts IH]; [reflexivity|]. rewrite tsum_cons. unfold tokens_of at 1. assert (1 <= snd u) by (apply Z.leb_le, F; right; left; auto).
          assert (0 <= tsum (tokens_of M) ts) by (apply IH; intros x [<-|J]; apply F; [left|right; right]; auto). nia. }
        assert (1 <= snd t) by (apply Z.leb_le, F; left; auto). destruct I as [<-|I]; [nia|]. specialize (IH (fun x J => F x (or_intror J)) I). nia.
      + apply existsb_exists in H as (x & _ & H). apply check_bounded_sound, sum_bounded in H as [most B].
        intros A. destruct (A (most + 1)) as (M & R & L). specialize (B M R). lia.
  Qed.
End Certificate.
