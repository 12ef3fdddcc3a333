"""Decides which pages have a social card, and what it says."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import msgspec

from devlog.assemble.topic_hues import topic_hues
from devlog.assemble.views import tag_permalink
from devlog.config import Brand, Config
from devlog.features.social_cards import problems
from devlog.features.social_cards.model import BRAND, FIELDS, HEIGHT, WIDTH, Card, CardKit, CardParts, Layout, is_color
from devlog.model.catalog import Catalog, catalog_of
from devlog.model.color import accent
from devlog.model.composed import composed
from devlog.model.date_form import date_in_words
from devlog.model.diagnostic import Diagnostic, Span, generated
from devlog.model.document import Parsed
from devlog.model.site import Post, Site, Topic
from devlog.model.source import Size
from devlog.model.target import Blob
from devlog.model.theme import Theme
from devlog.model.toml import TomlError, load_toml
from devlog.plugin import Outline, PlannedFile

LAYOUT = "card.toml"
"""The template that defines the layout of cards."""

NAME = "card.png"

_USUAL_HUE = 162
_SILENT = frozenset({"Cf", "Cc", "Mn", "Zs", "Zl", "Zp"})
"""Categories of characters that are not visible on their own: joiners, variation selectors, spaces."""


def card_permalink(permalink: str) -> str:
    """The permalink of the card of a page."""
    return permalink + NAME if permalink.endswith("/") else f"{permalink.removesuffix('.html')}.{NAME}"


def may_have_card(post: Post) -> bool:
    """Whether a post may have a card: it is published, and does not name an image of its own."""
    return not (post.state or post.is_page or post.parsed.front_matter.image)


def letters(config: Config, site: Site) -> str:
    """The letters outside ASCII that cards of a site may show, sorted."""
    texts = [config.title, config.description, config.base_url, *(name for _, name in site.tags)]
    texts += (text for topic in site.topics for text in (topic.title, topic.description))
    texts += (text for author in site.authors for text in (author.name, author.bio, author.affiliation))
    for post in filter(may_have_card, site.posts):
        texts += (post.title, _description(post))
    found = {letter for text in texts if not text.isascii() for letter in composed(text)}
    seen = (letter for letter in found if not letter.isascii() and unicodedata.category(letter) not in _SILENT)
    return "".join(sorted(seen))


def _description(post: Post) -> str:
    return post.parsed.front_matter.summary or post.parsed.front_matter.description


def layout_of(theme: Theme) -> tuple[Layout | None, Diagnostic | None]:
    """The layout of cards, or a diagnostic about the theme's layout; neither for a theme without cards."""
    template = next((item for item in theme.templates if item.name == LAYOUT), None)
    if template is None:
        return None, None
    layout = _layout(template.text)
    if isinstance(layout, str):
        return None, problems.bad_card_layout(Span(template.file), layout)
    return layout, None


@lru_cache(maxsize=4)
def _layout(text: str) -> Layout | str:
    """A layout, or the reason why the text is not a valid layout."""
    try:
        tree = load_toml(text)
    except TomlError as error:
        return f"this is not valid TOML: {error}"
    try:
        layout = msgspec.convert(tree, Layout)
    except msgspec.ValidationError as error:
        reason = str(error)
        return reason[:1].lower() + reason[1:]
    return _misfit(layout) or layout


def _misfit(layout: Layout) -> str:
    """What is wrong with a layout beyond the types of its values."""
    for name, given in layout.colors.items():
        of_brand, color = given if isinstance(given, tuple) else (BRAND[0], given)
        if of_brand not in BRAND:
            return f"“{of_brand}” is none of the brand's colors {', '.join(BRAND)}, at “colors.{name}”"
        if not is_color(color):
            return f"“{color}” is no color such as “#15201c” or “oklch(0.45 0.1 topic)”, at “colors.{name}”"
    for item in ({"color": "paper", "box": (0, 0, 1, 1)}, *map(msgspec.structs.asdict, (*layout.shape, *layout.text))):
        if item["color"] not in layout.colors:
            return f"there is no color “{item['color']}” among “colors”"
        left, top, width, height = item["box"]
        if left < 0 or top < 0 or width < 1 or height < 1 or left + width > WIDTH or top + height > HEIGHT:
            return f"the box {[*item['box']]} is not inside a card of {WIDTH} by {HEIGHT}"
    for words in layout.text:
        if not (8 <= words.size[1] <= words.size[0] <= HEIGHT and 0 <= words.weight <= 0.2 and 1 <= words.leading <= 3):
            return f"the text of “{words.field}” has a size, weight or leading that cannot be set"
    return ""


class Cards:
    """The cards of a site."""

    def __init__(self, kit: CardKit, layout: Layout, config: Config, theme: Theme, site: Site) -> None:
        """
        Args:
            kit: the font and the background image of the cards.
            layout: the layout of the cards.
            config: the configuration of the site.
            theme: the theme of the site.
            site: the site.
        """
        self._t = catalog_of(theme.catalog)
        self._missing = frozenset(kit.missing)
        self._config = config
        self._names = {author.key: author.name for author in site.authors}
        settings = {**msgspec.json.decode(theme.settings), **config.settings}
        self._accent = _hue_of(settings.get("accent", ""))
        self._brand = _brand_colors(config)
        colored = settings.get("topic_colors", True)
        hues = topic_hues(site)
        self._topics = {
            topic.path: (topic.title, hues[topic.path] if colored else self._accent) for topic in site.topics
        }
        self._own = {item.permalink: item for item in site.assets if item.permalink.endswith(NAME)}
        self._fields = {words.field for words in layout.text}

    def brings(self, permalink: str) -> bool:
        """Whether the site has a file of its own at the permalink of a page's card, which then is the card."""
        own = self._own.get(card_permalink(permalink))
        return own is not None and own.may_replace(permalink)

    def picture(self, permalink: str, title: str) -> tuple[str, Size | None] | None:
        """The permalink of a page's card, and its size if that is known.

        Args:
            permalink: the permalink of the page.
            title: the text in large letters on the card.

        Returns:
            The two, or `None` if the font has none of the title's letters.
        """
        card = card_permalink(permalink)
        if self.brings(permalink):
            return card, self._own[card].asset.size
        if self._missing and not _says(self._written(title)):
            return None
        return card, Size(WIDTH, HEIGHT)

    def of_home(self, title: str) -> tuple[str, Size | None] | None:
        """The card of the home page; see `picture`."""
        return self.picture("/", title)

    def of_post(self, post: Post) -> tuple[str, Size | None] | None:
        """The card of a post; see `picture`. `None` also for a post that may not have a card."""
        return self.picture(post.permalink, post.title) if may_have_card(post) else None

    def of_list(self, permalink: str, title: str) -> tuple[str, Size | None] | None:
        """The card of a topic, an author or a tag; see `picture`. `None` if the font lacks any letter of the title."""
        return self.picture(permalink, title) if self.brings(permalink) or not self._unwritten(title) else None

    def post(self, post: Post) -> Card:
        """The content of a post's card, without letters that the font lacks."""
        topic, topic_hue = self._topics.get(post.topic, ("", self._accent))
        return self._card(
            title=post.title,
            topic=topic,
            authors=listed([self._names[credit.author] for credit in post.credits], self._t),
            date=date_in_words(post.date, self._config.date_format, self._t) if post.date else "",
            description=_description(post),
            topic_hue=topic_hue,
        )

    def lists(self, site: Site) -> Iterator[tuple[str, Card]]:
        """The cards of the home page and topics, unless they name an image of their own, of authors and of tags.

        Yields:
            The permalink of the page, and the content of its card.
        """
        config, address = self._config, urlsplit(self._config.base_url)
        host = f"{address.hostname or ''}{address.path.rstrip('/')}"
        if not _names_image(site.home) and self.picture("/", config.title):
            yield "/", self._card(title=config.title, about=config.description, site=host)
        writing = {credit.author for post in site.posts for credit in post.credits}
        shown = (
            *(self._topic(topic) for topic in site.topics if not (topic.redirect or _names_image(topic.index))),
            *(
                (author.permalink, author.name, {"topic": self._t("author"), "about": author.bio or author.affiliation})
                for author in site.authors
                if author.key in writing
            ),
            *((tag_permalink(slug), name, {"topic": self._t("tag")}) for slug, name in site.tags),
        )
        for permalink, title, more in shown:
            if not self._unwritten(title):
                yield permalink, self._card(title=title, **more)

    def _topic(self, topic: Topic) -> tuple[str, str, dict[str, Any]]:
        _, topic_hue = self._topics[topic.path]
        above, _ = self._topics.get(topic.path.rpartition("/")[0], (self._t("topic"), 0))
        return topic.permalink, topic.title, {"topic": above, "about": topic.description, "topic_hue": topic_hue}

    def _card(self, **said: Any) -> Card:
        """A card, without letters that the font lacks, and without texts that the layout does not show."""
        said = {"site": self._config.title, "topic_hue": self._accent, "about": "", **said}
        if self._unwritten(said["about"]):  # this text is optional: better none than one with gaps
            said["about"] = ""
        texts = {name: self._written(said[name]) for name in self._fields & said.keys()}
        return Card(**{"title": "", **texts}, topic_hue=said["topic_hue"], accent_hue=self._accent, brand=self._brand)

    def lacking(self, post: Post) -> str:
        """The letters of a post on its card that the font lacks, each once, in order."""
        if not self._missing:
            return ""
        texts = {
            "title": post.title,
            "authors": listed([self._names[credit.author] for credit in post.credits], self._t),
            "description": _description(post),
        }
        return self._unwritten("".join(texts[name] for name in FIELDS if name in self._fields & texts.keys()))

    def lacking_around(self, site: Site, title: Span) -> Iterator[tuple[Span, str]]:
        """The letters that the font lacks of the titles of the site and of topics, with the spans of these."""
        if not self._missing:
            return
        if "site" in self._fields:
            yield title, self._unwritten(self._config.title)
        named = {post.topic for post in site.posts} if "topic" in self._fields else set[str]()
        for topic in site.topics:
            index = topic.index
            if topic.path in named:
                span = index.front_matter.span("title", index.file) if index else Span(topic.folder)
                yield span, self._unwritten(topic.title)

    def _unwritten(self, text: str) -> str:
        """The letters of a text that the font lacks, each once, in order."""
        if text.isascii() or not self._missing:
            return ""
        text = composed(text)
        return "".join(letter for letter in dict.fromkeys(text) if letter in self._missing)

    def _written(self, text: str) -> str:
        if text.isascii() or not self._missing:
            return text
        text = composed(text)
        return " ".join("".join(letter for letter in text if letter not in self._missing).split())


def _brand_colors(config: Config) -> dict[str, str]:
    """The colors of the site's brand for cards, by their names in layouts; only those that differ from the theme's."""
    if config.brand == Brand():
        return {}
    from devlog.model.css_color import mixed
    from devlog.model.palette import of_theme

    mode, roles = next(iter(config.brand.palette.modes.items()))
    text, background = roles.text or of_theme(mode, "text"), roles.background or of_theme(mode, "background")
    found = {}
    if roles.text or roles.background:
        found = {"background": background, "text": text, "soft": mixed(text, background, 0.75)}
        found["line"] = mixed(text, background, 0.2)
    if roles.accent or roles.background:
        found["accent"] = roles.accent or of_theme(mode, "accent")
    return {name: color.hex for name, color in found.items()}


def _names_image(parsed: Parsed | None) -> bool:
    return parsed is not None and bool(parsed.front_matter.image)


def _says(text: str) -> bool:
    return any(map(str.isalnum, text))


def _hue_of(setting: object) -> int:
    """The hue of the accent color, computed from the setting as the style sheet does."""
    words = accent(setting).split() if isinstance(setting, str | int | float) else []
    degrees = [int(word) for word in words if word.isdigit()]
    return sum(degrees) if degrees else _USUAL_HUE


def listed(names: Sequence[str], t: Catalog) -> str:
    """Names as a byline: of more than three, the first two and the number of others; `t` is the message catalog."""
    if len(names) > 3:
        return t("names_and_others", names=", ".join(names[:2]), count=len(names) - 2)
    return t("names_and_name", names=", ".join(names[:-1]), last=names[-1]) if names[1:] else "".join(names)


def page_images(outline: Outline) -> Cards | None:
    """The cards of a site; `None` if it has none."""
    kit = outline.derived.of(CardParts).kit
    layout = layout_of(outline.theme)[0] if kit else None
    return Cards(kit, layout, outline.config, outline.theme, outline.site) if kit and layout else None


def plan_cards(outline: Outline) -> Iterator[PlannedFile | Diagnostic]:
    """Plan a card for each post that does not name an image of its own, and for lists."""
    kit = outline.derived.of(CardParts).kit
    if kit is None:
        return
    layout, wrong = layout_of(outline.theme)
    if wrong:
        yield wrong
    if layout is None:
        return
    cards = Cards(kit, layout, outline.config, outline.theme, outline.site)
    common: dict[str, object] = {"layout": (layout,)}
    common |= {"font": Blob(kit.font)} if kit.font else {}
    common |= {"bold": Blob(kit.bold)} if kit.bold else {}
    common |= {"background": Blob(kit.background), "codecs": kit.codecs} if kit.background else {}
    site = outline.site
    taken: set[str] = set()
    for span, lacking in cards.lacking_around(site, kit.title):
        if lacking and site.posts:
            yield problems.missing_letters(span, lacking, own_font=bool(kit.font), has_card=True)
    for post in site.posts:
        if not may_have_card(post) or cards.brings(post.permalink) or post.permalink in taken:
            continue
        taken.add(post.permalink)  # for two posts with one URL, the error about their pages is enough
        found = cards.picture(post.permalink, post.title)
        lacking = cards.lacking(post)
        span = post.parsed.front_matter.span("title", post.parsed.file)
        if lacking:
            yield problems.missing_letters(span, lacking, own_font=bool(kit.font), has_card=found is not None)
        if found:
            yield PlannedFile(found[0], "card", {"card": cards.post(post), **common}, span=span)
    # A plain page of the site may have the URL of a list.
    taken.update(post.permalink for post in (*site.posts, *site.pages))
    for permalink, card in cards.lists(site):
        if permalink not in taken and not cards.brings(permalink):
            span = generated(f"the social card of “{permalink}”")
            yield PlannedFile(card_permalink(permalink), "card", {"card": card, **common}, span=span)
