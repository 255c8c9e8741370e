(* A run to a step that fails: which choices are made is found out here, and checked. *)

open Proved
open Reading

type event = Spawned of int * string | Stepped of int | Answered_by of int

(* What of a certificate says who does something; the states that it names are not needed. *)
let read_event value =
  match value with
  | Json.Object fields ->
      let field name = match List.assoc_opt name fields with Some value -> value | None -> refuse "field %S is missing" name in
      let id = natural (field "id") in
      (match string (field "kind") with
      | "spawn" -> Spawned (id, string (field "request"))
      | "step" -> Stepped id
      | "respond" -> Answered_by id
      | kind -> refuse "there are no events of kind %S" kind)
  | _ -> refuse "an object was expected"

let read_run = function
  | Json.Object fields when List.mem_assoc "steps" fields && List.mem_assoc "fails" fields -> (
      let events = map read_event (List.assoc "steps" fields) in
      match List.assoc "fails" fields with
      | Json.Object last when List.mem_assoc "id" last -> (events, natural (List.assoc "id" last))
      | _ -> refuse "an object was expected")
  | _ -> refuse "a run and a step that fails were expected"

(* Configurations that are followed side by side, at most. *)
let most = 10_000

let numbered l = List.mapi (fun n x -> (n, x)) l

(* The place of a request in flight. *)
let place_of id flight = List.find_map (fun (n, (i, _)) -> if i = id then Some n else None) (numbered flight)

(* The events as they are checked, and the place of the request whose step fails. *)
let found (export : Mapped.export) (program : program) (events, last) =
  let requests = numbered program.requests0 in
  let written n = (List.nth export.bodies n).Mapped.written_name in
  let with_local n local flight = List.mapi (fun i (id, l) -> if i = n then (id, local) else (id, l)) flight in
  let after event (g, flight, done_) =
    match event with
    | Spawned (id, name) ->
        let one (n, (q : request)) =
          if written n <> name || q.parameters <> [] then None
          else
            let local = Running (q.body, List.init (Mapped.size q.others3) (fun _ -> Z0)) in
            Some (g, (id, local) :: flight, Comes (Mapped.nat n, []) :: done_)
        in
        List.filter_map one requests
    | Answered_by id -> (
        match place_of id flight with
        | Some n -> (
            match List.nth flight n with
            | _, Finished _ -> [ (g, List.filter (fun (i, _) -> i <> id) flight, Answers0 (Mapped.nat n) :: done_) ]
            | _ -> [])
        | None -> [])
    | Stepped id -> (
        match place_of id flight with
        | None -> []
        | Some n -> (
            match outcomes Mapped.fuel (snd (List.nth flight n)) g with
            | Some (ways, _) -> List.mapi (fun way (l, g') -> (g', with_local n l flight, Goes (Mapped.nat n, Mapped.nat way) :: done_)) ways
            | None -> []))
  in
  let different configurations =
    let seen = Hashtbl.create 64 in
    let is_new (g, flight, _) = let key = (g, flight) in (not (Hashtbl.mem seen key)) && (Hashtbl.add seen key (); true) in
    List.filteri (fun n _ -> n < most) (List.filter is_new configurations)
  in
  let all = List.fold_left (fun all event -> different (List.concat_map (after event) all)) [ (program.globals0, [], []) ] events in
  let fails (g, flight, done_) =
    match place_of last flight with
    | Some n -> (match outcomes Mapped.fuel (snd (List.nth flight n)) g with Some (_, true) -> Some (List.rev done_, Mapped.nat n) | _ -> None)
    | None -> None
  in
  match List.find_map fails all with Some found -> found | None -> raise Unfit
