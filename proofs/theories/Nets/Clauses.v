(** A goal as clauses of linear integer arithmetic. Parts of an [any] that are
    not a single clause are named by variables, as the trees of certificates
    have it. *)

From Coq Require Import List PArith NArith ZArith Bool Lia.
From Proved Require Import Sets Arithmetic.
From Proved.Nets Require Import Net Goal.
Import ListNotations.
Open Scope Z_scope.

Definition all_hold (v : id -> Z) (cs : list (list literal)) : Prop := Forall (Exists (holds v)) cs.

(** An expression over places as one over variables. *)
Definition renamed (place : id -> id) (m : Z) (e : linear) : linear := Linear (map (fun t => (place (fst t), m * snd t)) (terms e)) (m * constant e).

Definition is_on (name : id) : literal := AtLeastZero (Linear [(name, 1)] (-1)).
Definition is_off (name : id) : literal := AtLeastZero (Linear [(name, -1)] 0).

(** One of several: a clause, and what the names in it stand for; [None] if one of them always holds. Names are taken from [next] on. *)
Fixpoint one_of (next : id) (operands : list (list (list literal))) : option (list literal * list (list literal)) * id :=
  match operands with
  | [] => (Some ([], []), next)
  | [] :: _ => (None, next)
  | [c] :: operands =>
      match one_of next operands with
      | (Some (clause, meant), next) => (Some (c ++ clause, meant), next)
      | (None, next) => (None, next)
      end
  | cs :: operands =>
      match one_of (Pos.succ next) operands with
      | (Some (clause, meant), next') => (Some (is_on next :: clause, map (fun c => c ++ [is_off next]) cs ++ meant), next')
      | (None, next) => (None, next)
      end
  end.

Section Clauses.
  Context (place : id -> id).

  Fixpoint clauses_of (next : id) (g : goal) : list (list literal) * id :=
    let each := fix each (next : id) (gs : list goal) : list (list (list literal)) * id :=
      match gs with
      | [] => ([], next)
      | g :: gs => let '(cs, next) := clauses_of next g in let '(rest, next) := each next gs in (cs :: rest, next)
      end in
    match g with
    | GAtLeast e => ([[AtLeastZero (renamed place 1 e)]], next)
    | GZero e => ([[AtLeastZero (renamed place 1 e)]; [AtLeastZero (renamed place (-1) e)]], next)
    | GAll gs => let '(operands, next) := each next gs in (concat operands, next)
    | GAny gs =>
        let '(operands, next) := each next gs in
        match one_of next operands with
        | (Some (clause, meant), next) => (clause :: meant, next)
        | (None, next) => ([], next)
        end
    end.

  Fixpoint clauses_each (next : id) (gs : list goal) : list (list (list literal)) * id :=
    match gs with
    | [] => ([], next)
    | g :: gs => let '(cs, next) := clauses_of next g in let '(rest, next) := clauses_each next gs in (cs :: rest, next)
    end.

  Lemma clauses_of_all next gs : clauses_of next (GAll gs) = let '(operands, next) := clauses_each next gs in (concat operands, next).
  Proof. reflexivity. Qed.
  Lemma clauses_of_any next gs : clauses_of next (GAny gs) = let '(operands, next) := clauses_each next gs in
    match one_of next operands with (Some (clause, meant), next) => (clause :: meant, next) | (None, next) => ([], next) end.
  Proof. reflexivity. Qed.

  (** Variables below [base] are those of places. *)
  Context (base : id).

  Definition expression_over (e : linear) : bool := forallb (fun t => Pos.ltb (place (fst t)) base) (terms e).
  Fixpoint goal_over (g : goal) : bool :=
    match g with
    | GAtLeast e | GZero e => expression_over e
    | GAll gs | GAny gs => forallb goal_over gs
    end.

  Context (M : marking).

  Definition stands_for (u : id -> Z) : Prop := forall p, (place p < base)%positive -> u (place p) = Z.of_N (M p).

  Lemma renamed_value u m e : expression_over e = true -> stands_for u -> value u (renamed place m e) = m * sum_at M e.
  Proof.
    unfold expression_over. rewrite forallb_forall. intros O S. unfold renamed, sum_at, value. cbn [terms constant].
    enough (E : tsum u (map (fun t => (place (fst t), m * snd t)) (terms e)) = m * tsum (tokens_of M) (terms e)) by (rewrite E; ring).
    induction (terms e) as [|t ts IH]; cbn [map]; rewrite ?tsum_cons; [cbn; lia|]. cbn [fst snd].
    rewrite IH by (intros; apply O; cbn; auto). rewrite S by (apply Pos.ltb_lt, O; cbn; auto). unfold tokens_of. ring.
  Qed.

  Definition agrees (u w : id -> Z) (from next : id) : Prop := forall x, (from <= x)%positive -> (x < next)%positive -> u x = w x.

  Lemma all_hold_app v a b : all_hold v (a ++ b) <-> all_hold v a /\ all_hold v b.
  Proof. apply Forall_app. Qed.

  Lemma one_of_spec : forall operands next result next', one_of next operands = (result, next') -> (next <= next')%positive /\
    forall bs : list bool, length bs = length operands -> exists w, (forall x, 0 <= w x) /\ forall u, agrees u w next next' ->
      Forall2 (fun b cs => b = true -> all_hold u cs) bs operands ->
      match result with
      | Some (clause, meant) => (existsb (fun b => b) bs = true -> Exists (holds u) clause) /\ all_hold u meant
      | None => True
      end.
  Proof.
    assert (on : forall u name, u name = 1 -> holds u (is_on name)) by (intros u name E; unfold is_on, is_off, holds, value; cbn [terms constant]; rewrite tsum_cons; cbn [fst snd]; change (tsum u []) with 0; lia).
    assert (off : forall u name, u name = 0 -> holds u (is_off name)) by (intros u name E; unfold is_on, is_off, holds, value; cbn [terms constant]; rewrite tsum_cons; cbn [fst snd]; change (tsum u []) with 0; lia).
    induction operands as [|cs operands IH]; intros next result next' H; cbn [one_of] in H.
    - injection H as <- <-. split; [lia|]. intros bs L. exists (fun _ => 0). split; [intros; lia|]. intros u _ F. inversion F. cbn. split; [discriminate|constructor].
    - destruct cs as [|c cs'].
      { injection H as <- <-. split; [lia|]. intros bs L. exists (fun _ => 0). split; [intros; lia|auto]. }
      destruct cs' as [|c' cs'].
      + destruct (one_of next operands) as [[[clause meant]|] n1] eqn:E; injection H as <- <-; destruct (IH _ _ _ E) as [Ln S]; (split; [exact Ln|]).
        * intros [|b bs] L; [discriminate|]. destruct (S bs) as (w & P & G); [cbn in L; lia|]. exists w. split; auto. intros u A F. inversion F; subst.
          destruct (G u A) as [G1 G2]; auto. split; auto. cbn [existsb]. rewrite orb_true_iff. rewrite Exists_app. intros [B|B]; auto.
          left. match goal with K : b = true -> all_hold u [c] |- _ => specialize (K B); inversion K; auto end.
        * intros bs L. exists (fun _ => 0). split; [intros; lia|auto].
      + set (cs := c :: c' :: cs') in *. destruct (one_of (Pos.succ next) operands) as [[[clause meant]|] n1] eqn:E; injection H as <- <-;
          destruct (IH _ _ _ E) as [Ln S]; (split; [lia|]).
        * intros [|b bs] L; [discriminate|]. destruct (S bs) as (w & P & G); [cbn in L; lia|].
          exists (fun x => if Pos.eqb x next then (if b then 1 else 0) else w x). split; [intros x; destruct (Pos.eqb x next), b; auto; lia|].
          intros u A F. inversion F; subst.
          assert (U : u next = if b then 1 else 0) by (rewrite A by lia; now rewrite Pos.eqb_refl).
          destruct (G u) as [G1 G2]; auto.
          { intros x L1 L2. rewrite A by lia. destruct (Pos.eqb_spec x next); [lia|auto]. }
          split; [cbn [existsb]; rewrite orb_true_iff; intros [->|B]; [left; auto|right; auto]|].
          change (all_hold u (map (fun c => c ++ [is_off next]) cs ++ meant)). apply all_hold_app. split; auto. unfold all_hold. rewrite Forall_map. apply Forall_forall. intros d I. apply Exists_app.
          destruct b; [left|right; left; auto]. match goal with K : true = true -> all_hold u cs |- _ => specialize (K eq_refl); unfold all_hold in K; rewrite Forall_forall in K; auto end.
        * intros bs L. exists (fun _ => 0). split; [intros; lia|auto].
  Qed.

  (** What is not a name is as it is said of places; names can be chosen, so that a goal that is met has its clauses. *)
  Theorem clauses_of_spec g : goal_over g = true -> forall next cs next', clauses_of next g = (cs, next') -> (next <= next')%positive /\
    exists w, (forall x, 0 <= w x) /\ forall u, stands_for u -> agrees u w next next' -> goal_met M g = true -> all_hold u cs.
  Proof.
    induction g as [e|e|gs IH|gs IH] using goal_induction; intros O next cs next' H.
    1,2: cbn [clauses_of] in H; injection H as <- <-; split; [lia|]; exists (fun _ => 0); (split; [intros; lia|]); intros u S _ G; cbn [goal_met goal_over] in *.
    - constructor; [|constructor]. left. cbn [holds]. rewrite renamed_value by auto. apply Z.leb_le in G. lia.
    - apply Z.eqb_eq in G. constructor; [|constructor; [|constructor]]; left; cbn [holds]; rewrite renamed_value by auto; lia.
    - rewrite clauses_of_all in H. destruct (clauses_each next gs) as [ops n1] eqn:E. injection H as <- <-. cbn [goal_over] in O.
      revert next ops n1 E. induction IH as [|g gs Hg _ IHl]; intros next ops n1 E; cbn [clauses_each] in E.
      + injection E as <- <-. split; [lia|]. exists (fun _ => 0). split; [intros; lia|]. intros. constructor.
      + destruct (clauses_of next g) as [c1 k1] eqn:E1. destruct (clauses_each k1 gs) as [rest k2] eqn:E2. injection E as <- <-.
        cbn [forallb] in O. apply andb_true_iff in O as [O1 O2]. destruct (Hg O1 _ _ _ E1) as (L1 & w1 & P1 & S1). destruct (IHl O2 _ _ _ E2) as (L2 & w2 & P2 & S2).
        split; [lia|]. exists (fun x => if Pos.ltb x k1 then w1 x else w2 x). split; [intros x; destruct (Pos.ltb x k1); auto|].
        intros u Su A G. cbn [goal_met forallb] in G. apply andb_true_iff in G as [G1 G2]. cbn [concat]. apply all_hold_app. split.
        * apply (S1 u); auto. intros x La Lb. rewrite A by lia. destruct (Pos.ltb_spec x k1); [auto|lia].
        * apply (S2 u); auto. intros x La Lb. rewrite A by lia. destruct (Pos.ltb_spec x k1); [lia|auto].
    - rewrite clauses_of_any in H. destruct (clauses_each next gs) as [ops n1] eqn:E. cbn [goal_over] in O.
      assert (X : (next <= n1)%positive /\ length ops = length gs /\ exists w, (forall x, 0 <= w x) /\ forall u, stands_for u -> agrees u w next n1 ->
        Forall2 (fun b cs => b = true -> all_hold u cs) (map (goal_met M) gs) ops).
      { clear H. revert next ops n1 E. induction IH as [|g gs Hg _ IHl]; intros next ops n1 E; cbn [clauses_each] in E.
        - injection E as <- <-. split; [lia|]. split; auto. exists (fun _ => 0). split; [intros; lia|]. intros. constructor.
        - destruct (clauses_of next g) as [c1 k1] eqn:E1. destruct (clauses_each k1 gs) as [rest k2] eqn:E2. injection E as <- <-.
          cbn [forallb] in O. apply andb_true_iff in O as [O1 O2]. destruct (Hg O1 _ _ _ E1) as (L1 & w1 & P1 & S1). destruct (IHl O2 _ _ _ E2) as (L2 & Ln & w2 & P2 & S2).
          split; [lia|]. split; [cbn; lia|]. exists (fun x => if Pos.ltb x k1 then w1 x else w2 x). split; [intros x; destruct (Pos.ltb x k1); auto|].
          intros u Su A. cbn [map]. constructor.
          + apply (S1 u); auto. intros x La Lb. rewrite A by lia. destruct (Pos.ltb_spec x k1); [auto|lia].
          + apply (S2 u); auto. intros x La Lb. rewrite A by lia. destruct (Pos.ltb_spec x k1); [lia|auto]. }
      destruct X as (L1 & Ln & w1 & P1 & S1). destruct (one_of n1 ops) as [result n2] eqn:E2. destruct (one_of_spec _ _ _ _ E2) as [L2 S2].
      destruct (S2 (map (goal_met M) gs)) as (w2 & P2 & G2); [rewrite map_length; lia|].
      assert (N : next' = n2) by (destruct result as [[? ?]|]; now injection H). subst n2. split; [lia|].
      exists (fun x => if Pos.ltb x n1 then w1 x else w2 x). split; [intros x; destruct (Pos.ltb x n1); auto|]. intros u Su A G.
      assert (F : Forall2 (fun b cs => b = true -> all_hold u cs) (map (goal_met M) gs) ops).
      { apply S1; auto. intros x La Lb. rewrite A by lia. destruct (Pos.ltb_spec x n1); [auto|lia]. }
      specialize (G2 u). destruct result as [[clause meant]|]; injection H as <-; [|constructor]. destruct G2 as [G3 G4]; auto.
      { intros x La Lb. rewrite A by lia. destruct (Pos.ltb_spec x n1); [lia|auto]. }
      constructor; auto. apply G3. cbn [goal_met] in G. clear -G. induction gs as [|g gs IH]; cbn in *; [discriminate|]. apply orb_true_iff in G as [->|G]; auto. rewrite IH by auto. apply orb_true_r.
  Qed.
End Clauses.

(** Clauses of one inequality stand among inequalities. *)
Definition single (c : list literal) : list linear := match c with [AtLeastZero e] => [e] | _ => [] end.
Definition several (c : list literal) : list (list literal) := match c with [AtLeastZero _] => [] | _ => [c] end.

Lemma single_holds v cs : all_hold v cs -> Forall (fun e => 0 <= value v e) (flat_map single cs) /\ all_hold v (flat_map several cs).
Proof.
  induction 1 as [|c cs H _ [IH1 IH2]]; [split; constructor|]. cbn [flat_map]. split; apply Forall_app; split; auto.
  - destruct c as [|[e|e d] [|l c]]; cbn; auto. constructor; auto. inversion H as [? ? H1|? ? H1]; subst; [exact H1|inversion H1].
  - destruct c as [|[e|e d] [|l c]]; cbn; auto.
Qed.
