"""What Unigram and WordPiece do is followed step by step, and ends where the libraries that own them end."""

import math
from typing import Any

import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as LibraryTokenizer
from tokenizers import models, pre_tokenizers

from tests.helpers.hostile import hostile_texts
from tests.helpers.sample import ENGLISH_LINES, THAI_LINES
from tests.helpers.trained import hostile_lines, library_of, model_of, tokenizer_of, unigram, word_piece
from tokenizer_core.analysis.lattice import Arc, Path, Unigram, all_paths, best_paths, in_rows, lattice
from tokenizer_core.analysis.longest_match import WordPiece, walk
from tokenizer_core.interop.hugging_face import HuggingFaceTokenizer

TEXTS = ["น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ", "the token zoo", *THAI_LINES[:8], *ENGLISH_LINES[:8], "ab  ◌", "ก" + "่" * 9]
SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "bytes": {"byte_fallback": True},
    "user": {"user_defined_symbols": ("น้ำใจ", "the", "n")},
    "identity": {"normalization_rule_name": "identity", "add_dummy_prefix": False},
}
RULE = Unigram.of({"a": (1, -1.0), "b": (2, -1.5), "ab": (3, -2.0), "ba": (4, -4.0), "aab": (5, -3.0)}, 0)


def followed(tokenizer: Any, text: str, n: int) -> list[Path]:
    stretches = tokenizer.stretches(text)
    return best_paths(lattice(stretches, tokenizer.unigram), sum(map(len, stretches)), n)


def is_tie(paths: list[Path]) -> bool:
    """Whether two paths are the best; each library may take either."""
    return len(paths) > 1 and paths[0].score - paths[1].score < 0.001


def fused(path: Path, unknown: int) -> list[int]:
    """The ids of a path; the libraries make one of neighbouring unknown ones."""
    ids = [arc.token_id for arc in path.arcs]
    return [each for n, each in enumerate(ids) if not n or each != unknown or ids[n - 1] != unknown]


@pytest.mark.parametrize("name", SETTINGS)
def test_the_best_paths_and_their_scores_are_those_of_sentencepiece(name: str) -> None:
    changes = {"model_type": "unigram", **SETTINGS[name]}
    tokenizer = tokenizer_of(**changes)
    library = sentencepiece.SentencePieceProcessor(model_proto=model_of(**changes))
    assert tokenizer.unigram
    unknown = tokenizer.unigram.unknown[0]
    for text in TEXTS:
        paths = followed(tokenizer, text, 5)
        expected = [each.score for each in library.nbest_encode(text, nbest_size=5, return_type="proto").nbests]
        assert [path.score for path in paths] == pytest.approx(expected, abs=0.01), text
        if name != "bytes" and not is_tie(paths):  # which writes unknown characters as bytes
            assert fused(paths[0], unknown) == library.encode(text), text


@pytest.mark.parametrize("normalizer", ["none", "nfkc_lower"])
def test_the_best_path_of_a_tokenizer_json_is_that_of_tokenizers(normalizer: str) -> None:
    content = unigram(normalizer)
    tokenizer, library = HuggingFaceTokenizer(content), library_of(content)
    assert tokenizer.unigram
    for text in [*TEXTS, *hostile_lines(60)]:
        paths = followed(tokenizer, text, 2)
        ids = library.encode(text, add_special_tokens=False).ids
        assert is_tie(paths) or fused(paths[0], tokenizer.unigram.unknown[0]) == ids, text


def every_path(arcs: list[Arc], length: int, at: int = 0) -> list[float]:
    if at == length:
        return [0.0]
    return [arc.score + rest for arc in arcs if arc.start == at for rest in every_path(arcs, length, arc.end)]


@given(st.lists(st.text(alphabet="abx", max_size=5), max_size=2), st.integers(1, 9))
def test_all_ways_are_counted_and_the_best_are_the_first_of_them(stretches: list[str], n: int) -> None:
    arcs, length = lattice(stretches, RULE), sum(map(len, stretches))
    scores = sorted(every_path(arcs, length), reverse=True)
    assert [path.score for path in best_paths(arcs, length, n)] == pytest.approx(scores[:n])
    ways, total = all_paths(arcs, length)
    assert (ways, total) == (len(scores), pytest.approx(math.log(sum(map(math.exp, scores)))))
    assert sum(path.share(total) for path in best_paths(arcs, length, ways)) == pytest.approx(1)
    assert best_paths(arcs, length) == best_paths(arcs, length, 1)


def test_a_text_that_no_pieces_reach_has_no_way_and_an_empty_one_has_one() -> None:
    assert (all_paths([], 1), best_paths([], 1)) == ((0, -math.inf), [])
    assert (all_paths([], 0), best_paths([], 0)) == ((1, 0.0), [Path((), 0.0)])


def test_an_unknown_character_scores_ten_less_than_the_rarest_piece() -> None:
    assert RULE.unknown == (0, -14.0)
    assert Unigram.of({"a": (1, -1.0)}, 7, lowest=-5.0).unknown == (7, -15.0)
    assert lattice(["xx"], Unigram.of({}, 7)) == [Arc(0, 1, 7, -10.0), Arc(1, 2, 7, -10.0)]


def test_no_piece_crosses_stretches_and_rows_hold_each_piece_once() -> None:
    arcs = lattice(["ab", "ab"], RULE)
    assert not [arc for arc in arcs if arc.start < 2 < arc.end]
    rows = in_rows(arcs)
    assert sorted(arc for row in rows for arc in row) == sorted(arcs)
    assert all(left.end <= right.start for row in rows for left, right in zip(row, row[1:]))
    assert len(rows) == max(sum(arc.start <= place < arc.end for arc in arcs) for place in range(4))


def test_walks_give_the_tokens_of_word_piece() -> None:
    content = word_piece()
    tokenizer, library = HuggingFaceTokenizer(content), library_of(content)
    assert tokenizer.word_piece
    for text in [*TEXTS, *hostile_lines(60), "a" * 100, "a" * 101]:
        walks = [walk(word, tokenizer.word_piece) for word in tokenizer.stretches(text)]
        ids = [token_id for each in walks for token_id in each.ids]
        assert ids == library.encode(text, add_special_tokens=False).ids, text


@given(st.text(alphabet="abc", max_size=12), st.sets(st.text(alphabet="abc", min_size=1, max_size=3), max_size=9))
def test_any_vocabulary_is_walked_as_the_library_walks_it(word: str, entries: set[str]) -> None:
    written = ["[UNK]", *sorted({*entries, *(f"##{entry}" for entry in entries if "a" in entry)})]
    vocabulary = {entry: n for n, entry in enumerate(written)}
    library = LibraryTokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=9))
    library.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    found = walk(word, WordPiece(vocabulary, 0, most_characters=9))
    assert found.ids == (library.encode(word).ids if word else [])
    assert [each.token_id for each in found.attempts if each.token_id is not None] == found.ids or found.ids == [0]
    for start, end, looked_up, token_id in found.attempts:
        assert looked_up == f"{'##' if start else ''}{word[start:end]}"
        assert token_id == vocabulary.get(looked_up)


@given(hostile_texts)
def test_other_models_have_neither(text: str) -> None:
    assert tokenizer_of().unigram is None
    tokenizer = HuggingFaceTokenizer(word_piece())
    assert tokenizer.unigram is None
    assert tokenizer.piece_count(text) == len(tokenizer.stretches(text))
