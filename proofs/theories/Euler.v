(** Euler walks: edges that are balanced but for a first and a last state, and
    hang together with the first, are those of a walk. *)

From Coq Require Import List ZArith PArith Bool Permutation Lia.
From Proved Require Import Sets Sums.
Import ListNotations.
Open Scope Z_scope.

(** From a global state, an answer, and the global state afterwards. *)
Definition edge := (id * (id * id))%type.
Definition origin (e : edge) : id := fst e.
Definition letter_of (e : edge) : id := fst (snd e).
Definition target (e : edge) : id := snd (snd e).

Inductive trail : id -> list edge -> id -> Prop :=
| trail_nil g : trail g [] g
| trail_cons e L t : trail (target e) L t -> trail (origin e) (e :: L) t.

(** How much more often a state is left than entered. *)
Definition excess (L : list edge) (x : id) : Z := wsum (fun e => delta (origin e) x - delta (target e) x) L.

Definition balanced (L : list edge) (s t : id) : Prop := forall x, excess L x = delta s x - delta t x.

(** Whatever has the state and is left by no edge has all edges. *)
Definition hangs (L : list edge) (s : id) : Prop :=
  forall P : id -> bool, P s = true -> (forall e, In e L -> P (origin e) = P (target e)) -> forall e, In e L -> P (origin e) = true.

Lemma hangs_perm L M s : Permutation L M -> hangs L s -> hangs M s.
Proof.
  intros P H Q Q0 Q1 e I. apply H; auto.
  - intros e' J. apply Q1. now apply (Permutation_in _ P).
  - now apply (Permutation_in _ (Permutation_sym P)).
Qed.

Lemma excess_cons e L x : excess (e :: L) x = delta (origin e) x - delta (target e) x + excess L x.
Proof. reflexivity. Qed.

Lemma leaves L x : 0 < excess L x -> exists e, In e L /\ origin e = x.
Proof.
  intros H. apply wsum_positive in H as (e & I & P). exists e; split; auto.
  destruct (Pos.eq_dec (origin e) x); auto. rewrite (delta_neq (origin e) x) in P by auto. pose proof (delta_bounds (target e) x). lia.
Qed.

Lemma take {A} (x : A) l : In x l -> exists l', Permutation l (x :: l').
Proof. intros I. apply in_split in I as (a & b & ->). exists (a ++ b). symmetry. apply Permutation_middle. Qed.

(** A walk that goes on as long as it can ends where it must. *)
Lemma greedy n : forall L s t, (length L <= n)%nat -> balanced L s t ->
  exists W L', Permutation L (W ++ L') /\ trail s W t /\ (forall x, excess L' x = 0) /\
    ((exists e, In e L /\ origin e = s) -> W <> []).
Proof.
  induction n as [|n IH]; intros L s t Ln B.
  - destruct L; [|cbn in Ln; lia]. assert (s = t) as ->.
    { specialize (B s). rewrite delta_refl in B. unfold excess in B. rewrite wsum_nil in B.
      destruct (Pos.eq_dec t s); auto. rewrite delta_neq in B by auto. lia. }
    exists [], []. repeat split; auto; [constructor|]. intros (e & [] & _).
  - destruct (existsb (fun e => Pos.eqb (origin e) s) L) eqn:X.
    + apply existsb_exists in X as (e & I & E). apply Pos.eqb_eq in E. subst s. destruct (take _ _ I) as (L1 & P).
      assert (B1 : balanced L1 (target e) t).
      { intros x. specialize (B x). unfold excess in B. rewrite (wsum_perm _ _ _ P) in B. rewrite wsum_cons in B. fold (excess L1 x) in B. lia. }
      assert (Ln1 : (length L1 <= n)%nat) by (apply Permutation_length in P; cbn in P; lia).
      destruct (IH L1 _ _ Ln1 B1) as (W & L' & Q & T & Z0 & _).
      exists (e :: W), L'. repeat split; auto; [|constructor; auto|discriminate].
      rewrite P. cbn. constructor. auto.
    + assert (N : forall e, In e L -> origin e <> s).
      { intros e I E. assert (existsb (fun e => Pos.eqb (origin e) s) L = true); [|congruence].
        apply existsb_exists. exists e. split; auto. now apply Pos.eqb_eq. }
      assert (s = t) as ->.
      { destruct (Pos.eq_dec t s); auto. specialize (B s). rewrite delta_refl, (delta_neq t s) in B by auto.
        destruct (leaves L s) as (e & I & E); [lia|]. now apply N in I. }
      exists [], L. repeat split; auto; [constructor| |].
      * intros x. rewrite B. lia.
      * intros (e & I & E). now apply N in I.
Qed.

Lemma trail_app s L m M t : trail s L m -> trail m M t -> trail s (L ++ M) t.
Proof. induction 1; cbn; auto. intros. constructor; auto. Qed.

Lemma trail_split s L t v : trail s L t -> In v (s :: map target L) ->
  exists A B, L = A ++ B /\ trail s A v /\ trail v B t.
Proof.
  induction 1 as [g|e L t T IH]; intros [<-|I].
  - exists [], []. repeat split; constructor.
  - destruct I.
  - exists [], (e :: L). repeat split; constructor; auto.
  - destruct (IH I) as (A & B & -> & TA & TB). exists (e :: A), B. repeat split; auto. constructor; auto.
Qed.

Lemma trail_ends s L t e : trail s L t -> In e L -> In (origin e) (s :: map target L) /\ In (target e) (s :: map target L).
Proof.
  induction 1 as [g|e' L t T IH]; intros []; [subst|].
  - cbn; auto.
  - destruct (IH H) as [A B]. cbn in *. intuition.
Qed.

Definition has (l : list id) (x : id) : bool := existsb (Pos.eqb x) l.
Lemma has_in l x : has l x = true <-> In x l.
Proof.
  unfold has. rewrite existsb_exists. split; [intros (y & I & E); apply Pos.eqb_eq in E; now subst|].
  intros I; exists x; split; auto. apply Pos.eqb_refl.
Qed.

(** Round trips are put into a walk one after the other. *)
Lemma insert n : forall L W s t, (length L <= n)%nat -> trail s W t -> (forall x, excess L x = 0) -> hangs (W ++ L) s ->
  exists W', Permutation (W ++ L) W' /\ trail s W' t.
Proof.
  induction n as [|n IH]; intros L W s t Ln T B H.
  - destruct L; [|cbn in Ln; lia]. exists W. split; auto. now rewrite app_nil_r.
  - assert (NE : L = [] \/ L <> []) by (destruct L; [left; auto|right; discriminate]).
    destruct NE as [->|NE]; [exists W; split; auto; now rewrite app_nil_r|].
    set (V := s :: map target W).
    assert (X : exists v e, In v V /\ In e L /\ origin e = v).
    { destruct (existsb (fun e => has V (origin e) || has V (target e)) L) eqn:E.
      - apply existsb_exists in E as (e & I & E). apply orb_true_iff in E as [E|E]; apply has_in in E; [exists (origin e), e; auto|].
        destruct (existsb (fun e' => Pos.eqb (origin e') (target e)) L) eqn:F.
        + apply existsb_exists in F as (e' & J & F). apply Pos.eqb_eq in F. exists (target e), e'; auto.
        + exfalso. assert (N : forall e', In e' L -> delta (origin e') (target e) = 0).
          { intros e' J. apply delta_neq. intros F'. assert (existsb (fun e' => Pos.eqb (origin e') (target e)) L = true); [|congruence].
            apply existsb_exists. exists e'; split; auto. now apply Pos.eqb_eq. }
          specialize (B (target e)). unfold excess in B.
          assert (P : delta (target e) (target e) <= wsum (fun e' => delta (target e') (target e)) L).
          { apply (wsum_part (fun e' => delta (target e') (target e))); auto. intros; apply delta_bounds. }
          rewrite delta_refl in P. rewrite (wsum_ext _ (fun e' => -1 * delta (target e') (target e))) in B.
          * rewrite wsum_times in B. lia.
          * intros e' J. rewrite N by auto. lia.
      - exfalso. assert (N : forall e, In e L -> has V (origin e) = false /\ has V (target e) = false).
        { intros e I. apply orb_false_iff. destruct (has V (origin e) || has V (target e)) eqn:F; auto.
          assert (existsb (fun e => has V (origin e) || has V (target e)) L = true); [|congruence]. apply existsb_exists; eauto. }
        destruct L as [|e1 L1]; [congruence|].
        assert (Q : has V (origin e1) = true).
        { apply (H (has V)).
          - apply has_in. cbn; auto.
          - intros e I. apply in_app_or in I as [I|I].
            + destruct (trail_ends _ _ _ _ T I). transitivity true; [|symmetry]; now apply has_in.
            + destruct (N e I) as [-> ->]. reflexivity.
          - apply in_or_app; right; cbn; auto. }
        destruct (N e1) as [F _]; [cbn; auto|congruence]. }
    destruct X as (v & e & Iv & Ie & Ev).
    destruct (greedy (length L) L v v) as (C & L' & P & TC & BC & NC); auto.
    { intros x. rewrite B. lia. }
    destruct (trail_split _ _ _ _ T Iv) as (W1 & W2 & -> & T1 & T2).
    assert (NC' : C <> []) by (apply NC; eauto).
    assert (P' : Permutation ((W1 ++ W2) ++ L) ((W1 ++ C ++ W2) ++ L')).
    { rewrite P. rewrite <- !app_assoc. apply Permutation_app_head. rewrite (app_assoc W2 C L'), (Permutation_app_comm W2 C), <- app_assoc. reflexivity. }
    destruct (IH L' (W1 ++ C ++ W2) s t) as (W' & P2 & T').
    + apply Permutation_length in P. rewrite app_length in P. destruct C; [congruence|]. cbn in P. lia.
    + apply trail_app with v; auto. apply trail_app with v; auto.
    + auto.
    + now apply hangs_perm with (1 := P').
    + exists W'. split; auto. now rewrite P'.
Qed.

Theorem euler L s t : balanced L s t -> hangs L s -> exists W, Permutation L W /\ trail s W t.
Proof.
  intros B H. destruct (greedy (length L) L s t) as (W & L' & P & T & Z0 & _); auto.
  destruct (insert (length L') L' W s t) as (W' & P' & T'); auto.
  - now apply hangs_perm with (1 := P).
  - exists W'. split; auto. now rewrite P.
Qed.
