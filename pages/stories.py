"""Stories: what tokenizers do, told with numbers that are counted when they are shown."""

from pages.ui.shell.manual import how_to_read
from pages.ui.stories.stories import show_stories

show_stories()
how_to_read("stories")
