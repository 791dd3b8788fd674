"""Languages: what the same message costs in several languages, and where the tokens go."""

from pages.ui.frame.manual import how_to_read
from pages.ui.languages.comparison import compare_languages

compare_languages()
how_to_read("languages")
