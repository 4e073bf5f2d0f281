import { main } from "../cli/main.ts";
import { nodeHost } from "../host/node-host.ts";

void main(nodeHost()).then((exitCode) => {
  process.exitCode = exitCode;
});
