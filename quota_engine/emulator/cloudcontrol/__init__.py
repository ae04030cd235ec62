"""Cloud Control over the same store as Batch: what CloudFormation's handlers of the four types do, as one API.

Every change goes through the Batch operations, so both faces always agree and refuse with the same words.
"""
