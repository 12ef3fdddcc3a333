"""A plugin of pytest (``-p no_skips``) that takes no excuses: with DEVLOG_NO_SKIPS=1 a skipped test is a failed one."""

from __future__ import annotations

import os

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> object:
    report: pytest.TestReport = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("DEVLOG_NO_SKIPS") == "1":
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} must not be skipped here: {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> object:
    report: pytest.CollectReport = yield
    if report.outcome == "skipped" and os.environ.get("DEVLOG_NO_SKIPS") == "1":
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} must not be skipped here: {report.longrepr}"
    return report
