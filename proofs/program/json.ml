(* JSON, read strictly: one value and nothing after it; no field twice; only
   whole numbers, which are kept as they are written; Unicode that is valid.
   Deeper nesting than any input has is an error. *)

type t =
  | Null
  | Bool of bool
  | Number of string
  | String of string
  | List of t list
  | Object of (string * t) list

exception Error of string

let error at message = raise (Error (Printf.sprintf "at byte %d: %s" at message))

let most_nested = 32

(* Whether a text is valid UTF-8. *)
let valid_utf8 s =
  let n = String.length s in
  let byte i = Char.code s.[i] in
  let tail i = i < n && byte i land 0xC0 = 0x80 in
  let rec go i =
    i >= n
    ||
    let b = byte i in
    if b < 0x80 then go (i + 1)
    else if b < 0xC2 then false
    else if b < 0xE0 then tail (i + 1) && go (i + 2)
    else if b < 0xF0 then
      tail (i + 1) && tail (i + 2)
      && (b <> 0xE0 || byte (i + 1) >= 0xA0)
      && (b <> 0xED || byte (i + 1) < 0xA0)
      && go (i + 3)
    else if b < 0xF5 then
      tail (i + 1) && tail (i + 2) && tail (i + 3)
      && (b <> 0xF0 || byte (i + 1) >= 0x90)
      && (b <> 0xF4 || byte (i + 1) < 0x90)
      && go (i + 4)
    else false
  in
  go 0

let parse text =
  if not (valid_utf8 text) then raise (Error "the text is not UTF-8");
  let n = String.length text in
  let at = ref (if n >= 3 && String.sub text 0 3 = "\xEF\xBB\xBF" then 3 else 0) in
  let rec peek () =
    if !at >= n then '\000'
    else match text.[!at] with
      | ' ' | '\t' | '\n' | '\r' -> incr at; peek ()
      | c -> c
  in
  let expect c = if peek () = c && !at < n then incr at else error !at (Printf.sprintf "expected %C" c) in
  let hex () =
    if !at + 4 > n then error !at "the text ends in a string";
    let digit c = match c with
      | '0' .. '9' -> Char.code c - 48
      | 'a' .. 'f' -> Char.code c - 87
      | 'A' .. 'F' -> Char.code c - 55
      | _ -> error !at "four hexadecimal digits were expected"
    in
    let value = ref 0 in
    for i = 0 to 3 do value := (!value * 16) + digit text.[!at + i] done;
    at := !at + 4;
    !value
  in
  let string () =
    expect '"';
    let out = Buffer.create 16 in
    let rec go () =
      if !at >= n then error !at "the text ends in a string";
      let c = text.[!at] in
      incr at;
      match c with
      | '"' -> Buffer.contents out
      | '\\' ->
          if !at >= n then error !at "the text ends in a string";
          let e = text.[!at] in
          incr at;
          (match e with
          | '"' | '\\' | '/' -> Buffer.add_char out e
          | 'b' -> Buffer.add_char out '\b'
          | 'f' -> Buffer.add_char out '\012'
          | 'n' -> Buffer.add_char out '\n'
          | 'r' -> Buffer.add_char out '\r'
          | 't' -> Buffer.add_char out '\t'
          | 'u' ->
              let high = hex () in
              let code =
                if high >= 0xDC00 && high < 0xE000 then error !at "half of a surrogate pair"
                else if high >= 0xD800 && high < 0xDC00 then begin
                  if !at + 2 > n || text.[!at] <> '\\' || text.[!at + 1] <> 'u' then error !at "half of a surrogate pair";
                  at := !at + 2;
                  let low = hex () in
                  if low < 0xDC00 || low >= 0xE000 then error !at "half of a surrogate pair";
                  0x10000 + ((high - 0xD800) * 0x400) + (low - 0xDC00)
                end
                else high
              in
              Buffer.add_utf_8_uchar out (Uchar.of_int code)
          | _ -> error !at "an escape that there is not");
          go ()
      | c when c < ' ' -> error !at "a control character in a string"
      | c -> Buffer.add_char out c; go ()
    in
    go ()
  in
  let number () =
    let from = !at in
    let digits () =
      let first = !at in
      while !at < n && text.[!at] >= '0' && text.[!at] <= '9' do incr at done;
      if !at = first then error first "a digit was expected";
      if !at > first + 1 && text.[first] = '0' then error first "a number begins with 0"
    in
    if text.[!at] = '-' then incr at;
    digits ();
    if !at < n && (match text.[!at] with '.' | 'e' | 'E' -> true | _ -> false) then error !at "a whole number was expected";
    String.sub text from (!at - from)
  in
  let word w value =
    if !at + String.length w <= n && String.sub text !at (String.length w) = w then (at := !at + String.length w; value)
    else error !at "a value was expected"
  in
  (* The elements up to the closing bracket, in order. *)
  let elements close element =
    incr at;
    if peek () = close then (incr at; [])
    else begin
      let rec go found =
        let found = element () :: found in
        if peek () = ',' then (incr at; go found) else (expect close; List.rev found)
      in
      go []
    end
  in
  let rec value depth =
    if depth > most_nested then error !at "nested too deeply";
    match peek () with
    | '{' ->
        let seen = Hashtbl.create 8 in
        Object (elements '}' (fun () ->
          if peek () <> '"' then error !at "a field was expected";
          let name = string () in
          if Hashtbl.mem seen name then error !at (Printf.sprintf "field %S is given twice" name);
          Hashtbl.add seen name ();
          expect ':';
          (name, value (depth + 1))))
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
