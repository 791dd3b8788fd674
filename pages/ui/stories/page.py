"""The Stories page: a setting and a question, a choice, and then the tokens and what to remember."""

import html
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from urllib.parse import urlencode

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui.frame import presenting
from pages.ui.frame.frame import bring_into_view
from pages.ui.frame.links import link_to_story
from pages.ui.frame.navigation import page
from pages.ui.i18n import language, names, t
from pages.ui.i18n.breaks import with_breaks
from pages.ui.inputs.opener import tokenizer_opener
from pages.ui.inputs.tokenizers import choose_beside, lanes_that_encode
from pages.ui.session import Maybe, Value, one_of, remembered
from pages.ui.stories.all_stories import STORIES, make_story, make_story_beside
from pages.ui.stories.form import Part, Prediction, Side, Story
from pages.ui.stories.talk import (
    LASTING,
    PRESENTS,
    begin_to_present,
    my_slides,
    short_talk,
    show_my_talk,
    slides_of,
    talk,
)
from pages.ui.stories.worksheet import worksheet
from pages.ui.widgets.controls import popover
from pages.ui.widgets.figures_table import figures_table
from pages.ui.widgets.slides import Slide, present
from pages.ui.widgets.slides.talk import Entry, add_button
from pages.ui.widgets.slides.votes import vote_slide
from pages.ui.widgets.token_view import token_view
from pages.ui.widgets.token_view.chips import shortened
from pages.ui.widgets.token_view.drawings import Text, drawing, token_count
from pages.ui.widgets.token_view.lanes import Lane
from tokenizer_core.analysis.cuts import piece_ends

_STORY: Maybe[str] = Maybe("story")
_LINKED_STORY: Maybe[str] = Maybe("linked_story")
"""The story that a link names, until it is shown."""
_SHOWS_ALL: Value[bool] = Value("story_all", bool)
"""Whether stories are shown at once, without a guess."""
_GUESSES: Value[dict[str, int | None]] = Value("story_guesses", dict)
"""The choice made in each story whose answer is shown; None if the answer was shown without a choice."""
_MORE: Value[bool] = Value("story_more", bool)
_WAYS = (("story", "slideshow"), ("short", "co_present"), ("talk", "co_present"), ("vote", "how_to_vote"))
"""Whether the box with all that is not the one thing to do next is open."""
_STEPS: Value[int] = Value("story_steps", int)
"""How often the visitor went on to another story: the page begins at its top once for each time."""
_MOST_OF_A_TEXT = 24
"""Characters of a text above its column."""
_MOST_OF_A_WORD = 12
"""Characters of a text that is shown as large as a slide."""
_STYLE = """
.st-key-story_stage [data-testid="stMarkdownContainer"] p { font-size: 1.375rem; line-height: 1.6; }
.st-key-story_question h2 { font-size: 2.25rem; line-height: 1.45; padding: 0 0 .5rem; }
[class*="st-key-story_choice_"] button p { font-size: 2.5rem; font-weight: 600; }
[class*="st-key-story_choice_"] button { min-width: 9rem; min-height: 5rem;
  border: 2px solid light-dark(#0f766e, #2dd4bf); }
.st-key-story_choices button { min-height: 3rem; }
.st-key-story_show button p { font-size: 1.125rem; text-decoration: underline; text-underline-offset: .25em; }
[class*="st-key-story_choice_"] button [data-testid="stIconMaterial"] { font-size: 2.25rem; }
[class*="st-key-story_choice_"] button [data-testid="stMarkdownContainer"] { margin-inline: .25rem; }
.st-key-story_verdict [data-testid="stAlertContainer"] { padding-block: .625rem; border: 2px solid; }
.st-key-story_verdict p { font-size: 1.375rem; font-weight: 600; line-height: 1.5; }
.st-key-story_verdict [data-testid="stAlertDynamicIcon"] { font-size: 1.75rem; }
[class*="st-key-story_alike_"] p { font-size: 1.25rem; font-weight: 600; line-height: 1.6; }
.st-key-story_choice input { text-overflow: ellipsis; }
.st-key-story_says p { font-size: 1.25rem; line-height: 1.65; }
.st-key-story_texts [data-testid="stText"] {
  font-size: clamp(2.25rem, 2.6vw, 3.5rem); line-height: 1.6; white-space: pre-wrap; }
.st-key-story_word [data-testid="stText"] { font-size: clamp(4rem, 9vw, 9rem); line-height: 1.5; }
.contrast { display: flex; flex-direction: column; gap: .5rem; }
.contrast p { margin: 0; font-size: 1.125rem; line-height: 1.6; }
.contrast b { font-size: 3.5rem; font-weight: 600; line-height: 1.1; margin-inline-end: .5rem;
  font-variant-numeric: tabular-nums; }
.contrast i { display: block; height: .625rem; border-radius: .3rem; background: light-dark(#8a8f98, #8a8f98); }
.contrast p:first-child i { background: light-dark(#0f766e, #2dd4bf); }
.st-key-story_remember {
  border-inline-start: .375rem solid light-dark(#0f766e, #2dd4bf); padding-inline-start: 1rem; }
.st-key-story_remember [data-testid="stMarkdownContainer"] p {
  font-size: 1.75rem; font-weight: 600; line-height: 1.5; }
@media (min-width: 641px) { /* nothing above the choices moves when one is pressed */
  .st-key-story_asked > :has(> :is(.st-key-story_texts, .st-key-story_word)) { order: 1; }
  :root:has(.st-key-story_says) .st-key-story_asked > :has(> :is(.st-key-story_texts, .st-key-story_word)) {
    display: none; }
}
@media (max-width: 640px) { /* the text, the question and its choices stand in the first screen */
  .st-key-story_asked { gap: .625rem; }
  .st-key-story_choice { gap: .5rem; }
  .st-key-story_choice > :first-child { flex: 1 0 100%; min-width: 0; } /* names are long */
  .st-key-story_choice button { padding-inline: .625rem; }
  .st-key-story_choice button p { font-size: .875rem; white-space: nowrap; }
  .st-key-story_stage [data-testid="stMarkdownContainer"] p { font-size: 1rem; line-height: 1.5; }
  .st-key-story_choices { gap: .5rem; }
  :is(.st-key-story_texts, .st-key-story_word) {
    &, [data-testid="stVerticalBlock"], [data-testid="stHorizontalBlock"] { gap: .25rem; }
    [data-testid="stMarkdownContainer"] { margin-bottom: 0; }
    [data-testid="stMarkdownContainer"] p { font-size: .875rem; margin: 0; }
    [data-testid="stColumn"] { flex: 1 1 calc(50% - .25rem); min-width: 40%; }
  }
  .st-key-story_word [data-testid="stText"] { font-size: 2rem; line-height: 1.6; }
  .st-key-story_texts [data-testid="stText"] { font-size: 1.125rem; line-height: 1.4; }
  .st-key-story_question h2 { font-size: 1.375rem; line-height: 1.35; }
  .st-key-story_verdict p { font-size: 1.125rem; }
  [class*="st-key-story_choice_"] button p { font-size: 1.75rem; }
  [class*="st-key-story_choice_"] button { min-width: 6rem; min-height: 3.25rem; }
}
"""


def take_link(link: Mapping[str, str]) -> None:
    """Take a story from a link; it starts at its setting."""
    if link.get("story"):
        _LINKED_STORY.put(link["story"])
        PRESENTS.put("story")
        _hide(link["story"])
        _SHOWS_ALL.put(False)


def show_stories() -> None:
    """Draw the chosen story as far as the visitor has got, and the ways to others."""
    st.html(f"<style>{_STYLE}</style>")
    name, more = _choose_story()
    with more:
        beside = choose_beside("story_beside", own=True)
        tokenizer_opener(in_menu=True)
    story = make_story_beside(name, lanes_that_encode(beside, [part.text for part in make_story(name).parts]))
    make = partial(make_story_beside, beside=beside)
    ways: dict[str, Callable[[], list[Slide]]] = {
        "talk": partial(talk, make),
        "short": partial(short_talk, make),
        "vote": lambda: [vote_slide()],
        "story": partial(slides_of, story),
        "mine": partial(my_slides, make),
    }
    if presenting.what() in LASTING:
        PRESENTS.put(presenting.what())
    if presenting.is_from_here() and PRESENTS.get() in ("talk", "story"):
        presenting.begin(f"{presenting.STORY}{name}")  # a reload shows it again
    present(ways["story" if presenting.story() == name else PRESENTS.get()])
    is_revealed = _SHOWS_ALL.get() or name in _GUESSES.get()
    with st.container(key="story_asked"):
        with st.container(key="story_stage"):
            st.markdown(story.says("setting"))
        is_short = max(len(part.text) for part in story.parts) <= _MOST_OF_A_WORD
        with st.container(key="story_word" if is_short else "story_texts"):
            _each_part(story, lambda story, part: st.text(part.text))
        with st.container(key="story_question"):
            st.header(with_breaks(story.says("question")), anchor=False)  # GPT-2 stays on one line
        _ask(story)
    if is_revealed:
        _reveal(story)
    with more:
        _offer(story)
    show_my_talk()
    if _STEPS.get():
        bring_into_view("story_choice", str(_STEPS.get()))


def _choose_story() -> tuple[str, DeltaGenerator]:
    """Let the visitor choose a story; return its name, and the box for all that is done less often."""
    linked = _LINKED_STORY.take() or presenting.story()
    if linked in STORIES:
        _STORY.put(linked)
    offered = list(STORIES)
    with st.container(horizontal=True, vertical_alignment="bottom", key="story_choice"):
        name = st.selectbox(
            t("stories.label"),
            offered,
            format_func=names("stories.{}_name", offered),
            key=one_of(_STORY.key, offered),
            persist_state="session",
            filter_mode=None,
            label_visibility="collapsed",
            width=420,
        )
        for step, way, icon in ((-1, "previous", "arrow_back"), (1, "next", "arrow_forward")):
            st.button(
                t(f"stories.{way}"),
                icon=f":material/{icon}:",
                key=f"story_{way}",
                on_click=_STORY.put,
                args=(_beside(str(name), step),),
            )
        more = popover(t("stories.more"), icon=":material/more_horiz:", key=_MORE.key)
    return str(name), more


def _beside(name: str, step: int) -> str:
    """Return the story some steps further, around the list."""
    offered = list(STORIES)
    return offered[(offered.index(name) + step) % len(offered)]


def _go_on(name: str) -> None:
    _STORY.put(_beside(name, 1))
    _STEPS.put(_STEPS.get() + 1)


def _ask(story: Story) -> None:
    """Draw the choices, and after one of them which is true; nothing moves away under the keyboard."""
    prediction, guesses = story.prediction, _GUESSES.get()
    is_shown = story.name in guesses
    with st.container(horizontal=True, vertical_alignment="center", key="story_choices"):
        for place, choice in enumerate(() if _SHOWS_ALL.get() else prediction.choices):
            st.button(
                choice,
                key=f"story_choice_{place}",
                icon=_mark(prediction, place, guesses.get(story.name)) if is_shown else None,
                on_click=_guess,
                args=(story.name, place),
            )
        if not _SHOWS_ALL.get():
            if (guess := guesses.get(story.name)) is not None:
                _say_who_was_right(prediction, guess)
            st.button(
                t("stories.again" if is_shown else "stories.show"),
                key="story_show",
                type="tertiary",
                on_click=_hide if is_shown else _guess,
                args=(story.name,) if is_shown else (story.name, None),
            )


def _say_who_was_right(prediction: Prediction, guess: int) -> None:
    """Say beside the choices which is true; a sign tells right from wrong, too."""
    truth = prediction.choices[prediction.right]
    with st.container(width="content", key="story_verdict"):
        if guess == prediction.right:
            st.success(t("stories.right", truth=truth), icon=":material/check_circle:")
        else:
            wrong = t("stories.wrong", guess=prediction.choices[guess], truth=truth)
            st.warning(wrong, icon=":material/cancel:")


def _mark(prediction: Prediction, place: int, guess: int | None) -> str | None:
    if place == prediction.right:
        return ":material/check:"
    return ":material/close:" if place == guess else None


def _guess(name: str, place: int | None) -> None:
    _GUESSES.put({**_GUESSES.get(), name: place})


def _hide(name: str) -> None:
    _GUESSES.put({other: guess for other, guess in _GUESSES.get().items() if other != name})


def _reveal(story: Story) -> None:
    """Draw the contrast, the sentence to remember, the texts in tokens, a table of all counts, and the way on."""
    left, right = st.columns([2, 3], gap="large", vertical_alignment="center")
    left.html(contrast_html(story.sides))
    with right:
        with st.container(key="story_says"):
            st.markdown(story.says("says"))
        with st.container(key="story_remember"):
            st.caption(t("stories.remember"))
            st.markdown(story.says("remember"))
    _each_part(story, _draw)
    figures_table(_counts(story), t("stories.figures"))
    st.caption(" ".join(filter(None, (story.more, story.note, t("stories.live")))))
    words, icon = t("stories.next"), ":material/arrow_forward:"
    st.button(words, icon=icon, type="primary", key="story_on", on_click=_go_on, args=(story.name,))


def contrast_html(sides: Sequence[Side]) -> str:
    """Return the HTML of two large figures, each over a bar as long as it is large."""
    most = max(1, *(side.value for side in sides))
    return "".join(
        [
            '<div class="contrast">',
            *(
                f"<p><b>{side.value:,}</b>{html.escape(' · '.join(filter(None, (side.unit, side.label))))}"
                f'<i style="width:{100 * side.value / most:.1f}%"></i></p>'
                for side in sides
            ),
            "</div>",
        ]
    )


def _counts(story: Story) -> pd.DataFrame:
    """Return the tokens of each text in each tokenizer that is drawn."""
    columns = {
        part.label or shortened(part.text, _MOST_OF_A_TEXT): [token_count(lane, part.text) for lane in story.drawn]
        for part in story.parts
    }
    return pd.DataFrame({t("worksheet.tokenizer"): [lane.name for lane in story.drawn], **columns})


def _offer(story: Story) -> None:
    """Draw how to present the story, what can be taken away, and whether a guess is asked for."""
    for what, icon in _WAYS:
        words, icon = t(f"talk.{what}"), f":material/{icon}:"
        st.button(words, icon=icon, type="tertiary", on_click=_present, args=(what,), key=f"present_{what}")
    st.link_button(
        t("talk.notes_window"),
        f"?{urlencode({'lang': language(), 'present': presenting.LAST, 'notes': 1})}",
        icon=":material/speaker_notes:",
        type="tertiary",
        help=t("talk.notes_window_help"),
    )
    add_button(Entry(story=story.name), key="add_story")
    st.download_button(
        t("worksheet.save"),
        worksheet(story),
        f"worksheet-{story.name}-{language()}.html",
        "text/html",
        icon=":material/print:",
        type="tertiary",
        help=t("worksheet.help"),
        on_click="ignore",
        key="story_worksheet",
    )
    st.page_link(
        page("stories"),
        label=t("stories.link"),
        icon=":material/link:",
        query_params={"lang": language(), "story": story.name},
    )
    st.toggle(t("stories.all"), key=remembered(_SHOWS_ALL.key, False), persist_state="session")


def cut_alike(lanes: Sequence[Lane], text: str) -> bool:
    """Tell whether several tokenizers cut a text at the same places, so that one row shows them all."""
    if len(lanes) < 2 or any(lane.kind != "tokens" for lane in lanes):
        return False
    first, *others = (piece_ends(text, lane.tokenizer)[0].lengths.tolist() for lane in lanes)
    return all(other == first for other in others)


def _present(what: str) -> None:
    _MORE.put(False)  # or it would be open afterwards
    begin_to_present(what)


def _each_part(story: Story, show: Callable[[Story, Part], object]) -> None:
    """Show every text, short ones side by side."""
    places = st.columns(len(story.parts)) if story.has_short_parts else [st.container() for _ in story.parts]
    for place, part in zip(places, story.parts, strict=True):
        with place:
            if part.label:
                st.markdown(f"**{part.label}**")
            show(story, part)


def _draw(story: Story, part: Part) -> None:
    lanes = story.drawn
    if not story.has_short_parts and cut_alike(lanes, part.text):
        cutters, count = ", ".join(lane.name for lane in lanes), token_count(lanes[0], part.text)
        with st.container(key=f"story_alike_{part.key}"):
            st.markdown(with_breaks(t("stories.alike", names=cutters, count=count)))
        lanes = lanes[:1]
    token_view(
        drawing(Text(part.text), lanes, language=language()),
        key=f"story_{story.name}_{part.key}",
        toolbar="none" if len(story.parts) > 1 else "short",
        ruler=False,
        text_first=True,
        numbers_first=True,
        large=True,
        largest=True,
        max_height=None,
        link=link_to_story(story.name),
    )
