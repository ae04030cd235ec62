"""botocore's service models, loaded once: the truth about routes, shapes and errors of Batch, Cloud Control and STS."""

from __future__ import annotations

import functools
from typing import Any

from botocore.loaders import Loader
from botocore.model import OperationModel, ServiceModel

_LOADER = Loader(include_default_search_paths=True)


@functools.cache
def service_model(service: str) -> ServiceModel:
    """Return the model of `batch`, `cloudcontrol` or `sts`, with its newest API version."""
    return ServiceModel(_LOADER.load_service_model(service, "service-2"), service)


@functools.cache
def operation_model(service: str, operation: str) -> OperationModel:
    """Return one operation's model."""
    return service_model(service).operation_model(operation)


@functools.cache
def known_instance_types() -> frozenset[str]:
    """Return the instance types SageMaker trains on (a third of a second the first time: it is the largest model)."""
    model: dict[str, Any] = _LOADER.load_service_model("sagemaker", "service-2")
    return frozenset(model["shapes"]["TrainingInstanceType"]["enum"])
