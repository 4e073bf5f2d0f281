import type { Host } from "../../../../host/host.ts";
import { proxyFor } from "../../../../net/proxy/proxy-for.ts";
import { readProfile } from "../../../../s3/credentials/aws-files.ts";
import { credentialChain } from "../../../../s3/credentials/credential-chain.ts";
import { anonymous, type CredentialSource, type S3Credentials } from "../../../../s3/credentials/credentials.ts";
import { profileSource } from "../../../../s3/credentials/profile-source.ts";
import {
  containerSource,
  environmentSource,
  instanceSource,
  webIdentitySource,
} from "../../../../s3/credentials/sources.ts";
import type { BucketAddress } from "../../../../s3/s3-call.ts";
import type { HadoopConf } from "../../../../values/hadoop-conf.ts";

/** Returns a property of S3A, e.g. `endpoint` for `fs.s3a.endpoint`. The one of the bucket has precedence. */
export type S3aProperty = (name: string) => string | undefined;

/** Reads the properties of S3A for a bucket. Source: Hadoop S3AUtils.propagateBucketOptions. */
export function s3aProperties(conf: HadoopConf, bucket: string): S3aProperty {
  return (name) => conf.get(`fs.s3a.bucket.${bucket}.${name}`) ?? conf.get(`fs.s3a.${name}`);
}

/**
 * Returns the address and the credentials with which S3A would access a bucket.
 *
 * @throws Error with the unsupported property
 */
export function s3aAddress(host: Host, conf: HadoopConf, bucket: string): BucketAddress {
  const property = s3aProperties(conf, bucket);
  if (property("encryption.algorithm")?.startsWith("CSE") === true)
    throw new Error(
      "fs.s3a.encryption.algorithm specifies client-side encryption, which only the Java client supports",
    );
  const isSecure = property("connection.ssl.enabled")?.toLowerCase() !== "false";
  const specified = property("endpoint");
  const endpoint =
    specified === undefined || specified === "s3.amazonaws.com" ? undefined : endpointOf(specified, isSecure);
  const region = property("endpoint.region") ?? regionIn(endpoint) ?? regionOf(host);
  const isRequested = property("path.style.access")?.toLowerCase() === "true";
  const isPathStyle = isRequested || (isSecure && endpoint === undefined && bucket.includes("."));
  const findProxy = findProxyOf(host, property, isSecure);
  const credentials = credentialsOf(host, property, { region, javaStore: conf.get(javaStoreKey) });
  return { bucket, endpoint, region, isPathStyle, findProxy, credentials };
}

/** Returns the proxy of the properties; by default that of the environment, as Amazon's client does. Source: Hadoop S3AUtils.initProxySupport. */
function findProxyOf({ env }: Host, property: S3aProperty, isSecure: boolean): BucketAddress["findProxy"] {
  const name = property("proxy.host");
  if (name === undefined) return (server) => proxyFor(server, env);
  const port = property("proxy.port") ?? (isSecure ? "443" : "80");
  const address = `${property("proxy.ssl.enabled")?.toLowerCase() === "true" ? "https" : "http"}://${name}:${port}`;
  if (!URL.canParse(address))
    throw new Error(`fs.s3a.proxy.host and fs.s3a.proxy.port are not a valid address: ${name}:${port}`);
  const proxy = new URL(address);
  proxy.username = encodeURIComponent(property("proxy.username") ?? "");
  proxy.password = encodeURIComponent(property("proxy.password") ?? "");
  return async () => proxy;
}

function endpointOf(text: string, isSecure: boolean): URL {
  const url = /^https?:\/\//.test(text) ? text : `${isSecure ? "https" : "http"}://${text}`;
  if (URL.canParse(url)) return new URL(url);
  throw new Error(`fs.s3a.endpoint is not a valid address: ${text}`);
}

function regionIn(endpoint: URL | undefined): string | undefined {
  return /^s3[.-]([a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com/.exec(endpoint?.hostname ?? "")?.[1];
}

function regionOf(host: Host): string | undefined {
  const { env } = host;
  return env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || readProfile(host, "default")?.get("region");
}

/** Default credentials providers of S3A, in order. Source: Hadoop core-default.xml. */
const defaultProviders =
  "TemporaryAWSCredentialsProvider,SimpleAWSCredentialsProvider,EnvironmentVariableCredentialsProvider,IAMInstanceCredentialsProvider";

/** Hadoop's credential store for all passwords. It matters only if no other S3 credentials are found. */
const javaStoreKey = "hadoop.security.credential.provider.path";

function credentialsOf(
  host: Host,
  property: S3aProperty,
  { region, javaStore }: { readonly region: string | undefined; readonly javaStore: string | undefined },
): BucketAddress["credentials"] {
  const specified = property("aws.credentials.provider");
  const names = (specified ?? defaultProviders).split(",").map((name) => name.trim().replace(/^.*[.$]/, ""));
  if (names.includes("AnonymousAWSCredentialsProvider")) return anonymous;
  const known = providers(host, property, region);
  const sources = names.map((name) => {
    const source = known[name];
    if (source !== undefined) return source;
    const others = Object.keys(known).join(", ");
    throw new Error(`fs.s3a.aws.credentials.provider names ${name}, which is not supported; use one of ${others}`);
  });
  const source = `fs.s3a.aws.credentials.provider (${names.join(", ")})`;
  const unread = javaStore === undefined ? "" : `; hadoop.${javaStoreOnly(javaStore)}`;
  return credentialChain(host.clock, sources.flat(), `${source}${unread}`);
}

/** Prints that a credential store can be read only by Java: it is sealed with Java's serialization. */
function javaStoreOnly(path: string): string {
  return `security.credential.provider.path names ${path}, which only Java can read. Set the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, with fs.s3a.aws.credentials.provider=software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider`;
}

function providers(
  host: Host,
  property: S3aProperty,
  region: string | undefined,
): Readonly<Record<string, readonly CredentialSource[]>> {
  const own = (): S3Credentials | undefined => {
    const [accessKeyId, secretAccessKey] = [property("access.key"), property("secret.key")];
    if (accessKeyId !== undefined && secretAccessKey !== undefined) return { accessKeyId, secretAccessKey };
    const path = property("security.credential.provider.path");
    if (path !== undefined) throw new Error(`fs.s3a.${javaStoreOnly(path)}`);
    return undefined;
  };
  const simple: CredentialSource = async () => own();
  const temporary: CredentialSource = async () => {
    const [keys, sessionToken] = [own(), property("session.token")];
    return keys === undefined || sessionToken === undefined ? undefined : { ...keys, sessionToken };
  };
  const environment = environmentSource(host);
  const web = webIdentitySource(host, region);
  const profile = profileSource(host, region);
  const instance = [containerSource(host), instanceSource(host)];
  const defaultChain = [environment, web, profile, ...instance];
  return {
    SimpleAWSCredentialsProvider: [simple],
    TemporaryAWSCredentialsProvider: [temporary],
    EnvironmentVariableCredentialsProvider: [environment],
    ProfileCredentialsProvider: [profile],
    ProfileAWSCredentialsProvider: [profile],
    ContainerCredentialsProvider: [containerSource(host)],
    IAMInstanceCredentialsProvider: instance,
    EC2ContainerCredentialsProviderWrapper: instance,
    InstanceProfileCredentialsProvider: [instanceSource(host)],
    WebIdentityTokenFileCredentialsProvider: [web],
    WebIdentityTokenCredentialsProvider: [web],
    DefaultCredentialsProvider: defaultChain,
    DefaultAWSCredentialsProviderChain: defaultChain,
  };
}
