(* What the proved checker wants to be told. It checks all of it: a wrong hint
   can only lead to a refusal. *)

open Proved
open Input

(* The global states that serial runs pass through, in order, by what each leads to. *)
let pass_through first next =
  let seen = Hashtbl.create 64 in
  let rec go = function
    | [] -> ()
    | g :: todo when Hashtbl.mem seen (int_of g) -> go todo
    | g :: todo -> Hashtbl.add seen (int_of g) (); go (List.rev_append (next g) todo)
  in
  go [ first ];
  List.map positive (List.sort compare (Hashtbl.fold (fun g () found -> g :: found) seen []))

let serial_globals s =
  let edges = edges_of s in
  pass_through s.initial (fun g -> match edges g with Some es -> List.rev_map snd es | None -> [])

let serial_globals_of_form f =
  let edges = edges_at f (index f.fsteps) (nodes_of f Initial) (fuel_of f.fsteps) in
  pass_through f.first (fun g -> List.rev_map snd (edges g))

module Numbers = Hashtbl.Make (struct type t = int let equal (a : int) b = a = b let hash (a : int) = (a * 0x9E3779B97F4A7C1) lsr 20 land 0x3FFFFFFF end)

(* * Which node stands for what *)

let group key value l =
  let found = Hashtbl.create 256 in
  List.iter (fun x -> Hashtbl.replace found (key x) (value x :: (try Hashtbl.find found (key x) with Not_found -> []))) l;
  fun k -> try Hashtbl.find found k with Not_found -> []

(* First the pairs of a request and a local state in which it can be and that
   a step leaves or a request begins in, then the letters. *)
let node_table s =
  let int = Input.int_of in
  let steps_of = group (fun ((l, _), _) -> int l) (fun (_, (l', _)) -> int l') s.steps in
  let answers_of = group (fun (l, _) -> int l) (fun (_, a) -> int a) s.answers in
  let starts_of = group (fun (r, _) -> int r) (fun (_, l) -> int l) s.starts in
  let requests = List.sort_uniq compare (List.rev_map (fun (r, _) -> int r) s.starts) in
  let letters = ref [] and nodes = ref [] in
  let visit r =
    let starts = starts_of r in
    let seen = Hashtbl.create 64 in
    let rec go = function
      | [] -> ()
      | l :: todo when Hashtbl.mem seen l -> go todo
      | l :: todo -> Hashtbl.add seen l (); go (List.rev_append (steps_of l) todo)
    in
    go starts;
    let locals = List.sort compare (Hashtbl.fold (fun l () found -> l :: found) seen []) in
    let local l =
      List.iter (fun a -> letters := (r, a) :: !letters) (answers_of l);
      if List.mem l starts || steps_of l <> [] then nodes := At (positive r, positive l) :: !nodes
    in
    List.iter local locals
  in
  let answered (r, a) = Answered (positive r, positive a) in
  List.iter visit requests;
  let places = List.rev_append !nodes (List.rev (List.rev_map answered (List.sort_uniq compare !letters))) in
  List.rev (snd (List.fold_left (fun (n, table) place -> (n + 1, (number n, place) :: table)) (0, []) places))

(* * Which two requests can be where *)

(* Rows of bits: the columns beside one under a global state. *)
let in_row row b = b lsr 3 < Bytes.length row && Char.code (Bytes.unsafe_get row (b lsr 3)) land (1 lsl (b land 7)) <> 0
let put_in_row row b = Bytes.unsafe_set row (b lsr 3) (Char.unsafe_chr (Char.code (Bytes.unsafe_get row (b lsr 3)) lor (1 lsl (b land 7))))

(* So many columns and global states, and something for each place: as an array, if it is not too large. *)
let by_place columns globals default =
  if columns * globals <= 4_000_000 then
    let all = Array.make (columns * globals) default in
    (Array.get all, Array.set all)
  else
    let all = Numbers.create 4096 in
    ((fun at -> match Numbers.find_opt all at with Some x -> x | None -> default), Numbers.replace all)

type found_pairs = { columns : int; globals : int; size : int; row_at : int -> Bytes.t }

let has_pair found a b g = a < found.columns && g < found.globals && in_row (found.row_at ((g * found.columns) + a)) b

(* The least set that is closed under the steps, of pairs that were in the set before. *)
let closed_pairs moves begins before =
  let columns = 1 + List.fold_left (fun m (a, _, a', _) -> max m (max a a')) (List.fold_left (fun m (a, b, _) -> max m (max a b)) 1 begins) moves in
  let globals = 1 + List.fold_left (fun m (_, g, _, g') -> max m (max g g')) (List.fold_left (fun m (_, _, g) -> max m g) 1 begins) moves in
  let place a g = (g * columns) + a in
  let row_at, put_row = by_place columns globals Bytes.empty and listed, put_listed = by_place columns globals [] in
  let moves_of, put_move = by_place columns globals [] and changes_of, put_change = by_place columns globals [] in
  let movers = Array.make globals [] and size = ref 0 and todo = Stack.create () in
  let move (a, g, a', g') =
    put_move (place a g) ((a', g') :: moves_of (place a g));
    if g <> g' && not (List.mem g' (changes_of (place a g))) then begin
      put_change (place a g) (g' :: changes_of (place a g));
      movers.(g) <- (a, g') :: movers.(g)
    end
  in
  List.iter move moves;
  let put a b g =
    let at = place a g in
    if row_at at == Bytes.empty then put_row at (Bytes.make ((columns + 7) / 8) '\000');
    put_in_row (row_at at) b;
    incr size;
    put_listed at (b :: listed at)
  in
  let add a b g =
    if (not (in_row (row_at (place a g)) b)) && before a b g then begin
      put a b g;
      if a <> b then put b a g;
      Stack.push (a, b, g) todo
    end
  in
  List.iter (fun (a, b, g) -> add a b g) begins;
  while not (Stack.is_empty todo) do
    let a, b, g = Stack.pop todo in
    let own a b = List.iter (fun (a', g') -> add a' b g') (moves_of (place a g)) in
    own a b;
    own b a;
    let beside_a = row_at (place a g) and beside_b = row_at (place b g) in
    List.iter (fun (c, g') -> if in_row beside_a c && in_row beside_b c then add a b g') movers.(g);
    (* One of the two is the third of others. *)
    let third a c beside_c =
      let globals = changes_of (place c g) in
      if globals <> [] then List.iter (fun x -> if in_row beside_c x then List.iter (fun g' -> add a x g') globals) (listed (place a g))
    in
    third a b beside_b;
    third b a beside_a
  done;
  { columns; globals; size = !size; row_at }

(* A row as a set: its tree is made from the leaves on. *)
let set_of_row columns row =
  let rec go number step =
    let here = number + step in
    if here >= columns then PositiveMap.Leaf
    else
      let zero = go number (2 * step) in
      let one = go here (2 * step) in
      match in_row row here, zero, one with false, PositiveMap.Leaf, PositiveMap.Leaf -> PositiveMap.Leaf | is_in, _, _ -> PositiveMap.Node (zero, (if is_in then Some () else None), one)
  in
  go 0 1

let as_set found =
  let planes = ref PositiveMap.empty in
  for g = 1 to found.globals - 1 do
    let plane = ref PositiveMap.empty in
    for a = 1 to found.columns - 1 do
      let row = found.row_at ((g * found.columns) + a) in
      if Bytes.length row > 0 then plane := PositiveMap.add (positive a) (set_of_row found.columns row) !plane
    done;
    if !plane <> PositiveMap.empty then planes := PositiveMap.add (positive g) !plane !planes
  done;
  !planes

(* The sets of pairs, turn by turn, until nothing changes; the last one, and the steps that are left. *)
let settled f =
  let int = Input.int_of in
  let cols = columns_of f in
  let col n = int (column cols n) in
  let g0 = int f.first in
  let initial = List.filter_map (fun (n, k) -> if k = Initial then Some (col n) else None) (PositiveMap.elements f.kinds) in
  let rec go steps before backwards turns =
    let move ((n, g), (n', g')) = if backwards then (col n', int g', col n, int g) else (col n, int g, col n', int g') in
    let moves = List.rev_map move steps in
    let begins =
      if backwards then List.map (fun g -> (1, 1, g)) (List.sort_uniq compare (g0 :: List.rev_map (fun (_, (_, g)) -> int g) steps))
      else let begin_ = List.sort_uniq compare (1 :: initial) in
        List.concat_map (fun a -> List.map (fun b -> (a, b, g0)) begin_) begin_
    in
    let among = match before with None -> fun _ _ _ -> true | Some pairs -> has_pair pairs in
    let pairs = closed_pairs moves begins among in
    (* A turn that changes nothing shows nothing. *)
    if (match before with Some before -> before.size = pairs.size | None -> false) then (List.rev turns, among, steps)
    else
      let set = as_set pairs in
      go (possible cols set steps) (Some pairs) (not backwards) ({ backwards; set } :: turns)
  in
  go f.fsteps None false []

(* Those of the form that was asked about last are kept: who looks for a proof asks, and then who checks it. *)
let turns_of =
  let last = ref None in
  fun f ->
    match !last with
    | Some (g, found) when g = (f.first, f.fsteps) -> found
    | _ -> let found = settled f in last := Some ((f.first, f.fsteps), found); found

let turns f = let turns, _, _ = turns_of f in turns

(* * What can be reached *)

(* The least sets of nodes and of global states that no step leaves. *)
let reached f =
  let int = Input.int_of in
  let nodes = Hashtbl.create 256 and globals = Hashtbl.create 64 and todo = Stack.create () in
  let move ((n, g), (n', g')) = ((int n, int g), (int n', int g')) in
  let steps = List.rev_map move f.fsteps in
  let of_node = group (fun ((n, _), _) -> n) Fun.id steps and of_global = group (fun ((_, g), _) -> g) Fun.id steps in
  let add table leaving x = if not (Hashtbl.mem table x) then (Hashtbl.add table x (); Stack.push (leaving x) todo) in
  add globals of_global (int f.first);
  List.iter (fun (n, k) -> if k = Initial then add nodes of_node (int n)) (PositiveMap.elements f.kinds);
  let make ((n, g), (n', g')) =
    if Hashtbl.mem nodes n && Hashtbl.mem globals g then (add nodes of_node n'; add globals of_global g') in
  while not (Stack.is_empty todo) do List.iter make (Stack.pop todo) done;
  let listed table = Hashtbl.fold (fun x () l -> positive x :: l) table [] in
  (listed nodes, listed globals)

(* * States with something beside them *)

(* The states that can be reached, in the order in which they are found: those
   from which a run can end, and the others. A few words of a certificate can ask for any number of states. *)
let explored key next home first =
  let numbers = Hashtbl.create 256 and sources = Hashtbl.create 256 and todo = Queue.create () and all = ref [] in
  let number a =
    let g, k = key a in
    let place = (Input.int_of g, Input.int_of k) in
    match List.assoc_opt a (Hashtbl.find_all numbers place) with
    | Some n -> n
    | None ->
        let n = Hashtbl.length numbers in
        if n = 300_000 then raise Out_of_memory;
        Hashtbl.add numbers place (a, n);
        Queue.add (a, n) todo;
        all := (a, n) :: !all;
        n
  in
  ignore (number first);
  while not (Queue.is_empty todo) do
    let a, n = Queue.pop todo in
    List.iter (fun (_, b) -> Hashtbl.add sources (number b) n) (next a)
  done;
  let leads = Hashtbl.create 256 in
  let rec back = function
    | [] -> ()
    | n :: l when Hashtbl.mem leads n -> back l
    | n :: l -> Hashtbl.add leads n (); back (List.rev_append (Hashtbl.find_all sources n) l)
  in
  back (List.filter_map (fun (a, n) -> if home a then Some n else None) !all);
  let kept, dropped = List.partition (fun (_, n) -> Hashtbl.mem leads n) !all in
  (List.rev_map fst kept, List.rev_map fst dropped)

(* The new global states are numbered as the other checker does, since what
   comes behind refers to them: a state's steps in order, smaller counts first. *)
let counted_states f groups most =
  let int = Input.int_of in
  let next = tracked_next most (steps_under f) (groups_of groups) in
  let count = function N0 -> 0 | Npos p -> int p in
  let place (((n, n'), (g, counts)) as found) = ((int n, int n', int g, List.map count counts), found) in
  let in_order a = List.map snd (List.sort (fun (a, _) (b, _) -> compare a b) (List.rev_map place (next a))) in
  explored (tracked_key most) in_order tracked_home (tracked_first f groups)

let followed f sets =
  let last = List.fold_left (fun n (node, _) -> max n (Input.int_of node)) 0 (PositiveMap.elements f.kinds) in
  let last = List.fold_left (fun n ((a, _), (b, _)) -> max n (max (Input.int_of a) (Input.int_of b))) last f.fsteps in
  let tick_node = positive (last + 1) and ticked_node = positive (last + 2) in
  let others = leading f (iset (followed_letters sets)) in
  let kept_controls, dropped_controls =
    explored control_key (explicit_next f (sets_of sets) tick_node ticked_node others) control_home (control_first f sets) in
  { kept_controls; dropped_controls; tick_node; ticked_node }

let all =
  { pairs_hint = turns; serial_hint = serial_globals_of_form; reach_hint = reached; count_hint = counted_states; follow_hint = followed }
