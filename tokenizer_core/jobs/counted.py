"""A counts file as the corpus of a training: what it says of itself, and its content."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple, Self

from tokenizer_core.counting.counts import CountsRecipe
from tokenizer_core.counting.counts_file import checked_recipe
from tokenizer_core.errors import CountsError

MOST = 2**62
_HASH_LENGTH = 64


@dataclass(frozen=True)
class CountedCorpus:
    """A counts file that was read and found whole."""

    recipe: CountsRecipe
    sha256: str
    """The result of `Counts.sha256`."""
    characters: int
    """Characters of all pretokens, repeated ones included, without those that were dropped."""
    distinct: int
    """Distinct pretokens."""
    content: bytes = field(default=b"", repr=False, compare=False)
    """The file; empty once it is no longer kept."""

    @property
    def bytes_each(self) -> float:
        """UTF-8 bytes of each character that was counted."""
        return (self.recipe.bytes_read - self.recipe.dropped_bytes) / max(1, self.characters)

    def forgotten(self) -> Self:
        """Return the same without the file."""
        return replace(self, content=b"")

    def described(self) -> dict[str, Any]:
        """Return everything except the file, in a form that JSON can hold."""
        described = asdict(self.forgotten())
        del described["content"]
        return described

    @classmethod
    def from_description(cls, found: Mapping[str, Any], content: bytes = b"") -> Self:
        """Return what was described, with every value checked; raise `CountsError` if one is wrong."""
        if not isinstance(found.get("recipe"), Mapping):
            raise _wrong("recipe")
        recipe = checked_recipe(found["recipe"])
        digest = found.get("sha256")
        if not isinstance(digest, str) or len(digest) != _HASH_LENGTH or not digest.isalnum():
            raise _wrong("sha256")
        return cls(recipe, digest, _count(found, "characters"), _count(found, "distinct"), content)


def _count(found: Mapping[str, Any], name: str) -> int:
    number = found.get(name)
    if type(number) is not int or not 0 <= number < MOST:
        raise _wrong(name)
    return number


def _wrong(name: str) -> CountsError:
    return CountsError(
        f"what is kept of counts must have a valid field {name!r}; it is missing or wrong",
        "counts_recipe",
        field=name,
    )


class Counting(NamedTuple):
    """How far the counting of a corpus is."""

    done: int
    """Bytes."""
    size: int
    """Bytes of the whole corpus; 0 while that is unknown, as for a counts file."""
    seconds: float
