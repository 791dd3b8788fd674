"""Tokenizers that other libraries train on a few lines, each once, for tests that read their files."""

import base64
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, processors, trainers
from tokenizers import Tokenizer as LibraryTokenizer

from tests.helpers.hostile import HOSTILE_PIECES
from tests.helpers.paths import REPOSITORY
from tokenizer_core.interop.byte_level import letter_of_byte
from tokenizer_core.interop.sentencepiece_model import SentencePieceTokenizer
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS
from tokenizer_core.workers.sentencepiece_job import SentencePieceSettings, train_sentencepiece

LINES = [
    "the cat sat on the mat, and the dog barked at 1234 cats",
    "น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ ภาษาไทยมีวรรณยุกต์ ที่นี่มีน้ำ",
    "don't WE'LL hello Hello HELLO don't",
    "👨‍👩‍👧 🇹🇭 e\u0301t\u00e9 한국 漢字",
] * 10
NORMALIZERS = {
    "none": None,
    "bert": normalizers.BertNormalizer(),
    "nfc": normalizers.NFC(),
    "nfkd": normalizers.NFKD(),
    "nfkc_lower": normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()]),
    "drops": normalizers.Replace("t", ""),
}


@cache
def hostile_lines(count: int = 200) -> list[str]:
    """Texts made of hostile pieces, always the same."""
    drawn = random.Random(13)
    texts = ["".join(drawn.choices(HOSTILE_PIECES, k=drawn.randint(0, 12))) for _ in range(count)]
    return ["", " ", " " * 300, "\r", "a\rb", "ก" + "่" * 60, *HOSTILE_PIECES, *texts]


def _trained(library: LibraryTokenizer, trainer: Any) -> bytes:
    library.train_from_iterator(LINES, trainer)
    return library.to_str().encode()


@cache
def word_piece(normalizer: str = "bert") -> bytes:
    """A WordPiece `tokenizer.json`, with `[UNK]` and a post-processor that adds `[CLS]`."""
    library = LibraryTokenizer(models.WordPiece(unk_token="[UNK]"))
    if NORMALIZERS[normalizer]:
        library.normalizer = NORMALIZERS[normalizer]
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    library.decoder = decoders.WordPiece()
    special = ["[UNK]", "[CLS]"]
    library.train_from_iterator(
        LINES, trainers.WordPieceTrainer(vocab_size=200, special_tokens=special, show_progress=False)
    )
    library.post_processor = processors.TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 1)])
    return library.to_str().encode()


@cache
def unigram(normalizer: str = "nfkc_lower", *, prepends: str = "always") -> bytes:
    """A Unigram `tokenizer.json`, with `▁` for spaces."""
    library = LibraryTokenizer(models.Unigram())
    if NORMALIZERS[normalizer]:
        library.normalizer = NORMALIZERS[normalizer]
    library.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=prepends)
    library.decoder = decoders.Metaspace(prepend_scheme=prepends)
    trainer = trainers.UnigramTrainer(
        vocab_size=120, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False
    )
    return _trained(library, trainer)


@cache
def word_level() -> bytes:
    """A WordLevel `tokenizer.json`, whose words stand between white space."""
    library = LibraryTokenizer(models.WordLevel(unk_token="[UNK]"))
    library.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.WordLevelTrainer(vocab_size=40, special_tokens=["[UNK]"], show_progress=False)
    return _trained(library, trainer)


@cache
def char_bpe() -> bytes:
    """A BPE `tokenizer.json` on characters, with byte fallback and without a pre-tokenizer."""
    characters = sorted(set("".join(LINES)))
    entries = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", *characters, "th", "the", "น้"]
    model = models.BPE(
        vocab={token: token_id for token_id, token in enumerate(entries)},
        merges=[("t", "h"), ("th", "e"), ("น", "้")],
        byte_fallback=True,
        unk_token="<unk>",
        fuse_unk=True,
    )
    library = LibraryTokenizer(model)
    library.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    return library.to_str().encode()


@cache
def byte_level(
    pattern: str | None = None,
    *,
    normalizer: str = "none",
    prefix_space: bool = False,
    added: Sequence[str | AddedToken] = (),
    vocab_size: int = 360,
) -> bytes:
    """A byte-level BPE `tokenizer.json`, cut by GPT-2's pattern or by another one."""
    library = LibraryTokenizer(models.BPE())
    if NORMALIZERS[normalizer]:
        library.normalizer = NORMALIZERS[normalizer]
    level = pre_tokenizers.ByteLevel(add_prefix_space=prefix_space, use_regex=pattern is None)
    library.pre_tokenizer = level
    if pattern is not None:
        # Oniguruma would repeat the group of `{1,3}+`.
        source = SPLIT_PATTERNS.get(pattern, pattern).replace("{1,3}+", "{1,3}")
        library.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(source), "isolated"), level])
    library.decoder = decoders.ByteLevel()
    library.train_from_iterator(
        LINES,
        trainers.BpeTrainer(
            vocab_size=vocab_size,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            special_tokens=["<|endoftext|>"],
            show_progress=False,
        ),
    )
    library.post_processor = processors.ByteLevel(trim_offsets=True)
    plain = [AddedToken(each, normalized=False) if isinstance(each, str) else each for each in added]
    library.add_tokens(plain)
    return library.to_str().encode()


def gpt2_files() -> tuple[bytes, bytes]:
    """The two files of a tokenizer in GPT-2's way: the vocabulary as JSON, and the merges as text."""
    model = json.loads(byte_level())["model"]
    merges = ["#version: 0.2", *(" ".join(merge) for merge in model["merges"])]
    return json.dumps(model["vocab"]).encode(), ("\n".join(merges) + "\n").encode()


def rank_file(longer: Sequence[bytes] = (b"th", b"the", b" the", b"\xe0\xb8")) -> bytes:
    """A rank file whose bytes have GPT-2's order."""
    tokens = [bytes([byte]) for byte in letter_of_byte()] + list(longer)
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens))


def library_of(content: bytes) -> LibraryTokenizer:
    """The library's own tokenizer of a file, without its post-processor, which may trim offsets."""
    parts = json.loads(content)
    library = LibraryTokenizer.from_str(json.dumps({**parts, "post_processor": None}))
    library.encode_special_tokens = True
    return library


SMALL = SentencePieceSettings(model_type="bpe", vocab_size=420, hard_vocab_limit=False)


@cache
def small_text() -> str:
    """Some Thai and some English, of the bundled sentences."""
    parts = (REPOSITORY / "sample_data" / f"parallel.{language}.txt" for language in ("th", "en"))
    return "\n".join("\n".join(path.read_text("utf-8").splitlines()[:60]) for path in parts)


@cache
def model_of(**changes: Any) -> bytes:
    """The bytes of a model trained on the small text, with these settings changed."""
    return train_sentencepiece([small_text()], replace(SMALL, **changes))


def tokenizer_of(**changes: Any) -> SentencePieceTokenizer:
    """The tokenizer of such a model."""
    return SentencePieceTokenizer(model_of(**changes))
