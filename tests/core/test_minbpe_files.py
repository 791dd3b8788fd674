"""`.model` files come back as they were saved; damaged or hostile ones are refused with the line that is wrong."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tokenizer_core import SPLIT_PATTERNS, Tokenizer, train
from tokenizer_core.bpe import minbpe_files
from tokenizer_core.bpe.minbpe_files import MAX_FILE_BYTES, readable
from tokenizer_core.errors import ModelFileError, PatternError

HEADERS = ["minbpe v1", "thai tokenizer v1.0"]
CORPUS = "ภาษาไทยเป็นภาษาที่มีระดับเสียง the cat sat on the mat 12345\n\t😀😀"

# White space ends a special token in this format, and a line break ends a pattern.
special_names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(
    lambda name: not any(map(str.isspace, name))
)
patterns = st.one_of(
    st.sampled_from([*SPLIT_PATTERNS, "[a-z]+", "a ", " ", "", "\\n+|.", "a\x85b", "\u2028", "\x1c", "ก+"]),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=8),
)


def model(*lines: str, header: str = HEADERS[0], pattern: str = "", specials: int = 0) -> bytes:
    return "\n".join([header, pattern, str(specials), *lines, ""]).encode()


def error_of(content: bytes) -> ModelFileError:
    with pytest.raises(ModelFileError) as caught:
        Tokenizer.from_model(content)
    return caught.value


# Round trips


@given(st.integers(256, 300), patterns, st.lists(special_names, max_size=4, unique=True))
@example(256, "none", [])
@example(300, "", ["<|end|>", "1", "0"])
def test_a_saved_tokenizer_comes_back(vocab_size: int, pattern: str, special_tokens: list[str]) -> None:
    try:
        saved = train(CORPUS, vocab_size, pattern=pattern, special_tokens=special_tokens)
    except (PatternError, FutureWarning):  # FutureWarning: regex warns of "[[" and the like
        return
    with tempfile.TemporaryDirectory() as directory:
        saved.save(Path(directory) / "mine.v1")
        loaded = Tokenizer.load(Path(directory) / "mine.v1.model")
    assert loaded.merges == saved.merges
    assert loaded.special_tokens == saved.special_tokens
    assert loaded.pattern == (saved.pattern or "none")
    assert loaded.encode(CORPUS) == saved.encode(CORPUS)
    assert loaded.name == "mine.v1"


@pytest.mark.parametrize("name", SPLIT_PATTERNS)
def test_a_pattern_is_saved_as_a_regular_expression_and_known_again(name: str, tmp_path: Path) -> None:
    train(CORPUS, 260, pattern=name).save(tmp_path / "mine")
    written = (tmp_path / "mine.model").read_text(encoding="utf-8").split("\n")[1]
    assert written == ("" if name == "none" else SPLIT_PATTERNS[name])
    assert Tokenizer.load(tmp_path / "mine.model").pattern == name


@pytest.mark.parametrize("header", HEADERS)
def test_either_header_is_read(header: str) -> None:
    loaded = Tokenizer.from_model(model("<|end|> 300", "97 97", "256 97", header=header, specials=1))
    assert (loaded.merges, loaded.special_tokens) == ([(97, 97), (256, 97)], {"<|end|>": 300})
    assert loaded.encode("aaa") == [257]


def test_the_format_is_that_of_minbpe() -> None:
    saved = Tokenizer([(97, 97), (256, 10)], pattern="[a-z]+", special_tokens={"<|end|>": 300})
    assert saved.model_text() == "minbpe v1\n[a-z]+\n1\n<|end|> 300\n97 97\n256 10\n"
    shown = saved.vocab_text().split("\n")
    assert shown[97] == "[a] 97"
    assert shown[256:259] == ["[a][a] -> [aa] 256", "[aa][\\u000a] -> [aa\\u000a] 257", "[<|end|>] 300"]


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.replace(b"\n", b"\r\n"),
        lambda content: b"\xef\xbb\xbf" + content,
        lambda content: content.rstrip(b"\n"),
        lambda content: content + b"\n \n\n",
    ],
    ids=["windows_line_ends", "byte_order_mark", "no_last_line_end", "blank_lines_at_the_end"],
)
def test_what_editors_do_to_a_file_does_no_harm(change: Callable[[bytes], bytes]) -> None:
    content = train(CORPUS, 280, special_tokens=["<|end|>"]).model_text().encode()
    assert Tokenizer.from_model(change(content)).model_text().encode() == content


@given(st.binary(max_size=12))
def test_every_token_is_readable_on_one_line(token: bytes) -> None:
    shown = readable(token)
    assert len(shown.splitlines()) <= 1
    assert shown.isprintable()


# Damaged files


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", 1),
        (b"\n\n\n", 1),
        (model(header="minbpe v2"), 1),
        (b"\x89PNG\r\n\x1a\n\0\0\0", 1),
        (model("97 97") + b"\xff\xfe", 5),
        (model(pattern="(a"), 2),
        (model(pattern="a" * 3000), 2),
        (model(pattern="(?:a{9999}){9999}"), 2),
        (HEADERS[0].encode(), 3),
        (b"minbpe v1\n\nmany\n", 3),
        (b"minbpe v1\n\n-1\n", 3),
        (b"minbpe v1\n\n99999999999999\n", 3),
        (model(specials=9_999_999_999), 4),
        (model("<a> 300", specials=2), 5),
        (model("<a>300", specials=1), 4),
        (model("<a> 300", " 301", specials=2), 5),
        (model("<a> 300", "<b> x", specials=2), 5),
        (model("<a> 300", "<a> 301", specials=2), 5),
        (model("<a> 300", "<b> 300", "97 97", specials=2), 5),
        (model("<a> 300", "<b> 256", "97 97", specials=2), 5),
        (model("<a> 300", "<b> 9999999999", specials=2), 5),
        (model("97 97", "97"), 5),
        (model("97 97", "97 98 99"), 5),
        (model("97 97", "a b"), 5),
        (model("97 97", "-1 98"), 5),
        (model("97 97", "97 1e1"), 5),
        (model("97 97", "97 ๙๙"), 5),
        (model("97 97", "97 99999999999999999999"), 5),
        (model("97 97", "", "97 98"), 5),
        (model("97 97", "258 97"), 5),
        (model("<a> 300", "97 97", "97 257", specials=1), 6),
        (model("97 97", "97 98", "97 97"), 6),
        (model("97 97", *(f"{n} {n}" for n in range(256, 300))), 30),
    ],
    ids=[
        *("empty", "blank", "header", "binary", "not_utf8", "pattern", "pattern_long", "pattern_large", "cut_off"),
        *("count_word", "count_negative", "count_large", "count_lie", "special_missing", "special_no_space"),
        *("special_empty", "special_id", "special_twice", "special_same_id", "special_taken", "special_beyond"),
        *("one_id", "three_ids", "letters", "negative", "float", "thai_digits", "huge", "gap"),
        *("before_parts", "own_id", "duplicate", "doubling"),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(content: bytes, line: int) -> None:
    error = error_of(content)
    assert error.values["line"] == line
    assert f"Line {line}" in str(error)


@given(st.integers(0, 400), st.binary(min_size=1, max_size=3))
def test_any_damage_is_refused_or_gives_a_tokenizer_that_works(place: int, damage: bytes) -> None:
    content = train(CORPUS, 300, special_tokens=["<|end|>"]).model_text().encode()
    try:
        damaged = Tokenizer.from_model(content[:place] + damage + content[place + len(damage) :])
    except (ModelFileError, FutureWarning):
        return
    assert damaged.decode(damaged.encode("the cat ภาษา")) == "the cat ภาษา"


def test_an_enormous_file_is_refused_without_being_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.model"
    with path.open("wb") as file:
        file.truncate(50 * 2**30)  # sparse: it takes no room on the disk, and would not fit into memory
    with pytest.raises(ModelFileError) as caught:
        Tokenizer.load(path)
    assert (caught.value.code, caught.value.values) == ("model_large", {"limit": MAX_FILE_BYTES})


def test_a_file_as_large_as_the_limit_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    content = train(CORPUS, 260).model_text().encode()
    monkeypatch.setattr(minbpe_files, "MAX_FILE_BYTES", len(content))
    assert Tokenizer.from_model(content).vocab_size == 260
    assert error_of(content + b"\n").code == "model_large"


def test_only_a_model_file_is_loaded(tmp_path: Path) -> None:
    train(CORPUS, 260).save(tmp_path / "mine")
    with pytest.raises(ModelFileError) as caught:
        Tokenizer.load(tmp_path / "mine.vocab")
    assert caught.value.values == {"file": "mine.vocab"}


# Refused on saving


@pytest.mark.parametrize(
    ("pattern", "special_tokens", "code"),
    [
        ("a\nb", [], "save_pattern_line_break"),
        ("a\r", [], "save_pattern_line_break"),
        ("none", ["<a b>"], "save_special_token_space"),
        ("none", ["<a>", "\u3000"], "save_special_token_space"),
        ("none", ["a\n97 97"], "save_special_token_space"),
        ("none", ["a\x85"], "save_special_token_space"),
    ],
    ids=["line_feed", "carriage_return", "space", "wide_space", "line_break", "next_line"],
)
def test_what_the_format_cannot_hold_is_refused_and_nothing_written(
    pattern: str, special_tokens: list[str], code: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelFileError) as caught:
        Tokenizer([], pattern=pattern, special_tokens=special_tokens).save(tmp_path / "mine")
    assert caught.value.code == code
    assert list(tmp_path.iterdir()) == []


def test_a_refused_save_leaves_the_older_files(tmp_path: Path) -> None:
    train(CORPUS, 260).save(tmp_path / "mine")
    before = (tmp_path / "mine.model").read_bytes()
    with pytest.raises(ModelFileError):
        Tokenizer([], pattern="a\nb").save(tmp_path / "mine")
    assert (tmp_path / "mine.model").read_bytes() == before


@pytest.mark.parametrize("content", [b"%b", b"minbpe v1\n\n%b", b"minbpe v1\n\n0\n%b"])
def test_a_message_quotes_forty_characters_of_a_wrong_line(content: bytes) -> None:
    with pytest.raises(ModelFileError) as refused:
        minbpe_files.parse(content % (b"x" * 1_000))
    assert refused.value.values["found"] == "x" * 40
    assert "x" * 41 not in str(refused.value)
