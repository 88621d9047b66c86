"""The shell as ``python -m consens``."""

from consens.cli import main

main()
