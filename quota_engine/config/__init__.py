"""Text → `Stack` and `Scenario`: YAML and JSON with positions, JSON Schema, `extends`, defaults.

The only package that reads declarations and scenarios. It judges the text and its shape (QE1xx, QE2xx) and a scenario's
references (QE5xx); what AWS Batch would say of the declared resources is judged in `rules/`. Everything wrong inside a
readable file is a `Diagnostic`; only a file that can't be read raises, `Unreadable`.
"""

from .discover import Discovery, discover
from .ignores import unused_ignores
from .load import load_document, load_scenario, load_stack
from .loaded import Loaded, unique
from .overlay import Overlay, Setting, find_setting
from .policies import check_policies, load_policy
from .policy_files import Policies, policies_in, read_policies
from .schema import KINDS, schema
from .source import Unreadable, reading_from
from .supplements import Supplement, kind_of, load_baseline, load_fleet

__all__ = [
    "KINDS",
    "Discovery",
    "Loaded",
    "Overlay",
    "Policies",
    "Setting",
    "Supplement",
    "Unreadable",
    "check_policies",
    "discover",
    "find_setting",
    "kind_of",
    "load_baseline",
    "load_document",
    "load_fleet",
    "load_policy",
    "load_scenario",
    "load_stack",
    "policies_in",
    "read_policies",
    "reading_from",
    "schema",
    "unique",
    "unused_ignores",
]
