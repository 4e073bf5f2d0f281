import { runSparkShell } from "../cli/programs/spark-shell.ts";
import { endProgram, nodeHost } from "../host/node-host.ts";

void runSparkShell(nodeHost()).then(endProgram);
