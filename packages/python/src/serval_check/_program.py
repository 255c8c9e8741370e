"""Programs that are made by programs.

    program = Program()
    stock = program.var("Stock", 0, 2, initial=2)
    with program.request("buy") as buy:
        with buy.if_(stock == 0):
            buy.return_(-1)
        left = buy.let("left", stock)
        buy.yield_()
        buy.set(stock, left - 1)
        buy.return_(left)
    serval_check.check(program.text())

Nothing is pasted: a name has to be one, a value has to be a number or an expression, and all else is refused.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import Iterator, List, Optional, Type, TypeVar, Union

from ._calls import format as formatted

Value = Union["Expression", int, bool]
E = TypeVar("E", bound="Expression")

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z", re.ASCII)
# The language's words, its words of other languages that it warns of left aside: those the program itself refuses.
WORDS = frozenset(
    "and assert assume atomic await break choose const continue else enum false fn for fresh if in invariant lock max min not or "
    "request return saturate skip true unlock var version while wrap yield".split()
)


def _name(name: str, upper: Optional[bool]) -> str:
    if not isinstance(name, str) or not NAME.match(name) or name in WORDS:
        raise ValueError(f"{name!r} is no name: a letter, then letters, digits and _, and no word of the language")
    if upper is not None and name[0].isupper() != upper:
        raise ValueError(f"{name!r} has to begin with {'an upper' if upper else 'a lower'}-case letter")
    return name


def _number(value: int) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"a whole number is expected, not {value!r}")
    if not -(2**63) <= value < 2**63:
        raise ValueError(f"{value} does not fit into 64 bits")
    return str(value)


class Expression:
    """An expression; operators make larger ones. `&`, `|` and `~` are the language's `&&`, `||` and `!`."""

    __slots__ = ("_text",)
    _text: str

    def __init__(self, text: object) -> None:
        raise TypeError("expressions come from variables, numbers and operators")

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<{self._text}>"

    def __bool__(self) -> bool:
        raise TypeError("whether this holds is known only when the program runs; & and | join conditions, ~ negates")

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Value) -> Expression:
        return _joined(self, "+", other)

    def __radd__(self, other: Value) -> Expression:
        return _joined(other, "+", self)

    def __sub__(self, other: Value) -> Expression:
        return _joined(self, "-", other)

    def __rsub__(self, other: Value) -> Expression:
        return _joined(other, "-", self)

    def __mul__(self, other: Value) -> Expression:
        return _joined(self, "*", other)

    def __rmul__(self, other: Value) -> Expression:
        return _joined(other, "*", self)

    def __floordiv__(self, other: Value) -> Expression:
        return _joined(self, "/", other)

    def __mod__(self, other: Value) -> Expression:
        return _joined(self, "%", other)

    def __eq__(self, other: object) -> Expression:  # type: ignore[override]
        return _joined(self, "==", other)

    def __ne__(self, other: object) -> Expression:  # type: ignore[override]
        return _joined(self, "!=", other)

    def __lt__(self, other: Value) -> Expression:
        return _joined(self, "<", other)

    def __le__(self, other: Value) -> Expression:
        return _joined(self, "<=", other)

    def __gt__(self, other: Value) -> Expression:
        return _joined(self, ">", other)

    def __ge__(self, other: Value) -> Expression:
        return _joined(self, ">=", other)

    def __and__(self, other: Value) -> Expression:
        return _joined(self, "&&", other)

    def __or__(self, other: Value) -> Expression:
        return _joined(self, "||", other)

    def __invert__(self) -> Expression:
        return _expression(f"!{_part(self)}")

    def __neg__(self) -> Expression:
        return _expression(f"-{_part(self)}")


class Variable(Expression):
    """An expression that can be assigned to."""

    __slots__ = ()


class Array:
    """A global array; `array[index]` is a variable."""

    def __init__(self, name: str) -> None:
        self._name = _name(name, True)

    def __getitem__(self, index: Value) -> Variable:
        return _variable(f"{self._name}[{_text(index)}]")


def _made(kind: Type[E], text: str) -> E:
    made = object.__new__(kind)
    made._text = text
    return made


def _expression(text: str) -> Expression:
    return _made(Expression, text)


def _variable(text: str) -> Variable:
    return _made(Variable, text)


def _text(value: object) -> str:
    if isinstance(value, Expression):
        return str(value)
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int):
        return _number(value)
    raise TypeError(f"a number or an expression is expected, not {value!r}")


def _part(value: object) -> str:
    """A value as a part of a larger expression."""
    text = _text(value)
    return text if isinstance(value, Variable) or text.isdigit() else f"({text})"


def _joined(left: object, sign: str, right: object) -> Expression:
    return _expression(f"{_part(left)} {sign} {_part(right)}")


class Body:
    """The statements of a request, one after the other."""

    def __init__(self) -> None:
        self._lines: List[str] = []
        self._depth = 1

    def _add(self, line: str) -> None:
        self._lines.append("  " * self._depth + line)

    @contextmanager
    def _block(self, head: str) -> Iterator[None]:
        self._add(head + " {")
        self._depth += 1
        before = len(self._lines)
        yield
        if len(self._lines) == before:
            self._add("skip")
        self._depth -= 1
        self._add("};")

    def let(self, name: str, value: Value) -> Variable:
        """Sets a local variable, and is that variable."""
        self._add(f"{_name(name, False)} := {_text(value)};")
        return _variable(name)

    def set(self, variable: Variable, value: Value) -> None:
        """Assigns to a variable."""
        if not isinstance(variable, Variable):
            raise TypeError(f"a variable is expected, not {variable!r}")
        self._add(f"{variable} := {_text(value)};")

    def yield_(self) -> None:
        """Ends the step: other requests may run here."""
        self._add("yield;")

    def return_(self, value: Value) -> None:
        """Ends the request with an answer."""
        self._add(f"return {_text(value)};")

    def await_(self, condition: Value) -> None:
        """Waits until a condition holds."""
        self._add(f"await ({_text(condition)});")

    def assert_(self, condition: Value) -> None:
        """Fails where a condition does not hold."""
        self._add(f"assert ({_text(condition)});")

    def lock(self, name: str) -> None:
        """Takes a lock, and waits until it is free."""
        self._add(f"lock({_name(name, True)});")

    def unlock(self, name: str) -> None:
        """Gives a lock back."""
        self._add(f"unlock({_name(name, True)});")

    @contextmanager
    def if_(self, condition: Value) -> Iterator[None]:
        """What is done where a condition holds."""
        with self._block(f"if ({_text(condition)})"):
            yield

    @contextmanager
    def else_(self) -> Iterator[None]:
        """What is done where the condition of the `if_` right before does not hold."""
        if not self._lines or self._lines[-1] != "  " * self._depth + "};" or not self._is_if():
            raise ValueError("else_ stands right behind if_")
        self._lines[-1] = self._lines[-1][:-1] + " else {"
        self._depth += 1
        before = len(self._lines)
        yield
        if len(self._lines) == before:
            self._add("skip")
        self._depth -= 1
        self._add("};")

    def _is_if(self) -> bool:
        indent = "  " * self._depth
        heads = [line for line in self._lines[:-1] if line.startswith(indent) and not line.startswith(indent + " ")]
        return bool(heads) and heads[-1].startswith(indent + "if (")

    @contextmanager
    def while_(self, condition: Value) -> Iterator[None]:
        """What is repeated while a condition holds."""
        with self._block(f"while ({_text(condition)})"):
            yield


class Program:
    """A program of requests, part by part."""

    def __init__(self) -> None:
        self._declared: List[str] = []
        self._requests: List[str] = []
        self._names: "set[str]" = set()

    def _new(self, name: str) -> str:
        if name in self._names:
            raise ValueError(f"{name} is there already")
        self._names.add(name)
        return name

    def _declaration(self, name: str, least: Optional[int], most: Optional[int], initial: Optional[int]) -> None:
        if (least is None) != (most is None):
            raise ValueError("a range has two ends")
        of = "" if least is None or most is None else f": {_number(least)}..{_number(most)}"
        self._declared.append(f"var {name}{of}" + ("" if initial is None else f" := {_number(initial)}"))

    def var(self, name: str, least: Optional[int] = None, most: Optional[int] = None, *, initial: Optional[int] = None) -> Variable:
        """Declares a global variable, with the range of its values."""
        self._declaration(self._new(_name(name, True)), least, most, initial)
        return _variable(name)

    def array(
        self, name: str, size: int, least: Optional[int] = None, most: Optional[int] = None, *, initial: Optional[int] = None
    ) -> Array:
        """Declares an array of global variables, with indices from 0."""
        if size < 1:
            raise ValueError("an array has an element")
        self._declaration(f"{self._new(_name(name, True))}[0..{_number(size - 1)}]", least, most, initial)
        return Array(name)

    @contextmanager
    def request(self, name: str) -> Iterator[Body]:
        """A request, whose statements are those of the body that it yields."""
        self._new(_name(name, None))
        body = Body()
        yield body
        lines = body._lines or ["  skip"]
        self._requests.append("\n".join([f"request {name} {{", *lines, "}"]))

    def text(self) -> str:
        """The program in the one layout."""
        if not self._requests:
            raise ValueError("a program has a request")
        return formatted("\n".join([*self._declared, "", *self._requests, ""]))
