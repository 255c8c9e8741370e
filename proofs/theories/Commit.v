(** Proofs by commits (Lipton 1975): each request has one step in which it commits; steps before it can be
    exchanged with what comes next, steps after it with what came before. Then every complete run is as good as one in
    which the requests come one after the other, in the order of their commits.

    [post] has the nodes after the commit. Steps are compared where requests can meet: of that tell pairs ([Pairs]) and
    counters of requests. Beforehand there may be steps that are added: more can happen then, but nothing new by a request
    that is alone. *)

From Coq Require Import List PArith NArith Bool Permutation Lia.
From Proved Require Import Sets Model Simulation Reach Script.
From Proved.Rules Require Import Pairs Trace Movers.
Import ListNotations.

(** * The theorem *)

Section Commit.
  Context (f : form) (T : list step) (post : id -> bool) (meet : id -> id -> id -> bool) (s e : state).
  Context (old : forall p q, In (p, q) T -> In (p, q) (fsteps f)).
  Context (closed : forall n g n' g', In ((n, g), (n', g')) T -> post n = true -> post n' = true).
  Context (done_post : forall n, kind_of f n = Done -> post n = true).
  Context (done_still : forall n g q, In ((n, g), q) T -> kind_of f n <> Done).
  Context (meets : forall c i j a b, moves T s c -> moves T c e -> i <> j ->
    nth_error (snd c) i = Some a -> nth_error (snd c) j = Some b -> meet a b (fst c) = true).
  (** One request makes a step to before its commit, or the other one begins after it. *)
  Context (exchange : forall l g l1 g1 m m1 g2, In ((l, g), (l1, g1)) T -> In ((m, g1), (m1, g2)) T -> post l1 = false \/ post m = true ->
    meet l m g = true -> meet l1 m g1 = true -> meet l1 m1 g2 = true ->
    exists h, In ((m, g), (m1, h)) T /\ In ((l, h), (l1, g2)) T).
  Context (complete : all f Done (snd e)).

  Definition by_one (j : nat) (R : trace) : Prop := Forall (fun x => fst x = j) R.
  Definition by_others (j : nat) (R : trace) : Prop := Forall (fun x => fst x <> j) R.

  Lemma moves_one g ts i n n' g' : nth_error ts i = Some n -> In ((n, g), (n', g')) T -> moves T (g, ts) (g', upd ts i n').
  Proof. intros E M. exact (moves_cons _ _ _ _ _ _ _ _ E M (moves_nil _ _)). Qed.

  (** A step goes behind the steps of another request. *)
  Lemma push j B Q : by_one j Q -> forall g ts i l l1 g1 m, moves T s (g, ts) -> nth_error ts i = Some l -> nth_error ts j = Some m -> i <> j ->
    In ((l, g), (l1, g1)) T -> post l1 = false \/ post m = true -> trun T (g1, upd ts i l1) (Q ++ B) e ->
    exists Q' x, trun T (g, ts) (Q' ++ (i, x) :: B) e /\ by_one j Q' /\ length Q' = length Q.
  Proof.
    induction Q as [|[k [[m0 h0] [m1 g2]]] Q IH]; intros J g ts i l l1 g1 m Rs E Em N M C X.
    - exists [], ((l, g), (l1, g1)). split; [constructor; auto|]. split; [constructor|reflexivity].
    - inversion J as [|? ? Jk J1]; subst. cbn [fst] in *. cbn [app] in X.
      assert (h0 = g1) as -> by (inversion X; auto).
      inversion X as [|? ? ? ? ? ? ? ? Ej Mm X1]; subst. rewrite upd_other in Ej by auto. rewrite Em in Ej. injection Ej as <-.
      pose proof (moves_one _ _ _ _ _ _ E M) as C1.
      assert (C2 : moves T (g1, upd ts i l1) (g2, upd (upd ts i l1) k m1)) by (eapply moves_one; eauto; rewrite upd_other; auto).
      pose proof (trun_moves _ _ _ _ X1) as C3.
      assert (A1 : meet l m g = true) by (apply (meets (g, ts) i k); auto; eapply moves_app; [exact C1|eapply moves_app; eauto]).
      assert (A2 : meet l1 m g1 = true).
      { apply (meets (g1, upd ts i l1) i k); auto; cbn; [eapply moves_app; eauto|eapply moves_app; eauto|apply upd_same; congruence|rewrite upd_other; auto]. }
      assert (A3 : meet l1 m1 g2 = true).
      { apply (meets (g2, upd (upd ts i l1) k m1) i k); auto; cbn.
        - eapply moves_app; [exact Rs|]. eapply moves_app; eauto.
        - rewrite upd_other by auto. apply upd_same. congruence.
        - apply upd_same. rewrite upd_other by auto. congruence. }
      destruct (exchange _ _ _ _ _ _ _ M Mm C A1 A2 A3) as (h & Mh & Ml).
      rewrite upd_comm in X1 by auto.
      destruct (IH J1 h (upd ts k m1) i l l1 g2 m1) as (Q' & x & XQ & JQ & LQ); auto.
      { eapply moves_app; [exact Rs|]. eapply moves_one; eauto. }
      { rewrite upd_other; auto. }
      { apply upd_same. congruence. }
      { destruct C; eauto. }
      exists ((k, ((m, g), (m1, h))) :: Q'), x. split; [cbn; constructor; auto|]. split; [constructor; auto|cbn; auto].
  Qed.

  (** The commit of the request is behind us, or it is the first one to come. *)
  Definition first_to_commit (j : nat) (n : id) (R : trace) : Prop :=
    post n = true \/ exists A x B, R = A ++ (j, x) :: B /\ post (fst (snd x)) = true /\ Forall (fun y => post (fst (snd (snd y))) = false) A.

  (** All steps of this request come first. *)
  Lemma gather j R : forall c n, trun T c R e -> moves T s c -> nth_error (snd c) j = Some n -> first_to_commit j n R ->
    exists Q B, trun T c (Q ++ B) e /\ by_one j Q /\ by_others j B /\ length (Q ++ B) = length R.
  Proof.
    induction R as [|[i [[l g] [l1 g1]]] R IH]; intros c n X Rs En C.
    - exists [], []. repeat split; auto; constructor.
    - inversion X as [|? ts ? ? ? ? ? ? E M X1]; subst. cbn [fst snd] in *.
      assert (Rs1 : moves T s (g1, upd ts i l1)) by (eapply moves_app; [exact Rs|eapply moves_one; eauto]).
      destruct (PeanoNat.Nat.eq_dec i j) as [->|N].
      + rewrite E in En. injection En as <-.
        destruct (IH (g1, upd ts j l1) l1 X1 Rs1) as (Q & B & XQ & JQ & JB & LQ); [apply upd_same; congruence| |].
        * destruct C as [C|([|y A] & x & B & Eq & P & F)]; [left; eauto| |].
          -- injection Eq as <- <-. now left.
          -- injection Eq as <- ->. inversion F; subst. right. exists A, x, B. auto.
        * exists ((j, ((l, g), (l1, g1))) :: Q), B. split; [cbn; constructor; auto|]. split; [constructor; auto|]. split; auto. cbn; auto.
      + assert (En1 : nth_error (upd ts i l1) j = Some n) by (rewrite upd_other; auto).
        assert (C1 : first_to_commit j n R /\ (post l1 = false \/ post n = true)).
        { destruct C as [C|([|y A] & x & B & Eq & P & F)]; [split; [left|right]; auto| |].
          - injection Eq as -> _. congruence.
          - injection Eq as <- ->. inversion F; subst. split; [right; exists A, x, B; auto|left; auto]. }
        destruct C1 as [C1 C2].
        destruct (IH (g1, upd ts i l1) n X1 Rs1 En1 C1) as (Q & B & XQ & JQ & JB & LQ).
        destruct (push j B Q JQ g ts i l l1 g1 n) as (Q' & x & X' & J' & L'); auto.
        exists Q', ((i, x) :: B). split; auto. split; auto. split; [constructor; auto|]. rewrite app_length in *. cbn. lia.
  Qed.

  Lemma trun_split A B : forall c d, trun T c (A ++ B) d -> exists c', trun T c A c' /\ trun T c' B d.
  Proof.
    induction A as [|[i [[l g] [l1 g1]]] A IH]; intros c d X; [exists c; split; [constructor|exact X]|].
    inversion X as [|? ts ? ? ? ? ? ? E M X1]; subst. apply IH in X1 as (c' & X1 & X2). exists c'. split; auto. constructor; auto.
  Qed.

  Lemma own_path j R : by_one j R -> forall c d n, trun T c R d -> nth_error (snd c) j = Some n ->
    exists n', path T (n, fst c) (n', fst d) /\ snd d = upd (snd c) j n'.
  Proof.
    induction 1 as [|[i [[l g] [l1 g1]]] R J F IH]; intros c d n X E.
    - inversion X; subst. exists n. split; [constructor|]. now rewrite upd_id.
    - cbn in J. subst i. inversion X as [|? ts ? ? ? ? ? ? E' M X1]; subst. cbn [fst snd] in *. rewrite E in E'. injection E' as <-.
      destruct (IH _ _ l1 X1) as (n' & P & U); [apply upd_same; congruence|]. cbn [fst snd] in *. exists n'. split; [econstructor; eauto|].
      now rewrite U, upd_upd.
  Qed.

  Lemma others_leave j R : by_others j R -> forall c d, trun T c R d -> nth_error (snd d) j = nth_error (snd c) j.
  Proof.
    induction 1 as [|[i x] R J F IH]; intros c d X; inversion X as [|? ts ? ? ? ? ? ? E M X1]; subst; auto.
    cbn [fst snd] in *. rewrite (IH _ _ X1). cbn. apply upd_other. auto.
  Qed.

  (** Who makes a step was not done. *)
  Lemma not_done j x B A : forall c d n, trun T c (A ++ (j, x) :: B) d -> nth_error (snd c) j = Some n -> kind_of f n <> Done.
  Proof.
    induction A as [|[i y] A IH]; intros c d n X E; cbn in X; inversion X as [|? ts ? ? ? ? ? ? E' M X1]; subst; cbn [fst snd] in *.
    - rewrite E in E'. injection E' as <-. eapply done_still; eauto.
    - destruct (PeanoNat.Nat.eq_dec i j) as [->|N].
      + rewrite E in E'. injection E' as <-. eapply done_still; eauto.
      + eapply IH; [exact X1|]. cbn. rewrite upd_other; auto.
  Qed.

  (** In a complete run someone commits first. *)
  Lemma a_first R : Forall (fun y : nat * step => post (fst (snd (snd y))) = false) R \/
    exists A j x B, R = A ++ (j, x) :: B /\ post (fst (snd x)) = true /\ Forall (fun y => post (fst (snd (snd y))) = false) A.
  Proof.
    induction R as [|[i x] R IH]; [left; constructor|]. destruct (post (fst (snd x))) eqn:P.
    - right. exists [], i, x, R. repeat split; auto.
    - destruct IH as [IH|(A & j & y & B & -> & Py & F)]; [left; constructor; auto|].
      right. exists ((i, x) :: A), j, y, B. repeat split; auto.
  Qed.

  Lemma none_commits R c d : trun T c R d -> Forall (fun y => post (fst (snd (snd y))) = false) R -> all f Done (snd d) -> R = [].
  Proof.
    intros X. induction X as [c|g ts i n n' g' R d E M X IH]; auto. intros F D. inversion F as [|? ? P F1]; subst. cbn in P.
    assert (R = []) as -> by auto. exfalso. inversion X; subst. cbn in D. unfold all in D. rewrite Forall_forall in D.
    rewrite done_post in P; [discriminate|]. apply D. apply nth_error_In with i. apply upd_same. congruence.
  Qed.

  Theorem commits n : forall R g ts, length R <= n -> trun T (g, ts) R e -> moves T s (g, ts) ->
    (forall i m, nth_error ts i = Some m -> kind_of f m = Initial \/ kind_of f m = Done) ->
    exists W, walk f g W (fst e) /\ Permutation (snd e) (filter (is_done f) ts ++ W).
  Proof.
    induction n as [|n IH]; intros R g ts L X Rs K.
    { destruct R; [|cbn in L; lia]. inversion X; subst. exists []. split; [constructor|]. rewrite app_nil_r.
      cbn. unfold all in complete. cbn in complete. clear -complete. induction complete as [|d ds D C I]; cbn; auto.
      unfold is_done at 1. rewrite D. now rewrite <- I. }
    destruct (a_first R) as [F|(A & j & x & B & -> & P & F)].
    { rewrite (none_commits _ _ _ X F complete) in X. apply (IH [] g ts); auto. cbn. lia. }
    assert (Ej : exists m, nth_error ts j = Some m).
    { destruct (trun_split _ _ _ _ X) as ([gc tc] & X1 & X2). inversion X2 as [|? ? ? ? ? ? ? ? E M X3]; subst.
      assert (Ln : forall R c d, trun T c R d -> length (snd d) = length (snd c)).
      { clear. induction 1 as [|? ? ? ? ? ? ? ? ? ? ? IH]; auto. cbn in *. rewrite IH. apply upd_length. }
      apply Ln in X1. cbn in X1. destruct (nth_error ts j) eqn:Et; [eauto|]. apply nth_error_None in Et. rewrite <- X1 in Et.
      apply nth_error_None in Et. congruence. }
    destruct Ej as [m Em]. pose proof (not_done _ _ _ _ _ _ _ X Em) as Nd.
    destruct (K _ _ Em) as [Ki|Kd]; [|congruence].
    destruct (gather j _ _ m X Rs Em) as (Q & B' & XQ & JQ & JB & LQ); [right; exists A, x, B; auto|].
    destruct (trun_split _ _ _ _ XQ) as (c & X1 & X2). destruct (own_path j Q JQ _ _ m X1 Em) as (d & Pd & U). cbn [fst snd] in *.
    pose proof (others_leave j B' JB _ _ X2) as Oj. rewrite U in Oj. rewrite upd_same in Oj by congruence.
    assert (Kd : kind_of f d = Done).
    { unfold all in complete. rewrite Forall_forall in complete. apply complete. eapply nth_error_In; eauto. }
    assert (Lq : length Q > 0).
    { destruct Q; [|cbn; lia]. inversion X1; subst. cbn in U. rewrite U in Em at 1. rewrite upd_same in Em by congruence. congruence. }
    destruct c as [gc tc]. cbn [fst snd] in *. subst tc.
    destruct (IH B' gc (upd ts j d)) as (W & Wa & Pe); auto.
    { rewrite <- LQ, app_length in L. lia. }
    { eapply moves_app; [exact Rs|exact (trun_moves _ _ _ _ X1)]. }
    { intros i k. destruct (PeanoNat.Nat.eq_dec i j) as [->|N].
      - rewrite upd_same by congruence. intros [= <-]. now right.
      - rewrite upd_other by auto. apply K. }
    exists (d :: W). split.
    - econstructor; [exact Ki|exact Kd| |exact Wa]. clear -Pd old. induction Pd; [constructor|]. econstructor; eauto.
    - rewrite Pe, (filter_upd (is_done f) _ _ _ _ Em); [|unfold is_done; now rewrite Ki|unfold is_done; now rewrite Kd].
      cbn. apply Permutation_middle.
  Qed.
End Commit.

(** * Where two requests can be at a moment of a complete run *)

Definition sure (f : form) (meet : id -> id -> id -> bool) : Prop :=
  forall ts c g ds i j a b, all f Initial ts -> moves (fsteps f) (first f, ts) c -> moves (fsteps f) c (g, ds) -> all f Done ds ->
    i <> j -> nth_error (snd c) i = Some a -> nth_error (snd c) j = Some b -> meet a b (fst c) = true.

Lemma sure_pairs f known : known_pairs f known -> sure f (meets_of known).
Proof. intros K ts c g ds i j a b I M1 M2 D N Ea Eb. eapply (known_meets f known ts c g ds i j); eauto. Qed.

Lemma sure_both f m n : sure f m -> sure f n -> sure f (fun a b g => m a b g && n a b g).
Proof. intros A B ts c g ds i j a b I M1 M2 D N Ea Eb. apply andb_true_iff. split; [eapply A|eapply B]; eauto. Qed.

(** Requests have weights, by their nodes, and the global state has a level, which is what they weigh together; both are
    0 where nothing is said. *)
Record counter := Counter { heavy : list (id * N); heights : list (id * N) }.

Section Counter.
  Context (f : form) (c : counter).
  Definition values_in (l : list (id * N)) : PM.t N := fold_left (fun m e => PM.add (fst e) (snd e) m) l (PM.empty _).
  Definition value_in (m : PM.t N) (n : id) : N := match PM.find n m with Some k => k | None => 0%N end.
  Let w := value_in (values_in (heavy c)).
  Let v := value_in (values_in (heights c)).

  (** reduction.count *)
  Definition check_counter : bool :=
    N.eqb (v (first f)) 0 &&
    forallb (fun e => match kind_of f (fst e) with Initial => false | _ => true end) (heavy c) &&
    forallb (fun s => N.eqb (v (snd (snd s)) + w (fst (fst s))) (v (snd (fst s)) + w (fst (snd s)))) (fsteps f).
  Definition lighter (a b g : id) : bool := N.leb (w a + w b) (v g).

  Fixpoint weigh (ts : list id) : N := match ts with [] => 0 | n :: ts => w n + weigh ts end%N.

  Lemma weigh_upd ts i n n' : nth_error ts i = Some n -> (weigh (upd ts i n') + w n = weigh ts + w n')%N.
  Proof. revert i; induction ts as [|t ts IH]; intros [|i] E; cbn [nth_error upd weigh] in *; try discriminate; [injection E as ->; lia|]. specialize (IH _ E). lia. Qed.

  Lemma weigh_one ts i a : nth_error ts i = Some a -> (w a <= weigh ts)%N.
  Proof. revert i; induction ts as [|t ts IH]; intros [|i] E; cbn [nth_error upd weigh] in *; try discriminate; [injection E as ->; lia|]. specialize (IH _ E). lia. Qed.

  Lemma weigh_two ts i j a b : i <> j -> nth_error ts i = Some a -> nth_error ts j = Some b -> (w a + w b <= weigh ts)%N.
  Proof.
    revert i j; induction ts as [|t ts IH]; intros [|i] [|j] N A B; cbn [nth_error upd weigh] in *; try discriminate; try congruence.
    - injection A as ->. apply weigh_one in B. lia.
    - injection B as ->. apply weigh_one in A. lia.
    - assert (i <> j) as N' by congruence. specialize (IH _ _ N' A B). lia.
  Qed.

  Lemma table_in l n k : PM.find n (values_in l) = Some k -> exists m, In (n, m) l.
  Proof.
    unfold values_in. assert (H : forall m, (forall n k, PM.find n m = Some k -> exists j, In (n, j) l) -> forall l', incl l' l ->
      forall n k, PM.find n (fold_left (fun m e => PM.add (fst e) (snd e) m) l' m) = Some k -> exists j, In (n, j) l).
    { intros m H l'; revert m H; induction l' as [|[x y] l' IH]; cbn; intros m H I; auto.
      apply IH; [|intros z Z; apply I; now right]. intros n1 k1. destruct (Pos.eq_dec n1 x) as [->|N].
      - intros _. exists y. apply I. now left.
      - rewrite PM.gso by auto. apply H. }
    apply (H (PM.empty _)); [|apply incl_refl]. intros n1 k1. rewrite PM.gempty. discriminate.
  Qed.

  Lemma counter_sure : check_counter = true -> sure f lighter.
  Proof.
    unfold check_counter. rewrite !andb_true_iff, !forallb_forall, N.eqb_eq. intros [[V I] S] ts d g ds i j a b It M1 _ _ N Ea Eb.
    assert (W0 : weigh ts = 0%N).
    { clear -It I. induction It as [|t ts K _ IH]; auto. cbn [weigh]. rewrite IH. enough (w t = 0%N) by lia.
      unfold w, value_in. destruct (PM.find t _) as [k|] eqn:F; auto. apply table_in in F as [m J]. specialize (I _ J). cbn in I. now rewrite K in I. }
    assert (H : forall c d, moves (fsteps f) c d -> weigh (snd c) = v (fst c) -> weigh (snd d) = v (fst d)).
    { clear -S. induction 1 as [|h ts i n n' g' d E J R IH]; auto. intros Q. apply IH. cbn [fst snd] in *.
      specialize (S _ J). cbn [fst snd] in S. apply N.eqb_eq in S. pose proof (weigh_upd ts i n n' E). lia. }
    apply H in M1; [|cbn; congruence]. unfold lighter. apply N.leb_le. rewrite <- M1. now apply (weigh_two _ i j).
  Qed.
End Counter.

(** The counters that are right are used. *)
Definition lighter_all (cs : list counter) : id -> id -> id -> bool :=
  let ts := tmap (fun c => (values_in (heavy c), values_in (heights c))) cs in
  fun a b g => forallb (fun t => N.leb (value_in (fst t) a + value_in (fst t) b) (value_in (snd t) g)) ts.

Lemma counters_sure f cs : sure f (lighter_all (tfilter (check_counter f) cs)).
Proof.
  intros ts c g ds i j a b I M1 M2 D N Ea Eb. apply forallb_forall. intros t J. apply tmap_in in J as (k & <- & J). apply tfilter_in in J as [_ J].
  exact (counter_sure f k J ts c g ds i j a b I M1 M2 D N Ea Eb).
Qed.

(** * Steps that are added *)

Section More.
  Context (f : form) (more : list step).

  Definition widened : form := steps_now f (rev_append more (fsteps f)).

  (** What a request can come to from where such a step leads, when it is alone, it can come to from where it begins.
      reduction.late, reduction.validated, reduction.attempt *)
  Definition nothing_new : bool :=
    let succ := found (index (fsteps f)) in
    let fuel := fuel_of (fsteps f) in
    forallb (fun e =>
      let l := reach succ fuel (snd e) in
      closed succ l (snd e) &&
      let own := pset_of (reach succ fuel (fst e)) in
      forallb (fun q => negb (is_done f (fst q)) || pmem own q) l) more.

  Lemma widened_path : nothing_new = true -> forall p e, path (fsteps widened) p e -> kind_of f (fst e) = Done -> path (fsteps f) p e.
  Proof.
    unfold nothing_new. rewrite forallb_forall. intros H p e P K. induction P as [p|p q e M P IH]; [constructor|]. specialize (IH K).
    cbn in M. rewrite rev_append_rev, in_app_iff, <- in_rev in M. destruct M as [M|M]; [|econstructor; eauto].
    specialize (H _ M). cbn [fst snd] in H. apply andb_true_iff in H as [C H]. rewrite forallb_forall in H.
    apply leads_path in IH. specialize (H e (closed_complete _ _ _ _ C IH)). unfold is_done in H. rewrite K in H. cbn in H.
    apply pmem_of in H. apply leads_path. eapply reach_sound; eauto.
  Qed.

  Theorem widened_sound : nothing_new = true -> fserializable widened -> fserializable f.
  Proof.
    intros N H ds (ts & g & I & D & M). destruct (H ds) as (ds' & P & g' & W).
    - exists ts, g. split; [exact I|]. split; [exact D|]. clear -M. cbn. induction M as [|? ? ? ? ? ? ? E J _ IH]; [constructor|].
      econstructor; eauto. cbn. rewrite rev_append_rev. apply in_app_iff. now right.
    - exists ds'. split; auto. exists g'. clear -W N. cbn in W. revert W. generalize (first f). induction ds' as [|d ds IH]; intros h W; inversion W; subst; [constructor|].
      econstructor; eauto. now apply widened_path.
  Qed.
End More.

(** * The check *)

Section Check.
  Context (f : form) (meet : id -> id -> id -> bool) (post : id -> bool).
  Let T := fsteps f.

  (** reduction.phases *)
  Definition check_phases : bool :=
    forallb (fun s => (negb (post (fst (fst s))) || post (fst (snd s))) && negb (is_done f (fst (fst s)))) T.

  (** reduction.exchange *)
  Definition check_neighbours : bool :=
    let idx := index T in
    let known := sset_of T in
    let under := index1 (tmap (fun s => (snd (fst s), (fst (fst s), snd s))) T) in
    forallb (fun s => let l := fst (fst s) in let g := snd (fst s) in let l1 := fst (snd s) in let g1 := snd (snd s) in
      forallb (fun o => let m := fst o in let m1 := fst (snd o) in let g2 := snd (snd o) in
        (post l1 && negb (post m)) || negb (meet l1 m g1) || negb (meet l m g) || negb (meet l1 m1 g2) ||
        existsb (fun q => Pos.eqb (fst q) m1 && smem known ((l, snd q), (l1, g2))) (found idx (m, g))) (found1 under g1)) T.

  Lemma check_neighbours_sound : check_neighbours = true ->
    forall l g l1 g1 m m1 g2, In ((l, g), (l1, g1)) T -> In ((m, g1), (m1, g2)) T -> post l1 = false \/ post m = true ->
      meet l m g = true -> meet l1 m g1 = true -> meet l1 m1 g2 = true ->
      exists h, In ((m, g), (m1, h)) T /\ In ((l, h), (l1, g2)) T.
  Proof.
    unfold check_neighbours. rewrite forallb_forall. intros H l g l1 g1 m m1 g2 M O C A1 A2 A3.
    specialize (H _ M). cbn [fst snd] in H. rewrite forallb_forall in H.
    assert (J : In (m, (m1, g2)) (found1 (index1 (tmap (fun s => (snd (fst s), (fst (fst s), snd s))) T)) g1)).
    { apply found_index1, tmap_in. exists ((m, g1), (m1, g2)); auto. }
    specialize (H _ J). cbn [fst snd] in H. rewrite A1, A2, A3 in H. cbn [negb orb] in H. rewrite !orb_false_r in H.
    apply orb_true_iff in H as [H|H].
    - apply andb_true_iff in H as [H1 H2]. apply negb_true_iff in H2. destruct C; congruence.
    - apply existsb_exists in H as ([m' h] & I & H). cbn [fst snd] in H. apply andb_true_iff in H as [Eq K].
      apply Pos.eqb_eq in Eq. subst m'. apply smem_of in K. apply found_index in I. eauto.
  Qed.

  Theorem neighbours_sound : sure f meet -> (forall n, kind_of f n = Done -> post n = true) -> check_phases && check_neighbours = true -> fserializable f.
  Proof.
    intros Sure Dp. unfold check_phases. rewrite andb_true_iff, forallb_forall. intros [P C] ds (ts & g & I & D & M).
    destruct (moves_trun _ _ _ M) as [R X].
    destruct (commits f T post meet (first f, ts) (g, ds)) with (n := length R) (R := R) (g := first f) (ts := ts) as (W & Wa & Pe); auto.
    - intros n h n' h' J A. specialize (P _ J). cbn [fst snd] in P. rewrite A in P. now apply andb_true_iff in P as [P _].
    - intros n h q J K. specialize (P _ J). cbn [fst snd] in P. apply andb_true_iff in P as [_ P]. unfold is_done in P. rewrite K in P. discriminate.
    - intros c i j a b M1 M2 N Ea Eb. eapply Sure; eauto.
    - now apply check_neighbours_sound.
    - constructor.
    - intros i m E. left. apply nth_error_In in E. unfold all in I. rewrite Forall_forall in I. auto.
    - cbn in *. exists W. split; [|exists g; auto].
      assert (Fi : filter (is_done f) ts = []).
      { clear -I. induction I as [|t ts K I IH]; cbn; auto. unfold is_done at 1. now rewrite K. }
      now rewrite Fi in Pe.
  Qed.
End Check.

(** What a proof says: counters, steps that are added, and the nodes after the commit beside those that are done. *)
Record commit_proof := Commits { by_counters : list counter; more_steps : list step; after_commit : list id }.

Definition check_commits (hint : form -> list turn_hint) (f : form) (p : commit_proof) : bool :=
  nothing_new f (more_steps p) &&
  match pairs (widened f (more_steps p)) (hint (widened f (more_steps p))) with
  | Some (f', known) =>
      let right := lighter_all (tfilter (check_counter f') (by_counters p)) in
      let among := meets_of (Some known) in
      let set := iset (after_commit p) in
      let post := fun n => imem set n || is_done f' n in
      check_phases f' post && check_neighbours f' (fun a b g => among a b g && right a b g) post
  | None => false
  end.

Theorem commits_sound hint f p : check_commits hint f p = true -> fserializable f.
Proof.
  unfold check_commits. rewrite andb_true_iff. intros [N H]. apply (widened_sound f (more_steps p) N).
  destruct (pairs _ _) as [[f' [cols F]]|] eqn:P; [|discriminate]. apply pairs_sound in P as (Sa & _ & K).
  eapply same_serializable; [exact Sa|]. eapply neighbours_sound; [| |exact H].
  - apply sure_both; [|apply counters_sure]. apply sure_pairs. exact K.
  - intros n D. unfold is_done. rewrite D. apply orb_true_r.
Qed.
