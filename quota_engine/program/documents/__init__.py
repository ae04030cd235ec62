"""What AWS reads as JSON: IAM policies, event patterns, a dashboard. Pure functions over the model, without Pulumi.

Every document is a plain dict, the same for the same declaration, so that it can be judged by a policy evaluator and
compared by eye. Sources: Service Authorization Reference (AWS Batch), AWS Batch User Guide (events, metrics).
"""
