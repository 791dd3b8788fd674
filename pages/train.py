"""Train: choose a corpus, a size and a split pattern; then watch a tokenizer learn."""

from pages.ui.shell import visitor
from pages.ui.shell.manual import how_to_read
from pages.ui.shell.navigation import go
from pages.ui.shell.presenting import presents
from pages.ui.train.runs import runs_list
from pages.ui.train.setup import training_setup
from pages.ui.train.studio import studio

job = visitor.current_job()
if job is None or visitor.wants_setup():
    if presents():
        go("stories")
    training_setup(job)
else:
    studio(job)
runs_list()
how_to_read("train")
