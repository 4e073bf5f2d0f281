import { runSparkSubmit } from "../cli/commands/submit.ts";
import { endProgram, nodeHost } from "../host/node-host.ts";

void runSparkSubmit(nodeHost()).then(endProgram);
