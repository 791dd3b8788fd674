"""What the stage asks for and commands: merges in order from anywhere, and obedience to the owner alone."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
import regex
from streamlit.testing.v1 import AppTest

from pages.ui.frame import visitor
from pages.ui.i18n import catalogue, filled, section
from pages.ui.limits import MAX_TRAININGS
from pages.ui.run_registry import registry as trainings
from pages.ui.run_registry.registry import registry
from pages.ui.widgets.player import MOST_CHARACTERS, serve
from pages.ui.widgets.player.serve import KEY_HEADER, PACES, routes
from tests.helpers.app import job_of, said, staged, start_training, view, wait_until
from tests.helpers.browser import PATIENCE
from tests.helpers.drawing import HOSTILE
from tests.helpers.jobs import LARGE, SMALL, wait_for
from tests.helpers.jobs import wait_until as wait_for_job
from tests.helpers.paths import REPOSITORY
from tests.helpers.routes import Answer
from tokenizer_core.bpe.trainer import Merge
from tokenizer_core.bpe.vocabulary import BYTES
from tokenizer_core.patterns.split_patterns import pretokenize
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import Pace, Training

WORDS = catalogue("en")


def begun(pace: Pace, size: int = 100_000, text: str = LARGE) -> Job:
    """A training that is at work, and that ends on no machine while a test looks at it."""
    job = registry().start(Training([text], size, pace=pace), owner="me")
    wait_for(job, "running", "done")
    return job


def watch(job: Job | str, query: str = "", language: str = "en") -> Answer:
    return Answer(routes(), f"/stage/watch/{job if isinstance(job, str) else job.id}/{language}{query}")


def key_of(job: Job) -> str:
    run = registry().run(job.id)
    assert run is not None
    return run.steering


def commanded(job: Job, path: str, key: str | None = None) -> Answer:
    """The answer to a command that is given with the key of the training's owner, or with another key."""
    return Answer(routes(), f"/stage/steer/{path}", "POST", {KEY_HEADER: key_of(job) if key is None else key})


def steer(job: Job, command: str) -> dict[str, Any]:
    """Let the owner's page command something; return the answer."""
    answer = commanded(job, f"en/{command}?from={len(job.merges)}")
    assert answer.status == 200
    found: dict[str, Any] = answer.json
    return found


def rows(answer: Answer) -> list[tuple[int, ...]]:
    flat = answer.json["merges"]
    return list(zip(flat[::3], flat[1::3], flat[2::3], strict=True))


# ---- watching


def test_merges_come_in_their_order_from_any_start() -> None:
    job = begun(None, 300, SMALL)
    wait_for(job, "done")
    learned = [(merge.left, merge.right, merge.count) for merge in job.merges]
    assert len(learned) == 44
    for first in (0, 1, 17, 43, 44, 45, 10**11):
        answer = watch(job, f"?from={first}")
        assert rows(answer) == learned[first:]
        assert (answer.json["state"], answer.json["learned"], answer.json["goal"]) == ("done", 44, 44)
        assert answer.headers["cache-control"] == "no-store"
    assert rows(watch(job)) == learned


def test_an_answer_holds_no_more_than_its_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "MOST_AT_ONCE", 20)
    job = begun(None, 300, SMALL)
    wait_for(job, "done")
    gathered: list[tuple[int, ...]] = []
    while len(gathered) < 44:
        answer = watch(job, f"?from={len(gathered)}")
        assert 0 < len(rows(answer)) <= 20
        assert answer.json["learned"] == 44
        gathered += rows(answer)
    assert gathered == [(merge.left, merge.right, merge.count) for merge in job.merges]


def test_what_is_no_start_no_training_and_no_language_is_not_found() -> None:
    job = begun(2.0)
    for query in ("-1", "", "1.5", "0x10", "๑", "²", "nan", "1%00", "a"):
        assert watch(job, f"?from={query}").status == 404, query
    for unknown in ("nobody", "..", "%2e%2e", "ก", "<script>", "x" * 5_000):
        answer = watch(unknown)
        assert (answer.status, b"script" in answer.body) == (404, False), unknown
    for language in ("xx", "EN", "ไทย", "%2e%2e"):
        assert watch(job, language=language).status == 404, language
    answer = watch(job, f"?from={'9' * 1_000}")  # a number past the end
    assert (answer.status, answer.json["merges"]) == (200, [])


@pytest.mark.parametrize("language", ["en", "th"])
def test_a_training_that_waits_says_its_place(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainings, "MAX_TRAININGS", 1)
    begun(2.0)
    waiting = registry().start(Training([SMALL], 300), owner="me")
    answer = watch(waiting, language=language).json
    words = filled(catalogue(language)["stage.waiting"], place=1, limit=MAX_TRAININGS)
    assert (answer["state"], answer["says"], answer["merges"]) == ("waiting", words, [])


@pytest.mark.parametrize("language", ["en", "th"])
def test_a_training_says_that_it_counts_anew_before_tokens_cross_spaces(language: str) -> None:
    job = begun(2.0)
    job._take_in({"event": "recounting"})
    assert watch(job, language=language).json["says"] == section("stage", spoken=language)["recounting"]
    job._take_in({"event": "superwords", "after": 0})
    assert watch(job, language=language).json["says"] == ""


class Ending:
    """A training that ends while it is asked: with one merge more each time that its merges are read."""

    pace = None
    merge_goal = 9
    id = "ending"
    served: tuple[int, ...] = ()
    superwords_after = None
    recounts = False
    training = Training(["ab"], 300)

    def __init__(self) -> None:
        self.reads = 0

    ending = None

    @property
    def merges(self) -> list[Merge]:
        self.reads = min(self.reads + 1, 9)
        return [Merge(97, 98, BYTES + n, 1) for n in range(self.reads)]

    @property
    def state(self) -> str:
        return "done" if self.reads else "running"


def test_no_answer_calls_a_training_done_without_its_last_merges() -> None:
    """The browser asks no more after that."""
    answer = serve.answer(Ending(), "en", 0)  # type: ignore[arg-type]
    assert answer["state"] == "running"


# ---- steering


def test_the_owner_pauses_steps_and_continues() -> None:
    job = begun(2.0)
    wait_for_job(job, lambda: job.merges)
    steer(job, "pause")
    wait_for(job, "paused")
    before = len(job.merges)
    assert steer(job, "step")["state"] == "paused"
    wait_for_job(job, lambda: len(job.merges) == before + 1)
    steer(job, "step")
    wait_for_job(job, lambda: len(job.merges) == before + 2)
    assert watch(job).json["state"] == "paused"
    steer(job, "resume")
    wait_for_job(job, lambda: job.state == "running" and len(job.merges) > before + 2)


def test_run_to_the_end_goes_on_at_full_speed_even_after_a_pause() -> None:
    job = begun(0.5, 300, SMALL)
    steer(job, "pause")
    wait_for(job, "paused")
    steer(job, "end")
    wait_for(job, "done")
    assert len(job.merges) == 44
    assert job.pace is None


def test_every_pace_can_be_set_and_is_told() -> None:
    job = begun(0.5)
    for pace in PACES:
        assert steer(job, f"pace-{pace}")["pace"] == pace == watch(job).json["pace"]
        assert job.pace == PACES[pace]


def test_an_unknown_command_is_not_found() -> None:
    job = begun(2.0)
    for command in ("stop", "close", "pace-", "pace-fastest", "__class__", "ก", ""):
        assert commanded(job, f"en/{command}").status == 404, command
    assert job.state == "running"


def test_nobody_steers_without_the_key() -> None:
    job = begun(2.0)
    for key in (job.id, "", "ก", "..", key_of(job)[:-1], f"{key_of(job)}x"):
        assert commanded(job, "en/pause", key).status == 404
    assert Answer(routes(), "/stage/steer/en/pause").status == 405  # a link commands nothing
    assert job.state == "running"


def test_a_request_that_is_not_found_commands_nothing() -> None:
    job = begun(2.0)
    steered: list[str] = []
    job.pause = lambda: steered.append("pause")  # type: ignore[method-assign]
    for path in ("xx/pause", "en/pause?from=-1"):
        assert commanded(job, path).status == 404
    assert steered == []


# ---- on the page


def test_the_key_stands_on_the_owners_page_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    app = start_training(pace="slow")
    job = job_of(app)
    mine = staged(app)
    assert (mine["steer"], mine["key"]) == ("/stage/steer/en", key_of(job))
    monkeypatch.setattr(visitor, "owner", lambda: "somebody else")
    app.run()
    assert WORDS["studio.somebody_elses"] in said(app)
    theirs = staged(app)
    assert (theirs["steer"], theirs["key"]) == (None, "")
    assert key_of(job) not in str(theirs)
    assert theirs["feed"] == mine["feed"]
    assert watch(job).status == 200


def test_every_run_shows_the_pace_of_its_own() -> None:
    app = start_training(pace="slowest")
    slow = job_of(app)
    app.session_state["show_setup"] = True
    app.run()
    app.segmented_control(key="train_pace").set_value("slow").run()
    app.button(key="start").click().run()
    assert watch(job_of(app)).json["pace"] == "slow"
    assert staged(app)["feed"].split("/")[3] == job_of(app).id
    app.button(key=f"open_{slow.id}").click().run()
    assert watch(slow).json["pace"] == "slowest"
    assert staged(app)["feed"].split("/")[3] == slow.id


def test_the_sentence_comes_with_its_pieces_and_letters_in_bytes() -> None:
    app = start_training(size=300)
    wait_until(app, lambda: bool(app.success))
    for text in (*HOSTILE.values(), "", " ", "👍🏽" * 9, "น้ำใจคนไทย"):
        app.session_state[f"studio_sentence_{job_of(app).id}"] = text
        app.run()
        assert not app.exception
        options = staged(app)
        assert options["text"] == text
        assert pieces_of(text, [0, *options["pretokens"]]) == pretokenize(text, "mark_aware")
        assert pieces_of(text, [*options["clusters"], len(text.encode())]) == regex.findall(r"\X", text)


def pieces_of(text: str, places: list[int]) -> list[str]:
    """The stretches of a text between these places in its bytes."""
    utf8 = text.encode()
    return [utf8[start:end].decode() for start, end in zip(places, places[1:], strict=False)]


def test_the_stage_takes_another_sentence_and_no_more_of_it_than_can_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = start_training(size=300)
    assert staged(app)["most"] == MOST_CHARACTERS
    typed = iter(["น้ำ " * 200])
    drawn: list[str] = []

    def component(*, data: bytes, **_: object) -> SimpleNamespace:
        drawn.append(json.loads(data)["text"])
        return SimpleNamespace(sentence=next(typed, None), compare=None, exports=None, train=None)

    monkeypatch.setattr("pages.ui.widgets.player._component", component)
    app.run()
    assert not app.exception
    assert drawn == [WORDS["examples.thai"], ("น้ำ " * 200)[:MOST_CHARACTERS]]
    app.switch_page(str(REPOSITORY / "pages" / "home.py")).run()
    assert app.text_input(key="home_text").value == drawn[-1]


def test_the_end_of_the_show_leads_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    app = start_training(size=300)
    wait_until(app, lambda: job_of(app).ended)

    def component(**_: object) -> SimpleNamespace:
        return SimpleNamespace(sentence=None, compare=True, exports=None, train=None)

    monkeypatch.setattr("pages.ui.widgets.player._component", component)
    app.run()
    assert not app.exception
    assert view(app).names[0] == WORDS["tokenizers.mine"]
    assert app.text_area(key="compare_text").value == WORDS["examples.thai"]


def test_a_text_of_ones_own_is_watched_rather_than_an_example_but_not_than_what_was_typed() -> None:
    app = start_training(corpus="เสือกินปลา ปลากินมด\n" * 20)
    for typed, watched in ((catalogue("en")["examples.special"], "เสือกินปลา ปลากินมด"), ("ข้าวผัด", "ข้าวผัด")):
        app.session_state["home_text"] = typed
        app.run()
        assert app.session_state["watched_sentence"] == watched


def test_compare_shows_the_sentence_that_was_watched_last(monkeypatch: pytest.MonkeyPatch) -> None:
    app = start_training(size=300)
    compare, train = (str(REPOSITORY / "pages" / f"{name}.py") for name in ("compare", "train"))

    def box() -> str | None:
        return app.text_area(key="compare_text").value

    app.switch_page(compare).run()
    assert box() == WORDS["examples.thai"]
    asked: list[dict[str, Any]] = []

    def component(**_: object) -> SimpleNamespace:
        nothing = {"sentence": None, "compare": None, "exports": None, "train": None}
        return SimpleNamespace(**nothing | (asked.pop() if asked else {}))

    monkeypatch.setattr("pages.ui.widgets.player._component", component)
    for page, wish in ((train, {"sentence": "ปลาทู"}), (compare, {})):
        asked[:] = [wish] if wish else []
        app.switch_page(page).run()
    assert box() == "ปลาทู"
    app.session_state["home_text"] = "ข้าวผัด"  # typed on Home since then
    asked.append({"compare": True})
    app.switch_page(train).run()
    assert box() == "ปลาทู"  # that of the show which leads there


def test_the_end_of_the_show_leads_to_the_settings_of_a_larger_training(monkeypatch: pytest.MonkeyPatch) -> None:
    app = start_training(size=300)
    wait_until(app, lambda: job_of(app).ended)
    asked = iter([True])

    def component(**_: object) -> SimpleNamespace:
        return SimpleNamespace(sentence=None, compare=None, exports=None, train=next(asked, None))

    monkeypatch.setattr("pages.ui.widgets.player._component", component)
    app.run()
    assert not app.exception
    assert app.number_input(key="train_size").value == 600
    assert app.button(key="start")


def test_the_end_of_the_show_leads_to_the_exports(monkeypatch: pytest.MonkeyPatch) -> None:
    app = start_training(size=300)
    wait_until(app, lambda: job_of(app).ended)
    asked = iter([True])

    def component(**_: object) -> SimpleNamespace:
        return SimpleNamespace(sentence=None, compare=None, exports=next(asked, None), train=None)

    monkeypatch.setattr("pages.ui.widgets.player._component", component)
    app.run()
    assert not app.exception
    (fold,) = (each for each in app.expander if each.label == WORDS["exports.title"])
    assert fold.proto.expanded
    assert any("into_view" in each.proto.component_name for each in app.get("bidi_component"))


# ---- the stage in a talk of the visitor's own


def test_a_training_has_in_the_talk_what_it_learned_after_the_page_was_drawn() -> None:
    app = start_training(corpus="aa ab ba bb " * 50, size=262)
    assert not app.button(key="add_stage").disabled
    job = job_of(app)
    wait_for_job(job, lambda: job.ended)
    app.button(key="add_stage").click().run()
    (entry,) = app.session_state["my_talk"]
    assert len(entry.learned.merges) == len(job.merges) > 0


def test_a_training_that_has_learned_nothing_is_not_put_into_the_talk() -> None:
    def page() -> None:
        from types import SimpleNamespace
        from typing import Any

        from pages.ui.widgets.slides.talk import Entry, add_button

        for ended in (False, True):
            job: Any = SimpleNamespace(merges=[], learned=0, ended=ended, superwords_after=None)
            add_button(Entry(text="a"), key=f"add_{ended}", job=job)

    app = AppTest.from_function(page, default_timeout=PATIENCE).run()
    assert app.button(key="add_True").disabled
    app.button(key="add_False").click().run()
    assert [toast.value for toast in app.toast] == [WORDS["talk.nothing_learned"]]
    assert "my_talk" not in app.session_state or not app.session_state["my_talk"]
