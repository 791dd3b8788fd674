"""The list of what is kept: runs come back and go on, damage is shown, and what cannot be kept is said."""

import errno
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.shell import visitor
from pages.ui.train.kept_rows import dated
from pages.ui.trainings.keeping import LOCAL
from pages.ui.trainings.registry import registry
from tests.helpers.app import ENGLISH, job_of, open_page, said, start_training, wait_until
from tests.helpers.browser import PATIENCE
from tests.helpers.jobs import wait_until as wait_for_job
from tests.helpers.paths import REPOSITORY
from tests.helpers.trained.library_tokenizers import rank_file
from tests.library.shelf import ROOMY
from tokenizer_core.errors import LibraryError
from tokenizer_core.jobs.entry import Entry
from tokenizer_core.jobs.library import Library, Quota, owner_key


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """The app of this process with a library, opened on its own machine."""
    library = Library(tmp_path / "library", ROOMY)
    monkeypatch.setattr(registry(), "library", library)
    monkeypatch.setattr(registry()._keeper, "library", library)
    monkeypatch.setattr(registry()._keeper, "_saved", {})
    monkeypatch.setattr(visitor, "is_local", lambda: True)
    return library


def restarted(language: str = "en") -> AppTest:
    """The train page of a new visitor, after the app was stopped and started."""
    registry().close()
    app = open_page("train", language)
    assert not app.exception
    return app


def captions(app: AppTest) -> str:
    return " ".join(caption.value for caption in app.caption)


def test_runs_of_this_machine_are_listed_after_a_restart_and_open(kept: Library) -> None:
    app = start_training(size=280)
    wait_until(app, lambda: job_of(app).ended)
    run = job_of(app)
    app = restarted()
    assert str(kept.root) in captions(app)
    assert dated(run.created) in captions(app)
    app.button(key=f"open_{run.id}").click().run()
    assert not app.exception
    assert job_of(app).merges == run.merges
    assert job_of(app) is not run
    app.switch_page(str(REPOSITORY / "pages" / "compare.py")).run()
    assert not app.exception
    mine = app.session_state["mine"]
    assert mine.tokenizer.merges == run.tokenizer().merges


def test_an_interrupted_training_on_a_sample_continues_with_one_click(kept: Library) -> None:
    app = start_training("th", size=700, pace="slow")
    job = job_of(app)
    wait_for_job(job, lambda: len(job.merges) >= 2)
    app = restarted()
    app.button(key=f"open_{job.id}").click().run()
    kept_merges = len(job_of(app).merges)
    assert kept_merges >= 2
    app.button(key="continue_run").click().run()
    assert not app.exception
    gone_on = job_of(app)
    assert (gone_on.id, gone_on.ended) == (job.id, False)
    gone_on.set_pace(None)
    wait_until(app, lambda: gone_on.ended)
    assert gone_on.merges[:kept_merges] == job.merges[:kept_merges]
    assert (gone_on.state, len(gone_on.merges)) == ("done", 444)


def test_a_text_of_ones_own_is_asked_for_again_and_must_be_the_same(kept: Library) -> None:
    corpus = "ลูกเกดกับน้ำ " * 50
    app = start_training(corpus=corpus, size=300, pace="slow")
    job = job_of(app)
    wait_for_job(job, lambda: len(job.merges) >= 2)
    app = restarted()
    app.button(key=f"open_{job.id}").click().run()
    assert "continue_run" not in {button.key for button in app.button}
    app.segmented_control(key="corpus_source").set_value("paste").run()
    app.text_area(key="corpus_paste").set_value(corpus + "!").run()
    assert ENGLISH["continuing.is_other"] in said(app)
    app.text_area(key="corpus_paste").set_value(corpus).run()
    assert ENGLISH["continuing.is_same"] in said(app)
    app.button(key="continue_run").click().run()
    wait_until(app, lambda: job_of(app).state == "running")


def test_a_damaged_entry_is_shown_and_can_be_deleted(kept: Library) -> None:
    app = start_training(size=270)
    wait_until(app, lambda: job_of(app).ended)
    run = job_of(app)
    registry().close()
    (kept.root / LOCAL / "damaged-entry.zip").write_bytes(b"PK\x03\x04")
    app = restarted()
    assert any("damaged-entry" in each.value for each in app.markdown)
    app.button(key="delete_damaged-entry").click().run()
    assert not any("damaged-entry" in each.value for each in app.markdown)
    assert app.button(key=f"open_{run.id}")


def test_an_entry_found_damaged_by_a_click_is_said_to_be(kept: Library) -> None:
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


def test_a_run_is_renamed_in_the_library(kept: Library) -> None:
    app = start_training(size=270)
    wait_until(app, lambda: job_of(app).ended)
    app.run()
    run = job_of(app)
    app.text_input(key=f"name_{run.id}").set_value("  *my*   name ").run()
    app = restarted()
    assert any(each.value == "**` *my* name `**" for each in app.markdown)
    app.text_input(key=f"name_{run.id}").set_value("another").run()
    app = restarted()
    assert any("another" in each.value for each in app.markdown)


def test_an_opened_file_is_listed_opened_renamed_and_deleted(kept: Library) -> None:
    app = open_page("compare")
    model = ("../my.model", b"minbpe v1\n\n0\n97 98\n", "text/plain")
    app.file_uploader(key="model_file").set_value([model]).run()
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


def test_a_sentencepiece_model_trained_here_is_kept_and_opens_after_a_restart(kept: Library) -> None:
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


def test_a_pattern_chosen_later_is_kept_under_the_name_of_the_file(kept: Library) -> None:
    app = open_page("compare")
    app.file_uploader(key="model_file").set_value([("ranks.tiktoken", rank_file(), "")]).run()
    app.run()
    (before,) = kept.entries(LOCAL)
    kept.rename(LOCAL, before.id, "my ranks")
    (picker,) = [box for box in app.selectbox if box.key and box.key.startswith("opened_pattern")]
    picker.set_value("none").run()
    (after,) = kept.entries(LOCAL)
    assert isinstance(after, Entry)
    assert (after.name, after.options["pattern"], after.id == before.id) == ("my ranks", "none", False)


def test_an_opened_file_that_cannot_be_kept_is_open_and_says_so(
    kept: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "quota", Quota(0, 10))
    app = open_page("compare")
    app.file_uploader(key="model_file").set_value([("a.model", b"minbpe v1\n\n0\n97 98\n", "")]).run()
    app.run()
    assert len(app.session_state["opened_files"]) == 1
    assert ENGLISH["compare.not_kept"].partition("{")[0] in said(app)


def test_a_folder_that_cannot_be_written_is_said_in_one_sentence(
    kept: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object, **more: object) -> None:
        raise PermissionError(errno.EACCES, "denied")

    monkeypatch.setattr("tokenizer_core.jobs.library.tempfile", SimpleNamespace(mkstemp=fail))
    app = start_training("th", size=270)
    wait_until(app, lambda: job_of(app).ended and bool(registry().trouble(LOCAL)))
    app.run()
    assert len(app.warning) == 1
    assert len(job_of(app).merges) == 14


def test_visitors_of_a_server_have_folders_of_their_own_without_their_secrets(
    kept: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visitor, "is_local", lambda: False)
    secret = "a" * 43
    monkeypatch.setattr(visitor, "secret_of_cookie", lambda: secret)
    app = start_training(size=270)
    wait_until(app, lambda: job_of(app).ended)
    assert str(kept.root) not in captions(app)  # a server's folders are nobody's business
    registry().close()
    assert [folder.name for folder in kept.root.iterdir()] == [owner_key(secret)]


def test_a_full_quota_is_said(kept: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "quota", Quota(100, 10))
    app = start_training(size=270)
    wait_until(app, lambda: job_of(app).ended and bool(registry().trouble(LOCAL)))
    trouble = registry().trouble(LOCAL)
    assert isinstance(trouble, LibraryError)
    assert trouble.code == "library_megabytes"
