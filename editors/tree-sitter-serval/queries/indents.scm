[(block) (enum) (value_set) (parenthesized) (arguments)] @indent
["}" ")"] @outdent
