"""Files that cannot be read: named in the error that ends the work, or skipped and named."""

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from tokenizer_core.counting.reading import DETECT, STANDARD_INPUT, Reading, blocks_of
from tokenizer_core.errors import CorpusError, TokenizerError


class Unreadable(NamedTuple):
    """A file that was skipped, and why."""

    name: str
    why: str


@contextmanager
def readable(name: str, skipped: list[Unreadable] | None) -> Iterator[None]:
    """Name the file in an error of reading it; or note the file among those that are skipped, and go on."""
    try:
        yield
    except (CorpusError, OSError) as error:
        why = " ".join(str(error.strerror or error).split()) if isinstance(error, OSError) else str(error)
        if skipped is not None:
            skipped.append(Unreadable(name, f"{name}: {why}"))
        elif isinstance(error, OSError):
            raise CorpusError(
                f"the file must be readable; {name}: {why}", "file_unreadable", file=name, why=why
            ) from None
        else:
            raise CorpusError(f"{name}: {why}", error.code, **error.values) from None
    except TokenizerError as error:  # such as a pattern that is slow on this file
        raise type(error)(f"{name}: {error}", error.code, **error.values) from None


def why_unreadable(name: str, reading: Reading = DETECT) -> Unreadable | None:
    """Read a file to its end, and return why that fails; None if it does not, or can be done only once."""
    skipped: list[Unreadable] = []
    if name != STANDARD_INPUT:
        with readable(name, skipped):
            deque(blocks_of(name, reading), maxlen=0)
    return skipped[0] if skipped else None


def none_readable(skipped: Sequence[Unreadable]) -> CorpusError:
    """Return the error for files that were skipped, all of them."""
    return CorpusError(f"at least one file must be readable; {skipped[0].why}", "no_file_readable")
