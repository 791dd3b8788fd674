"""Compare: one text in several tokenizers; the tokens come before what is set less often."""

import streamlit as st

from pages.ui.compare import sections
from pages.ui.compare.endings import ENDINGS_OPEN, endings
from pages.ui.compare.envelope import ENVELOPE_OPEN, envelope
from pages.ui.compare.lanes import NAMES, VIEW, known_elsewhere, lanes_of, pick_pattern, sizes_of, take_link
from pages.ui.frame.links import PRETOKENS, link_for, link_to, linked_view
from pages.ui.frame.manual import how_to_read
from pages.ui.frame.navigation import page
from pages.ui.i18n import language, t
from pages.ui.i18n.breaks import with_breaks
from pages.ui.inputs.models_by_name import name_in_link
from pages.ui.inputs.opener import say_what_is_linked, tokenizer_opener
from pages.ui.inputs.text import text_picker
from pages.ui.inputs.tokenizers import all_tokenizers, choose_tokenizers, special_switch
from pages.ui.widgets.controls import fold
from pages.ui.widgets.slides import MOST_CHARACTERS, Slide, View, present, verdict
from pages.ui.widgets.slides.talk import Entry, add_button
from pages.ui.widgets.token_view import token_view
from pages.ui.widgets.token_view.drawings import drawing

take_link(link_for("compare"))
top, tokens, more, earlier = (st.container() for _ in range(4))
left, right = top.columns([6, 5], gap="small")
with left, st.container(gap="xsmall", key="compare_text_side"):
    text = text_picker(all_tokenizers())
with right, st.container(gap="xsmall"):
    row, below = st.container(gap="xsmall", key="compare_row"), st.container(gap="xsmall")
    with row:
        chosen = choose_tokenizers(NAMES, more=[PRETOKENS], label_visible=False, earlier=earlier)
    with below:
        pattern = pick_pattern() if PRETOKENS in chosen else None
        say_what_is_linked()
    lanes = lanes_of(chosen, pattern, text)
    with more:
        lanes = special_switch(lanes)
    with row, st.container(horizontal=True, gap="xsmall", key="compare_ways"):
        tokenizer_opener()
        sections.exporter(text, lanes)
if isinstance(text.content, str):
    shown = View(text.content[:MOST_CHARACTERS], lanes)
    present(lambda: [Slide("tokens", title=verdict(shown), views=[shown])])
with tokens:
    if lanes:
        sections.say_what_a_stripe_is()
        token_view(
            drawing(text, lanes, language=language()),
            key=VIEW,
            text_first=True,
            numbers_first=True,
            large=True,
            largest=True,
            max_height=640,
            sizes=sizes_of(lanes, text),
            link=link_to(list(map(name_in_link, chosen)), pattern=pattern, has_text=text.ids_of is None),
            **linked_view(),
        )
        sections.say_what_it_learned_from(text)
        with st.container(horizontal=True, vertical_alignment="center", key="compare_then"):
            sections.lead_to_training()
            if isinstance(text.content, str):
                add_button(Entry(text=shown.text, lanes=known_elsewhere(chosen)), key="compare_add")
        st.caption(f"{t('home.how_to_read')} {t('compare.caption')}")
        sections.hint_at_lookalikes(text.content, lanes)
    else:
        st.info(t("compare.choose_one"))
with fold(t("endings.title"), icon=":material/keyboard_tab:", key=ENDINGS_OPEN.key):
    if ENDINGS_OPEN.get() and isinstance(text.content, str):
        endings(text.content, lanes)
with fold(t("envelope.title"), icon=":material/mail:", key=ENVELOPE_OPEN.key):
    if ENVELOPE_OPEN.get():
        st.fragment(envelope)()
with fold(with_breaks(t("chat.title")), icon=":material/forum:", key=sections.CHAT_OPEN.key):
    if sections.CHAT_OPEN.get():
        sections.chat_markers()
with st.container(key="to_pieces"):
    st.page_link(page("pieces"), label=t("pieces.from_train"), icon=":material/alt_route:", width="stretch")
how_to_read("compare")
