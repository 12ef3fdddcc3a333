"""Completion in bash. click's own function drops the backslashes of words, and so lets bash run commands in them."""

from __future__ import annotations

from click.shell_completion import BashComplete, add_completion_class

QUOTED = "_DEVLOG_QUOTED"
"""Set by this function: it inserts words exactly as devlog has quoted them."""

_SOURCE = """\
%(complete_func)s() {
    local IFS=$'\\n' response completion type value
    response=$(
        env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD _DEVLOG_QUOTED=1 %(complete_var)s=bash_complete $1
    )
    COMPREPLY=()
    while IFS=',' read -r type value; do
        if [[ $type == dir ]]; then
            compopt -o dirnames
        elif [[ $type == file ]]; then
            compopt -o default
        elif [[ $type == plain ]]; then
            COMPREPLY+=("$value")
        fi
    done <<< "$response"
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class _Bash(BashComplete):
    source_template = _SOURCE


def register() -> None:
    """Make click write devlog's function for bash."""
    add_completion_class(_Bash)
