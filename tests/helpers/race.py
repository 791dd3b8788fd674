"""A small training whose race can be shown."""

from typing import Any

from tests.helpers.charts import Finished
from tokenizer_core.tokenizer import Tokenizer
from tokenizer_core.trainer import Merge, train


def own(text: str = "น้ำใจคนไทย ดื่มน้ำเยอะๆ นะ the cat sat on the mat " * 5, size: int = 330) -> Tokenizer:
    return train(text, size)


def page_job() -> Any:
    return Finished([Merge(*pair, 256 + rank, 5) for rank, pair in enumerate(own().merges)], name="on the page")
