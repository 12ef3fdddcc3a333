"""A Model Context Protocol server, through which programs search and read a site's posts over standard I/O."""
