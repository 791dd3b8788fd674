"""Home: one sentence, cut by every tokenizer at once."""

import streamlit as st

from pages.ui.frame import visitor
from pages.ui.frame.links import link_for
from pages.ui.frame.navigation import go, page
from pages.ui.i18n import language, t
from pages.ui.inputs.corpus import first_training, sample_premiums, sample_text
from pages.ui.inputs.text import example_pills
from pages.ui.inputs.tokenizers import choose_beside, lanes_that_encode, own_lane, reference_lanes, special_switch
from pages.ui.limits import MAX_VIEW_CHARACTERS
from pages.ui.session import Maybe, remembered
from pages.ui.widgets import formatting
from pages.ui.widgets.slides import MOST_CHARACTERS, Slide, View, present
from pages.ui.widgets.slides.talk import Entry, add_button
from pages.ui.widgets.token_view import Link, token_view
from pages.ui.widgets.token_view.drawings import Text, drawing
from tokenizer_core.bpe.openai import OPENAI_NAMES

TEXT: Maybe[str] = Maybe("home_text")

if "text" in (link := link_for("home")):
    TEXT.put(link["text"][:MAX_VIEW_CHARACTERS].replace("\n", " "))
text = (
    st.text_input(
        t("home.text_label"),
        key=remembered(TEXT.key, t("examples.thai")),
        persist_state="session",
        live=True,
        placeholder=t("home.text_placeholder"),
        label_visibility="collapsed",
    )
    or ""
)
with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
    example_pills(TEXT.key, "home")
    if st.button(
        t("home.train"), type="primary", icon=":material/play_arrow:", key="home_train", help=t("home.why_train")
    ):
        visitor.start(first_training())  # an error is shown below
        go("train")
lanes = reference_lanes()
if (own := visitor.own_tokenizer()) is not None:
    lanes.append(own_lane(own))
lanes += lanes_that_encode(choose_beside("home_beside", own=False, files_at_first=True), [text])
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
    place.metric(t(f"tokenizers.{name}"), t("home.bill_times", premium=formatting.ratio(premium)))
st.caption(t("home.bill_source", lines=len(sample_text("parallel.th.txt").splitlines())))
with st.container(horizontal=True):
    st.page_link(page("languages"), label=t("home.bill_more"), icon=":material/arrow_forward:")
    st.page_link(page("patterns"), label=t("home.patterns_more"), icon=":material/arrow_forward:")
