import type { Host } from "../../host/host.ts";
import { credentialChain } from "./credential-chain.ts";
import type { S3Credentials } from "./credentials.ts";
import { profileSource } from "./profile-source.ts";
import { containerSource, environmentSource, instanceSource, webIdentitySource } from "./sources.ts";

/** Finds credentials in the same order as the AWS tools. */
export function defaultCredentials(host: Host, region: string | undefined): () => Promise<S3Credentials> {
  return credentialChain(
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
