"""What deploying a declaration now would do to the jobs that are live. Pure: values in, values out.

`forecast(stack, observed, jobs)` is what others call: the commands, and the Pulumi program as a gate.
"""

from .predict import forecast
from .result import (
    DEFAULT_WITHIN_MS,
    DurationBasis,
    Forecast,
    Hit,
    HitKind,
    QueueForecast,
    Room,
    RoomChange,
    Start,
)

__all__ = [
    "DEFAULT_WITHIN_MS",
    "DurationBasis",
    "Forecast",
    "Hit",
    "HitKind",
    "QueueForecast",
    "Room",
    "RoomChange",
    "Start",
    "forecast",
]
