"""The built-in provider as the engine calls it: over gRPC, against a real emulator, without an engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.protobuf import empty_pb2, json_format, struct_pb2
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from quota_engine.local.provider import serving

ACCOUNT = "123456789012"
POLICY = (
    "urn:pulumi:dev::quota-engine::quota-engine:batch:QuotaManagedStack$aws-native:batch:SchedulingPolicy::quota-fifo"
)
POLICY_INPUTS = {"name": "quota-fifo", "quotaSharePolicy": {"idleResourceAssignmentStrategy": "FIFO"}}


@pytest.fixture
def stub(endpoint: str) -> Iterator[Any]:
    with serving(endpoint, ACCOUNT) as port, grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield provider_pb2_grpc.ResourceProviderStub(channel)


def struct(properties: dict[str, Any]) -> struct_pb2.Struct:
    found = struct_pb2.Struct()
    found.update(properties)
    return found


def configure(stub: Any, **settings: str) -> Any:
    variables = {f"aws-native:config:{name}": value for name, value in {"region": "us-west-2", **settings}.items()}
    return stub.Configure(provider_pb2.ConfigureRequest(variables=variables))


def create(stub: Any) -> Any:
    return stub.Create(provider_pb2.CreateRequest(urn=POLICY, properties=struct(POLICY_INPUTS)))


def test_a_life_of_a_resource(stub: Any) -> None:
    """Create, read, delete, read again: gone reads as an empty answer, and deleting what is gone is fine."""
    configure(stub)
    made = create(stub)
    assert made.id == "arn:aws:batch:us-west-2:123456789012:scheduling-policy/quota-fifo"
    assert json_format.MessageToDict(made.properties) == {**POLICY_INPUTS, "arn": made.id}
    read = stub.Read(
        provider_pb2.ReadRequest(urn=POLICY, id=made.id, inputs=struct(POLICY_INPUTS), properties=made.properties)
    )
    assert json_format.MessageToDict(read.inputs) == POLICY_INPUTS
    for _ in range(2):
        stub.Delete(provider_pb2.DeleteRequest(urn=POLICY, id=made.id, properties=made.properties))
    assert stub.Read(provider_pb2.ReadRequest(urn=POLICY, id=made.id)).id == ""


def test_a_preview_calls_no_service(stub: Any) -> None:
    """A preview must work before the provider could do anything, and must do nothing."""
    request = provider_pb2.CreateRequest(urn=POLICY, properties=struct(POLICY_INPUTS), preview=True)
    assert stub.Create(request).id == ""


def test_the_services_own_words_reach_the_engine(stub: Any) -> None:
    """They are what the user can look up; ours would hide them."""
    configure(stub)
    create(stub)
    with pytest.raises(grpc.RpcError) as caught:
        create(stub)
    assert "AlreadyExists" in caught.value.details()


def test_an_account_that_is_not_allowed_is_refused(stub: Any) -> None:
    """The program lets it refuse every account but the declared one; the keys say which account this is."""
    with pytest.raises(grpc.RpcError, match="not allowed") as caught:
        configure(stub, allowedAccountIds=json.dumps([ACCOUNT]), accessKey="210987654321")
    assert "210987654321" in caught.value.details()
    configure(stub, allowedAccountIds=json.dumps([ACCOUNT]), accessKey=ACCOUNT)


def test_other_types_and_functions_are_refused_and_the_official_plugin_named(stub: Any) -> None:
    """Whoever writes a larger program on the emulator has to know what is missing."""
    urn = "urn:pulumi:dev::quota-engine::aws-native:s3:Bucket::logs"
    with pytest.raises(grpc.RpcError, match="aws-native plugin"):
        stub.Check(provider_pb2.CheckRequest(urn=urn))
    with pytest.raises(grpc.RpcError, match="aws-native plugin"):
        stub.Invoke(provider_pb2.InvokeRequest(tok="aws-native:index:getAzs"))


def test_a_resource_without_a_name_is_refused(stub: Any) -> None:
    """The official provider would invent one; drift and simulation know resources by their names."""
    answer = stub.Check(provider_pb2.CheckRequest(urn=POLICY, news=struct({})))
    assert [failure.property for failure in answer.failures] == ["name"]


def test_a_changed_name_is_a_replacement_that_deletes_first(stub: Any) -> None:
    """Names are create-only."""
    answer = stub.Diff(
        provider_pb2.DiffRequest(
            urn=POLICY, old_inputs=struct(POLICY_INPUTS), news=struct({**POLICY_INPUTS, "name": "other"})
        )
    )
    assert (list(answer.replaces), answer.deleteBeforeReplace) == (["name"], True)
    assert answer.detailedDiff["name"].kind == provider_pb2.PropertyDiff.UPDATE_REPLACE


def test_another_region_replaces_the_provider_and_other_keys_do_not(stub: Any) -> None:
    """A provider that is replaced replaces all its resources: right for a region, a disaster for rotated keys."""

    def replaces(**changes: str) -> list[str]:
        old = {"region": "us-west-2", "endpoints": "{}"}
        request = provider_pb2.DiffRequest(old_inputs=struct(old), news=struct({**old, **changes}))
        return list(stub.DiffConfig(request).replaces)

    assert replaces(region="eu-west-1") == ["region"]
    assert replaces(endpoints='{"cloudcontrol": "x"}', accessKey="y") == []


def test_the_provider_reports_the_sdks_version(stub: Any) -> None:
    """With an older one the engine warns of a wrong plugin on every deployment."""
    from importlib.metadata import version

    assert stub.GetPluginInfo(empty_pb2.Empty()).version == version("pulumi-aws-native")
