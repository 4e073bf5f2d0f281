import { nodeSelectors } from "../../../conf/entries/driver.ts";
import { driverContainerImage } from "../../../conf/entries/image.ts";
import { pythonEnvPlatform, pythonEnvVersion } from "../../../conf/entries/python-env.ts";
import { failure, type Result, success } from "../../../errors/issue.ts";
import type { Host } from "../../../host/host.ts";
import { failureReason } from "../../../net/failure-reason.ts";
import type { SubmitRequest } from "../../../plan/submit-request.ts";
import { pythonOfImage } from "../../../python/python-of-image.ts";
import {
  type Architecture,
  localPythonVersion,
  type PythonTarget,
  processorOf,
} from "../../../python/python-target.ts";
import type { ResolvedSubmission } from "../../../resolve/resolve-submission.ts";
import { embeddedImageKind } from "../../../values/embedded-image.ts";
import { parseImageReference } from "../../../values/image-reference.ts";
import type { Provision } from "./provision.ts";

/** A planned submission, and whether it goes to the embedded cluster. */
export interface PlannedDestination {
  readonly request: SubmitRequest;
  readonly isEmbedded: boolean;
}

/**
 * Finds out for which Python an environment is built: that of the settings, else the local one for Spark images of the embedded cluster,
 * else what the registry of the image knows. Errors: SUBMIT_ERR_PYTHON_ENV_VERSION.
 *
 * @param provision `cached`: registries are not contacted
 */
export async function findPythonTarget(
  { host, log }: Pick<ResolvedSubmission, "host" | "log">,
  destination: PlannedDestination,
  provision: Provision,
): Promise<Result<PythonTarget>> {
  const { conf } = destination.request;
  const local = usesLocalPython(destination) ? await localPythonVersion(host) : undefined;
  const processor = processorFor(host, destination);
  const known = conf.get(pythonEnvVersion) ?? local;
  if (known !== undefined) return success({ version: known, processor, isLocal: known === local });
  const image = imageOf(destination.request);
  const fetched =
    destination.isEmbedded || provision === "cached" ? undefined : await fetchPythonVersion(host, { image, processor });
  if (fetched?.version === undefined)
    return failure("SUBMIT_ERR_PYTHON_ENV_VERSION", { image, key: pythonEnvVersion.key, reason: fetched?.reason });
  log("INFO", "PythonEnvironment", `The image ${image} has Python ${fetched.version}, as its registry says`);
  return success({ version: fetched.version, processor, isLocal: false });
}

interface FetchedVersion {
  readonly version: string | undefined;
  /** Reason why the registry did not respond. */
  readonly reason?: string;
}

async function fetchPythonVersion(
  host: Host,
  { image, processor }: { readonly image: string; readonly processor: Architecture },
): Promise<FetchedVersion> {
  const parsed = parseImageReference(image);
  if ("problem" in parsed) return { version: undefined };
  const { repository, tag = "" } = parsed;
  const { fetchImageConfig } = await import("../../../registry/fetch-image-config.ts");
  const { openRegistries } = await import("../../../registry/open-registries.ts");
  const { findDockerCredentials } = await import("../../../registry/docker-credentials.ts");
  const { send, close } = openRegistries(host);
  const reference = image.split("@")[1] ?? tag;
  const credentials = findDockerCredentials(host, repository);
  const architecture = processor === "aarch64" ? "arm64" : "amd64";
  try {
    const config = await fetchImageConfig(send, { repository, reference }, { credentials, architecture });
    return { version: config && pythonOfImage(config) };
  } catch (error) {
    return { version: undefined, reason: failureReason(error).reason };
  } finally {
    close();
  }
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
