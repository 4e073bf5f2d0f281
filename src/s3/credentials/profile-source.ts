import type { Host } from "../../host/host.ts";
import { type Profile, profileName, readProfile } from "./aws-files.ts";
import { signHeaders } from "./aws-signature.ts";
import type { CredentialSource, S3Credentials } from "./credentials.ts";
import { parseFetched } from "./fetched.ts";
import {
  assumeByWebIdentity,
  callSts,
  containerSource,
  credentialsOfSts,
  environmentSource,
  instanceSource,
  stsEndpoint,
} from "./sources.ts";

const maxRoles = 5;

/** Credentials of a profile of `~/.aws`: its keys, a program, or a role that another profile can assume. */
export function profileSource(host: Host, region: string | undefined, name = profileName(host)): CredentialSource {
  return async () => {
    const profile = readProfile(host, name);
    if (profile !== undefined) return ofProfile(host, { name, profile, region, depth: 0 });
    if (name !== "default") throw new Error(`there is no profile ${name} in ~/.aws/config and ~/.aws/credentials`);
    return undefined;
  };
}

interface Named {
  readonly name: string;
  readonly profile: Profile;
  readonly region: string | undefined;
  /** Number of roles assumed so far. */
  readonly depth: number;
}

async function ofProfile(host: Host, named: Named): Promise<S3Credentials | undefined> {
  const { name, profile, region, depth } = named;
  const roleArn = profile.get("role_arn");
  const tokenFile = profile.get("web_identity_token_file");
  const sessionName = profile.get("role_session_name");
  // A profile may name itself as the source of the keys.
  const isSelf = depth > 0 && profile.get("source_profile") === name;
  if (roleArn !== undefined && !isSelf) {
    if (tokenFile !== undefined) return assumeByWebIdentity(host, { roleArn, tokenFile, sessionName }, region);
    if (profile.has("mfa_serial"))
      throw new Error(`the role of the profile ${name} requires a second factor; ${byExport(name)}`);
    return assumeRole(host, await sourceOf(host, named), { roleArn, profile, region });
  }
  const [accessKeyId, secretAccessKey] = [profile.get("aws_access_key_id"), profile.get("aws_secret_access_key")];
  if (accessKeyId !== undefined && secretAccessKey !== undefined)
    return { accessKeyId, secretAccessKey, sessionToken: profile.get("aws_session_token") };
  const program = profile.get("credential_process");
  if (program !== undefined) return runProgram(host, name, program);
  if ([...profile.keys()].some((key) => key.startsWith("sso_")))
    throw new Error(`the profile ${name} uses single sign-on; ${byExport(name)}`);
  return undefined;
}

/** Returns advice for a profile that the AWS tools support and Firesteel does not. */
function byExport(name: string): string {
  return `export its credentials with: eval "$(aws configure export-credentials --profile ${name} --format env)"`;
}

async function sourceOf(host: Host, { name, profile, region, depth }: Named): Promise<S3Credentials> {
  const source = profile.get("source_profile");
  const problem = `the profile ${name} has a role, but no source of credentials that can assume it`;
  if (source !== undefined) {
    const other = readProfile(host, source);
    if (other === undefined || depth >= maxRoles) throw new Error(`${problem}: source_profile is ${source}`);
    const found = await ofProfile(host, { name: source, profile: other, region, depth: depth + 1 });
    if (found !== undefined) return found;
  }
  const sourcesByName: Readonly<Record<string, CredentialSource>> = {
    Environment: environmentSource(host),
    EcsContainer: containerSource(host),
    Ec2InstanceMetadata: instanceSource(host),
  };
  const found = await sourcesByName[profile.get("credential_source") ?? ""]?.();
  if (found === undefined) throw new Error(problem);
  return found;
}

interface Role {
  readonly roleArn: string;
  readonly profile: Profile;
  readonly region: string | undefined;
}

async function assumeRole(
  host: Host,
  credentials: S3Credentials,
  { roleArn, profile, region = "us-east-1" }: Role,
): Promise<S3Credentials> {
  const externalId = profile.get("external_id");
  const form = new URLSearchParams({
    ...{ Action: "AssumeRole", Version: "2011-06-15", RoleArn: roleArn },
    RoleSessionName: profile.get("role_session_name") ?? "firesteel",
    ...(externalId === undefined ? {} : { ExternalId: externalId }),
  });
  const body = Buffer.from(form.toString());
  const url = new URL(stsEndpoint(host, region));
  const headers = signHeaders(
    {
      ...{ service: "sts", region, method: "POST", url, body, atMs: host.clock.now() },
      headers: { "content-type": "application/x-www-form-urlencoded" },
    },
    credentials,
  );
  const { status, text } = await callSts(host, { method: "POST", url, headers, body });
  return credentialsOfSts(status, text, roleArn);
}

const maxOutputBytes = 1024 * 1024;

async function runProgram({ spawn, env }: Host, name: string, command: string): Promise<S3Credentials> {
  const child = spawn("/bin/sh", ["-c", command], { env });
  const output: Uint8Array[] = [];
  let sizeBytes = 0;
  child.onOutput(1, (chunk) => {
    sizeBytes += chunk.length;
    if (sizeBytes <= maxOutputBytes) output.push(chunk);
  });
  child.onOutput(2, () => {});
  const { code } = await child.exited;
  if (sizeBytes > maxOutputBytes)
    throw new Error(`the credential_process of the profile ${name} printed more than 1 MiB`);
  if (code !== 0) throw new Error(`the credential_process of the profile ${name} ended with ${code}`);
  return parseFetched(Buffer.concat(output).toString("utf8"), `the credential_process of the profile ${name}`);
}
