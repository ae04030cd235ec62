"""How fast the emulator answers, with an empty queue and with 100,000 jobs in it, and moto's server beside it.

    python benchmarks/emulator.py [--jobs 100000] [--calls 3000] [--moto PYTHON]

Each server is a process of its own, the load another: raw keep-alive connections, each sending its next request when it
has the whole answer, as boto3 itself tops out near 1,500 calls a second. PYTHON is an interpreter with `moto[server]`;
moto gets its nearest calls (SubmitJob, DescribeJobs, ListJobs; `use_docker: false`) on a queue with few jobs, since
with many it would take all day. Prints a Markdown table, the start-up time and the memory.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvloop

UNIT = "ml.g5.xlarge"
QUEUE = "training"
SHARES = 10
SIGNATURE = "AWS4-HMAC-SHA256 Credential=123456789012/20260101/us-west-2/batch/aws4_request"
PAYLOAD = json.dumps({"TrainingJobName": "train", "ResourceConfig": {"InstanceType": UNIT, "InstanceCount": 1}})
CLIENTS = (1, 32)
FIRST_ANSWER_MAX_S = 60


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run of calls took."""

    calls_per_s: float
    p50_ms: float
    p99_ms: float

    @property
    def cells(self) -> str:
        return f"{self.calls_per_s:,.0f} | {self.p50_ms:.2f} | {self.p99_ms:.2f}"


class Client(asyncio.Protocol):
    """One connection that sends request after request; `next_request` returns None when there are no more.

    A server that closes the connection after an answer (moto's does) is connected to again.
    """

    def __init__(self, load: Load) -> None:
        self.load = load
        self.buffer = b""
        self.transport: Any = None
        self.sent_at = 0.0

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.send()

    def send(self) -> None:
        request = self.load.next_request()
        if request is None:
            self.transport.close()
            self.load.client_done()
            return
        self.buffer = b""
        self.sent_at = time.perf_counter()
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, separator, body = self.buffer.partition(b"\r\n\r\n")
        if not separator:
            return
        lower = head.lower()
        length = int(lower.split(b"content-length:", 1)[1].split(b"\r\n", 1)[0])
        if len(body) < length:
            return
        self.load.latencies_s.append(time.perf_counter() - self.sent_at)
        if not head.startswith((b"HTTP/1.1 200", b"HTTP/1.0 200")):
            raise SystemExit(f"a call failed: {head.splitlines()[0].decode()} {body[:300].decode()}")
        self.load.last_body = body
        if b"connection: close" in lower or head.startswith(b"HTTP/1.0"):
            self.transport.close()
            self.load.connect()
        else:
            self.send()


class Load:
    """`calls` requests over `clients` connections at once, each closed-loop."""

    def __init__(self, port: int, make_request: Callable[[], bytes], clients: int, calls: int) -> None:
        self.port = port
        self.make_request = make_request
        self.clients = clients
        self.left = calls
        self.latencies_s: list[float] = []
        self.last_body = b""
        self.ended = asyncio.Event()
        self.tasks: set[asyncio.Task[Any]] = set()

    def next_request(self) -> bytes | None:
        if self.left == 0:
            return None
        self.left -= 1
        return self.make_request()

    def client_done(self) -> None:
        self.clients -= 1
        if self.clients == 0:
            self.ended.set()

    def connect(self) -> None:
        task = asyncio.ensure_future(
            asyncio.get_running_loop().create_connection(lambda: Client(self), "127.0.0.1", self.port)
        )
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def run(self) -> Measured:
        started = time.perf_counter()
        for _ in range(self.clients):
            self.connect()
        await self.ended.wait()
        seconds = time.perf_counter() - started
        ordered = sorted(self.latencies_s)
        return Measured(
            len(ordered) / seconds, ordered[len(ordered) // 2] * 1000, ordered[len(ordered) * 99 // 100] * 1000
        )


def measure(port: int, make_request: Callable[[], bytes], clients: int, calls: int) -> Measured:
    async def run() -> Measured:
        return await Load(port, make_request, clients, calls).run()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(run())


def http(port: int, path: str, body: Any) -> bytes:
    """Return a whole request as a client would send it."""
    data = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: {SIGNATURE}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    )
    return head.encode() + data


def post(port: int, path: str, body: Any) -> Any:
    """Make one call, for the set-up."""
    headers = {"Authorization": SIGNATURE, "Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read() or b"{}")


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@contextmanager
def server(command: list[str], port: int, **environment: str) -> Iterator[tuple[int, float]]:
    """Run a server for the length of the block; yield (process id, seconds until it answered)."""
    started = time.perf_counter()
    process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=-3)
    try:
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/").close()
                break
            except urllib.error.HTTPError:
                break
            except OSError:
                if process.poll() is not None or time.perf_counter() - started > FIRST_ANSWER_MAX_S:
                    raise SystemExit(f"{command[0]} does not answer") from None
                time.sleep(0.005)
        yield process.pid, time.perf_counter() - started
    finally:
        process.terminate()
        process.wait()


def resident_mib(process_id: int) -> int:
    for line in Path(f"/proc/{process_id}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) // 1024
    raise SystemExit("this system does not say how much memory a process uses")


def cpu_s(process_id: int) -> float:
    """Return the CPU time a process has used: what a call costs whatever else the machine does."""
    fields = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def set_up(port: int) -> None:
    """Create a queue of ten shares that lend and borrow, with ten instances in all."""
    call: Callable[[str, Any], Any] = lambda operation, body: post(port, f"/v1/{operation}", body)  # noqa: E731
    policy = call(
        "createschedulingpolicy", {"name": "p", "quotaSharePolicy": {"idleResourceAssignmentStrategy": "FIFO"}}
    )
    capacity = [{"maxCapacity": SHARES, "capacityUnit": UNIT}]
    environment = {"serviceEnvironmentName": "e", "serviceEnvironmentType": "SAGEMAKER_TRAINING"}
    call("createserviceenvironment", {**environment, "capacityLimits": capacity})
    order = [{"order": 1, "serviceEnvironment": "e"}]
    queue = {"jobQueueName": QUEUE, "jobQueueType": "SAGEMAKER_TRAINING", "priority": 1}
    call("createjobqueue", {**queue, "serviceEnvironmentOrder": order, "schedulingPolicyArn": policy["arn"]})
    for number in range(SHARES):
        share: dict[str, Any] = {"quotaShareName": f"s{number}", "jobQueue": QUEUE}
        share |= {"capacityLimits": [{"maxCapacity": 1, "capacityUnit": UNIT}]}
        share |= {"resourceSharingConfiguration": {"strategy": "LEND_AND_BORROW"}}
        call("createquotashare", {**share, "preemptionConfiguration": {"inSharePreemption": "ENABLED"}})


def submission(number: int) -> dict[str, Any]:
    return {
        "jobName": f"job-{number}",
        "jobQueue": QUEUE,
        "quotaShareName": f"s{number % SHARES}",
        "schedulingPriority": number % 7,
        "serviceJobType": "SAGEMAKER_TRAINING",
        "serviceRequestPayload": PAYLOAD,
        "clientToken": f"token-{number}",
    }


def measure_ours(jobs: int, calls: int) -> None:
    port = free_port()
    program = str(Path(sys.executable).with_name("quota-engine"))
    command = [program, "serve", "--port", str(port), "--job-duration", "forever"]
    with server(command, port) as (process_id, start_s):
        set_up(port)
        numbers = itertools.count()
        submit = lambda: http(port, "/v1/submitservicejob", submission(next(numbers)))  # noqa: E731
        known = [post(port, "/v1/submitservicejob", submission(next(numbers)))["jobId"] for _ in range(100)]
        asked = itertools.cycle(known)
        operations: list[tuple[str, Callable[[], bytes]]] = [
            ("SubmitServiceJob", submit),
            ("DescribeServiceJob", lambda: http(port, "/v1/describeservicejob", {"jobId": next(asked)})),
            ("ListServiceJobs", lambda: http(port, "/v1/listservicejobs", {"jobQueue": QUEUE, "maxResults": 100})),
            ("GetJobQueueSnapshot", lambda: http(port, "/v1/getjobqueuesnapshot", {"jobQueue": QUEUE})),
        ]
        measure(port, operations[1][1], 1, 200)  # what is compiled at its first use is compiled now
        _rows("this", "few", process_id, port, operations, calls)
        if jobs:
            before = next(numbers)
            filled = measure(port, submit, 32, jobs - before)
            print(f"<!-- filled with {jobs - before} jobs at {filled.calls_per_s:,.0f} a second -->", flush=True)
            _rows("this", f"{jobs:,}", process_id, port, operations, calls)
        print(f"\nThis emulator: first answer after {start_s:.2f} s, {resident_mib(process_id)} MiB at the end.")


def _rows(
    name: str, jobs: str, process_id: int, port: int, operations: list[tuple[str, Callable[[], bytes]]], calls: int
) -> None:
    for clients in CLIENTS:
        for operation, make_request in operations:
            before_s = cpu_s(process_id)
            found = measure(port, make_request, clients, calls)
            cpu_ms = (cpu_s(process_id) - before_s) / calls * 1000
            print(f"| {name} | {operation} | {jobs} | {clients} | {found.cells} | {cpu_ms:.2f} |", flush=True)


def measure_moto(python: str, calls: int) -> None:
    port = free_port()
    with server([python, "-m", "moto.server", "-p", str(port)], port) as (process_id, start_s):
        post(port, "/moto-api/config", {"batch": {"use_docker": False}})
        trust = urllib.parse.urlencode({"Action": "CreateRole", "RoleName": "r", "AssumeRolePolicyDocument": "{}"})
        signature = {"Authorization": SIGNATURE.replace("/batch/", "/iam/")}
        role = urllib.request.Request(f"http://127.0.0.1:{port}/", trust.encode(), signature)
        urllib.request.urlopen(role).close()
        capacity = {"computeEnvironmentName": "environment", "type": "UNMANAGED", "state": "ENABLED"}
        capacity["serviceRole"] = "arn:aws:iam::123456789012:role/r"
        environment = post(port, "/v1/createcomputeenvironment", capacity)["computeEnvironmentArn"]
        order = [{"order": 1, "computeEnvironment": environment}]
        queue = {"jobQueueName": QUEUE, "state": "ENABLED", "priority": 1, "computeEnvironmentOrder": order}
        post(port, "/v1/createjobqueue", queue)
        container = {"image": "busybox", "vcpus": 1, "memory": 128, "command": ["true"]}
        definition = {"jobDefinitionName": "d", "type": "container", "containerProperties": container}
        post(port, "/v1/registerjobdefinition", definition)
        job = {"jobName": "job", "jobQueue": QUEUE, "jobDefinition": "d"}
        known = post(port, "/v1/submitjob", job)["jobId"]
        operations: list[tuple[str, Callable[[], bytes]]] = [
            ("DescribeJobs", lambda: http(port, "/v1/describejobs", {"jobs": [known]})),
            ("SubmitJob", lambda: http(port, "/v1/submitjob", job)),
        ]
        _rows("moto", "few", process_id, port, operations, calls)
        print(f"\nmoto: first answer after {start_s:.2f} s, {resident_mib(process_id)} MiB at the end.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=100_000, help="jobs in the full queue; 0: skip it")
    parser.add_argument("--calls", type=int, default=3_000, help="calls of each measurement")
    parser.add_argument("--moto", metavar="PYTHON", help="an interpreter that has moto[server]")
    given = parser.parse_args()
    print("| server | operation | jobs | clients | calls/s | p50 ms | p99 ms | CPU ms/call |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    measure_ours(given.jobs, given.calls)
    if given.moto:
        measure_moto(given.moto, min(given.calls, 1_000))


if __name__ == "__main__":
    main()
