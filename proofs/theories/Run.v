(** Certificates of kind [run]: a complete run whose answers no serial run
    gives. *)

From Coq Require Import List PArith Bool Permutation Lia.
From Proved Require Import Sets Model Reach.
Import ListNotations.

(** * Replay *)

(** An event with the number of the request; the states before a step and
    before an answer are those of the replay. *)
Inductive revent :=
| RSpawn (i r l : id)
| RStep (i : id) (to : point)
| RRespond (i a : id).

Definition flying := list (id * (id * id)).

Fixpoint lookup (i : id) (F : flying) : option (id * id) :=
  match F with
  | [] => None
  | (j, x) :: F => if Pos.eqb i j then Some x else lookup i F
  end.

(** Replaces the first entry, or takes it away. *)
Fixpoint change (i : id) (y : option (id * id)) (F : flying) : flying :=
  match F with
  | [] => []
  | (j, x) :: F => if Pos.eqb i j then match y with Some y => (j, y) :: F | None => F end else (j, x) :: change i y F
  end.

Lemma lookup_split i F x : lookup i F = Some x -> exists A B,
  map snd F = A ++ x :: B /\ (forall y, map snd (change i (Some y) F) = A ++ y :: B) /\ map snd (change i None F) = A ++ B.
Proof.
  induction F as [|[j z] F IH]; cbn; [discriminate|]. destruct (Pos.eqb i j).
  - intros [= ->]. exists [], (map snd F); cbn; auto.
  - intros H. destruct (IH H) as (A & B & -> & C & D). exists (z :: A), B; cbn.
    repeat split; auto; intros; f_equal; auto.
Qed.

Definition replay_state := (id * flying * list letter)%type.

Section Replay.
  Context (s : system) (moves : index_type point) (begins : pset) (gives : pset).

  Definition replay1 (c : replay_state) (e : revent) : option replay_state :=
    let '(g, F, Z) := c in
    match e with
    | RSpawn i r l => (* run.replay.spawn *) if pmem begins (r, l) then Some (g, (i, (r, l)) :: F, Z) else None
    | RStep i to =>
        match lookup i F with (* run.replay.thread *)
        | Some (r, l) => (* run.replay.step *)
            if existsb (point_eqb to) (found moves (l, g)) then Some (snd to, change i (Some (r, fst to)) F, Z) else None
        | None => None
        end
    | RRespond i a =>
        match lookup i F with
        | Some (r, l) => (* run.replay.response *)
            if pmem gives (l, a) then Some (g, change i None F, (r, a) :: Z) else None
        | None => None
        end
    end.

  Definition replay (es : list revent) : option replay_state :=
    fold_left (fun c e => match c with Some c => replay1 c e | None => None end) es (Some (initial s, [], [])).
End Replay.

Definition replay_of (s : system) : list revent -> option replay_state :=
  replay s (index (steps s)) (pset_of (starts s)) (pset_of (answers s)).

Definition config_of (c : replay_state) : config := let '(g, F, Z) := c in Config g (map snd F) Z.

Lemma run_snoc s (ok : config -> Prop) c d e : run s ok c d -> event s d e -> ok e -> run s ok c e.
Proof.
  induction 1; intros; econstructor; eauto. now constructor.
Qed.

Lemma replay1_sound s c e d :
  replay1 (index (steps s)) (pset_of (starts s)) (pset_of (answers s)) c e = Some d ->
  event s (config_of c) (config_of d).
Proof.
  destruct c as [[g F] Z], e as [i r l|i [l' g']|i a]; cbn.
  - destruct (pmem _ _) eqn:E; [|discriminate]. apply pmem_of in E. intros [= <-]; cbn. now constructor.
  - destruct (lookup i F) as [[r l]|] eqn:L; [|discriminate].
    destruct (existsb _ _) eqn:E; [|discriminate]. intros [= <-]; cbn.
    apply existsb_exists in E as (q & I & Q). apply point_eqb_eq in Q; subst q. apply found_index in I.
    destruct (lookup_split _ _ _ L) as (A & B & -> & C & _). rewrite C. now constructor.
  - destruct (lookup i F) as [[r l]|] eqn:L; [|discriminate].
    destruct (pmem _ _) eqn:E; [|discriminate]. apply pmem_of in E. intros [= <-]; cbn.
    destruct (lookup_split _ _ _ L) as (A & B & -> & _ & C). rewrite C. now apply respond with (l := l).
Qed.

Lemma replay_sound s es c : replay_of s es = Some c -> run s (fun _ => True) (start s) (config_of c).
Proof.
  unfold replay_of, replay.
  assert (H : forall b, run s (fun _ => True) (start s) (config_of b) ->
    fold_left (fun c e => match c with Some c => replay1 (index (steps s)) (pset_of (starts s)) (pset_of (answers s)) c e | None => None end)
      es (Some b) = Some c -> run s (fun _ => True) (start s) (config_of c)).
  { induction es as [|e es IH]; cbn [fold_left]; intros b R E; [now injection E as <-|].
    destruct (replay1 _ _ _ b e) as [d|] eqn:D.
    - apply IH with d; auto. eapply run_snoc; eauto. now apply replay1_sound with e.
    - exfalso. clear -E. induction es as [|? es IH]; cbn in E; [discriminate|auto]. }
  intros E. apply (H (initial s, [], [])); [now apply run_nil|exact E].
Qed.

(** * Serial runs, as walks of requests that are run alone *)

Definition lone (s : system) (g : id) (x : letter) (g' : id) : Prop :=
  exists l l', In (fst x, l) (starts s) /\ path (steps s) (l, g) (l', g') /\ In (l', snd x) (answers s).

Inductive swalk (s : system) : id -> list letter -> id -> Prop :=
| swalk_nil g : swalk s g [] g
| swalk_cons g x g' Z g'' : lone s g x g' -> swalk s g' Z g'' -> swalk s g (x :: Z) g''.

Lemma swalk_snoc s g Z g' x g'' : swalk s g Z g' -> lone s g' x g'' -> swalk s g (Z ++ [x]) g''.
Proof. induction 1; cbn; intros; econstructor; eauto. constructor. Qed.

Definition serial_so_far (s : system) (c : config) : Prop :=
  (flight c = [] /\ swalk s (initial s) (rev (completed c)) (global c)) \/
  (exists r l0 l g1, flight c = [(r, l)] /\ In (r, l0) (starts s) /\
    swalk s (initial s) (rev (completed c)) g1 /\ path (steps s) (l0, g1) (l, global c)).

Lemma serial_keeps s c d : event s c d -> length (flight d) <= 1 -> serial_so_far s c -> serial_so_far s d.
Proof.
  intros E. destruct E as [g F Z r l B|g g' F1 F2 Z r l l' M|g F1 F2 Z r l a A]; intros L H; cbn [flight length] in *;
    destruct H as [[E W]|(r' & l0 & l1 & g1 & E & S' & W & P)]; cbn [flight completed global] in *.
  - subst F. right. exists r, l, l, g; cbn. repeat split; auto. constructor.
  - subst F. cbn in L. lia.
  - destruct F1; discriminate.
  - destruct F1 as [|? [|? ?]]; cbn in *; try discriminate. injection E as -> -> ->.
    right. exists r', l0, l', g1. repeat split; auto. eapply path_app; eauto. now apply path_one.
  - destruct F1; discriminate.
  - destruct F1 as [|? [|? ?]]; cbn in *; try discriminate. injection E as -> -> ->.
    left. split; auto. cbn. eapply swalk_snoc; eauto. exists l0, l1; cbn; auto.
Qed.

Lemma serial_walk s Z : serial s Z -> exists g, swalk s (initial s) (rev Z) g.
Proof.
  intros [g R]. exists g.
  assert (H : forall c d, run s (fun c => length (flight c) <= 1) c d -> serial_so_far s c -> serial_so_far s d).
  { induction 1; auto. intros; apply IHrun. eapply serial_keeps; eauto. destruct H1; auto. }
  apply H in R; [|left; split; [reflexivity|constructor]].
  destruct R as [[_ W]|(? & ? & ? & ? & E & _)]; [auto|discriminate].
Qed.

(** Conversely, a walk is a serial run. *)
Lemma alone_run s p q r Z : path (steps s) p q ->
  run s (fun c => length (flight c) <= 1) (Config (snd p) [(r, fst p)] Z) (Config (snd q) [(r, fst q)] Z).
Proof.
  induction 1 as [p|[l g] [l' g'] q M P IH]; [constructor; cbn; lia|].
  eapply run_cons; [cbn; lia|apply (move s g g' [] [] Z r l l' M)|exact IH].
Qed.

Lemma run_app s ok c d e : run s ok c d -> run s ok d e -> run s ok c e.
Proof. induction 1; auto. intros; econstructor; eauto. Qed.

Lemma lone_run s g x g' Z : lone s g x g' ->
  run s (fun c => length (flight c) <= 1) (Config g [] Z) (Config g' [] (x :: Z)).
Proof.
  destruct x as [r a]. intros (l & l' & B & P & A); cbn [fst snd] in *.
  eapply run_cons; [cbn; lia|now apply spawn with (r := r) (l := l)|].
  eapply run_app; [apply (alone_run s _ _ r Z P)|]. cbn.
  eapply run_cons; [cbn; lia|apply (respond s g' [] [] Z r l' a A)|constructor; cbn; lia].
Qed.

Lemma walk_serial s Z g : swalk s (initial s) Z g -> serial s (rev Z).
Proof.
  intros W. exists g. unfold start.
  assert (H : forall g0 Y, swalk s g0 Z g -> run s (fun c => length (flight c) <= 1) (Config g0 [] Y) (Config g [] (rev Z ++ Y))).
  { clear W. induction Z as [|x Z IH]; intros g0 Y W; inversion W; subst; [constructor; cbn; lia|].
    eapply run_app; [eapply lone_run; eauto|]. cbn. rewrite <- app_assoc. apply IH; auto. }
  specialize (H _ [] W). now rewrite app_nil_r in H.
Qed.

(** * No serial run gives these answers *)

Section Lone.
  Context (s : system) (fuel : nat) (moves : index_type point) (gives : PM.t (list id)).

  (** All answers of a request that is run alone, and where they leave the
      global state; [None] if the search was not complete. *)
  Definition lone_from (g r l : id) : option (list (letter * id)) :=
    let ps := reach (found moves) fuel (l, g) in
    if closed (found moves) ps (l, g)
    then Some (tflat (fun p => tmap (fun a => ((r, a), snd p)) (found1 gives (fst p))) ps)
    else None.

  Definition lone_edges (g : id) : option (list (letter * id)) :=
    fold_left (fun acc b => match acc, lone_from g (fst b) (snd b) with
      | Some acc, Some es => Some (rev_append es acc)
      | _, _ => None end) (starts s) (Some []).
End Lone.

Definition edges_of (s : system) : id -> option (list (letter * id)) :=
  lone_edges s (fuel_of (steps s)) (index (steps s)) (index1 (answers s)).

Lemma lone_from_complete s fuel g r l es l' a g' :
  lone_from fuel (index (steps s)) (index1 (answers s)) g r l = Some es ->
  path (steps s) (l, g) (l', g') -> In (l', a) (answers s) -> In ((r, a), g') es.
Proof.
  unfold lone_from. destruct (closed _ _ _) eqn:C; [|discriminate]. intros [= <-] P A.
  apply tflat_in. exists (l', g'). split.
  - eapply closed_complete; [exact C|]. now apply leads_path.
  - apply tmap_in. exists a. split; auto. now apply found_index1.
Qed.

Lemma lone_edges_complete s g es x g' : edges_of s g = Some es -> lone s g x g' -> In (x, g') es.
Proof.
  unfold edges_of, lone_edges. set (from := lone_from _ _ _). intros E (l & l' & B & P & A).
  assert (H : forall acc, fold_left (fun acc b => match acc, from g (fst b) (snd b) with
      | Some acc, Some es => Some (rev_append es acc) | _, _ => None end) (starts s) acc = Some es ->
      exists acc0, acc = Some acc0 /\ forall e, (In e acc0 \/ exists r l fs, In (r, l) (starts s) /\ from g r l = Some fs /\ In e fs) -> In e es).
  { clear - from. induction (starts s) as [|[r l] bs IH]; cbn [fold_left fst snd]; intros acc E.
    - exists es; split; auto. intros e [|(? & ? & ? & [] & _)]; auto.
    - destruct (IH _ E) as (acc1 & E1 & K). destruct acc as [acc0|]; [|discriminate].
      destruct (from g r l) as [fs|] eqn:Q; [|discriminate]. injection E1 as <-.
      exists acc0; split; auto. intros e [I|(r' & l' & fs' & [[= <- <-]|I] & F & J)].
      + apply K; left. rewrite rev_append_rev, in_app_iff; auto.
      + rewrite Q in F; injection F as <-. apply K; left. rewrite rev_append_rev, in_app_iff, <- in_rev; auto.
      + apply K; right. eauto 6. }
  assert (D : exists fs, from g (fst x) l = Some fs).
  { revert E. clear - B. generalize (Some (@nil (letter * id))). revert B. generalize (fst x). intros r B.
    induction (starts s) as [|[r' l'] bs IH]; cbn [fold_left fst snd]; [destruct B|].
    intros acc E. destruct B as [[= -> ->]|B]; [|eauto].
    destruct (from g r l) as [fs|]; eauto. exfalso. replace (match acc with Some _ => None | None => None end) with (@None (list (letter * id))) in E by (destruct acc; auto).
    clear IH. induction bs as [|b bs IH]; cbn in E; [discriminate|auto]. }
  destruct D as [fs F]. destruct (H _ E) as (acc0 & _ & K). apply K. right. exists (fst x), l, fs.
  repeat split; auto. destruct x as [r a]; cbn in *. eapply lone_from_complete; eauto.
Qed.

(** All ways to take one letter out. *)
Fixpoint picks (A l : list letter) (acc : list (letter * list letter)) : list (letter * list letter) :=
  match l with
  | [] => acc
  | x :: l => picks (x :: A) l ((x, rev_append A l) :: acc)
  end.

Lemma picks_acc A l acc e : In e acc -> In e (picks A l acc).
Proof. revert A acc; induction l; cbn; auto. intros. apply IHl. cbn; auto. Qed.

Lemma picks_complete A l acc x : In x l -> exists l', In (x, l') (picks A l acc) /\ Permutation (rev A ++ l) (x :: l').
Proof.
  revert A acc; induction l as [|y l IH]; cbn; intros A acc; [tauto|]. intros [->|I].
  - exists (rev_append A l). split; [apply picks_acc; cbn; auto|].
    rewrite rev_append_rev. symmetry. apply Permutation_middle.
  - destruct (IH (y :: A) ((y, rev_append A l) :: acc) I) as (l' & J & P). exists l'; split; auto.
    rewrite <- P. cbn. now rewrite <- app_assoc.
Qed.

Definition letters_eqb (a b : list letter) : bool := if list_eq_dec point_dec a b then true else false.

(** A number for a list, to find it again. *)
Definition code (l : list letter) : id := fold_left (fun h x => Pos.add (Pos.add h h) (Pos.add (fst x) (snd x))) l 1%positive.

(** States of a layer: what remains to be answered, and the global state. *)
Definition layer := list (list letter * id).

Definition add_state (a : layer * index_type (list letter)) (e : list letter * id) : layer * index_type (list letter) :=
  let key := (snd e, code (fst e)) in
  if existsb (letters_eqb (fst e)) (found (snd a) key) then a else (e :: fst a, put (snd a) key (fst e)).

Section Layers.
  Context (edges : PM.t (list (letter * id))).

  Definition successors (e : list letter * id) : option (list (list letter * id)) :=
    match PM.find (snd e) edges with
    | None => None
    | Some es => Some (tflat (fun p => tflat (fun q => if point_eqb (fst p) (fst q) then [(snd p, snd q)] else []) es) (picks [] (fst e) []))
    end.

  Definition next (L : layer) : option layer :=
    match fold_left (fun acc e => match acc, successors e with
      | Some acc, Some es => Some (fold_left add_state es acc) | _, _ => None end) L (Some ([], PM.empty _)) with
    | Some (L', _) => Some L'
    | None => None
    end.

  Fixpoint last_layer (n : list letter) (L : layer) : option layer :=
    match n with [] => Some L | _ :: n => match next L with Some L' => last_layer n L' | None => None end end.
End Layers.

Definition in_layer (a : layer * index_type (list letter)) : Prop :=
  forall g l k, In l (found (snd a) (g, k)) -> In (l, g) (fst a).

Lemma add_state_in a e : in_layer a -> in_layer (add_state a e) /\ (forall f, f = e \/ In f (fst a) -> In f (fst (add_state a e))).
Proof.
  intros H. unfold add_state. destruct (existsb _ _) eqn:E.
  - split; auto. intros f [->|]; auto. apply existsb_exists in E as (l & I & Q).
    unfold letters_eqb in Q. destruct (list_eq_dec _ _ _) as [<-|]; [|discriminate].
    apply H in I. now destruct e.
  - split; [|cbn; intuition]. intros g l k I. cbn [fst snd] in *. apply found_put in I as [[[= -> ->] ->]|I]; [left; now destruct e|right; eauto].
Qed.

Lemma add_states_in es a : in_layer a -> in_layer (fold_left add_state es a) /\
  (forall f, In f es \/ In f (fst a) -> In f (fst (fold_left add_state es a))).
Proof.
  revert a; induction es as [|e es IH]; cbn [fold_left]; intros a H; [split; auto; intros f [[]|]; auto|].
  destruct (add_state_in a e H) as [H1 K1]. destruct (IH _ H1) as [H2 K2]. split; auto.
  intros f [[->|]|]; auto.
Qed.

Lemma next_complete edges L L' e es f : next edges L = Some L' -> In e L -> successors edges e = Some es -> In f es -> In f L'.
Proof.
  unfold next. set (body := fun acc e => _).
  assert (N : forall l, fold_left body l None = None) by (induction l; auto).
  assert (H : forall L a b, in_layer a -> fold_left body L (Some a) = Some b -> in_layer b /\
    forall f, In f (fst a) \/ (exists e es, In e L /\ successors edges e = Some es /\ In f es) -> In f (fst b)).
  { clear - N. induction L as [|e L IH]; cbn [fold_left]; intros a b H E.
    - injection E as <-. split; auto. intros f [|(? & ? & [] & _)]; auto.
    - unfold body at 2 in E. destruct (successors edges e) as [es|] eqn:S'; [|rewrite N in E; discriminate].
      destruct (add_states_in es a H) as [H1 K1]. destruct (IH _ _ H1 E) as [H2 K2]. split; auto.
      intros f [I|(e' & es' & [<-|I] & S2 & J)]; apply K2; auto.
      + rewrite S' in S2; injection S2 as <-. auto.
      + right; eauto. }
  destruct (fold_left body L (Some ([], PM.empty _))) as [[L1 x]|] eqn:E; [|discriminate]. intros [= <-] I S' J.
  destruct (H L ([], PM.empty _) (L1, x)) as [_ K]; [|exact E|apply (K f); right; eauto].
  intros g l k. cbn. unfold found, inner, found1. rewrite !PM.gempty. intros [].
Qed.

Definition table (s : system) (gs : list id) : PM.t (list (letter * id)) :=
  fold_left (fun m g => match edges_of s g with Some es => PM.add g es m | None => m end) gs (PM.empty _).

Lemma table_edges s gs g es : PM.find g (table s gs) = Some es -> edges_of s g = Some es.
Proof.
  unfold table.
  assert (H : forall m, (forall g es, PM.find g m = Some es -> edges_of s g = Some es) ->
    PM.find g (fold_left (fun m g => match edges_of s g with Some es => PM.add g es m | None => m end) gs m) = Some es -> edges_of s g = Some es).
  { induction gs as [|h gs IH]; cbn [fold_left]; intros m H; [apply H|]. apply IH.
    destruct (edges_of s h) as [fs|] eqn:E; auto. intros g' es'. destruct (Pos.eq_dec g' h) as [->|N].
    - rewrite PM.gss. congruence.
    - rewrite PM.gso by auto. apply H. }
  apply H. intros ? ?. rewrite PM.gempty. discriminate.
Qed.

Lemma last_layer_complete s gs W g0 g : swalk s g0 W g -> forall rem n L L', Permutation rem W -> length n = length W ->
  In (rem, g0) L -> last_layer (table s gs) n L = Some L' -> L' <> [].
Proof.
  induction 1 as [g|g x g' W g'' Lo W' IH]; intros rem n L L' P N I E.
  - destruct n; [|discriminate]. cbn in E. injection E as <-. intros ->. destruct I.
  - destruct n as [|y n]; [discriminate|]. cbn in E, N. destruct (next (table s gs) L) as [L1|] eqn:X; [|discriminate].
    assert (Ix : In x rem) by (eapply Permutation_in; [symmetry; exact P|cbn; auto]).
    destruct (picks_complete [] rem [] x Ix) as (rem' & J & Q). cbn in Q.
    assert (S' : exists es, successors (table s gs) (rem, g) = Some es /\ In (rem', g') es).
    { unfold successors. cbn [fst snd]. destruct (PM.find g (table s gs)) as [es|] eqn:F.
      - eexists; split; [reflexivity|]. apply tflat_in. exists (x, rem'). split; auto.
        apply tflat_in. exists (x, g'). split; [|cbn; rewrite point_eqb_refl; cbn; auto].
        eapply lone_edges_complete; eauto. eapply table_edges; eauto.
      - exfalso. revert X. unfold next. set (body := fun acc e => _).
        assert (Z : forall l, fold_left body l None = None) by (induction l; auto).
        assert (Y : forall l a, In (rem, g) l -> fold_left body l a = None).
        { induction l as [|b l IHl]; intros a J'; [destruct J'|]. destruct J' as [->|J']; cbn [fold_left]; [|auto].
          unfold body at 2. unfold successors; cbn [snd]. rewrite F. destruct a; apply Z. }
        rewrite Y; auto. discriminate. }
    destruct S' as (es & S' & K). eapply (IH rem' n L1 L'); eauto.
    + apply Permutation_cons_inv with x. now rewrite <- Q.
    + eapply next_complete; eauto.
Qed.

(** * The check *)

(** The global states of serial runs with these answers are a hint. *)
Definition check_run (s : system) (gs : list id) (es : list revent) : bool :=
  match replay_of s es with
  | Some (_, [], Z) => (* run.end *)
      let Z := sort point_leb Z in
      match last_layer (table s gs) Z [(Z, initial s)] with
      | Some [] => true (* run.serial *)
      | _ => false
      end
  | _ => false
  end.

Theorem check_run_sound s gs es : check_run s gs es = true -> ~ serializable s.
Proof.
  unfold check_run. destruct (replay_of s es) as [[[g [|? ?]] Z]|] eqn:R; try discriminate.
  destruct (last_layer _ _ _) as [[|? ?]|] eqn:L; try discriminate. intros _ H.
  destruct (H Z) as (Z' & P & S').
  - exists g. now apply replay_sound in R.
  - destruct (serial_walk _ _ S') as [g' W].
    assert (Q : Permutation (sort point_leb Z) (rev Z')).
    { rewrite sort_perm, P. apply Permutation_rev. }
    refine (last_layer_complete s gs _ _ _ W _ _ _ _ Q _ _ L eq_refl); [now apply Permutation_length|left; reflexivity].
Qed.
