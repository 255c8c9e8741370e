(** What each main theorem rests on. The build compares what is printed with
    [assumptions.expected], which says for each that it is closed. *)
From Proved Require Import Run Answers Script Tree Components Certificate.

Print Assumptions check_run_sound.
Print Assumptions check_script_sound.
Print Assumptions normal_answers.
Print Assumptions normal_sound.
Print Assumptions check_atomic_sound.
Print Assumptions check_tree_sound.
Print Assumptions check_components_sound.
Print Assumptions check_sound.
Print Assumptions product_one.
From Proved Require Import LinearSet Proofs Same.
From Proved Require Commit.
Print Assumptions set_clauses_sound.
Print Assumptions check_flow_sound.
Print Assumptions check_invariant_sound.
Print Assumptions check_letters_sound.
Print Assumptions check_reduction_sound.
Print Assumptions Commit.commits_sound.
Print Assumptions same_systems_sound.
From Proved.Nets Require Import Goal Answer.
Print Assumptions goal_of_met.
Print Assumptions check_evidence_sound.
Print Assumptions check_bounded_sound.
Print Assumptions check_net_sound.
From Proved.Programs Require Import Reduce Step MapSound Fault Program.
Print Assumptions small_reduce.
Print Assumptions outcomes_steps.
Print Assumptions outcomes_fails.
Print Assumptions check_map_sound.
Print Assumptions check_fault_sound.
Print Assumptions program_sound.
