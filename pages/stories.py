"""Stories: what tokenizers do, to be guessed first and then counted."""

from pages.ui.frame.links import link_for
from pages.ui.frame.manual import how_to_read
from pages.ui.frame.navigation import halves
from pages.ui.i18n import errors_shown
from pages.ui.stories.page import show_stories, take_link

halves()
take_link(link_for("stories"))
with errors_shown():
    show_stories()
how_to_read("stories")
