"""Dates: every spelling that is accepted, and those that are not."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devlog.model.document import Date
from devlog.parse.front_matter.dates import date_from_name, parse_date


def at(hours: float) -> timezone:
    return timezone(timedelta(hours=hours))


def minutes_ahead(value: datetime) -> int:
    return (value.utcoffset() or timedelta()) // timedelta(minutes=1)


@pytest.mark.parametrize(
    "text",
    [
        "2026-05-03",
        "2026-5-3",
        "2026/05/03",
        " 2026-05-03 ",
        "May 3, 2026",
        "May 3 2026",
        "May 3rd, 2026",
        "3 May 2026",
        "03 May 2026",
        "Sun, 03 May 2026",
    ],
)
def test_days(text: str) -> None:
    assert parse_date(text) == Date(datetime(2026, 5, 3), day_only=True)  # noqa: DTZ001


@pytest.mark.parametrize("text", ["June 8, 2020", "8 June 2020", "Jun 8, 2020", "jun. 8, 2020", "JUNE 8, 2020"])
def test_month_names(text: str) -> None:
    assert parse_date(text) == Date(datetime(2020, 6, 8), day_only=True)  # noqa: DTZ001


@pytest.mark.parametrize("month", range(1, 13))
def test_all_months(month: int) -> None:
    names = ["January", "February", "March", "April", "May", "June", "July", "August", "September"]
    names += ["October", "November", "December"]
    expected = Date(datetime(2026, month, 1), day_only=True)  # noqa: DTZ001
    assert parse_date(f"{names[month - 1]} 1, 2026") == expected
    assert parse_date(f"1 {names[month - 1][:3]} 2026") == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2009-12-14T10:02:00Z", datetime(2009, 12, 14, 10, 2, tzinfo=UTC)),
        ("2009-12-14t10:02:00z", datetime(2009, 12, 14, 10, 2, tzinfo=UTC)),
        ("2009-12-14 10:02:00 UTC", datetime(2009, 12, 14, 10, 2, tzinfo=UTC)),
        ("2009-12-14 10:02:00+00:00", datetime(2009, 12, 14, 10, 2, tzinfo=UTC)),
        ("2009-12-18T22:24:41.258-08:00", datetime(2009, 12, 18, 22, 24, 41, 258000, tzinfo=at(-8))),
        ("2009-12-18T22:24:41.123456789Z", datetime(2009, 12, 18, 22, 24, 41, 123456, tzinfo=UTC)),
        ("2025-08-20 10:00:00 -0700", datetime(2025, 8, 20, 10, tzinfo=at(-7))),
        ("2025-08-20 10:00 +0530", datetime(2025, 8, 20, 10, tzinfo=at(5.5))),
        ("2025-08-20T10:00", datetime(2025, 8, 20, 10)),  # noqa: DTZ001
        ("2025/08/20 9:05", datetime(2025, 8, 20, 9, 5)),  # noqa: DTZ001
        ("Mon, 08 Jun 2020 10:00:00 +0000", datetime(2020, 6, 8, 10, tzinfo=UTC)),
        ("Mon, 08 Jun 2020 10:00:00 GMT", datetime(2020, 6, 8, 10, tzinfo=UTC)),
        ("June 8, 2020 10:00", datetime(2020, 6, 8, 10)),  # noqa: DTZ001
    ],
)
def test_times(text: str, value: datetime) -> None:
    date = parse_date(text)
    assert date == Date(value, day_only=False, offset=minutes_ahead(value))
    assert date.value.utcoffset() == value.utcoffset()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-13-45",
        "2026-02-30",
        "2026-00-01",
        "0000-01-01",
        "2026-05",
        "2026-05/03",
        "26-05-03",
        "20260503",
        "05/03/2026",
        "2026-05-03 soon",
        "2026-05-03T25:00",
        "2026-05-03T10:61",
        "2026-05-03T10:00+25:00",
        "2026-05-03T10:00+00:99",
        "2026-05-03T10:00 PST",
        "9999-12-31T23:00:00-05:00",
        "Juny 8, 2020",
        "Ju 8, 2020",
        "tomorrow",
        "٢٠٢٦-٠٥-٠٣",
        "${DATE}",
        "1" * 100_000,
    ],
)
def test_no_date(text: str) -> None:
    assert parse_date(text) is None


@pytest.mark.parametrize(
    ("name", "day", "rest"),
    [
        ("2026-05-04-slug", (2026, 5, 4), "slug"),
        ("2026-05-04-Debug-Graph.Breaks", (2026, 5, 4), "Debug-Graph.Breaks"),
        ("2023-10-5-x", (2023, 10, 5), "x"),
        ("2026-05-04", (2026, 5, 4), ""),
        ("2026-05-04-", (2026, 5, 4), ""),
        ("2026-05-04-2026-05-05-x", (2026, 5, 4), "2026-05-05-x"),
        ("2025_01_02_x", None, "2025_01_02_x"),
        ("2026-05-04x", None, "2026-05-04x"),
        ("2026-13-45-x", None, "2026-13-45-x"),
        ("slug", None, "slug"),
        ("", None, ""),
    ],
)
def test_date_from_name(name: str, day: tuple[int, int, int] | None, rest: str) -> None:
    expected = Date(datetime(*day), day_only=True) if day else None  # noqa: DTZ001
    assert date_from_name(name) == (expected, rest)


@pytest.mark.slow
@given(st.text(alphabet=st.characters(), max_size=40))
def test_never_raises(text: str) -> None:
    parse_date(text)
    date_from_name(text)


@pytest.mark.slow
@given(st.datetimes(timezones=st.none() | st.just(UTC) | st.just(at(-7)), min_value=datetime(1900, 1, 1)))  # noqa: DTZ001
def test_iso_round_trip(value: datetime) -> None:
    if value.year < 9999:
        assert parse_date(value.isoformat()) == Date(value, day_only=False, offset=minutes_ahead(value))
        assert parse_date(value.date().isoformat()) == parse_date(value.strftime("%Y/%m/%d"))
