(** The map from the states of a program to those of the components, checked.

    These are the conditions of [compile/src/translation.rs], on states that are a hint: those of the
    program, their images, and which may occur together ([Together.v]). That nothing else occurs is checked too. *)

From Coq Require Import List PArith ZArith Bool Lia.
From Proved Require Import Sets Components.
From Proved Require Model.
From Proved.Programs Require Import Syntax Semantics Same Step Starts Together Bisimulation.
Import ListNotations.
Close Scope Z_scope.

(** * The hint *)

Record map_hint := MapHint {
  homes : list (asked * (nat * id));                   (** who is asked, the component, from 0, and its request *)
  locals : list ((asked * local) * id);                (** local states and their images *)
  global_states : list (store * list id);              (** global states and their images in each component *)
  markings : list (list (list id * list id))
    (** for each global state what may occur with it: of each marking the local states, by their places in the list
        from 1, in which any number of requests may be, and others, each as often as requests may be in it; finished
        ones need not be there *)
}.

(** * Tables *)

(** A component, and indexes of what it has. *)
Record ready := Ready { system_of : Model.system; starts_at : pset; moving : idset; steps_at : index_type point; answers_at : PM.t (list id) }.
Definition get_ready (s : Model.system) : ready := Ready s (pset_of (Model.starts s)) (iset (tmap (fun x => fst (fst x)) (Model.steps s))) (index (Model.steps s)) (index1 (Model.answers s)).

Definition asked_key (a : asked) : positive := store_key (snd a) (fst a).
Definition state_key (x : asked * local) : positive := local_key (snd x) (asked_key (fst x)).
Definition state_eqb (x y : asked * local) : bool := asked_eqb (fst x) (fst y) && local_eqb (snd x) (snd y).
Definition global_key (g : store) : positive := store_key g xH.

Lemma state_eqb_eq x y : state_eqb x y = true -> x = y.
Proof. destruct x, y. unfold state_eqb. cbn. intros [H K]%andb_true_iff. f_equal; auto using asked_eqb_eq, local_eqb_eq. Qed.

Definition running (l : local) : bool := match l with Running _ _ => true | Finished _ => false end.

(** Entries with their places in the list, from 1, in another order. *)
Definition with_places {A B} (l : list (A * B)) : list (A * (id * B)) :=
  fst (fold_left (fun a e => ((fst e, (snd a, snd e)) :: fst a, Pos.succ (snd a))) l ([], xH)).

Definition marking_of (m : list id * list id) : marking := Marking (iset (fst m)) (snd m).

Record tables := Tables {
  components : list ready;
  home_entries : list (asked * (nat * id));
  home_index : PM.t (list (asked * (nat * id)));
  local_entries : list ((asked * local) * (id * id));
  local_index : PM.t (list ((asked * local) * (id * id)));
  by_place : PM.t ((asked * local) * id);
  global_entries : list (store * (id * list id));
  global_index : PM.t (list (store * (id * list id)));
  markings_at : PM.t (list marking)
}.

Definition prepare (ss : list Model.system) (h : map_hint) : tables :=
  let ls := with_places (locals h) in
  let gs := with_places (global_states h) in
  Tables (map get_ready ss) (homes h) (keyed asked_key (homes h))
    ls (keyed state_key ls) (fold_left (fun t e => PM.add (fst (snd e)) (fst e, snd (snd e)) t) ls (PM.empty _))
    gs (keyed global_key gs) (numbered (tmap (tmap marking_of) (rev_append (markings h) []))).

Section Check.
  Context (fuel : nat) (p : program) (ss : list Model.system) (t : tables) (back : index_type letter).

  Definition home (a : asked) : option (nat * id) := find_at asked_key asked_eqb (home_index t) a.
  Definition local_of (x : asked * local) : option (id * id) := find_at state_key state_eqb (local_index t) x.
  Definition global_of (g : store) : option (id * list id) := find_at global_key store_eqb (global_index t) g.
  Definition markings_of (n : id) : list marking := match PM.find n (markings_at t) with Some l => l | None => [] end.

  Definition image (x : asked * local) : option id := match local_of x with Some (_, m) => Some m | None => None end.
  Definition in_component (g : store) (k : nat) : id := match global_of g with Some (_, ims) => nth k ims xH | None => xH end.

  Definition letter_image (z : letter) : option (nat * Model.letter) :=
    match local_of (fst z, Finished (snd z)), home (fst z) with
    | Some (_, m), Some (k, r) =>
        match nth_error (components t) k with
        | Some s => match found1 (answers_at s) m with x :: _ => Some (k, (r, x)) | [] => None end
        | None => None
        end
    | _, _ => None
    end.
  Definition letter_back (y : Model.letter) : letter := match found back y with z :: _ => z | [] => ((xH, []), Z0) end.

  (** ** Answers *)

  (** A finished state gives the answer that its image gives, which makes no step; no other state gives an answer, and
      different answers stay different. *)
  Definition check_answer (e : (asked * local) * (id * id)) : bool :=
    let '((a, l), (i, m)) := e in
    match PM.find i (by_place t), home a with
    | Some (x, m'), Some (k, r) =>
        state_eqb x (a, l) && Pos.eqb m' m &&
        match nth_error (components t) k with
        | Some s =>
            match l, found1 (answers_at s) m with
            | Running _ _, [] => true
            | Finished v, x :: more =>
                negb (imem (moving s) m) && forallb (Pos.eqb x) more && let z := letter_back (r, x) in asked_eqb (fst z) a && Z.eqb (snd z) v
            | _, _ => false
            end
        | None => false
        end
    | _, _ => false
    end.
  Definition check_answers : bool := forallb check_answer (local_entries t).

  (** ** Starts *)

  Definition flies : asked * local -> option (nat * (id * id)) := flying home image.

  Fixpoint each (f : nat -> ready -> bool) (k : nat) (rs : list ready) : bool :=
    match rs with [] => true | s :: rs => f k s && each f (S k) rs end.

  Definition check_starts (starts : list (asked * local)) : bool :=
    forallb (fun x => match flies x with
      | Some (k, y) => match nth_error (components t) k with Some s => pmem (starts_at s) y | None => false end
      | None => false end) starts &&
    each (fun k s => let images := pset_of (hand flies k starts) in forallb (pmem images) (Model.starts (system_of s))) 0 (components t).

  (** The initial global state has its image in each component, and something may occur with it. *)
  Definition check_initial : bool :=
    match global_of (globals p) with
    | Some (n, ims) =>
        each (fun k s => Pos.eqb (Model.initial (system_of s)) (nth k ims xH)) 0 (components t) &&
        match markings_of n with [] => false | _ :: _ => true end
    | None => false
    end.

  (** ** Steps *)

  (** The images in the other components stay. *)
  Fixpoint others_stay (k : option nat) (ims ims' : list id) : bool :=
    match ims, ims' with
    | [], [] => true
    | x :: ims, y :: ims' =>
        match k with
        | Some O => others_stay None ims ims'
        | Some (S k) => Pos.eqb x y && others_stay (Some k) ims ims'
        | None => Pos.eqb x y && others_stay None ims ims'
        end
    | _, _ => false
    end.

  (** The places of where a step leads, and its image. At its end a request does not matter to others any more. *)
  Definition check_outcome (ims : list id) (k : nat) (a : asked) (o : local * store) : option ((option id * id) * point) :=
    match local_of (a, fst o), global_of (snd o) with
    | Some (j, m), Some (n, ims') => if others_stay (Some k) ims ims' then Some ((if running (fst o) then Some j else None, n), (m, nth k ims' xH)) else None
    | _, _ => None
    end.

  Fixpoint traverse {A B} (f : A -> option B) (l : list A) : option (list B) :=
    match l with
    | [] => Some []
    | x :: l => match f x, traverse f l with Some y, Some m => Some (y :: m) | _, _ => None end
    end.

  Definition same_points (l m : list point) : bool :=
    let s := pset_of l in let u := pset_of m in forallb (pmem s) m && forallb (pmem u) l.

  (** The images of the steps from a pair are the steps from its image, and none fails; the places where they lead. *)
  Definition check_pair (g : store) (ims : list id) (i : id) : option (list (option id * id)) :=
    match PM.find i (by_place t) with
    | Some ((a, l), m) =>
        match home a, outcomes fuel l g with
        | Some (k, _), Some (found_there, false) =>
            match nth_error (components t) k, traverse (check_outcome ims k a) found_there with
            | Some s, Some os =>
                if same_points (tmap snd os) (found (steps_at s) (m, nth k ims xH)) then Some (tmap fst os) else None
            | _, _ => None
            end
        | _, _ => None
        end
    | None => None
    end.

  (** ** Nothing else occurs *)

  Definition occurs (m : marking) (i : id) : bool := imem (many m) i || existsb (Pos.eqb i) (few m).
  Definition places_in (ms : list marking) : list id :=
    tmap fst (PM.elements (fold_left (fun s m => fold_left (fun s e => iadd s (fst e)) (PM.elements (many m)) (fold_left iadd (few m) s)) ms (PM.empty _))).

  Definition check_marking (starts : list id) (ways : list (id * list (option id * id))) (m : marking) : bool :=
    forallb (imem (many m)) starts &&
    let here := filter (fun w => occurs m (fst w)) ways in
    let leads := above m markings_of (flat_map (fun w => map snd (snd w)) here) in
    forallb (fun w => forallb (fun o => match PM.find (snd o) leads with
      | Some ms => existsb (room m (fst w) (fst o)) ms
      | None => false end) (snd w)) here &&
    let walked := iset (map fst here) in
    forallb (fun e => imem walked (fst e)) (PM.elements (many m)) && forallb (imem walked) (few m).

  Definition check_global (starts : list id) (e : store * (id * list id)) : bool :=
    let '(g, (n, ims)) := e in
    let ms := markings_of n in
    match traverse (fun i => match check_pair g ims i with Some w => Some (i, w) | None => None end) (places_in ms) with
    | Some ways => forallb (check_marking starts ways) ms
    | None => false
    end.

  Definition check_steps (starts : list (asked * local)) : bool :=
    match traverse (fun x => match local_of x with Some (i, _) => Some i | None => None end) starts with
    | Some places => forallb (check_global places) (global_entries t)
    | None => false
    end.
End Check.

(** The letters of the components, and those of the program. *)
Definition letters_back (t : tables) : index_type letter :=
  index (tflat (fun e => match e with
    | ((a, Finished v), _) => match letter_image t (a, v) with Some (_, y) => [(y, (a, v))] | None => [] end
    | _ => [] end) (local_entries t)).

Definition check_map (fuel : nat) (p : program) (ss : list Model.system) (h : map_hint) : bool :=
  let t := prepare ss h in
  match all_starts p with
  | Some starts =>
      check_answers t (letters_back t) && check_starts t starts && check_initial p t && check_steps fuel t starts
  | None => false
  end.
