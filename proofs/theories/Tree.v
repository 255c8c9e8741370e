(** Proof trees: evidence that a problem of linear integer arithmetic has no
    solution.

    A tree splits a problem into cases until each case is
    contradictory for a reason that is checked by adding up. Its nodes are
    listed in preorder, as in certificates, and are taken one at a time; what
    remains to be refuted is kept beside them, so that nothing recurses by the
    depth of a tree.

    The numbers are those of certificates plus 1. Nothing is sorted that need not
    be, and no number is too large. Where a condition has a name in the manual,
    it stands beside its check. *)

From Coq Require Import List ZArith PArith Bool Permutation Lia.
From Proved Require Import Sets.
From Proved Require Export Arithmetic.
Import ListNotations.
Open Scope Z_scope.

(** * Trees *)

Inductive reference :=
| Known (fact : id)           (** a fact on the way to the node *)
| NotNegative (x : id).       (** that a variable of the problem is at least 0 *)

Definition combination := list (reference * Z).

Inductive node :=
| Clause (clause : id)
| Bound (e : linear) (at_most : Z)
| Residue (e : linear) (divisor : Z)
| Farkas (sum : combination)
| Lattice (modulus : Z) (sum tight : combination).

(** An expression that is 0, or at least 0. *)
Record fact := Fact { is_equality : bool; expression : linear }.

(** What is known on the way to a node: facts by number, the number of the next
    fact, and of the next fresh variable. *)
Record known := Facts { facts : PM.t fact; count : id; fresh : id }.

Definition learn (k : known) (f : fact) : known := Facts (PM.add (count k) f (facts k)) (Pos.succ (count k)) (fresh k).

(** [e = d·q + r], where [q] is the fresh variable. *)
Definition residue (k : known) (e : linear) (d r : Z) : known :=
  let k' := learn k (Fact true (Linear ((fresh k, - d) :: terms e) (constant e - r))) in
  Facts (facts k') (count k') (Pos.succ (fresh k)).

(** What remains to be refuted: what is known at a node, or the same with each
    residue from one number on. *)
Inductive goal :=
| One (k : known)
| Residues (k : known) (e : linear) (d r : Z).

Definition residues (k : known) (e : linear) (d r : Z) : list goal := if d <=? r then [] else [Residues k e d r].

Section Check.
  Context (p : problem).
  (** The clauses by number. *)
  Context (clauses_at : PM.t (list literal)).

  Definition look (k : known) (r : reference) : option fact :=
    match r with
    | Known n => PM.find n (facts k)                                                       (* tree.fact *)
    | NotNegative x => if Pos.ltb x (bound p) then Some (Fact false (Linear [(x, 1)] 0)) else None
    end.

  Fixpoint add_up (k : known) (c : combination) (acc : list (id * Z)) (s : Z) : option linear :=
    match c with
    | [] => Some (Linear acc s)
    | (r, m) :: c =>
        match look k r with
        | Some f => add_up k c (scale m (terms (expression f)) acc) (s + m * constant (expression f))
        | None => None
        end
    end.

  Definition sum_of (k : known) (c : combination) : option linear :=
    match add_up k c [] 0 with Some e => Some (Linear (collect (terms e)) (constant e)) | None => None end.

  Definition equality (k : known) (r : reference) : bool :=
    match look k r with Some f => is_equality f | None => false end.

  (** The sum of a combination that is falling. *)
  Definition falling (k : known) (c : combination) : option linear :=
    if forallb (fun e => (0 <=? snd e) || equality k (fst e)) c then                        (* tree.sign *)
      match sum_of k c with
      | Some e =>
          if forallb (fun t => if Pos.ltb (fst t) (bound p)
            then snd t <=? 0                                                                (* tree.falling *)
            else snd t =? 0) (terms e)                                                      (* tree.fresh *)
          then Some e else None
      | None => None
      end
    else None.

  (** What is 0 since it has a positive multiplier in a tight sum. *)
  Definition tight_facts (c : combination) : idset :=
    fold_left (fun s e => match e with (Known n, m) => if 0 <? m then iadd s n else s | _ => s end) c (PM.empty _).
  Definition tight_variables (c : combination) (e : linear) : idset :=
    fold_left (fun s t => if snd t <? 0 then iadd s (fst t) else s) (terms e)
      (fold_left (fun s e => match e with (NotNegative x, m) => if 0 <? m then iadd s x else s | _ => s end) c (PM.empty _)).

  Definition lattice (k : known) (m : Z) (c tight : combination) : bool :=
    match falling k tight with
    | Some b =>
        let fs := tight_facts tight in
        let xs := tight_variables tight b in
        (constant b <=? 0) &&                                                               (* tree.tight *)
        forallb (fun e => equality k (fst e) ||
          match fst e with Known n => imem fs n | NotNegative x => imem xs x end) c &&      (* tree.equality *)
        match sum_of k c with
        | Some e => forallb (fun t => divides m (snd t)) (terms e) &&                       (* tree.modulus *)
            negb (divides m (constant e))                                                   (* tree.remainder *)
        | None => false
        end
    | None => false
    end.

  (** The cases of a literal, of which there is at most one list. *)
  Definition case (k : known) (l : literal) : list goal :=
    match l with
    | AtLeastZero e => [One (learn k (Fact false e))]
    | NotDivisible e d => residues k e d 1
    end.

  (** The cases of a node, the last one first; [None] if the node is refused. *)
  Definition cases (k : known) (n : node) : option (list goal) :=
    match n with
    | Clause c => match PM.find c clauses_at with Some ls => Some (tflat (case k) ls) | None => None end   (* tree.clause *)
    | Bound e b =>
        if over (fresh k) e                                                                 (* tree.variables *)
        then Some [One (learn k (Fact false (Linear (terms e) (constant e - 1 - b))));
                   One (learn k (Fact false (times (-1) e b)))]
        else None
    | Residue e d =>
        if over (fresh k) e && (1 <=? d)                                                    (* tree.divisor *)
        then Some (residues k e d 0) else None
    | Farkas c =>
        match falling k c with Some e => if constant e <? 0 then Some [] else None | None => None end      (* tree.farkas *)
    | Lattice m c tight => if lattice k m c tight then Some [] else None
    end.

  Fixpoint refute (nodes : list node) (goals : list goal) : bool :=
    match nodes with
    | [] => match goals with [] => true | _ => false end                                    (* tree.child *)
    | n :: nodes =>
        match goals with
        | [] => false                                                                       (* tree.rest *)
        | One k :: goals =>
            match cases k n with Some new => refute nodes (rev_append new goals) | None => false end
        | Residues k e d r :: goals =>
            match cases (residue k e d r) n with
            | Some new => refute nodes (rev_append new (residues k e d (r + 1) ++ goals))
            | None => false
            end
        end
    end.
End Check.

Definition root (p : problem) : known :=
  fold_left (fun k e => learn k (Fact false e)) (inequalities p)
    (fold_left (fun k e => learn k (Fact true e)) (equalities p) (Facts (PM.empty _) 1%positive (bound p))).

Definition check_tree (p : problem) (nodes : list node) : bool :=
  well_formed p && refute p (numbered (clauses p)) nodes [One (root p)].

(** * What is known *)

Definition fact_holds (v : id -> Z) (f : fact) : Prop :=
  if is_equality f then value v (expression f) = 0 else 0 <= value v (expression f).

Section Sound.
  Context (p : problem) (clauses_at : PM.t (list literal)).
  Context (well : forall c ls, PM.find c clauses_at = Some ls -> In ls (clauses p)).
  Context (formed : well_formed p = true).

  (** A solution that meets all that is known, where fresh variables have values. *)
  Definition meets (v : id -> Z) (k : known) : Prop :=
    solution p v /\ (bound p <= fresh k)%positive /\
    forall n f, PM.find n (facts k) = Some f -> fact_holds v f /\ over (fresh k) (expression f) = true.

  Definition refuted (k : known) : Prop := forall v, ~ meets v k.

  Definition goal_refuted (g : goal) : Prop :=
    match g with
    | One k => refuted k
    | Residues k e d r => over (fresh k) e = true -> forall i, r <= i < d -> refuted (residue k e d i)
    end.

  Lemma formed_clause ls l : In ls (clauses p) -> In l ls ->
    match l with AtLeastZero e => over (bound p) e = true | NotDivisible e d => over (bound p) e = true /\ 1 <= d end.
  Proof.
    intros I J. unfold well_formed in formed. rewrite !andb_true_iff in formed. destruct formed as [_ H].
    rewrite forallb_forall in H. specialize (H _ I). rewrite forallb_forall in H. specialize (H _ J).
    destruct l; auto. rewrite andb_true_iff, Z.leb_le in H. auto.
  Qed.

  Lemma meets_learn v k f : meets v k -> fact_holds v f -> over (fresh k) (expression f) = true -> meets v (learn k f).
  Proof.
    intros (S' & B & H) F O. split; [auto|split; [auto|]]. cbn. intros n g.
    destruct (Pos.eq_dec n (count k)) as [->|N]; [rewrite PM.gss; intros [= <-]; auto|rewrite PM.gso by auto; apply H].
  Qed.

  Lemma meets_residue v k e d r q : meets v k -> over (fresh k) e = true -> value v e = d * q + r ->
    meets (set_at v (fresh k) q) (residue k e d r).
  Proof.
    intros (S' & B & H) O E.
    assert (X : forall e, over (fresh k) e = true -> value (set_at v (fresh k) q) e = value v e) by (intros; now apply value_set_at).
    assert (Y : forall e, over (bound p) e = true -> value (set_at v (fresh k) q) e = value v e)
      by (intros e0 ?; apply X, over_le with (bound p); auto).
    split; [|split].
    - destruct S' as (N & Q & I & C). pose proof formed as W. unfold well_formed in W. rewrite !andb_true_iff, !forallb_forall in W.
      destruct W as [[W1 W2] _]. rewrite Forall_forall in Q, I, C. split; [|repeat split; apply Forall_forall].
      + intros x L. unfold set_at. destruct (Pos.eqb x (fresh k)) eqn:Ex; auto. apply Pos.eqb_eq in Ex. lia.
      + intros f J. rewrite Y; auto.
      + intros f J. rewrite Y; auto.
      + intros ls J. specialize (C ls J). rewrite Exists_exists in C |- *. destruct C as (l & K & L). exists l; split; auto.
        pose proof (formed_clause ls l J K) as F. destruct l; cbn in *; rewrite Y; auto. apply F.
    - cbn. lia.
    - cbn [residue learn facts fresh count]. intros n f.
      assert (O' : forall e, over (fresh k) e = true -> over (Pos.succ (fresh k)) e = true) by (intros; apply over_le with (fresh k); auto; lia).
      destruct (Pos.eq_dec n (count k)) as [->|N].
      + rewrite PM.gss. intros [= <-]. unfold fact_holds. cbn [is_equality expression]. split.
        * unfold value. cbn [terms constant]. rewrite tsum_cons. cbn [fst snd].
          specialize (X e O). unfold value in X, E. unfold set_at at 1. rewrite Pos.eqb_refl. lia.
        * unfold over. cbn [terms forallb fst]. apply andb_true_iff. split; [apply Pos.ltb_lt; lia|]. now apply O'.
      + rewrite PM.gso by auto. intros J. destruct (H _ _ J) as [A O2]. split; [|auto].
        unfold fact_holds in *. destruct (is_equality f); rewrite X; auto.
  Qed.

  Lemma look_holds v k r f : meets v k -> look p k r = Some f -> fact_holds v f.
  Proof.
    intros (S' & _ & H). destruct r as [n|x]; cbn; [apply H|].
    destruct (Pos.ltb x (bound p)) eqn:L; [|discriminate]. intros [= <-]. unfold fact_holds, value; cbn [is_equality expression terms constant].
    rewrite tsum_cons. cbn [fst snd tsum fold_right]. apply Pos.ltb_lt in L. apply S' in L. lia.
  Qed.

  (** The value of what a reference means, and of a combination. *)
  Definition meaning (v : id -> Z) (k : known) (r : reference) : Z :=
    match look p k r with Some f => value v (expression f) | None => 0 end.
  Definition csum (v : id -> Z) (k : known) (c : combination) : Z := fold_right (fun e s => snd e * meaning v k (fst e) + s) 0 c.

  Lemma add_up_value v k c acc s e : add_up p k c acc s = Some e -> value v e = tsum v acc + s + csum v k c.
  Proof.
    revert acc s; induction c as [|[r m] c IH]; cbn [add_up]; intros acc s.
    - intros [= <-]. unfold value, csum; cbn [terms constant fold_right]. lia.
    - destruct (look p k r) as [f|] eqn:L; [|discriminate]. intros H. rewrite (IH _ _ H), tsum_scale.
      cbn [csum fold_right fst snd]. fold (csum v k c). unfold meaning. rewrite L. unfold value. lia.
  Qed.

  Lemma sum_of_value v k c e : sum_of p k c = Some e -> value v e = csum v k c.
  Proof.
    unfold sum_of. destruct (add_up p k c [] 0) as [e'|] eqn:A; [|discriminate]. intros [= <-].
    apply (add_up_value v) in A. unfold value in *. cbn [terms constant]. rewrite tsum_collect. cbn in A. lia.
  Qed.

  Lemma meaning_equality v k r : meets v k -> equality p k r = true -> meaning v k r = 0.
  Proof.
    intros M. unfold equality, meaning. destruct (look p k r) as [f|] eqn:L; [|discriminate]. intros E.
    pose proof (look_holds _ _ _ _ M L) as H. unfold fact_holds in H. now rewrite E in H.
  Qed.

  Lemma meaning_positive v k r : meets v k -> 0 <= meaning v k r.
  Proof.
    intros M. unfold meaning. destruct (look p k r) as [f|] eqn:L; [|lia].
    pose proof (look_holds _ _ _ _ M L) as H. unfold fact_holds in H. destruct (is_equality f); lia.
  Qed.

  (** In a sum of terms that are not negative each is 0 if the sum is. *)
  Lemma csum_parts v k c : meets v k -> forallb (fun e => (0 <=? snd e) || equality p k (fst e)) c = true ->
    0 <= csum v k c /\ (csum v k c <= 0 -> forall r m, In (r, m) c -> 0 < m -> meaning v k r = 0).
  Proof.
    intros M. induction c as [|[r m] c IH]; cbn [forallb csum fold_right fst snd]; intros H; [split; [lia|intros _ ? ? []]|].
    apply andb_true_iff in H as [A B]. fold (csum v k c). destruct (IH B) as [C D].
    assert (P : 0 <= m * meaning v k r).
    { apply orb_true_iff in A as [A|A]; [apply Z.leb_le in A; apply Z.mul_nonneg_nonneg; auto; now apply meaning_positive|].
      rewrite (meaning_equality v k r M A). lia. }
    split; [lia|]. intros Z0 r' m' [[= <- <-]|I] L.
    - assert (m * meaning v k r = 0) by lia. apply Z.mul_eq_0 in H as [|]; auto; lia.
    - apply (D ltac:(lia) r' m'); auto.
  Qed.

  (** The same for a sum of terms that are not positive. *)
  Lemma tsum_parts v ts : (forall x, (x < bound p)%positive -> 0 <= v x) ->
    forallb (fun t => if Pos.ltb (fst t) (bound p) then snd t <=? 0 else snd t =? 0) ts = true ->
    tsum v ts <= 0 /\ (0 <= tsum v ts -> forall x c, In (x, c) ts -> c < 0 -> v x = 0).
  Proof.
    intros M. induction ts as [|[x c] ts IH]; cbn [forallb fst snd]; intros H; [split; [cbn; lia|intros _ ? ? []]|].
    apply andb_true_iff in H as [A B]. destruct (IH B) as [C D]. rewrite tsum_cons. cbn [fst snd].
    assert (P : c * v x <= 0).
    { destruct (Pos.ltb x (bound p)) eqn:L.
      - apply Pos.ltb_lt, M in L. apply Z.leb_le in A. apply Z.mul_nonpos_nonneg; auto.
      - apply Z.eqb_eq in A. subst; lia. }
    split; [lia|]. intros Z0 y d [[= <- <-]|I] N.
    - assert (c * v x = 0) by lia. apply Z.mul_eq_0 in H as [|]; auto; lia.
    - apply (D ltac:(lia) y d); auto.
  Qed.

  Lemma falling_sound v k c e : meets v k -> falling p k c = Some e ->
    0 <= constant e /\
    (constant e <= 0 -> (forall r m, In (r, m) c -> 0 < m -> meaning v k r = 0) /\
                        (forall x n, In (x, n) (terms e) -> n < 0 -> v x = 0)).
  Proof.
    intros M. unfold falling. destruct (forallb _ c) eqn:Sg; [|discriminate].
    destruct (sum_of p k c) as [e'|] eqn:A; [|discriminate]. match goal with |- (if ?b then _ else _) = _ -> _ => destruct b eqn:F end; [|discriminate]. intros [= ->].
    apply (sum_of_value v) in A. unfold value in A. destruct (csum_parts v k c M Sg) as [P P0].
    destruct (tsum_parts v (terms e) (proj1 (proj1 M)) F) as [Q Q0]. split; [lia|]. intros L. split; [apply P0|apply Q0]; lia.
  Qed.

  Lemma tight_facts_in c n : imem (tight_facts c) n = true -> exists m, In (Known n, m) c /\ 0 < m.
  Proof.
    unfold tight_facts.
    assert (H : forall s, imem (fold_left (fun s e => match e with (Known n, m) => if 0 <? m then iadd s n else s | _ => s end) c s) n = true ->
      imem s n = true \/ exists m, In (Known n, m) c /\ 0 < m).
    { induction c as [|[[n'|x] m] c IH]; cbn [fold_left]; intros s; auto.
      - intros H. apply IH in H as [H|(m' & I & L)]; [|right; exists m'; cbn; auto].
        destruct (Z.ltb_spec 0 m); auto. apply imem_iadd in H as [->|]; auto. right; exists m; cbn; auto.
      - intros H. apply IH in H as [H|(m' & I & L)]; [auto|right; exists m'; cbn; auto]. }
    intros I. apply H in I as [I|]; auto. unfold imem in I. now rewrite PM.gempty in I.
  Qed.

  Lemma tight_variables_in c e x : imem (tight_variables c e) x = true ->
    (exists m, In (NotNegative x, m) c /\ 0 < m) \/ exists n, In (x, n) (terms e) /\ n < 0.
  Proof.
    unfold tight_variables. set (s0 := fold_left _ c _).
    assert (H : forall ts s, imem (fold_left (fun s t => if snd t <? 0 then iadd s (fst t) else s) ts s) x = true ->
      imem s x = true \/ exists n, In (x, n) ts /\ n < 0).
    { induction ts as [|[y n] ts IH]; cbn [fold_left fst snd]; intros s; auto.
      intros H. apply IH in H as [H|(m' & I & L)]; [|right; exists m'; cbn; auto].
      destruct (Z.ltb_spec n 0); auto. apply imem_iadd in H as [->|]; auto. right; exists n; cbn; auto. }
    intros I. apply H in I as [I|]; auto. left. clear H. subst s0. revert I.
    assert (H : forall s, imem (fold_left (fun s e => match e with (NotNegative x, m) => if 0 <? m then iadd s x else s | _ => s end) c s) x = true ->
      imem s x = true \/ exists m, In (NotNegative x, m) c /\ 0 < m).
    { induction c as [|[[n'|y] m] c IH]; cbn [fold_left]; intros s; auto.
      - intros H. apply IH in H as [H|(m' & I & L)]; [auto|right; exists m'; cbn; auto].
      - intros H. apply IH in H as [H|(m' & I & L)]; [|right; exists m'; cbn; auto].
        destruct (Z.ltb_spec 0 m); auto. apply imem_iadd in H as [->|]; auto. right; exists m; cbn; auto. }
    intros I. apply H in I as [I|]; auto. unfold imem in I. now rewrite PM.gempty in I.
  Qed.

  Lemma lattice_sound k m c tight : lattice p k m c tight = true -> refuted k.
  Proof.
    unfold lattice. destruct (falling p k tight) as [b|] eqn:F; [|discriminate].
    rewrite !andb_true_iff. intros [[T E] L] v M. apply Z.leb_le in T.
    destruct (falling_sound v _ _ _ M F) as [_ H]. destruct (H T) as [Hf Hx].
    destruct (sum_of p k c) as [e|] eqn:A; [|discriminate]. apply (sum_of_value v) in A.
    apply andb_true_iff in L as [D N]. apply negb_true_iff in N. rewrite <- not_true_iff_false, divides_spec in N. apply N.
    assert (C0 : csum v k c = 0).
    { clear A. rewrite forallb_forall in E. induction c as [|[r n] c IH]; [reflexivity|]. cbn [csum fold_right fst snd]. fold (csum v k c).
      rewrite IH by (intros; apply E; cbn; auto).
      replace (meaning v k r) with 0; [lia|]. symmetry. specialize (E (r, n) (or_introl eq_refl)). cbn [fst] in E.
      apply orb_true_iff in E as [E|E]; [now apply meaning_equality|]. destruct r as [f|x].
      - apply tight_facts_in in E as (m' & I & P). eapply Hf; eauto.
      - apply tight_variables_in in E as [(m' & I & P)|(m' & I & P)]; [eapply Hf; eauto|].
        unfold meaning, look. destruct (Pos.ltb x (bound p)) eqn:Lx; [|reflexivity].
        unfold value; cbn [expression terms constant]. rewrite tsum_cons. cbn [fst snd tsum fold_right]. rewrite (Hx _ _ I P). lia. }
    assert (D' : (m | tsum v (terms e))).
    { clear A. rewrite forallb_forall in D. induction (terms e) as [|t ts IH]; [apply Z.divide_0_r|]. rewrite tsum_cons.
      apply Z.divide_add_r; [apply Z.divide_mul_l, divides_spec, D; cbn; auto|apply IH; intros; apply D; cbn; auto]. }
    unfold value in A. rewrite C0 in A. destruct D' as [q Q]. exists (- q). lia.
  Qed.

  Lemma residues_sound k e d r : over (fresh k) e = true -> Forall goal_refuted (residues k e d r) ->
    forall i, r <= i < d -> refuted (residue k e d i).
  Proof.
    intros O. unfold residues. destruct (Z.leb_spec d r); [intros; lia|]. intros G i I. inversion G as [|? ? R]; subst. now apply R.
  Qed.

  (** If a node is met, one of its cases is. *)
  Lemma cases_sound k n gs : cases p clauses_at k n = Some gs -> Forall goal_refuted gs -> refuted k.
  Proof.
    destruct n as [c|e b|e d|c|m c tight]; cbn [cases].
    - destruct (PM.find c clauses_at) as [ls|] eqn:Fc; [|discriminate]. intros [= <-] H v M. apply well in Fc.
      assert (X : Exists (holds v) ls).
      { destruct M as ((_ & _ & _ & C) & _). rewrite Forall_forall in C. auto. }
      rewrite Exists_exists in X. destruct X as (l & I & L). rewrite Forall_forall in H.
      assert (G : Forall goal_refuted (case k l)).
      { apply Forall_forall. intros g J. apply H, tflat_in. eauto. }
      pose proof (formed_clause ls l Fc I) as W. destruct l as [e|e d]; cbn [case] in G.
      + inversion G as [|? ? R]; subst. apply (R v). apply meets_learn; auto. cbn. apply over_le with (bound p); auto. apply M.
      + destruct W as [O D]. cbn in L. assert (O' : over (fresh k) e = true) by (apply over_le with (bound p); auto; apply M).
        assert (R : value v e mod d <> 0) by (intros R; apply L, Z.mod_divide; auto; lia).
        pose proof (Z.mod_pos_bound (value v e) d ltac:(lia)) as P.
        eapply (residues_sound _ _ _ _ O' G (value v e mod d)); [lia|].
        apply (meets_residue v _ _ _ _ (value v e / d)); auto. apply Z.div_mod. lia.
    - destruct (over (fresh k) e) eqn:O; [|discriminate]. intros [= <-] H v M.
      inversion H as [|? ? A H']; subst. inversion H' as [|? ? B _]; subst. cbn in A, B.
      destruct (Z_le_gt_dec (value v e) b).
      + apply (B v). apply meets_learn; auto.
        * unfold fact_holds, value, times; cbn [is_equality expression terms constant]. rewrite tsum_scale. change (tsum v []) with 0. unfold value in *. lia.
        * unfold over, times; cbn [expression terms]. rewrite forallb_forall. intros t I. apply scale_in in I as [[]|(u & I & ->)].
          cbn. apply Pos.ltb_lt. apply (proj1 (over_in _ _) O). auto.
      + apply (A v). apply meets_learn; auto. unfold fact_holds, value in *; cbn [is_equality expression terms constant]. lia.
    - destruct (over (fresh k) e && (1 <=? d)) eqn:O; [|discriminate]. apply andb_true_iff in O as [O D]. apply Z.leb_le in D.
      intros [= <-] G v M. pose proof (Z.mod_pos_bound (value v e) d ltac:(lia)) as P.
      eapply (residues_sound _ _ _ _ O G (value v e mod d)); [lia|].
      apply (meets_residue v _ _ _ _ (value v e / d)); auto. apply Z.div_mod. lia.
    - destruct (falling p k c) as [e|] eqn:F; [|discriminate]. destruct (Z.ltb_spec (constant e) 0); [|discriminate].
      intros _ _ v M. destruct (falling_sound v _ _ _ M F). lia.
    - destruct (lattice p k m c tight) eqn:L; [|discriminate]. intros _ _. now apply lattice_sound with (1 := L).
  Qed.

  Lemma refute_sound nodes goals : refute p clauses_at nodes goals = true -> Forall goal_refuted goals.
  Proof.
    revert goals; induction nodes as [|n nodes IH]; cbn [refute]; intros goals; [destruct goals; [constructor|discriminate]|].
    destruct goals as [|[k|k e d r] goals]; [discriminate| |].
    - destruct (cases p clauses_at k n) as [gs|] eqn:C; [|discriminate]. intros H. apply IH in H.
      rewrite rev_append_rev, Forall_app in H. destruct H as [A B]. constructor; auto. cbn.
      apply (cases_sound _ _ _ C). apply Forall_forall. rewrite Forall_forall in A. intros g I. apply A. now apply -> in_rev.
    - destruct (cases p clauses_at (residue k e d r) n) as [gs|] eqn:C; [|discriminate]. intros H. apply IH in H.
      rewrite rev_append_rev, !Forall_app in H. destruct H as [A [B D]]. constructor; auto. cbn. intros O i I.
      destruct (Z.eq_dec i r) as [->|N]; [|apply (residues_sound _ _ _ _ O B); lia].
      apply (cases_sound _ _ _ C). apply Forall_forall. rewrite Forall_forall in A. intros g J. apply A. now apply -> in_rev.
  Qed.

  Lemma root_meets v : solution p v -> meets v (root p).
  Proof.
    intros S'. unfold root. pose proof S' as (N & Q & I & C).
    pose proof formed as W. unfold well_formed in W. rewrite !andb_true_iff, !forallb_forall in W. destruct W as [[W1 W2] _].
    rewrite Forall_forall in Q, I.
    assert (H : forall b l k, meets v k -> fresh k = bound p -> (forall e, In e l -> fact_holds v (Fact b e) /\ over (bound p) e = true) ->
      meets v (fold_left (fun k e => learn k (Fact b e)) l k) /\ fresh (fold_left (fun k e => learn k (Fact b e)) l k) = bound p).
    { intros b l; induction l as [|e l IH]; cbn [fold_left]; intros k M E H; [auto|]. apply IH; cbn; auto; [|intros; apply H; cbn; auto].
      destruct (H e (or_introl eq_refl)). apply meets_learn; auto. cbn. now rewrite E. }
    assert (M : meets v (Facts (PM.empty _) 1%positive (bound p))).
    { split; [auto|split; [cbn; lia|]]. cbn. intros n f. rewrite PM.gempty. discriminate. }
    destruct (H true (equalities p) _ M eq_refl) as [M1 E1]; [intros e J; split; [exact (Q e J)|auto]|].
    apply (H false (inequalities p) _ M1 E1). intros e J; split; [exact (I e J)|auto].
  Qed.
End Sound.

Theorem check_tree_sound p nodes : check_tree p nodes = true -> ~ exists v, solution p v.
Proof.
  unfold check_tree. rewrite andb_true_iff. intros [W R] [v S'].
  assert (well : forall c ls, PM.find c (numbered (clauses p)) = Some ls -> In ls (clauses p)) by (intros c ls; apply numbered_in).
  pose proof (refute_sound p _ well W _ _ R) as H. inversion H as [|? ? G]; subst. apply (G v), root_meets; auto.
Qed.
