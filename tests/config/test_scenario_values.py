"""What a scenario's workloads, parameters and included files become."""

from __future__ import annotations

from pathlib import Path

import pytest

from quota_engine.config import Loaded, load_document, load_scenario
from quota_engine.model.sampling import (
    Arrivals,
    Burst,
    Choice,
    Constant,
    Empirical,
    Every,
    Exponential,
    LogNormal,
    Poisson,
    Profile,
    Start,
    Uniform,
    Weibull,
)
from quota_engine.model.trouble import Trouble
from quota_engine.model.work import Exit, RetryRule, Scenario

CASES = Path(__file__).resolve().parent.parent / "cases" / "config" / "scenario"
MINUTE, HOUR = 60_000, 3_600_000
STACK = (CASES / "stack.yaml").read_text(encoding="utf-8")


def loaded(tmp_path: Path, files: dict[str, str], parameters: dict[str, str] | None = None) -> Loaded[Scenario]:
    """Load s.yaml of the files given, each with the header it needs, beside stack.yaml."""
    (tmp_path / "stack.yaml").write_text(STACK, encoding="utf-8")
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"kind: scenario\nversion: 1\n{text}", encoding="utf-8")
    return load_scenario(tmp_path / "s.yaml", parameters=parameters)


def test_a_workload_means_what_it_states() -> None:
    """Every key ends in a field of the model; one that is dropped would silently do nothing."""
    scenario = load_scenario(CASES / "workloads.yaml").value
    assert scenario is not None
    assert (scenario.seed, scenario.start) == (7, Start(1_796_079_600_000, HOUR))
    research, nightly, regular, flood, past, u, e, c = scenario.workloads
    assert research.template.checkpoint_ms == 30 * MINUTE
    assert research.needs == Choice(({"ml.g5.xlarge": 1}, {"ml.g5.xlarge": 2}), (0.8, 0.2))
    assert (research.name, research.share, research.arrivals) == ("research", "b", Arrivals(Poisson(6.0)))
    assert (research.duration, research.priority) == (LogNormal(40 * MINUTE, 1.1), Uniform(1, 5))
    weekday = tuple(0.5 if 8 <= hour < 18 else 4.0 if hour == 22 else 0.0 for hour in range(24))
    assert nightly.arrivals == Arrivals(Profile(weekday, (0.25,) * 24), from_ms=HOUR, until_ms=40 * HOUR, jobs=100)
    assert (nightly.duration, nightly.priority) == (Weibull(HOUR, 0.7), Choice((1, 9), (3.0, 0.5)))
    template = nightly.template
    assert (template.attempts, template.evaluate_on_exit) == (3, (RetryRule("RETRY", "*"),))
    assert (template.timeout_ms, template.preemption_retries) == (2 * HOUR, 1)
    assert template.exit == Exit(5 * MINUTE, "out of memory: research, not ${who}")
    assert (nightly.exit_probability, research.exit_probability) == (0.25, 1.0)
    assert (regular.arrivals, regular.duration) == (Arrivals(Every(6 * HOUR)), Constant(20 * MINUTE))
    assert regular.needs == Choice(({"ml.g5.xlarge": 1},), (1.0,))
    assert (flood.arrivals, flood.duration) == (Arrivals(Burst(2 * HOUR, 3)), None)
    assert flood.template.checkpoint_continuous
    assert past.duration == Empirical((90_000, 20 * MINUTE, 65 * MINUTE), "durations.csv")
    assert [one.duration for one in (u, e, c)] == [Uniform(10 * MINUTE, 2 * HOUR), Exponential(HOUR), Constant(HOUR)]


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("2026-12-01T00:00:00Z", Start(1_796_083_200_000)),
        ("2026-12-01T00:00+01:00", Start(1_796_079_600_000, HOUR)),
        ("1969-12-31T19:00:00.250-05:00", Start(250, -5 * HOUR)),
        ("2026-12-01T00:00:00", None),
        ("2026-12-01", None),
        ("2026-13-01T00:00:00Z", None),
        ("tomorrow", None),
        ("0001-01-01T00:00:00+14:00", Start(-62_135_596_800_000 - 14 * HOUR, 14 * HOUR)),
    ],
)
def test_a_start_is_a_date_with_an_offset(tmp_path: Path, text: str, start: Start | None) -> None:
    """Without an offset, the hours of a profile would be those of whoever reads it."""
    found = loaded(tmp_path, {"s.yaml": f'stack: stack.yaml\nstart: "{text}"\n'})
    assert (found.value.start if found.value else None) == start
    assert [one.rule for one in found.diagnostics] == ([] if start else ["QE519"])


PARAMETERS = """stack: stack.yaml
parameters: {rate: 6, who: a, on: true, wait: 2h}
until: "${wait}"
assumptions: {backfill: "${on}"}
jobs:
  - {name: "x-${rate}-${who}", share: "${who}", instances: {ml.g5.xlarge: 1}, priority: "${rate}"}
"""


def test_a_parameter_alone_keeps_its_type_and_within_a_text_becomes_text(tmp_path: Path) -> None:
    """A number in quotes would be refused where a number belongs, and a text in a name is what is wanted."""
    scenario = loaded(tmp_path, {"s.yaml": PARAMETERS}).value
    assert scenario is not None
    assert (scenario.jobs[0].name, scenario.jobs[0].priority) == ("x-6-a", 6)
    assert (scenario.until_ms, scenario.assumptions) == (2 * HOUR, {"backfill": True})


def test_a_parameter_can_be_given_from_outside(tmp_path: Path) -> None:
    """The value is read as it would be in the file."""
    scenario = loaded(tmp_path, {"s.yaml": PARAMETERS}, {"rate": "9", "who": "b", "on": "false"}).value
    assert scenario is not None
    assert (scenario.jobs[0].name, scenario.jobs[0].priority, scenario.jobs[0].share) == ("x-9-b", 9, "b")
    assert scenario.assumptions == {"backfill": False}


def test_a_faulty_value_from_outside_is_named(tmp_path: Path) -> None:
    """The line shows ${rate}: what is wrong with it can't be seen there."""
    [found] = loaded(tmp_path, {"s.yaml": PARAMETERS}, {"rate": "-9"}).diagnostics
    assert (found.rule, found.why) == ("QE507", "the value was given as rate=-9")
    assert found.span is not None
    assert found.span.line == 8


def test_a_faulty_value_of_the_file_leads_to_both_places(tmp_path: Path) -> None:
    """Where it is used, and where it is given."""
    [found] = loaded(tmp_path, {"s.yaml": PARAMETERS.replace("rate: 6", "rate: -6")}).diagnostics
    assert [(span.line, what) for span, what in found.related] == [(4, "the value of parameter 'rate'")]


def test_a_parameter_that_is_not_there_is_trouble_with_the_likely_name(tmp_path: Path) -> None:
    """A sweep over a misspelt name would give the same result a hundred times."""
    with pytest.raises(Trouble, match="no parameter 'rat'") as error:
        loaded(tmp_path, {"s.yaml": PARAMETERS}, {"rat": "1"})
    assert error.value.fix == "did you mean 'rate'?"


def job(name: str, share: str = "a") -> str:
    return f"  - {{name: {name}, share: {share}, instances: {{ml.g5.xlarge: 1}}, duration: 1h}}\n"


def test_included_work_comes_before_the_files_own_and_each_file_once(tmp_path: Path) -> None:
    """The order of lists settles nothing but must be one; and two paths to a file must not double its jobs."""
    files = {
        "s.yaml": "stack: stack.yaml\ninclude: [b.yaml, sub/c.yaml]\njobs:\n" + job("own") + "expect:\n"
        "  - {never_preempted: {job: c}}\n",
        "b.yaml": "include: sub/d.yaml\njobs:\n" + job("b") + "expect:\n  - {never_preempted: {job: own}}\n",
        "sub/c.yaml": "include: d.yaml\njobs:\n" + job("c") + "events:\n  - {at: 1h, terminate: {job: d}}\n",
        "sub/d.yaml": "jobs:\n" + job("d"),
    }
    found = loaded(tmp_path, files)
    scenario = found.value
    assert scenario is not None, found.diagnostics
    assert [one.name for one in scenario.jobs] == ["b", "c", "d", "own"]
    assert [one.arguments["job"] for one in scenario.expectations] == ["own", "c"]
    assert len(scenario.events) == 1
    assert [Path(file).name for file in found.sources] == ["s.yaml", "b.yaml", "d.yaml", "c.yaml", "stack.yaml"]


def test_a_finding_in_an_included_file_names_that_file(tmp_path: Path) -> None:
    """The line to edit is not in the file that the user named; rules that judge the whole find it too."""
    from quota_engine.rules import check_scenario, check_stack

    files = {
        "s.yaml": "stack: stack.yaml\ninclude: b.yaml\njobs:\n" + job("own"),
        "b.yaml": "jobs:\n" + job("ok") + job("huge").replace("xlarge: 1", "xlarge: 99"),
    }
    found = loaded(tmp_path, files).findings(check_stack, check_scenario)
    places = [(one.rule, Path(one.span.file).name, one.span.line) for one in found if one.span]
    assert places == [("QE521", "b.yaml", 5)]


def test_the_including_files_parameter_wins_over_the_included_ones(tmp_path: Path) -> None:
    """An included file states what it needs; who includes it decides."""
    files = {
        "s.yaml": "stack: stack.yaml\ninclude: b.yaml\nparameters: {level: 5}\n",
        "b.yaml": "parameters: {level: 1, share: b}\njobs:\n"
        '  - {name: j, share: "${share}", instances: {ml.g5.xlarge: 1}, duration: 1h, priority: "${level}"}\n',
    }
    scenario = loaded(tmp_path, files).value
    assert scenario is not None
    assert (scenario.jobs[0].priority, scenario.jobs[0].share) == (5, "b")


def test_an_included_file_may_bring_the_history_and_the_capacity(tmp_path: Path) -> None:
    """Jobs and instances that are left out without a word make another queue of it. A file's path is its own."""
    replay = "replay: {file: log.csv, share: a, instances: {each: {ml.g5.xlarge: 1}}, submit: at, duration: for}\n"
    window = "{{from: {}, until: {}, instances: 2}}"
    night, noon = window.format("20h", "24h"), window.format("10h", "12h")
    files = {
        "s.yaml": f"stack: stack.yaml\ninclude: [sub/b.yaml, c.yaml]\ncapacity: {{ml.g5.xlarge: [{noon}]}}\n",
        "sub/b.yaml": f"{replay}capacity: {{ml.g5.xlarge: {{base: 1, windows: [{night}]}}}}\n",
        "c.yaml": "jobs:\n" + job("c"),
    }
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "log.csv").write_text("at,for\n0,60\n", encoding="utf-8")
    scenario = loaded(tmp_path, files).value
    assert scenario is not None
    assert scenario.replay is not None
    assert Path(scenario.replay.file) == tmp_path / "sub" / "log.csv"
    [plan] = scenario.capacity
    assert (plan.base, [one.from_ms for one in plan.windows]) == (0, [36_000_000])
    scenario = loaded(tmp_path, {**files, "s.yaml": "stack: stack.yaml\ninclude: sub/b.yaml\n"}).value
    assert scenario is not None
    [plan] = scenario.capacity
    assert (plan.base, [one.from_ms for one in plan.windows]) == (1, [72_000_000])


def test_what_an_included_file_says_of_its_own_run_stays_its_own(tmp_path: Path) -> None:
    """Its stack, its end and its seed belong to the scenario that it is by itself."""
    files = {
        "s.yaml": "stack: stack.yaml\ninclude: b.yaml\nseed: 3\n",
        "b.yaml": "stack: gone.yaml\nuntil: 1h\nseed: 9\nqueue: other\ntiming: {starting: 3m}\njobs:\n" + job("j"),
    }
    found = loaded(tmp_path, files)
    assert found.value is not None, found.diagnostics
    assert (found.value.seed, found.value.until_ms, found.value.timing.starting_ms) == (3, None, 0)


def test_a_workload_whose_file_holds_no_duration_can_not_be_drawn(tmp_path: Path) -> None:
    """An empty export would else make jobs that end as they begin."""
    (tmp_path / "d.csv").write_text("duration\n\n# none\n", encoding="utf-8")
    text = (
        "stack: stack.yaml\nworkloads:\n  - {name: w, share: a, arrivals: {every: 1h, jobs: 2}, "
        "instances: {ml.g5.xlarge: 1}, duration: {empirical: d.csv}}\n"
    )
    found = loaded(tmp_path, {"s.yaml": text})
    assert found.value is None
    assert [(one.rule, one.message) for one in found.diagnostics] == [("QE518", "the file holds no duration")]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1h\r\n30m\r\n", [30 * MINUTE, HOUR]),
        ("job,duration_ms\na,250\n", [250]),
        ('"duration_s"\n"1.5"\n', [1_500]),
        ("user,Duration\nx,2d\n", [48 * HOUR]),
        ("1h", [HOUR]),
    ],
)
def test_a_file_of_durations_is_read_with_or_without_a_header(tmp_path: Path, text: str, values: list[int]) -> None:
    """Exports of history come in seconds, in milliseconds, or as people write durations."""
    (tmp_path / "d.csv").write_bytes(text.encode())
    workload = (
        "stack: stack.yaml\nworkloads:\n  - {name: w, share: a, arrivals: {every: 1h, jobs: 2}, "
        "instances: {ml.g5.xlarge: 1}, duration: {empirical: d.csv}}\n"
    )
    scenario = loaded(tmp_path, {"s.yaml": workload}).value
    assert scenario is not None
    assert scenario.workloads[0].duration == Empirical(tuple(values), "d.csv")


@pytest.mark.parametrize(
    "text", ["a,b\n1,2\n", "duration_s\n-4\n", "duration_s\nnan\n", "duration_s\n1e3\n", "x\n" * 40]
)
def test_a_file_of_no_durations_says_where(tmp_path: Path, text: str) -> None:
    """Each bad line, up to twenty, with its number."""
    (tmp_path / "d.csv").write_text(text, encoding="utf-8")
    workload = (
        "stack: stack.yaml\nworkloads:\n  - {name: w, share: a, arrivals: {every: 1h, jobs: 2}, "
        "instances: {ml.g5.xlarge: 1}, duration: {empirical: d.csv}}\n"
    )
    found = loaded(tmp_path, {"s.yaml": workload})
    assert found.value is None
    assert {one.rule for one in found.diagnostics} <= {"QE518", "QE116"}
    assert all(one.span is not None and one.span.file.endswith("d.csv") for one in found.diagnostics)
    assert len(found.diagnostics) <= 21


def test_a_scenario_of_many_workloads_is_read_in_bounded_time(tmp_path: Path) -> None:
    """Thousands of entries and names must not make a check quadratic."""
    entries = "".join(
        f"  - {{name: w{i}, share: a, arrivals: {{every: 1h, jobs: 2}}, instances: {{ml.g5.xlarge: 1}}}}\n"
        for i in range(3_000)
    )
    path = tmp_path / "s.yaml"
    found = loaded(tmp_path, {"s.yaml": f"stack: stack.yaml\nuntil: 1d\nworkloads:\n{entries}"})
    assert found.value is not None
    assert len(found.value.workloads) == 3_000
    assert load_document(path).value == found.value


def test_a_number_with_too_many_digits_is_said_to_be_too_large(tmp_path: Path) -> None:
    """To write it in decimal digits, as it stands, is no fix; nor may `validate --fix` write it again."""
    [found] = loaded(tmp_path, {"s.yaml": "stack: stack.yaml\nseed: 99999999999999999999\n"}).diagnostics
    assert "has more than 18 digits" in found.message
    assert (found.fix, found.replacement) == ("write a smaller number", None)
