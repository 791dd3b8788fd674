"""Files of strangers are opened and encoded with limited time and memory, in a process of their own."""

import contextlib
import gc
import json
import os
import signal
import sys
import threading
import time

import pytest

from tests.helpers.trained import (
    byte_level,
    char_bpe,
    gpt2_files,
    hostile_lines,
    library_of,
    rank_file,
    word_piece,
)
from tokenizer_core.errors import TextError, TokenizerError, TokenizerFileError
from tokenizer_core.interop.byte_level import FileTokenizer
from tokenizer_core.interop.hugging_face import HuggingFaceTokenizer
from tokenizer_core.interop.opening import open_tokenizer
from tokenizer_core.patterns.split_patterns import SPLIT_PATTERNS
from tokenizer_core.workers import guarded
from tokenizer_core.workers.child import Child
from tokenizer_core.workers.guarded import GuardedTokenizer, open_guarded

SLOW = "(a|a)*b|[^a]"
"""Each stretch of 19 letters takes half a million tries, ten thousand of them take minutes, and none takes so many
that Oniguruma gives up by itself."""


def split_by(source: str) -> bytes:
    """A tokenizer that cuts text by a regular expression."""
    split = {"type": "Split", "pattern": {"Regex": source}, "behavior": "Isolated", "invert": False}
    parts = {"model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "c": 1}, "unk_token": "[UNK]"}}
    return json.dumps({**parts, "pre_tokenizer": split}).encode()


def test_a_file_with_unknown_regular_expressions_is_encoded_elsewhere_with_the_same_answers() -> None:
    content = split_by(r"\w+|\s")
    tokenizer = open_guarded("a", content).tokenizer
    assert isinstance(tokenizer, GuardedTokenizer)
    inner, library = HuggingFaceTokenizer(content), library_of(content)
    for text in hostile_lines(20):
        assert tokenizer.encode(text) == library.encode(text).ids
        found, expected = tokenizer.encode_placed(text), inner.encode_placed(text)
        assert found.ids.tolist() == expected.ids.tolist()
        assert found.starts.tolist() == expected.starts.tolist()
        assert found.ends.tolist() == expected.ends.tolist()
    counts = tokenizer.encode_each(["c", "", "c c"]).counts.tolist()
    assert counts == inner.encode_each(["c", "", "c c"]).counts.tolist()
    assert (tokenizer.token_text(0), tokenizer.vocab_size) == ("[UNK]", 2)


def test_all_that_needs_a_regular_expression_is_asked_for_elsewhere() -> None:
    parts = json.loads(split_by(r"\w+|\s"))
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    parts["added_tokens"] = [{"id": 2, "content": "<s>", "special": True} | flags]
    content = json.dumps(parts).encode()
    tokenizer, inner = open_guarded("a", content).tokenizer, HuggingFaceTokenizer(content)
    assert isinstance(tokenizer, GuardedTokenizer)
    text = "c <s> ab c"
    assert tokenizer.stretches(text) == inner.stretches(text)
    assert tokenizer.piece_count(text) == inner.piece_count(text)
    assert tokenizer.encode(text) == inner.encode(text)
    assert tokenizer.encode(text, allowed_special="all") == inner.encode(text, allowed_special="all")
    assert tokenizer.encode(text, allowed_special=["<s>"]) == inner.encode(text, allowed_special=["<s>"])
    assert 2 in tokenizer.encode_placed(text, allowed_special="all").ids
    assert 2 not in tokenizer.encode_placed(text).ids
    found = tokenizer.encode_each(iter([text, "c"]))
    assert (found.ids.tolist(), found.counts.tolist()) == (
        [*inner.encode(text), *inner.encode("c")],
        [len(inner.encode(text)), 1],
    )
    with pytest.raises(TextError):
        tokenizer.encode("\ud800")
    tokenizer._guard.end()


@pytest.mark.parametrize(("source", "is_harmless"), [(SPLIT_PATTERNS["o200k"], True), ("a", True), ("ab", False)])
def test_known_regular_expressions_and_single_characters_need_no_process(source: str, is_harmless: bool) -> None:
    tokenizer = open_guarded("a", split_by(source)).tokenizer
    assert isinstance(tokenizer, GuardedTokenizer) is not is_harmless
    if isinstance(tokenizer, GuardedTokenizer):
        tokenizer._guard.end()


def test_other_files_are_opened_here_with_their_options() -> None:
    opened = open_guarded("a", rank_file(), pattern="o200k")
    assert opened.digest == open_tokenizer("a", rank_file(), pattern="o200k").digest
    pair = dict(zip(("vocab.json", "merges.txt"), gpt2_files()))
    assert open_guarded("a", pair).files == ("vocab.json", "merges.txt")
    assert open_guarded("a", COLLIDES, repair=True).tokenizer.special_tokens == {"<a>": 257}
    with pytest.raises(TokenizerError) as caught:
        open_guarded("a", COLLIDES)
    assert caught.value.code == "special_token_id_taken"


COLLIDES = b"minbpe v1\n\n1\n<a> 256\n97 97\n"


def test_without_a_free_file_no_process_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(content: bytes) -> None:
        raise OSError

    monkeypatch.setattr(guarded, "known_file", full)
    with pytest.raises(TokenizerError) as caught:
        open_guarded("a", word_piece())
    assert caught.value.code == "worker_not_started"


def test_a_guard_that_is_at_work_is_not_ended_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded, "_kept", [])
    monkeypatch.setattr(guarded, "MAX_KEPT", 1)
    busy, idle, asked = (guarded.Guard("a", {"a": split_by(source)}) for source in ("ab", "ac", "ad"))
    try:
        assert busy.ask("encode", ["c"])["ids"] == [1]
        with busy._turn:
            assert idle.ask("encode", ["c"])["ids"] == [1]
            assert asked.ask("encode", ["c"])["ids"] == [1]
        assert [each._child is not None for each in (busy, idle, asked)] == [True, False, True]
        assert guarded._kept[-1] is asked
    finally:
        for each in (busy, idle, asked):
            each.end()


def test_a_regular_expression_that_explodes_ends_with_a_clear_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = open_guarded("a", split_by(SLOW)).tokenizer
    assert tokenizer.encode("c") == [1]
    monkeypatch.setattr(guarded.Guard.ask, "__kwdefaults__", {"seconds": 0.5})
    with pytest.raises(TokenizerFileError) as caught:
        tokenizer.encode(("a" * 19 + "c") * 10_000)
    assert (caught.value.code, caught.value.values) == ("tokenizer_slow", {"seconds": 0.5})
    monkeypatch.undo()
    assert tokenizer.encode("c") == [1]  # the process has started again


def test_a_file_that_does_not_open_in_time_is_refused() -> None:
    with pytest.raises(TokenizerFileError) as caught:
        open_guarded("a", word_piece(), seconds=0.0)
    assert caught.value.code == "tokenizer_slow"


@pytest.mark.skipif(sys.platform != "linux", reason="the seconds in which another process computes are Linux's")
def test_a_process_that_others_keep_from_computing_gets_more_time() -> None:
    with contextlib.closing(Child("guarded")) as child:
        os.kill(child.pid, signal.SIGSTOP)
        threading.Timer(0.6, os.kill, (child.pid, signal.SIGCONT)).start()
        late = TokenizerFileError("tokenizer_slow", seconds=0.3)
        with child.limited(0.3, late, patience=1_000):  # it loads for longer, but computes in none of these
            time.sleep(0.5)
            assert child.is_alive()
        with child.limited(0.1, late, patience=2), pytest.raises(TokenizerFileError) as caught:
            next(child.events())  # it waits for a description, and never gets one
        assert caught.value.code == late.code


def test_a_file_that_takes_too_much_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded, "MEMORY_BYTES", 2**20)
    parts = json.loads(word_piece())
    parts["model"]["vocab"] |= {f"word {number}": 1_000 + number for number in range(60_000)}
    with pytest.raises(TokenizerFileError) as caught:
        open_guarded("a", json.dumps(parts).encode())
    assert caught.value.code == "tokenizer_memory"


def test_known_files_need_no_process_afterwards() -> None:
    assert not isinstance(open_guarded("a", byte_level("o200k")).tokenizer, GuardedTokenizer)
    assert isinstance(open_guarded("a", char_bpe()).tokenizer, HuggingFaceTokenizer)
    assert isinstance(open_guarded("a", word_piece()).tokenizer, HuggingFaceTokenizer)


def test_byte_level_bpe_comes_from_the_other_process_and_is_not_opened_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = byte_level("o200k", added=("<think>",))
    here = open_tokenizer("a", content, repair=True)
    monkeypatch.setattr(guarded, "open_tokenizer", lambda *given, **options: pytest.fail("opened twice"))
    there = open_guarded("a", content, repair=True)
    assert [(remark.code, remark.values) for remark in there.remarks] == [
        (remark.code, remark.values) for remark in here.remarks
    ]
    assert (there.format, there.model, there.files, there.digest) == (
        here.format,
        here.model,
        here.files,
        here.digest,
    )
    found, expected = there.tokenizer, here.tokenizer
    assert isinstance(found, FileTokenizer)
    assert isinstance(expected, FileTokenizer)
    for name in ("merges", "vocabulary", "entry_ids", "special_tokens", "added_tokens", "pattern", "normalizer"):
        assert getattr(found, name) == getattr(expected, name)
    assert all(found.encode(text) == expected.encode(text) for text in [*hostile_lines(20), "a<think>b"])


def test_a_damaged_file_has_the_same_sentence_as_without_a_guard() -> None:
    with pytest.raises(TokenizerError) as caught:
        open_guarded("a", b'{"model": {"type": "Magic", "vocab": {}}}')
    assert caught.value.code == "tokenizer_json_model"


def test_few_processes_stay_and_none_outlives_its_tokenizer() -> None:
    opened = [open_guarded("a", split_by(rf"c{{1,{number}}}|.")).tokenizer for number in range(2, 8)]
    assert [tokenizer.encode("c") for tokenizer in opened] == [[1]] * 6
    guards = [tokenizer._guard for tokenizer in opened if isinstance(tokenizer, GuardedTokenizer)]
    assert sum(guard._child is not None for guard in guards) == guarded.MAX_KEPT
    assert opened[0].encode("c") == [1]
    del opened
    gc.collect()
    assert [guard._child for guard in guards] == [None] * 6
