"""What stands at the top of the page: a lesson on a small bundled text, or the visitor's own training."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

import streamlit as st

from pages.ui.frame.frame import bring_into_view
from pages.ui.frame.tabs import opened, switch_tab
from pages.ui.i18n import as_name, as_plain_markdown, names, t, translations
from pages.ui.inputs.corpus import sample_text
from pages.ui.inputs.opened_files import Trained, trained_file
from pages.ui.pieces.chips import (
    MOST_NAMED,
    SPACE,
    ShownLane,
    chips_slide,
    compare_button,
    draw_lanes,
    draw_stripes,
    entry_of,
    say_who_needs_fewest,
)
from pages.ui.pieces.training import AWAITED, JOB, is_ours_on_its_way, own_lanes, result
from pages.ui.session import Maybe, Value, remembered
from pages.ui.widgets.controls import answer, fold, segmented
from pages.ui.widgets.slides import Slide
from pages.ui.widgets.slides.talk import add_button, slides_of_entry
from pages.ui.widgets.token_view.walks import TRACE_STYLE, view_of
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.trainer import train
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.interop.hugging_face import HuggingFaceTokenizer
from tokenizer_core.interop.sentencepiece_model import SentencePieceTokenizer
from tokenizer_core.workers.sentencepiece_job import LECTURE, SentencePieceSettings, train_sentencepiece

CONTROLS = 3
"""`<unk>`, `<s>` and `</s>` come before all other tokens."""
UNKNOWN = 0
MOST_OF_WORD = 20
"""Characters that are named of the first word of a text."""
_THAI_LINES, _ENGLISH_LINES = 60, 200


class Shown(NamedTuple):
    """What a lesson shows for a text: lanes, and above them the sentence that says what to see."""

    lanes: list[ShownLane]
    says: str = ""
    answer: str = ""
    """What is to be seen, with its **figures**, above all else."""
    more: str = ""
    """What else there is to know, below the way to the next lesson."""
    detail: str = ""
    """What only a few ask for, behind the help mark of `more`."""
    is_striped: bool = False
    """Whether tokens are stripes of the letters; chips show more, such as ids and badges."""
    is_race: bool = False
    """Whether it matters who needs the fewest tokens."""


@cache
def small_text(file: str = "parallel.th.txt", lines: int = _THAI_LINES) -> str:
    """Return the first lines of a bundled text."""
    return "\n".join(sample_text(file).splitlines()[:lines])


@cache
def _learned(text: str, settings: SentencePieceSettings) -> SentencePieceTokenizer:
    return SentencePieceTokenizer(train_sentencepiece([text], settings, quiet=True))


@cache
def ours_at(text: str, vocab_size: int) -> Tokenizer:
    """Return our BPE, trained on a small text."""
    return train(text, vocab_size)


def _small(text: str) -> Shown:
    theirs, ours = _small_pair()
    characters = sum(kind == "ordinary" and len(piece) == 1 for kind, piece in zip(theirs.kinds, theirs.pieces))
    merged = theirs.vocab_size - CONTROLS - BYTES - characters
    more = t("lessons.small_more", size=theirs.vocab_size)
    made_of = t(
        "lessons.small_made_of",
        control=CONTROLS,
        bytes=BYTES,
        characters=characters,
        merged=merged,
        ours=ours.vocab_size - BYTES,
    )
    counts = {"theirs": len(theirs.encode(text)), "ours": len(ours.encode(text))}
    lanes = [ShownLane("lessons.small_theirs", theirs), ShownLane("lessons.small_ours", ours)]
    answered = t("lessons.small_answer", **counts)
    if counts["theirs"] < counts["ours"]:
        says = t("lessons.small_says")
    else:
        says = t("lessons.small_else", **_counted_small())
    return Shown(lanes, says, answer=answered, more=more, detail=made_of, is_striped=True)


def _small_pair() -> tuple[SentencePieceTokenizer, Tokenizer]:
    """Return both tokenizers of the first lesson."""
    # A space before the text would be a token that no letter shows; a later lesson is about it.
    theirs = _learned(small_text(), replace(LECTURE, add_dummy_prefix=False))
    return theirs, ours_at(small_text(), LECTURE.vocab_size)


@cache
def _counted_small() -> dict[str, int]:
    """Return how many bundled Thai sentences there are, and the tokens of all by each tokenizer of that lesson."""
    lines = sample_text("parallel.th.txt").splitlines()
    totals = (sum(len(tokenizer.encode(line)) for line in lines) for tokenizer in _small_pair())
    return {"lines": len(lines), **dict(zip(("all_theirs", "all_ours"), totals, strict=True))}


def _fallback(text: str) -> Shown:
    lanes = []
    for way, with_bytes in (("off", False), ("on", True)):
        tokenizer = _learned(small_text(), replace(LECTURE, byte_fallback=with_bytes))
        back = as_plain_markdown(tokenizer.decode(tokenizer.encode(text)))
        lanes.append(ShownLane(f"lessons.fallback_{way}", tokenizer, t("lessons.decoded", text=back)))
    more, detail = t("lessons.fallback_more"), t("lessons.fallback_setting")
    unseen = _unseen(text, _learned(small_text(), replace(LECTURE, byte_fallback=False)))
    answered = t("lessons.fallback_answer", lost=len(unseen))
    if not unseen:
        return Shown(lanes, t("lessons.fallback_known"), answered, more, detail)
    says = t("lessons.fallback_says", letters=as_plain_markdown(" ".join(unseen[:MOST_NAMED])))
    return Shown(lanes, says, answered, more, detail)


def _unseen(text: str, tokenizer: SentencePieceTokenizer) -> list[str]:
    """Return the characters that a tokenizer does not know, each once."""
    characters = dict.fromkeys(character for character in text if not character.isspace())
    return [each for each in characters if UNKNOWN in tokenizer.encode(each)]


def _prefix(text: str) -> Shown:
    english = small_text("parallel.en.txt", _ENGLISH_LINES)
    settings = replace(LECTURE, vocab_size=600)
    ways = {
        way: _learned(english, replace(settings, add_dummy_prefix=is_added))
        for way, is_added in (("on", True), ("off", False))
    }
    lanes = [ShownLane(f"lessons.prefix_{way}", tokenizer) for way, tokenizer in ways.items()]
    word = next(iter(text.split()), t("lessons.prefix_text"))[:MOST_OF_WORD]
    added, bare = (_ways_to_write(word, tokenizer) for tokenizer in ways.values())
    answered = t("lessons.prefix_answer", word=as_name(word), added=added, bare=bare)
    says = "lessons.prefix_apart" if bare == 1 else "lessons.prefix_says"
    return Shown(lanes, t(says, word=as_plain_markdown(word), lines=_ENGLISH_LINES), answered)


def _ways_to_write(word: str, tokenizer: SentencePieceTokenizer) -> int:
    """Return in how many ways a word is written at the start of a text and after a space: 1 or 2."""
    first, twice = tokenizer.encode(word), tokenizer.encode(f"{word} {word}")
    later = twice[len(first) :]
    if later and tokenizer.token_text(later[0]) == SPACE and later[:1] != first[:1]:
        later = later[1:]  # a space of its own is no other way to write the word
    return len({tuple(first), tuple(later)})


def _ids(text: str) -> Shown:
    theirs, ours = _learned(small_text(), LECTURE), ours_at(small_text(), LECTURE.vocab_size)
    theirs_here = set(theirs.encode(text))
    seen = [each for each in ours.encode(text) if each < BYTES and each + CONTROLS in theirs_here]
    byte = next(iter(seen), 0xE0)
    named = {"byte": f"{byte:02X}", "value": byte}
    says = t("lessons.ids_says", **named, control=CONTROLS)
    answered = t("lessons.ids_answer", **named, shifted=byte + CONTROLS) if seen else t("lessons.ids_none")
    return Shown([ShownLane("SentencePiece", theirs), ShownLane("pieces.ours", ours)], says, answered)


LESSONS: dict[str, Callable[[str], Shown]] = {
    "small": _small,
    "fallback": _fallback,
    "prefix": _prefix,
    "ids": _ids,
}
"""The lessons in their order. Another lesson X takes one more line, and the words lessons.X, X_says and X_text."""


SHOWN = Value("pieces_shown", lambda: "small")
"""What stands at the top: a lesson, or the training."""

_STEPS = Value("pieces_steps", int)
"""How often the visitor was led to something else at the top."""
MOST_CHARACTERS = 2_000
MOST_CUT = 60
"""Characters of the text whose cutting is followed step by step."""
SENTENCES = ("parallel.th.txt", "parallel.en.txt")
OWN = "own"


_counted: WeakKeyDictionary[HuggingFaceTokenizer, list[int]] = WeakKeyDictionary()


def _lost(tokenizer: HuggingFaceTokenizer) -> list[int]:
    """Return how many characters of the Thai and of the English sentences a tokenizer loses, counted once."""
    if tokenizer not in _counted:
        _counted[tokenizer] = [tokenizer.lost_characters(sample_text(file)) for file in SENTENCES]
    return _counted[tokenizer]


def _own(trained: Trained | None) -> Shown:
    """Return what the visitor trained, and what to see in it."""
    lanes = own_lanes()
    says = "own_says" if len(lanes) > 1 else "own_soon" if is_ours_on_its_way() else "own_alone"
    shown = Shown(lanes, t(f"lessons.{says}"), is_race=True)
    if not isinstance(trained, HuggingFaceTokenizer) or trained.word_piece is None:
        return shown
    thai, english = _lost(trained)
    thai_all, english_all = (len("".join(sample_text(file).split())) for file in SENTENCES)
    longest = trained.word_piece.most_characters
    more = t(
        "lessons.word_piece_says",
        longest=longest,
        thai=thai,
        thai_all=thai_all,
        english=english,
        english_all=english_all,
    )
    return shown._replace(more=more)


def _next_button(lesson: str | None) -> None:
    """Draw the button that shows the next lesson, or after the last one the other tab."""

    def show_it() -> None:
        _STEPS.put(_STEPS.get() + 1)
        if lesson is None:
            switch_tab("pieces", "naive")
        else:
            SHOWN.put(lesson)

    if lesson is None:
        label = t("lessons.next_tab", name=t("tabs.pieces_naive"))
    else:
        label = t("lessons.next", name=t(f"lessons.{lesson}"))
    st.button(label, type="primary", icon=":material/arrow_forward:", key="pieces_next", on_click=show_it)


def bring_step_into_view() -> None:
    """Scroll up to what the way on has led to."""
    if _STEPS.get():
        target = f"pieces_text_{SHOWN.get()}" if opened("pieces") == "sentencepiece" else "pieces_head"
        bring_into_view(target, str(_STEPS.get()))


def show() -> Callable[[], list[Slide]]:
    """Draw the choice of what to see, the sentence, its tokens, and the answer; return what makes slides of it."""
    job = result()
    trained = job.tokenizer if job is not None else None
    shown = [*LESSONS, *([OWN] if trained is not None else [])]
    chosen, text = _choose(shown)
    lesson = LESSONS[chosen](text) if chosen in LESSONS else _own(trained)
    with st.container(key="pieces_lesson"):
        _draw(lesson, text)
    if chosen == OWN and (view := view_of(trained)) is not None:
        title, show_cut = view
        st.html(TRACE_STYLE)
        st.markdown(f"**{title}**")
        show_cut(text[:MOST_CUT])
        if lesson.more:
            with fold(t("lessons.word_piece"), icon=":material/info:", key="pieces_word_piece"):
                st.markdown(lesson.more)
    with st.container(horizontal=True, vertical_alignment="center", key="pieces_then"):
        if chosen == OWN and trained is not None:
            compare_button(t("studio.compare"), lambda: [trained_file(trained)], text, key="pieces_compare")
        _next_button(next(iter(shown[shown.index(chosen) + 1 :]), None))
        if lesson.is_striped:  # of the others, a talk would keep no more than stripes, which do not show it
            add_button(entry_of(chosen, lesson.lanes, text), key="pieces_add")
    if lesson.more and chosen != OWN:
        st.markdown(lesson.more, help=lesson.detail or None)
    if lesson.is_striped:
        return lambda: slides_of_entry(entry_of(chosen, lesson.lanes, text))
    return lambda: [chips_slide(chosen, lesson.answer, lesson.lanes, text)]


def _carry_text() -> None:
    """Put what the visitor typed for a lesson into the box of the training; samples stay where they are."""
    text = Maybe[str](f"pieces_text_{SHOWN.get()}").get()
    if text and text not in translations(f"lessons.{SHOWN.get()}_text").values():
        Maybe[str](f"pieces_text_{OWN}").put(text)


def _choose(shown: Sequence[str]) -> tuple[str, str]:
    """Let the visitor choose what to see, and a text for it."""
    if AWAITED.get() and OWN in shown and result() is JOB.get():
        AWAITED.forget()
        _carry_text()
        SHOWN.put(OWN)
        _STEPS.put(_STEPS.get() + 1)
    if SHOWN.get() not in shown:
        SHOWN.put(shown[0])
    left, right = st.columns(2, gap="small")
    with right:
        chosen = segmented(t("lessons.label"), shown, names("lessons.{}", shown), key=SHOWN.key)
    with left:
        text = st.text_input(
            t("lessons.text"),
            key=remembered(f"pieces_text_{chosen}", t(f"lessons.{chosen}_text")),
            persist_state="session",
            label_visibility="collapsed",
        )
    return chosen, (text or "")[:MOST_CHARACTERS]


def _draw(lesson: Shown, text: str) -> None:
    """Draw what is to be seen, and the tokens of each lane."""
    if lesson.answer:
        answer(lesson.answer, key="pieces")
    top = st.container() if lesson.is_race else None
    if lesson.says:
        st.markdown(f":material/lightbulb: {lesson.says}")
    if lesson.is_striped:
        draw_stripes(lesson.lanes, text)
        return
    counted = draw_lanes(lesson.lanes, text)
    if top is not None:
        with top:
            say_who_needs_fewest(counted)
