(* Programs in the core language. What [Parsed] has read is printed again by a function
   of the development, and compared with the text: a misreading is seen. *)

open Proved
open Reading

let coq_string s =
  let ascii c = let bit i = Char.code c land (1 lsl i) <> 0 in Ascii (bit 0, bit 1, bit 2, bit 3, bit 4, bit 5, bit 6, bit 7) in
  List.fold_left (fun rest c -> String (ascii c, rest)) EmptyString (List.rev (List.of_seq (String.to_seq s)))

let of_coq_string s =
  let out = Buffer.create 1024 in
  let char (Ascii (a, b, c, d, e, f, g, h)) = List.fold_right (fun bit n -> (2 * n) + Bool.to_int bit) [ a; b; c; d; e; f; g; h ] 0 in
  let rec go = function EmptyString -> Buffer.contents out | String (c, rest) -> Buffer.add_char out (Char.chr (char c)); go rest in
  go s

let read_program globals locals text =
  let program, ((global_names, request_names, local_names) as names) = Parsed.read_tree globals locals text in
  let coq = List.map coq_string in
  match print { global_names = coq global_names; request_names = coq request_names; local_names = List.map coq local_names } program with
  | Some printed when of_coq_string printed = text -> (program, names)
  | _ -> refuse "the text of the core language is not as it was understood"
