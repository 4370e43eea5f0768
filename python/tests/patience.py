"""How long a test waits before it takes a process for hung: nothing is measured by it."""

PATIENCE = 1800.0
