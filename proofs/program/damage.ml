(* Makes material for the comparison with the other checker, the same for the
   same seed:

     damage certificate FILE SEED      a damaged copy of a certificate
     damage answers DIRECTORY          a damaged copy for each line SYSTEM FILE SEED that is read, in the directory by
                                       number, and what the proved checker says: its status, and its words
     damage system SEED                a random network system *)

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

let () =
  let written value = let out = Buffer.create 4096 in write out value; Buffer.contents out in
  let seed s = state := int_of_string s + 1; for _ = 1 to 8 do ignore (random 2) done in
  match Array.to_list Sys.argv with
  | [ _; "certificate"; file; s ] -> seed s; print_string (written (damage (Json.parse (Checker.read file))))
  | [ _; "system"; s ] -> seed s; print_string (written (system ()))
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
  | _ -> prerr_endline "usage: damage certificate FILE SEED | damage answers DIRECTORY | damage system SEED"; exit 2
