"""The recipe of a training: everything that decides its merges. The same corpus gives exactly the same merges."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from tokenizer_core.bpe.trainer import Merge
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.corpus_counts.counts import CountsRecipe, Sha256, Total
from tokenizer_core.errors import RecipeError, refused_field
from tokenizer_core.patterns.split_patterns import MAX_PATTERN_LENGTH, SPLIT_PATTERNS, SUPERWORDS
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import Id, ParityUnit, Size

FORMAT = "tokenizer recipe v1"
RULES = {
    "count": "pairs side by side in every pretoken, overlapping ones too, times the pretoken's count",
    "choose": "the highest count; of equals the pair that stands first in the corpus",
    "replace": "left to right",
}
PARITY_RULES = RULES | {
    "choose": "the language with the most tokens per unit of its texts, of equals the first; in these texts "
    "the highest count, of equals the pair that stands first"
}
SUPERWORDS_RULES = RULES | {
    "superwords": f"from the vocabulary size superwords_from on, the texts are cut by {SUPERWORDS}; the merges "
    "until then are made in them first, in order"
}
HASHED = "each text in order: its length in bytes as 8 bytes, lowest first, then its UTF-8"
MAX_BYTES = 8 * 2**20
Pattern = Annotated[str, Meta(max_length=MAX_PATTERN_LENGTH)]


class ParityRule(Struct, frozen=True):
    """Parity-aware BPE: each merge is chosen by the language that then has the most tokens per unit."""

    unit: ParityUnit
    languages: tuple[Annotated[str, Meta(max_length=40)], ...]
    """The language of each text of the corpus."""


class Recipe(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="format", tag=FORMAT):
    """The input and the result of a training, and the versions of the software. Its JSON has these fields."""

    rules: dict[str, str]
    corpus: Annotated[str, Meta(max_length=1000)]
    """The name of the corpus for people."""
    corpus_sha256: Sha256
    """The result of `corpus_hash`."""
    corpus_sha256_of: Annotated[str, Meta(max_length=200)] = ""
    """What that is the hash of, for people who want to compute it."""
    corpus_characters: Total
    pattern: Pattern
    """A name in `SPLIT_PATTERNS`, or a regular expression."""
    pattern_source: Pattern
    """The regular expression itself."""
    vocab_size: Size
    """The 256 bytes and the merges learned."""
    min_count: Annotated[int, Meta(ge=1, lt=2**31)]
    special_tokens: tuple[str, ...] | Mapping[str, Id]
    """Special tokens, or special tokens with ids of their own."""
    given: tuple[tuple[Id, Id], ...]
    """The pairs merged first, whatever their counts."""
    merges_sha256: Sha256
    versions: dict[str, str]
    parity: ParityRule | None = None
    counts: CountsRecipe | None = None
    """What was counted and how, if only counted pretokens were there to learn from."""
    superwords_from: Size | None = None
    """The vocabulary size from which on tokens cross pretokens; without it, none does."""

    def __post_init__(self) -> None:
        """Refuse other training rules; while msgspec reads a recipe, this is its error."""
        superwords = self.superwords_from is not None
        if self.rules != (PARITY_RULES if self.parity else SUPERWORDS_RULES if superwords else RULES):
            raise ValueError("the rules are others")
        if superwords and (self.parity or self.counts):
            raise ValueError("no rules let tokens cross pretokens by parity, or from counts")
        if self.superwords_from is not None and self.superwords_from >= self.vocab_size:
            raise ValueError("no token is left that may cross pretokens")


def recipe_of(job: Job, merges: Sequence[Merge] | None = None) -> Recipe | None:
    """Return the recipe of what a job has learned so far, or of these merges; None before its corpus is read.

    A recipe has no time limits and no goals: it asks for as many merges as the job has learned.
    """
    if job.corpus_sha256 is None:
        return None
    training = job.training
    pairs = [(merge.left, merge.right) for merge in (list(job.merges) if merges is None else merges)]
    special, unit = training.special_tokens, training.unit
    parity = ParityRule(unit, training.languages) if training.parity and unit else None
    crosses = job.superwords_after is not None and len(pairs) > job.superwords_after
    # A recipe has one stage and no measured texts: what these decided is given to it.
    decided = training.first_merges if parity or not training.parity else len(pairs)
    return Recipe(
        rules=PARITY_RULES if parity else SUPERWORDS_RULES if crosses else RULES,
        corpus=training.corpus_name,
        corpus_sha256=job.corpus_sha256,
        corpus_sha256_of="" if training.counts else HASHED,
        corpus_characters=job.corpus_characters,
        pattern=training.pattern,
        pattern_source=SPLIT_PATTERNS.get(training.pattern, training.pattern),
        vocab_size=BYTES + len(pairs),
        min_count=training.stop.min_count,
        special_tokens=dict(special) if isinstance(special, Mapping) else tuple(special),
        given=tuple(pairs[: max(len(training.given), decided)]),
        merges_sha256=merges_hash(pairs),
        versions=dict(job.versions),
        parity=parity,
        counts=training.counts.recipe if training.counts else None,
        superwords_from=BYTES + job.superwords_after if crosses and job.superwords_after is not None else None,
    )


def merges_hash(pairs: Iterable[Sequence[int]]) -> str:
    """Return the SHA-256, in hexadecimal, of the merges in order, with one line "left right" per merge.

    >>> merges_hash([(97, 98), (256, 99)])[:8]
    '2aeb7740'
    """
    return hashlib.sha256("".join(f"{left} {right}\n" for left, right in pairs).encode()).hexdigest()


def recipe_text(recipe: Recipe) -> str:
    """Write a recipe as JSON, for people to read and for `parse_recipe` to parse."""
    return msgspec.json.format(msgspec.json.encode(recipe).decode()) + "\n"


def parse_recipe(content: str | bytes) -> Recipe:
    """Parse a recipe from JSON; raise `RecipeError` if it is damaged, or has other training rules."""
    if len(content) > MAX_BYTES:
        raise RecipeError("recipe_large", limit=MAX_BYTES)
    try:
        return msgspec.json.decode(content, type=Recipe)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        if (field := refused_field(error)) in ("", "format", "rules"):
            raise RecipeError("recipe_none") from None
        raise RecipeError("recipe_field", field=field) from None


def differs(recipe: Recipe, job: Job) -> list[str]:
    """Return the fields in which a job's own recipe differs; none if the merges are exactly the same."""
    own = recipe_of(job)
    settings = ("corpus_sha256", "pattern_source", "min_count", "given", "parity", "superwords_from")
    compared = (*settings, "vocab_size", "merges_sha256")
    return [name for name in compared if own is None or getattr(own, name) != getattr(recipe, name)]
