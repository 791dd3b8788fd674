"""Train: choose a corpus, a size and a split pattern; then watch a tokenizer learn."""

import streamlit as st

from pages.ui.shell import visitor
from pages.ui.shell.manual import how_to_read
from pages.ui.shell.navigation import go, page
from pages.ui.shell.presenting import presents
from pages.ui.train.runs import runs_list
from pages.ui.train.setup import training_setup
from pages.ui.train.studio import studio
from pages.ui.words import t

job = visitor.current_job()
if job is None or visitor.wants_setup():
    if presents():
        go("stories")
    training_setup(job)
else:
    studio(job)
st.page_link(page("pieces"), label=t("pieces.from_train"), icon=":material/alt_route:")
runs_list()
how_to_read("train")
