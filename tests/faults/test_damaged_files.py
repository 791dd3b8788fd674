"""Damaged uploads: every reader may refuse what it gets, but only by the errors it promises."""

import contextlib
import random
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.ui.widgets.slides import talk_file
from tests.faults.damaged_files import Files, damaged, valid_files
from tests.helpers.hostile import HOSTILE_PIECES
from tokenizer_core import Tokenizer, TokenizerError, segments
from tokenizer_core.bpe import minbpe_files
from tokenizer_core.bpe.protocols import AnyTokenizer
from tokenizer_core.bpe.special_tokens import parse_special_tokens
from tokenizer_core.errors import SavedRunsError
from tokenizer_core.interop.byte_level import FileTokenizer
from tokenizer_core.interop.exports import FORMATS, export
from tokenizer_core.interop.opening import in_groups, open_tokenizer, part_of
from tokenizer_core.interop.sentencepiece_model import SentencePieceTokenizer
from tokenizer_core.readers.archives import unpack
from tokenizer_core.readers.encodings import CANDIDATE_ENCODINGS, decode_text
from tokenizer_core.readers.files import read_corpus_file
from tokenizer_core.readers.lookalikes import cleaned
from tokenizer_core.readers.parallel import read_parallel
from tokenizer_core.saved_runs import entry as entries
from tokenizer_core.saved_runs.job import SavedJob
from tokenizer_core.saved_runs.recipe import parse_recipe, recipe_text
from tokenizer_core.workers.parquet_reader import open_parquet_apart

MB = 2**20
refused = contextlib.suppress(TokenizerError)
Reader = Callable[[Files, random.Random], None]


def read_corpus(files: Files, seeded: random.Random) -> None:
    """Read files as a corpus, as the picker does, and look at the text."""
    for name, content in files.items():
        with refused:
            for packed in unpack(name, content, max_bytes=50 * MB, max_files=500):
                with refused:
                    found = read_corpus_file(packed, parquet=open_parquet_apart)
                    assert found.text, "a corpus without text"
                    cleaned(found.text[:10_000])
                    if found.table:
                        again = read_corpus_file(
                            packed,
                            columns=found.table.columns[:2],
                            header=not found.table.header,
                            parquet=open_parquet_apart,
                        )
                        assert again.table is not None
        with refused:
            decode_text(content, encoding=seeded.choice(CANDIDATE_ENCODINGS))


def read_as_parallel(files: Files, seeded: random.Random) -> None:
    """Read files as parallel texts."""
    with refused:
        packed = [one for name in files for one in unpack(name, files[name], max_bytes=50 * MB, max_files=500)]
        found = read_parallel(packed, header=seeded.choice((None, True, False)))
        assert found.pairs
        assert found.digest
        assert found.empty.all_sides <= found.pairs
        assert found.first_shifted is None or found.first_shifted > 0


def read_tokenizer(files: Files, seeded: random.Random) -> None:
    """Open files as tokenizers, and use what opens."""
    for group in in_groups(list(files.items())):
        name = next(iter(group))
        with refused:
            opened = open_tokenizer(name, group, repair=seeded.random() < 0.5)
            use(opened.tokenizer, seeded)
        for content in group.values():
            with refused:
                part_of(content)
            with refused:
                use(SentencePieceTokenizer(content), seeded)
            with refused:
                minbpe_files.parse_and_repair(content)


def use(tokenizer: AnyTokenizer, seeded: random.Random) -> None:
    """Encode, decode, group and export with a tokenizer of strangers."""
    text = "".join(seeded.choices(HOSTILE_PIECES, k=9))
    with refused:
        ids = tokenizer.encode(text)
        decoded = tokenizer.decode(ids)
        if isinstance(tokenizer, Tokenizer | FileTokenizer):
            assert decoded == text, "bytes are lost"
            assert "".join(segment.text for segment in segments(text, tokenizer)) == text
    with refused:
        tokenizer.encode(text, allowed_special="all")
    with refused:
        export(tokenizer, seeded.choice(FORMATS))


def read_entry(files: Files, seeded: random.Random) -> None:
    """Read files as kept tokenizers."""
    for content in files.values():
        with contextlib.suppress(SavedRunsError):
            entries.read_files(content)
        with contextlib.suppress(SavedRunsError):
            found = entries.read_entry(content)
            if found.run is not None:
                job = SavedJob(found, partial(entries.read_learned, content, found))
                _ = job.saved
                assert len(job.merges) == found.vocab_size - 256
                with refused:
                    use(job.tokenizer(), seeded)
            assert entries.read_entry(entries.renamed(content, "another")).name == "another"


def read_small(files: Files, seeded: random.Random) -> None:
    """Read files as recipes, as talks, and as special tokens."""
    for content in files.values():
        with refused:
            recipe = parse_recipe(content)
            assert parse_recipe(recipe_text(recipe)) == recipe, "a recipe changes when it is written"
        with contextlib.suppress(ValueError):
            talk = talk_file.read(content, ["water"])
            assert talk_file.read(talk_file.written(talk), ["water"]) == talk, "a talk changes when it is written"
        with refused:
            parse_special_tokens(content.decode("utf-8", "replace"), 256)


READERS: tuple[Reader, ...] = (read_corpus, read_as_parallel, read_tokenizer, read_entry, read_small)


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.__name__)
@given(seeded=st.randoms(use_true_random=False))
def test_a_damaged_file_is_read_or_refused(reader: Reader, seeded: random.Random) -> None:
    kind = seeded.choice(sorted(valid_files()))
    reader(damaged(valid_files()[kind], seeded), seeded)
