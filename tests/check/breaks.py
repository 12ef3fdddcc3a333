"""Ways to break the good site, of which a strict check tells nothing.

Each kind breaks one thing at a random place, and says all that must be told of it: its consequences too, such as the
links to a post that is gone, or the picture that nobody shows any more.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random

from good_site import FILES

Told = tuple[str, str, int]
"""A code, a file, and a line; 0 for the file as a whole."""

BOOKS = {"devlog.toml", "content/authors.yml"}
TOPICS = ("storage", "network", "query", "query/planner")


@dataclass(frozen=True)
class Break:
    """A broken site.

    Attributes:
        files: the whole site.
        told: all that is told of it.
        fixed: what `--fix` makes of it; `None` where there is no one right answer, so that it changes nothing.
        silent: whether nothing is told of the fixed site.
    """

    files: dict[str, bytes]
    told: tuple[Told, ...]
    fixed: dict[str, bytes] | None = None
    silent: bool = True


Kind = Callable[[Random], Break]
KINDS: list[Kind] = []


def kind(function: Kind) -> Kind:
    """A way to break the site."""
    KINDS.append(function)
    return function


# -- what there is in the good site


@dataclass(frozen=True)
class Place:
    """A stretch of a line: where it begins, and what stands there."""

    file: str
    line: int
    column: int
    text: str


@dataclass(frozen=True)
class Link:
    """A reference in a text to a file of the site: where its target stands, and the file that is meant."""

    place: Place
    leads_to: str

    @property
    def fragment(self) -> str:
        return self.place.text.partition("#")[2]

    @property
    def told_at(self) -> tuple[str, int]:
        return self.place.file, self.place.line


TEXTS = sorted(name for name in FILES if name.endswith(".md"))
POSTS = [name for name in TEXTS if re.search(r"/\d{4}-", name)]
PICTURES = sorted(name for name in FILES if name.endswith(".png"))
_TARGET = re.compile(r'(?<=\]\()[^)\s]+(?=\))|(?<=href=")[^"]+(?=")|(?<=src=")[^"]+(?=")')


def lines(name: str) -> list[str]:
    return FILES[name].decode().splitlines()


def places(pattern: str, names: Iterable[str] = TEXTS) -> list[Place]:
    """Where a pattern matches in some files of the good site."""
    return [
        Place(name, number, found.start(), found[0])
        for name in names
        for number, line in enumerate(lines(name), 1)
        for found in re.finditer(pattern, line)
    ]


def _meant(place: Place) -> str:
    """The file to which a target leads, by rules that are much simpler than devlog's."""
    path = place.text.partition("#")[0]
    if not path:
        return place.file
    if path.startswith("/"):
        return f"static{path}" if f"static{path}" in FILES else f"content{path}_index.md"
    return posixpath.normpath(posixpath.join(posixpath.dirname(place.file), path))


LINKS = [Link(place, _meant(place)) for place in places(_TARGET.pattern) if ":" not in place.text]
assert all(link.leads_to in FILES for link in LINKS)
REDIRECT = places(r"/query/2026-02-14-joins\.md", ["devlog.toml"])[0]


def links_to(name: str, *, but_from: str = "") -> list[Link]:
    return [link for link in LINKS if link.leads_to == name and link.place.file != but_from]


def told_of_links(code: str, name: str) -> list[Told]:
    """What is told of the links, and of the redirect, to a text that is not there any more."""
    found = [(code, *link.told_at) for link in links_to(name, but_from=name)]
    if name.endswith(REDIRECT.text):
        found.append((code, REDIRECT.file, REDIRECT.line))
    return found


def unshown_pictures(name: str) -> list[Told]:
    """What is told of the pictures that only one text shows, when it shows them no more."""
    shown = [link.leads_to for link in LINKS if link.place.file == name and link.leads_to in PICTURES]
    return [("unused-image", picture, 0) for picture in shown]


def fence(name: str) -> int:
    """The line that closes the front matter of a text."""
    closing = {"-": "---", "+": "+++", "{": "}"}[FILES[name].decode()[0]]
    return lines(name).index(closing, 1) + 1


def language(name: str) -> str:
    return {"-": "yaml", "+": "toml", "{": "json"}[FILES[name].decode()[0]]


def in_language(*names: str) -> list[str]:
    return [name for name in POSTS if language(name) in names]


def front_matter(pattern: str, names: Iterable[str] = POSTS) -> list[Place]:
    return [place for place in places(pattern, names) if place.line < fence(place.file)]


def prose() -> list[Place]:
    """Lines of paragraphs of posts."""
    found = []
    for name in POSTS:
        within = False
        for number, line in enumerate(lines(name), 1):
            within ^= line.startswith("```")
            if number > fence(name) and not within and re.match(r"[A-Z][a-z`]*[ ,.].*\.$", line):
                found.append(Place(name, number, 0, line))
    return found


# -- changing it


def with_file(name: str, data: bytes | str | None, files: Mapping[str, bytes] = FILES) -> dict[str, bytes]:
    """The files with another text for one of them, or without it."""
    kept = {other: text for other, text in files.items() if other != name}
    return kept if data is None else {**kept, name: data.encode() if isinstance(data, str) else data}


def with_lines(name: str, new: list[str]) -> dict[str, bytes]:
    return with_file(name, "\n".join(new) + "\n")


def put(place: Place, new: str) -> dict[str, bytes]:
    """The site with something else in a place."""
    text = lines(place.file)
    line = text[place.line - 1]
    text[place.line - 1] = line[: place.column] + new + line[place.column + len(place.text) :]
    return with_lines(place.file, text)


def put_line(name: str, number: int, *new: str) -> dict[str, bytes]:
    """The site with new lines before a line of a text."""
    text = lines(name)
    return with_lines(name, [*text[: number - 1], *new, *text[number - 1 :]])


def drop_line(place: Place) -> dict[str, bytes]:
    text = lines(place.file)
    return with_lines(place.file, [*text[: place.line - 1], *text[place.line :]])


def in_prose(random: Random, code: str, *choices: str) -> Break:
    """Something at the end of a line of some post."""
    place = random.choice(prose())
    broken = put(place, f"{place.text} {random.choice(choices)}")
    return Break(broken, ((code, place.file, place.line),))


def misspelt(random: Random, word: str) -> str:
    """A word with two of its letters swapped."""
    swaps = [i for i in range(len(word) - 1) if word[i : i + 2].isalpha() and word[i] != word[i + 1]]
    at = random.choice(swaps)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def key_line(name: str, key: str, value: str) -> str:
    """A key with a plain text, as the front matter of a text has it."""
    return {"yaml": f"{key}: {value}", "toml": f'{key} = "{value}"', "json": f'  "{key}": "{value}",'}[language(name)]


# -- links and pictures


@kind
def deleted_post(random: Random) -> Break:
    name = random.choice(POSTS)
    return Break(with_file(name, None), (*told_of_links("broken-link", name), *unshown_pictures(name)))


@kind
def renamed_post(random: Random) -> Break:
    name = random.choice([name for name in POSTS if not name.endswith("index.md")])
    new = name.replace(".md", random.choice(("-again.md", "2.md")))
    broken = with_file(new, FILES[name], with_file(name, None))
    return Break(broken, tuple(told_of_links("broken-link", name)))


@kind
def deleted_picture(random: Random) -> Break:
    name = random.choice(PICTURES)
    return Break(with_file(name, None), tuple(("broken-image", *link.told_at) for link in links_to(name)))


@kind
def moved_picture(random: Random) -> Break:
    """It has its name still, so that links can be fixed."""
    name = random.choice([name for name in PICTURES if name.startswith("static/")])
    folder, _, base = name.rpartition("/")
    new = f"{folder}/old/{base}"
    broken = with_file(new, FILES[name], with_file(name, None))
    (link,) = links_to(name)
    fixed = {**broken, link.place.file: put(link.place, new.removeprefix("static"))[link.place.file]}
    return Break(broken, (("broken-image", *link.told_at), ("unused-image", new, 0)), fixed)


@kind
def renamed_heading(random: Random) -> Break:
    link = random.choice([link for link in LINKS if link.fragment])
    title = next(
        place
        for place in places(r"(?<=^## ).+", [link.leads_to])
        if place.text.lower().replace(" ", "-") == link.fragment
    )
    told = [("broken-anchor", *other.told_at) for other in LINKS if _same_heading(other, link)]
    return Break(put(title, f"{title.text} and more"), tuple(told))


def _same_heading(one: Link, other: Link) -> bool:
    return (one.leads_to, one.fragment) == (other.leads_to, other.fragment)


@kind
def misspelt_link(random: Random) -> Break:
    link = random.choice([link for link in LINKS if link.leads_to in POSTS and not link.place.text.startswith("#")])
    path, mark, fragment = link.place.text.partition("#")
    new = misspelt(random, path.removesuffix(".md")) + ".md"
    # Only one file has this name, so that a slip in a folder can be fixed.
    sure = _own_name(new) == _own_name(path)
    return Break(put(link.place, new + mark + fragment), (("broken-link", *link.told_at),), FILES if sure else None)


def _own_name(path: str) -> str:
    return "/".join(path.split("/")[-2:]) if path.endswith("index.md") else posixpath.basename(path)


@kind
def misspelt_anchor(random: Random) -> Break:
    link = random.choice([link for link in LINKS if link.fragment])
    path = link.place.text.partition("#")[0]
    return Break(put(link.place, f"{path}#{misspelt(random, link.fragment)}"), (("broken-anchor", *link.told_at),))


@kind
def misspelt_picture(random: Random) -> Break:
    link = random.choice([link for link in LINKS if link.leads_to in PICTURES])
    folder, slash, base = link.place.text.rpartition("/")
    new = folder + slash + misspelt(random, base.removesuffix(".png")) + ".png"
    return Break(put(link.place, new), (("broken-image", *link.told_at), ("unused-image", link.leads_to, 0)))


@kind
def other_letter_case(random: Random) -> Break:
    link = random.choice([link for link in LINKS if link.leads_to in POSTS and not link.place.text.startswith("#")])
    path, mark, fragment = link.place.text.partition("#")
    at = random.choice([i for i, char in enumerate(path) if char.islower()])
    broken = put(link.place, path[:at] + path[at].upper() + path[at + 1 :] + mark + fragment)
    return Break(broken, (("case-mismatch", *link.told_at),), FILES)


@kind
def own_address(random: Random) -> Break:
    link = random.choice([link for link in LINKS if link.leads_to in POSTS and not link.place.text.startswith("#")])
    permalink = link.leads_to.removeprefix("content/").removesuffix(".md").removesuffix("/index")
    mark, fragment = link.place.text.partition("#")[1:]
    scheme = random.choice(("https", "http"))
    broken = put(link.place, f"{scheme}://docs.example.org/lumen/{permalink}/{mark}{fragment}")
    return Break(broken, (("own-url", *link.told_at),), FILES)


@kind
def forgotten_target(random: Random) -> Break:
    link = random.choice([link for link in LINKS if link.leads_to in POSTS])
    return Break(put(link.place, "#"), (("placeholder-link", *link.told_at),))


@kind
def link_out_of_the_site(random: Random) -> Break:
    link = random.choice([link for link in LINKS if link.leads_to in POSTS])
    return Break(put(link.place, "../../../../lumen/src/page.c"), (("link-leaves-site", *link.told_at),))


@kind
def unsafe_scheme(random: Random) -> Break:
    link = random.choice([link for link in LINKS if link.leads_to in POSTS])
    new = random.choice(("javascript:alert", "file:///etc/hosts", "htps://example.org/"))
    return Break(put(link.place, new), (("unsafe-url", *link.told_at),))


@kind
def lines_on_a_branch(random: Random) -> Break:
    """The commit of the one link to lines becomes a branch; or there is a new link."""
    (place,) = places(r"0123456789abcdef0123456789abcdef01234567")
    if random.random() < 0.3:
        return Break(put(place, "main"), (("unpinned-link", place.file, place.line),))
    address = "https://github.com/example/lumen/blob/{}/src/page.c#L{}"
    link = f"[Here]({address.format(random.choice(('main', 'master', 'a-branch')), random.randint(1, 99))})."
    return in_prose(random, "unpinned-link", link)


@kind
def unpublished_post(random: Random) -> Break:
    name = random.choice(in_language("yaml", "toml"))
    plain = {"yaml": "draft: true", "toml": "draft = true"}[language(name)]
    line = random.choice((plain, key_line(name, "expiryDate", "2026-06-01")))
    return Break(put_line(name, fence(name), line), tuple(told_of_links("link-to-unpublished", name)))


@kind
def no_text_for_a_picture(random: Random) -> Break:
    place = random.choice(places(r'(?<=!\[)[^\]]+(?=\]\()|alt="[^"]*" '))
    return Break(put(place, ""), (("missing-alt", place.file, place.line),))


@kind
def picture_of_a_tracker(random: Random) -> Break:
    address = "https://github.com/user-attachments/assets/0a1b2c3d-0000-4000-8000-000000000000"
    old = "https://user-images.githubusercontent.com/123/456.png"
    return in_prose(random, "tracker-image", f"![A chart]({address})", f'<img src="{old}" alt="A chart">')


@kind
def large_picture(random: Random) -> Break:
    name = random.choice(PICTURES)
    (link,) = links_to(name)
    broken = with_file(name, FILES[name] + bytes(random.randint(201_000, 300_000)))
    return Break(broken, (("large-image", *link.told_at),))


@kind
def picture_that_nobody_shows(random: Random) -> Break:
    new = random.choice(("static/images/query/plan.png", "content/network/unused.png"))
    return Break(with_file(new, FILES[random.choice(PICTURES)]), (("unused-image", new, 0),))


@kind
def picture_of_another_topic(random: Random) -> Break:
    link = random.choice([link for link in LINKS if link.leads_to.startswith("static/images/")])
    own = link.leads_to.split("/")[2]
    other = random.choice([topic for topic in ("storage", "network", "query") if topic != own])
    new = f"static/images/{other}/moved.png"
    files = with_file(new, FILES[link.leads_to], with_file(link.leads_to, None))
    files[link.place.file] = put(link.place, new.removeprefix("static"))[link.place.file]
    return Break(files, (("image-in-other-topic", *link.told_at),))


# -- front matter


def _without(place: Place, *names: str) -> Iterator[Told]:
    if place.text in names:
        yield ("missing-title", place.file, 1)


@kind
def misspelt_key(random: Random) -> Break:
    """A file's name has its date, so that only a title is missed."""
    place = random.choice(front_matter(r"^(?:title|author|tags|description|date)(?=:| =)|(?<=^  \")\w+(?=\":)"))
    new = misspelt(random, place.text)
    told = (("unknown-key", place.file, place.line), *_without(place, "title"))
    return Break(put(place, new), told, FILES)


@kind
def colon_in_a_value(random: Random) -> Break:
    place = random.choice(front_matter(r"(?<=^title: ).+", in_language("yaml")))
    return Break(put(place, place.text.replace(" ", ": ", 1)), (("front-matter-syntax", place.file, place.line),))


@kind
def open_bracket(random: Random) -> Break:
    place = random.choice(front_matter(r"(?<=^tags: \[)[^\]]+\]", in_language("yaml")))
    return Break(put(place, place.text[:-1]), (("front-matter-syntax", place.file, place.line),))


@kind
def indented_by_a_tab(random: Random) -> Break:
    place = random.choice(front_matter(r"^\w+: ", in_language("yaml")))
    return Break(put(place, f"\t{place.text}"), (("front-matter-syntax", place.file, place.line),))


@kind
def open_quote(random: Random) -> Break:
    place = random.choice(front_matter(r'"(?=[,\]}]*$)', in_language("toml", "json")))
    return Break(put(place, ""), (("front-matter-syntax", place.file, place.line),))


@kind
def key_twice(random: Random) -> Break:
    place = random.choice(front_matter(r"^(?:title|author|date)(?::| =).*|^  \"(?:title|date)\".*"))
    new = put_line(place.file, place.line, lines(place.file)[place.line - 1])
    return Break(new, (("duplicate-key", place.file, place.line + 1),))


@kind
def no_date_at_all(random: Random) -> Break:
    place = random.choice(front_matter(r"(?<=^date: )[\d-]+$|(?<=\"date\": \")[\d-]+"))
    new = random.choice(("2026-02-30", "2026-13-01", "soon", "03.05.2026"))
    return Break(put(place, new), (("bad-date", place.file, place.line),))


@kind
def another_day(random: Random) -> Break:
    place = random.choice(front_matter(r"(?<=^date: )[\d-]+$|(?<=^date = )[\d-]+$|(?<=\"date\": \")[\d-]+"))
    new = place.text[:-2] + random.choice([day for day in ("01", "17", "28") if day != place.text[-2:]])
    return Break(put(place, new), (("date-mismatch", place.file, place.line),))


@kind
def no_leading_zero(random: Random) -> Break:
    place = random.choice(front_matter(r"-0(?=\d)", in_language("yaml", "json")))
    return Break(put(place, "-"), (("unpadded-date", place.file, place.line),), FILES)


@kind
def no_title(random: Random) -> Break:
    place = random.choice(front_matter(r"^title(?::| =).*"))
    words = posixpath.basename(place.file.removesuffix("/index.md").removesuffix(".md")).split("-")[3:]
    title = {"yaml": "title: ", "toml": "title = "}[language(place.file)] + f'"{" ".join(words).title()}"'
    return Break(drop_line(place), (("missing-title", place.file, 1),), put(place, title))


@kind
def no_front_matter_at_all(random: Random) -> Break:
    name = random.choice(POSTS)
    body = "\n".join(lines(name)[fence(name) :]).lstrip("\n") + "\n"
    words = posixpath.basename(name.removesuffix("/index.md").removesuffix(".md")).split("-")[3:]
    fixed = f'---\ntitle: "{" ".join(words).title()}"\n---\n\n{body}'
    told: list[Told] = [("no-front-matter", name, 1)]
    return Break(with_file(name, body), tuple(told), with_file(name, fixed))


@kind
def front_matter_without_end(random: Random) -> Break:
    name = random.choice(in_language("yaml", "toml"))
    closing = Place(name, fence(name), 0, lines(name)[fence(name) - 1])
    return Break(drop_line(closing), (("unclosed-front-matter", name, 1),))


@kind
def comment_in_a_value(random: Random) -> Break:
    place = random.choice(front_matter(r"(?<=^title: ).+", in_language("yaml")))
    return Break(put(place, place.text.replace(" ", " #1 ", 1)), (("comment-in-value", place.file, place.line),))


@kind
def value_of_another_kind(random: Random) -> Break:
    name = random.choice(POSTS)
    key, value = random.choice((("weight", "many"), ("draft", "perhaps"), ("toc", "sometimes")))
    at = 2 if language(name) == "json" else fence(name)
    return Break(put_line(name, at, key_line(name, key, value)), (("bad-value", name, at),))


@kind
def no_suffix(random: Random) -> Break:
    name = random.choice([name for name in POSTS if not name.endswith("index.md")])
    broken = with_file(name.removesuffix(".md"), FILES[name], with_file(name, None))
    told = [("missing-suffix", name.removesuffix(".md"), 0), *told_of_links("broken-link", name)]
    return Break(broken, (*told, *unshown_pictures(name)), FILES)


# -- authors and tags

_AUTHOR = r"(?P<name>[A-Z]\w+ [A-Z]\w+) \(@(?P<handle>\w+)\)"


def _author(random: Random) -> tuple[Place, str, str]:
    place = random.choice(front_matter(_AUTHOR))
    name, handle = place.text.removesuffix(")").split(" (@")
    return place, name, handle


@kind
def no_handle(random: Random) -> Break:
    place, name, _ = _author(random)
    return Break(put(place, name), (("missing-handle", place.file, place.line),), FILES)


@kind
def handle_without_its_sign(random: Random) -> Break:
    place, name, handle = _author(random)
    return Break(put(place, f"{name} ({handle})"), (("missing-handle", place.file, place.line),), FILES)


@kind
def author_without_a_space(random: Random) -> Break:
    place, name, handle = _author(random)
    new = random.choice((f"{name}(@{handle})", f"{name} @{handle}", f"{name}  (@{handle})"))
    return Break(put(place, new), (("author-spelling", place.file, place.line),), FILES)


@kind
def misspelt_name(random: Random) -> Break:
    place, name, handle = _author(random)
    return Break(put(place, f"{misspelt(random, name)} (@{handle})"), (("two-names", place.file, place.line),))


@kind
def misspelt_handle(random: Random) -> Break:
    place, name, handle = _author(random)
    return Break(put(place, f"{name} (@{misspelt(random, handle)})"), (("two-handles", place.file, place.line),))


@kind
def authors_for_author(random: Random) -> Break:
    place = random.choice(front_matter(r"^author(?=:| =)"))
    return Break(put(place, "authors"), (("authors-key", place.file, place.line),), FILES)


@kind
def another_spelling_of_a_tag(random: Random) -> Break:
    """Only of tags that are used three times: of two spellings, the more usual one counts."""
    place = random.choice(front_matter(r"\b(?:storage|testing|network|query)\b(?=\"?,|\"?\]|$)"))
    new = random.choice((place.text.upper(), place.text.title(), f"{place.text[:3]}-{place.text[3:]}"))
    return Break(put(place, new), (("tag-drift", place.file, place.line),), FILES)


@kind
def entry_that_is_no_author(random: Random) -> Break:
    place = random.choice(places(r"^\w+:(?=$)", ["content/authors.yml"]))
    number = place.line
    return Break(
        put_line("content/authors.yml", number, "dotree: Do Tree"), (("bad-registry", "content/authors.yml", number),)
    )


# -- what texts say


@kind
def unfinished(random: Random) -> Break:
    return in_prose(random, "placeholder", "TODO: say why.", "Lorem ipsum dolor.", "How much? TBD.")


@kind
def title_left_over(random: Random) -> Break:
    place = random.choice(front_matter(r"(?<=^title: ).+", in_language("yaml")))
    return Break(put(place, "Your title here"), (("placeholder", place.file, place.line),))


@kind
def title_once_more(random: Random) -> Break:
    name = random.choice(POSTS)
    title = re.search(r"title\"?(?::| =) \"?([^\"\n]+)", FILES[name].decode())
    assert title
    at = fence(name) + 1
    at += not lines(name)[at - 1]
    return Break(put_line(name, at, f"# {title[1]}", ""), (("repeated-title", name, at),), FILES)


@kind
def nothing_written(random: Random) -> Break:
    name = random.choice(POSTS)
    told = [("empty-post", name, 1)]
    told += [("broken-anchor", *link.told_at) for link in links_to(name, but_from=name) if link.fragment]
    return Break(with_lines(name, lines(name)[: fence(name)]), (*told, *unshown_pictures(name)))


@kind
def folder_of_somebody(random: Random) -> Break:
    return in_prose(
        random, "leaks.home-path", "In `/home/quilla/lumen`.", "(/Users/quilla/lumen)", r"C:\\Users\\quilla\\lumen."
    )


@kind
def secret(random: Random) -> Break:
    def some(number: int, letters: str = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNP23456789") -> str:
        return "".join(random.sample(letters, number))

    upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
    choices = (f"ghp_{some(36)}", f"`AKIA{some(16, upper)}`", f"hf_{some(34)}", "-----BEGIN RSA PRIVATE KEY-----")
    return in_prose(random, "leaks.token", *choices)


@kind
def host_within(random: Random) -> Break:
    return in_prose(
        random,
        "leaks.internal-host",
        "See [it](http://go/plans).",
        "See <https://wiki.corp/plans>.",
        "See `https://ci.lumen.internal:8080/1`.",
        "Ask on chat.lumen-intra.example.com.",
    )


@kind
def number_within(random: Random) -> Break:
    number = random.randint(10_000_000, 99_999_999)
    return in_prose(random, "leaks.internal-number", f"See D{number}.", f"(T{number})", f"`D{number}`")


@kind
def own_pattern(random: Random) -> Break:
    return in_prose(random, "leaks.incident", f"It was INC-{random.randint(1000, 9999)}.")


@kind
def invisible_character(random: Random) -> Break:
    return in_prose(random, "control-character", "Bell\x07.", "Back\x08space.", "\x1b[31mred")


@kind
def not_a_text(random: Random) -> Break:
    place = random.choice(prose())
    marker = "\ue000"
    broken = put(place, f"{place.text} {marker}")
    code, data = random.choice((("not-utf8", b"\xe9t\xe9"), ("zero-byte", b"a\0b")))
    broken[place.file] = broken[place.file].replace(marker.encode(), data)
    return Break(broken, ((code, place.file, place.line),))


@kind
def shortcode_that_nobody_knows(random: Random) -> Break:
    return in_prose(random, "unknown-shortcode", '{{< chart "hits" >}}', "{{< figrue src=x >}}")


@kind
def shortcode_without_its_end(random: Random) -> Break:
    return in_prose(random, "unpaired-shortcode", "{{% notice %}}", "{{< /details >}}")


@kind
def unsafe_element(random: Random) -> Break:
    return in_prose(
        random, "unsafe-html", "<button>Go</button>", "<form>Search</form>", '<object data="x.swf"></object>'
    )


@kind
def no_html_at_all(random: Random) -> Break:
    return in_prose(random, "not-html", "A <undef> value.", "A vector<T> of them.")


@kind
def unknown_language(random: Random) -> Break:
    place = random.choice(places(r"(?<=^```)(?:python|cpp)"))
    return Break(put(place, misspelt(random, place.text)), (("unknown-language", place.file, place.line),))


@kind
def waiver_without_reason(random: Random) -> Break:
    return in_prose(random, "bad-waiver", "<!-- devlog: allow leaks.home-path -->", "<!-- devlog: allow typos: why -->")


@kind
def waiver_without_need(random: Random) -> Break:
    return in_prose(random, "unused-waiver", "<!-- devlog: allow placeholder: it is what the text is about -->")


# -- topics, addresses, configuration


@kind
def topic_without_index(random: Random) -> Break:
    topic = random.choice(TOPICS)
    name = f"content/{topic}/_index.md"
    told = [("missing-index", f"content/{topic}", 0)]
    told += [("broken-link", *link.told_at) for link in links_to(name) if link.place.text.endswith(".md")]
    return Break(with_file(name, None), tuple(told))


@kind
def another_spelling_of_a_topic(random: Random) -> Break:
    topic = random.choice(TOPICS)
    new = random.choice((f"{topic[:-2]}-{topic[-2:]}", f"{topic[:-2]}_{topic[-2:]}"))
    files = {**FILES, f"content/{new}/_index.md": FILES[f"content/{topic}/_index.md"]}
    files[f"content/{new}/2026-06-01-a-post.md"] = b"---\ntitle: A post\nauthor: Bo Reed (@boreed)\n---\nText.\n"
    return Break(files, (("topic-drift", f"content/{new}/_index.md", 0),))


@kind
def topic_without_posts(random: Random) -> Break:
    name = f"content/{random.choice(('tools', 'query/parser'))}/_index.md"
    return Break({**FILES, name: b"---\ntitle: A topic\n---\nText.\n"}, (("empty-topic", name, 0),))


@kind
def two_posts_at_one_address(random: Random) -> Break:
    name, other = random.sample([name for name in POSTS if not name.endswith("index.md")], 2)
    url = other.removeprefix("content").removesuffix(".md") + "/"
    at = 2 if language(name) == "json" else fence(name)
    return Break(put_line(name, at, key_line(name, "url", url)), (("colliding-url", name, at),))


@kind
def alias_of_a_page(random: Random) -> Break:
    (place,) = places(r"/old/checksums/")
    page = random.choice([name for name in POSTS if name != place.file and not name.endswith("index.md")])
    new = page.removeprefix("content").removesuffix(".md") + "/"
    return Break(put(place, new), (("colliding-alias", place.file, place.line),))


@kind
def note_in_a_bundle(random: Random) -> Break:
    name = f"content/storage/2026-04-11-compaction/{random.choice(('notes', 'more'))}.md"
    return Break({**FILES, name: b"---\ntitle: Notes\n---\nText.\n"}, (("inside-bundle", name, 0),))


@kind
def menu_that_leads_nowhere(random: Random) -> Break:
    place = random.choice(places(r"(?<=^url = \"/)\w+", ["devlog.toml"]))
    return Break(put(place, misspelt(random, place.text)), (("broken-menu", place.file, place.line),))


@kind
def redirect_that_leads_nowhere(random: Random) -> Break:
    new = REDIRECT.text.replace("joins", misspelt(random, "joins"))
    return Break(put(REDIRECT, new), (("broken-link", REDIRECT.file, REDIRECT.line),))


@kind
def misspelt_setting(random: Random) -> Break:
    keys = r"^(?:title|description|language|timezone|source_repo|recent|weight|limit|image_budget)(?= =)"
    place = random.choice(places(keys, ["devlog.toml"]))
    return Break(put(place, misspelt(random, place.text)), (("unknown-config-key", place.file, place.line),))


@kind
def setting_in_the_wrong_place(random: Random) -> Break:
    line = random.choice(("limit = 9", "image_budget = 100", "hosts = []", "autolink = false"))
    at = random.randint(1, 7)
    return Break(put_line("devlog.toml", at, line), (("misplaced-config-key", "devlog.toml", at),))


@kind
def setting_of_another_type(random: Random) -> Break:
    place = random.choice(places(r"(?<= = )\d+$", ["devlog.toml"]))
    new = random.choice(('"many"', "true", "[1]", "1.5"))
    return Break(put(place, new), (("wrong-config-value", place.file, place.line),))


@kind
def settings_that_are_no_toml(random: Random) -> Break:
    place = random.choice(places(r'(?<== ")[^"]+"$', ["devlog.toml"]))
    return Break(put(place, place.text[:-1]), (("invalid-config", place.file, place.line),))


@kind
def no_address_of_the_site(random: Random) -> Break:
    (place,) = places(r"(?<=^base_url = \")[^\"]+", ["devlog.toml"])
    new = random.choice(
        ("docs.example.org/lumen", "htps://docs.example.org/", "lumen", "https://docs.example.org/a b/")
    )
    return Break(put(place, new), (("bad-base-url", place.file, place.line),))


@kind
def no_such_time_zone(random: Random) -> Break:
    (place,) = places(r"Europe/Lisbon", ["devlog.toml"])
    new = f"Europe/{misspelt(random, 'Lisbon')}"
    return Break(put(place, new), (("unknown-timezone", place.file, place.line),))


@kind
def tag_that_is_not_allowed(random: Random) -> Break:
    place = random.choice(front_matter(r"\b(?:storage|testing|network|query)\b(?=\"?,|\"?\]|$)"))
    return Break(put(place, "miscellany"), (("unknown-tag", place.file, place.line),))


@kind
def tag_without_a_letter(random: Random) -> Break:
    place = random.choice(
        front_matter(r"\b(?:storage|testing|network|query)\b(?=\"\]|\",)", in_language("toml", "json"))
    )
    return Break(put(place, "!!"), (("bad-tag", place.file, place.line),))


@kind
def setting_without_effect(_random: Random) -> Break:
    end = len(lines("devlog.toml")) + 1
    files = put_line("devlog.toml", end, "[permalinks.topics]", 'gone = "/:year/:slug/"')
    return Break(files, (("useless-key", "devlog.toml", end + 1),))


@kind
def redirect_that_is_none(random: Random) -> Break:
    place = random.choice(places(r"(?<=^\")/(?=(?:joins|chat)/\")", ["devlog.toml"]))
    return Break(put(place, ""), (("bad-redirect", place.file, place.line),))


@kind
def pattern_of_no_address(random: Random) -> Break:
    end = len(lines("devlog.toml")) + 1
    line = random.choice(('post = "/:topc/:name/"', 'post = ":topic/:name/"'))
    return Break(put_line("devlog.toml", end, "[permalinks]", line), (("bad-permalink", "devlog.toml", end + 1),))


@kind
def post_without_a_date(random: Random) -> Break:
    name = f"content/{random.choice(TOPICS)}/undated.md"
    return Break({**FILES, name: b"---\ntitle: A post\n---\nText.\n"}, (("missing-date", name, 1),))


@kind
def topic_in_the_place_of_a_list(random: Random) -> Break:
    name = f"content/{random.choice(('tags', 'authors', 'archive'))}/_index.md"
    return Break({**FILES, name: b"---\ntitle: A list\n---\nText.\n"}, (("reserved-topic", name, 0),))


@kind
def anchor_of_yaml(random: Random) -> Break:
    place = random.choice(front_matter(r"(?<=^title: ).+", in_language("yaml")))
    new = random.choice((f"&name {place.text}", f"!text {place.text}"))
    return Break(put(place, new), (("yaml-feature", place.file, place.line),))


@kind
def shortcode_without_arguments(random: Random) -> Break:
    return in_prose(random, "incomplete-shortcode", "{{< youtube >}}", "{{< figure >}}")


@kind
def element_without_end(random: Random) -> Break:
    return in_prose(random, "unclosed-html", "The <title> of it.", "A <script> that runs.")


@kind
def address_without_a_host(random: Random) -> Break:
    """Feeds need one; links with the path of the site are right all the same."""
    (place,) = places(r"(?<=^base_url = \")[^\"]+", ["devlog.toml"])
    return Break(put(place, random.choice(("/lumen/", "/"))), (("no-base-url", place.file, place.line),))
