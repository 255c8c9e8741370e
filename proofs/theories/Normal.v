(** The normal form of a system has its answers, interleaved and serial: here
    that it has all interleaved ones, and no other serial ones.

    Which node stands for what is a hint: a list of numbers with the request
    and local state, or the request and response, that they stand for. It is
    checked that nothing is missing. *)

From Coq Require Import List PArith Bool Permutation Lia.
From Proved Require Import Sets Model Run Simulation.
Import ListNotations.

Inductive place := At (r l : id) | Answered (r a : id).

Definition place_eqb (x y : place) : bool :=
  match x, y with
  | At r l, At r' l' | Answered r l, Answered r' l' => Pos.eqb r r' && Pos.eqb l l'
  | _, _ => false
  end.

Lemma place_eqb_eq x y : place_eqb x y = true -> x = y.
Proof. destruct x, y; cbn; try discriminate; rewrite andb_true_iff, !Pos.eqb_eq; intros [-> ->]; auto. Qed.

Section Normal.
  Context (s : system) (table : list (id * place)).

  Definition decode_map : PM.t place := fold_left (fun m e => PM.add (fst e) (snd e) m) table (PM.empty _).
  Definition nodes_at : index_type id :=
    index (tflat (fun e => match snd e with At r l => [((r, l), fst e)] | _ => [] end) table).
  Definition nodes_answered : index_type id :=
    index (tflat (fun e => match snd e with Answered r a => [((r, a), fst e)] | _ => [] end) table).
  Definition steps_by_local : PM.t (list (id * point)) := index1 (tmap (fun t => (fst (fst t), (snd (fst t), snd t))) (steps s)).
  Definition is_nil {A} (l : list A) : bool := match l with [] => true | _ => false end.
  Definition all_globals : list id :=
    fst (fold_left (fun a g => if imem (snd a) g then a else (g :: fst a, iadd (snd a) g))
      (initial s :: tflat (fun t => [snd (fst t); snd (snd t)]) (steps s)) ([], PM.empty _)).

  Definition normal_kinds : PM.t kind :=
    let begins := pset_of (starts s) in
    fold_left (fun m e => match snd e with
      | At r l => if pmem begins (r, l) then PM.add (fst e) Initial m else m
      | Answered _ _ => PM.add (fst e) Done m end) table (PM.empty _).

  Definition normal_steps : list step :=
    let at_place := nodes_at in
    let at_answer := nodes_answered in
    let by_local := steps_by_local in
    let gives := index1 (answers s) in
    let begins := pset_of (starts s) in
    let gs := all_globals in
    tflat (fun e => match snd e with
      | Answered _ _ => []
      | At r l =>
          tapp (tflat (fun t => let l' := fst (snd t) in
              tapp (if is_nil (found1 by_local l') then [] else tmap (fun n' => ((fst e, fst t), (n', snd (snd t)))) (found at_place (r, l')))
                (tflat (fun a => tmap (fun d => ((fst e, fst t), (d, snd (snd t)))) (found at_answer (r, a))) (found1 gives l')))
            (found1 by_local l))
          (if pmem begins (r, l)
           then tflat (fun a => tflat (fun d => tmap (fun g => ((fst e, g), (d, g))) gs) (found at_answer (r, a))) (found1 gives l)
           else [])
      end) table.

  (** Nothing is missing, and no number stands for two things. *)
  Definition covered (r l : id) : bool :=
    (is_nil (found1 steps_by_local l) || negb (is_nil (found nodes_at (r, l)))) &&
    forallb (fun a => negb (is_nil (found nodes_answered (r, a)))) (found1 (index1 (answers s)) l).

  Definition check_table : bool :=
    let m := decode_map in
    let at_place := nodes_at in
    let at_answer := nodes_answered in
    let by_local := steps_by_local in
    let gives := index1 (answers s) in
    let ks := normal_kinds in
    let covered := fun r l => (is_nil (found1 by_local l) || negb (is_nil (found at_place (r, l)))) &&
      forallb (fun a => negb (is_nil (found at_answer (r, a)))) (found1 gives l) in
    forallb (fun e => match PM.find (fst e) m with Some x => place_eqb x (snd e) | None => false end) table &&
    forallb (fun b => negb (is_nil (found at_place b)) && covered (fst b) (snd b)) (starts s) &&
    forallb (fun e => match snd e with
      | At r l => forallb (fun t => covered r (fst (snd t))) (found1 by_local l)
      | Answered _ _ => true end) table &&
    forallb (fun e => match snd e with
      | At r l => true
      | Answered _ _ => match PM.find (fst e) ks with Some Done => true | _ => false end end) table &&
    forallb (fun b => forallb (fun n => match PM.find n ks with Some Initial => true | _ => false end) (found at_place b)) (starts s).

  Definition normal : option form :=
    if check_table then Some (Form (initial s) normal_kinds (tidy normal_steps)) else None.

  (** The letter of a done node. *)
  Definition letter_of (n : id) : letter := match PM.find n decode_map with Some (Answered r a) => (r, a) | _ => (1, 1)%positive end.

  (** ** What was computed *)

  Definition has_step (l : id) : Prop := exists g q, In ((l, g), q) (steps s).

  Lemma nodes_at_in r l n : In n (found nodes_at (r, l)) <-> In (n, At r l) table.
  Proof.
    unfold nodes_at. rewrite found_index, tflat_in. split.
    - intros ([n' [r' l'|? ?]] & J & K); cbn in K; [destruct K as [[= <- <- <-]|[]]; auto|destruct K].
    - intros J. exists (n, At r l). split; cbn; auto.
  Qed.

  Lemma nodes_answered_in r a n : In n (found nodes_answered (r, a)) <-> In (n, Answered r a) table.
  Proof.
    unfold nodes_answered. rewrite found_index, tflat_in. split.
    - intros ([n' [? ?|r' l']] & J & K); cbn in K; [destruct K|destruct K as [[= <- <- <-]|[]]; auto].
    - intros J. exists (n, Answered r a). split; cbn; auto.
  Qed.

  Lemma steps_by_local_in l g q : In (g, q) (found1 steps_by_local l) <-> In ((l, g), q) (steps s).
  Proof.
    unfold steps_by_local. rewrite found_index1, tmap_in. split.
    - intros ([[a b] c] & E & J); cbn in E. injection E as <- <- <-. auto.
    - intros J. exists ((l, g), q); auto.
  Qed.

  Lemma no_steps l : is_nil (found1 steps_by_local l) = false <-> has_step l.
  Proof.
    unfold has_step. split.
    - destruct (found1 steps_by_local l) as [|[g q] t] eqn:E; [discriminate|]. intros _. exists g, q. apply steps_by_local_in. rewrite E. now left.
    - intros (g & q & J). apply steps_by_local_in in J. destruct (found1 steps_by_local l); [destruct J|auto].
  Qed.

  Lemma all_globals_in g : g = initial s \/ (exists p q, In (p, q) (steps s) /\ (g = snd p \/ g = snd q)) -> In g all_globals.
  Proof.
    intros H. assert (J : In g (initial s :: tflat (fun t => [snd (fst t); snd (snd t)]) (steps s))).
    { destruct H as [->|(p & q & J & H)]; [left; auto|right]. apply tflat_in. exists (p, q). split; auto. cbn. intuition. }
    clear H. unfold all_globals. set (l := initial s :: _) in *. clearbody l.
    assert (H : forall a, (forall x, imem (snd a) x = true -> In x (fst a)) -> In g l \/ In g (fst a) ->
      In g (fst (fold_left (fun a g => if imem (snd a) g then a else (g :: fst a, iadd (snd a) g)) l a))).
    { clear J. induction l as [|h l IH]; cbn [fold_left]; intros a A [J|J]; try (destruct J; fail); auto.
      - destruct J as [->|J].
        + destruct (imem (snd a) g) eqn:E; apply IH; auto; cbn; auto. intros x X. apply imem_iadd in X as [->|X]; auto.
        + destruct (imem (snd a) h) eqn:E; apply IH; auto. cbn. intros x X. apply imem_iadd in X as [->|X]; auto.
      - destruct (imem (snd a) h) eqn:E; apply IH; cbn; auto. intros x X. apply imem_iadd in X as [->|X]; auto. }
    apply H; auto. cbn. intros x. unfold imem. rewrite PM.gempty. discriminate.
  Qed.

  Lemma normal_steps_in p q : In (p, q) normal_steps <-> exists n r l, In (n, At r l) table /\ fst p = n /\
    ((exists l' n', In ((l, snd p), (l', snd q)) (steps s) /\ has_step l' /\ In (n', At r l') table /\ fst q = n') \/
     (exists l' a, In ((l, snd p), (l', snd q)) (steps s) /\ In (l', a) (answers s) /\ In (fst q, Answered r a) table) \/
     (exists a, In (r, l) (starts s) /\ In (l, a) (answers s) /\ In (fst q, Answered r a) table /\ snd p = snd q /\ In (snd p) all_globals)).
  Proof.
    unfold normal_steps. rewrite tflat_in. split.
    - intros ([n [r l|? ?]] & J & K); cbn [fst snd] in K; [|destruct K]. exists n, r, l. apply tapp_in in K as [K|K].
      + apply tflat_in in K as ([g [l' g']] & Jt & K). cbn [fst snd] in K. apply steps_by_local_in in Jt. apply tapp_in in K as [K|K].
        * destruct (is_nil _) eqn:E; [destruct K|]. apply no_steps in E. apply tmap_in in K as (n' & [= <- <-] & K). apply nodes_at_in in K. cbn. eauto 10.
        * apply tflat_in in K as (a & Ja & K). apply found_index1 in Ja. apply tmap_in in K as (d & [= <- <-] & K). apply nodes_answered_in in K. cbn. eauto 10.
      + destruct (pmem _ _) eqn:E; [|destruct K]. apply pmem_of in E. apply tflat_in in K as (a & Ja & K). apply found_index1 in Ja.
        apply tflat_in in K as (d & Jd & K). apply nodes_answered_in in Jd. apply tmap_in in K as (g & [= <- <-] & K). cbn. repeat split; auto. right; right. eauto 10.
    - intros (n & r & l & J & Ep & H). destruct p as [n0 g], q as [m g']. cbn [fst snd] in *. subst n0. exists (n, At r l). split; auto. cbn [fst snd].
      apply tapp_in. destruct H as [(l' & n' & M & Hs & Jn & ->)|[(l' & a & M & Ja & Jd)|(a & Js & Ja & Jd & <- & Jg)]].
      + left. apply tflat_in. exists (g, (l', g')). split; [now apply steps_by_local_in|]. cbn [fst snd]. apply tapp_in. left.
        apply no_steps in Hs. rewrite Hs. apply tmap_in. exists n'. split; auto. now apply nodes_at_in.
      + left. apply tflat_in. exists (g, (l', g')). split; [now apply steps_by_local_in|]. cbn [fst snd]. apply tapp_in. right.
        apply tflat_in. exists a. split; [now apply found_index1|]. apply tmap_in. exists m. split; auto. now apply nodes_answered_in.
      + right. assert (E : pmem (pset_of (starts s)) (r, l) = true) by now apply pmem_of. rewrite E.
        apply tflat_in. exists a. split; [now apply found_index1|]. apply tflat_in. exists m. split; [now apply nodes_answered_in|].
        apply tmap_in. exists g; auto.
  Qed.

  Definition is_covered (r l : id) : Prop :=
    (has_step l -> exists n, In (n, At r l) table) /\ (forall a, In (l, a) (answers s) -> exists d, In (d, Answered r a) table).

  Lemma covered_sound r l : covered r l = true -> is_covered r l.
  Proof.
    unfold covered. rewrite andb_true_iff, forallb_forall. intros [A B]. split.
    - intros H. apply no_steps in H. rewrite H in A. cbn in A. destruct (found nodes_at (r, l)) as [|n t] eqn:E; [discriminate|].
      exists n. apply nodes_at_in. rewrite E. now left.
    - intros a Ja. apply found_index1 in Ja. specialize (B _ Ja). destruct (found nodes_answered (r, a)) as [|d t] eqn:E; [discriminate|].
      exists d. apply nodes_answered_in. rewrite E. now left.
  Qed.

  Context (f : form) (N : normal = Some f).
  Let T := normal_steps.

  Record table_ok := {
    ok_decode : forall n x, In (n, x) table -> PM.find n decode_map = Some x;
    ok_start : forall r l, In (r, l) (starts s) -> (exists n, In (n, At r l) table) /\ is_covered r l;
    ok_step : forall n r l g l' g', In (n, At r l) table -> In ((l, g), (l', g')) (steps s) -> is_covered r l';
    ok_done : forall n r a, In (n, Answered r a) table -> kind_of f n = Done;
    ok_initial : forall n r l, In (n, At r l) table -> In (r, l) (starts s) -> kind_of f n = Initial }.

  Lemma normal_ok : table_ok /\ first f = initial s /\ (forall p q, path (fsteps f) p q <-> path T p q) /\ kinds f = normal_kinds.
  Proof.
    pose proof N as Nf. unfold normal in Nf. destruct check_table eqn:C; [|discriminate]. injection Nf as Ef.
    assert (Ek : kinds f = normal_kinds) by now rewrite <- Ef.
    unfold check_table in C. rewrite !andb_true_iff, !forallb_forall in C. destruct C as [[[[C1 C2] C3] C4] C5].
    split; [|split; [now rewrite <- Ef|split; [intros; rewrite <- Ef; apply tidy_path|exact Ek]]]. split.
    - intros n x J. specialize (C1 _ J). cbn in C1. destruct (PM.find n decode_map); [|discriminate]. f_equal. now apply place_eqb_eq.
    - intros r l J. specialize (C2 _ J). apply andb_true_iff in C2 as [A B]. split; [|now apply covered_sound].
      destruct (found nodes_at (r, l)) as [|n t] eqn:E; [discriminate|]. exists n. apply nodes_at_in. rewrite E. now left.
    - intros n r l g l' g' J M. specialize (C3 _ J). cbn in C3. rewrite forallb_forall in C3. apply steps_by_local_in in M. specialize (C3 _ M). now apply covered_sound.
    - intros n r a J. specialize (C4 _ J). cbn in C4. unfold kind_of. rewrite Ek. destruct (PM.find n normal_kinds) as [[]|]; auto; discriminate.
    - intros n r l J K. specialize (C5 _ K). rewrite forallb_forall in C5. apply nodes_at_in in J. specialize (C5 _ J). unfold kind_of. rewrite Ek.
      destruct (PM.find n normal_kinds) as [[]|]; auto; discriminate.
  Qed.

  (** What is done was answered, and what is initial may start. *)
  Lemma normal_kinds_in n k : PM.find n normal_kinds = Some k ->
    match k with Done => exists r a, In (n, Answered r a) table | Initial => exists r l, In (n, At r l) table /\ In (r, l) (starts s) | Inner => True end.
  Proof.
    unfold normal_kinds.
    assert (H : forall l m, incl l table ->
      (forall n k, PM.find n m = Some k -> match k with Done => exists r a, In (n, Answered r a) table | Initial => exists r l, In (n, At r l) table /\ In (r, l) (starts s) | Inner => True end) ->
      forall n k, PM.find n (fold_left (fun m e => match snd e with
      | At r l => if pmem (pset_of (starts s)) (r, l) then PM.add (fst e) Initial m else m
      | Answered _ _ => PM.add (fst e) Done m end) l m) = Some k -> match k with Done => exists r a, In (n, Answered r a) table | Initial => exists r l, In (n, At r l) table /\ In (r, l) (starts s) | Inner => True end).
    { clear n k. induction l as [|[e x] l IH]; cbn [fold_left fst snd]; intros m I H; [exact H|].
      assert (Je : In (e, x) table) by (apply I; now left).
      apply IH; [intros y Y; apply I; now right|]. destruct x as [r l0|r a].
      - destruct (pmem _ _) eqn:E; [|exact H]. apply pmem_of in E. intros n k. destruct (Pos.eq_dec n e) as [->|Ne].
        + rewrite PM.gss. intros [= <-]. eauto.
        + rewrite PM.gso by auto. apply H.
      - intros n k. destruct (Pos.eq_dec n e) as [->|Ne].
        + rewrite PM.gss. intros [= <-]. eauto.
        + rewrite PM.gso by auto. apply H. }
    apply H; [apply incl_refl|]. intros ? ?. rewrite PM.gempty. discriminate.
  Qed.

  Lemma done_answered n : kind_of f n = Done -> exists r a, In (n, Answered r a) table.
  Proof.
    destruct normal_ok as (_ & _ & _ & Ek). unfold kind_of. rewrite Ek. destruct (PM.find n normal_kinds) eqn:E; [|discriminate].
    intros ->. exact (normal_kinds_in _ _ E).
  Qed.

  Lemma initial_start n : kind_of f n = Initial -> exists r l, In (n, At r l) table /\ In (r, l) (starts s).
  Proof.
    destruct normal_ok as (_ & _ & _ & Ek). unfold kind_of. rewrite Ek. destruct (PM.find n normal_kinds) eqn:E; [|discriminate].
    intros ->. exact (normal_kinds_in _ _ E).
  Qed.

  Lemma letter_answered n r a : In (n, Answered r a) table -> letter_of n = (r, a).
  Proof. intros J. destruct normal_ok as [O _]. unfold letter_of. now rewrite (ok_decode O _ _ J). Qed.

  (** ** Serial runs of the normal form are serial runs of the system *)

  Lemma path_alone n g q : path T (n, g) q -> forall r l a, In (n, At r l) table -> In (fst q, Answered r a) table ->
    (exists l0, path (steps s) (l, g) (l0, snd q) /\ In (l0, a) (answers s)) /\ True.
  Proof.
    intros P. remember (n, g) as p eqn:Ep. revert n g Ep. destruct normal_ok as [O _].
    induction P as [p|p [m h] q M P IH]; intros n g Ep r l a J D; subst p.
    - cbn in D. apply (ok_decode O) in J. apply (ok_decode O) in D. congruence.
    - apply normal_steps_in in M as (n0 & r0 & l0 & J0 & E0 & H). cbn [fst snd] in *. subst n0.
      pose proof (ok_decode O _ _ J) as X. rewrite (ok_decode O _ _ J0) in X. injection X as -> ->.
      destruct H as [(l' & n' & M & _ & Jn & E)|[(l' & a' & M & Ja & Jd)|(a' & _ & Ja & Jd & Eg & _)]].
      + subst n'. destruct (IH m h eq_refl r l' a Jn D) as [(l1 & P1 & A1) _]. split; auto. exists l1; split; auto. econstructor; eauto.
      + (* No step leaves a done node. *)
        assert (Q : q = (m, h)).
        { inversion P as [|? ? ? M2]; auto. subst. apply normal_steps_in in M2 as (n2 & r2 & l2 & J2 & E2 & _). cbn in E2. subst n2.
          apply (ok_decode O) in J2. apply (ok_decode O) in Jd. congruence. }
        subst q. cbn in *. apply (ok_decode O) in Jd. apply (ok_decode O) in D. rewrite Jd in D. injection D as ->.
        split; auto. exists l'. split; auto. now apply path_one.
      + assert (Q : q = (m, h)).
        { inversion P as [|? ? ? M2]; auto. subst. apply normal_steps_in in M2 as (n2 & r2 & l2 & J2 & E2 & _). cbn in E2. subst n2.
          apply (ok_decode O) in J2. apply (ok_decode O) in Jd. congruence. }
        subst q. cbn in *. subst h. apply (ok_decode O) in Jd. apply (ok_decode O) in D. rewrite Jd in D. injection D as ->.
        split; auto. exists l. split; auto. constructor.
  Qed.

  (** The request of a path stays the same. *)
  Lemma path_request n g q r l r' a : path T (n, g) q -> In (n, At r l) table -> In (fst q, Answered r' a) table -> r' = r.
  Proof.
    intros P. remember (n, g) as p eqn:Ep. revert n g Ep l. destruct normal_ok as [O _].
    induction P as [p|p [m h] q M P IH]; intros n g Ep l J D; subst p.
    - cbn in D. apply (ok_decode O) in J. apply (ok_decode O) in D. congruence.
    - apply normal_steps_in in M as (n0 & r0 & l0 & J0 & E0 & H). cbn [fst snd] in *. subst n0.
      pose proof (ok_decode O _ _ J) as X. rewrite (ok_decode O _ _ J0) in X. injection X as -> ->.
      destruct H as [(l' & n' & M & _ & Jn & E)|H]; [subst n'; eapply IH; eauto|].
      assert (Jd : exists a', In (m, Answered r a') table).
      { destruct H as [(l' & a' & _ & _ & Jd)|(a' & _ & _ & Jd & _)]; eauto. }
      destruct Jd as [a' Jd].
      assert (Q : q = (m, h)).
      { inversion P as [|? ? ? M2]; auto. subst. apply normal_steps_in in M2 as (n2 & r2 & l2 & J2 & E2 & _). cbn in E2. subst n2.
        apply (ok_decode O) in J2. apply (ok_decode O) in Jd. congruence. }
      subst q. cbn in D. apply (ok_decode O) in Jd. apply (ok_decode O) in D. congruence.
  Qed.

  Lemma normal_serial ds : Ser f ds -> serial s (rev (map letter_of ds)).
  Proof.
    intros [g W]. apply walk_serial with g. destruct normal_ok as (O & Fi & Pa & _). rewrite Fi in W. revert W. generalize (initial s).
    induction ds as [|d ds IH]; intros g0 W; inversion W as [|? n ? g' ? ? I D P W']; subst; [constructor|]. cbn.
    econstructor; [|eauto]. apply Pa in P. destruct (initial_start _ I) as (r & l & J & Js). destruct (done_answered _ D) as (r' & a & Jd).
    rewrite (path_request _ _ (d, g') _ _ _ _ P J Jd) in Jd. rewrite (letter_answered _ _ _ Jd).
    destruct (path_alone _ _ (d, g') P r l a J Jd) as [(l0 & P0 & A0) _]. exists l, l0; cbn; auto.
  Qed.

  (** ** Runs of the system are runs of the normal form *)

  Lemma upd_app1 (A B : list id) i n : i < length A -> upd (A ++ B) i n = upd A i n ++ B.
  Proof. revert i; induction A; destruct i; cbn; intros; try lia; auto. f_equal. apply IHA. lia. Qed.

  Lemma upd_app2 (A B : list id) i n : length A <= i -> upd (A ++ B) i n = A ++ upd B (i - length A) n.
  Proof. revert i; induction A; destruct i; cbn; intros; try lia; auto. f_equal. apply IHA. lia. Qed.

  (** One that is done does not disturb. *)
  Lemma moves_insert U g A B g' E x : moves U (g, A ++ B) (g', E) -> exists A' B', E = A' ++ B' /\ length A' = length A /\
    moves U (g, A ++ x :: B) (g', A' ++ x :: B').
  Proof.
    intros M. remember (g, A ++ B) as c eqn:Ec. remember (g', E) as d eqn:Ed. revert g A B Ec.
    induction M as [c|h ts i n n' h' d En M R IH]; intros g A B Ec; subst.
    - injection Ec as -> ->. exists A, B. repeat split; auto. constructor.
    - injection Ec as -> ->. destruct (PeanoNat.Nat.lt_ge_cases i (length A)) as [L|L].
      + rewrite upd_app1 in * by auto. destruct (IH eq_refl h' (upd A i n') B eq_refl) as (A' & B' & -> & La & X).
        exists A', B'. rewrite upd_length in La. repeat split; auto.
        apply moves_cons with (n := n) (i := i) (n' := n') (g' := h'); auto; [rewrite nth_error_app1 in *; auto|].
        rewrite upd_app1; auto.
      + rewrite upd_app2 in * by auto. destruct (IH eq_refl h' A (upd B (i - length A) n') eq_refl) as (A' & B' & -> & La & X).
        exists A', B'. repeat split; auto.
        apply moves_cons with (n := n) (i := S i) (n' := n') (g' := h'); auto.
        * rewrite nth_error_app2 in * by lia. replace (S i - length A) with (S (i - length A)) by lia. auto.
        * rewrite upd_app2 by lia. replace (S i - length A) with (S (i - length A)) by lia. auto.
  Qed.

  (** Where a request that is in flight is: on its way, or done although it has
      not answered yet. *)
  Definition token (x : id * id) (n : id) : Prop :=
    (In (n, At (fst x) (snd x)) table /\ has_step (snd x)) \/
    (exists a, In (snd x, a) (answers s) /\ In (n, Answered (fst x) a) table).

  Lemma normal_run c e : run s (fun _ => True) c e -> flight e = [] ->
    Forall (fun x => is_covered (fst x) (snd x)) (flight c) -> In (global c) all_globals ->
    exists ns ts ds g, all f Initial ns /\ Forall2 token (flight c) ts /\ moves T (global c, ns ++ ts) (g, ds) /\ all f Done ds /\
      Permutation (completed e) (map letter_of ds ++ completed c).
  Proof.
    destruct normal_ok as [O _].
    induction 1 as [c _|c d e _ Ev R IH]; intros Fe Co Gl.
    - exists [], [], [], (global c). rewrite Fe. repeat split; try constructor. cbn. reflexivity.
    - destruct Ev as [g F Z r l B|g g' F1 F2 Z r l l' M|g F1 F2 Z r l a A]; cbn [flight global completed] in *.
      + destruct (ok_start O _ _ B) as [[n0 Jn0] Cv].
        destruct (IH Fe (Forall_cons (P := fun x => is_covered (fst x) (snd x)) (r, l) Cv Co) Gl) as (ns & ts & ds & gf & Ins & To & Mv & D & Pe).
        inversion To as [|? t ? ts' Tt To' E1 E2]; subst. cbn [fst snd] in *. destruct Tt as [[Jt Hs]|(a & Ja & Jt)]; cbn [fst snd] in *.
        * exists (ns ++ [t]), ts', ds, gf. repeat split; auto.
          -- apply Forall_app; split; auto. constructor; auto. eapply ok_initial; eauto.
          -- rewrite <- app_assoc. exact Mv.
        * exists (ns ++ [n0]), ts', ds, gf. repeat split; auto.
          -- apply Forall_app; split; auto. constructor; auto. eapply ok_initial; eauto.
          -- rewrite <- app_assoc. cbn.
             apply moves_cons with (n := n0) (i := length ns) (n' := t) (g' := g).
             ++ rewrite nth_error_app2, PeanoNat.Nat.sub_diag by lia. reflexivity.
             ++ apply normal_steps_in. exists n0, r, l. cbn. repeat split; auto. right; right. exists a. auto 6.
             ++ rewrite upd_app2, PeanoNat.Nat.sub_diag by lia. exact Mv.
      + apply Forall_app in Co as [Co1 Co2]. inversion Co2 as [|? ? Cx Co3]; subst. cbn [fst snd] in *.
        assert (Hs : has_step l) by (red; eauto). destruct (proj1 Cx Hs) as [n Jn].
        assert (Co' : Forall (fun x => is_covered (fst x) (snd x)) (F1 ++ (r, l') :: F2)).
        { apply Forall_app; split; auto. constructor; auto. cbn. eapply ok_step; eauto. }
        assert (Gl' : In g' all_globals) by (apply all_globals_in; right; exists (l, g), (l', g'); auto).
        destruct (IH Fe Co' Gl') as (ns & ts & ds & gf & Ins & To & Mv & D & Pe).
        apply Forall2_app_inv_l in To as (ts1 & ts2' & To1 & To2 & ->). inversion To2 as [|? t ? ts2 Tt To3 E1 E2]; subst.
        exists ns, (ts1 ++ n :: ts2), ds, gf. repeat split; auto.
        * apply Forall2_app; auto. constructor; auto. left. auto.
        * apply moves_cons with (n := n) (i := length (ns ++ ts1)) (n' := t) (g' := g').
          -- rewrite app_assoc, nth_error_app2, PeanoNat.Nat.sub_diag by lia. reflexivity.
          -- apply normal_steps_in. exists n, r, l. cbn. repeat split; auto. destruct Tt as [[Jt Hs']|(a & Ja & Jt)]; cbn in *; [left|right; left]; eauto 8.
          -- rewrite app_assoc, upd_app2, PeanoNat.Nat.sub_diag by lia. cbn. rewrite <- app_assoc. exact Mv.
      + apply Forall_app in Co as [Co1 Co2]. inversion Co2 as [|? ? Cx Co3]; subst. cbn [fst snd] in *.
        destruct (proj2 Cx a A) as [n Jn].
        assert (Co' : Forall (fun x => is_covered (fst x) (snd x)) (F1 ++ F2)) by (apply Forall_app; split; auto).
        destruct (IH Fe Co' Gl) as (ns & ts & ds & gf & Ins & To & Mv & D & Pe).
        apply Forall2_app_inv_l in To as (ts1 & ts2 & To1 & To2 & ->). rewrite app_assoc in Mv.
        destruct (moves_insert _ _ _ _ _ _ n Mv) as (A' & B' & -> & La & Mv').
        exists ns, (ts1 ++ n :: ts2), (A' ++ n :: B'), gf. apply Forall_app in D as [D1 D2]. repeat split; auto.
        * apply Forall2_app; auto. constructor; auto. right. cbn. eauto.
        * rewrite app_assoc. exact Mv'.
        * apply Forall_app; split; auto. constructor; auto. eapply ok_done; eauto.
        * rewrite Pe, !map_app. cbn. rewrite (letter_answered _ _ _ Jn), <- !app_assoc. cbn.
          apply Permutation_app_head. symmetry. apply Permutation_middle.
  Qed.

  Lemma normal_interleaved Z : interleaved s Z -> exists ds, Int f ds /\ Permutation Z (map letter_of ds).
  Proof.
    intros [g R]. destruct (normal_run _ _ R) as (ns & ts & ds & gf & I & To & M & D & P); auto.
    - constructor.
    - apply all_globals_in. auto.
    - cbn in *. inversion To; subst. rewrite app_nil_r in M, P. exists ds. split; auto. exists ns, gf. split; [auto|split; [auto|]].
      destruct normal_ok as (_ & -> & Pa & _). clear -M Pa.
      induction M as [c|h us i n n' h' d E M R IH]; [constructor|].
      eapply moves_app; [|exact IH]. apply (moves_path _ (n, h) (n', h') us i); auto. apply Pa. now apply path_one.
  Qed.
End Normal.
