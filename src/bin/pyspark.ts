import { runPyspark } from "../cli/programs/pyspark.ts";
import { endProgram, nodeHost } from "../host/node-host.ts";

void runPyspark(nodeHost()).then(endProgram);
