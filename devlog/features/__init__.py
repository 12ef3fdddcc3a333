"""Optional features: one folder for each, for functions that not every site needs.

The modules of a feature are named after the stage of the core to which they belong: `model`, `parse`, `assemble`,
`derive`, `render`, `check`, `serve`, `disk`. They import what modules of that stage may. Messages are in `problems`.
"""
