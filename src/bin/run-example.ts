import { runExample } from "../cli/programs/run-example.ts";
import { endProgram, nodeHost } from "../host/node-host.ts";

void runExample(nodeHost()).then(endProgram);
