"""The bundled sentence pairs."""

from tests.helpers.paths import REPOSITORY

THAI = (REPOSITORY / "sample_data" / "parallel.th.txt").read_text(encoding="utf-8")


ENGLISH = (REPOSITORY / "sample_data" / "parallel.en.txt").read_text(encoding="utf-8")


THAI_LINES, ENGLISH_LINES = THAI.split("\n")[:-1], ENGLISH.split("\n")[:-1]
