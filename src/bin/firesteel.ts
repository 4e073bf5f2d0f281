import { main } from "../cli/main.ts";
import { endProgram, nodeHost } from "../host/node-host.ts";

void main(nodeHost()).then(endProgram);
