(** What the definitions say of a few expressions, and a program from its text to the theorem. *)

From Coq Require Import List ZArith PArith.
From Proved Require Import Sets Run Certificate.
From Proved Require Model.
From Proved.Letters Require Explicit.
From Proved.Programs Require Import Syntax Semantics Step Map Fault Program.
Import ListNotations.
Open Scope Z_scope.

(** * Steps *)

Definition step_of (e : expr) (g : store) := outcomes 100 (Running e []) g.
Definition n (v : Z) : expr := Number v.

(** [1; while (1) { 0 }] is no step, and [while (?) { 0 }; 7] answers 7, however often the loop is gone round. *)
Example endless : step_of (Seq (n 1) (While (n 1) (n 0))) [] = Some ([], false).
Proof. reflexivity. Qed.
Example as_long_as_one_likes : step_of (Seq (While Choice (n 0)) (n 7)) [] = Some ([(Finished 7, [])], false).
Proof. reflexivity. Qed.

(** [yield] in an operand: [X + yield] keeps the value that [X] had before the pause. *)
Example operand : step_of (Binary Add (Read (Global 0)) Yield) [5] = Some ([(Running (Binary Add (n 5) (n 0)) [], [5])], false).
Proof. reflexivity. Qed.

(** [yield] in a condition happens every time round. *)
Example each_round : step_of (Binary Add (n 0) (While Yield (n 1))) [] =
  Some ([(Running (Binary Add (n 0) (If (n 0) (Seq (n 1) (While Yield (n 1))) (n 0))) [], [])], false).
Proof. reflexivity. Qed.

(** [0 && 1 / 0] and [2 || 1 / 0] do not come to the division, and the values are 0 and 1. [1 && 5] is 1. *)
Example short_and : step_of (And (n 0) (Binary Divide (n 1) (n 0))) [] = Some ([(Finished 0, [])], false).
Proof. reflexivity. Qed.
Example short_or : step_of (Or (n 2) (Binary Divide (n 1) (n 0))) [] = Some ([(Finished 1, [])], false).
Proof. reflexivity. Qed.
Example truth_of_and : step_of (And (n 1) (n 5)) [] = Some ([(Finished 1, [])], false).
Proof. reflexivity. Qed.

(** Division rounds down; what has no result fails, on one of two ways here. *)
Example rounds_down : map (fun x => apply (fst x) (fst (snd x)) (snd (snd x))) [(Divide, (-7, 2)); (Remainder, (-7, 2)); (Divide, (7, -2)); (Remainder, (7, -2))] =
  [Some (-4); Some 1; Some (-4); Some (-1)].
Proof. reflexivity. Qed.
Example fails_on_one_way : step_of (Binary Divide (n 1) Choice) [] = Some ([(Finished 1, [])], true).
Proof. reflexivity. Qed.
Example too_large : step_of (Binary Add (n (2 ^ 63 - 1)) Choice) [] = Some ([(Finished (2 ^ 63 - 1), [])], true).
Proof. reflexivity. Qed.
Example least : step_of (Negate (n (- 2 ^ 63))) [] = Some ([], true).
Proof. reflexivity. Qed.

(** [return] ends the request from anywhere; [x := X := 3] gives both the value. *)
Example returns : step_of (Binary Add (n 1) (Seq (Return (n 4)) (Binary Divide (n 1) (n 0)))) [] = Some ([(Finished 4, [])], false).
Proof. reflexivity. Qed.
Example assigned : step_of (Seq (Assign (Local 1) (Assign (Global 0) (n 3))) Yield) [0] = Some ([(Running (n 0) [0; 3], [3])], false).
Proof. reflexivity. Qed.

(** * A program that is not serializable *)

(** [request set { x := X; yield; X := 1; x }]: two that overlap both answer 0. *)
Definition rest : expr := Seq (Assign (Global 0) (n 1)) (Read (Local 0)).
Definition text : program :=
  {| globals := [0]; requests := [{| name := 1%positive; parameters := []; others := 1; body := Seq (Assign (Local 0) (Read (Global 0))) (Seq Yield rest) |}] |}.

(** Local states 1: come, 2 and 3: waits with 0 or 1, 4 and 5: answers that. *)
Definition compiled : Model.system :=
  {| Model.initial := 1; Model.starts := [(1, 1)]; Model.answers := [(4, 1); (5, 2)];
     Model.steps := [((1, 1), (2, 1)); ((1, 2), (3, 2)); ((2, 1), (4, 2)); ((2, 2), (4, 2)); ((3, 2), (5, 2))] |}%positive.

Definition come : local := Running (Seq (Assign (Local 0) (Read (Global 0))) (Seq Yield rest)) [0].
Definition waits (v : Z) : local := Running (Seq (n 0) rest) [v].
Definition images : map_hint :=
  {| homes := [((1%positive, []), (0%nat, 1%positive))];
     locals := map (fun x => (((1%positive, []), fst x), snd x))
       [(come, 1); (waits 0%Z, 2); (waits 1%Z, 3); (Finished 0%Z, 4); (Finished 1%Z, 5)]%positive;
     global_states := [([0], [1%positive]); ([1], [2%positive])];
     markings := [[([1; 2], [])]; [([1; 2; 3], [])]]%positive |}.

Definition lost_update : certificate :=
  Refutation 0 [1; 2]%positive [RSpawn 1 1 1; RSpawn 2 1 1; RStep 1 (2, 1); RStep 2 (2, 1); RStep 1 (4, 2); RStep 2 (4, 2); RRespond 1 1; RRespond 2 1]%positive.

Definition no_hints : hints := {| pairs_hint := fun _ => []; serial_hint := fun _ => []; reach_hint := fun _ => ([], []);
  count_hint := fun _ _ _ => ([], []); follow_hint := fun _ _ => Explicit.Controls [] [] 1%positive 1%positive |}.

Theorem not_serializable : ~ serializable text /\ ~ can_fail text.
Proof. exact (program_sound 100 no_hints text (Through images [compiled] lost_update) eq_refl). Qed.

(** Without [yield] the map does not fit, nor does it with one pair less. *)
Example another_text :
  check_map 100 {| globals := [0]; requests := [{| name := 1%positive; parameters := []; others := 1; body := Seq (Assign (Local 0) (Read (Global 0))) rest |}] |}
    [compiled] images = false.
Proof. reflexivity. Qed.
Example a_pair_is_missing :
  check_map 100 text [compiled] {| homes := homes images; locals := locals images; global_states := global_states images;
    markings := [[([1; 2], [])]; [([1; 3], [])]]%positive |} = false.
Proof. reflexivity. Qed.

(** * A program that can fail *)

(** [X := 2; request halve { X := X - 1; 1 / X }], called twice. *)
Definition failing_text : program :=
  {| globals := [2]; requests := [{| name := 1%positive; parameters := []; others := 0;
       body := Seq (Assign (Global 0) (Binary Subtract (Read (Global 0)) (n 1))) (Binary Divide (n 1) (Read (Global 0))) |}] |}.

Theorem fails_the_second_time : can_fail failing_text.
Proof. exact (program_sound 100 no_hints failing_text (Failing [Comes 0 []; Goes 0 0; Answers 0; Comes 0 []] 0) eq_refl). Qed.
