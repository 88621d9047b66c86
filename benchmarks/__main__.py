"""Run all benchmarks, each in a process of its own: ``python -m benchmarks [--json FOLDER]``."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write <benchmark>.json files to this folder")
    folder = parser.parse_args().json
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    failed = []
    for path in sorted(HERE.glob("[!_]*.py")):
        print(f"## {path.stem}\n", flush=True)
        output = ["--json", str(folder / f"{path.stem}.json")] if folder else []
        done = subprocess.run(
            [sys.executable, "-m", f"benchmarks.{path.stem}", *output], check=False
        )
        failed += [path.stem] if done.returncode else []
        print(flush=True)
    if failed:
        sys.exit(f"these benchmarks did not end well: {', '.join(failed)}")


if __name__ == "__main__":
    main()
