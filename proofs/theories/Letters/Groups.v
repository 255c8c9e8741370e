(** Groups: letters that do not stand in each other's way, proved one group after
    the other. Letters of different groups can be exchanged at each state, so
    walks of all groups are put together to one, in any order. Loop letters are
    removed before; they are put back where the walk begins, which is explored. *)

From Coq Require Import List PArith NArith Bool Permutation Lia.
From Proved Require Import Sets Model Sums Euler LinearSet Labels.
From Proved.Letters Require Import Level Classes.
Import ListNotations.

(** A loop letter, and the numbers of facts that say beside which letters it is answered. *)
Record visit := Visit { visited : id; visit_guards : list id }.

(** The letters of a group, and how many steps with them a walk makes in the beginning. *)
Notation turn := (list id * N)%type.

(** So many steps of a group are looked at. *)
Definition most_steps : N := 10000.

(** * What is checked *)

(** The number of a letter's group; 1 if it is in none. *)
Definition group_of (m : PM.t id) (x : id) : id := match PM.find x m with Some c => Pos.succ c | None => 1%positive end.

Definition check_apart (removed : idset) (m : PM.t id) (letters : list (list id)) : bool :=   (* letters.groups *)
  forallb (fun e => forallb (fun x => negb (imem removed x) && match PM.find x m with Some c => Pos.eqb c (fst e) | None => false end) (snd e)) (tnumbers letters).

(** Letters of different groups can be exchanged at each state. *)
Definition check_diamonds (m : PM.t id) (A : automaton) : bool :=                             (* letters.diamond *)
  let edges := edge_set (arcs A) in
  let leaving := index1 (arcs A) in
  let can := index (tmap (fun e => ((origin e, letter_of e), target e)) (arcs A)) in
  forallb (fun d => forallb (fun e => Pos.eqb (group_of m (letter_of d)) (group_of m (fst e)) ||
    existsb (fun s => emem edges (snd e, (letter_of d, s))) (found can (target d, fst e))) (found1 leaving (origin d))) (arcs A).

Section Beginning.
  Context (leaving : PM.t (list (id * id))) (has : id -> bool) (excluded : idset -> bool).

  (** Further steps of a group, up to a number; [used] has its letters so far. Then comes what is next. *)
  Fixpoint within (letters : list id) (inside : idset) (enough : bool) (next : idset -> id -> bool) (absent : idset) (n : nat) (used : idset) (p : id) : bool :=
    has p ||
    match n with
    | O => enough && next absent p
    | S n =>
        forallb (fun e => negb (imem inside (fst e)) || within letters inside enough next absent n (iadd used (fst e)) (snd e)) (found1 leaving p) &&
        next (fold_left (fun s x => if imem used x then s else iadd s x) letters absent) p
    end.

  (** Each beginning visits a state with the loop, or is one for which a guard excludes the letter. *)
  Fixpoint visits_loop (gs : list turn) (absent : idset) (p : id) : bool :=
    has p || excluded absent ||
    match gs with
    | [] => false
    | g :: gs => within (fst g) (iset (fst g)) (N.leb (snd g) most_steps) (visits_loop gs) absent (N.to_nat (N.min (snd g) most_steps)) (PM.empty _) p
    end.
End Beginning.

Section Groups.
  (** The facts of which a guard may be one, the automaton that levels leave, and what they removed. *)
  Context (absences : PM.t absence) (A : automaton) (removed : idset) (visits : list visit) (groups : list turn).

  Definition removed_visits : idset := fold_left (fun s v => iadd s (visited v)) visits removed.
  Definition removed_groups : idset := fold_left (fun s g => fold_left iadd (fst g) s) groups removed_visits.
  Definition unlooped : automaton := without removed_visits A.
  Definition group_letters : list (list id) := rev_append (tmap fst groups) [].

  Definition check_visit (edges : sset) (leaving : PM.t (list (id * id))) (v : visit) : bool :=
    forallb (fun k => match PM.find k absences with Some a => existsb (Pos.eqb (visited v)) (never a) | None => false end) (visit_guards v) &&   (* letters.guard *)
    let excluded absent := existsb (fun k => match PM.find k absences with Some a => forallb (imem absent) (outside a) | None => false end) (visit_guards v) in
    visits_loop leaving (fun x => emem edges (x, (visited v, x))) excluded groups (PM.empty _) (start_state A).                                  (* letters.visits *)

  Definition check_groups : bool :=
    let m := class_map group_letters in
    check_apart removed_visits m group_letters && check_diamonds m unlooped &&
    let edges := edge_set (arcs A) in
    let leaving := index1 (arcs unlooped) in
    forallb (check_visit edges leaving) visits.

  (** * Walks are put together *)

  (** A walk with these letters begins at a state. *)
  Fixpoint spells (p : id) (w : list id) : Prop :=
    match w with [] => True | a :: w => exists q, In (p, (a, q)) (arcs unlooped) /\ spells q w end.

  Definition along (W : list edge) : Prop := Forall (fun e => In e (arcs unlooped)) W.

  Lemma trail_spells p W t : trail p W t -> along W -> spells p (map letter_of W).
  Proof.
    induction 1 as [g|[o [a q]] L t T IH]; intros F; cbn [map spells]; auto. inversion F as [|? ? I F']; subst.
    exists q. split; auto.
  Qed.

  Lemma spells_trail w : forall p, spells p w -> exists W t, trail p W t /\ along W /\ map letter_of W = w.
  Proof.
    induction w as [|a w IH]; cbn [spells]; intros p H; [exists [], p; repeat split; constructor|].
    destruct H as (q & I & H). destruct (IH q H) as (W & t & T & F & E). exists ((p, (a, q)) :: W), t.
    repeat split; [apply (trail_cons (p, (a, q))); exact T|constructor; auto|cbn; now f_equal].
  Qed.

  Lemma spells_app u : forall p v, spells p (u ++ v) -> exists W q, trail p W q /\ along W /\ map letter_of W = u /\ spells q v.
  Proof.
    induction u as [|a u IH]; cbn [app spells]; intros p v H; [exists [], p; repeat split; auto; constructor|].
    destruct H as (q & I & H). destruct (IH q v H) as (W & t & T & F & E & S). exists ((p, (a, q)) :: W), t.
    repeat split; auto; [apply (trail_cons (p, (a, q))); exact T|constructor; auto|cbn; now f_equal].
  Qed.

  Section Merge.
    Context (group : id -> id).
    Context (diamond : forall p a q b q', In (p, (a, q)) (arcs unlooped) -> In (p, (b, q')) (arcs unlooped) -> group a <> group b ->
      exists s, In (q, (b, s)) (arcs unlooped) /\ In (q', (a, s)) (arcs unlooped)).

    (** What can be done before an edge of another group can be done behind it. *)
    Lemma exchange w : forall p a q, In (p, (a, q)) (arcs unlooped) -> (forall b, In b w -> group a <> group b) -> spells p w -> spells q w.
    Proof.
      induction w as [|b w IH]; cbn [spells]; auto. intros p a q I N (q' & J & H).
      destruct (diamond _ _ _ _ _ I J (N b (or_introl eq_refl))) as (s & K & L). exists s. split; auto.
      apply (IH q' a s L); auto. intros c Ic. apply N. now right.
    Qed.

    Lemma advance p W q w : trail p W q -> along W -> (forall a b, In a (map letter_of W) -> In b w -> group a <> group b) -> spells p w -> spells q w.
    Proof.
      induction 1 as [g|[o [a q]] L t T IH]; intros F N H; auto. inversion F as [|? ? I F']; subst. apply IH; auto.
      - intros c b Ic Ib. apply N; auto. now right.
      - apply (exchange w o a q I); auto. intros b Ib. apply N; auto. now left.
    Qed.

    (** What is left to do of each group. *)
    Definition ready (p : id) (words : id -> list id) : Prop := forall i, spells p (words i) /\ forall b, In b (words i) -> group b = i.

    Lemma ready_walk idx : NoDup idx -> forall p words, ready p words -> spells p (flat_map words idx).
    Proof.
      induction 1 as [|i idx N D IH]; intros p words R; cbn [flat_map]; [exact I|].
      destruct (spells_trail _ _ (proj1 (R i))) as (W & t & T & F & E).
      assert (S : spells t (flat_map words idx)).
      { apply (advance p W t); auto. intros a b Ia Ib. rewrite E in Ia. apply (R i) in Ia. apply in_flat_map in Ib as (j & Ij & Ib). apply (R j) in Ib. congruence. }
      destruct (spells_trail _ _ S) as (V & u & TV & FV & EV). rewrite <- E, <- EV, <- map_app.
      apply (trail_spells p (W ++ V) u); [apply trail_app with t; auto|]. apply Forall_app. auto.
    Qed.

    Definition update (words : id -> list id) (i : id) (v : list id) (j : id) : list id := if Pos.eqb j i then v else words j.

    Lemma update_other words i v l : ~ In i l -> flat_map (update words i v) l = flat_map words l.
    Proof.
      induction l as [|j l IH]; cbn [flat_map]; auto. intros N. rewrite IH by (intros X; apply N; now right). f_equal.
      unfold update. destruct (Pos.eqb_spec j i) as [->|]; auto. destruct N. now left.
    Qed.

    Lemma update_perm words i u v idx : NoDup idx -> In i idx -> words i = u ++ v -> Permutation (flat_map words idx) (u ++ flat_map (update words i v) idx).
    Proof.
      induction 1 as [|j idx N D IH]; intros I E; [destruct I|]. cbn [flat_map]. unfold update at 1. destruct (Pos.eqb_spec j i) as [->|Ne].
      - rewrite update_other, E, app_assoc by auto. reflexivity.
      - destruct I as [->|I]; [congruence|]. rewrite (IH I E), !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
    Qed.

    Lemma ready_update p W q words i u v : trail p W q -> along W -> map letter_of W = u -> spells q v -> words i = u ++ v -> ready p words -> ready q (update words i v).
    Proof.
      intros T F E S Ei R j. unfold update. destruct (Pos.eqb_spec j i) as [->|Ne].
      - split; auto. intros b Ib. apply (R i). rewrite Ei. apply in_or_app. auto.
      - split; [|apply R]. apply (advance p W q); auto; [|apply R]. intros a b Ia Ib. rewrite E in Ia.
        assert (group a = i) by (apply (R i); rewrite Ei; apply in_or_app; auto). apply (R j) in Ib. congruence.
    Qed.

    (** ** Beginnings *)

    (** A walk that makes so many steps with letters of each group, or has all letters of the group that are answered. *)
    Inductive beginning (ds : list id) : list turn -> id -> list edge -> id -> Prop :=
    | begin_nil p : beginning ds [] p [] p
    | begin_cons L k gs p U q W t : trail p U q -> along U -> (forall a, In a (map letter_of U) -> In a L) -> (length U <= N.to_nat k)%nat ->
        ((length U < N.to_nat k)%nat -> forall x, In x L -> In x ds -> In x (map letter_of U)) ->
        beginning ds gs q W t -> beginning ds ((L, k) :: gs) p (U ++ W) t.

    Lemma begin_all ds idx (gs : list (id * turn)) : NoDup idx -> NoDup (map fst gs) -> incl (map fst gs) idx -> forall p words, ready p words ->
      (forall i L k, In (i, (L, k)) gs -> (forall b, In b (words i) -> In b L) /\ forall x, In x L -> In x ds -> In x (words i)) ->
      exists W t words', beginning ds (map snd gs) p W t /\ trail p W t /\ along W /\ ready t words' /\
        Permutation (flat_map words idx) (map letter_of W ++ flat_map words' idx).
    Proof.
      intros D. induction gs as [|[i [L k]] gs IH]; cbn [map fst snd]; intros Dg Inc p words R H.
      { exists [], p, words. repeat split; auto; try apply R; constructor. }
      inversion Dg as [|? ? Ni Dg']; subst.
      set (u := firstn (N.to_nat k) (words i)). set (v := skipn (N.to_nat k) (words i)).
      assert (Ei : words i = u ++ v) by (symmetry; apply firstn_skipn).
      destruct (spells_app u p v) as (U & q & TU & FU & EU & Sv); [rewrite <- Ei; apply R|].
      assert (R' : ready q (update words i v)) by (eapply ready_update; eauto).
      destruct (H i L k (or_introl eq_refl)) as [H1 H2].
      destruct (IH Dg' (fun x X => Inc x (or_intror X)) q (update words i v) R') as (W & t & words' & B & T & F & R2 & P).
      { intros j L' k' J. unfold update. destruct (Pos.eqb_spec j i) as [->|Ne]; [|apply (H j L' k'); now right].
        destruct Ni. apply in_map_iff. exists (i, (L', k')). auto. }
      assert (Lu : length U = length u) by (rewrite <- EU, map_length; reflexivity).
      exists (U ++ W), t, words'. repeat split; try apply R2.
      - apply begin_cons with q; auto.
        + intros a Ia. rewrite EU in Ia. apply H1. rewrite Ei. apply in_or_app. auto.
        + rewrite Lu. unfold u. rewrite firstn_length. lia.
        + intros Sh x Ix Dx. rewrite EU. rewrite Lu in Sh. unfold u in Sh |- *. rewrite firstn_length in Sh. rewrite firstn_all2 by lia. now apply H2.
      - apply trail_app with q; auto.
      - apply Forall_app. auto.
      - rewrite map_app, <- app_assoc, EU, <- P. apply update_perm; auto. apply Inc. now left.
    Qed.
  End Merge.

  (** ** Beginnings visit what they should *)

  Section Visits.
    Context (has : id -> bool) (excluded : idset -> bool).
    Let leaving := index1 (arcs unlooped).

    Lemma absent_in used letters : forall absent x, imem (fold_left (fun s x => if imem used x then s else iadd s x) letters absent) x = true ->
      imem absent x = true \/ In x letters /\ imem used x = false.
    Proof.
      induction letters as [|y l IH]; cbn [fold_left]; intros absent x H; auto. apply IH in H as [H|[H U]]; [|right; split; auto; now right].
      destruct (imem used y) eqn:U; auto. apply imem_iadd in H as [->|H]; auto. right. split; auto. now left.
    Qed.

    Lemma within_visits L enough next absent n : forall used p U q, within leaving has L (iset L) enough next absent n used p = true ->
      trail p U q -> along U -> (forall a, In a (map letter_of U) -> In a L) -> (enough = true -> (length U <= n)%nat) ->
      (exists s, In s (p :: map target U) /\ has s = true) \/
      exists absent', next absent' q = true /\ forall x, imem absent' x = true -> imem absent x = true \/ In x L /\ imem used x = false /\ ~ In x (map letter_of U) /\ (length U < n)%nat.
    Proof.
      induction n as [|n IH]; cbn [within]; intros used p U q C T F Li Le; (destruct (has p) eqn:Hp; [left; exists p; split; auto; now left|]); cbn [orb] in C;
        apply andb_true_iff in C as [C1 C2].
      - right. specialize (Le C1). destruct U; [|cbn in Le; lia]. inversion T; subst. exists absent. auto.
      - destruct U as [|e U].
        + inversion T; subst. right. eexists. split; [exact C2|]. intros x Hx. apply absent_in in Hx as [Hx|[Hx Ux]]; auto. right. repeat split; auto. cbn. lia.
        + inversion T as [|? ? ? T']; subst. inversion F as [|? ? Fe F']; subst. rewrite forallb_forall in C1. destruct e as [o [a p']]. cbn [origin target letter_of fst snd] in *.
          specialize (C1 (a, p')). unfold leaving in C1. rewrite found_index1 in C1. specialize (C1 Fe). cbn [fst snd] in C1.
          assert (Ia : imem (iset L) a = true) by (apply imem_iset, Li; now left). rewrite Ia in C1. cbn [negb orb] in C1.
          destruct (IH _ _ U q C1 T' F') as [(s & Is & Hs)|(absent' & Na & Ab)].
          * intros b Ib. apply Li. now right.
          * intros E. specialize (Le E). cbn [length] in Le. lia.
          * left. exists s. split; auto. now right.
          * right. exists absent'. split; auto. intros x Hx. apply Ab in Hx as [Hx|(Hx & Ux & Nx & Lx)]; auto. right. split; auto.
            assert (Na' : ~ (x = a \/ imem used x = true)) by (rewrite <- imem_iadd; congruence).
            repeat split; [apply not_true_iff_false; tauto| |cbn; lia]. cbn [map letter_of fst snd]. intros [E|E]; [apply Na'; left; symmetry; exact E|auto].
    Qed.

    Lemma beginning_visits ds gs p W t : beginning ds gs p W t -> forall absent, visits_loop leaving has excluded gs absent p = true ->
      (forall x, imem absent x = true -> ~ In x ds) -> (forall absent, (forall x, imem absent x = true -> ~ In x ds) -> excluded absent = false) ->
      exists s, In s (p :: map target W) /\ has s = true.
    Proof.
      induction 1 as [p|L k gs p U q W t T F Li Le Sh B IH]; intros absent C Ab Ex; cbn [visits_loop] in C; rewrite (Ex absent Ab), orb_false_r in C;
        (destruct (has p) eqn:Hp; [exists p; split; auto; now left|]); cbn [orb fst snd] in C; [discriminate|].
      destruct (within_visits _ _ _ _ _ _ _ _ q C T F Li) as [(s & Is & Hs)|(absent' & Na & Ab')].
      - intros E. apply N.leb_le in E. rewrite N.min_l by auto. exact Le.
      - exists s. split; auto. rewrite map_app. destruct Is as [->|Is]; [now left|right]. apply in_or_app. auto.
      - destruct (IH absent' Na) as (s & Is & Hs); auto.
        + intros x Hx Dx. apply Ab' in Hx as [Hx|(Hx & _ & Nx & Lx)]; [exact (Ab x Hx Dx)|]. apply Nx, Sh; auto. lia.
        + exists s. split; auto. rewrite map_app. destruct Is as [<-|Is]; [|right; apply in_or_app; auto].
          assert (H : forall a V b, trail a V b -> In b (a :: map target V)) by (clear; induction 1; cbn [map] in *; [now left|now right]).
          apply H in T. destruct T as [->|T]; [now left|right; apply in_or_app; auto].
    Qed.
  End Visits.

  (** * All together *)

  Lemma removed_visits_in x : imem removed_visits x = true <-> imem removed x = true \/ exists v, In v visits /\ visited v = x.
  Proof.
    unfold removed_visits. generalize removed as s. induction visits as [|v vs IH]; cbn [fold_left]; intros s; [firstorder|].
    rewrite IH, imem_iadd. split.
    - intros [[->|H]|(w & I & E)]; [right; exists v; cbn; auto|auto|right; exists w; cbn; auto].
    - intros [H|(w & [<-|I] & E)]; [auto|left; left; auto|right; exists w; auto].
  Qed.

  Lemma removed_groups_in x : imem removed_groups x = true <-> imem removed_visits x = true \/ exists g, In g groups /\ In x (fst g).
  Proof.
    unfold removed_groups. generalize removed_visits as s. induction groups as [|g gs IH]; cbn [fold_left]; intros s; [firstorder|].
    assert (H : forall l s, imem (fold_left iadd l s) x = true <-> imem s x = true \/ In x l).
    { clear. induction l as [|y l IH]; cbn [fold_left In]; intros s; [tauto|]. rewrite IH, imem_iadd. intuition. }
    rewrite IH, H. split.
    - intros [[K|K]|(h & I & E)]; [auto|right; exists g; cbn; auto|right; exists h; cbn; auto].
    - intros [K|(h & [<-|I] & E)]; [auto|auto|right; exists h; auto].
  Qed.

  Lemma diamonds_sound m : check_diamonds m unlooped = true -> forall p a q b q', In (p, (a, q)) (arcs unlooped) -> In (p, (b, q')) (arcs unlooped) ->
    group_of m a <> group_of m b -> exists s, In (q, (b, s)) (arcs unlooped) /\ In (q', (a, s)) (arcs unlooped).
  Proof.
    unfold check_diamonds. rewrite forallb_forall. intros C p a q b q' I J N. specialize (C _ I). cbn [origin letter_of target fst snd] in C.
    rewrite forallb_forall in C. specialize (C (b, q')). rewrite found_index1 in C. specialize (C J). cbn [fst snd] in C.
    apply orb_true_iff in C as [C|C]; [apply Pos.eqb_eq in C; contradiction|]. apply existsb_exists in C as (s & K & L). exists s.
    apply emem_of in L. split; auto. apply found_index, tmap_in in K as ([o [c t]] & [= <- <- <-] & K). exact K.
  Qed.

  Lemma choose (P : id -> list id -> Prop) idx : (forall i, In i idx -> exists w, P i w) ->
    exists words, (forall i, In i idx -> P i (words i)) /\ forall i, ~ In i idx -> words i = [].
  Proof.
    induction idx as [|i idx IH]; intros H; [exists (fun _ => []); split; auto; intros ? []|].
    destruct IH as (words & A1 & A2); [intros; apply H; now right|]. destruct (H i (or_introl eq_refl)) as (w & Hw). exists (update words i w). unfold update. split.
    - intros j Ij. destruct (Pos.eqb_spec j i) as [->|Ne]; auto. destruct Ij as [->|Ij]; [congruence|auto].
    - intros j Nj. destruct (Pos.eqb_spec j i) as [->|Ne]; [destruct Nj; now left|]. apply A2. intros I. apply Nj. now right.
  Qed.

  Lemma numbers_map {X Y} (h : X -> Y) l : forall n, numbers n (map h l) = map (fun e => (fst e, h (snd e))) (numbers n l).
  Proof. induction l as [|x l IH]; intros n; cbn [map numbers]; [auto|]. rewrite IH. reflexivity. Qed.

  Lemma numbers_nodup {X} (l : list X) : forall n, NoDup (map fst (numbers n l)).
  Proof.
    induction l as [|x l IH]; intros n; cbn [numbers map]; constructor; auto. intros I. apply in_map_iff in I as ([i y] & E & I). cbn [fst] in E. subst i.
    apply numbers_in in I as [_ I]. lia.
  Qed.

  Lemma group_letters_map : group_letters = map fst groups.
  Proof.
    unfold group_letters, tmap. assert (H : forall (l : list turn) acc, rev_append (fold_left (fun acc x => fst x :: acc) l acc) [] = rev_append acc [] ++ map fst l).
    { induction l as [|x l IH]; intros acc; cbn [fold_left map]; [now rewrite app_nil_r|]. rewrite IH, !rev_append_rev. cbn [rev]. now rewrite !app_nil_r, <- app_assoc. }
    apply H.
  Qed.

  Lemma count_filter q l (x : id) : q x = true -> count_occ id_dec (filter q l) x = count_occ id_dec l x.
  Proof.
    intros H. induction l as [|y l IH]; cbn [filter]; auto. destruct (q y) eqn:E; cbn [count_occ]; destruct (id_dec y x) as [->|]; congruence.
  Qed.

  Lemma count_words (words : id -> list id) x g idx : NoDup idx -> In g idx -> (forall i, In x (words i) -> i = g) ->
    count_occ id_dec (flat_map words idx) x = count_occ id_dec (words g) x.
  Proof.
    intros D I H. assert (Z : forall l, ~ In g l -> count_occ id_dec (flat_map words l) x = 0).
    { intros l N. apply count_occ_not_In. intros K. apply in_flat_map in K as (i & Ii & K). apply H in K. now subst. }
    induction D as [|i idx N D IH]; [destruct I|]. cbn [flat_map]. rewrite count_occ_app. destruct (Pos.eq_dec i g) as [->|Ne].
    - rewrite Z by auto. lia.
    - destruct I as [->|I]; [congruence|]. rewrite IH by auto. enough (count_occ id_dec (words i) x = 0) by lia. apply count_occ_not_In. intros K. now apply H in K.
  Qed.

  Theorem groups_sound ds : check_groups = true -> (forall k a, PM.find k absences = Some a -> guards ds a) ->
    (forall g, In g groups -> walks unlooped (filter (imem (iset (fst g))) ds)) -> walks unlooped (kept removed_groups ds) -> walks A (kept removed ds).
  Proof.
    unfold check_groups. set (m := class_map group_letters). rewrite !andb_true_iff. intros [[Ap Di] Vi] G Hg H0.
    pose proof (diamonds_sound m Di) as Dm. rewrite forallb_forall in Vi.
    set (gs := map (fun e => (Pos.succ (fst e), snd e)) (numbers 1%positive groups)). set (idx := 1%positive :: map fst gs).
    assert (Gs : forall i L k, In (i, (L, k)) gs -> exists c, i = Pos.succ c /\ In (c, (L, k)) (numbers 1%positive groups)).
    { intros i L k I. apply in_map_iff in I as ([c g] & E & I). injection E as <- ->. eauto. }
    assert (Apart : forall i L k x, In (i, (L, k)) gs -> In x L -> imem removed_visits x = false /\ group_of m x = i).
    { intros i L k x I Ix. apply Gs in I as (c & -> & I). unfold check_apart in Ap. rewrite forallb_forall in Ap. specialize (Ap (c, L)).
      rewrite tnumbers_rev, <- in_rev, group_letters_map, numbers_map in Ap. rewrite forallb_forall in Ap.
      specialize (Ap ltac:(apply in_map_iff; exists (c, (L, k)); auto) x Ix). apply andb_true_iff in Ap as [A1 A2]. apply negb_true_iff in A1. split; auto.
      unfold group_of. destruct (PM.find x m) as [c'|]; [|discriminate]. apply Pos.eqb_eq in A2. now subst. }
    assert (Of : forall x, group_of m x = 1%positive \/ exists L k, In (group_of m x, (L, k)) gs /\ In x L).
    { intros x. unfold group_of. destruct (PM.find x m) as [c|] eqn:E; auto. right. apply class_map_in in E as (X & I & J).
      rewrite group_letters_map, numbers_map in I. apply in_map_iff in I as ([c' [L k]] & [= -> <-] & I). exists L, k. split; auto.
      apply in_map_iff. exists (c, (L, k)). auto. }
    assert (Dg : NoDup (map fst gs)).
    { unfold gs. rewrite map_map. cbn [fst]. rewrite <- (map_map fst Pos.succ). apply FinFun.Injective_map_NoDup; [|apply numbers_nodup]. intros x y. apply Pos.succ_inj. }
    assert (D : NoDup idx).
    { constructor; auto. intros I. apply in_map_iff in I as ([i [L k]] & E & I). cbn [fst] in E. subst i. apply Gs in I as (c & E & _). now destruct c. }
    destruct (choose (fun i w => spells (start_state A) w /\ (i = 1%positive -> Permutation (kept removed_groups ds) w) /\
      forall L k, In (i, (L, k)) gs -> Permutation (filter (imem (iset L)) ds) w) idx) as (words & Hw & Hn).
    { intros i [<-|I].
      - destruct H0 as (W & t & T & F & P). exists (map letter_of W). split; [eapply trail_spells; eauto|split; auto].
        intros L k I. apply Gs in I as (c & E & _). now destruct c.
      - apply in_map_iff in I as ([j [L k]] & E & I). cbn [fst] in E. subst j. pose proof I as J. apply Gs in J as (c & -> & J).
        destruct (Hg (L, k) (proj1 (numbers_in _ _ _ _ J))) as (W & t & T & F & P). exists (map letter_of W). split; [eapply trail_spells; eauto|split].
        + intros E. now destruct c.
        + intros L' k' I'. apply Gs in I' as (c' & E & J'). apply Pos.succ_inj in E. subst c'. pose proof (numbers_function _ _ _ _ _ J J') as E. injection E as <- <-. exact P. }
    assert (Words : forall i b, In b (words i) -> In b ds /\ group_of m b = i /\ imem removed_visits b = false /\ In i idx).
    { intros i b Ib. destruct (in_dec id_dec i idx) as [Ii|Ni]; [|rewrite (Hn i Ni) in Ib; destruct Ib]. destruct (Hw i Ii) as (_ & W1 & W2).
      pose proof Ii as Ji. destruct Ii as [<-|Ii].
      - apply (Permutation_in _ (Permutation_sym (W1 eq_refl))), filter_In in Ib as [Ib R]. apply negb_true_iff in R.
        assert (N : ~ (imem removed_visits b = true \/ exists g, In g groups /\ In b (fst g))) by (rewrite <- removed_groups_in; congruence).
        split; auto. split; [|split; [apply not_true_iff_false; tauto|auto]]. destruct (Of b) as [E|(L & k & I & J)]; auto. destruct N. right. exists (L, k). split; auto.
        apply Gs in I as (c & _ & I). now apply numbers_in in I.
      - apply in_map_iff in Ii as ([j [L k]] & E & I). cbn [fst] in E. subst j. pose proof (Permutation_in _ (Permutation_sym (W2 L k I)) Ib) as Jb.
        apply filter_In in Jb as [Jb Lb]. apply imem_iset in Lb. destruct (Apart i L k b I Lb). auto. }
    assert (R : ready (group_of m) (start_state A) words).
    { intros i. split; [|intros b Ib; now apply Words]. destruct (in_dec id_dec i idx) as [Ii|Ni]; [apply Hw; auto|rewrite (Hn i Ni); exact I]. }
    destruct (begin_all (group_of m) Dm ds idx gs D Dg (fun x X => or_intror X) _ words R) as (W & t & words' & B & T & F & R' & P).
    { intros i L k I. assert (Ii : In i idx) by (right; apply in_map_iff; exists (i, (L, k)); auto). destruct (Hw i Ii) as (_ & _ & W2). specialize (W2 L k I). split.
      - intros b Ib. apply (Permutation_in _ (Permutation_sym W2)), filter_In in Ib as [_ Ib]. now apply imem_iset.
      - intros x Ix Dx. apply (Permutation_in _ W2), filter_In. split; auto. now apply imem_iset. }
    assert (Eg : map snd gs = groups).
    { unfold gs. rewrite map_map. cbn [snd]. clear. generalize 1%positive as n. induction groups as [|g l IH]; intros n; cbn [numbers map snd]; [auto|]. now rewrite IH. }
    assert (B' : beginning ds groups (start_state A) W t) by (rewrite <- Eg; exact B). clear B. rename B' into B.
    destruct (spells_trail _ _ (ready_walk (group_of m) Dm idx D t words' R')) as (V & u & TV & FV & EV).
    assert (All : Permutation (kept removed_visits ds) (map letter_of (W ++ V))).
    { rewrite map_app, EV, <- P. apply (Permutation_count_occ id_dec). intros x. destruct (imem removed_visits x) eqn:E.
      - transitivity 0; [|symmetry]; apply count_occ_not_In; intros K.
        + apply filter_In in K as [_ K]. now rewrite E in K.
        + apply in_flat_map in K as (i & _ & K). apply Words in K. destruct K as (_ & _ & K & _). congruence.
      - unfold kept. rewrite count_filter by now rewrite E. symmetry.
        assert (Ig : In (group_of m x) idx).
        { destruct (Of x) as [->|(L & k & I & _)]; [now left|right]. apply in_map_iff. exists (group_of m x, (L, k)). auto. }
        rewrite (count_words words x (group_of m x) idx D Ig) by (intros i K; symmetry; now apply Words in K).
        destruct (Hw _ Ig) as (_ & W1 & W2). destruct (Of x) as [E1|(L & k & I & Ix)].
        + rewrite <- (proj1 (Permutation_count_occ id_dec _ _) (W1 E1) x). apply count_filter. apply negb_true_iff, not_true_iff_false. intros K.
          apply removed_groups_in in K as [K|(g & Jg & Jx)]; [congruence|]. destruct (numbers_of 1%positive _ _ Jg) as (c & Jc). destruct g as [L k].
          destruct (Apart (Pos.succ c) L k x) as [_ E2]; auto; [apply in_map_iff; exists (c, (L, k)); auto|]. rewrite E1 in E2. now destruct c.
        + rewrite <- (proj1 (Permutation_count_occ id_dec _ _) (W2 L k I) x). apply count_filter. now apply imem_iset. }
    assert (FA : Forall (fun e => In e (arcs A)) (W ++ V)).
    { assert (K : along (W ++ V)) by (apply Forall_app; auto). revert K. apply Forall_impl. intros e K. cbn [unlooped arcs without] in K. now apply tfilter_in in K as [K _]. }
    destruct (insert_loops A (start_state A) u (filter (fun x => negb (imem removed x) && negb (negb (imem removed_visits x))) ds) (W ++ V)) as (V' & TV' & FV' & PV'); auto.
    - apply trail_app with t; auto.
    - apply Forall_forall. intros x Ix. apply filter_In in Ix as [Ix K]. rewrite negb_involutive, andb_true_iff, negb_true_iff in K. destruct K as [N K].
      apply removed_visits_in in K as [K|(v & Iv & <-)]; [congruence|]. specialize (Vi v Iv). unfold check_visit in Vi. apply andb_true_iff in Vi as [Gu Vi].
      rewrite forallb_forall in Gu. destruct (beginning_visits _ _ ds groups _ W t B _ Vi) as (s & Is & Hs).
      + intros y. unfold imem. rewrite PM.gempty. discriminate.
      + intros absent Ab. apply not_true_iff_false. intros X. apply existsb_exists in X as (k & Ik & X). specialize (Gu k Ik).
        destruct (PM.find k absences) as [a|] eqn:Ek; [|discriminate]. apply existsb_exists in Gu as (y & Iy & Ey). apply Pos.eqb_eq in Ey. subst y.
        rewrite forallb_forall in X. destruct (G k a Ek) as [Nv|(c & Ic & Oc)]; [exact (Nv _ Ix Iy)|exact (Ab c (X c Oc) Ic)].
      + exists s. split; [|now apply emem_of in Hs]. rewrite map_app. destruct Is as [->|Is]; [now left|right]. apply in_or_app. auto.
    - exists V', u. repeat split; auto. rewrite <- PV', <- All. apply filter_split.
      intros x. rewrite !negb_true_iff. intros K. apply not_true_iff_false. intros K'. apply not_true_iff_false in K. apply K, removed_visits_in. auto.
  Qed.
End Groups.

(** * The letters of a group alone *)

Definition others (f : form) (letters : list id) : idset :=
  let inside := iset letters in
  fold_left (fun s x => if imem inside x then s else iadd s x) (nodes_of f Done) (PM.empty _).

Lemma kept_others f letters ds : all f Done ds -> kept (others f letters) ds = filter (imem (iset letters)) ds.
Proof.
  intros D. unfold kept. apply filter_ext_in. intros x I. unfold all in D. rewrite Forall_forall in D. specialize (D x I).
  apply (nodes_of_in f Done) in D; [|discriminate]. unfold others. set (inside := iset letters).
  assert (H : forall l s, imem (fold_left (fun s x => if imem inside x then s else iadd s x) l s) x = true <-> imem s x = true \/ In x l /\ imem inside x = false).
  { clear. induction l as [|y l IH]; cbn [fold_left In]; intros s; [tauto|]. rewrite IH. destruct (imem inside y) eqn:E; [|rewrite imem_iadd]; split.
    - intros [K|[K K']]; auto.
    - intros [K|[[->|K] K']]; auto. congruence.
    - intros [[->|K]|[K K']]; auto.
    - intros [K|[[->|K] K']]; auto. }
  assert (N : imem (PM.empty _) x = false) by (unfold imem; now rewrite PM.gempty).
  specialize (H (nodes_of f Done) (PM.empty _)). rewrite N in H. destruct (imem inside x) eqn:E.
  - apply negb_true_iff, not_true_iff_false. rewrite H. intuition congruence.
  - apply negb_false_iff, H. auto.
Qed.

Lemma without_walks removed A ls : walks (without removed A) ls -> walks A ls.
Proof.
  intros (W & t & T & F & P). exists W, t. repeat split; auto. revert F. apply Forall_impl. intros e I. cbn [arcs without] in I. now apply tfilter_in in I as [I _].
Qed.
