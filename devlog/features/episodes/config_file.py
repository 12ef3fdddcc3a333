"""Checks the table ``[speak]`` of the configuration."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from devlog.config import SPOKEN, Config, Speak
from devlog.config_file.spans import SpanOf
from devlog.features.episodes import problems
from devlog.model.diagnostic import Diagnostic


def check_speak(config: Config, span: SpanOf) -> tuple[Config, Sequence[Diagnostic]]:
    """Check that commands that make audio name a program, and the files that they need."""
    speak, wrong = config.speak, list[Diagnostic]()
    if speak.command and not speak.command[0].strip():
        wrong.append(problems.bad_speak_command(span("speak", "command"), "command", "a program"))
    if speak.encode:
        needed = {"a program": speak.encode[0].strip(), "“{output}”": any("{output}" in part for part in speak.encode)}
        missing = next((what for what, there in needed.items() if not there), "")
        if missing:
            wrong.append(problems.bad_speak_command(span("speak", "encode"), "encode", missing))
    for key in ("greeting", "farewell"):
        for placeholder in re.findall(r"\{\w+\}", getattr(speak, key)):
            if placeholder not in SPOKEN:
                wrong.append(problems.bad_speak_placeholder(span("speak", key), key, placeholder, SPOKEN))
    return msgspec.structs.replace(config, speak=Speak()) if wrong else config, wrong
