; A later pattern has its say over an earlier one.
(identifier) @variable
; A name whose first letter is upper-case is shared by all requests.
((identifier) @variable.member
  (#match? @variable.member "^[_0-9]*[A-Z]"))
(member) @constant
(qualified enum: (identifier) @type member: (identifier) @constant)
(const name: (identifier) @constant)
(parameter name: (identifier) @variable.parameter)
(request name: (identifier) @function)
(fn name: (identifier) @function)
(call function: (identifier) @function)
(enum name: (identifier) @type)

[
  "request" "const" "enum" "var" "version" "fn" "invariant" "if" "else" "while" "for" "in" "return" "atomic" "lock" "unlock"
  "await" "assume" "assert" "choose" "fresh" "min" "max" "or" "and" "not" "wrap" "saturate"
] @keyword
[(yield) (skip) (loop_exit) (boolean)] @keyword

(number) @number
[":=" "+=" "-=" "=" "==" "!=" "<" "<=" ">" ">=" "||" "&&" "!" "+" "-" "*" "/" "%" ".."] @operator
(choice) @operator
[(line_comment) (block_comment)] @comment
[";" "," ":" "."] @punctuation.delimiter
["(" ")" "{" "}" "[" "]"] @punctuation.bracket
