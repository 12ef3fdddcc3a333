"""The protocols by which git may contact a remote: those that run no other program, unless somebody has forbidden them.

Git takes the list in the environment that devlog gives it instead of all settings, so these are considered here.
"""

from __future__ import annotations

from collections.abc import Mapping

LIST = ("config", "--null", "--get-regexp", r"^protocol\.")
"""The command of git whose output `allowed` takes. Its status is 1 if there are no such settings."""
VARIABLES = ("GIT_ALLOW_PROTOCOL", "GIT_PROTOCOL_FROM_USER")
"""The variables of the environment that count."""

_KNOWN = ("file", "git", "http", "https", "ssh")
_NO = ("", "0", "false", "no", "off")


def allowed(answer: str, environment: Mapping[str, str]) -> list[str]:
    """The names of the protocols.

    Args:
        answer: the output of git with `LIST`, without the settings of the site's repository.
        environment: those of `VARIABLES` that are set.
    """
    if "GIT_ALLOW_PROTOCOL" in environment:  # no setting counts then
        listed = environment["GIT_ALLOW_PROTOCOL"].split(":")
        return [name for name in _KNOWN if name in listed]
    pairs = (setting.partition("\n") for setting in answer.split("\0") if setting)
    policies = {key: value.lower() for key, _, value in pairs}  # of several, git takes the last
    is_user = environment.get("GIT_PROTOCOL_FROM_USER", "1").lower() not in _NO
    usual = policies.get("protocol.allow")
    accepted = ("always", "user") if is_user else ("always",)
    return [
        name
        for name in _KNOWN
        if policies.get(f"protocol.{name}.allow", usual or ("user" if name == "file" else "always")) in accepted
    ]
