"""Worksheets: a story on one sheet of paper, with a second one for the teacher, as one self-contained page."""

from pathlib import Path

from pages.ui.i18n.breaks import without_breaks
from pages.ui.stories.form import Part, Story
from pages.ui.widgets.printing import bold, printed
from pages.ui.widgets.token_view.drawings import Text, encoded_lane
from pages.ui.widgets.token_view.lanes import Lane
from tokenizer_core.bpe.segments import segments

_PAGE = Path(__file__).parent / "worksheet.html"
_SIZES = ((20, 44), (60, 32), (110, 24))
"""Characters of all texts together, and the type they stand in, in points."""
_SMALLEST = 19
_SEEN = str.maketrans({"\u200b": "[U+200B]", " ": "␣"})


def worksheet(story: Story) -> bytes:
    """Return the worksheet of a story in the visitor's language: nothing on its first sheet gives the answer."""
    characters = sum(len(part.text) for part in story.parts)
    page = printed(
        _PAGE,
        title=without_breaks(story.says("name")),
        says=lambda what: without_breaks(story.says(what)),
        said=bold(without_breaks(story.says("says"))),
        story=story,
        short=story.has_short_parts,
        lanes={name: without_breaks(lane.name) for name, lane in story.lanes.items()},
        labels={part.key: without_breaks(part.label) for part in story.parts},
        note=without_breaks(f"{story.more} {story.note}".strip()),
        points=next((points for most, points in _SIZES if characters <= most), _SMALLEST),
        pieces=_pieces,
    )
    return page.encode()


def _pieces(lane: Lane, part: Part) -> str:
    """Write the tokens of a text with bars between; what several tokens share has their number behind it."""
    found = segments(part.text, encoded_lane(lane, Text(part.text)).tokenizer)
    return " | ".join(_piece(piece.text, len(piece.token_ids)) for piece in found)


def _piece(text: str, tokens: int) -> str:
    seen = text.translate(_SEEN)
    return seen if tokens == 1 else f"{seen} ({tokens})"
