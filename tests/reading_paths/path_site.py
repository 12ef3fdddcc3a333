"""A small log with reading paths."""

from __future__ import annotations

from collections.abc import Mapping

LETTERS = "abcdef"


def post(letter: str, text: str = "Words.", keys: str = "") -> str:
    return f"---\ntitle: Post {letter.upper()}\nauthor: Ada Quill (@adaquill)\n{keys}---\n{text}\n"


def path_of(letter: str) -> str:
    return f"storage/2026-05-0{LETTERS.index(letter) + 1}-{letter}.md"


def page_of(letter: str) -> str:
    """The page of a post in the output."""
    return path_of(letter).replace(".md", "/index.html")


def path(letters: str, title: str = "Start", keys: str = "") -> str:
    """A reading path over posts, each with a reason."""
    steps = "".join(f"  - post: {path_of(letter)}\n    why: Why {letter}.\n" for letter in letters)
    return f"---\ntitle: {title}\ndescription: About {title}\nreading_path:\n{steps}{keys}---\nIntroduction.\n"


def path_site(paths: Mapping[str, str]) -> dict[str, str | bytes]:
    """Six posts, and pages by the names of their files."""
    return {
        "devlog.toml": 'title = "Lumen"\nbase_url = "https://lumen.example.org/log/"\n',
        "content/storage/_index.md": "---\ntitle: Storage\n---\n",
        **{f"content/{path_of(letter)}": post(letter) for letter in LETTERS},
        **{f"content/{name}.md": text for name, text in paths.items()},
    }
