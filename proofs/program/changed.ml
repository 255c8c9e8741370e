(* Programs with one change, and whether a verdict holds of them: for comparisons. *)

open Proved

(* The changes of a program, each in one place. *)
let changes (program : program) =
  let found = ref [] in
  let globals = List.length program.globals0 in
  let others x locals = match x with
    | Global n -> List.init globals (fun i -> Global (Mapped.nat i))
    | Local n -> List.init locals (fun i -> Local (Mapped.nat i)) in
  let rec go locals e around =
    let to_ e' = if e' <> e then found := around e' :: !found in
    let inside f a = go locals a (fun a -> around (f a)) in
    match e with
    | Number v -> to_ (Number (Z.add v (Zpos XH))); to_ (Number Z0); to_ Choice
    | Choice -> to_ (Number Z0); to_ (Number (Zpos XH))
    | Yield -> to_ (Number Z0)
    | Read x -> List.iter (fun y -> to_ (Read y)) (others x locals)
    | Assign (x, a) -> to_ a; to_ (Seq (Yield, e)); to_ (Seq (e, Yield)); List.iter (fun y -> to_ (Assign (y, a))) (others x locals); inside (fun a -> Assign (x, a)) a
    | Not0 a -> to_ a; inside (fun a -> Not0 a) a
    | Negate a -> to_ a; inside (fun a -> Negate a) a
    | Return a -> to_ a; inside (fun a -> Return a) a
    | Binary (o, a, b) ->
        List.iter (fun (_, o') -> to_ (Binary (o', a, b))) Parsed.operators;
        to_ (Binary (o, b, a));
        inside (fun a -> Binary (o, a, b)) a; inside (fun b -> Binary (o, a, b)) b
    | And (a, b) -> to_ (Or (a, b)); to_ a; to_ b; inside (fun a -> And (a, b)) a; inside (fun b -> And (a, b)) b
    | Or (a, b) -> to_ (And (a, b)); to_ a; to_ b; inside (fun a -> Or (a, b)) a; inside (fun b -> Or (a, b)) b
    | Seq (a, b) -> to_ a; to_ b; to_ (Seq (b, a)); inside (fun a -> Seq (a, b)) a; inside (fun b -> Seq (a, b)) b
    | If (c, a, b) -> to_ (If (c, b, a)); to_ a; to_ b; inside (fun c -> If (c, a, b)) c; inside (fun a -> If (c, a, b)) a; inside (fun b -> If (c, a, b)) b
    | While (c, b) -> to_ (If (c, b, Number Z0)); to_ (Number Z0); inside (fun c -> While (c, b)) c; inside (fun b -> While (c, b)) b
  in
  let body n (q : request) =
    let with_body body = { program with requests0 = List.mapi (fun i q -> if i = n then { q with body } else q) program.requests0 } in
    go (Mapped.size q.others3 + List.length q.parameters) q.body with_body
  in
  List.iteri body program.requests0;
  let more n v = { program with globals0 = List.mapi (fun i w -> if i = n then v else w) program.globals0 } in
  List.iteri (fun n v -> found := more n (Z.add v (Zpos XH)) :: !found) program.globals0;
  Array.of_list !found

(* Whether a verdict holds with up to three requests, as far as that can be said. *)
let holds program verdict =
  let rec go requests =
    if requests = 0 then "open"
    else
      match (verdict, Answers.found program false requests) with
      | exception Answers.Large -> go (requests - 1)
      | exception Answers.Fails -> if verdict = "can fail" then "true" else "false"
      | "serializable", interleaved -> if interleaved = Answers.found program true requests then "true" else "false"
      | "not-serializable", interleaved -> if interleaved <> Answers.found program true requests then "true" else "open"
      | _ -> "open"
  in
  go 3

let why program systems map =
  match why_refused Mapped.fuel program systems map with
  | None -> "accepted"
  | Some refusal -> (
      let state = function Running (_, registers) -> "after a step, with " ^ Mapped.key registers | Finished v -> "finished with " ^ Mapped.key [ v ] in
      let pair ((name, _), local) g = Printf.sprintf "of request %d %s, beside %s" (Reading.int_of (fst name)) (state local) (Mapped.key g) in
      match refusal with
      | TooManyStarts -> "too many starts"
      | BadInitial -> "the initial global state"
      | BadStarts -> "the starts"
      | BadAnswer (a, l) -> "the answer " ^ pair ((a, ()), l) []
      | NoImage (a, l) -> "no image " ^ pair ((a, ()), l) []
      | NoGlobalImage g -> "no image of " ^ Mapped.key g
      | TooLong ((a, l), g) -> "too long " ^ pair ((a, ()), l) g
      | Fails ((a, l), g) -> "a failing step " ^ pair ((a, ()), l) g
      | OtherSteps ((a, l), g) -> "other steps " ^ pair ((a, ()), l) g
      | ChangesOthers ((a, l), g) -> "a change of others " ^ pair ((a, ()), l) g
      | NotClosed g -> "more may occur beside " ^ Mapped.key g)
