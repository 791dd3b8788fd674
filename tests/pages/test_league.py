"""The league table on Languages: counted line by line, sorted, with intervals; quoted figures apart; lazy."""

import io

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.i18n import catalogue
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.corpus import sample_text
from pages.ui.inputs.opened_files import OpenedFile, open_model
from pages.ui.inputs.parallel_texts import Compared, sample_parallel
from pages.ui.languages import league
from pages.ui.widgets.bounded import Bounded
from tests.helpers.app import LANGUAGES, open_page, sortable_tables, tables
from tests.helpers.hub import COMMIT
from tests.helpers.languages_page import opened, unfolded
from tests.helpers.trained import byte_level, rank_file, word_piece
from tokenizer_core.analysis.bootstrap import premium_intervals
from tokenizer_core.bpe.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.interop.hugging_face import HuggingFaceTokenizer
from tokenizer_core.sources.families import quoted
from tokenizer_core.sources.model import ModelAtHand

THAI, ENGLISH = (sample_text(f"parallel.{name}.txt").splitlines() for name in ("th", "en"))


@pytest.fixture(autouse=True)
def at_hand(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> list[ModelAtHand]:
    """A model with a borrowed tokenizer, its file again, ranks without a pattern, one of OpenAI's, one gone."""
    folder = tmp_path_factory.mktemp("models")
    files = {"tokenizer.json": byte_level(), "ranks.tiktoken": rank_file(), "gone.json": b""}
    for name, content in files.items():
        (folder / name).write_bytes(content)
    (folder / "gone.json").unlink()
    models = [
        ModelAtHand("scb10x/typhoon2.5-qwen3-4b", "hub", (folder / "tokenizer.json",), "apache-2.0", COMMIT),
        ModelAtHand("ollama:the-same", "ollama", (folder / "tokenizer.json",)),
        ModelAtHand("ollama:ranks", "ollama", (folder / "ranks.tiktoken",)),
        ModelAtHand("tiktoken:cl100k_base", "tiktoken", (folder / "ranks.tiktoken",)),  # every page has it anyway
        ModelAtHand("ollama:gone", "ollama", (folder / "gone.json",)),
    ]
    monkeypatch.setattr(league, "find_models", lambda **given: models[:4])
    return models


def rows(app: AppTest) -> list[list[str]]:
    return [[without_breaks(cell) for cell in row] for row in sortable_tables(app)[0][1:]]


def of_lines(tokenizer: object, lines: list[str]) -> list[int]:
    return [len(tokenizer.encode(line)) for line in lines]  # type: ignore[attr-defined]


@pytest.mark.parametrize("language", LANGUAGES)
def test_below_the_bars_stands_who_needs_fewest_and_leads_to_all_models(language: str) -> None:
    app = open_page("languages", language)
    button = app.button(key="languages_fewest")
    assert "GPT-4o" in without_breaks(button.label)
    assert not sortable_tables(app)
    button.click().run()
    assert not app.exception
    assert len(rows(app)) > len(OPENAI_NAMES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_references_and_models_at_hand_stand_in_order_with_what_each_line_needs(language: str) -> None:
    app, words = opened(language, "league"), catalogue(language)
    tokenizers = {without_breaks(words[f"tokenizers.{name}"]): openai_tokenizer(name) for name in OPENAI_NAMES}
    players: dict[str, object] = {**tokenizers, "Typhoon 2.5": HuggingFaceTokenizer(byte_level())}
    found = {row[0]: row for row in rows(app)}
    assert set(found) == {*players, "ollama:ranks"}
    for name, tokenizer in players.items():
        thai, english = of_lines(tokenizer, THAI), of_lines(tokenizer, ENGLISH)
        ((low, high),) = [each or (0.0, 0.0) for each in premium_intervals([thai], [english])]
        assert found[name][1:4:2] == [f"{sum(thai):,}", f"{sum(english):,}"]
        assert found[name][2].startswith(f"{sum(thai) / sum(english):.2f}")
        assert found[name][4] == f"{low:.2f}–{high:.2f}"
        price = 1 if language == "en" else 100
        assert float(found[name][5]) == pytest.approx(sum(thai) * price / 1_000_000, abs=0.005)
    tokens = [int(row[1].replace(",", "")) for row in rows(app)]
    assert tokens == sorted(tokens)
    assert found["Typhoon 2.5"][7] == without_breaks(words["league.borrowed"]).format(other="Qwen 3")
    assert found["ollama:ranks"][-1] == without_breaks(words["league.is_not_exact"])


def test_the_csv_has_exact_numbers_and_no_formula() -> None:
    players = [
        league.Player("a", "=A", np.array([4, 2]), np.array([2, 1]), 300, "Qwen 3"),
        league.Player("b", "B", np.array([1, 2]), np.array([0, 0]), 300),
    ]
    found = league.standings(players)
    assert [(each.player.name, each.tokens, each.premium, each.interval) for each in found] == [
        ("B", 3, None, None),
        ("=A", 6, 2.0, (2.0, 2.0)),
    ]
    names = ("Thai", "English")
    compared = Compared(sample_parallel(), names, names, True, 1, "lines")
    content = league.csv_of(compared, 0, found)
    table = pd.read_csv(io.BytesIO(content), encoding="utf-8-sig")
    assert table["tokenizer"].tolist() == ["B", "'=A"]
    assert table[["tokens", "base_tokens"]].to_numpy().tolist() == [[3, 0], [6, 3]]
    assert table["borrowed_from"].tolist()[1] == "Qwen 3"
    assert (table["premium"][1], table["low"][1], table["high"][1]) == (2.0, 2.0, 2.0)
    assert table["premium"].isna()[0]


def test_models_that_need_the_same_in_every_line_share_a_bar() -> None:
    same, other = (np.array([4, 2]), np.array([2, 1])), (np.array([3, 3]), np.array([2, 1]))
    names = {"Mistral v1 (SentencePiece)": same, "Mistral v2 (SentencePiece)": same, "Qwen": other}
    found = league.standings([league.Player(name, name, *counts, 300) for name, counts in names.items()])
    compared = Compared(sample_parallel(), ("Thai", "English"), ("Thai", "English"), True, 1, "lines")
    bars = league.bars_of(compared, 0, found)
    assert [bar.group for bar in bars] == ["Mistral v1, v2 (SentencePiece)", "Qwen"]


def test_equal_rows_are_explained_where_the_tokenizers_are_equal() -> None:
    counts = (np.array([4, 2]), np.array([2, 1]))
    of = {"a": b"1", "b": b"1", "c": b"2", "d": b"", "e": b""}
    players = [league.Player(key, key.upper(), *counts, 300, vocabulary_hash=each) for key, each in of.items()]
    found = {each.player.key: each.player.same_as for each in league.standings(players)}
    assert found == {"a": "", "b": "A", "c": "", "d": "", "e": ""}


def test_a_file_under_two_names_is_opened_once(
    at_hand: list[ModelAtHand], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def noted(model: ModelAtHand) -> OpenedFile:
        asked.append(model.name)
        return open_model(model)

    monkeypatch.setattr(league, "open_model", noted)
    monkeypatch.setattr(league, "_players", Bounded(2**20, weigh=lambda player: 1))
    monkeypatch.setattr(league, "find_models", lambda **given: at_hand[:2])
    opened("en", "league")
    assert asked == [at_hand[0].name]


def test_figures_of_models_that_are_not_here_are_quoted_apart_with_date_and_source() -> None:
    app = opened("en", "league")
    (quote,) = [table for table in tables(app) if "Llama 4" in {row[0] for row in table}]
    listed = {row[0].split(" · ")[0] for row in quote[1:]}
    assert listed == {row.title for row in quoted()}
    assert not listed & {row[0] for row in rows(app)}
    assert "Qwen 3 · Typhoon 2.5, Typhoon 2 (Qwen), OpenThaiGPT 1.5, Chinda" in {row[0] for row in quote}
    assert any("2026-11-24" in caption.value and "FLORES-200" in caption.value for caption in app.caption)


def test_what_is_counted_here_is_not_quoted(at_hand: list[ModelAtHand], monkeypatch: pytest.MonkeyPatch) -> None:
    same = [ModelAtHand("google/gemma-3-4b-it", "hub", at_hand[0].files, None, COMMIT)]
    monkeypatch.setattr(league, "find_models", lambda **given: same)
    app = opened("en", "league")
    (quote,) = [table for table in tables(app) if "Llama 4" in {row[0] for row in table}]
    assert "Gemma 3" in {row[0] for row in rows(app)}
    assert not any("Gemma 3" in row[0] for row in quote)


def test_nothing_is_looked_for_or_counted_while_the_fold_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*given: object, **more: object) -> object:
        raise AssertionError

    for name in ("find_models", "premium_intervals", "quoted"):
        monkeypatch.setattr(league, name, never)
    app = open_page("languages")
    unfolded(app, "table")
    assert not app.exception


def test_what_cannot_be_counted_is_said_and_what_was_counted_is_not_counted_again(
    at_hand: list[ModelAtHand], monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("more")
    (folder / "words.json").write_bytes(word_piece())
    (folder / "no.json").write_bytes(b"{}")
    refused = ModelAtHand("ollama:refused", "ollama", (folder / "no.json",))
    monkeypatch.setattr(league, "find_models", lambda **given: [at_hand[0], refused, at_hand[4]])
    app = opened("en", "league")
    said = " ".join(caption.value for caption in app.caption)
    assert "ollama:refused" in said
    assert "ollama:gone" in said
    monkeypatch.setattr(league, "open_model", lambda model: pytest.fail(model.name))
    monkeypatch.setattr(league, "find_models", lambda **given: [at_hand[0]])
    app.run()
    assert not app.exception
    assert "Typhoon 2.5" in {row[0] for row in rows(app)}


def test_of_long_texts_only_the_chosen_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(league, "MOST_CHARACTERS", 10)
    app = opened("en", "league")
    assert len(rows(app)) == 3
    assert any("10 characters" in caption.value for caption in app.caption)
