"""Stack → Pulumi resources: the declaration of one environment, deployed.

`run` is the whole program of a stack: it judges the declaration, opens the gates and deploys. The components can be
used by any Pulumi program, with values of its own: `QuotaManagedQueue`, `QuotaManagedShare`, and around them
`ShareAccess`, `StaffAccess`, `SageMakerTrainingRole` and `QueueWatch`.
"""

from .access import ShareAccess, StaffAccess
from .components import QuotaManagedStack
from .declaration import DeclarationInvalid, declare
from .deploy import deploy, run
from .gates import GateClosed, open_gates
from .queue import QuotaManagedQueue
from .share import QuotaManagedShare, QuotaShareArgs
from .training import SageMakerTrainingRole
from .watching import QueueWatch

__all__ = [
    "DeclarationInvalid",
    "GateClosed",
    "QueueWatch",
    "QuotaManagedQueue",
    "QuotaManagedShare",
    "QuotaManagedStack",
    "QuotaShareArgs",
    "SageMakerTrainingRole",
    "ShareAccess",
    "StaffAccess",
    "declare",
    "deploy",
    "open_gates",
    "run",
]
