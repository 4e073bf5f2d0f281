import { chmodSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../acceptance/programs.ts";
import { packClasses } from "./application.ts";

/** An application whose arguments say how its driver ends, and settings with which drivers see it. */
export interface StepsJar {
  /** Path in the driver's container. */
  readonly path: string;
  readonly mainClass: string;
  /** Options that mount its directory into drivers. */
  readonly mount: readonly string[];
}

/** Builds the application. */
export function stepsJar(): StepsJar {
  const directory = temporaryDirectory();
  // Containers run as other users.
  chmodSync(directory, 0o755);
  packClasses(directory, { sources: ["Steps.java"], jar: "steps.jar" });
  const volume = "spark.kubernetes.driver.volumes.hostPath.steps";
  const settings = [`${volume}.mount.path=/opt/steps`, `${volume}.options.path=${directory}`];
  const mount = settings.flatMap((setting) => ["--conf", setting]);
  return { path: join("/opt/steps", "steps.jar"), mainClass: "org.example.Steps", mount };
}
