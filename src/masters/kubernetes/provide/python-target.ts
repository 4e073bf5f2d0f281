import { nodeSelectors } from "../../../conf/entries/driver.ts";
import { driverContainerImage } from "../../../conf/entries/image.ts";
import { pythonEnvPlatform, pythonEnvVersion } from "../../../conf/entries/python-env.ts";
import { failure, type Result, success } from "../../../errors/issue.ts";
import type { Host } from "../../../host/host.ts";
import type { SubmitRequest } from "../../../plan/submit-request.ts";
import {
  type Architecture,
  localPythonVersion,
  type PythonTarget,
  processorOf,
} from "../../../python/python-target.ts";
import { embeddedImageKind } from "../../../values/embedded-image.ts";
import { parseImageReference } from "../../../values/image-reference.ts";

/** A planned submission, and whether it goes to the embedded cluster. */
export interface PlannedDestination {
  readonly request: SubmitRequest;
  readonly isEmbedded: boolean;
}

/**
 * Finds out for which Python an environment is built: the local one for Spark images of the embedded cluster, else that of the
 * settings. Errors: SUBMIT_ERR_PYTHON_ENV_VERSION.
 */
export async function findPythonTarget(host: Host, destination: PlannedDestination): Promise<Result<PythonTarget>> {
  const { conf } = destination.request;
  const local = usesLocalPython(destination) ? await localPythonVersion(host) : undefined;
  const specified = conf.get(pythonEnvVersion);
  const version = specified ?? local;
  const image = imageOf(destination.request);
  if (version === undefined) return failure("SUBMIT_ERR_PYTHON_ENV_VERSION", { image, key: pythonEnvVersion.key });
  return success({ version, processor: processorFor(host, destination), isLocal: version === local });
}

function usesLocalPython({ request, isEmbedded }: PlannedDestination): boolean {
  const reference = parseImageReference(imageOf(request));
  return isEmbedded && !("problem" in reference) && embeddedImageKind(reference) === "spark";
}

function imageOf({ conf }: SubmitRequest): string {
  return conf.get(driverContainerImage) ?? "";
}

function processorFor(host: Host, { request: { conf }, isEmbedded }: PlannedDestination): Architecture {
  const platform = conf.get(pythonEnvPlatform);
  if (platform !== "auto") return platform;
  return processorOf(isEmbedded ? host.arch : (conf.withPrefix(nodeSelectors).get("kubernetes.io/arch") ?? "amd64"));
}
