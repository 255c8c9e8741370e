(** Booleans, pairs, lists, options and units become those of OCaml; numbers
    stay as they were proved. *)
From Coq Require Extraction ExtrOcamlBasic.
From Proved Require Import Sets Model Reach Run Normal Script Certificate.
From Proved.Rules Require Import Pairs Track.
From Proved.Letters Require Import Slice Explicit.
From Proved Require LinearSet.
From Proved.Nets Require Import Answer.
From Proved.Programs Require Step Print Program Refusal.
Extraction Language OCaml.
Extraction "proved.ml" check edges_of columns_of column possible pairs_of
  LinearSet.edges_at LinearSet.nodes_of apply normal
  steps_under groups_of tracked_key tracked_next tracked_home tracked_first
  sets_of followed_letters leading control_key explicit_next control_home control_first
  check_net
  Step.outcomes Print.print Program.check_program Refusal.why_refused.
