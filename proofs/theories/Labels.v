(** Runs that say which step is made, by its number, and how often each is. *)

From Coq Require Import List ZArith PArith Bool Lia.
From Proved Require Import Sets Model Sums.
Import ListNotations.
Open Scope Z_scope.

Definition node_before (s : step) : id := fst (fst s).
Definition global_before (s : step) : id := snd (fst s).
Definition node_after (s : step) : id := fst (snd s).
Definition global_after (s : step) : id := snd (snd s).

Inductive labelled (T : list step) : state -> list id -> state -> Prop :=
| labelled_nil c : labelled T c [] c
| labelled_cons g ts i n n' g' l ls d : nth_error ts i = Some n -> In (l, ((n, g), (n', g'))) (numbers 1%positive T) ->
    labelled T (g', upd ts i n') ls d -> labelled T (g, ts) (l :: ls) d.

Lemma moves_labelled T c d : moves T c d -> exists ls, labelled T c ls d.
Proof.
  induction 1 as [c|g ts i n n' g' d E M R (ls & IH)]; [exists []; constructor|].
  destruct (numbers_of 1%positive _ _ M) as (l & L). exists (l :: ls). econstructor; eauto.
Qed.

(** A number is that of one step. *)
Lemma numbers_function {A} n (l : list A) i a b : In (i, a) (numbers n l) -> In (i, b) (numbers n l) -> a = b.
Proof.
  revert n; induction l as [|c l IH]; intros n []; intros [].
  - congruence.
  - injection H as <- <-. apply numbers_in in H0 as [_ L]. lia.
  - injection H0 as <- <-. apply numbers_in in H as [_ L]. lia.
  - eauto.
Qed.

Lemma label_step T c ls d : labelled T c ls d -> forall l, In l ls -> exists s, In (l, s) (numbers 1%positive T).
Proof. induction 1 as [c|g ts i n n' g' l0 ls d E M R IH]; intros l []; subst; eauto. Qed.

(** How often a step is made, and how many requests are at a node. *)
Definition made (ls : list id) (l : id) : Z := wsum (fun y => delta y l) ls.
Definition tokens_at (ts : list id) (n : id) : Z := wsum (fun m => delta m n) ts.

Lemma made_nonneg ls l : 0 <= made ls l.
Proof. apply wsum_nonneg. intros; apply delta_bounds. Qed.

Lemma tokens_nonneg ts n : 0 <= tokens_at ts n.
Proof. apply wsum_nonneg. intros; apply delta_bounds. Qed.

Lemma made_cons l ls k : made (l :: ls) k = delta l k + made ls k.
Proof. reflexivity. Qed.

Lemma tokens_upd_at ts i n n' m : nth_error ts i = Some n -> tokens_at (upd ts i n') m = tokens_at ts m - delta n m + delta n' m.
Proof.
  revert i; induction ts as [|t ts IH]; destruct i; cbn [nth_error upd]; try discriminate; unfold tokens_at; rewrite !wsum_cons; fold (tokens_at ts m).
  - intros [= ->]. lia.
  - intros E. fold (tokens_at (upd ts i n') m). rewrite (IH _ E). lia.
Qed.

Lemma tokens_none ts n : ~ In n ts -> tokens_at ts n = 0.
Proof. intros N. apply wsum_zero. intros m I. apply delta_neq. intros ->. auto. Qed.

Lemma tokens_some ts i n : nth_error ts i = Some n -> 1 <= tokens_at ts n.
Proof.
  intros E. apply nth_error_In in E. rewrite <- (delta_refl n). unfold tokens_at. apply (wsum_part (fun m => delta m n)); auto.
  intros; apply delta_bounds.
Qed.

(** * Sums over the steps that are made *)

Section Weights.
  Context (T : list step).

  (** A weight for each step and its number, times how often it is made. *)
  Definition weight (w : id * step -> Z) (ls : list id) : Z := wsum (fun e => w e * made ls (fst e)) (numbers 1%positive T).

  Lemma weight_nil w : weight w [] = 0.
  Proof. apply wsum_zero. intros e _. unfold made. rewrite wsum_nil. lia. Qed.

  Lemma weight_cons w l s ls : In (l, s) (numbers 1%positive T) -> weight w (l :: ls) = w (l, s) + weight w ls.
  Proof.
    intros I. unfold weight. rewrite <- (numbers_once 1%positive T l s w I), <- wsum_plus. apply wsum_ext. intros e _. rewrite made_cons. lia.
  Qed.

  Lemma weight_minus w w' ls : weight (fun e => w e - w' e) ls = weight w ls - weight w' ls.
  Proof.
    unfold weight. generalize (numbers 1%positive T) as l. induction l as [|e l IH]; [reflexivity|]. rewrite !wsum_cons. lia.
  Qed.

  Lemma weight_nonneg w ls : (forall e, 0 <= w e) -> 0 <= weight w ls.
  Proof. intros H. apply wsum_nonneg. intros e _. apply Z.mul_nonneg_nonneg; auto. apply made_nonneg. Qed.

  (** What is at a node at the end: what was there, came, and did not go. *)
  Lemma labelled_tokens c ls d : labelled T c ls d -> forall n,
    tokens_at (snd d) n = tokens_at (snd c) n + weight (fun e => delta (node_after (snd e)) n - delta (node_before (snd e)) n) ls.
  Proof.
    induction 1 as [c|g ts i n0 n' g' l ls d E M R IH]; intros n; [rewrite weight_nil; lia|].
    rewrite IH, (weight_cons _ _ _ _ M). cbn [snd]. rewrite (tokens_upd_at _ _ _ _ _ E). unfold node_after, node_before. cbn [fst snd]. lia.
  Qed.

  (** The global state is left as often as entered, but for the ends. *)
  Lemma labelled_globals c ls d : labelled T c ls d -> forall g,
    delta (fst d) g = delta (fst c) g + weight (fun e => delta (global_after (snd e)) g - delta (global_before (snd e)) g) ls.
  Proof.
    induction 1 as [c|g0 ts i n0 n' g' l ls d E M R IH]; intros g; [rewrite weight_nil; lia|].
    rewrite IH, (weight_cons _ _ _ _ M). cbn [fst]. unfold global_after, global_before. cbn [fst snd]. lia.
  Qed.

  Lemma last_global c ls d : labelled T c ls d -> fst d = fst c \/ exists s, In s T /\ fst d = global_after s.
  Proof.
    induction 1 as [c|g ts i n n' g' l ls d E M R IH]; auto. right. destruct IH as [IH|]; auto.
    exists ((n, g), (n', g')). apply numbers_in in M as [M _]. auto.
  Qed.

  (** The variables of the steps that land on a node. *)
  Definition landings_of : PM.t (list id) := index1 (tmap (fun e => (node_after (snd e), fst e)) (tnumbers T)).

  Lemma landings_sum x n : wsum x (found1 landings_of n) = wsum (fun e => delta (node_after (snd e)) n * x (fst e)) (numbers 1%positive T).
  Proof.
    unfold landings_of. rewrite wsum_found1, wsum_tmap, tnumbers_rev, wsum_rev. apply wsum_ext. intros e _. cbn [fst snd].
    unfold delta. destruct (Pos.eqb (node_after (snd e)) n); lia.
  Qed.
End Weights.

(** The first number after those of the steps. *)
Definition after_steps (T : list step) : id := fold_left (fun n _ => Pos.succ n) T 1%positive.

Lemma numbers_below {A} n (l : list A) i a : In (i, a) (numbers n l) -> (i < fold_left (fun n _ => Pos.succ n) l n)%positive.
Proof.
  revert n; induction l as [|b l IH]; intros n []; cbn [fold_left]; [|auto]. injection H as -> _. clear.
  assert (G : forall (m : list A) n, (n <= fold_left (fun n _ => Pos.succ n) m n)%positive).
  { induction m as [|c m IH]; cbn [fold_left]; intros n; [lia|]. specialize (IH (Pos.succ n)). lia. }
  specialize (G l (Pos.succ i)). lia.
Qed.

(** No request goes on after it is done. *)
Definition done_stays (f : form) : bool :=
  forallb (fun s => match kind_of f (node_before s) with Done => false | _ => true end) (fsteps f).

(** Answers are counted by the steps that give them. *)
Lemma answers_counted f ts g ls g' ds : done_stays f = true -> all f Initial ts -> labelled (fsteps f) (g, ts) ls (g', ds) ->
  forall x a, (forall l, In l (map fst (numbers 1%positive (fsteps f))) -> x l = made ls l) -> kind_of f a = Done ->
  wsum x (found1 (landings_of (fsteps f)) a) = Z.of_nat (count_occ id_dec ds a).
Proof.
  intros S' I R x a X D. rewrite landings_sum, <- wsum_count. fold (tokens_at ds a).
  pose proof (labelled_tokens _ _ _ _ R a) as H. cbn [snd] in H. rewrite H, tokens_none.
  - unfold weight. rewrite Z.add_0_l. apply wsum_ext. intros [l s] J. cbn [fst snd]. rewrite X by (apply in_map_iff; exists (l, s); auto).
    apply numbers_in in J as [J _]. unfold done_stays in S'. rewrite forallb_forall in S'. specialize (S' s J).
    rewrite (delta_neq (node_before s) a); [lia|]. intros E. rewrite E, D in S'. discriminate.
  - intros J. unfold all in I. rewrite Forall_forall in I. apply I in J. congruence.
Qed.
