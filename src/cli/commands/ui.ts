import type { Host } from "../../host/host.ts";
import { visibleLine } from "../../host/visible-text.ts";
import type { OpenClient } from "../../masters/master-strategy.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { parsePort } from "../parse-port.ts";
import { untilInterrupt } from "../until-interrupt.ts";
import { driverIdUsage, parseTarget, targetUsage } from "./operation-target.ts";
import { withTargetDriver } from "./with-target-driver.ts";

const usage = `Usage: firesteel ui ID [options]

Forward a port of this machine to the UI of a running driver, and print its URL, until an interrupt or the driver's end.
On a desktop, a browser opens it.

Options:
  --port N                port of 127.0.0.1; 0 is any free port (default: 4040, else any free port)
  --no-open               no browser
${targetUsage}${driverIdUsage}`;

/** Runs `firesteel ui`. @returns the exit code */
export async function runUiCommand(host: Host, args: readonly string[], openClient?: OpenClient): Promise<number> {
  if (isHelpRequest(args)) {
    host.stdout.write(usage);
    return exitCodes.ok;
  }
  const target = parseTarget(args, { flags: ["--no-open"], values: ["--port"] });
  const localPort = parsePort(target.value("--port"));
  const { clock, random, stdout, stderr } = host;
  const failures = new Set<string>();
  await untilInterrupt(host, (signal) =>
    withTargetDriver(host, { command: "ui", target, openClient }, async ({ client, pod: driver }) => {
      const { forwardUi } = await import("../../masters/kubernetes/applications/forward-ui.ts");
      return forwardUi({
        ...{ client, clock, random, driver, localPort, signal },
        onOpen(url) {
          stdout.write(`${url}\n`);
          if (!target.has("--no-open")) openBrowser(host, url);
        },
        onFailure(reason) {
          if (!failures.has(reason)) stderr.write(`The UI does not respond: ${visibleLine(reason)}\n`);
          failures.add(reason);
        },
      });
    }),
  );
  return exitCodes.ok;
}

/** Opens a URL in the browser of a desktop. A machine without one, or a program that reads the output, needs none. */
function openBrowser({ env, platform, spawn, stdout }: Host, url: string): void {
  const hasDisplay = platform === "darwin" || ["DISPLAY", "WAYLAND_DISPLAY"].some((name) => (env[name] ?? "") !== "");
  if (!stdout.isTerminal || !hasDisplay) return;
  const options = { detached: true, stdout: "ignore", stderr: "ignore" } as const;
  void spawn(platform === "darwin" ? "open" : "xdg-open", [url], options).exited.catch(() => {});
}
