"""The visitor's own talk: saved views in the order that the visitor gave them."""

from collections.abc import Callable, Sequence
from typing import Annotated

import streamlit as st
from msgspec import Meta, Struct
from msgspec.structs import replace

from pages.ui.i18n import LANGUAGES, as_name, as_plain_markdown, catalogue, language, t, translations
from pages.ui.i18n.breaks import unbroken
from pages.ui.inputs.corpus import corpus_title
from pages.ui.inputs.pattern import pattern_name, shortened
from pages.ui.inputs.tokenizers import lanes_of_choices, reference_counts, reference_lanes, why_not_encodable
from pages.ui.session import Value
from pages.ui.widgets.bars import premium_bars
from pages.ui.widgets.formatting import ratio
from pages.ui.widgets.player import replay_options
from pages.ui.widgets.receipt import receipt_options
from pages.ui.widgets.slides import Count, Cut, Name, Slide, View, cut_of, one_by_one
from pages.ui.widgets.token_view.chips import plain_token
from pages.ui.widgets.token_view.lanes import MINE, Label, Lane, pretoken_lane
from tokenizer_core.analysis.pattern_figures import PatternFigures, pattern_figures
from tokenizer_core.bpe.openai import OPENAI_NAMES
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS
from tokenizer_core.workers.sentencepiece_job import LECTURE
from tokenizer_core.workers.training_job import Job

MOST_ENTRIES = 50
MOST_MERGES = 4_000
"""Merges of a training in a talk; nobody watches more."""
_SHORT = 24
"""Characters of two texts that stand side by side in type for the last row."""
MOST_BARS = 6
"""Bars on a slide."""
Figure = Annotated[float, Meta(ge=0, lt=1e9)]


class Learned(Struct, frozen=True, omit_defaults=True):
    """A training that has been: enough of it to be played again without its texts."""

    corpus: Name
    pattern: Name
    merges: Annotated[tuple[tuple[int, int, int], ...], Meta(min_length=1, max_length=MOST_MERGES)]
    """Left, right and count of each merge."""
    superwords_after: Count | None = None
    """After so many merges tokens may cross spaces; None for never."""


class Unfair(Struct, frozen=True):
    """The highest premium of parallel texts, and the most unfair pair by the same tokenizer, as counted."""

    tokenizer: Name
    """A tokenizer of the app by its key, or the name of another one."""
    languages: tuple[str, str]
    """The language, and the one it is divided by; those of the bundled sentences by their keys."""
    premium: Figure
    line: Count = 0
    """The line of the pair, from 1; 0 if no pair has a premium."""
    pair_premium: Figure = 0.0
    texts: tuple[str, str] = ("", "")
    premiums: Annotated[tuple[tuple[Name, Figure], ...], Meta(max_length=MOST_BARS)] = ()
    """The premium of each tokenizer that was compared, the highest first."""
    pairs: Count = 0
    """How many pairs were counted; 0 if the file of a talk does not say."""


class Known(Struct, frozen=True):
    """How much of a vocabulary is Thai, as counted."""

    tokenizer: Name
    """A tokenizer of the app by its key, or the name of another one."""
    tokens: Count
    thai: Count


class Lesson(Struct, frozen=True):
    """What a lesson about SentencePiece shows of a text: its tokenizers are trained for it, and kept nowhere."""

    name: str
    cuts: Annotated[tuple[Cut, ...], Meta(min_length=1, max_length=8)]


class Billed(Struct, frozen=True):
    """Two texts that are billed token by token, and what a million tokens cost."""

    texts: tuple[Name, Name]
    price: Figure | None = None
    currency: Annotated[str, Meta(max_length=10)] = ""
    languages: tuple[Name, Name] | None = None
    """What the texts are called if they are a pair of a visitor's files."""


IN_FILES = {
    "lanes": "with",
    "learned": "training",
    "unfair": "comparison",
    "known": "vocabulary",
    "billed": "receipt",
}


class Entry(Struct, frozen=True, omit_defaults=True, rename=IN_FILES):
    """A part of a talk: a story by its name, a comparison of languages, a vocabulary, a receipt, or a text.

    A text is cut by tokenizers, by split patterns or by those of a lesson, or a training is played on it. The text
    of a vocabulary is the token that is looked at; it is empty if that is no text.
    """

    story: str = ""
    text: str = ""
    lanes: Annotated[tuple[str, ...], Meta(max_length=200)] = ()
    """Choices of tokenizers. A file or a run is named by what is in it, so a saved talk finds it again."""
    learned: Learned | None = None
    patterns: Annotated[tuple[Name, ...], Meta(max_length=2)] = ()
    unfair: Unfair | None = None
    known: Known | None = None
    lesson: Lesson | None = None
    billed: Billed | None = None


ENTRIES: Value[list[Entry]] = Value("my_talk", list)
"""The visitor's own talk."""


def _learned_by(job: Job) -> Learned | None:
    """Return what a training has learned so far, for a talk: at most `MOST_MERGES` merges."""
    merges = tuple((merge.left, merge.right, merge.count) for merge in job.merges[:MOST_MERGES])
    crosses = job.superwords_after
    return Learned(job.training.corpus_name, job.training.pattern, merges, crosses) if merges else None


def name_of(entry: Entry) -> str:
    """Return what the list of the talk calls an entry; for a text, its beginning as Markdown code."""
    if entry.learned:
        return t("talk.training", merges=len(entry.learned.merges), text=as_plain_markdown(entry.text[:60]))
    if entry.unfair:
        return premium_said(entry.unfair, as_name)
    if entry.billed:
        return t("talk.receipt", text=as_plain_markdown(entry.billed.texts[0][:60]))
    if entry.patterns:
        names = " · ".join(as_name(_short_name(pattern)) for pattern in entry.patterns)
        return t("talk.cut_by", patterns=names, text=as_plain_markdown(entry.text[:60]))
    if entry.lesson:
        lesson = t(f"lessons.{entry.lesson.name}")
        return t("talk.lesson", lesson=lesson, text=as_plain_markdown(entry.text[:60]))
    if entry.known:
        tokenizer = _word_for(entry.known.tokenizer, "tokenizers", as_name)
        token = as_plain_markdown(plain_token(entry.text[:60].encode()))
        return t("talk.vocabulary_token" if entry.text else "talk.vocabulary", tokenizer=tokenizer, text=token)
    return t(f"stories.{entry.story}_name") if entry.story else as_plain_markdown(entry.text[:60])


def premium_said(unfair: Unfair, called: Callable[[str], str] = str) -> str:
    """Say the highest premium in a sentence."""
    spoken, base = (_word_for(name, "languages", called) for name in unfair.languages)
    tokenizer = _word_for(unfair.tokenizer, "tokenizers", called)
    return t("languages.says", tokenizer=tokenizer, premium=ratio(unfair.premium), language=spoken, base=base)


def add_button(entry: Entry, *, key: str, job: Job | None = None, words: str = "talk.add") -> None:
    """Draw the button that puts a view into the visitor's talk, with what `job` has learned by the click.

    `words` is the key of other words, where a page has more than one such button.
    """
    is_full = len(ENTRIES.get()) >= MOST_ENTRIES
    st.button(
        t(words),
        icon=":material/playlist_add:",
        key=key,
        type="tertiary",
        on_click=_add,
        args=(entry, job),
        disabled=is_full or not _has_view(entry, job),
        help=_help(entry, job, is_full=is_full),
    )


def _has_view(entry: Entry, job: Job | None) -> bool:
    """Tell whether there is something to put in; a training that goes on may learn it before the click."""
    is_learned = job is not None and bool(job.learned or not job.ended)
    if entry.text and (entry.lanes or is_learned or entry.patterns or entry.lesson):
        return True
    return bool(entry.story or entry.unfair or entry.known or entry.billed)


def _help(entry: Entry, job: Job | None, *, is_full: bool) -> str:
    if is_full:
        return t("talk.full", most=MOST_ENTRIES)
    if job is None and entry.text and entry == Entry(text=entry.text):
        return t("talk.needs_reference")
    return t("talk.in_it", count=len(ENTRIES.get()))


def slides_of_entry(entry: Entry) -> list[Slide]:
    """Return the slides of an entry that is no story."""
    if entry.learned:
        learned, text = entry.learned, entry.text
        corpus, levels = corpus_title(learned.corpus), reference_counts(text)
        played = replay_options(
            learned.pattern,
            corpus,
            learned.merges,
            text,
            levels,
            title=t("train.title"),
            superwords_after=learned.superwords_after,
        )
        return [Slide("stage", stage=played)]
    if entry.unfair:
        return unfair_slides(entry.unfair, reference_lanes(entry.lanes))
    if entry.patterns:
        return [pattern_slide(entry.text, [(_short_name(pattern), pattern) for pattern in entry.patterns])]
    if entry.lesson:
        cuts = [
            replace(cut, name=t(cut.name) if is_lesson_word(cut.name) else cut.name) for cut in entry.lesson.cuts
        ]
        return [lesson_slide(entry.lesson.name, View(entry.text, cuts))]
    # What is no longer open is left out; a slide without tokens would say nothing.
    lanes = lanes_of_choices(entry.lanes) or reference_lanes()
    if entry.known:
        return known_slides(entry.known, entry.text, lanes)
    if entry.billed:
        return receipt_slides(entry.billed, lanes)
    return [Slide("tokens", views=[View(entry.text, _able(lanes, entry.text))])]


def pattern_slide(text: str, patterns: Sequence[tuple[str, str]]) -> Slide:
    """Return a text in the pieces of patterns, each with its name, below what is to be seen."""
    figures = [(name, pattern_figures(text, pattern)) for name, pattern in patterns]
    says = t("lab.slide_cut" if any(each.thai_letters_cut for _, each in figures) else "lab.slide")
    lanes = [pretoken_lane(pattern, Label(name)) for name, pattern in patterns]
    title = verdict_on(figures, on_letters="lab.slide_letters")
    # In one language, as the names of the patterns are.
    return Slide("tokens", title={language(): title}, says={language(): says}, views=[View(text, lanes)])


def verdict_on(found: Sequence[tuple[str, PatternFigures]], *, on_letters: str = "lab.verdict_letters") -> str:
    """Say which pattern cuts more Thai letters apart, or else more pieces; "" with nothing to compare.

    `on_letters` is the key of the words about letters.
    """
    if len(found) < 2:
        return ""
    (first, _), (second, _) = found
    letters, pieces = zip(*((figures.thai_letters_cut, figures.pretokens) for _, figures in found))
    key, counts = (on_letters, letters) if letters[0] != letters[1] else ("lab.verdict_pieces", pieces)
    if counts[0] == counts[1]:
        return t("lab.verdict_even", count=counts[0])
    named = {"first": unbroken(first), "second": unbroken(second)}
    return t(key, **named, one=counts[0], other=counts[1])


def _able(lanes: Sequence[Lane], text: str) -> list[Lane]:
    return [lane for lane in lanes if not why_not_encodable(lane, text)]


def lesson_slide(name: str, view: View) -> Slide:
    """Return what a lesson shows; its counts, and what follows from them, if it is about counts."""
    if name != "small":
        return Slide("tokens", over=translations(f"lessons.{name}"), views=[view])
    theirs, ours = (lane.tokens for lane in view.lanes if isinstance(lane, Cut))
    title = translations("lessons.small_slide_answer", size=LECTURE.vocab_size, theirs=theirs, ours=ours)
    return Slide("tokens", title=title, says=translations("lessons.small_slide"), views=[view])


def is_lesson_word(name: str) -> bool:
    """Tell whether the name of a lesson's tokenizer is the key of words.

    >>> is_lesson_word("pieces.ours"), is_lesson_word("SentencePiece"), is_lesson_word("lessons.none")
    (True, False, False)
    """
    return name.startswith(("lessons.", "naive.", "pieces.")) and name in catalogue("en")


def known_slides(known: Known, text: str, lanes: Sequence[Lane]) -> list[Slide]:
    """Return how many tokens a vocabulary has, and how each of these lanes cuts the token that is looked at."""
    figures, names = {"tokens": known.tokens, "thai": known.thai}, dict.fromkeys(LANGUAGES, known.tokenizer)
    if known.tokenizer in (*OPENAI_NAMES, MINE):
        names = translations(f"tokenizers.{known.tokenizer}")
    title = {
        spoken: translations("vocabulary.slide", tokenizer=name, **figures)[spoken]
        for spoken, name in names.items()
    }
    slides = [Slide("words", title=title, is_strong=True)]
    if text and (able := _able(lanes, text)):
        others = translations("biography.others_of", token=plain_token(text.encode()))
        slides.append(Slide("tokens", title=others, views=[View(text, able)]))
    return slides


def receipt_slides(billed: Billed, lanes: Sequence[Lane]) -> list[Slide]:
    """Return the bills of two texts by the first lane that can encode them."""
    able = _able(_able(lanes, billed.texts[0]), billed.texts[1])
    return [
        Slide(
            "receipt", receipt=receipt_options(lane, billed.texts, billed.price, billed.currency, billed.languages)
        )
        for lane in able[:1]
    ]


def name_kept(lane: Lane) -> str:
    """Return what a talk calls a tokenizer: one of the app by its key, so that it has a name in each language."""
    return lane.choice if lane.is_own or lane.key in OPENAI_NAMES else lane.name


def unfair_slides(unfair: Unfair, lanes: Sequence[Lane]) -> list[Slide]:
    """Return the highest premium in a sentence, and the most unfair pair in the tokens of these lanes."""
    slides = [_premium_slide(unfair)]
    lanes = [*lanes[:2], *lanes[2:][-1:]]  # long texts, which more rows would make small
    if unfair.line and lanes:
        counting = next((lane for lane in lanes if lane.key == unfair.tokenizer), lanes[0])
        first, second = (cut_of(text, counting).tokens for text in unfair.texts)
        spoken, base = (_word_for(name, "languages") for name in unfair.languages)
        counts = {"first": first, "second": second, "language": spoken, "base": base}
        title = t("languages.most_unfair_alone", **counts, tokenizer=counting.label.name.partition(":")[0])
        views = [
            View(text, lanes, label=_word_for(name, "languages"))
            for name, text in zip(unfair.languages, unfair.texts, strict=True)
        ]
        is_short = max(len(text) for text in unfair.texts) <= _SHORT
        shown = [views] if is_short else [[view] for view in one_by_one(*views)]
        slides += [Slide("tokens", title={language(): title}, views=each) for each in shown]
    return slides


def _premium_slide(unfair: Unfair) -> Slide:
    """Return the highest premium and what was counted, above a bar for each tokenizer if there are several."""
    is_sample = unfair.languages[0] in LANGUAGES
    source = t("languages.slide_source_sample" if is_sample else "languages.slide_source", pairs=unfair.pairs)
    over = {language(): source} if unfair.pairs else {}
    spoken, base = (_word_for(name, "languages", form="_short") for name in unfair.languages)
    tokenizer, times = _short_word_for(unfair.tokenizer), ratio(unfair.premium)
    said = t("languages.slide", tokenizer=tokenizer, premium=times, language=spoken, base=base)
    title = {language(): said}
    if len(unfair.premiums) < 2:
        return Slide("words", over=over, title=title, is_strong=True)
    named = [(_short_word_for(name), value) for name, value in unfair.premiums]
    bars = premium_bars(named, base=base, says=premium_said(unfair))
    is_own = any(name == MINE for name, _ in unfair.premiums)
    says = {language(): t("languages.own_note")} if is_own and is_sample else {}
    return Slide("bars", over=over, title=title, says=says, html=bars)


def _word_for(name: str, section: str, called: Callable[[str], str] = str, form: str = "") -> str:
    """Return the word for a language or a tokenizer that the app has, and any other name as it is.

    `form` ends the key of another word for it.
    """
    known = (*OPENAI_NAMES, MINE) if section == "tokenizers" else LANGUAGES
    return t(f"{section}.{name}{form}") if name in known else called(name)


def _short_word_for(tokenizer: str) -> str:
    """Return what a tokenizer is called in few words: one of the app without what stands in parentheses."""
    word = _word_for(tokenizer, "tokenizers")
    return word.partition(" (")[0] if tokenizer in OPENAI_NAMES else word


def _short_name(pattern: str) -> str:
    return shortened(pattern_name(pattern)) if pattern in SPLIT_PATTERNS else pattern_name(pattern)


def move(place: int, step: int) -> None:
    """Move an entry up or down."""
    entries = list(ENTRIES.get())
    other = place + step
    if 0 <= other < len(entries):
        entries[place], entries[other] = entries[other], entries[place]
    ENTRIES.put(entries)


def drop(place: int) -> None:
    """Take an entry out."""
    ENTRIES.put([entry for number, entry in enumerate(ENTRIES.get()) if number != place])


def _add(entry: Entry, job: Job | None) -> None:
    """Put the entry into the talk, and say so: a finger sees no help of a button."""
    if job is not None:
        entry = replace(entry, learned=_learned_by(job))
        if entry.learned is None:
            st.toast(t("talk.nothing_learned"), icon=":material/hourglass_empty:")
            return
    ENTRIES.put([*ENTRIES.get(), entry])
    st.toast(t("talk.in_it", count=len(ENTRIES.get())), icon=":material/playlist_add_check:")
