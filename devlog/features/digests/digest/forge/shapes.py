"""The REST interfaces of the forges: where they answer what, and what their answers mean. Pure functions.

Sources: “REST API endpoints for issues” and “… milestones” of GitHub's documentation (version 2022-11-28), “Merge
requests API”, “Issues API” and “Project milestones API” of GitLab's (version 4), and the Swagger description of Gitea's
interface (version 1), which Forgejo shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol
from urllib.parse import quote, urlencode

from devlog.features.digests.digest.forge.values import (
    Item,
    Plan,
    body_of,
    clean,
    count_of,
    day_of,
    id_of,
    labels_of,
    objects,
    title_in,
)
from devlog.model.forges import Forge

MOST_ISSUES = 5
"""So many open issues of a milestone are named."""


class Shape(Protocol):
    """The interface of one forge. Paths are relative to that of the project."""

    name: str
    sign: str
    """With which the number of a pull request begins."""
    batch: int
    """How many items one request by numbers may name."""
    pages: tuple[int, ...]
    """How many items a page of a list may have: as many as the forge allows, and fewer if such a page is too large."""

    def headers(self, token: str) -> dict[str, str]:
        """The fields of a request."""

    def by_number(self, numbers: Sequence[str]) -> str:
        """The path of some items; each is a number with its sign."""

    def since(self, time: str, page: int) -> str:
        """The path of a list of items that were updated since a time; empty if batches make it unnecessary.

        Args:
            time: in UTC.
            page: how many items a page has.
        """

    def items(self, answer: Any, sign: str) -> list[Item]:
        """The items of an answer to one of these requests."""

    def milestones(self) -> str:
        """The path of the open milestones."""

    def plans(self, answer: Any) -> list[Plan]:
        """The milestones of an answer."""

    def open_issues(self, plan: Plan) -> str:
        """The path of some open issues of a milestone."""

    def reactions(self, number: str) -> str:
        """The path of the list of reactions to an item; empty if items tell their number."""


class GitHub:
    """GitHub, also on a host of its own."""

    name, sign, batch = "GitHub", "#", 1
    pages: tuple[int, ...] = (100, 10)

    def headers(self, token: str) -> dict[str, str]:
        """The fields of a request."""
        own = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
        return own | ({"Authorization": f"Bearer {token}"} if token else {})

    def by_number(self, numbers: Sequence[str]) -> str:
        """The path of an issue, which every pull request is, too."""
        return f"/issues/{numbers[0].lstrip('#')}"

    def since(self, time: str, page: int) -> str:
        """The path of all issues and pull requests since a time, the first updated first."""
        asked = {"state": "all", "sort": "updated", "direction": "asc", "per_page": str(page), "since": time}
        return f"/issues?{urlencode(asked)}"

    def items(self, answer: Any, sign: str) -> list[Item]:
        """The items of an answer."""
        some = objects(answer if isinstance(answer, list) else [answer])
        return [_issue(one, sign, one.get("body")) for one in some if id_of(one.get("number"))]

    def milestones(self) -> str:
        """The path of the open milestones."""
        return "/milestones?state=open&sort=due_on&direction=asc&per_page=100"

    def plans(self, answer: Any) -> list[Plan]:
        """The milestones of an answer."""
        return [
            Plan(
                str(id_of(one.get("number")) or id_of(one.get("id"))),
                clean(one.get("title")),
                day_of(one.get("due_on")),
                count_of(one.get("open_issues")),
                count_of(one.get("closed_issues")),
            )
            for one in objects(answer)
            if clean(one.get("title"))
        ]

    def open_issues(self, plan: Plan) -> str:
        """The path of some open issues of a milestone."""
        asked = {"milestone": plan.id, "state": "open", "sort": "comments", "per_page": str(MOST_ISSUES)}
        return f"/issues?{urlencode(asked)}"

    def reactions(self, number: str) -> str:
        """Nothing: items tell how many there are."""
        return ""


class Gitea(GitHub):
    """Gitea and Forgejo, whose interface is like that of GitHub."""

    name = "Gitea"
    pages: tuple[int, ...] = (50, 10)

    def headers(self, token: str) -> dict[str, str]:
        """The fields of a request."""
        return {"Accept": "application/json"} | ({"Authorization": f"token {token}"} if token else {})

    def since(self, time: str, page: int) -> str:
        """The path of all issues and pull requests since a time."""
        return f"/issues?{urlencode({'state': 'all', 'limit': str(page), 'since': time})}"

    def milestones(self) -> str:
        """The path of the open milestones."""
        return "/milestones?state=open&limit=50"

    def open_issues(self, plan: Plan) -> str:
        """The path of some open issues of a milestone."""
        asked = {"milestones": plan.title, "state": "open", "type": "issues", "limit": str(MOST_ISSUES)}
        return f"/issues?{urlencode(asked)}"

    def reactions(self, number: str) -> str:
        """The path of the list of reactions to an item, of which it tells at most 50."""
        return f"/issues/{number.lstrip('#')}/reactions?limit=50"


class GitLab:
    """GitLab, on any host."""

    name, sign, batch = "GitLab", "!", 50
    pages: tuple[int, ...] = ()

    def headers(self, token: str) -> dict[str, str]:
        """The fields of a request."""
        return {"Accept": "application/json"} | ({"PRIVATE-TOKEN": token} if token else {})

    def by_number(self, numbers: Sequence[str]) -> str:
        """The path of some merge requests, or of some issues."""
        kind = "merge_requests" if numbers[0].startswith("!") else "issues"
        named = "&".join(f"iids[]={number.lstrip('#!')}" for number in numbers)
        return f"/{kind}?per_page=100&state=all&{quote(named, safe='=&')}"

    def since(self, time: str, page: int) -> str:
        """Nothing: merge requests are asked for in batches."""
        return ""

    def items(self, answer: Any, sign: str) -> list[Item]:
        """The items of an answer."""
        return [_merge_request(one, sign) for one in objects(answer) if id_of(one.get("iid"))]

    def milestones(self) -> str:
        """The path of the open milestones."""
        return "/milestones?state=active&per_page=100"

    def plans(self, answer: Any) -> list[Plan]:
        """The milestones of an answer."""
        return [
            Plan(str(id_of(one.get("id"))), clean(one.get("title")), day_of(one.get("due_date")))
            for one in objects(answer)
            if clean(one.get("title"))
        ]

    def open_issues(self, plan: Plan) -> str:
        """The path of some open issues of a milestone."""
        asked = {"milestone": plan.title, "state": "opened", "order_by": "popularity", "per_page": str(MOST_ISSUES)}
        return f"/issues?{urlencode(asked)}"

    def reactions(self, number: str) -> str:
        """Nothing: items tell how many votes there are."""
        return ""


def _issue(one: dict[str, Any], sign: str, body: Any) -> Item:
    reactions = one.get("reactions")
    return Item(
        number=f"{sign}{id_of(one.get('number'))}",
        title=clean(one.get("title")),
        body=body_of(body),
        labels=labels_of(one.get("labels")),
        milestone=title_in(one.get("milestone")),
        comments=count_of(one.get("comments")),
        reactions=count_of(reactions.get("total_count")) if isinstance(reactions, dict) else 0,
    )


def _merge_request(one: dict[str, Any], sign: str) -> Item:
    return Item(
        number=f"{sign}{id_of(one.get('iid'))}",
        title=clean(one.get("title")),
        body=body_of(one.get("description")),
        labels=labels_of(one.get("labels")),
        milestone=title_in(one.get("milestone")),
        comments=count_of(one.get("user_notes_count")),
        reactions=count_of(one.get("upvotes")) + count_of(one.get("downvotes")),
    )


SHAPES: dict[Forge, Shape] = {"github": GitHub(), "gitlab": GitLab(), "forgejo": Gitea()}
"""The interface of each forge."""
