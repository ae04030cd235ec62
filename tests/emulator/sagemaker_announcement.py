"""The announcement's sequence, played with the SageMaker Python SDK, in an environment of its own and not under pytest.

    python sagemaker_announcement.py EMULATOR_URL

The environment variables point the SDK at the emulator and at stand-ins for S3, SageMaker and IAM. Prints one JSON
object: what the SDK's own objects said on the way.
"""

from __future__ import annotations

import json
import sys
import urllib.request
from typing import Any

import boto3
from sagemaker.core.helper.session_helper import Session  # type: ignore[import-not-found,unused-ignore]
from sagemaker.train.aws_batch.exception import NoTrainingJob  # type: ignore[import-not-found,unused-ignore]
from sagemaker.train.aws_batch.training_queue import TrainingQueue  # type: ignore[import-not-found,unused-ignore]
from sagemaker.train.configs import Compute, SourceCode  # type: ignore[import-not-found,unused-ignore]
from sagemaker.train.model_trainer import ModelTrainer  # type: ignore[import-not-found,unused-ignore]

ROLE = "arn:aws:iam::123456789012:role/training"
BUCKET = "sagemaker-bucket"
FOREVER = {"quota-engine/duration": "forever"}


def advance(url: str, duration: str) -> None:
    """Let the emulator's time pass."""
    body = json.dumps({"advance": duration}).encode()
    urllib.request.urlopen(urllib.request.Request(f"{url}/_emulator/clock", body)).close()


def statuses(jobs: dict[str, Any]) -> dict[str, str]:
    return {name: job.describe()["status"] for name, job in jobs.items()}


def trainer_of(job: Any) -> str:
    """Return the base job name of the training job that the SDK attaches to, or that there is none yet."""
    try:
        trainer = job.get_model_trainer()
    except NoTrainingJob:
        return "none"
    name: str = trainer._latest_training_job.training_job_name
    return name


def register_training_job(job: Any) -> str:
    """Create in the stand-in of SageMaker the training job that Batch would have created; return its name."""
    arn: str = job.describe()["latestAttempt"]["serviceResourceId"]["value"]
    payload = json.loads(job.describe()["serviceRequestPayload"])
    payload["TrainingJobName"] = arn.rpartition("/")[2]
    boto3.client("sagemaker").create_training_job(**payload)
    return str(payload["TrainingJobName"])


def result_of(job: Any) -> str:
    try:
        return str(job.result()["status"])
    except RuntimeError as error:
        return f"RuntimeError: {error}"


def main(url: str) -> None:
    boto3.client("s3").create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    trainer = ModelTrainer(
        training_image="123456789012.dkr.ecr.us-west-2.amazonaws.com/train:latest",
        source_code=SourceCode(command="echo training"),
        compute=Compute(instance_type="ml.g5.xlarge", instance_count=1),
        role=ROLE,
        base_job_name="announcement",
        sagemaker_session=Session(default_bucket=BUCKET),
    )
    queue = TrainingQueue("training")
    seen: dict[str, Any] = {}

    def submit(name: str, share: str, priority: int, **given: Any) -> Any:
        given.setdefault("tags", FOREVER)
        return queue.submit(trainer, None, name, priority=priority, quota_share_name=share, **given)

    jobs = {"high": submit("qs1-high", "QS1", 3)}
    seen["right after the submission"] = statuses(jobs)
    jobs["med"] = submit("qs1-med", "QS1", 2)
    jobs["low"] = submit("qs1-low", "QS1", 1)
    seen["trainer of a waiting job"] = trainer_of(jobs["low"])
    advance(url, "10m")
    seen["borrowing"] = statuses(jobs)
    seen["trainer"] = (register_training_job(jobs["high"]), trainer_of(jobs["high"]))
    jobs["qs2"] = submit("qs2", "QS2", 1)
    advance(url, "10m")
    seen["reclaimed"] = statuses(jobs)
    jobs["low"].update(4)
    advance(url, "10m")
    seen["preempted in the share"] = statuses(jobs)
    seen["preemptions"] = {
        name: job.describe().get("preemptionSummary", {}).get("preemptedAttemptCount", 0) for name, job in jobs.items()
    }
    seen["running by list_jobs"] = sorted(job.job_name for job in queue.list_jobs())
    seen["by share"] = sorted(job.job_name for job in queue.list_jobs_by_share("RUNNABLE", quota_share_name="QS1"))
    seen["by name"] = queue.get_job("QS2").job_arn == jobs["qs2"].job_arn
    jobs["qs2"].terminate("the announcement is over")
    seen["result of a terminated job"] = result_of(jobs["qs2"])
    short = submit("short", "QS2", 1, tags={"quota-engine/duration": "5m"})
    advance(url, "10m")
    seen["result of a job that ended"] = result_of(short)
    print(json.dumps(seen))


if __name__ == "__main__":
    main(sys.argv[1])
