"""The shell as ``python -m consens``."""

from consens.cli import main

if __name__ == "__main__":
    main()
