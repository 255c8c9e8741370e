(* Certificates about nets, from JSON to the types that were extracted. *)

open Proved
open Reading

let tokens value = Z.to_N (not_negative value)
let sparse = map (pair id tokens)

let read_item = function
  | Json.Number _ as t -> FireOnce (id t)
  | Json.List [ times; word ] -> FireAgain (tokens times, ids word)
  | _ -> refuse "an item of a word was expected"

let read_word = map read_item
let read_weights = reading (fun take -> map sparse (take "sums"))

let optional name value read default take = if given name value then read (take name) else default

(* A bound: a constant, then places with factors. An atom has a divisor in front, which is 0 for a bound. *)
let read_linear = function constant :: rest -> Counting.linear constant rest | [] -> refuse "these numbers are no bound"
let read_bound value = AtLeastZero (read_linear (list value))
let read_atom value =
  match list value with
  | Json.Number "0" :: rest -> AtLeastZero (read_linear rest)
  | divisor :: rest -> NotDivisible (read_linear rest, not_negative divisor)
  | [] -> refuse "these numbers are no atom"

let read_step = function
  | Json.List [ clause; transition; tree ] -> ((id clause, id transition), Counting.read_tree tree)
  | _ -> refuse "a step has a clause, a transition and a tree"

let read_invariant atom take = let clauses = map (map atom) (take "clauses") in (clauses, map read_step (take "steps"))

let read_equation value =
  reading (fun take ->
    let traps = map ids (take "traps") in
    let sums = optional "weights" value read_weights [] take and unfed = optional "unfed" value (map ids) [] take in
    ByEquation (traps, sums, unfed, Counting.read_tree (take "tree"))) value

let read_evidence value =
  match named_field value with
  | "weights", value -> ByWeights (read_weights value)
  | "dead", value -> ByDead (reading (fun take -> ids (take "places")) value)
  | "states", value -> ByStates (reading (fun take -> map (map tokens) (take "markings")) value)
  | "stubborn", value ->
      reading (fun take ->
        let markings = map (map tokens) (take "markings") in
        let sets = map ids (take "sets") in
        fit (List.compare_lengths markings sets = 0);
        ByStubborn (List.combine markings sets)) value
  | "cover", value ->
      let finite row = List.concat (List.mapi (fun p n -> if n = Json.Null then [] else [ (number p, tokens n) ]) (list row)) in
      ByCover (reading (fun take -> map finite (take "markings")) value)
  | "basis", value ->
      let never = reading (fun take ->
        let too_large = sparse (take "marking") in
        match read_equation (take "equation") with
        | ByEquation (why_traps, why_sums, why_unfed, why_tree) -> { too_large; why_traps; why_sums; why_unfed; why_tree }
        | _ -> refuse "an equation was expected")
      in
      reading (fun take ->
        let ms = map sparse (take "markings") in
        let sums = optional "weights" value read_weights [] take in
        ByBasis (ms, sums, optional "excluded" value (map never) [] take)) value
  | "equation", value -> read_equation value
  | "inductive", value ->
      reading (fun take ->
        let clauses, steps = reading (read_invariant read_bound) (take "invariant") in
        ByInductive (clauses, steps, Counting.read_tree (take "tree"))) value
  | "separator", value ->
      reading (fun take -> let clauses, steps = read_invariant read_atom take in BySeparator (clauses, steps, Counting.read_tree (take "tree"))) value
  | kind, _ -> raise (Uncovered ("evidence of kind " ^ kind))

let read_pump = function
  | Json.Object _ as value -> Often (reading (fun take -> ids (take "pump")) value)
  | value -> (match read_item value with FireOnce t -> Times (Npos XH, [ t ]) | FireAgain (n, ts) -> Times (n, ts) | Arrive _ -> refuse "a step was expected")

(* Markings with their ranks; those of rank 0 have the words, in order. *)
let read_homes = reading (fun take ->
  let rows = map (map tokens) (take "markings") in
  let ranks = map amount (take "ranks") in
  let words = ref (map ids (take "words")) in
  let next () = match !words with word :: rest -> words := rest; word | [] -> raise Unfit in
  fit (List.compare_lengths rows ranks = 0);
  let homes = List.map2 (fun tokens_here rank -> { tokens_here; rank; way = (if rank = N0 then next () else []) }) rows ranks in
  fit (!words = []);
  homes)

(* What a piece of evidence adds to a certificate. *)
let read_about = reading (fun take ->
  let goal = id (take "goal") in
  match named_field (take "evidence") with
  | "run", value -> let word = reading (fun take -> read_word (take "word")) value in fun c -> { c with words = (word @ [ Arrive goal ]) :: c.words }
  | "pump", value -> let steps = reading (fun take -> map read_pump (take "steps")) value in fun c -> { c with pumps = steps :: c.pumps }
  | "homes", value -> let homes = read_homes value in fun c -> { c with homes = homes :: c.homes }
  | "lost", value ->
      let loss = reading (fun take -> let word = read_word (take "word") in (goal, (word, read_evidence (take "evidence")))) value in
      fun c -> { c with losses = loss :: c.losses }
  | kind, value -> let evidence = read_evidence (Json.Object [ (kind, value) ]) in fun c -> { c with unreachable = (goal, evidence) :: c.unreachable })

(* Words, and what goals they come to after how many of their items. *)
let read_runs = reading (fun take ->
  let words = Array.of_list (map read_word (take "words")) in
  let stops = Array.map (fun word -> Array.make (List.length word + 1) []) words in
  let read_end = function
    | Json.List [ goal; word; items ] ->
        let word = natural word and items = natural items in
        fit (word < Array.length stops && items < Array.length stops.(word));
        stops.(word).(items) <- Arrive (id goal) :: stops.(word).(items)
    | _ -> refuse "the end of a run has three numbers"
  in
  List.iter read_end (list (take "ends"));
  (* From the end on; what comes behind the last stop need not fire. *)
  let with_stops w word =
    let word = Array.of_list word in
    let rec go i found =
      let found = List.rev_append stops.(w).(i) found in
      if i = 0 then found else go (i - 1) (if found = [] then [] else word.(i - 1) :: found)
    in
    go (Array.length word) []
  in
  Array.to_list (Array.mapi with_stops words))

let is_about_nets value = field "format" value = Some (Json.String "serval-net-certificate")

(* The certificate, and what is asked in words. *)
let read_net_certificate net value =
  let runs = given "runs" value in
  reading (fun take ->
    ignore (take "format", string (take "net"));
    if take "version" <> Json.Number "1" then refuse "this is another version of the format";
    let question = string (take "property") in
    let claimed = match take "holds" with Json.Bool b -> b | _ -> refuse "true or false was expected" in
    let about = map read_about (take "evidence") in
    let words = if runs then read_runs (take "runs") else [] in
    let asked = Petri.read_property net question in
    (question, List.fold_left (fun c add -> add c) { asked; claimed; unreachable = []; words; pumps = []; homes = []; losses = [] } about)) value
