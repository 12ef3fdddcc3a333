"""Scripts with messages: whatever a message holds, the script has just that text."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.model.catalog import Catalog, Message
from devlog.model.scripts import Fault, with_messages

PLAIN = Catalog({"copied": Message("en", {"other": "Copied"}), "by": Message("en", {"other": "{what} by {who}"})})


def test_a_string() -> None:
    assert with_messages('say(__t("copied"));', PLAIN) == ('say("Copied");', {"copied"}, ())
    assert with_messages("say(__t( 'copied' ));", PLAIN)[0] == 'say("Copied");'


def test_a_message_with_values() -> None:
    made, keys, faults = with_messages('say(__t("by", { what: a(b, c), who: d }));', PLAIN)
    assert made == "say((v => `${v.what} by ${v.who}`)( { what: a(b, c), who: d }));"
    assert (keys, faults) == ({"by"}, ())


def test_plural_forms_are_those_of_the_language_of_the_text() -> None:
    catalog = Catalog({"n": Message("pl", {"one": "{count} wpis", "few": "{count} wpisy", "other": "{count} wpisu"})})
    made, _, _ = with_messages('__t("n", { count: 3 })', catalog)
    assert made == (
        r'((v, n = `${v.count}`.replace(/\B(?=(?:\d{3})+$)/g, ",")) => '
        '(forms => forms[new Intl.PluralRules("pl").select(v.count)] ?? forms.other)'
        "({ one: `${n} wpis`, few: `${n} wpisy`, other: `${n} wpisu` }))( { count: 3 })"
    )


def test_what_is_no_message() -> None:
    script = 'a();\nb(__t("nobody"));\nc(__t(key), my__t("copied"));'
    assert with_messages(script, PLAIN) == (script, {"nobody", ""}, (Fault(2, "nobody"), Fault(3, "")))


@given(st.text().filter(lambda text: "{" not in text and "}" not in text))
def test_no_text_ends_its_string(text: str) -> None:
    made, _, _ = with_messages('__t("a")', Catalog({"a": Message("en", {"other": text})}))
    assert json.loads(made) == text
    assert not re.search("[\n\r\u2028\u2029]", made)


@pytest.mark.slow
@given(st.text("\\`$a\n'\"").filter(bool))
def test_no_text_ends_its_template(text: str) -> None:
    message = Message("en", {"other": f"{text}{{name}}"})
    made, _, _ = with_messages('__t("a", 1)', Catalog({"a": message}))
    inner = re.fullmatch(r"\(v => `((?:\\.|[^\\`])*)\$\{v\.name\}`\)\( 1\)", made, re.DOTALL)
    assert inner
    assert not re.search(r"(?<!\\)(?:\\\\)*\$\{", inner[1])
    assert re.sub(r"\\(.)", r"\1", inner[1]) == text
