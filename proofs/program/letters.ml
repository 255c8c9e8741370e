(* Proofs over letters, from JSON to the types that were extracted. *)

open Proved
open Reading

let letters value = let l = ids value in fit (rising int_of l); l
let read_exactly = reading (fun take -> let in_set = letters (take "letters") in { in_set; so_often = amount (take "times") })

let read_absence paired value = reading (fun take ->
  let sets = if given "exactly" value then map read_exactly (take "exactly") else [] and outside = letters (take "outside") in
  let absence = { outside; never = letters (take "never") } in
  if sets <> [] then ByExactly (paired, absence, sets) else if paired then ByPairs absence else ByReach absence) value

let expression take = let t = terms (take "terms") in fit (in_order t); (integer (take "constant"), t)

let read_bound = reading (fun take ->
  let bound_plus, bound_terms = expression take in
  { bound_divisor = not_negative (take "divisor"); bound_plus; bound_terms })

let read_counting globals = reading (fun take ->
  { away = letters (take "outside"); literals = map read_bound (take "clause"); in_phases = Counting.read_phases globals (take "phases");
    cuts = map Counting.read_cut (take "cuts"); why = Counting.read_tree (take "tree") })

let read_fact globals value =
  match named_field value with
  | "reach", value -> read_absence false value
  | "pairs", value -> read_absence true value
  | "count", value -> ByCount (read_counting globals value)
  | name, _ -> refuse "there are no facts of kind %S" name

let read_loop value =
  reading (fun take -> let letter = id (take "letter") in (letter, if given "guard" value then Some (id (take "guard")) else None)) value

let read_edge = function Json.List [ o; a; t ] -> (natural o, natural a, natural t) | _ -> refuse "an edge has three numbers"

(* An automaton, and how many states it has. *)
let read_automaton = reading (fun take ->
  let states = natural (take "states") and start = natural (take "start") and edges = map read_edge (take "edges") in
  fit (start < states && rising Fun.id edges && List.for_all (fun (o, _, t) -> o < states && t < states) edges);
  (states, { start_state = number start; arcs = List.rev (List.rev_map (fun (o, a, t) -> (number o, (number a, number t))) edges) }))

let below n = List.for_all (fun x -> int_of x <= n)

(* A level after an automaton with so many states. *)
let read_level before = reading (fun take ->
  let loops = map read_loop (take "loops") and states, after = read_automaton (take "automaton") and related = relation (take "relation") in
  fit (below states (List.rev_map fst related) && below before (List.rev_map snd related));
  (states, { loops; after; relation = related }))

let read_flow classes = reading (fun take ->
  let edge_number = id (take "edge") and per = not_negative (take "divisor") and constant, terms = expression take in
  fit (below classes (List.rev_map fst terms));
  { edge_number; per; amount = { terms; constant } })

let read_region states classes = reading (fun take ->
  let last = id (take "last") and flows = map (read_flow classes) (take "flows") and branches = relation (take "tree") in
  fit (below states (last :: List.rev_append (List.rev_map fst branches) (List.rev_map snd branches)) && rising (fun f -> int_of f.edge_number) flows);
  { last; flows; branches })

(* Levels after an automaton with so many states, and how many states the last one has. *)
let read_levels before value =
  let level (states, found) value = let states, level = read_level states value in (states, level :: found) in
  let states, found = List.fold_left level (before, []) (list value) in
  (states, List.rev found)

let read_cover states take =
  let in_classes = map ids (take "classes") in
  { in_classes; regions = map (read_region states (List.length in_classes)) (take "regions"); against = Counting.read_tree (take "tree") }

let read_visit = reading (fun take -> let visited = id (take "letter") in { visited; visit_guards = ids (take "guards") })

let read_group before = reading (fun take ->
  let members = letters (take "letters") and first_steps = amount (take "steps") and states, own_levels = read_levels before (take "levels") in
  { members; first_steps; own_levels; own_cover = read_cover states take })

let read_groups states = reading (fun take -> let visits = map read_visit (take "visits") in (visits, map (read_group states) (take "each")))

let read_letters value take globals =
  let states, levels = read_levels globals (take "levels") in
  let loop_visits, groups = if given "groups" value then read_groups states (take "groups") else ([], []) in
  { known_facts = map (read_fact globals) (take "known"); levels; loop_visits; groups; left_cover = read_cover states take }
