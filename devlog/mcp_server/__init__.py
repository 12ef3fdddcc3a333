"""A Model Context Protocol server: what a log says, for programs that ask over standard input and output."""
