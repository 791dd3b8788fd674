"""What the security headers allow: this app's own scripts and connections, and no code made of text."""

import pytest

from pages.ui.shell.headers import content_security_policy


def sources(host: str) -> dict[str, list[str]]:
    """What a policy allows, by its directives."""
    rules = (rule.split() for rule in content_security_policy(host).split(";"))
    return {name: allowed for name, *allowed in rules}


@pytest.mark.parametrize("host", ["127.0.0.1:8501", "tokens.example.org", "[::1]:8501"])
def test_pages_talk_to_their_own_host_alone(host: str) -> None:
    assert sources(host)["connect-src"] == ["'self'", f"ws://{host}", f"wss://{host}"]


@pytest.mark.parametrize("host", ["", "*", "a b", "a;script-src *", "evil.org/path", "a, b", "ไทย", "http://a"])
def test_a_host_that_is_none_adds_nothing(host: str) -> None:
    assert sources(host)["connect-src"] == ["'self'"]
    assert sources(host).keys() == sources("a").keys()


def test_no_text_becomes_code() -> None:
    scripts = sources("a")["script-src"]
    assert not {"'unsafe-eval'", "'unsafe-inline'", "*", "http:", "https:", "data:"} & {*scripts}
    assert {"'self'", "blob:"} <= {*scripts}
