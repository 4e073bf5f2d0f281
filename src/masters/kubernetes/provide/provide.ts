import type { ResolvedSubmission } from "../../../resolve/resolve-submission.ts";
import { hasPackages } from "../../package-jars.ts";
import type { Provision } from "./provision.ts";
import type { PlannedDestination } from "./python-target.ts";

/**
 * Provides files that a submission needs and that do not exist yet: the jars of its packages and its Python environment. Prepares its mounts.
 *
 * @param destination the valid submission as it is planned without these files
 * @throws what `providePackageJars` and `providePythonEnvironment` throw
 */
export async function provide(
  submission: ResolvedSubmission,
  destination: PlannedDestination,
  provision: Provision = "complete",
): Promise<ResolvedSubmission> {
  let provided = submission;
  if (provided.fields.has("mounts") && destination.isEmbedded && provision === "complete") {
    const { openMounts } = await import("./open-mounts.ts");
    openMounts(provided);
  }
  if (hasPackages(provided) && provided.behaviors.packages !== "spark") {
    const { providePackageJars } = await import("./provide-packages.ts");
    provided = await providePackageJars(provided, destination.request, provision);
  }
  if (provided.fields.has("pythonEnv")) {
    const { providePythonEnvironment } = await import("./provide-python.ts");
    provided = await providePythonEnvironment(provided, destination, provision);
  }
  return provided;
}
