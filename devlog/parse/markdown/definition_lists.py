"""Definition lists: terms, each followed by lines that begin with a colon, as in PHP Markdown Extra."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from mdit_py_plugins.deflist import deflist_plugin


def definition_list_plugin(md: MarkdownIt) -> None:
    """Add definition lists, without the tilde as another marker: “~ 5 ms” means about five milliseconds."""
    md.use(deflist_plugin)
    (rule,) = (one for one in md.block.ruler.__rules__ if one.name == "deflist")
    read = rule.fn

    def with_colons(state: StateBlock, line: int, end: int, silent: bool) -> bool:
        marked = line
        if not silent:  # the line after the term, or the next one if that is empty
            marked += 1
            if marked < end and state.isEmpty(marked):
                marked += 1
        if marked >= end or state.src.startswith("~", state.bMarks[marked] + state.tShift[marked]):
            return False
        return read(state, line, end, silent)

    md.block.ruler.at("deflist", with_colons, {"alt": rule.alt})
