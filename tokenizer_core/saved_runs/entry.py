"""A saved tokenizer as one file: a ZIP archive of plain text, without any code.

- `entry.json`: what it is, when it was made, and for a run its settings, its recipe and how far it came;
- `tokenizer.model`: its merges in minbpe's format, with pattern and special tokens if that format can hold them;
- `learned.json`: for a run, the count of each merge, the curve of tokens in the corpus, and with parity who chose;
- `file0`, `file1`: for a tokenizer that was opened, its files as they came, in place of the last two.

The texts that a run learned from are never in it: the recipe has their fingerprint.
"""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from tokenizer_core.bpe import minbpe_files
from tokenizer_core.bpe.openai import OPENAI_NAMES
from tokenizer_core.bpe.trainer import Merge
from tokenizer_core.bpe.vocabulary import BYTES, Pair
from tokenizer_core.corpus_counts.counts import Total
from tokenizer_core.errors import ModelFileError, SavedRunsError
from tokenizer_core.patterns.split_patterns import SUPERWORDS, compile_pattern
from tokenizer_core.saved_runs.recipe import Recipe, merges_hash
from tokenizer_core.workers.training_job import Ending
from tokenizer_core.workers.training_settings import Training

FORMAT = "tokenizer entry v1"
MAX_ENTRY_BYTES = 64 * 2**20
"""Bytes of an entry, packed and unpacked."""
MOST_MEMBERS = 100
"""Files in an entry: a model's folder has at most a dozen that a tokenizer is opened from."""
MAX_NAME = 200
LAST_SECOND = 253_370_764_800
"""Seconds from 1970 to 9999, the last year that has a date."""
Seconds = Annotated[float, Meta(ge=0, lt=LAST_SECOND)]
_ID = r"\A[A-Za-z0-9_-]{8,64}\Z"
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, struct.error),
    *(msgspec.DecodeError, ValueError, KeyError),
)
"""What reading a damaged or hostile entry can raise; `ValueError` includes every `TokenizerError`."""


class SavedRun(Struct, frozen=True):
    """What is saved of a training, except its merges."""

    training: Training
    """Its settings, without texts."""
    state: Literal["done", "stopped", "interrupted"]
    ending: Ending | None
    recipe: Recipe | None
    """The recipe of what it had learned; None if it had not read its corpus."""
    pretokens: Total
    distinct_pretokens: Total
    work_seconds: Seconds
    seconds: Seconds
    number: Total
    """Decides its color."""
    expected: Recipe | None
    """The recipe that it followed, if any."""


class Entry(Struct, frozen=True, tag_field="format", tag=FORMAT):
    """What is known of a saved tokenizer without reading its merges: the content of `entry.json`."""

    id: Annotated[str, Meta(pattern=_ID)]
    name: str
    """The name that the visitor gave it; "" without one."""
    created: Seconds
    """Seconds since 1970, as `saved`."""
    saved: Seconds
    vocab_size: Total
    pattern: str
    run: SavedRun | None
    """None for a tokenizer that was opened from a file."""
    file_name: str = ""
    options: Mapping[str, str] = {}
    """How the visitor wanted the file to be read."""


class Learned(NamedTuple):
    """What a run has learned."""

    merges: list[Merge]
    curve: list[tuple[int, int]]
    served: Sequence[int | None] = ()
    """With parity, the number of the language that chose each merge."""


class _LearnedFile(Struct):
    counts: list[Total]
    curve: list[tuple[Total, Total]]
    served: list[Total | None] = []


def is_entry_id(text: str) -> bool:
    """Tell whether a text can be the id of an entry; no id can lead out of its folder.

    >>> is_entry_id("0123456789abcdefABCDEF"), is_entry_id("../../../etc/passwd")
    (True, False)
    """
    return re.search(_ID, text) is not None


# ---- writing


def packed_run(entry: Entry, learned: Learned) -> bytes:
    """Return the file of a run."""
    if entry.run is None:
        raise ValueError("only a run has learned anything")
    pairs = [(merge.left, merge.right) for merge in learned.merges]
    counts = [merge.count for merge in learned.merges]
    return _packed(
        entry,
        {
            "tokenizer.model": _model_of(entry.run, pairs).encode(),
            "learned.json": msgspec.json.encode(_LearnedFile(counts, learned.curve, [*learned.served])),
        },
    )


def packed_files(entry: Entry, contents: Sequence[bytes]) -> bytes:
    """Return the file of a tokenizer that was opened from files with these contents."""
    return _packed(entry, {f"file{number}": content for number, content in enumerate(contents)})


def renamed(content: bytes, name: str) -> bytes:
    """Return the file of an entry under another name."""
    with _undamaged(), _opened(content) as archive:
        others = {each: archive.read(each) for each in archive.namelist() if each != "entry.json"}
    return _packed(replace(read_entry(content), name=name), others)


def _packed(entry: Entry, members: Mapping[str, bytes]) -> bytes:
    described = msgspec.json.encode(replace(entry, name=entry.name[:MAX_NAME]))
    members = {"entry.json": described, **members}
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, content in members.items():
            # A member without a date: ZIP has none before 1980 and after 2107.
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    if max(written.tell(), sum(map(len, members.values()))) > MAX_ENTRY_BYTES or len(members) > MOST_MEMBERS:
        raise SavedRunsError("entry_large", limit=MAX_ENTRY_BYTES)
    return written.getvalue()


def _model_of(run: SavedRun, pairs: Sequence[Pair]) -> str:
    """Return the `.model` file; without pattern and special tokens if the format cannot hold them."""
    pattern = SUPERWORDS if run.recipe and run.recipe.superwords_from is not None else run.training.pattern
    try:
        special_tokens = run.training.special_ids(BYTES + len(pairs))
        return minbpe_files.model_text(minbpe_files.ModelFile(pattern, pairs, special_tokens))
    except ModelFileError:
        return minbpe_files.model_text(minbpe_files.ModelFile("none", pairs, {}))


# ---- reading


def read_entry(content: bytes) -> Entry:
    """Read what a file says of its entry; raise `SavedRunsError` if it is damaged anywhere."""
    with _undamaged():
        with _opened(content) as archive:
            if archive.testzip() is not None:
                raise ValueError("a member is damaged")
            entry = msgspec.json.decode(archive.read("entry.json"), type=Entry)
        if (run := entry.run) is not None:
            _check_training(run.training)
            entry = replace(entry, run=replace(run, training=run.training.forgotten()))
        return replace(entry, name=entry.name[:MAX_NAME], file_name=entry.file_name[:MAX_NAME])


def _check_training(training: Training) -> None:
    compile_pattern(training.pattern)
    training.check()
    if (beat := training.stop.beat) and beat.reference not in ("", *OPENAI_NAMES):
        raise ValueError("the reference tokenizer is unknown")


def read_learned(content: bytes, entry: Entry) -> Learned:
    """Read what a run has learned; raise `SavedRunsError` if it is damaged, or is not what its entry says."""
    with _undamaged():
        with _opened(content) as archive:
            model = minbpe_files.parse(archive.read("tokenizer.model"))
            found = msgspec.json.decode(archive.read("learned.json"), type=_LearnedFile)
        recipe = entry.run.recipe if entry.run else None
        if recipe and recipe.merges_sha256 != merges_hash(model.merges):
            raise ValueError("the merges are not those of the recipe")
        if BYTES + len(model.merges) != entry.vocab_size:
            raise ValueError("the number of merges is another")
        rows = zip(model.merges, found.counts, strict=True)
        merges = [Merge(*pair, n, count) for n, (pair, count) in enumerate(rows, BYTES)]
        return Learned(merges, found.curve, found.served)


def read_files(content: bytes) -> list[bytes]:
    """Read the files that a tokenizer was opened from; raise `SavedRunsError` if they are damaged."""
    with _undamaged(), _opened(content) as archive:
        names = [name for name in archive.namelist() if name.startswith("file")]
        return [archive.read(name) for name in sorted(names, key=lambda name: int(name.removeprefix("file")))]


@contextmanager
def _undamaged() -> Iterator[None]:
    """Within this context, raise whatever a damaged entry causes as a `SavedRunsError`."""
    try:
        yield
    except _DAMAGE as error:
        raise SavedRunsError("entry_damaged") from error


def _opened(content: bytes) -> zipfile.ZipFile:
    """Open an archive; refuse one that is large, packed or unpacked."""
    archive = zipfile.ZipFile(io.BytesIO(content))
    sizes = [member.file_size for member in archive.infolist()]
    if max(len(content), sum(sizes)) > MAX_ENTRY_BYTES or len(sizes) > MOST_MEMBERS:
        raise ValueError("it is too large")
    return archive
