"""The list of what is kept: runs come back and go on, damage is shown, and what cannot be kept is said."""

import errno
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.frame import visitor
from pages.ui.run_registry.keeping import LOCAL
from pages.ui.run_registry.registry import registry
from pages.ui.widgets.formatting import dated
from tests.helpers.app import ENGLISH, job_of, open_page, opener_of, said, start_training, wait_until
from tests.helpers.browser import PATIENCE
from tests.helpers.jobs import wait_until as wait_for_job
from tests.helpers.paths import REPOSITORY
from tests.helpers.trained import rank_file
from tests.saved_runs.shelf import ROOMY
from tokenizer_core.saved_runs.entry import Entry
from tokenizer_core.saved_runs.folder import Quota, SavedRuns, owner_key


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SavedRuns:
    """The app of this process with a saved, opened on its own machine."""
    saved = SavedRuns(tmp_path / "library", ROOMY)
    monkeypatch.setattr(registry(), "saved", saved)
    monkeypatch.setattr(registry()._keeper, "saved", saved)
    monkeypatch.setattr(registry()._keeper, "_saved", {})
    monkeypatch.setattr(visitor, "is_local", lambda: True)
    return saved


def restarted(language: str = "en") -> AppTest:
    """The train page of a new visitor, after the app was stopped and started."""
    registry().close()
    app = open_page("train", language)
    assert not app.exception
    return app


def captions(app: AppTest) -> str:
    return " ".join(caption.value for caption in app.caption)


def test_runs_of_this_machine_are_listed_by_their_names_after_a_restart_and_open(kept: SavedRuns) -> None:
    app = start_training(size=280)
    wait_until(app, lambda: job_of(app).ended)
    app.run()
    run = job_of(app)
    app.text_input(key=f"name_{run.id}").set_value("  *my*   name ").run()
    app = restarted()
    assert any(each.value == "**` *my* name `**" for each in app.markdown)
    assert str(kept.root) not in captions(app)  # only for whoever points
    assert any(str(kept.root) in caption.help for caption in app.caption)
    assert dated(run.created) in captions(app)
    app.button(key=f"open_{run.id}").click().run()
    assert not app.exception
    assert job_of(app).merges == run.merges
    assert job_of(app) is not run
    app.switch_page(str(REPOSITORY / "pages" / "compare.py")).run()
    assert not app.exception
    own = app.session_state["own_tokenizer"]
    assert own.tokenizer.merges == run.tokenizer().merges


def test_an_interrupted_training_on_a_sample_is_trained_again_with_two_clicks(kept: SavedRuns) -> None:
    app = start_training("th", size=700, pace="slow")
    job = job_of(app)
    wait_for_job(job, lambda: len(job.merges) >= 2)
    app = restarted()
    app.button(key=f"open_{job.id}").click().run()
    assert len(job_of(app).merges) >= 2
    app.button(key=f"again_{job.id}").click().run()
    app.button(key="start").click().run()
    assert not app.exception
    again = job_of(app)
    assert (again.id != job.id, again.training) == (True, job.training)


def test_an_interrupted_training_on_a_text_of_ones_own_asks_for_the_text(kept: SavedRuns) -> None:
    corpus = "ลูกเกดกับน้ำ " * 50
    app = start_training(corpus=corpus, size=300, pace="slow")
    job = job_of(app)
    wait_for_job(job, lambda: len(job.merges) >= 2)
    app = restarted()
    app.button(key=f"again_{job.id}").click().run()
    assert not app.exception
    assert app.number_input(key="train_size").value == 300
    app.segmented_control(key="corpus_source").set_value("paste").run()
    app.text_area(key="corpus_paste").set_value(corpus).run()
    app.button(key="start").click().run()
    wait_until(app, lambda: job_of(app).state == "running")
    assert job_of(app).training.texts == job.training.texts


def test_a_run_found_damaged_by_a_click_is_said_to_be_and_can_be_deleted(kept: SavedRuns) -> None:
    app = start_training(size=270)
    wait_until(app, lambda: job_of(app).ended)
    run = job_of(app)
    app = restarted()
    path = kept.root / LOCAL / f"{run.id}.zip"
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, b"minbpe v1\n\n0\n97 98\n" if name == "tokenizer.model" else content)
    app.button(key=f"open_{run.id}").click().run()
    assert not app.exception
    assert "damaged" in said(app)
    assert any(run.id in each.value for each in app.markdown)
    app.button(key=f"delete_{run.id}").click().run()
    assert not any(run.id in each.value for each in app.markdown)


def test_an_opened_file_is_listed_opened_renamed_and_deleted(kept: SavedRuns) -> None:
    app = open_page("compare")
    model = ("../my.model", b"minbpe v1\n\n0\n97 98\n", "text/plain")
    opener_of(app).set_value([model]).run()
    (entry,) = kept.entries(LOCAL)
    app = restarted()
    assert any("my" in each.value for each in app.markdown)
    app.text_input(key=f"name_{entry.id}").set_value("file *one*").run()
    app.button(key=f"open_{entry.id}").click().run()
    assert ENGLISH["runs.file_open"] in captions(app)
    app.switch_page(str(REPOSITORY / "pages" / "compare.py")).run()
    (file,) = app.session_state["opened_files"]
    assert (file.name, file.opened.tokenizer.merges) == ("file *one*", [(97, 98)])
    app = restarted()
    app.button(key=f"delete_{entry.id}").click().run()
    assert kept.entries(LOCAL) == []


def test_a_sentencepiece_model_trained_here_is_kept_and_opens_after_a_restart(kept: SavedRuns) -> None:
    app = open_page("pieces")
    app.radio(key="pieces_card").set_value("small").run()
    app.number_input(key="pieces_vocab_size").set_value(200.0).run()
    app.button(key="pieces_start").click().run()
    job = app.session_state["pieces_job"]
    job.wait(PATIENCE)
    assert job.tokenizer is not None, job.failure
    (entry,) = kept.entries(LOCAL)
    assert isinstance(entry, Entry)
    assert entry.vocab_size == 200
    app = restarted()
    assert "SentencePiece, trained here · 200 tokens" in captions(app)
    app.text_input(key=f"name_{entry.id}").set_value("pieces").run()
    app.button(key=f"open_{entry.id}").click().run()
    app.switch_page(str(REPOSITORY / "pages" / "compare.py")).run()
    (file,) = app.session_state["opened_files"]
    assert (file.name, file.opened.format, file.opened.tokenizer.vocab_size) == ("pieces", "sentencepiece", 200)
    app = restarted()
    app.button(key=f"delete_{entry.id}").click().run()
    assert kept.entries(LOCAL) == []


def test_word_piece_trained_here_is_kept_and_opens_after_a_restart(kept: SavedRuns) -> None:
    app = open_page("pieces")
    app.radio(key="pieces_card").set_value("small").run()
    app.selectbox(key="pieces_model_type").set_value("wordpiece").run()
    app.number_input(key="pieces_vocab_size").set_value(200.0).run()
    app.button(key="pieces_start").click().run()
    job = app.session_state["pieces_job"]
    job.wait(PATIENCE)
    assert job.tokenizer is not None, job.failure
    (entry,) = kept.entries(LOCAL)
    assert isinstance(entry, Entry)
    app = restarted()
    assert "WordPiece, trained here · 200 tokens" in captions(app)
    app.button(key=f"open_{entry.id}").click().run()
    app.switch_page(str(REPOSITORY / "pages" / "compare.py")).run()
    (file,) = app.session_state["opened_files"]
    assert (file.name, file.opened.model, file.opened.tokenizer.content) == (
        *("WordPiece 200", "WordPiece", job.tokenizer.content),
    )


def test_a_pattern_chosen_later_is_kept_under_the_name_of_the_file(kept: SavedRuns) -> None:
    app = open_page("compare")
    opener_of(app).set_value([("ranks.tiktoken", rank_file(), "")]).run()
    app.run()
    (before,) = kept.entries(LOCAL)
    kept.rename(LOCAL, before.id, "my ranks")
    (picker,) = [box for box in app.selectbox if box.key and box.key.startswith("opened_pattern")]
    picker.set_value("none").run()
    (after,) = kept.entries(LOCAL)
    assert isinstance(after, Entry)
    assert (after.name, after.options["pattern"], after.id == before.id) == ("my ranks", "none", False)


def test_an_opened_file_that_cannot_be_kept_is_open_and_says_so(
    kept: SavedRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "quota", Quota(0, 10))
    app = open_page("compare")
    opener_of(app).set_value([("a.model", b"minbpe v1\n\n0\n97 98\n", "")]).run()
    app.run()
    assert len(app.session_state["opened_files"]) == 1
    assert ENGLISH["compare.not_kept"].partition("{")[0] in said(app)


def test_a_folder_that_cannot_be_written_is_said_in_one_sentence(
    kept: SavedRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object, **more: object) -> None:
        raise PermissionError(errno.EACCES, "denied")

    monkeypatch.setattr("tokenizer_core.saved_runs.folder.tempfile", SimpleNamespace(mkstemp=fail))
    app = start_training("th", size=270)
    wait_until(app, lambda: job_of(app).ended and bool(registry().trouble(LOCAL)))
    app.run()
    assert len(app.warning) == 1
    assert len(job_of(app).merges) == 14


def test_visitors_of_a_server_have_folders_of_their_own_without_their_secrets(
    kept: SavedRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visitor, "is_local", lambda: False)
    secret = "a" * 43
    monkeypatch.setattr(visitor, "secret_of_cookie", lambda: secret)
    app = start_training(size=270)
    wait_until(app, lambda: job_of(app).ended)
    assert str(kept.root) not in captions(app)  # a server's folders are nobody's business
    registry().close()
    assert [folder.name for folder in kept.root.iterdir()] == [owner_key(secret)]
