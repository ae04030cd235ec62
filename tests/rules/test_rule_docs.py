"""The pages in docs/rules: one for every rule, as its generator writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from quota_engine.cli.rule_pages import all_rules
from quota_engine.report.documentation import page_as_markdown, page_of
from tools.rule_docs import pages

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "docs" / "rules"


def test_the_pages_are_what_their_generator_writes() -> None:
    """A page that was not written anew tells what the rule no longer checks: run python tools/rule_docs.py."""
    assert {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*")} == pages()


@pytest.mark.parametrize("rule_id", sorted(all_rules()))
def test_every_rule_has_a_page_where_findings_say_it_is(rule_id: str) -> None:
    """The link of a finding must lead somewhere."""
    assert (ROOT / page_of(rule_id)).is_file()


@pytest.mark.parametrize("rule_id", sorted(all_rules()))
def test_every_rule_names_its_source(rule_id: str) -> None:
    """Whoever doubts a rule must be able to look where it comes from; "assumed" is a source that says so."""
    text = page_as_markdown(all_rules()[rule_id].page)
    assert text.rpartition("## Source\n\n")[2].strip()


def test_an_address_comes_before_the_path_and_policies_have_no_page() -> None:
    """A service shows a link only if it is an address; a policy's page is the policy itself."""
    assert page_of("QE304", "https://example.com/x/") == "https://example.com/x/QE304.md"
    assert page_of("QE304") == "docs/rules/QE304.md"
    assert page_of("QE701") == ""
