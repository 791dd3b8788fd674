"""Lanes: a lane is one tokenizer beside others, from its choice to its drawing."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy.typing as npt

from tokenizer_core.formats.file_tokenizer import FileTokenizer
from tokenizer_core.measures.pretoken_tokenizer import PretokenTokenizer
from tokenizer_core.protocols import AnyTokenizer, PlacedTokens
from tokenizer_core.tokenizer import Tokenizer

MINE = "mine"
"""What the visitor's own tokenizer is called in choices; references go by their own names."""
Kind = Literal["tokens", "pretokens"]


class Label(NamedTuple):
    """The name of a lane, and a caption that says exactly what it is."""

    name: str
    caption: str = ""
    made_of: str = ""
    """What the number in the caption is made of: shown when the mouse is over it, or when it is opened."""


@dataclass(frozen=True)
class BranchCuts:
    """The branch of the split pattern that cut each pretoken, for the colours by branch."""

    branches: Sequence[tuple[str, str, int]]
    """Each branch by its source, in plain words, and the number of its colour."""
    taken_by: Sequence[int | None]
    """The branch of each pretoken; None for what lies between two matches."""


@dataclass(frozen=True)
class Lane:
    """A tokenizer beside others, and, once it has encoded a text, its tokens."""

    key: str
    """The same as long as the tokens of a text stay the same: caches know a lane by it."""
    label: Label
    tokenizer: AnyTokenizer
    encoding: npt.NDArray[Any] | Sequence[int] | None = field(default=None, repr=False)
    """The ids of the text's tokens; None until there is a text."""
    is_own: bool = False
    """Whether it is the visitor's own tokenizer."""
    counts: Sequence[int] = field(default=(), repr=False)
    """How often each merge's pair stood in the corpus, where that is known."""
    cuts: BranchCuts | None = field(default=None, repr=False)
    chosen_as: str = ""
    """Its name among the choices of tokenizers, where that is not its key."""
    placed: PlacedTokens | None = field(default=None, repr=False)
    """The same tokens with the text that each covers, where tokens do not spell the text."""
    special_acts: bool = False
    """Whether the special tokens in a text act; otherwise they are ordinary text."""

    @property
    def name(self) -> str:
        """The name that people read."""
        return self.label.name

    @property
    def choice(self) -> str:
        """Its name among the choices of tokenizers."""
        return self.chosen_as or (MINE if self.is_own else self.key)

    @property
    def kind(self) -> Kind:
        """Whether it shows tokens, or only the pretokens of a split pattern."""
        return "pretokens" if isinstance(self.tokenizer, PretokenTokenizer) else "tokens"

    @property
    def merges(self) -> Sequence[tuple[int, int]]:
        """The merges that made its tokens, empty if they are not known."""
        return self.tokenizer.merges if isinstance(self.tokenizer, Tokenizer | FileTokenizer) else ()


def pretoken_lane(pattern: str, label: Label) -> Lane:
    """Return the pretokens of a split pattern as a lane, to be shown beside tokenizers."""
    return Lane(f"pretokens {pattern}", label, PretokenTokenizer(pattern))
