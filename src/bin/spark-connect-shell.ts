import { runSparkConnectShell } from "../cli/programs/spark-shell.ts";
import { endProgram, nodeHost } from "../host/node-host.ts";

void runSparkConnectShell(nodeHost()).then(endProgram);
