(* All answers of few requests, by the steps of the definition: for comparisons. *)

open Proved

exception Fails
exception Large

module Met = Set.Make (struct type t = z list * (positive * local) list * (positive * z) list let compare = compare end)

(* The configurations that are met, at most. *)
let most = 200_000

let rec insert x = function y :: l when compare x y > 0 -> y :: insert x l | l -> x :: l

let rec each before = function [] -> [] | x :: after -> (x, List.rev_append before after) :: each (x :: before) after

(* The lists of what at most so many requests answer, sorted. *)
let found (program : program) serial requests =
  let starts = List.map (fun (q : request) -> (q.name, Running (q.body, List.init (Mapped.size q.others3) (fun _ -> Z0)))) program.requests0 in
  let met = ref Met.empty and known = Hashtbl.create 1024 and answers = ref [] in
  let ways local g =
    match Hashtbl.find_opt known (local, g) with
    | Some ways -> ways
    | None ->
        let ways = match outcomes Mapped.fuel local g with Some (ways, false) -> ways | Some (_, true) -> raise Fails | None -> raise Large in
        Hashtbl.add known (local, g) ways;
        ways
  in
  let rec go = function
    | [] -> ()
    | ((g, flight, completed) as c) :: todo when not (Met.mem c !met) ->
        met := Met.add c !met;
        if Met.cardinal !met > most then raise Large;
        if flight = [] then answers := completed :: !answers;
        let comes = List.length flight + List.length completed < requests && (flight = [] || not serial) in
        let spawned = if comes then List.map (fun s -> (g, insert s flight, completed)) starts else [] in
        let one ((name, local), others) =
          match local with
          | Finished v -> [ (g, others, insert (name, v) completed) ]
          | local -> List.map (fun (l, g') -> (g', insert (name, l) others, completed)) (ways local g)
        in
        go (List.rev_append spawned (List.rev_append (List.concat_map one (each [] flight)) todo))
    | _ :: todo -> go todo
  in
  go [ (program.globals0, [], []) ];
  List.sort_uniq compare !answers

(* In words, as the naive interpreter of the other side says them. *)
let words names answers =
  let line answer = String.concat " " (List.sort compare (List.map (fun (n, v) -> Printf.sprintf "%s=%Ld" (List.nth names (Reading.int_of n - 1)) (Mapped.plain v)) answer)) in
  List.sort compare (List.map line answers)

let section title lines = String.concat "" (List.map (fun l -> l ^ "\n") (title :: lines))

let told (program, (_, names, _)) requests =
  match found program false requests with
  | exception Fails -> section (Printf.sprintf "-- interleaved %d" requests) [ "fault" ]
  | interleaved ->
      section (Printf.sprintf "-- interleaved %d" requests) (words names interleaved) ^ section "-- serial" (words names (found program true requests))

(* Compares with a file of programs and their answers: how many there are, how many can fail, how many have too many configurations,
   and those that differ. *)
let compare_all text =
  let begins prefix line = String.starts_with ~prefix line in
  let count = ref 0 and failing = ref 0 and large = ref 0 and wrong = ref [] in
  let one title core wanted =
    incr count;
    let wanted = section (List.hd wanted) (List.tl wanted) in
    let requests = Scanf.sscanf wanted "-- interleaved %d" Fun.id in
    match told (Core.read_program [] [] (String.concat "\n" core ^ "\n")) requests with
    | said -> if String.ends_with ~suffix:"\nfault\n" said then incr failing; if said <> wanted then wrong := (title, said) :: !wrong
    | exception Large -> incr large
  in
  let rec programs = function
    | title :: lines when begins "== " title ->
        let rec until stops found = function line :: rest when not (stops line) -> until stops (line :: found) rest | rest -> (List.rev found, rest) in
        let core, rest = until (begins "-- ") [] lines in
        let wanted, rest = until (begins "== ") [] rest in
        one title core wanted;
        programs rest
    | _ -> ()
  in
  let text = if String.ends_with ~suffix:"\n" text then String.sub text 0 (String.length text - 1) else text in
  programs (String.split_on_char '\n' text);
  (!count, !failing, !large, List.rev !wrong)
