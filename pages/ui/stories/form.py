"""The form that all stories have: texts beside lanes, a question to predict, and figures counted from both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple
from zlib import crc32

from pages.ui.i18n import catalogue, language, t, translations
from pages.ui.widgets.token_view.drawings import token_count
from pages.ui.widgets.token_view.lanes import Lane

CHOICES = 3
SHORT = 12
"""Characters of a text that may stand beside others."""
Figure = int | str


class Part(NamedTuple):
    """A text of a story; it is drawn and counted by itself."""

    key: str
    text: str
    label: str = ""
    """What it is, in the visitor's language; empty if it is the only one."""


class Side(NamedTuple):
    """One side of a contrast: what is counted, its number, and the word for what the number counts."""

    label: str
    value: int
    unit: str


class Prediction(NamedTuple):
    """What visitors choose from before they see the tokens."""

    choices: tuple[str, ...]
    right: int
    """The index of the true choice."""


@dataclass(frozen=True)
class Story:
    """A story as data; it can be shown at once, step by step, or on paper."""

    name: str
    parts: Sequence[Part]
    lanes: Mapping[str, Lane]
    """The tokenizers, by their names in figures."""
    answer: str
    """The name of the figure that visitors predict."""
    contrast: tuple[str, str]
    """The names of the two numbers that its sentence is about."""
    decoys: Sequence[Figure] = ()
    """Wrong choices that teach something; numbers near the true one make up for those that are missing."""
    facts: Mapping[str, Figure] = field(default_factory=dict)
    """Figures that are not the count of a part."""
    note: str = ""
    """What else must be said beside the drawing."""
    beside: Sequence[Lane] = ()
    """Tokenizers that the visitor put beside its own lanes; no figure is about them."""

    @property
    def drawn(self) -> tuple[Lane, ...]:
        """All lanes that are drawn: its own, then those that the visitor put beside them."""
        return (*self.lanes.values(), *self.beside)

    @cached_property
    def figures(self) -> dict[str, Figure]:
        """The tokens of each part in each lane, named like "gpt2_thai", and the facts."""
        counts = {
            f"{name}_{part.key}": token_count(lane, part.text)
            for name, lane in self.lanes.items()
            for part in self.parts
        }
        return {**counts, **self.facts}

    @property
    def prediction(self) -> Prediction:
        """The true figure among two others."""
        truth = self.figures[self.answer]
        if isinstance(truth, int):
            return guesses(truth, *(decoy for decoy in self.decoys if isinstance(decoy, int)))
        choices = [str(decoy) for decoy in self.decoys if decoy != truth][: CHOICES - 1]
        right = _seeded(truth)
        return Prediction((*choices[:right], truth, *choices[right:]), right)

    @property
    def has_short_parts(self) -> bool:
        """Whether its texts can stand side by side."""
        return len(self.parts) > 1 and max(len(part.text) for part in self.parts) <= SHORT

    @property
    def sides(self) -> list[Side]:
        """The two numbers of the contrast; they are called by what differs, their tokenizers or their texts."""
        of_counts = {f"{name}_{part.key}": (name, part) for name in self.lanes for part in self.parts}
        sides, has_one_text = [], len({of_counts[name][1] for name in self.contrast if name in of_counts}) == 1
        for name in self.contrast:
            lane, part = of_counts.get(name, (name.removesuffix("_entries"), None))
            label = (
                part.label if part and not has_one_text else self.lanes[lane].name if lane in self.lanes else ""
            )
            value = self.figures[name]
            assert isinstance(value, int)
            sides.append(Side(label, value, t(f"stories.unit_{self._unit(name, lane)}", count=value)))
        return sides

    def _unit(self, figure: str, lane: str) -> str:
        """Return what a figure counts."""
        if lane not in self.lanes:
            return figure
        return "entries" if figure.endswith("_entries") else self.lanes[lane].kind

    @property
    def more(self) -> str:
        """What else there is to say after the numbers; empty for most."""
        key = f"stories.{self.name}_more"
        return t(key, **self.figures) if key in catalogue(language()) else ""

    def says(self, what: str) -> str:
        """Return the words for one step: "name", "setting", "question", "says" or "remember"."""
        return t(f"stories.{self.name}_{what}", **self.figures)

    def says_in_every_language(self, what: str) -> dict[str, str]:
        """Return the same words by language."""
        return translations(f"stories.{self.name}_{what}", **self.figures)


def guesses(truth: int, *decoys: int) -> Prediction:
    """Return the true number among two others in order of size; the same truth gives the same choices.

    >>> guesses(6, 1, 3)
    Prediction(choices=('1', '3', '6'), right=2)
    >>> guesses(124).choices, guesses(1).choices, guesses(0).choices
    (('43', '74', '124'), ('1', '2', '3'), ('0', '1', '2'))
    """
    smaller, larger = _near(truth)
    place = _seeded(str(truth))  # how many of the choices are smaller, where there is room
    filled = [*decoys, *smaller[:place], *larger[: CHOICES - 1 - place], *larger]
    others = [number for number in dict.fromkeys(filled) if number != truth][: CHOICES - 1]
    numbers = sorted([truth, *others])
    return Prediction(tuple(f"{number:,}" for number in numbers), numbers.index(truth))


def _seeded(truth: str) -> int:
    """Return a place among the choices that looks random and is always the same for the same truth."""
    return crc32(truth.encode()) % CHOICES


def _near(truth: int) -> tuple[list[int], list[int]]:
    """Return plausible numbers below and above."""
    if truth <= 4:
        return [number for number in (truth - 1, truth - 2) if number > 0], [truth + 1, truth + 2]
    return [round(truth * 0.6), round(truth * 0.35)], [round(truth * 1.7), round(truth * 2.8)]
