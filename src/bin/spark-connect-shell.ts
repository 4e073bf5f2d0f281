import { runSparkConnectShell } from "../cli/programs/spark-connect-shell.ts";
import { endProgram, nodeHost } from "../host/node-host.ts";

void runSparkConnectShell(nodeHost()).then(endProgram);
