import { runSparkR } from "../cli/programs/spark-r.ts";
import { endProgram, nodeHost } from "../host/node-host.ts";

void runSparkR(nodeHost()).then(endProgram);
