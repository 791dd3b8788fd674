"""Texts to train on, or only their counts, with the figures that pages show, each computed once per corpus."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from tokenizer_core.jobs.counted import CountedCorpus
from tokenizer_core.jobs.fingerprint import corpus_hash
from tokenizer_core.texts.excerpts import opening
from tokenizer_core.texts.scripts import Shares, script_shares

OPENING_CHARACTERS = 240
AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Corpus:
    """Texts to train on, and their name; or a file of counted pretokens in place of the texts."""

    name: str  # safe in Markdown; `corpus_called` puts it into words
    texts: tuple[str, ...] = field(repr=False)
    counts: CountedCorpus | None = None

    @cached_property
    def characters(self) -> int:
        return self.counts.characters if self.counts else sum(map(len, self.texts))

    @cached_property
    def lines(self) -> int:
        return sum(text.count("\n") + (not text.endswith("\n")) for text in self.texts if text)

    @cached_property
    def size(self) -> int:
        """UTF-8 bytes."""
        if self.counts is not None:
            return self.counts.recipe.bytes_read
        return sum(map(_size, self.texts))

    @cached_property
    def shares(self) -> Shares | None:
        """The shares of Thai, Latin and other letters; None without letters."""
        return script_shares(self.texts)

    @cached_property
    def sha256(self) -> str:
        """The fingerprint: the same for the same texts in the same order."""
        return self.counts.sha256 if self.counts else corpus_hash(self.texts)

    @cached_property
    def opening(self) -> str:
        """The first lines of the first two nonempty texts."""
        return openings([text for text in self.texts[:100] if text][:2])


def _size(text: str) -> int:
    """Return the UTF-8 bytes of a text, encoded a part at a time: 200 MB at once would need as much again."""
    return sum(
        len(text[start : start + AT_ONCE].encode("utf-8", errors="surrogatepass"))
        for start in range(0, len(text), AT_ONCE)
    )


def openings(texts: list[str]) -> str:
    """Return the first lines of each text, with an ellipsis if the text continues."""
    shown = [(opening(text, OPENING_CHARACTERS).rstrip(), text) for text in texts]
    return "\n".join(first + ("" if text.strip() == first else " …") for first, text in shown)


Source = Callable[[], Corpus | None]
"""A picker of texts: draws its widgets and returns what is picked, or None while nothing is picked."""
