"""The work of an import grows with the keys and files of the old site, not with their product."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from adopt.old_sites import post
from sites import write_site
from steps import steps

from devlog.adopt.adopt import translated
from devlog.adopt.adoption import Adoption
from devlog.adopt.foreign import leaves
from devlog.adopt.hugo import configuration
from devlog.adopt.survey import Survey

HUGO = 'baseURL = "https://log.example.org/"\ntitle = "Quill"\n'
JEKYLL = "title: Quill\nurl: https://log.example.org\n"


def languages(size: int) -> dict[str, str]:
    """Languages of Hugo, each with a post in it."""
    texts = {f"content/lab/{number}.l{number}.md": post("A") for number in range(size)}
    return {"hugo.toml": HUGO + "".join(f"[languages.l{number}]\n" for number in range(size)), **texts}


def names_of_dates(size: int) -> dict[str, str]:
    """Names of dates of Hugo, and posts that have none of them but the last."""
    names = ", ".join(f'"d{number}"' for number in range(size))
    posts = {f"content/lab/{number}.md": post("A", **{f"d{size - 1}": "2035-01-02"}) for number in range(size)}
    return {"hugo.toml": f"{HUGO}[frontmatter]\npublishDate = [{names}]\n", **posts}


def heads_of_hexo(size: int) -> dict[str, str]:
    """Posts of Hexo with front matter that devlog does not read."""
    posts = {f"source/_posts/{number}.md": "title: A\n---\n" for number in range(size)}
    return {"_config.yml": "source_dir: source\n", **posts}


def files_of_keys(size: int) -> dict[str, str]:
    """Files of Hugo with one table each."""
    tables = {f"config/_default/k{number}.toml": "a = 1\n" for number in range(size)}
    return {"config/_default/hugo.toml": HUGO, **tables, "content/lab/a.md": post("A")}


def shown_params(size: int) -> dict[str, str]:
    """Parameters of Hugo that a post shows."""
    keys = "".join(f'k{number} = "v"\n' for number in range(size))
    shown = "".join(f"{{{{< param k{number} >}}}}\n" for number in range(size))
    return {"hugo.toml": f"{HUGO}[params]\n{keys}", "content/lab/a.md": post("A") + shown}


def variables(size: int) -> dict[str, str]:
    """Keys of Jekyll that a post shows."""
    keys = "".join(f"k{number}: v\n" for number in range(size))
    shown = "".join(f"{{{{ site.k{number} }}}}\n" for number in range(size))
    return {"_config.yml": JEKYLL + keys, "_posts/2026-05-01-a.md": post("A") + shown}


def collections(size: int) -> dict[str, str]:
    """Collections of Jekyll, some of them under two names, beside files that belong to none."""
    keys = "".join(f"  c{number}:\n    output: true\n  x{number}/../_c:\n    output: true\n" for number in range(size))
    files = {f"{folder}/{number}.txt": "x" for folder in ("_c", "files") for number in range(size)}
    return {"_config.yml": f"{JEKYLL}collections:\n{keys}", "_posts/2026-05-01-a.md": post("A"), **files}


def other_folders(size: int) -> dict[str, str]:
    """Folders of Jekyll that are no collections."""
    files = {f"_f{number}/a.md": post("A") for number in range(size)}
    return {"_config.yml": JEKYLL, "_posts/2026-05-01-a.md": post("A"), **files}


def taken_outputs(size: int) -> dict[str, str]:
    """Folders with files that have the names for the output."""
    files = {f"devlog-public-{number}/a.txt": "x" for number in range(2, size)}
    return {"hugo.toml": HUGO, "public/a.txt": "x", "devlog-public/a.txt": "x", "content/lab/a.md": post("A"), **files}


def blogs(size: int) -> dict[str, str]:
    """Blogs of MkDocs, all in one folder without posts."""
    files = {f"docs/blog/posts/{number}.txt": "x" for number in range(size)}
    keys = "site_name: Quill\nplugins:\n" + "- blog\n" * size
    return {"mkdocs.yml": keys, "docs/a.md": post("A"), **files}


def cascades(size: int) -> dict[str, str]:
    """Cascades of Hugo for one folder each."""
    keys = "".join(f'[[cascade]]\ndraft = false\n[cascade.target]\npath = "/x{number}/**"\n' for number in range(size))
    return {"hugo.toml": HUGO + keys, **{f"content/lab/{number}.md": post("A") for number in range(size)}}


def same_cascades(size: int) -> dict[str, str]:
    """Cascades of Hugo for all pages."""
    keys = "[[cascade]]\ndraft = false\n" * size
    return {"hugo.toml": HUGO + keys, **{f"content/lab/{number}.md": post("A") for number in range(size)}}


def sections(size: int) -> dict[str, str]:
    """Sections of Hugo with a cascade."""
    index = "---\ncascade:\n  draft: true\n  target: {path: '**'}\n---\n"
    folders = [f"content/lab/{number}" for number in range(size)]
    return {"hugo.toml": HUGO, **{f"{folder}/_index.md": index for folder in folders}, "content/lab/a.md": post("A")}


def defaults(size: int) -> dict[str, str]:
    """Scopes of Jekyll's defaults for one folder each."""
    keys = "".join(f"- scope: {{path: _posts/{number}}}\n  values: {{published: false}}\n" for number in range(size))
    files = {f"_posts/{number}/2026-05-01-a.md": post("A") for number in range(size)}
    return {"_config.yml": f"{JEKYLL}defaults:\n{keys}", **files}


def excluded(size: int) -> dict[str, str]:
    """Files that MkDocs excludes, one by one."""
    keys = "".join(f"  /lab/{number}.md\n" for number in range(size))
    files = {f"docs/lab/{number}.md": post("A") for number in range(size)}
    return {"mkdocs.yml": f"site_name: Quill\nexclude_docs: |\n{keys}", **files}


def ignored_by_git(size: int) -> dict[str, str]:
    """Names and paths that Eleventy leaves out."""
    lines = "".join(f"{number}.md\nposts/x{number}.md\nposts/{number}*.md\n" for number in range(size))
    files = {f"posts/{number}.md": post("A") for number in range(size)}
    return {".eleventy.js": "", ".gitignore": lines, **files}


def data_of_posts(size: int) -> dict[str, str]:
    """Data files of Eleventy."""
    files = {f"posts/{number}/a.{ending}": "{}" for number in range(size) for ending in ("md", "json")}
    return {".eleventy.js": "", "posts/a.md": post("A"), **files}


def rendered(size: int) -> dict[str, str]:
    """Files that Quarto renders, and others that it does not, one by one."""
    items = "".join(f"    - posts/{number}.md\n    - '!posts/x{number}.md'\n" for number in range(size))
    files = {f"posts/{name}{number}.md": post("A") for name in ("", "x") for number in range(size)}
    return {"_quarto.yml": f"project:\n  render:\n{items}", **files}


def folders_with_drafts(size: int) -> dict[str, str]:
    """Folders of Quarto with metadata."""
    files = {f"posts/{number}/{name}": text for number in range(size) for name, text in _FOLDER_OF_DRAFTS.items()}
    return {"_quarto.yml": "project: {type: website}\n", "posts/a.md": post("A"), **files}


_FOLDER_OF_DRAFTS = {"_metadata.yml": "draft: true\n", "a.md": post("A")}


def lines_of_metadata(size: int) -> dict[str, str]:
    """A post of Pelican with many keys, one with many lines of one key, and one with many elements."""
    return {
        "pelicanconf.py": "",
        "content/a.md": "".join(f"k{number}: v\n" for number in range(size)),
        "content/b.md": "k:\n" + "    v\n" * size,
        "content/c.html": '<meta name="name" content=\n' * size + '<meta name="a" content="b">\n' * size,
    }


@pytest.mark.parametrize(
    "make",
    [
        ignored_by_git,
        data_of_posts,
        rendered,
        folders_with_drafts,
        lines_of_metadata,
        cascades,
        same_cascades,
        sections,
        defaults,
        excluded,
        languages,
        names_of_dates,
        heads_of_hexo,
        files_of_keys,
        shown_params,
        variables,
        collections,
        other_folders,
        taken_outputs,
        blogs,
    ],
)
def test_the_work_is_linear(make: Callable[[int], dict[str, str]], tmp_path: Path) -> None:
    sites = [Survey(write_site(tmp_path / str(size), make(size))) for size in (100, 100, 200, 400)]
    _, first, second, third = (steps(partial(adoption_of, site)) for site in sites)
    assert third - second < 3 * (second - first), (first, second, third)


def adoption_of(survey: Survey) -> Adoption:
    adoption, wrong = translated(survey)
    assert adoption, wrong
    return adoption


def test_later_files_take_precedence_over_earlier_ones_key_by_key(tmp_path: Path) -> None:
    files = {
        "config/_default/a.toml": HUGO,
        "config/_default/hugo.toml": HUGO + '[params]\nDescription = "First"\nink = "a"\nnib = "b"\n',
        "config/_default/params.toml": 'description = "Second"\nink = "c"\n[nib]\nwidth = "d"\n',
        "config/_default/params.yaml": "nib: {color: e}\n",
    }
    _, tree, _ = configuration(Survey(write_site(tmp_path, files)))
    found = {key.key: key.text for _, key in leaves(tree) if key.key.startswith("params")}
    assert found == {
        "params.description": "Second",
        "params.ink": "c",
        "params.nib.width": "d",
        "params.nib.color": "e",
    }
