"""The pattern lab: one text cut by two split patterns, one above the other, and the figures of both."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pandas as pd
import streamlit as st

from pages.ui.frame import visitor
from pages.ui.frame.links import link_to_patterns, linked_view
from pages.ui.frame.navigation import go
from pages.ui.i18n import error_sentence, language, t, translations
from pages.ui.inputs.corpus import first_training
from pages.ui.inputs.pattern import OWN_PATTERN, PATTERN_ORDER, PREVIEW_SENTENCE, choose_pattern, shortened
from pages.ui.inputs.text import carry_sentence, example_pills, follow_sentence
from pages.ui.limits import MAX_VIEW_CHARACTERS
from pages.ui.patterns.branches import as_lines, explained, from_lines
from pages.ui.session import Maybe, Value, one_of
from pages.ui.widgets import formatting
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.controls import answer, fold, live_text_area
from pages.ui.widgets.figures_table import figures_table
from pages.ui.widgets.player import MOST_CHARACTERS as MOST_IN_A_FILM
from pages.ui.widgets.slides import MOST_CHARACTERS, Slide
from pages.ui.widgets.slides.talk import Entry, add_button, pattern_slide, verdict_on
from pages.ui.widgets.token_view import token_view
from pages.ui.widgets.token_view.drawings import Drawing, view_labels
from pages.ui.widgets.token_view.lanes import BranchCuts, Label, Lane
from pages.ui.widgets.token_view.payload import token_payload
from tokenizer_core.analysis.baselines import PretokenTokenizer
from tokenizer_core.analysis.branches import Pretoken, attribute
from tokenizer_core.analysis.pattern_figures import PatternFigures, pattern_figures
from tokenizer_core.analysis.segmenters import NEWMM, newmm
from tokenizer_core.errors import TokenizerError
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS, pretokenize

SIDES = ("first", "second")
"""The two patterns, by their names in a link."""
TEXT: Value[str] = Value("lab_text", lambda: PREVIEW_SENTENCE)


def pattern_keys(side: str) -> str:
    """Return the prefix of the keys of one pattern's picker."""
    return f"lab_{side}"


def own_pattern(side: str) -> Value[str]:
    """Return the session value of the custom pattern on one side, as it stands in its box."""
    return Value(f"{pattern_keys(side)}_custom", lambda: as_lines(OWN_EXAMPLES[0]))


def _choice(side: str) -> Maybe[str]:
    """Return the session value of the name that is chosen on one side."""
    return Maybe(f"{pattern_keys(side)}_choice")


def take_link(link: Mapping[str, str]) -> None:
    """Take text and patterns from a link, or else the visitor's own sentence."""
    follow_sentence(TEXT.key, PREVIEW_SENTENCE)
    if "text" in link:
        TEXT.put(link["text"][:MAX_VIEW_CHARACTERS])
    for side in SIDES:
        if link.get(side):
            named = link[side] in SPLIT_PATTERNS
            choose_pattern(pattern_keys(side), link[side] if named else as_lines(link[side]))


MAX_CHARACTERS = 20_000
"""Characters of the text to cut: it is cut again at every change."""
DEFAULTS = {"first": "cl100k", "second": "mark_aware"}
OWN_EXAMPLES = (r"[ก-๙]+|[a-zA-Z]+|\d+", ".", "เรียน|โรง")
KEPT_CHARACTERS = 4_000_000


class Chosen(NamedTuple):
    """A pattern, and its name."""

    choice: str
    """Its name in the list; "custom" for a custom pattern."""
    pattern: str

    @property
    def name(self) -> str:
        """The name for people, not for Markdown."""
        return t(f"pattern.{self.choice}_name")

    @property
    def short(self) -> str:
        """The name for places with little room."""
        return shortened(self.name)


@dataclass(frozen=True)
class Cut:
    """The pretokens of a text and their figures; or, without both, the error that prevents them."""

    pretokens: Sequence[Pretoken] = field(default=(), repr=False)
    figures: PatternFigures | None = None
    error: TokenizerError | None = None
    characters: int = 0
    """Characters of the text and the pattern together."""


_cuts = Bounded[Cut](KEPT_CHARACTERS, weigh=lambda cut: 100 + cut.characters + 4 * len(cut.pretokens))
_payloads = Bounded[bytes](16 * 2**20, weigh=len)


def cut(text: str, pattern: str) -> Cut:
    """Cut a text once; remember an error too, so that a slow pattern is not tried again and again."""

    def make() -> Cut:
        size = len(text) + len(pattern)
        try:
            pretokens = attribute(text, pattern)
            return Cut(pretokens, pattern_figures(text, pattern, segmenter=newmm()), characters=size)
        except TokenizerError as error:
            return Cut(error=error.bare(), characters=size)

    return _cuts.get((pattern, text), make)


def usable_patterns() -> list[tuple[Chosen, Cut]]:
    """Return the patterns that can be used, and their cuts of the text; their pickers need not be drawn."""
    found = ((chosen, cut(text_to_cut(), chosen.pattern)) for chosen in map(chosen_on, SIDES))
    return [(chosen, made) for chosen, made in found if made.error is None]


def chosen_patterns() -> list[Chosen]:
    """Return the patterns that can be used, each once."""
    return list(dict.fromkeys(chosen for chosen, _ in usable_patterns()))


def chosen_on(side: str) -> Chosen:
    """Return the pattern that the visitor chose on one side."""
    choice = _choice(side).get()
    if choice not in PATTERN_ORDER:
        choice = DEFAULTS[side]
    return Chosen(choice, choice if choice != OWN_PATTERN else from_lines(own_pattern(side).get()))


def text_to_cut() -> str:
    """Return the text, as long as it may be."""
    return TEXT.get()[:MAX_CHARACTERS]


def slides(tab: str, answers: Sequence[str]) -> list[Slide]:
    """Return what fills the screen: the answers of a tab, or on the first tab the text under both patterns."""
    if answers:
        first, *others = answers
        return [Slide("words", title={language(): first}, says={language(): "\n".join(others)}, is_strong=True)]
    if tab != "cut":
        return [Slide("words", title=translations("lab.not_yet"))]
    if not (text := text_to_cut()[:MOST_CHARACTERS]):
        return [Slide("words", title=translations("lab.empty"))]
    return [pattern_slide(text, [(chosen.short, chosen.pattern) for chosen, _ in usable_patterns()])]


def pattern_lab() -> None:
    """Draw the verdict on two patterns, the text, both patterns, and what they make of the text."""
    verdict = st.container()
    st.caption(t("lab.what"))
    text, pickers = st.columns([6, 5], gap="medium")
    with text:
        _text()
    own = []
    with pickers, st.container(key="lab_pickers"):
        columns = st.columns(2, gap="small")
    for side, column in zip(SIDES, columns, strict=True):
        with column:
            if _picked(side) == OWN_PATTERN:
                own.append(side)
            else:
                _say_what_is_wrong(chosen_on(side))
    for side, column in zip(own, st.columns(len(own), gap="large") if own else []):
        with column:
            _own_pattern(side)
            _say_what_is_wrong(chosen_on(side))
    if usable := usable_patterns():
        if not text_to_cut():
            with verdict:
                answer(t("lab.empty"), key="patterns")
        elif said := verdict_on([(chosen.short, made.figures) for chosen, made in usable if made.figures]):
            with verdict:
                answer(said, key="patterns")
                if _differ_only_on_thai(usable):
                    st.markdown(t("lab.try_thai", example=t("examples.thai_name")))
        _show(usable)


def _differ_only_on_thai(usable: Sequence[tuple[Chosen, Cut]]) -> bool:
    """Tell whether two named patterns cut the text alike, but not the Thai example."""
    patterns = [chosen.pattern for chosen, _ in usable]
    if len(patterns) < 2 or not all(pattern in SPLIT_PATTERNS for pattern in patterns):
        return False
    alike = len({tuple(pretoken.text for pretoken in made.pretokens) for _, made in usable}) == 1
    return alike and len({tuple(pretokenize(t("examples.thai"), pattern)) for pattern in patterns}) > 1


def _show(usable: Sequence[tuple[Chosen, Cut]]) -> None:
    """Draw the text under both patterns, and the figures of both."""
    text = text_to_cut()
    patterns = [chosen_on(side).pattern for side in SIDES]
    has_steps = any(made.figures and made.figures.thai_letters_cut for _, made in usable)
    st.markdown(t("lab.how_step" if has_steps else "lab.how"))
    token_view(
        _drawing(text, usable),
        key="lab_view",
        large=True,
        largest=True,
        max_height=560,
        text_first=True,
        numbers_first=True,
        link=link_to_patterns(dict(zip(SIDES, patterns, strict=True))),
        **linked_view(),
    )
    kept = tuple(dict.fromkeys(chosen.pattern for chosen, _ in usable))
    with st.container(horizontal=True, vertical_alignment="center", key="lab_then"):
        fewest, _ = min(reversed(usable), key=lambda each: len(each[1].pretokens))
        own = [chosen for chosen, _ in usable if chosen.choice == OWN_PATTERN]
        offered = own[-1] if own else fewest
        label = t("lab.train", name=offered.short)
        if st.button(label, type="primary", icon=":material/play_arrow:", key="lab_train"):
            carry_sentence(TEXT.key, MOST_IN_A_FILM)
            visitor.start(first_training(text, offered.pattern))
            go("train")
        add_button(Entry(text=text[:MOST_CHARACTERS], patterns=kept), key="lab_add")
    figures = [(chosen.short, made.figures) for chosen, made in usable if made.figures]
    with fold(t("lab.figures"), icon=":material/table:", key="lab_figures"):
        figures_table(figure_rows(figures), t("lab.figures"))
        st.caption(t("lab.ceiling") + _words_said(text))


def _text() -> None:
    """Draw the box of the text, and below it examples."""
    characters = len(TEXT.get())
    live_text_area(t("lab.text"), key=TEXT.key, height=68, show_label=False)
    example_pills(TEXT.key, "lab")
    if characters > MAX_CHARACTERS:
        st.info(t("text.window", shown=MAX_CHARACTERS, characters=characters), icon=":material/crop:")


def _picked(side: str) -> str:
    return st.selectbox(
        t(f"lab.{side}"),
        PATTERN_ORDER,
        format_func={name: shortened(t(f"pattern.{name}_name")) for name in PATTERN_ORDER}.__getitem__,
        key=one_of(_choice(side).key, PATTERN_ORDER, DEFAULTS[side]),
        persist_state="session",
        help=t(f"pattern.{chosen_on(side).choice}_what"),
    )


def _own_pattern(side: str) -> None:
    """Draw the box of a custom pattern as wide as there is room, and below it examples."""
    box, said = own_pattern(side), f"{t('pattern.custom_what')} {t('lab.own_lines')}"
    box.get()  # the pattern that it begins with
    live_text_area(t("pattern.custom_label"), key=box.key, height="content", help=said)
    _own_examples(side)


def say_what_is_left_out() -> None:
    """Say on the other tabs which pattern is left out there, and why."""
    usable = chosen_patterns()
    for chosen in dict.fromkeys(map(chosen_on, SIDES)):
        if chosen not in usable:
            _say_what_is_wrong(chosen)


def _say_what_is_wrong(chosen: Chosen) -> None:
    """Say why a pattern cannot be used, or that it matches nothing."""
    made = cut(text_to_cut(), chosen.pattern)
    if made.error is not None:
        st.error(error_sentence(made.error), icon=":material/error:")
    elif made.pretokens and all(pretoken.branch is None for pretoken in made.pretokens):
        st.info(t("lab.matches_nothing"), icon=":material/search_off:")


def _own_examples(side: str) -> None:
    """Draw patterns to start with, short ones and a named one; a click puts one into the box."""
    pills, box = Maybe[str](f"{pattern_keys(side)}_example"), own_pattern(side)

    def use() -> None:
        if pattern := pills.get():
            box.put(as_lines(SPLIT_PATTERNS.get(pattern, pattern)))
            pills.put(None)

    called = {pattern: f"`{pattern}`" for pattern in OWN_EXAMPLES}
    called["mark_aware"] = shortened(t("pattern.mark_aware_name"))

    st.pills(
        t("examples.label"),
        called,
        format_func=called.__getitem__,
        key=pills.key,
        on_change=use,
        label_visibility="collapsed",
    )


# ---- drawing


def _drawing(text: str, cuts: Sequence[tuple[Chosen, Cut]]) -> Drawing:
    """Return one lane for each pattern, colored by branch; the same text and patterns come from the cache."""

    def make() -> bytes:
        has_own = any(chosen.choice == OWN_PATTERN for chosen, _ in cuts)  # whose box takes the room of captions
        lanes = [_lane(chosen, made, says_what=not has_own) for chosen, made in cuts]
        return token_payload(text, lanes, labels=view_labels(language()), locale=language())

    return Drawing(_payloads.get((text, tuple(chosen for chosen, _ in cuts), language()), make))


def _lane(chosen: Chosen, made: Cut, *, says_what: bool) -> Lane:
    bare = PretokenTokenizer(chosen.pattern)
    return Lane(
        f"pretokens {chosen.pattern}",
        Label(chosen.short, t(f"pattern.{chosen.choice}_what") if says_what else ""),
        bare,
        bare.number(pretoken.text for pretoken in made.pretokens),
        cuts=BranchCuts(explained(chosen.pattern), [pretoken.branch for pretoken in made.pretokens]),
    )


# ---- figures


def figure_rows(found: Sequence[tuple[str, PatternFigures]], *, longest: Sequence[int] = ()) -> pd.DataFrame:
    """Return the figures of patterns side by side.

    `longest` has the lengths of the longest pretokens, for figures that have only their beginnings.
    """
    lengths = longest or [len(figures.longest) for _, figures in found]
    rows: dict[str, list[str]] = {
        "lossless": [t("lab.yes" if figures.lossless else "lab.no") for _, figures in found],
        "pretokens": [f"{figures.pretokens:,}" for _, figures in found],
        "distinct": [f"{figures.distinct:,}" for _, figures in found],
        "longest": [f"{length:,}" for length in lengths],
        "per_pretoken": [formatting.ratio(figures.characters_per_pretoken) for _, figures in found],
        "thai_cut": [formatting.fine_share(figures.thai_clusters_cut) for _, figures in found],
        "clusters_cut": [formatting.fine_share(figures.clusters_cut) for _, figures in found],
        "words_cut": [formatting.fine_share(figures.words_cut) for _, figures in found],
        "seconds": [_time(figures.seconds) for _, figures in found],
    }
    known = [[t(f"lab.figure_{name}"), *cells] for name, cells in rows.items() if set(cells) != {formatting.NONE}]
    return pd.DataFrame(known, columns=[t("pattern.label"), *(name for name, _ in found)])


def _time(seconds: float) -> str:
    if seconds >= 1:
        return t("lab.seconds", count=f"{seconds:,.1f}")
    return t("lab.milliseconds", count="<0.1" if seconds < 0.0001 else f"{1000 * seconds:,.1f}")


def _words_said(text: str) -> str:
    """Say how words were found in a Thai text, or that nothing here can find them."""
    if not any("\u0e01" <= letter <= "\u0e5b" for letter in text):
        return ""
    known = newmm()
    return " " + (t("lab.words_by", name=known.name) if known else t("lab.no_words", name=NEWMM))
