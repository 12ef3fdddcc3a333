"""The codes of all problems. They are stable: configurations and comments in posts refer to them."""

from __future__ import annotations

OF_BUILDS = {
    "devlog": """
        bad-author-link bad-base-url bad-comments bad-diagrams bad-feed-name bad-folder bad-pattern bad-permalink
        bad-plugin bad-redirect bad-refs bad-speak comments-need-address invalid-config misplaced-config-key
        missing-config-key no-search plugin-failed policy-in-page too-slow unknown-config-key unknown-timezone
        worker-died wrong-config-value
    """,
    "devlog.adopt": "already-adopted foreign-config nothing-to-adopt",
    "devlog.assemble": """
        active-content bad-tag bad-url broken-anchor broken-image broken-link case-mismatch colliding-alias
        colliding-url inside-bundle link-leaves-site link-to-unpublished missing-date missing-index missing-title
        no-posts replaced-page reserved-topic same-part search-folder-taken
    """,
    "devlog.compare": "not-compared nothing-to-compare",
    "devlog.deploy": "not-as-built not-built not-deployed unknown-deployer unknown-deployment",
    "devlog.disk": """
        already-there bad-ignore-pattern bad-message cannot-write changed-while-building damaged-manifest edited-output
        file-and-folder foreign-output kept-output locked missing-folder not-utf8 outside-folder same-name special-file
        symlink template-file theme-too-new too-deep too-large undecodable-name unknown-message unknown-theme unreadable
        unsafe-output zero-byte
    """,
    "devlog.engine": "bad-executor missing-extra no-workers other-toolchain",
    "devlog.fixing": "uncommitted-changes",
    "devlog.model": "bad-message",
    "devlog.parse": "control-character expands-too-much internal-error tangled-html",
    "devlog.parse.dialects": "liquid-figure liquid-in-code liquid-include liquid-tag liquid-unclosed liquid-variable",
    "devlog.parse.front_matter": """
        bad-date bad-key bad-registry bad-value comment-in-value control-character duplicate-key front-matter-syntax
        front-matter-too-deep front-matter-too-long not-front-matter several-series too-long-value too-many-values
        unclosed-front-matter unknown-key yaml-feature
    """,
    "devlog.parse.markdown": """
        bad-formula bad-label html-too-deep kramdown-options not-html unclosed-html unknown-language unsafe-html
        unsafe-url
    """,
    "devlog.parse.shortcodes": "incomplete-shortcode unknown-shortcode unpaired-shortcode",
    "devlog.render": "template-error unknown-message unknown-recipe",
    "devlog.scaffold": """
        bad-name cannot-append folder-not-empty known-author no-author no-site no-slug unknown-template unknown-topic
        unused-option which-topic workflows-below
    """,
    # features
    "devlog.features.diagrams": "bad-diagrams diagram-failed diagrams-as-text",
    "devlog.features.episodes": """
        already-spoken bad-chapters bad-transcript cannot-speak incomplete-podcast missing-audio no-audio no-length
        no-tinytag no-type not-a-text not-audio not-noted not-spoken nothing-to-speak same-audio shared-by-too-many
        two-sounds unmeasured wrong-duration
    """,
    "devlog.features.images": "no-pillow one-size unfit-image",
    "devlog.features.site_search": "no-search search-failed",
    "devlog.features.social_cards": "bad-card-file bad-card-layout missing-letters no-cards without-cards",
    "devlog.features.source_references": "no-checkout unchecked-source",
    "devlog.features.supersession": """
        contradicted-status supersedes-nothing superseding-circle unknown-key unknown-status
    """,
}
"""The codes of what a build or another command reports, by the package whose `problems.py` has them.

Those of features stand here, too: the configuration names codes, and is read before any feature is loaded.
"""

OF_CHECKS = {
    "devlog.check": """
        active-static author-spelling authors-key bad-waiver broken-menu date-from-git date-mismatch empty-post
        empty-topic image-in-other-topic large-image leaks.home-path leaks.internal-host leaks.internal-number
        leaks.location leaks.token missing-alt missing-handle missing-suffix no-base-url
        no-front-matter own-url placeholder placeholder-base-url placeholder-link repeated-title tag-drift
        topic-drift tracker-image two-handles two-names unknown-tag unpadded-date unpinned-link unused-image
        unused-waiver useless-key
    """,
    "devlog.external": "dead-url moved-url offline unasked-urls",
    # features
    "devlog.features.source_references": "changed-source stale-citation",
    "devlog.features.supersession": "link-to-superseded no-successor",
}
"""Likewise the codes of what only a check reports."""

CODES = frozenset(" ".join(OF_BUILDS.values()).split())
"""Every code of a build."""

RULES = frozenset(" ".join(OF_CHECKS.values()).split())
"""The codes of what only a check says: severities may be changed at will, and comments may allow them."""

UNREAD = frozenset(
    """
    changed-while-building expands-too-much internal-error not-utf8 too-large too-slow unreadable worker-died zero-byte
    """.split()
)
"""The codes of texts of which nothing is known: what others say of them cannot be judged."""

FORGIVABLE = frozenset({"colliding-alias", "missing-audio", "not-audio"})
"""Errors without which a site can be built right all the same: its owner may say that they are none."""
