(* What `serval export --to core --with-map` writes: the text of the core language, which is read by [Core], the
   components, and the map between states, which is a hint: all of it is checked. *)

open Proved
open Reading

(* * The file *)

type point = { of_request : int; place : [ `Start | `Yield of int | `End ]; kept_locals : int list; kept_operands : int list }
type map = {
  component_of : int list; local_names : string array list; global_names : string array list; points : point array;
  states : (int * z list * int) list; global_states : (z list * int list) list; pairs : (int * int) list }
type written = { program_name : string; written_name : string; own_names : string list }
type export = { core : string; shared_names : string list; bodies : written list; map : map option; systems : Input.system list }

let naturals = map natural
let names value = Array.of_list (map string value)

let read_point = reading (fun take ->
  let place = match take "place" with
    | Json.String "start" -> `Start
    | Json.String "end" -> `End
    | value -> (match named_field value with "yield", n -> `Yield (natural n) | _ -> refuse "there is no such place")
  in
  { of_request = natural (take "request"); place; kept_locals = naturals (take "locals"); kept_operands = naturals (take "operands") })

let read_state = function Json.List [ p; vs; image ] -> (natural p, map integer vs, natural image) | _ -> refuse "a state has three parts"

let read_map = reading (fun take ->
  let both = map (reading (fun take -> let l = names (take "locals") in (l, names (take "globals")))) (take "names") in
  { component_of = naturals (take "components"); local_names = List.map fst both; global_names = List.map snd both;
    points = Array.of_list (map read_point (take "points")); states = map read_state (take "states");
    global_states = map (pair (map integer) naturals) (take "globals"); pairs = map (pair natural natural) (take "pairs") })

let read_export value =
  reading (fun take ->
    ignore (take "schema");
    let body = reading (fun take -> { program_name = string (take "name"); written_name = string (take "written"); own_names = map string (take "locals") }) in
    { core = string (take "core"); shared_names = map string (take "globals"); bodies = map body (take "requests");
      map = (match take "map" with Json.Null -> None | value -> Some (read_map value));
      systems = (if given "systems" value then Input.read_systems (take "systems") else []) }) value

(* * Where a request waits *)

module Terms = Map.Make (struct type t = expr let compare = compare end)

let zero = Number Z0

(* What is left after each [yield] of a body, in the order of the text, with 0 for operands that wait. *)
let resumed body =
  let found = ref [] in
  let rec go e around =
    match e with
    | Number _ | Choice | Read _ -> ()
    | Yield -> found := around zero :: !found
    | Assign (x, a) -> go a (fun t -> around (Assign (x, t)))
    | Not a -> go a (fun t -> around (Not t))
    | Negate a -> go a (fun t -> around (Negate t))
    | Return a -> go a (fun t -> around (Return t))
    | Binary (o, a, b) -> go a (fun t -> around (Binary (o, t, b))); go b (fun t -> around (Binary (o, zero, t)))
    | And (a, b) -> go a (fun t -> around (And (t, b))); go b (fun t -> around (Not (Not t)))
    | Or (a, b) -> go a (fun t -> around (Or (t, b))); go b (fun t -> around (Not (Not t)))
    | Seq (a, b) -> go a (fun t -> around (Seq (t, b))); go b around
    | If (c, a, b) -> go c (fun t -> around (If (t, a, b))); go a around; go b around
    | While (c, b) -> go c (fun t -> around (If (t, Seq (b, While (c, b)), zero))); go b (fun t -> around (Seq (t, While (c, b))))
  in
  go body Fun.id;
  List.rev !found

(* What may stand around the place where a term goes on, with 0 for operands, and these operands. *)
let rec places e =
  let inside a around = List.map (fun (t, operands) -> (around t, operands)) (places a) in
  match e with
  | Number Z0 -> [ (e, []) ]
  | Assign (x, a) -> inside a (fun t -> Assign (x, t))
  | Not a -> inside a (fun t -> Not t)
  | Negate a -> inside a (fun t -> Negate t)
  | Return a -> inside a (fun t -> Return t)
  | Binary (o, (Number v as a), b) ->
      (if v = Z0 then [ (e, []) ] else []) @ List.map (fun (t, operands) -> (Binary (o, zero, t), v :: operands)) (places b)
  | Binary (o, a, b) -> inside a (fun t -> Binary (o, t, b))
  | And (a, b) -> inside a (fun t -> And (t, b))
  | Or (a, b) -> inside a (fun t -> Or (t, b))
  | Seq (a, b) -> inside a (fun t -> Seq (t, b))
  | If (c, a, b) -> inside c (fun t -> If (t, a, b))
  | _ -> []

(* The place of a term of a body, if it is one where a request can wait, and the operands. *)
let locate body =
  let add (n, all) t = (n + 1, if Terms.mem t all then all else Terms.add t n all) in
  let _, all = List.fold_left add (0, Terms.empty) (resumed body) in
  fun e ->
    if e == body then Some (`Start, [])
    else List.find_map (fun (t, operands) -> Option.map (fun n -> (`Yield n, operands)) (Terms.find_opt t all)) (places e)
