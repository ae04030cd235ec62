"""The Pulumi program of this project: deploys the declaration of the current stack, stacks/<stack>.yaml."""

from pathlib import Path

import pulumi

from quota_engine.program import run

run(Path(__file__).resolve().parent / "stacks" / f"{pulumi.get_stack()}.yaml")
