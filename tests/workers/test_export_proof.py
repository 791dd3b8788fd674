"""Exports prove themselves in a process of their own, or name the first text that differs, and always end."""

import dataclasses
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from tests.helpers.app import mostly_long
from tests.helpers.browser import PATIENCE
from tests.helpers.sample import THAI
from tokenizer_core import Tokenizer, openai_tokenizer, train
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.errors import TokenizerError
from tokenizer_core.interop.exportable import Export
from tokenizer_core.interop.exports import LOADED_BY, export
from tokenizer_core.interop.verifying import Reloaded
from tokenizer_core.workers import export_proof
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


SENT = list[dict[str, Any]]


def outcome_of(
    monkeypatch: pytest.MonkeyPatch,
    library: Reloaded,
    texts: list[str],
    ids: list[list[int]],
    *,
    acting: Sequence[list[int]] = (),
    warnings: Sequence[str] = (),
) -> SENT:
    """What the child says of a library that the test makes."""
    sent: SENT = []
    monkeypatch.setattr(export_proof, "reload", lambda *given: library)
    monkeypatch.setattr(export_proof, "send", lambda event, **values: sent.append({"event": event, **values}))
    description = {
        "files": ["a", "b"],
        "format": "gpt2",
        "pattern": "gpt2",
        "special_tokens": {},
        "ids": [token_id for row in ids for token_id in row],
        "counts": list(map(len, ids)),
        "acting": acting,
        "warnings": warnings,
    }
    export_proof.prove(description, [b"1", b"2", *(text.encode() for text in texts)])
    return sent


def knowing(found: dict[str, list[int]], acting: dict[str, list[int]] | None = None) -> Reloaded:
    return Reloaded(
        "a library 1.0", found.__getitem__, (acting or found).__getitem__, lambda character: character != "ก"
    )


def test_ids_are_compared_text_by_text_and_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_proof, "PROGRESS_SECONDS", -1.0)
    library = knowing({"a": [1], "bc": [2, 3], "": []}, {"a": [9], "bc": [2, 3], "": []})
    sent = outcome_of(monkeypatch, library, ["a", "", "bc"], [[1], [], [2, 3]], acting=[[9], [], [2, 3]])
    assert sent == [
        *({"event": "progress", "texts": n} for n in range(3)),
        {"event": "outcome", "library": "a library 1.0", "difference": None},
    ]


@pytest.mark.parametrize(
    ("expected", "found", "place", "shown", "shown_there"),
    [
        ([1, 2, 3], [1, 2, 4], 1, [2, 3], [2, 4]),
        ([1], [2], 0, [1], [2]),
        ([1, 2], [1, 2, 3], 1, [2], [2, 3]),
        ([1, 2, 3], [], 0, [1, 2, 3], []),
        ([7] * 100 + [1], [7] * 100 + [2], 99, [7, 1], [7, 2]),
        ([1, *range(100)], [2, *range(100)], 0, [1, *range(59)], [2, *range(59)]),
    ],
    ids=["third", "first", "longer", "empty", "far", "long"],
)
def test_a_difference_is_shown_from_just_before_it(
    expected: list[int],
    found: list[int],
    place: int,
    shown: list[int],
    shown_there: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    library = knowing({"same": [5], "b": found, "c": [0]})
    (sent,) = (
        each
        for each in outcome_of(monkeypatch, library, ["same", "b", "c"], [[5], expected, [1]])
        if each["event"] == "outcome"
    )
    assert sent["difference"] == {
        "text": "b",
        "special_tokens_act": False,
        "expected": shown,
        "found": shown_there,
        "place": place,
        "why": "unknown",
        "character": "",
    }


@pytest.mark.parametrize(
    ("text", "warnings", "why", "character"),
    [
        ("b", ["own_pattern", "lost_merges", "special_begins"], "lost_merges", ""),
        ("b", ["own_pattern", "special_begins"], "special_begins", ""),
        ("b", ["rank_file_bare", "own_pattern"], "own_pattern", ""),
        ("b", ["rank_file_bare"], "unknown", ""),
        ("bก", ["lost_merges"], "newer_character", "U+0E01"),
    ],
)
def test_the_likeliest_reason_of_a_difference_is_told(
    text: str, warnings: list[str], why: str, character: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = outcome_of(monkeypatch, knowing({text: [2]}), [text], [[1]], warnings=warnings)[-1]
    assert (sent["difference"]["why"], sent["difference"]["character"]) == (why, character)


def test_a_difference_only_where_special_tokens_act_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    library = knowing({"a": [1]}, {"a": [2]})
    sent = outcome_of(monkeypatch, library, ["a"], [[1]], acting=[[3]])[-1]
    assert (sent["difference"]["special_tokens_act"], sent["difference"]["expected"]) == (True, [3])
    assert outcome_of(monkeypatch, library, ["a"], [[1]])[-1]["difference"] is None


def test_a_library_that_gives_up_is_quoted_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    class Panic(BaseException):
        """What a fault in Rust raises."""

    def give_up(text: str) -> list[int]:
        raise Panic("no\n" + "more " * 100)

    library = Reloaded("a library 1.0", give_up, give_up)
    with pytest.raises(TokenizerError) as caught:
        outcome_of(monkeypatch, library, ["x" * 99], [[1]])
    assert (caught.value.code, dict(caught.value.values)) == (
        "library_gave_up",
        {"library": "a library 1.0", "why": ("no " + "more " * 100)[:200], "excerpt": "x" * 40},
    )


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
