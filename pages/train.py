"""Train: choose a corpus, a size and a split pattern; then watch a tokenizer learn."""

from pages.ui import state
from pages.ui.runs import runs_list
from pages.ui.setup import training_setup
from pages.ui.studio import studio

job = state.current_job()
if job is None or state.wants_setup():
    training_setup(job)
else:
    studio(job)
runs_list()
