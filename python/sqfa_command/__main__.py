"""``python -m sqfa_command`` is the command ``sqfa``."""

import sys

from . import main

sys.exit(main())
