(** Linear sets: answers of serial runs, a base and any number of times each
    period.

    An edge says what one request alone can do: from a global state to an answer
    and the global state that it leaves behind. The base is balanced but for a
    first and a last state, the periods are balanced, and all hang together with
    the first; so there is a walk that uses each edge as often as they say,
    however often each period is taken: a serial run. *)

From Coq Require Import List ZArith NArith PArith Bool Permutation Lia.
From Proved Require Import Sets Model Reach Sums Euler Tree.
Import ListNotations.
Open Scope Z_scope.

(** * Edges of a normal form *)

Definition genuine (f : form) (e : edge) : Prop :=
  kind_of f (letter_of e) = Done /\
  exists n, kind_of f n = Initial /\ path (fsteps f) (n, origin e) (letter_of e, target e).

Lemma trail_walk f s W t : trail s W t -> Forall (genuine f) W -> walk f s (map letter_of W) t.
Proof.
  induction 1 as [g|e L t T IH]; intros F; [constructor|]. inversion F as [|? ? (D & n & I & P) F']; subst. cbn [map].
  econstructor; eauto.
Qed.

Definition is_kind (f : form) (k : kind) (n : id) : bool :=
  match kind_of f n, k with Initial, Initial => true | Inner, Inner => true | Done, Done => true | _, _ => false end.

Lemma is_kind_eq f k n : is_kind f k n = true <-> kind_of f n = k.
Proof. unfold is_kind. destruct (kind_of f n), k; split; intros; auto; discriminate. Qed.

(** Nodes of a kind in the order of their numbers. *)
Definition nodes_of (f : form) (k : kind) : list id :=
  sort Pos.leb (tmap fst (tfilter (fun e => is_kind f k (fst e)) (PM.elements (kinds f)))).

Lemma nodes_of_in f k n : k <> Inner -> In n (nodes_of f k) <-> kind_of f n = k.
Proof.
  intros K. unfold nodes_of. rewrite sort_in, tmap_in. split.
  - intros ([m k'] & <- & I). apply tfilter_in in I as [_ I]. now apply is_kind_eq in I.
  - intros E. unfold kind_of in E. destruct (PM.find n (kinds f)) as [k'|] eqn:F; [|congruence]. exists (n, k'). split; auto.
    apply tfilter_in. split; [now apply PM.elements_correct|]. apply is_kind_eq. cbn. unfold kind_of. now rewrite F.
Qed.

Definition edges_at (f : form) (moves : index_type point) (begins : list id) (fuel : nat) (g : id) : list point :=
  tflat (fun n => tfilter (fun p => is_kind f Done (fst p)) (reach (found moves) fuel (n, g))) begins.

(** What one request alone can do under these global states, in order. *)
Definition edge_list (f : form) (gs : list id) : list edge :=
  let moves := index (fsteps f) in
  let begins := nodes_of f Initial in
  let fuel := fuel_of (fsteps f) in
  rev_append (tflat (fun g => rev_append (tmap (fun p => (g, p)) (sorted_points (edges_at f moves begins fuel g))) []) gs) [].

Lemma edge_list_genuine f gs e : In e (edge_list f gs) -> genuine f e.
Proof.
  unfold edge_list. rewrite rev_append_rev, app_nil_r, <- in_rev, tflat_in. intros (g & _ & I).
  rewrite rev_append_rev, app_nil_r, <- in_rev, tmap_in in I. destruct I as ([a g'] & <- & I). rewrite sorted_points_in in I.
  unfold edges_at in I. apply tflat_in in I as (n & I & J). apply tfilter_in in J as [J D]. apply reach_sound, leads_path in J.
  apply is_kind_eq in D. split; auto. exists n. split; [apply nodes_of_in in I; auto; discriminate|exact J].
Qed.

(** * Sets *)

(** Edges, and how often each is used. *)
Definition uses := list (edge * N).

Record period := Period {
  round : uses;
  divisor : Z;
  plus : Z;
  per_letter : list (id * Z)
}.

Record linear_set := LinearSet { base : uses; periods : list period }.

(** As it is written: edges by number. *)
Record written_period := WrittenPeriod {
  written_round : list (id * N);
  written_divisor : Z;
  written_plus : Z;
  written_per_letter : list (id * Z)
}.

Record written_set := WrittenSet { written_base : list (id * N); written_periods : list written_period }.

Definition expand (u : uses) : list edge := flat_map (fun e => repeat (fst e) (N.to_nat (snd e))) u.

Definition ends_of (u : uses) : list (id * Z) :=
  tflat (fun e => [(origin (fst e), Z.of_N (snd e)); (target (fst e), - Z.of_N (snd e))]) u.

Lemma wsum_repeat {A} (w : A -> Z) a n : wsum w (repeat a n) = Z.of_nat n * w a.
Proof. induction n as [|n IH]; cbn [repeat]; rewrite ?wsum_nil, ?wsum_cons; lia. Qed.

Lemma tsum_wsum v ts : tsum v ts = wsum (fun t => snd t * v (fst t)) ts.
Proof. reflexivity. Qed.

Lemma excess_expand u x : excess (expand u) x = tsum (fun y => delta y x) (ends_of u).
Proof.
  unfold excess, expand, ends_of. rewrite tsum_wsum, wsum_flat_map, wsum_tflat. apply wsum_ext. intros [e n] _.
  rewrite wsum_repeat, !wsum_cons, wsum_nil. cbn [fst snd]. lia.
Qed.

Definition all_zero (ts : list (id * Z)) : bool := forallb (fun t => snd t =? 0) (collect ts).

Lemma all_zero_sum v ts : all_zero ts = true -> tsum v ts = 0.
Proof.
  unfold all_zero. rewrite <- (tsum_collect v ts), forallb_forall, tsum_wsum. intros H. apply wsum_zero.
  intros t I. apply H, Z.eqb_eq in I. rewrite I. lia.
Qed.

(** The states that hang together with a state, by edges that are used. *)
Definition together (us : list uses) (s : id) : idset :=
  let used := tflat (tflat (fun e => match snd e with N0 => [] | _ => [fst e] end)) us in
  let next := index1 (tflat (fun e => [(origin e, target e); (target e, origin e)]) used) in
  iset (tmap fst (reach (fun p => tmap (fun y => (y, 1%positive)) (found1 next (fst p))) (fuel_of used) (s, 1%positive))).

Definition hang_check (us : list uses) (s : id) : bool :=
  let found := together us s in
  forallb (forallb (fun e => match snd e with N0 => true | _ => imem found (origin (fst e)) end)) us.

Lemma expand_in u e : In e (expand u) <-> exists n, In (e, n) u /\ (0 < N.to_nat n)%nat.
Proof.
  unfold expand. rewrite in_flat_map. split.
  - intros ([e' n] & I & J). cbn in J. pose proof (repeat_spec _ _ _ J). subst. exists n. split; auto. destruct (N.to_nat n); [destruct J|lia].
  - intros (n & I & P). exists (e, n). split; auto. cbn. destruct (N.to_nat n); [lia|]. cbn; auto.
Qed.

Lemma hang_sound us s : hang_check us s = true -> hangs (flat_map expand us) s.
Proof.
  unfold hang_check. rewrite forallb_forall. intros H P Ps C e I.
  apply in_flat_map in I as (u & U & I). apply expand_in in I as (n & I & N0). specialize (H u U). rewrite forallb_forall in H.
  specialize (H (e, n) I). cbn [fst snd] in H. assert (M : imem (together us s) (origin e) = true) by (destruct n; [cbn in N0; lia|auto]). clear H.
  unfold together in M. apply imem_iset in M. apply tmap_in in M as ([x o] & E & M). cbn in E. subst x. apply reach_sound in M.
  set (next := index1 _) in M.
  assert (Q : forall p q, leads (fun p => tmap (fun y => (y, 1%positive)) (found1 next (fst p))) p q -> P (fst p) = true -> P (fst q) = true).
  { clear M. induction 1 as [p|p q r S' L IH]; auto. intros Pp. apply IH. apply tmap_in in S' as (y & <- & Y). cbn [fst].
    apply found_index1 in Y. apply tflat_in in Y as (e' & J & Y). apply tflat_in in J as (u' & U' & J). apply tflat_in in J as ([e'' n'] & U2 & J).
    assert (In e' (flat_map expand us)).
    { apply in_flat_map. exists u'. split; auto. apply expand_in. cbn in J. destruct n' as [|n']; [destruct J|]. destruct J as [<-|[]].
      exists (N.pos n'). split; auto. lia. }
    apply C in H. destruct Y as [[= E F]|[[= E F]|[]]]; congruence. }
  apply (Q _ _ M). exact Ps.
Qed.

(** The last state of the base. *)
Definition last_state (s : id) (u : uses) : id :=
  match find (fun t => snd t <? 0) (collect (ends_of u)) with Some t => fst t | None => s end.

(** The common multiple of the divisors. *)
Definition common (set : linear_set) : Z := fold_left (fun d p => Z.lcm d (divisor p)) (periods set) 1.

Section Set_check.
  Context (f : form).

  (** The edges by number, each once and in order. *)
  Fixpoint resolve_uses (edges : PM.t edge) (least : id) (u : list (id * N)) (acc : uses) : option uses :=
    match u with
    | [] => Some acc
    | (k, n) :: u =>
        if Pos.ltb k least then None
        else match PM.find k edges with Some e => resolve_uses edges (Pos.succ k) u ((e, n) :: acc) | None => None end
    end.

  Fixpoint resolve_periods (edges : PM.t edge) (ps : list written_period) (acc : list period) : option (list period) :=
    match ps with
    | [] => Some (rev_append acc [])
    | p :: ps =>
        match resolve_uses edges 1%positive (written_round p) [] with
        | Some u => resolve_periods edges ps (Period u (written_divisor p) (written_plus p) (written_per_letter p) :: acc)
        | None => None
        end
    end.

  Definition resolve_set (edges : PM.t edge) (w : written_set) : option linear_set :=                (* flow.edges *)
    match resolve_uses edges 1%positive (written_base w) [], resolve_periods edges (written_periods w) [] with
    | Some b, Some ps => Some (LinearSet b ps)
    | _, _ => None
    end.

  Definition check_set (set : linear_set) : bool :=
    let s := first f in
    forallb (fun p => (1 <=? divisor p) &&                                                  (* flow.edges *)
      forallb (fun t => is_kind f Done (fst t)) (per_letter p)) (periods set) &&
    (1 <=? common set) && forallb (fun p => divides (divisor p) (common set)) (periods set) &&
    all_zero ((last_state s (base set), 1) :: (s, -1) :: ends_of (base set)) &&             (* flow.base *)
    hang_check [base set] s &&                                                              (* flow.connected *)
    forallb (fun p => all_zero (ends_of (round p)) &&                                       (* flow.period *)
      hang_check [base set; round p] s) (periods set).

  (** Variables: how often each step is made. Letters are counted by the steps
      that land on them. *)
  Context (landings : PM.t (list id)).

  Definition normal_linear (ts : list (id * Z)) (c : Z) : linear :=
    Linear (tfilter (fun t => negb (snd t =? 0)) (collect ts)) c.

  Definition in_counts (ts : list (id * Z)) (c sign : Z) : linear :=
    normal_linear (tflat (fun t => tmap (fun v => (v, sign * snd t)) (found1 landings (fst t))) ts) c.

  Definition letters (u : uses) : list (id * Z) := tmap (fun e => (letter_of (fst e), Z.of_N (snd e))) u.
  Definition total (m : PM.t (list Z)) (a : id) : Z := fold_left Z.add (found1 m a) 0.

  (** What must be 0 for a letter: the common multiple times what the run
      answers, minus what base and periods do. *)
  Definition rest_terms (d : Z) (ps : list (PM.t (list Z) * period)) (a : id) : list (id * Z) :=
    (a, d) :: tflat (fun e => let '(m, p) := e in
      let n := total m a in
      if n =? 0 then [] else scale (- (d / divisor p * n)) (per_letter p) []) ps.
  Definition rest_constant (d b : Z) (ps : list (PM.t (list Z) * period)) (a : id) : Z :=
    fold_left (fun c e => let '(m, p) := e in c - d / divisor p * total m a * plus p) ps (- (d * b)).

  Definition possible_literal (l : literal) : bool :=
    match l with AtLeastZero (Linear [] c) => 0 <=? c | _ => true end.

  Definition set_clause (dones : list id) (set : linear_set) : list literal :=
    let d := common set in
    let b := index1 (letters (base set)) in
    let ps := tmap (fun p => (index1 (letters (round p)), p)) (periods set) in
    let by_period := tflat (fun p =>
      AtLeastZero (in_counts (per_letter p) (- plus p - 1) (-1)) ::
      (if 1 <? divisor p then [NotDivisible (in_counts (per_letter p) (plus p) 1) (divisor p)] else [])) (periods set) in
    let by_letter := tflat (fun a =>
      let ts := rest_terms d ps a in
      let c := rest_constant d (total b a) ps a in
      [AtLeastZero (in_counts ts (c - 1) 1); AtLeastZero (in_counts ts (- c - 1) (-1))]) dones in
    tfilter possible_literal (tapp (rev_append by_letter []) by_period).
End Set_check.

(** * What the clause says *)

Lemma normal_linear_value v ts c : value v (normal_linear ts c) = tsum v ts + c.
Proof.
  unfold value, normal_linear. cbn [terms constant]. rewrite <- (tsum_collect v ts), !tsum_wsum, wsum_tfilter. f_equal.
  apply wsum_ext. intros t _. destruct (Z.eqb_spec (snd t) 0) as [->|]; cbn [negb]; lia.
Qed.

Lemma in_counts_value x landings ts c sign :
  value x (in_counts landings ts c sign) = sign * tsum (fun a => wsum x (found1 landings a)) ts + c.
Proof.
  unfold in_counts. rewrite normal_linear_value. f_equal. rewrite !tsum_wsum, wsum_tflat, <- wsum_times. apply wsum_ext. intros t _.
  rewrite wsum_tmap. cbn [fst snd]. rewrite wsum_times. lia.
Qed.

Lemma impossible x l : possible_literal l = false -> ~ holds x l.
Proof.
  destruct l as [[[|] c]|]; cbn [possible_literal]; try discriminate. intros H. cbn [holds value terms constant].
  unfold value. cbn [terms constant]. change (tsum x []) with 0. apply Z.leb_gt in H. lia.
Qed.

Lemma holds_dec x l : {holds x l} + {~ holds x l}.
Proof.
  destruct l as [e|e d]; cbn [holds]; [apply Z_le_dec|]. destruct (Znumtheory.Zdivide_dec d (value x e)); [right; tauto|left; auto].
Qed.

Lemma total_sum l x : total (index1 l) x = tsum (fun y => delta y x) l.
Proof.
  unfold total. rewrite tsum_wsum.
  transitivity (wsum (fun n => n) (found1 (index1 l) x)).
  - assert (H : forall m z, fold_left Z.add m z = z + wsum (fun n => n) m).
    { induction m as [|n m IH]; cbn [fold_left]; intros z; [rewrite wsum_nil; lia|]. rewrite IH, wsum_cons. lia. }
    apply H.
  - rewrite wsum_found1. apply wsum_ext. intros [y n] _. cbn [fst snd]. unfold delta. destruct (Pos.eqb y x); lia.
Qed.

Lemma total_value u a : total (index1 (letters u)) a = wsum (fun e => Z.of_N (snd e) * delta (letter_of (fst e)) a) u.
Proof. rewrite total_sum, tsum_wsum. unfold letters. rewrite wsum_tmap. reflexivity. Qed.

Lemma letters_expand u a : wsum (fun e => delta (letter_of e) a) (expand u) = total (index1 (letters u)) a.
Proof.
  rewrite total_value. unfold expand. rewrite wsum_flat_map. apply wsum_ext. intros e _. rewrite wsum_repeat. lia.
Qed.

(** A list so many times. *)
Definition many {A} (k : nat) (l : list A) : list A := concat (repeat l k).

Lemma wsum_many {A} (w : A -> Z) k l : wsum w (many k l) = Z.of_nat k * wsum w l.
Proof. unfold many. induction k as [|k IH]; cbn [repeat concat]; [reflexivity|]. rewrite wsum_app, IH. lia. Qed.

Lemma many_in {A} (x : A) k l : In x (many k l) <-> In x l /\ k <> O.
Proof.
  unfold many. induction k as [|k IH]; cbn [repeat concat]; [cbn; tauto|]. rewrite in_app_iff, IH. intuition.
Qed.

Lemma rest_value r d b ps a :
  tsum r (rest_terms d ps a) + rest_constant d b ps a =
  d * r a - d * b - wsum (fun e => d / divisor (snd e) * total (fst e) a * (tsum r (per_letter (snd e)) + plus (snd e))) ps.
Proof.
  unfold rest_terms. rewrite tsum_cons. cbn [fst snd]. rewrite tsum_wsum, wsum_tflat.
  assert (C : rest_constant d b ps a = - (d * b) + wsum (fun e => -1 * (d / divisor (snd e) * total (fst e) a * plus (snd e))) ps).
  { unfold rest_constant. generalize (- (d * b)). induction ps as [|[m p] ps IH]; cbn [fold_left]; intros z; [rewrite wsum_nil; lia|].
    rewrite IH, wsum_cons. cbn [fst snd]. lia. }
  rewrite C, wsum_times.
  rewrite (wsum_ext _ (fun e => -1 * (d / divisor (snd e) * total (fst e) a * tsum r (per_letter (snd e))))).
  - rewrite wsum_times.
    rewrite (wsum_ext (fun e => _ * (_ + _)) (fun e => d / divisor (snd e) * total (fst e) a * tsum r (per_letter (snd e)) +
      d / divisor (snd e) * total (fst e) a * plus (snd e))) by (intros; lia).
    rewrite wsum_plus. lia.
  - intros [m p] _. cbn [fst snd]. destruct (Z.eqb_spec (total m a) 0) as [->|]; [rewrite wsum_nil; lia|].
    rewrite <- tsum_wsum, tsum_scale. change (tsum r []) with 0. lia.
Qed.

(** All its edges are there. *)
Definition real_uses (f : form) (u : uses) : Prop := forall e n, In (e, n) u -> genuine f e.
Definition real_set (f : form) (set : linear_set) : Prop :=
  real_uses f (base set) /\ forall p, In p (periods set) -> real_uses f (round p).

Lemma resolve_set_real f edges w set : (forall k e, PM.find k edges = Some e -> genuine f e) -> resolve_set edges w = Some set -> real_set f set.
Proof.
  intros G. assert (U : forall u least acc u', real_uses f acc -> resolve_uses edges least u acc = Some u' -> real_uses f u').
  { induction u as [|[k n] u IH]; cbn [resolve_uses]; intros least acc u' R; [intros [= <-]; auto|].
    destruct (Pos.ltb k least); [discriminate|]. destruct (PM.find k edges) as [e|] eqn:E; [|discriminate]. apply IH.
    intros e' n' [[= <- <-]|I]; eauto. }
  assert (P : forall ps acc ps', (forall p, In p acc -> real_uses f (round p)) -> resolve_periods edges ps acc = Some ps' ->
    forall p, In p ps' -> real_uses f (round p)).
  { induction ps as [|p ps IH]; cbn [resolve_periods]; intros acc ps' R.
    - intros [= <-] p. rewrite rev_append_rev, app_nil_r, <- in_rev. auto.
    - destruct (resolve_uses edges 1%positive (written_round p) []) as [u|] eqn:E; [|discriminate]. apply IH.
      intros q [<-|I]; auto. cbn [round]. eapply U; [|exact E]. intros ? ? []. }
  unfold resolve_set. destruct (resolve_uses edges 1%positive (written_base w) []) as [b|] eqn:Eb; [|discriminate].
  destruct (resolve_periods edges (written_periods w) []) as [ps|] eqn:Ep; [|discriminate]. intros [= <-]. split; cbn [base periods].
  - eapply U; [|exact Eb]. intros ? ? [].
  - eapply P; [|exact Ep]. intros ? [].
Qed.

Section Clause_sound.
  Context (f : form) (set : linear_set).
  Context (real : real_set f set) (checked : check_set f set = true).

  (** Base and so many times each period. *)
  Definition taken (k : period -> nat) : list edge := expand (base set) ++ flat_map (fun p => many (k p) (expand (round p))) (periods set).

  Lemma taken_genuine k : Forall (genuine f) (taken k).
  Proof.
    destruct real as [Rb Rp]. apply Forall_forall. intros e I. apply in_app_or in I as [I|I].
    - apply expand_in in I as (n & I & _). eapply Rb; eauto.
    - apply in_flat_map in I as (p & Ip & I). apply many_in in I as [I _]. apply expand_in in I as (n & I & _). eapply Rp; eauto.
  Qed.

  Lemma taken_serial k : exists ds, Permutation (map letter_of (taken k)) ds /\ Ser f ds.
  Proof.
    pose proof checked as C. unfold check_set in C. rewrite !andb_true_iff, !forallb_forall in C.
    destruct C as [[[_ Bb] Hb] Bp].
    pose proof (taken_genuine k) as G.
    destruct (euler (taken k) (first f) (last_state (first f) (base set))) as (W & P & T).
    - intros x. unfold taken, excess. rewrite wsum_app, wsum_flat_map. fold (excess (expand (base set)) x).
      rewrite (wsum_zero (fun p => wsum _ (many (k p) (expand (round p))))).
      + apply all_zero_sum with (v := fun y => delta y x) in Bb. rewrite !tsum_cons in Bb. cbn [fst snd] in Bb. rewrite excess_expand. lia.
      + intros p Ip. rewrite wsum_many. fold (excess (expand (round p)) x). rewrite excess_expand.
        specialize (Bp p Ip). rewrite andb_true_iff in Bp. rewrite (all_zero_sum _ _ (proj1 Bp)). lia.
    - intros P Ps C e I. apply in_app_or in I as [I|I].
      + apply hang_sound in Hb. apply (Hb P Ps); cbn [flat_map]; rewrite app_nil_r; auto. intros e' J. apply C. apply in_or_app; auto.
      + apply in_flat_map in I as (p & Ip & I). apply many_in in I as [I Nk].
        specialize (Bp p Ip). rewrite andb_true_iff in Bp. destruct Bp as [_ Hp]. apply hang_sound in Hp.
        apply (Hp P Ps); cbn [flat_map]; rewrite app_nil_r; [|apply in_or_app; auto].
        intros e' J. apply C. apply in_or_app. apply in_app_or in J as [J|J]; auto. right. apply in_flat_map. exists p. split; auto.
        now apply many_in.
    - exists (map letter_of W). split; [now apply Permutation_map|]. exists (last_state (first f) (base set)). apply trail_walk; auto.
      apply Forall_forall. intros e I. rewrite Forall_forall in G. apply G. now apply (Permutation_in _ (Permutation_sym P)).
  Qed.

  Context (landings : PM.t (list id)) (x : id -> Z) (ds : list id).
  Let r a := wsum x (found1 landings a).
  Context (dones : all f Done ds).
  Context (answered : forall a, kind_of f a = Done -> r a = Z.of_nat (count_occ id_dec ds a)).

  Definition value_of (p : period) : Z := tsum r (per_letter p) + plus p.

  Lemma set_clause_false : ~ Exists (holds x) (set_clause landings (nodes_of f Done) set) ->
    (forall p, In p (periods set) -> 0 <= value_of p /\ (divisor p | value_of p)) /\
    (forall a, kind_of f a = Done ->
      common set * r a = common set * total (index1 (letters (base set))) a +
        wsum (fun p => common set / divisor p * total (index1 (letters (round p))) a * value_of p) (periods set)).
  Proof.
    intros N. pose proof checked as C. unfold check_set in C. rewrite !andb_true_iff, !forallb_forall in C.
    destruct C as [[[[[Kp _] _] _] _] _].
    assert (F : forall l, ((exists p, In p (periods set) /\ (l = AtLeastZero (in_counts landings (per_letter p) (- plus p - 1) (-1)) \/
        (1 < divisor p /\ l = NotDivisible (in_counts landings (per_letter p) (plus p) 1) (divisor p)))) \/
      exists a, kind_of f a = Done /\
        let ps := tmap (fun p => (index1 (letters (round p)), p)) (periods set) in
        let ts := rest_terms (common set) ps a in
        let c := rest_constant (common set) (total (index1 (letters (base set))) a) ps a in
        (l = AtLeastZero (in_counts landings ts (c - 1) 1) \/ l = AtLeastZero (in_counts landings ts (- c - 1) (-1)))) -> ~ holds x l).
    { intros l H. destruct (possible_literal l) eqn:Po; [|now apply impossible]. intros Hl. apply N, Exists_exists. exists l. split; auto.
      unfold set_clause. apply tfilter_in. split; auto. apply tapp_in. rewrite rev_append_rev, app_nil_r, <- in_rev. destruct H as [(p & Ip & H)|(a & Da & H)].
      - right. apply tflat_in. exists p. split; auto. destruct H as [->|[L ->]]; [cbn; auto|]. right.
        destruct (Z.ltb_spec 1 (divisor p)); [cbn; auto|lia].
      - left. apply tflat_in. exists a. split; [apply nodes_of_in; auto; discriminate|]. cbn zeta in H. destruct H as [->| ->]; cbn; auto. }
    split.
    - intros p Ip. specialize (Kp p Ip). rewrite !andb_true_iff in Kp. destruct Kp as [D _]. apply Z.leb_le in D. split.
      + assert (H : ~ holds x (AtLeastZero (in_counts landings (per_letter p) (- plus p - 1) (-1)))) by (apply F; left; exists p; auto).
        cbn [holds] in H. rewrite in_counts_value in H. unfold value_of, r. lia.
      + destruct (Z.eq_dec (divisor p) 1) as [->|N1]; [apply Z.divide_1_l|].
        assert (H : ~ holds x (NotDivisible (in_counts landings (per_letter p) (plus p) 1) (divisor p))).
        { apply F; left; exists p. split; auto. right. split; auto. lia. }
        cbn [holds] in H. rewrite in_counts_value, Z.mul_1_l in H. unfold value_of, r.
        destruct (Znumtheory.Zdivide_dec (divisor p) (tsum (fun a => wsum x (found1 landings a)) (per_letter p) + plus p)); auto. contradiction.
    - intros a Da. set (ps := tmap (fun p => (index1 (letters (round p)), p)) (periods set)).
      set (ts := rest_terms (common set) ps a). set (c := rest_constant (common set) (total (index1 (letters (base set))) a) ps a).
      assert (A : ~ holds x (AtLeastZero (in_counts landings ts (c - 1) 1))) by (apply F; right; exists a; split; auto; cbn zeta; auto).
      assert (B : ~ holds x (AtLeastZero (in_counts landings ts (- c - 1) (-1)))) by (apply F; right; exists a; split; auto; cbn zeta; auto).
      cbn [holds] in A, B. rewrite in_counts_value in A, B. fold r in A, B.
      assert (E : tsum r ts + c = 0) by lia. unfold ts, c in E. rewrite rest_value in E. unfold ps in E. rewrite wsum_tmap in E. cbn [fst snd] in E.
      unfold value_of. lia.
  Qed.

  (** Where the clause does not hold, the answers are serial. *)
  Theorem set_clause_sound : ~ Exists (holds x) (set_clause landings (nodes_of f Done) set) ->
    exists ds', Permutation ds ds' /\ Ser f ds'.
  Proof.
    intros N.
    destruct (set_clause_false N) as [HP HA]. set (k := fun p => Z.to_nat (value_of p / divisor p)).
    pose proof checked as C. unfold check_set in C. rewrite !andb_true_iff, !forallb_forall in C.
    destruct C as [[[[[Kp D0] Dd] _] _] _]. apply Z.leb_le in D0.
    destruct (taken_serial k) as (ds' & P & Sr). exists ds'. split; auto. rewrite <- P.
    apply (Permutation_count_occ id_dec). intros a. apply Nat2Z.inj. rewrite <- !wsum_count, wsum_map.
    destruct (is_kind f Done a) eqn:Ka.
    - apply is_kind_eq in Ka. rewrite wsum_count, <- answered by auto. unfold taken. rewrite wsum_app, wsum_flat_map, letters_expand.
      apply Z.mul_reg_l with (common set); [lia|]. rewrite (HA a Ka), Z.mul_add_distr_l. f_equal. rewrite <- wsum_times. apply wsum_ext.
      intros p Ip. rewrite wsum_many, letters_expand. destruct (HP p Ip) as [E0 [q Eq]].
      specialize (Kp p Ip). rewrite !andb_true_iff in Kp. destruct Kp as [D _]. apply Z.leb_le in D.
      specialize (Dd p Ip). apply divides_spec in Dd as [m Dm]. unfold k. rewrite Eq, Z.div_mul, Dm, Z.div_mul by lia.
      rewrite Z2Nat.id by (rewrite Eq in E0; nia). lia.
    - assert (Nk : kind_of f a <> Done) by (intros E; apply is_kind_eq in E; congruence). transitivity 0; [|symmetry].
      + apply wsum_zero. intros d I. apply delta_neq. intros ->. unfold all in dones. rewrite Forall_forall in dones. auto.
      + apply wsum_zero. intros e I. apply delta_neq. intros <-. apply Nk.
        pose proof (taken_genuine k) as G. rewrite Forall_forall in G. apply (G e I).
  Qed.
End Clause_sound.

(** Either the answers are serial, or the clauses of all sets hold. *)
Theorem set_clauses_sound f landings x ds sets :
  (forall set, In set sets -> real_set f set /\ check_set f set = true) -> all f Done ds ->
  (forall a, kind_of f a = Done -> wsum x (found1 landings a) = Z.of_nat (count_occ id_dec ds a)) ->
  (exists ds', Permutation ds ds' /\ Ser f ds') \/
  (forall set, In set sets -> Exists (holds x) (set_clause landings (nodes_of f Done) set)).
Proof.
  intros C D A. induction sets as [|set sets IH]; [right; intros ? []|].
  destruct (Exists_dec (holds x) (set_clause landings (nodes_of f Done) set) (holds_dec x)) as [E|N].
  - destruct IH as [|H]; auto; [intros; apply C; cbn; auto|]. right. intros s [->|I]; auto.
  - left. destruct (C set) as [Re Ch]; [cbn; auto|]. apply (set_clause_sound f set Re Ch) with (landings := landings) (x := x); auto.
Qed.
