"""Messages about files and folders, themes and catalogs."""

from __future__ import annotations

from collections.abc import Iterable

from devlog.model.diagnostic import Diagnostic, Span
from devlog.model.problems import did_you_mean, error, info, warning

# -- inputs ----------------------------------------------------------------------------------------------


def template_file(file: str) -> Diagnostic:
    """A file with front matter that is not a post: Jekyll would run it as a template."""
    hint = "add its output to the site, without front matter"
    return info("template-file", Span(file), "skipped: it is a Jekyll template, which devlog does not run", hint)


def symlink(file: str) -> Diagnostic:
    """A symbolic link among the inputs."""
    hint = "replace it with a copy of the file"
    return error("symlink", Span(file), "is a symbolic link, which devlog does not follow", hint)


def special_file(file: str) -> Diagnostic:
    """A pipe, device or socket among the inputs."""
    return error("special-file", Span(file), "is not a regular file")


def unreadable(file: str, reason: str) -> Diagnostic:
    """The system refuses to open or read an input."""
    return error("unreadable", Span(file), f"cannot be read: {reason}")


def too_large(file: str, limit: str) -> Diagnostic:
    """An input above the size limit of its kind."""
    return error("too-large", Span(file), f"is larger than {limit}")


def too_deep(file: str, limit: int) -> Diagnostic:
    """Folders that are nested too deeply."""
    return error("too-deep", Span(file), f"is more than {limit} folders deep")


def output_in_content(folder: str, manifest: str) -> Diagnostic:
    """A folder in the content folder that devlog has written, or that pretends so: its files would hide in silence."""
    hint = f"add it to “ignore”; if these are sources, delete “{manifest}” from it"
    return warning("output-in-content", Span(folder), "the folder is the output of a site, and is left out", hint)


def missing_folder(folder: str) -> Diagnostic:
    """The content folder does not exist."""
    return error("missing-folder", Span(folder), "the folder does not exist")


def outside_folder(folder: str) -> Diagnostic:
    """A configured folder that leads out of the site."""
    return error("outside-folder", Span(folder), "the folder must be inside the site's own folder")


def undecodable_name(file: str) -> Diagnostic:
    """A file name that is not UTF-8."""
    hint = "rename the file; “\\x” and two digits stand for each byte that is not UTF-8"
    return error("undecodable-name", Span(file), "the name is not UTF-8", hint)


def same_name(file: str) -> Diagnostic:
    """Two names in one folder that differ only in their Unicode form."""
    message = "another file in this folder has the same name in a different Unicode form"
    return error("same-name", Span(file), message, "remove or rename one of the two")


def other_encoding(file: str, encoding: str) -> Diagnostic:
    """A source file whose first bytes, or zero bytes, indicate another encoding than UTF-8."""
    return error("not-utf8", Span(file), f"the text looks like {encoding}", "save it as UTF-8")


def binary_file(file: str, kind: str) -> Diagnostic:
    """A file that is not text, although its name says so; `kind` says what it is."""
    hint = "give it the suffix of its kind, and link to it, or remove it"
    return error("not-utf8", Span(file), f"this is not text, but {kind}", hint)


def not_utf8(span: Span, offset: int, byte: int, character: str) -> Diagnostic:
    """A source file with a byte that is not UTF-8; `character` is what that byte means in an old encoding."""
    hint = f"in Windows-1252 this byte is “{character}”: if that was meant, save the file as UTF-8"
    return error("not-utf8", span, f"byte {offset} (0x{byte:02X}) is not UTF-8", hint if character else "")


def zero_byte(span: Span, offset: int) -> Diagnostic:
    """A source file with U+0000."""
    return error("zero-byte", span, f"byte {offset} is zero, which no text contains")


def bad_ignore_pattern(span: Span, pattern: str, reason: str) -> Diagnostic:
    """A regular expression that does not compile."""
    message = f"invalid ignore pattern “{pattern}”: {reason}"
    return error("bad-ignore-pattern", span, message)


def changed_while_building(file: str) -> Diagnostic:
    """An input that has changed since it was read."""
    message = "changed while the site was being built"
    return error("changed-while-building", Span(file), message, "build again")


# -- output ----------------------------------------------------------------------------------------------


def already_there(file: str, other: str = "") -> Diagnostic:
    """A file that would be overwritten; `other` is its name if that differs."""
    if other and other != file:
        message = f"“{other}” already exists, and some systems do not tell these two names apart"
    else:
        message = "already exists; nothing was written"
    return error("already-there", Span(file), message)


def unsafe_output(output: str, reason: str) -> Diagnostic:
    """An output folder that contains, or could contain, files that are not devlog's."""
    message = f"the output folder {reason}; nothing was written"
    return error("unsafe-output", Span(output), message, "choose a folder used for nothing else")


def foreign_output(file: str) -> Diagnostic:
    """A file that devlog did not write, at the path of an output."""
    message = "is in the way of the output, and was not written by devlog; nothing was written"
    hint = "move it away; to publish it, put it in the static folder"
    return error("foreign-output", Span(file), message, hint)


def file_and_folder(file: str) -> Diagnostic:
    """Two outputs, one of which needs a folder where the other is a file."""
    message = "would have to be both a file and a folder; nothing was written"
    return error("file-and-folder", Span(file), message)


def edited_output(file: str) -> Diagnostic:
    """A stale file that is not removed, because it was changed since devlog wrote it."""
    message = "is no longer part of the site, but was changed since devlog wrote it; it is left in place"
    return warning("edited-output", Span(file), message, "delete it if it is not needed")


def kept_output(file: str, place: str, more: int = 0) -> Diagnostic:
    """A file that a program put into the former output folder, and that cannot be moved to the new one."""
    message = f"was added to the output of an earlier build; it is kept as “{place}”"
    if more:
        message = f"and {more:,} other files were added to the output of an earlier build; they are kept in “{place}”"
    hint = "restart the program that has this folder open; to publish the file, put it in the static folder"
    return warning("kept-output", Span(file), message, hint)


def replaced_output(file: str, more: int) -> Diagnostic:
    """One or more files of the site that were changed since devlog wrote them."""
    message = "was changed since devlog wrote it, and has been replaced"
    if more:
        others = "one other file" if more == 1 else f"{more:,} other files"
        message = f"and {others} were changed since devlog wrote them, and have been replaced"
    return warning("edited-output", Span(file), message, "change the sources instead")


def cannot_write(file: str, reason: str) -> Diagnostic:
    """The system refuses to write, for example because the disk is full."""
    return error("cannot-write", Span(file), f"cannot be written: {reason}")


def damaged_manifest(file: str) -> Diagnostic:
    """The manifest, the list of files that devlog wrote, is not valid."""
    message = "is damaged: devlog cannot tell its own files from others, and removes none"
    return warning("damaged-manifest", Span(file), message, "delete the output folder and build again")


def locked(file: str, holder: str) -> Diagnostic:
    """Another build holds the lock; `holder` is its process, if known."""
    who = f" ({holder})" if holder else ""
    message = f"another build of this site is running{who}"
    return error("locked", Span(file), message, "wait until it has finished")


# -- themes and catalogs ---------------------------------------------------------------------------------


def unknown_theme(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A theme that does not exist."""
    hint = did_you_mean(name, known) or f"themes: {', '.join(known)}"
    if "/" in name or "\\" in name:
        hint = "write the name of a folder in “themes”, without a path"
    return error("unknown-theme", span, f"unknown theme “{name}”", hint)


def theme_too_new(span: Span, name: str, requires: int, version: int) -> Diagnostic:
    """A theme that requires a later version of the theme interface than this devlog has."""
    message = f"the theme “{name}” requires version {requires} of the theme interface, and this devlog has {version}"
    return error("theme-too-new", span, message)


def bad_catalog(span: Span, reason: str) -> Diagnostic:
    """A message catalog that is not valid TOML, so that none of its messages can be used."""
    return error("bad-message", span, f"this is not valid TOML: {reason}")


def unusable_message(span: Span, key: str, reason: str, hint: str = "") -> Diagnostic:
    """An invalid message that the theme does not have; it may be for another program."""
    return warning("unknown-message", span, f"invalid message “{key}”, which the theme does not have: {reason}", hint)


def unknown_key_in_script(span: Span, key: str, known: Iterable[str]) -> Diagnostic:
    """A script that uses a message that no catalog has; `key` is empty if the script does not give a literal key."""
    if not key:
        return error("bad-message", span, "the key of a message is not a string", 'write __t("key")')
    return error("bad-message", span, f"no catalog has a message “{key}”", did_you_mean(key, known))
