"""What a person sees of faults in a browser: no connection, uploads cut off or refused, and others' text."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Error, Locator, Page, Response, Route, WebSocket, expect

from pages.ui.i18n import catalogue, error_sentence, filled
from tests.helpers.app import LANGUAGES
from tests.helpers.browser import OpenTab, at_rest, running_app
from tokenizer_core.errors import CorpusError

pytestmark = pytest.mark.long
ENGLISH = catalogue("en")
SECRET = "private-9417 สิบสองทองแดง"
SENT = f"{SECRET}\n" + "ab ac ad ae af\n" * 50
MERGES = re.compile("[1-9]")
OFFLINE_MS = 30_000


def stage_of(tab: Page) -> Locator:
    return tab.locator(".st-key-stage .stage")


def choose_file(tab: Page, address: str) -> None:
    """Open the Train page, and choose a file of one's own."""
    tab.goto(f"{address}/train?lang=en")
    at_rest(tab)
    tab.locator(".st-key-train_card label").last.click()
    tab.get_by_role("radio", name=ENGLISH["corpus.upload"]).click()
    tab.locator(".st-key-corpus_files input[type=file]").set_input_files(
        {"name": "mine.txt", "mimeType": "text/plain", "buffer": SENT.encode()}
    )


def train(tab: Page) -> None:
    """Train four merges on the file that was chosen."""
    expect(tab.get_by_text(f"{len(SENT):,} characters").first).to_be_visible()
    tab.get_by_role("spinbutton", name=ENGLISH["train.size"]).fill("260")
    tab.get_by_role("spinbutton", name=ENGLISH["train.size"]).press("Enter")
    expect(tab.get_by_text("4 merges to learn")).to_be_visible()
    at_rest(tab)
    tab.locator(".st-key-start button").click()


def test_without_a_connection_the_stage_says_so_and_goes_on_after_it(tab: Page, address: str) -> None:
    tab.goto(f"{address}/?lang=en")
    at_rest(tab)
    tab.locator(".st-key-home_train button").first.click()
    stage = stage_of(tab)
    expect(stage).to_have_attribute("data-position", MERGES)
    lost = tab.get_by_text(ENGLISH["stage.lost"])
    try:
        tab.context.set_offline(True)
        expect(lost).to_be_visible()
        tab.wait_for_timeout(OFFLINE_MS)
        held = stage.get_attribute("data-position") or ""
    finally:
        tab.context.set_offline(False)
    expect(lost).to_be_hidden()
    expect(stage).not_to_have_attribute("data-position", held)
    tab.keyboard.press("e")
    expect(tab.get_by_text(filled(ENGLISH["studio.done"], merges=744))).to_be_visible()
    expect(stage).to_have_attribute("data-position", "744")


def test_a_reload_in_mid_upload_leaves_nothing_half(tab: Page, address: str) -> None:
    held: list[Route] = []
    tab.route("**/_stcore/upload_file/**", lambda route: held.append(route))
    choose_file(tab, address)
    tab.wait_for_timeout(500)
    tab.unroute("**/_stcore/upload_file/**")
    tab.reload()
    for route in held:
        try:
            route.abort()
        except Error:
            continue  # the page that asked is gone
    at_rest(tab)
    expect(tab.get_by_test_id("stException")).to_have_count(0)
    choose_file(tab, address)
    train(tab)
    expect(stage_of(tab)).to_be_visible()
    expect(tab.get_by_text(filled(ENGLISH["studio.done"], merges=4))).to_be_visible()


class Received:
    """All that a browser receives: what comes over its websockets, and the answers to what it fetches."""

    def __init__(self, tab: Page) -> None:
        self.frames: list[bytes] = []
        self.answers: list[Response] = []
        tab.on("websocket", self._listen)
        tab.on("response", lambda answer: self.answers.append(answer))

    def _listen(self, opened: WebSocket) -> None:
        opened.on("framereceived", self._take)

    def _take(self, frame: bytes | str) -> None:
        self.frames.append(frame if isinstance(frame, bytes) else frame.encode())

    def all(self) -> bytes:
        bodies = []
        for answer in self.answers:
            try:
                bodies.append(answer.body())
            except Error:
                continue  # a redirect, or what the browser has dropped
        return b"\n".join([*self.frames, *bodies])


def test_nothing_that_one_visitor_receives_holds_text_of_another(open_tab: OpenTab, address: str) -> None:
    owner = open_tab()
    sent = Received(owner)
    choose_file(owner, address)
    train(owner)
    expect(owner.get_by_text(filled(ENGLISH["studio.done"], merges=4))).to_be_visible()
    at_rest(owner)
    job = re.search(r"job=([\w-]+)", owner.url)
    assert job is not None
    assert SECRET.encode() in sent.all()  # so the search below can find it

    stranger = open_tab()
    received = Received(stranger)
    for page in ("", "learn", "train", "compare", "languages", "patterns", "stories", "vocabulary", "pieces"):
        stranger.goto(f"{address}/{page}?lang=en&job={job[1]}")
        at_rest(stranger)
        owner.get_by_role("link", name=ENGLISH["nav.compare"], exact=True).click()
        at_rest(owner)
        owner.get_by_role("link", name=ENGLISH["nav.train"], exact=True).click()
        at_rest(owner)
        stranger.wait_for_timeout(500)
    seen = received.all()
    assert len(received.frames) > 50
    assert b"token" in seen
    for hidden in (SECRET, "private-9417", "สิบสองทองแดง", "X-Steering-Key: "):
        assert hidden.encode() not in seen


@pytest.fixture(scope="module")
def small() -> Iterator[str]:
    """The address of an app in which a visitor may hold 1 MB."""
    with running_app(TOKENIZER_EXPLORER_MAX_UPLOADS_MB="1") as (address, _):
        yield address


def choose(tab: Page, widget: str, name: str, size: int) -> None:
    content = (b"a cat sat on a mat\n" * (size // 19 + 1))[:size]
    tab.locator(f".st-key-{widget} input[type=file]").set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": content}
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_refused_uploads_say_why_and_what_was_there_stays(tab: Page, small: str, language: str) -> None:
    words = catalogue(language)
    tab.goto(f"{small}/train?lang={language}")
    at_rest(tab)
    tab.locator(".st-key-train_card label").last.click()
    tab.get_by_role("radio", name=words["corpus.upload"]).click()
    choose(tab, "corpus_files", "mine.txt", 700_000)
    expect(tab.get_by_text("700,000").first).to_be_visible()
    tab.get_by_role("link", name=words["nav.compare"], exact=True).click()
    tab.get_by_role("radio", name=words["text.upload"]).click()
    choose(tab, "text_file", "other.txt", 600_000)
    sentence = error_sentence(CorpusError("uploads_too_large", limit=1, megabytes=1.2), spoken=language)
    refusal = tab.get_by_test_id("stAlert").filter(has_text=sentence.split("`")[0].strip())
    expect(refusal).to_be_visible()
    tab.locator(".st-key-remove_upload_corpus button").click()
    expect(refusal).to_be_hidden()
    expect(tab.get_by_text("221,052").first).to_be_visible()  # tokens, of the file that was refused before
