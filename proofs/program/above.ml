(* Which member of a list is above an ω-marking, or below a marking. What is told is checked. *)

open Proved

let size = function N0 -> 0 | Npos p -> Reading.int_of p

(* The number of the first one for which something holds. *)
let first holds members =
  let rec go i = if i >= Array.length members then XH else if holds members.(i) then Reading.number i else go (i + 1) in
  go 0

let sized m = List.map (fun (p, n) -> (p, size n)) m
let table m = let table = Hashtbl.create 64 in List.iter (fun (p, n) -> Hashtbl.replace table p n) m; table

let above members =
  let all = Array.of_list (List.map sized members) and exact = Hashtbl.create 64 in
  let key m = List.sort compare (List.map (fun (p, n) -> (Reading.int_of p, n)) m) in
  Array.iteri (fun i m -> Hashtbl.replace exact (key m) i) all;
  fun lower ->
    let own = sized (PositiveMap.elements lower) in
    match Hashtbl.find_opt exact (key own) with
    | Some i -> Reading.number i
    | None ->
        let own = table own in
        first (List.for_all (fun (p, most) -> match Hashtbl.find_opt own p with Some n -> n <= most | None -> false)) all

let below members =
  let all = Array.of_list (List.map sized members) in
  fun marking ->
    let own = table (sized (PositiveMap.elements marking)) in
    first (List.for_all (fun (p, least) -> least = 0 || match Hashtbl.find_opt own p with Some n -> least <= n | None -> false)) all

let hints = { above_hint = above; below_hint = below }
