"""Special tokens act only where they are allowed, the longest first, and their ids never collide."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.hostile import hostile_texts
from tokenizer_core import Tokenizer, train
from tokenizer_core.bpe.openai import openai_tokenizer, with_special_tokens
from tokenizer_core.bpe.special_tokens import (
    MAX_TOKEN_ID,
    allowed_tokens,
    assign_ids,
    parse_special_tokens,
    special_tokens_text,
    split_on_special_tokens,
)
from tokenizer_core.errors import SpecialTokenError

SPECIAL = ["<|end|>", "<|end|>>", "<|", "จบ", "a.b", "🏁", "(", " "]
tokenizer = train("the end of the text จบ", 270, special_tokens=SPECIAL)
texts = st.one_of(
    st.lists(st.sampled_from([*SPECIAL, "the ", "จ", "<", "|>", "a-b", "end"]), max_size=12).map("".join),
    hostile_texts,
)
subsets = st.sets(st.sampled_from(SPECIAL))


def split_by_definition(text: str, allowed: set[str]) -> list[tuple[str, bool]]:
    """At each place the longest token that begins there, else the next character."""
    pieces: list[tuple[str, bool]] = []
    ordinary, i = "", 0
    while i < len(text):
        token = max((token for token in allowed if text.startswith(token, i)), key=len, default="")
        if token and ordinary:
            pieces.append((ordinary, False))
        if token:
            pieces.append((token, True))
        ordinary = "" if token else ordinary + text[i]
        i += len(token) or 1
    return [*pieces, (ordinary, False)] if ordinary or not allowed else pieces


# Where they act


@given(texts, subsets)
def test_the_longest_token_wins_wherever_one_begins(text: str, allowed: set[str]) -> None:
    assert list(split_on_special_tokens(text, allowed)) == split_by_definition(text, allowed)


@given(texts)
def test_nothing_is_special_unless_allowed(text: str) -> None:
    ids = tokenizer.encode(text)
    assert not set(ids) & set(tokenizer.special_tokens.values())
    assert ids == Tokenizer(tokenizer.merges).encode(text)


@given(texts, subsets)
def test_only_allowed_tokens_act_and_the_text_comes_back(text: str, allowed: set[str]) -> None:
    ids = tokenizer.encode(text, allowed_special=allowed)
    acted = {token for token, token_id in tokenizer.special_tokens.items() if token_id in ids}
    assert acted <= allowed
    assert tokenizer.decode(ids) == text
    assert not any(token in text for token in allowed) or acted


@given(texts)
def test_all_allows_every_special_token(text: str) -> None:
    assert tokenizer.encode(text, allowed_special="all") == tokenizer.encode(text, allowed_special=SPECIAL)


def test_one_token_may_be_allowed_by_its_text() -> None:
    assert tokenizer.encode("จบ", allowed_special="จบ") == [tokenizer.special_tokens["จบ"]]


def test_text_is_cut_at_special_tokens_before_it_is_split() -> None:
    plain = Tokenizer(tokenizer.merges)
    ids = tokenizer.encode("the<|end|>the", allowed_special=["<|end|>"])
    assert ids == [*plain.encode("the"), tokenizer.special_tokens["<|end|>"], *plain.encode("the")]


def test_only_own_special_tokens_can_be_allowed() -> None:
    with pytest.raises(SpecialTokenError) as caught:
        tokenizer.encode("text", allowed_special=["<|end|>", "<|none|>"])
    assert caught.value.values == {"token": "<|none|>"}
    assert allowed_tokens({}, "all") == set()


# Their ids


def test_ids_follow_the_last_merge() -> None:
    assert list(tokenizer.special_tokens.items()) == [
        (token, tokenizer.vocab_size + n) for n, token in enumerate(SPECIAL)
    ]


def test_ids_follow_the_last_merge_of_a_vocabulary_that_ran_out_of_pairs() -> None:
    small = train("aaaa", 10_000, special_tokens=["<|end|>"])
    assert small.special_tokens == {"<|end|>": small.vocab_size}


def test_a_smaller_vocabulary_moves_the_ids_with_it() -> None:
    assert list(tokenizer.at(260).special_tokens.items()) == [(token, 260 + n) for n, token in enumerate(SPECIAL)]


def test_given_ids_are_kept() -> None:
    kept = Tokenizer([], special_tokens={"<|b|>": 100_000, "<|a|>": 256})
    assert kept.encode("<|a|><|b|>", allowed_special="all") == [256, 100_000]
    assert kept.token_bytes(100_000) == b"<|b|>"


def test_a_single_string_is_one_special_token() -> None:
    assert assign_ids("<|end|>", 256) == {"<|end|>": 256}


@pytest.mark.parametrize(
    ("special_tokens", "code"),
    [
        ([""], "special_token_empty"),
        (["<a>", "<b>", "<a>"], "special_token_duplicate"),
        (["\ud800"], "special_token_surrogate"),
        ({"<a>": 255}, "special_token_id_taken"),
        ({"<a>": -1}, "special_token_id_taken"),
        ({"<a>": MAX_TOKEN_ID + 1}, "special_token_id_large"),
        ({"<a>": 300, "<b>": 300}, "special_token_same_id"),
    ],
    ids=["empty", "duplicate", "surrogate", "byte", "negative", "beyond", "same"],
)
def test_unfit_special_tokens_are_refused(special_tokens: list[str] | dict[str, int], code: str) -> None:
    with pytest.raises(SpecialTokenError) as caught:
        Tokenizer([], special_tokens=special_tokens)
    assert caught.value.code == code


def test_an_id_of_a_merge_is_taken() -> None:
    merges = [(97, 97), (256, 97)]
    assert Tokenizer(merges, special_tokens={"<a>": 258}).special_tokens == {"<a>": 258}
    with pytest.raises(SpecialTokenError) as caught:
        Tokenizer(merges, special_tokens={"<a>": 257})
    assert caught.value.values == {"token": "<a>", "token_id": 257, "first_free_id": 258}


# Ids of one's own choice


@given(
    st.lists(st.sampled_from(["<|a|>", "จบ", "a=b", "🏁"]), unique=True), st.integers(300, 9_999), st.booleans()
)
def test_what_is_written_is_read_again(tokens: list[str], first: int, has_ids: bool) -> None:
    given_tokens = {token: first + 7 * n for n, token in enumerate(tokens)} if has_ids and tokens else tokens
    assert parse_special_tokens(special_tokens_text(given_tokens), 300) == given_tokens


def test_ids_count_on_from_one_that_is_given() -> None:
    five = "<|endoftext|>=1101 <|fim_prefix|> <|fim_middle|> <|fim_suffix|> <|endofprompt|>"
    ids = parse_special_tokens(five, 1_000)
    assert isinstance(ids, dict)
    assert list(ids.values()) == [1101, 1102, 1103, 1104, 1105]
    assert parse_special_tokens("<|a|> <|b|>=400", 300) == {"<|a|>": 300, "<|b|>": 400}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<|a|>=299", "special_token_id_taken"),
        ("<|a|>=2147483648", "special_token_id_large"),
        ("<|a|>=999999999999", "special_token_id_large"),
        ("<|a|>=400 <|b|>=400", "special_token_same_id"),
        ("<|a|>=400 <|b|>=399 <|c|>", "special_token_same_id"),
        ("<|a|>=400 <|a|>=401", "special_token_duplicate"),
        ("<|a|> <|a|>", "special_token_duplicate"),
    ],
)
def test_ids_that_collide_are_refused(text: str, code: str) -> None:
    with pytest.raises(SpecialTokenError) as refusal:
        parse_special_tokens(text, 300)
    assert refusal.value.code == code


# Added to a reference

CHAT = (("<|im_start|>", 100_264), ("<|im_end|>", 100_265))


def test_chat_markers_added_to_cl100k_act_and_change_nothing_else() -> None:
    base, chat = openai_tokenizer("cl100k_base"), with_special_tokens("cl100k_base", CHAT)
    said = "<|im_start|>user\nสวัสดี hello<|im_end|>\n"
    assert chat.encode(said) == base.encode(said)
    ids = chat.encode(said, allowed_special="all")
    assert ids == [100_264, *base.encode("user\nสวัสดี hello"), 100_265, *base.encode("\n")]
    assert chat.decode(ids) == said
    assert chat.special_tokens == {**base.special_tokens, **dict(CHAT)}
    assert (chat.id_counts.total, base.id_counts.total) == (100_277, 100_277)
    assert (base.id_counts.unused, chat.id_counts.unused) == (16, 14)


@pytest.mark.parametrize(
    ("added", "code"),
    [
        (("<|x|>", 100_257), "special_token_same_id"),
        (("<|x|>", 100_276), "special_token_same_id"),
        (("<|x|>", 5), "special_token_id_taken"),
        (("<|endoftext|>", 100_270), "special_token_duplicate"),
        (("", 100_270), "special_token_empty"),
    ],
)
def test_a_token_that_collides_is_not_added(added: tuple[str, int], code: str) -> None:
    with pytest.raises(SpecialTokenError) as refusal:
        with_special_tokens("cl100k_base", (added,))
    assert refusal.value.code == code


def test_the_near_miss_is_ordinary_text_and_the_marker_one_token() -> None:
    gpt2 = openai_tokenizer("gpt2")
    assert len(gpt2.encode("<|endoftext|>")) == 7
    assert gpt2.encode("<|endoftext|>", allowed_special="all") == [50_256]
    assert gpt2.encode("<|endoftex", allowed_special="all") == gpt2.encode("<|endoftex")
