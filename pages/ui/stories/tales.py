"""The stories: each function counts what it tells when it is called."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from pages.ui.choices.parallel_texts import sample_parallel
from pages.ui.choices.tokenizers import entries_with_thai, why_not
from pages.ui.stories.form import Figure, Part, Story
from pages.ui.stories.lanes import (
    CL100K,
    GPT2,
    O200K,
    after_merges,
    home_made,
    newmm_lane,
    reading,
    references,
    trained_on,
)
from pages.ui.token_view.drawings import token_count
from pages.ui.token_view.lanes import Label, Lane, pretoken_lane
from pages.ui.widgets import written
from pages.ui.words import t
from tokenizer_core.pretokens import count_pretokens
from tokenizer_core.protocols import count_tokens
from tokenizer_core.segments import segments
from tokenizer_core.texts.mixing import held_out
from tokenizer_core.trainer import Trainer, train

HOME_SIZE = 2_000
"""The vocabulary size of the tokenizer trained here: a fifth of a second on the bundled Thai lines."""
ARTICLE_SIZE = 512
ARTICLE_FIGURES = {"article_english": 34, "article_thai": 26}
"""What the article on Thai tokenizers found for its pair, with 512 entries learned from 2.2 MB of Thai."""
BANGKOK = (
    "กรุงเทพมหานคร อมรรัตนโกสินทร์ มหินทรายุธยา มหาดิลกภพ นพรัตนราชธานีบูรีรมย์ "
    "อุดมราชนิเวศน์มหาสถาน อมรพิมานอวตารสถิต สักกะทัตติยวิษณุกรรมประสิทธิ์"
)


def story(name: str) -> Story:
    """Return a story; raise `RankFileError` if a reference it needs is missing."""
    return STORIES[name](name)


def beside_story(name: str, beside: Sequence[Lane]) -> Story:
    """Return a story with other tokenizers beside its own lanes, except those that cannot encode its texts."""
    told = story(name)
    able = [lane for lane in beside if not any(why_not(lane, part.text) for part in told.parts)]
    return replace(told, beside=able)


def _parts(**texts: str) -> list[Part]:
    """Return texts with the labels stories.part_KEY."""
    return [Part(key, text, t(f"stories.part_{key}")) for key, text in texts.items()]


def _only(key: str, text: str) -> list[Part]:
    return [Part(key, text)]


def _sizes(text: str) -> tuple[int, int]:
    """Return the characters and the bytes of a text, which many people guess."""
    return len(text), len(text.encode())


# ---- what languages pay


def _doctor(name: str) -> Story:
    thai, english = t("examples.sample").split("\n")
    return Story(name, _parts(thai=thai, english=english), references(), "gpt2_thai", _sizes(thai))


def _water(name: str) -> Story:
    return Story(name, _only("water", "น้ำ"), references(), "gpt2_water", (1, len("น้ำ".encode())))


def _no_letter(name: str) -> Story:
    lanes = references()
    facts = {f"{key}_entries": entries_with_thai(lane) for key, lane in lanes.items()}
    facts["size"] = lanes[GPT2].tokenizer.vocab_size
    return Story(name, _only("letters", "กขคงจฉ"), lanes, "gpt2_entries", (44, 1_500), facts)


def _article(name: str) -> Story:
    lanes = {"own": home_made(ARTICLE_SIZE, keeps_lines_out=False), **references(GPT2)}
    parts = _parts(thai="เมื่อสังคมมีวิวัฒนาการขึ้นในดินแดนต่าง", english="When society evolved in different lands")
    return Story(name, parts, lanes, "own_english", facts={"size": ARTICLE_SIZE, **ARTICLE_FIGURES})


def _tables_turned(name: str) -> Story:
    lanes = {"own": home_made(HOME_SIZE, keeps_lines_out=True), **references(O200K)}
    thai, english = (held_out(side)[1] for side in sample_parallel().lines)
    totals = [count_tokens(lanes["own"].tokenizer, side) for side in (thai, english)]
    premium = written.ratio(totals[1] / totals[0])
    facts: dict[str, Figure] = {"size": HOME_SIZE, "lines": len(thai)}
    facts |= {"thai": totals[0], "english": totals[1], "premium": premium}
    return Story(name, _parts(thai=thai[0], english=english[0]), lanes, "own_english", facts=facts)


def _home_made(name: str) -> Story:
    lanes = {"own": home_made(HOME_SIZE, keeps_lines_out=True), **references(O200K)}
    lines = held_out(sample_parallel().lines[0])[1]
    own, other = ([token_count(lane, line) for line in lines] for lane in lanes.values())
    saved = [theirs - ours for ours, theirs in zip(own, other, strict=True)]
    most = lines[saved.index(max(saved))]
    facts = {"size": HOME_SIZE, "lines": len(lines), "own": sum(own), "other": sum(other)}
    facts["entries"] = lanes[O200K].tokenizer.vocab_size
    return Story(name, _only("most", most), lanes, "own_most", facts=facts)


def _polite(name: str) -> Story:
    parts = _parts(plainly="ขอบคุณ", politely="ขอบคุณค่ะ", english="Thank you")
    return Story(name, parts, references(), "gpt2_politely", _sizes("ขอบคุณค่ะ"))


def _registers(name: str) -> Story:
    parts = _parts(
        chat="กินข้าวกัน",
        polite="เชิญรับประทานอาหารค่ะ",
        official="ขอเรียนเชิญท่านร่วมรับประทานอาหาร",
        royal="ขอพระราชทานกราบบังคมทูลเชิญเสวยพระกระยาหาร",
    )
    return Story(name, parts, references(), "o200k_base_royal", (len(parts[-1].text),))


def _bangkok(name: str) -> Story:
    parts = _parts(everyday="กรุงเทพฯ", ceremonial=BANGKOK)
    return Story(name, parts, references(), "gpt2_ceremonial", _sizes(BANGKOK), {"characters": len(BANGKOK)})


def _loanword(name: str) -> Story:
    parts = _parts(english="Facebook", thai="เฟซบุ๊ก")
    return Story(name, parts, references(), "gpt2_thai", _sizes("เฟซบุ๊ก"))


def _digits(name: str) -> Story:
    return Story(name, _parts(arabic="2567", thai="๒๕๖๗"), references(), "o200k_base_thai", _sizes("๒๕๖๗"))


def _football(name: str) -> Story:
    lanes = references(O200K)
    parts = _parts(hello="สวัสดี", league="พรีเมียร์ลีก", hospital="โรงพยาบาล", soup="ต้มยำกุ้ง")
    fewest = min(parts, key=lambda part: token_count(lanes[O200K], part.text)).text
    return Story(name, parts, lanes, "fewest", [part.text for part in parts], {"fewest": fewest})


def _chat(name: str) -> Story:
    parts = _parts(laugh="555", sir="ครับ", sir_typed="คับ", much="มาก", much_drawn="มากกกกก")
    return Story(name, parts, references(O200K), "o200k_base_much_drawn", (1, 2))


# ---- what nobody sees


def _twins(name: str) -> Story:
    return Story(name, _parts(right="แม่", twin="เเม่"), references(), "o200k_base_twin", (1, 2))


def _two_signs(name: str) -> Story:
    return Story(name, _parts(one="ทำ", two="ท\u0e4d\u0e32"), references(), "o200k_base_two", (1, 2))


def _zero_width(name: str) -> Story:
    parts = _parts(plain="ภาษาไทย", hidden="ภาษา\u200bไทย")
    return Story(name, parts, references(), "o200k_base_hidden", (2, 4))


def _indented(name: str) -> Story:
    line = "        return rain"
    parts = _parts(bare=line.strip(), indented=line)
    return Story(name, parts, references(GPT2, CL100K), "gpt2_indented", (2, 3))


# ---- how tokens are made


def _classic(name: str) -> Story:
    text = "aaabdaaabac"
    merges = Trainer(count_pretokens([text], "none"), 259).step(3)
    tokenizer = train(text, 259, pattern="none")
    facts: dict[str, Figure] = {f"count_{place}": merge.count for place, merge in enumerate(merges, 1)}
    facts |= {f"token_{place}": entry.decode() for place, entry in enumerate(tokenizer.vocabulary[256:], 1)}
    facts["letters"] = len(text)
    return Story(name, _only("text", text), after_merges(tokenizer, text), "after_3_text", (3, 8), facts)


def _dog(name: str) -> Story:
    learned = ["dog.", "dog!", "dog?"] * 3
    lanes = {
        "bare": trained_on("bare", learned, 261, "none"),
        "split": trained_on("split", learned, 261, "gpt2"),
        **references(GPT2),
    }
    facts = {f"{key}_entries": _entries_with(lane, b"dog") for key, lane in lanes.items() if key != GPT2}
    parts = _parts(full_stop="dog.", exclamation="dog!", question_mark="dog?")
    return Story(name, parts, lanes, "bare_entries", (1, 3), facts)


def _entries_with(lane: Lane, inside: bytes) -> int:
    tokenizer = lane.tokenizer
    return sum(inside in tokenizer.token_bytes(token_id) for token_id in range(tokenizer.vocab_size))


def _never(name: str) -> Story:
    patterns = ("gpt2", "llama3", "mark_aware")
    lanes = {pattern: pretoken_lane(pattern, Label(t(f"pattern.{pattern}_name"))) for pattern in patterns}
    words = ("กำลัง", "เรียน", "ที่", "โรงเรียน")
    return Story(name, _only("phrase", "".join(words)), lanes, "gpt2_phrase", (1, len(words)))


def _round_eyes(name: str) -> Story:
    text, ways = "ตากลม", {"eyes": ("ตา", "กลม"), "breeze": ("ตาก", "ลม")}
    lanes = {name: reading(Label(t(f"stories.lane_{name}")), words) for name, words in ways.items()}
    by_newmm = newmm_lane(text)
    if by_newmm is not None:
        lanes["newmm"] = by_newmm
    lanes |= references(CL100K, O200K)
    cut = " | ".join(piece.text for piece in segments(text, lanes[O200K].tokenizer))
    decoys = [" | ".join(words) for words in (*ways.values(), text)]
    note = "" if by_newmm else t("stories.without_newmm")
    return Story(name, _only("text", text), lanes, "cut", decoys, {"cut": cut}, note)


STORIES: dict[str, Callable[[str], Story]] = {
    "doctor": _doctor,
    "water": _water,
    "no_letter": _no_letter,
    "article": _article,
    "tables_turned": _tables_turned,
    "home_made": _home_made,
    "polite": _polite,
    "registers": _registers,
    "bangkok": _bangkok,
    "loanword": _loanword,
    "digits": _digits,
    "football": _football,
    "chat": _chat,
    "twins": _twins,
    "two_signs": _two_signs,
    "zero_width": _zero_width,
    "indented": _indented,
    "classic": _classic,
    "dog": _dog,
    "never": _never,
    "round_eyes": _round_eyes,
}
"""The stories in the order they are offered. Another story X takes one more line, and the words stories.X_name,
X_setting, X_question, X_says and X_remember."""
