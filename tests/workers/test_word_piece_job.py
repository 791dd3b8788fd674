"""WordPiece trained in a process of its own: what the library learns, the same each time, and a clear end."""

import json
from queue import SimpleQueue

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from tests.helpers.browser import PATIENCE
from tests.helpers.trained import small_text
from tokenizer_core.errors import TrainingError
from tokenizer_core.interop import word_piece
from tokenizer_core.interop.hugging_face import HuggingFaceTokenizer
from tokenizer_core.interop.limits import MOST_PIECES
from tokenizer_core.interop.opening import open_tokenizer
from tokenizer_core.interop.word_piece import LONGEST_WORD, check_size, train_word_piece
from tokenizer_core.workers.child import Child
from tokenizer_core.workers.word_piece_job import WordPieceJob


def ended(job: WordPieceJob) -> WordPieceJob:
    job.wait(PATIENCE)
    assert job.ended
    return job


def vocabulary(content: bytes) -> dict[str, int]:
    found: dict[str, int] = json.loads(content)["model"]["vocab"]
    return found


def by_the_library(texts: list[str], vocab_size: int) -> set[str]:
    library = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    lines = [line for text in texts for line in text.split("\n")]
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocab_size, min_frequency=2, special_tokens=["[UNK]"], show_progress=False
    )
    library.train_from_iterator(lines, trainer)
    return set(library.get_vocab())


COUNTS = {"นา": 9, "นาน": 4, "ปู": 8, "do": 7, "dog": 3, "at": 6, "a": 1, "Z": 1, ",": 1}
WITHOUT_TIES = ["\n".join(f"{word} " * count for word, count in COUNTS.items())]
"""Texts without ties: the library breaks these in another way in each run."""
MERGES = 6
"""Merges after which pairs are equally frequent."""


def test_the_child_learns_what_the_library_learns_in_this_process() -> None:
    job = ended(WordPieceJob([small_text()], 500, name="small"))
    assert job.failure is None
    assert job.tokenizer is not None
    assert job.tokenizer.name == "small"
    assert vocabulary(job.tokenizer.content) == vocabulary(train_word_piece([small_text()], 500))
    assert len(vocabulary(job.tokenizer.content)) == 500
    with pytest.raises(TrainingError) as raised:
        train_word_piece(WITHOUT_TIES, 4)
    least = int(raised.value.values["least"])
    for size in range(least, least + MERGES + 1):
        assert vocabulary(train_word_piece(WITHOUT_TIES, size)).keys() == by_the_library(WITHOUT_TIES, size)


def test_its_characters_are_those_of_the_library_whatever_the_ties() -> None:
    ours = vocabulary(train_word_piece([small_text()], MOST_PIECES)).keys()
    theirs = by_the_library([small_text()], MOST_PIECES)
    assert {piece for piece in ours if len(piece.removeprefix("##")) == 1} == {
        piece for piece in theirs if len(piece.removeprefix("##")) == 1
    }


def test_the_file_opens_as_any_word_piece_file_and_says_what_it_loses() -> None:
    opened = open_tokenizer("tokenizer.json", train_word_piece([small_text()], 500))
    tokenizer = opened.tokenizer
    assert opened.model == "WordPiece"
    assert isinstance(tokenizer, HuggingFaceTokenizer)
    assert tokenizer.special_tokens == {"[UNK]": 0}
    assert (tokenizer.vocab_size, tokenizer.word_piece and tokenizer.word_piece.prefix) == (499, "##")
    assert tokenizer.stretches("ดื่มน้ำ, ที่นี่") == ["ดื่มน้ำ", ",", "ที่นี่"]
    assert "".join(map(tokenizer.token_text, tokenizer.encode("น้ำใจ"))).replace("##", "") == "น้ำใจ"
    assert [tokenizer.lost_characters(text) for text in ("น้ำใจ", "น้ำ Ωก น้ำ", "ก" * 101)] == [0, 2, 101]


@pytest.mark.parametrize(
    ("texts", "size", "code"),
    [
        (["a b"], 3, "pieces_size_out_of_range"),
        (["a b"], MOST_PIECES + 1, "pieces_size_out_of_range"),
        (["abc"], 5, "pieces_size_low"),
        (["", " \n "], 50, "pieces_no_text"),
    ],
    ids=["tiny", "huge", "characters", "empty"],
)
def test_what_cannot_be_trained_is_refused_in_words(texts: list[str], size: int, code: str) -> None:
    with pytest.raises(TrainingError) as raised:
        train_word_piece(texts, size)
    assert raised.value.code == code
    if code == "pieces_size_out_of_range":
        with pytest.raises(TrainingError):
            WordPieceJob(texts, size)
    else:
        failure = ended(WordPieceJob(texts, size)).failure
        assert failure is not None
        assert failure.code == code


def test_a_size_out_of_range_is_named_with_the_range_and_one_too_low_with_the_least() -> None:
    for size in (3, MOST_PIECES + 1):
        with pytest.raises(TrainingError) as caught:
            check_size(size)
        assert caught.value.values == {"least": 4, "most": MOST_PIECES, "value": size}
    for size in (4, MOST_PIECES):
        check_size(size)
    with pytest.raises(TrainingError) as caught:
        train_word_piece(["ab ba", "ac"], 6)
    assert caught.value.values == {"size": 6, "least": 1 + 3 + 3}
    least = vocabulary(train_word_piece(["ab ba", "ac"], 7))
    assert list(least) == ["[UNK]", "##a", "##b", "##c", "a", "b", "c"]
    with pytest.raises(TrainingError) as caught:
        train_word_piece([" \n\t"], 9)
    assert caught.value.values == {"limit": 2**20}


def test_only_pairs_that_come_twice_are_joined_and_punctuation_ends_a_word() -> None:
    pieces = vocabulary(train_word_piece(["ab ab cd, cd."], 99))
    assert {"ab", "cd"} <= set(pieces)
    assert "##," not in pieces
    assert set(vocabulary(train_word_piece(["ab cd"], 99))) == {"[UNK]", "##b", "##d", *"abcd"}
    content = train_word_piece(["ab ab ก"], 99)
    assert "ก".encode() in content
    found = json.loads(content)
    assert [token["content"] for token in found["added_tokens"]] == ["[UNK]"]
    assert found["decoder"] == {"type": "WordPiece", "prefix": "##", "cleanup": False}


def test_long_lines_are_learned_from_word_by_word_and_long_words_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_piece, "LONGEST_WORD", 4)
    pieces = vocabulary(train_word_piece(["abcdef\nghij\nkl  mnopqrst"] * 2, 99))
    assert {"abcd", "ef", "ghij", "kl", "mnop", "qrst"} <= set(pieces)
    assert not any(piece.startswith("##") and len(piece) > 5 for piece in pieces)


def test_a_word_as_long_as_a_book_takes_no_time() -> None:
    job = ended(WordPieceJob(["กา" * 500_000], 50))
    assert job.tokenizer is not None
    assert job.tokenizer.encode("กากา") != [0]
    pieces = vocabulary(train_word_piece(["ab" * LONGEST_WORD] * 3, 50))
    assert any(piece.startswith("ab") for piece in pieces)
    assert not any(piece.startswith("ba") for piece in pieces)  # no part has lost its first letter


def test_a_training_at_work_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    started: SimpleQueue[Child] = SimpleQueue()
    monkeypatch.setattr(Child, "send", lambda child, *order: started.put(child))
    job = WordPieceJob(["a b"], 50)
    child = started.get(timeout=PATIENCE)
    job.stop()
    ended(job)
    assert (job.stopped, job.failure, job.tokenizer) == (True, None, None)
    assert not child.is_alive()


def test_too_little_memory_is_said() -> None:
    failure = ended(WordPieceJob([small_text()], 500, memory_bytes=2**20)).failure
    assert failure is not None
    assert failure.code in {"out_of_memory", "pieces_died"}
