"""Home: one sentence, cut by every tokenizer at once."""

import streamlit as st

from pages.ui.frame import visitor
from pages.ui.frame.links import link_for
from pages.ui.frame.navigation import go
from pages.ui.home.letters import letters_said, special_said
from pages.ui.home.premium import premium_section, premium_slides, say_premium
from pages.ui.i18n import language, t, translations
from pages.ui.inputs.corpus import first_training
from pages.ui.inputs.opener import tokenizer_opener
from pages.ui.inputs.text import SENTENCE, example_pills
from pages.ui.inputs.tokenizers import choose_beside, lanes_that_encode, own_lane, reference_lanes, special_switch
from pages.ui.limits import MAX_VIEW_CHARACTERS
from pages.ui.session import remembered
from pages.ui.widgets.slides import MOST_CHARACTERS, Slide, View, present
from pages.ui.widgets.slides.talk import Entry, add_button
from pages.ui.widgets.token_view import Link, token_view, toolbar_of
from pages.ui.widgets.token_view.drawings import Text, drawing

VIEW = "home_view"

if "text" in (link := link_for("home")):
    SENTENCE.put(link["text"][:MAX_VIEW_CHARACTERS].replace("\n", " "))
text = (
    st.text_input(
        t("home.text_label"),
        key=remembered(SENTENCE.key, t("examples.thai")),
        persist_state="session",
        live=True,
        placeholder=t("home.text_placeholder"),
        label_visibility="collapsed",
    )
    or ""
)
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
    example_pills(SENTENCE.key, "home")
    with st.container(width="content", key="home_stripe"):
        st.caption(t("home.look_inside"))
    with st.container(horizontal=True, width="content"):
        menu = st.popover(t("home.view"), icon=":material/tune:", key="home_menu")
        if st.button(
            t("home.train"),
            type="primary",
            icon=":material/play_arrow:",
            key="home_train",
            help=t("home.why_train"),
        ):
            visitor.start(first_training(text))  # an error is shown below
            go("train")
lanes = reference_lanes()
if (own := visitor.own_tokenizer()) is not None:
    lanes.append(own_lane(own))
with menu:
    toolbar_of(VIEW)
    beside = choose_beside("home_beside", own=False)
    tokenizer_opener(in_menu=True)
lanes += lanes_that_encode(beside, [text])
with menu:
    lanes = special_switch(lanes, in_menu=True)
    add_button(Entry(text=text[:MOST_CHARACTERS], lanes=tuple(lane.choice for lane in lanes)), key="home_add")
present(lambda: [Slide("tokens", title=translations("home.stripe"), views=[View(text, lanes)]), *premium_slides()])
with st.container(gap="xsmall", key="home_tokens"):
    why = special_said(text, lanes) or letters_said(text, reference_lanes())
    st.caption(f"{t('home.how_to_read')} {why}")
    token_view(
        drawing(Text(text), lanes, language=language()),
        key=VIEW,
        toolbar="apart",
        numbers_first=True,
        ruler=False,
        large=True,
        largest=True,
        link=Link({"lang": language()}),
    )
    say_premium()
premium_section()
