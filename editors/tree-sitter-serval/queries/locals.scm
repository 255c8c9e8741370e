(request) @local.scope
(fn) @local.scope
(parameter name: (identifier) @local.definition)
(for name: (identifier) @local.definition)
(variable (identifier) @local.reference)
(element array: (identifier) @local.reference)
