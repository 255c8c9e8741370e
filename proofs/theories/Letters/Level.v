(** Automata whose walks stand for serial runs, and levels: an automaton made
    smaller, in two moves each of which can only lose answers. Loop letters are
    removed, which can be put back wherever a walk visits a state with their
    loop; and a simulation leads to another automaton. *)

From Coq Require Import List PArith Bool Permutation.
From Proved Require Import Sets Model Sums Euler.
Import ListNotations.

(** Edges have letters or classes of letters as labels. *)
Record automaton := Automaton { start_state : id; arcs : list edge }.

(** Answers of a walk from the beginning, in any order. *)
Definition walks (A : automaton) (ls : list id) : Prop :=
  exists W t, trail (start_state A) W t /\ Forall (fun e => In e (arcs A)) W /\ Permutation ls (map letter_of W).

(** Letters that are answered only beside others: [never] unless [outside]. *)
Record absence := Absence { outside : list id; never : list id }.
Definition guards (ds : list id) (a : absence) : Prop :=
  (forall x, In x ds -> ~ In x (never a)) \/ exists x, In x ds /\ In x (outside a).

(** A letter, and the number of a fact if it comes with a guard. *)
Record level := Level { loops : list (id * option id); after : automaton; relation : list (id * id) }.

(** Sets of edges. *)
Definition as_step (e : edge) : step := ((origin e, 1%positive), snd e).
Definition edge_set (l : list edge) : sset := sset_of (tmap as_step l).
Definition emem (s : sset) (e : edge) : bool := smem s (as_step e).

Lemma emem_of l e : emem (edge_set l) e = true <-> In e l.
Proof.
  unfold emem, edge_set. rewrite smem_of, tmap_in. split; [|eauto].
  intros ([o [a t]] & E & I). destruct e as [o' [a' t']]. injection E as -> -> ->. exact I.
Qed.

Section Level.
  (** The facts of which a guard may be one, by number. *)
  Context (absences : PM.t absence).

  Definition check_loop (before : automaton) (edges : sset) (removed : idset) (l : id * option id) : bool :=
    let has x := emem edges (x, (fst l, x)) in
    match snd l with
    | None => has (start_state before)                                                            (* letters.free *)
    | Some k =>
        match PM.find k absences with
        | None => false                                                                     (* letters.guard *)
        | Some a =>
            let out := iset (outside a) in
            existsb (Pos.eqb (fst l)) (never a) &&                                          (* letters.guard *)
            forallb (fun x => negb (imem removed x)) (outside a) &&                         (* letters.kept *)
            forallb (fun e => negb (imem out (letter_of e)) || has (origin e) || has (target e)) (arcs before)   (* letters.touch *)
        end
    end.

  Definition without (removed : idset) (A : automaton) : automaton :=
    Automaton (start_state A) (tfilter (fun e => negb (imem removed (letter_of e))) (arcs A)).

  Definition check_relation (before after : automaton) (R : list (id * id)) : bool :=
    let related := pset_of R in
    let can := index (tmap (fun e => ((origin e, letter_of e), target e)) (arcs before)) in
    let does := index1 (arcs after) in
    pmem related (start_state after, start_state before) &&                                             (* letters.start *)
    forallb (fun r => forallb (fun e => existsb (fun q => pmem related (snd e, q)) (found can (snd r, fst e))) (found1 does (fst r))) R.   (* letters.relation *)

  Definition remove (removed : idset) (l : level) : idset := fold_left (fun s x => iadd s (fst x)) (loops l) removed.

  Definition check_level (before : automaton) (removed : idset) (l : level) : bool :=
    let removed' := remove removed l in
    let edges := edge_set (arcs before) in
    forallb (check_loop before edges removed') (loops l) && check_relation (without removed' before) (after l) (relation l).

  Lemma remove_in removed l x : imem (remove removed l) x = true <-> imem removed x = true \/ exists k, In (x, k) (loops l).
  Proof.
    unfold remove. assert (H : forall (ls : list (id * option id)) s, imem (fold_left (fun s y => iadd s (fst y)) ls s) x = true <-> imem s x = true \/ exists k : option id, In (x, k) ls).
    { induction ls as [|[y k] ls IH]; cbn [fold_left fst]; intros s; [split; [auto|intros [|(? & [])]; auto]|].
      rewrite IH, imem_iadd. split.
      - intros [[->|]|(k' & I)]; auto; right; cbn; eauto.
      - intros [|(k' & [[= -> ->]|I])]; auto. right; eauto. }
    apply H.
  Qed.

  (** A walk of the smaller automaton is one of the larger. *)
  Lemma relation_walks before after R ls : check_relation before after R = true -> walks after ls -> walks before ls.
  Proof.
    unfold check_relation. rewrite andb_true_iff, pmem_of, forallb_forall. intros [B C] (W & t & T & F & P).
    assert (H : forall s W t, trail s W t -> Forall (fun e => In e (arcs after)) W -> forall q, In (s, q) R ->
      exists V u, trail q V u /\ Forall (fun e => In e (arcs before)) V /\ map letter_of V = map letter_of W).
    { clear -C. induction 1 as [g|e L t T IH]; intros F q J; [exists [], q; repeat split; constructor|]. inversion F as [|? ? I F']; subst.
      specialize (C _ J). cbn [fst snd] in C. rewrite forallb_forall in C. destruct e as [p [a p']]. cbn [origin fst target snd] in *.
      specialize (C (a, p')). rewrite found_index1 in C. specialize (C I). apply existsb_exists in C as (q' & K & M). cbn [fst snd] in *.
      apply pmem_of in M. apply found_index, tmap_in in K as ([o [b u]] & [= <- <- <-] & K). cbn [origin letter_of target fst snd] in *.
      destruct (IH F' _ M) as (V & v & TV & FV & EV). exists ((o, (b, u)) :: V), v. repeat split; [|constructor; auto|cbn; now f_equal].
      apply (trail_cons (o, (b, u))). exact TV. }
    destruct (H _ _ _ T F _ B) as (V & u & TV & FV & EV). exists V, u. repeat split; auto. now rewrite EV.
  Qed.

  (** Loops are put into a walk where it visits their state. *)
  Lemma insert_loops (A : automaton) s t xs : forall W, trail s W t -> Forall (fun e => In e (arcs A)) W ->
    Forall (fun x => exists p, In p (s :: map target W) /\ In (p, (x, p)) (arcs A)) xs ->
    exists V, trail s V t /\ Forall (fun e => In e (arcs A)) V /\ Permutation (xs ++ map letter_of W) (map letter_of V).
  Proof.
    induction xs as [|x xs IH]; intros W T F X; [exists W; repeat split; auto|]. inversion X as [|? ? (p & V & L) X']; subst.
    destruct (trail_split _ _ _ _ T V) as (U1 & U2 & -> & T1 & T2). apply Forall_app in F as [F1 F2].
    destruct (IH (U1 ++ (p, (x, p)) :: U2)) as (V' & TV & FV & PV).
    - apply trail_app with p; auto. apply (trail_cons (p, (x, p))). exact T2.
    - apply Forall_app. split; auto.
    - revert X'. apply Forall_impl. intros y (q & J & K). exists q. split; auto. rewrite map_app in J |- *. cbn [map].
      destruct J as [->|J]; [now left|right]. apply in_app_or in J as [J|J]; apply in_or_app; [left|right; right]; auto.
    - exists V'. repeat split; auto. rewrite <- PV. rewrite !map_app. cbn [map]. change (letter_of (p, (x, p))) with x.
      cbn [app]. rewrite (Permutation_middle xs). apply Permutation_app_head. apply Permutation_middle.
  Qed.

  Lemma filter_split {A} (p q : A -> bool) l : (forall x, q x = true -> p x = true) ->
    Permutation (filter p l) (filter (fun x => p x && negb (q x)) l ++ filter q l).
  Proof.
    intros H. induction l as [|x l IH]; cbn [filter]; auto. specialize (H x). destruct (p x), (q x); cbn [andb negb app].
    - rewrite IH. apply Permutation_middle.
    - now rewrite IH.
    - discriminate (H eq_refl).
    - exact IH.
  Qed.

  Definition kept (removed : idset) (ds : list id) : list id := filter (fun x => negb (imem removed x)) ds.

  (** What is left of the answers is led back through a level. *)
  Theorem level_sound before removed l ds : check_level before removed l = true ->
    (forall k a, PM.find k absences = Some a -> guards ds a) ->
    walks (after l) (kept (remove removed l) ds) -> walks before (kept removed ds).
  Proof.
    unfold check_level. rewrite andb_true_iff, forallb_forall. intros [L C] G H. apply (relation_walks _ _ _ _ C) in H as (W & t & T & F & P).
    set (removed' := remove removed l) in *. cbn [start_state without] in T.
    assert (F' : Forall (fun e => In e (arcs before)) W).
    { revert F. apply Forall_impl. intros e I. cbn [arcs without] in I. now apply tfilter_in in I as [I _]. }
    destruct (insert_loops before (start_state before) t (filter (fun x => negb (imem removed x) && negb (negb (imem removed' x))) ds) W T F') as (V & TV & FV & PV).
    - apply Forall_forall. intros x I. apply filter_In in I as [Ix I]. rewrite negb_involutive, andb_true_iff, negb_true_iff in I. destruct I as [N I].
      apply remove_in in I as [I|(k & I)]; [congruence|]. specialize (L _ I). unfold check_loop in L. cbn [fst snd] in L.
      destruct k as [k|]; [|exists (start_state before); split; [now left|now apply emem_of in L]].
      destruct (PM.find k absences) as [a|] eqn:E; [|discriminate]. rewrite !andb_true_iff, !forallb_forall in L. destruct L as [[N1 N2] N3].
      apply existsb_exists in N1 as (y & Iy & Ey). apply Pos.eqb_eq in Ey. subst y.
      destruct (G _ _ E) as [H|(c & Ic & Oc)]; [destruct (H _ Ix Iy)|].
      assert (Kc : In c (kept removed' ds)) by (apply filter_In; auto).
      apply (Permutation_in _ P), in_map_iff in Kc as (e & <- & Ie). rewrite Forall_forall in F'.
      specialize (N3 e (F' e Ie)). apply imem_iset in Oc. rewrite Oc in N3. cbn [negb orb] in N3.
      destruct (trail_ends _ _ _ _ T Ie) as [E1 E2]. apply orb_true_iff in N3 as [N3|N3]; apply emem_of in N3; eauto.
    - exists V, t. repeat split; auto. rewrite <- PV, <- P. apply filter_split.
      intros x. rewrite !negb_true_iff. intros N. apply not_true_iff_false. intros R. apply not_true_iff_false in N. apply N. apply remove_in. auto.
  Qed.
End Level.
