(** Home spaces: what can always be reached again. *)

From Coq Require Import List PArith NArith ZArith Bool Lia SetoidList.
From Proved Require Import Sets Arithmetic.
From Proved.Nets Require Import Net Goal Marking Run Bounds States.
Import ListNotations.
Open Scope N_scope.

(** A marking, how far it is from a home, and, for a home, what fires there. *)
Record home := Home { tokens_here : list N; rank : N; way : list id }.

Definition home_space (n : net) (g : goal) : Prop := forall M, reachable n M -> exists M', leads n M M' /\ goal_met M' g = true.

Section Homes.
  Context (n : net).

  Definition at_home (e : home) : markings := marking_of (places n) (tokens_here e).

  (** What is visited on the way of a word; net.homes.goal *)
  Fixpoint visited_all (ts : PM.t transition) (open : list goal) (m : markings) (word : list id) : bool :=
    let open := filter (fun g => negb (goal_met (at_place m) g)) open in
    match word with
    | [] => match open with [] => true | _ => false end
    | t :: word =>
        match PM.find t ts with
        | Some t => match fire m t with Some m => visited_all ts open m word | None => false end
        | None => false
        end
    end.

  Definition ranks (es : list home) : PM.t N := fold_left (fun r e => PM.add (written (places n) (at_home e)) (rank e) r) es (PM.empty N).

  Definition check_home (ts : PM.t transition) (rs : PM.t N) (gs : list goal) (e : home) : bool :=
    match rank e with
    | 0 => visited_all ts gs (at_home e) (way e)                                            (* net.homes.words net.homes.ranks *)
    | r => existsb (fun t => match fire (at_home e) t with
        | Some m => match PM.find (written (places n) m) rs with Some r' => r' <? r | None => false end      (* net.homes.falling *)
        | None => false
        end) (transitions n)
    end.

  Definition check_homes (gs : list goal) (es : list home) : bool :=
    let ts := table xH (transitions n) in
    let rs := ranks es in
    check_closed n (map tokens_here es) (fun _ => true) && forallb (check_home ts rs gs) es.

  Lemma visited_all_sound word : forall open m, visited_all (table xH (transitions n)) open m word = true ->
    forall g, In g open -> exists m', leads n (at_place m) (at_place m') /\ goal_met (at_place m') g = true.
  Proof.
    induction word as [|t word IH]; intros open m H g I; cbn [visited_all] in H; set (left := filter _ open) in *;
      (destruct (goal_met (at_place m) g) eqn:G; [exists m; split; auto; now apply Stay|]);
      assert (J : In g left) by (apply filter_In; now rewrite G).
    - destruct left; [destruct J|discriminate].
    - destruct (PM.find t (table xH (transitions n))) as [u|] eqn:E; [|discriminate]. destruct (fire m u) as [m1|] eqn:F; [|discriminate].
      destruct (IH _ _ H g J) as (m' & L & Gm). exists m'. split; auto. apply (leads_trans n _ (at_place m1)); auto.
      apply (Then _ (at_place m) u); [now apply Stay|eapply table_in; eauto|now apply fire_some].
  Qed.

  Lemma ranks_in es k r : PM.find k (ranks es) = Some r -> exists e, In e es /\ written (places n) (at_home e) = k /\ rank e = r.
  Proof.
    unfold ranks. enough (H : forall rs, PM.find k (fold_left (fun r e => PM.add (written (places n) (at_home e)) (rank e) r) es rs) = Some r ->
      PM.find k rs = Some r \/ exists e, In e es /\ written (places n) (at_home e) = k /\ rank e = r).
    { intros F. destruct (H _ F) as [G|G]; auto. rewrite PM.gempty in G. discriminate. }
    induction es as [|e es IH]; intros rs F; cbn [fold_left] in F; auto. destruct (IH _ F) as [G|(e' & I & E)]; [|right; exists e'; split; [right; auto|auto]].
    destruct (Pos.eq_dec k (written (places n) (at_home e))) as [->|D]; [rewrite PM.gss in G; injection G as <-; right; exists e; cbn; auto|].
    rewrite PM.gso in G by auto. auto.
  Qed.

  Theorem check_homes_sound gs es : check_homes gs es = true -> forall g, In g gs -> home_space n g.
  Proof.
    unfold check_homes. rewrite andb_true_iff. intros [C H] g Ig M R. rewrite forallb_forall in H.
    assert (W : net_on_places n = true) by (unfold check_closed in C; now rewrite !andb_true_iff in C).
    assert (X : forall r e, rank e <= r -> In e es -> reachable n (at_place (at_home e)) -> exists m', leads n (at_place (at_home e)) (at_place m') /\ goal_met (at_place m') g = true).
    { induction r as [|r IH] using N.peano_ind; intros e Le Ie Re; specialize (H e Ie) as He; unfold check_home in He; destruct (rank e) as [|above] eqn:Er; try lia;
        try (exact (visited_all_sound _ _ _ He g Ig)).
      apply existsb_exists in He as (t & It & He). destruct (fire (at_home e) t) as [m|] eqn:F; [|discriminate].
      destruct (PM.find (written (places n) m) (ranks es)) as [r'|] eqn:Fr; [|discriminate]. apply N.ltb_lt in He. apply ranks_in in Fr as (e' & Ie' & We & <-).
      pose proof (fire_some _ _ _ F) as Fs. assert (Rm : reachable n (at_place m)) by (apply (Firing n (at_place (at_home e)) t); auto).
      assert (E : forall p, at_place m p = at_place (at_home e') p).
      { intros p. destruct (in_dec Pos.eq_dec p (places n)) as [J|J]; [symmetry; exact (written_inj _ _ _ We p J)|].
        unfold at_home. rewrite (marking_of_elsewhere n _ p J). now apply (elsewhere n). }
      destruct (IH e') as (m' & L & Gm); [lia|auto|apply (reachable_ext n (at_place m)); auto|]. exists m'. split; auto.
      apply (leads_trans n _ (at_place (at_home e'))); auto. apply (Then _ (at_place (at_home e)) t); [now apply Stay|auto|].
      apply (fires_ext t (at_place (at_home e)) (at_place m)); auto. }
    destruct (check_closed_sound n _ _ C M R) as (m & I & _ & E). rewrite map_map in I. apply in_map_iff in I as (e & <- & Ie).
    destruct (X (rank e) e) as (m' & L & Gm); [lia|auto|apply (reachable_ext n M); auto; intros p; symmetry; apply E|]. exists (at_place m'). split; auto.
    apply (leads_trans n _ (at_place (at_home e))); auto. apply Stay. intros p. symmetry. apply E.
  Qed.

  (** * Where a goal is lost *)

  (** The net that begins with another marking. *)
  Definition begin_at (m : markings) : net := {| places := places n; marked := PM.elements m; transitions := transitions n |}.

  Lemma elements_weight m p : weight (PM.elements m) p = at_place m p.
  Proof.
    assert (U : forall l k, NoDupA (@PM.eq_key N) l -> In (p, k) l -> weight l p = k).
    { induction l as [|a l IH]; intros k ND I; [destruct I|]. inversion ND as [|? ? Na Nl]; subst. rewrite weight_cons. destruct I as [->|I].
      - cbn [fst snd]. rewrite Pos.eqb_refl. destruct (N.eq_dec (weight l p) 0) as [->|D]; [lia|]. exfalso. apply Na.
        assert (L : 0 < weight l p) by lia. apply weight_in, in_map_iff in L as (b & E & I). apply InA_alt. exists b. split; auto. unfold PM.eq_key. cbn. symmetry. exact E.
      - rewrite (IH k Nl I). match goal with |- (if ?b then _ else _) + _ = _ => destruct b eqn:E end; [|lia]. apply Pos.eqb_eq in E. exfalso. apply Na. apply InA_alt. exists (p, k). split; auto.
        unfold PM.eq_key. cbn. symmetry. exact E. }
    unfold at_place. destruct (PM.find p m) as [k|] eqn:F.
    - apply U; [apply PM.elements_3w|now apply PM.elements_correct].
    - destruct (N.eq_dec (weight (PM.elements m) p) 0) as [|D]; auto. assert (L : 0 < weight (PM.elements m) p) by lia.
      apply weight_in, in_map_iff in L as ([q k] & E & I). cbn in E. subst. apply PM.elements_complete in I. congruence.
  Qed.

  Lemma begin_at_reaches m M : leads n (at_place m) M -> reachable (begin_at m) M.
  Proof.
    intros L. remember (at_place m) as K eqn:EK. induction L as [K M E|K M1 t M L IH I F]; subst.
    - apply Beginning. intros p. cbn [begin_at marked]. now rewrite E, elements_weight.
    - apply (Firing (begin_at m) M1 t M); auto.
  Qed.

  Definition after (word : list item) : option net :=
    match finish (table xH (transitions n)) (first_marking n) word with Some m => Some (begin_at m) | None => None end.

  Theorem after_sound word n' g : after word = Some n' -> ~ goal_reachable n' g -> ~ home_space n g.
  Proof.
    unfold after. destruct (finish _ _ word) as [m|] eqn:F; [|discriminate]. intros [= <-] N H.
    apply (finish_sound n _ (fun k t E => table_in _ _ _ _ E)) in F.
    assert (R : reachable n (at_place m)) by (apply (leads_reachable n _ _ F); apply Beginning; intros p; apply first_at).
    destruct (H _ R) as (M' & L & G). apply N. exists M'. split; auto. now apply begin_at_reaches.
  Qed.
End Homes.
