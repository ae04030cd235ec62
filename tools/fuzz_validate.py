"""Look for a file that the validator can't take, guided by what each file makes it do.

    pip install atheris
    python tools/fuzz_validate.py -max_total_time=600 [more options of libFuzzer]

atheris is not among the development dependencies, as it comes for few platforms. `make test-long` does the same with
50,000 mutations that are not guided. A file that is found is written to the working directory by atheris: shrink it,
and keep it under tests/cases with what is expected of it.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

with atheris.instrument_imports(include=["quota_engine", "yaml"]):
    from quota_engine.config import read_policies
    from tests.property.mutations import judge, seeds

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-validate-"))
POLICIES = read_policies([ROOT / "policies"])


def one_input(data: bytes) -> None:
    """Judge a file; its first byte says which of the two formats it is read as."""
    path = FOLDER / ("file.json" if data[:1] in (b"{", b"[") else "file.yaml")
    path.write_bytes(data)
    judge(path, POLICIES)


def main() -> None:
    corpus = FOLDER / "corpus"
    corpus.mkdir()
    for number, path in enumerate(seeds()):
        (corpus / f"{number:04}").write_bytes(path.read_bytes())
    atheris.Setup([*sys.argv, str(corpus)], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
