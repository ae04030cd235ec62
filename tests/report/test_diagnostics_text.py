"""Findings for people: the caret stands under the exact value, whatever the line holds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quota_engine.model.diagnostic import Diagnostic, Severity, Span
from quota_engine.report import diagnostics_text
from quota_engine.report.visible import width_of

LINE = "        resource_sharing: {strategy: LEND, borrow_limit: 50}"
SOURCES = {"stacks/prod.yaml": "\n" * 13 + LINE + "\n"}


def finding(span: Span | None, **others: object) -> Diagnostic:
    values: dict[str, object] = {
        "rule": "QE304",
        "name": "borrow-limit-without-borrowing",
        "severity": Severity.ERROR,
        "message": "quota share 'research' sets borrow_limit 50, but its strategy is LEND",
        "why": "a borrow limit applies only to LEND_AND_BORROW",
        "fix": "remove borrow_limit, or set strategy: LEND_AND_BORROW",
        "span": span,
        **others,
    }
    return Diagnostic(**values)  # type: ignore[arg-type]


def on_line_14(column: int, end: int) -> Span:
    return Span("stacks/prod.yaml", 14, column, 14, end)


def test_a_finding_says_what_where_why_and_fix() -> None:
    """The whole form at once, as the documentation shows it."""
    column = LINE.index("50") + 1
    assert diagnostics_text.render([finding(on_line_14(column, column + 2))], SOURCES, checked=1) == (
        "stacks/prod.yaml:14:58: error QE304 borrow-limit-without-borrowing\n"
        "  quota share 'research' sets borrow_limit 50, but its strategy is LEND\n"
        "    14 |         resource_sharing: {strategy: LEND, borrow_limit: 50}\n"
        "       |                                                          ^^\n"
        "  why: a borrow limit applies only to LEND_AND_BORROW\n"
        "  fix: remove borrow_limit, or set strategy: LEND_AND_BORROW\n"
        "\n"
        "1 error in 1 file\n"
    )


def test_without_the_text_no_line_is_shown() -> None:
    """A finding about a live account has a place in no file."""
    text = diagnostics_text.render([finding(None), finding(Span("gone.yaml", 3, 1, 3, 4))], {})
    assert "|" not in text
    assert text.startswith("error QE304")
    assert "gone.yaml:3:1: error" in text


def test_no_findings_is_said() -> None:
    """Silence would leave open whether anything was looked at."""
    assert diagnostics_text.render([], checked=6) == "no findings in 6 files\n"


def test_the_other_place_of_a_conflict_is_shown_with_its_line() -> None:
    """ "Defined twice" is of no use without the first place."""
    related = ((on_line_14(9, 25), "first stated here"),)
    text = diagnostics_text.render([finding(on_line_14(44, 56), related=related)], SOURCES)
    assert "  see stacks/prod.yaml:14:9: first stated here\n" in text
    assert text.count("    14 |") == 2


def test_a_value_of_several_lines_is_underlined_to_the_end_of_its_first() -> None:
    """A mapping as a value spans lines; the caret marks where it begins."""
    text = diagnostics_text.render([finding(Span("f", 1, 4, 2, 5))], {"f": "a: {b: 1,\n  c: 2}\n"})
    assert "     1 | a: {b: 1,\n       |    ^^^^^^\n" in text


def test_control_characters_of_names_are_shown_and_not_sent_to_the_terminal() -> None:
    """A name must not recolour the report, hide a line of it, or turn its words around."""
    message = "share '\x1b[2K\u202eGNEL\u2066' is\nodd"
    text = diagnostics_text.render([finding(Span("f", 1, 2, 1, 3), message=message)], {"f": "\x1bxx\u202e\n"})
    assert not any(char in text for char in "\x1b\u202e\u2066")
    assert "\\x1b[2K\\u202eGNEL\\u2066" in text
    assert "     1 | \\x1bxx\\u202e\n       |     ^\n" in text


def test_the_caret_counts_wide_characters_twice_and_combining_ones_not_at_all() -> None:
    """Names in Japanese, or with accents typed apart, must not push the caret off its value."""
    text = diagnostics_text.render([finding(Span("f", 1, 9, 1, 10))], {"f": "名前: e\u0301: x: 5\n"})
    shown, carets = text.splitlines()[2:4]
    assert width_of(shown.split("x", 1)[0]) == len(carets.split("^", 1)[0])


def test_long_lines_are_cut_around_the_value() -> None:
    """A minified JSON file is one line of a million characters."""
    line = "x" * 5000 + "HERE" + "y" * 5000
    text = diagnostics_text.render([finding(Span("f", 1, 5001, 1, 5005))], {"f": line}, width=80)
    shown, carets = text.splitlines()[2:4]
    assert width_of(shown) <= 80
    assert shown[carets.index("^") : carets.index("^") + 4] == "HERE"
    assert carets.endswith("^^^^")


@given(
    before=st.text(alphabet=st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=200),
    marked=st.text(alphabet="abc漢", min_size=1, max_size=8),
    after=st.text(alphabet=st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=200),
)
def test_the_caret_always_stands_under_its_value(before: str, marked: str, after: str) -> None:
    """Whatever stands around a value, the reader's eye lands on it."""
    column = len(before) + 1
    span = Span("f", 1, column, 1, column + len(marked))
    shown, carets = diagnostics_text.excerpt(span, {"f": before + marked + after}, 100, lambda text, _: text, "error")
    left = carets.index("^")
    prefix = ""
    for char in shown:
        if width_of(prefix) >= left and not (char and width_of(char) == 0):
            break
        prefix += char
    assert shown[len(prefix) :].startswith(marked)
    assert carets.count("^") == width_of(marked)


def test_styled_text_is_the_plain_text_with_marks() -> None:
    """Colour adds nothing and hides nothing."""
    findings = [finding(on_line_14(44, 56))]
    styled = diagnostics_text.render(findings, SOURCES, style=lambda text, kind: f"<{kind}>{text}</>")
    plain = styled.replace("</>", "")
    for kind in ("error", "bold", "dim", "note"):
        plain = plain.replace(f"<{kind}>", "")
    assert plain == diagnostics_text.render(findings, SOURCES)
