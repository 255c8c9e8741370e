(* Proofs on the text of a program. Their facts about points are not used: where requests commit is found in the states of
   the components, and a theorem says that it is so. So it does not matter what is misread here, but for the claim. *)

open Proved
open Reading

(* * The certificate *)

type shape = Number | Whole | Truth | Group | List of shape | Tuple of shape list | Fields of (string * shape) list * (string * shape) list

let rec shaped shape value =
  match shape with
  | Number -> ignore (natural value)
  | Whole -> (match ranged (integer value) with None -> refuse "a number of 64 bits was expected" | Some _ -> ())
  | Truth -> (match value with Json.Bool _ -> () | _ -> refuse "true or false was expected")
  | Group -> (match named_field value with ("owner" | "count"), n -> ignore (natural n) | _ -> refuse "there is no such group")
  | List shape -> List.iter (shaped shape) (list value)
  | Tuple shapes ->
      if List.compare_lengths shapes (list value) <> 0 then refuse "a list of %d was expected" (List.length shapes) else List.iter2 shaped shapes (list value)
  | Fields (always, perhaps) ->
      let always = always @ List.filter (fun (name, _) -> given name value) perhaps in
      reading (fun take -> List.iter (fun (name, shape) -> shaped shape (take name)) always) value

let points = List (Tuple [ Number; Number ])
let at = Fields ([ ("global", Number); ("value", Whole); ("points", points) ], [])
let bounds = Fields ([ ("variable", Number); ("low", Whole); ("high", Whole); ("points", points) ], [])
let triples = List (Tuple [ Number; Number; Number ])
let facts = Fields (
  [ ("yields", List Number);
    ("validated", List (Fields ([ ("head", Number); ("wait", Number); ("global", Number); ("register", Number); ("reads", points) ], [])));
    ("ranges", List (Tuple [ Number; Whole; Whole ]));
    ("slow", List Number);
    ("owners", List at);
    ("counts", List (Fields ([ ("global", Number); ("weights", List (Tuple [ Number; Number; Whole ])) ], [])));
    ("sums", List (Fields ([ ("globals", List (Tuple [ Number; Whole ])) ], [ ("values", List (Tuple [ Number; Whole; Whole ])) ])));
    ("exclusions", List (Tuple [ Group; Group ]));
    ("dooms", List at);
    ("nowhere", points);
    ("locals", List bounds);
    ("known", List bounds);
    ("post", points) ],
  [ ("bodies", List Number); ("integers", Truth); ("choices", Truth); ("late", triples);
    ("additions", List (Fields ([ ("lock", Number); ("held", points); ("points", points); ("sums", points) ], [])));
    ("attempts", List (Fields ([ ("points", List Number); ("versions", triples); ("reads", List (Tuple [ Number; Number; Number; Number ])) ], [])));
    ("slow_locals", List (Tuple [ Number; points ]));
    ("tickets", List (Fields ([ ("next", Number); ("called", Number); ("holders", points); ("inside", points) ], []))) ])

(* What one says. *)
let read value =
  reading (fun take ->
    Input.head "serializable" take;
    let said = take "reduction" in
    shaped facts said;
    said) value

(* Whether some globals grow slowly without an end. By the semantics the program fails when they leave 64 bits, however late that is. *)
let is_for_a_lifetime value =
  match Option.bind (field "reduction" value) (field "slow") with Some (Json.List (_ :: _)) -> true | _ -> false

(* What is said of all moments is compared with the states: the ranges of globals, and sums of them. Where some bodies stand for
   others it is said of these bodies alone. *)
let agrees (export : Mapped.export) said =
  let states = match export.Mapped.map with Some map -> List.rev_map (fun (values, _) -> Array.of_list values) map.Mapped.global_states | None -> raise Unfit in
  let of_field name read = match field name said with Some value -> map read value | None -> [] in
  let value (state : z array) n = fit (n < Array.length state); state.(n) in
  let range = function
    | Json.List [ g; low; high ] -> List.iter (fun s -> let v = value s (natural g) in fit (Z.leb (integer low) v && Z.leb v (integer high))) states
    | _ -> raise Unfit
  in
  let sum one =
    let list name = match field name one with Some value -> list value | None -> [] in
    let add s total = function
      | Json.List [ g; factor ] -> Z.add total (Z.mul (integer factor) (value s (natural g)))
      | Json.List [ g; v; more ] -> if value s (natural g) = integer v then Z.add total (integer more) else total
      | _ -> raise Unfit
    in
    let sums = List.rev_map (fun s -> List.fold_left (add s) Z0 (list "globals" @ list "values")) states in
    fit (List.for_all (( = ) (List.hd sums)) sums)
  in
  if not (List.exists (fun name -> given name said) [ "bodies"; "integers"; "choices" ]) then begin
    ignore (of_field "ranges" range);
    ignore (of_field "sums" sum)
  end

(* * The proof that is found *)

(* More steps than these are not added. *)
let most_added = 20_000

module Points = Hashtbl.Make (struct type t = int * int let equal ((a, b) : t) (c, d) = a = c && b = d let hash (a, b) = (a * 65_599) + b end)

let all_of table key = Option.value (Points.find_opt table key) ~default:[]
let plain ((n, g), (n', g')) = let int = Input.int_of in ((int n, int g), (int n', int g'))
let steps_from steps = let table = Points.create 1024 in List.iter (fun (p, q) -> Points.replace table p (q :: all_of table p)) steps; table

(* Where a request that is alone can end. *)
let ends is_done steps =
  let next = steps_from steps and known = Points.create 64 in
  fun p ->
    match Points.find_opt known p with
    | Some found -> found
    | None ->
        let seen = Points.create 64 in
        let rec go found = function
          | [] -> found
          | q :: todo when Points.mem seen q -> go found todo
          | q :: todo -> Points.add seen q (); go (if is_done (fst q) then q :: found else found) (List.rev_append (all_of next q) todo)
        in
        let found = List.sort compare (go [] [ p ]) in
        Points.add known p found;
        found

let rec within l m = match l, m with [], _ -> true | _, [] -> false | a :: l', b :: m' -> if a = b then within l' m' else a > b && within l m'

(* What requests weigh if a global state has such a level: 0 in the beginning, and as much more as the level grows. *)
let counter initial steps first level =
  let weights = Hashtbl.create 64 in
  List.iter (fun n -> Hashtbl.replace weights n 0) initial;
  let level g = level g - level first in
  let rec go again = function
    | [] -> again
    | ((n, g), (n', g')) :: rest -> (
        match Hashtbl.find_opt weights n, Hashtbl.find_opt weights n' with
        | Some w, None -> Hashtbl.replace weights n' (w + level g' - level g); go true rest
        | Some w, Some w' -> if w' - w <> level g' - level g then raise Unfit else go again rest
        | None, _ -> go again rest)
  in
  while go false steps do () done;
  let globals = List.sort_uniq compare (first :: List.rev_append (List.rev_map (fun (_, (_, g)) -> g) steps) (List.rev_map (fun ((_, g), _) -> g) steps)) in
  let listed pairs = List.filter_map (fun (x, n) -> fit (n >= 0); if n = 0 then None else Some (positive x, Npos (positive n))) pairs in
  let weights = listed (Hashtbl.fold (fun n w l -> (n, w) :: l) weights []) in
  fit (weights <> []);
  { heavy = weights; heights = listed (List.map (fun g -> (g, level g)) globals) }

(* The steps next to each other that cannot be exchanged, with what would have to be added. Points and steps are numbers in tables. *)
let fixed meet steps =
  let size = 1 + List.fold_left (fun m ((n, g), (n', g')) -> max (max m (max n n')) (max g g')) 0 steps in
  fit (size < 45_000);
  let at (n, g) = (n * size) + g in
  let number p q = (at p * size * size) + at q in
  let module Table = Hints.Numbers in
  let all table k = Option.value (Table.find_opt table k) ~default:[] in
  let known = Table.create 4096 and next = Table.create 1024 and under = Table.create 256 and found = ref [] in
  let record (((m, g) as p), q) =
    Table.replace known (number p q) ();
    Table.replace next (at p) (q :: all next (at p));
    Table.replace under g ((m, q) :: all under g)
  in
  List.iter record steps;
  let exchange (l, g) (l1, g1) (m, (m1, g2)) =
    if meet l1 m g1 && meet l m g && meet l1 m1 g2 then
      let there = all next (at (m, g)) in
      if not (List.exists (fun (n, h) -> n = m1 && Table.mem known (number (l, h) (l1, g2))) there) then
        found := (l1, m, List.filter_map (fun (n, h) -> if n = m1 then Some ((l, h), (l1, g2)) else None) there) :: !found
  in
  List.iter (fun (p, q) -> List.iter (exchange p q) (all under (snd q))) steps;
  !found

(* The fewest nodes after a commit: where steps lead behind which others must not come, and what is behind these. *)
let after_commits steps fixed =
  let next = Hints.group (fun ((n, _), _) -> n) (fun (_, (n', _)) -> n') steps and after = Hashtbl.create 64 in
  let rec go = function
    | [] -> ()
    | n :: todo when Hashtbl.mem after n -> go todo
    | n :: todo -> Hashtbl.add after n (); go (List.rev_append (next n) todo)
  in
  go (List.sort_uniq compare (List.rev_map (fun (n, _, _) -> n) fixed));
  after

(* A proof by commits for a system, given what may be levels of its global states. *)
let commits (s : Input.system) levels =
  let table = Hints.node_table s.Input.system in
  let f = match normal s.Input.system table with Some f -> f | None -> raise Unfit in
  let kinds = Hashtbl.create 64 in
  List.iter (fun (n, k) -> Hashtbl.replace kinds (Input.int_of n) k) (PositiveMap.elements f.kinds);
  let is_done n = Hashtbl.find_opt kinds n = Some Done and initial = Hashtbl.fold (fun n k l -> if k = Initial then n :: l else l) kinds [] in
  let ends = ends is_done (List.rev_map plain f.fsteps) and first = Input.int_of f.first in
  let point (n, g) = (positive n, positive g) in
  let rec go added turn =
    let wide = { f with fsteps = List.rev_append added f.fsteps } in
    let _, pairs, steps = Hints.turns_of wide in
    let steps = List.rev_map plain steps and columns = columns_of wide in
    let column = let known = Hashtbl.create 64 in fun n -> match Hashtbl.find_opt known n with
      | Some c -> c
      | None -> let c = Input.int_of (column columns (positive n)) in Hashtbl.add known n c; c
    in
    let counters = List.filter_map (fun level -> try Some (counter initial steps first level) with Unfit | Not_found -> None) levels in
    let tables = List.map (fun c ->
      let table l = let t = Hashtbl.create 64 in List.iter (fun (x, n) -> Hashtbl.replace t (Input.int_of x) (match n with N0 -> 0 | Npos p -> Input.int_of p)) l; fun x -> Option.value (Hashtbl.find_opt t x) ~default:0 in
      (table c.heavy, table c.heights)) counters in
    let meet a b g = pairs (column a) (column b) g && List.for_all (fun (weight, level) -> weight a + weight b <= level g) tables in
    let fixed = fixed meet steps in
    let after = after_commits steps fixed in
    let is_after n = is_done n || Hashtbl.mem after n in
    if not (List.exists (fun (_, m, _) -> is_after m) fixed) then
      { by_counters = counters; more_steps = added; after_commit = Hashtbl.fold (fun n () l -> positive n :: l) after [] }
    else begin
      let harmless (p, q) = (not (is_done (fst q))) && within (ends q) (ends p) in
      let more = List.sort_uniq compare (List.concat_map (fun (_, _, wanted) -> List.filter harmless wanted) fixed) in
      let had = Hashtbl.create 64 in
      List.iter (fun s -> Hashtbl.replace had s ()) (List.rev_append (List.rev_map plain added) (List.rev_map plain f.fsteps));
      let more = List.filter (fun s -> not (Hashtbl.mem had s)) more in
      fit (more <> [] && turn < 20 && List.length added + List.length more <= most_added);
      go (List.rev_append (List.map (fun (p, q) -> (point p, point q)) more) added) (turn + 1)
    end
  in
  Committing (table, [], go [] 0)

(* The values of the globals of a program, as levels of the global states of a component, upwards and downwards. *)
let levels_of (export : Mapped.export) k (s : Input.system) =
  let map = match export.Mapped.map with Some map -> map | None -> raise Unfit in
  let level n =
    let values = Hashtbl.create 64 in
    let put (store, images) =
      let g = Input.int_of (Input.named s.Input.globals map.Mapped.global_names.(k).(List.nth images k)) in
      let v = Mapped.plain (List.nth store n) in
      fit (Int64.abs v < 1_000_000_000L);
      let v = Int64.to_int v in
      match Hashtbl.find_opt values g with Some w -> fit (v = w) | None -> Hashtbl.add values g v
    in
    List.iter put map.Mapped.global_states;
    [ Hashtbl.find values; (fun g -> - Hashtbl.find values g) ]
  in
  List.concat (List.mapi (fun n _ -> try level n with Unfit -> []) export.Mapped.shared_names)

let proof (export : Mapped.export) = Parts (List.mapi (fun k s -> commits s (levels_of export k s)) export.Mapped.systems)
