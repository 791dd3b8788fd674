"""Serves what the stage asks for while it plays: new merges, and the commands of its bar.

The browser asks for itself, so that nothing on the page is drawn anew while a training runs."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from pages.ui.i18n import LANGUAGES, filled, names, section
from pages.ui.limits import MAX_TRAININGS
from pages.ui.run_registry.registry import registry
from pages.ui.widgets.token_view.serve import bundle, page_alone, view_css
from tokenizer_core.workers.training_job import Job
from tokenizer_core.workers.training_settings import Pace

PACES: dict[str, Pace] = {
    "gathering": "gathering",
    "slowest": 0.5,
    "slow": 2.0,
    "steady": 20.0,
    "fast": 200.0,
    "full": None,
}
DEFAULT_PACE = "gathering"


def pace_called(pace: str) -> str:
    """Return the name of a pace."""
    return names("stage.pace_{}", PACES)(pace)


def pace_of(wanted: Pace, otherwise: str) -> str:
    """Return the name of this pace, or `otherwise` if there is none.

    >>> pace_of(None, "steady"), pace_of(2.0, "steady"), pace_of(3.0, "steady")
    ('full', 'slow', 'steady')
    """
    return next((name for name, pace in PACES.items() if pace == wanted), otherwise)


BROWSER = Path(__file__).parent / "browser"
PATH = "/stage"
MOST_AT_ONCE = 20_000
"""Merges in one answer; the browser asks again at once."""
SHOWN_BYTES = 5_000_000
"""The page shows how far counting is for texts of at least this many bytes; shorter ones take under a second."""
CLICK_WAIT = 0.2
"""Seconds that a command waits for its effect, so that a step shows at once."""
KEY_HEADER = "X-Steering-Key"
"""Carries the key that controls a training: servers in front of the app log addresses, but no headers."""
_UNSAVED = {"Cache-Control": "no-store"}


def stage_css() -> str:
    """Return the CSS of the stage, that of the token view first."""
    return view_css() + (BROWSER / "stage.css").read_text("utf-8")


def page_to_take_away() -> str:
    """Return the stage as one file that needs nothing else, with marks for the training that it plays."""
    return page_alone(stage_css(), bundle(BROWSER / "replay.js"))


def address(*parts: str) -> str:
    """Return an address of the stage."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return "/".join([f"{'/' + base if base else ''}{PATH}", *parts])


def answer(job: Job, spoken: str, first: int) -> dict[str, object]:
    """Return the state of a training, and its merges after the first ones, as left, right and count in a row."""
    state = job.state  # before the merges: after the end of a training, the browser asks no more
    learned = len(job.merges)
    news = job.merges[max(0, first) : max(0, first) + MOST_AT_ONCE]
    return {
        "state": state,
        "says": _says(job, section("stage", spoken=spoken)),
        "pace": pace_of(job.pace, "full"),
        "learned": learned,
        "goal": job.merge_goal,
        "ran_out": job.ending == "pairs" and learned < job.merge_goal,
        "least": job.training.stop.min_count,
        "merges": [number for merge in news for number in (merge.left, merge.right, merge.count)],
        "served": job.served[max(0, first) :][: len(news)],
        "superwords_after": job.superwords_after,  # after the merges: they cross spaces only once it is known
    }


def _says(job: Job, words: Mapping[str, str]) -> str:
    """Say what a training is doing while no merges come."""
    place = registry().place(job)
    if place is not None:
        return filled(words["waiting"], place=place, limit=MAX_TRAININGS)
    if job.state == "counting" and job.counting.size >= SHOWN_BYTES and job.counting.seconds:
        done, size, seconds = job.counting
        rate = f"{done / 1e6 / seconds:,.0f}"
        return filled(
            words["counting_share"], share=f"{done / size:.0%}", megabytes=f"{size / 1e6:,.0f}", rate=rate
        )
    if job.state == "counting" and job.training.counts is not None:
        return words["reading_counts"]
    if job.recounts and not job.ended:
        return words["recounting"]
    return words[job.state] if job.state in ("starting", "counting") else ""


def _news(request: Request) -> Response:
    """Answer with the merges after those that the browser has."""
    job = registry().get(request.path_params["job"])
    return _response(job, request) if job else Response(status_code=404)


def _command(request: Request) -> Response:
    """Carry out a command of the owner, and answer as `_news` does."""
    job = registry().steered(request.headers.get(KEY_HEADER, ""))
    action = _actions(job).get(request.path_params["command"]) if job else None
    if job is None or action is None or _start(request) is None:
        return Response(status_code=404)
    before, learned = job.state, len(job.merges)
    action()
    job.wait(CLICK_WAIT, lambda: job.state != before or len(job.merges) > learned)
    return _response(job, request)


def _actions(job: Job) -> dict[str, Callable[[], None]]:
    paces = {f"pace-{name}": partial(job.set_pace, pace) for name, pace in PACES.items()}
    return {
        "pause": job.pause,
        "resume": partial(registry().resume, job),
        "step": partial(job.step, 1),
        "end": partial(_run_to_the_end, job),
        **paces,
    }


def _run_to_the_end(job: Job) -> None:
    """Run at full speed from now on, even after a pause."""
    job.set_pace(None)
    registry().resume(job)


def _response(job: Job, request: Request) -> Response:
    first = _start(request)
    if first is None:
        return Response(status_code=404)
    return JSONResponse(answer(job, request.path_params["language"], first), headers=_UNSAVED)


def _start(request: Request) -> int | None:
    """Return how many merges the browser has; None for a request that no page of ours makes."""
    first = request.query_params.get("from", "0")
    is_ours = request.path_params["language"] in LANGUAGES and first.isascii() and first.isdigit()
    return int(first[:12]) if is_ours else None


def routes() -> list[Route]:
    """Return the routes that serve the stage."""
    return [
        Route(address("replay.html"), lambda request: HTMLResponse(page_to_take_away())),
        Route(address("watch", "{job}", "{language}"), _news),
        Route(address("steer", "{language}", "{command}"), _command, methods=["POST"]),
    ]
