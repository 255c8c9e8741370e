(* Which member of a cover is above what is below an ω-marking. What is told is checked. *)

open Proved

let size = function N0 -> 0 | Npos p -> Reading.int_of p

let above members =
  let sized = Array.of_list (List.map (fun m -> List.map (fun (p, n) -> (p, size n)) m) members) in
  let exact = Hashtbl.create 64 in
  List.iteri (fun i m -> Hashtbl.replace exact (List.sort compare (List.map (fun (p, n) -> (Reading.int_of p, size n)) m)) i) members;
  fun lower ->
    let own = List.map (fun (p, n) -> (p, size n)) (PositiveMap.elements lower) in
    match Hashtbl.find_opt exact (List.sort compare (List.map (fun (p, n) -> (Reading.int_of p, n)) own)) with
    | Some i -> Reading.number i
    | None ->
        let table = Hashtbl.create 64 in
        List.iter (fun (p, n) -> Hashtbl.replace table p n) own;
        let is_above m = List.for_all (fun (p, most) -> match Hashtbl.find_opt table p with Some n -> n <= most | None -> false) m in
        let rec go i = if i >= Array.length sized then XH else if is_above sized.(i) then Reading.number i else go (i + 1) in
        go 0
