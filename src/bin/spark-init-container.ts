import { endProgram, nodeHost } from "../host/node-host.ts";
import { runInitContainer } from "../init-container/run-init-container.ts";

void runInitContainer(nodeHost()).then(endProgram);
