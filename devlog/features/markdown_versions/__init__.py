"""Pages as Markdown, beside the pages themselves."""
