(** Why a map is refused: for people. Nothing is proved about this, and no theorem uses it. *)

From Coq Require Import List PArith ZArith Bool.
From Proved Require Import Sets.
From Proved Require Model.
From Proved.Programs Require Import Syntax Semantics Step Starts Together Map.
Import ListNotations.

Inductive refusal :=
| TooManyStarts                                      (** requests have too many parameters *)
| BadInitial                                         (** a component has another initial global state *)
| BadStarts                                          (** a component starts elsewhere *)
| BadAnswer (x : asked * local)     (** a state answers otherwise than its image, or has no component *)
| NoImage (x : asked * local)                        (** a local state has no image *)
| NoGlobalImage (g : store)                          (** a global state has no image *)
| TooLong (x : asked * local) (g : store)            (** a step does not end in time *)
| Fails (x : asked * local) (g : store)              (** the program fails, the components do not *)
| OtherSteps (x : asked * local) (g : store)         (** the image of a pair has other steps *)
| ChangesOthers (x : asked * local) (g : store)      (** a step changes what another component sees *)
| NotClosed (g : store).                             (** more may occur than is told *)

Fixpoint first_some {A B} (f : A -> option B) (l : list A) : option B :=
  match l with [] => None | x :: l => match f x with Some y => Some y | None => first_some f l end end.

Definition refused_outcome (t : tables) (g : store) (ims : list id) (k : nat) (x : asked * local) (o : local * store) : option refusal :=
  match local_of t (fst x, fst o), global_of t (snd o) with
  | None, _ => Some (NoImage (fst x, fst o))
  | _, None => Some (NoGlobalImage (snd o))
  | Some _, Some (_, ims') => if others_stay (Some k) ims ims' then None else Some (ChangesOthers x g)
  end.

Definition refused_pair (fuel : nat) (t : tables) (g : store) (ims : list id) (i : id) : option refusal :=
  match PM.find i (by_place t) with
  | None => Some (NotClosed g)
  | Some (x, _) =>
      match check_pair fuel t g ims i, home t (fst x), outcomes fuel (snd x) g with
      | Some _, _, _ => None
      | None, None, _ => Some (BadAnswer x)
      | None, _, None => Some (TooLong x g)
      | None, _, Some (_, true) => Some (Fails x g)
      | None, Some (k, _), Some (os, false) =>
          match first_some (refused_outcome t g ims k x) os with Some r => Some r | None => Some (OtherSteps x g) end
      end
  end.

Definition refused_global (fuel : nat) (t : tables) (starts : list id) (e : store * (id * list id)) : option refusal :=
  if check_global fuel t starts e then None
  else match first_some (refused_pair fuel t (fst e) (snd (snd e))) (places_in (markings_of t (fst (snd e)))) with
       | Some r => Some r
       | None => Some (NotClosed (fst e))
       end.

(** The first condition that is not met. *)
Definition why_refused (fuel : nat) (p : program) (ss : list Model.system) (h : map_hint) : option refusal :=
  let t := prepare ss h in
  let back := letters_back t in
  match all_starts p with
  | None => Some TooManyStarts
  | Some starts =>
      match first_some (fun e => if check_answer t back e then None else Some (BadAnswer (fst e))) (local_entries t) with
      | Some r => Some r
      | None =>
          match first_some (fun x => match local_of t x with Some _ => None | None => Some (NoImage x) end) starts with
          | Some r => Some r
          | None =>
              if negb (check_starts t starts) then Some BadStarts
              else if negb (check_initial p t) then Some BadInitial
              else first_some (refused_global fuel t (flat_map (fun x => match local_of t x with Some (i, _) => [i] | None => [] end) starts))
                     (global_entries t)
          end
      end
  end.
