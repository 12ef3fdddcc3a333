"""Fetches avatars of authors from other hosts during a build, so that the browsers of readers need not."""
