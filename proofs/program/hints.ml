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

(* The least set that is closed under the steps, of pairs that were in the set before. *)
let closed_pairs moves begins before =
  (* Columns and global states are numbered, so that a pair is a number, too. *)
  let numbers = Hashtbl.create 256 and names = Hashtbl.create 256 in
  let of_name x = match Hashtbl.find_opt numbers x with
    | Some n -> n
    | None -> let n = Hashtbl.length numbers in Hashtbl.add numbers x n; Hashtbl.add names n x; n
  in
  let move (a, g, a', g') = let a = of_name (`Column a) in let g = of_name (`Global g) in let a' = of_name (`Column a') in (a, g, a', of_name (`Global g')) in
  let moves = List.rev_map move moves in
  let begins = List.rev_map (fun (a, b, g) -> let a = of_name (`Column a) in let b = of_name (`Column b) in (a, b, of_name (`Global g))) begins in
  let size = Hashtbl.length numbers in
  let name = Array.init size (fun n -> match Hashtbl.find names n with `Column x | `Global x -> x) in
  let place a g = (a * size) + g in
  let at table k = match Numbers.find_opt table k with Some l -> l | None -> [] in
  let grouped key value l = let table = Numbers.create 1024 in List.iter (fun x -> let k = key x in Numbers.replace table k (value x :: at table k)) l; table in
  let pairs = Numbers.create 4096 and rows = Numbers.create 1024 in
  let key a b g = (place a g * size) + b in
  let has a b g = Numbers.mem pairs (key a b g) in
  let todo = Stack.create () in
  let add a b g =
    if (not (has a b g)) && before name.(a) name.(b) name.(g) then begin
      let put a b = Numbers.replace pairs (key a b g) (); Numbers.replace rows (place a g) (b :: at rows (place a g)) in
      put a b;
      if a <> b then put b a;
      Stack.push (a, b, g) todo
    end
  in
  let moves_of = grouped (fun (a, g, _, _) -> place a g) (fun (_, _, a', g') -> (a', g')) moves in
  let changes = List.filter (fun (_, g, _, g') -> g <> g') moves in
  let changes_of = grouped (fun (a, g, _, _) -> place a g) (fun (_, _, _, g') -> g') changes in
  let movers = grouped (fun (_, g, _) -> g) (fun (a, _, g') -> (a, g')) (List.sort_uniq compare (List.rev_map (fun (a, g, _, g') -> (a, g, g')) changes)) in
  List.iter (fun (a, b, g) -> add a b g) begins;
  while not (Stack.is_empty todo) do
    let a, b, g = Stack.pop todo in
    let own a b = List.iter (fun (a', g') -> add a' b g') (at moves_of (place a g)) in
    own a b;
    own b a;
    List.iter (fun (c, g') -> if (not (has a b g')) && has a c g && has b c g then add a b g') (at movers g);
    (* One of the two is the third of others. *)
    let third a c =
      let globals = at changes_of (place c g) in
      if globals <> [] then List.iter (fun x -> if has x c g then List.iter (fun g' -> add a x g') globals) (at rows (place a g))
    in
    third a b;
    third b a
  done;
  (* By global state and column. *)
  let found = Hashtbl.create 64 in
  Numbers.iter (fun at row ->
    let g = name.(at mod size) and a = name.(at / size) in
    let row = List.rev_map (fun b -> name.(b)) row in
    Hashtbl.replace found g ((a, row) :: (try Hashtbl.find found g with Not_found -> []))) rows;
  (Numbers.length pairs, found)

(* The same as a set, and as a question. *)
let as_set found =
  let planes = Hashtbl.fold (fun g rows planes -> (g, rows) :: planes) found [] in
  let tree value l = List.fold_left (fun t (x, v) -> PositiveMap.add (positive x) (value v) t) PositiveMap.empty l in
  tree (tree (fun row -> tree (fun () -> ()) (List.rev_map (fun b -> (b, ())) row))) planes

let as_question found =
  let known = Hashtbl.create 1024 in
  Hashtbl.iter (fun g rows -> List.iter (fun (a, row) -> let own = Numbers.create 64 in List.iter (fun b -> Numbers.replace own b ()) row; Hashtbl.replace known (a, g) own) rows) found;
  fun a b g -> match Hashtbl.find_opt known (a, g) with Some row -> Numbers.mem row b | None -> false

(* The sets of pairs, turn by turn, until nothing changes. *)
let turns f =
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
    let among = match before with None -> fun _ _ _ -> true | Some (_, pairs) -> as_question pairs in
    let count, pairs = closed_pairs moves begins among in
    (* A turn that changes nothing shows nothing. *)
    if (match before with Some (before, _) -> before = count | None -> false) then List.rev turns
    else
      let set = as_set pairs in
      go (possible cols set steps) (Some (count, pairs)) (not backwards) ({ backwards; set } :: turns)
  in
  go f.fsteps None false []

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
