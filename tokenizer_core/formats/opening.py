"""Opens a tokenizer from its file or files, whatever program they are from: their content says what they are."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tokenizer_core import minbpe_files
from tokenizer_core.errors import TokenizerError, TokenizerFileError
from tokenizer_core.formats.file_tokenizer import FileTokenizer
from tokenizer_core.formats.gpt2_files import gpt2_tokenizer
from tokenizer_core.formats.hugging_face import HuggingFaceTokenizer
from tokenizer_core.formats.hugging_face_bpe import as_ours
from tokenizer_core.formats.json_files import MAX_FILE_BYTES, check_size, not_a_tokenizer, read_json
from tokenizer_core.formats.probes import PROBES
from tokenizer_core.formats.rank_file import is_rank_line, rank_tokenizer
from tokenizer_core.formats.sentencepiece_file import looks_like_sentencepiece
from tokenizer_core.formats.sentencepiece_model import SentencePieceTokenizer
from tokenizer_core.protocols import AnyTokenizer
from tokenizer_core.tokenizer import Tokenizer

Format = Literal["minbpe", "sentencepiece", "tokenizer_json", "ranks", "gpt2", "corpus"]
"""The format of the file; "corpus" for characters or words that were counted here, and have no file."""
Part = Literal["minbpe", "sentencepiece", "tokenizer_json", "ranks", "vocab", "merges"]
NEEDS_PATTERN = ("ranks", "gpt2")
"""Formats that do not say how text is cut before the merges."""
MOST_NAMED = 5
"""Gaps of a rank file that are named."""
MERGES_READ = 3
"""Lines by which a list of merges is known."""
_PIECE_MODELS = {"bpe": "BPE", "unigram": "Unigram", "char": "characters", "word": "words"}


@dataclass(frozen=True)
class Opened:
    """A tokenizer from a file, with what it says of itself."""

    tokenizer: AnyTokenizer
    format: Format
    model: str
    """The kind of tokenizer: "BPE", "WordPiece", "Unigram", "WordLevel", "characters" or "words"."""
    files: tuple[str, ...]
    digest: str
    """Changes whenever the files, or what was chosen for them, change."""
    remarks: tuple[TokenizerError, ...] = ()
    """What a visitor must know of it, with codes and values as errors have them."""

    @property
    def has_merges(self) -> bool:
        """Whether its merges are known, so that it can be seen at a smaller size."""
        return isinstance(self.tokenizer, Tokenizer | FileTokenizer)


def open_tokenizer(
    name: str, content: bytes | Mapping[str, bytes], *, pattern: str | None = None, repair: bool = False
) -> Opened:
    """Open a tokenizer from the bytes of its file, or from several files by name.

    `pattern` is the split pattern, for formats in `NEEDS_PATTERN`. `repair` gives special tokens of minbpe's file
    whose ids are taken other ids. Raises `TokenizerError`.

    A `tokenizer.json` may hold regular expressions that take hours: open files of strangers with
    `tokenizer_core.jobs.guarded`.
    """
    files = {name: content} if isinstance(content, bytes) else dict(content)
    kinds = {part_of(file): file_name for file_name, file in files.items()}
    names = tuple(files)
    digest = hashlib.sha256(repr((pattern, repair)).encode())
    for file in files.values():
        digest.update(hashlib.sha256(file).digest())
    found, kind = digest.hexdigest(), set(kinds)
    if kind == {"vocab", "merges"} and len(files) == 2:
        vocab, merges = files[kinds["vocab"]], files[kinds["merges"]]
        tokenizer = gpt2_tokenizer(vocab, merges, pattern=pattern or "gpt2", name=name)
        return Opened(tokenizer, "gpt2", "BPE", names, found, (_pattern_remark(pattern or "gpt2"),))
    if len(files) != 1 or kind & {"vocab", "merges"}:
        raise _needs_both(names)
    (only,) = files.values()
    if "minbpe" in kind:
        return _minbpe(name, only, names, found, repair=repair)
    if "tokenizer_json" in kind:
        return _tokenizer_json(name, only, names, found)
    if "ranks" in kind:
        return _ranks(name, only, names, found, pattern or "cl100k")
    pieces = SentencePieceTokenizer(only, name=name)
    return Opened(pieces, "sentencepiece", _PIECE_MODELS[pieces.model_type], names, found)


def part_of(content: bytes) -> Part:
    """Tell by its content what a file is; raise `TokenizerFileError` if it is nothing known."""
    check_size(content)
    start = content[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    first = start.split(b"\n", 1)[0].strip()
    if start.startswith(b"{"):
        # In a vocabulary, "model" may be a token, as in GPT-2's; then it has an id.
        return "vocab" if isinstance(read_json(content).get("model", 0), int) else "tokenizer_json"
    if any(first == header.encode() for header in minbpe_files.KNOWN_HEADERS):
        return "minbpe"
    if looks_like_sentencepiece(content):
        return "sentencepiece"
    if first.startswith(b"#version"):
        return "merges"
    if is_rank_line(first):
        return "ranks"
    if _are_merges(start.split(b"\n")[:MERGES_READ]):
        return "merges"
    raise not_a_tokenizer()


def _are_merges(lines: Sequence[bytes]) -> bool:
    """Tell whether lines hold two tokens each; a file without GPT-2's first line must have a few of them."""
    pairs = [line.rstrip(b"\r").split(b" ") for line in lines]
    return len(lines) == MERGES_READ and all(
        len(pair) == 2 and all(pair) and not (pair[0].isdigit() and pair[1].isdigit()) for pair in pairs
    )


def in_groups(files: Sequence[tuple[str, bytes]]) -> list[dict[str, bytes]]:
    """Put files together that make one tokenizer: vocabulary and merges of GPT-2's kind, in the order they came.

    Any JSON object may be a vocabulary, such as the added tokens that lie beside one: of more vocabularies than
    merges, the largest are taken. A file that is nothing known stands alone, and opening it says so.
    """
    parts = [_part_or_none(content) for _, content in files]
    merges = [place for place, part in enumerate(parts) if part == "merges"]
    vocabularies = [place for place, part in enumerate(parts) if part == "vocab"]
    largest = sorted(vocabularies, key=lambda place: -len(files[place][1]))[: len(merges)]
    pairs = dict(zip(sorted(largest), merges, strict=False))
    partner = pairs | {second: first for first, second in pairs.items()}
    return [
        dict([files[place], *([files[partner[place]]] if place in partner else [])])
        for place in range(len(files))
        if partner.get(place, place) >= place
    ]


def _part_or_none(content: bytes) -> Part | None:
    try:
        return part_of(content)
    except TokenizerError:
        return None


def read_files(paths: Sequence[str | Path]) -> dict[str, bytes]:
    """Read files by their paths; of one that is too large, only one byte more than the limit."""
    found = {}
    for path in map(Path, paths):
        with path.open("rb") as file:
            found[path.name] = file.read(MAX_FILE_BYTES + 1)
    return found


def _minbpe(name: str, content: bytes, names: tuple[str, ...], digest: str, *, repair: bool) -> Opened:
    if not repair:
        return Opened(Tokenizer.from_model(content, name=name), "minbpe", "BPE", names, digest)
    file, changes = minbpe_files.parse_and_repair(content)
    tokenizer = Tokenizer(file.merges, pattern=file.pattern, special_tokens=file.special_tokens, name=name)
    remarks = tuple(
        TokenizerError(
            f"the special token {change.token!r} had the id {change.before}, which is taken; it has"
            f" {change.after} now",
            "special_token_renumbered",
            **change._asdict(),
        )
        for change in changes
    )
    return Opened(tokenizer, "minbpe", "BPE", names, digest, remarks)


def _tokenizer_json(name: str, content: bytes, names: tuple[str, ...], digest: str) -> Opened:
    opened = HuggingFaceTokenizer(content, name=name)
    try:
        ours = as_ours(opened)
    except TokenizerError as why:
        remarks = (why.bare(),) if opened.model == "BPE" else ()
        return Opened(opened, "tokenizer_json", opened.model, names, digest, remarks)
    same = TokenizerError(
        f"on {len(PROBES)} hostile texts this app and the tokenizers library give the same ids",
        "opened_as_ours",
        texts=len(PROBES),
    )
    return Opened(ours, "tokenizer_json", "BPE", names, digest, (same,))


def _ranks(name: str, content: bytes, names: tuple[str, ...], digest: str, pattern: str) -> Opened:
    tokenizer, without_pair, empty = rank_tokenizer(content, pattern=pattern, name=name)
    remarks = [_pattern_remark(pattern)]
    if empty:
        remarks.append(_empty_remark(empty))
    if without_pair:
        remarks.append(
            TokenizerError(
                f"for {without_pair:,} tokens the ranks tell no pair, so the merges are not known; tiktoken"
                " itself encodes",
                "ranks_without_pair",
                count=without_pair,
            )
        )
    return Opened(tokenizer, "ranks", "BPE", names, digest, tuple(remarks))


def _empty_remark(empty: Sequence[range]) -> TokenizerError:
    """Say which ids have no token; of many only the first."""
    count, named = sum(map(len, empty)), empty[:MOST_NAMED]
    ids = ", ".join(f"{each[0]:,}–{each[-1]:,}" if len(each) > 1 else f"{each[0]:,}" for each in named)
    ids += ", …" if len(empty) > MOST_NAMED else ""
    return TokenizerError(f"{count:,} ids have no token: {ids}", "ranks_empty", count=count, ids=ids)


def _pattern_remark(pattern: str) -> TokenizerError:
    return TokenizerError(
        f"the file does not say how text is cut before the merges; {pattern} was taken",
        "pattern_assumed",
        pattern=pattern,
    )


def _needs_both(names: tuple[str, ...]) -> TokenizerFileError:
    return TokenizerFileError(
        f"a tokenizer must be one file, or a vocabulary with its merges (encoder.json and vocab.bpe);"
        f" {', '.join(names)} came",
        "file_needs_both",
        files=", ".join(names),
    )
