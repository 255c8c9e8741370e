(** Separators: inductive invariants of a net with a place for each transition
    that counts how often it has fired. *)

From Coq Require Import List PArith NArith ZArith Bool Lia.
From Proved Require Import Sets Arithmetic Tree.
From Proved.Nets Require Import Net Goal Marking Clauses Inductive.
Import ListNotations.
Open Scope Z_scope.

Section Counting.
  Context (n : net).

  Definition counters : list (id * transition) := enumerated (behind n) (transitions n).
  Definition counting : net := {|
    places := places n ++ map fst counters;
    marked := marked n;
    transitions := map (fun x => Transition (inputs (snd x)) (outputs (snd x) ++ [(fst x, 1%N)])) counters |}.

  Lemma goal_over_ext base M M' g : goal_over same_place base g = true -> (forall p, (p < base)%positive -> M p = M' p) -> goal_met M g = goal_met M' g.
  Proof.
    intros O E. assert (X : forall e, expression_over same_place base e = true -> sum_at M e = sum_at M' e).
    { intros e H. unfold sum_at, value. f_equal. apply tsum_ext. intros t I. unfold expression_over in H. rewrite forallb_forall in H.
      specialize (H t I). apply Pos.ltb_lt in H. unfold tokens_of. now rewrite (E (fst t) H). }
    induction g as [e|e|gs IH|gs IH] using goal_induction; cbn [goal_met goal_over] in *; rewrite ?X by auto; auto;
      (induction IH as [|g gs Hg _ IHl]; auto; cbn [forallb existsb] in *; apply andb_true_iff in O as [O1 O2]; now rewrite Hg, IHl).
  Qed.

  Lemma counted_weight arcs c p : (p < c)%positive -> weight (arcs ++ [(c, 1%N)]) p = weight arcs p.
  Proof.
    intros L. induction arcs as [|a arcs IH]; cbn [app]; rewrite ?weight_cons; cbn [weight fst snd].
    - destruct (Pos.eqb_spec p c); [lia|auto].
    - now rewrite IH.
  Qed.

  Lemma counted M : forallb (inputs_over n) (transitions n) = true -> reachable n M -> exists M', reachable counting M' /\ forall p, (p < behind n)%positive -> M' p = M p.
  Proof.
    rewrite forallb_forall. intros O. induction 1 as [M B|M t M' R (K & Rk & E) It [En F]].
    - exists M. split; auto. now apply Beginning.
    - destruct (in_enumerated (transitions n) t (behind n) It) as [c I]. set (u := Transition (inputs t) (outputs t ++ [(c, 1%N)])).
      exists (fun p => (K p - weight (inputs u) p + weight (outputs u) p)%N). split.
      + apply (Firing counting K u); auto; [apply in_map_iff; exists (c, t); auto|]. split; auto. intros p. cbn [u inputs].
        destruct (Pos.ltb_spec p (behind n)) as [L|L]; [rewrite E; auto|]. specialize (O t It). unfold inputs_over in O. rewrite forallb_forall in O.
        destruct (N.eq_dec (weight (inputs t) p) 0) as [->|D]; [lia|]. assert (W : (0 < weight (inputs t) p)%N) by lia.
        apply weight_in, in_map_iff in W as (a & <- & Ia). specialize (O a Ia). apply Pos.ltb_lt in O. destruct (Pos.lt_irrefl (fst a)). eapply Pos.lt_le_trans; eauto.
      + intros p L. cbn [u inputs outputs]. apply enumerated_le in I. rewrite counted_weight by lia. now rewrite F, E.
  Qed.

  Definition check_separator (g : goal) (cs : list clause) (steps : list (point * list node)) (tree : list node) : bool :=
    forallb (inputs_over n) (transitions n) && goal_over same_place (behind n) g && check_inductive counting g cs steps tree.

  Theorem check_separator_sound g cs steps tree : check_separator g cs steps tree = true -> ~ goal_reachable n g.
  Proof.
    unfold check_separator. rewrite !andb_true_iff. intros [[O G] C] (M & R & Gm). destruct (counted M O R) as (K & Rk & E).
    apply (check_inductive_sound counting g cs steps tree C). exists K. split; auto. rewrite <- Gm. apply (goal_over_ext (behind n)); auto.
  Qed.
End Counting.
