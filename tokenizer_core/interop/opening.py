"""Open a tokenizer from its file or files: their content tells the format, not their names."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from tokenizer_core.bpe import minbpe_files
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.errors import TokenizerError, TokenizerFileError
from tokenizer_core.interop.byte_level import FileTokenizer, not_merged_whole
from tokenizer_core.interop.gguf import MAGIC, gguf_tokenizer, read_gguf, read_header
from tokenizer_core.interop.gpt2 import gpt2_tokenizer
from tokenizer_core.interop.hugging_face import PROBES, HuggingFaceTokenizer, as_ours
from tokenizer_core.interop.limits import MAX_FILE_BYTES, check_size, read_json
from tokenizer_core.interop.model_tables import KnownFile, known_files
from tokenizer_core.interop.rank_file import RankedTokenizer, is_rank_line, rank_tokenizer
from tokenizer_core.interop.sentencepiece_model import SentencePieceTokenizer, looks_like_sentencepiece
from tokenizer_core.interop.tekken import is_tekken, tekken_tokenizer

Format = Literal["minbpe", "sentencepiece", "tokenizer_json", "ranks", "gpt2", "tekken", "gguf", "corpus"]
"""The format of the file; "corpus" for characters or words counted here, without a file."""
Part = Literal["minbpe", "sentencepiece", "tokenizer_json", "ranks", "tekken", "gguf", "vocab", "merges"]
NEEDS_PATTERN = ("ranks", "gpt2")
"""Formats without a split pattern."""
MOST_NAMED = 5
"""Gaps of a rank file that are named."""
MERGES_READ = 3
"""Lines that identify a list of merges."""
_RWKV_LINE = re.compile(rb"[0-9]+ b?(?:'.*'|\".*\") [0-9]+")
_PIECE_MODELS = {"bpe": "BPE", "unigram": "Unigram", "char": "characters", "word": "words"}


@dataclass(frozen=True)
class Opened:
    """A tokenizer from a file, with its format and remarks."""

    tokenizer: AnyTokenizer
    format: Format
    model: str
    """The kind of tokenizer: "BPE", "WordPiece", "Unigram", "WordLevel", "characters" or "words"."""
    remarks: tuple[TokenizerError, ...] = ()
    """What a visitor must know, as errors that are not raised."""
    files: tuple[str, ...] = ()
    digest: str = ""
    """Changes whenever the files or the options change."""
    known: KnownFile | None = None
    """What is known of the file by its hash."""

    @property
    def has_merges(self) -> bool:
        """Whether its merges are known, so that it has smaller sizes too."""
        return isinstance(self.tokenizer, Tokenizer | FileTokenizer)

    @property
    def needs_pattern(self) -> bool:
        """Whether its split pattern is only assumed."""
        return self.format in NEEDS_PATTERN and (self.known is None or self.known.pattern is None)


def open_tokenizer(
    name: str, content: bytes | Mapping[str, bytes], *, pattern: str | None = None, repair: bool = False
) -> Opened:
    """Open a tokenizer from the bytes of its file, or from several files by name.

    `pattern` is the split pattern, for formats in `NEEDS_PATTERN`. `repair` gives new ids to the special tokens
    of a minbpe file whose ids are taken. Raises `TokenizerError`.

    A `tokenizer.json` may hold regular expressions that take hours: open files of strangers with
    `tokenizer_core.workers.guarded`.
    """
    files = {name: content} if isinstance(content, bytes) else dict(content)
    known = known_file(next(iter(files.values()))) if len(files) == 1 else None
    parts = dict(map(_read, files.values()))
    if len(files) == 1 and len(parts.get("vocab", range(BYTES))) < BYTES:  # no half of two files: it lacks bytes
        raise TokenizerFileError("file_unknown")
    if len(files) == 2 and parts.keys() == {"vocab", "merges"}:
        opened = _gpt2(name, parts["vocab"], parts["merges"], pattern or "gpt2")
    elif len(files) != 1 or parts.keys() & {"vocab", "merges"}:
        raise TokenizerFileError("file_needs_both", files=", ".join(files))
    else:
        ((part, file),) = parts.items()
        if part == "minbpe":
            opened = _minbpe(name, file, repair=repair)
        elif part == "tokenizer_json":
            opened = _tokenizer_json(name, file)
        elif part == "ranks":
            opened = _ranks(name, file, pattern, known)
        elif part == "tekken":
            opened = _of_ranks(tekken_tokenizer(file, name=name), "tekken")
        elif part == "gguf":
            opened = _gguf(name, file)
        else:
            pieces = SentencePieceTokenizer(file, name=name)
            opened = Opened(pieces, "sentencepiece", _PIECE_MODELS[pieces.model_type])
    if known:
        about = TokenizerError("file_known", name=known.name, maker=known.maker, year=str(known.year))
        opened = replace(opened, remarks=(about, *opened.remarks), known=known)
    return signed(opened, files, pattern=pattern, repair=repair)


def known_file(content: bytes) -> KnownFile | None:
    """Return what is known of a file by its hash."""
    return known_files().get(hashlib.sha256(content).hexdigest())


def signed(opened: Opened, files: Mapping[str, bytes], *, pattern: str | None, repair: bool) -> Opened:
    """Note of which files a tokenizer is, and a digest of them and of the options."""
    return replace(opened, files=tuple(files), digest=digest_of(files.values(), pattern=pattern, repair=repair))


def digest_of(contents: Iterable[bytes], *, pattern: str | None = None, repair: bool = False) -> str:
    """Return the digest that a tokenizer of these files has, opened with these options."""
    digest = hashlib.sha256(repr((pattern, repair)).encode())
    for content in contents:
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()


def part_of(content: bytes) -> Part:
    """Tell what a file is by its content; raise `TokenizerFileError` if its format is unknown."""
    return _read(content)[0]


def _read(content: bytes) -> tuple[Part, Any]:
    """Tell what a file is, and return its content: that of JSON and GGUF as it was read."""
    if content.startswith(MAGIC):
        return "gguf", read_header(content).values
    check_size(content)
    start = content[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    first = start.split(b"\n", 1)[0].strip()
    if start.startswith(b"{"):
        found = read_json(content)
        if is_tekken(found):
            return "tekken", found
        # In a vocabulary, "model" may be a token, as in GPT-2's; then it has an id.
        return ("vocab" if isinstance(found.get("model", 0), int) else "tokenizer_json"), found
    if any(first == header.encode() for header in minbpe_files.KNOWN_HEADERS):
        return "minbpe", content
    if looks_like_sentencepiece(content):
        return "sentencepiece", content
    if first.startswith(b"#version"):
        return "merges", content
    if _RWKV_LINE.fullmatch(first):
        raise TokenizerFileError("file_rwkv")
    if is_rank_line(first):
        return "ranks", content
    if _are_merges(start.split(b"\n")[:MERGES_READ]):
        return "merges", content
    raise TokenizerFileError("file_unknown")


def _are_merges(lines: Sequence[bytes]) -> bool:
    """Tell whether lines hold two tokens each, for a list of merges without GPT-2's first line."""
    pairs = [line.rstrip(b"\r").split(b" ") for line in lines]
    return len(lines) == MERGES_READ and all(
        len(pair) == 2 and all(pair) and not (pair[0].isdigit() and pair[1].isdigit()) for pair in pairs
    )


def in_groups(files: Sequence[tuple[str, bytes]]) -> list[dict[str, bytes]]:
    """Group files into tokenizers: each of GPT-2's vocabularies with its merges, in order, other files alone.

    Any JSON object may be a vocabulary, such as the added tokens beside one: if there are more vocabularies than
    merges, the largest are taken. A file of unknown format stands alone, and opening it raises the error.
    """
    parts: list[Part | None] = []
    for _, content in files:
        try:
            parts.append(part_of(content))
        except TokenizerError:
            parts.append(None)
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


def read_files(paths: Sequence[str | Path]) -> dict[str, bytes]:
    """Read files by their paths, of GGUF the header; stop one byte after the limit, so that opening refuses it."""
    found = {}
    for path in map(Path, paths):
        with path.open("rb") as file:
            content = file.read(len(MAGIC))
            found[path.name] = read_gguf(path) if content == MAGIC else content + file.read(MAX_FILE_BYTES)
    return found


def _gpt2(name: str, vocab: dict[str, Any], merges: bytes, pattern: str) -> Opened:
    tokenizer = gpt2_tokenizer(vocab, merges, pattern=pattern, name=name)
    return Opened(tokenizer, "gpt2", "BPE", (TokenizerError("pattern_assumed", pattern=pattern),))


def _minbpe(name: str, content: bytes, *, repair: bool) -> Opened:
    if not repair:
        return Opened(Tokenizer.from_model(content, name=name), "minbpe", "BPE")
    file, changes = minbpe_files.parse_and_repair(content)
    tokenizer = Tokenizer(file.merges, pattern=file.pattern, special_tokens=file.special_tokens, name=name)
    remarks = tuple(TokenizerError("special_token_renumbered", **change._asdict()) for change in changes)
    return Opened(tokenizer, "minbpe", "BPE", remarks)


def _tokenizer_json(name: str, content: dict[str, Any]) -> Opened:
    opened = HuggingFaceTokenizer(content, name=name)
    try:
        ours = as_ours(opened)
    except TokenizerError as why:
        remarks = [why.bare()] if opened.model == "BPE" else []
        return Opened(opened, "tokenizer_json", opened.model, (*remarks, *_left_out(opened)))
    remarks = [TokenizerError("opened_as_ours", texts=len(PROBES)), *_left_out(opened)]
    if not opened.parts["model"].get("ignore_merges"):
        missed = [text for text in not_merged_whole(ours) if ours.piece_count(text) == 1]
        remarks += [TokenizerError("merges_miss_entries", count=len(missed))] if missed else []
    return Opened(ours, "tokenizer_json", "BPE", tuple(remarks))


def _left_out(opened: HuggingFaceTokenizer) -> list[TokenizerError]:
    """Say what the library adds to every text."""
    return [TokenizerError("file_adds_tokens", around=opened.around[:80])] if opened.around else []


def _gguf(name: str, values: dict[str, Any]) -> Opened:
    tokenizer = gguf_tokenizer(values, name=name)
    if isinstance(tokenizer, SentencePieceTokenizer):
        return Opened(tokenizer, "gguf", "BPE", (TokenizerError("gguf_pieces"),))
    return Opened(tokenizer, "gguf", "BPE", (TokenizerError("gguf_pattern", name=values.get("pre", "default")),))


def _ranks(name: str, content: bytes, pattern: str | None, known: KnownFile | None) -> Opened:
    """Open a rank file; of a known one, the pattern, special tokens and normal form are known."""
    if pattern is None and known and known.pattern:
        special, form = dict(known.special_tokens), known.normalizer
        return _of_ranks(
            rank_tokenizer(content, pattern=known.pattern, special_tokens=special, normalizer=form, name=name)
        )
    assumed = pattern or "cl100k"
    opened = _of_ranks(rank_tokenizer(content, pattern=assumed, name=name))
    return replace(opened, remarks=(TokenizerError("pattern_assumed", pattern=assumed), *opened.remarks))


def _of_ranks(found: RankedTokenizer, format_: Format = "ranks") -> Opened:
    tokenizer, without_pair, empty = found
    remarks = []
    if empty:
        ids = [f"{each[0]:,}–{each[-1]:,}" if len(each) > 1 else f"{each[0]:,}" for each in empty[:MOST_NAMED]]
        ids += ["…"] if len(empty) > MOST_NAMED else []
        remarks.append(TokenizerError("ranks_empty", count=sum(map(len, empty)), ids=", ".join(ids)))
    if without_pair:
        remarks.append(TokenizerError("ranks_without_pair", count=without_pair))
    return Opened(tokenizer, format_, "BPE", tuple(remarks))
