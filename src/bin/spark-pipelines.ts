import { runSparkPipelines } from "../cli/programs/spark-pipelines.ts";
import { endProgram, nodeHost } from "../host/node-host.ts";

void runSparkPipelines(nodeHost()).then(endProgram);
