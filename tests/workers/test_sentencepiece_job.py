"""SentencePiece trained in a process of its own: the library's model, its log, and always a clear end."""

import threading
from dataclasses import replace
from importlib import import_module
from queue import SimpleQueue
from typing import Any

import pytest

from tests.helpers.browser import PATIENCE
from tests.helpers.trained import SMALL, model_of, small_text
from tokenizer_core.errors import TrainingError
from tokenizer_core.interop.limits import MOST_LINE_BYTES, MOST_PIECES
from tokenizer_core.interop.sentencepiece_model import SentencePieceTokenizer
from tokenizer_core.workers import sentencepiece_job
from tokenizer_core.workers.child import Child
from tokenizer_core.workers.sentencepiece_job import LECTURE, SentencePieceJob, SentencePieceSettings, TrainingLog


def ended(job: SentencePieceJob) -> SentencePieceJob:
    job.wait(PATIENCE)
    assert job.ended
    return job


def failure_of(job: SentencePieceJob) -> str:
    failure = ended(job).failure
    assert failure is not None
    assert job.tokenizer is None
    return failure.code


def test_the_model_is_that_of_the_library_and_the_log_is_read() -> None:
    job = ended(SentencePieceJob([small_text()], SMALL, name="small"))
    assert job.failure is None
    assert job.tokenizer is not None
    assert job.tokenizer.content == model_of()
    assert job.tokenizer.name == "small"
    assert job.log.sentences == len(small_text().split("\n"))
    assert job.log.phase == "learning"
    assert job.log.share > 0.5
    assert any("Alphabet size" in line for line in job.log.lines)
    assert not any("meta_piece" in line for line in job.log.lines)


def test_the_likelihood_of_each_round_is_that_of_the_log() -> None:
    log = TrainingLog(SMALL)
    start = "unigram_model_trainer.cc(903) LOG(INFO) EM"
    log.add(f"{start} sub_iter=0 size=2717 obj=12.9686 num_tokens=16634 bytes/tok=4.65757")
    log.add(f"{start} sub_iter=1 size=2405 obj=11.2992 num_tokens=16695 bytes/tok=4.64055")
    log.add(f"{start} sub_iter=0 size=1803 obj=nan num_tokens=17349 bytes/tok=4.46562")
    assert log.likelihoods == [(2717, -12.9686), (2405, -11.2992)]
    logged = ended(SentencePieceJob([small_text()], replace(SMALL, model_type="unigram"))).log.likelihoods
    pieces = [each.pieces for each in logged]
    assert pieces == sorted(pieces, reverse=True)
    assert all(each.per_word < 0 for each in logged)
    assert len(pieces) > 1


@pytest.mark.parametrize(("byte_fallback", "merges"), [(False, 356), (True, 100)], ids=["characters", "bytes"])
def test_the_share_learned_is_of_the_merges_alone(byte_fallback: bool, merges: int) -> None:
    log = TrainingLog(replace(SMALL, byte_fallback=byte_fallback, user_defined_symbols=("<a>",)))
    log.add(f"merges={merges}")  # of as many and the alphabet, which is not known yet
    assert log.share == merges / (merges + 60)
    log.add("Alphabet size=60")
    shares = []
    for learned in (0, merges // 4, merges, merges + 1):
        log.add(f"merges={learned}")
        shares.append(log.share)
    assert shares == [0, 0.25, 1, 1]
    log.add("Alphabet size=420")  # no room for merges
    log.add("merges=0")
    assert log.share == 0


def test_the_share_learned_of_a_unigram_model_is_by_the_rounds_that_are_left() -> None:
    log = TrainingLog(replace(SMALL, model_type="unigram"))
    log.add("EM sub_iter=0 size=924 obj=1")
    assert log.share == 0  # before the number of seeds is known
    log.add("Initialized 1848 seed sentencepieces")
    shares = []
    for pieces in (2000, 1848, 924, 462, 400, 0):
        log.add(f"EM sub_iter=0 size={pieces} obj=1")
        shares.append(round(log.share, 9))
    assert shares == [0, 0, 0.5, 1, 1, 1]
    log.add("Initialized 400 seed sentencepieces")
    log.add("EM sub_iter=0 size=400 obj=1")
    assert log.share == 1


def test_the_defaults_are_those_of_the_library() -> None:
    messages: Any = import_module("sentencepiece.sentencepiece_model_pb2")
    spec, normalizer = messages.TrainerSpec(), messages.NormalizerSpec()
    ours = SentencePieceSettings()
    same = {"model_type", "normalization_rule_name", "user_defined_symbols", "character_coverage"}
    for name, value in ours.arguments().items():
        holder = spec if hasattr(spec, name) else normalizer
        if name not in same | {"shuffle_input_sentence", "num_threads"}:
            assert getattr(holder, name) == value, name
    assert spec.model_type == spec.UNIGRAM
    assert spec.character_coverage == pytest.approx(ours.character_coverage)


@pytest.mark.parametrize(
    ("texts", "changes", "code"),
    [
        (["ab"], {"vocab_size": 5_000}, "pieces_size_high"),
        (["abcdefgh"], {"vocab_size": 5}, "pieces_size_low"),
        (["ab"], {"vocab_size": 100, "model_type": "word", "byte_fallback": True}, "pieces_size_low"),
        (["", "\n \n"], {}, "pieces_no_text"),
        (["a" * 5_000], {}, "pieces_no_text"),
    ],
    ids=["high", "low", "bytes", "empty", "long"],
)
def test_what_the_library_refuses_is_said_in_our_words(
    texts: list[str], changes: dict[str, Any], code: str
) -> None:
    with pytest.raises(TrainingError) as raised:
        sentencepiece_job.train_sentencepiece(texts, SentencePieceSettings(**changes))
    assert raised.value.code == code


def test_a_refusal_comes_back_from_the_process() -> None:
    job = SentencePieceJob(["ab"], SentencePieceSettings(vocab_size=5_000))
    assert failure_of(job) == "pieces_size_high"
    assert job.failure is not None
    assert job.failure.values["size"] == 5_000


@pytest.mark.parametrize(
    "changes",
    [
        {"vocab_size": 3},
        {"vocab_size": 10**6},
        {"character_coverage": 1.5},
        {"character_coverage": float("nan")},
        {"max_sentencepiece_length": 0},
        {"max_sentence_length": 2**30},
        {"input_sentence_size": -1},
        {"input_sentence_size": 100},
        {"seed_sentencepiece_size": 0},
        {"normalization_rule_name": "none"},
        {"user_defined_symbols": ("a", "a")},
        {"user_defined_symbols": ("",)},
        {"user_defined_symbols": ("<s>",)},
        {"user_defined_symbols": ("a\nb",)},
        {"user_defined_symbols": ("a" * 600,)},
        {"user_defined_symbols": tuple(map(str, range(2_000)))},
        {"unk_surface": "\ud83d"},
    ],
    ids=str,
)
def test_settings_that_cannot_be_used_are_refused_at_once(changes: dict[str, Any]) -> None:
    with pytest.raises(TrainingError):
        SentencePieceJob(["a b"], SentencePieceSettings(**changes))


@pytest.mark.parametrize(
    ("changes", "code", "values"),
    [
        ({"vocab_size": 3}, "pieces_size_out_of_range", {"least": 4, "most": MOST_PIECES, "value": 3}),
        ({"vocab_size": MOST_PIECES + 1}, "pieces_size_out_of_range", {"value": MOST_PIECES + 1}),
        ({"character_coverage": 0.979}, "pieces_coverage_out_of_range", {"least": 0.98, "most": 1.0}),
        ({"max_sentencepiece_length": 513}, "pieces_length_out_of_range", {"least": 1, "most": 512}),
        ({"max_sentence_length": 0}, "pieces_line_length_out_of_range", {"least": 1, "most": MOST_LINE_BYTES}),
        ({"input_sentence_size": 100}, "pieces_lines_out_of_range", {"least": 101, "most": 2**31 - 1}),
        ({"input_sentence_size": 2**31}, "pieces_lines_out_of_range", {"value": 2**31}),
        ({"seed_sentencepiece_size": 2_000_001}, "pieces_seeds_out_of_range", {"least": 1, "most": 2_000_000}),
        ({"model_type": "magic"}, "pieces_setting_unknown", {}),
        ({"user_defined_symbols": ["a"] * 1_001}, "pieces_symbols_many", {"most": 1_000, "count": 1_001}),
        ({"user_defined_symbols": ["a", "b", "a"]}, "pieces_symbol_twice", {"symbol": "a"}),
        ({"user_defined_symbols": ["</s>"]}, "pieces_symbol_twice", {"symbol": "</s>"}),
        ({"user_defined_symbols": ["<unk>"]}, "pieces_symbol_twice", {"symbol": "<unk>"}),
        ({"user_defined_symbols": ["a" * 513]}, "pieces_symbol_invalid", {"symbol": repr("a" * 40)}),
        ({"unk_surface": "a\0"}, "pieces_symbol_invalid", {"symbol": r"'a\x00'"}),
        ({"unk_surface": "\udfff"}, "pieces_symbol_invalid", {"symbol": r"'\udfff'"}),
        ({"unk_surface": "\t"}, "pieces_symbol_invalid", {"symbol": r"'\t'"}),
    ],
    ids=str,
)
def test_a_setting_out_of_its_range_is_named_with_the_range(
    changes: dict[str, Any], code: str, values: dict[str, object]
) -> None:
    with pytest.raises(TrainingError) as caught:
        SentencePieceSettings(**changes).check()
    assert caught.value.code == code
    assert values.items() <= caught.value.values.items()


@pytest.mark.parametrize(
    "changes",
    [
        {"vocab_size": 4},
        {"vocab_size": MOST_PIECES},
        {"character_coverage": 0.98},
        {"character_coverage": 1.0},
        {"max_sentencepiece_length": 1},
        {"max_sentencepiece_length": 512},
        {"max_sentence_length": 1},
        {"max_sentence_length": MOST_LINE_BYTES},
        {"input_sentence_size": 0},
        {"input_sentence_size": 101},
        {"input_sentence_size": 2**31 - 1},
        {"seed_sentencepiece_size": 1},
        {"seed_sentencepiece_size": 2_000_000},
        {"user_defined_symbols": list(map(str, range(1_000)))},
        {"user_defined_symbols": ["a" * 512, "\ud7ff", "\ue000"]},
        {"unk_surface": ""},
    ],
    ids=lambda changes: str(changes)[:40],
)
def test_settings_at_their_limits_are_taken(changes: dict[str, Any]) -> None:
    SentencePieceSettings(**changes).check()


@pytest.mark.parametrize(
    ("message", "code", "values"),
    [
        (
            "Vocabulary size too high (500). Please set it to a value <= 42.",
            "pieces_size_high",
            {"size": 500, "most": 42},
        ),
        (
            "Vocabulary size is smaller than required_chars. 30 vs 42.",
            "pieces_size_low",
            {"size": 30, "least": 42},
        ),
        ("(vocab_size) >= (0)", "pieces_size_low", {"size": 100, "least": 4 + 2 + 256}),
        ("!sentences_.empty()", "pieces_no_text", {"limit": 4_192}),
        ("all_chars_count", "pieces_no_text", {"limit": 4_192}),
        ("x" * 400, "pieces_refused", {"said": "x" * 300}),
    ],
    ids=["high", "low", "bytes", "empty", "no characters", "anything else"],
)
def test_what_the_library_says_becomes_our_error(message: str, code: str, values: dict[str, object]) -> None:
    settings = SentencePieceSettings(vocab_size=100, byte_fallback=True, user_defined_symbols=("a", "b"))
    error = sentencepiece_job.refusal(message, settings)
    assert (error.code, dict(error.values)) == (code, values)
    if "vocab_size" in message:
        plain = sentencepiece_job.refusal(message, SentencePieceSettings(vocab_size=3))
        assert plain.values == {"size": 3, "least": 4}


def test_a_library_without_room_for_a_thread_is_out_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**arguments: object) -> None:
        assert arguments["minloglevel"] == 2
        raise RuntimeError("Resource temporarily unavailable")

    monkeypatch.setattr("sentencepiece.SentencePieceTrainer.train", full)
    with pytest.raises(MemoryError):
        sentencepiece_job.train_sentencepiece(["a b"], SMALL, quiet=True)


def test_a_log_keeps_its_first_lines_and_still_tells_the_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentencepiece_job, "MOST_LOG_LINES", 3)
    log = TrainingLog(SMALL)
    for line in (
        "I0000 00:00 1 a line\n",
        "\n",
        "plain\n",
        "Adding meta_piece: <s>",
        "E1234 x  2 end",
        "merges=10",
    ):
        log.add(line)
    assert log.lines == ["a line", "plain", "end"]
    assert 0 < log.share < 1


def test_a_training_tells_its_size_its_time_and_hands_its_tokenizer_over_before_it_ends() -> None:
    kept: list[tuple[object, bool]] = []
    turns = threading.Semaphore(0)

    def keep(tokenizer: SentencePieceTokenizer) -> None:
        kept.append((tokenizer, job.ended))

    job = SentencePieceJob([small_text()], SMALL, turns=turns, keep=keep)
    assert (job.vocab_size, job.waits, job.began, job.seconds) == (420, True, None, 0.0)
    turns.release()
    ended(job)
    assert kept == [(job.tokenizer, False)]
    assert job.began is not None
    assert (job.waits, job.seconds > 0) == (False, True)


def test_symbols_and_surfaces_arrive_as_they_are() -> None:
    symbols = ("a,b", '"q', "a b", "<|im_start|>")
    job = ended(SentencePieceJob([small_text()], SentencePieceSettings(**_with(symbols, " [?], "))))
    assert job.tokenizer is not None
    assert set(symbols) - {"a b"} <= set(job.tokenizer.pieces)
    assert "a▁b" in job.tokenizer.pieces or "a b" in job.tokenizer.pieces
    assert job.tokenizer.facts.unk_surface == b" [?], "
    ids = job.tokenizer.encode("x<|im_start|>y")
    assert job.tokenizer.pieces.index("<|im_start|>") in ids


def _with(symbols: tuple[str, ...], surface: str) -> dict[str, Any]:
    return {"vocab_size": 420, "user_defined_symbols": symbols, "unk_surface": surface, "hard_vocab_limit": False}


@pytest.fixture
def at_work(monkeypatch: pytest.MonkeyPatch) -> tuple[SentencePieceJob, Child]:
    """A training whose child waits for its texts, and so stands for one that takes long."""
    monkeypatch.setattr(Child, "send", lambda child, *order: started.put(child))
    started: SimpleQueue[Child] = SimpleQueue()
    return SentencePieceJob(["a b"], SMALL), started.get(timeout=PATIENCE)


def test_a_training_at_work_can_be_stopped(at_work: tuple[SentencePieceJob, Child]) -> None:
    job, _ = at_work
    assert not job.waits
    job.stop()
    ended(job)
    assert (job.stopped, job.failure, job.tokenizer) == (True, None, None)


def test_a_killed_child_is_said(at_work: tuple[SentencePieceJob, Child]) -> None:
    job, child = at_work
    child.kill()
    assert failure_of(job) == "pieces_died"


def test_one_that_waits_for_its_turn_can_be_stopped() -> None:
    turns = threading.Semaphore(1)
    turns.acquire()
    job = SentencePieceJob(["a b"], SMALL, turns=turns)
    assert job.waits
    job.stop()
    turns.release()
    ended(job)
    assert (job.stopped, job.failure, job.tokenizer) == (True, None, None)
    assert (job.began, job.waits) == (None, False)


def test_too_little_memory_is_said() -> None:
    job = SentencePieceJob([small_text()], SMALL, memory_bytes=2**20)
    assert failure_of(job) in {"out_of_memory", "pieces_died"}


def test_the_log_tells_the_phase_and_the_share() -> None:
    log = TrainingLog(SentencePieceSettings(model_type="unigram", vocab_size=1_000))
    prefix = "I0000 00:00:1795371327.043717   22465 "
    assert (log.phase, log.share) == ("starting", 0.0)
    for line, phase in [
        ("trainer_interface.cc:446] Loaded all 648 sentences", "reading"),
        ("trainer_interface.cc:453] Skipped 8 too long sentences.", "reading"),
        ("trainer_interface.cc:466] Normalizing sentences...", "normalizing"),
        ("trainer_interface.cc:461] Adding meta_piece: <0x00>", "normalizing"),
        ("unigram_model_trainer.cc:327] Extracting seed sentencepieces", "seeding"),
        ("unigram_model_trainer.cc:514] Initialized 11000 seed pieces", "seeding"),
        ("trainer_interface.cc:661] Tokenizing input sentences with whitespace: 648", "learning"),
    ]:
        log.add(prefix + line + "\n")
        assert log.phase == phase
    shares = []
    for size in (11_000, 5_000, 2_000, 1_100):
        log.add(f"{prefix}unigram_model_trainer.cc:903] EM sub_iter=0 size={size} obj=1")
        shares.append(log.share)
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert (log.sentences, log.skipped, log.seeds) == (648, 8, 11_000)
    assert len(log.lines) == 10
    assert log.lines[0] == "trainer_interface.cc:446] Loaded all 648 sentences"


def test_the_lectures_settings_train() -> None:
    model = sentencepiece_job.train_sentencepiece(
        ["the cat sat on the mat, don't you see 123?\n" * 20], LECTURE_SMALL
    )
    assert len(model) > 1_000


LECTURE_SMALL = SentencePieceSettings(**{**LECTURE.__dict__, "vocab_size": 300})


def test_only_the_first_lines_are_learned_from_if_so_set() -> None:
    lines = [f"word{number} again" for number in range(400)]
    settings = SentencePieceSettings(vocab_size=60, hard_vocab_limit=False, model_type="char")
    some = replace(settings, input_sentence_size=150)
    first = sentencepiece_job.train_sentencepiece(["\n".join(lines[:150])], settings)
    assert tokens(sentencepiece_job.train_sentencepiece(["\n".join(lines)], some)) == tokens(first)


def tokens(model: bytes) -> list[str]:
    return SentencePieceTokenizer(model).pieces
