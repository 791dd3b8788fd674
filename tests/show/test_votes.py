"""The vote of a room: each browser is counted once a round, the winner is merged, and strangers get nowhere."""

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from pages.ui.frame.cookie_and_headers import COOKIE
from pages.ui.i18n import catalogue
from pages.ui.inputs.corpus import SAMPLES, sample_text
from pages.ui.widgets.player.serve import KEY_HEADER
from pages.ui.widgets.slides import votes
from pages.ui.widgets.slides.contest import (
    CHOICES,
    FEWER_ROUNDS,
    FEWEST_ROUNDS,
    ROUNDS,
    SENTENCE,
    Contest,
    _letters,
)
from pages.ui.widgets.slides.votes import MOST_BROWSERS, MOST_CONTESTS, MOST_POLLS, Poll, Polls, routes
from tests.helpers.app import deck_on, open_link
from tests.helpers.routes import Answer
from tokenizer_core.bpe.segments import segments
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.trainer import Trainer
from tokenizer_core.readers.mixing import held_out

PHONES = 50


class Unread(Answer):
    """A request whose body nobody may read."""

    async def _receive(self) -> dict[str, Any]:
        raise AssertionError("the body was read")


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The time of all votes."""
    clock = Clock()
    monkeypatch.setattr(votes, "time", SimpleNamespace(monotonic=clock.monotonic))
    return clock


@pytest.fixture
def poll(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Poll:
    """A vote whose slide is on the screen."""
    known = Polls()
    monkeypatch.setattr(votes, "polls", lambda: known)
    poll = known.of("presenter")
    steer(poll, "open")
    return poll


def steer(poll: Poll, command: str) -> Any:
    answer = Unread(routes(), f"/vote/steer/{command}", "POST", {KEY_HEADER: poll.key})
    assert answer.status == 200
    assert answer.headers["cache-control"] == "no-store"
    return answer.json


def join(poll: Poll) -> Any:
    return steer(poll, f"join?round={steer(poll, 'watch')['round']}")


def vote(poll: Poll, browser: int, choice: int | str, number: int | str = 0) -> Answer:
    cookie = {"cookie": f"{COOKIE}={browser:043}"}
    return Unread(routes(), f"/vote/{poll.name}/{number}/{choice}", "POST", cookie)


# ---- counting


def test_fifty_phones_at_once_are_counted_once_each_with_the_last_choice(poll: Poll) -> None:
    wanted = [browser % 3 for browser in range(PHONES)]
    with ThreadPoolExecutor(PHONES) as phones:
        list(phones.map(lambda browser: vote(poll, browser, 3), range(PHONES)))  # a slip of each thumb
        answers = list(phones.map(lambda browser: vote(poll, browser, wanted[browser]), range(PHONES)))
    assert [answer.json["chosen"] for answer in answers] == wanted
    before = steer(poll, "watch")
    assert before["votes"] == [17, 17, 16, 0]
    after = join(poll)
    assert after["round"] == 1
    assert after["votes"] == [0] * CHOICES
    assert after["runners"][0]["chosen"] == [before["pairs"][0]["made"]]
    assert vote(poll, 1, 2, 0).json == {**vote(poll, 1, 2, 0).json, "round": 1, "chosen": None}  # too late
    assert steer(poll, "watch")["votes"] == [0] * CHOICES
    assert vote(poll, 1, 2, 1).json["chosen"] == 2


@pytest.mark.parametrize(
    ("chosen", "winner", "why"),
    [((2, 2, 1), 2, "votes"), ((3, 1, 3, 1), 1, "tie"), ((), 0, "none"), ((3, 2, 1, 0), 0, "tie")],
)
def test_the_winner_is_merged_and_a_tie_goes_to_the_pair_that_bpe_ranks_higher(
    poll: Poll, chosen: tuple[int, ...], winner: int, why: str
) -> None:
    pairs = steer(poll, "watch")["pairs"]
    for browser, choice in enumerate(chosen):
        vote(poll, browser, choice)
    after = join(poll)
    assert after["whys"] == [why]
    assert after["runners"][0]["chosen"] == [pairs[winner]["made"]]
    assert after["runners"][1]["chosen"] == [pairs[0]["made"]]


def test_a_click_of_the_presenter_decides_and_a_round_is_closed_once(poll: Poll) -> None:
    pairs = steer(poll, "watch")["pairs"]
    vote(poll, 1, 1)
    after = steer(poll, "join?round=0&choice=2")
    assert (after["runners"][0]["chosen"], after["whys"]) == ([pairs[2]["made"]], ["clicked"])
    for query in ("round=0", "round=0&choice=1", "round=x", "choice=1", ""):
        assert steer(poll, f"join?{query}")["round"] == 1


def test_a_slip_of_the_presenter_is_taken_back(poll: Poll) -> None:
    begun = steer(poll, "back")
    assert begun["round"] == 0  # there is nothing to take back
    first = steer(poll, "join?round=0&choice=1")
    assert steer(poll, "join?round=1&choice=3")["round"] == 2
    assert steer(poll, "back") == first  # the screen says again how the round before was chosen
    assert steer(poll, "end")["isOver"]
    again = steer(poll, "back")
    assert (again["isOver"], again["round"]) == (False, 1)
    assert again["pairs"] == first["pairs"]


def test_the_last_round_or_the_presenter_ends_it_and_another_one_begins(poll: Poll) -> None:
    for played in range(1, ROUNDS + 1):
        assert join(poll)["round"] == played
    over = join(poll)
    assert (over["isOver"], over["round"], over["pairs"]) == (True, ROUNDS, [])
    assert not vote(poll, 1, 1, ROUNDS).json["isOpen"]
    again = steer(poll, "again")
    assert (again["isOver"], again["round"], again["whys"]) == (False, 0, [])
    join(poll)
    ended = steer(poll, "end")
    assert (ended["isOver"], ended["round"]) == (True, 1)


def test_another_talk_has_a_contest_of_its_own_rounds(poll: Poll) -> None:
    join(poll)
    poll.rounds = FEWER_ROUNDS
    begun = steer(poll, "open")
    assert (begun["round"], begun["rounds"]) == (0, FEWER_ROUNDS)
    for _ in range(FEWER_ROUNDS):
        join(poll)
    assert steer(poll, "open")["isOver"]
    assert not steer(poll, "back")["isOver"]
    assert join(poll)["isOver"]


def test_it_is_shut_when_its_slide_is_left_and_continues_if_that_comes_back_at_once(
    poll: Poll, clock: Clock
) -> None:
    join(poll)
    steer(poll, "shut")
    answer = vote(poll, 1, 1, 1).json
    assert (answer["isOpen"], answer["chosen"]) == (False, None)
    clock.now += votes.RETURN_SECONDS
    assert steer(poll, "open")["round"] == 1
    assert vote(poll, 1, 1, 1).json["chosen"] == 1
    steer(poll, "shut")
    clock.now += votes.RETURN_SECONDS + 1
    assert steer(poll, "open")["round"] == 0


def test_it_is_shut_when_nobody_watches_its_slide_and_after_an_hour(poll: Poll, clock: Clock) -> None:
    clock.now += votes.UNWATCHED_SECONDS
    assert not vote(poll, 1, 1).json["isOpen"]
    assert steer(poll, "watch")["isOpen"]  # a laptop slept
    assert vote(poll, 1, 1).json["isOpen"]
    clock.now += votes.UNWATCHED_SECONDS
    votes.polls().free_unwatched()
    assert steer(poll, "watch")["isOpen"]
    clock.now += votes.UNWATCHED_SECONDS + 1
    votes.polls().free_unwatched()
    assert not steer(poll, "watch")["isOpen"]
    assert steer(poll, "open")["isOpen"]
    clock.now += votes.OPEN_SECONDS + 1
    assert not steer(poll, "watch")["isOpen"]
    assert not vote(poll, 2, 1).json["isOpen"]


# ---- strangers


def test_what_is_not_known_is_not_found_and_nothing_of_a_request_is_shown(poll: Poll) -> None:
    hostile = "<script>alert(1)</script>"
    for path, method in (("/now", "GET"), ("/0/1", "POST")):
        assert Unread(routes(), f"/vote/aaaaaaaa{path}", method).status == 404
    gone = Unread(routes(), f"/vote/{hostile.replace('/', '')}", headers={"accept-language": hostile})
    assert gone.status == 404
    assert b"alert" not in gone.body
    for key in ("", poll.name, "k" * 43):
        assert Unread(routes(), "/vote/steer/open", "POST", {KEY_HEADER: key}).status == 404
    assert Unread(routes(), "/vote/steer/delete", "POST", {KEY_HEADER: poll.key}).status == 404
    for number, choice in ((0, 4), (0, -1), (0, "9" * 9_000), ("9" * 9_000, 0), (0, "๒"), (0, hostile[1:9])):
        assert vote(poll, 1, choice, number).json["chosen"] is None
    for cookie in ("", f"{COOKIE}=short", f"{COOKIE}={'ก' * 43}"):
        headers = {"cookie": cookie} if cookie else {}
        assert Unread(routes(), f"/vote/{poll.name}/0/1", "POST", headers).status == 403
    assert steer(poll, "watch")["votes"] == [0] * CHOICES


def test_floods_are_bounded(poll: Poll, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    for browser in range(MOST_BROWSERS):
        poll.vote(str(browser), "0", "1")
        poll.vote(str(browser), "0", "0")
    assert vote(poll, 1_000, 1).status == 429
    assert steer(poll, "watch")["votes"] == [MOST_BROWSERS, 0, 0, 0]

    monkeypatch.setattr(Poll, "begin", lambda poll: setattr(poll, "_began", clock.now))
    known = votes.polls()
    made = [known.of(str(presenter)) for presenter in range(MOST_POLLS - 1)]
    for each in made[: MOST_CONTESTS - 1]:
        assert known.open(each)
    assert not known.open(made[-1])
    late = Unread(routes(), "/vote/steer/open", "POST", {KEY_HEADER: made[-1].key})
    assert late.status == 503
    made[3].shut()
    clock.now += votes.UNWATCHED_SECONDS + 1
    known.free_unwatched()
    assert known.open(made[-1])
    for presenter in range(MOST_POLLS):  # they take the place of others, but not of one on a screen
        known.of(f"new {presenter}")
    assert known.named(made[-1].name) is made[-1]
    assert known.named(made[5].name) is None


@pytest.mark.parametrize("is_public", [False, True])
def test_names_cannot_be_guessed_and_keys_even_less(is_public: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(votes, "IS_PUBLIC", is_public)
    polls = [Poll() for _ in range(100)]
    assert len({poll.name for poll in polls} | {poll.key for poll in polls}) == 200
    assert {len(poll.name) for poll in polls} == {16 if is_public else 8}
    assert all(len(poll.key) > 40 for poll in polls)


def test_each_presenter_has_one_and_only_who_presents_can_steer_it() -> None:
    (slide,) = (deck_on(open_link("stories", present="vote", lang="en")) or {})["slides"]
    assert slide["kind"] == "vote"
    assert slide["views"][0]["text"] == SENTENCE
    poll = votes.polls().steered(slide["vote"]["key"])
    assert poll is not None
    assert slide["vote"]["page"] == f"/vote/{poll.name}"
    assert poll.key not in str(poll.for_phone(None))
    assert poll.key not in str(poll.for_slide())


@pytest.mark.parametrize(
    ("wanted", "language"),
    [("th-TH,th;q=0.9,en;q=0.8", "th"), ("de, en;q=0.5, th;q=0.3", "en"), ("", "en"), ("," * 300 + "th", "en")],
)
def test_the_page_speaks_the_language_of_the_phone(poll: Poll, wanted: str, language: str) -> None:
    page = Unread(routes(), f"/vote/{poll.name}", headers={"accept-language": wanted} if wanted else {})
    assert page.status == 200
    text = page.body.decode()
    assert f'<html lang="{language}">' in text
    assert f"<title>{catalogue(language)['vote.title']}</title>".replace("\u200b", "") in text.replace(
        "\u200b", ""
    )
    assert "%" not in text.replace("100%", "")
    assert "://" not in text


# ---- the contest


def test_each_letter_is_a_token_at_first() -> None:
    contest = Contest()
    letters = [len(segment.text.encode()) for segment in segments(SENTENCE, Tokenizer([]))]
    ends = [sum(letters[: place + 1]) for place in range(len(letters))]
    assert contest.room.ends == contest.bpe.ends == ends


@pytest.mark.parametrize("choices", [[0] * ROUNDS, [3] * ROUNDS, [1, 0, 3, 2, 1, 1, 0, 2]])
def test_both_learn_as_a_trainer_does_that_is_told_the_same_merges(choices: list[int]) -> None:
    contest = Contest()
    counts, letters = _letters()
    plain = Trainer(counts, 10_000)
    for letter in letters:
        plain.join(*letter)
    merges = list(letters)
    for choice in choices:
        pair = plain.candidates(CHOICES)[choice]
        assert contest.room.candidates()[choice] == pair
        contest.join(choice)
        plain.join(pair.left, pair.right)
        merges.append((pair.left, pair.right))
        tokens = Tokenizer(merges, pattern="mark_aware").encode(SENTENCE)
        assert contest.room.in_sentence[-1] == len(tokens)
        assert contest.room.in_text[-1] == plain.token_count
    assert contest.is_over
    assert contest.bpe.in_text[-1] <= contest.room.in_text[-1]
    if not any(choices):
        assert contest.room.chosen == contest.bpe.chosen


@pytest.mark.parametrize("rounds", [FEWEST_ROUNDS, FEWER_ROUNDS, ROUNDS])
def test_a_room_that_looks_at_the_sentence_beats_bpe_and_one_that_does_not_loses(rounds: int) -> None:
    assert SENTENCE in held_out(sample_text(SAMPLES["th"][0]).splitlines())[1]
    ahead = []
    for best in (max, min):
        contest = Contest(rounds)
        while not contest.is_over:
            pairs = contest.room.candidates()
            found = [SENTENCE.count(b"".join(contest.room.parts_of(pair)).decode()) for pair in pairs]
            contest.join(found.index(best(found)))
        ahead.append(contest.bpe.in_sentence[-1] - contest.room.in_sentence[-1])
    assert ahead[0] > 0 > ahead[1]
