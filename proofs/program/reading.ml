(* Parts of JSON, from numbers and lists to the types that were extracted. *)

open Proved

type string = Stdlib.String.t

exception Refused of string

(* What is not covered yet, by name. *)
exception Uncovered of string

(* What is not as a certificate must be. *)
exception Unfit

let refuse format = Printf.ksprintf (fun message -> raise (Refused message)) format
let fit holds = if not holds then raise Unfit

let list = function Json.List l -> l | _ -> refuse "a list was expected"
let string = function Json.String s -> s | _ -> refuse "a string was expected"

(* Natural numbers that are numbers of something. *)
let natural = function
  | Json.Number s when s.[0] <> '-' && String.length s <= 10 && int_of_string s <= 0xFFFFFFFF -> int_of_string s
  | _ -> refuse "a number of 32 bits was expected"

(* Numbers from 1 on. *)
let counted value = let n = natural value in if n = 0 then refuse "a number from 1 on was expected" else n

let field name = function Json.Object given -> List.assoc_opt name given | _ -> None
let given name value = field name value <> None

(* Takes fields by name; one that is missing, or that is not taken, is an error. *)
let reading read = function
  | Json.Object given ->
      let left = ref given in
      let take name =
        match List.assoc_opt name !left with
        | Some value -> left := List.remove_assoc name !left; value
        | None -> refuse "field %S is missing" name
      in
      let result = read take in
      List.iter (fun (name, _) -> refuse "there is no field %S here" name) !left;
      result
  | _ -> refuse "an object was expected"

let rec positive n = if n = 1 then XH else if n land 1 = 1 then XI (positive (n lsr 1)) else XO (positive (n lsr 1))
let rec int_of = function XH -> 1 | XO p -> 2 * int_of p | XI p -> (2 * int_of p) + 1

(* Numbers from 0 in files are numbers from 1 here. *)
let number n = positive (n + 1)
let id value = number (natural value)
let pair f g = function Json.List [ a; b ] -> let a = f a in (a, g b) | _ -> refuse "a pair was expected"
let map f value = List.rev (List.rev_map f (list value))
let ids = map id
let relation = map (pair id id)

let named_field = function Json.Object [ named ] -> named | _ -> refuse "an object with one field was expected"

(* Whether a list is in order, nothing twice. *)
let rec rising key = function a :: (b :: _ as rest) -> key a < key b && rising key rest | _ -> true

(* Whole numbers of any size that certificates have. *)
let integer = function
  | Json.Number s when s <> "-0" && String.length s <= 40 ->
      let of_int n = if n = 0 then Z0 else Zpos (positive n) in
      let digit z c = if c = '-' then z else Z.add (Z.mul z (of_int 10)) (of_int (Char.code c - 48)) in
      let z = if String.length s <= 18 then of_int (abs (int_of_string s)) else String.fold_left digit Z0 s in
      if s.[0] = '-' then Z.opp z else z
  | _ -> refuse "a whole number was expected"

let not_negative value = match integer value with Zneg _ -> refuse "a number that is not negative was expected" | z -> z

(* How many of something there are. *)
let amount value = match natural value with 0 -> N0 | n -> Npos (positive n)

(* Numbers of something with coefficients that are not 0, in order. *)
let terms = map (pair id integer)
let in_order terms = rising (fun (n, _) -> int_of n) terms && List.for_all (fun (_, c) -> c <> Z0) terms
