"""The wording of every message, one function each, so that devlog speaks with one voice.

A message is one sentence without a full stop; what the user wrote stands in “typographic quotes”; a hint says
what to do and is given only when it is true. The code of a problem is stable: configuration refers to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from devlog.model.closest import closest
from devlog.model.diagnostic import Diagnostic, Fix, Span


def error(code: str, span: Span, message: str, hint: str = "") -> Diagnostic:
    """Something cannot be published correctly."""
    return Diagnostic(code, "error", message, span, hint)


def warning(code: str, span: Span, message: str, hint: str = "", fix: Fix | None = None) -> Diagnostic:
    """Something only looks wrong."""
    return Diagnostic(code, "warning", message, span, hint, fix=fix)


def info(code: str, span: Span, message: str, hint: str = "", fix: Fix | None = None) -> Diagnostic:
    """Something is worth knowing."""
    return Diagnostic(code, "info", message, span, hint, fix=fix)


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that `word` was most likely meant to be; empty when none is near."""
    if len(word) < 3:  # “as” is as near to “ps” as to “sas”
        return ""
    return closest(word, tuple(known), 0.7)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint that names the nearest known word; empty when none is near."""
    near = nearest(word, known)
    return f"did you mean “{near}”?" if near else ""


# -- adopting --------------------------------------------------------------------------------------------


def already_adopted(span: Span, differing: Iterable[str]) -> Diagnostic:
    """The site has a configuration of devlog; `differing` are the keys that adopting would set otherwise."""
    keys = ", ".join(f"“{key}”" for key in differing)
    message = "this site already has a devlog configuration" + (f"; adopting would change {keys}" if keys else "")
    return error("already-adopted", span, message, "move it away to adopt the site again")


def foreign_config(span: Span, language: str, reason: str) -> Diagnostic:
    """The configuration of another generator cannot be read."""
    return error("foreign-config", span, f"this is not valid {language}: {reason}")


def nothing_to_adopt(span: Span, inner: str) -> Diagnostic:
    """No site of another generator, and no text; `inner` is a folder that seems to hold a site."""
    message = "no Hugo, Jekyll or Zola site found here, and no Markdown files"
    hint = f"there seems to be a site in “{inner}”: use --root {inner}" if inner else ""
    if inner:
        message = "no Hugo, Jekyll or Zola site found in this folder"
    return error("nothing-to-adopt", span, message, hint)


# -- text ------------------------------------------------------------------------------------------------


def diagrams_as_text(span: Span, language: str) -> Diagnostic:
    """A site has diagrams and nothing that draws them: told once for each language."""
    hint = f"set a “command” or a “script” in [diagrams.{language}]"
    return info("diagrams-as-text", span, f"no renderer configured for “{language}” diagrams", hint)


def diagram_failed(span: Span, language: str, reason: str) -> Diagnostic:
    """A command of the configuration has drawn nothing that can be shown."""
    return warning("diagram-failed", span, f"“{language}” diagram shown as text: {reason}")


def no_diagram_script(span: Span, script: str) -> Diagnostic:
    """A script of the site's own that draws diagrams is not there."""
    return warning("bad-diagrams", span, f"file not found in the site: “{script}”", "put it in the static folder")


# -- site ------------------------------------------------------------------------------------------------


def some_files(files: Sequence[str]) -> str:
    """The first of some files, and how many there are besides."""
    named = ", ".join(f"“{file}”" for file in files[:3])
    return f"{named} and {len(files) - 3:,} more" if len(files) > 3 else named


def unfit_image(span: Span, file: str, reason: str) -> Diagnostic:
    """An image of which no smaller ones can be made."""
    return warning("unfit-image", span, f"“{file}” is published only at its original size: {reason}")


def no_pillow(asked: Span | None, command: str) -> Diagnostic:
    """Images are published in one size; `asked` is where the configuration wants more, `command` installs Pillow."""
    message = "images are published in their original size only: Pillow is not installed"
    hint = f"run “{command}”"
    if asked:
        return warning("no-pillow", asked, message, hint)
    return info("one-size", Span("the images"), message, hint)


def no_cards(asked: Span, command: str) -> Diagnostic:
    """Posts have no social cards; `asked` is where the configuration wants some, `command` installs Pillow."""
    message, hint = "posts have no social cards: Pillow is not installed", f"run “{command}”"
    if asked.line:
        return warning("no-cards", asked, message, hint)
    return info("without-cards", Span("social cards"), message, hint)


def bad_card_file(span: Span, file: str, reason: str) -> Diagnostic:
    """A font or a picture of which no social card can be made."""
    return error("bad-card-file", span, f"“{file}” cannot be used for social cards: {reason}")


def bad_card_layout(span: Span, reason: str) -> Diagnostic:
    """A layout of social cards that cannot be drawn."""
    return error("bad-card-layout", span, f"social cards cannot be drawn: {reason}")


def missing_letters(span: Span, letters: str, *, own_font: bool, has_card: bool) -> Diagnostic:
    """A social card whose font lacks letters of its texts."""
    shown = f"“{letters[:20]}”" + (f" and {len(letters) - 20} more letters" if len(letters) > 20 else "")
    what = "they are left out of the card" if has_card else "there is no card"
    hint = "set “cards.font” to a font that has them" if own_font else "set “cards.font” to a font file that has them"
    return warning("missing-letters", span, f"the font of social cards has no glyphs for {shown}: {what}", hint)


def supersedes_nothing(span: Span, target: str) -> Diagnostic:
    """What a text supersedes, or is superseded by, is no text of the site."""
    return warning("supersedes-nothing", span, f"“{target}” is not a post on this site, so nothing is superseded")


def supersedes_itself(span: Span) -> Diagnostic:
    """A text that takes its own place."""
    return error("superseding-circle", span, "a post cannot supersede itself")


def superseding_circle(span: Span, files: Iterable[str]) -> Diagnostic:
    """Texts that take each other's place, so that none of them is the newest."""
    names = [f"“{file}”" for file in files]
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return error("superseding-circle", span, f"these posts supersede each other: {shown}")


def contradicted_status(span: Span, file: str) -> Diagnostic:
    """A text that says it is current though another one has taken its place."""
    message = f"“status” is “current”, but “{file}” supersedes this post"
    return warning("contradicted-status", span, message)


# -- check: what a build does not say --------------------------------------------------------------------


_FATES = {"moved": "has moved", "changed": "has changed", "gone": "has been removed"}


def stale_citation(span: Span, place: str, state: str, now: str) -> Diagnostic:
    """A place in the source, cited without a commit, at which something else stands by now."""
    hint = f"it is now at “{now}”" if state == "moved" else f"see “{now}”" if now else ""
    message = f"“{place}” {_FATES[state]} since this was written"
    return warning("stale-citation", span, message, hint)


def changed_source(span: Span, place: str, state: str, now: str) -> Diagnostic:
    """A place in the source, cited as of a commit, which is no longer so."""
    hint = f"it is now at “{now}”" if state == "moved" else f"see “{now}”" if now else ""
    return info("changed-source", span, f"“{place}” {_FATES[state]} since this commit", hint)


def uncommitted_changes(file: str, number: int) -> Diagnostic:
    """Mending is refused while there are changes that only the disk has."""
    others = f", and so do {number - 1:,} more" if number > 1 else ""
    message = f"has uncommitted changes{others}: nothing was fixed"
    return error("uncommitted-changes", Span(file), message, "commit them first, or use --force")


_DEAD = {
    "status": "the server answered {}",
    "404": "page not found",
    "410": "the page is gone",
    "no-host": "the host does not exist",
    "lookup": "the host name cannot be resolved",
    "refused": "the host cannot be reached",
    "slow": "the host did not answer in time",
    "broken": "the host closed the connection without an answer",
    "certificate": "no secure connection: {}",
    "not-http": "the host is not a web server",
    "circles": "it redirects in circles",
    "proxy": "the proxy cannot reach the host and answered {}",
}


def git_is_silent() -> Diagnostic:
    """Mending is refused where nobody can say whether there are changes that only the disk has."""
    message = "cannot tell from git whether there are uncommitted changes: nothing was fixed"
    return error("uncommitted-changes", Span(".git"), message, "see what “git status” says, or use --force")


def dead_url(span: Span, url: str, why: str, detail: str) -> Diagnostic:
    """A link to another site leads nowhere: its host or its page is not there.

    A site that only does not let programs in (401, 403, 429, 999), or is too busy to answer, counts as alive.
    """
    reason = _DEAD.get(detail if why == "status" else why, _DEAD[why]).format(detail)
    return warning("dead-url", span, f"dead link “{url}”: {reason}")


def offline(span: Span, number: int) -> Diagnostic:
    """Not one of the other sites could be reached, so that nothing is known of the links to them."""
    links = "1 external link was" if number == 1 else f"{number:,} external links were"
    return warning("offline", span, f"no host can be reached: {links} not checked")


def unasked_urls(span: Span, number: int) -> Diagnostic:
    """Links to other sites of which nothing is known, because their hosts want to be left alone or the time was up."""
    links = "1 external link was" if number == 1 else f"{number:,} external links were"
    message = f"{links} not checked: hosts were busy, or time ran out"
    return info("unasked-urls", span, message, "check again later: answers are remembered")


def private_urls(span: Span, number: int, host: str) -> Diagnostic:
    """Links to hosts that have no public address here, which are never asked. Most readers cannot reach such hosts."""
    links = "1 external link was" if number == 1 else f"{number:,} external links were"
    message = f"{links} not checked: hosts such as “{host}” have no public address on this network"
    return info("unasked-urls", span, message)


def moved_url(span: Span, url: str, now: str, fix: Fix | None) -> Diagnostic:
    """A link to another site whose page has moved for good, as that site says. `--fix` writes the new address."""
    return info("moved-url", span, f"“{url}” has moved", f"write “{now}”", fix)


# -- new and init: what is to be written -----------------------------------------------------------------


def no_site(folder: str) -> Diagnostic:
    """A folder that is no site, nor in one."""
    hint = "go to the site's folder, or pass it with --root; “devlog init DIR” creates a new site"
    return error("no-site", Span(folder), "no devlog site found here", hint)


def unknown_topic(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """A topic that is not there."""
    is_plain = all(character.isalnum() or character in "-_/" for character in name)
    hint = did_you_mean(name, known) or (f"create it with “devlog new topic {name}”" if is_plain else "")
    return error("unknown-topic", span, f"unknown topic “{name}”", hint)


def which_topic(span: Span, known: Iterable[str]) -> Diagnostic:
    """A post that could belong to any topic."""
    topics = [f"“{name}”" for name in known]
    if not topics:
        return error("which-topic", span, "there are no topics yet", "create one with “devlog new topic NAME”")
    names = ", ".join(topics[:12]) + (", …" if len(topics) > 12 else "")
    return error("which-topic", span, "missing --topic", f"choose one of {names}")


def no_slug(span: Span, text: str) -> Diagnostic:
    """A text of which no name of a file can be made."""
    return error("no-slug", span, f"“{text}” has no letter or digit for a file name", "set one with --slug")


def bad_name(span: Span, name: str, reason: str) -> Diagnostic:
    """A name that no file, topic or author can have."""
    return error("bad-name", span, f"invalid name “{name}”: {reason}")


def known_author(span: Span, handle: str) -> Diagnostic:
    """An author whom the registry has already."""
    return error("known-author", span, f"“{handle}” is already in the authors file", "edit the entry there")


def cannot_append(file: str, entry: str) -> Diagnostic:
    """A registry that is written in a way to which nothing can be added safely."""
    hint = "add by hand: " + "; ".join(line.strip() for line in entry.splitlines() if line.strip())
    return error("cannot-append", Span(file), "is in a form to which devlog cannot add an author", hint)


def no_author(span: Span) -> Diagnostic:
    """Nobody knows who writes."""
    hint = 'pass --author "Name (@handle)", or set your name with “git config user.name”'
    return warning("no-author", span, "git has no user name, so the post has no author", hint)


def unused_option(span: Span, option: str, placeholder: str) -> Diagnostic:
    """Something was asked for that the template has no place for."""
    message = f"the template has no “{placeholder}”, so {option} has no effect"
    return warning("unused-option", span, message, f"add “{placeholder}” to the template")


def workflows_below(folder: str, top: str) -> Diagnostic:
    """Workflows of a site that is only a part of its repository."""
    message = f"the site is not at the root of its repository, “{top}”, the only place where GitHub looks for workflows"
    hint = "move .github there, and add the site's folder to the commands and paths of its workflows"
    return warning("workflows-below", Span(folder), message, hint)


def folder_not_empty(folder: str, names: Iterable[str]) -> Diagnostic:
    """A folder for a new site that holds something else."""
    found = [f"“{name}”" for name in names]
    listed = ", ".join(found[:5]) + (", …" if len(found) > 5 else "")
    hint = "choose a new folder; use “devlog adopt” for a site of another generator"
    return error("folder-not-empty", Span(folder), f"the folder is not empty: it contains {listed}", hint)


# -- theme -----------------------------------------------------------------------------------------------


def unknown_template(span: Span, name: str, known: Iterable[str], *, several: bool) -> Diagnostic:
    """A template that the theme does not have, or a name that several have."""
    known = sorted(known)
    if several:
        return error("unknown-template", span, f"“{name}” is ambiguous: it may be {', '.join(known)}")
    endings = [text for full in known for text in (full, full.rpartition("/")[2].removesuffix(".html"))]
    hint = did_you_mean(name, endings) or "“devlog theme list” shows all"
    return error("unknown-template", span, f"the theme has no template “{name}”", hint)


# -- search ----------------------------------------------------------------------------------------------


def search_cannot_start(span: Span, reason: str) -> Diagnostic:
    """The indexer is installed, but does not run here."""
    return warning("no-search", span, f"the site has no search because its indexer cannot be started: {reason}")


def search_failed(span: Span, reason: str) -> Diagnostic:
    """The indexer gave up: the pages that are ready by then offer a search."""
    hint = "use “--no-search” to build without search"
    return error("search-failed", span, f"search indexing failed: {reason}", hint)


# -- speaking --------------------------------------------------------------------------------------------


def cannot_speak(span: Span) -> Diagnostic:
    """The configuration names no program that speaks."""
    hint = 'set one in [speak], such as command = ["espeak-ng", "-f", "{input}", "-w", "{output}"]'
    return error("cannot-speak", span, "no text-to-speech program is configured", hint)


def not_a_text(file: str, folder: str) -> Diagnostic:
    """A file that is no post or page of the site."""
    return error("not-a-text", Span(file), f"not a post or page in “{folder}”")


def nothing_to_speak(span: Span) -> Diagnostic:
    """A text without words."""
    return error("nothing-to-speak", span, "nothing in this post can be spoken")


def already_spoken(span: Span, file: str, *, ours: bool) -> Diagnostic:
    """The post has sound: `ours` if it lies where it would be written."""
    hint = "use --force to speak it again" if ours else "remove the block from the front matter to have it spoken"
    return error("already-spoken", span, f"the post already has audio, “{file}”", hint)


def not_spoken(span: Span, text: str, reason: str) -> Diagnostic:
    """A passage, or a whole post, that could not be spoken."""
    what = f"“{text}”" if text else "this post"
    return error("not-spoken", span, f"could not speak {what}: {reason}")


def not_noted(span: Span, block: str) -> Diagnostic:
    """The front matter has a form into which nothing can be put."""
    message = "could not add the audio to the front matter"
    return warning("not-noted", span, message, f"add: {block}")


# -- the source that posts write about -------------------------------------------------------------------


def no_checkout(span: Span, folder: str, reason: str) -> Diagnostic:
    """The clone that the configuration names cannot be asked."""
    hint = f"source references are not checked; clone the repository into “{folder}”, or remove “source_checkout”"
    return warning("no-checkout", span, f"cannot read the repository checkout “{folder}”: {reason}", hint)


# -- publishing ------------------------------------------------------------------------------------------


def unknown_deployment(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """No way of publishing is configured, or not this one, or it is not said which."""
    known = sorted(known)
    listed = ", ".join(f"“{other}”" for other in known)
    if not known:
        hint = 'add a table such as “[deploy.pages]” with a line “to = "branch"”'
        return error("unknown-deployment", span, "no deployment is configured", hint)
    if not name:
        return error("unknown-deployment", span, f"several deployments are configured: {listed}", "name one of them")
    hint = did_you_mean(name, known) or f"there is {listed}"
    return error("unknown-deployment", span, f"unknown deployment “[deploy.{name}]”", hint)


def unknown_deployer(span: Span, name: str, to: str, known: Iterable[str]) -> Diagnostic:
    """A way of publishing that nobody knows."""
    listed = " or ".join(f"“{other}”" for other in sorted(known))
    what = f"unknown deployer “{to}”" if to else f"“deploy.{name}” is missing “to”"
    return error("unknown-deployer", span, what, did_you_mean(to, known) or f"write {listed}")


def not_built(output: str) -> Diagnostic:
    """There is nothing to publish."""
    return error("not-built", Span(output), "no built site found here", "run “devlog build”")


def not_as_built(file: str, number: int) -> Diagnostic:
    """An output that somebody has changed since it was built."""
    more = f", and {number - 1} more" if number > 1 else ""
    return error("not-as-built", Span(file), f"changed since the last build{more}", "run “devlog build”")


def not_deployed(span: Span, name: str, reason: str, hint: str = "") -> Diagnostic:
    """A site that could not be published."""
    return error("not-deployed", span, f"deployment “{name}” failed: {reason}", hint)


# -- front matter ----------------------------------------------------------------------------------------


def unknown_part(span: Span, key: str, whole: str, known: Iterable[str]) -> Diagnostic:
    """A key without a meaning inside the value of another key."""
    hint = did_you_mean(key, known) or f"it may have {' and '.join(f'“{name}”' for name in known)}"
    return warning("unknown-key", span, f"unknown key “{key}” in “{whole}”", hint)


def unknown_status(span: Span, written: str, near: str) -> Diagnostic:
    """A status that says nothing of how far a text can be relied on."""
    hint = f"did you mean “{near}”?" if near else "write “current”, “superseded” or “historical”"
    return warning("unknown-status", span, f"“{written}” is not a status; this value is ignored", hint)


# -- episodes --------------------------------------------------------------------------------------------


def no_sound(span: Span) -> Diagnostic:
    """An episode without any sound."""
    message = "“audio” has neither a file nor a URL"
    return warning("no-audio", span, message, "add “file: talk.mp3” for a file beside the post")


def two_sounds(span: Span, file: str) -> Diagnostic:
    """An episode with two sounds."""
    return warning("two-sounds", span, f"“audio” has both a file and a URL; using “{file}”", "remove one of them")


def missing_audio(span: Span, target: str, hint: str = "") -> Diagnostic:
    """A file of an episode that is not there: its sound, its transcript, its chapters."""
    return error("missing-audio", span, f"file not found: “{target}”", hint)


def not_audio(span: Span, file: str, media_type: str) -> Diagnostic:
    """A file that no player plays."""
    return error("not-audio", span, f"“{file}” is not an audio file ({media_type})")


def unknown_audio_type(span: Span) -> Diagnostic:
    """A sound elsewhere whose address does not say what it is."""
    return warning("no-type", span, "the type of the audio cannot be told from its URL", "add “type: audio/mpeg”")


def no_length(span: Span) -> Diagnostic:
    """A sound elsewhere of which the feed cannot say how long it is."""
    hint = "servers send it as Content-Length: add “length: 1234567”"
    return warning("no-length", span, "“audio.length” is missing: feeds need the size of the audio in bytes", hint)


def no_tinytag(span: Span, command: str) -> Diagnostic:
    """Episodes without a duration. `span` is the first of them; `command` installs what measures audio files."""
    message = "audio durations are unknown: tinytag is not installed"
    hint = f"run “{command}”, or add “duration: 2:29”"
    return info("no-tinytag", span, message, hint)


def unmeasured(span: Span, file: str, reason: str) -> Diagnostic:
    """A sound of which nobody knows how long it takes."""
    return warning("unmeasured", span, f"cannot tell the duration of “{file}”: {reason}", "add “duration: 2:29”")


def wrong_duration(span: Span, written: str, measured: str) -> Diagnostic:
    """A duration that is not that of the file."""
    message = f"the duration is given as {written}, but the audio is {measured} long"
    return warning("wrong-duration", span, message, "remove it: the duration is measured")


def same_audio(span: Span, url: str, other: str) -> Diagnostic:
    """Two episodes of a show with the same sound, which players take for one."""
    return error("same-audio", span, f"“{other}” of the same show has the same audio, “{url}”")


def bad_chapters(span: Span, file: str, reason: str) -> Diagnostic:
    """A file of chapters that cannot be read."""
    return warning("bad-chapters", span, f"the chapters in “{file}” cannot be read: {reason}")


def late_chapter(span: Span, title: str, start: str, end: str) -> Diagnostic:
    """A chapter behind the end of the sound."""
    return warning("bad-chapters", span, f"the chapter “{title}” begins at {start}, but the audio ends at {end}")


def no_transcript(span: Span, target: str, endings: Iterable[str]) -> Diagnostic:
    """A file that is none of the kinds of transcripts."""
    hint = f"it may be “body” for the text of the post, or a file that ends in {', '.join(endings)}"
    return warning("bad-transcript", span, f"“{target}” is not a transcript", hint)


def bad_transcript(span: Span, reason: str, hint: str = "") -> Diagnostic:
    """A place of a transcript that cannot be read."""
    return warning("bad-transcript", span, reason, hint)


def late_transcript(span: Span, start: str, end: str) -> Diagnostic:
    """A transcript in which somebody speaks after the sound has ended: perhaps it belongs to another."""
    return warning("bad-transcript", span, f"the transcript goes on at {start}, but the audio ends at {end}")


def incomplete_podcast(span: Span, missing: str, hint: str) -> Diagnostic:
    """A show that directories of podcasts would refuse."""
    return warning("incomplete-podcast", span, f"podcast directories reject this show: {missing}", hint)


# -- disk ------------------------------------------------------------------------------------------------


def shared_by_too_many(span: Span, file: str, limit: int) -> Diagnostic:
    """A transcript or a file of chapters that more episodes name than may share one; `span` is the first too many."""
    message = f"more than {limit} episodes name “{file}”"
    return error("shared-by-too-many", span, message, "give each episode a transcript and chapters of its own")


# -- comparing -------------------------------------------------------------------------------------------


def no_output(folder: str) -> Diagnostic:
    """The site has not been built."""
    message = "no output of the new site found here"
    return error("nothing-to-compare", Span(folder), message, "build the site first, or pass its folder with --new")


def no_pages(folder: str) -> Diagnostic:
    """A folder that is no output of a site."""
    return error("nothing-to-compare", Span(folder), "no HTML pages found in this folder or below it")


def same_output(folder: str) -> Diagnostic:
    """An output that would be compared with itself."""
    hint = "keep the output of the old site in another folder, and pass it with --old"
    return error("nothing-to-compare", Span(folder), "the old and the new output are the same folder", hint)


def not_a_site_map(file: str, reason: str) -> Diagnostic:
    """A file given as a site map that cannot be read as one."""
    return error("nothing-to-compare", Span(file), f"cannot be read as a sitemap: {reason}")


def no_own_address(file: str, number: int, base: str, likely: str) -> Diagnostic:
    """A site map whose addresses are all of another site; `likely` is what they have in common."""
    message = f"none of the {number:,} URLs is below “{base}”" if number else "contains no URLs"
    hint = f"pass the URL of the old site; “--base-url {likely}” fits all URLs" if likely else ""
    return error("nothing-to-compare", Span(file), message, hint)


def not_compared(file: str, reason: str) -> Diagnostic:
    """Part of an output that could not be looked at."""
    return warning("not-compared", Span(file), f"was not compared: {reason}")


# -- catalogs --------------------------------------------------------------------------------------------


def bad_message(span: Span, key: str, reason: str, hint: str = "") -> Diagnostic:
    """A message of a catalog that cannot be used."""
    return error("bad-message", span, f"invalid message “{key}”: {reason}", hint)
