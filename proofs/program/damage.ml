(* Makes material for the comparison with the other checker, the same for the
   same seed:

     damage certificate FILE SEED      a damaged copy of a certificate
     damage answers DIRECTORY          a damaged copy for each line SYSTEM FILE SEED that is read, in the directory by
                                       number, and what the proved checker says: its status, and its words
     damage system SEED                a random network system
     damage net SEED                   a random net
     damage question SEED              a question about such a net
     damage why EXPORT                 what in a map the proved checker does not accept
     damage agree FILE                 compares the answers of programs with those in a file of `measure core-answers`
     damage programs COUNT FILE…       for each EXPORT:CERTIFICATE, with what `serval export --to core --with-map` writes: so many
                                       programs with one changed statement, and damaged maps; what is accepted must be true *)

let state = ref 0

(* Numbers below [n], and 0 if there are none. *)
let random n =
  state := ((!state * 25214903917) + 11) land 0xFFFFFFFFFFFF;
  (!state lsr 16) mod max 1 n

let rec write out = function
  | Json.Null -> Buffer.add_string out "null"
  | Bool b -> Buffer.add_string out (string_of_bool b)
  | Number n -> Buffer.add_string out n
  | String s ->
      Buffer.add_char out '"';
      String.iter (fun c ->
        if c = '"' || c = '\\' then (Buffer.add_char out '\\'; Buffer.add_char out c)
        else if c < ' ' then Buffer.add_string out (Printf.sprintf "\\u%04x" (Char.code c))
        else Buffer.add_char out c) s;
      Buffer.add_char out '"'
  | List l -> between out '[' ']' (write out) l
  | Object l -> between out '{' '}' (fun (name, value) -> write out (Json.String name); Buffer.add_char out ':'; write out value) l

and between : 'a. _ -> _ -> _ -> ('a -> unit) -> 'a list -> unit = fun out opening close element l ->
  Buffer.add_char out opening;
  List.iteri (fun i x -> if i > 0 then Buffer.add_char out ','; element x) l;
  Buffer.add_char out close

(* Fields of which a change would make something else of the certificate. *)
let kept = [ "format"; "version"; "input"; "kind"; "claim"; "net"; "property" ]

(* How many places there are, and all strings. *)
let rec places kept found = function
  | Json.List l -> List.fold_left (places kept) (found + 1) l
  | Object l -> List.fold_left (fun found (name, value) -> if List.mem name kept then found else places kept found value) found l
  | _ -> found + 1

let rec strings found = function
  | Json.List l -> List.fold_left strings found l
  | Object l -> List.fold_left (fun found (_, value) -> strings found value) found l
  | String s -> s :: found
  | _ -> found

let damaged names = function
  | Json.Number n when String.length n < 10 ->
      let n = int_of_string n in
      Json.Number (string_of_int (match random 4 with 0 -> n + 1 | 1 -> if n = 0 then 0 else n - 1 | 2 -> random (abs n + 3) | _ -> 0))
  | String s -> String (List.nth names (random (List.length names)))
  | List [] -> List [ Number "0" ]
  | List l -> (
      let n = List.length l in
      let at = random n in
      match random 4 with
      | 0 -> List (List.filteri (fun i _ -> i <> at) l)
      | 1 -> let other = random n in List (List.mapi (fun i x -> if i = at then List.nth l other else if i = other then List.nth l at else x) l)
      | 2 -> List (List.nth l at :: l)
      | _ -> List (List.filteri (fun i _ -> i < at) l))
  | value -> value

(* One place is damaged that is not in the fields that are kept. *)
let damage_beside kept value =
  let names = strings [] value in
  let target = ref (random (places kept 0 value)) in
  let rec go value =
    let here = (match value with Json.Object _ -> false | _ -> decr target; !target = -1) in
    if here then damaged names value
    else match value with
      | Json.List l -> Json.List (List.map go l)
      | Object l -> Object (List.map (fun (name, value) -> (name, if List.mem name kept then value else go value)) l)
      | value -> value
  in
  go value

(* In a proof over letters, one more fact, about requests that answer letters of some classes exactly so many times: such facts
   are seldom needed. The clauses behind those of facts get other numbers. *)
let followed value =
  let list = function Json.List l -> l | _ -> [] in
  let field name = match value with Json.Object l when List.mem_assoc name l -> list (List.assoc name l) | _ -> [] in
  let left = ref (field "classes") in
  let some n =
    let take _ =
      let at = random (List.length !left) in
      let taken = List.filteri (fun i _ -> i = at) !left in
      left := List.filteri (fun i _ -> i <> at) !left;
      List.concat_map list taken
    in
    let number = function Json.Number n -> int_of_string n | _ -> 0 in
    Json.List (List.sort (fun a b -> compare (number a) (number b)) (List.concat (List.init n take)))
  in
  let set _ = let letters = some 1 in Json.Object [ ("letters", letters); ("times", Number (string_of_int (random 4))) ] in
  let sets = List.init (1 + random 2) set in
  let never = some (random 3) in
  let absence = Json.Object [ ("outside", some (random 4)); ("exactly", List sets); ("never", never) ] in
  let known = field "known" @ [ Json.Object [ ((if random 2 = 0 then "reach" else "pairs"), absence) ] ] in
  let first = if random 2 = 0 then List.length known - 1 else random (List.length known) in
  let moved = function
    | Json.List [ Json.Number "0"; Json.Number n ] when int_of_string n >= first -> Json.List [ Number "0"; Number (string_of_int (int_of_string n + 1)) ]
    | node -> node
  in
  let changed = function "known", _ -> ("known", Json.List known) | "tree", tree -> ("tree", Json.List (List.map moved (list tree))) | other -> other in
  match value with Json.Object l -> Json.Object (List.map changed l) | value -> value

(* Groups have few numbers beside their levels, regions and trees: those alone are damaged as well, sometimes twice. *)
let parted value =
  let beside = damage_beside (kept @ [ "script"; "known"; "levels"; "classes"; "regions"; "tree" ]) in
  if random 3 = 0 then beside (beside value) else beside value

let damage value =
  match value with
  | Json.Object l when List.assoc_opt "kind" l = Some (Json.String "letters") && random 3 = 0 ->
      if List.mem_assoc "groups" l then parted value else followed value
  | value -> damage_beside kept value

(* A few requests, each with a few local states of its own. *)
let system () =
  let globals = 1 + random 3 and requests = 1 + random 2 and locals = 1 + random 3 and steps = 2 + random 7 in
  let name letter n = Json.String (Printf.sprintf "%s%d" letter n) in
  let request r = Printf.sprintf "r%d.l" r in
  let many n f = List.init n (fun i -> f i) in
  let step r _ =
    Json.List [ name (request r) (random locals); name "g" (random globals); name (request r) (random (locals + 2)); name "g" (random globals) ] in
  Json.Object [
    ("initial_global", name "g" 0);
    ("requests", List (many requests (fun r -> Json.List [ name "r" r; name (request r) 0 ])));
    ("responses", List (List.concat (many requests (fun r -> many 2 (fun a -> Json.List [ name (request r) (locals + a); name "a" a ])))));
    ("transitions", List (List.concat (many requests (fun r -> many steps (step r))))) ]

(* Few places with odd names; a transition moves few tokens, sometimes more than one. *)
let names = [| "p"; "q1"; "a b"; "x'\\{" |]
let quoted name = String.concat "" [ "\""; String.concat "\\\\" (String.split_on_char '\\' name); "\"" ]

let net () =
  let escaped name = String.concat "" (List.map (fun c -> match c with '{' | '}' | '\\' -> Printf.sprintf "\\%c" c | c -> String.make 1 c) (List.of_seq (String.to_seq name))) in
  let arcs () =
    let some = List.filter (fun _ -> random 3 = 0) (Array.to_list names) in
    String.concat "" (List.map (fun name -> Printf.sprintf " {%s}%s" (escaped name) (if random 4 = 0 then "*2" else "")) some)
  in
  let place name = Printf.sprintf "pl {%s} (%d)\n" (escaped name) (random 3) in
  let transition n = let inputs = arcs () in Printf.sprintf "tr t%d%s ->%s\n" n inputs (arcs ()) in
  String.concat "" (("net {}\n" :: List.map place (Array.to_list names)) @ List.init (1 + random 4) transition)

let question () =
  let place () = let name = names.(random 4) in if name = "p" || (name = "q1" && random 2 = 0) then name else quoted name in
  let rec sum depth =
    match random (if depth = 0 then 2 else 7) with
    | 0 -> string_of_int (random 4)
    | 1 -> place ()
    | 2 -> Printf.sprintf "%d * %s" (random 4) (place ())
    | 3 -> Printf.sprintf "%s + %s" (sum 0) (sum (depth - 1))
    | 4 -> Printf.sprintf "%s - %s" (sum (depth - 1)) (sum 0)
    | 5 -> Printf.sprintf "-%s*2 - 1" (place ())
    | _ -> Printf.sprintf "(%s) * %d" (sum (depth - 1)) (random 3)
  in
  let rec formula depth =
    let inner () = formula (depth - 1) in
    match random (if depth = 0 then 3 else 9) with
    | 0 | 1 -> Printf.sprintf "%s %s %s" (sum 2) [| "="; "!="; "<="; ">="; "<"; ">" |].(random 6) (sum 1)
    | 2 -> [| "deadlock"; "fireable(t0)"; "fireable(t0, t0)"; "true"; "false" |].(random 5)
    | 3 -> Printf.sprintf "%s or %s" (inner ()) (inner ())
    | 4 -> Printf.sprintf "%s and %s and %s" (inner ()) (inner ()) (inner ())
    | 5 -> Printf.sprintf "not %s" (if random 2 = 0 then Printf.sprintf "(%s)" (inner ()) else formula 0)
    | 6 -> Printf.sprintf "(%s) -> %s" (inner ()) (inner ())
    | 7 -> Printf.sprintf "(%s) or (%s and not (%s))" (inner ()) (inner ()) (inner ())
    | _ -> Printf.sprintf "not not (%s)" (inner ())
  in
  match random 8 with
  | 0 -> Printf.sprintf "bounded:%s + 2*%s" (place ()) (place ())
  | 1 -> Printf.sprintf "bound:%s + %s = %s" (place ()) (place ()) [| "1"; "2"; "3"; "ω" |].(random 4)
  | 2 -> Printf.sprintf "reaches:p = %d, %s = %d%s" (random 3) (quoted names.(2)) (random 3) [| ""; ", *" |].(random 2)
  | 3 -> Printf.sprintf "coverable:q1 = %d, %s = %d" (random 3) (quoted names.(3)) (random 3)
  | 4 | 5 -> "invariant:" ^ formula 2
  | _ -> "reachable: " ^ formula 2

(* * Programs with one change *)

(* Changed programs and damaged maps in turn, with what is accepted of them; an accepted claim that is false ends it all. *)
let programs count files =
  let said = Hashtbl.create 16 in
  let tell what = Hashtbl.replace said what (1 + Option.value (Hashtbl.find_opt said what) ~default:0) in
  let files = Array.of_list (List.map (fun file -> match String.index_opt file ':' with
    | Some at -> (String.sub file 0 at, String.sub file (at + 1) (String.length file - at - 1))
    | None -> failwith "a file is EXPORT:CERTIFICATE") files) in
  for n = 0 to count - 1 do
    state := n + 1;
    for _ = 1 to 8 do ignore (random 2) done;
    let file, certificate = files.(n mod Array.length files) in
    let value = Json.parse (Checker.read certificate) and written = Json.parse (Checker.read file) in
    let export = Mapped.read_export written in
    let program, names = Checker.program_of export in
    let what, program, export =
      if n land 7 < 6 then
        let all = Changed.changes program in
        ("changed", (if all = [||] then program else all.(random (Array.length all))), Some export)
      else
        let only_map = function "map", map -> ("map", damage_beside [ "names" ] map) | other -> other in
        let damaged = match written with Json.Object l -> Json.Object (List.map only_map l) | other -> other in
        ("map", program, (try Some (Mapped.read_export damaged) with Reading.Refused _ | Invalid_argument _ -> None))
    in
    match Option.map (fun export -> Checker.check_about_program export (program, names) value) export with
    | exception (Reading.Uncovered _ | Reading.Refused _ | Invalid_argument _ | Failure _ | Not_found) -> tell (what ^ " refused")
    | Some (Checker.Valid (verdict, _)) ->
        let how = Changed.holds program verdict in
        tell (Printf.sprintf "%s accepted, %s" what how);
        if how = "false" then (Printf.printf "%s %s number %d: %s is false\n" file certificate n verdict; exit 1)
    | _ -> tell (what ^ " refused")
  done;
  List.iter (fun (what, n) -> Printf.printf "%d %s\n" n what) (List.sort compare (Hashtbl.fold (fun what n l -> (what, n) :: l) said []))

let () =
  let written value = let out = Buffer.create 4096 in write out value; Buffer.contents out in
  let seed s = state := int_of_string s + 1; for _ = 1 to 8 do ignore (random 2) done in
  match Array.to_list Sys.argv with
  | [ _; "certificate"; file; s ] -> seed s; print_string (written (damage (Json.parse (Checker.read file))))
  | [ _; "net"; s ] -> seed s; print_string (net ())
  | [ _; "question"; s ] -> seed s; print_string (question ())
  | [ _; "system"; s ] -> seed s; print_string (written (system ()))
  | [ _; "why"; file ] ->
      let export = Mapped.read_export (Json.parse (Checker.read file)) in
      let program, names = Checker.program_of export in
      print_endline (match Mapped.hint export program names with
        | exception (Reading.Unfit | Failure _ | Invalid_argument _ | Not_found) -> "no map"
        | map -> Changed.why program (List.map (fun s -> s.Input.system) export.systems) map)
  | [ _; "agree"; file ] ->
      let count, failing, large, wrong = Answers.compare_all (Checker.read file) in
      Printf.printf "%d programs, %d can fail, %d too large, %d differ\n" count failing large (List.length wrong);
      List.iteri (fun n (title, said) -> if n < 3 then Printf.printf "%s\n%s" title said) wrong;
      if wrong <> [] then exit 1
  | _ :: "programs" :: count :: (_ :: _ as files) -> programs (int_of_string count) files
  | [ _; "answers"; directory ] ->
      let rec go n =
        match String.split_on_char ' ' (input_line stdin) with
        | exception End_of_file -> ()
        | [ system; file; s ] ->
            let copy = Filename.concat directory (string_of_int n ^ ".json") in
            let channel = open_out_bin copy in
            seed s;
            output_string channel (written (damage (Json.parse (Checker.read file))));
            close_out channel;
            let status, words = Checker.told system copy (Checker.answer system copy) in
            Printf.printf "%d %s\n" status (String.escaped words);
            go (n + 1)
        | _ -> failwith "a line has a system, a certificate and a seed"
      in
      go 0
  | _ -> prerr_endline "usage: damage certificate FILE SEED | damage answers DIRECTORY | damage (system|net|question) SEED | damage agree FILE | damage programs COUNT EXPORT:CERTIFICATE…"; exit 2
