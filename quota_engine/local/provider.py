"""A Pulumi provider of our own for the four Batch types, where the official aws-native plugin can't be had.

It speaks gRPC to the engine and Cloud Control to the service, keeps no state, and follows the official provider in what
it calls a difference. The engine attaches to it with PULUMI_DEBUG_PROVIDERS=aws-native:PORT. One server serves every
provider instance of a deployment, so the endpoint it was started with wins over what an instance's state remembers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from concurrent import futures
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any, NoReturn

import grpc
from google.protobuf import empty_pb2, json_format, struct_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

from quota_engine.model.shapes import from_cloudformation, to_cloudformation

from .cloudcontrol import CloudControl, CloudControlError, Connection, account_of
from .properties import (
    TYPES,
    Kind,
    ResourceType,
    compare,
    patch,
    preview_state,
    refreshed_inputs,
    whole_numbers,
    without_nulls,
)

_SECRET_KEY = "local"  # noqa: S105 - the emulator checks no signature
_CONFIG = "aws-native:config:"
_WORKERS = 32
_MESSAGE_BYTES_MAX = 400 * 1024 * 1024
"""Pulumi's own bound on a message between engine and provider."""

_KINDS = {
    (Kind.ADD, False): provider_pb2.PropertyDiff.ADD,
    (Kind.ADD, True): provider_pb2.PropertyDiff.ADD_REPLACE,
    (Kind.DELETE, False): provider_pb2.PropertyDiff.DELETE,
    (Kind.DELETE, True): provider_pb2.PropertyDiff.DELETE_REPLACE,
    (Kind.UPDATE, False): provider_pb2.PropertyDiff.UPDATE,
    (Kind.UPDATE, True): provider_pb2.PropertyDiff.UPDATE_REPLACE,
}


@contextmanager
def serving(endpoint: str, account: str) -> Iterator[int]:
    """Serve the provider on a loopback port of the system's choice; yields the port.

    It works on the emulator at `endpoint`, as `account` unless the stack's settings name keys.
    """
    limits = [("grpc.max_receive_message_length", _MESSAGE_BYTES_MAX), ("grpc.max_send_message_length", -1)]
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=_WORKERS), options=limits)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(BatchProvider(endpoint, account), server)
    port: int = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield port
    finally:
        server.stop(grace=None).wait()


class BatchProvider(provider_pb2_grpc.ResourceProviderServicer):
    """The provider's calls, in the order in which a deployment makes them."""

    def __init__(self, endpoint: str, account: str) -> None:
        self._endpoint, self._account = endpoint, account
        self._control: CloudControl | None = None

    def Handshake(self, request: Any, context: grpc.ServicerContext) -> Any:
        return provider_pb2.ProviderHandshakeResponse()

    def Attach(self, request: Any, context: grpc.ServicerContext) -> Any:
        return empty_pb2.Empty()

    def GetPluginInfo(self, request: Any, context: grpc.ServicerContext) -> Any:
        """Answer with the SDK's version: the engine compares the two, and warns of an older provider."""
        return plugin_pb2.PluginInfo(version=version("pulumi-aws-native"))

    def GetSchema(self, request: Any, context: grpc.ServicerContext) -> Any:
        return provider_pb2.GetSchemaResponse(
            schema=json.dumps({"name": "aws-native", "version": version("pulumi-aws-native")})
        )

    def CheckConfig(self, request: Any, context: grpc.ServicerContext) -> Any:
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: Any, context: grpc.ServicerContext) -> Any:
        """Only another region makes the old resources unreachable; keys and endpoints may change freely."""
        old, new = _plain(request.old_inputs), _plain(request.news)
        names = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
        return provider_pb2.DiffResponse(
            changes=provider_pb2.DiffResponse.DIFF_SOME if names else provider_pb2.DiffResponse.DIFF_NONE,
            diffs=names,
            replaces=[name for name in names if name == "region"],
        )

    def Configure(self, request: Any, context: grpc.ServicerContext) -> Any:
        variables = {name.removeprefix(_CONFIG): value for name, value in request.variables.items()}
        connection = _connection(variables, self._endpoint, self._account)
        try:
            _check_account(connection, variables)
        except CloudControlError as error:
            _refuse(context, str(error))
        self._control = CloudControl(connection)
        return provider_pb2.ConfigureResponse(supportsPreview=True)

    def Invoke(self, request: Any, context: grpc.ServicerContext) -> Any:
        _refuse(context, f"this provider has no functions, so not {request.tok} either; use the aws-native plugin")

    def Check(self, request: Any, context: grpc.ServicerContext) -> Any:
        resource = _type_of(request.urn, context)
        inputs = without_nulls(_plain(request.news))
        if inputs.get("tags") == {}:
            del inputs["tags"]  # an empty map is outside the API's range and means the same
        if resource.name not in inputs:
            reason = f"a {resource.kind} needs an explicit {resource.name} here: this provider invents no names"
            return provider_pb2.CheckResponse(
                failures=[provider_pb2.CheckFailure(property=resource.name, reason=reason)]
            )
        return provider_pb2.CheckResponse(inputs=_struct(inputs))

    def Diff(self, request: Any, context: grpc.ServicerContext) -> Any:
        resource = _type_of(request.urn, context)
        changes = compare(resource, _plain(request.old_inputs), _plain(request.news))
        for ignored in request.ignoreChanges:
            changes.pop(ignored, None)
        replaces = [name for name in changes if name in resource.create_only]
        return provider_pb2.DiffResponse(
            changes=provider_pb2.DiffResponse.DIFF_SOME if changes else provider_pb2.DiffResponse.DIFF_NONE,
            diffs=list(changes),
            replaces=replaces,
            deleteBeforeReplace=True,
            hasDetailedDiff=True,
            detailedDiff={
                name: provider_pb2.PropertyDiff(kind=_KINDS[kind, name in replaces], inputDiff=True)
                for name, kind in changes.items()
            },
        )

    def Create(self, request: Any, context: grpc.ServicerContext) -> Any:
        resource = _type_of(request.urn, context)
        inputs = _plain(request.properties)
        if request.preview:
            return provider_pb2.CreateResponse(properties=_struct(preview_state(resource, inputs, None)))
        with _service_errors(context):
            identifier, properties = self._service.create(resource.cloudformation, _to_cfn(resource, inputs))
        return provider_pb2.CreateResponse(id=identifier, properties=_struct(from_cloudformation(properties)))

    def Read(self, request: Any, context: grpc.ServicerContext) -> Any:
        """Read one resource; an empty answer says that it is gone."""
        resource = _type_of(request.urn, context)
        with _service_errors(context):
            properties = self._service.read(resource.cloudformation, request.id)
        if properties is None:
            return provider_pb2.ReadResponse()
        state = without_nulls(from_cloudformation(properties))
        inputs = refreshed_inputs(resource, _plain(request.inputs), _plain(request.properties), state)
        return provider_pb2.ReadResponse(id=request.id, properties=_struct(state), inputs=_struct(inputs))

    def Update(self, request: Any, context: grpc.ServicerContext) -> Any:
        resource = _type_of(request.urn, context)
        inputs = _plain(request.news)
        if request.preview:
            return provider_pb2.UpdateResponse(
                properties=_struct(preview_state(resource, inputs, _plain(request.olds)))
            )
        operations = patch(compare(resource, _plain(request.old_inputs), inputs), _to_cfn(resource, inputs))
        with _service_errors(context):
            properties = self._service.update(resource.cloudformation, request.id, operations)
        return provider_pb2.UpdateResponse(properties=_struct(from_cloudformation(properties)))

    def Delete(self, request: Any, context: grpc.ServicerContext) -> Any:
        resource = _type_of(request.urn, context)
        with _service_errors(context):
            self._service.delete(resource.cloudformation, request.id)
        return empty_pb2.Empty()

    def Cancel(self, request: Any, context: grpc.ServicerContext) -> Any:
        return empty_pb2.Empty()

    @property
    def _service(self) -> CloudControl:
        if self._control is None:
            raise CloudControlError("Configure", "NotConfigured", "the engine has not configured this provider")
        return self._control


def _connection(variables: Mapping[str, str], endpoint: str, account: str) -> Connection:
    return Connection(
        endpoint=endpoint,
        region=variables.get("region", ""),
        access_key=variables.get("accessKey", account),
        secret_key=variables.get("secretKey", _SECRET_KEY),
        token=variables.get("token"),
    )


def _check_account(connection: Connection, variables: Mapping[str, str]) -> None:
    """Refuse an account that allowedAccountIds doesn't list, as the official provider does, unless told to skip it."""
    allowed = json.loads(variables.get("allowedAccountIds", "[]"))
    if not allowed or variables.get("skipCredentialsValidation") == "true":
        return
    account = account_of(connection)
    if account not in allowed:
        raise CloudControlError("Configure", "AccountNotAllowed", f"account ID not allowed ({account})")


def _type_of(urn: str, context: grpc.ServicerContext) -> ResourceType:
    """Return the type named in a URN: urn:pulumi:STACK::PROJECT::PARENT$TYPE::NAME."""
    token = urn.split("::")[2].split("$")[-1]
    if token not in TYPES:
        _refuse(context, f"this provider knows {', '.join(sorted(TYPES))}, not {token}; use the aws-native plugin")
    return TYPES[token]


def _refuse(context: grpc.ServicerContext, message: str) -> NoReturn:
    context.abort(grpc.StatusCode.UNKNOWN, message)
    raise AssertionError("abort raises")


@contextmanager
def _service_errors(context: grpc.ServicerContext) -> Iterator[None]:
    """Hand the service's own words on to the engine, which shows them beside the resource."""
    try:
        yield
    except CloudControlError as error:
        _refuse(context, str(error))


def _to_cfn(resource: ResourceType, inputs: Mapping[str, Any]) -> dict[str, Any]:
    return to_cloudformation(resource.kind, inputs)


def _plain(struct: struct_pb2.Struct) -> dict[str, Any]:
    plain: dict[str, Any] = whole_numbers(json_format.MessageToDict(struct))
    return plain


def _struct(properties: Mapping[str, Any]) -> struct_pb2.Struct:
    struct = struct_pb2.Struct()
    struct.update(dict(properties))
    return struct
