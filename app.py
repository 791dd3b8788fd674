"""The launcher of Tokenizer Explorer: load what is slow, then serve the pages with security headers."""

import asyncio
import contextlib
import ctypes
import gc
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware

ROOT = Path(__file__).resolve().parent
FIRST_PAGE_SECONDS = 4.0
"""How long the rest of loading waits for a first visitor's page."""
COLLECT_SECONDS = 15.0
SWITCH_SECONDS = 0.0005
"""How long one visitor's page may keep Python to itself while others wait. A page sends about a hundred messages
and lets go of Python at each; getting it back takes that long, which with Python's own 5 ms adds up to 0.5 s."""
ARENAS = 2
"""Parts of memory that glibc shares out among threads. With its own 8 per core, what the scripts of many visitors
free is scattered over many parts: after two classes of 50 the server keeps 24 MB more."""
_M_ARENA_MAX = -8
if sys.platform == "linux":
    with contextlib.suppress(AttributeError, OSError):  # another C library than glibc
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, ARENAS)
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from pages.ui.frame import status  # noqa: E402
from pages.ui.frame.cookie_and_headers import KnownServer, Preload, SecurityHeaders, VisitorCookie  # noqa: E402
from pages.ui.frame.doors import Doors  # noqa: E402
from pages.ui.frame.upload_limit import UploadGuard  # noqa: E402
from pages.ui.i18n import LANGUAGES, catalogue  # noqa: E402
from pages.ui.inputs.corpus import sample_premiums  # noqa: E402
from pages.ui.learn import lessons  # noqa: E402
from pages.ui.limits import SAVED_RUNS_DAYS, UNSEEN_SECONDS  # noqa: E402
from pages.ui.run_registry.registry import registry  # noqa: E402
from pages.ui.widgets.bounded import forget_unused  # noqa: E402
from pages.ui.widgets.player import serve as stage  # noqa: E402
from pages.ui.widgets.slides import votes  # noqa: E402
from pages.ui.widgets.token_view import serve as token_view  # noqa: E402
from tokenizer_core.bpe.openai import references  # noqa: E402
from tokenizer_core.kernels.compiled import are_ready, stand_in  # noqa: E402


@contextlib.asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[dict[str, Any]]:
    """Load what the pages need while the first browser loads the app; end all trainings when the app stops."""
    sys.setswitchinterval(SWITCH_SECONDS)
    stand_in()
    threading.Thread(target=load, daemon=True).start()
    collecting = asyncio.create_task(give_memory_back())
    try:
        yield {}
    finally:
        collecting.cancel()
        registry().close()


def load() -> None:
    """Load what Home needs; then, when a first page stands, the compiled loops and what other pages need.

    The server answers meanwhile, since a browser takes as long to load the app. Python runs one thread at a time:
    whatever is loaded while the first page is drawn would hold it up.
    """
    try:
        load_first_page()
        status.FIRST_PAGE.wait(FIRST_PAGE_SECONDS)
    finally:  # whatever cannot be loaded, the page that needs it reports; plain Python must not stand in for ever
        registry().warm_up()
    import altair  # noqa: F401
    import pandas  # noqa: F401
    import pyarrow  # noqa: F401

    gc.collect()
    gc.freeze()  # what is loaded now stays, so collecting need not look at it


def load_first_page() -> None:
    """Load what Home shows, and what it is drawn with."""
    for tokenizer in references().values():  # skips any that cannot be read; the pages report it
        tokenizer.token_bytes(0)
    sample_premiums()
    for language in LANGUAGES:
        catalogue(language)
    import streamlit.emojis  # noqa: F401  # the list in which it looks up the page's icon

    import pages.ui.frame.main
    import pages.ui.home.premium
    import pages.ui.inputs.opener
    import pages.ui.inputs.text
    import pages.ui.widgets.slides.talk
    import pages.ui.widgets.token_view.chips  # noqa: F401


def give_free_memory_to_the_system() -> None:
    """Give back what is free between what is in use, where the C library can (glibc); by itself it keeps that."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


async def give_memory_back() -> None:
    """Free what ended sessions have left behind, now and then: after every run, as Streamlit does, pages wait."""
    is_frozen = False
    while True:
        await asyncio.sleep(COLLECT_SECONDS)
        forget_unused(UNSEEN_SECONDS)
        token_view.offers().forget_unused(UNSEEN_SECONDS)
        votes.polls().free_unwatched()
        status.forget_ended_sessions()
        gc.collect()
        give_free_memory_to_the_system()
        if are_ready() and not is_frozen:
            gc.freeze()  # the compiled code, too
            is_frozen = True


app = st.App(
    ROOT / "pages" / "ui" / "frame" / "main.py",
    lifespan=lifespan,
    routes=[*lessons.routes(), *token_view.routes(), *stage.routes(), *votes.routes()],
    middleware=[
        Middleware(SecurityHeaders),
        Middleware(Preload),
        Middleware(KnownServer),
        Middleware(VisitorCookie, days=SAVED_RUNS_DAYS if registry().saved is not None else None),
        Middleware(Doors),
        Middleware(UploadGuard),
    ],
)
