import type { CauseName } from "../causes.ts";

/** Reason for a failed image pull: the messages of containerd, CRI-O, Docker and the registries, and the advice. */
export interface PullProblem {
  readonly cause: CauseName;
  readonly pattern: RegExp;
  /** Returns `false` if the kubelet retries and may succeed. */
  readonly isTerminal: (text: string) => boolean;
  /** Text after the name of the image. */
  readonly problem: string;
  readonly remedy: string;
}

const always = () => true;
const never = () => false;

/** Problems in order of precedence: the first match applies, because registries wrap one reason in another. */
export const pullProblems: readonly PullProblem[] = [
  {
    // The kubelet reads capitals before the first slash as a host, but the runtime does not.
    cause: "image-name-invalid",
    pattern: /invalid reference format|failed to parse image reference|couldn't parse image name/i,
    isTerminal: always,
    problem: "has a name that is not valid",
    remedy: "Repository names are lower case; correct the name of the image.",
  },
  {
    cause: "image-rate-limited",
    pattern: /toomanyrequests|too many requests|\b429\b|pull rate limit/i,
    isTerminal: never,
    problem: "is not served for now: the registry limits how often images are pulled",
    remedy: "Wait, log in to the registry with a pull secret, or use a mirror.",
  },
  {
    cause: "image-registry-tls",
    pattern:
      /x509:|tls: (?!.*handshake timeout)|server gave HTTP response to HTTPS client|certificate (?:is|has|signed)/i,
    isTerminal: always,
    problem: "cannot be pulled, as TLS between the node and the registry fails",
    remedy: "Install the authority of the registry on the nodes, or use a registry with a trusted certificate.",
  },
  {
    cause: "image-wrong-platform",
    pattern:
      /no match for platform|no matching manifest for|does not match the specified platform|no image found in (?:manifest list|image index) for architecture|choosing an? image from (?:manifest list|image index)|cannot be used on this platform/i,
    isTerminal: always,
    problem: "has no variant for the platform of the node",
    remedy: "Build the image for the platform of the nodes too, or select nodes of its platform.",
  },
  {
    cause: "image-unauthorized",
    pattern:
      /\b401\b|\b403\b(?! page)|unauthorized|\bdenied\b|forbidden|no basic auth credentials|insufficient_scope|authentication required|authorization (?:failed|required)|failed to authorize(?!.*(?:dial|lookup|timeout))|unable to retrieve auth token|invalid username\/password/i,
    isTerminal: always,
    problem: "is rejected by the registry: it requires a login, or denies access to this image",
    remedy: "Create a docker-registry secret with access to the repository, and name it as pull secret.",
  },
  {
    cause: "image-registry-error",
    pattern:
      /\b50[0-9]\b(?! ?ms)|internal server error|bad gateway|service unavailable|gateway time-?out|unexpected EOF/i,
    isTerminal: never,
    problem: "cannot be pulled, as the registry responds with a server error",
    remedy: "Check the registry; the kubelet retries automatically.",
  },
  {
    cause: "image-registry-unreachable",
    pattern:
      /no such host|connection refused|i\/o timeout|no route to host|network is unreachable|server misbehaving|name resolution|handshake timeout|connection reset|dial tcp|context deadline exceeded|request canceled|Client\.Timeout|proxyconnect/i,
    isTerminal: (text) => /no such host|connection refused|no route to host/i.test(text),
    problem: "cannot be pulled, as the node does not reach the registry",
    remedy: "Correct the host name in the image, or open the connection from the nodes to the registry.",
  },
  {
    cause: "image-not-found",
    pattern:
      /not found|manifest unknown|manifest_unknown|name unknown|name_unknown|does not exist|\b404\b|no such image|unknown to registry/i,
    isTerminal: always,
    problem: "does not exist: the registry does not have it",
    remedy: "Correct the name or push the image, then submit again.",
  },
  {
    cause: "image-registry-error",
    pattern: /[\s\S]/,
    isTerminal: never,
    problem: "cannot be pulled",
    remedy: "Check the registry and the node; the kubelet retries automatically.",
  },
];

/** Finds the problem that a text describes. */
export function pullProblemIn(text: string): PullProblem | undefined {
  return pullProblems.find(({ pattern }) => pattern.test(text));
}
