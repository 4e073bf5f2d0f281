import { absolutePath } from "../host/absolute-path.ts";
import type { Host } from "../host/host.ts";
import { findPullCredentials, type PullCredentials } from "./pull-credentials.ts";

/**
 * Finds the credentials for an image that `docker login` stored; `undefined` if there are none, or if a credential helper keeps them.
 *
 * @param repository with its registry, e.g. `docker.io/library/spark`
 */
export function findDockerCredentials(host: Host, repository: string): PullCredentials | undefined {
  const directory = host.env["DOCKER_CONFIG"] || `${host.user.home}/.docker`;
  const text = host.files.readText(absolutePath(host, `${directory}/config.json`));
  const data = { ".dockerconfigjson": Buffer.from(text ?? "").toString("base64") };
  return findPullCredentials(data, repository);
}
