(* The text of a program in the core language, as a tree. This need not be right: [Core] compares. *)

open Proved
open Reading

(* Names and words, numbers, signs. *)
let rec lexed text at found =
  if at >= String.length text then List.rev found
  else match text.[at] with
    | ' ' | '\n' -> lexed text (at + 1) found
    | c when Petri.is_bare c -> let word = Petri.span text at Petri.is_bare in lexed text (at + String.length word) (word :: found)
    | c ->
        let two = String.sub text at (min 2 (String.length text - at)) in
        let sign = if List.mem two [ ":="; "&&"; "||"; "=="; "!="; "<="; ">="; ".." ] then two else String.make 1 c in
        lexed text (at + String.length sign) (sign :: found)

let operators =
  [ ("+", Add); ("-", Subtract); ("*", Multiply); ("/", Divide); ("%", Remainder); ("==", Equal); ("!=", NotEqual); ("<", Less0); ("<=", LessOrEqual);
    (">", Greater0); (">=", GreaterOrEqual) ]

let rec nat n = if n = 0 then O else S (nat (n - 1))
let is_number word = word.[0] >= '0' && word.[0] <= '9'

(* Whether a variable is global, as its first letter says. *)
let is_global name =
  let is_letter c = Char.lowercase_ascii c <> Char.uppercase_ascii c in
  match List.find_opt is_letter (List.of_seq (String.to_seq name)) with Some c -> c < 'a' | None -> false

(* The number of a name, which is added if it is new. *)
let numbered names name =
  let rec go n = function known :: rest -> if known = name then n else go (n + 1) rest | [] -> names := !names @ [ name ]; n in
  go 0 !names

(* A program with its names; the numbers of variables are those of the lists, which may be empty. *)
let read_tree globals locals text =
  let left = ref (lexed text 0 []) in
  let takes word = match !left with w :: rest when w = word -> left := rest; true | _ -> false in
  let expect word = if not (takes word) then refuse "%S was expected" word in
  let next () = match !left with [] -> refuse "the text ends too soon" | word :: rest -> left := rest; word in
  let global_names = ref globals and own = ref [] and request_names = ref [] and beginning = Hashtbl.create 16 in
  let variable name = if is_global name then Global (nat (numbered global_names name)) else Local (nat (numbered own name)) in
  let number () = integer (Json.Number (if takes "-" then "-" ^ next () else next ())) in
  let rec sequence () = let first = item () in if takes ";" then Seq (first, sequence ()) else first
  and item () =
    match !left with
    | "return" :: rest -> left := rest; Return (operand ())
    | name :: ":=" :: rest -> left := rest; let x = variable name in Assign (x, item ())
    | _ -> chain (operand ())
  and chain first =
    match !left with
    | "&&" :: rest -> left := rest; And (first, chain (operand ()))
    | "||" :: rest -> left := rest; Or (first, chain (operand ()))
    | sign :: rest when List.mem_assoc sign operators -> left := rest; chain (Binary (List.assoc sign operators, first, operand ()))
    | _ -> first
  and operand () =
    match next () with
    | "(" -> let inner = sequence () in expect ")"; inner
    | "!" -> Not0 (operand ())
    | "-" -> Negate (operand ())
    | "?" -> Choice
    | "yield" -> Yield
    | "while" -> let c = condition () in While (c, block ())
    | "if" -> choice ()
    | word when is_number word -> Number (integer (Json.Number word))
    | word -> Read (variable word)
  and choice () =
    let c = condition () in
    let a = block () in
    If (c, a, if not (takes "else") then Number Z0 else if takes "if" then choice () else block ())
  and condition () = expect "("; let c = sequence () in expect ")"; c
  and block () = expect "{"; let e = sequence () in expect "}"; e in
  let parameter () = let name = next () in expect ":"; let low = number () in expect ".."; (name, (low, number ())) in
  let rec parameters () = let p = parameter () in if takes "," then p :: parameters () else (expect ")"; [ p ]) in
  let rec requests locals =
    if !left = [] then []
    else begin
      expect "request";
      let name = Reading.number (numbered request_names (next ())) in
      let parameters = if takes "(" then parameters () else [] in
      let mine, rest = match locals with mine :: rest -> (mine, rest) | [] -> ([], []) in
      own := List.map fst parameters;
      List.iter (fun x -> ignore (numbered own x)) mine;
      let body = block () in
      let q = { name; parameters = List.map snd parameters; others3 = nat (List.length !own - List.length parameters); body } in
      let found = (q, !own) in
      found :: requests rest
    end
  in
  let rec beginnings () =
    match !left with
    | name :: ":=" :: rest -> left := rest; ignore (numbered global_names name); Hashtbl.replace beginning name (number ()); beginnings ()
    | _ -> ()
  in
  let requests =
    if List.mem "request" !left then (beginnings (); requests locals)
    else begin
      own := List.concat locals;
      let body = sequence () in
      if !left <> [] then refuse "text after the end of the program";
      [ ({ name = Reading.number (numbered request_names "request"); parameters = []; others3 = nat (List.length !own); body }, !own) ]
    end
  in
  let first name = match Hashtbl.find_opt beginning name with Some v -> v | None -> Z0 in
  ({ globals0 = List.map first !global_names; requests0 = List.map fst requests }, (!global_names, !request_names, List.map snd requests))
