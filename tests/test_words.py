"""The visible words: complete in both languages, and one sentence for every error of the core."""

import ast
import re
from pathlib import Path
from string import Formatter

from pages.ui.words import as_plain_markdown, catalogue

ROOT = Path(__file__).resolve().parents[1]
ENGLISH, THAI = catalogue("en"), catalogue("th")
# Names, file names and examples are the same in every language.
UNTRANSLATED = re.compile(
    r"examples\.(?!.*_name)|text\.ids_placeholder|tokenizers\.(gpt2|.*_base)|studio\.download|pattern\.(?!.*what).*_name"
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


def test_the_token_view_finds_its_labels_and_fills_them_all_in() -> None:
    code = "".join(path.read_text("utf-8") for path in (ROOT / "pages" / "ui" / "token_view").rglob("*.js"))
    named = set(re.findall(r"labels\.(\w+)", code)) | set(re.findall(r'label\("(\w+)"', code))
    assert len(named) > 50
    assert {key for key in named if f"token_view.{key}" not in ENGLISH} == set()
    for key, values in re.findall(r'label\("(\w+)", \{([^}]*)\}', code):
        given = {value.partition(":")[0].strip() for value in values.split(",")}
        assert given == placeholders(ENGLISH[f"token_view.{key}"]), key


def test_no_word_is_left_unused() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "pages").rglob("*.py"))
    families: tuple[str, ...] = (
        "token_view.",
        "pretoken_view.",
        "errors.",
        "examples.",
        "pattern.",
        "nav.",
        "train.pace_",
        "tokenizers.",
        "hints.",
    )
    families += ("corpus.sample", "corpus.upload", "corpus.paste", "text.", "studio.starting", "studio.counting")
    families += ("encodings.", "corpus.nothing_yet_", "corpus.label", "home.title", "train.title", "compare.title")
    families += ("corpus.wikipedia", "wikipedia.th", "wikipedia.en", "mix.bytes", "mix.characters")
    families += (
        "languages.title",
        "languages.source_",
        "languages.joining_",
        "languages.how_",
        "languages.order_",
    )
    families += ("languages.view_", "languages.th", "languages.en", "languages.left", "languages.cost")
    families += ("metrics.", "stories.", "report.bars", "report.distribution", "race.upload_")
    families += ("patterns.title", "lab.first", "lab.second", "costs.thai", "costs.latin", "costs.other")
    families += ("costs.two_stages", "costs.words", "branches.", "lab.figure_", "regex.")
    families += ("files.kind_", "files.head_", "curves.", "runs.state_", "recipe.field_")
    unused = [key for key in ENGLISH if f'"{key}"' not in code.replace("'", '"') and not key.startswith(families)]
    assert not unused


def test_markdown_in_a_file_name_is_shown_as_it_is() -> None:
    assert as_plain_markdown("a*b*.txt\n# <b> :material/home:") == "` a*b*.txt⏎# <b> :material/home: `"
    assert as_plain_markdown("a``b") == "``` a``b ```"
