"""Where the commands write: files whole or not at all, devices and links as they are, closed streams."""

import os
import platform
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.helpers.paths import REPOSITORY
from tokenizer_core.__main__ import main
from tokenizer_core.ctrl_c import replacing

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs FIFOs, links and a shell")
HALF = """
import signal, sys, time
from pathlib import Path
from tokenizer_core.ctrl_c import end_at_once, replacing
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)  # nohup leaves a child deaf
end_at_once()
with replacing(Path(sys.argv[1])) as (part,):
    part.write_text("half")
    print("half", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def text(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("a cat, a cat")
    return tmp_path / "a.txt"


def commands(text: Path, out: Path) -> dict[str, list[str]]:
    return {
        "encode": ["encode", str(text), "--tokenizer", "gpt2", "-o", str(out)],
        "count": ["count", str(text), "-o", str(out)],
        "train": ["train", str(text), "--vocab-size", "258", "--out", str(out.with_suffix(".json"))],
        "convert": ["convert", "gpt2", "--to", "gpt2", "--out", str(out)],
    }


def test_a_fifo_gets_the_ids_and_stays_one(text: Path, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    got: list[str] = []
    reading = threading.Thread(target=lambda: got.append(fifo.read_text()), daemon=True)
    reading.start()
    assert main(commands(text, fifo)["encode"]) == 0
    reading.join(60)
    assert got == ["64 3797 11 257 3797\n"]
    assert fifo.is_fifo()


@pytest.mark.parametrize("form", ["npy", "parquet"])
def test_a_format_with_a_head_needs_a_file(
    form: str, text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "fifo")
    assert main([*commands(text, tmp_path / "fifo")["encode"], "--format", form]) == 1
    assert "-o" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["encode", "count", "train", "convert"])
def test_a_link_stays_one_and_leads_to_what_was_written(name: str, text: Path, tmp_path: Path) -> None:
    arguments = commands(text, tmp_path / "out")[name]
    link = Path(arguments[-1])
    if name == "convert":
        link.mkdir()
        link /= "merges.txt"
    link.symlink_to(tmp_path / "meant")
    for force in ([], ["--force"] if name in ("train", "convert") else []):
        assert main([*arguments, *force]) == 0
        assert link.is_symlink()
        assert (tmp_path / "meant").read_bytes()


@pytest.mark.parametrize("name", ["encode", "count"])
def test_a_device_stays_one(name: str, text: Path, tmp_path: Path) -> None:
    zero = tmp_path / "out"
    try:
        os.mknod(zero, 0o600 | 0o020000, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only an administrator may make a device")
    assert main(commands(text, zero)[name]) == 0
    assert zero.is_char_device()


@pytest.mark.parametrize("name", ["encode", "count", "train", "convert"])
def test_every_command_makes_the_folder_that_its_output_names(name: str, text: Path, tmp_path: Path) -> None:
    assert main(commands(text, tmp_path / "not" / "there")[name]) == 0
    assert list((tmp_path / "not").iterdir())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_killed_command_leaves_no_part(number: signal.Signals, tmp_path: Path) -> None:
    command = [sys.executable, "-c", HALF, str(tmp_path / "ids")]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"half\n"
        assert len(list(tmp_path.iterdir())) == 1
        process.send_signal(number)
        assert process.stderr.read().endswith(b"stopped; no file was written\n")
        assert process.wait() == 128 + number
    assert not list(tmp_path.iterdir())


def test_parts_of_dead_processes_go_and_others_stay(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    here = platform.node()
    gone = [f".ids.{here}-{ended.pid}.part", f".ids.{here}-{10**30}.part"]
    stay = [
        *(f".ids.{here}-{os.getppid()}.part", f".ids.elsewhere-{ended.pid}.part"),
        *(f".other.{here}-{ended.pid}.part", f".ids.{here}-mine.part"),
    ]
    for name in gone + stay:
        (tmp_path / name).touch()
    with replacing(tmp_path / "ids") as (part,):
        part.write_text("1")
    assert {path.name for path in tmp_path.iterdir()} == {"ids", *stay}


# ---- streams


def in_shell(line: str, text: Path) -> tuple[list[str], str]:
    """The exit codes of a line of bash, whose commands call the program X on a text T, and what stderr says."""
    program = f"X() {{ {sys.executable} -m tokenizer_core \"$@\"; }}; T='{text}'; {line}; echo ${{PIPESTATUS[@]}}"
    done = subprocess.run(["bash", "-c", program], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()[-1].split(), done.stderr


@pytest.mark.parametrize(
    ("line", "codes", "said"),
    [
        ("X compare $T $T --tokenizers gpt2 >&-", ["1"], "the output could not be written: Bad file descriptor\n"),
        ("X compare $T $T --tokenizers gpt2 2>&-", ["0"], ""),
        ("X compare $T $T.none 2>&-", ["1"], ""),
        (
            "X encode --tokenizer gpt2 <&-",
            ["1"],
            "encode: -: The file could not be read: Bad file descriptor.\n",
        ),
        pytest.param(
            "yes 'a cat' | X encode --tokenizer gpt2 | head -c 9 > /dev/null",
            ["141", "141", "0"],
            "",
            marks=pytest.mark.long,
        ),
    ],
    ids=["no output", "no errors", "error unheard", "no input", "head"],
)
def test_streams_that_are_gone_are_met_as_other_tools_do(
    line: str, codes: list[str], said: str, text: Path
) -> None:
    assert in_shell(line, text) == (codes, said)
