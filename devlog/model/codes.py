"""The codes of problems. They are stable: configurations and comments in posts refer to them."""

from __future__ import annotations

CODES = frozenset(
    """
    bad-diagrams bad-formula bad-label diagram-failed diagrams-as-text
    bad-message unknown-message
    already-adopted colliding-alias foreign-config nothing-to-adopt
    no-search search-failed search-folder-taken
    bad-card-file bad-card-layout missing-letters no-cards without-cards
    not-as-built not-built not-deployed unknown-deployer unknown-deployment
    already-spoken bad-speak cannot-speak not-a-text not-noted not-spoken nothing-to-speak
    bad-plugin plugin-failed unknown-recipe unknown-template
    bad-base-url bad-date bad-executor bad-folder bad-ignore-pattern bad-key bad-pattern bad-permalink bad-registry
    bad-tag bad-url bad-value broken-anchor broken-image broken-link cannot-write case-mismatch changed-while-building
    colliding-url comment-in-value control-character damaged-manifest duplicate-key edited-output
    expands-too-much
    file-and-folder foreign-output front-matter-syntax front-matter-too-deep front-matter-too-long html-too-deep
    already-there bad-name cannot-append folder-not-empty known-author no-author no-site no-slug unknown-topic
    unused-option which-topic workflows-below
    kramdown-options liquid-figure liquid-in-code liquid-include liquid-tag liquid-unclosed liquid-variable
    incomplete-shortcode unpaired-shortcode
    inside-bundle internal-error invalid-config kept-output link-leaves-site link-to-unpublished locked
    misplaced-config-key missing-config-key missing-date missing-extra missing-folder missing-index missing-title
    no-posts no-workers not-front-matter other-toolchain too-slow
    no-pillow one-size unfit-image
    no-checkout
    bad-author-link bad-comments comments-need-address same-part several-series theme-too-new
    policy-in-page
    active-content bad-feed-name bad-redirect bad-refs replaced-page template-file
    not-compared nothing-to-compare
    not-html not-utf8 outside-folder reserved-topic same-name shared-by-too-many special-file symlink template-error
    tangled-html too-deep too-large too-long-value
    too-many-values unclosed-front-matter unclosed-html uncommitted-changes undecodable-name unknown-config-key
    unknown-key unknown-language unknown-shortcode unknown-theme unknown-timezone unreadable
    unsafe-html unsafe-output unsafe-url worker-died wrong-config-value yaml-feature zero-byte
    contradicted-status superseding-circle supersedes-nothing unknown-status
    bad-chapters bad-transcript incomplete-podcast missing-audio no-audio no-length no-tinytag no-type not-audio
    same-audio two-sounds unmeasured wrong-duration
    """.split()
)
"""Every code of a build."""

UNREAD = frozenset(
    """
    changed-while-building expands-too-much internal-error not-utf8 too-large too-slow unreadable worker-died zero-byte
    """.split()
)
"""The codes of texts of which nothing is known: what others say of them cannot be judged."""

FORGIVABLE = frozenset({"colliding-alias", "missing-audio", "not-audio"})
"""Errors without which a site can be built right all the same: its owner may say that they are none."""

RULES = frozenset(
    """
    active-static author-spelling authors-key bad-waiver broken-menu date-from-git date-mismatch
    dead-url empty-post empty-topic image-in-other-topic large-image leaks.home-path
    leaks.internal-host leaks.internal-number leaks.location leaks.token missing-alt missing-handle
    missing-suffix moved-url no-base-url no-front-matter offline own-url placeholder
    placeholder-base-url
    placeholder-link repeated-title tag-drift topic-drift tracker-image two-handles
    two-names unasked-urls unknown-tag unpadded-date unpinned-link unused-image unused-waiver
    useless-key
    link-to-superseded no-successor
    changed-source stale-citation
    """.split()
)
"""The codes of what only a check says: severities may be changed at will, and comments may allow them."""
