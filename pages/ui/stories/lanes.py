"""The lanes of stories: references, tokenizers that are trained for a story, and people's own ways to read."""

from collections.abc import Sequence
from functools import cache

import regex

from pages.ui.choices.parallel_texts import sample_parallel
from pages.ui.choices.tokenizers import reference_lanes
from pages.ui.token_view.lanes import Label, Lane, pretoken_lane
from pages.ui.words import t
from tokenizer_core.measures.segmenters import newmm
from tokenizer_core.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.texts.mixing import held_out
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import train

GPT2, CL100K, O200K = "gpt2", "cl100k_base", "o200k_base"


def references(*names: str) -> dict[str, Lane]:
    """Return the lanes of these references, or of all; raise `RankFileError` if one is missing."""
    names = names or tuple(OPENAI_NAMES)
    for name in names:
        openai_tokenizer(name)
    return {lane.key: lane for lane in reference_lanes(names)}


def home_made(size: int, *, keeps_lines_out: bool) -> Lane:
    """Return the lane of a tokenizer trained now on the bundled Thai lines, or on four fifths of them."""
    tokenizer = _trained_on_sample(size, keeps_lines_out)
    caption = t("tokenizers.entries", count=tokenizer.vocab_size)
    return Lane(f"story home {size} {keeps_lines_out}", Label(t("stories.home"), caption), tokenizer)


@cache
def _trained_on_sample(size: int, keeps_lines_out: bool) -> Tokenizer:
    lines = sample_parallel().lines[0]
    return train(held_out(lines)[0] if keeps_lines_out else lines, size)


def trained_on(name: str, texts: Sequence[str], size: int, pattern: str) -> Lane:
    """Return the lane of a tokenizer trained now on a few short texts; its words are stories.lane_NAME."""
    tokenizer = train(texts, size, pattern=pattern)
    caption = t("tokenizers.entries", count=tokenizer.vocab_size)
    return Lane(f"story {name} {size} {pattern} {texts!r}", Label(t(f"stories.lane_{name}"), caption), tokenizer)


def after_merges(tokenizer: Tokenizer, text: str) -> dict[str, Lane]:
    """Return a lane for each number of merges, from none to all."""
    lanes = {}
    for count in range(len(tokenizer.merges) + 1):
        earlier = tokenizer.at(256 + count)
        caption = t("stories.newest", token=tokenizer.vocabulary[255 + count].decode()) if count else ""
        label = Label(t("stories.after_merges", count=count), caption)
        lanes[f"after_{count}"] = Lane(f"story merges {count} {text}", label, earlier)
    return lanes


def reading(label: Label, words: Sequence[str]) -> Lane:
    """Return a way to read a text as a lane whose pieces are these words."""
    return pretoken_lane("|".join(map(regex.escape, words)), label)


def newmm_lane(text: str) -> Lane | None:
    """Return the words that newmm finds as a lane; None if PyThaiNLP is not installed."""
    segmenter = newmm()
    return segmenter and reading(Label(segmenter.name), list(segmenter.split(text)))
