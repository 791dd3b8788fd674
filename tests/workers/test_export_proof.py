"""Exports prove themselves in a process of their own, or name the first text that differs, and always end."""

import dataclasses
import threading

import pytest

from tests.helpers.app import mostly_long
from tests.helpers.browser import PATIENCE
from tests.helpers.sample import THAI
from tokenizer_core import Tokenizer, openai_tokenizer, train
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.interop.exportable import Export
from tokenizer_core.interop.exports import LOADED_BY, export
from tokenizer_core.workers.export_proof import ExportProof


def proven(tokenizer: AnyTokenizer, to: str, *texts: str, written: Export | None = None) -> ExportProof:
    proof = ExportProof(tokenizer, to, written or export(tokenizer, to), texts, seconds=PATIENCE)
    proof.wait(PATIENCE)
    assert proof.ended
    return proof


@pytest.mark.parametrize("to", mostly_long(LOADED_BY, "tiktoken", "tokenizer.json"))
def test_an_export_gives_the_same_ids_for_the_corpus_and_all_hostile_texts(to: str) -> None:
    tokenizer = train(THAI, 600, special_tokens={"<|end|>": 1101})
    done = proven(tokenizer, to, THAI)
    assert done.failure is None
    assert done.proof is not None
    assert done.proof.library.partition(" ")[0] == {"minbpe": ""}.get(to, LOADED_BY[to])
    assert (done.proof.lines, done.proof.hostile, done.proof.difference) == (648, 500, None)
    assert done.done == done.all == 1148
    assert not done.take_in({"event": "progress", "texts": 7})
    assert done.done == 7


def test_a_reference_proves_itself() -> None:
    done = proven(openai_tokenizer("gpt2"), "tokenizer.json")
    assert done.proof is not None
    assert (done.proof.lines, done.proof.difference) == (0, None)


def test_the_first_text_that_differs_is_shown_with_its_reason() -> None:
    tokenizer = Tokenizer([(97, 98), (98, 99), (97, 257)], pattern="none")
    found = proven(tokenizer, "tiktoken", "x\nabc\nabc abc").proof
    assert found is not None
    assert found.difference is not None
    assert (found.difference.text, found.difference.why) == ("abc\n", "lost_merges")
    assert (found.difference.expected, found.difference.found) == ([256, 99, 10], [258, 10])


@pytest.mark.parametrize("to", ["tiktoken", "tokenizer.json", "gpt2"])
def test_a_character_that_the_library_does_not_know_is_the_reason(to: str) -> None:
    text = "ab\U000323b0c " * 9
    found = proven(train(text, 268), to, text).proof
    assert found is not None
    assert found.difference is not None
    assert (found.difference.why, found.difference.character) == ("newer_character", "U+323B0")


def test_a_difference_in_special_tokens_that_act_says_so() -> None:
    tokenizer = Tokenizer([], special_tokens=["<|a|>"])
    written = export(tokenizer, "tokenizer.json")
    broken = written.files["tokenizer.json"].replace(b'"lstrip":false', b'"lstrip":true')
    found = proven(tokenizer, "tokenizer.json", "b <|a|>", written=Export({"tokenizer.json": broken}, "")).proof
    assert found is not None
    assert found.difference is not None
    assert (found.difference.special_tokens_act, found.difference.why) == (True, "unknown")
    assert found.difference.text == "b <|a|>"
    assert dataclasses.asdict(found.difference)["place"] == 0


def test_an_export_that_the_library_refuses_says_why() -> None:
    failure = proven(Tokenizer([], pattern=r"\X"), "tiktoken").failure
    assert failure is not None
    assert failure.code == "reload_refused"
    assert "Invalid escape" in failure.values["why"]


def test_a_regular_expression_that_explodes_there_is_told() -> None:
    written = export(Tokenizer([], pattern="(?:a|a|aa)+$"), "tokenizer.json")
    failure = proven(Tokenizer([]), "tokenizer.json", "a" * 500 + "b", written=written).failure
    assert failure is not None
    assert failure.code == "library_gave_up"
    assert failure.values["excerpt"].startswith("aaa")
    assert "retry-limit" in failure.values["why"]


def test_a_proof_ends_when_its_time_is_up() -> None:
    proof = ExportProof(Tokenizer([]), "minbpe", export(Tokenizer([]), "minbpe"), seconds=0.0)
    proof.wait(PATIENCE)
    assert proof.ended
    assert proof.failure is not None
    assert proof.failure.code == "proof_slow"


def test_a_proof_can_be_stopped_while_it_waits() -> None:
    turns = threading.Semaphore(0)
    proof = ExportProof(Tokenizer([]), "minbpe", export(Tokenizer([]), "minbpe"), turns=turns)
    proof.stop()
    turns.release()
    proof.wait(PATIENCE)
    assert proof.ended
    assert (proof.stopped, proof.proof, proof.failure) == (True, None, None)


def test_a_pattern_that_never_ends_here_is_not_handed_over() -> None:
    failure = proven(Tokenizer([], pattern="(?R)"), "tokenizer.json", written=Export({}, "")).failure
    assert failure is not None
    assert failure.code == "pattern_memory"
