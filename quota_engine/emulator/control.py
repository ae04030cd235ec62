"""The emulator's own routes: its clock, what it holds, its trace, injected faults, and the page at /.

They are for tests and for people, never for AWS clients, and speak plain JSON. Account and region are those of the
request's query (`?account=…&region=…`) or signature, else the only ones in use, else the emulator's defaults.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from quota_engine import __version__

from ..model.arns import Scope
from ..model.durations import LONGEST_MS, parse_duration
from ..scheduler.snapshot import total_usage
from ..scheduler.trace import TraceEvent, members_of
from .call import Call
from .clock import ManualClock
from .faults import read_fault
from .operations.jobviews import describe
from .operations.queues import existing_queue, queue_detail
from .operations.shares import share_detail
from .page import SECURITY_HEADERS, page_html
from .perform import note_clock, strike_job
from .refusal import Refusal
from .store import Kind, Region, World
from .view import view
from .wire.answer import parse_json
from .wire.credential import scope_of


class BadRequest(Exception):
    """A request to the emulator itself that can't be carried out; the text says why."""


def control_app(world: World) -> Starlette:
    """Return the application behind /_emulator/ and /."""

    def route(path: str, method: str, work: Callable[[World, Request, Any], Any]) -> Route:
        async def endpoint(request: Request) -> Response:
            try:
                return JSONResponse(work(world, request, await _json(request)))
            except BadRequest as error:
                return JSONResponse({"message": str(error)}, 400)
            except Refusal as refusal:
                return JSONResponse({"message": refusal.text}, refusal.status)

        return Route(path, endpoint, methods=[method])

    async def page(_request: Request) -> Response:
        return HTMLResponse(page_html(), headers=SECURITY_HEADERS)

    return Starlette(
        routes=[
            Route("/", page),
            route("/_emulator/info", "GET", info),
            route("/_emulator/clock", "GET", clock),
            route("/_emulator/clock", "POST", move_clock),
            route("/_emulator/trace", "GET", trace),
            route("/_emulator/dump", "GET", dump),
            route("/_emulator/view", "GET", lambda world, _request, _body: view(world)),
            route("/_emulator/faults", "GET", faults),
            route("/_emulator/faults", "POST", inject),
            route("/_emulator/faults", "DELETE", forget_faults),
        ]
    )


async def _json(request: Request) -> Any:
    """Return the body as an object, empty for none. Raises BadRequest."""
    body = await request.body()
    if not body.strip():
        return {}
    try:
        value = parse_json(body)
    except Refusal as refusal:
        raise BadRequest(refusal.text) from None
    if not isinstance(value, dict):
        raise BadRequest("the body must be a JSON object")
    return value


def info(world: World, _request: Request, _body: Any) -> Any:
    """Say which emulator this is: `instance` is new for every life."""
    settings = world.settings
    return {
        "instance": world.instance,
        "version": __version__,
        "account": settings.only_account or settings.account,
        "region": settings.only_region or settings.region,
        "clock": world.clock.kind,
        "now_ms": world.tick(),
    }


def clock(world: World, _request: Request, _body: Any) -> Any:
    return {"clock": world.clock.kind, "now_ms": world.tick()}


def move_clock(world: World, _request: Request, body: Any) -> Any:
    """Move the manual clock by `advance_ms` or `advance` (10m), or to `set_ms`, and let everything due happen."""
    if not isinstance(world.clock, ManualClock):
        raise BadRequest("this emulator's clock runs by itself; start it with --clock manual to move it")
    now_ms = world.tick()
    try:
        world.clock.set_ms(_target_ms(body, now_ms))
    except ValueError as error:
        raise BadRequest(str(error)) from None
    world.settle()
    note_clock(world)
    return clock(world, _request, body)


def _target_ms(body: dict[str, Any], now_ms: int) -> int:
    if len(body) != 1:
        raise BadRequest('give one of {"advance_ms": 1000}, {"advance": "10m"} and {"set_ms": 1767225600000}')
    ((name, value),) = body.items()
    if name == "advance" and isinstance(value, str):
        by_ms = parse_duration(value)
        if by_ms is None:
            raise BadRequest(f"{value!r} is not a duration such as 30s, 10m or 1h30m")
        return now_ms + by_ms
    if name not in ("advance_ms", "set_ms") or not isinstance(value, int) or isinstance(value, bool):
        raise BadRequest(f"{name} can't be {json.dumps(value)}; times are whole milliseconds")
    target_ms = now_ms + value if name == "advance_ms" else value
    if target_ms > now_ms + LONGEST_MS:
        raise BadRequest("the clock can't move more than a hundred years at once")
    return target_ms


def _scope(world: World, request: Request) -> Scope:
    """Return the account and region a request is about. Without a word about it, the only ones in use."""
    authorization, asked = request.headers.get("authorization"), request.query_params
    if authorization is None and not asked.keys() & {"account", "region"} and len(world.regions) == 1:
        return next(iter(world.regions))
    signed = scope_of(authorization, world.settings)
    return Scope(asked.get("account", signed.account), asked.get("region", signed.region))


def _region(world: World, request: Request) -> Region:
    return world.region(_scope(world, request))


def trace(world: World, request: Request, _body: Any) -> Any:
    """Return the scheduler's events of a queue, oldest first: `event` names the type, `job_name` says it in words."""
    queue = request.query_params.get("queue")
    if queue is None:
        raise BadRequest("name a queue: /_emulator/trace?queue=NAME")
    call = Call(world, _region(world, request), world.tick())
    driver = call.region.drivers[existing_queue(call, queue, "queue-not-found").name]
    driver.advance_to(call.at_ms)
    return {"now_ms": call.at_ms, "events": [_event(call.region, event) for event in driver.trace]}


def _event(region: Region, event: TraceEvent) -> dict[str, Any]:
    """Return an event as JSON, with the names of the jobs it speaks of beside their ids."""
    shown: dict[str, Any] = {"event": type(event).__name__, **members_of(event)}
    for member in ("job", "by"):
        entry = region.jobs.get(shown.get(member, ""))
        if entry:
            shown[f"{member}_name"] = entry.request["jobName"]
    victims = [region.jobs[job].request["jobName"] for job in shown.get("victims", ()) if job in region.jobs]
    return {**shown, "victim_names": victims} if "victims" in shown else shown


def dump(world: World, _request: Request, _body: Any) -> Any:
    """Return everything the emulator holds, per account and region that has anything; deleted resources are not in it.

    `resources` and `unfinished_jobs` count what a teardown should have left none of.
    """
    world.settle()
    at_ms = world.tick()
    regions = [(scope, region) for scope, region in world.regions.items() if not region.is_empty]
    jobs = [job for _, region in regions for job in region.jobs.values()]
    return {
        "now_ms": at_ms,
        "instance": world.instance,
        "resources": sum(len(held) for _, region in regions for held in region.resources.values()),
        "unfinished_jobs": sum(not job.driver.state.jobs[job.job_id].is_finished for job in jobs),
        "regions": [
            {"account": scope.account, "region": scope.region, **_held(Call(world, region, at_ms))}
            for scope, region in regions
        ],
    }


def _held(call: Call) -> dict[str, Any]:
    region = call.region
    jobs = [
        describe(entry, entry.driver.record(entry.job_id, call.at_ms), region.scope) for entry in region.jobs.values()
    ]
    return {
        "scheduling_policies": [policy.detail for policy in region.all_of(Kind.POLICY)],
        "service_environments": [
            {**found.detail, "status": found.status_at(call.at_ms)} for found in region.all_of(Kind.ENVIRONMENT)
        ],
        "job_queues": [queue_detail(call, queue) for queue in region.all_of(Kind.QUEUE)],
        "quota_shares": [share_detail(call, share) for share in region.all_of(Kind.SHARE)],
        "jobs": jobs,
        "running": {name: total_usage(driver.state) for name, driver in region.drivers.items()},
    }


def faults(world: World, _request: Request, _body: Any) -> Any:
    return {"faults": [fault.shown() for fault in world.faults.faults]}


def inject(world: World, request: Request, body: Any) -> Any:
    """Arrange for a fault: of the next calls of an operation, or of one job now.

    `{"operation": …, "kind": "throttle" | "fail", "count": 1}`, `{"job": id, "capacity_error": true}`,
    `{"job": id, "lost_instance": true}` or `{"job": id, "fail": "reason"}`.
    """
    try:
        if "job" in body:
            return strike_job(world, body)
        world.faults.faults.append(read_fault(body))
    except ValueError as error:
        raise BadRequest(str(error)) from None
    return faults(world, request, body)


def forget_faults(world: World, request: Request, body: Any) -> Any:
    world.faults.faults.clear()
    return faults(world, request, body)
