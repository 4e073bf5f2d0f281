import type { Host } from "../../host/host.ts";
import type { S3Credentials } from "./credentials.ts";
import { firstOf } from "./first-of.ts";
import { profileSource } from "./profile-source.ts";
import { containerSource, environmentSource, instanceSource, webIdentitySource } from "./sources.ts";

/** Finds credentials in the same order as the AWS tools. */
export function usualCredentials(host: Host, region: string | undefined): () => Promise<S3Credentials> {
  return firstOf(
    host.clock,
    [
      environmentSource(host),
      webIdentitySource(host, region),
      profileSource(host, region),
      containerSource(host),
      instanceSource(host),
    ],
    "the environment, a web identity, the profiles of ~/.aws, and the container and EC2 metadata services",
  );
}
