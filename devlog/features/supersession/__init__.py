"""The status of posts: whether a newer post supersedes them, when they were reviewed, and who drafted them."""
