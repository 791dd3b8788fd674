"""Parquet files that are read in a process of their own: the same rows, and little memory whatever a file says."""

import base64
import zlib
from typing import Any

import pyarrow as pa
import pytest

from tests.helpers.files import ROWS, lying_parquet, parquet
from tokenizer_core.errors import CorpusError
from tokenizer_core.readers.archives import PackedFile
from tokenizer_core.readers.files import read_corpus_file
from tokenizer_core.readers.parquet import open_parquet
from tokenizer_core.readers.tables import cells_of, text_of
from tokenizer_core.workers import parquet_reader
from tokenizer_core.workers.parquet_reader import open_parquet_apart

MB = 2**20
TABLE = parquet({name: [row[name] for row in ROWS * 100] for name in ROWS[0]})


def test_the_rows_are_the_same() -> None:
    apart, here = open_parquet_apart(TABLE, 50 * MB), open_parquet(TABLE, 50 * MB)
    assert cells_of(apart) == cells_of(here)
    assert text_of(apart, ["en"]) == text_of(here, ["en"])


def test_a_table_is_told_first_and_then_the_rows_of_the_chosen_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(parquet_reader, "_ROWS_AT_ONCE", 2)
    monkeypatch.setattr(parquet_reader, "send", lambda event, **values: sent.append({"event": event, **values}))
    content = parquet({"a": ["1", "2", "3", None, "5"], "n": [1, 2, 3, 4, 5], "b": ["ก", "", "x", "y", "z"]})
    parquet_reader.read({"places": None, "max_bytes": MB}, [content])
    opened, end = sent
    here = open_parquet(content, MB)
    assert (list(opened["labels"]), opened["lines"], opened["is_valid"]) == (list(here.labels), here.lines, True)
    assert opened["samples"] == [here.sample(place) for place in range(len(here.labels))]
    assert end == {"event": "ended"}
    sent.clear()
    parquet_reader.read({"places": [1], "max_bytes": MB}, [content])
    assert [len(event["rows"]) for event in sent[:-1]] == [2, 2, 1]
    assert [row for event in sent[:-1] for row in event["rows"]] == list(open_parquet(content, MB).rows([1]))
    assert sent[-1] == {"event": "ended"}


@pytest.mark.parametrize(
    ("content", "max_bytes", "code"),
    [
        (TABLE, 100_000, "unpacked_too_large"),
        (TABLE[:-20] + TABLE[-8:], 50 * MB, "damaged_file"),
        (parquet({"number": [1, 2]}), 50 * MB, "no_text_column"),
    ],
    ids=["too large", "damaged", "numbers"],
)
def test_what_cannot_be_read_says_the_same(content: bytes, max_bytes: int, code: str) -> None:
    said = []
    for opened in (open_parquet_apart, open_parquet):
        with pytest.raises(CorpusError) as caught:
            text_of(opened(content, max_bytes))
        said.append((caught.value.code, caught.value.values, str(caught.value)))
    assert said[0] == said[1]
    assert said[0][0] == code


def test_a_file_that_lies_about_its_size_takes_no_memory_of_the_app() -> None:
    lie = lying_parquet()
    before = pa.default_memory_pool().max_memory()
    with pytest.raises(CorpusError, match="is damaged"):
        read_corpus_file(PackedFile("a.parquet", lie), parquet=open_parquet_apart)
    assert pa.default_memory_pool().max_memory() == before
    with pytest.raises(CorpusError, match="is damaged"):
        read_corpus_file(PackedFile("a.parquet", lie))
    assert pa.default_memory_pool().max_memory() > 2**31 - 2**20  # so it is a lie


def test_a_file_that_fills_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_reader, "MEMORY_BYTES", 2**20)
    with pytest.raises(CorpusError, match="is damaged"):
        open_parquet_apart(TABLE, 50 * MB)


ABORTS = zlib.decompress(
    base64.b64decode(
        "eNoLcAwyFGUR3SIvuovJR1RDlEGIgUG+m4MBBJiY917ezckUKND6MPrUtA3v3c2z1fUkMvS6JDIXdS7gPrTz7pyglPXbHvAfZjE+83OR"
        "pDPHtbNVkctD8o/P/bohLdvrb97b6Tv17ic+27HxXF/26xl8266ZLvXZvyC11EPzvI78/3yRhkAmN1YJ0wSThotMbuwStgk82g/Yi5k0"
        "OZaoTOhyyGLK5FiiOqHPoYpJ0s7T0rTlFjsDgyiDqJ5omA7QqQKibKJsMmYMGgkPdix/sGPjgx0zwWjrg52dD3asfbBj04MdjWByxYMd"
        "U0DiOxZCBBUe7Gx5sGP2g50ND3ZMB2voeLBjEdiURqhBIKlpYFM2KFhK0NoGA0FBBuRwT05KSLiQkJQa/qLgzaYrEZUlYVsPavqxsTE8"
        "/KjaJg5UAoyyJ/yinxgxo2zqxZucDQYirgenFHFP2JFfe6PhhTOrYYJS0vdrBVwz1n88tzPTfK/Z8rt5soHXN84IiniuH8xjpfuy81bT"
        "ocl7uPxdO11bXXtdm127Xdtd+482HJ3x+GDT5EmTuybPmtw2edrkvsnzJjdO/shuEqbN+4kZa3TohWSkKpSnJpZkpBYpZBYr5GUmpyqU"
        "5KckVuooFOcr5KSWKJQWK6TnK+SXlugBA5c09eQElYCokY8oE1pAJScwNMp/Y3g4U5EfJAT0iJCoFcIjEhB1DD/sESwxBg0solgdlHIl"
        "AWjm79y7nGAnSMaYMkiwFSdnpOYmirIwmDJJcJcUJeYV5ySWZObnAUVEeVSZJJhKMlQZfGTAOlSUJJhS82BcLqAsYx6DmIakjKSNGoOM"
        "KI+kKQObgKQGsjFA7aIsYhpiO5TFnrGpPWJS4xg+uUNSBxiPDKJMoHgSAFI2YlPkJNkkzRgYNIDhgzNEUvPAIbJASOwai1oDp9o7OqVQ"
        "TOce4UN1LhfEucBYBbtwD6NYG5PaJB61I9ykJT0MmzTZJNXAtohNMRfTUOMQO8TLICkjweMYFOQfbgVJghI3mPTBIN0RCAIdIcDb0bHc"
        "0Snd0c3RMd3RGSzl6OTk6OgLYjg7OnqCBRC0I5RpAOd7VAHNtAAyXF1cwYJgQ1wd4QDEdCp1dIwEmecOoh2h5hQGALWWg1xjABb0coQ7"
        "zRlEhCLM8wERKR5eGUl5fsWREUEFSUYmEP2WcPvdIPYHotkPcq9TThLQmCqQ+gpHkGc9Qe5wKof40xURHk5OQWA6EuFfR7h7UtzTwe5z"
        "QjHf1pZBQqEgsaiwNLVEN7mgQDexqCi/XKEstagYmBwVjMz0DPQMJW2AeRqCGKRZGBgCgHUwANM1rec="
    )
)
"""A file whose footer counts its levels wrongly: pyarrow 26.0.1 ends its process. Found by fuzzing."""


def test_a_file_that_ends_the_process_that_reads_it_is_refused() -> None:
    with pytest.raises(CorpusError) as caught:
        open_parquet_apart(ABORTS, 50 * MB)
    assert caught.value.code == "damaged_file"
