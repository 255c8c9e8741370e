(* What `serval export --to core --with-map` writes: the text of the core language, which is read by [Core], the
   components, and the map between states, which is a hint: all of it is checked. *)

open Proved
open Reading

(* * The file *)

type point = { of_request : int; place : [ `Start | `Yield of int | `End ]; kept_locals : int list; kept_operands : int list }
type map = {
  component_of : int list; local_names : string array array; global_names : string array array; points : point array;
  states : (int * z list * int) list; global_states : (z list * int list) list; pairs : (int * int) list; told : Json.t list list list;
  counted : (int * int) list list list option }
type written = { program_name : string; written_name : string; own_names : string list }
type export = { core : string; shared_names : string list; bodies : written list; map : map option; systems : Input.system list }

let naturals = map natural

let read_point = reading (fun take ->
  let place = match take "place" with
    | Json.String "start" -> `Start
    | Json.String "end" -> `End
    | value -> (match named_field value with "yield", n -> `Yield (natural n) | _ -> refuse "there is no such place")
  in
  { of_request = natural (take "request"); place; kept_locals = naturals (take "locals"); kept_operands = naturals (take "operands") })

let read_state = function Json.List [ p; vs; image ] -> (natural p, map integer vs, natural image) | _ -> refuse "a state has three parts"

let read_map = reading (fun take ->
  let told = map (reading (fun take -> let all name = list (take name) in let r = all "requests" in let a = all "responses" in
    let l = all "locals" in [ r; a; l; all "globals" ])) (take "names") in
  let named n = Array.of_list (List.map (fun lists -> Array.of_list (List.map string (List.nth lists n))) told) in
  { told; component_of = naturals (take "components"); local_names = named 2; global_names = named 3;
    points = Array.of_list (map read_point (take "points")); states = map read_state (take "states");
    global_states = map (pair (map integer) naturals) (take "globals"); pairs = map (pair natural natural) (take "pairs");
    counted = (match take "markings" with Json.Null -> None | value -> Some (map (map (map (pair natural natural))) value)) })

let read_export value =
  reading (fun take ->
    ignore (take "schema");
    let body = reading (fun take -> { program_name = string (take "name"); written_name = string (take "written"); own_names = map string (take "locals") }) in
    let told = match take "map" with Json.Null -> None | value -> Some (read_map value) in
    { core = string (take "core"); shared_names = map string (take "globals"); bodies = map body (take "requests");
      map = told; systems = (match told with Some { told; _ } -> Input.read_systems told (take "systems") | None -> []) }) value

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
    | Not0 a -> go a (fun t -> around (Not0 t))
    | Negate a -> go a (fun t -> around (Negate t))
    | Return a -> go a (fun t -> around (Return t))
    | Binary (o, a, b) -> go a (fun t -> around (Binary (o, t, b))); go b (fun t -> around (Binary (o, zero, t)))
    | And (a, b) -> go a (fun t -> around (And (t, b))); go b (fun t -> around (Not0 (Not0 t)))
    | Or (a, b) -> go a (fun t -> around (Or (t, b))); go b (fun t -> around (Not0 (Not0 t)))
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
  | Not0 a -> inside a (fun t -> Not0 t)
  | Negate a -> inside a (fun t -> Negate t)
  | Return a -> inside a (fun t -> Return t)
  | Binary (o, (Number v as a), b) ->
      List.map (fun (t, operands) -> (Binary (o, zero, t), v :: operands)) (places b) @ if v = Z0 then [ (e, []) ] else []
  | Binary (o, a, b) -> inside a (fun t -> Binary (o, t, b))
  | And (a, b) -> inside a (fun t -> And (t, b))
  | Or (a, b) -> inside a (fun t -> Or (t, b))
  | Seq (a, b) -> inside a (fun t -> Seq (t, b))
  | If (c, a, b) -> inside c (fun t -> If (t, a, b))
  | _ -> []

(* The places of a term of a body, if it is one where a request can wait, and the operands. What is left may be the same after
   several pauses. *)
let locate body =
  let at t all = Option.value (Terms.find_opt t all) ~default:[] in
  let add (n, all) t = (n + 1, Terms.add t (n :: at t all) all) in
  let _, all = List.fold_left add (0, Terms.empty) (resumed body) in
  fun e ->
    if e == body then [ (`Start, []) ]
    else List.concat_map (fun (t, operands) -> List.rev_map (fun n -> (`Yield n, operands)) (at t all)) (places e)

(* * The hint *)

let rec magnitude = function XH -> 1L | XO p -> Int64.mul 2L (magnitude p) | XI p -> Int64.add 1L (Int64.mul 2L (magnitude p))
let plain = function Z0 -> 0L | Zpos p -> magnitude p | Zneg p -> Int64.neg (magnitude p)
let key values = String.concat "," (List.map (fun v -> Int64.to_string (plain v)) values)

let nat = Parsed.nat
let rec size = function O -> 0 | S n -> 1 + size n

(* Small steps between two pauses, at most. *)
let fuel = nat 100_000

(* A request of a body that a state of the file is about, and the number of that state. *)
let state_finder (export : export) map (program : program) local_names =
  let points = Hashtbl.create 64 and states = Hashtbl.create 1024 in
  Array.iteri (fun n p -> Hashtbl.replace points (p.of_request, p.place) n) map.points;
  List.iteri (fun n (point, values, image) -> Hashtbl.replace states (point, key values) (n, image)) map.states;
  let body_finder n (q : request) names =
    let own = Array.of_list (List.nth export.bodies n).own_names and names = Array.of_list names and waiting = locate q.body in
    let at = Array.map (fun name -> let rec go i = if names.(i) = name then i else go (i + 1) in go 0) own in
    let state place values = Option.bind (Hashtbl.find_opt points (n, place)) (fun p -> Hashtbl.find_opt states (p, key (values map.points.(p)))) in
    function
    | Finished v -> state `End (fun _ -> [ v ])
    | Running (e, registers) ->
        waiting e |> List.find_map (fun (place, operands) ->
          state place (fun p -> List.map (fun i -> List.nth registers at.(i)) p.kept_locals @ List.map (List.nth operands) p.kept_operands))
  in
  List.mapi (fun n (q, names) -> body_finder n q names) (List.combine program.requests0 local_names)

module States = Map.Make (struct type t = positive * local let compare = compare end)

let hint (export : export) (program : program) local_names =
  let map = match export.map with Some map -> map | None -> raise Unfit in
  let finders = Array.of_list (state_finder export map program local_names) in
  let requests = Array.of_list program.requests0 and globals = Array.of_list map.global_states and systems = Array.of_list export.systems in
  let components = Array.of_list map.component_of in
  let beside = Hashtbl.create 1024 in
  List.iter (fun (s, g) -> Hashtbl.add beside s g) map.pairs;
  let places = ref States.empty and found = ref [] and todo = Queue.create () in
  let meet body local =
    let name = requests.(body).name in
    if not (States.mem (name, local) !places) then
      match finders.(body) local with
      | None -> raise Unfit
      | Some (state, image) ->
          let place = States.cardinal !places in
          places := States.add (name, local) place !places;
          found := ((((name, []), local), Input.named systems.(components.(body)).locals map.local_names.(components.(body)).(image)), state, place) :: !found;
          Queue.add (body, local, state) todo
  in
  Array.iteri (fun n (q : request) -> if q.parameters <> [] then raise Unfit; meet n (Running (q.body, List.init (size q.others3) (fun _ -> Z0)))) requests;
  while not (Queue.is_empty todo) do
    let body, local, state = Queue.pop todo in
    let from g = match outcomes fuel local (fst globals.(g)) with None -> raise Unfit | Some (ways, _) -> List.iter (fun (l, _) -> meet body l) ways in
    List.iter from (Hashtbl.find_all beside state)
  done;
  let found = List.rev !found in
  (* The places of a state of the file; there are several where the text has more variables than the file. *)
  let places_of = Hashtbl.create 1024 in
  List.iter (fun (_, state, place) -> Hashtbl.add places_of state (number place)) found;
  let many = Array.make (Array.length globals) [] in
  List.iter (fun (_, state, place) -> List.iter (fun g -> many.(g) <- number place :: many.(g)) (Hashtbl.find_all beside state)) found;
  let starting = List.filter_map (function ((_, Running (e, _)), _), state, place -> if List.exists (fun (q : request) -> q.body == e) program.requests0 then Some (number place) else None | _ -> None) found in
  (* So many requests in a state are in its places in one way or another: each is a marking of its own. *)
  let rec several n = function
    | [] -> if n = 0 then [ [] ] else []
    | place :: rest as all -> if n = 0 then [ [] ] else List.map (List.cons place) (several (n - 1) all) @ several n rest
  in
  let marking counts =
    let any, some = List.partition (fun (_, n) -> n = 0) counts in
    let many = starting @ List.concat_map (fun (state, _) -> Hashtbl.find_all places_of state) any in
    let beside ways (state, n) =
      let more = several n (Hashtbl.find_all places_of state) in
      if List.length ways * List.length more > 10_000 then raise Unfit else List.concat_map (fun way -> List.map (List.rev_append way) more) ways
    in
    List.map (fun few -> (many, few)) (List.fold_left beside [ [] ] some)
  in
  let markings = match map.counted with
    | None -> List.map (fun many -> [ (many, []) ]) (Array.to_list many)
    | Some counted -> List.map (List.concat_map marking) counted
  in
  let images c i = Input.named systems.(c).globals map.global_names.(c).(i) in
  let home n (q : request) = ((q.name, []), (nat components.(n), Input.named systems.(components.(n)).requests (List.nth export.bodies n).written_name)) in
  { homes0 = List.mapi home program.requests0; locals0 = List.map (fun (entry, _, _) -> entry) found;
    global_states = List.map (fun (values, is) -> (values, List.mapi images is)) map.global_states;
    markings0 = markings }
