"""Lanes: one tokenizer over a text, from the choice of it to the drawing."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from tokenizer_core.pretoken_tokenizer import PretokenTokenizer
from tokenizer_core.protocols import AnyTokenizer
from tokenizer_core.tokenizer import Tokenizer

MINE = "mine"
"""What the visitor's own tokenizer is called in choices; references go by their own names."""
Kind = Literal["tokens", "pretokens"]


class Label(NamedTuple):
    """What a lane is called, and a caption that says exactly what it is."""

    name: str
    caption: str = ""


@dataclass(frozen=True)
class History:
    """How the tokens of the text came about: with it the view can go back to any vocabulary size."""

    joined: npt.NDArray[np.int32]
    """As `joining_merges` gives it."""
    levels: Sequence[tuple[str, int]] = ()
    """Tokens that others need for the text, by name: level lines."""
    corpus: Sequence[tuple[int, int]] = ()
    """How the tokenizer's corpus shrank, as (merges, tokens) from no merge on: a second line."""


@dataclass(frozen=True)
class BranchCuts:
    """Which branch of its split pattern cut each pretoken: with it pretokens can have the colour of a branch."""

    branches: Sequence[tuple[str, str, int]]
    """Each branch by its source, in plain words, and the number of its colour."""
    taken_by: Sequence[int | None]
    """The branch of each pretoken; None for what lies between two matches."""


@dataclass(frozen=True)
class Lane:
    """A tokenizer beside others; over a text, with the tokens of that text."""

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
    history: History | None = field(default=None, repr=False)
    cuts: BranchCuts | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """What people call it."""
        return self.label.name

    @property
    def choice(self) -> str:
        """What it is called among the choices of tokenizers."""
        return MINE if self.is_own else self.key

    @property
    def kind(self) -> Kind:
        """Tokens, or the bare pretokens of a split pattern."""
        return "pretokens" if isinstance(self.tokenizer, PretokenTokenizer) else "tokens"

    @property
    def merges(self) -> Sequence[tuple[int, int]]:
        """The merges by which its tokens were made, where they are known."""
        return self.tokenizer.merges if isinstance(self.tokenizer, Tokenizer) else ()


def pretoken_lane(pattern: str, label: Label) -> Lane:
    """The pretokens that a split pattern cuts, as a lane beside tokenizers."""
    return Lane(f"pretokens {pattern}", label, PretokenTokenizer(pattern))
