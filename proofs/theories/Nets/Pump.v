(** Runs with parts that can be repeated as often as one likes: a place has no
    largest number of tokens. *)

From Coq Require Import List PArith NArith ZArith Bool Lia.
From Proved Require Import Sets Arithmetic.
From Proved.Nets Require Import Net Goal Marking Run.
Import ListNotations.
Open Scope Z_scope.

Inductive pump_step :=
| Times (times : N) (ts : list id)
| Often (ts : list id).

Section Pump.
  Context (n : net) (numbered_transitions : PM.t transition).
  Context (there : forall k t, PM.find k numbered_transitions = Some t -> In t (transitions n)).

  (** Numbers, and the places that have ω instead. *)
  Definition has (m : markings) (w : idset) (s : summary) : bool :=
    forallb (fun x => imem w (fst x) || (fst (snd x) <=? Z.of_N (at_place m (fst x)))) (PM.elements s).
  Definition rises (w : idset) (s : summary) : bool := forallb (fun x => imem w (fst x) || (0 <=? snd (snd x))) (PM.elements s).      (* net.pump.rising *)
  Definition risen (w : idset) (s : summary) : idset := fold_left (fun w x => if 0 <? snd (snd x) then iadd w (fst x) else w) (PM.elements s) w.

  Fixpoint pump (m : markings) (w : idset) (steps : list pump_step) : option idset :=
    match steps with
    | [] => Some w
    | Times times ts :: steps =>
        match summary_of numbered_transitions (PM.empty _) ts with
        | Some s =>
            if (times =? 0)%N then pump m w steps
            else let s := repeated s (Z.of_N times) in if has m w s then pump (change_by m s) w steps else None
        | None => None
        end
    | Often ts :: steps =>
        match summary_of numbered_transitions (PM.empty _) ts with
        | Some s => if has m w s && rises w s then pump m (risen w s) steps else None
        | None => None
        end
    end.

  (** However many tokens are asked for, there is a marking with the numbers and so many where ω stands. *)
  Definition reached (m : markings) (w : idset) : Prop := forall least : Z, exists M, reachable n M /\
    forall p, (imem w p = true -> least <= Z.of_N (M p)) /\ (imem w p = false -> Z.of_N (at_place m p) <= Z.of_N (M p)).

  Lemma most_needed (s : summary) (f : Z * Z -> Z) : exists most, forall p, f (summed s p) <= most.
  Proof.
    assert (H : exists most, forall x, In x (PM.elements s) -> f (snd x) <= most).
    { induction (PM.elements s) as [|x l [most IH]]; [exists 0; intros ? []|]. exists (Z.max (f (snd x)) most). intros y [<-|I]; [lia|]. specialize (IH y I). lia. }
    destruct H as [most H]. exists (Z.max most (f (0, 0))). intros p. unfold summed. destruct (PM.find p s) as [x|] eqn:F; [|lia].
    apply PM.elements_correct in F. specialize (H _ F). cbn [snd] in H. lia.
  Qed.

  Lemma has_spec m w s p : has m w s = true -> imem w p = true \/ fst (summed s p) <= Z.of_N (at_place m p).
  Proof.
    unfold has. rewrite forallb_forall. intros H. unfold summed. destruct (PM.find p s) as [x|] eqn:F; [|right; cbn; lia].
    apply PM.elements_correct in F. specialize (H _ F). apply orb_true_iff in H as [H|H]; auto. right. now apply Z.leb_le.
  Qed.

  Lemma rises_spec w s p : rises w s = true -> imem w p = true \/ 0 <= snd (summed s p).
  Proof.
    unfold rises. rewrite forallb_forall. intros H. unfold summed. destruct (PM.find p s) as [x|] eqn:F; [|right; cbn; lia].
    apply PM.elements_correct in F. specialize (H _ F). apply orb_true_iff in H as [H|H]; auto. right. now apply Z.leb_le.
  Qed.

  Lemma risen_spec w s p : imem (risen w s) p = true -> imem w p = true \/ 0 < snd (summed s p).
  Proof.
    unfold risen. enough (H : forall l v, (forall x, In x l -> In x (PM.elements s)) -> imem (fold_left (fun w x => if 0 <? snd (snd x) then iadd w (fst x) else w) l v) p = true ->
      imem v p = true \/ 0 < snd (summed s p)) by (apply H; auto).
    induction l as [|x l IH]; intros v I H; cbn [fold_left] in H; auto. destruct (IH _ (fun y J => I y (or_intror J)) H) as [J|J]; auto.
    match type of J with context [if ?b then _ else _] => destruct b eqn:L end; auto. apply Z.ltb_lt in L. apply imem_iadd in J as [->|J]; auto. right. unfold summed. destruct x as [q x]. cbn [fst snd] in *.
    rewrite (PM.elements_complete _ _ _ (I _ (or_introl eq_refl))). exact L.
  Qed.

  Lemma risen_more w s p : imem w p = true -> imem (risen w s) p = true.
  Proof.
    unfold risen. revert w. induction (PM.elements s) as [|x l IH]; intros w H; cbn [fold_left]; auto. apply IH. match goal with |- context [if ?b then _ else _] => destruct b end; auto. apply imem_iadd. auto.
  Qed.

  Lemma reached_times m w s : able n s -> has m w s = true -> reached m w -> reached (change_by m s) w.
  Proof.
    intros A H R least. destruct (most_needed s (fun x => Z.max (fst x) (least - snd x))) as [most Hm]. destruct (R most) as (M & RM & P).
    destruct (A M) as (M' & L & E).
    - intros p. destruct (P p) as [P1 P2]. specialize (Hm p). destruct (imem w p) eqn:W; [specialize (P1 eq_refl); lia|]. specialize (P2 eq_refl).
      destruct (has_spec m w s p H); [congruence|lia].
    - exists M'. split; [eapply leads_reachable; eauto|]. intros p. destruct (P p) as [P1 P2]. specialize (Hm p). rewrite E. split; intros W.
      + specialize (P1 W). lia.
      + specialize (P2 W). destruct (has_spec m w s p H) as [|B]; [congruence|]. specialize (E p). unfold change_by, at_place at 1. rewrite PM.gmap2 by auto.
        unfold at_place, summed in *. destruct (PM.find p m), (PM.find p s); cbn [fst snd] in *; lia.
  Qed.

  Lemma summed_repeated s times p : summed (repeated s times) p
    = (Z.max (fst (summed s p)) (fst (summed s p) - (times - 1) * snd (summed s p)), times * snd (summed s p)).
  Proof. unfold summed, repeated, PM.map. rewrite PM.gmapi. destruct (PM.find p s) as [[k e]|]; cbn [option_map fst snd]; auto. f_equal; lia. Qed.

  Lemma reached_often m w s : able n s -> has m w s = true -> rises w s = true -> reached m w -> reached m (risen w s).
  Proof.
    intros A H U R least. set (times := Z.max 1 least). assert (At : able n (repeated s times)) by (apply able_repeated; auto; unfold times; lia).
    destruct (most_needed (repeated s times) (fun x => Z.max (fst x) (Z.max least (least - snd x)))) as [most Hm]. destruct (R most) as (M & RM & P).
    assert (N : forall p, fst (summed (repeated s times) p) <= Z.of_N (M p)).
    { intros p. destruct (P p) as [P1 P2]. specialize (Hm p). destruct (imem w p) eqn:W; [specialize (P1 eq_refl); lia|]. specialize (P2 eq_refl).
      destruct (has_spec m w s p H) as [|B]; [congruence|]. destruct (rises_spec w s p U) as [|E]; [congruence|]. rewrite summed_repeated. cbn [fst].
      assert (1 <= times) by (unfold times; lia). nia. }
    destruct (At M N) as (M' & L & E). exists M'. split; [eapply leads_reachable; eauto|]. intros p. destruct (P p) as [P1 P2]. specialize (Hm p). rewrite E. split; intros W.
    - destruct (imem w p) eqn:V; [specialize (P1 eq_refl); lia|]. specialize (P2 eq_refl). apply risen_spec in W as [W|W]; [congruence|].
      rewrite summed_repeated in *. cbn [fst snd] in *. assert (1 <= times) by (unfold times; lia). assert (least <= times) by (unfold times; lia). nia.
    - assert (V : imem w p = false) by (apply not_true_iff_false; intros V; rewrite (risen_more w s p V) in W; discriminate). specialize (P2 V).
      destruct (rises_spec w s p U) as [|G]; [congruence|]. rewrite summed_repeated. cbn [snd]. assert (1 <= times) by (unfold times; lia). nia.
  Qed.

  Theorem pump_sound steps : forall m w w', pump m w steps = Some w' -> reached m w -> exists m', reached m' w'.
  Proof.
    induction steps as [|[times ts|ts] steps IH]; intros m w w' H R; cbn [pump] in H.
    - injection H as <-. eauto.
    - destruct (summary_of numbered_transitions (PM.empty _) ts) as [s|] eqn:E; [|discriminate].
      destruct (N.eqb_spec times 0) as [->|D]; [eapply IH; eauto|]. destruct (has m w (repeated s (Z.of_N times))) eqn:F; [|discriminate].
      apply (IH _ _ _ H). apply reached_times; auto. apply able_repeated; [lia|]. exact (summary_able n numbered_transitions there ts _ _ E (able_nothing n)).
    - destruct (summary_of numbered_transitions (PM.empty _) ts) as [s|] eqn:E; [|discriminate]. destruct (has m w s && rises w s) eqn:F; [|discriminate].
      apply andb_true_iff in F as [F1 F2]. apply (IH _ _ _ H). apply reached_often; auto. exact (summary_able n numbered_transitions there ts _ _ E (able_nothing n)).
  Qed.
End Pump.

(** net.pump.place *)
Definition check_pump (n : net) (ps : list id) (steps : list pump_step) : bool :=
  match pump (table xH (transitions n)) (first_marking n) (PM.empty unit) steps with Some w => existsb (imem w) ps | None => false end.

Theorem check_pump_sound n ps steps : check_pump n ps steps = true -> exists p, In p ps /\ forall least : Z, exists M, reachable n M /\ least <= Z.of_N (M p).
Proof.
  unfold check_pump. destruct (pump _ _ _ steps) as [w|] eqn:E; [|discriminate]. intros H. apply existsb_exists in H as (p & I & W). exists p. split; auto.
  destruct (pump_sound n _ (fun k t F => table_in _ _ _ _ F) steps _ _ _ E) as [m R].
  - intros least. exists (at_place (first_marking n)). split; [apply Beginning; intros; apply first_at|]. intros q. unfold imem. rewrite PM.gempty. split; [discriminate|intros; lia].
  - intros least. destruct (R least) as (M & RM & P). exists M. split; auto. now apply P.
Qed.
