(** Requests that are followed one by one: those that answer letters of some
    sets, of which there are as many as is said. Which of them are under way,
    and where, becomes part of the global state, and each of their steps a
    request of its own, a tick. *)

From Coq Require Import List PArith NArith ZArith Bool Permutation Lia.
From Proved Require Import Sets Model Simulation Sums Labels LinearSet Explored.
From Proved.Rules Require Import Track.
From Proved.Letters Require Import Slice.
Import ListNotations.

(** A global state; who is under way, by node and number of a set; and how many have not begun, for each set. *)
Definition control := (id * (list point * list (id * N)))%type.

Lemma left_dec (x y : id * N) : {x = y} + {x <> y}.
Proof. destruct x as [a b], y as [c d]. destruct (Pos.eq_dec a c), (N.eq_dec b d); [left; congruence|right; congruence..]. Defined.

Definition control_eqb (a b : control) : bool :=
  Pos.eqb (fst a) (fst b) && (if list_eq_dec point_dec (fst (snd a)) (fst (snd b)) then true else false) &&
  (if list_eq_dec left_dec (snd (snd a)) (snd (snd b)) then true else false).

Lemma control_eqb_eq a b : control_eqb a b = true -> a = b.
Proof.
  destruct a as [g [u l]], b as [g' [u' l']]. unfold control_eqb. cbn [fst snd]. rewrite !andb_true_iff, Pos.eqb_eq. intros [[-> U] L].
  destruct (list_eq_dec point_dec _ _); [|discriminate]. destruct (list_eq_dec left_dec _ _); [|discriminate]. congruence.
Qed.

Definition control_key (a : control) : point :=
  (fst a, N.succ_pos (fold_left (fun k p => (k * 31 + N.pos (fst p) * 7 + N.pos (snd p)) mod 1048573)%N (fst (snd a))
    (fold_left (fun k p => (k * 31 + snd p) mod 1048573)%N (snd (snd a)) 0%N))).

(** Each element, and the others. *)
Fixpoint picks (before l : list point) : list (point * list point) :=
  match l with
  | [] => []
  | x :: l => (x, rev_append before l) :: picks (x :: before) l
  end.

Fixpoint insert (x : point) (l : list point) : list point :=
  match l with
  | [] => [x]
  | y :: m => if point_leb x y then x :: l else y :: insert x m
  end.

(** One less has not begun. *)
Fixpoint one_less (j : id) (l : list (id * N)) : option (list (id * N)) :=
  match l with
  | [] => None
  | (i, n) :: l =>
      if Pos.eqb i j then if N.eqb n 0 then None else Some ((i, N.pred n) :: l)
      else match one_less j l with Some l => Some ((i, n) :: l) | None => None end
  end.

Lemma picks_in x l : In x l -> exists rest, In (x, rest) (picks [] l) /\ Permutation l (x :: rest).
Proof.
  enough (H : forall before, In x l -> exists rest, In (x, rest) (picks before l) /\ Permutation (before ++ l) (x :: rest)) by (intros I; exact (H [] I)).
  induction l as [|y l IH]; intros before I; [destruct I|]. cbn [picks]. destruct I as [->|I].
  - exists (rev_append before l). split; [now left|]. rewrite rev_append_rev, <- Permutation_middle. constructor. apply Permutation_app_tail, Permutation_rev.
  - destruct (IH (y :: before) I) as (rest & J & P). exists rest. split; [now right|]. rewrite <- P. cbn [app]. symmetry. apply Permutation_middle.
Qed.

Lemma insert_perm x l : Permutation (insert x l) (x :: l).
Proof. induction l as [|y l IH]; cbn [insert]; auto. destruct (point_leb x y); auto. rewrite IH. constructor. Qed.

Lemma one_less_map j w w' js : NoDup js -> In j js -> (w j = w' j + 1)%N -> (forall i, i <> j -> w i = w' i) ->
  one_less j (map (fun i => (i, w i)) js) = Some (map (fun i => (i, w' i)) js).
Proof.
  intros N I E O. induction js as [|i js IH]; [destruct I|]. inversion N as [|? ? Ni N']; subst. cbn [map one_less].
  destruct (Pos.eqb_spec i j) as [->|D].
  - destruct (N.eqb_spec (w j) 0); [exfalso; lia|]. f_equal. f_equal; [f_equal; lia|]. apply map_ext_in. intros k K. rewrite O; auto. congruence.
  - destruct I as [->|I]; [congruence|]. rewrite IH by auto. now rewrite O.
Qed.

Section Explicit.
  Context (f : form) (sets : list (id * idset)).

  (** The set in which a letter is. *)
  Definition set_of (x : id) : option id := match find (fun e => imem (snd e) x) sets with Some e => Some (fst e) | None => None end.
  Definition of_set (j x : id) : bool := match set_of x with Some i => Pos.eqb i j | None => false end.

  Context (tick ticked : id).

  (** A followed request lands. *)
  Definition lands (j : id) (others : list point) (still : list (id * N)) (q : point) : list (point * control) :=
    if is_kind f Done (fst q) then if of_set j (fst q) then [((tick, ticked), (snd q, (others, still)))] else []
    else [((tick, ticked), (snd q, (insert (fst q, j) others, still)))].

  (** What others do, what those under way do, and what those do that begin. *)
  Definition control_next (under : PM.t (list step)) (from : index_type point) (begins : list id) (c : control) : list (point * control) :=
    let '(g, (u, still)) := c in
    tapp (tmap (fun s => ((node_before s, node_after s), (global_after s, (u, still)))) (found1 under g))
      (tapp (tflat (fun x => tflat (lands (snd (fst x)) (snd x) still) (found from (fst (fst x), g))) (picks [] u))
        (tflat (fun l => match one_less (fst l) still with
          | Some less => tflat (fun n => tflat (lands (fst l) u less) (found from (n, g))) begins
          | None => [] end) still)).

  Definition control_home (c : control) : bool :=
    match fst (snd c) with [] => forallb (fun l => N.eqb (snd l) 0) (snd (snd c)) | _ => false end.

  (** Of the steps of others those from which an answer outside the sets can be reached. *)
  Definition others_under (R : idset) : PM.t (list step) :=
    index1 (tmap (fun s => (global_before s, s)) (tfilter (fun s => imem R (node_after s)) (fsteps f))).
  Definition explicit_next (R : idset) : control -> list (point * control) := control_next (others_under R) (index (fsteps f)) (nodes_of f Initial).

  (** * Following a run *)

  Section Sound.
    Context (R : idset) (kept dropped : list control) (T : list step).
    Let next := explicit_next R.
    Let js := map fst sets.
    Let number := number_of control_eqb control_key kept.
    Let lost := is_dropped control_eqb control_key dropped.
    Context (stays : done_stays f = true) (numbered : NoDup js).
    Context (leads : forall n, kind_of f n = Done -> set_of n = None -> imem R n = true).
    Context (back : forall s, In s (fsteps f) -> imem R (node_after s) = true -> imem R (node_before s) = true).
    Context (explored : explored_steps control_eqb control_key next control_home kept dropped = Some T).

    (** A request: where it is, what it will answer, and whether it has not begun yet. *)
    Definition request := (id * (id * bool))%type.
    Definition will (x : request) : id := fst (snd x).
    Definition waits (j : id) (x : request) : bool := snd (snd x) && of_set j (will x).
    Definition going (x : request) : list point :=
      match set_of (will x) with Some j => if snd (snd x) || is_kind f Done (fst x) then [] else [(fst x, j)] | None => [] end.
    Definition other (x : request) : list id := match set_of (will x) with Some _ => [] | None => [fst x] end.
    Definition other_will (x : request) : list id := match set_of (will x) with Some _ => [] | None => [will x] end.
    Definition waiting (P : list request) (j : id) : N := N.of_nat (length (filter (waits j) P)).
    Definition fresh_initial (P : list request) : Prop := Forall (fun x => snd (snd x) = true -> kind_of f (fst x) = Initial) P.

    Definition related (a : control) (g : id) (P : list request) : Prop :=
      fst a = g /\ Permutation (fst (snd a)) (flat_map going P) /\ snd (snd a) = map (fun j => (j, waiting P j)) js.

    Lemma done_remains c d : moves (fsteps f) c d -> forall i n, nth_error (snd c) i = Some n -> kind_of f n = Done -> nth_error (snd d) i = Some n.
    Proof.
      induction 1 as [c|g ts i n n' g' d E M Rs IH]; intros j m Em D; auto. apply IH; auto. cbn [snd] in *. destruct (PeanoNat.Nat.eq_dec i j) as [->|N].
      - exfalso. rewrite E in Em. injection Em as ->. unfold done_stays in stays. rewrite forallb_forall in stays. specialize (stays _ M).
        unfold node_before in stays. cbn [fst] in stays. rewrite D in stays. discriminate.
      - now rewrite upd_other.
    Qed.

    Lemma comes_from c d : moves (fsteps f) c d -> forall i n m, nth_error (snd c) i = Some n -> nth_error (snd d) i = Some m -> imem R m = true -> imem R n = true.
    Proof.
      induction 1 as [c|g ts i n n' g' d E M Rs IH]; intros j m x Em Ex I; [congruence|]. cbn [snd] in *. destruct (PeanoNat.Nat.eq_dec i j) as [->|N].
      - rewrite E in Em. injection Em as <-. apply (back _ M). unfold node_after. cbn [fst snd]. apply (IH j n' x); auto. apply upd_same. congruence.
      - apply (IH j m x); auto. now rewrite upd_other.
    Qed.

    Lemma upd_middle (l1 : list id) n n' l2 : upd (l1 ++ n :: l2) (length l1) n' = l1 ++ n' :: l2.
    Proof. induction l1; cbn; congruence. Qed.

    Lemma waiting_middle P1 x P2 j : waiting (P1 ++ x :: P2) j = (waiting (P1 ++ P2) j + N.b2n (waits j x))%N.
    Proof. unfold waiting. rewrite !filter_app, !app_length. cbn [filter]. destruct (waits j x); cbn [length N.b2n]; lia. Qed.

    Lemma lands_in j u still n' g' : (kind_of f n' = Done -> of_set j n' = true) ->
      In ((tick, ticked), (g', (if is_kind f Done n' then u else insert (n', j) u, still))) (lands j u still (n', g')).
    Proof.
      intros D. unfold lands. cbn [fst snd]. destruct (is_kind f Done n') eqn:K; [|now left]. apply is_kind_eq in K. rewrite (D K). now left.
    Qed.

    Lemma next_control a g P1 n x w P2 n' g' : related a g (P1 ++ (n, (x, w)) :: P2) -> (w = true -> kind_of f n = Initial) ->
      In ((n, g), (n', g')) (fsteps f) -> (kind_of f n' = Done -> n' = x) -> (set_of x = None -> imem R n' = true) ->
      exists a', related a' g' (P1 ++ (n', (x, false)) :: P2) /\
        In (match set_of x with None => (n, n') | Some _ => (tick, ticked) end, a') (next a).
    Proof.
      destruct a as [g0 [u still]]. unfold related. cbn [fst snd]. intros (-> & U & L) W M D Rn. rewrite flat_map_app in U. cbn [flat_map] in U.
      assert (Nd : is_kind f Done n = false).
      { apply not_true_iff_false. intros K. apply is_kind_eq in K. unfold done_stays in stays. rewrite forallb_forall in stays. specialize (stays _ M).
        unfold node_before in stays. cbn [fst] in stays. rewrite K in stays. discriminate. }
      unfold next, explicit_next, control_next. destruct (set_of x) as [j|] eqn:Sx.
      - assert (Ij : In j js).
        { unfold set_of in Sx. destruct (find _ sets) as [e|] eqn:F; [|discriminate]. injection Sx as <-. apply find_some in F as [F _]. unfold js. now apply in_map. }
        assert (Dj : kind_of f n' = Done -> of_set j n' = true).
        { intros K. rewrite (D K). unfold of_set. rewrite Sx. apply Pos.eqb_refl. }
        assert (Going : forall u0, Permutation u0 (flat_map going P1 ++ flat_map going P2) ->
          Permutation (if is_kind f Done n' then u0 else insert (n', j) u0) (flat_map going (P1 ++ (n', (x, false)) :: P2))).
        { intros u0 Pu. rewrite flat_map_app. cbn [flat_map]. unfold going at 2, will. cbn [fst snd]. rewrite Sx. cbn [orb].
          destruct (is_kind f Done n'); cbn [app]; auto. rewrite insert_perm, Pu. apply Permutation_middle. }
        destruct w.
        + assert (U0 : Permutation u (flat_map going P1 ++ flat_map going P2)) by (unfold going at 2, will in U; cbn [fst snd] in U; rewrite Sx in U; exact U).
          exists (g', (if is_kind f Done n' then u else insert (n', j) u, map (fun i => (i, waiting (P1 ++ (n', (x, false)) :: P2) i)) js)). split; [split; [|split]; cbn [fst snd]; auto|].
          apply tapp_in. right. apply tapp_in. right. apply tflat_in. exists (j, waiting (P1 ++ (n, (x, true)) :: P2) j). split; [rewrite L; now apply in_map with (f := fun i => (i, waiting (P1 ++ (n, (x, true)) :: P2) i))|].
          cbn [fst]. rewrite L, (one_less_map j _ (waiting (P1 ++ (n', (x, false)) :: P2)) js numbered Ij).
          * apply tflat_in. exists n. split; [apply nodes_of_in; [discriminate|auto]|]. apply tflat_in. exists (n', g'). split; [now apply found_index|]. now apply lands_in.
          * rewrite !waiting_middle. unfold waits, will, of_set. cbn [fst snd andb N.b2n]. rewrite Sx, Pos.eqb_refl. cbn [N.b2n]. lia.
          * intros i Ni. rewrite !waiting_middle. unfold waits, will, of_set. cbn [fst snd andb N.b2n]. rewrite Sx. apply not_eq_sym, Pos.eqb_neq in Ni. rewrite Ni. reflexivity.
        + assert (U0 : Permutation u ((n, j) :: flat_map going P1 ++ flat_map going P2)).
          { unfold going at 2, will in U. cbn [fst snd orb] in U. rewrite Sx, Nd in U. cbn [app] in U. rewrite U. symmetry. apply Permutation_middle. }
          destruct (picks_in (n, j) u) as (rest & Pi & Pr); [apply (Permutation_in _ (Permutation_sym U0)); now left|].
          assert (U1 : Permutation rest (flat_map going P1 ++ flat_map going P2)) by (apply (Permutation_cons_inv (a := (n, j))); now rewrite <- Pr).
          exists (g', (if is_kind f Done n' then rest else insert (n', j) rest, still)). split; [split; [|split]; cbn [fst snd]; auto|].
          * rewrite L. apply map_ext. intros i. rewrite !waiting_middle. reflexivity.
          * apply tapp_in. right. apply tapp_in. left. apply tflat_in. exists ((n, j), rest). split; auto. cbn [fst snd].
            apply tflat_in. exists (n', g'). split; [now apply found_index|]. now apply lands_in.
      - exists (g', (u, still)). split; [split; [|split]; cbn [fst snd]; auto|].
        + rewrite U, flat_map_app. cbn [flat_map]. unfold going at 2 5, will. cbn [fst snd]. rewrite Sx. reflexivity.
        + rewrite L. apply map_ext. intros i. rewrite !waiting_middle. unfold waits, will, of_set. cbn [fst snd]. rewrite Sx, andb_false_r. reflexivity.
        + apply tapp_in. left. apply tmap_in. exists ((n, g), (n', g')). split; auto. unfold others_under. apply found_index1, tmap_in. exists ((n, g), (n', g')).
          split; auto. apply tfilter_in. split; auto.
    Qed.

    Lemma moves_beside S' c d x : moves S' c d -> moves S' (fst c, x :: snd c) (fst d, x :: snd d).
    Proof.
      induction 1 as [c|g ts i n n' g' d E M Rs IH]; [constructor|]. cbn [fst snd] in *. apply moves_cons with (i := S i) (n := n) (n' := n') (g' := g'); auto.
    Qed.

    Lemma followed_run c d : moves (fsteps f) c d -> all f Done (snd d) -> forall P, snd c = map fst P -> snd d = map will P -> fresh_initial P ->
      (forall a, related a (fst c) P -> lost a = true -> False) /\
      (forall a k, related a (fst c) P -> number a = Some k ->
        exists m k', moves T (k, repeat tick m ++ flat_map other P) (k', repeat ticked m ++ flat_map other_will P)).
    Proof.
      induction 1 as [c|g ts i n n' g' d E M Rs IH]; intros D P Ec Ed F; cbn [fst snd] in *.
      - assert (Same : forall x, In x P -> fst x = will x /\ kind_of f (fst x) = Done).
        { rewrite Ec in Ed, D. unfold all in D. rewrite Forall_forall in D. intros x I. split; [|apply D; now apply in_map].
          clear -Ed I. induction P as [|y P IH]; [destruct I|]. cbn [map] in Ed. injection Ed as E1 E2. destruct I as [->|I]; auto. }
        unfold fresh_initial in F. rewrite Forall_forall in F.
        assert (Began : forall x, In x P -> snd (snd x) = false).
        { intros x I. apply not_true_iff_false. intros W. specialize (F x I W). destruct (Same x I). congruence. }
        split.
        + intros [g [u still]] (_ & U & L) Lo. apply (dropped_home _ control_eqb_eq _ _ _ _ _ T explored) in Lo. apply not_true_iff_false in Lo. apply Lo.
          cbn [fst snd] in *. unfold control_home. cbn [fst snd].
          replace (flat_map going P) with (@nil point) in U.
          * apply Permutation_sym, Permutation_nil in U. subst u still. apply forallb_forall. intros l I. apply in_map_iff in I as (j & <- & _). cbn [snd]. apply N.eqb_eq.
            unfold waiting. replace (filter (waits j) P) with (@nil request); auto. symmetry. clear -Began. induction P as [|x P IH]; cbn [filter]; auto.
            unfold waits at 1. rewrite (Began x) by now left. cbn [andb]. apply IH. intros. apply Began. now right.
          * clear -Same. induction P as [|x P IH]; cbn [flat_map]; auto. rewrite <- IH by (intros; apply Same; now right). rewrite app_nil_r. unfold going.
            destruct (set_of (will x)); auto. destruct (Same x) as [_ K]; [now left|]. apply is_kind_eq in K. now rewrite K, orb_true_r.
        + intros a k _ _. exists O, k. cbn [repeat app]. replace (flat_map other P) with (flat_map other_will P); [constructor|].
          clear -Same. induction P as [|x P IH]; cbn [flat_map]; auto. rewrite IH by (intros; apply Same; now right). f_equal. unfold other, other_will.
          destruct (Same x) as [K _]; [now left|]. now rewrite K.
      - subst ts. rewrite nth_error_map in E. destruct (nth_error P i) as [[n0 [x w]]|] eqn:Ep; [|discriminate]. cbn in E. injection E as ->.
        apply nth_error_split in Ep as (P1 & P2 & -> & Li). subst i. set (P' := P1 ++ (n', (x, false)) :: P2).
        assert (Eu : upd (map fst (P1 ++ (n, (x, w)) :: P2)) (length P1) n' = map fst P').
        { unfold P'. rewrite !map_app. cbn [map fst]. rewrite <- (map_length fst P1). apply upd_middle. }
        assert (Ew : snd d = map will P') by (rewrite Ed; unfold P'; rewrite !map_app; reflexivity).
        assert (F' : fresh_initial P').
        { unfold fresh_initial in *. apply Forall_app in F as [F1 F2]. inversion F2; subst. apply Forall_app. split; auto. constructor; auto. discriminate. }
        assert (Wn : w = true -> kind_of f n = Initial).
        { unfold fresh_initial in F. rewrite Forall_forall in F. intros ->. apply (F (n, (x, true))); auto. apply in_or_app. right. now left. }
        assert (En' : nth_error (upd (map fst (P1 ++ (n, (x, w)) :: P2)) (length P1) n') (length P1) = Some n').
        { rewrite Eu. unfold P'. rewrite map_app, nth_error_app2 by (rewrite map_length; auto). rewrite map_length, PeanoNat.Nat.sub_diag. reflexivity. }
        assert (Ex : nth_error (snd d) (length P1) = Some x).
        { rewrite Ed, map_app, nth_error_app2 by (rewrite map_length; auto). rewrite map_length, PeanoNat.Nat.sub_diag. reflexivity. }
        assert (Dn : kind_of f n' = Done -> n' = x).
        { intros K. pose proof (done_remains _ _ Rs _ _ En' K) as H. congruence. }
        assert (Rn : set_of x = None -> imem R n' = true).
        { intros Sx. apply (comes_from _ _ Rs _ _ _ En' Ex). apply leads; auto. unfold all in D. rewrite Forall_forall in D. apply D. eapply nth_error_In; eauto. }
        destruct (IH D P' Eu Ew F') as [IHl IHk]. split.
        + intros a Ra La. destruct (next_control a g P1 n x w P2 n' g' Ra Wn M Dn Rn) as (a' & Ra' & Na).
          apply (IHl a' Ra'). exact (dropped_next _ control_eqb_eq _ _ _ _ _ T explored _ _ _ La Na).
        + intros a k Ra Ka. destruct (next_control a g P1 n x w P2 n' g' Ra Wn M Dn Rn) as (a' & Ra' & Na).
          assert (Ho : forall y b, flat_map other (P1 ++ (y, (x, b)) :: P2) = flat_map other P1 ++ other (y, (x, b)) ++ flat_map other P2) by (intros; rewrite flat_map_app; reflexivity).
          assert (Hw : flat_map other_will (P1 ++ (n, (x, w)) :: P2) = flat_map other_will P') by (unfold P'; rewrite !flat_map_app; reflexivity).
          rewrite Hw, Ho. unfold other at 2, will. cbn [fst snd]. destruct (set_of x) as [j|] eqn:Sx.
          * destruct (kept_next _ control_eqb_eq _ _ _ _ _ T explored _ _ _ _ _ Ka Na) as [La|(k1 & K1 & I)]; [destruct (IHl _ Ra' La)|].
            destruct (IHk a' k1 Ra' K1) as (m & k' & Mk). exists (S m), k'. cbn [repeat app].
            apply moves_cons with (i := O) (n := tick) (n' := ticked) (g' := k1); auto. cbn [upd].
            apply (moves_beside _ _ _ ticked) in Mk. cbn [fst snd] in Mk. unfold P' in Mk at 1. rewrite Ho in Mk. unfold other at 2, will in Mk. cbn [fst snd] in Mk. rewrite Sx in Mk. exact Mk.
          * destruct (kept_next _ control_eqb_eq _ _ _ _ _ T explored _ _ _ _ _ Ka Na) as [La|(k1 & K1 & I)]; [destruct (IHl _ Ra' La)|].
            destruct (IHk a' k1 Ra' K1) as (m & k' & Mk). exists m, k'. unfold P' in Mk at 1. rewrite Ho in Mk. unfold other at 2, will in Mk. cbn [fst snd] in Mk. rewrite Sx in Mk.
            cbn [app] in *. apply moves_cons with (i := length (repeat tick m ++ flat_map other P1)) (n := n) (n' := n') (g' := k1); auto.
            -- rewrite app_assoc, nth_error_app2, PeanoNat.Nat.sub_diag; auto.
            -- rewrite app_assoc, upd_middle, <- app_assoc. exact Mk.
    Qed.
  End Sound.
End Explicit.

(** * The explicit system *)

(** Letters that are answered exactly so many times. *)
Record exactly := Exactly { in_set : list id; so_often : N }.

(** What the checker is told: the controls, and two numbers that no node has. *)
Record controls := Controls { kept_controls : list control; dropped_controls : list control; tick_node : id; ticked_node : id }.

Definition sets_of (es : list exactly) : list (id * idset) := rev_append (tmap (fun e => (fst e, iset (in_set (snd e)))) (tnumbers es)) [].
Definition control_first (f : form) (es : list exactly) : control := (first f, ([], rev_append (tmap (fun e => (fst e, so_often (snd e))) (tnumbers es)) [])).
Definition no_node (f : form) (n : id) : bool := match PM.find n (kinds f) with Some _ => false | None => true end.
Definition followed_letters (es : list exactly) : list id := tflat in_set es.

(** The system, or that there is none because no request can answer so. *)
Definition explicit (hint : controls) (f : form) (never : list id) (es : list exactly) : option (option form) :=
  let letters := followed_letters es in
  let out := iset letters in
  let R := leading f out in
  let tick := tick_node hint in
  let ticked := ticked_node hint in
  if done_stays f && distinct (tmap fst (tnumbers es)) && distinct (tapp never letters) &&     (* letters.apart *)
     check_leading f out R && no_node f tick && no_node f ticked && negb (Pos.eqb tick ticked)
  then
    match explored_steps control_eqb control_key (explicit_next f (sets_of es) tick ticked R) control_home (kept_controls hint) (dropped_controls hint) with
    | Some T =>
        if is_dropped control_eqb control_key (dropped_controls hint) (control_first f es) then Some None
        else match number_of control_eqb control_key (kept_controls hint) (control_first f es) with
          | Some k => Some (Some (Form k (PM.add tick Initial (PM.add ticked Done (kinds f))) (unique (sort (fun s t => step_leb t s) T))))
          | None => None
          end
    | None => None
    end
  else None.

Lemma straight_map {A B} (h : A -> B) l : rev_append (tmap h l) [] = map h l.
Proof.
  rewrite rev_append_rev, app_nil_r. unfold tmap. assert (H : forall acc, fold_left (fun acc x => h x :: acc) l acc = rev (map h l) ++ acc).
  { induction l as [|x l IH]; cbn [fold_left map rev]; intros acc; auto. rewrite IH, <- app_assoc. reflexivity. }
  now rewrite H, app_nil_r, rev_involutive.
Qed.

Lemma tflat_perm {A B} (h : A -> list B) l : Permutation (tflat h l) (flat_map h l).
Proof.
  unfold tflat. assert (H : forall acc, Permutation (fold_left (fun acc x => rev_append (h x) acc) l acc) (flat_map h l ++ acc)).
  { induction l as [|x l IH]; cbn [fold_left flat_map]; intros acc; auto. rewrite IH, rev_append_rev, <- app_assoc. rewrite (Permutation_app_comm (h x)), <- app_assoc.
    apply Permutation_app_head. rewrite Permutation_app_comm. apply Permutation_app_head, Permutation_sym, Permutation_rev. }
  now rewrite H, app_nil_r.
Qed.

Lemma moves_more S' S'' c d : (forall s, In s S' -> In s S'') -> moves S' c d -> moves S'' c d.
Proof. intros H. induction 1; [constructor|econstructor; eauto]. Qed.

Lemma in_one_set {es : list exactly} {x} : NoDup (flat_map in_set es) -> forall n i j d e, In (i, d) (numbers n es) -> In (j, e) (numbers n es) ->
  In x (in_set d) -> In x (in_set e) -> i = j.
Proof.
  induction es as [|y es IH]; cbn [numbers flat_map]; intros N n i j d e I J Xd Xe; [destruct I|].
  assert (Tail : forall k b, In (k, b) (numbers (Pos.succ n) es) -> In x (in_set b) -> In x (flat_map in_set es)).
  { intros k b K X. apply in_flat_map. exists b. split; auto. now apply numbers_in in K as [K _]. }
  assert (Apart : In x (in_set y) -> In x (flat_map in_set es) -> False).
  { clear -N. induction (in_set y) as [|z l IHl]; cbn [app] in *; intros A B; [destruct A|]. inversion N; subst. destruct A as [->|A]; auto. apply H1. apply in_or_app; auto. }
  assert (N' : NoDup (flat_map in_set es)). { clear -N. induction (in_set y) as [|z l IHl]; auto. cbn [app] in N. inversion N; auto. }
  destruct I as [[= -> ->]|I], J as [[= -> ->]|J]; auto; [exfalso; eauto|exfalso; eauto|]. eapply IH; eauto.
Qed.

Section Sets.
  Context (es : list exactly) (alone : NoDup (flat_map in_set es)).

  Lemma sets_of_in j X : In (j, X) (sets_of es) <-> exists e, In (j, e) (numbers 1%positive es) /\ X = iset (in_set e).
  Proof.
    unfold sets_of. rewrite straight_map, in_map_iff. split.
    - intros ([i e] & [= <- <-] & I). rewrite tnumbers_rev, <- in_rev in I. eauto.
    - intros (e & I & ->). exists (j, e). split; auto. now rewrite tnumbers_rev, <- in_rev.
  Qed.

  Lemma set_of_some x j : set_of (sets_of es) x = Some j -> exists e, In (j, e) (numbers 1%positive es) /\ In x (in_set e).
  Proof.
    unfold set_of. destruct (find _ _) as [[i X]|] eqn:F; [|discriminate]. intros [= <-]. apply find_some in F as [F M]. cbn [fst snd] in *.
    apply sets_of_in in F as (e & I & ->). apply imem_iset in M. eauto.
  Qed.

  Lemma set_of_none x : set_of (sets_of es) x = None -> ~ In x (followed_letters es).
  Proof.
    unfold set_of. destruct (find _ _) eqn:F; [discriminate|]. intros _ I. unfold followed_letters in I. apply tflat_in in I as (e & I & J).
    destruct (numbers_of 1%positive es e I) as (i & K). assert (H : In (i, iset (in_set e)) (sets_of es)) by (apply sets_of_in; eauto).
    pose proof (find_none _ _ F _ H) as M. cbn [snd] in M. apply not_true_iff_false in M. apply M. now apply imem_iset.
  Qed.

  Lemma of_set_in j e x : In (j, e) (numbers 1%positive es) -> of_set (sets_of es) j x = true <-> In x (in_set e).
  Proof.
    intros J. unfold of_set. split.
    - destruct (set_of (sets_of es) x) as [i|] eqn:S'; [|discriminate]. intros E. apply Pos.eqb_eq in E. subst i. apply set_of_some in S' as (d & I & X).
      now rewrite (numbers_function _ _ _ _ _ J I).
    - intros X. destruct (set_of (sets_of es) x) as [i|] eqn:S'.
      + apply set_of_some in S' as (d & I & Y). apply Pos.eqb_eq. exact (in_one_set alone _ _ _ _ _ I J Y X).
      + exfalso. apply (set_of_none x S'). unfold followed_letters. apply tflat_in. exists e. split; auto. now apply numbers_in in J as [J _].
  Qed.

  (** How many answers are in a set. *)
  Definition answers_in (e : exactly) (ds : list id) : Z := wsum (fun d => wsum (fun x => delta x d) (in_set e)) ds.

  Lemma answers_in_length j e ds : In (j, e) (numbers 1%positive es) -> Z.of_nat (length (filter (of_set (sets_of es) j) ds)) = answers_in e ds.
  Proof.
    intros J. unfold answers_in. assert (Ne : NoDup (in_set e)).
    { clear -alone J. apply numbers_in in J as [J _]. revert alone. induction es as [|y l IH]; cbn [flat_map]; intros N; [destruct J|]. destruct J as [->|J].
      - clear -N. induction (in_set e) as [|z l0 IH]; [constructor|]. cbn [app] in N. inversion N; subst. constructor; auto. intros I. apply H1. apply in_or_app; auto.
      - apply IH; auto. clear -N. induction (in_set y) as [|z l0 IHl]; auto. cbn [app] in N. inversion N; auto. }
    induction ds as [|d ds IH]; cbn [filter]; [reflexivity|]. rewrite wsum_cons, <- IH. pose proof (of_set_in j e d J) as O.
    destruct (of_set (sets_of es) j d).
    - cbn [length]. rewrite (wsum_one _ (in_set e) d Ne); [rewrite delta_refl; lia|now apply O|]. intros b _ N. now apply delta_neq.
    - rewrite wsum_zero; [lia|]. intros b I. apply delta_neq. intros ->. apply O in I. discriminate.
  Qed.
End Sets.

Theorem explicit_sound hint f never es r ts g ds : explicit hint f never es = Some r -> all f Initial ts -> all f Done ds -> moves (fsteps f) (first f, ts) (g, ds) ->
  (forall e, In e es -> answers_in e ds = Z.of_N (so_often e)) ->
  exists f' ts' g' ds', r = Some f' /\ all f' Initial ts' /\ all f' Done ds' /\ moves (fsteps f') (first f', ts') (g', ds') /\
    forall x, In x ds -> In x never -> In x ds'.
Proof.
  unfold explicit. destruct (_ && _) eqn:C; [|discriminate]. rewrite !andb_true_iff in C. destruct C as [[[[[[St Di] Ap] Le] T1] T2] T3].
  set (sets := sets_of es). set (tick := tick_node hint) in *. set (ticked := ticked_node hint) in *. set (R := leading f (iset (followed_letters es))) in *.
  destruct (explored_steps _ _ _ _ _ _) as [T|] eqn:Ex; [|discriminate]. intros Er I D M X.
  apply distinct_sound in Ap. unfold tapp in Ap. rewrite rev_append_rev in Ap.
  assert (Alone : NoDup (flat_map in_set es)).
  { apply (Permutation_NoDup (tflat_perm in_set es)). clear -Ap. induction (rev never) as [|z l IH]; auto. cbn [app] in Ap. inversion Ap; auto. }
  assert (Far : forall x, In x never -> set_of sets x = None).
  { intros x Ix. destruct (set_of sets x) as [j|] eqn:S'; auto. exfalso. apply set_of_some in S' as (e & J & Y). apply numbers_in in J as [J _].
    assert (L : In x (followed_letters es)) by (unfold followed_letters; apply tflat_in; eauto). apply in_rev in Ix. clear -Ap Ix L.
    induction (rev never) as [|z l IH]; [destruct Ix|]. cbn [app] in Ap. inversion Ap; subst. destruct Ix as [->|Ix]; auto. apply H1. apply in_or_app; auto. }
  assert (Js : NoDup (map fst sets)).
  { assert (E : map fst sets = map fst (tnumbers es)) by (unfold sets, sets_of; rewrite straight_map, map_map; reflexivity).
    rewrite E, <- straight_map, rev_append_rev, app_nil_r. apply NoDup_rev. now apply distinct_sound. }
  unfold check_leading in Le. rewrite andb_true_iff, !forallb_forall in Le. destruct Le as [Le1 Le2].
  assert (Lead : forall n, kind_of f n = Done -> set_of sets n = None -> imem R n = true).
  { intros n K S'. specialize (Le1 n). rewrite nodes_of_in in Le1 by discriminate. specialize (Le1 K). apply orb_true_iff in Le1 as [O|]; auto.
    apply imem_iset in O. destruct (set_of_none es n S' O). }
  assert (Back : forall s, In s (fsteps f) -> imem R (node_after s) = true -> imem R (node_before s) = true).
  { intros s Is A. specialize (Le2 s Is). rewrite A in Le2. exact Le2. }
  assert (Len : length ts = length ds).
  { clear -M. change ts with (snd (first f, ts)). change ds with (snd (g, ds)). induction M as [c|h us i n n' h' d E St R IH]; auto. cbn [snd] in *. now rewrite <- IH, upd_length. }
  set (P := combine ts (map (fun d => (d, true)) ds)).
  assert (P1 : map fst P = ts). { unfold P. clear -Len. revert ds Len. induction ts as [|t ts IH]; intros [|d ds] L; cbn in *; try discriminate; auto. f_equal. auto. }
  assert (P2 : map will P = ds). { unfold P. clear -Len. revert ds Len. induction ts as [|t ts IH]; intros [|d ds] L; cbn in *; try discriminate; auto. f_equal. auto. }
  assert (P3 : forall x, In x P -> snd (snd x) = true).
  { intros [t [d w]] J. unfold P in J. apply in_combine_r in J. apply in_map_iff in J as (? & E & _). injection E as _ <-. reflexivity. }
  assert (F : fresh_initial f P).
  { apply Forall_forall. intros x J _. unfold all in I. rewrite Forall_forall in I. apply I. rewrite <- P1. now apply in_map. }
  assert (Rel : related f sets (control_first f es) (first f) P).
  { split; [reflexivity|]. unfold control_first. cbn [fst snd]. split.
    - replace (flat_map (going f sets) P) with (@nil point); auto. symmetry. clear -P3. induction P as [|x P IH]; cbn [flat_map]; auto.
      rewrite IH by (intros; apply P3; now right). unfold going. rewrite (P3 x) by now left. destruct (set_of sets (will x)); reflexivity.
    - rewrite straight_map. unfold sets at 2, sets_of. rewrite straight_map, !map_map. apply map_ext_in. intros [j e] J. cbn [fst snd]. f_equal.
      rewrite tnumbers_rev, <- in_rev in J. pose proof (X e (proj1 (numbers_in _ _ _ _ J))) as Xe. rewrite <- (answers_in_length es Alone j e ds J), <- P2 in Xe. fold sets in Xe.
      unfold waiting. replace (length (filter (waits sets j) P)) with (length (filter (of_set sets j) (map will P))); [lia|].
      clear -P3. induction P as [|x P IH]; cbn [filter map]; auto. unfold waits at 1. rewrite (P3 x) by now left. cbn [andb].
      destruct (of_set sets j (will x)); cbn [length]; rewrite IH; auto; intros; apply P3; now right. }
  destruct (followed_run f sets tick ticked R _ _ T St Js Lead Back Ex _ _ M D P (eq_sym P1) (eq_sym P2) F) as [Lost Kept]. cbn [fst] in Lost, Kept.
  destruct (is_dropped _ _ _ _) eqn:Dr; [destruct (Lost _ Rel Dr)|]. destruct (number_of _ _ _ _) as [k|] eqn:Nu; [|discriminate]. injection Er as <-.
  destruct (Kept _ k Rel Nu) as (m & k' & Mk). eexists _, (repeat tick m ++ flat_map (other sets) P), k', (repeat ticked m ++ flat_map (other_will sets) P). split; [reflexivity|].
  unfold no_node in T1, T2. apply negb_true_iff, Pos.eqb_neq in T3.
  assert (Old : forall n kk, kk <> Inner -> kind_of f n = kk -> PM.find n (PM.add tick Initial (PM.add ticked Done (kinds f))) = Some kk).
  { intros n kk Nk K. unfold kind_of in K. destruct (PM.find n (kinds f)) as [k2|] eqn:Fn; [|congruence]. subst k2.
    rewrite !PM.gso; auto; intros ->; [rewrite Fn in T2|rewrite Fn in T1]; discriminate. }
  unfold all in *. rewrite Forall_forall in I, D. repeat split.
  - apply Forall_app. split; apply Forall_forall; intros n J.
    + apply repeat_spec in J. subst n. unfold kind_of. cbn [kinds]. now rewrite PM.gss.
    + apply in_flat_map in J as (x & Jx & J). unfold other in J. destruct (set_of sets (will x)); [destruct J|]. destruct J as [<-|[]]. unfold kind_of. cbn [kinds].
      rewrite (Old _ Initial); auto; [discriminate|]. apply I. rewrite <- P1. now apply in_map.
  - apply Forall_app. split; apply Forall_forall; intros n J.
    + apply repeat_spec in J. subst n. unfold kind_of. cbn [kinds]. rewrite PM.gso, PM.gss; auto.
    + apply in_flat_map in J as (x & Jx & J). unfold other_will in J. destruct (set_of sets (will x)); [destruct J|]. destruct J as [<-|[]]. unfold kind_of. cbn [kinds].
      rewrite (Old _ Done); auto; [discriminate|]. apply D. rewrite <- P2. now apply in_map.
  - cbn [first fsteps]. revert Mk. apply moves_more. intros s Is. apply unique_in, sort_in. exact Is.
  - intros x Ix Nx. apply in_or_app. right. rewrite <- P2 in Ix. apply in_map_iff in Ix as (y & <- & Iy). apply in_flat_map. exists y. split; auto.
    unfold other_will. rewrite (Far _ Nx). now left.
Qed.
