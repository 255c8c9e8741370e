(** Certificates, and what they claim. *)

From Coq Require Import List PArith NArith Bool.
From Proved Require Import Sets Model Run Normal Script Invariant Flow Commit Proofs Same Components.
From Proved.Rules Require Import Pairs Track.
From Proved.Letters Require Explicit Proof.
Import ListNotations.

(** A proof that one component is serializable; which node stands for what is a hint. *)
Inductive part :=
| Atomic (table : list (id * place)) (script : list entry)
| Counting (table : list (id * place)) (script : list entry) (nodes globals : list id) (next_global : id) (proof : flow)
| Holding (table : list (id * place)) (script : list entry) (nodes : list id) (next_node : id) (proof : invariant)
| Answering (table : list (id * place)) (script : list entry) (nodes globals : list id) (next_global : id) (proof : Proof.letters_proof)
| Committing (table : list (id * place)) (script : list entry) (proof : commit_proof)
| SameAs (earlier : nat) (table table' : list (id * place)) (names back : renaming).

Inductive certificate :=
| Refutation (component : nat) (globals : list id) (events : list revent)
| Parts (parts : list part).

(** Hints about normal forms: sets of pairs, the global states that serial runs
    pass through, the nodes and global states that can be reached, and the states of systems in which requests are counted or followed. *)
Record hints := Hints { pairs_hint : form -> list turn_hint; serial_hint : form -> list id; reach_hint : form -> list id * list id;
  count_hint : form -> list (list id) -> N -> list tracked * list tracked; follow_hint : form -> list Explicit.exactly -> Explicit.controls }.

(** A component that does what an earlier one does is that of an earlier part with a proof of its own. *)
Definition own (p : part) : bool := match p with SameAs _ _ _ _ _ => false | _ => true end.

Definition check_part (hint : hints) (before : list (system * bool)) (s : system) (p : part) : bool :=
  match p with
  | Atomic table script => check_atomic (pairs_hint hint) (count_hint hint) s table script
  | Counting table script nodes globals next_global proof =>
      check_flow (pairs_hint hint) (count_hint hint) (serial_hint hint) s table script nodes globals next_global proof
  | Holding table script nodes next_node proof => check_invariant (pairs_hint hint) (count_hint hint) (serial_hint hint) s table script nodes next_node proof
  | Answering table script nodes globals next_global proof =>
      check_letters (pairs_hint hint) (count_hint hint) (serial_hint hint) s table script (reach_hint hint) (follow_hint hint) nodes globals next_global proof
  | Committing table script proof => check_reduction (pairs_hint hint) (count_hint hint) s table script proof
  | SameAs earlier table table' names back =>
      match nth_error before earlier with
      | Some (s', true) => same_systems s s' table table' names back                        (* same.part *)
      | _ => false
      end
  end.

(** parts.cover *)
Fixpoint check_parts (hint : hints) (before : list (system * bool)) (ss : list system) (ps : list part) : bool :=
  match ss, ps with
  | [], [] => true
  | s :: ss, p :: ps => check_part hint before s p && check_parts hint (before ++ [(s, own p)]) ss ps
  | _, _ => false
  end.

(** The input is a list of components. *)
Definition check (hint : hints) (ss : list system) (c : certificate) : bool :=
  check_apart ss &&
  match c with
  | Refutation k gs es => match nth_error ss k with Some s => check_run s gs es | None => false end
  | Parts ps => check_parts hint [] ss ps
  end.

Definition claim (c : certificate) (ss : list system) : Prop :=
  match c with
  | Refutation _ _ _ => ~ product_serializable ss
  | Parts _ => product_serializable ss
  end.

Theorem check_part_sound hint before s p : Forall (fun b => serializable (fst b)) before -> check_part hint before s p = true -> serializable s.
Proof.
  intros B. destruct p as [t es|t es ns gs g p|t es ns n p|t es ns gs g p|t es p|k t t' r back]; cbn [check_part].
  - apply check_atomic_sound.
  - apply check_flow_sound.
  - apply check_invariant_sound.
  - apply check_letters_sound.
  - apply check_reduction_sound.
  - destruct (nth_error before k) as [[s' [|]]|] eqn:E; try discriminate. intros H. apply (same_systems_sound _ _ _ _ _ _ H).
    rewrite Forall_forall in B. apply (B (s', true)). eapply nth_error_In; eauto.
Qed.

Lemma check_parts_sound hint ss : forall ps before, Forall (fun b => serializable (fst b)) before -> check_parts hint before ss ps = true -> Forall serializable ss.
Proof.
  induction ss as [|s ss IH]; intros [|p ps] before B H; try discriminate H; [constructor|].
  apply andb_true_iff in H as [H1 H2]. apply (check_part_sound hint before s p B) in H1.
  constructor; [exact H1|]. apply (IH ps (before ++ [(s, own p)])); [|exact H2].
  apply Forall_app. split; [exact B|]. constructor; [exact H1|constructor].
Qed.

Theorem check_components_sound hint ss ps : check_parts hint [] ss ps = true -> product_serializable ss.
Proof. intros H. apply components_serializable. exact (check_parts_sound hint ss ps [] (Forall_nil _) H). Qed.

Theorem check_sound hint ss c : check hint ss c = true -> claim c ss.
Proof.
  unfold check. rewrite andb_true_iff. intros [A H]. apply check_apart_sound in A. destruct c as [k gs es|ps]; cbn.
  - destruct (nth_error ss k) as [s|] eqn:E; [|discriminate]. eapply component_refutes; eauto. eapply check_run_sound; eauto.
  - exact (check_components_sound hint ss ps H).
Qed.

(** The product of one component is the component. *)
Theorem product_one s : product_serializable [s] <-> serializable s.
Proof.
  assert (A : apart [s]).
  { intros [|[|i]] [|[|j]] t u r Et Eu _ _; cbn in *; auto; discriminate. }
  split.
  - intros H Z I. destruct I as [g R].
    destruct (H Z) as (ds & Rd & Fd & Pd).
    { destruct (lift_alone 0 [s] s eq_refl _ _ R [start s] eq_refl eq_refl) as (cs & Pc & Nk & L & _).
      destruct cs as [|c [|? ?]]; try discriminate. injection Nk as ->. exists [Config g [] Z]. repeat split; auto. cbn. now rewrite app_nil_r. }
    destruct ds as [|d [|? ?]]; try (apply prun_length in Rd; discriminate). unfold all_completed in Pd. cbn in Pd. rewrite app_nil_r in Pd.
    exists (completed d). split; auto. exists (global d).
    assert (Rk : run s (fun c => length (flight c) <= 1) (start s) d).
    { eapply (project [s] _ (fun c => length (flight c) <= 1) _ _ 0); [|exact Rd|reflexivity|reflexivity|reflexivity].
      intros bs b Ob Eb. pose proof (flight_part _ _ _ Eb). eapply PeanoNat.Nat.le_trans; eauto. }
    unfold in_flight in Fd. cbn in Fd. rewrite app_nil_r in Fd. destruct d as [g' F Y]; cbn in *. destruct F; [auto|discriminate].
  - intros H. apply components_serializable. constructor; auto.
Qed.
