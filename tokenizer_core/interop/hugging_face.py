"""Hugging Face's `tokenizer.json`: run by the `tokenizers` library, opened as our own tokenizer, and written.

The library runs BPE, WordPiece, Unigram and WordLevel. Byte-level BPE that gives the same ids here becomes a
`FileTokenizer`, whose merges are known.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import regex

from tokenizer_core.analysis.lattice import Unigram
from tokenizer_core.analysis.longest_match import WordPiece
from tokenizer_core.bpe.protocols import EncodedTexts, PlacedTokens
from tokenizer_core.bpe.special_tokens import allowed_tokens, split_on_special_tokens
from tokenizer_core.bpe.vocabulary import unknown_id
from tokenizer_core.errors import ExportWarning, TokenizerFileError
from tokenizer_core.interop.byte_level import FileTokenizer, Normalizer, file_tokenizer, from_letters
from tokenizer_core.interop.exportable import (
    ByteLevelBPE,
    Export,
    merges_in_letters,
    pattern_warnings,
    vocabulary_in_letters,
)
from tokenizer_core.interop.hostile_texts import hostile_texts
from tokenizer_core.interop.limits import check_entries, check_ids, ids_of_tokens, read_json
from tokenizer_core.interop.spans import placed
from tokenizer_core.patterns.pretokens import check_text
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS, THEN, compile_pattern, pattern_source, steps_of

if TYPE_CHECKING:
    import tokenizers

FILE = "tokenizer.json"
MODELS = ("BPE", "WordPiece", "Unigram", "WordLevel")
WORD_START = "▁"

_KNOWN_FAULTS = {
    "Missing [UNK] token": "tokenizer_lacks_unknown",
    "unk_token": "tokenizer_lacks_unknown",
    "PreTokenizer": "tokenizer_json_pre_tokenizer",
    "Normalizer": "tokenizer_json_normalizer",
    "Decoder": "tokenizer_json_decoder",
    "missing field": "tokenizer_json_field",
    "out of vocabulary": "tokenizer_json_merges",
    "Merges text file": "tokenizer_json_merges",
    "tokenizer version": "tokenizer_json_version",
    "Oniguruma": "tokenizer_json_regex",
}
"""Parts of the library's messages, and the codes of our own sentences for them."""


# ---- run by the library


class HuggingFaceTokenizer:
    """A `tokenizer.json` with the ids and offsets of the library, without the tokens that a post-processor adds.

    >>> words = {"type": "WordLevel", "vocab": {"[UNK]": 0, "cat": 1}, "unk_token": "[UNK]"}
    >>> content = json.dumps({"model": words, "pre_tokenizer": {"type": "Whitespace"}}).encode()
    >>> tokenizer = HuggingFaceTokenizer(content)
    >>> found = tokenizer.encode_placed("cat ที่")
    >>> found.ids.tolist(), found.starts.tolist(), found.ends.tolist(), tokenizer.token_text(0)
    ([1, 0], [0, 4], [3, 13], '[UNK]')
    """

    def __init__(self, content: bytes | dict[str, Any], *, name: str = "file") -> None:
        self.name = name
        found = read_json(content) if isinstance(content, bytes) else content
        self.parts = _checked_parts(found)
        self.around = _around(found.get("post_processor"))
        """What the library adds to a text, as "<s> … </s>"; "" for nothing. It is not encoded here."""
        self.model = str(self.parts["model"]["type"])
        """The kind: "BPE", "WordPiece", "Unigram" or "WordLevel"."""
        self._library = _library_tokenizer(self.parts)
        self._library.encode_special_tokens = True
        check_ids(self._library.get_vocab(with_added_tokens=True).values())
        self._spelled: dict[int, bytes] = {}

    @property
    def content(self) -> bytes:
        """The bytes of a `tokenizer.json` with these parts."""
        return json.dumps(self.parts, ensure_ascii=False).encode()

    @property
    def vocab_size(self) -> int:
        """Entries of the vocabulary, without added and special tokens."""
        return len(self.entry_ids)

    @cached_property
    def entry_ids(self) -> list[int]:
        """The ids of the entries in ascending order, without added and special tokens."""
        ids = self._library.get_vocab(with_added_tokens=True).values()
        return sorted(set(ids) - {*self.special_tokens.values(), *self.added_tokens.values()})

    @cached_property
    def special_tokens(self) -> dict[str, int]:
        """The special tokens of the file and their ids."""
        added = self._library.get_added_tokens_decoder()
        return {token.content: token_id for token_id, token in sorted(added.items()) if token.special}

    @cached_property
    def added_tokens(self) -> dict[str, int]:
        """The tokens that were added and act in every text, and their ids."""
        added = self._library.get_added_tokens_decoder()
        return {token.content: token_id for token_id, token in sorted(added.items()) if not token.special}

    @property
    def regexes(self) -> list[str]:
        """The regular expressions with which the library cuts or changes text."""
        patterns = [part["pattern"] for part in self.components if isinstance(part.get("pattern"), dict)]
        return [pattern["Regex"] for pattern in patterns if isinstance(pattern.get("Regex"), str)]

    @cached_property
    def components(self) -> list[dict[str, Any]]:
        """The normalizers, pre-tokenizers and decoders, also those in sequences."""
        found: list[dict[str, Any]] = []
        waiting = [self.parts[place] for place in ("normalizer", "pre_tokenizer", "decoder")]
        while waiting:
            part = waiting.pop(0)
            if isinstance(part, dict) and isinstance(part.get("type"), str):
                found.append(part)
                for inner in ("normalizers", "pretokenizers", "decoders"):
                    waiting += part[inner] if isinstance(part.get(inner), list) else []
        return found

    @cached_property
    def is_byte_level(self) -> bool:
        """Whether tokens are bytes in GPT-2's letters."""
        return any(part["type"] == "ByteLevel" for part in self.components)

    def encode(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> list[int]:
        """Return the token ids of a text; special tokens are ordinary text unless allowed.

        If only some are allowed, the text between them is encoded stretch by stretch.
        """
        check_text(text)
        allowed = allowed_tokens(self.special_tokens, allowed_special)
        if not allowed or allowed == set(self.special_tokens):
            return list(self._encoded(text, acts=bool(allowed)).ids)
        ids: list[int] = []
        for stretch, is_special in split_on_special_tokens(text, allowed):
            ids += [self.special_tokens[stretch]] if is_special else self._encoded(stretch).ids
        return ids

    def encode_each(self, texts: Iterable[str]) -> EncodedTexts:
        """Encode each text separately; special tokens are ordinary text."""
        return EncodedTexts.of([self._encoded(check_text(text)).ids for text in texts])

    def piece_count(self, text: str) -> int:
        """Count the pieces that are encoded one by one."""
        return len(self.stretches(text))

    @cached_property
    def unigram(self) -> Unigram | None:
        """The pieces and their scores, of a Unigram model; not for other models."""
        if self.model != "Unigram":
            return None
        vocab = self.parts["model"]["vocab"]
        return Unigram.of({piece: (n, score) for n, (piece, score) in enumerate(vocab)}, self._unknown_id())

    @cached_property
    def word_piece(self) -> WordPiece | None:
        """The vocabulary of a WordPiece model; not for other models."""
        if self.model != "WordPiece":
            return None
        model = self.parts["model"]
        return WordPiece(
            model["vocab"],
            self._unknown_id(),
            model["continuing_subword_prefix"],
            model["max_input_chars_per_word"],
        )

    def _unknown_id(self) -> int:
        model = self.parts["model"]
        found = model.get("unk_id") if self.model == "Unigram" else model["vocab"].get(model.get("unk_token"))
        return -1 if found is None else int(found)

    def lost_characters(self, text: str) -> int:
        """Count the characters of a text that become unknown tokens."""
        found, unknown = self._encoded(check_text(text)), self._unknown_id()
        return sum(end - start for token_id, (start, end) in zip(found.ids, found.offsets) if token_id == unknown)

    def stretches(self, text: str) -> list[str]:
        """Return the pieces that are encoded one by one, normalized; added tokens are not looked for."""
        normal, pre_tokenizer = self.normalized(check_text(text)), self._library.pre_tokenizer
        with _faults("tokenizer_cannot_encode"):
            return [normal] if pre_tokenizer is None else [s for s, _ in pre_tokenizer.pre_tokenize_str(normal)]

    def normalized(self, text: str) -> str:
        """Return a text as the normalizer changes it."""
        normalizer = self._library.normalizer
        with _faults("tokenizer_cannot_encode"):
            return text if normalizer is None else str(normalizer.normalize_str(text))

    def encode_placed(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> PlacedTokens:
        """Return the tokens of a text with the bytes that each covers, from the offsets of the library.

        Special tokens act only if all of them are allowed.
        """
        allowed = allowed_tokens(self.special_tokens, allowed_special)
        found = self._encoded(check_text(text), acts=bool(allowed) and allowed == set(self.special_tokens))
        return placed(text, found.ids, found.offsets, self.token_bytes)

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of the ids, as the library decodes them, special tokens included."""
        listed = list(ids)
        for token_id in listed:
            self.token_text(token_id)
        with _faults("tokenizer_cannot_decode"):
            return self._library.decode(listed, skip_special_tokens=False)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes of the ids: exact if tokens are bytes, otherwise those of the decoded text."""
        if self.is_byte_level:
            return b"".join(map(self.token_bytes, ids))
        return self.decode(ids).encode("utf-8")

    def token_bytes(self, token_id: int) -> bytes:
        """Return what one token spells, without marks of word starts and continuations."""
        if token_id not in self._spelled:
            self._spelled[token_id] = self._spelling(token_id)
        return self._spelled[token_id]

    def token_text(self, token_id: int) -> str:
        """Return a token as the file writes it, such as "▁the", "##ing" or "Ġthe"."""
        writing = self._library.id_to_token(token_id) if 0 <= token_id < 2**32 else None
        if writing is None:
            raise unknown_id(token_id, self.name, self.vocab_size)
        return str(writing)

    def token_kind(self, token_id: int) -> Literal["ordinary", "unknown", "control"]:
        """Tell whether a token stands for text that the vocabulary lacks, or is special."""
        model, writing = self.parts["model"], self.token_text(token_id)
        if token_id == model.get("unk_id") if self.model == "Unigram" else writing == model.get("unk_token"):
            return "unknown"
        return "control" if writing in self.special_tokens else "ordinary"

    def _spelling(self, token_id: int) -> bytes:
        writing = self.token_text(token_id)
        if token_id in self._added_ids:
            return writing.encode("utf-8")
        if self.is_byte_level and (spelled := from_letters(writing)) is not None:
            return spelled
        if self._has_byte_entries and (byte := regex.fullmatch("<0x([0-9A-Fa-f]{2})>", writing)):
            return bytes([int(byte[1], 16)])
        model = self.parts["model"]
        if writing != model.get("unk_token"):
            writing = writing.removeprefix(model.get("continuing_subword_prefix") or "")
            writing = writing.removesuffix(model.get("end_of_word_suffix") or "")
        return (writing.replace(WORD_START, " ") if self._marks_word_starts else writing).encode("utf-8")

    def _encoded(self, text: str, *, acts: bool = False) -> tokenizers.Encoding:
        with _faults("tokenizer_cannot_encode"):
            return (self._acting if acts else self._library).encode(text, add_special_tokens=False)

    @cached_property
    def _acting(self) -> tokenizers.Tokenizer:
        """The same tokenizer, in which special tokens act."""
        return _library_tokenizer(self.parts)

    @cached_property
    def _added_ids(self) -> set[int]:
        return set(self._library.get_added_tokens_decoder())

    @cached_property
    def _has_byte_entries(self) -> bool:
        return bool(self.parts["model"].get("byte_fallback")) or self.model == "Unigram"

    @cached_property
    def _marks_word_starts(self) -> bool:
        return WORD_START in json.dumps({**self.parts, "model": None, "added_tokens": []}, ensure_ascii=False)


def _library_tokenizer(parts: dict[str, Any]) -> tokenizers.Tokenizer:
    import tokenizers  # takes 60 ms; exports do not need it

    with _faults("tokenizer_json_refused"):
        return tokenizers.Tokenizer.from_str(json.dumps(parts))


def _around(post_processor: Any) -> str:
    """Return what a post-processor adds to a text, which stands as an ellipsis; "" for one that is not known."""
    word = {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}
    try:
        library = _library_tokenizer({"version": "1.0", "model": word, "post_processor": post_processor})
        with _faults("tokenizer_json_refused"):
            encoding = library.encode("a")
    except TokenizerFileError:
        return ""
    parts = [token if added else "…" for token, added in zip(encoding.tokens, encoding.special_tokens_mask)]
    return " ".join(parts) if parts != ["…"] else ""


def _checked_parts(found: dict[str, Any]) -> dict[str, Any]:
    """Check the parts of a `tokenizer.json`, and drop those that change more than how a text is cut.

    These are truncation, padding, dropout, which makes every run different, and the post-processor, which adds
    tokens and trims offsets.
    """
    model = found.get("model")
    if not isinstance(model, dict):
        raise TokenizerFileError("file_unknown")
    kind = model.get("type") or _guessed_kind(model)
    if kind not in MODELS:
        raise TokenizerFileError("tokenizer_json_model", found=str(kind)[:40])
    vocab = model.get("vocab")
    if kind == "Unigram":
        if not isinstance(vocab, list) or not vocab:
            raise TokenizerFileError("file_unknown")
        check_entries(len(vocab))
    else:
        check_ids(ids_of_tokens(vocab).values())
    added = found.get("added_tokens") or []
    if not isinstance(added, list) or not all(isinstance(token, dict) for token in added):
        raise TokenizerFileError("file_unknown")
    check_entries(len(added))
    check_ids({token.get("id") for token in added if type(token.get("id")) is int})
    model = {**model, "type": kind, **({"dropout": None} if kind == "BPE" else {})}
    defaults = dict.fromkeys(("normalizer", "pre_tokenizer", "decoder"))
    dropped = dict.fromkeys(("truncation", "padding", "post_processor"))
    return {"version": "1.0", "added_tokens": [], **defaults, **found, **dropped, "model": model}


def _guessed_kind(model: dict[str, Any]) -> str | None:
    """Guess the kind of a model from an old release, which does not name it."""
    if isinstance(model.get("vocab"), list):
        return "Unigram"
    if "merges" in model:
        return "BPE"
    return "WordPiece" if "continuing_subword_prefix" in model else None


@contextmanager
def _faults(code: str) -> Iterator[None]:
    """Raise a `TokenizerFileError` for what the library refuses, also if its Rust code panics."""
    try:
        yield
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        why = " ".join(str(error).split())[:200]
        known = next((known for said, known in _KNOWN_FAULTS.items() if said in why), code)
        raise TokenizerFileError(known, why=why) from None


# ---- as our own tokenizer

_OURS = {source: name for name, source in SPLIT_PATTERNS.items()}
# `{1,3}+` is possessive in tiktoken's and our regular expressions, but in Oniguruma it repeats the group.
_OURS |= {source.replace("{1,3}+", "{1,3}"): name for source, name in _OURS.items()}
_GPT2_AS_PUBLISHED = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
_OURS[_GPT2_AS_PUBLISHED] = "gpt2"
PROBES = ("", " " * 200, "ก" * 100 + "่" * 40, *hostile_texts(50), "\n".join(hostile_texts()))
"""Texts on which two tokenizers are most likely to differ."""


def known_pattern(source: str) -> str | None:
    """Return the name of our split pattern that cuts as this regular expression; None for any other."""
    return _OURS.get(source)


def as_ours(opened: HuggingFaceTokenizer) -> FileTokenizer:
    """Return our own tokenizer with the same ids, compared with the library's on `PROBES`.

    Raises `TokenizerError` with the reason if that cannot be.
    """
    parts = opened.parts
    model = parts["model"]
    if opened.model != "BPE" or not opened.is_byte_level:
        raise TokenizerFileError("ours_not_byte_level")
    if model.get("continuing_subword_prefix") or model.get("end_of_word_suffix"):
        raise TokenizerFileError("ours_marks")
    normalizer = _normalizer(parts["normalizer"])
    for token in parts["added_tokens"]:
        if any(token.get(flag) for flag in _ADDED_IN_ANOTHER_WAY) or (normalizer and token.get("normalized")):
            raise TokenizerFileError("ours_added")
    ours = file_tokenizer(
        model["vocab"],
        [_pair(merge) for merge in model.get("merges") or []],
        pattern=_pattern(parts["pre_tokenizer"]),
        special_tokens=opened.special_tokens,
        added_tokens=opened.added_tokens,
        normalizer=normalizer,
        whole_first=bool(model.get("ignore_merges")),
        name=opened.name,
    )
    for text in PROBES:
        if ours.encode(text) != opened.encode(text):
            raise TokenizerFileError("ours_other_ids", text=ascii(text)[1:80])
    return ours


_ADDED_IN_ANOTHER_WAY = ("single_word", "lstrip", "rstrip")


def _normalizer(part: Any) -> Normalizer | None:
    """Return how a normalizer changes texts."""
    steps = part.get("normalizers") if isinstance(part, dict) and part.get("type") == "Sequence" else [part]
    match steps:
        case [] | [None]:
            return None
        case [{"type": "NFC"}]:
            return "NFC"
    raise TokenizerFileError("ours_normalizer")


def _pattern(part: Any) -> str:
    """Return the split pattern of a pre-tokenizer; each of its steps cuts what the one before has made."""
    steps = part.get("pretokenizers") if isinstance(part, dict) and part.get("type") == "Sequence" else [part]
    if not isinstance(steps, list) or not steps or not all(isinstance(step, dict) for step in steps):
        raise TokenizerFileError("ours_steps")
    *earlier, last = steps
    # Letters hide what is white space: only the last step may write them.
    if last.get("type") != "ByteLevel" or any(step.get("type") == "ByteLevel" for step in earlier):
        raise TokenizerFileError("ours_steps")
    if last.get("add_prefix_space", True):
        raise TokenizerFileError("ours_prefix_space")
    patterns = [pattern for pattern in map(_step, steps) if pattern != "none"] or ["none"]
    return patterns[0] if len(patterns) == 1 else THEN.join(map(pattern_source, patterns))


def _step(step: dict[str, Any]) -> str:
    """Return the pattern by which one step of a pre-tokenizer cuts; "none" if it does not cut."""
    match step:
        case {"type": "ByteLevel"}:
            return "gpt2" if step.get("use_regex", True) else "none"
        case {"type": "Digits"}:
            return r"\p{N}" if step.get("individual_digits") else r"\p{N}+"
        case {"type": "Split", "behavior": "Isolated", "pattern": {"Regex": str(source)}} if not step.get(
            "invert"
        ):
            # "Isolated" makes pretokens of the matches and of the text between them, as here.
            known = known_pattern(source)
            if known is None:
                compile_pattern(source)
            return known or source
    raise TokenizerFileError("ours_steps")


def _pair(merge: Any) -> tuple[str, str]:
    """Return the two parts of a merge; files write them as a list, or with a space between them."""
    match merge.split(" ") if isinstance(merge, str) else merge:
        case [str(left), str(right)]:
            return left, right
    raise TokenizerFileError("ours_not_a_merge")


# ---- writing

_SNIPPET = f"""\
from tokenizers import Tokenizer

tokenizer = Tokenizer.from_file("{FILE}")
"""
_SPECIAL_SNIPPET = "tokenizer.encode_special_tokens = True  # special tokens in a text are ordinary text\n"
_LETTERS = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
_POSSESSIVE_COUNT = regex.compile(r"(\{[0-9]+(?:,[0-9]*)?\})\+")


def export_hugging_face(tokenizer: ByteLevelBPE) -> Export:
    """Write tokenizer.json; raise `ExportError` if two ids would have the same token."""
    steps = [tokenizer.pattern] if tokenizer.is_plain else steps_of(tokenizer.pattern)
    cuts = list(map(for_oniguruma, steps))
    warnings = list({warning.code: warning for _, found in cuts for warning in found}.values())
    vocabulary = vocabulary_in_letters(tokenizer, FILE)
    snippet = _SNIPPET
    if tokenizer.special_tokens:
        snippet += _SPECIAL_SNIPPET
        warnings = [ExportWarning("special_tokens_act"), *warnings]
    acting = {**tokenizer.special_tokens, **tokenizer.added_tokens}
    added = [
        {"id": token_id, "content": token, "special": token in tokenizer.special_tokens}
        | dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
        for token, token_id in sorted(acting.items(), key=lambda entry: entry[1])
    ]
    # Text between two matches becomes pretokens of its own, as here.
    splits: list[dict[str, Any]] = [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        for pattern, _ in cuts
        if pattern is not None
    ]
    content = {
        "version": "1.0",
        **dict.fromkeys(("truncation", "padding", "post_processor")),
        "normalizer": tokenizer.normalizer and {"type": tokenizer.normalizer},
        "added_tokens": added,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [*splits, _LETTERS]} if splits else _LETTERS,
        "decoder": _LETTERS,
        "model": {
            "type": "BPE",
            **dict.fromkeys(("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix")),
            **dict.fromkeys(("fuse_unk", "byte_fallback", "ignore_merges"), False),
            "vocab": vocabulary,  # with the special tokens: else the library would give them the next free ids
            "merges": merges_in_letters(tokenizer),
        },
    }
    written = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return Export({FILE: written.encode()}, snippet, tuple(warnings))


def for_oniguruma(pattern: str) -> tuple[str | None, list[ExportWarning]]:
    r"""Return the pattern for Oniguruma in tokenizers, None for no splitting, and its warnings.

    Oniguruma reads `{1,3}+` as "one to three, once or more", so `{1,3}` replaces it. In the named patterns nothing
    follows it, so it cuts the same.

    >>> for_oniguruma(r"\p{N}{1,3}+")[0]
    '\\p{N}{1,3}'
    """
    if pattern == "none":
        return None, []
    source = pattern_source(pattern)
    warnings = pattern_warnings(pattern, "tokenizers", "Oniguruma")
    if found := _POSSESSIVE_COUNT.search(source):
        warnings.append(ExportWarning("possessive_count", pattern=found[0], instead=found[1]))
    return _POSSESSIVE_COUNT.sub(r"\1", source), warnings
