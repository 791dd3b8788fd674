"""Stories: demos that are one click away, each with a sentence whose numbers are counted when it is shown."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from pages.ui.choices.parallel_texts import sample_parallel
from pages.ui.choices.tokenizers import entries_with_thai, reference_lanes
from pages.ui.session import remembered
from pages.ui.shell.links import link_to_story
from pages.ui.stories import keys
from pages.ui.token_view import token_view
from pages.ui.token_view.drawings import Text, drawing, token_count
from pages.ui.token_view.lanes import Label, Lane, pretoken_lane
from pages.ui.widgets import written
from pages.ui.widgets.bounded import Bounded
from pages.ui.words import language, names, t, told
from tokenizer_core.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.texts.mixing import held_out
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import train

HOME_SIZE = 2_000
"""The vocabulary size of the tokenizer trained here: a fifth of a second on the bundled Thai lines."""
GPT2, CL100K, O200K = "gpt2", "cl100k_base", "o200k_base"
_trained = Bounded[Tokenizer](4, weigh=lambda tokenizer: 1)


class Story(NamedTuple):
    """What a story shows, and the numbers in its sentence."""

    text: str
    lanes: Sequence[Lane]
    figures: Mapping[str, Any]


def show_stories() -> None:
    """Draw the names of all stories, and the chosen one: its sentence, and its text in tokens."""
    linked = keys.LINKED_STORY.take()
    if linked in STORIES:
        keys.STORY.put(linked)
    chosen = st.pills(
        t("stories.label"),
        list(STORIES),
        format_func=names("stories.{}_name", STORIES),
        key=remembered(keys.STORY.key, next(iter(STORIES))),
        persist_state="session",
        required=True,
        label_visibility="collapsed",
        wrap=True,
    )
    name = chosen or next(iter(STORIES))
    with told():
        _show(name, STORIES[name]())


def _show(name: str, story: Story) -> None:
    st.markdown(t(f"stories.{name}_says", **story.figures))
    token_view(
        drawing(Text(story.text), story.lanes, language=language()),
        key=f"story_{name}",
        toolbar="short",
        large=True,
        max_height=None,
        link=link_to_story(name),
    )
    st.caption(t("stories.live"))


def _references(names: Sequence[str] = OPENAI_NAMES) -> list[Lane]:
    """Return the lanes of references; raise `RankFileError` if one is missing, because a story needs them all."""
    for name in names:
        openai_tokenizer(name)
    return reference_lanes(names)


def _counts(lanes: Sequence[Lane], **texts: str) -> dict[str, int]:
    """Count the tokens of each text by each reference, under keys like "gpt2_thai"."""
    return {f"{lane.key}_{name}": token_count(lane, text) for lane in lanes for name, text in texts.items()}


# ---- the stories


def _doctor() -> Story:
    lanes = _references()
    thai, english = t("examples.sample").split("\n")
    return Story(f"{thai}\n{english}", lanes, _counts(lanes, thai=thai, english=english))


def _no_letter() -> Story:
    lanes = _references()
    entries = {f"{lane.key}_entries": entries_with_thai(lane) for lane in lanes}
    return Story("กขค งจฉ", lanes, entries | _counts(lanes, letter="ก"))


def _water() -> Story:
    lanes = _references()
    return Story("น้ำ", lanes, _counts(lanes, water="น้ำ"))


def _never() -> Story:
    text = "กำลังเรียนที่โรงเรียน"
    patterns = ("gpt2", "llama3", "mark_aware")
    lanes = [pretoken_lane(pattern, Label(t(f"pattern.{pattern}_name"))) for pattern in patterns]
    return Story(
        text, lanes, {pattern: token_count(lane, text) for pattern, lane in zip(patterns, lanes, strict=True)}
    )


def _home_made() -> Story:
    lanes = [_home_lane(), *_references([O200K])]
    lines = held_out(sample_parallel().lines[0])[1]
    totals = [sum(token_count(lane, line) for line in lines) for lane in lanes]
    saved = [token_count(lanes[-1], line) - token_count(lanes[0], line) for line in lines]
    most = lines[saved.index(max(saved))]
    figures = {"size": HOME_SIZE, "lines": len(lines), "own": totals[0], "other": totals[-1]}
    return Story(most, lanes, figures | {"entries": openai_tokenizer(O200K).vocab_size})


def _twins() -> Story:
    lanes = _references()
    return Story("แม่\nเเม่", lanes, _counts(lanes, right="แม่", twin="เเม่"))


def _zero_width() -> Story:
    lanes = _references()
    return Story("ภาษาไทย\nภาษา\u200bไทย", lanes, _counts(lanes, plain="ภาษาไทย", hidden="ภาษา\u200bไทย"))


def _digits() -> Story:
    lanes = _references()
    return Story("๒๕๖๗\n2567", lanes, _counts(lanes, thai="๒๕๖๗", arabic="2567"))


def _tables_turned() -> Story:
    own = _home_lane()
    thai, english = (held_out(side)[1] for side in sample_parallel().lines)
    totals = [sum(token_count(own, line) for line in side) for side in (thai, english)]
    shown = f"{thai[0]}\n{english[0]}"
    figures = {"size": HOME_SIZE, "lines": len(thai), "thai": totals[0], "english": totals[1]}
    return Story(shown, [own, *_references([O200K])], figures | {"premium": written.ratio(totals[1] / totals[0])})


def _polite() -> Story:
    lanes = _references()
    short, polite = "ขอบคุณ", "ขอบคุณค่ะ"
    return Story(
        f"{short}\n{polite}\nThank you", lanes, _counts(lanes, short=short, polite=polite, english="Thank you")
    )


def _football() -> Story:
    lanes = _references([O200K])
    words = {"league": "พรีเมียร์ลีก", "hello": "สวัสดี", "hospital": "โรงพยาบาล", "soup": "ต้มยำกุ้ง"}
    return Story(" ".join(words.values()), lanes, _counts(lanes, **words))


def _chat() -> Story:
    lanes = _references([O200K])
    words = {"laugh": "555", "sir": "ครับ", "sir_typed": "คับ", "much": "มาก", "much_drawn": "มากกกกก"}
    return Story("\n".join(words.values()), lanes, _counts(lanes, **words))


def _loanword() -> Story:
    lanes = _references()
    return Story("Facebook\nเฟซบุ๊ก", lanes, _counts(lanes, english="Facebook", thai="เฟซบุ๊ก"))


def _two_signs() -> Story:
    lanes = _references()
    return Story("ทำ\nท\u0e4d\u0e32", lanes, _counts(lanes, one="ทำ", two="ท\u0e4d\u0e32"))


def _indented() -> Story:
    lanes = _references([GPT2, CL100K])
    line = "        return rain"
    return Story(f"def weather():\n    if cloudy:\n{line}", lanes, _counts(lanes, line=line, bare=line.strip()))


def _home_lane() -> Lane:
    """Return the lane of a tokenizer trained here on only four fifths of the bundled Thai lines."""

    def make() -> Tokenizer:
        return train(held_out(sample_parallel().lines[0])[0], HOME_SIZE)

    tokenizer = _trained.get(HOME_SIZE, make)
    caption = t("tokenizers.entries", count=tokenizer.vocab_size)
    return Lane(f"story home {HOME_SIZE}", Label(t("stories.home"), caption), tokenizer)


STORIES: dict[str, Callable[[], Story]] = {
    "doctor": _doctor,
    "no_letter": _no_letter,
    "water": _water,
    "never": _never,
    "home_made": _home_made,
    "twins": _twins,
    "digits": _digits,
    "tables_turned": _tables_turned,
    "zero_width": _zero_width,
    "polite": _polite,
    "football": _football,
    "chat": _chat,
    "loanword": _loanword,
    "two_signs": _two_signs,
    "indented": _indented,
}
"""The stories in the order they are offered. Another story X takes one more line, and the words stories.X_name and
stories.X_says."""
