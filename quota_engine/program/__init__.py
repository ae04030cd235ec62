"""Stack → Pulumi resources: the declaration of one environment, deployed.

`deploy` is the whole program; `declare` reads and judges the file first. The components can be used by another Pulumi
program too.
"""

from .components import QuotaManagedQueue, QuotaManagedStack
from .declaration import DeclarationInvalid, declare
from .deploy import deploy, run

__all__ = ["DeclarationInvalid", "QuotaManagedQueue", "QuotaManagedStack", "declare", "deploy", "run"]
