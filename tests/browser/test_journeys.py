"""The main journey in a real browser: upload, train, watch, compare; and single pages as visitors use them."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from pages.ui.frame.tabs import TABS
from pages.ui.i18n import catalogue, filled
from pages.ui.i18n.breaks import without_breaks
from pages.ui.inputs.corpus import sample_text
from pages.ui.widgets.controls import MOST_LIVE
from tests.helpers.browser import OpenTab, at_rest, open_fold
from tests.helpers.paths import REPOSITORY
from tests.helpers.trained import byte_level
from tokenizer_core.bpe.openai import openai_tokenizer

ENGLISH = catalogue("en")


def count_in(tab: Page, view: str, column: int) -> int:
    """The token count above a column of a token view."""
    text = tab.locator(f".st-key-{view} .count").nth(column).inner_text()
    return int(re.sub(r"\D", "", text))


def start_training(tab: Page, address: str, *, pace: str, size: int = 1_000) -> Locator:
    """Upload a corpus and press Train, at a pace with more to learn than any test waits for; return the stage."""
    tab.goto(f"{address}/train?lang=en")
    tab.locator(".st-key-train_card label").last.click()  # a text of one's own
    corpus = (REPOSITORY / "sample_data" / "parallel.th.txt").read_bytes()
    tab.locator(".st-key-corpus_files input[type=file]").set_input_files(
        {"name": "ภาษาไทย <b>.txt", "mimeType": "text/plain", "buffer": corpus}
    )
    expect(tab.get_by_text(f"{len(corpus.decode()):,} characters").first).to_be_visible()
    open_fold(tab, ENGLISH["train.more"])
    tab.get_by_role("radio", name=ENGLISH[f"stage.pace_{pace}"]).click()
    tab.get_by_role("spinbutton", name=ENGLISH["train.size"]).fill(str(size))
    tab.get_by_role("spinbutton", name=ENGLISH["train.size"]).press("Enter")
    expect(tab.get_by_text(f"{size - 256} merges to learn")).to_be_visible()
    at_rest(tab)
    tab.locator(".st-key-start button").click()
    return tab.locator(".st-key-stage .stage")


def stands_at(stage: Locator, merge: int) -> None:
    expect(stage).to_have_attribute("data-position", str(merge))


def pause(stage: Locator) -> int:
    """Pause the training; return the merge that the stage shows, which is its last one."""
    stage.locator(".toggle").click()
    expect(stage).to_have_attribute("data-state", "paused")
    expect(stage.locator(".toggle")).to_have_attribute("aria-label", ENGLISH["stage.play"])
    return int(stage.get_attribute("data-position") or "")


def test_upload_train_watch_compare(tab: Page, address: str) -> None:
    stage = start_training(tab, address, pace="slow", size=400)
    expect(stage).to_have_attribute("data-position", re.compile("[1-9]"))  # merges come while it runs
    newest = pause(stage)
    back, forward = (stage.locator(".drive button").nth(place) for place in (1, 2))
    forward.click()  # one step
    stands_at(stage, newest + 1)
    tokens = stage.get_attribute("data-tokens") or ""

    tab.get_by_role("link", name=ENGLISH["nav.home"]).click()  # leave, come back
    expect(tab.get_by_role("heading", name=ENGLISH["home.title"])).to_be_visible()
    tab.get_by_role("link", name=ENGLISH["nav.train"]).click()
    stands_at(stage, newest + 1)
    tab.reload()  # and reload
    stands_at(stage, newest + 1)
    expect(stage).to_have_attribute("data-played", str(newest + 1))  # each merge, and once
    back.click()
    stands_at(stage, newest)
    stage.locator(".timeline input").fill("0")
    expect(stage.locator(".tokens .total")).to_have_text(str(len(ENGLISH["examples.thai"].encode())))
    expect(stage).to_have_attribute("data-tokens", str(len(ENGLISH["examples.thai"].encode())))
    stage.locator(".live").click()
    stands_at(stage, newest + 1)
    expect(stage).to_have_attribute("data-tokens", tokens)

    stage.locator(".toggle").click()
    expect(stage).to_have_attribute("data-state", "running")
    stage.locator(".drive select").select_option("full")
    expect(tab.get_by_text(filled(ENGLISH["studio.done"], merges=144))).to_be_visible()
    stands_at(stage, 144)
    with tab.expect_download() as download:
        tab.get_by_role("button", name=ENGLISH["studio.download_model"]).click()
    assert Path(download.value.path()).read_text(encoding="utf-8").startswith("minbpe v1\n")

    stage.locator(".way.compare").click()
    expect(tab.locator(".st-key-compare_view .count")).to_have_count(4)
    assert count_in(tab, "compare_view", 0) > 0


@pytest.mark.long
def test_a_class_asks_what_if_the_other_had_won(tab: Page, address: str) -> None:
    """Slow play, pause, the other of two pairs, where they part and meet; then wind back in the browser."""
    stage = start_training(tab, address, pace="slowest")
    expect(tab.locator(".merge-next")).to_be_visible()  # the choice before it happens
    expect(stage).to_have_attribute("data-position", re.compile("[1-9]"))  # before that the button begins the show
    pause(stage)
    tab.locator(".st-key-what_if_asks button").click()
    tab.locator(".st-key-what_if_go button").click()
    expect(tab.locator(".st-key-parting_what_if")).to_be_visible()
    expect(tab.get_by_text(re.compile("They first differ at merge"))).to_be_visible()
    tab.keyboard.press("e")  # to the end
    expect(tab.get_by_text(filled(ENGLISH["studio.done"], merges=744))).to_be_visible()
    expect(tab.get_by_text(re.compile("fewer tokens than GPT-2 on Thai"))).to_be_visible()
    stands_at(stage, 744)
    learned = stage.get_attribute("data-tokens") or ""
    slider = stage.locator(".timeline input")
    slider.press("Home")
    expect(stage).not_to_have_attribute("data-tokens", learned)
    slider.press("End")
    expect(stage).to_have_attribute("data-tokens", learned)


@pytest.mark.long
def test_runs_are_listed_after_a_reload_and_can_be_deleted(tab: Page, address: str) -> None:
    stage = start_training(tab, address, pace="full", size=400)
    expect(stage.locator(".way.compare")).to_be_visible()
    at_rest(tab)
    first = tab.url
    tab.locator(".st-key-again button").click()
    expect(tab.locator(".st-key-start button")).to_be_enabled()
    at_rest(tab)
    tab.locator(".st-key-start button").click()
    expect(tab).not_to_have_url(first)
    expect(stage.locator(".way.compare")).to_be_visible()
    at_rest(tab)
    expect(tab.get_by_role("button", name=ENGLISH["runs.open"])).to_have_count(2)
    tab.reload()
    open_fold(tab, ENGLISH["runs.earlier"].partition(":")[0])  # of this visit is what is shown above
    expect(tab.get_by_role("button", name=ENGLISH["runs.open"])).to_have_count(2)
    at_rest(tab)  # a click on what is drawn anew at that moment gets lost
    tab.get_by_role("button", name=ENGLISH["runs.more"], exact=True).last.click()
    at_rest(tab)
    tab.get_by_role("button", name=ENGLISH["runs.delete"]).click()
    expect(tab.get_by_role("button", name=ENGLISH["runs.open"])).to_have_count(1)


def test_one_click_trains_and_the_replay_tells_the_same_from_disk(
    open_tab: OpenTab, address: str, tmp_path: Path
) -> None:
    tab = open_tab()
    tab.goto(f"{address}/?lang=en")
    expect(tab.locator(".st-key-home_view .count").first).to_be_visible()
    at_rest(tab)
    tab.locator(".st-key-home_train button").first.click()
    stage = tab.locator(".st-key-stage .stage")
    expect(stage).to_have_attribute("data-position", re.compile("[1-9]"))
    tab.keyboard.press("e")
    expect(stage).to_have_attribute("data-state", "done")
    stands_at(stage, 744)
    tab.set_viewport_size({"width": 1280, "height": 900})
    for part in (".way.compare", ".way.sentence", ".way.again", ".line", ".track", ".newest li >> nth=0"):
        # What to do, and the race, without scrolling, once the stage has its size.
        expect(stage.locator(part).first).to_be_in_viewport(ratio=0.99)
    stage.locator(".way.again").click()
    expect(stage.locator(".ways")).to_be_hidden()
    expect(stage).to_have_attribute("data-position", re.compile("[1-9]"))
    counted = {place: tokens_at(stage, place) for place in (0, 3, 100, 744)}
    assert counted[0] > counted[3] > counted[100] > counted[744]
    stage.locator(".save > button").click()
    with tab.expect_download() as download:
        stage.locator(".save .choices button").first.click()
    download.value.save_as(tmp_path / "replay.html")
    assert (tmp_path / "replay.html").stat().st_size < 2_000_000
    alone = open_tab()  # which fails if anything is fetched from elsewhere
    alone.goto((tmp_path / "replay.html").as_uri())
    replay = alone.locator(".stage")
    expect(replay).to_have_attribute("data-position", re.compile("[1-9]"))  # it plays by itself
    assert {place: tokens_at(replay, place) for place in counted} == counted
    expect(replay.locator(".change")).to_have_count(0)  # a file cannot cut another sentence

    tab.bring_to_front()
    stage.locator(".change").click()
    stage.locator(".editor textarea").fill("ส้มตำ")
    tab.keyboard.press("Enter")
    expect(stage.locator(".line").first).to_contain_text("ส้มตำ")
    assert tokens_at(stage, 0) == len("ส้มตำ".encode())


def tokens_at(stage: Locator, merges: int) -> int:
    """The large number on the stage after so many merges."""
    stage.locator(".timeline input").fill(str(merges))
    expect(stage).to_have_attribute("data-position", str(merges))
    return int(stage.locator(".tokens .total").inner_text())


def test_home_updates_as_one_types(tab: Page, address: str) -> None:
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.goto(f"{address}/?lang=en")
    box = tab.get_by_role("textbox", name=ENGLISH["home.text_label"])
    expect(tab.locator(".st-key-home_view .count").first).to_contain_text("50")
    # On a phone too, what people came for is in the first screen.
    last = tab.locator(".st-key-home_view .cell").last.bounding_box()
    assert last is not None
    assert last["y"] + last["height"] <= 844
    box.fill("๒๕๖๗")
    expect(tab.locator(".st-key-home_view .count").first).to_contain_text("8")


def test_the_menu_of_home_switches_the_view_in_the_browser(tab: Page, address: str) -> None:
    tab.goto(f"{address}/?lang=en")
    view, menu = tab.locator(".st-key-home_view .token-view"), tab.locator(".st-key-home_menu button").first
    columns = tab.get_by_role("button", name=ENGLISH["token_view.columns"], exact=True)
    expect(view).to_contain_class("numbered")
    at_rest(tab)
    menu.click()
    columns.click()
    expect(view).not_to_contain_class("numbered")
    tab.keyboard.press("Escape")
    expect(columns).to_have_count(0)
    menu.click()
    expect(columns).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize(("path", "view"), [("compare", "compare_view"), ("patterns", "lab_view")])
def test_tokens_stand_in_the_first_screen_of_a_phone(tab: Page, address: str, path: str, view: str) -> None:
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.goto(f"{address}/{path}?lang=th")
    last, bar = tab.locator(f".st-key-{view} .lane:not(.ruler) .p").last, tab.locator(f".st-key-{view} .bar")
    expect(last).to_be_visible()
    at_rest(tab)
    placed = last.bounding_box(), bar.bounding_box()
    assert placed[0] is not None
    assert placed[1] is not None
    assert placed[0]["y"] + placed[0]["height"] <= 844
    assert placed[1]["y"] > placed[0]["y"]  # the settings of the view come below


BEYOND = """(shown) => {
  const right = (part) => part.getBoundingClientRect().right;
  const parts = [...shown.querySelectorAll(".search *, .scripts")];
  return parts.filter((part) => right(part) > right(shown) + 1).length;
}"""


@pytest.mark.parametrize("width", [390, 1280])
def test_the_search_of_a_vocabulary_stays_in_its_column_whatever_it_searches_by(
    tab: Page, address: str, width: int
) -> None:
    tab.set_viewport_size({"width": width, "height": 844})
    tab.goto(f"{address}/vocabulary?lang=en")
    shown = tab.locator(".vocabulary")
    expect(shown.locator(".entry").first).to_be_visible()
    at_rest(tab)
    kind = shown.locator(".search select")
    for name in kind.locator("option").all_inner_texts():
        kind.select_option(name)
        assert shown.evaluate(BEYOND) == 0, name


def test_rows_are_whole_in_the_first_screen_of_a_phone(tab: Page, address: str) -> None:
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.goto(f"{address}/pieces?lang=en")
    last = tab.locator(".st-key-pieces_view .lane .p").last
    expect(last).to_be_visible()
    at_rest(tab)
    placed = last.bounding_box()
    assert placed is not None
    assert placed["y"] + placed["height"] <= 844
    tab.goto(f"{address}/vocabulary?lang=en")
    expect(tab.locator(".vocabulary .entry").first).to_be_visible()
    heights = tab.locator(".vocabulary .entries").evaluate(
        "(list) => [list.clientHeight, list.querySelector('.entry').offsetHeight]"
    )
    assert heights[0] == 2 * heights[1]
    tabs = tab.locator(".st-key-vocabulary_tabs [role=tab]").evaluate_all(
        "(tabs) => tabs.map((tab) => tab.getBoundingClientRect().right)"
    )
    assert max(tabs) <= 390


@pytest.mark.parametrize("language", ["th", pytest.param("en", marks=pytest.mark.long)])
def test_what_each_tab_of_the_vocabulary_says_stands_in_the_upper_half_of_a_phone(
    tab: Page, address: str, language: str
) -> None:
    tab.set_viewport_size({"width": 390, "height": 844})
    for name in TABS["vocabulary"]:
        tab.goto(f"{address}/vocabulary?lang={language}&tab={name}")
        says = tab.locator(".st-key-vocabulary_tabs [role=tabpanel] h2").locator("visible=true").first
        expect(says).to_be_visible()
        at_rest(tab)
        placed = says.bounding_box()
        assert placed is not None
        assert placed["y"] + placed["height"] <= 422, name


def test_the_receipt_follows_the_bars_on_a_phone(tab: Page, address: str) -> None:
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.goto(f"{address}/languages?lang=en")
    bars, bills = tab.locator("[data-testid=stVegaLiteChart]").first, tab.locator(".receipt .papers")
    expect(bars).to_be_visible()
    expect(bills).to_be_visible()
    says, own, others = (
        tab.locator(f".st-key-{key}") for key in ("answer_languages", "receipt_choices", "languages_choices")
    )
    tops = [each.evaluate("each => each.getBoundingClientRect().top") for each in (bars, bills, others)]
    assert tops == sorted(tops)
    above, own_texts, below = says.bounding_box(), own.bounding_box(), bars.bounding_box()
    assert above is not None
    assert own_texts is not None
    assert below is not None
    assert above["y"] + above["height"] <= own_texts["y"] < below["y"]  # in the first screen
    counts = tab.get_by_label(ENGLISH["receipt.with"]).first.evaluate("each => each.getBoundingClientRect().top")
    assert tops[0] < counts < tops[1]  # who counts is seen with what it counts


def test_the_language_switch_keeps_the_text_and_is_in_the_address(tab: Page, address: str) -> None:
    tab.goto(f"{address}/?lang=en")
    tab.get_by_role("textbox", name=ENGLISH["home.text_label"]).fill("ส้มตำ")
    expect(tab.locator(".st-key-home_view .count").first).to_contain_text("10")
    tab.get_by_role("radio", name="ไทย").click()
    expect(tab.get_by_role("heading", name=catalogue("th")["home.title"])).to_be_visible()
    expect(tab.get_by_role("textbox")).to_have_value("ส้มตำ")
    assert "lang=th" in tab.url
    tab.reload()
    expect(tab.get_by_role("heading", name=catalogue("th")["home.title"])).to_be_visible()
    tab.get_by_role("button", name=catalogue("th")["home.train"]).click()  # though the browser speaks English
    expect(tab.get_by_role("heading", name=without_breaks(catalogue("th")["train.title"]))).to_be_visible()
    assert tab.evaluate("document.documentElement.lang") == "th"
    tab.go_back()  # one step, though the address got its query in a step of its own
    expect(tab.get_by_role("heading", name=catalogue("th")["home.title"])).to_be_visible()


@pytest.mark.long
def test_the_language_switch_keeps_what_was_chosen_from_a_list(tab: Page, address: str) -> None:
    thai = catalogue("th")

    tab.goto(f"{address}/patterns?lang=en")
    expect(tab.locator(".st-key-lab_view .count").first).to_be_visible()
    at_rest(tab)
    tab.locator(".st-key-lab_first_choice input").click()
    tab.get_by_role("option", name=ENGLISH["pattern.custom_name"], exact=True).click()
    tab.locator(".st-key-lab_first_custom textarea").fill("a{3}|!")
    expect(tab.locator(".st-key-lab_view")).to_contain_text(ENGLISH["pattern.custom_name"])
    tab.get_by_role("radio", name="ไทย").click()
    shown = tab.locator(".st-key-lab_first_choice input")
    expect(shown).to_have_value(thai["pattern.custom_name"])
    tab.locator(".st-key-lab_text textarea").fill("aaa!")
    tab.locator(".st-key-lab_text textarea").press("Control+Enter")
    expect(tab.locator(".st-key-lab_view .count").first).to_contain_text("2")
    expect(shown).to_have_value(thai["pattern.custom_name"])

    tab.get_by_role("link", name=thai["nav.languages"], exact=True).click()  # and from another page
    open_fold(tab, thai["languages.view_metrics"])
    expect(tab.get_by_text(thai["metrics.count_words"], exact=True)).to_be_visible()
    at_rest(tab)  # a list that is open closes when its page is drawn
    tab.get_by_role("combobox", name=thai["languages.language"]).click()
    tab.get_by_role("option", name=thai["languages.en"], exact=True).click()
    of_english = tab.get_by_role(
        "cell", name=f"{len(sample_text('parallel.en.txt').replace(chr(10), '')):,}"
    ).first
    expect(of_english).to_be_visible()
    tab.get_by_role("radio", name="English").click()
    expect(tab.get_by_role("combobox", name=ENGLISH["languages.language"])).to_have_value(ENGLISH["languages.en"])
    tab.get_by_text(ENGLISH["metrics.count_words"], exact=True).click()
    expect(tab.get_by_role("cell", name=ENGLISH["metrics.fertility"])).to_be_visible()
    expect(of_english).to_be_visible()
    tab.get_by_role("link", name=ENGLISH["nav.patterns"], exact=True).click()
    expect(shown).to_have_value(ENGLISH["pattern.custom_name"])
    expect(tab.locator(".st-key-lab_first_custom textarea")).to_have_value("a{3}|!")


def test_two_clicks_open_a_tokenizer_and_its_lane_goes_back_by_its_slider(tab: Page, address: str) -> None:
    tab.set_viewport_size({"width": 1280, "height": 900})
    tab.goto(f"{address}/compare?lang=en")
    expect(tab.locator(".st-key-compare_view .count")).to_have_count(3)
    at_rest(tab)
    tab.get_by_role("button", name=ENGLISH["compare.open"]).click()
    at_rest(tab)  # a click on what is drawn anew at that moment gets lost
    with tab.expect_file_chooser() as chooser:
        tab.get_by_test_id("stFileUploaderDropzone").locator("button").first.click()
    file = FilePayload(name="tokenizer.json", mimeType="application/json", buffer=byte_level())
    chooser.value.set_files([file])
    counts = tab.locator(".st-key-compare_view .count")
    expect(counts).to_have_count(4)
    expect(tab.get_by_test_id("stFileUploaderDropzone")).to_be_hidden()
    lane = tab.locator(".st-key-compare_view .lane:not(.ruler) .p").last
    placed = lane.bounding_box()
    assert placed is not None
    assert placed["y"] + placed["height"] <= 900
    slider = tab.get_by_role("slider")
    slider.focus()
    tab.keyboard.press("Home")
    expect(counts.last).to_have_text(f"{len(ENGLISH['examples.pair'].encode())} tokens")
    expect(slider).to_be_focused()
    tab.keyboard.press("End")
    expect(counts.last).not_to_have_text(f"{len(ENGLISH['examples.pair'].encode())} tokens")


def test_a_pattern_is_checked_as_one_types(tab: Page, address: str) -> None:
    tab.goto(f"{address}/patterns?lang=en")
    counts = tab.locator(".st-key-lab_view .total .count")
    expect(counts).to_have_text(["13 pieces", "8 pieces"])
    edges = tab.locator(".st-key-lab_view .p").first.evaluate("(box) => getComputedStyle(box).boxShadow")
    assert float(re.findall(r"(-?[\d.]+)px 0px", edges)[0]) > 1  # a gap between pieces of one colour, no hairline
    tab.get_by_role("combobox", name=ENGLISH["lab.first"]).click()
    tab.get_by_role("option", name=ENGLISH["pattern.custom_name"]).click()
    own = tab.get_by_role("textbox", name=ENGLISH["pattern.custom_label"])
    own.fill("")
    own.press_sequentially("[a-z]+|(")
    expect(tab.get_by_role("alert")).to_contain_text("a closing ) is missing")
    own.press_sequentially(".)")
    expect(tab.get_by_role("alert")).to_have_count(0)
    expect(counts).to_have_text(["33 pieces", "8 pieces"])
    tab.locator(".st-key-lab_view summary.branches-title").click()
    expect(tab.locator(".st-key-lab_view .branch code").first).to_have_text("[a-z]+")


@pytest.mark.long
def test_a_slow_pattern_lets_other_visitors_go_on(open_tab: OpenTab, address: str) -> None:
    slow, other = open_tab(), open_tab()
    slow.goto(f"{address}/patterns?lang=en")
    slow.get_by_role("textbox", name=ENGLISH["lab.text"]).fill("a" * 15_000 + "b")
    slow.get_by_role("combobox", name=ENGLISH["lab.first"]).click()
    slow.get_by_role("option", name=ENGLISH["pattern.custom_name"]).click()
    slow.get_by_role("textbox", name=ENGLISH["pattern.custom_label"]).fill("(a+)+$")
    other.goto(f"{address}/patterns?lang=th")
    expect(other.locator(".st-key-lab_view .count").first).to_contain_text("13")
    slow.bring_to_front()  # a tab that is hidden draws late
    expect(slow.get_by_role("alert")).to_contain_text("takes too long")


def expect_gpt2_tokens(tab: Page, text: str) -> None:
    tokens = len(openai_tokenizer("gpt2").encode(text))
    expect(tab.locator(".st-key-compare_view .count").first).to_have_text(f"{tokens:,} tokens")


def test_typing_is_taken_over_and_a_long_text_after_a_longer_pause(tab: Page, address: str) -> None:
    tab.goto(f"{address}/compare?lang=en")
    expect_gpt2_tokens(tab, catalogue("en")["examples.pair"])
    at_rest(tab)
    box = tab.locator(".st-key-compare_text textarea")
    box.fill("Water is here")
    expect_gpt2_tokens(tab, "Water is here")
    box.press("Home")
    for letter in "น้ำ ":  # each drawn while the next is typed
        box.press_sequentially(letter)
        tab.wait_for_timeout(450)
    expect(box).to_have_value("น้ำ Water is here")
    expect(box).to_be_focused()
    expect_gpt2_tokens(tab, "น้ำ Water is here")
    box.press("ControlOrMeta+a")  # a phone's keyboard composes a word until the next one begins
    keyboard = tab.context.new_cdp_session(tab)
    keyboard.send("Input.imeSetComposition", {"text": "ส้มตำ", "selectionStart": 5, "selectionEnd": 5})
    expect_gpt2_tokens(tab, "ส้มตำ")
    keyboard.send("Input.insertText", {"text": "ส้มตำ"})

    long = "water " * (MOST_LIVE // 6 + 1)
    box.fill(long)
    tab.wait_for_timeout(1_000)
    expect_gpt2_tokens(tab, "ส้มตำ")
    expect_gpt2_tokens(tab, long)  # no picture stays old below a new text


def test_a_token_is_searched_walked_to_and_looked_at(tab: Page, address: str) -> None:
    tab.goto(f"{address}/vocabulary?lang=en")
    shown = tab.locator(".vocabulary")
    expect(shown.locator(".entry").first).to_be_visible()
    shown.get_by_role("button", name=ENGLISH["entries.all"]).first.click()
    shown.get_by_role("searchbox").fill("ข้อความ")
    tokens = openai_tokenizer("o200k_base")
    found = [each for each in range(tokens.vocab_size) if "ข้อความ".encode() in tokens.token_bytes(each)]
    expect(shown).to_have_attribute("data-shown", str(len(found)))
    closest = min(found, key=lambda each: len(tokens.token_bytes(each)))
    tree = tab.locator(".st-key-biography .node").first
    expect(tree).to_contain_text(str(closest))  # looked at without a click
    expect(shown.get_by_role("searchbox")).to_be_focused()
    shown.get_by_label(ENGLISH["entries.sort"]).select_option(ENGLISH["entries.order_order"])
    shown.get_by_role("listbox").focus()
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("Enter")
    expect(tree).to_contain_text(str(found[1]))
    at_rest(tab)
    expect(shown.locator(".entry[aria-selected=true]")).to_contain_text(str(found[1]))
    shown.get_by_label(ENGLISH["entries.sort"]).select_option(ENGLISH["entries.order_best"])
    shown.get_by_role("searchbox").fill("โรงเรียน")  # no token, but the text of some
    parts = tokens.encode("โรงเรียน")
    says = filled(ENGLISH["entries.in_parts"], query="โรงเรียน", count=len(parts))
    expect(shown.locator(".note")).to_have_text(says)
    expect(shown.locator(".entry .facts")).to_have_text(list(map(str, parts)))
    expect(tree).to_contain_text(str(parts[0]))
    shown.get_by_role("searchbox").fill("โรงเรียนโรงเรียน")  # each part is listed twice, and counted once
    expect(shown.locator(".entry .facts")).to_have_text(list(map(str, parts * 2)))
    says = filled(ENGLISH["entries.shown"], shown=len(parts), all=tokens.vocab_size + len(tokens.special_tokens))
    expect(shown.get_by_text(says, exact=True)).to_be_visible()
    shown.get_by_label(ENGLISH["entries.kind"]).select_option(ENGLISH["entries.kind_regex"])
    shown.get_by_role("searchbox").fill(r"^(([\s\S]+)+)+\u{10FFFF}$")
    expect(shown.get_by_text(ENGLISH["entries.too_slow"])).to_be_visible()
    tab.get_by_role("tab", name=ENGLISH["tabs.vocabulary_unreached"]).click()
    expect(shown.get_by_role("searchbox")).to_have_value("")  # another list has a search of its own
    expect(shown.locator(".entry").first).to_be_visible()


def test_what_a_chart_says_of_a_bar_goes_when_the_page_moves(tab: Page, address: str) -> None:
    tab.goto(f"{address}/languages?lang=en")
    at_rest(tab)
    chart, said = tab.get_by_test_id("stVegaLiteChart").first, tab.locator("#vg-tooltip-element.visible")
    chart.hover(position={"x": 60, "y": 70})
    expect(said).to_be_visible()
    tab.get_by_test_id("stMain").evaluate("(main) => main.scrollBy(0, 40)")
    expect(said).to_have_count(0)
