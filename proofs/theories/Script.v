(** Scripts: reductions one after the other, each on what the one before
    leaves. All keep the answers, interleaved and serial. *)

From Coq Require Import List PArith NArith Bool Permutation.
From Proved Require Import Sets Model Simulation Normal Answers.
From Proved.Rules Require Import Split Fold Relation Quotient Dominated Closure Pairs Trace Movers Track.
Import ListNotations.

(** A witness as it is written: steps by number, paths without their first points. *)
Record written := Written { own_number : id; other_number : id; written_other : list point; written_own : list point }.

Inductive entry :=
| ESplit (l copy : id)
| EFold (ps : list (id * id))
| EPairs
| ELocals (R : list (id * id)) (classes : list (list id))
| EGlobals (R : list (id * id)) (classes : list (list id))
| EDominated (N G drops : list (id * id))
| EClosure (R : list (id * id)) (ps : list point)
| ERight (points : list point) (ws : list written)
| ELeft (points : list point) (ws : list written)
| ETrack (groups : list (list id)) (most : N).

(** The system, and what is known about pairs. *)
Record reduced := Reduced { now : form; meeting : option (columns * option pairs_set) }.

Definition resolve (f : form) (side : written -> step -> step -> witness) (ws : list written) : list witness :=
  let at_number := numbered (fsteps f) in
  tflat (fun w => match PM.find (own_number w) at_number, PM.find (other_number w) at_number with
    | Some s, Some o => [side w s o] | _, _ => [] end) ws.

Definition right_witness (w : written) (s o : step) : witness := Witness s o (written_other w) (written_own w).

(** The same paths backwards. *)
Definition back (p : point) (Q : list point) : list point := match rev_append Q [p] with [] => [] | _ :: Q => Q end.
Definition left_witness (w : written) (s o : step) : witness :=
  let g := snd (fst o) in
  let h := match rev_append (written_own w) [] with [] => g | q :: _ => snd q end in
  Witness (snd s, fst s) (snd o, fst o) (back (fst (fst o), h) (written_other w)) (back (fst (fst s), g) (written_own w)).

Definition copied (known : option (columns * option pairs_set)) (l copy : id) : option (columns * option pairs_set) :=
  match known with None => None | Some (cols, F) => Some (PM.add copy (column cols l) cols, F) end.

Section Script.
  (** The sets of pairs are hints, and so are the states of a system in which requests are counted. *)
  Context (hint : form -> list turn_hint) (counting : form -> list (list id) -> N -> list tracked * list tracked).

  Definition keep (r : reduced) (f : option form) : option reduced :=
    match f with Some f => Some (Reduced f (meeting r)) | None => None end.
  Definition forget (f : option form) : option reduced := match f with Some f => Some (Reduced f None) | None => None end.

  Definition apply (r : reduced) (e : entry) : option reduced :=
    let f := now r in
    match e with
    | ESplit l copy => match split f l copy with Some f => Some (Reduced f (copied (meeting r) l copy)) | None => None end
    | EFold ps => keep r (fold_all f ps)
    | EPairs => match pairs f (hint f) with Some (f, k) => Some (Reduced f (Some k)) | None => None end
    | ELocals R classes => forget (locals f R classes)
    | EGlobals R classes => forget (globals f R classes)
    | EDominated N G drops => keep r (dominated f N G drops)
    | EClosure R ps => keep r (closure f R ps)
    | ERight points ws => keep r (right f (meeting r) points (resolve f right_witness ws))
    | ELeft points ws => keep r (left f (meeting r) points (resolve f left_witness ws))
    | ETrack groups most => forget (track most (counting f groups most) f groups)
    end.

  Fixpoint run_script (r : reduced) (es : list entry) : option reduced :=
    match es with
    | [] => Some r
    | e :: es => match apply r e with Some r => run_script r es | None => None end
    end.

  Definition check_script (f : form) (es : list entry) : option form :=
    match run_script (Reduced f None) es with Some r => Some (now r) | None => None end.

  (** A copy is where its original was. *)
  Lemma split_known f l copy f' known : split f l copy = Some f' -> known_pairs f known -> known_pairs f' (copied known l copy).
  Proof.
    intros Sp K. destruct known as [[cols F]|]; cbn in *; auto.
    unfold split in Sp. destruct (kind_of f l) eqn:I; try discriminate. destruct (PM.find copy (kinds f)) eqn:N; try discriminate.
    destruct (existsb _ _) eqn:U; try discriminate. injection Sp as <-.
    set (o := fun n => if Pos.eqb n copy then l else n).
    set (f' := Form _ _ _).
    assert (Fr : copy <> l) by (intros ->; unfold kind_of in I; rewrite N in I; discriminate).
    assert (Mo : forall c d, moves (fsteps f') c d -> moves (fsteps f) (fst c, map o (snd c)) (fst d, map o (snd d))).
    { induction 1 as [c|g ts i n n' g' d E M R IH]; [constructor|]. cbn [fst snd] in *.
      unfold f' in M; cbn in M. apply tidy_in in M as [M _]. apply (split_steps f l copy I) in M.
      assert (Up : map o (upd ts i n') = upd (map o ts) i (o n')).
      { clear. revert i; induction ts; destruct i; cbn; auto; f_equal; auto. }
      rewrite Up in IH.
      assert (Mf : In ((o n, g), (o n', g')) (fsteps f)).
      { unfold o. destruct M as [M|[-> M]]; destruct (unused f copy U _ _ _ _ M) as [A B]; apply Pos.eqb_neq in A, B.
        - now rewrite A, B.
        - now rewrite Pos.eqb_refl, B. }
      exact (moves_cons _ _ _ _ _ _ _ _ (map_nth_error o _ _ E) Mf IH). }
    intros ts c g ds Ia M1 M2 D.
    specialize (K (map o ts) (fst c, map o (snd c)) g (map o ds)).
    assert (Kc : forall n, column (PM.add copy (column cols l) cols) n = column cols (o n)).
    { intros n. unfold o, column at 1. destruct (Pos.eqb n copy) eqn:E.
      - apply Pos.eqb_eq in E; subst. now rewrite PM.gss.
      - apply Pos.eqb_neq in E. now rewrite PM.gso. }
    unfold all_beside, tokens in *. cbn [fst snd] in K. rewrite (map_ext _ _ Kc), <- (map_map o (column cols)).
    apply K.
    - unfold all in *. rewrite Forall_forall in *. intros n J. apply in_map_iff in J as (n0 & <- & J). specialize (Ia _ J). unfold o.
      destruct (Pos.eqb n0 copy) eqn:E; auto. apply Pos.eqb_neq in E. revert Ia. unfold kind_of, f'; cbn. rewrite PM.gso by auto.
      destruct (Pos.eq_dec n0 l) as [->|Nl]; [rewrite PM.gss; discriminate|]. now rewrite PM.gso.
    - exact (Mo _ _ M1).
    - exact (Mo _ _ M2).
    - unfold all in *. rewrite Forall_forall in *. intros n J. apply in_map_iff in J as (n0 & <- & J). specialize (D _ J). unfold o.
      destruct (Pos.eqb n0 copy) eqn:E; [apply Pos.eqb_eq in E; subst|apply Pos.eqb_neq in E]; revert D; unfold kind_of, f'; cbn.
      + rewrite PM.gss. discriminate.
      + rewrite PM.gso by auto. destruct (Pos.eq_dec n0 l) as [->|Nl]; [rewrite PM.gss; discriminate|]. now rewrite PM.gso.
  Qed.

  Lemma finer_pairs f f' known : finer f' f -> known_pairs f known -> known_pairs f' known.
  Proof. destruct known as [[cols F]|]; cbn; auto. apply known_finer. Qed.

  Lemma apply_sound r e r' : known_pairs (now r) (meeting r) -> apply r e = Some r' ->
    same (now r) (now r') /\ known_pairs (now r') (meeting r').
  Proof.
    intros K. destruct r as [f known]. cbn [now meeting] in *.
    assert (Keep : forall g, keep (Reduced f known) g = Some r' -> (forall f', g = Some f' -> same f f' /\ finer f' f) ->
      same f (now r') /\ known_pairs (now r') (meeting r')).
    { intros [g|] E H; [|discriminate]. injection E as <-. destruct (H g eq_refl) as [Sa Fi]. cbn. split; auto. eapply finer_pairs; eauto. }
    assert (Forget : forall g, forget g = Some r' -> (forall f', g = Some f' -> same f f') -> same f (now r') /\ known_pairs (now r') (meeting r')).
    { intros [g|] E H; [|discriminate]. injection E as <-. cbn. auto. }
    destruct e; cbn [apply now meeting]; intros E.
    - destruct (split f l copy) as [f'|] eqn:Sp; [|discriminate]. injection E as <-. cbn. split; [eapply split_sound; eauto|eapply split_known; eauto].
    - eapply Keep; eauto. intros. now apply fold_sound with ps.
    - destruct (pairs f (hint f)) as [[f' [cols F]]|] eqn:P; [|discriminate]. injection E as <-. destruct (pairs_sound _ _ _ _ _ P) as (Sa & _ & Kn). auto.
    - eapply Forget; eauto. intros. eapply locals_sound; eauto.
    - eapply Forget; eauto. intros. eapply globals_sound; eauto.
    - eapply Keep; eauto. intros. eapply dominated_sound; eauto.
    - eapply Keep; eauto. intros. eapply closure_sound; eauto.
    - eapply Keep; eauto. intros. eapply right_sound; eauto.
    - eapply Keep; eauto. intros. eapply left_sound; eauto.
    - eapply Forget; eauto. intros. eapply track_sound; eauto.
  Qed.

  Theorem check_script_sound f es f' : check_script f es = Some f' -> same f f'.
  Proof.
    unfold check_script.
    assert (H : forall es r r', known_pairs (now r) (meeting r) -> run_script r es = Some r' -> same (now r) (now r')).
    { clear. induction es as [|e es IH]; cbn [run_script]; intros r r' K E; [injection E as <-; apply same_refl|].
      destruct (apply r e) as [r1|] eqn:A; [|discriminate]. destruct (apply_sound _ _ _ K A) as [Sa K1]. eapply same_trans; eauto. }
    destruct (run_script _ _) as [r|] eqn:E; [|discriminate]. intros [= <-]. apply (H es (Reduced f None)); cbn; auto.
  Qed.
End Script.

(** * Atomic *)

(** atomic.steps *)
Definition is_atomic (f : form) : bool :=
  forallb (fun s => match kind_of f (fst (fst s)), kind_of f (fst (snd s)) with Initial, Done => true | _, _ => false end) (fsteps f).

Definition is_done (f : form) (n : id) : bool := match kind_of f n with Done => true | _ => false end.

Lemma filter_upd p (ts : list id) i n n' : nth_error ts i = Some n -> p n = false -> p n' = true ->
  Permutation (filter p (upd ts i n')) (n' :: filter p ts).
Proof.
  revert i; induction ts as [|t ts IH]; destruct i; cbn [nth_error upd filter]; try discriminate.
  - intros [= ->] A B. now rewrite A, B.
  - intros E A B. destruct (p t); rewrite (IH _ E A B); auto. apply perm_swap.
Qed.

Theorem atomic_sound f : is_atomic f = true -> fserializable f.
Proof.
  unfold is_atomic. rewrite forallb_forall. intros H ds (ts & g & I & D & M).
  assert (G : forall c e, moves (fsteps f) c e -> all f Done (snd e) ->
    exists W, walk f (fst c) W (fst e) /\ Permutation (snd e) (filter (is_done f) (snd c) ++ W)).
  { clear -H. intros c e. induction 1 as [c|g ts i n n' g' e E M R IH]; intros De; cbn [fst snd] in *.
    - exists []. split; [constructor|]. rewrite app_nil_r. unfold all in De. induction De as [|d ds K De IH]; cbn; auto.
      unfold is_done at 1. rewrite K. now rewrite <- IH.
    - destruct (IH De) as (W & Wa & P). specialize (H _ M). cbn in H. destruct (kind_of f n) eqn:Kn; try discriminate.
      destruct (kind_of f n') eqn:Kn'; try discriminate. exists (n' :: W). split; [econstructor; eauto; now apply path_one|].
      rewrite P, (filter_upd (is_done f) _ _ _ _ E); [|unfold is_done; now rewrite Kn|unfold is_done; now rewrite Kn'].
      cbn. apply Permutation_middle. }
  destruct (G _ _ M D) as (W & Wa & P). exists W. split; [|exists g; auto]. cbn in P.
  assert (F : filter (is_done f) ts = []).
  { clear -I. induction I as [|t ts K I IH]; cbn; auto. unfold is_done at 1. now rewrite K. }
  now rewrite F in P.
Qed.

(** Reductions that leave a system in which each request is one step. *)
Definition check_atomic (hint : form -> list turn_hint) counting (s : system) (table : list (id * place)) (es : list entry) : bool :=
  match normal s table with
  | Some f => match check_script hint counting f es with Some f => is_atomic f | None => false end
  | None => false
  end.

Theorem check_atomic_sound hint counting s table es : check_atomic hint counting s table es = true -> serializable s.
Proof.
  unfold check_atomic. destruct (normal s table) as [f|] eqn:N; [|discriminate]. destruct (check_script hint counting f es) as [f'|] eqn:C; [|discriminate].
  intros A. apply (normal_sound s table f N). eapply same_serializable; [eapply check_script_sound; eauto|]. now apply atomic_sound.
Qed.
