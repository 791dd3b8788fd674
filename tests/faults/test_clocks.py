"""A clock that is years ahead or behind, and comes back: no tokenizer is deleted, and runs are still kept."""

import os
import time
from pathlib import Path

import pytest

from pages.ui.limits import LIBRARY_DAYS
from pages.ui.train.kept_rows import dated
from pages.ui.trainings.keeping import LOCAL, Keeper, Run
from tests.helpers.jobs import SMALL
from tokenizer_core.jobs import library_clock
from tokenizer_core.jobs.entry import Entry
from tokenizer_core.jobs.job import Job
from tokenizer_core.jobs.library import CLOCK, SEEN, Library, Quota
from tokenizer_core.jobs.training import Training

QUOTA = Quota(100, 2**24)
HOUR, DAY, YEAR = 3_600.0, 86_400.0, 365 * 86_400.0
LIFE = LIBRARY_DAYS * DAY


class Server:
    """A machine that runs an app with this library, and both its clocks."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.wall, self.steady = 1.8e9, 5_000.0
        monkeypatch.setattr(library_clock, "time", self)
        self.restart()

    def time(self) -> float:
        return self.wall

    def monotonic(self) -> float:
        return self.steady

    def restart(self, after: float = 0.0) -> None:
        """Start the app anew, after this many seconds."""
        self.wall += after
        self.steady = 5_000.0 if after else self.steady
        self.library = Library(self.root, QUOTA)

    def keep(self, *owners: str) -> None:
        entry = Entry("some-entry", "", 1.0, 2.0, 257, "none", None, "mine.model")
        for owner in owners:
            self.library.keep_files(owner, entry, [b"content"])
            self.visited(owner)

    def visited(self, owner: str) -> None:
        """What the page does when somebody opens it."""
        self.library.visit(owner)
        self.library.forget_owners(LIFE, but=LOCAL)

    def passes(self, seconds: float, *here: str) -> None:
        """Let time pass while the app runs and these owners look in every day."""
        end = self.steady + seconds
        while self.steady < end:
            self.wall += DAY
            self.steady += DAY
            for owner in here:
                self.visited(owner)

    def owners(self) -> set[str]:
        return {folder.name for folder in self.root.iterdir() if folder.is_dir()}


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    found = Server(tmp_path, monkeypatch)
    found.keep("away", "here", LOCAL)
    (tmp_path / "A foreign folder").mkdir()
    return found


EVERYBODY = {"away", "here", LOCAL, "A foreign folder"}


def test_owners_who_stay_away_are_forgotten_and_nobody_else(server: Server) -> None:
    server.passes(LIFE - DAY, "here")
    assert server.owners() == EVERYBODY
    server.passes(2 * DAY, "here")
    assert server.owners() == EVERYBODY - {"away"}
    server.library.visit("nobody")
    assert server.owners() == EVERYBODY - {"away"}


@pytest.mark.parametrize("jump", [10 * YEAR, -10 * YEAR, LIFE + DAY], ids=["ahead", "behind", "a month ahead"])
@pytest.mark.parametrize("restarts", [False, True], ids=["while it runs", "across a restart"])
def test_a_clock_that_jumps_and_comes_back_deletes_nothing(server: Server, jump: float, restarts: bool) -> None:
    for way in (jump, -jump, jump, -jump):
        server.wall += way
        if restarts:
            server.restart(after=1.0)
        server.passes(DAY, "here")
    assert server.owners() == EVERYBODY
    server.passes(LIFE, "here")  # and who stays away is still forgotten in time
    assert server.owners() == EVERYBODY - {"away"}


def test_a_restart_every_day_counts_the_days(server: Server) -> None:
    for _ in range(LIBRARY_DAYS + 1):
        assert "away" in server.owners()
        server.restart(after=DAY)
        server.visited("here")
    assert server.owners() == EVERYBODY - {"away"}


def test_two_apps_that_share_a_library_count_no_second_twice(server: Server) -> None:
    other = Library(server.root, QUOTA)
    for _ in range(LIBRARY_DAYS - 1):
        server.passes(DAY, "here")
        other.visit("here")
        other.forget_owners(LIFE, but=LOCAL)
    assert server.owners() == EVERYBODY


@pytest.mark.parametrize("lost", [b"", b"nan inf", None], ids=repr)
def test_a_lost_count_only_puts_off_what_is_deleted(server: Server, lost: bytes | None) -> None:
    server.passes(LIFE - DAY, "here")
    for file in (server.root / CLOCK, server.root / "away" / SEEN):
        if lost is None:
            file.unlink()
        else:
            file.write_bytes(lost)
    server.passes(LIFE - DAY, "here")
    assert server.owners() == EVERYBODY
    server.passes(3 * DAY, "here")
    assert server.owners() == EVERYBODY - {"away"}


def test_folders_of_an_older_version_are_as_old_as_their_first_reading(server: Server) -> None:
    for owner in server.owners():
        (server.root / owner / SEEN).unlink(missing_ok=True)
        os.utime(server.root / owner, (1, 1))
    server.passes(LIFE - DAY, "here")
    assert server.owners() == EVERYBODY


def test_a_library_without_a_folder_is_not_made_by_a_visit(tmp_path: Path) -> None:
    library = Library(tmp_path / "none", QUOTA)
    library.visit("me")
    library.forget_owners(LIFE)
    assert list(tmp_path.iterdir()) == []


def test_what_a_clock_ahead_left_behind_is_cleared_away(server: Server) -> None:
    left = server.root / "here" / "abc.tmp"
    for date in (time.time() + YEAR, time.time() - YEAR):
        left.write_bytes(b"half")
        os.utime(left, (date, date))
        server.library.entries("here")
        assert not left.exists()


@pytest.mark.parametrize("year", [0.0, 150 * YEAR], ids=["1970", "2120"])
def test_a_run_is_kept_whatever_the_year(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, year: float) -> None:
    """ZIP knows dates from 1980 to 2107; small computers start in 1970 when their battery is empty."""
    monkeypatch.setattr(time, "time", lambda: year)
    job = Job(Training([SMALL], 260), waits=True)
    run = Run(job, "me", "a name")
    keeper = Keeper(Library(tmp_path, QUOTA), lambda: [run])
    keeper.keep_all()
    assert keeper.trouble("me") is None
    (entry,) = Library(tmp_path, QUOTA).entries("me")
    assert isinstance(entry, Entry)
    assert entry.created == year
    assert len(dated(entry.created)) == 16


@pytest.mark.parametrize("moment", [-1e10, -1.0, 2.0**50])
def test_a_date_that_no_calendar_has_is_drawn_as_the_nearest(moment: float) -> None:
    assert len(dated(moment)) == 16
