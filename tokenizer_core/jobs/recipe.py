"""The recipe of a training: everything that decides its merges. The same corpus gives exactly the same merges."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import regex

from tokenizer_core.counting.counts_file import checked_recipe
from tokenizer_core.errors import CountsError, RecipeError
from tokenizer_core.jobs.job import Job
from tokenizer_core.patterns import MAX_PATTERN_LENGTH, SPLIT_PATTERNS
from tokenizer_core.trainer import Merge
from tokenizer_core.vocabulary import BYTES

FORMAT = "tokenizer recipe v1"
RULES = {
    "count": "pairs side by side in every pretoken, overlapping ones too, times the pretoken's count",
    "choose": "the highest count; of equals the pair that stands first in the corpus",
    "replace": "left to right",
}
MAX_BYTES = 8 * 2**20


@dataclass(frozen=True)
class Recipe:
    """The input and the result of a training, and the versions of the software."""

    corpus: str
    """The name of the corpus for people."""
    corpus_sha256: str
    """The result of `fingerprint.corpus_hash`."""
    corpus_characters: int
    pattern: str
    """A name in `SPLIT_PATTERNS`, or a regular expression."""
    pattern_source: str
    """The regular expression itself."""
    vocab_size: int
    """The 256 bytes and the merges learned."""
    min_count: int
    special_tokens: tuple[str, ...] | Mapping[str, int]
    """Special tokens, or special tokens with ids of their own."""
    given: tuple[tuple[int, int], ...]
    """The pairs merged first, whatever their counts."""
    merges_sha256: str
    versions: Mapping[str, str]
    counts: Mapping[str, Any] | None = None
    """What was counted and how, as `CountsRecipe` has it, if only counted pretokens were there to learn from."""


def recipe_of(job: Job, merges: Sequence[Merge] | None = None) -> Recipe | None:
    """Return the recipe of what a job has learned so far, or of these merges; None before its corpus is read.

    A recipe has no time limits and no goals: it asks for as many merges as the job has learned.
    """
    if job.corpus_sha256 is None:
        return None
    training = job.training
    pairs = [(merge.left, merge.right) for merge in (list(job.merges) if merges is None else merges)]
    return Recipe(
        corpus=training.corpus_name,
        corpus_sha256=job.corpus_sha256,
        corpus_characters=job.corpus_characters,
        pattern=training.pattern,
        pattern_source=SPLIT_PATTERNS.get(training.pattern, training.pattern),
        vocab_size=BYTES + len(pairs),
        min_count=training.stop.min_count,
        special_tokens=_kept_as_given(training.special_tokens),
        # A recipe has one stage: what the first stage learned is given to it.
        given=tuple(pairs[: max(len(training.given), training.first_merges)]),
        merges_sha256=merges_hash(pairs),
        versions=job.versions,
        counts=asdict(training.counts.recipe) if training.counts else None,
    )


def merges_hash(pairs: Iterable[Sequence[int]]) -> str:
    """Return the SHA-256, in hexadecimal, of the merges in order, with one line "left right" per merge.

    >>> merges_hash([(97, 98), (256, 99)])[:8]
    '2aeb7740'
    """
    return hashlib.sha256("".join(f"{left} {right}\n" for left, right in pairs).encode()).hexdigest()


def recipe_text(recipe: Recipe) -> str:
    """Write a recipe as JSON, for people to read and for `parse_recipe` to parse."""
    described = asdict(recipe)
    if recipe.counts is None:
        del described["counts"]
    return json.dumps({"format": FORMAT, "rules": RULES, **described}, ensure_ascii=False, indent=2) + "\n"


def parse_recipe(content: str | bytes) -> Recipe:
    """Parse a recipe from JSON; raise `RecipeError` if it is not a recipe, or has other training rules."""
    if len(content) > MAX_BYTES:
        raise RecipeError(
            f"a recipe may have at most {MAX_BYTES:,} bytes; this one has more", "recipe_large", limit=MAX_BYTES
        )
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not str(found.get("format", "")).startswith("tokenizer recipe "):
        raise RecipeError("the file must be a recipe in JSON; this one is not", "recipe_none")
    if found["format"] != FORMAT or found.get("rules") != RULES:
        raise RecipeError(
            f"the recipe must be in the format {FORMAT!r}; its format or its rules differ",
            "recipe_other_rules",
            format=FORMAT,
        )
    return Recipe(**{each.name: _checked(each.name, found.get(each.name)) for each in fields(Recipe)})


def differs(recipe: Recipe, job: Job) -> list[str]:
    """Return the fields in which a job's own recipe differs; none if the merges are exactly the same."""
    own = recipe_of(job)
    compared = ("corpus_sha256", "pattern_source", "min_count", "given", "vocab_size", "merges_sha256")
    return [name for name in compared if own is None or getattr(own, name) != getattr(recipe, name)]


_CHECKS: Mapping[str, Callable[[Any], bool]] = {
    "corpus": lambda value: isinstance(value, str) and len(value) <= 1000,
    "corpus_sha256": lambda value: _is_hash(value),
    "corpus_characters": lambda value: _is_count(value, 0, 2**62),
    "pattern": lambda value: isinstance(value, str) and len(value) <= MAX_PATTERN_LENGTH,
    "pattern_source": lambda value: isinstance(value, str) and len(value) <= MAX_PATTERN_LENGTH,
    "vocab_size": lambda value: _is_count(value, BYTES),
    "min_count": lambda value: _is_count(value, 1),
    "special_tokens": lambda value: _are_special_tokens(value),
    "given": lambda value: isinstance(value, list) and all(_is_pair(each) for each in value),
    "merges_sha256": lambda value: _is_hash(value),
    "versions": lambda value: isinstance(value, dict) and all(isinstance(each, str) for each in value.values()),
    "counts": lambda value: value is None or _is_counts_recipe(value),
}


def _checked(name: str, value: Any) -> Any:
    """Check a field, and return it with its lists as tuples."""
    if not _CHECKS[name](value):
        raise RecipeError(
            f"the recipe must have a valid field {name!r}; it is missing or wrong", "recipe_field", field=name
        )
    if isinstance(value, list):
        return tuple(tuple(each) if isinstance(each, list) else each for each in value)
    return value


def _kept_as_given(special_tokens: Sequence[str] | Mapping[str, int]) -> tuple[str, ...] | Mapping[str, int]:
    return dict(special_tokens) if isinstance(special_tokens, Mapping) else tuple(special_tokens)


def _are_special_tokens(value: Any) -> bool:
    ids_are_valid = not isinstance(value, dict) or all(_is_count(each, 0) for each in value.values())
    return isinstance(value, (list, dict)) and all(isinstance(each, str) for each in value) and ids_are_valid


def _is_count(value: Any, least: int, most: int = 2**31) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value < most


def _is_counts_recipe(value: Any) -> bool:
    try:
        return isinstance(value, dict) and bool(checked_recipe(value))
    except CountsError:
        return False


def _is_hash(value: Any) -> bool:
    return isinstance(value, str) and regex.fullmatch("[0-9a-f]{64}", value) is not None


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(_is_count(each, 0) for each in value)
