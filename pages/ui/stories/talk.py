"""Stories as slides: each in five steps; talks of five and ten minutes made of them, and one's own talk."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import streamlit as st

from pages.ui.frame import presenting
from pages.ui.i18n import catalogue, language, t, translations
from pages.ui.i18n.breaks import with_breaks, without_breaks
from pages.ui.inputs.corpus import corpus_title, first_training
from pages.ui.inputs.tokenizers import reference_counts, reference_lanes
from pages.ui.session import Maybe, Value
from pages.ui.stories.all_stories import STORIES, make_story
from pages.ui.stories.form import Story
from pages.ui.widgets.bars import premium_bars
from pages.ui.widgets.controls import fold
from pages.ui.widgets.player import replay_options
from pages.ui.widgets.slides import Said, Slide, View, one_by_one, tears_a_letter
from pages.ui.widgets.slides.contest import FEWER_ROUNDS, FEWEST_ROUNDS
from pages.ui.widgets.slides.talk import ENTRIES, MOST_MERGES, Entry, drop, move, name_of, slides_of_entry
from pages.ui.widgets.slides.talk_file import MOST_BYTES, fitted, read, written
from pages.ui.widgets.slides.votes import vote_slide
from pages.ui.widgets.token_view.lanes import Label, Lane
from tokenizer_core.bpe.trainer import Merge, Trainer
from tokenizer_core.patterns.pretokens import count_pretokens
from tokenizer_core.workers.training_settings import Training

LASTING = (presenting.TALK, presenting.SHORT, presenting.VOTE)
"""What the address names, so that a reload presents it again."""
PRESENTS: Value[str] = Value("presents_what", lambda: "talk")
"""What presenter mode shows: the "talk", the "short" one, the "vote", the chosen "story", or one's own, "mine"."""
_TALK_FILE: Maybe[Any] = Maybe("talk_file")
_TALK_REFUSED: Value[bool] = Value("talk_refused", bool)
TALK = ("water", "no_letter", "doctor", "polite", "never", "tables_turned")
"""The stories of the talk."""
STAGE_BEFORE = FAIR_AFTER = "tables_turned"
"""The stage and the vote stand before this story, and what fairness costs after it."""
STEPS = ("setting", "question", "tokens", "says", "remember")
TALK_STEPS = ("asked", "shown", "kept")
"""The same on fewer slides, for twenty seconds each: the setting stands above the question."""


_FINE_PRINT = re.compile(r":.*| \((?:cl100k|o200k)\)$")
"""What a name of the app's says besides, such as "Thai-aware: marks stay …" and "GPT-4 (cl100k)"."""


def slides_of(story: Story, steps: Sequence[str] = STEPS) -> list[Slide]:
    """Return these steps of a story: setting, question, tokens, numbers, and what to remember.

    The stories of the talk have few words on their slides; what these leave out is in the notes.
    """
    return [slide for step in steps for slide in _MAKERS[step](story)]


def _setting(story: Story) -> list[Slide]:
    full, notes = story.says_in_every_language("setting"), translations("talk.notes_setting")
    if story.name in TALK:
        notes = _joined(translations(f"talk.{story.name}_notes"), full, notes)
    says, title = _short(story, "setting") or full, story.says_in_every_language("name")
    return [Slide("words", title=title, says=says, views=_texts(story), notes=notes)]


def _question(story: Story) -> list[Slide]:
    prediction = story.prediction
    return [
        Slide(
            "ask",
            over=story.says_in_every_language("name"),
            title=story.says_in_every_language("question"),
            views=_texts_with_hints(story),
            choices=prediction.choices,
            right=prediction.right,
            notes=translations("talk.notes_question"),
        )
    ]


def _tokens(story: Story) -> list[Slide]:
    """Return the texts in tokens: side by side, or long ones one by one, the second with the first's numbers."""
    lanes = [*map(_brief, story.lanes.values()), *story.beside]
    drawn = [View(part.text, lanes, part.label) for part in story.parts]
    if len(drawn) == 2 and not story.has_short_parts:
        drawn = [*one_by_one(*drawn)]
    shown = [drawn] if story.has_short_parts else [[view] for view in drawn]
    over = story.says_in_every_language("name")
    return [Slide("tokens", over=over, views=views, notes=_notes_on_tokens(story, views)) for views in shown]


def _notes_on_tokens(story: Story, views: Sequence[View]) -> dict[str, str]:
    torn = [translations("talk.notes_torn")] if any(map(tears_a_letter, views)) else []
    says = [story.says_in_every_language("says")] if story.name in TALK else []
    return _joined(translations("talk.notes_tokens"), *torn, *says)


def _numbers(story: Story) -> list[Slide]:
    """Return the numbers in a sentence; in the talk, only those that its tokens do not show."""
    name, notes = story.says_in_every_language("name"), translations("talk.notes_says")
    if story.name not in TALK:
        return [Slide("words", over=name, says=story.says_in_every_language("says"), notes=notes)]
    says = _short(story, "says")
    return [Slide("words", title=says, notes=notes)] if says else []


def _remember(story: Story) -> list[Slide]:
    title = story.says_in_every_language("remember")
    return [Slide("words", title=title, is_strong=True, notes=translations("talk.notes_remember"))]


def _asked(story: Story) -> list[Slide]:
    """Return the question below the setting's few words, with the notes of both."""
    (setting,), (question,) = _setting(story), _question(story)
    return [replace(question, over=setting.says, notes=_joined(setting.notes, question.notes))]


def _shown(story: Story) -> list[Slide]:
    """Return the tokens; below the numbers in a sentence, if there are any and the tokens are on one slide."""
    slides, numbers = _tokens(story), _numbers(story)
    if len(slides) > 1 or not numbers:
        return slides
    return [replace(slides[0], over={}, title=numbers[0].title, notes=_joined(slides[0].notes, numbers[0].notes))]


def _kept(story: Story) -> list[Slide]:
    """Return what to remember, with the numbers that do not stand above the tokens: below it, or before."""
    (remember,), numbers = _remember(story), _numbers(story) if len(_tokens(story)) > 1 else []
    if not numbers or not (few := _short(story, "remember")):
        return [*numbers, remember]
    notes = _joined(remember.title, numbers[0].notes, remember.notes)
    return [replace(remember, title=few, says=numbers[0].title, notes=notes)]


_MAKERS = dict(
    zip(
        (*STEPS, *TALK_STEPS),
        (_setting, _question, _tokens, _numbers, _remember, _asked, _shown, _kept),
        strict=True,
    )
)


def _texts(story: Story) -> list[View]:
    return [View(with_breaks(part.text), label=part.label) for part in story.parts]


def _texts_with_hints(story: Story) -> list[View]:
    """Return the texts beside a question; a count that the setting tells stands with its text."""
    told = set(re.findall(r"\{(\w+)\}", catalogue("en")[f"stories.{story.name}_setting"]))
    views = _texts(story)
    for place, part in enumerate(story.parts):
        for name, lane in story.lanes.items():
            if part.label and (figure := f"{name}_{part.key}") in told:
                values = {"label": part.label, "name": _brief(lane).label.name, "count": story.figures[figure]}
                views[place] = replace(views[place], label=t("talk.counted", **values))
    return views


def _brief(lane: Lane) -> Lane:
    """Return a lane with a name that can be read from afar."""
    return replace(lane, label=Label(_FINE_PRINT.sub("", lane.label.name)))


def _short(story: Story, step: str) -> dict[str, str]:
    """Return the few words for a step of a story in the talk, if there are any."""
    key = f"talk.{story.name}_{step}"
    return translations(key, **story.figures) if key in catalogue("en") else {}


def _joined(*said: Said) -> dict[str, str]:
    return {spoken: " ".join(each[spoken] for each in said) for spoken in said[0]}


def talk(make: Callable[[str], Story]) -> list[Slide]:
    """Return the talk of ten minutes, "How a machine reads Thai"; `make` returns the story of a name."""
    slides = _beginning("talk.subtitle")
    for name in TALK:
        if name == STAGE_BEFORE:
            slides += [*_stage(), vote_slide(FEWER_ROUNDS)]
        slides += slides_of(make(name), TALK_STEPS)
        if name == FAIR_AFTER:
            slides += _fair()
    return [*slides, _end()]


def short_talk(make: Callable[[str], Story]) -> list[Slide]:
    """Return the talk in five minutes: a word, how it is learned, the other way round, and the vote."""
    return [
        *_beginning("talk.subtitle_short"),
        *slides_of(make("water"), ("question", "tokens", "remember")),
        *_stage(),
        *slides_of(make("tables_turned"), ("asked", "tokens", "remember")),
        vote_slide(FEWEST_ROUNDS),
        _end(),
    ]


def _beginning(subtitle: str) -> list[Slide]:
    title, notes = translations("talk.token"), translations("talk.token_notes")
    # The next slide asks how many tokens น้ำ is: this one does not tell.
    sentence = View(t("examples.thai"), list(map(_brief, reference_lanes())), counts_letters=False)
    return [
        _words_slide("talk.title", subtitle, "talk.start_notes"),
        Slide("tokens", title=title, views=[sentence], notes=notes),
    ]


def _fair() -> list[Slide]:
    """Return what parity does, and the premiums of the story on fairness: plain BPE and parity, on one text."""
    figures = make_story("fair").figures
    taught, taught_notes, helped, title, notes = (
        translations(f"talk.fair_{step}", **figures)
        for step in ("taught", "taught_notes", "helped", "says", "notes")
    )
    named = [(t(f"talk.fair_{way}"), float(figures[f"{way}_premium"])) for way in ("plain", "fair")]
    said = without_breaks(title[language()]).replace("**", "")
    bars = premium_bars(named, base=t("languages.en_short"), says=said)
    return [
        Slide("words", title=taught, says=helped, notes=taught_notes),
        Slide("bars", title=title, html=bars, notes=notes),
    ]


def _end() -> Slide:
    return replace(_words_slide("talk.end", "talk.end_says", "talk.end_notes", is_strong=True), shows_code=True)


def _words_slide(title: str, says: str, notes: str, *, is_strong: bool = False) -> Slide:
    return Slide(
        "words", title=translations(title), says=translations(says), is_strong=is_strong, notes=translations(notes)
    )


def _stage() -> list[Slide]:
    """Return the slide before the stage, and the stage, which plays a training that was done just now."""
    text = t("examples.thai")
    training = first_training(text)
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
    """Fill the screen with what `PRESENTS` names."""
    PRESENTS.put(what)
    presenting.begin(what if what in LASTING else presenting.LAST)


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
