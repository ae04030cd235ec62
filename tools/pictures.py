"""Draws the pictures of docs/reports.md and README.md anew: `python tools/pictures.py`.

The same scenarios give the same bytes, with the same version of vl-convert.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from quota_engine.config import load_scenario
from quota_engine.report.charts.drawing import render
from quota_engine.report.charts.lives import lives
from quota_engine.report.simulation_charts import pictures
from quota_engine.simulate import measure, run
from quota_engine.workloads import prepare

ROOT: Final = Path(__file__).resolve().parent.parent
PICTURES: Final = {
    "docs/images/report-timeline.svg": ("scenarios/lend-and-borrow.yaml", "timeline"),
    "docs/images/report-use.svg": ("scenarios/lend-and-borrow.yaml", "use"),
    "docs/images/report-waits.svg": ("examples/lower-limit/week.yaml", "waits"),
    "docs/images/report-jobs.svg": ("examples/lower-limit/week.yaml", "jobs"),
}
"""File → (scenario, name of the chart in it)."""


def drawn(scenario_path: str, chart: str) -> bytes:
    """Return a chart of a scenario as SVG."""
    scenario = load_scenario(str(ROOT / scenario_path)).value
    if scenario is None:
        raise SystemExit(f"{scenario_path} has errors")
    outcome = run(prepare(scenario))
    return render(pictures(outcome, measure(outcome), lives(outcome))[chart], "svg")


def main() -> None:
    for path, (scenario, chart) in PICTURES.items():
        (ROOT / path).write_bytes(drawn(scenario, chart))


if __name__ == "__main__":
    main()
