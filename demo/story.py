"""The story, step by step. Exits 0 only when every step went as told."""

from __future__ import annotations

import sys
import tempfile

from .stage import Stage, Unexpected, free_port

SCENARIO = "scenarios/lend-and-borrow.yaml"


def validate(stage: Stage) -> None:
    stage.heading("1. Validate: what is wrong, where, why, and the fix")
    stage.run("quota-engine validate stacks scenarios")
    stage.say("A copy in which QS2, which only lends, gets a borrow limit:")
    with tempfile.TemporaryDirectory(prefix="quota-engine-demo-") as folder:
        stage.environment["COPY"] = folder
        stage.run("sed 's/strategy: LEND}/strategy: LEND, borrow_limit: 50}/' stacks/dev.yaml > $COPY/broken.yaml")
        stage.run("quota-engine validate $COPY/broken.yaml", expect=1)


def predict(stage: Stage) -> None:
    stage.heading("2. Predict: what would be borrowed, and who would be preempted")
    stage.run(f"quota-engine simulate {SCENARIO}")


def play(stage: Stage) -> None:
    stage.heading("4. Play: the same jobs, submitted with boto3, on the deployed setup")
    stage.run(f"python -m demo.play {SCENARIO}")


def drift_found(stage: Stage) -> None:
    stage.heading("5. Drift: what was changed behind Pulumi's back")
    stage.run("quota-engine drift stacks/dev.yaml")
    stage.run("python -m demo.outside edit")
    stage.run("quota-engine drift stacks/dev.yaml", expect=1)


def drift_repaired(stage: Stage) -> None:
    stage.run("quota-engine local up --stack dev --refresh")
    stage.say("What the program owns is repaired. The share that nobody declared is still there:")
    stage.run("quota-engine drift stacks/dev.yaml", expect=1)
    stage.run("python -m demo.outside delete")
    stage.run("quota-engine drift stacks/dev.yaml")


def destroy(stage: Stage) -> None:
    stage.heading("6. Destroy: with jobs still running")
    stage.run("quota-engine local destroy --stack dev")
    stage.run("python -m demo.outside list")


def serve_options(port: int) -> str:
    return f"--port {port} --clock manual --account 123456789012 --region us-west-2"


def with_the_engine(stage: Stage) -> bool:
    """Tell steps 3 to 6; return False when there is no Pulumi engine to tell them with."""
    with stage.emulator(serve_options(free_port())):
        if stage.try_run("quota-engine local up --stack dev") != 0:
            return False
        play(stage)
        drift_found(stage)
        drift_repaired(stage)
        destroy(stage)
    return True


def without_the_engine(stage: Stage) -> None:
    """Tell what can be told when the setup can't be deployed with Pulumi; the emulator starts with it deployed."""
    stage.say(
        "\nPulumi could not deploy (see above). The emulator starts with the setup already in it instead; "
        "what only Pulumi can do (deploy, repair, destroy) is left out, and the demo will exit with 1."
    )
    with stage.emulator(f"{serve_options(free_port())} --stack stacks/dev.yaml"):
        play(stage)
        drift_found(stage)


def tell(stage: Stage) -> int:
    validate(stage)
    predict(stage)
    stage.heading("3. Deploy: the real Pulumi engine, this project's program, a local AWS Batch")
    if not with_the_engine(stage):
        without_the_engine(stage)
        stage.say("\nThe demo is incomplete: there was no working Pulumi engine.")
        return 1
    stage.say("\nThe story is told: declared, validated, predicted, deployed, checked, repaired, destroyed.")
    return 0


def main() -> int:
    try:
        return tell(Stage())
    except Unexpected as error:
        print(f"\nThe demo stops: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
