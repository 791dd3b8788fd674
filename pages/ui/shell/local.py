"""Whether a visitor's browser runs on the same machine as the app."""

from ipaddress import ip_address
from urllib.parse import urlsplit

import streamlit as st

from pages.ui.limits import IS_PUBLIC

FORWARDED = ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip")
"""Headers that a server adds which stands between the visitor and the app."""


def is_local() -> bool:
    """Tell whether the connection, and the address in the browser, are of this machine; False if unsure.

    A server in front of the app, on the same machine, has a local connection too. Then the address in the
    browser, which it sends as the origin, is another.
    """
    headers = st.context.headers
    host, origin = headers.get("Host", ""), headers.get("Origin", "")
    return (
        not IS_PUBLIC
        and st.context.ip_address is None  # Streamlit's word for this machine
        and not any(header in headers for header in FORWARDED)
        and _is_loopback(f"//{host}")
        and (not origin or _is_loopback(origin))
    )


def _is_loopback(address: str) -> bool:
    try:
        name = urlsplit(address).hostname or ""
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False
