"""A room votes: phones choose the next pair of a training, and the slide merges the winner.

Phones are strangers. Of a request, only its address and the visitor's cookie are read; one number is kept for each
browser and round; and nothing else of it is ever shown.
"""

import html
import json
import re
import secrets
import time
from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import Any
from urllib.parse import urljoin

import streamlit as st
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from pages.ui.frame.cookie_and_headers import secret_in, secret_of_cookie
from pages.ui.frame.visitor import owner
from pages.ui.i18n import LANGUAGES, section, translations
from pages.ui.limits import IS_PUBLIC
from pages.ui.widgets.colours import palette_css
from pages.ui.widgets.player.serve import KEY_HEADER
from pages.ui.widgets.slides import BROWSER, Slide, View, reachable, squares_of
from pages.ui.widgets.slides.contest import CHOICES, ROUNDS, SENTENCE, Contest, Runner
from pages.ui.widgets.token_view.chips import plain_token
from pages.ui.widgets.token_view.payload import tint

PATH = "/vote"
MOST_POLLS = 1_000
MOST_CONTESTS = 32
"""Votes on a screen at once; each needs 8 MB."""
MOST_BROWSERS = 500
"""Browsers that are counted in a round."""
OPEN_SECONDS = 3_600.0
"""A vote ends so long after its contest began."""
UNWATCHED_SECONDS = 150.0
"""A vote is shut when its slide has not asked for so long; browsers let a hidden page ask once a minute."""
RETURN_SECONDS = 60.0
"""After that, whoever opens the slide again has another room."""
_CHOICES = tuple(map(str, range(CHOICES)))
_UNSAVED = {"Cache-Control": "no-store"}
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Letters and digits that nobody confuses when they type an address."""


def _new_name() -> str:
    """Return a name of 79 bits, which nobody can guess; or of 40, typed faster, where only a class could try."""
    return "".join(secrets.choice(_LETTERS) for _ in range(16 if IS_PUBLIC else 8))


class Poll:
    """The vote of one presenter: its contest, and the choices of the present round.

    One thread at a time changes its contest. What phones ask for is ready by then, so none of them waits.
    """

    def __init__(self) -> None:
        self.name = _new_name()
        """Whoever knows it can vote."""
        self.key = secrets.token_urlsafe(32)
        """Whoever knows it presents."""
        self.watched = time.monotonic()
        """When the presenter's page last asked."""
        self.rounds = ROUNDS
        """Of the next contest."""
        self._is_on_screen = False
        self._contest: Contest | None = None
        self._began = 0.0
        self._shown: dict[str, Any] = {"round": -1, "rounds": ROUNDS, "pairs": []}
        self._whys: list[str] = []
        """How the room's pair was chosen in each round."""
        self._votes: dict[str, int] = {}
        self._takes_votes = False
        self._changing = Lock()
        self._counting = Lock()

    @property
    def is_open(self) -> bool:
        """Whether its slide is on a screen, and its hour has not passed."""
        return self._is_on_screen and time.monotonic() - self.watched < UNWATCHED_SECONDS and not self._is_old

    @property
    def _is_old(self) -> bool:
        return time.monotonic() - self._began > OPEN_SECONDS

    @property
    def has_contest(self) -> bool:
        return self._is_on_screen or self._contest is not None

    # ---- the presenter

    def open(self) -> None:
        """Take votes from now on; continue the contest if its slide was left a moment ago, else begin another."""
        was_left, self.watched = time.monotonic() - self.watched > RETURN_SECONDS, time.monotonic()
        self._is_on_screen = True
        if self._contest is None or self._contest.rounds != self.rounds or self._is_old or was_left:
            self.begin()

    def shut(self) -> None:
        """Take no votes any more."""
        self._is_on_screen = False

    def rest(self) -> None:
        """Free the contest of a slide that nobody watches any more."""
        with self._changing:
            if time.monotonic() - self.watched > UNWATCHED_SECONDS:
                self._is_on_screen, self._contest = False, None

    def begin(self) -> None:
        """Start a contest."""
        with self._changing:
            self._contest, self._began, self._whys = Contest(self.rounds), time.monotonic(), []
            self._show()

    def end(self) -> None:
        """End the contest before its last round; the votes of the present round are dropped."""
        with self._changing:
            if self._contest is not None:
                self._contest.has_stopped = True
                self._show()

    def close_round(self, number: str, choice: str | None = None) -> None:
        """Merge the presenter's choice or else the winner of this round, and begin the next; once for each round.

        A tie goes to the pair that BPE ranks higher, as does a round without votes.
        """
        with self._changing:
            contest = self._contest
            if contest is None or contest.is_over or number != str(contest.round):
                return
            with self._counting:
                self._takes_votes = False
                votes = self._counted()
            most = max(votes)
            if choice in _CHOICES:
                winner, why = _CHOICES.index(choice), "clicked"
            else:
                winner = votes.index(most)
                why = "none" if not most else "tie" if votes.count(most) > 1 else "votes"
            contest.join(winner)
            self._whys.append(why)
            self._show()

    def take_back(self) -> None:
        """Undo the end, or else the last round, as after a slip of the presenter's finger."""
        with self._changing:
            contest = self._contest
            if contest is None or not (contest.has_stopped or contest.choices):
                return
            if contest.has_stopped:
                contest.has_stopped = False
            else:
                self._contest = contest.without_last()
                self._whys.pop()
            self._show()

    def _show(self) -> None:
        """Make ready what is shown of the present round, and count its votes from zero."""
        contest = self._contest
        assert contest is not None
        pairs = [
            {"parts": [_chip(left), _chip(right)], "made": _chip(left + right), "count": pair.count}
            for pair in contest.room.candidates()
            for left, right in [contest.room.parts_of(pair)]
        ]
        shown = {
            "round": contest.round,
            "rounds": contest.rounds,
            "isOver": contest.is_over,
            "pairs": [] if contest.is_over else pairs,
            "runners": [_runner(contest.room), _runner(contest.bpe)],
        }
        with self._counting:
            self._shown, self._votes, self._takes_votes = shown, {}, not contest.is_over

    def _counted(self) -> list[int]:
        chosen = list(self._votes.values())
        return [chosen.count(choice) for choice in range(CHOICES)]

    def for_slide(self) -> dict[str, Any]:
        """Return all that the slide shows."""
        with self._counting:
            return {**self._shown, "isOpen": self.is_open, "votes": self._counted(), "whys": [*self._whys]}

    # ---- the phones

    def vote(self, browser: str, number: str, choice: str) -> bool:
        """Count a browser's last choice in this round; return False if no more browsers can be counted."""
        with self._counting:
            takes = self.is_open and self._takes_votes and number == str(self._shown["round"])
            if not takes or choice not in _CHOICES:
                return True
            if browser not in self._votes and len(self._votes) >= MOST_BROWSERS:
                return False
            self._votes[browser] = _CHOICES.index(choice)
            return True

    def for_phone(self, browser: str | None) -> dict[str, Any]:
        """Return what a phone shows."""
        with self._counting:
            is_open = self.is_open and self._takes_votes
            found = {name: self._shown[name] for name in ("round", "rounds", "pairs")}
            return {**found, "isOpen": is_open, "chosen": self._votes.get(browser or "")}


def _chip(token: bytes) -> dict[str, Any]:
    return {"text": plain_token(token), "tint": tint(token)}


def _runner(runner: Runner) -> dict[str, Any]:
    return {
        "ends": runner.ends,
        "inSentence": runner.in_sentence,
        "inText": runner.in_text[-1],
        "chosen": list(map(_chip, runner.chosen)),
    }


class Polls:
    """The votes of all presenters: one for each browser, so that a reload finds it again."""

    def __init__(self) -> None:
        self._polls: dict[str, Poll] = {}
        self._lock = Lock()
        self._opening = Lock()

    def of(self, presenter: str) -> Poll:
        """Return a presenter's vote; a new one may take the place of the one unwatched for longest."""
        with self._lock:
            if presenter not in self._polls:
                if len(self._polls) >= MOST_POLLS:
                    shut = [each for each, poll in self._polls.items() if not poll.has_contest]
                    del self._polls[min(shut, key=lambda each: self._polls[each].watched)]
                self._polls[presenter] = Poll()
            return self._polls[presenter]

    def open(self, poll: Poll) -> bool:
        """Let a vote begin or continue; return False while too many others do."""
        with self._opening:
            others = [each for each in self._known() if each.has_contest and each is not poll]
            if len(others) < MOST_CONTESTS:
                poll.open()
            return len(others) < MOST_CONTESTS

    def named(self, name: str) -> Poll | None:
        """Return the vote that a phone asks for, or None if there is none."""
        return self._first("name", name)

    def steered(self, key: str) -> Poll | None:
        """Return the vote whose presenter has this key, or None if nobody has."""
        return self._first("key", key)

    def _first(self, what: str, value: str) -> Poll | None:
        return next((poll for poll in self._known() if getattr(poll, what) == value), None)

    def _known(self) -> list[Poll]:
        with self._lock:
            return list(self._polls.values())

    def free_unwatched(self) -> None:
        """Free what slides that nobody watches have left behind."""
        for poll in self._known():
            poll.rest()


@cache
def polls() -> Polls:
    """Return the votes of this app."""
    return Polls()


def vote_slide(rounds: int = ROUNDS) -> Slide:
    """Return the slide on which the room votes."""
    title, notes = translations("vote.ask"), translations("talk.vote_notes", rounds=rounds)
    poll = polls().of(secret_of_cookie() or owner())  # on its own machine the app has one owner
    poll.rounds = rounds
    here, page = reachable(st.context.url or ""), address(poll.name)
    link = urljoin(here, page) if here else ""
    vote = {"key": poll.key, "steer": address("steer"), "page": page}
    shown = vote | {"link": link, "code": squares_of(link)}
    return Slide("vote", title=title, notes=notes, views=[View(SENTENCE)], vote=shown)


# ---- what browsers ask for


def address(*parts: str) -> str:
    """Return an address of the votes."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return "/".join([f"{'/' + base if base else ''}{PATH}", *parts])


def _steer(request: Request) -> Response:
    """Carry out a command of the presenter, and answer with what the slide shows."""
    poll = polls().steered(request.headers.get(KEY_HEADER, ""))
    command, query = request.path_params["command"], request.query_params
    if poll is None:
        return Response(status_code=404)
    if command == "open":
        return _state(poll) if polls().open(poll) else Response(status_code=503)
    acts: dict[str, Callable[[], None]] = {
        "watch": lambda: None,
        "shut": poll.shut,
        "again": poll.begin,
        "end": poll.end,
        "back": poll.take_back,
        "join": lambda: poll.close_round(query.get("round", ""), query.get("choice")),
    }
    if command not in acts:
        return Response(status_code=404)
    acts[command]()
    return _state(poll)


def _state(poll: Poll) -> Response:
    poll.watched = time.monotonic()
    return JSONResponse(poll.for_slide(), headers=_UNSAVED)


async def _phone(request: Request) -> Response:
    """Answer with the page for phones, in the phone's language."""
    poll = polls().named(request.path_params["name"])
    wanted = request.headers.get("accept-language", "")[:200].lower().split(",")
    spoken = next((each.strip()[:2] for each in wanted if each.strip()[:2] in LANGUAGES), "en")
    words = section("vote", spoken=spoken) | {"round": section("deck", spoken=spoken)["vote_round"]}
    marks = {
        "LANGUAGE": spoken,
        "TITLE": words["title"],
        "SENTENCE": SENTENCE,
        "WORDS": html.escape(json.dumps(words, ensure_ascii=False)),
        "SCRIPT": address("phone.js"),
        "PALETTE": palette_css().replace(".token-view", "body"),
    }
    page = re.sub(r"%([A-Z]+)%", lambda mark: marks[mark[1]], (BROWSER / "phone.html").read_text("utf-8"))
    return HTMLResponse(page, status_code=200 if poll else 404, headers=_UNSAVED)


async def _now(request: Request) -> Response:
    """Answer a phone that asks what there is to choose, or one that chooses."""
    poll = polls().named(request.path_params["name"])
    if poll is None:
        return Response(status_code=404)
    browser, number, choice = secret_in(request.cookies), *map(request.path_params.get, ("round", "choice"))
    if number is not None and choice is not None:
        if browser is None:
            return Response(status_code=403)
        if not poll.vote(browser, number, choice):
            return Response(status_code=429)
    return JSONResponse(poll.for_phone(browser), headers=_UNSAVED)


def routes() -> list[Route]:
    """Return the routes of the votes; the first ones are found first."""
    return [
        Route(address("steer", "{command}"), _steer, methods=["POST"]),
        Route(address("phone.js"), lambda request: FileResponse(BROWSER / "phone.js", headers=_UNSAVED)),
        Route(address("{name}", "now"), _now),
        Route(address("{name}", "{round}", "{choice}"), _now, methods=["POST"]),
        Route(address("{name}"), _phone),
    ]
