"""Stories: what tokenizers do, to be guessed first and then counted."""

from pages.ui.shell.manual import how_to_read
from pages.ui.stories.telling import show_stories
from pages.ui.words import told

with told():
    show_stories()
how_to_read("stories")
