// Evaluates IAM requests: a JSON list of simulations on stdin, one line of JSON with the outcome of each on stdout.
// The evaluator is found in the folder named by the first argument, which npm has installed it to.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(`${process.argv[2]}/`));
const { runSimulation } = require("@cloud-copilot/iam-simulate");

let text = "";
for await (const chunk of process.stdin) text += chunk;
const outcomes = [];
for (const simulation of JSON.parse(text)) {
  const answer = await runSimulation(simulation, {});
  outcomes.push({ result: answer.overallResult ?? answer.resultType, errors: answer.errors ?? null });
}
process.stdout.write(JSON.stringify(outcomes));
