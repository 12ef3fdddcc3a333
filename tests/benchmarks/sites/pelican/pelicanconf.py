"""Pelican's "simple" theme; pages, categories, tags, authors, archive, and one feed for each list, as devlog has them:
whole texts for the site and its categories (Atom), summaries for tags and authors (RSS).

Feeds of tags are off as Pelican comes. Further feeds of the same (the site's by language, each author's as Atom) are on
as it comes, and off here. A site map and posts.json would need plugins and are left out.
"""

SITENAME = "Lumen DevLog"
SITEURL = "https://docs.example.org"
PATH = "content"
TIMEZONE = "UTC"
DEFAULT_LANG = "en"
THEME = "simple"
DEFAULT_PAGINATION = 100
USE_FOLDER_AS_CATEGORY = True
FEED_DOMAIN = SITEURL
FEED_MAX_ITEMS = 20
FEED_ALL_ATOM = "feeds/all.atom.xml"
CATEGORY_FEED_ATOM = "feeds/category-{slug}.atom.xml"
TAG_FEED_RSS = "feeds/tag-{slug}.rss.xml"
AUTHOR_FEED_ATOM = None
AUTHOR_FEED_RSS = "feeds/author-{slug}.rss.xml"
TRANSLATION_FEED_ATOM = None
