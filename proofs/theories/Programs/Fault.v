(** Runs of a program that come to a step that fails. *)

From Coq Require Import List PArith ZArith Bool Lia.
From Proved Require Import Sets.
From Proved.Programs Require Import Syntax Semantics Step.
Import ListNotations.
Open Scope Z_scope.

(** What happens, with the place of the request among those in flight (the one that came last is the first). *)
Inductive fault_event :=
| Comes (request : nat) (values : list Z)   (** the place of a request in the program, and the values of its parameters *)
| Goes (place : nat) (way : nat)            (** which of the steps that it can make: the place in [outcomes] *)
| Answers (place : nat).

Fixpoint all_within (vs : list Z) (ranges : list (Z * Z)) : bool :=
  match vs, ranges with
  | [], [] => true
  | v :: vs, (lo, hi) :: ranges => (lo <=? v) && (v <=? hi) && all_within vs ranges
  | _, _ => false
  end.

(** A list with what is at a place of it. *)
Definition at_place {A} (l : list A) (n : nat) : option (list A * A * list A) :=
  match skipn n l with x :: after => Some (firstn n l, x, after) | [] => None end.

(** fault.replay *)
Definition replay_event (fuel : nat) (p : program) (c : config) (e : fault_event) : option config :=
  match e with
  | Comes k vs =>
      match nth_error (requests p) k with
      | Some q => if all_within vs (parameters q)
          then Some (Config (global c) (((name q, vs), Running (body q) (vs ++ repeat 0 (others q))) :: flight c) (completed c)) else None
      | None => None
      end
  | Goes n way =>
      match at_place (flight c) n with
      | Some (before, (a, l), after) =>
          match outcomes fuel l (global c) with
          | Some (ways, _) => match nth_error ways way with Some (l', g') => Some (Config g' (before ++ (a, l') :: after) (completed c)) | None => None end
          | None => None
          end
      | None => None
      end
  | Answers n =>
      match at_place (flight c) n with
      | Some (before, (a, Finished v), after) => Some (Config (global c) (before ++ after) ((a, v) :: completed c))
      | _ => None
      end
  end.

Fixpoint replay (fuel : nat) (p : program) (c : config) (es : list fault_event) : option config :=
  match es with
  | [] => Some c
  | e :: es => match replay_event fuel p c e with Some d => replay fuel p d es | None => None end
  end.

(** fault.fails: the request at this place fails then. *)
Definition check_fault (fuel : nat) (p : program) (es : list fault_event) (n : nat) : bool :=
  match replay fuel p (start p) es with
  | Some c =>
      match nth_error (flight c) n with
      | Some (_, l) => match outcomes fuel l (global c) with Some (_, true) => true | _ => false end
      | None => false
      end
  | None => false
  end.

Lemma all_within_all vs ranges : all_within vs ranges = true -> Forall2 within vs ranges.
Proof.
  revert ranges; induction vs as [|v vs IH]; intros [|[lo hi] ranges]; cbn; try discriminate; [constructor|].
  rewrite !andb_true_iff, !Z.leb_le. intros [[A B] C]. constructor; auto. now split.
Qed.

Lemma at_place_app {A} (l : list A) n b x a : at_place l n = Some (b, x, a) -> l = b ++ x :: a.
Proof.
  unfold at_place. intros H. rewrite <- (firstn_skipn n l) at 1. destruct (skipn n l) as [|y m]; [discriminate|]. injection H as <- -> ->. reflexivity.
Qed.

Lemma replay_event_sound fuel p c e d : replay_event fuel p c e = Some d -> event p c d.
Proof.
  destruct c as [g F Z], e as [k vs|n way|n]; cbn [replay_event global flight completed].
  - destruct (nth_error (requests p) k) as [q|] eqn:Q; [|discriminate]. destruct (all_within vs _) eqn:W; [|discriminate]. intros [= <-].
    constructor. constructor; [eapply nth_error_In; eauto|now apply all_within_all].
  - destruct (at_place F n) as [[[b [a l]] r]|] eqn:P; [|discriminate]. apply at_place_app in P as ->.
    destruct (outcomes fuel l g) as [[ways bad]|] eqn:O; [|discriminate]. destruct (nth_error ways way) as [[l' g']|] eqn:W; [|discriminate]. intros [= <-].
    constructor. apply (outcomes_steps fuel l g ways bad O). eapply nth_error_In; eauto.
  - destruct (at_place F n) as [[[b [a [e r0|v]]] r]|] eqn:P; try discriminate. apply at_place_app in P as ->. intros [= <-]. constructor.
Qed.

Lemma replay_sound fuel p es : forall c d, replay fuel p c es = Some d -> run p (fun _ => True) c d.
Proof.
  induction es as [|e es IH]; intros c d; cbn [replay]; [intros [= <-]; now constructor|].
  destruct (replay_event fuel p c e) as [c'|] eqn:E; [|discriminate]. intros H. apply replay_event_sound in E. econstructor; eauto.
Qed.

Theorem check_fault_sound fuel p es n : check_fault fuel p es n = true -> can_fail p.
Proof.
  unfold check_fault. destruct (replay fuel p (start p) es) as [c|] eqn:R; [|discriminate].
  destruct (nth_error (flight c) n) as [[a l]|] eqn:N; [|discriminate]. destruct (outcomes fuel l (global c)) as [[ways [|]]|] eqn:O; try discriminate.
  intros _. exists c, a, l. split; [|split].
  - eapply replay_sound; eauto.
  - eapply nth_error_In; eauto.
  - now apply (outcomes_fails fuel l (global c) ways true O).
Qed.
