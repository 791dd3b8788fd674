"""Train: choose a corpus, a size and a split pattern; then watch a tokenizer learn."""

import streamlit as st

from pages.ui.deck import present
from pages.ui.shell import visitor
from pages.ui.shell.manual import how_to_read
from pages.ui.shell.navigation import page
from pages.ui.shell.presenting import presents
from pages.ui.train.runs import runs_list
from pages.ui.train.setup import nothing_yet, training_setup
from pages.ui.train.studio import studio
from pages.ui.words import t

job = visitor.current_job()
if job is not None and (presents() or not visitor.wants_setup()):
    studio(job)
else:
    present(nothing_yet)
    training_setup(job)
st.page_link(page("pieces"), label=t("pieces.from_train"), icon=":material/alt_route:")
runs_list()
how_to_read("train")
