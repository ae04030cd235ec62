"""The chart of a sweep as a page of its own: one file, no network, values under the mouse, the figures in tables below.

Everything that users named is escaped: in the text for HTML, in the chart for a script element.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any, Final

from ...sweep.summary import Summary
from .. import sweep_view
from . import drawing
from .palette import FONT, INK, PAPER, style_sheet

_STYLE: Final = f"""
:root {{ color-scheme: light dark; }}
body {{ font: 15px/1.5 {FONT}; margin: 1.5rem; color: {INK.light}; background: {PAPER.light}; }}
table {{ border-collapse: collapse; margin: 0.5rem 0 1.5rem; }}
caption {{ text-align: left; font-weight: bold; }}
th, td {{ text-align: right; padding: 0.15rem 0.7rem; border-bottom: 1px solid #8884; font-weight: normal; }}
th {{ font-weight: bold; }}
.wide {{ overflow-x: auto; }}
@media (prefers-color-scheme: dark) {{ body {{ color: {INK.dark}; background: {PAPER.dark}; }} }}
"""


def page(summary: Summary, spec: Mapping[str, Any], alternative: str) -> str:
    """Return the page. `alternative` says in words what the chart shows."""
    scenario = summary.swept.plan.scenarios[0]
    title = escape(scenario.description or scenario.stack.name)
    chart = {**spec, "config": {**spec["config"], "background": "transparent"}}  # the page's own paper, light or dark
    tables = "\n".join(map(_table, sweep_view.sections(summary)))
    notes = "\n".join(f"<p>{escape(note)}</p>" for note in (sweep_view.method(summary), *sweep_view.notes(summary)))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{_STYLE}{style_sheet("#chart", live=True)}</style>
</head>
<body>
<main>
<div id="chart" class="wide" role="img" aria-label="{escape(alternative)}"></div>
<h1>{title}: figures</h1>
{notes}
{tables}
</main>
<script>{drawing.script_bundle()}</script>
<script type="application/json" id="specification">{drawing.json_for_script(chart)}</script>
<script>
const specification = JSON.parse(document.getElementById("specification").textContent);
vegaEmbed("#chart", specification, {{renderer: "svg", actions: false}});
</script>
</body>
</html>
"""


def _table(section: sweep_view.Section) -> str:
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in section.header)
    rows = "\n".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in section.rows)
    return (
        f'<div class="wide"><table><caption>{escape(section.title)}</caption>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody></table></div>"
    )
