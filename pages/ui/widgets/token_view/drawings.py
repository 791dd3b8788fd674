"""Makes drawings of a text, and keeps them within a limit; a change makes only the changed part again."""

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from pages.ui.i18n import error_sentence, section
from pages.ui.widgets.bounded import Bounded
from pages.ui.widgets.token_view.lanes import Lane
from pages.ui.widgets.token_view.payload import token_payload
from pages.ui.widgets.token_view.serve import Offer, offers
from tokenizer_core.analysis.baselines import PretokenTokenizer
from tokenizer_core.analysis.cuts import places_tokens
from tokenizer_core.bpe.protocols import AnyTokenizer, PlacedTokens

FOR_ONE_THREAD = 2_000
"""Characters that are encoded sooner than other threads would have begun."""
INLINE_CHARACTERS = 20_000
"""A longer text is encoded when the browser fetches it, so that the page itself answers at once."""
OPENING_CHARACTERS = 3_000
"""What is drawn of a longer text until then."""
CACHE_BYTES = 192 * 2**20


@dataclass(frozen=True)
class Drawing:
    """A payload; for a long text only its beginning, and `whole` is the name under which to fetch the rest."""

    payload: bytes
    whole: str | None = None


@dataclass(frozen=True)
class Text:
    """A text to draw; if the visitor pasted token ids, also these ids and their tokenizer."""

    content: str | bytes
    ids: tuple[int, ...] = ()
    ids_of: str | None = None
    """The choice of a tokenizer, as `Lane.choice` has it."""

    def is_of(self, lane: Lane) -> bool:
        """Return whether the pasted ids belong to this lane."""
        return self.ids_of is not None and self.ids_of == lane.choice

    @property
    def digest(self) -> str:
        """A hash of the text and the ids; of a text that was seen shortly before, it is looked up."""
        return _digests.get(self, lambda: _digest(self))


def _digest(text: Text) -> str:
    content = text.content
    if isinstance(content, str):
        content = b"text " + content.encode("utf-8", "surrogatepass")
    ids = repr((text.ids_of, text.ids)) if text.ids_of else ""
    return hashlib.sha256(content + ids.encode()).hexdigest()


class _Encoded(NamedTuple):
    ids: npt.NDArray[np.int32 | np.int64]
    placed: PlacedTokens | None = None
    numbered_by: PretokenTokenizer | None = None
    """The tokenizer that numbered the pretokens of this text. Others are not cached: they are larger than the ids,
    and the lane has them."""


_digests = Bounded[str](16, weigh=lambda digest: 1)
_encodings = Bounded[_Encoded](
    CACHE_BYTES, weigh=lambda encoded: encoded.ids.nbytes * (5 if encoded.placed else 1) + 1
)
_payloads = Bounded[bytes](CACHE_BYTES, weigh=len)


def encoded_lane(lane: Lane, text: Text) -> Lane:
    """Return the lane with its tokens: the pasted ids if they belong to it, or the tokens of the text."""

    def make() -> _Encoded:
        tokenizer: AnyTokenizer = lane.tokenizer
        numbered_by = None
        if isinstance(tokenizer, PretokenTokenizer):  # it numbers as it goes, text by text
            tokenizer = numbered_by = PretokenTokenizer(tokenizer.pattern)
        if text.is_of(lane):
            ids = list(text.ids)
        else:
            assert isinstance(text.content, str)  # bytes that are not text have only the ids they came from
            allowed: Literal["all"] | tuple[()] = "all" if lane.special_acts else ()
            if places_tokens(tokenizer, text.content):
                placed = tokenizer.encode_placed(text.content, allowed_special=allowed)
                return _Encoded(placed.ids, placed)
            ids = tokenizer.encode(text.content, allowed_special=allowed)
        wide = max(ids, default=0) >= 2**31  # a special token may have any id
        return _Encoded(np.array(ids, dtype=np.int64 if wide else np.int32), None, numbered_by)

    encoded = _encodings.get((lane.key, lane.special_acts, text.digest), make)
    tokenizer = encoded.numbered_by or lane.tokenizer
    return replace(lane, tokenizer=tokenizer, encoding=encoded.ids, placed=encoded.placed)


def token_count(lane: Lane, text: str) -> int:
    """Count the tokens of a text in a lane."""
    encoding = encoded_lane(lane, Text(text)).encoding
    assert encoding is not None
    return len(encoding)


def drawing(text: Text, lanes: Sequence[Lane], *, language: str) -> Drawing:
    """Return the drawing of a text, from the cache if the text and the lanes are the same."""
    key = f"{text.digest} {language} {[(lane.key, lane.special_acts, *lane.label) for lane in lanes]!r}"

    def make() -> bytes:
        if len(text.content) <= FOR_ONE_THREAD:
            return _payload(text, [encoded_lane(lane, text) for lane in lanes], language)
        # tiktoken and numpy let other threads run: lanes are encoded side by side.
        with ThreadPoolExecutor(max_workers=2) as pool:
            encoded = list(pool.map(lambda lane: encoded_lane(lane, text), lanes))
        return _payload(text, encoded, language)

    if len(text.content) <= INLINE_CHARACTERS:
        return Drawing(_payloads.get(key, make))
    explain = partial(error_sentence, spoken=language)
    name = offers().offer(key, Offer(lambda: _payloads.get(key, make), explain))
    return Drawing(_payloads.get(f"opening {key}", lambda: _opening(text, lanes, language)), name)


def _payload(text: Text, lanes: Sequence[Lane], language: str, *, whole: bool = True) -> bytes:
    return token_payload(text.content, lanes, labels=view_labels(language), locale=language, whole=whole)


def view_labels(spoken: str) -> dict[str, str]:
    """Return the words of the view; the sentence above its rows and the sizes say where a line may break."""
    whole = section("token_view", spoken=spoken, has_breaks=True)
    broken = {key: words for key, words in whole.items() if key == "size" or key.startswith("verdict")}
    return section("token_view", spoken=spoken) | broken


def _opening(text: Text, lanes: Sequence[Lane], language: str) -> bytes:
    """Return the beginning of a long text, up to a line break or space; it is drawn until the whole arrives."""
    if not isinstance(text.content, str) or text.ids_of:
        return _payload(Text(""), [], language, whole=False)
    opening = opening_of(text)
    return _payload(opening, [encoded_lane(lane, opening) for lane in lanes], language, whole=False)


def opening_of(text: Text) -> Text:
    """Return the beginning of a long text that is drawn at first."""
    assert isinstance(text.content, str)
    start = text.content[:OPENING_CHARACTERS]
    end = max(start.rfind("\n", OPENING_CHARACTERS // 2), start.rfind(" ", OPENING_CHARACTERS // 2))
    return Text(start[: end if end > 0 else len(start)])
