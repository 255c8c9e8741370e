(* Certificates as the proved checker takes them, and its answers. *)

open Proved
open Input

(* Copies get the next number. *)
let entries table script =
  let next = ref (List.length table) in
  let entry = function
    | Split l -> incr next; ESplit (l, positive !next)
    | Entry e -> e
  in
  List.map entry script

let ( !* ) = Lazy.force
let rec nat n = if n = 0 then O else S (nat (n - 1))

(* How many global states a script leaves: there are others where requests are counted. *)
let globals_after s table script =
  let globals = Hashtbl.length s.globals in
  if not (List.exists (function Entry (ETrack _) -> true | _ -> false) script) then globals
  else
    let step (globals, r) entry =
      let globals = match entry with ETrack (groups, most) -> List.length (fst (Hints.counted_states r.now groups most)) | _ -> globals in
      match apply Hints.all.pairs_hint Hints.all.count_hint r entry with Some r -> (globals, r) | None -> raise Unfit
    in
    match normal s.system table with
    | Some now -> fst (List.fold_left step (globals, { now; meeting = None }) (entries table script))
    | None -> raise Unfit

(* A proof as the checker takes it, and the theorem that shows what it shows. *)
let part_of systems s part =
  let table = Hints.node_table s.system in
  let script, globals, proof = part (globals_after s table) in
  let nodes = List.length table + List.length (List.filter (function Split _ -> true | Entry _ -> false) script) in
  let script = entries table script and up n = List.init n number in
  match proof with
  | Steps -> (Atomic (table, script), "check_atomic_sound")
  | Flow p -> (Counting (table, script, up nodes, up !*globals, number !*globals, p), "check_flow_sound")
  | Invariant p -> (Holding (table, script, up nodes, number nodes, p), "check_invariant_sound")
  | Letters p -> (Answering (table, script, up nodes, up !*globals, number !*globals, p), "check_letters_sound")
  | Same (k, gs, ns) ->
      let earlier = match List.nth_opt systems k with Some s -> s | None -> raise Unfit in
      let table' = Hints.node_table earlier.system and globals = !*globals in
      let onto n images = fit (List.sort compare (List.rev_map int_of images) = List.init n succ) in
      onto globals gs; onto (Hashtbl.length earlier.globals) gs; onto nodes ns; onto (List.length table') ns;
      let map pairs = List.fold_left (fun m (x, y) -> PM.add x y m) PM.empty pairs and n = up nodes and g = up globals in
      let names = { of_nodes = map (List.combine n ns); of_globals = map (List.combine g gs) } in
      let back = { of_nodes = map (List.combine ns n); of_globals = map (List.combine gs g) } in
      (SameAs (nat k, table, table', names, back), "same_systems_sound")

(* What the certificate is to the checker, the verdict, and the theorem that shows it. *)
let prepare systems = function
  | Run (component, events) -> (
      match List.nth_opt systems component with
      | Some s -> Some (Refutation (nat component, Hints.serial_globals s.system, events s), "not-serializable", "check_run_sound")
      | None -> None)
  | Part part -> (
      match systems with
      | [ s ] -> let part, theorem = part_of systems s part in Some (Parts [ part ], "serializable", theorem)
      | _ -> None)
  | Components parts ->
      if List.compare_lengths systems parts <> 0 then None
      else Some (Parts (List.map2 (fun s part -> fst (part_of systems s part)) systems parts), "serializable", "check_components_sound")

(* The theorem with a verdict, or what is said of a net. *)
type answer = Valid of string * string | Answered of string * bool | Invalid | Uncovered of string | Unusable of string

let check_certificate systems value =
  match let certificate = read_certificate value in Word.proof systems value; prepare systems certificate with
  | exception Unfit -> Invalid
  | Some (certificate, verdict, theorem) when check Hints.all (List.map (fun s -> s.system) systems) certificate -> Valid (verdict, theorem)
  | _ -> Invalid

let read file =
  let channel = open_in_bin file in
  Fun.protect ~finally:(fun () -> close_in channel) (fun () -> really_input_string channel (in_channel_length channel))

exception Unreadable of string

let parsed file of_text =
  try of_text (read file) with
  | Sys_error message -> raise (Unreadable message)
  | Json.Error message | Refused message -> raise (Unreadable (file ^ ": " ^ message))

let check_answer net value =
  match let (_, certificate) as read = Evidence.read_net_certificate net value in Word.net net.Petri.net certificate.asked value; read with
  | exception Unfit -> Invalid
  | question, certificate ->
      if check_net Above.hints net.Petri.net certificate then Answered (question, certificate.claimed) else Invalid

(* What [serval export --to core --with-map] says of a program; SERVAL names the binary. Proofs on the text are there for programs
   with many states, too: of these the map is not waited for. *)
let limit_of value = match kind_of value with "reduction" -> [ "--max-states"; "200000" ] | _ | (exception Refused _) -> []
let exported file limit =
  let serval = Option.value (Sys.getenv_opt "SERVAL") ~default:"serval" in
  let channel = Unix.open_process_in (Filename.quote_command serval ([ "export"; "--to"; "core"; "--with-map" ] @ limit @ [ "--"; file ])) in
  let text = Buffer.create 65536 in
  (try while true do Buffer.add_channel text channel 1 done with End_of_file -> ());
  match Unix.close_process_in channel with
  | Unix.WEXITED 0 -> Buffer.contents text
  | _ | (exception Unix.Unix_error _) -> raise (Unreadable (Printf.sprintf "%s export %s --to core --with-map does not work" serval file))

let program_of (export : Mapped.export) =
  let program, (_, _, names) = Core.read_program export.shared_names (List.map (fun b -> b.Mapped.own_names) export.bodies) export.core in
  (program, names)

let check_about_program (export : Mapped.export) (program, names) value =
  let checked certificate verdict = if check_program Mapped.fuel Hints.all program certificate then Valid (verdict, "program_sound") else Invalid in
  let through certificate verdict =
    match Mapped.hint export program names with
    | exception (Unfit | Failure _ | Invalid_argument _ | Not_found) -> Invalid
    | map -> checked (Through (map, List.map (fun s -> s.system) export.systems, certificate)) verdict
  in
  match kind_of value with
  | exception Unfit -> Invalid
  | "reduction" when export.map = None && Reduced.is_for_a_lifetime value -> raise (Uncovered "reduction with integers that leave 64 bits in no run of a lifetime")
  | kind when kind <> "fault" && export.map = None -> raise (Uncovered (kind ^ " of a program whose states are too many to be listed"))
  | "reduction" -> (
      not_about_time value;
      match Reduced.agrees export (Reduced.read value) with
      | exception Unfit -> Invalid
      | () -> (
          (* That no commits are found does not say that a proof on the text is wrong. *)
          match Reduced.proof export with
          | exception (Unfit | Failure _ | Invalid_argument _ | Not_found) -> raise (Uncovered "reduction")
          | proof -> through proof "serializable"))
  | "fault" -> (match Failing.found export program (Failing.read_run value) with
      | exception Unfit -> Invalid
      | events, place -> checked (Failing (events, place)) "can fail")
  | _ -> (
      match let certificate = read_certificate value in Word.proof export.systems value; prepare export.systems certificate with
      | exception Unfit -> Invalid
      | None -> Invalid
      | Some (certificate, verdict, _) -> through certificate verdict)

let answer system certificate =
  try
    let value = parsed certificate Json.parse in
    if Filename.check_suffix system ".ser" then
      let export = try Mapped.read_export (Json.parse (exported system (limit_of value))) with Json.Error message | Refused message -> raise (Unreadable (system ^ ": " ^ message)) in
      let program = parsed system (fun _ -> program_of export) in
      parsed certificate (fun _ -> check_about_program export program value)
    else if Evidence.is_about_nets value then
      let net = parsed system Petri.read_net in
      parsed certificate (fun _ -> check_answer net value)
    else
      let systems = parsed system (fun text -> read_systems [] (Json.parse text)) in
      parsed certificate (fun _ -> check_certificate systems value)
  with
  | Unreadable message -> Unusable message
  | Reading.Uncovered what -> Uncovered what
  | Stack_overflow | Out_of_memory -> Unusable "the input is too large"

(* The status with which a program ends, and what it says. *)
let told system certificate = function
  | Valid (verdict, theorem) ->
      (0, Printf.sprintf "%s: valid: %s %s%s (by %s)" certificate system (if verdict = "can fail" then "" else "is ") verdict theorem)
  | Answered (question, claimed) ->
      (0, Printf.sprintf "%s: valid: %s %s of %s (by check_net_sound)" certificate question (if claimed then "holds" else "does not hold") system)
  | Invalid -> (1, certificate ^ ": invalid")
  | Uncovered what -> (2, "serval-verify-proved: not covered yet: " ^ what)
  | Unusable message -> (2, "serval-verify-proved: " ^ message)
