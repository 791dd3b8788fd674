"""The stories: each function counts its figures when it is called; and the lanes that they need."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import regex
from numpy.typing import NDArray

from pages.ui.i18n import t
from pages.ui.inputs.parallel_texts import sample_parallel
from pages.ui.inputs.tokenizers import entries_with_thai, reference_lanes, why_not_encodable
from pages.ui.stories.form import Figure, Part, Story
from pages.ui.widgets import formatting
from pages.ui.widgets.token_view.drawings import token_count
from pages.ui.widgets.token_view.lanes import Label, Lane, pretoken_lane
from tokenizer_core.analysis.bootstrap import SHARE, premium_intervals
from tokenizer_core.analysis.segmenters import newmm
from tokenizer_core.bpe.openai import OPENAI_NAMES, openai_tokenizer
from tokenizer_core.bpe.parity_trainer import Group, ParityTrainer
from tokenizer_core.bpe.protocols import count_tokens
from tokenizer_core.bpe.segments import segments
from tokenizer_core.bpe.tokenizer import Tokenizer
from tokenizer_core.bpe.trainer import Trainer, train
from tokenizer_core.patterns.pretokens import count_pretokens
from tokenizer_core.readers.mixing import held_out

GPT2, CL100K, O200K = "gpt2", "cl100k_base", "o200k_base"
HOME_SIZE = 2_000
"""The vocabulary size of the tokenizer trained here: a fifth of a second on the bundled Thai lines."""
FAIR_SIZE = 1_000
ENGLISH_PER_THAI = 10
"""English sentences for each Thai one in the text that both tokenizers of the story on fairness learn from."""
MOST_OF_A_PAIR = 80
"""Characters of both sides of the pair that is drawn: they fit in a line each."""
ARTICLE_SIZE = 512
ARTICLE_FIGURES = {"article_english": 34, "article_thai": 26}
"""What the article on Thai tokenizers found for its pair, with 512 entries learned from 2.2 MB of Thai."""
BANGKOK = (
    "กรุงเทพมหานคร อมรรัตนโกสินทร์ มหินทรายุธยา มหาดิลกภพ นพรัตนราชธานีบูรีรมย์ "
    "อุดมราชนิเวศน์มหาสถาน อมรพิมานอวตารสถิต สักกะทัตติยวิษณุกรรมประสิทธิ์"
)
ROYAL = "ขอพระราชทานกราบบังคมทูลเชิญเสวยพระกระยาหาร"


def make_story(name: str) -> Story:
    """Return a story; raise `RankFileError` if a reference it needs is missing."""
    return STORIES[name](name)


def make_story_beside(name: str, beside: Sequence[Lane]) -> Story:
    """Return a story with other tokenizers beside its own lanes, except those that cannot encode its texts."""
    story = make_story(name)
    able = [lane for lane in beside if not any(why_not_encodable(lane, part.text) for part in story.parts)]
    return replace(story, beside=able)


def _parts(**texts: str) -> list[Part]:
    """Return texts with the labels stories.part_KEY; a text by itself needs none."""
    return [Part(key, text, t(f"stories.part_{key}") if len(texts) > 1 else "") for key, text in texts.items()]


def _sizes(text: str) -> tuple[int, int]:
    """Return the characters and the bytes of a text, which many people guess."""
    return len(text), len(text.encode())


def _plain(
    answer: str, against: str, decoys: Sequence[Figure], *lanes: str, **texts: str
) -> Callable[[str], Story]:
    """Return what makes a story of texts in these references, or in all; its answer is held against a figure."""
    return lambda name: Story(name, _parts(**texts), references(*lanes), answer, (answer, against), decoys)


# ---- lanes: references, tokenizers trained for a story, and other ways to read a text


def references(*names: str) -> dict[str, Lane]:
    """Return the lanes of these references, or of all; raise `RankFileError` if one is missing."""
    names = names or tuple(OPENAI_NAMES)
    for name in names:
        openai_tokenizer(name)
    return {lane.key: lane for lane in reference_lanes(names)}


def home_made(size: int, *, keeps_lines_out: bool) -> Lane:
    """Return the lane of a tokenizer trained now on the bundled Thai lines, or on four fifths of them."""
    tokenizer = _trained_on_sample(size, keeps_lines_out)
    caption = t("tokenizers.entries", count=tokenizer.vocab_size)
    return Lane(f"story home {size} {keeps_lines_out}", Label(t("stories.home"), caption), tokenizer)


@cache
def _trained_on_sample(size: int, keeps_lines_out: bool) -> Tokenizer:
    lines = sample_parallel().lines[0]
    return train(held_out(lines)[0] if keeps_lines_out else lines, size)


def fair_lane(way: str) -> Lane:
    """Return the lane of the tokenizer trained on much English and little Thai, "plain" or by parity, "fair"."""
    tokenizer = _trained_for_fairness()[way]
    caption = t("tokenizers.entries", count=tokenizer.vocab_size)
    return Lane(f"story fair {way}", Label(t(f"stories.lane_{way}"), caption), tokenizer)


@cache
def _trained_for_fairness() -> dict[str, Tokenizer]:
    """Train twice on the same text: all English lines but the held-out ones, and every tenth of the Thai ones.

    For parity, the lines that there are in both languages are measured.
    """
    thai, english = (held_out(side)[0] for side in sample_parallel().lines)
    few, translated = thai[::ENGLISH_PER_THAI], english[::ENGLISH_PER_THAI]
    counts = [count_pretokens(lines, "mark_aware") for lines in (few, english)]
    groups = [Group(counts[0], 1), Group(counts[1], 1, count_pretokens(translated, "mark_aware"))]
    trainers: dict[str, Trainer | ParityTrainer] = {
        "plain": Trainer(count_pretokens([*few, *english], "mark_aware"), FAIR_SIZE, min_count=2),
        "fair": ParityTrainer(groups, FAIR_SIZE, min_count=2),
    }
    return {
        way: Tokenizer([(merge.left, merge.right) for merge in trainer.step(FAIR_SIZE)])
        for way, trainer in trainers.items()
    }


def trained_on(name: str, texts: Sequence[str], size: int, pattern: str) -> Lane:
    """Return the lane of a tokenizer trained now on a few short texts; its words are stories.lane_NAME."""
    tokenizer = train(texts, size, pattern=pattern)
    caption = t("tokenizers.entries", count=tokenizer.vocab_size)
    return Lane(f"story {name} {size} {pattern} {texts!r}", Label(t(f"stories.lane_{name}"), caption), tokenizer)


def after_merges(tokenizer: Tokenizer, text: str) -> dict[str, Lane]:
    """Return a lane for each number of merges, from none to all."""
    lanes = {}
    for count in range(len(tokenizer.merges) + 1):
        earlier = tokenizer.at(256 + count)
        caption = t("stories.newest", token=tokenizer.vocabulary[255 + count].decode()) if count else ""
        label = Label(t("stories.after_merges", count=count), caption)
        lanes[f"after_{count}"] = Lane(f"story merges {count} {text}", label, earlier)
    return lanes


def reading(label: Label, words: Sequence[str]) -> Lane:
    """Return a way to read a text as a lane whose pieces are these words."""
    return pretoken_lane("|".join(map(regex.escape, words)), label)


# ---- what languages pay


def _doctor(name: str) -> Story:
    thai, english = t("examples.sample").split("\n")
    return Story(
        name,
        _parts(thai=thai, english=english),
        references(),
        "gpt2_thai",
        ("gpt2_thai", "gpt2_english"),
        _sizes(thai),
    )


def _no_letter(name: str) -> Story:
    lanes = references()
    facts = {f"{key}_entries": entries_with_thai(lane) for key, lane in lanes.items()}
    facts["size"] = lanes[GPT2].tokenizer.vocab_size
    return Story(
        name,
        _parts(letters="กขคงจฉ"),
        lanes,
        "gpt2_entries",
        ("gpt2_entries", "o200k_base_entries"),
        (44, 1_500),
        facts,
    )


def _article(name: str) -> Story:
    lanes = {"own": home_made(ARTICLE_SIZE, keeps_lines_out=False), **references(GPT2)}
    parts = _parts(thai="เมื่อสังคมมีวิวัฒนาการขึ้นในดินแดนต่าง", english="When society evolved in different lands")
    return Story(
        name,
        parts,
        lanes,
        "own_english",
        ("own_english", "own_thai"),
        facts={"size": ARTICLE_SIZE, **ARTICLE_FIGURES},
    )


def _tables_turned(name: str) -> Story:
    lanes = {"own": home_made(HOME_SIZE, keeps_lines_out=True), **references(O200K)}
    thai, english = (held_out(side)[1] for side in sample_parallel().lines)
    totals = [count_tokens(lanes["own"].tokenizer, side) for side in (thai, english)]
    premium = formatting.ratio(totals[1] / totals[0])
    facts: dict[str, Figure] = {"size": HOME_SIZE, "lines": len(thai)}
    facts |= {"thai": totals[0], "english": totals[1], "premium": premium}
    return Story(
        name,
        _parts(thai=thai[0], english=english[0]),
        lanes,
        "own_english",
        ("own_english", "own_thai"),
        facts=facts,
    )


def _fair(name: str) -> Story:
    """Hold plain BPE against parity on the same text; count pairs that neither has seen, and draw one of them."""
    lanes = {way: fair_lane(way) for way in ("plain", "fair")}
    pairs = list(zip(*(held_out(side)[1] for side in sample_parallel().lines), strict=True))
    tokens = np.array(
        [[lane.tokenizer.encode_each(side).counts for side in zip(*pairs)] for lane in lanes.values()]
    )
    totals, intervals = tokens.sum(axis=2), premium_intervals(tokens[:, 0], tokens[:, 1])
    typical = _most_typical(tokens, [sum(map(len, pair)) for pair in pairs])
    thai, english = pairs[typical]
    facts: dict[str, Figure] = {"size": FAIR_SIZE, "lines": len(pairs), "times": ENGLISH_PER_THAI}
    for way, premium, interval in zip(lanes, totals[:, 0] / totals[:, 1], intervals, strict=True):
        facts |= {f"{way}_premium": formatting.ratio(premium), f"{way}_interval": formatting.interval(interval)}
    facts["less"] = formatting.share(1 - totals[1, 0] / totals[0, 0])
    facts["more"] = formatting.share(totals[1, 1] / totals[0, 1] - 1)
    facts["share"] = formatting.share(SHARE)
    return Story(
        name,
        _parts(thai=thai, english=english),
        lanes,
        "fair_thai",
        ("plain_thai", "fair_thai"),
        (int(tokens[0, 1, typical]),),
        facts,
    )


def _most_typical(tokens: NDArray[np.int64], characters: Sequence[int]) -> int:
    """Return the short pair whose tokens, by tokenizer and language, have the ratios of the totals most nearly."""
    whole = np.log(tokens.sum(axis=2, keepdims=True) / tokens.sum())
    of_each = np.log(np.maximum(tokens, 1) / np.maximum(tokens.sum(axis=(0, 1)), 1))
    off = np.abs(of_each - whole).sum(axis=(0, 1))
    return int(np.where(np.array(characters) <= MOST_OF_A_PAIR, off, np.inf).argmin())


def _home_made(name: str) -> Story:
    lanes = {"own": home_made(HOME_SIZE, keeps_lines_out=True), **references(O200K)}
    lines = held_out(sample_parallel().lines[0])[1]
    own, other = ([token_count(lane, line) for line in lines] for lane in lanes.values())
    saved = [theirs - ours for ours, theirs in zip(own, other, strict=True)]
    most = lines[saved.index(max(saved))]
    facts = {"size": HOME_SIZE, "lines": len(lines), "own": sum(own), "other": sum(other)}
    facts["entries"] = lanes[O200K].tokenizer.vocab_size
    return Story(name, _parts(most=most), lanes, "own_most", ("own_most", "o200k_base_most"), facts=facts)


def _bangkok(name: str) -> Story:
    parts = _parts(everyday="กรุงเทพฯ", ceremonial=BANGKOK)
    return Story(
        name,
        parts,
        references(),
        "gpt2_ceremonial",
        ("gpt2_ceremonial", "characters"),
        _sizes(BANGKOK),
        {"characters": len(BANGKOK)},
    )


def _football(name: str) -> Story:
    lanes = references(O200K)
    parts = _parts(hello="สวัสดี", league="พรีเมียร์ลีก", hospital="โรงพยาบาล", soup="ต้มยำกุ้ง")
    fewest = min(parts, key=lambda part: token_count(lanes[O200K], part.text)).text
    return Story(
        name,
        parts,
        lanes,
        "fewest",
        ("o200k_base_league", "o200k_base_hello"),
        [part.text for part in parts],
        {"fewest": fewest},
    )


# ---- how tokens are made


def _classic(name: str) -> Story:
    text = "aaabdaaabac"
    merges = Trainer(count_pretokens([text], "none"), 259).step(3)
    tokenizer = train(text, 259, pattern="none")
    facts: dict[str, Figure] = {f"count_{place}": merge.count for place, merge in enumerate(merges, 1)}
    facts |= {f"token_{place}": entry.decode() for place, entry in enumerate(tokenizer.vocabulary[256:], 1)}
    facts["letters"] = len(text)
    return Story(
        name,
        _parts(text=text),
        after_merges(tokenizer, text),
        "after_3_text",
        ("after_3_text", "letters"),
        (3, 8),
        facts,
    )


def _dog(name: str) -> Story:
    learned = ["dog.", "dog!", "dog?"] * 3
    lanes = {
        "bare": trained_on("bare", learned, 261, "none"),
        "split": trained_on("split", learned, 261, "gpt2"),
        **references(GPT2),
    }
    facts = {f"{key}_entries": _entries_with(lane, b"dog") for key, lane in lanes.items() if key != GPT2}
    parts = _parts(full_stop="dog.", exclamation="dog!", question_mark="dog?")
    return Story(name, parts, lanes, "bare_entries", ("bare_entries", "split_entries"), (1, 3), facts)


def _entries_with(lane: Lane, inside: bytes) -> int:
    tokenizer = lane.tokenizer
    return sum(inside in tokenizer.token_bytes(token_id) for token_id in range(tokenizer.vocab_size))


def _never(name: str) -> Story:
    patterns = ("gpt2", "llama3", "mark_aware")
    names = {pattern: t(f"pattern.{pattern}_name") for pattern in patterns}
    names["mark_aware"] = t("stories.lane_mark_aware")  # below names of models, that it is none of theirs
    lanes = {pattern: pretoken_lane(pattern, Label(name)) for pattern, name in names.items()}
    words = ("กำลัง", "เรียน", "ที่", "โรงเรียน")
    return Story(
        name,
        _parts(phrase="".join(words)),
        lanes,
        "gpt2_phrase",
        ("gpt2_phrase", "mark_aware_phrase"),
        (1, len(words)),
    )


def _round_eyes(name: str) -> Story:
    text, ways = "ตากลม", {"eyes": ("ตา", "กลม"), "breeze": ("ตาก", "ลม")}
    lanes = {name: reading(Label(t(f"stories.lane_{name}")), words) for name, words in ways.items()}
    if (segmenter := newmm()) is not None:
        lanes["newmm"] = reading(Label(segmenter.name), list(segmenter.split(text)))
    lanes |= references(CL100K, O200K)
    cut = " | ".join(piece.text for piece in segments(text, lanes[O200K].tokenizer))
    decoys = [" | ".join(words) for words in (*ways.values(), text)]
    note = "" if segmenter else t("stories.without_newmm")
    return Story(
        name, _parts(text=text), lanes, "cut", ("o200k_base_text", "cl100k_base_text"), decoys, {"cut": cut}, note
    )


STORIES: dict[str, Callable[[str], Story]] = {
    "doctor": _doctor,
    "water": _plain("gpt2_water", "o200k_base_water", (1, 9), water="น้ำ"),
    "no_letter": _no_letter,
    "article": _article,
    "tables_turned": _tables_turned,
    "fair": _fair,
    "home_made": _home_made,
    "polite": _plain(
        "gpt2_politely",
        "gpt2_english",
        _sizes("ขอบคุณค่ะ"),
        plainly="ขอบคุณ",
        politely="ขอบคุณค่ะ",
        english="Thank you",
    ),
    "registers": _plain(
        "o200k_base_royal",
        "o200k_base_chat",
        _sizes(ROYAL)[:1],
        chat="กินข้าวกัน",
        polite="เชิญรับประทานอาหารค่ะ",
        official="ขอเรียนเชิญท่านร่วมรับประทานอาหาร",
        royal=ROYAL,
    ),
    "bangkok": _bangkok,
    "loanword": _plain("gpt2_thai", "gpt2_english", _sizes("เฟซบุ๊ก"), english="Facebook", thai="เฟซบุ๊ก"),
    "digits": _plain(
        "o200k_base_thai_digits", "o200k_base_arabic", _sizes("๒๕๖๗"), arabic="2567", thai_digits="๒๕๖๗"
    ),
    "football": _football,
    "chat": _plain(
        "o200k_base_much_drawn",
        "o200k_base_much",
        (1, 2),
        O200K,
        laugh="555",
        sir="ครับ",
        sir_typed="คับ",
        much="มาก",
        much_drawn="มากกกกก",
    ),
    "twins": _plain("o200k_base_twin", "o200k_base_right", (1, 2), right="แม่", twin="เเม่"),
    "two_signs": _plain("o200k_base_two", "o200k_base_one", (1, 2), one="ทำ", two="ท\u0e4d\u0e32"),
    "zero_width": _plain("o200k_base_hidden", "o200k_base_plain", (2, 4), plain="ภาษาไทย", hidden="ภาษา\u200bไทย"),
    "indented": _plain(
        "gpt2_indented", "gpt2_bare", (2, 3), GPT2, CL100K, bare="return rain", indented="        return rain"
    ),
    "classic": _classic,
    "dog": _dog,
    "never": _never,
    "round_eyes": _round_eyes,
}
"""The stories in the order they are offered. Another story X takes one more line, and the words stories.X_name,
X_setting, X_question, X_says and X_remember; X_more if there is more to say."""
