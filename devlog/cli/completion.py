"""Completion in bash and fish, whose functions in click change words.

That for bash drops the backslashes of words, and so lets bash run commands in them; that for fish ends words at commas.
"""

from __future__ import annotations

from click.shell_completion import BashComplete, FishComplete, add_completion_class

QUOTED = "_DEVLOG_QUOTED"
"""Set by these functions: they insert words exactly as devlog gives them."""

_BASH = """\
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

_FISH = """\
function %(complete_func)s
    set -l words (commandline -cp)
    set -l word (commandline -t)
    set -l response (
        env COMP_WORDS="$words" COMP_CWORD="$word" _DEVLOG_QUOTED=1 %(complete_var)s=fish_complete %(prog_name)s
    )
    for completion in $response
        set -l parts (string split -m 1 "," -- $completion)
        if test $parts[1] = dir
            __fish_complete_directories $parts[2]
        else if test $parts[1] = file
            __fish_complete_path $parts[2]
        else if test $parts[1] = plain
            printf "%%s\\n" $parts[2]
        end
    end
end

complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


class _Bash(BashComplete):
    source_template = _BASH


class _Fish(FishComplete):
    source_template = _FISH


def register() -> None:
    """Make click write devlog's functions for bash and fish."""
    add_completion_class(_Bash)
    add_completion_class(_Fish)
