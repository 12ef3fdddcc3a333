"""What a forge knows about the changes of a digest: GitHub, GitLab, Gitea or Forgejo."""
