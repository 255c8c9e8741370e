(* Systems and certificates, from JSON to the types that were extracted. *)

open Proved

include Reading

(* * Systems *)

type names = (string, int) Hashtbl.t

type system = { requests : names; responses : names; locals : names; globals : names; system : Proved.system }

(* The number of a name; one that nothing has if the system does not have it. *)
let named (names : names) name = number (match Hashtbl.find_opt names name with Some n -> n | None -> Hashtbl.length names)

let intern names value =
  let name = string value in
  let n = named names name in
  if not (Hashtbl.mem names name) then Hashtbl.add names name (Hashtbl.length names);
  n

(* Names are numbered in the order in which they are told, and then in that of the text. *)
let read_system (requests : names) told = function
  | Json.Object given ->
      let responses, locals, globals = (Hashtbl.create 64, Hashtbl.create 64, Hashtbl.create 64) in
      List.iter2 (fun names -> List.iter (fun name -> ignore (intern names name))) [ requests; responses; locals; globals ] told;
      let initial = ref XH and starts = ref [] and answers = ref [] and steps = ref [] in
      let point l g = let l = intern locals l in (l, intern globals g) in
      let step = function
        | Json.List [ l; g; l'; g' ] -> let p = point l g in (p, point l' g')
        | _ -> refuse "a transition has four names"
      in
      let field = function
        | "initial_global", value -> initial := intern globals value
        | "requests", value -> starts := map (pair (intern requests) (intern locals)) value
        | "responses", value -> answers := map (pair (intern locals) (intern responses)) value
        | "transitions", value -> steps := map step value
        | name, _ -> refuse "there is no field %S here" name
      in
      List.iter field given;
      if List.length given < 4 then refuse "a system has four fields";
      { requests; responses; locals; globals; system = { initial = !initial; starts = !starts; answers = !answers; steps = !steps } }
  | _ -> refuse "an object was expected"

(* One system, or the components of a program. Requests of all components are
   numbered together, so that it is checked that no two share one. *)
let read_systems told value =
  let requests : names = Hashtbl.create 16 and systems = match value with Json.List l -> l | value -> [ value ] in
  let told = if told = [] then List.map (fun _ -> [ []; []; []; [] ]) systems else told in
  if List.compare_lengths told systems <> 0 then refuse "there are other systems than were told" else List.map2 (read_system requests) told systems

(* * Runs *)

let states = reading (fun take -> let l = string (take "local") in (l, string (take "global")))

(* The states before a step, and of an answer, are read and not compared: the
   replay has its own. *)
let read_event = reading (fun take ->
  let i = number (counted (take "id")) in
  match string (take "kind") with
  | "spawn" -> let r, l = (string (take "request"), string (take "local")) in fun s -> RSpawn (i, named s.requests r, named s.locals l)
  | "step" -> let _, (l, g) = (states (take "from"), states (take "to")) in fun s -> RStep (i, (named s.locals l, named s.globals g))
  | "respond" -> let _, a = (string (take "local"), string (take "response")) in fun s -> RRespond (i, named s.responses a)
  | kind -> refuse "there are no events of kind %S" kind)

let read_completed = reading (fun take -> ignore (string (take "request"), string (take "response"), counted (take "count")))

(* * Scripts *)

(* Entries of scripts; [Split] still without the number of the copy. *)
type entry = Split of positive | Entry of Proved.entry

let read_witness = function
  | Json.List [ own; other; other_path; own_path ] ->
      { own_number = id own; other_number = id other; written_other = relation other_path; written_own = relation own_path }
  | _ -> refuse "a witness has two steps and two paths"

let read_mover = reading (fun take ->
  let node value = let n, gs = pair id ids value in List.rev (List.rev_map (fun g -> (n, g)) gs) in
  (List.concat (map node (take "points")), map read_witness (take "witnesses")))

let few value = if natural value > 255 then refuse "a number of 8 bits was expected" else amount value
let read_quotient = reading (fun take -> (relation (take "relation"), map ids (take "classes")))

let read_entry = function
  | Json.String "pairs" -> Entry EPairs
  | value -> (
      match named_field value with
      | "split", value -> Split (id value)
      | "fold", value -> Entry (EFold (relation value))
      | "locals", value -> let r, c = read_quotient value in Entry (ELocals (r, c))
      | "globals", value -> let r, c = read_quotient value in Entry (EGlobals (r, c))
      | "dominated", value -> Entry (reading (fun take -> EDominated (relation (take "locals"), relation (take "globals"), relation (take "drops"))) value)
      | "closure", value -> Entry (reading (fun take -> EClosure (relation (take "relation"), relation (take "points"))) value)
      | "right", value -> let p, w = read_mover value in Entry (ERight (p, w))
      | "left", value -> let p, w = read_mover value in Entry (ELeft (p, w))
      | "track", value -> Entry (reading (fun take -> let groups = map ids (take "groups") in ETrack (groups, few (take "most"))) value)
      | name, _ -> refuse "there is no rule %S" name)

(* * Certificates *)

type proof = Steps | Flow of flow | Invariant of invariant | Letters of letters_proof | Same of int * positive list * positive list

(* A proof of one component, given how many global states a script leaves. *)
type part = entry list * int Lazy.t * proof
type certificate = Run of int * (system -> revent list) | Part of ((entry list -> int) -> part) | Components of ((entry list -> int) -> part) list

(* From the fields of its kind, after those beside. *)
let read_part kind value beside =
  let proof = match kind with
    | "atomic" -> fun _ _ -> Steps
    | "flow" -> fun take globals -> Flow (Counting.read_flow take (Lazy.force globals))
    | "invariant" -> fun take globals -> Invariant (Counting.read_invariant take (Lazy.force globals))
    | "letters" -> fun take globals -> Letters (Letters.read_letters value take (Lazy.force globals))
    | "same" -> fun take _ -> let part = natural (take "part") in Same (part, ids (take "globals"), ids (take "nodes"))
    | "cases" | "in-flight" | "points" -> raise (Uncovered kind)
    | "components" when given "touches" value -> raise (Uncovered "components with touches")
    | kind -> refuse "there are no proofs of kind %S" kind
  in
  let script take = if kind = "same" then [] else map read_entry (take "script") in
  fun globals -> reading (fun take -> beside take; let script = script take in let globals = lazy (globals script) in
    (script, globals, proof take globals)) value

let kind_of value = match field "kind" value with Some kind -> string kind | None -> refuse "field \"kind\" is missing"

(* The fields that all certificates have. *)
let head claim take =
  if string (take "format") <> "serval-certificate" then refuse "this is no certificate";
  if take "version" <> Json.Number "1" then refuse "this is another version of the format";
  ignore (string (take "input"), take "kind");
  let claimed = string (take "claim") in
  if claimed <> claim then refuse "a proof of this kind does not show that an input is %s" claimed

(* The order in time has no theorem yet: what claims something about it is named, whatever its kind. *)
let not_about_time value =
  match field "claim" value with
  | Some (Json.String (("strict" | "not-strict") as claim)) -> raise (Uncovered ("the claim " ^ claim))
  | _ -> ()

let read_certificate value =
  not_about_time value;
  match kind_of value with
  | "run" ->
      reading (fun take ->
        head "not-serializable" take;
        List.iter read_completed (list (take "completed"));
        let events = map read_event (take "steps") in
        Run (natural (take "component"), fun s -> List.rev (List.rev_map (fun event -> event s) events))) value
  | "components" when given "touches" value -> raise (Uncovered "components with touches")
  | "components" ->
      let part value = read_part (kind_of value) value (fun take -> ignore (take "kind")) in
      reading (fun take -> head "serializable" take; Components (map part (take "parts"))) value
  | ("fault" | "reduction" | "closure") as kind -> raise (Uncovered kind)
  | kind -> Part (read_part kind value (head "serializable"))
