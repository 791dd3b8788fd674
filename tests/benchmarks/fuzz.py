"""Long fuzz: random texts and damaged files, against every reader and every twin.

    nice -n 19 .venv/bin/python -m tests.benchmarks.fuzz --seed 1 --texts 1000000 --files 100000

Batches run in forked processes with limited memory. Each counterexample is printed with the seed that makes it
again; files are written to the folder of `--keep`. `--minutes` ends it earlier.
"""

import argparse
import contextlib
import mmap
import os
import random
import resource
import signal
import struct
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.benchmarks import fuzz_texts
from tests.benchmarks.fuzz_files import Files, damaged, valid_files
from tests.benchmarks.fuzz_readers import READERS
from tokenizer_core import SPLIT_PATTERNS
from tokenizer_core.errors import TokenizerError
from tokenizer_core.jobs.guarded import open_guarded
from tokenizer_core.jobs.parquet_reader import open_parquet_apart
from tokenizer_core.jobs.worker import warm_up
from tokenizer_core.texts.archives import PackedFile
from tokenizer_core.texts.files import read_corpus_file

FILES_AT_ONCE = 500
MEMORY = 2 * 2**30
"""Bytes that a batch may take beyond what it has when it starts."""
SECONDS = 10.0
"""Processor seconds that one file or a thousand texts may take."""
APART = (b"PAR1", b'"model"')
"""The app reads Parquet and tokenizer.json in processes of their own: there, a full memory is a refusal."""


def main() -> None:
    """Fuzz until all is done or the time is up; end with 1 if there is a counterexample."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--texts", type=int, default=0)
    parser.add_argument("--files", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="folder for files that are counterexamples")
    asked = parser.parse_args()
    end = time.monotonic() + 60 * asked.minutes
    warm_up()
    found = 0
    for what, wanted, size in (
        ("texts", asked.texts, fuzz_texts.TEXTS_AT_ONCE),
        ("files", asked.files, FILES_AT_ONCE),
    ):
        start, done = time.monotonic(), 0
        check = Texts(asked.seed) if what == "texts" else DamagedFiles(asked.seed, asked.keep)
        while done < wanted and time.monotonic() < end:
            for counterexample in in_a_process(check, range(done, min(done + size, wanted))):
                found += 1
                print(counterexample, flush=True)
            done = min(done + size, wanted)
            print(f"\r{what}: {done:,}", end="", file=sys.stderr, flush=True)
        if wanted:
            print(
                f"{what}: {done:,} in {time.monotonic() - start:,.0f} s; counterexamples so far: {found}",
                flush=True,
            )
    sys.exit(bool(found))


class Texts:
    """Checks a batch of texts at once."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        for pattern in SPLIT_PATTERNS:  # made once, and inherited
            for size in fuzz_texts.SIZES:
                fuzz_texts.twin(pattern, size)
                fuzz_texts.smaller(pattern, size)

    def __call__(self, numbers: range, say: Callable[[int], None]) -> Iterator[str]:
        """Yield what went wrong."""
        say(numbers.start)
        seed = f"{self._seed}:{numbers.start}"
        try:
            fuzz_texts.check_batch(seed)
        except Exception:  # whatever it is, it is a counterexample
            yield f"texts {seed}: {traceback.format_exc()[-2_000:]}"


class DamagedFiles:
    """Checks damaged files one by one."""

    def __init__(self, seed: int, keep: Path | None) -> None:
        self._seed = seed
        self._keep = keep
        with silence():  # SentencePiece tells much of its trainings
            valid_files()

    def make(self, number: int) -> tuple[str, Files, random.Random]:
        """Make the damaged file or files with this number."""
        seeded = random.Random(f"{self._seed}:{number}")
        kind = seeded.choice(list(valid_files()))
        return kind, damaged(valid_files()[kind], seeded), seeded

    def __call__(self, numbers: range, say: Callable[[int], None]) -> Iterator[str]:
        """Yield what went wrong."""
        for number in numbers:
            say(number)
            kind, files, seeded = self.make(number)
            for reader in READERS:
                start = time.process_time()
                try:
                    reader(files, seeded)
                except MemoryError:
                    if not any(mark in content for mark in APART for content in files.values()):
                        yield self.note(number, kind, files, f"{reader.__name__} takes too much memory")
                except BaseException:  # a panic of Rust is no Exception
                    yield self.note(number, kind, files, f"{reader.__name__}: {traceback.format_exc()[-1_500:]}")
                if (seconds := time.process_time() - start) > SECONDS:
                    yield self.note(number, kind, files, f"{reader.__name__} took {seconds:.1f} s")

    def note(self, number: int, kind: str, files: Files, why: str) -> str:
        """Describe a counterexample, and keep its files."""
        if self._keep is not None:
            folder = self._keep / f"{self._seed}-{number}"
            folder.mkdir(parents=True, exist_ok=True)
            for place, content in enumerate(files.values()):
                (folder / f"file{place}").write_bytes(content)
        return f"file {self._seed}:{number}, {kind}, {list(files)}: {why}"


def in_a_process(check: Texts | DamagedFiles, numbers: range) -> Iterator[str]:
    """Check a batch in a forked process; go on behind whatever ends that process."""
    while numbers:
        place = mmap.mmap(-1, 8)
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.close(reader)
            work(check, numbers, place, writer)
        os.close(writer)
        with os.fdopen(reader, "rb") as said:
            text = said.read().decode("utf-8", "replace")
        yield from filter(None, text.split("\x1e"))
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        if code == 0:
            return
        (at,) = struct.unpack("q", place[:])
        ended = signal.Signals(-code).name if code < 0 else f"code {code}"
        if isinstance(check, DamagedFiles):
            kind, files, _ = check.make(at)
            if (why := not_held_apart(files)) is not None:
                yield check.note(at, kind, files, f"ended the process: {ended}; {why}")
        else:
            yield f"texts {at} ended the process: {ended}"
        numbers = range(at + 1, numbers.stop) if isinstance(check, DamagedFiles) else range(0)


def not_held_apart(files: Files) -> str | None:
    """Tell why a file that ends a process would end the app; None if the app reads it in a process of its own."""
    tables = [PackedFile(name, content) for name, content in files.items() if APART[0] in content]
    models = {name: content for name, content in files.items() if APART[1] in content}
    if not tables and not models:
        return "the app reads it itself"
    try:
        for table in tables:
            with contextlib.suppress(TokenizerError):
                read_corpus_file(table, parquet=open_parquet_apart)
        if models:
            with contextlib.suppress(TokenizerError):
                open_guarded("damaged", models)
    except Exception:
        return f"in a process of its own: {traceback.format_exc()[-1_500:]}"
    return None


def work(check: Texts | DamagedFiles, numbers: range, place: mmap.mmap, writer: int) -> None:
    """Check a batch in this process, and end it."""
    used = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def say(number: int) -> None:
        place[:] = struct.pack("q", number)
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + 6 * SECONDS), resource.RLIM_INFINITY))

    with silence():  # libraries complain of what they are given
        for counterexample in check(numbers, say):
            os.write(writer, counterexample.encode("utf-8", "backslashreplace") + b"\x1e")
    os._exit(0)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Let nobody see what libraries write to stderr within this context."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    yield
    os.dup2(kept, 2)
    os.close(kept)
    os.close(nowhere)


if __name__ == "__main__":
    main()
