"""HTTP ↔ operation: requests are taken apart and answers put together as botocore's service models say.

Nothing about an operation's route, members, types or enums is written here; it is all read from the models.
"""
