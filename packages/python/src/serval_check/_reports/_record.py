"""What all classes of reports have in common: they are read from JSON, and can be written as the same JSON."""

from __future__ import annotations

from typing import Any, Callable, ClassVar, Mapping, Optional, Tuple, Type, TypeVar

Reader = Callable[[Any], Any]
# For each field: its name in JSON, its name here, whether it is always there, and how it is read.
Fields = Tuple[Tuple[str, str, bool, Optional[Reader]], ...]
R = TypeVar("R", bound="Record")


def frozen(value: Any) -> Any:
    """A value without lists, which could be changed."""
    if isinstance(value, list):
        return tuple(frozen(one) for one in value)
    if isinstance(value, dict):
        return {key: frozen(one) for key, one in value.items()}
    return value


def many(reader: Reader) -> Reader:
    """Reads a list."""
    return lambda values: tuple(reader(value) for value in values)


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Record):
        return value.to_json()
    if isinstance(value, tuple):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return value


class Record:
    """An object of a report. Fields that a later version of the program adds are left out."""

    FIELDS: ClassVar[Fields] = ()

    @classmethod
    def read(cls: Type[R], value: Mapping[str, Any]) -> R:
        """The object that JSON describes."""
        given = {}
        for key, field, required, reader in cls.FIELDS:
            if required or key in value:
                one = value[key]
                given[field] = one if reader is None or one is None else reader(one)
        return cls(**given)

    def to_json(self) -> "dict[str, Any]":
        """The object as the program has written it."""
        written = {}
        for key, field, required, _ in self.FIELDS:
            value = getattr(self, field)
            if required or value is not None:
                written[key] = plain(value)
        return written
