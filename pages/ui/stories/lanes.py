"""The lanes of stories: references, tokenizers that are trained for a story, and people's own ways to read."""

from functools import cache

from pages.ui.choices.parallel_texts import sample_parallel
from pages.ui.choices.tokenizers import reference_lanes
from pages.ui.token_view.lanes import Label, Lane
from pages.ui.words import t
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
