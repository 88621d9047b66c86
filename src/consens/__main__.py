"""``python -m consens``."""

import sys

from consens.cli import main

sys.exit(main())
