"""Home: one sentence, cut by every tokenizer at once."""

import streamlit as st

from pages.ui.choices.first_training import first_training
from pages.ui.choices.samples import sample_text
from pages.ui.choices.special import special_switch
from pages.ui.choices.text import example_pills
from pages.ui.choices.tokenizers import choose_beside, own_lane, reference_lanes, that_can
from pages.ui.deck import MOST_CHARACTERS, Slide, View, present
from pages.ui.deck.keys import Entry
from pages.ui.deck.mine import add_button
from pages.ui.home import keys
from pages.ui.home.premiums import sample_premiums
from pages.ui.session import remembered
from pages.ui.shell import visitor
from pages.ui.shell.navigation import go, page
from pages.ui.token_view import Link, token_view
from pages.ui.token_view.drawings import Text, drawing
from pages.ui.widgets import written
from pages.ui.words import language, t
from tokenizer_core.openai import OPENAI_NAMES

text = (
    st.text_input(
        t("home.text_label"),
        key=remembered(keys.TEXT.key, t("examples.thai")),
        persist_state="session",
        live=True,
        placeholder=t("home.text_placeholder"),
        label_visibility="collapsed",
    )
    or ""
)
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
    example_pills(keys.TEXT.key, "home")
    if st.button(
        t("home.train"), type="primary", icon=":material/play_arrow:", key="home_train", help=t("home.why_train")
    ):
        visitor.start(first_training())  # an error is shown below
        go("train")
lanes = reference_lanes()
if (own := visitor.mine()) is not None:
    lanes.append(own_lane(own))
lanes += that_can(choose_beside("home_beside", own=False, files_at_first=True), [text])
shown = st.container()
lanes = special_switch(lanes)
present(lambda: [Slide("tokens", views=[View(text, lanes)])])
drawn = drawing(Text(text), lanes, language=language())
with shown:
    token_view(drawn, key="home_view", toolbar="short", large=True, largest=True, link=Link({"lang": language()}))
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
    st.caption(t("home.how_to_read"), width="stretch")
    add_button(Entry(text=text[:MOST_CHARACTERS], lanes=tuple(lane.choice for lane in lanes)), key="home_add")
st.markdown(t("home.what_is_a_token"))
st.header(t("home.bill"), anchor=False)
st.markdown(t("home.bill_why"))
for place, (name, premium) in zip(st.columns(len(OPENAI_NAMES)), sample_premiums(), strict=False):
    place.metric(t(f"tokenizers.{name}"), t("home.bill_times", premium=written.ratio(premium)))
st.caption(t("home.bill_source", lines=len(sample_text("parallel.th.txt").splitlines())))
with st.container(horizontal=True):
    st.page_link(page("languages"), label=t("home.bill_more"), icon=":material/arrow_forward:")
    st.page_link(page("patterns"), label=t("home.patterns_more"), icon=":material/arrow_forward:")
