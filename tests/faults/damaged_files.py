"""Valid files of every kind that can be uploaded, and small damage to them, as strangers or bad disks do it."""

import contextlib
import gzip
import io
import json
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from tests.helpers.files import CSV, JSONL, ROWS, parquet, zipped
from tests.helpers.sample import ENGLISH_LINES, THAI_LINES
from tests.helpers.trained import SMALL, small_text
from tokenizer_core import Tokenizer, train
from tokenizer_core.bpe.trainer import Merge
from tokenizer_core.interop.exports import FORMATS, export
from tokenizer_core.saved_runs.entry import Entry, Learned, SavedRun, packed_files, packed_run
from tokenizer_core.saved_runs.recipe import RULES, Recipe, merges_hash, recipe_text
from tokenizer_core.workers.sentencepiece_job import train_sentencepiece
from tokenizer_core.workers.training_settings import Goal, StopRules, Training

Files = dict[str, bytes]
"""What is uploaded at once: the content of each file by its name."""
SPECIAL = {"<|end|>": 330, "จบ": 331}
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp874", "tis-620")
ODD_VALUES: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        255,
        256,
        2**31,
        2**63,
        2**70,
        -(2**70),
        0.5,
        1e308,
        float("nan"),
        float("inf"),
    ),
    *("", "a", "\ud800", "\0", "น้ำ", "none", "(a+)+$", "(?R)", "[", "x" * 5_000, "-1", "1e9", "{}", "../../x"),
    *([], {}, [[]], [0], ["a", "b"], {"": ""}, {"a": {"a": {}}}, [[1, 2, 3]], [None]),
]
ODD_BYTES = [
    b"",
    b"\0",
    b"\xff",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\n",
    b"\r\n",
    b",",
    b'"',
    b"\t",
    b"{",
    b"]",
    b"PK\3\4",
]
ODD_BYTES += [
    b"PAR1",
    b"\x1f\x8b\x08",
    b"9" * 400,
    b"-1",
    b"\xe0\xb8",
    b"\xed\xa0\x80",
    b"\\ud800",
    b"\x80" * 9,
    b"A" * 3000,
]
BROKEN = (
    ValueError,
    RecursionError,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    RuntimeError,
    LookupError,
)
"""What unpacking raises if the damage before has made it impossible."""


@cache
def tokenizer() -> Tokenizer:
    """A small tokenizer with special tokens."""
    return train(THAI_LINES[:40] + ENGLISH_LINES[:40], 320, special_tokens=SPECIAL)


def texts() -> dict[str, Files]:
    """Plain texts in many encodings, and archives of them."""
    text = "\n".join([*THAI_LINES[:6], *ENGLISH_LINES[:6]])
    found = {
        name: {"text.txt": text.encode("cp874" if name == "tis-620" else name, "ignore")} for name in ENCODINGS
    }
    found |= {name: {"text.txt": "Déjà vu. Привет! 日本語".encode(name, "ignore")} for name in ("cp1252", "cp932")}
    found["zip"] = {"texts.zip": zipped({"a.txt": text, "b/c.csv": CSV, "d.jsonl": JSONL, "ไทย.txt": text})}
    found["zip stored"] = {"texts.zip": zipped({"a.txt": text, "b.txt": text}, zipfile.ZIP_STORED)}
    found["gz"] = {"text.txt.gz": gzip.compress(text.encode(), mtime=0)}
    found["parallel"] = {
        "th.txt": "\n".join(THAI_LINES[:9]).encode(),
        "en.txt": "\n".join(ENGLISH_LINES[:9]).encode(),
    }
    return found


def tables() -> dict[str, Files]:
    """Tables of every kind."""
    columns = {key: [row[key] for row in ROWS] for key in ROWS[0]}
    nested = {"translation": [{"th": row["th"], "en": row["en"]} for row in ROWS], "n": [1.5] * len(ROWS)}
    return {
        "csv": {"table.csv": CSV.encode()},
        "semicolons": {"table.csv": CSV.replace(",", ";").encode()},
        "tsv": {"table.tsv": CSV.replace(",", "\t").encode()},
        "json lines": {"table.jsonl": JSONL.encode()},
        "json": {"table.json": json.dumps(ROWS, ensure_ascii=False).encode()},
        "parquet": {"table.parquet": parquet(columns)},
        "parquet of structs": {"table.parquet": parquet(nested, compression="gzip")},
        "parquet without dictionary": {
            "table.parquet": parquet(columns, use_dictionary=False, compression="none")
        },
    }


def tokenizers_of_others() -> dict[str, Files]:
    """Files of tokenizers in every format that is opened."""
    found: dict[str, Files] = {to: dict(export(replaced(to), to).files) for to in FORMATS}
    found["minbpe"] = {"mine.model": found["minbpe"].pop("mine.model")}
    found["vocab"] = {"mine.vocab": tokenizer().vocab_text().encode()}
    pre = {"type": "Whitespace"}
    words = {"[UNK]": 0, "cat": 1, "##s": 2, "น้ำ": 3, "##้ำ": 4}
    models: dict[str, Any] = {
        "WordLevel": {"vocab": words, "unk_token": "[UNK]"},
        "WordPiece": {
            "vocab": words,
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 9,
        },
        "Unigram": {"vocab": [["<unk>", 0.0], ["▁a", -1.0], ["น้ำ", -2.5]], "unk_id": 0},
    }
    for kind, model in models.items():
        content = {"version": "1.0", "added_tokens": [], "pre_tokenizer": pre, "model": {"type": kind, **model}}
        found[kind] = {"tokenizer.json": json.dumps(content, ensure_ascii=False).encode()}
    bpe = replace(SMALL, vocab_size=300)
    for settings in (bpe, replace(bpe, model_type="unigram"), replace(bpe, model_type="char")):
        pieces = train_sentencepiece([small_text()], settings)
        found[f"sentencepiece {settings.model_type}"] = {"pieces.model": pieces}
    return found


def replaced(to: str) -> Tokenizer:
    """The tokenizer as a format can hold it."""
    own = tokenizer()
    return Tokenizer(own.merges, pattern="gpt2" if to == "gpt2" else own.pattern)


def own_files() -> dict[str, Files]:
    """What the app itself has written: kept tokenizers, recipes and talks."""
    merges = tokenizer().merges
    recipe = Recipe(
        rules=RULES,
        corpus="a corpus",
        corpus_sha256="0" * 64,
        corpus_characters=99,
        pattern="mark_aware",
        pattern_source=".",
        vocab_size=320,
        min_count=1,
        special_tokens=("<|end|>",),
        given=(),
        merges_sha256=merges_hash(merges),
        versions={"python": "3"},
    )
    stop = StopRules(2, 9.5, Goal("น้ำ", 3, "gpt2"))
    training = Training((), 320, special_tokens=["<|end|>"], stop=stop, corpus_name="ก", given=merges[:2])
    run = SavedRun(training, "done", "size", recipe, 9, 8, 0.5, 1.5, 0, expected=recipe)
    entry = Entry("0123456789abcdef", "ชื่อ", 1.0, 2.0, 320, "mark_aware", run)
    learned = Learned([Merge(*pair, n, 9) for n, pair in enumerate(merges, 256)], [(0, 99), (64, 50)])
    opened = Entry("0123456789abcdeg", "", 1.0, 2.0, 320, "gpt2", None, "mine.model", {"pattern": "gpt2"})
    rows: list[Any] = [{"story": "water"}, {"text": "น้ำ", "with": ["gpt2"]}]
    shown = {"corpus": "ก", "pattern": "none", "merges": [[97, 97, 2], [256, 97, 1]]}
    rows.append({"text": "aaab", "training": shown})
    return {
        "kept run": {"entry.zip": packed_run(entry, learned)},
        "kept file": {"entry.zip": packed_files(opened, [tokenizer().model_text().encode()])},
        "recipe": {"recipe.json": recipe_text(recipe).encode()},
        "talk": {"talk.json": json.dumps({"tokenizer_explorer_talk": 1, "entries": rows}).encode()},
    }


@cache
def valid_files() -> dict[str, Files]:
    """All of them, by what they are."""
    return {**texts(), **tables(), **tokenizers_of_others(), **own_files()}


def damaged(files: Mapping[str, bytes], seeded: random.Random) -> Files:
    """Damage one of the files once or a few times, or wrap it in an archive, or leave all as they are."""
    found = dict(files)
    name = seeded.choice(sorted(found))
    for _ in range(seeded.choice((0, 1, 1, 1, 2, 3, 8))):
        damage = seeded.choice((changed_bytes, changed_bytes, changed_bytes, inside))
        found[name] = damage(found[name], seeded)
    if seeded.randrange(12) == 0:
        content = found.pop(name)
        found[f"{name}.gz"] = gzip.compress(content, mtime=0)
        if seeded.randrange(2):
            found = {f"{name}.zip": zipped(found | {name: content})}
    if seeded.randrange(12) == 0:  # a name that promises something else
        found[seeded.choice(("x.csv", "x.tsv", "x.jsonl", "x.json", "x.parquet", "x.model", "x.zip"))] = found.pop(
            sorted(found)[0]
        )
    return found


def changed_bytes(content: bytes, seeded: random.Random) -> bytes:
    """Flip, cut, insert, repeat or move some bytes; or splice in a part of another valid file."""
    start, end = sorted(seeded.choices(range(len(content) + 1), k=2))
    if seeded.randrange(3):  # a short stretch is likelier to leave the rest readable
        end = min(end, start + seeded.randrange(9))
    part = content[start:end]
    other = seeded.choice(list(valid_files().values()))
    spliced = seeded.choice(sorted(other.values()))
    at = seeded.randrange(len(spliced) + 1)
    instead: list[Callable[[], bytes]] = [
        lambda: bytes(byte ^ 1 << seeded.randrange(8) for byte in part),
        lambda: b"",
        lambda: seeded.choice(ODD_BYTES),
        lambda: seeded.randbytes(len(part)),
        lambda: part * seeded.choice((2, 3, 50)),
        lambda: part[::-1],
        lambda: spliced[at : at + seeded.choice((4, 40, 4_000))],
    ]
    if seeded.randrange(20) == 0:
        return content[:start]
    return content[:start] + seeded.choice(instead)() + content[end:]


def inside(content: bytes, seeded: random.Random) -> bytes:
    """Damage what is inside an archive or JSON, so that the outside stays whole."""
    with contextlib.suppress(*BROKEN):
        if content.startswith(b"PK"):
            return _inside_zip(content, seeded)
        if content.startswith(b"\x1f\x8b"):
            return gzip.compress(damage_inside(gzip.decompress(content), seeded), mtime=0)
        return json.dumps(_other_json(json.loads(content), seeded), ensure_ascii=seeded.random() < 0.5).encode()
    return changed_bytes(content, seeded)


def damage_inside(content: bytes, seeded: random.Random) -> bytes:
    """Damage what was packed."""
    return seeded.choice((inside, changed_bytes))(content, seeded)


def _inside_zip(content: bytes, seeded: random.Random) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {member.filename: archive.read(member) for member in archive.infolist()}
    name = seeded.choice(sorted(members))
    match seeded.randrange(8):
        case 0:
            del members[name]
        case 1:
            members[seeded.choice(("../x.txt", "a" * 300, "x/", ".x", "file9", "a.zip", "ก\0"))] = members[name]
        case 2:
            members[name] = content
        case _:
            members[name] = damage_inside(members[name], seeded)
    method = seeded.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2))
    return zipped(members, method)


def _other_json(found: Any, seeded: random.Random) -> Any:
    """Put an odd value somewhere, leave something out, or nest it deeper."""
    if isinstance(found, dict) and found and seeded.randrange(5):
        key = seeded.choice(list(found))
        if seeded.randrange(6) == 0:
            return {other: value for other, value in found.items() if other != key}
        return {**found, key: _other_json(found[key], seeded)}
    if isinstance(found, list) and found and seeded.randrange(5):
        place = seeded.randrange(len(found))
        instead = seeded.choice(([], [_other_json(found[place], seeded)], [found[place]] * 3))
        return [*found[:place], *instead, *found[place + 1 :]]
    if isinstance(found, int) and not isinstance(found, bool) and seeded.randrange(2):
        return found + seeded.choice((-1, 1, 256, -256, 2**31, 2**32))
    return seeded.choice((*ODD_VALUES, [found], {"a": found}))
