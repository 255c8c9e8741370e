(* Nets as `serval net export --to net` writes them, and what is asked of them in words. *)

open Proved
open Reading

(* * Nets *)

type net = { net : Proved.net; place_numbers : (string, positive) Hashtbl.t; by_name : (string, transition) Hashtbl.t }

type token = Word of string | Braced of string | Sign of string

let is_bare c = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c = '\'' || c = '_'

(* From a place on as far as a condition holds. *)
let span text from holds =
  let rec go i = if i < String.length text && holds text.[i] then go (i + 1) else i in
  String.sub text from (go from - from)

(* What stands between two signs, with a [\] before those that are meant as they are; and where it ends. *)
let enclosed text from close escaped =
  let out = Buffer.create 16 in
  let rec go i =
    if i >= String.length text then refuse "a name has no end"
    else if text.[i] = close then (Buffer.contents out, i + 1)
    else if text.[i] = '\\' && (i + 1 >= String.length text || not (String.contains escaped text.[i + 1])) then refuse "a name has a \\ before something else"
    else if text.[i] = '\\' then (Buffer.add_char out text.[i + 1]; go (i + 2))
    else if text.[i] = '{' && close = '}' then refuse "a name has a { within"
    else (Buffer.add_char out text.[i]; go (i + 1))
  in
  go from

let rec tokens text at found =
  if at >= String.length text then List.rev found
  else match text.[at] with
    | ' ' | '\n' -> tokens text (at + 1) found
    | ('(' | ')' | '*') as c -> tokens text (at + 1) (Sign (String.make 1 c) :: found)
    | '-' when at + 1 < String.length text && text.[at + 1] = '>' -> tokens text (at + 2) (Sign "->" :: found)
    | '{' -> let name, next = enclosed text (at + 1) '}' "{}\\" in tokens text next (Braced name :: found)
    | c when is_bare c -> let word = span text at is_bare in tokens text (at + String.length word) (Word word :: found)
    | c -> refuse "a net has no such character: %C" c

let keywords = [ "net"; "pl"; "tr"; "lb"; "pr"; "nt" ]

(* Numbers of 64 bits, or more. *)
let number_of text =
  if text = "" || not (String.for_all (fun c -> c >= '0' && c <= '9') text) then refuse "a number was expected" else Z.to_N (integer (Json.Number text))

let read_net text =
  let places = Hashtbl.create 64 and by_name = Hashtbl.create 64 in
  let all = ref [] and marked = ref [] and transitions = ref [] in
  let name = function Braced name -> name | Word w when not (List.mem w keywords) -> w | _ -> refuse "a name was expected" in
  let add table name value = if Hashtbl.mem table name then refuse "%S is there twice" name else Hashtbl.add table name value in
  let is_end = function [] -> true | Word w :: _ -> List.mem w keywords | Sign s :: _ -> s = "->" | _ -> false in
  let rec arcs found = function
    | rest when is_end rest -> (List.rev found, rest)
    | place :: rest ->
        let p = match Hashtbl.find_opt places (name place) with Some p -> p | None -> refuse "there is no place %S" (name place) in
        (match rest with
        | Sign "*" :: Word n :: rest -> arcs ((p, number_of n) :: found) rest
        | rest -> arcs ((p, Npos XH) :: found) rest)
  in
  let rec declarations = function
    | [] -> ()
    | Word "pl" :: place :: Sign "(" :: Word n :: Sign ")" :: rest ->
        let p = number (Hashtbl.length places) in
        add places (name place) p;
        all := p :: !all;
        marked := (p, number_of n) :: !marked;
        declarations rest
    | Word "tr" :: transition :: rest -> (
        match arcs [] rest with
        | inputs, Sign "->" :: rest ->
            let outputs, rest = arcs [] rest in
            add by_name (name transition) { inputs; outputs };
            transitions := { inputs; outputs } :: !transitions;
            declarations rest
        | _ -> refuse "a transition has no ->")
    | _ -> refuse "this is not what `serval net export --to net` writes"
  in
  (match tokens text 0 [] with Word "net" :: title :: rest -> ignore (name title); declarations rest | _ -> refuse "this is no net");
  { net = { places = List.rev !all; marked = List.rev !marked; transitions = List.rev !transitions }; place_numbers = places; by_name }

(* * Questions *)

let signs = [ "->"; "!="; "<="; ">="; "="; "<"; ">"; "+"; "-"; "*"; "("; ")"; "," ]
let words = [ "and"; "or"; "not"; "true"; "false"; "fireable"; "deadlock" ]
let is_letter c = is_bare c && c <> '\'' || c = '.' || c >= '\128'

(* Names are [Braced], numbers [Word]. *)
let rec lexed text at found =
  if at >= String.length text then List.rev found
  else
    let is_next s = String.length s <= String.length text - at && String.sub text at (String.length s) = s in
    match (text.[at], List.find_opt is_next signs) with
    | (' ' | '\n' | '\t' | '\r'), _ -> lexed text (at + 1) found
    | _, Some sign -> lexed text (at + String.length sign) (Sign sign :: found)
    | '"', _ -> let name, next = enclosed text (at + 1) '"' "\"\\" in lexed text next (Braced name :: found)
    | '0' .. '9', _ -> let n = span text at (fun c -> c >= '0' && c <= '9') in lexed text (at + String.length n) (Word n :: found)
    | c, _ when is_letter c && c <> '.' ->
        let word = span text at is_letter in
        lexed text (at + String.length word) ((if List.mem word words then Sign word else Braced word) :: found)
    | c, _ -> refuse "a formula has no such character: %C" c

type value = Formula of formula | Sum of linear

let plain n = { terms = []; constant = n }
let one = Zpos XH
let plus a factor b = { terms = a.terms @ List.map (fun (p, c) -> (p, Z.mul factor c)) b.terms; constant = Z.add a.constant (Z.mul factor b.constant) }
let formula = function Formula f -> f | Sum _ -> refuse "a formula was expected, and this is a number of tokens"
let sum = function Sum s -> s | Formula _ -> refuse "a number of tokens was expected, and this is a formula"

(* Reads what a text has, all of it. *)
let parse net text read =
  let left = ref (lexed text 0 []) in
  let takes sign = match !left with Sign s :: rest when s = sign -> left := rest; true | _ -> false in
  let expect sign = if not (takes sign) then refuse "%S was expected" sign in
  let next () = match !left with [] -> refuse "the text ends too soon" | t :: rest -> left := rest; t in
  let named table = match next () with
    | Braced name -> (match Hashtbl.find_opt table name with Some x -> x | None -> refuse "the net has no %S" name)
    | _ -> refuse "a name was expected"
  in
  let place () = named net.place_numbers in
  let rec implication () =
    let left = either () in
    if takes "->" then Formula (Implies (formula left, formula (implication ()))) else left
  and either () = chain "or" both (fun fs -> Some_of fs)
  and both () = chain "and" negation (fun fs -> Every fs)
  and chain sign operand join =
    let first = operand () in
    let rec rest found = if takes sign then rest (formula (operand ()) :: found) else List.rev found in
    match rest [] with [] -> first | others -> Formula (join (formula first :: others))
  and negation () = if takes "not" then Formula (Not (formula (negation ()))) else comparison ()
  and comparison () =
    let left = total () in
    match List.find_opt (fun (sign, _) -> takes sign) [ ("=", Same); ("!=", Different); ("<=", AtMost); (">=", AtLeast); ("<", Less); (">", Greater) ] with
    | Some (_, relation) -> let left = sum left in Formula (Compare (relation, left, sum (total ())))
    | None -> left
  and total () =
    let rec go left =
      if takes "+" then go (Sum (plus (sum left) one (sum (product ()))))
      else if takes "-" then go (Sum (plus (sum left) (Z.opp one) (sum (product ()))))
      else left
    in
    go (product ())
  and product () =
    let rec go left =
      if not (takes "*") then left
      else match (sum left, sum (prefixed ())) with
        | { terms = []; constant }, other | other, { terms = []; constant } -> go (Sum (plus (plain Z0) constant other))
        | _ -> refuse "a product of two places is not linear"
    in
    go (prefixed ())
  and prefixed () = if takes "-" then Sum (plus (plain Z0) (Z.opp one) (sum (prefixed ()))) else operand ()
  and operand () =
    match !left with
    | Word n :: rest -> left := rest; Sum (plain (Z.of_N (number_of n)))
    | Braced _ :: _ -> Sum { terms = [ (place (), one) ]; constant = Z0 }
    | Sign sign :: rest -> (
        left := rest;
        match sign with
        | "(" -> let inner = implication () in expect ")"; inner
        | "true" -> Formula (Truth true)
        | "false" -> Formula (Truth false)
        | "deadlock" -> Formula Deadlock
        | "fireable" ->
            expect "(";
            let rec more found = let found = named net.by_name :: found in if takes "," then more found else List.rev found in
            let all = more [] in
            expect ")";
            Formula (Fireable all)
        | _ -> refuse "a place, a number or a formula was expected")
    | [] -> refuse "the text ends too soon"
  in
  let marking () =
    let rec go found =
      if !left = [] then (List.rev found, false)
      else if takes "*" then (List.rev found, true)
      else begin
        let p = place () in
        expect "=";
        let n = match next () with Word n -> number_of n | _ -> refuse "a number of tokens was expected" in
        if List.mem_assoc p found then refuse "a place is named twice";
        if !left <> [] then expect ",";
        go ((p, n) :: found)
      end
    in
    go []
  in
  let result = read (fun () -> formula (implication ())) (fun () -> sum (total ())) marking (fun () -> if takes "=" then Some (next ()) else None) in
  if !left <> [] then refuse "text after the end of a question";
  result

(* Places of a sum of places, each with a factor of at least 1. *)
let places_of sum =
  if sum.constant <> Z0 || sum.terms = [] || not (List.for_all (function _, Zpos _ -> true | _ -> false) sum.terms) then refuse "a sum of places was expected";
  List.map fst sum.terms

let compared relation (p, n) = Compare (relation, { terms = [ (p, one) ]; constant = Z0 }, plain (Z.of_N n))

let read_property net text =
  let name, rest = match String.index_opt text ':' with
    | Some at -> (String.sub text 0 at, Some (String.sub text (at + 1) (String.length text - at - 1)))
    | None -> (text, None)
  in
  let formula_of rest = parse net rest (fun formula _ _ _ -> formula ()) in
  let marking_of rest = parse net rest (fun _ _ marking _ -> marking ()) in
  let plain_ones = [ ("deadlock-free", DeadlockFree); ("one-safe", Safe (Npos XH)); ("quasi-live", QuasiLive); ("live", Live); ("reversible", Reversible);
    ("no-dead-places", NoDeadPlaces); ("stable-marking", StableMarking); ("bounded", Bounded net.net.places) ] in
  match (String.trim name, rest) with
  | name, None -> (match List.assoc_opt name plain_ones with Some property -> property | None -> refuse "there is no property %S" text)
  | "safe", Some rest -> Safe (number_of (String.trim rest))
  | "invariant", Some rest -> Invariant (formula_of rest)
  | "reachable", Some rest -> Reachable (formula_of rest)
  | "reaches", Some rest -> let tokens, others = marking_of rest in if others then Reachable (Every (List.map (compared Same) tokens)) else Reaches tokens
  | "coverable", Some rest -> (
      match marking_of rest with
      | tokens, false -> Reachable (Every (List.map (compared AtLeast) (List.filter (fun (_, n) -> n <> N0) tokens)))
      | _, true -> refuse "all places have a number here"
      | exception Refused _ -> Reachable (formula_of rest))
  | "bounded", Some rest -> Bounded (places_of (parse net rest (fun _ sum _ _ -> sum ())))
  | "bound", Some rest -> (
      match parse net rest (fun _ sum _ is -> let s = sum () in (s, is ())) with
      | sum, Some (Word n) -> ignore (places_of sum); Largest (sum, Z.of_N (number_of n))
      | sum, Some (Braced ("ω" | "omega")) -> ignore (places_of sum); NoLargest sum
      | _ -> refuse "a largest value was expected")
  | _ -> refuse "there is no property %S" text
