(* serval-verify-proved [--json] SYSTEM|NET|PROGRAM.ser CERTIFICATE *)

open Checker

let usage = "usage: serval-verify-proved [--json] SYSTEM|NET|PROGRAM.ser CERTIFICATE"

(* A text as JSON, and without what a terminal could take for a command. *)
let quoted s =
  let out = Buffer.create (String.length s + 2) in
  Buffer.add_char out '"';
  String.iter (fun c ->
    if c = '"' || c = '\\' then (Buffer.add_char out '\\'; Buffer.add_char out c)
    else if c < ' ' || c = '\127' then Buffer.add_string out (Printf.sprintf "\\u%04x" (Char.code c))
    else Buffer.add_char out c) s;
  Buffer.add_char out '"';
  Buffer.contents out

let shown s = let q = quoted s in String.sub q 1 (String.length q - 2)

let fields = function
  | Valid (verdict, theorem) -> ("valid", [ ("verdict", verdict); ("theorem", theorem) ])
  | Answered (question, claimed) -> ("valid", [ ("property", question); ("verdict", if claimed then "holds" else "does-not-hold"); ("theorem", "check_net_sound") ])
  | Invalid -> ("invalid", [])
  | Uncovered what -> ("not-covered", [ ("kind", what) ])
  | Unusable message -> ("unusable", [ ("message", message) ])

let () =
  (* What is looked at is small: collecting less often takes less time. *)
  Gc.set { (Gc.get ()) with minor_heap_size = 1 lsl 20; space_overhead = 400 };
  let json, files = List.partition (( = ) "--json") (List.tl (Array.to_list Sys.argv)) in
  match files with
  | [ system; certificate ] ->
      let answer = answer system certificate in
      let status, message = told system certificate answer in
      if json <> [] then
        let word, fields = fields answer in
        let field (name, value) = Printf.sprintf ",%s:%s" (quoted name) (quoted value) in
        Printf.printf "{\"result\":%s%s}\n" (quoted word) (String.concat "" (List.map field fields))
      else (if status = 2 then prerr_endline else print_endline) (shown message);
      exit status
  | _ ->
      prerr_endline usage;
      exit 2
