"""Hugging Face's `tokenizer.json`, run by the `tokenizers` library: BPE, WordPiece, Unigram and WordLevel."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any, Literal

import numpy as np
import tokenizers

from tokenizer_core.errors import TokenizerFileError
from tokenizer_core.formats.byte_letters import from_letters
from tokenizer_core.formats.file_tokenizer import check_ids
from tokenizer_core.formats.json_files import check_entries, ids_of_tokens, not_a_tokenizer, read_json
from tokenizer_core.formats.spans import placed
from tokenizer_core.pretokens import check_text
from tokenizer_core.protocols import EncodedTexts, PlacedTokens
from tokenizer_core.special_tokens import allowed_tokens, split_on_special_tokens
from tokenizer_core.vocabulary import unknown_id

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
"""What the library says in its own words, and the codes of sentences that say it plainly."""
MODELS = ("BPE", "WordPiece", "Unigram", "WordLevel")
WORD_START = "▁"


class HuggingFaceTokenizer:
    """A `tokenizer.json` with the ids and offsets of the library, without the tokens that a post-processor adds.

    >>> words = {"type": "WordLevel", "vocab": {"[UNK]": 0, "cat": 1}, "unk_token": "[UNK]"}
    >>> content = json.dumps({"model": words, "pre_tokenizer": {"type": "Whitespace"}}).encode()
    >>> tokenizer = HuggingFaceTokenizer(content)
    >>> found = tokenizer.encode_placed("cat ที่")
    >>> found.ids.tolist(), found.starts.tolist(), found.ends.tolist(), tokenizer.token_text(0)
    ([1, 0], [0, 4], [3, 13], '[UNK]')
    """

    def __init__(self, content: bytes, *, name: str = "file") -> None:
        self.name = name
        self.parts = checked_parts(read_json(content))
        self.model = str(self.parts["model"]["type"])
        """The kind: "BPE", "WordPiece", "Unigram" or "WordLevel"."""
        with _faults("tokenizer_json_refused"):
            self._library = tokenizers.Tokenizer.from_str(json.dumps(self.parts))
        self._library.encode_special_tokens = True
        check_ids(self._library.get_vocab(with_added_tokens=True).values())

    @property
    def vocab_size(self) -> int:
        """Entries of the vocabulary, without special tokens."""
        return len(self.entry_ids)

    @cached_property
    def entry_ids(self) -> list[int]:
        """The ids of the entries in ascending order, without special tokens."""
        ids = self._library.get_vocab(with_added_tokens=True).values()
        return sorted(set(ids) - set(self.special_tokens.values()))

    @cached_property
    def special_tokens(self) -> dict[str, int]:
        """The special tokens of the file and their ids."""
        added = self._library.get_added_tokens_decoder()
        return {token.content: token_id for token_id, token in sorted(added.items()) if token.special}

    @cached_property
    def regexes(self) -> list[str]:
        """The regular expressions with which the library cuts or changes text."""
        return list(_regexes(self.parts))

    def encode(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> list[int]:
        """Return the token ids of a text; special tokens are ordinary text unless allowed.

        If only some are allowed, the stretches between them are encoded one by one.
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
        encoded = [self._encoded(check_text(text)).ids for text in texts]
        counts = np.array(list(map(len, encoded)), dtype=np.int64)
        return EncodedTexts(np.array([token for ids in encoded for token in ids], dtype=np.int32), counts)

    def encode_placed(self, text: str, *, allowed_special: Iterable[str] | Literal["all"] = ()) -> PlacedTokens:
        """Return the tokens of a text with the bytes that each covers, from the offsets of the library.

        Special tokens act if every one is allowed, and else not.
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
        """Return the bytes of the ids: exact where tokens are bytes, else those of the decoded text."""
        if self._is_byte_level:
            return b"".join(map(self.token_bytes, ids))
        return self.decode(ids).encode("utf-8")

    def token_bytes(self, token_id: int) -> bytes:
        """Return what one token spells, without marks of word starts and continuations."""
        known = self._spelled.get(token_id)
        if known is None:
            known = self._spelled[token_id] = self._spelling(token_id)
        return known

    def token_text(self, token_id: int) -> str:
        """Return a token as the file writes it, such as "▁the", "##ing" or "Ġthe"."""
        writing = self._library.id_to_token(token_id) if 0 <= token_id < 2**32 else None
        if writing is None:
            raise unknown_id(token_id, self.name, self.vocab_size)
        return str(writing)

    def token_kind(self, token_id: int) -> Literal["ordinary", "unknown", "control"]:
        """Tell whether a token stands for text that the vocabulary does not have, or is special."""
        model, writing = self.parts["model"], self.token_text(token_id)
        if token_id == model.get("unk_id") if self.model == "Unigram" else writing == model.get("unk_token"):
            return "unknown"
        return "control" if writing in self.special_tokens else "ordinary"

    def _spelling(self, token_id: int) -> bytes:
        writing = self.token_text(token_id)
        if token_id in self._added_ids:
            return writing.encode("utf-8")
        if self._is_byte_level and (spelled := from_letters(writing)) is not None:
            return spelled
        if self._has_byte_entries and len(writing) == 6 and writing.startswith("<0x") and writing.endswith(">"):
            return bytes([int(writing[3:5], 16)])
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
        return tokenizers.Tokenizer.from_str(json.dumps(self.parts))

    @cached_property
    def _spelled(self) -> dict[int, bytes]:
        return {}

    @cached_property
    def _added_ids(self) -> set[int]:
        return set(self._library.get_added_tokens_decoder())

    @cached_property
    def _is_byte_level(self) -> bool:
        return any(part["type"] == "ByteLevel" for part in components(self.parts))

    @cached_property
    def _has_byte_entries(self) -> bool:
        return bool(self.parts["model"].get("byte_fallback")) or self.model == "Unigram"

    @cached_property
    def _marks_word_starts(self) -> bool:
        return WORD_START in json.dumps({**self.parts, "model": None, "added_tokens": []}, ensure_ascii=False)


def components(parts: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the normalizers, pre-tokenizers and decoders of a file, those in sequences too."""
    waiting = [parts.get(place) for place in ("normalizer", "pre_tokenizer", "decoder")]
    while waiting:
        part = waiting.pop(0)
        if isinstance(part, dict) and isinstance(part.get("type"), str):
            yield part
            for inner in ("normalizers", "pretokenizers", "decoders"):
                waiting += part[inner] if isinstance(part.get(inner), list) else []


def checked_parts(found: dict[str, Any]) -> dict[str, Any]:
    """Check the parts of a `tokenizer.json`, and return them without what does not belong to the text.

    These are truncation, padding, dropout, which makes every run different, and the post-processor, which adds
    tokens and trims offsets.
    """
    model = found.get("model")
    if not isinstance(model, dict):
        raise not_a_tokenizer()
    kind = model.get("type") or _guessed_kind(model)
    if kind not in MODELS:
        raise TokenizerFileError(
            f"the model of a tokenizer.json must be one of {', '.join(MODELS)}; {str(kind)[:40]!r} came",
            "tokenizer_json_model",
            found=str(kind)[:40],
        )
    vocab = model.get("vocab")
    if kind == "Unigram":
        if not isinstance(vocab, list) or not vocab:
            raise not_a_tokenizer()
        check_entries(len(vocab))
    else:
        check_ids(ids_of_tokens(vocab).values())
    added = found.get("added_tokens") or []
    if not isinstance(added, list) or not all(isinstance(token, dict) for token in added):
        raise not_a_tokenizer()
    check_entries(len(added))
    check_ids({token.get("id") for token in added if type(token.get("id")) is int})
    nothing = {"truncation": None, "padding": None, "post_processor": None}
    model = {**model, "type": kind, **({"dropout": None} if kind == "BPE" else {})}
    defaults: dict[str, Any] = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": None,
        "decoder": None,
    }
    return {**defaults, **found, **nothing, "model": model}


def _guessed_kind(model: dict[str, Any]) -> str | None:
    """Name the kind of a model in a file of an old release, which does not say it."""
    if isinstance(model.get("vocab"), list):
        return "Unigram"
    if "merges" in model:
        return "BPE"
    return "WordPiece" if "continuing_subword_prefix" in model else None


def _regexes(parts: dict[str, Any]) -> Iterator[str]:
    for part in components(parts):
        pattern = part.get("pattern")
        if isinstance(pattern, dict) and isinstance(pattern.get("Regex"), str):
            yield pattern["Regex"]


@contextmanager
def _faults(code: str) -> Iterator[None]:
    """Raise a `TokenizerFileError` for what the library refuses, also where its Rust code panics."""
    try:
        yield
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        why = " ".join(str(error).split())[:200]
        known = next((known for said, known in _KNOWN_FAULTS.items() if said in why), code)
        raise TokenizerFileError(f"the tokenizers library refuses this: {why}", known, why=why) from None
