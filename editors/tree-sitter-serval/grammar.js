// The grammar of programs of serval, for editors: it accepts every text that `serval` accepts, and some more.
//
// Words such as `lock` are keywords only where their form begins; elsewhere they are names, as in the published
// language. A `;` may be missing behind any statement here, while serval lets it be missing behind `}` alone.

const PREC = { assign: 1, or: 2, and: 3, compare: 4, sum: 5, product: 6, unary: 7, call: 9, statement: -1 };

/** Words that begin a form where what belongs to it follows, and are names elsewhere. */
const WORDS = [
  'lock', 'unlock', 'await', 'assume', 'assert', 'choose', 'fresh', 'min', 'max', 'atomic', 'for', 'return', 'not', 'skip',
  'break', 'continue', 'const', 'enum', 'var', 'version', 'fn', 'invariant', 'true', 'false',
];

const commas = rule => seq(rule, repeat(seq(',', rule)), optional(','));

module.exports = grammar({
  name: 'serval',

  word: $ => $.identifier,

  extras: $ => [/[ \t\r\n\v\f\uFEFF]/, $.line_comment, $.block_comment],

  supertypes: $ => [$._expression],

  conflicts: $ => [
    [$._name, $.skip],
    [$._name, $.loop_exit],
    [$._name, $.boolean],
  ],

  rules: {
    program: $ => repeat(choice($.request, $.const, $.enum, $.var, $.version, $.fn, $.invariant, $._statement, ',')),

    request: $ => seq('request', field('name', $._name), optional($.parameters), field('body', $.block)),
    parameters: $ => seq('(', optional(commas($.parameter)), ')'),
    parameter: $ => seq(field('name', $._name), optional(seq(':', choice($.range, $.value_set)))),
    value_set: $ => seq('{', commas($._expression), '}'),

    const: $ => prec.right(PREC.call, seq('const', field('name', $._name), choice('=', ':='), $._expression)),
    enum: $ => prec(PREC.call, seq('enum', field('name', $._name), '{', commas($.member), '}')),
    member: $ => $._name,
    var: $ => prec.right(PREC.call, seq(
      'var', field('name', $._name),
      repeat(seq('[', $.range, ']')),
      optional(seq(':', $.range)),
      optional($.fit),
      optional(seq(':=', $._expression, optional($.fit))),
    )),
    fit: _ => choice('wrap', 'saturate'),
    range: $ => prec.right(seq($._expression, optional(seq('..', $._expression)))),
    version: $ => prec.right(PREC.call, seq('version', field('name', $._name), ':', $._expression)),
    fn: $ => prec(PREC.call, seq('fn', field('name', $._name), $.parameters, field('body', $.block))),
    invariant: $ => prec.right(PREC.call, seq('invariant', $._expression)),

    block: $ => seq('{', repeat($._statement), '}'),
    _statement: $ => prec.right(PREC.statement, seq(choice($._expression, $.var), repeat(';'))),

    _expression: $ => choice(
      $.assignment, $.return, $.binary, $.negation, $.not, $.number, $.boolean, $.choice, $.yield, $.skip, $.loop_exit,
      $.variable, $.element, $.qualified, $.call, $.lock, $.wait, $.check, $.choose, $.fresh, $.extreme, $.atomic, $.for, $.if_expression,
      $.while, $.parenthesized,
    ),

    assignment: $ => prec.right(PREC.assign, seq(
      field('left', choice($.variable, $.element)), field('operator', choice(':=', '+=', '-=')), field('right', $._expression),
    )),
    return: $ => prec.right(PREC.assign, seq('return', $._expression)),

    binary: $ => choice(
      ...[
        [PREC.or, choice('||', 'or')],
        [PREC.and, choice('&&', 'and')],
        [PREC.compare, choice('==', '!=', '<', '<=', '>', '>=')],
        [PREC.sum, choice('+', '-')],
        [PREC.product, choice('*', '/', '%')],
      ].map(([level, operator]) => prec.left(level, seq(field('left', $._expression), field('operator', operator), field('right', $._expression)))),
    ),
    negation: $ => prec(PREC.unary, seq('-', $._expression)),
    not: $ => prec(PREC.unary, seq(choice('!', 'not'), $._expression)),

    number: _ => /[0-9]+/,
    boolean: _ => prec.dynamic(1, choice('true', 'false')),
    choice: _ => '?',
    yield: _ => 'yield',
    skip: _ => prec.dynamic(1, 'skip'),
    loop_exit: _ => prec.dynamic(1, choice('break', 'continue')),

    variable: $ => $._name,
    element: $ => prec.left(PREC.call, seq(field('array', $._name), repeat1(prec(PREC.call, seq('[', $._expression, ']'))))),
    qualified: $ => prec(PREC.call, seq(field('enum', $._name), '.', field('member', $._name))),
    call: $ => prec(PREC.call, seq(field('function', $._name), $.arguments)),
    arguments: $ => seq('(', optional(commas(choice($._expression, $.between))), ')'),
    between: $ => seq($._expression, '..', $._expression),

    lock: $ => prec.dynamic(1, prec(PREC.call, seq(choice('lock', 'unlock'), $.arguments))),
    wait: $ => prec.dynamic(1, prec(PREC.call, seq('await', $.parenthesized))),
    check: $ => prec.dynamic(1, prec(PREC.call, seq(choice('assume', 'assert'), $.parenthesized))),
    choose: $ => prec.dynamic(1, prec(PREC.call, seq('choose', $.arguments))),
    fresh: $ => prec.dynamic(1, prec(PREC.call, seq('fresh', $.arguments))),
    extreme: $ => prec.dynamic(1, prec(PREC.call, seq(choice('min', 'max'), $.arguments))),
    atomic: $ => prec.dynamic(1, prec(PREC.call, seq('atomic', field('body', $.block)))),
    for: $ => prec.dynamic(1, prec(PREC.call, seq('for', field('name', $._name), 'in', $.range, field('body', $.block)))),

    if_expression: $ => prec.right(seq(
      'if', field('condition', $.parenthesized), field('consequence', $.block),
      repeat(seq('else', 'if', field('condition', $.parenthesized), field('consequence', $.block))),
      optional(seq('else', field('alternative', $.block))),
    )),
    while: $ => seq('while', field('condition', $.parenthesized), field('body', $.block)),
    parenthesized: $ => seq('(', repeat1($._statement), ')'),

    _name: $ => choice($.identifier, alias(choice(...WORDS), $.identifier)),
    identifier: _ => /[A-Za-z_][A-Za-z0-9_]*/,

    line_comment: _ => token(seq('//', /[^\n]*/)),
    block_comment: _ => token(seq('/*', /[^*]*\*+([^/*][^*]*\*+)*/, '/')),
  },
});
