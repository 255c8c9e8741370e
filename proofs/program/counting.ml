(* Trees, proofs by counting and by invariants, from JSON to the types that were
   extracted. *)

open Proved
open Reading

(* * Trees *)

let no_node () = refuse "these numbers are no node of a tree"

let in_pairs f l =
  let rec go found = function [] -> List.rev found | [ _ ] -> no_node () | a :: b :: rest -> go (f a b :: found) rest in
  go [] l

let linear constant rest =
  let terms = in_pairs (fun x c -> (id x, integer c)) rest in
  if in_order terms then { terms; constant = integer constant } else refuse "a list is not in order, or a coefficient is 0"

(* A fact by its number, and that variable [v] is at least 0 by [-1 - v]. *)
let reference = function
  | Json.Number s when s.[0] = '-' -> NotNegative (positive (counted (Json.Number (String.sub s 1 (String.length s - 1)))))
  | value -> Known (id value)

let combination = in_pairs (fun r m -> (reference r, integer m))

let split n l =
  let rec go found n = function l when n = 0 -> (List.rev found, l) | [] -> no_node () | x :: l -> go (x :: found) (n - 1) l in
  go [] n l

let read_node value =
  match list value with
  | [ Json.Number "0"; clause ] -> Clause (id clause)
  | Json.Number "1" :: at_most :: constant :: rest -> Bound (linear constant rest, integer at_most)
  | Json.Number "2" :: divisor :: constant :: rest -> Residue (linear constant rest, not_negative divisor)
  | Json.Number "3" :: rest -> Farkas (combination rest)
  | Json.Number "4" :: modulus :: count :: rest ->
      let sum, tight = split (2 * natural count) rest in
      Lattice (integer modulus, combination sum, combination tight)
  | _ -> no_node ()

let read_tree = map read_node

(* * Sets and facts *)

let uses = map (pair id amount)

(* Of several terms of a letter the last one counts, as for the other checker; their order does not matter. *)
let letter_terms pairs =
  let found = Hashtbl.create 8 in
  List.iter (fun (n, c) -> Hashtbl.replace found (int_of n) c) pairs;
  List.sort compare (Hashtbl.fold (fun n c l -> (n, c) :: l) found []) |> List.map (fun (n, c) -> (positive n, c))

let read_period = reading (fun take ->
  { written_round = uses (take "edges"); written_divisor = not_negative (take "divisor"); written_plus = integer (take "constant");
    written_per_letter = letter_terms (terms (take "terms")) })

let read_set = reading (fun take -> { written_base = uses (take "base"); written_periods = map read_period (take "periods") })
let read_region = reading (fun take -> let g, n = (ids (take "globals"), ids (take "nodes")) in fit (rising int_of g && rising int_of n); (g, n))

let read_cut value =
  match named_field value with
  | "forward", value -> let g, n = read_region value in Forward (g, n)
  | "backward", value -> let g, n = read_region value in Backward (g, n)
  | "pairs", value -> PairsFact (ids value)
  | name, _ -> refuse "there are no facts of kind %S" name

let read_fact value = match named_field value with "set", value -> SetFact (read_set value) | _ -> read_cut value

(* * The two kinds, for a system with so many global states *)

let phase_map phases = snd (List.fold_left (fun (g, m) q -> (g + 1, PM.add (number g) q m)) (0, PM.empty) phases)

(* One phase for each global state, or none. *)
let read_phases globals value = let phases = ids value in fit (phases = [] || List.length phases = globals); phase_map phases

let read_flow take globals =
  { phases = read_phases globals (take "phases"); flow_facts = map read_fact (take "facts"); flow_tree = read_tree (take "tree") }

let read_bound globals = reading (fun take ->
  let parts = terms (take "terms") and under = terms (take "under") in
  if not (in_order parts && rising (fun (n, _) -> int_of n) under) then refuse "a list is not in order, or a coefficient is 0";
  fit (List.for_all (fun (g, _) -> int_of g <= globals) under);
  { parts; under; always = integer (take "constant") })

let read_kept = reading (fun take -> let s = id (take "step") in ((s, id (take "clause")), read_tree (take "tree")))

(* One tree for each global state. *)
let read_invariant take globals =
  let trees = map read_tree (take "ends") in
  fit (List.length trees = globals);
  { holding = map (map (read_bound globals)) (take "clauses"); keeping = map read_kept (take "kept"); serial_sets = map read_set (take "sets");
    endings = List.mapi (fun g tree -> (number g, tree)) trees }
