(* Systems and certificates, from JSON to the types that were extracted. *)

open Proved

include Reading

(* * Systems *)

type names = (string, int) Hashtbl.t

type system = {
  requests : names;
  responses : names;
  locals : names;
  globals : names;
  system : Proved.system;
}

let intern (names : names) name =
  match Hashtbl.find_opt names name with
  | Some n -> number n
  | None ->
      let n = Hashtbl.length names in
      Hashtbl.add names name n;
      number n

(* The number of a name; one that nothing has if the system does not have it. *)
let named (names : names) name = number (match Hashtbl.find_opt names name with Some n -> n | None -> Hashtbl.length names)

let read_system (requests : names) value =
  let table () : names = Hashtbl.create 64 in
  let responses, locals, globals = (table (), table (), table ()) in
  let name names value = intern names (string value) in
  let initial = ref XH and starts = ref [] and answers = ref [] and steps = ref [] in
  let field (field, value) =
    match field with
    | "initial_global" -> initial := name globals value
    | "requests" -> starts := map (pair (name requests) (name locals)) value
    | "responses" -> answers := map (pair (name locals) (name responses)) value
    | "transitions" ->
        let step = function
          | Json.List [ l; g; l'; g' ] ->
              let l = name locals l in
              let g = name globals g in
              let l' = name locals l' in
              ((l, g), (l', name globals g'))
          | _ -> refuse "a transition has four names"
        in
        steps := map step value
    | _ -> ()
  in
  ignore (fields [ "initial_global"; "requests"; "responses"; "transitions" ] value);
  (* In the order of the text, as that numbers the names. *)
  (match value with Json.Object given -> List.iter field given | _ -> ());
  let system = { initial = !initial; starts = !starts; answers = !answers; steps = !steps } in
  { requests; responses; locals; globals; system }

(* One system, or the components of a program. Requests of all components are
   numbered together, so that it is checked that no two share one. *)
let read_systems value =
  let requests : names = Hashtbl.create 16 in
  match value with
  | Json.List l -> List.map (read_system requests) l
  | value -> [ read_system requests value ]

(* * Certificates *)

(* Entries of scripts; [Split] still without the number of the copy. *)
type entry = Split of positive | Entry of Proved.entry

(* What is left to know is the number of global states. *)
type part =
  | Script of entry list
  | Flow of entry list * (int -> flow option)
  | Invariant of entry list * (int -> invariant option)

type certificate =
  | Run of int * (system -> revent list)
  | Part of part
  | Components of part list

let states value = match fields [ "local"; "global" ] value with [ l; g ] -> (string l, string g) | _ -> assert false

(* The states before a step, and of an answer, are read and not compared: the
   replay has its own. *)
let read_event value =
  match kind_of value with
  | "spawn" -> (
      match fields [ "id"; "kind"; "request"; "local" ] value with
      | [ i; _; r; l ] ->
          let i, r, l = (number (counted i), string r, string l) in
          fun s -> RSpawn (i, named s.requests r, named s.locals l)
      | _ -> assert false)
  | "step" -> (
      match fields [ "id"; "kind"; "from"; "to" ] value with
      | [ i; _; from; target ] ->
          let i, _, (l, g) = (number (counted i), states from, states target) in
          fun s -> RStep (i, (named s.locals l, named s.globals g))
      | _ -> assert false)
  | "respond" -> (
      match fields [ "id"; "kind"; "local"; "response" ] value with
      | [ i; _; l; a ] ->
          let i, _, a = (number (counted i), string l, string a) in
          fun s -> RRespond (i, named s.responses a)
      | _ -> assert false)
  | kind -> refuse "there are no events of kind %S" kind

let read_completed value =
  match fields [ "request"; "response"; "count" ] value with
  | [ r; a; n ] -> ignore (string r, string a, counted n)
  | _ -> assert false

let read_witness = function
  | Json.List [ own; other; other_path; own_path ] ->
      { own_number = id own; other_number = id other; written_other = relation other_path; written_own = relation own_path }
  | _ -> refuse "a witness has two steps and two paths"

let read_mover value =
  match fields [ "points"; "witnesses" ] value with
  | [ points; witnesses ] ->
      let node value = let n, gs = pair id ids value in List.rev (List.rev_map (fun g -> (n, g)) gs) in
      (List.concat (map node points), map read_witness witnesses)
  | _ -> assert false

let read_quotient value =
  match fields [ "relation"; "classes" ] value with [ r; c ] -> (relation r, map ids c) | _ -> assert false

let read_entry value =
  match value with
  | Json.String "pairs" -> Entry EPairs
  | value -> (
      let name, value = named_field value in
      match name with
      | "split" -> Split (id value)
      | "fold" -> Entry (EFold (relation value))
      | "locals" -> let r, c = read_quotient value in Entry (ELocals (r, c))
      | "globals" -> let r, c = read_quotient value in Entry (EGlobals (r, c))
      | "dominated" -> (
          match fields [ "locals"; "globals"; "drops" ] value with
          | [ n; g; d ] -> let n, g = (relation n, relation g) in Entry (EDominated (n, g, relation d))
          | _ -> assert false)
      | "closure" -> (
          match fields [ "relation"; "points" ] value with
          | [ r; p ] -> let r = relation r in Entry (EClosure (r, relation p))
          | _ -> assert false)
      | "right" -> let p, w = read_mover value in Entry (ERight (p, w))
      | "left" -> let p, w = read_mover value in Entry (ELeft (p, w))
      | "track" -> raise (Uncovered "track")
      | name -> refuse "there is no rule %S" name)

(* A proof of one component, from the fields of its kind. *)
let read_part kind fields_of =
  match kind with
  | "atomic" -> (match fields_of [ "script" ] with [ script ] -> Script (map read_entry script) | _ -> assert false)
  | "flow" -> (
      match fields_of [ "script"; "phases"; "facts"; "tree" ] with
      | [ script; phases; facts; tree ] -> let script = map read_entry script in Flow (script, Counting.read_flow phases facts tree)
      | _ -> assert false)
  | "invariant" -> (
      match fields_of [ "script"; "clauses"; "kept"; "sets"; "ends" ] with
      | [ script; clauses; kept; sets; ends ] ->
          let script = map read_entry script in
          Invariant (script, Counting.read_invariant clauses kept sets ends)
      | _ -> assert false)
  | ("letters" | "same") as kind -> raise (Uncovered kind)
  | kind -> refuse "there are no proofs of kind %S" kind

let head = [ "format"; "version"; "input"; "kind"; "claim" ]

(* The fields of a kind, after those that all have. *)
let body claim names value =
  match fields (head @ names) value with
  | format :: version :: input :: _ :: claimed :: rest ->
      if string format <> "serval-certificate" then refuse "this is no certificate";
      if version <> Json.Number "1" then refuse "this is another version of the format";
      ignore (string input);
      if string claimed <> claim then refuse "a proof of this kind does not show that an input is %s" (string claimed);
      rest
  | _ -> assert false

let read_certificate value =
  match kind_of value with
  | "run" -> (
      match body "not-serializable" [ "component"; "steps"; "completed" ] value with
      | [ component; steps; completed ] ->
          List.iter read_completed (list completed);
          let events = map read_event steps in
          Run (natural component, fun s -> List.rev (List.rev_map (fun event -> event s) events))
      | _ -> assert false)
  | "components" -> (
      let part value =
        let kind = kind_of value in
        read_part kind (fun names -> List.tl (fields ("kind" :: names) value))
      in
      match body "serializable" [ "parts" ] value with [ parts ] -> Components (map part parts) | _ -> assert false)
  | ("fault" | "reduction") as kind -> raise (Uncovered kind)
  | kind -> Part (read_part kind (fun names -> body "serializable" names value))
