"""What a calibration says, in sentences and table cells that its text and its Markdown share."""

from __future__ import annotations

from collections.abc import Iterator

from ..calibrate import Alternative, Calibration, Decision, DecisionKind, Judgement, Score, ShareError
from .times import clock, rough
from .visible import counted

DECISIONS_SHOWN = 10
HEADER = ("share", "starts", "predicted", "preemptions", "predicted", "spurious", "mean error of starts")


def headline(found: Calibration) -> str:
    told = found.score
    spurious = f", and made {counted(told.spurious, 'other')}" if told.spurious else ""
    return (
        f"The model predicted {told.predicted} of {counted(told.recorded, 'recorded decision')}{spurious}: "
        f"{percent(told.ratio)} within {rough(found.tolerance_ms)}"
    )


def percent(ratio: float) -> str:
    """Return a ratio in percent; 100 only where it is whole."""
    return "100 %" if ratio >= 1 else f"{min(99.9, ratio * 100):.1f} %"


def subject(found: Calibration) -> str:
    """Say what was compared."""
    record = found.record
    last_ms = max((course.ended_ms or course.created_ms) for course in record.courses)
    span = rough(last_ms - record.courses[0].created_ms)
    timing = found.timing
    steps = {"SCHEDULED": timing.scheduled_ms, "STARTING": timing.starting_ms, "stopping": timing.stopping_ms}
    medians = ", ".join(f"{step} {rough(took_ms)}" for step, took_ms in steps.items())
    return f"{counted(len(record.courses), 'job')} of job queue {record.queue} over {span}; its medians: {medians}"


def row(error: ShareError) -> tuple[str, ...]:
    mean = "-" if error.mean_error_ms is None else rough(error.mean_error_ms)
    counts = (error.starts, error.starts_predicted, error.preemptions, error.preemptions_predicted, error.spurious)
    return (error.share, *map(str, counts), mean)


def wrong(found: Calibration) -> list[Decision]:
    """Return the decisions that were not predicted, in order of time."""
    missed = [one for one in found.found if one.judgement is not Judgement.PREDICTED]
    return sorted(missed, key=lambda one: (_time(one), one.job_id, one.kind))


def _time(one: Decision) -> int:
    return one.recorded_at_ms if one.recorded_at_ms is not None else one.predicted_at_ms or 0


def sentence(one: Decision) -> str:
    """Say of one decision what was recorded and what the model made of it."""
    verb = "started" if one.kind is DecisionKind.START else "preempted"
    made = f"at {clock(one.predicted_at_ms)}" if one.predicted_at_ms is not None else "never"
    if one.judgement is Judgement.SPURIOUS:
        return f"{one.job_name} ({one.share}) was not {verb}, in the model {made}"
    told = f"at {clock(one.recorded_at_ms)}" if one.recorded_at_ms is not None else "at a time not told"
    return f"{one.job_name} ({one.share}) was {verb} {told}, in the model {made}"


def explanation(found: Calibration) -> Iterator[str]:
    """Yield what the record says about the assumptions."""
    if found.adopted:
        names = " and ".join(name(one) for one in found.adopted)
        yield f"With {names} the model predicts {found.best.predicted} of {found.best.recorded}, {_rest(found.best)}."
        first = found.adopted[0]
        equal = [one for one in found.better if one.score == first.score and one is not first and not _is(one, first)]
        if equal:
            yield f"As well as {name(first)} alone: {', '.join(map(name, equal))}."
    elif found.score.wrong:
        yield "No other value of an assumption predicts more; the model, the declaration or the record lacks something."
    else:
        yield "Nothing is left to explain."
    if found.worse:
        yield f"The record speaks against {', '.join(map(name, found.worse))}."
    if found.same:
        switches = dict.fromkeys(f"{one.number} {one.switch}" for one in found.same)
        yield f"It can't tell about {', '.join(switches)}: some other value would predict just as much."


def name(one: Alternative) -> str:
    return f"{one.number} {one.switch} = {one.value}"


def _is(one: Alternative, other: Alternative) -> bool:
    return (one.switch, one.value) == (other.switch, other.value)


def _rest(score: Score) -> str:
    return f"and makes {counted(score.spurious, 'other')}" if score.spurious else "and makes no others"


def bad_lines(found: Calibration) -> Iterator[str]:
    bad = found.record.bad
    if bad:
        yield f"{counted(len(bad), 'line')} could not be used; the first: line {bad[0].line}: {bad[0].reason}"
