"""What not every site needs, each in a folder by its noun.

What stands in such a folder is named after the stage of the core that it belongs to: `model`, `parse`, `assemble`,
`derive`, `render`, `check`, `serve`, `disk`. It imports what modules of that stage may. Messages stand in `problems`.
"""
