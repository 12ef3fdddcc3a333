"""What devlog does with plugins and features: find and load them, verify their results, and report their faults.

`devlog.plugin` is the interface that they implement.
"""
