"""The visible words: complete in both languages, and one sentence for every error of the core."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from pages.ui import words
from pages.ui.shell.frame import COUNTED
from pages.ui.shell.manual import terms_of
from pages.ui.words import _filled, as_plain_markdown, catalogue, section, words_of
from pages.ui.words.breaks import without_breaks
from pages.ui.words.glossary import forbidden, glossary, terms_in
from tests.helpers.paths import REPOSITORY

FOLDER = Path(words.__file__).parent
ROOT = REPOSITORY
ENGLISH, THAI = catalogue("en"), catalogue("th")
# Names, file names and examples are the same in every language.
UNTRANSLATED = re.compile(
    r"examples\.(?!.*_name)|text\.ids_placeholder|tokenizers\.(gpt2|.*_base)|studio\.download|lessons\..*_text|pattern\.(?!.*what).*_name"
)


def placeholders(words: str) -> set[str]:
    """The names in braces."""
    return {name for _, name, _, _ in Formatter().parse(words) if name}


def error_codes() -> set[str]:
    """The code of every error that the core can raise: the second argument of each `...Error(...)`."""
    codes = set()
    for path in (ROOT / "tokenizer_core").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and getattr(node.func, "id", "").endswith("Error")
                and len(node.args) > 1
            ):
                codes |= {leaf.value for leaf in ast.walk(node.args[1]) if isinstance(leaf, ast.Constant)}
    return {code for code in codes if isinstance(code, str)}


def test_both_languages_have_the_same_keys() -> None:
    assert set(ENGLISH) == set(THAI)


def test_both_languages_have_the_same_files_with_the_same_sections() -> None:
    english, thai = (
        {path.name: list(tomllib.loads(path.read_text("utf-8"))) for path in FOLDER.glob(f"{language}/*")}
        for language in ("en", "th")
    )
    assert english == thai
    sections = [section for names in english.values() for section in names]
    assert len(sections) == len(set(sections))


def test_both_languages_have_the_same_names_in_braces() -> None:
    assert {key for key, words in ENGLISH.items() if placeholders(words) != placeholders(THAI[key])} == set()


def test_thai_words_are_thai() -> None:
    def must_be_thai(key: str, words: str) -> bool:
        return bool(re.search("[A-Za-z]", re.sub(r"\{\w+\}", "", words))) and not UNTRANSLATED.match(key)

    translated = [key for key, words in ENGLISH.items() if must_be_thai(key, words)]
    assert len(translated) > 600
    assert [key for key in translated if not re.search(r"[\u0e00-\u0e7f]", THAI[key])] == []


def test_every_error_of_the_core_has_its_sentence() -> None:
    codes = error_codes()
    assert len(codes) > 25
    missing = {code for code in codes if f"errors.{code}" not in ENGLISH}
    assert not missing - {"rank_file_"}


BROWSERS = [("token_view", "token_view"), ("stage", "stage"), ("vocabulary", "entries")]
"""The folders of `pages/ui` whose JavaScript has a section of the catalogue, and that section."""


@pytest.mark.parametrize(("folder", "name"), BROWSERS)
def test_the_browser_finds_its_labels_and_fills_them_all_in(folder: str, name: str) -> None:
    code = sources(ROOT / "pages" / "ui" / folder, "*.js")
    named = set(re.findall(r"labels\.(\w+)", code)) | set(re.findall(r'label\("(\w+)"', code)) - {"locale"}
    assert len(named) > 10
    assert {key for key in named if f"{name}.{key}" not in ENGLISH} == set()
    for key, values in re.findall(r'label\("(\w+)", \{([^}]*)\}', code):
        given = {value.partition(":")[0].strip() for value in values.split(",")}
        assert given == placeholders(ENGLISH[f"{name}.{key}"]), key


@pytest.mark.parametrize(("folder", "name"), BROWSERS)
def test_the_browser_has_no_label_that_nothing_shows(folder: str, name: str) -> None:
    """Python gives the browser a section as a whole, so `test_no_word_is_left_unused` sees none of its keys."""
    pages, prefix = ROOT / "pages", re.escape(f"{name}.")
    script = sources(pages / "ui" / folder, "*.js")
    texts = re.findall(r'["`]((?:\w|\$\{[^}`]*\})+)["`]', script)
    used = {re.sub(r"\$\{[^}]*\}", ".+", text) for text in texts} | set(re.findall(r"labels\.(\w+)", script))
    used |= set(templates_of(sources(pages / "ui" / folder, "*.py")))
    used |= {text.removeprefix(prefix) for text in templates_of(sources(pages, "*.py")) if text.startswith(prefix)}
    keys = re.compile("|".join(text for text in used if re.search(r"\w\w", text)))
    section_of = (key.removeprefix(f"{name}.") for key in ENGLISH if key.startswith(f"{name}."))
    assert [key for key in section_of if not keys.fullmatch(key)] == []


def templates_of(source: str) -> Iterator[str]:
    """Each text in Python code as a regular expression, with `.+` where something is put in."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield re.escape(node.value).replace(r"\{\}", ".+")
        elif isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else None for part in node.values)
            yield "".join(".+" if part is None else re.escape(str(part)) for part in parts)


def test_no_word_is_left_unused() -> None:
    """A key is used where code has it, or a text with holes that it fills, such as f"errors.{code}"."""
    pages = ROOT / "pages"
    used = {text for path in pages.rglob("*.py") for text in templates_of(path.read_text("utf-8"))}
    used |= {f"{prefix}\\..+" for prefix in re.findall(r'section\("(\w+)"', sources(pages, "*.py"))}
    in_report = re.findall(r't\("([\w.]+)"( \+)?', sources(pages, "*.html"))
    used |= {re.escape(text) + (".+" if more else "") for text, more in in_report}
    sections = {key.partition(".")[0] for key in ENGLISH}
    # f"{page}.title" has no section of its own, but a name that says enough.
    found = (text for text in used if text.partition("\\.")[0] in sections or re.fullmatch(r"\.\+\\\.\w+", text))
    keys = re.compile("|".join(found))
    assert [key for key in ENGLISH if not keys.fullmatch(key)] == []


def sources(folder: Path, names: str) -> str:
    return "".join(path.read_text("utf-8") for path in sorted(folder.rglob(names)))


def test_markdown_in_a_file_name_is_shown_as_it_is() -> None:
    assert as_plain_markdown("a*b*.txt\n# <b> :material/home:") == "` a*b*.txt⏎# <b> :material/home: `"
    assert as_plain_markdown("a``b") == "``` a``b ```"


def test_each_term_has_one_word_in_thai() -> None:
    """No variant that the glossary forbids occurs."""
    assert len(forbidden()) > 15
    found = {
        key: variant
        for key, words in THAI.items()
        for variant in forbidden()
        if variant in without_breaks(words) and not key.startswith("examples.")
    }
    assert found == {}


def test_the_glossary_explains_every_term_in_both_languages() -> None:
    english, thai = glossary("en"), glossary("th")
    assert len(english) == len(thai) > 30
    assert all(re.search("[ก-๛]", term.meaning) for term in thai)
    assert not any(re.search("[ก-๛]{4,}", term.meaning) for term in english)
    assert len({term.name for term in english}) == len(english)
    assert len({term.name for term in thai}) == len(thai)


def test_marks_of_line_breaks_are_in_thai_words_only_and_can_be_taken_out() -> None:
    plain = tomllib.loads((FOLDER / "th" / "home.toml").read_text("utf-8"))
    marked = {key: words for key, words in THAI.items() if words != without_breaks(words)}
    assert len(marked) > 200
    assert all(without_breaks(THAI[f"home.{key}"]) == words for key, words in plain["home"].items())
    assert {key for key, words in ENGLISH.items() if words != without_breaks(words)} <= {"manual.train"}
    assert not any(key.startswith("examples.") and not key.endswith("_name") for key in marked)
    assert all(words == without_breaks(words) for words in section("token_view", spoken="th").values())


def test_a_link_to_a_run_is_said_to_let_others_watch_and_only_its_owner_control() -> None:
    """`test_studio` holds that it is so."""
    for key in ("manual.train", "runs.kept", "runs.kept_days"):
        assert "watch it and save" in ENGLISH[key]
        assert re.search("[Oo]nly you can (steer|control) it", ENGLISH[key])
        assert "ดูและบันทึกผลได้ แต่มีเพียงคุณที่ควบคุมได้" in without_breaks(THAI[key])


@pytest.mark.parametrize("spoken", ["en", "th"])
@pytest.mark.parametrize(
    ("page", "script", "named"),
    [
        ("train", "stage/browser/keys.js", r'key === "([a-z])"'),
        ("stories", "deck/browser/deck.js", r"^ {6}([btcq]|Arrow\w+|Escape): "),
    ],
)
def test_the_manual_names_the_keys_that_the_page_knows(page: str, script: str, named: str, spoken: str) -> None:
    known = re.findall(named, (ROOT / "pages" / "ui" / script).read_text("utf-8"), re.MULTILINE)
    written = {"ArrowRight": "→", "ArrowLeft": "←", "Escape": "Esc"}
    said = re.split(r"Keys:|แป้นลัด:", without_breaks(catalogue(spoken)[f"manual.{page}"]))
    assert len(said) == 2
    named_keys = set(re.findall(r"(?<!\w)[A-Z](?!\w)|Esc|→|←", said[1].partition("\n")[0]))
    assert named_keys == {written.get(key, key.upper()) for key in known}


@pytest.mark.parametrize("spoken", ["en", "th"])
def test_the_manual_quotes_words_that_are_on_the_page(spoken: str) -> None:
    words = {key: without_breaks(said) for key, said in catalogue(spoken).items()}
    for page in ("train", "stories", "vocabulary"):
        quoted = re.findall("“([^”]+)”", words[f"manual.{page}"])
        assert len(quoted) > 2
        others = [said for key, said in words.items() if not key.startswith("manual.")]
        assert [quote for quote in quoted if not any(said.startswith(quote) for said in others)] == []


@pytest.mark.parametrize(
    ("words", "name", "sentence"),
    [
        ("ใช้{name}มาก", "GPT-2", "ใช้ GPT-2 มาก"),
        ("ใช้{name}มาก", "ของคุณ", "ใช้ของคุณมาก"),
        ("ใช้ {name} มาก", "GPT-2", "ใช้ GPT-2 มาก"),
        ("ใช้{name}มาก", "` th.txt `", "ใช้ ` th.txt ` มาก"),
        ("ใช้ “{name}” มาก", "GPT-2", "ใช้ “GPT-2” มาก"),
        ("ใช้\u200b{name}", "日本語", "ใช้ 日本語"),
        ("uses {name}s", "GPT-2", "uses GPT-2s"),
        ("{{{name}}}", "ก", "{ก}"),
    ],
)
def test_a_name_in_other_letters_has_a_space_where_it_would_touch_thai(
    words: str, name: str, sentence: str
) -> None:
    assert _filled(words, {"name": name}) == sentence


def test_values_are_filled_in_as_format_does_where_nothing_touches() -> None:
    for key, template in {**ENGLISH, **THAI}.items():
        if not key.startswith("examples."):
            values = dict.fromkeys(placeholders(template), "–")
            assert _filled(template, values) == template.format(**values)


def test_every_text_box_with_a_limit_is_known_to_have_a_count() -> None:
    """Streamlit writes the count where it else writes what to press, and styles cannot tell them apart."""
    limited = sources(ROOT / "pages", "*.py").count("max_chars=")
    assert limited == len(COUNTED)


@pytest.mark.parametrize("spoken", ["en", "th"])
@pytest.mark.parametrize("page", ["train", "compare", "languages", "patterns", "vocabulary"])
def test_the_glossary_of_a_page_has_the_terms_of_its_words_in_order(page: str, spoken: str) -> None:
    listed = terms_of(page, spoken)
    assert 5 < len(listed) < len(glossary(spoken))
    assert listed == sorted(listed, key=glossary(spoken).index)
    for sentence in (*words_of(page, spoken).values(), catalogue(spoken)[f"manual.{page}"]):
        assert set(terms_in(sentence, spoken)) <= set(listed)


def test_terms_are_found_as_words_of_their_own_and_the_longest_first() -> None:
    def found(text: str, spoken: str) -> list[str]:
        return [without_breaks(term.name) for term in terms_in(text, spoken)]

    assert found("Token ids of tokenizers", "en") == ["tokenizer", "token id"]
    assert found("tokenized impairs", "en") == []
    assert found("คู่ประโยคผ่านตัวแบ่ง", "th") == ["ตัวแบ่งโทเค็น (tokenizer)", "คู่ประโยค"]
    assert all(
        terms_in(form, spoken) for spoken in ("en", "th") for term in glossary(spoken) for form in term.forms
    )


def test_every_trap_of_an_export_has_its_sentence() -> None:
    codes = {
        node.args[1].value
        for path in (ROOT / "tokenizer_core" / "formats").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "Trap.of"
        and isinstance(node.args[1], ast.Constant)
    }
    assert len(codes) > 6
    assert codes == {key.removeprefix("traps.") for key in ENGLISH if key.startswith("traps.")}


def test_no_thai_sentence_says_cut_twice_in_a_row() -> None:
    """A split pattern is กฎการตัด in Thai, and what it does is ตัด: another order of words parts them."""
    doubled = [key for key, words in catalogue("th").items() if "ตัดตัด" in words.replace("*", "")]
    assert not doubled
