"""The visible words: complete in both languages, and one sentence for every error of the core."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from pages.ui import i18n as words
from pages.ui.frame.frame import COUNTED
from pages.ui.frame.manual import terms_of
from pages.ui.i18n import as_plain_markdown, catalogue, filled, section, words_of
from pages.ui.i18n.breaks import without_breaks
from pages.ui.i18n.glossary import glossary, terms_in
from tests.helpers.paths import REPOSITORY, tree
from tokenizer_core import errors

FOLDER = Path(words.__file__).parent
ROOT = REPOSITORY
ENGLISH, THAI = catalogue("en"), catalogue("th")
# Names, file names and examples are the same in every language.
UNTRANSLATED = re.compile(
    r"examples\.(?!.*_name)|text\.ids_placeholder|tokenizers\.(gpt2|.*_base)|studio\.download|lessons\..*_text|pattern\.(?!.*what).*_name|mix\.size_bytes"
)


def placeholders(words: str) -> set[str]:
    """The names in braces."""
    return {name for _, name, _, _ in Formatter().parse(words) if name}


def shown(words: str) -> set[str]:
    """The names in braces whose values are written, not only asked whether they are 1."""
    return {name for _, name, form, _ in Formatter().parse(words) if name and "|" not in (form or "")}


def choices(words: str) -> list[tuple[str, str]]:
    """The names that choose between two words, each with these words: "token|tokens"."""
    return [(name, form) for _, name, form, _ in Formatter().parse(words) if name and form and "|" in form]


def trees(folder: str) -> Iterator[ast.Module]:
    """The parsed files of a folder."""
    for path in (ROOT / folder).rglob("*.py"):
        yield tree(path)


ERRORS = [name for name, each in vars(errors).items() if isinstance(each, type) and issubclass(each, Exception)]


def made_errors() -> Iterator[tuple[str, set[str] | None]]:
    """The code of each error that is made, and the names of its values; None if they are not all written there.

    A code is the first argument of an error, or the `code` of a function of the core in the same file.
    """
    for parsed in (*trees("tokenizer_core"), *trees("pages/ui")):
        place_of = dict.fromkeys(ERRORS, 0)
        for node in ast.walk(parsed):
            if isinstance(node, ast.FunctionDef) and "code" in (names := [each.arg for each in node.args.args]):
                place_of[node.name] = names.index("code") - (names[0] in ("self", "cls"))
        for call in (node for node in ast.walk(parsed) if isinstance(node, ast.Call)):
            name = getattr(call.func, "id", getattr(call.func, "attr", ""))
            values = {each.arg for each in call.keywords if each.arg}
            is_whole = name in ERRORS and len(values) == len(call.keywords)
            for argument in call.args[place_of.get(name, len(call.args)) :][:1]:
                chosen = [argument.body, argument.orelse] if isinstance(argument, ast.IfExp) else [argument]
                for each in chosen:
                    if (
                        isinstance(each, ast.Constant)
                        and isinstance(each.value, str)
                        and each.value.isidentifier()
                    ):
                        yield each.value, values if is_whole else None


def test_both_languages_have_the_same_keys() -> None:
    assert set(ENGLISH) == set(THAI)


def test_both_languages_have_the_same_files_with_the_same_sections() -> None:
    english, thai = (
        {path.name: list(tomllib.loads(path.read_text("utf-8"))) for path in paths}
        for paths in ([*FOLDER.glob("en/*"), ROOT / "tokenizer_core" / "errors.toml"], FOLDER.glob("th/*"))
    )
    assert english == thai
    sections = [section for names in english.values() for section in names]
    assert len(sections) == len(set(sections))


def test_both_languages_have_the_same_names_in_braces() -> None:
    assert {key for key, words in ENGLISH.items() if shown(words) != shown(THAI[key])} == set()


def test_only_english_chooses_a_word_by_a_number_and_from_two() -> None:
    by_number = {key: choices(words) for key, words in ENGLISH.items() if choices(words)}
    assert len(by_number) > 70
    assert [form for forms in by_number.values() for _, form in forms if len(set(form.split("|"))) != 2] == []
    assert [key for key, words in THAI.items() if choices(words)] == []


COUNTED_NOUNS = (
    "articles|bytes|characters|chats|days|differences|entries|files|hours|ids|languages|letters|lines|merges|minutes"
    "|numbers|pairs|parts|pieces|places|rows|sentences|spaces|texts|times|titles|tokenizers|tokens|uses|words"
)
NEVER_ONE = {"bytes", "hostile", "limit", "most", "size", "wanted", "library", "name", "share", "tokenizer"}
"""Names of what is never 1: limits, the 256 bytes, vocabulary sizes, the texts of a proof; and of no number."""
OF_FIXED_TEXTS = re.compile(
    r"(stories|lessons|special|chat|gpt2_files|frontier|methods)\..*|train\.card_.*_says|home\.bill_source|.*_sample"
    r"|text\..*|hints\.checked|vocabulary\.text_part|race\.another_help|pieces\.chips_cut|talk\.(shortened|fair_says)"
    r"|exports\.proving|languages\.month_says|costs\.(start|two_stages_what)|race\.cut|parting\.meets_often"
    r"|stage\.part_.*|counts\.dropped|errors\..*"
)
"""Keys whose numbers are never 1: counts of texts that do not change, samples, and what is only said of many."""


def test_no_english_number_stands_before_a_plural_without_asking_whether_it_is_one() -> None:
    """Such as "{count} tokens", "{count} more tokens" or "{count} token(s)"."""
    plural = re.compile(rf"\{{(\w+)\}}\*{{0,2}} (?:[a-z-]+ ){{0,2}}?(?:{COUNTED_NOUNS})\b(?! as)")
    told = {key: words for key, words in ENGLISH.items() if not OF_FIXED_TEXTS.fullmatch(key)}
    found = {key for key, words in told.items() if not NEVER_ONE.issuperset(plural.findall(words))}
    assert found == set()
    assert [key for key, words in ENGLISH.items() if "(s)" in words] == []


def test_thai_words_are_thai() -> None:
    def must_be_thai(key: str, words: str) -> bool:
        return bool(re.search("[A-Za-z]", re.sub(r"\{\w+\}", "", words))) and not UNTRANSLATED.match(key)

    translated = [key for key, words in ENGLISH.items() if must_be_thai(key, words)]
    assert len(translated) > 600
    assert [key for key in translated if not re.search(r"[\u0e00-\u0e7f]", THAI[key])] == []


def test_every_error_has_its_sentence_and_gives_the_values_in_it() -> None:
    made = list(made_errors())
    assert len(made) > 200
    assert {code for code, _ in made if f"errors.{code}" not in ENGLISH} == set()
    assert {
        code
        for code, values in made
        if values is not None and placeholders(ENGLISH[f"errors.{code}"]) - values - {"character"}
    } == set()


def test_no_sentence_of_an_error_is_left_unused() -> None:
    nodes = (node for parsed in (*trees("tokenizer_core"), *trees("pages/ui")) for node in ast.walk(parsed))
    texts = {node.value for node in nodes if isinstance(node, ast.Constant)}
    sentences = (key.removeprefix("errors.") for key in ENGLISH if key.startswith("errors."))
    assert [code for code in sentences if code not in texts] == []


BROWSERS = [
    ("widgets/token_view", "token_view"),
    ("widgets/player", "stage"),
    ("widgets/abreast", "abreast"),
    ("vocabulary", "entries"),
    ("learn", "lesson"),
]
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
    assert [key for key in ENGLISH.keys() - errors.english() if not keys.fullmatch(key)] == []


def sources(folder: Path, names: str) -> str:
    return "".join(path.read_text("utf-8") for path in sorted(folder.rglob(names)))


def test_markdown_in_a_file_name_is_shown_as_it_is() -> None:
    assert as_plain_markdown("a*b*.txt\n# <b> :material/home:") == "` a*b*.txt⏎# <b> :material/home: `"
    assert as_plain_markdown("a``b") == "``` a``b ```"


def test_each_term_has_one_word_in_thai() -> None:
    """No variant that the glossary forbids occurs."""
    terms = tomllib.loads((REPOSITORY / "pages" / "ui" / "i18n" / "glossary.toml").read_text("utf-8"))["term"]
    forbidden = {variant for term in terms for variant in term.get("never", ())}
    assert len(forbidden) > 15
    found = {
        key: variant
        for key, words in THAI.items()
        for variant in forbidden
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
    assert {key for key, words in ENGLISH.items() if words != without_breaks(words)} <= {
        "languages.fewest",
        "manual.train",
        "stage.here",
    }
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
        ("train", "widgets/player/browser/stage.js", r'key === "([a-z])"'),
        ("stories", "widgets/slides/browser/deck.js", r"^ {6}([btceq]|Arrow\w+|Escape): "),
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
    assert filled(words, name=name) == sentence


def test_values_are_filled_in_as_format_does_where_nothing_touches() -> None:
    for key, template in {**ENGLISH, **THAI}.items():
        if not key.startswith("examples."):
            plain = re.sub(r"\{\w+:[^|}]*\|([^}]*)\}", r"\1", re.sub(r"!r\}|:g\}", "}", template))
            values = dict.fromkeys(placeholders(template), "–")
            assert filled(template, **values) == plain.format(**values)


def test_every_text_box_with_a_limit_is_known_to_have_a_count() -> None:
    """Streamlit writes the count where it else writes what to press, and styles cannot tell them apart."""
    limited = sources(ROOT / "pages", "*.py").count("max_chars=") - 2  # live boxes write neither
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


def test_no_thai_sentence_says_cut_twice_in_a_row() -> None:
    """A split pattern is กฎการตัด in Thai, and what it does is ตัด: another order of words parts them."""
    doubled = [key for key, words in catalogue("th").items() if "ตัดตัด" in words.replace("*", "")]
    assert not doubled
