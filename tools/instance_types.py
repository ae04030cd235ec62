"""Write quota_engine/model/instance_types.py: SageMaker's training instance types, from botocore's service model.

python tools/instance_types.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import botocore.session

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "quota_engine" / "model" / "instance_types.py"
HEADER = '''"""SageMaker's training instance types as botocore's model lists them. Written by tools/instance_types.py.

New hardware comes before a new list does: a type that is missing here is unknown, not wrong.
"""

from __future__ import annotations

from typing import Final

TRAINING_INSTANCE_TYPES: Final = frozenset(
    {
'''


def training_instance_types() -> list[str]:
    """Return the values of SageMaker's TrainingInstanceType, sorted."""
    model = botocore.session.get_session().get_service_model("sagemaker")
    values: list[str] = getattr(model.shape_for("TrainingInstanceType"), "enum")  # noqa: B009
    return sorted(values)


def render(types: list[str]) -> str:
    """Return the text of the module."""
    return HEADER + "".join(f'        "{name}",\n' for name in types) + "    }\n)\n"


if __name__ == "__main__":
    TARGET.write_text(render(training_instance_types()), encoding="utf-8")
    sys.stdout.write(f"wrote {TARGET.relative_to(ROOT)}\n")
