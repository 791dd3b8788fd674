"""The Stories page: a setting and a question, a choice, and then the tokens and what to remember."""

from collections.abc import Callable, Mapping
from functools import partial
from urllib.parse import urlencode

import streamlit as st

from pages.ui.frame.links import link_to_story
from pages.ui.frame.navigation import page
from pages.ui.i18n import as_name, language, names, t
from pages.ui.inputs.tokenizers import choose_beside, lanes_that_encode
from pages.ui.session import Maybe, Value, one_of, remembered
from pages.ui.stories.all_stories import STORIES, make_story, make_story_beside
from pages.ui.stories.form import Part, Prediction, Story
from pages.ui.stories.talk import PRESENTS, begin_to_present, my_slides, show_my_talk, slides_of, talk
from pages.ui.stories.worksheet import worksheet
from pages.ui.widgets.slides import Slide, present
from pages.ui.widgets.slides.talk import Entry, add_button
from pages.ui.widgets.token_view import token_view
from pages.ui.widgets.token_view.drawings import Text, drawing, token_count

_STORY: Maybe[str] = Maybe("story")
_LINKED_STORY: Maybe[str] = Maybe("linked_story")
"""The story that a link names, until it is shown."""
_SHOWS_ALL: Value[bool] = Value("story_all", bool)
"""Whether stories are shown at once, without a guess."""
_GUESSES: Value[dict[str, int | None]] = Value("story_guesses", dict)
"""The choice made in each story whose answer is shown; None if the answer was shown without a choice."""
_STYLE = """
.st-key-story_stage [data-testid="stMarkdownContainer"] p { font-size: 1.375rem; line-height: 1.6; }
.st-key-story_question h2 { font-size: 1.75rem; line-height: 1.45; }
.st-key-story_choices button p { font-size: 1.375rem; }
.st-key-story_choices button { min-width: 4.5rem; min-height: 3rem; }
.st-key-story_says p { font-size: 1.2rem; line-height: 1.65; }
.st-key-story_texts [data-testid="stText"] { font-size: 2.25rem; line-height: 1.6; white-space: pre-wrap; }
.st-key-story_remember {
  border-inline-start: .375rem solid light-dark(#0f766e, #2dd4bf); padding-inline-start: 1rem; }
.st-key-story_remember [data-testid="stMarkdownContainer"] p {
  font-size: 1.75rem; font-weight: 600; line-height: 1.5; }
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
    name = _choose_story()
    beside = choose_beside("story_beside", own=True, files_at_first=False)
    story = make_story_beside(name, lanes_that_encode(beside, [part.text for part in make_story(name).parts]))
    make = partial(make_story_beside, beside=beside)
    ways: dict[str, Callable[[], list[Slide]]] = {
        "talk": partial(talk, make),
        "story": partial(slides_of, story),
        "mine": partial(my_slides, make),
    }
    present(ways[PRESENTS.get()])
    shown_at_once = _SHOWS_ALL.get()
    is_revealed = shown_at_once or name in _GUESSES.get()
    with st.container(key="story_stage"):
        st.markdown(story.says("setting"))
    with st.container(key="story_texts"):  # always there: else the choices are made anew, and lose the focus
        if not is_revealed:
            _each_part(story, lambda story, part: st.text(part.text))
    with st.container(key="story_question"):
        st.header(story.says("question"), anchor=False)
    if not shown_at_once:
        _ask(story)
    if is_revealed:
        _reveal(story)
    _offer(story)
    show_my_talk()


def _choose_story() -> str:
    linked = _LINKED_STORY.take()
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
                args=(offered[(offered.index(name) + step) % len(offered)],),
            )
        st.toggle(t("stories.all"), key=remembered(_SHOWS_ALL.key, False), persist_state="session")
    return str(name)


def _ask(story: Story) -> None:
    """Draw the choices, and after one of them which is true; nothing moves away under the keyboard."""
    prediction, guesses = story.prediction, _GUESSES.get()
    is_shown = story.name in guesses
    with st.container(horizontal=True, key="story_choices"):
        for place, choice in enumerate(prediction.choices):
            st.button(
                choice,
                key=f"story_choice_{place}",
                icon=_mark(prediction, place, guesses.get(story.name)) if is_shown else None,
                on_click=_guess,
                args=(story.name, place),
            )
        st.button(
            t("stories.again" if is_shown else "stories.show"),
            key="story_show",
            type="tertiary",
            on_click=_hide if is_shown else _guess,
            args=(story.name,) if is_shown else (story.name, None),
        )
    guess, truth = guesses.get(story.name), prediction.choices[prediction.right]
    if guess == prediction.right:
        st.success(t("stories.right", truth=truth), icon=":material/check_circle:")
    elif guess is not None:
        st.info(t("stories.wrong", guess=prediction.choices[guess], truth=truth), icon=":material/lightbulb:")


def _mark(prediction: Prediction, place: int, guess: int | None) -> str | None:
    if place == prediction.right:
        return ":material/check:"
    return ":material/close:" if place == guess else None


def _guess(name: str, place: int | None) -> None:
    _GUESSES.put({**_GUESSES.get(), name: place})


def _hide(name: str) -> None:
    _GUESSES.put({other: guess for other, guess in _GUESSES.get().items() if other != name})


def _reveal(story: Story) -> None:
    """Draw the texts in tokens, the sentence with its numbers, and the sentence to remember."""
    _each_part(story, _draw)
    with st.container(key="story_says"):
        st.markdown(story.says("says"))
    for lane in story.beside:
        counts = [(part.label, token_count(lane, part.text)) for part in story.parts]
        said = " · ".join(f"{label} **{count:,}**".strip() for label, count in counts)
        st.markdown(t("stories.beside", name=as_name(lane.name), counts=said))
    if story.note:
        st.markdown(story.note)
    with st.container(key="story_remember"):
        st.caption(t("stories.remember"))
        st.markdown(story.says("remember"))
    st.caption(t("stories.live"))


def _offer(story: Story) -> None:
    """Draw how to present it, and what can be taken away: a worksheet, and the link."""
    with st.container(horizontal=True, vertical_alignment="center", key="story_offers"):
        for what, icon in (("story", "slideshow"), ("talk", "co_present")):
            st.button(
                t(f"talk.{what}"),
                icon=f":material/{icon}:",
                on_click=begin_to_present,
                args=(what,),
                key=f"present_{what}",
            )
        st.link_button(
            t("talk.notes_window"),
            f"?{urlencode({'lang': language(), 'present': 1, 'notes': 1})}",
            icon=":material/speaker_notes:",
            help=t("talk.notes_window_help"),
        )
        add_button(Entry(story=story.name), key="add_story")
        st.download_button(
            t("worksheet.save"),
            worksheet(story),
            f"worksheet-{story.name}-{language()}.html",
            "text/html",
            icon=":material/print:",
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


def _each_part(story: Story, show: Callable[[Story, Part], object]) -> None:
    """Show every text, short ones side by side."""
    places = st.columns(len(story.parts)) if story.has_short_parts else [st.container() for _ in story.parts]
    for place, part in zip(places, story.parts, strict=True):
        with place:
            if part.label:
                st.subheader(part.label, anchor=False)
            show(story, part)


def _draw(story: Story, part: Part) -> None:
    token_view(
        drawing(Text(part.text), story.drawn, language=language()),
        key=f"story_{story.name}_{part.key}",
        toolbar="none" if len(story.parts) > 1 else "short",
        ruler=False,
        large=True,
        largest=True,
        max_height=None,
        link=link_to_story(story.name),
    )
