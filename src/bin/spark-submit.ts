import { runSparkSubmit } from "../cli/commands/submit.ts";
import { nodeHost } from "../host/node-host.ts";

void runSparkSubmit(nodeHost()).then((exitCode) => {
  process.exitCode = exitCode;
});
