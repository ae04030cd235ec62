"""Notices, alarms and the dashboard as Pulumi components: what tells people what happens in the queues.

The words of the notices, their patterns and all policies stand in `documents.notices` and `documents.metrics`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pulumi
from pulumi_aws import cloudwatch, sns

from quota_engine.model.around import METRIC_DIMENSION, METRIC_NAMESPACE, Alarm, Notification

from .documents.metrics import dashboard_body, describe, statistic
from .documents.notices import NOTICES, Notice, log_policy, topic_policy

LOG_RETENTION_DAYS = 90
"""How long notices stay in a log group that is made here."""


class QueueWatch(pulumi.ComponentResource):
    """Topics, log groups, event rules, alarms and a dashboard for some queues.

    Outputs: `topics`, the ARNs by name of those made here.
    """

    topics: dict[str, pulumi.Output[str]]

    def __init__(
        self,
        name: str,
        *,
        queue_arns: Mapping[str, pulumi.Input[str]],
        account: pulumi.Input[str],
        region: str,
        notifications: Sequence[Notification] = (),
        alarms: Sequence[Alarm] = (),
        has_dashboard: bool = False,
        tags: Mapping[str, str] | None = None,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """Watch the queues in `queue_arns` {name: ARN}; `name` prefixes the names of alarms and is the dashboard's."""
        super().__init__("quota-engine:cloudwatch:QueueWatch", name, None, opts)
        self._name, self._tags = name, dict(tags or {}) or None
        self._child = pulumi.ResourceOptions(parent=self)
        self._policies: dict[str, pulumi.Resource] = {}
        named = [one.sns_topic for one in notifications] + [alarm.notify for alarm in alarms]
        made = sorted({topic for topic in named if topic and not topic.startswith("arn:")})
        self.topics = {topic: self._topic(topic, account) for topic in made}
        groups = sorted({one.log_group for one in notifications if one.log_group})
        self._log_groups = self._groups(groups)
        arns = pulumi.Output.all(*queue_arns.values())
        for notification in notifications:
            for notice in NOTICES[notification.occasion]:
                self._notify(notification, notice, arns)
        for alarm in alarms:
            self._alarm(alarm)
        if has_dashboard:
            cloudwatch.Dashboard(
                "dashboard",
                dashboard_name=name,
                dashboard_body=json.dumps(dashboard_body(region, list(queue_arns))),
                opts=self._child,
            )
        self.register_outputs({"topics": self.topics})

    def _topic(self, topic: str, account: pulumi.Input[str]) -> pulumi.Output[str]:
        """Make a topic that event rules and alarms may publish to; return its ARN."""
        made = sns.Topic(topic, name=topic, tags=self._tags, opts=self._child)
        arn: pulumi.Output[str] = made.arn
        policy = pulumi.Output.all(made.arn, account).apply(lambda known: json.dumps(topic_policy(known[0], known[1])))
        self._policies[topic] = sns.TopicPolicy(topic, arn=made.arn, policy=policy, opts=self._child)
        return arn

    def _groups(self, names: Sequence[str]) -> dict[str, cloudwatch.LogGroup]:
        """Make log groups, and one policy for all of them: a region has room for ten such policies."""
        groups = {
            name: cloudwatch.LogGroup(
                name, name=name, retention_in_days=LOG_RETENTION_DAYS, tags=self._tags, opts=self._child
            )
            for name in names
        }
        if groups:
            arns = pulumi.Output.all(*(group.arn for group in groups.values()))
            policy = cloudwatch.LogResourcePolicy(
                "notifications",
                policy_name=f"{self._name}-notifications",
                policy_document=arns.apply(lambda known: json.dumps(log_policy(known))),
                opts=self._child,
            )
            self._policies.update(dict.fromkeys(groups, policy))
        return groups

    def _notify(self, notification: Notification, notice: Notice, queue_arns: pulumi.Output[list[str]]) -> None:
        """Make the rule of one notice, and its target: a topic gets the words, a log group the whole event."""
        rule = cloudwatch.EventRule(
            notice.name,
            description=f"{notice.detail_type} ({self._name})",
            event_pattern=queue_arns.apply(lambda known: json.dumps(notice.pattern(known))),
            tags=self._tags,
            opts=self._child,
        )
        target = notification.sns_topic or notification.log_group or ""
        is_topic = notification.sns_topic is not None
        group = self._log_groups.get(target)
        policy = self._policies.get(target)
        cloudwatch.EventTarget(
            notice.name,
            rule=rule.name,
            arn=self.topics.get(target, target) if is_topic else group.arn if group else target,
            input_transformer=_words(notice) if is_topic else None,
            opts=pulumi.ResourceOptions(parent=self, depends_on=[policy] if policy else None),
        )

    def _alarm(self, alarm: Alarm) -> None:
        actions = [self.topics.get(alarm.notify, alarm.notify)] if alarm.notify else None
        cloudwatch.MetricAlarm(
            alarm.name,
            name=f"{self._name}-{alarm.name}",
            alarm_description=describe(alarm),
            namespace=METRIC_NAMESPACE,
            metric_name=alarm.metric,
            dimensions={METRIC_DIMENSION: alarm.queue},
            statistic=statistic(alarm.metric),
            period=alarm.within_seconds,
            evaluation_periods=1,
            comparison_operator="GreaterThanThreshold",
            threshold=alarm.over,
            treat_missing_data="notBreaching",
            alarm_actions=actions,
            ok_actions=actions,
            tags=self._tags,
            opts=self._child,
        )


def _words(notice: Notice) -> cloudwatch.EventTargetInputTransformerArgs:
    return cloudwatch.EventTargetInputTransformerArgs(input_paths=dict(notice.paths), input_template=notice.template)
