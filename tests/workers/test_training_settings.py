"""The settings of a training: what they hold, what they refuse, and that a description brings them back."""

import hashlib
import json
import platform
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import regex

from tokenizer_core.corpus_counts.counts import Counts
from tokenizer_core.errors import CountsError, SpecialTokenError, TrainingError
from tokenizer_core.workers.training_settings import (
    CountedCorpus,
    Goal,
    StopRules,
    Training,
    corpus_hash,
    software_versions,
)

COUNTS = Counts.of("ก a b", "mark_aware")
CORPUS = CountedCorpus(COUNTS.recipe, COUNTS.sha256, 5, 3, b"a file")
FULL = Training(
    ["ab", "กข"],
    400,
    "gpt2",
    {"<s>": 900},
    StopRules(3, 2.5, Goal("a text", 4, "gpt2")),
    "gathering",
    "mine",
    [(97, 98)],
    7,
    parity=True,
    languages=("en", "th"),
    unit="",
    measured=("c", "d"),
)


def test_a_description_brings_everything_back_but_the_texts() -> None:
    described = json.loads(json.dumps(FULL.described()))
    assert not {"counts", "measured"} & described.keys()
    assert described["texts"] == []
    again = Training.from_description(described)
    assert (again.stop, again.pace, again.unit, again.parity) == (FULL.stop, "gathering", "", True)
    assert (again.special_tokens, list(map(tuple, again.given)), again.first_merges) == (
        {"<s>": 900},
        [(97, 98)],
        7,
    )
    assert (again.pattern, again.corpus_name, tuple(again.languages)) == ("gpt2", "mine", ("en", "th"))
    assert (list(again.texts), list(again.measured)) == ([], [])
    plain = Training.from_description(json.loads(json.dumps(Training(["a"], 300).described())))
    assert (plain.stop, plain.counts, plain.superwords_from) == (StopRules(), None, None)


def test_a_description_of_counts_is_checked_value_by_value() -> None:
    described = json.loads(json.dumps(CORPUS.described()))
    assert CountedCorpus.from_description(described, b"a file") == CORPUS
    assert CountedCorpus.from_description(described, b"a file").content == b"a file"
    assert CountedCorpus.from_description(described).content == b""
    with pytest.raises(CountsError) as caught:
        CountedCorpus.from_description({**described, "characters": -1})
    assert (caught.value.code, caught.value.values) == ("counts_recipe", {"field": "characters"})


def test_what_there_is_to_learn_from_is_known_until_it_is_forgotten() -> None:
    assert (FULL.has_corpus, FULL.characters, FULL.held) == (True, 4, ["ab", "กข", "c", "d"])
    forgotten = FULL.forgotten()
    assert (forgotten.has_corpus, forgotten.held, forgotten.vocab_size) == (False, [], 400)
    of_counts = Training((), 300, counts=CORPUS)
    assert (of_counts.has_corpus, of_counts.characters, of_counts.held) == (True, 5, [b"a file"])
    assert of_counts.forgotten() == of_counts
    assert (of_counts.forgotten().has_corpus, of_counts.forgotten().characters) == (False, 5)
    assert not Training((), 300).has_corpus


def test_the_bytes_of_a_counted_character_leave_out_what_was_dropped() -> None:
    assert CORPUS.bytes_each == 7 / 5
    dropped = replace(CORPUS, recipe=replace(COUNTS.recipe, dropped_bytes=2))
    assert dropped.bytes_each == 1.0
    assert replace(CORPUS, characters=0).bytes_each == 7.0


@pytest.mark.parametrize(("start", "first"), [(None, 400), (300, 300), (400, 400), (500, 400)])
def test_tokens_cross_pretokens_from_a_size_within_the_vocabulary(start: int | None, first: int) -> None:
    assert Training([], 400, superwords_from=start).first_size == first


@pytest.mark.parametrize(
    ("training", "error"),
    [
        (Training([], 300, special_tokens={"<s>": 299}), SpecialTokenError),
        (Training([], 300, special_tokens=["<s>", "<s>"]), SpecialTokenError),
        (Training([], 300, counts=CORPUS, superwords_from=280), TrainingError),
        (Training([], 300, parity=True, superwords_from=280), TrainingError),
    ],
    ids=["taken", "twice", "counts", "parity"],
)
def test_settings_that_do_not_go_together_are_refused(training: Training, error: type[Exception]) -> None:
    with pytest.raises(error):
        training.check()


@pytest.mark.parametrize(
    "more",
    [{"special_tokens": {"<s>": 300}}, {"counts": CORPUS}, {"parity": True}, {"superwords_from": 280}],
    ids=str,
)
def test_settings_that_go_together_are_taken(more: dict[str, Any]) -> None:
    training = Training([], 300, **more)
    training.check()
    assert training.special_ids(300) == more.get("special_tokens", {})
    assert Training([], 300, special_tokens=["<a>", "<b>"]).special_ids(290) == {"<a>": 290, "<b>": 291}


def test_texts_are_grouped_by_language_in_the_order_in_which_languages_appear() -> None:
    training = Training((), 300, parity=True, languages=("th", "en", "th"))
    assert training.by_language([1, 2, 3]) == [[1, 3], [2]]
    assert Training((), 300, parity=True).by_language([1, 2]) == [[1], [2]]
    with pytest.raises(ValueError, match="zip"):
        training.by_language([1, 2])


def test_the_hash_of_a_corpus_is_over_lengths_and_bytes() -> None:
    text = "ก\ud800"
    encoded = text.encode("utf-8", "surrogatepass")
    expected = hashlib.sha256((6).to_bytes(8, "little") + encoded + bytes(8)).hexdigest()
    assert corpus_hash([text, ""]) == corpus_hash([encoded, b""]) == expected
    assert corpus_hash([]) == hashlib.sha256().hexdigest()


def test_the_versions_are_of_what_decides_the_merges() -> None:
    assert software_versions() == {
        "python": platform.python_version(),
        "regex": regex.__version__,
        "numpy": np.__version__,
    }
