"""What the lessons compute in the browser agrees with Python: Node runs learn.test.mjs on cases computed here."""

import base64
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from pages.ui.learn.lessons import CLASSIC, CLASSIC_SIZE, PACKED, packed, reference_at_work, small_sentencepiece
from tests.helpers.browser import require
from tests.helpers.drawing import HOSTILE, PARAGRAPH, THAI
from tokenizer_core import openai_tokenizer, train
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.interop.byte_level import as_letters

TEXTS = [THAI, PARAGRAPH, *HOSTILE.values(), "  two  spaces \n\n\t x", "It's 1234567, we'll see!", "กกก้ ๒๕๖๗", ""]
TEXTS += ["I'LL we'Ve x'ſ 12345 \ufeffa \x85b ", "a▁b <s> <0xE0> café 😀", "ชา", "น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ"]


def trained(text: str, size: int, *others: str) -> dict[str, Any]:
    tokenizer = train(text, size, pattern="none")
    encoded = [(other, tokenizer.encode(other)) for other in (text, *others)]
    return {"text": text, "merges": [merge[:2] for merge in tokenizer.merges], "encoded": encoded}


def test_the_lessons_agree_with_python(tmp_path: Path) -> None:
    node = shutil.which("node")
    require(node, "node: apt-get install nodejs")
    assert node is not None
    gpt2 = openai_tokenizer("gpt2")
    tokenizers: dict[str, AnyTokenizer] = {"gpt2": gpt2, "cl100k": openai_tokenizer("cl100k_base")}
    tokenizers["pieces"] = small_sentencepiece()
    merges = gpt2.merges[::997]
    cases = {
        "packed": {name: base64.b64encode(packed(name)).decode() for name in PACKED},
        "encoded": {name: [(text, each.encode(text)) for text in TEXTS] for name, each in tokenizers.items()},
        "merges": [(place * 997 + 256, list(pair)) for place, pair in enumerate(merges)],
        "letters": [as_letters(bytes([byte])) for byte in range(256)],
        "trained": [trained(CLASSIC, 259, "aaaab", "ab"), trained(THAI * 3, 300, "น้ำเย็น"), trained("a" * 99, 262)],
        "characters": [(character, list(character.encode())) for character in "aéก😀\x7f߿￿\U0010ffff"],
    }
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(cases), "utf-8")
    command = [node, "--test", str(Path(__file__).parent / "learn.test.mjs")]
    done = subprocess.run(command, env={**os.environ, "CASES": str(path)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_definition_is_shown_at_work_line_by_line() -> None:
    code, steps = reference_at_work()
    assert CLASSIC_SIZE == 259
    assert "    for pair in zip(ids, ids[1:]):" in code
    assert not any('"""' in line or ">>>" in line for line in code)
    assert {code[step.line].strip() for step in steps} >= {"i += 2", "return merged", "return merges"}
    assert dict(steps[-1].values)["pretokens"] == "[[258, 100, 258, 97, 99]]"
    assert dict(steps[-1].values)["merges"] == "[((97, 97), 4), ((256, 97), 2), ((257, 98), 2)]"
