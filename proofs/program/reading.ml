(* Parts of JSON, from numbers and lists to the types that were extracted. *)

open Proved

exception Refused of string
(* What is not covered yet, by name. *)
exception Uncovered of string

let refuse format = Printf.ksprintf (fun message -> raise (Refused message)) format

let list = function Json.List l -> l | _ -> refuse "a list was expected"
let string = function Json.String s -> s | _ -> refuse "a string was expected"

(* Natural numbers that are numbers of something. *)
let natural = function
  | Json.Number s when s.[0] <> '-' && String.length s <= 10 && int_of_string s <= 0xFFFFFFFF -> int_of_string s
  | _ -> refuse "a number of 32 bits was expected"

(* Numbers from 1 on. *)
let counted value = let n = natural value in if n = 0 then refuse "a number from 1 on was expected" else n

(* The values of exactly these fields, in this order. *)
let fields names = function
  | Json.Object given ->
      List.iter (fun (name, _) -> if not (List.mem name names) then refuse "there is no field %S here" name) given;
      List.map (fun name -> match List.assoc_opt name given with Some v -> v | None -> refuse "field %S is missing" name) names
  | _ -> refuse "an object was expected"

let kind_of = function
  | Json.Object given -> (match List.assoc_opt "kind" given with Some k -> string k | None -> refuse "field \"kind\" is missing")
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

let named_field value =
  match value with Json.Object [ (name, value) ] -> (name, value) | _ -> refuse "an object with one field was expected"
