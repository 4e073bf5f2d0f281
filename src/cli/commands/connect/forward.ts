import { submitError } from "../../../errors/submit-error.ts";
import { visibleLine } from "../../../host/visible-text.ts";
import { applicationState } from "../../../masters/kubernetes/applications/application-summary.ts";
import { serveDriver } from "../../../masters/kubernetes/connect-server/serve-driver.ts";
import { requireConnectServer } from "../../../masters/kubernetes/connect-server/server-label.ts";
import { exitCodes } from "../../exit-codes.ts";
import { parsePort } from "../../parse-port.ts";
import { untilInterrupt } from "../../until-interrupt.ts";
import { parseTarget } from "../operation-target.ts";
import { withTargetDriver } from "../with-target-driver.ts";
import type { ConnectCall } from "./list.ts";

/** Runs `firesteel connect forward`. @returns the exit code */
export async function forwardConnectServer({ host, args, openClient }: ConnectCall): Promise<number> {
  const target = parseTarget(args, { values: ["--port"] });
  const localPort = parsePort(target.value("--port"));
  const { clock, random, stdout, stderr } = host;
  return untilInterrupt(host, (signal) =>
    withTargetDriver(host, { command: "connect forward", target, openClient }, async ({ client, pod: driver }) => {
      const id = requireConnectServer(driver);
      const current = applicationState(driver);
      if (current !== "running" && current !== "pending")
        throw submitError("SUBMIT_ERR_CONNECT_SERVER_ENDED", { id, state: current });
      const onReady = async (port: number) => {
        stdout.write(`sc://127.0.0.1:${port}\n`);
        return "keep" as const;
      };
      const onFailure = (reason: string) => stderr.write(`The server does not respond: ${visibleLine(reason)}\n`);
      const state = await serveDriver({ client, clock, random, driver, localPort, signal, onReady, onFailure });
      if (state !== undefined) stderr.write(`The server ${id} has ended (${state}).\n`);
      return exitCodes.ok;
    }),
  );
}
