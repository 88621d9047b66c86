"""``python -m consens.cli``."""

import sys

from consens.cli import main

sys.exit(main())
