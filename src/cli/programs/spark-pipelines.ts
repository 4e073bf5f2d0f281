import { behaviorsOf } from "../../conf/behaviors.ts";
import type { Host } from "../../host/host.ts";
import { withLauncherEnvironment } from "../environment.ts";
import { exitCodeOfError } from "../exit-codes.ts";
import { printError } from "../print.ts";

/** Runs `spark-pipelines`. @returns the exit code */
export async function runSparkPipelines(host: Host): Promise<number> {
  const { startPipelines } = await import("../../masters/jvm/pipelines.ts");
  try {
    return await startPipelines(await withLauncherEnvironment(host));
  } catch (error) {
    host.stderr.write(
      printError(error, { form: behaviorsOf(host.env).errorText === "spark" ? "errorOnly" : "errorAndHint" }),
    );
    return exitCodeOfError(error);
  }
}
