import type { Host } from "../../host/host.ts";
import { specialClasses } from "../../plan/special-classes.ts";
import { runSparkSubmit } from "../commands/submit.ts";
import { targetSparkVersion } from "../environment.ts";
import { asSparkSubmit } from "./as-spark-submit.ts";
import { isHelpRequest } from "./is-help-request.ts";

/** Runs `spark-shell`, and restores the terminal settings afterwards. @returns the exit code */
export async function runSparkShell(host: Host): Promise<number> {
  const options = `${host.env["SPARK_SUBMIT_OPTS"] ?? ""} -Dscala.usejavacp=true`;
  const isOld = (await targetSparkVersion(host)).line === "3.5";
  const saved = isHelpRequest(host) ? undefined : await terminalSettings(host);
  try {
    return await runSparkSubmit(
      asSparkSubmit(host, {
        args: ["--class", specialClasses.shell, "--name", "Spark shell", ...host.argv],
        usage: usageHead(isOld ? "" : ", Spark Classic only"),
        env: { SPARK_SUBMIT_OPTS: options, ...(isOld ? {} : { SPARK_SCALA_SHELL: "1" }) },
      }),
    );
  } finally {
    if (saved !== undefined) await host.spawn("stty", [saved], { stdin: "inherit" }).exited;
  }
}

function usageHead(restriction: string): string {
  return `Usage: ./bin/spark-shell [options]

Scala REPL options${restriction}:
  -I <file>                   preload <file>, enforcing line-by-line interpretation`;
}

/** Reads the settings for `stty` to restore: a shell that is killed leaves the terminal without echo. */
async function terminalSettings(host: Host): Promise<string | undefined> {
  if (!host.isInputTerminal) return undefined;
  const stty = host.spawn("stty", ["-g"], { stdin: "inherit", stderr: "ignore" });
  const chunks: Uint8Array[] = [];
  stty.onOutput(1, (chunk) => chunks.push(chunk));
  const { code } = await stty.exited;
  return code === 0 ? Buffer.concat(chunks).toString("utf8").trim() : undefined;
}
