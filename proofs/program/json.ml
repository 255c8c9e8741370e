(* JSON, read strictly: one value and nothing after it; no field twice; only
   whole numbers, which are kept as they are written; Unicode that is valid.
   Deeper nesting than any input has is an error. *)

type t = Null | Bool of bool | Number of string | String of string | List of t list | Object of (string * t) list

exception Error of string

let error at message = raise (Error (Printf.sprintf "at byte %d: %s" at message))

let most_nested = 32

(* Whether a text is valid UTF-8. *)
let valid_utf8 s =
  let byte i = if i < String.length s then Char.code s.[i] else 0 in
  let rec tail i n = n = 0 || (byte i land 0xC0 = 0x80 && tail (i + 1) (n - 1)) in
  let rec go i =
    i >= String.length s
    ||
    let b = byte i and next = byte (i + 1) in
    let n = if b < 0x80 then 0 else if b < 0xC2 then 4 else if b < 0xE0 then 1 else if b < 0xF0 then 2 else if b < 0xF5 then 3 else 4 in
    let shortest = not ((b = 0xE0 && next < 0xA0) || (b = 0xF0 && next < 0x90)) in
    let character = not ((b = 0xED && next >= 0xA0) || (b = 0xF4 && next >= 0x90)) in
    n < 4 && tail (i + 1) n && shortest && character && go (i + n + 1)
  in
  go 0

let parse text =
  if not (valid_utf8 text) then raise (Error "the text is not UTF-8");
  let n = String.length text in
  let at = ref (if n >= 3 && String.sub text 0 3 = "\xEF\xBB\xBF" then 3 else 0) in
  (* The next character, which is taken, and the next one after white space, which is not. *)
  let next () = if !at >= n then error n "the text ends too soon" else (incr at; text.[!at - 1]) in
  let rec peek () =
    if !at >= n then '\000' else match text.[!at] with ' ' | '\t' | '\n' | '\r' -> incr at; peek () | c -> c in
  let expect c = if peek () = c && !at < n then incr at else error !at (Printf.sprintf "expected %C" c) in
  let word w value = String.iter (fun c -> if next () <> c then error !at "a value was expected") w; value in
  let hex () =
    let digits = String.init 4 (fun _ -> next ()) in
    let is_digit = function '0' .. '9' | 'a' .. 'f' | 'A' .. 'F' -> true | _ -> false in
    if String.for_all is_digit digits then int_of_string ("0x" ^ digits) else error !at "four hexadecimal digits were expected"
  in
  let unicode () =
    let high = hex () in
    if high < 0xD800 || high >= 0xE000 then high
    else
      let low = if high < 0xDC00 && next () = '\\' && next () = 'u' then hex () else 0 in
      if low < 0xDC00 || low >= 0xE000 then error !at "half of a surrogate pair";
      0x10000 + ((high - 0xD800) * 0x400) + (low - 0xDC00)
  in
  let string () =
    expect '"';
    let out = Buffer.create 16 in
    let rec go () =
      match next () with
      | '"' -> Buffer.contents out
      | '\\' ->
          (match next () with
          | ('"' | '\\' | '/') as c -> Buffer.add_char out c
          | ('b' | 'f' | 'n' | 'r' | 't') as c -> Buffer.add_char out "\b\012\n\r\t".[String.index "bfnrt" c]
          | 'u' -> Buffer.add_utf_8_uchar out (Uchar.of_int (unicode ()))
          | _ -> error !at "an escape that there is not");
          go ()
      | c when c < ' ' -> error !at "a control character in a string"
      | c -> Buffer.add_char out c; go ()
    in
    go ()
  in
  let number () =
    let from = !at in
    if text.[from] = '-' then incr at;
    let first = !at in
    while !at < n && text.[!at] >= '0' && text.[!at] <= '9' do incr at done;
    if !at = first || (!at > first + 1 && text.[first] = '0') then error first "a number was expected that does not begin with 0";
    if !at < n && String.contains ".eE" text.[!at] then error !at "a whole number was expected";
    String.sub text from (!at - from)
  in
  (* The elements up to the closing bracket, in order. *)
  let elements close element =
    incr at;
    let rec go found =
      let found = element () :: found in
      if peek () = ',' then (incr at; go found) else (expect close; List.rev found)
    in
    if peek () = close then (incr at; []) else go []
  in
  let rec value depth =
    if depth > most_nested then error !at "nested too deeply";
    match peek () with
    | '{' ->
        let seen = Hashtbl.create 8 in
        let field () =
          let name = string () in
          if Hashtbl.mem seen name then error !at (Printf.sprintf "field %S is given twice" name);
          Hashtbl.add seen name ();
          expect ':';
          (name, value (depth + 1))
        in
        Object (elements '}' field)
    | '[' -> List (elements ']' (fun () -> value (depth + 1)))
    | '"' -> String (string ())
    | '-' | '0' .. '9' -> Number (number ())
    | 't' -> word "true" (Bool true)
    | 'f' -> word "false" (Bool false)
    | 'n' -> word "null" Null
    | _ -> error !at "a value was expected"
  in
  let result = value 0 in
  if peek () <> '\000' || !at < n then error !at "text after the end";
  result
