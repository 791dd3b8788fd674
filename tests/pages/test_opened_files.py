"""Tokenizers of any format on Compare and Languages: opened, chosen, repaired, closed, at any size they have."""

import gc
import json
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import tokenizers
from streamlit.runtime.scriptrunner_utils.exceptions import StopException
from streamlit.testing.v1 import AppTest

from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs import opened_files, opener
from pages.ui.inputs.opened_files import OpenedFile, open_file
from pages.ui.limits import MAX_OPENED_FILES
from tests.helpers.app import (
    LANGUAGES,
    MODEL,
    move_size,
    open_page,
    opened_key,
    opener_of,
    said,
    two_trainings,
    view,
)
from tests.helpers.languages_page import bills, unfolded
from tests.helpers.paths import REPOSITORY
from tests.helpers.trained import byte_level, gpt2_files, model_of, rank_file, unigram, word_piece
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.interop.byte_level import FileTokenizer
from tokenizer_core.interop.hugging_face import HuggingFaceTokenizer
from tokenizer_core.interop.limits import ENTRY_BYTES, foreseen_bytes
from tokenizer_core.interop.opening import open_tokenizer
from tokenizer_core.interop.sentencepiece_model import SentencePieceTokenizer

TEXT = "น้ำใจ the cat"
COLLIDES = b"minbpe v1\n\n2\n<a> 256\n<b> 257\n97 97\n"


def compare_with(*files: tuple[str, bytes], language: str = "en") -> AppTest:
    """The page after these files were uploaded at once."""
    app = open_page("compare", language)
    app.text_area(key="compare_text").set_value(TEXT).run()
    return upload(app, *files)


def upload(app: AppTest, *files: tuple[str, bytes]) -> AppTest:
    opener_of(app).set_value([(name, content, "") for name, content in files]).run()
    app.run()
    assert not app.exception
    return app


def test_what_is_exported_has_the_name_that_people_gave_it() -> None:
    app = compare_with(("thai.model", MODEL))
    app.session_state["compare_exports"] = True
    app.session_state["compare_exported"] = opened_key(app)
    app.run()
    files = {button.proto.label for button in app.get("download_button")}
    assert {"thai.tiktoken", "thai.model"} <= files


def test_what_is_exported_at_a_size_says_so_in_the_list_and_in_the_names_of_its_files() -> None:
    app = compare_with(("thai.model", MODEL))
    app.session_state["compare_exports"] = True
    app.session_state["compare_exported"] = opened_key(app)
    move_size(app, "thai", 257)
    named = app.selectbox(key="compare_exported").options
    assert any(name.startswith("thai: the first 257 of ") for name in named)
    files = {button.proto.label for button in app.get("download_button")}
    assert {"thai-257.tiktoken", "thai-257.model"} <= files


def test_a_file_is_opened_by_the_next_run_if_this_one_is_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the visitor closes the opener while it works."""
    cut_short = [True]

    def open_or_stop(*arguments: Any, **more: Any) -> OpenedFile:
        if cut_short.pop():
            cut_short.append(False)
            raise StopException
        cut_short.append(False)
        return open_file(*arguments, **more)

    monkeypatch.setattr(opener, "open_file", open_or_stop)
    assert view(compare_with(("wp.json", word_piece()))).names[3:] == ["wp"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_files_of_any_format_become_lanes_with_their_own_ids(language: str) -> None:
    files = {"wp.json": word_piece(), "uni.json": unigram(), "bl.json": byte_level(), "sp.model": model_of()}
    app = compare_with(*files.items(), ("ranks.tiktoken", rank_file()), ("mine.model", MODEL), language=language)
    shown = view(app)
    assert shown.names[3:] == ["wp", "uni", "bl", "sp", "ranks", "mine"]
    for name, content in list(files.items())[:3]:
        lane = name.partition(".")[0]
        assert [i for i in shown.ids(lane) if i is not None] == HuggingFaceTokenizer(content).encode(TEXT)
    assert shown.ids("mine") == Tokenizer.from_model(MODEL).encode(TEXT)
    captions = [column["caption"] for column in shown.block.header["columns"]]
    assert all(
        kind in caption and name in caption
        for caption, (kind, name) in zip(
            captions[3:6], [("WordPiece", "wp.json"), ("Unigram", "uni.json"), ("BPE", "bl.json")], strict=True
        )
    )


def test_special_tokens_are_counted_in_the_size_and_named() -> None:
    files = {"wp.json": word_piece(), "uni.json": unigram(), "bl.json": byte_level()}
    app = compare_with(*files.items(), ("sp.model", model_of()))
    captions = [column["caption"] for column in view(app).block.header["columns"]][3:]
    for caption, content in zip(captions, files.values(), strict=False):
        library = tokenizers.Tokenizer.from_buffer(content)
        special = sum(token.special for token in library.get_added_tokens_decoder().values())
        said = f"{library.get_vocab_size(with_added_tokens=True):,} tokens"
        assert (f"{said}, {special} of them special" if special else f"{said} ·") in caption
    pieces = SentencePieceTokenizer(model_of())
    assert f"{pieces.vocab_size} tokens, {len(pieces.special_tokens)} of them special" in captions[3]


def test_two_files_of_gpt2_are_one_tokenizer_also_when_one_comes_later() -> None:
    encoder, merges = gpt2_files()
    app = compare_with(("encoder.json", encoder))
    assert "vocab.bpe" in said(app)
    assert len(view(app).names) == 3
    upload(app, ("encoder.json", encoder), ("vocab.bpe", merges))
    assert not app.error
    assert view(app).names[3:] == ["encoder"]


def test_a_size_slider_goes_back_to_fewer_merges() -> None:
    app = compare_with(("bl.json", byte_level()))
    stages, caption = view(app).options["sizes"]["3"], view(app).block.header["columns"][3]["caption"]
    assert f"{stages['most'] + stages['special']:,} tokens" in caption
    full = view(app).counts[3]
    move_size(app, "bl", 256)
    assert view(app).counts[3] == len(TEXT.encode()) > full
    app.segmented_control(key="lang").set_value("th").run()
    assert view(app).counts[3] == len(TEXT.encode())
    move_size(app, "bl", 10**9)
    assert view(app).counts[3] == full


def test_a_pattern_is_chosen_where_the_file_has_none() -> None:
    app = compare_with(("ranks.tiktoken", rank_file([b"e ", b"e c"])))
    before, first = view(app).counts[3], opened_key(app)
    (picker,) = [box for box in app.selectbox if box.key and box.key.startswith("opened_pattern")]
    assert picker.value == "cl100k"
    picker.set_value("none").run()
    app.run()
    assert view(app).counts[3] < before
    assert opened_key(app) != first
    assert not app.exception


def test_special_tokens_whose_ids_are_taken_are_repaired_on_request() -> None:
    app = compare_with(("bad.model", COLLIDES))
    assert "256" in said(app)
    (repair,) = [button for button in app.button if button.key and button.key.startswith("repair_")]
    repair.click().run()
    assert not app.error
    (file,) = app.session_state["opened_files"]
    assert file.opened.tokenizer.special_tokens == {"<a>": 258, "<b>": 257}
    assert any("258" in caption.value for caption in app.caption)


def test_closing_leaves_the_others_and_frees_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened_files, "MAX_OPENED_FILES", 2)
    other = b"minbpe v1\n\n0\n98 98\n"
    app = compare_with(("a.model", MODEL), ("b.model", other), ("c.json", word_piece()))
    assert view(app).names[3:] == ["a", "b"]
    assert "2" in said(app)
    (close, _) = [button for button in app.button if button.key and button.key.startswith("close_")]
    close.click().run()
    assert not app.exception
    assert view(app).names[3:] == ["b"]
    assert MAX_OPENED_FILES == 8


def test_files_of_one_name_are_told_apart_and_the_same_file_is_open_once() -> None:
    other = b"minbpe v1\n\n0\n98 98\n"
    app = compare_with(("a.model", MODEL), ("a.model", other), ("again.model", MODEL))
    assert view(app).names[3:] == ["again", "a (2)"]


def test_an_opened_tokenizer_can_be_renamed_and_never_bears_the_name_of_another() -> None:
    other = b"minbpe v1\n\n0\n98 98\n"
    app = compare_with(("tokenizer.model", MODEL), ("b.model", other))
    first, second = (f"name_file_{opened_key(app, place).removeprefix('file:')[:12]}" for place in (0, 1))
    app.text_input(key=first).set_value("  our   school ").run()
    assert view(app).names[3:] == ["our school", "b"]
    app.text_input(key=second).set_value("our school").run()
    assert view(app).names[3:] == ["our school", "our school (2)"]
    assert app.text_input(key=second).value == "our school (2)"
    app.text_input(key=first).set_value(" ").run()
    assert view(app).names[3:] == ["tokenizer", "our school (2)"]
    unfolded(app.switch_page(str(REPOSITORY / "pages" / "languages.py")).run(), "table")
    assert {"tokenizer", "our school (2)"} <= {name for name, _ in bills(app)}


def test_the_box_for_files_closes_once_the_lane_can_be_seen_and_stays_while_something_is_to_be_said() -> None:
    app = open_page("compare")
    for file, is_open in (
        (("bl.json", byte_level()), False),
        (("x.bin", b"\x00"), True),
        (("r.tiktoken", rank_file()), True),
    ):
        app.session_state["compare_open"] = True
        app.run()
        upload(app, file)
        assert app.session_state["compare_open"] is is_open


def test_what_cannot_be_opened_is_said_and_the_rest_opens() -> None:
    damaged = ("bad.model", b"minbpe v1\n\n0\n97 97\n97 999\n")
    app = compare_with(("x.bin", b"\x00\x01"), ("cut.json", byte_level()[:500]), damaged, ("a.model", MODEL))
    assert len(app.error) == 3
    assert "Line 5" in said(app)
    assert view(app).names[3:] == ["a"]


def test_a_text_that_a_tokenizer_cannot_split_takes_only_its_lane_away() -> None:
    words = b'{"model": {"type": "WordLevel", "vocab": {"the": 0}, "unk_token": "[UNK]"}}'
    app = compare_with(("words.json", words), ("a.model", MODEL))
    assert "Missing [UNK] token" in said(app)
    assert view(app).names[3:] == ["a"]


def test_of_many_refused_files_three_stand_open_and_the_rest_in_a_fold() -> None:
    app = compare_with(*[(f"{number}.bin", b"\x00%d" % number) for number in range(9)])
    assert len(app.error) == 9
    (fold,) = [each for each in app.expander if each.label == "6 more files could not be opened"]
    assert len(fold.error) == 6


def test_languages_counts_with_opened_files_too() -> None:
    app = compare_with(("wp.json", word_piece()), ("bl.json", byte_level()))
    unfolded(app.switch_page(str(REPOSITORY / "pages" / "languages.py")).run(), "table")
    chosen = app.session_state["languages_names_False"]
    assert chosen[3:] == [opened_key(app, 0), opened_key(app, 1)]
    assert {"wp", "bl", "GPT-2"} <= {name for name, _ in bills(app)}
    unfolded(app, "metrics")


def test_languages_leaves_out_what_cannot_split_the_texts() -> None:
    words = b'{"model": {"type": "WordLevel", "vocab": {"the": 0}, "unk_token": "[UNK]"}}'
    app = compare_with(("words.json", words), ("a.model", MODEL))
    unfolded(app.switch_page(str(REPOSITORY / "pages" / "languages.py")).run(), "table")
    assert "Missing [UNK] token" in said(app)
    assert "words" not in {name for name, _ in bills(app)}


def test_all_runs_of_a_visitor_stand_beside_one_another_each_at_its_own_size() -> None:
    app, other = two_trainings()
    app.switch_page(str(REPOSITORY / "pages" / "compare.py")).run()
    key = f"run:{other.id}"
    assert key not in app.session_state["compare_names_True"]
    assert key not in app.pills(key="compare_names_True").options  # nobody started it in this visit
    app.button(key=f"compare_names_True_{key}").click().run()
    assert app.session_state["compare_names_True"][-1] == key
    app.pills(key="compare_names_True").set_value(["mine", key]).run()
    assert not app.exception
    shown = view(app)
    assert shown.counts[1] == len(other.tokenizer().encode(shown.text))
    move_size(app, shown.names[1], 256)
    assert view(app).counts == [shown.counts[0], len(shown.text.encode())]
    move_size(app, shown.names[0], 256)
    assert view(app).counts == [len(shown.text.encode()), len(shown.text.encode())]


# ---- memory


def test_visitors_who_open_the_same_file_share_it_until_nobody_has_it_open() -> None:
    mine, theirs = (opened_files.open_file({"mine.model": MODEL}).opened for _ in range(2))
    assert mine is theirs
    assert opened_files.open_file({"other.model": MODEL}).opened is not mine
    left = weakref.ref(mine.tokenizer)
    del mine, theirs
    gc.collect()
    assert left() is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_file_for_which_no_memory_is_left_is_refused(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    gc.collect()
    first = opened_files.open_file({"mine.model": MODEL})
    taken = ENTRY_BYTES * sum(each.tokenizer.vocab_size for each in opened_files._SHARED.values())
    monkeypatch.setattr(opened_files, "MAX_OPENED_BYTES", taken + 2**20)
    words = json.dumps({"model": {"type": "WordLevel", "vocab": {f"w{n}": n for n in range(2_000)}}}).encode()
    app = compare_with(("words.json", words), ("mine.model", MODEL), language=language)
    needed = {
        "en": "may need 1 MB of memory, and 1 MB are left for opened files",
        "th": "อาจต้องใช้หน่วยความจำ 1 MB แต่เหลือสำหรับไฟล์ที่เปิดเพียง 1 MB",
    }[language]
    assert needed in without_breaks(said(app)).replace("\N{NO-BREAK SPACE}", " ")
    assert view(app).names[3:] == ["mine"]
    assert first.opened.tokenizer.vocab_size


@pytest.mark.parametrize("make", [rank_file, byte_level, word_piece, unigram, model_of])
def test_no_tokenizer_has_more_entries_than_its_file_foretells(make: Callable[[], bytes]) -> None:
    assert open_tokenizer("a", make()).tokenizer.vocab_size <= foreseen_bytes(make()) // ENTRY_BYTES


def test_equal_files_under_two_names_share_their_memory_and_keep_their_own_names() -> None:
    one, other = (open_file({name: byte_level("o200k")}).opened for name in ("mine.json", "yours.json"))
    assert isinstance(one.tokenizer, FileTokenizer)
    assert isinstance(other.tokenizer, FileTokenizer)
    assert one.tokenizer.vocabulary is other.tokenizer.vocabulary
    assert one.tokenizer.merges is other.tokenizer.merges
    assert [(each.tokenizer.name, each.files) for each in (one, other)] == [
        ("mine", ("mine.json",)),
        ("yours", ("yours.json",)),
    ]
