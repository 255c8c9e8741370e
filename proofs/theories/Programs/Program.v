(** Certificates about programs as they are written: what is claimed is about the program alone. *)

From Coq Require Import List Bool.
From Proved Require Import Sets Components Certificate.
From Proved Require Model.
From Proved.Programs Require Import Syntax Semantics Map MapSound Fault.

(** A certificate about components, with the map from the program to them; or a run to a step that fails. *)
Inductive program_certificate :=
| Through (map : map_hint) (components : list Model.system) (c : certificate)
| Failing (events : list fault_event) (place : nat).

Definition program_claim (c : program_certificate) (p : program) : Prop :=
  match c with
  | Through _ _ (Refutation _ _ _) => ~ serializable p /\ ~ can_fail p
  | Through _ _ (Parts _) => serializable p /\ ~ can_fail p
  | Failing _ _ => can_fail p
  end.

(** [fuel] bounds the small steps of one step. *)
Definition check_program (fuel : nat) (hint : hints) (p : program) (c : program_certificate) : bool :=
  match c with
  | Through map ss c => check_map fuel p ss map && check hint ss c
  | Failing es n => check_fault fuel p es n
  end.

Theorem program_sound fuel hint p c : check_program fuel hint p c = true -> program_claim c p.
Proof.
  destruct c as [map ss c|es n]; cbn [check_program program_claim].
  - rewrite andb_true_iff. intros [M C]. apply check_map_sound in M as [B F]. apply check_sound in C. destruct c; cbn in C; split; auto.
    + intros S. apply C. now apply B.
    + now apply B.
  - apply check_fault_sound.
Qed.
