"""The codes of problems. They are stable: configurations and comments in posts refer to them.

Features have theirs in their `plugin.py`; `devlog.plugins.features` combines all of them.
"""

from __future__ import annotations

OF_BUILDS = {
    "devlog": """
        bad-mount bad-plugin bad-setting empty-folder missing-folder too-slow unknown-setting unusable-cache
        worker-died
    """,
    "devlog.adopt": "already-adopted foreign-config nothing-to-adopt unsupported-generator",
    "devlog.assemble": """
        active-content bad-redirect bad-tag bad-url bad-value broken-anchor broken-image broken-link case-mismatch
        colliding-alias colliding-url damaged-image expands-too-much git-dates inside-bundle kept-location
        link-leaves-site link-to-unpublished missing-custom-file missing-date missing-index missing-title no-posts
        pinned-not-a-post replaced-page reserved-topic same-discussion same-part search-folder-taken
    """,
    "devlog.compare": "not-compared nothing-to-compare",
    "devlog.config_file": """
        bad-analytics bad-author-link bad-base-url bad-branch
        bad-comments bad-date-format bad-diagrams bad-feed-name bad-folder bad-mount bad-pattern bad-permalink
        bad-redirect bad-refs bad-social comments-need-address invalid-config
        directional-character misplaced-config-key missing-config-key policy-in-page unknown-config-key unknown-timezone
        unsafe-url wrong-config-value
    """,
    "devlog.deploy": "not-as-built not-built not-deployed unknown-deployer unknown-deployment",
    "devlog.disk": """
        already-there bad-ignore-pattern bad-message cannot-write changed-while-building
        damaged-manifest edited-output file-and-folder foreign-output kept-output locked missing-folder not-utf8
        output-in-content outside-folder same-name special-file symlink template-file theme-too-new too-deep too-large
        undecodable-name unknown-message unknown-theme unreadable unsafe-output zero-byte
    """,
    "devlog.engine": "bad-executor missing-extra no-workers other-toolchain",
    "devlog.fixing": "nothing-fixed uncommitted-changes",
    "devlog.model": "bad-message",
    "devlog.parse": "control-character expands-too-much impossible-date internal-error tangled-html",
    "devlog.parse.dialects": "liquid-figure liquid-in-code liquid-include liquid-tag liquid-unclosed liquid-variable",
    "devlog.parse.front_matter": """
        bad-date bad-key bad-registry bad-value comment-in-value control-character duplicate-key front-matter-syntax
        front-matter-too-deep front-matter-too-long not-front-matter several-series too-long-value too-many-values
        unclosed-front-matter unknown-key yaml-feature
    """,
    "devlog.parse.markdown": """
        bad-formula bad-label broken-table directional-character duplicate-id extra-cells foreign-admonition
        html-too-deep kramdown-options lost-footnote merge-conflict misplaced-html nested-too-deeply not-html
        too-many-players unclosed-admonition unclosed-fence unclosed-html undefined-footnote undefined-reference
        unknown-admonition unknown-alert unknown-language unsafe-html unsafe-url unspaced-heading
    """,
    "devlog.parse.shortcodes": """
        bad-argument bad-shortcode broken-inclusion incomplete-shortcode lost-argument shortcode-template
        unknown-shortcode unpaired-shortcode
    """,
    "devlog.plugins": "plugin-failed",
    "devlog.render": "outside-blocks template-error unknown-block unknown-message unknown-recipe",
    "devlog.scaffold": """
        bad-name cannot-append folder-not-empty known-author no-author no-site no-slug unfit-template unknown-template
        unknown-topic unused-option which-topic workflows-below
    """,
}
"""The codes of problems that a build or another command reports, by the package whose `problems.py` has them."""

OF_CHECKS = {
    "devlog.check": """
        active-static author-spelling authors-key bad-waiver broken-menu date-from-git date-mismatch empty-post
        empty-topic image-in-other-topic large-image leaks.home-path leaks.internal-host leaks.internal-number
        leaks.location leaks.token missing-alt missing-cells missing-handle misplaced-post missing-source missing-suffix
        no-base-url no-front-matter own-url placeholder placeholder-base-url placeholder-link repeated-title spaced-tag
        stray-asterisks tag-drift topic-drift tracker-image two-handles two-names unknown-emoji unknown-tag
        unpadded-date unpinned-link unused-image unused-template unused-waiver useless-key
    """,
    "devlog.external": "dead-url moved-url offline unasked-urls",
}
"""The codes of problems that only `devlog check` reports, by package."""

CODES = frozenset(" ".join(OF_BUILDS.values()).split())
"""All codes of problems that a build or another command reports, except those of features."""

RULES = frozenset(" ".join(OF_CHECKS.values()).split())
"""All codes of problems that only `devlog check` reports, except those of features. The configuration may change their
severities to any, and comments may allow them."""

UNREAD = frozenset(
    """
    changed-while-building expands-too-much internal-error not-utf8 too-large too-slow unreadable worker-died zero-byte
    """.split()
)
"""The codes of problems after which nothing is known about a source file, so references to it cannot be judged."""

FORGIVABLE = frozenset({"colliding-alias"})
"""Errors despite which a site can be built correctly, so the configuration may lower their severity."""
