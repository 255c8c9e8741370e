(** Proofs by counting, by invariants, over letters and by commits, about systems. *)

From Coq Require Import List ZArith PArith NArith Bool.
From Proved Require Import Sets Model Normal Answers Script Invariant Flow Commit.
From Proved.Rules Require Pairs Track.
From Proved.Letters Require Explicit Proof.

Section Reduced.
  (** Hints: sets of pairs, the states of systems in which requests are counted, and the global states that serial runs pass through. *)
  Context (hint : form -> list Pairs.turn_hint) (counting : form -> list (list id) -> N -> list Track.tracked * list Track.tracked) (serial_globals : form -> list id).
  (** Which node stands for what is a hint, too. *)
  Context (s : system) (table : list (id * place)) (script : list entry).

  Definition after_script (check : form -> bool) : bool :=
    match normal s table with
    | Some f => match check_script hint counting f script with Some f => check f | None => false end
    | None => false
    end.

  Lemma after_script_sound check : (forall f, check f = true -> fserializable f) -> after_script check = true -> serializable s.
  Proof.
    intros H. unfold after_script. destruct (normal s table) as [f|] eqn:N; [|discriminate].
    destruct (check_script hint counting f script) as [f'|] eqn:C; [|discriminate]. intros A.
    apply (normal_sound s table f N). eapply same_serializable; [eapply check_script_sound; eauto|]. auto.
  Qed.

  (** The nodes and global states of the certificate, in order, and the numbers after the last ones. *)
  Definition check_flow (nodes globals : list id) (next_global : id) (p : flow) : bool :=
    after_script (fun f => check_counts hint f globals nodes next_global (serial_globals f) p).

  Theorem check_flow_sound nodes globals next_global p : check_flow nodes globals next_global p = true -> serializable s.
  Proof. apply after_script_sound. intros f. apply counts_sound. Qed.

  Definition check_invariant (nodes : list id) (next_node : id) (p : invariant) : bool :=
    after_script (fun f => check_moments f nodes (node_variable (Labels.after_steps (fsteps f)) next_node) (serial_globals f) p).

  Theorem check_invariant_sound nodes next_node p : check_invariant nodes next_node p = true -> serializable s.
  Proof. apply after_script_sound. intros f. apply moments_sound. Qed.

  (** What can be reached is a hint, too, and where requests can be that are followed. *)
  Definition check_letters (reached : form -> list id * list id) (controls : form -> list Explicit.exactly -> Explicit.controls) (nodes globals : list id) (next_global : id) (p : Proof.letters_proof) : bool :=
    after_script (fun f => Proof.check_letters hint reached controls (serial_globals f) f globals nodes next_global p).

  Theorem check_letters_sound reached controls nodes globals next_global p : check_letters reached controls nodes globals next_global p = true -> serializable s.
  Proof. apply after_script_sound. intros f. apply Proof.letters_sound. Qed.

  Definition check_reduction (p : commit_proof) : bool := after_script (fun f => check_commits hint f p).

  Theorem check_reduction_sound p : check_reduction p = true -> serializable s.
  Proof. apply after_script_sound. intros f. apply commits_sound. Qed.
End Reduced.
