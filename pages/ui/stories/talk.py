"""Stories as slides: each in five steps, a talk of ten minutes made of them, and the visitor's own talk."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import streamlit as st

from pages.ui.frame import presenting
from pages.ui.i18n import t, translations
from pages.ui.inputs.corpus import corpus_title, first_training
from pages.ui.inputs.tokenizers import reference_counts, reference_lanes
from pages.ui.session import Maybe, Value
from pages.ui.stories.all_stories import STORIES
from pages.ui.stories.form import Story
from pages.ui.widgets.controls import fold
from pages.ui.widgets.player import replay_options
from pages.ui.widgets.slides import Slide, View
from pages.ui.widgets.slides.talk import ENTRIES, MOST_MERGES, Entry, drop, move, name_of, slides_of_entry
from pages.ui.widgets.slides.talk_file import MOST_BYTES, fitted, read, written
from tokenizer_core.bpe.trainer import Merge, Trainer
from tokenizer_core.patterns.pretokens import count_pretokens
from tokenizer_core.workers.training_settings import Training

PRESENTS: Value[str] = Value("presents_what", lambda: "talk")
"""What presenter mode shows: the "talk", the chosen "story", or the visitor's own talk, "mine"."""
_TALK_FILE: Maybe[Any] = Maybe("talk_file")
_TALK_REFUSED: Value[bool] = Value("talk_refused", bool)
TALK = ("water", "no_letter", "doctor", "never", "tables_turned", "polite")
"""The stories of the talk; the stage stands before the last two."""
STAGE_BEFORE = "tables_turned"


def slides_of(story: Story, *, is_in_talk: bool = False) -> list[Slide]:
    """Return the steps of a story: setting, question, tokens, numbers, and what to remember."""
    words, name = story.says_in_every_language, story.says_in_every_language("name")
    texts = [View(part.text, label=part.label) for part in story.parts]
    drawn = [View(part.text, story.drawn, part.label) for part in story.parts]
    prediction = story.prediction
    notes = translations("talk.notes_setting")
    if is_in_talk:
        extra = translations(f"talk.{story.name}_notes")
        notes = {spoken: f"{extra[spoken]} {note}" for spoken, note in notes.items()}
    return [
        Slide("words", title=name, says=words("setting"), views=texts, notes=notes),
        Slide(
            "ask",
            over=name,
            title=words("question"),
            views=texts,
            choices=prediction.choices,
            right=prediction.right,
            notes=translations("talk.notes_question"),
        ),
        Slide("tokens", over=name, views=drawn, notes=translations("talk.notes_tokens")),
        Slide("words", over=name, says=words("says"), notes=translations("talk.notes_says")),
        Slide(
            "words", over=name, title=words("remember"), is_strong=True, notes=translations("talk.notes_remember")
        ),
    ]


def talk(make: Callable[[str], Story]) -> list[Slide]:
    """Return the talk "How a machine reads Thai"; `make` returns the story of a name."""
    slides = [
        _words_slide("talk.title", "talk.subtitle", "talk.start_notes"),
        Slide(
            "tokens",
            title=translations("talk.token"),
            views=[View(t("examples.thai"), reference_lanes())],
            notes=translations("talk.token_notes"),
        ),
    ]
    for name in TALK:
        if name == STAGE_BEFORE:
            slides += _stage()
        slides += slides_of(make(name), is_in_talk=True)
    return [*slides, _words_slide("talk.end", "talk.end_says", "talk.end_notes", is_strong=True)]


def _words_slide(title: str, says: str, notes: str, *, is_strong: bool = False) -> Slide:
    return Slide(
        "words", title=translations(title), says=translations(says), is_strong=is_strong, notes=translations(notes)
    )


def _stage() -> list[Slide]:
    """Return the slide before the stage, and the stage, which plays a training that was done just now."""
    training, text = first_training(), t("examples.thai")
    merges = _learned(training.corpus_name, tuple(training.texts), training.vocab_size)
    options = replay_options(
        training.pattern,
        corpus_title(training.corpus_name),
        [(merge.left, merge.right, merge.count) for merge in merges],
        text,
        reference_counts(text),
        title=t("train.title"),
    )
    before = _words_slide("talk.stage", "talk.stage_says", "talk.stage_notes")
    notes = translations("talk.stage_runs_notes")
    return [before, Slide("stage", title=before.title, notes=notes, stage=options)]


@cache
def _learned(name: str, texts: tuple[str, ...], vocab_size: int) -> Sequence[Merge]:
    training = Training(texts, vocab_size, corpus_name=name)
    trainer = Trainer(count_pretokens(texts, training.pattern), vocab_size, min_count=2)
    return trainer.step(vocab_size)


# ---- the visitor's own talk


def show_my_talk() -> None:
    """Draw the entries with what can be done with each, and ways to present, save and open the talk."""
    with fold(t("talk.mine"), icon=":material/playlist_play:", key="my_talk_open"):
        entries = ENTRIES.get()
        if not entries:
            st.markdown(t("talk.mine_empty"))
        for place, entry in enumerate(entries):
            _row(place, entry, len(entries))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.button(
                t("talk.present_mine"),
                icon=":material/slideshow:",
                type="primary",
                key="present_mine",
                on_click=begin_to_present,
                args=("mine",),
                disabled=not entries,
            )
            _save(entries)
        st.file_uploader(t("talk.open"), type="json", key=_TALK_FILE.key, on_change=_open, max_upload_size=1)
        if _TALK_REFUSED.get():
            st.error(t("talk.bad_file"), icon=":material/error:")


def _save(entries: Sequence[Entry]) -> None:
    """Draw the button that saves the talk; a talk too large to be opened again is made shorter, which is said."""
    try:
        saved, most = fitted(entries)
        said = t("talk.shortened", merges=most) if most < MOST_MERGES else ""
    except ValueError:
        saved, said = [], t("talk.too_large")
    st.download_button(
        t("talk.save"),
        written(saved),
        "talk.json",
        "application/json",
        on_click="ignore",
        icon=":material/download:",
        disabled=not saved,
        key="save_talk",
    )
    if said:
        st.caption(said)


def my_slides(make: Callable[[str], Story]) -> list[Slide]:
    """Return the slides of the visitor's own talk; `make` returns the story of a name."""
    slides: list[Slide] = []
    for entry in ENTRIES.get():
        slides += slides_of(make(entry.story)) if entry.story else slides_of_entry(entry)
    return slides


def _row(place: int, entry: Entry, entries: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"my_talk_{place}"):
        st.markdown(f"{place + 1}. {name_of(entry)}", width="stretch")
        ways = (("up", -1, "arrow_upward", place == 0), ("down", 1, "arrow_downward", place == entries - 1))
        for way, step, icon, is_end in ways:
            st.button(
                t(f"talk.{way}"),
                icon=f":material/{icon}:",
                key=f"my_talk_{way}_{place}",
                on_click=move,
                args=(place, step),
                disabled=is_end,
            )
        st.button(
            "",
            icon=":material/close:",
            help=t("talk.drop"),
            key=f"my_talk_drop_{place}",
            on_click=drop,
            args=(place,),
        )


def begin_to_present(what: str) -> None:
    """Fill the screen with the chosen story, the talk, or the visitor's own talk."""
    PRESENTS.put(what)
    presenting.begin()


def _open() -> None:
    """Take the talk of a file; keep the one there is if the file holds none."""
    upload = _TALK_FILE.get()
    _TALK_REFUSED.forget()
    if upload is None:
        return
    try:
        ENTRIES.put(read(upload.getvalue()[: MOST_BYTES + 1], list(STORIES)))
    except ValueError:
        _TALK_REFUSED.put(True)
