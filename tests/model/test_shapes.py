"""What the model says and what the API says are the same thing, in both directions."""

from __future__ import annotations

import botocore.session
from hypothesis import given
from hypothesis import strategies as st

from quota_engine.model import shapes
from quota_engine.model.arns import Scope, name_of, parse_arn, partition_of
from quota_engine.model.stack import (
    JobQueue,
    QuotaShare,
    SchedulingPolicy,
    ServiceEnvironment,
    State,
    Strategy,
    TimeLimitAction,
)

SCOPE = Scope("123456789012", "us-west-2")
names = st.text("abcXYZ019_-", min_size=1, max_size=12)
capacities = st.dictionaries(st.sampled_from(["ml.g5.xlarge", "ml.p5.48xlarge", "ml.m5.large"]), st.integers(1, 99))
tags = st.dictionaries(st.sampled_from(["team", "Cost-Center", "a/b", "tags", "Name"]), st.text(max_size=5))
states = st.sampled_from(State)
shares = st.builds(
    QuotaShare,
    name=names,
    capacity_limits=capacities,
    strategy=st.sampled_from(Strategy),
    borrow_limit_percent=st.sampled_from([None, -1, 0, 50, 200]),
    in_share_preemption=states,
    state=states,
    tags=tags,
)
environments = st.builds(ServiceEnvironment, name=names, capacity_limits=capacities, state=states, tags=tags)
policies = st.builds(SchedulingPolicy, name=names, tags=tags)
actions = st.builds(
    TimeLimitAction, reason=st.sampled_from(["CAPACITY:X", "MISC:Y"]), max_time_seconds=st.integers(600, 86400)
)
queues = st.builds(
    JobQueue,
    name=names,
    service_environments=st.tuples(names),
    scheduling_policy=names,
    priority=st.integers(0, 1000),
    state=states,
    time_limit_actions=st.lists(actions, max_size=2).map(tuple),
    tags=tags,
)


@given(shares)
def test_a_share_survives_the_way_to_the_api_and_back(share: QuotaShare) -> None:
    """A borrow limit of 0, of -1 and none at all stay three different things."""
    request = shapes.share_to_api(share, SCOPE.job_queue("q"))
    assert shapes.share_from_api(request) == share
    assert ("borrowLimit" in request["resourceSharingConfiguration"]) == (share.borrow_limit_percent is not None)


@given(environments, policies, queues)
def test_the_other_resources_survive_it_too(
    environment: ServiceEnvironment, policy: SchedulingPolicy, queue: JobQueue
) -> None:
    """Nothing a declaration states is lost on the way to the API."""
    assert shapes.environment_from_api(shapes.environment_to_api(environment)) == environment
    assert shapes.policy_from_api(shapes.policy_to_api(policy)) == policy
    assert shapes.queue_from_api(shapes.queue_to_api(queue, SCOPE)) == queue


@given(shares)
def test_cloudformation_changes_the_casing_and_nothing_else(share: QuotaShare) -> None:
    """Tag keys are users' words: they keep their spelling, even where they look like members."""
    request = shapes.share_to_api(share, SCOPE.job_queue("q"))
    properties = shapes.to_cloudformation("QuotaShare", request)
    assert shapes.from_cloudformation(properties) == request
    assert properties.get("Tags", {}) == dict(share.tags)


@given(shares, environments, policies, queues)
def test_requests_have_only_members_of_the_service_model(
    share: QuotaShare, environment: ServiceEnvironment, policy: SchedulingPolicy, queue: JobQueue
) -> None:
    """botocore's model is the judge of our spelling."""
    model = botocore.session.get_session().get_service_model("batch")
    for operation, request in {
        "CreateQuotaShare": shapes.share_to_api(share, SCOPE.job_queue("q")),
        "CreateServiceEnvironment": shapes.environment_to_api(environment),
        "CreateSchedulingPolicy": shapes.policy_to_api(policy),
        "CreateJobQueue": shapes.queue_to_api(queue, SCOPE),
    }.items():
        shape = model.operation_model(operation).input_shape
        assert shape is not None
        assert set(request) <= set(shape.members)
        assert set(shape.required_members) <= set(request)


def test_an_arn_is_taken_apart_into_what_it_was_built_from() -> None:
    """In every partition: a China ARN must not be compared as a different queue."""
    for region, partition in (
        ("us-west-2", "aws"),
        ("cn-north-1", "aws-cn"),
        ("us-gov-west-1", "aws-us-gov"),
        ("us-isob-east-1", "aws-iso-b"),
    ):
        scope = Scope("123456789012", region)
        assert partition_of(region) == partition
        parsed = parse_arn(scope.quota_share("q", "s"))
        assert parsed is not None
        assert (parsed.scope, parsed.kind, parsed.name, parsed.queue) == (scope, "quota-share", "s", "q")
        assert name_of(scope.job_queue("q")) == name_of("q") == "q"
        assert scope.job_queue("q").startswith(f"arn:{partition}:batch:")
    assert parse_arn("arn:aws:s3:::bucket") is None
    assert parse_arn("training") is None
