"""Train: choose a corpus, a size and a split pattern; then watch a tokenizer learn."""

import streamlit as st

from pages.ui.frame import visitor
from pages.ui.frame.manual import how_to_read
from pages.ui.frame.navigation import page
from pages.ui.frame.presenting import presents
from pages.ui.i18n import t
from pages.ui.train.runs import runs_list
from pages.ui.train.setup import nothing_yet, start_usual, training_setup
from pages.ui.train.studio import studio
from pages.ui.widgets.slides import present

job = visitor.current_job()
if job is not None and (presents() or not visitor.wants_setup()):
    studio(job)
else:
    present(nothing_yet, start_usual)
    training_setup(job)
with st.container(key="to_pieces"):
    st.page_link(page("pieces"), label=t("pieces.from_train"), icon=":material/alt_route:", width="stretch")
runs_list()
how_to_read("train")
