(* A certificate is true to its word: what it says beside its proof is so. No theorem needs this; what is not so is refused. *)

open Reading

let get name value = match field name value with Some found -> found | None -> raise Unfit
let text name value = string (get name value)

(* Numbers of requests are new, events say where they begin, and the answers are those that are listed. *)
let run (systems : Input.system list) value =
  let s = match List.nth_opt systems (natural (get "component" value)) with Some s -> s | None -> raise Unfit in
  let global = ref s.Input.system.Proved.initial and flight = Hashtbl.create 64 and used = Hashtbl.create 64 and counts = Hashtbl.create 64 in
  let count answer n = Hashtbl.replace counts answer (n + Option.value (Hashtbl.find_opt counts answer) ~default:0) in
  let event e =
    let i = natural (get "id" e) in
    let at_local named = match Hashtbl.find_opt flight i with Some (request, local) -> fit (local = text "local" named); request | None -> raise Unfit in
    match text "kind" e with
    | "spawn" -> fit (not (Hashtbl.mem used i)); Hashtbl.add used i (); Hashtbl.replace flight i (text "request" e, text "local" e)
    | "step" ->
        let from = get "from" e and next = get "to" e in
        let request = at_local from in
        fit (Input.named s.Input.globals (text "global" from) = !global);
        global := Input.named s.Input.globals (text "global" next);
        Hashtbl.replace flight i (request, text "local" next)
    | _ -> let request = at_local e in Hashtbl.remove flight i; count (request, text "response" e) 1
  in
  List.iter event (list (get "steps" value));
  List.iter (fun one -> count (text "request" one, text "response" one) (- natural (get "count" one))) (list (get "completed" value));
  Hashtbl.iter (fun _ n -> fit (n = 0)) counts

(* Nothing is in two classes of an entry of a script. *)
let script value =
  let entry = function
    | Json.Object [ (("locals" | "globals"), quotient) ] ->
        let members = List.concat_map (map natural) (list (get "classes" quotient)) in
        fit (List.compare_lengths members (List.sort_uniq compare members) = 0)
    | _ -> ()
  in
  match field "script" value with Some entries -> List.iter entry (list entries) | None -> ()

let proof systems value =
  match field "kind" value, field "parts" value with
  | Some (Json.String "run"), _ -> run systems value
  | _, Some parts -> List.iter script (list parts)
  | _ -> script value

(* Sets and sums are about places of the net, in order; markings are about all; those that are listed ascend; trees are about clauses
   and transitions that there are. *)
let rec evidence (net : Proved.net) (kind, value) =
  let places = List.length net.Proved.places in
  let of_net numbers = fit (rising Fun.id numbers && List.for_all (fun p -> p < places) numbers) in
  let sparse marking = of_net (map (function Json.List (p :: _) -> natural p | _ -> raise Unfit) marking) in
  let each name check value = match field name value with Some found -> List.iter check (list found) | None -> () in
  let weights value = match field "weights" value with Some sums -> each "sums" sparse sums | None -> () in
  let set numbers = of_net (map natural numbers) in
  let equation value = each "traps" set value; each "unfed" set value; weights value in
  let whole row = fit (List.length (list row) = places) in
  let ascending rows = fit (rising (List.map (function Json.Number n -> (String.length n, n) | _ -> raise Unfit)) (map list rows)) in
  let trees value =
    let clauses = List.length (list (get "clauses" value)) and transitions = List.length net.Proved.transitions in
    each "steps" (function Json.List [ clause; t; _ ] -> fit (natural clause < clauses && natural t < transitions) | _ -> raise Unfit) value
  in
  match kind with
  | "weights" -> each "sums" sparse value
  | "dead" -> set (get "places" value)
  | "states" | "stubborn" | "homes" -> each "markings" whole value; ascending (get "markings" value)
  | "cover" -> each "markings" whole value
  | "equation" -> equation value
  | "basis" ->
      each "markings" sparse value;
      weights value;
      each "excluded" (fun never -> sparse (get "marking" never); equation (get "equation" never)) value
  | "inductive" -> trees (get "invariant" value)
  | "separator" -> trees value
  | "lost" -> evidence net (named_field (get "evidence" value))
  | _ -> ()

(* Evidence about bounds has the goal 0, and what is home to all goals, too; what is lost is one of them. *)
let net (n : Proved.net) asked value =
  let about one =
    let goal = natural (get "goal" one) and (kind, _) as found = named_field (get "evidence" one) in
    evidence n found;
    match asked, kind with
    | (Proved.Bounded _ | Proved.NoLargest _), _ | (Proved.Live | Proved.Reversible), "homes" -> fit (goal = 0)
    | _ -> ()
  in
  List.iter about (list (get "evidence" value));
  match asked with
  | Proved.Bounded _ | Proved.NoLargest _ | Proved.Live | Proved.Reversible -> fit (not (given "runs" value))
  | _ -> ()
