"""Write quota_engine/config/schemas/*.json, the JSON Schemas of the formats, from the service facts.

    python tools/schemas.py

The files serve editors as they are. Keywords that begin with `x-` are read by `quota_engine.config.schema` alone: a
file that extends another may leave any key out, so what is required is known only after the merge. For the same reason
every property also takes null, which removes an inherited value.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.schema_parts.declaration import declaration  # noqa: E402
from tools.schema_parts.keywords import Schema, nullable, optional, shown  # noqa: E402
from tools.schema_parts.parameters import parametrised  # noqa: E402
from tools.schema_parts.scenario import scenario  # noqa: E402
from tools.schema_parts.supplements import baseline, fleet, own_policy  # noqa: E402

TARGET = ROOT / "quota_engine" / "config" / "schemas"


def schemas() -> dict[str, Schema]:
    """Return every schema by kind."""
    return {
        "stack": nullable(declaration("stack")),
        "fragment": {**nullable(optional(declaration("fragment"))), "x-required": ["kind", "version"]},
        "scenario": parametrised(shown(scenario())),
        "fleet": shown(fleet()),
        "baseline": shown(baseline()),
        "policy": shown(own_policy()),
    }


def render(schema: Schema) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for kind, body in schemas().items():
        (TARGET / f"{kind}.schema.json").write_text(render(body), encoding="utf-8")
