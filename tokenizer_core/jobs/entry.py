"""A tokenizer that is kept, as one file: a ZIP archive of plain text, without any code.

- `entry.json`: what it is, when it was made, and for a run its settings, its recipe and how far it came;
- `tokenizer.model`: its merges in minbpe's format, with pattern and special tokens if that format can hold them;
- `learned.json`: for a run, the count of each merge, and the curve of tokens in the corpus;
- `file0`, `file1`: for a tokenizer that was opened, its files as they came, in place of the last two.

The texts that a run learned from are never in it: the recipe has their fingerprint.
"""

import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, NamedTuple

from tokenizer_core import minbpe_files
from tokenizer_core.errors import LibraryError, ModelFileError, TokenizerError
from tokenizer_core.jobs.entry_checks import check_run, checked_training
from tokenizer_core.jobs.recipe import Recipe, merges_hash, parse_recipe, recipe_text
from tokenizer_core.jobs.training import Training
from tokenizer_core.trainer import Merge
from tokenizer_core.vocabulary import BYTES, Pair

FORMAT = "tokenizer entry v1"
MAX_ENTRY_BYTES = 64 * 2**20
"""Bytes of an entry, packed and unpacked."""
MAX_NAME = 200
LAST_SECOND = 253_370_764_800
"""Seconds from 1970 to 9999, the last year that has a date."""
RUN_STATES = ("done", "stopped", "interrupted")
_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, struct.error, NotImplementedError, RuntimeError),
    *(ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, RecursionError),
)
"""What reading a damaged or hostile entry can raise; `ValueError` includes every `TokenizerError`."""


@dataclass(frozen=True)
class KeptRun:
    """What is kept of a training, except its merges."""

    training: Training
    """Its settings, without texts."""
    state: Literal["done", "stopped", "interrupted"]
    ending: str | None
    recipe: Recipe | None
    """The recipe of what it had learned; None if it had not read its corpus."""
    pretokens: int
    distinct_pretokens: int
    work_seconds: float
    seconds: float
    number: int
    """Decides its color."""
    expected: Recipe | None = None
    """The recipe that it followed, if any."""


@dataclass(frozen=True)
class Entry:
    """What is known of a kept tokenizer without reading its merges."""

    id: str
    name: str
    """The name that the visitor gave it; "" without one."""
    created: float
    """Seconds since 1970, as `saved`."""
    saved: float
    vocab_size: int
    pattern: str
    run: KeptRun | None = None
    """None for a tokenizer that was opened from a file."""
    file_name: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    """How the visitor wanted the file to be read."""


class Learned(NamedTuple):
    """What a run has learned."""

    merges: Sequence[Merge]
    curve: Sequence[tuple[int, int]]


def is_entry_id(text: str) -> bool:
    """Tell whether a text can be the id of an entry; no id can lead out of the library's folder.

    >>> is_entry_id("0123456789abcdefABCDEF"), is_entry_id("../../../etc/passwd")
    (True, False)
    """
    return _ID.fullmatch(text) is not None


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
            "tokenizer.model": _model_of(entry.run.training, pairs).encode(),
            "learned.json": json.dumps({"counts": counts, "curve": list(learned.curve)}).encode(),
        },
    )


def packed_files(entry: Entry, contents: Sequence[bytes]) -> bytes:
    """Return the file of a tokenizer that was opened from files with these contents."""
    return _packed(entry, {f"file{number}": content for number, content in enumerate(contents)})


def renamed(content: bytes, name: str) -> bytes:
    """Return the file of an entry under another name."""
    with _opened(content) as archive:
        others = {each: _member(archive, each) for each in archive.namelist() if each != "entry.json"}
    return _packed(replace(read_entry(content), name=name[:MAX_NAME]), others)


def _packed(entry: Entry, members: Mapping[str, bytes]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        described = json.dumps(_described(entry), ensure_ascii=True, indent=1).encode()
        for name, content in {"entry.json": described, **members}.items():
            member = zipfile.ZipInfo(name)  # with a fixed date: a clock before 1980 or after 2107 has none in ZIP
            member.compress_type, member.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
            archive.writestr(member, content)
    if max(written.tell(), sum(map(len, members.values()))) > MAX_ENTRY_BYTES:
        raise LibraryError(
            f"a kept tokenizer may have at most {MAX_ENTRY_BYTES:,} bytes", "entry_large", limit=MAX_ENTRY_BYTES
        )
    return written.getvalue()


def _described(entry: Entry) -> dict[str, Any]:
    described: dict[str, Any] = {"format": FORMAT, **asdict(replace(entry, run=None)), "run": None}
    if (run := entry.run) is not None:
        described["run"] = {
            **asdict(replace(run, training=Training((), BYTES), recipe=None, expected=None)),
            "training": run.training.described(),
            "recipe": _recipe_described(run.recipe),
            "expected": _recipe_described(run.expected),
        }
    return described


def _recipe_described(recipe: Recipe | None) -> Any:
    return None if recipe is None else json.loads(recipe_text(recipe))


def _model_of(training: Training, pairs: Sequence[Pair]) -> str:
    """Return the `.model` file; without pattern and special tokens if the format cannot hold them."""
    try:
        special_tokens = training.special_ids(BYTES + len(pairs))
        return minbpe_files.model_text(minbpe_files.ModelFile(training.pattern, pairs, special_tokens))
    except ModelFileError:
        return minbpe_files.model_text(minbpe_files.ModelFile("none", pairs, {}))


# ---- reading


def read_entry(content: bytes) -> Entry:
    """Read what a file says of its entry; raise `LibraryError` if it is damaged anywhere."""
    try:
        with _opened(content) as archive:
            if archive.testzip() is not None:
                raise ValueError("a member is damaged")
            return _entry_of(_json(_member(archive, "entry.json")))
    except _DAMAGE as error:
        raise damaged(error) from None


def read_learned(content: bytes, entry: Entry) -> Learned:
    """Read what a run has learned; raise `LibraryError` if it is damaged, or is not what its recipe says."""
    try:
        with _opened(content) as archive:
            model = minbpe_files.parse(_member(archive, "tokenizer.model"))
            found = _json(_member(archive, "learned.json"))
        counts = [_whole(count) for count in found["counts"]]
        curve = [(_whole(merges), _whole(tokens)) for merges, tokens in found["curve"]]
        recipe = entry.run.recipe if entry.run else None
        if len(counts) != len(model.merges) or (recipe and recipe.merges_sha256 != merges_hash(model.merges)):
            raise ValueError("the merges are not those of the recipe")
    except _DAMAGE as error:
        raise damaged(error) from None
    pairs = zip(model.merges, counts, strict=True)
    return Learned([Merge(*pair, n, count) for n, (pair, count) in enumerate(pairs, BYTES)], curve)


def read_files(content: bytes) -> list[bytes]:
    """Read the files that a tokenizer was opened from; raise `LibraryError` if they are damaged."""
    try:
        with _opened(content) as archive:
            return [_member(archive, name) for name in sorted(archive.namelist()) if name.startswith("file")]
    except _DAMAGE as error:
        raise damaged(error) from None


def damaged(why: object) -> LibraryError:
    """Return the error for an entry that cannot be read."""
    return LibraryError(f"a kept tokenizer must be whole; this one is damaged: {why}", "entry_damaged")


def _opened(content: bytes) -> zipfile.ZipFile:
    """Open an archive; refuse one that is large, or whose directory is: reading it would take long."""
    end = content[-22:]
    if not end.startswith(b"PK\x05\x06") or content[-42:-38] == b"PK\x06\x07":
        raise ValueError("the end is missing")
    if len(content) > MAX_ENTRY_BYTES or struct.unpack_from("<I", end, 12)[0] > 4096:
        raise ValueError("it is too large")
    archive = zipfile.ZipFile(io.BytesIO(content))
    members = archive.infolist()
    if sum(member.file_size for member in members) > MAX_ENTRY_BYTES or len(members) > 8:
        raise ValueError("it is too large")
    if any(member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for member in members):
        raise ValueError("it is packed in another way")
    return archive


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(name) as file:
        return file.read(MAX_ENTRY_BYTES + 1)


def _json(content: bytes) -> Any:
    def refuse(constant: str) -> Any:
        raise ValueError(f"{constant} is not a number")

    return json.loads(content, parse_constant=refuse)


def _whole(value: object) -> int:
    if type(value) is not int or not 0 <= value < 2**62:
        raise ValueError("a number is wrong")
    return value


def _entry_of(found: Mapping[str, Any]) -> Entry:
    """Check each field, because anything may stand in a damaged file."""
    if found["format"] != FORMAT or not is_entry_id(found["id"]):
        raise ValueError("it has another format")
    texts = [found["name"], found["pattern"], found["file_name"], *found["options"].items()]
    flat = [text for each in texts for text in (each if isinstance(each, tuple) else (each,))]
    if not all(isinstance(text, str) and len(text) <= 100_000 for text in flat):
        raise ValueError("a text is wrong")
    return Entry(
        found["id"],
        found["name"][:MAX_NAME],
        _seconds(found["created"]),
        _seconds(found["saved"]),
        _whole(found["vocab_size"]),
        found["pattern"],
        None if found["run"] is None else _run_of(found["run"]),
        found["file_name"][:MAX_NAME],
        dict(found["options"]),
    )


def _run_of(found: Mapping[str, Any]) -> KeptRun:
    check_run(found, RUN_STATES)
    return KeptRun(
        checked_training(found["training"]),
        found["state"],
        found["ending"],
        _recipe_of(found["recipe"]),
        _whole(found["pretokens"]),
        _whole(found["distinct_pretokens"]),
        _seconds(found["work_seconds"]),
        _seconds(found["seconds"]),
        _whole(found["number"]),
        _recipe_of(found["expected"]),
    )


def _recipe_of(found: Any) -> Recipe | None:
    if found is None:
        return None
    try:
        return parse_recipe(json.dumps(found))
    except TokenizerError as error:
        raise ValueError(str(error)) from None


def _seconds(value: object) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value < LAST_SECOND:
        raise ValueError("a time is wrong")
    return float(value)
