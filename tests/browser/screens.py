"""Screens of the app, and how each is reached: what the accessibility test looks at."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from playwright.sync_api import FilePayload, Locator, Page, expect

from pages.ui.i18n.breaks import without_breaks
from tests.helpers.browser import STILL, open_fold, press_until_gone

UNSEEN = "e\u0301 น\u0e4d\u0e32ใจ เเละ zero\u200bwidth"
NO_MODEL = FilePayload(name="damaged.model", mimeType="text/plain", buffer=b"no model\n")


def settled(tab: Page) -> None:
    """Wait until the page is drawn, with our rules of style, and no run is under way; nothing fades any more."""
    expect(tab.get_by_role("heading", level=1)).to_be_visible()
    expect(tab.get_by_test_id("stHtml").locator("style").first).to_be_attached()
    expect(tab.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    expect(tab.locator("[data-stale=true]")).to_have_count(0)
    tab.evaluate(STILL)


def as_it_is(tab: Page, words: dict[str, str]) -> None:
    """Nothing is done to it."""


def open_the_menu_of_home(tab: Page, words: dict[str, str]) -> None:
    """The menu of Home with its explanation, and then what is known of a tokenizer."""
    tab.locator(".st-key-home_menu button").first.click()
    open_fold(tab, words["special.why"])
    tab.locator(".st-key-home_view .total").first.hover()
    expect(tab.locator(".st-key-home_view .card")).to_be_visible()


def break_the_settings(tab: Page, words: dict[str, str]) -> None:
    """A pattern that does not compile, a size out of range, and the special tokens open."""
    open_fold(tab, words["train.more"])
    tab.get_by_role("combobox", name=words["pattern.label"]).click()
    tab.get_by_role("option", name=words["pattern.custom_name"]).click()
    tab.get_by_role("textbox", name=words["pattern.custom_label"]).fill("(a")
    tab.get_by_role("spinbutton", name=words["train.size"]).fill("3")
    tab.get_by_role("spinbutton", name=words["train.size"]).press("Enter")
    tab.get_by_text(words["train.special_tokens"]).click()
    expect(tab.get_by_role("alert")).to_have_count(2)


def pin_a_piece(tab: Page, words: dict[str, str]) -> None:
    """Look closely at a letter."""
    view(tab).locator(".lane:not(.ruler) .p").nth(3).click()
    expect(view(tab).locator(".ladder")).to_be_visible()


def walk_by_keyboard(tab: Page, words: dict[str, str]) -> None:
    """A piece has the focus, and its card is open."""
    view(tab).get_by_role("checkbox", name=words["token_view.mark"].partition("{")[0]).check()
    view(tab).get_by_role("button", name=words["token_view.after"]).click()
    tab.keyboard.press("ArrowRight")
    expect(view(tab).locator(".p[aria-describedby=card]")).to_be_focused()
    expect(view(tab).locator(".card")).to_be_visible()


def open_the_menu(tab: Page, words: dict[str, str]) -> None:
    """The menu of what can be taken away, which has just copied a link."""
    view(tab).get_by_role("button", name=words["token_view.save"]).click()
    view(tab).get_by_role("button", name=words["token_view.save_link"]).click()
    expect(view(tab).get_by_role("status")).to_be_visible()


def show_the_cleaned_text(tab: Page, words: dict[str, str]) -> None:
    """The hint, and the cleaned text beside the text."""
    tab.get_by_text(words["hints.show"]).click()
    expect(tab.locator(".st-key-cleaned_view .p").first).to_be_visible()


def end_and_wrap(tab: Page, words: dict[str, str]) -> None:
    """The end of a text, and a conversation in its envelope."""
    open_fold(tab, words["endings.title"])
    expect(tab.locator(".endings .new").first).to_be_visible()
    open_fold(tab, words["envelope.title"])
    expect(tab.locator(".st-key-envelope_view .branches")).to_be_visible()


def paste_ids(tab: Page, words: dict[str, str]) -> None:
    """Ids that make broken characters."""
    tab.get_by_role("radio", name=words["text.ids"]).click()
    tab.get_by_role("textbox", name=words["text.ids_label"]).fill("19567 247 31479")
    tab.get_by_role("textbox", name=words["text.ids_label"]).press("Control+Enter")
    expect(tab.get_by_text(words["text.ids_broken"])).to_be_visible()


def take_along(tab: Page, words: dict[str, str]) -> None:
    """GPT-2's files for another library, proven, and those for minbpe, which cannot hold it."""
    tab.get_by_role("button", name=words["exports.title"]).click()
    for to in ("minbpe", "tokenizer_json"):
        press_until_gone(tab.locator(f".st-key-exports_take_{to}_gpt2 button"))
    expect(tab.locator(".st-key-export_tokenizer_json")).to_contain_text("tokenizers 0.")


def choose_nothing(tab: Page, words: dict[str, str]) -> None:
    """No tokenizer is chosen, and the opened file is none."""
    for name in ("gpt2", "cl100k_base", "o200k_base"):
        tab.get_by_role("button", name=words[f"tokenizers.{name}"], exact=True).click()
        settled(tab)
    expect(tab.get_by_text(words["compare.choose_one"])).to_be_visible()
    tab.get_by_role("button", name=words["compare.open"]).click()
    tab.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(NO_MODEL)
    expect(tab.get_by_role("alert").filter(has_text=NO_MODEL["name"])).to_be_visible()


def open_all_settings(tab: Page, words: dict[str, str]) -> None:
    """Everything that is folded away on the settings."""
    for title in (
        "train.more",
        "stop.title",
        "train.special_tokens",
        "recipe.load",
        "train.experiments",
        "frontier.title",
    ):
        open_fold(tab, words[title])
    settled(tab)
    tab.get_by_role("textbox", name=words["recipe.paste"]).fill("{}")
    tab.get_by_role("textbox", name=words["recipe.paste"]).press("Control+Enter")
    expect(tab.get_by_text(words["errors.recipe_none"])).to_be_visible()


def upload_a_table(tab: Page, words: dict[str, str]) -> None:
    """A table with a broken row, and a file that is no text."""
    tab.locator(".st-key-train_card label").last.click()
    tab.get_by_role("radio", name=words["corpus.upload"]).click()
    table = "id,ข้อความ\n1,น้ำใจคนไทย\n2,ดื่มน้ำ,เยอะๆ\n3,ที่นี่\n".encode()
    tab.locator(".st-key-corpus_files input[type=file]").set_input_files(
        [
            FilePayload(name="ตาราง.csv", mimeType="text/csv", buffer=table),
            FilePayload(name="picture.txt", mimeType="text/plain", buffer=b"\x89PNG\r\n\x1a\n" + bytes(99)),
        ]
    )
    expect(tab.get_by_role("alert").first).to_be_visible()


def ask_wikipedia(tab: Page, words: dict[str, str]) -> None:
    """The source that would go to the internet, before any click that says so."""
    tab.locator(".st-key-train_card label").last.click()
    tab.get_by_role("radio", name=words["corpus.wikipedia"]).click()
    expect(tab.get_by_role("textbox", name=words["wikipedia.titles"].split("{")[0])).to_be_visible()


def hold_a_branch(tab: Page, words: dict[str, str]) -> None:
    """One branch stands alone, a piece is pointed at."""
    view(tab).locator(".branches-title").click()
    view(tab).locator(".branch").nth(1).click()
    expect(view(tab).locator(".p.taken").first).to_be_visible()
    view(tab).locator(".lane:not(.ruler) .p").first.hover()
    expect(view(tab).locator(".branch.hot")).not_to_have_count(0)


def write_a_pattern(tab: Page, words: dict[str, str]) -> None:
    """A pattern that does not compile."""
    tab.get_by_role("combobox", name=words["lab.first"]).click()
    tab.get_by_role("option", name=words["pattern.custom_name"]).click()
    tab.get_by_role("textbox", name=words["pattern.custom_label"]).fill("(a")
    expect(tab.get_by_role("alert")).to_be_visible()


def check_patterns(tab: Page, words: dict[str, str]) -> None:
    """Both patterns on a whole text."""
    expect(tab.locator(".figures table")).to_have_count(1)


def train_with_patterns(tab: Page, words: dict[str, str]) -> None:
    """What two patterns cost, beside two stages."""
    expect(tab.locator("[data-testid=stDownloadButton]")).to_have_count(3)
    expect(tab.locator(".figures table")).to_have_count(1)


def define_metrics(tab: Page, words: dict[str, str]) -> None:
    """The metrics with their definitions, words asked for."""
    open_fold(tab, words["languages.view_metrics"])
    tab.get_by_text(words["metrics.count_words"], exact=True).click()
    tab.get_by_text(words["metrics.definitions"], exact=True).click()
    expect(tab.get_by_text(words["metrics.bytes_is"])).to_be_visible()


def show_the_receipt(tab: Page, words: dict[str, str]) -> None:
    """Two bills fill the screen."""
    deck = tab.locator(".st-key-deck .deck")
    expect(deck).to_be_visible()  # before that nobody listens to keys
    tab.keyboard.press("ArrowRight")
    expect(deck.locator(".receipt")).to_have_attribute("data-printed", "all")


def draw_cuts(tab: Page, words: dict[str, str]) -> None:
    """The first screen of the first lesson: a cut is drawn, and the cuts of GPT-2 are shown."""
    lesson = tab.locator(".st-key-learn .learn")
    lesson.locator(".gap-cut").nth(3).click()
    lesson.get_by_role("button", name=words["lesson.see_1_reveal"]).click()
    expect(lesson.locator(".under").first).to_be_visible()


def encode_by_hand(tab: Page, words: dict[str, str]) -> None:
    """Three ways to encode, at their end."""
    lesson = tab.locator(".st-key-learn .learn")
    lesson.locator(".ask button").first.click()
    lesson.get_by_role("button", name=words["lesson.encode_1_to_end"]).click()
    expect(lesson.locator(".ways .apart")).not_to_have_count(0)


def read_files(tab: Page, words: dict[str, str]) -> None:
    """Lines of GPT-2's files that the visitor's own sentence needs."""
    lesson = tab.locator(".st-key-learn .learn")
    lesson.locator(".ask button").first.click()
    expect(lesson.locator("table")).to_have_count(2)


def tell_a_story(tab: Page, words: dict[str, str]) -> None:
    """A story that trains a tokenizer of its own, after a guess, and all that can be done with it."""
    tab.locator(".st-key-story_choice_0 button").click()
    expect(tab.locator(".st-key-story_home_made_most .p").first).to_be_visible()
    settled(tab)
    tab.get_by_role("button", name=words["stories.more"]).click()
    expect(tab.locator(".st-key-present_story")).to_be_visible()


def vote(tab: Page, words: dict[str, str]) -> None:
    """A question of a story fills the screen, and its answer is shown."""
    deck = tab.locator(".st-key-deck .deck")
    expect(deck).to_be_visible()  # before that nobody listens to keys
    tab.keyboard.press("ArrowRight")
    expect(deck).to_have_attribute("data-kind", "ask")
    tab.keyboard.press("ArrowRight")
    expect(deck.locator(".choice.right")).to_be_visible()


def play_a_round(tab: Page, words: dict[str, str]) -> None:
    """The room votes, and a round has been played without votes; one that was left a moment ago goes on."""
    deck = tab.locator(".st-key-deck .deck")
    expect(deck.locator(".vote-card").or_(deck.locator(".vote-again")).first).to_be_visible()
    if deck.locator(".vote-again").count():
        deck.locator(".vote-again").click()
    tab.keyboard.press("ArrowRight")
    expect(deck.locator(".vote-said .chip").first).to_be_visible()


def take_languages_away(tab: Page, words: dict[str, str]) -> None:
    """The buttons for table, report and pictures, and a price that is none."""
    open_fold(tab, words["languages.view_take_away"])
    expect(tab.get_by_role("button", name=words["report.png"])).to_have_count(2)
    tab.locator(".st-key-languages_terms button").click()
    tab.get_by_role("textbox", name=words["languages.price"]).fill("cheap")
    tab.get_by_role("textbox", name=words["languages.price"]).press("Enter")
    expect(tab.get_by_role("alert")).to_be_visible()


def bill_texts_of_ones_own(tab: Page, words: dict[str, str]) -> None:
    """The bills of other texts, and what can be saved of them."""
    tab.locator(".st-key-receipt_texts button").first.click()
    tab.get_by_role("textbox", name=words["receipt.first"]).fill("น้ำใจ <b>")
    tab.get_by_role("button", name=words["receipt.print"]).click()
    expect(tab.get_by_role("textbox", name=words["receipt.first"])).to_be_hidden()
    expect(tab.locator(".receipt .message").first).to_have_text("น้ำใจ <b>")
    tab.locator(".receipt .save > button").click()
    tab.locator(".receipt .choices button").first.click()
    expect(tab.locator(".receipt").get_by_role("status")).to_be_visible()


def upload_texts_out_of_step(tab: Page, words: dict[str, str]) -> None:
    """Two texts with other numbers of lines: figures, and what they do not say."""
    open_fold(tab, words["languages.texts"])
    tab.get_by_role("radio", name=words["languages.source_upload"]).click()
    files = [
        FilePayload(name=name, mimeType="text/plain", buffer=text.encode())
        for name, text in (("a.th", "น้ำใจ\nคนไทย\n"), ("b.en", "kindness\n"))
    ]
    tab.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(files)
    expect(tab.locator(".figures table")).to_be_visible()


def look_at_pairs(tab: Page, words: dict[str, str]) -> None:
    """The most unfair pair."""
    open_fold(tab, words["languages.view_pairs"])
    expect(tab.locator("[class*=st-key-languages_pair_] .p").first).to_be_visible()


def upload_parallel_texts(tab: Page, words: dict[str, str]) -> None:
    """A table whose first row is broken and whose second pair is half empty."""
    tab.get_by_text(words["languages.texts"], exact=True).click()
    tab.get_by_role("radio", name=words["languages.source_upload"]).click()
    table = "th,en\nหมาขาวตัวใหญ่,a large white dog,more\nแมวดำตัวหนึ่ง,\nนกบินอยู่บนฟ้า,a bird in the sky\n"
    file = FilePayload(name="pairs.csv", mimeType="text/csv", buffer=table.encode())
    tab.get_by_test_id("stFileUploaderDropzoneInput").set_input_files([file])
    expect(tab.get_by_role("alert")).to_have_count(2)
    tab.mouse.move(0, 0)  # what is below the pointer now says what it is for, outside of all landmarks
    expect(tab.get_by_role("tooltip")).to_have_count(0)


def meet_unknown_tokens(tab: Page, words: dict[str, str]) -> None:
    """The lesson with badges, and all settings of SentencePiece."""
    tab.get_by_role("radio", name=words["lessons.fallback"]).click()
    expect(tab.locator(".piece-chips .unknown").first).to_be_visible()
    open_fold(tab, words["pieces.train"])
    open_fold(tab, words["pieces.more"])


def cut_into_characters(tab: Page, words: dict[str, str]) -> None:
    """The table of the naive tokenizers."""
    open_fold(tab, words["naive.table"])


def walk_a_vocabulary(tab: Page, words: dict[str, str]) -> None:
    """All filters are open, and the keyboard is in the list."""
    shown = tab.locator(".vocabulary")
    shown.locator("summary", has_text=without_breaks(words["entries.more"])).click()
    shown.get_by_role("listbox").focus()
    tab.keyboard.press("ArrowDown")


def open_gpt2s_files(tab: Page, words: dict[str, str]) -> None:
    """GPT-2's files are open below a traced word."""
    open_fold(tab, words["gpt2_files.title"])
    expect(tab.locator(".letters")).to_be_visible()


def view(tab: Page) -> Locator:
    """The first token view of the page."""
    return tab.locator(".token-view").first


class Screen(NamedTuple):
    """A screen: its address, its language, and how it is reached from there."""

    name: str
    path: str
    language: str
    reach: Callable[[Page, dict[str, str]], None] = as_it_is
    link: Mapping[str, str] = MappingProxyType({})
    is_long: bool = False


SCREENS = [
    Screen("home", "/", "en", is_long=True),
    Screen("home", "/", "th", is_long=True),
    Screen("menu of home", "/", "th", open_the_menu_of_home),
    Screen("settings", "/train", "en", is_long=True),  # all settings show these, too
    Screen("settings that cannot be used", "/train", "th", break_the_settings, is_long=True),
    Screen("all settings", "/train", "en", open_all_settings),
    Screen("uploads", "/train", "th", upload_a_table, is_long=True),
    Screen("wikipedia", "/train", "th", ask_wikipedia, is_long=True),
    Screen("staff", "/compare", "en", is_long=True),  # stands below the inspector and the menu
    Screen("columns by bytes", "/compare", "th", link={"view": "columns", "colour": "bytes"}, is_long=True),
    Screen(
        "chips by broken letters",
        "/compare",
        "en",
        link={
            "view": "chips",
            "colour": "broken",
            "white_space": "1",
            "with": "gpt2,o200k_base,pretokens",
            "pattern": "llama3",
        },
        is_long=True,
    ),
    Screen(
        "a long text", "/compare", "th", link={"text": "ดื่มน้ำเยอะๆ นะ " * 300, "colour": "broken"}, is_long=True
    ),
    Screen("inspector", "/compare", "th", pin_a_piece),
    Screen("keyboard", "/compare", "en", walk_by_keyboard, is_long=True),
    Screen("menu", "/compare", "th", open_the_menu, is_long=True),
    Screen("cleaned text", "/compare", "en", show_the_cleaned_text, {"text": UNSEEN}, is_long=True),
    Screen("the end of a text and the envelope of a chat", "/compare", "th", end_and_wrap, is_long=True),
    Screen("ids", "/compare", "th", paste_ids, is_long=True),
    Screen("files for other libraries", "/compare", "th", take_along, is_long=True),
    Screen("nothing chosen", "/compare", "en", choose_nothing, is_long=True),
    Screen("languages", "/languages", "en", is_long=True),
    Screen("texts out of step", "/languages", "th", upload_texts_out_of_step, is_long=True),
    Screen("bills of one's own", "/languages", "th", bill_texts_of_ones_own, is_long=True),
    Screen("the receipt on the screen", "/languages", "th", show_the_receipt, {"present": "1"}, is_long=True),
    Screen("pairs", "/languages", "th", look_at_pairs, is_long=True),
    Screen("metrics", "/languages", "th", define_metrics, is_long=True),
    Screen("all lessons", "/learn", "th", is_long=True),
    Screen("cuts drawn by hand", "/learn", "th", draw_cuts, {"lesson": "see"}, is_long=True),
    Screen("three ways to encode", "/learn", "en", encode_by_hand, {"lesson": "encode"}, is_long=True),
    Screen("two files", "/learn", "th", read_files, {"lesson": "same"}, is_long=True),
    Screen("a question", "/stories", "en", link={"story": "registers"}),
    Screen("stories", "/stories", "th", tell_a_story, {"story": "home_made"}, is_long=True),
    Screen("a question on the screen", "/stories", "th", vote, {"story": "doctor", "present": "1"}, is_long=True),
    Screen("a vote of the room", "/stories", "en", play_a_round, {"present": "vote"}, is_long=True),
    Screen("languages taken away", "/languages", "en", take_languages_away, is_long=True),
    Screen("parallel texts", "/languages", "th", upload_parallel_texts, is_long=True),
    Screen("patterns", "/patterns", "th"),
    Screen("a branch", "/patterns", "en", hold_a_branch, is_long=True),
    Screen("a pattern of one's own", "/patterns", "th", write_a_pattern, is_long=True),
    Screen("patterns on a whole text", "/patterns", "th", check_patterns, {"tab": "whole"}, is_long=True),
    Screen("what patterns cost", "/patterns", "th", train_with_patterns, {"tab": "cost"}, is_long=True),
    Screen("unknown tokens", "/pieces", "th", meet_unknown_tokens, is_long=True),
    Screen("characters and words", "/pieces", "en", cut_into_characters, {"tab": "naive"}, is_long=True),
    Screen("vocabulary", "/vocabulary", "th", walk_a_vocabulary),
    Screen("GPT-2's files", "/vocabulary", "th", open_gpt2s_files, {"tab": "merges"}, is_long=True),
    Screen("what a vocabulary is made of", "/vocabulary", "th", link={"tab": "made_of"}, is_long=True),
    Screen("two vocabularies", "/vocabulary", "en", link={"tab": "compared"}, is_long=True),
    Screen("tokens out of reach", "/vocabulary", "th", link={"tab": "unreached"}, is_long=True),
    Screen("what a size costs", "/vocabulary", "en", link={"tab": "cost"}, is_long=True),
]
