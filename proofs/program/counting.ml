(* Proofs by counting and by invariants, from JSON to the types that were
   extracted, and what their checks want to be told. *)

open Proved
open Reading

(* Whole numbers of any size that certificates have. *)
let integer = function
  | Json.Number s when s <> "-0" && String.length s <= 40 ->
      let negative = s.[0] = '-' in
      let digits = if negative then String.sub s 1 (String.length s - 1) else s in
      let of_int n = if n = 0 then Z0 else Zpos (positive n) in
      let digit z c = Z.add (Z.mul z (of_int 10)) (of_int (Char.code c - 48)) in
      let z =
        if String.length digits <= 18 then of_int (int_of_string digits)
        else String.fold_left digit Z0 digits
      in
      if negative then Z.opp z else z
  | _ -> refuse "a whole number was expected"

let not_negative value = match integer value with Zneg _ -> refuse "a number that is not negative was expected" | z -> z
let times value = match natural value with 0 -> N0 | n -> Npos (positive n)

(* Pairs that are sorted by their first numbers, none twice. *)
let sorted (pairs : (positive * 'a) list) =
  let check before (n, _) = let n = int_of n in if n <= before then refuse "a list is not in order" else n in
  ignore (List.fold_left check 0 pairs);
  pairs

let coefficients pairs =
  List.iter (fun (_, c) -> if c = Z0 then refuse "a coefficient is 0") pairs;
  sorted pairs

(* * Trees *)

let in_pairs f l =
  let rec go found = function
    | [] -> List.rev found
    | [ _ ] -> refuse "these numbers are no node of a tree"
    | a :: b :: rest -> go (f a b :: found) rest
  in
  go [] l

let linear constant rest = { terms = coefficients (in_pairs (fun x c -> (id x, integer c)) rest); constant = integer constant }

(* A fact by its number, and that variable [v] is at least 0 by [-1 - v]. *)
let reference value =
  match value with
  | Json.Number s when s.[0] = '-' -> NotNegative (positive (counted (Json.Number (String.sub s 1 (String.length s - 1)))))
  | value -> Known (id value)

let combination = in_pairs (fun r m -> (reference r, integer m))

let split n l =
  let rec go found n l =
    match (n, l) with
    | 0, l -> (List.rev found, l)
    | _, [] -> refuse "these numbers are no node of a tree"
    | n, x :: l -> go (x :: found) (n - 1) l
  in
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
  | _ -> refuse "these numbers are no node of a tree"

let read_tree = map read_node

(* * Sets and facts *)

let uses = map (pair id times)

(* Of several terms of a letter the last one counts, as for the other checker; their order does not matter. *)
let letter_terms pairs =
  let found = Hashtbl.create 8 in
  List.iter (fun (n, c) -> Hashtbl.replace found (int_of n) c) pairs;
  List.sort compare (Hashtbl.fold (fun n c l -> (n, c) :: l) found []) |> List.map (fun (n, c) -> (positive n, c))

let read_period value =
  match fields [ "edges"; "divisor"; "constant"; "terms" ] value with
  | [ e; d; c; t ] ->
      let written_round = uses e in
      { written_round; written_divisor = not_negative d; written_plus = integer c; written_per_letter = letter_terms (map (pair id integer) t) }
  | _ -> assert false

let read_set value =
  match fields [ "base"; "periods" ] value with
  | [ b; p ] -> let written_base = uses b in { written_base; written_periods = map read_period p }
  | _ -> assert false

let read_region value =
  match fields [ "globals"; "nodes" ] value with [ g; n ] -> let g = ids g in (g, ids n) | _ -> assert false

let read_fact value =
  match named_field value with
  | "forward", value -> let g, n = read_region value in Forward (g, n)
  | "backward", value -> let g, n = read_region value in Backward (g, n)
  | "pairs", value -> PairsFact (ids value)
  | "set", value -> SetFact (read_set value)
  | name, _ -> refuse "there are no facts of kind %S" name

(* * The two kinds *)

let count_up n = List.init n number

let phase_map phases = snd (List.fold_left (fun (g, m) q -> (g + 1, PM.add (number g) q m)) (0, PM.empty) phases)

(* The proof for a system with so many global states; none if there is not one phase for each. *)
let read_flow phases facts tree =
  let phases = ids phases in
  let flow_facts = map read_fact facts in
  let flow_tree = read_tree tree in
  fun globals ->
    let given = List.length phases in
    if given = 0 || given = globals then Some { phases = phase_map phases; flow_facts; flow_tree } else None

let read_bound value =
  match fields [ "terms"; "under"; "constant" ] value with
  | [ t; u; c ] ->
      let parts = coefficients (map (pair id integer) t) in
      { parts; under = sorted (map (pair id integer) u); always = integer c }
  | _ -> assert false

let read_kept value =
  match fields [ "step"; "clause"; "tree" ] value with
  | [ s; c; t ] -> let s, c = (id s, id c) in ((s, c), read_tree t)
  | _ -> assert false

(* The same; none if there is not one tree for each global state, or something is added under one that is not there. *)
let read_invariant clauses kept sets ends =
  let holding = map (map read_bound) clauses in
  let keeping = map read_kept kept in
  let serial_sets = map read_set sets in
  let trees = map read_tree ends in
  fun globals ->
    let there b = List.for_all (fun (g, _) -> int_of g <= globals) b.under in
    if List.length trees = globals && List.for_all (List.for_all there) holding then
      Some { holding; keeping; serial_sets; endings = List.combine (count_up globals) trees }
    else None

(* * Hints *)

(* The global states that serial runs of a normal form pass through, in order. *)
let serial_globals f =
  let edges = edges_at f (index f.fsteps) (nodes_of f Initial) (fuel_of f.fsteps) in
  let seen = Hashtbl.create 64 in
  let rec go = function
    | [] -> ()
    | g :: todo when Hashtbl.mem seen (int_of g) -> go todo
    | g :: todo ->
        Hashtbl.add seen (int_of g) ();
        go (List.rev_append (List.rev_map snd (edges g)) todo)
  in
  go [ f.first ];
  List.map positive (List.sort compare (Hashtbl.fold (fun g () found -> g :: found) seen []))
