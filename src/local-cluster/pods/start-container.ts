import type { Container } from "../../kube/types.ts";
import { isWithin } from "../../values/is-within.ts";
import { withUser } from "../images/account-files.ts";
import type { Image } from "../images/image.ts";
import { capabilitiesOf } from "../sandbox/capabilities.ts";
import { cleanPath } from "../sandbox/container-path.ts";
import { boundsOf } from "../sandbox/resource-bounds.ts";
import type { ContainerStart, Mount } from "../sandbox/sandbox.ts";
import { containerEnvironment } from "./environment.ts";
import { hostnameOf } from "./hosts-file.ts";
import type { NodeContext } from "./node-context.ts";
import { oomScoreAdjustment } from "./oom-score.ts";
import type { PodEvent } from "./pod-events.ts";
import type { PodFacts } from "./pod-fields.ts";
import { resolverFile } from "./resolver-file.ts";
import type { PodVolumes } from "./volumes.ts";

interface ContainerAttempt {
  readonly facts: PodFacts;
  readonly container: Container;
  readonly volumes: PodVolumes;
  readonly hostsFile: string;
  /** Directory of this run alone. */
  readonly directory: string;
  /** Resolved image. */
  readonly image: Image;
  readonly onOutput: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
  readonly record: (event: PodEvent) => void;
}

/** Result of an attempt: a start, or the reason why the container was not created. */
type AttemptResult = ContainerStart | NotCreated;

interface NotCreated {
  readonly notCreated: string;
  readonly reason: "CreateContainerConfigError" | "CreateContainerError";
}

type NodeParts = Pick<NodeContext, "host" | "store" | "sandbox" | "api" | "isFake" | "network">;

/** File in a run's directory that receives the container's termination message. */
export const terminationLog = "termination-log";

/** Resolves the container's configuration and starts it. Never rejects: one pod must not end the cluster. */
export async function startContainerProcess(context: NodeParts, attempt: ContainerAttempt): Promise<AttemptResult> {
  try {
    return await resolveAndStart(context, attempt);
  } catch (error) {
    const notCreated = error instanceof Error ? error.message : String(error);
    return { notCreated, reason: "CreateContainerError" };
  }
}

async function resolveAndStart(
  { host, store, sandbox, api, isFake, network }: NodeParts,
  attempt: ContainerAttempt,
): Promise<AttemptResult> {
  const { facts, container, volumes, image, directory, record } = attempt;
  const { pod } = facts;
  const user = userOf(attempt);
  if ("problem" in user) return misconfigured(user.problem);
  const hostname = hostnameOf(pod);
  const environment = containerEnvironment({ store, facts, container, image, uid: user.uid, hostname, api });
  if ("problem" in environment) return misconfigured(environment.problem);
  const mounted = volumes.mountsOf(container, environment.env);
  if ("problem" in mounted) return misconfigured(mounted.problem);
  const [command, ...args] = environment.command;
  if (command === undefined) return misconfigured("no command specified");
  // The pods' own network has the cluster's DNS server; in this machine's, its port may require privileges or be in use.
  const dnsAddress = network.bind === undefined ? undefined : api.address;
  record({ type: "Normal", reason: "Created", message: "Container created" });
  if (!isFake) host.files.makeDirectory(directory, { mode: 0o700 });
  return sandbox.start({
    id: `${pod.metadata.namespace}/${pod.metadata.name}/${container.name}`,
    directory,
    command: [command, ...args],
    env: environment.env,
    workingDirectory: cleanPath(container.workingDir ?? image.workingDirectory),
    hostname,
    ...user,
    capabilities: capabilitiesOf(container.securityContext?.capabilities ?? {}),
    bounds: boundsOf(container),
    networkEntry: pod.spec.hostNetwork === true ? [] : await network.entry(facts.address),
    oomScoreAdjustment: oomScoreAdjustment(pod.spec, container, host.machine.memoryBytes),
    isRootReadOnly: container.securityContext?.readOnlyRootFilesystem === true,
    mounts: isFake
      ? []
      : withShownAgain(image.mounts, [...ownFiles(host.files, { ...attempt, dnsAddress }, user), ...mounted.mounts]),
    annotations: pod.metadata.annotations ?? {},
    onOutput: attempt.onOutput,
    hasInput: container.stdin === true,
  });
}

/**
 * Adds a container's mounts to those of its image, and mounts again what a mask hides: the uploads of submissions are next to the
 * cluster's keys.
 */
function withShownAgain(ofImage: readonly Mount[], own: readonly Mount[]): readonly Mount[] {
  const masks = own.filter((mount) => mount.kind === "temporary" && mount.isMask === true);
  const hidden = ofImage.filter(({ target }) => masks.some((mask) => isWithin(target, mask.target)));
  return [...ofImage, ...own, ...hidden];
}

function misconfigured(problem: string): NotCreated {
  return { notCreated: problem, reason: "CreateContainerConfigError" };
}

/** Creates the files that Kubernetes manages in every container, mounted before the volumes. */
function ownFiles(
  files: NodeContext["host"]["files"],
  {
    facts,
    container,
    image,
    directory,
    hostsFile,
    dnsAddress,
  }: ContainerAttempt & { readonly dnsAddress: string | undefined },
  user: { readonly uid: number; readonly gid: number },
): Mount[] {
  const file = (name: string, content: string, mode: number) => {
    files.write(`${directory}/${name}`, content);
    files.changeMode(`${directory}/${name}`, mode);
    return `${directory}/${name}`;
  };
  const ownResolver = resolverFile(files, facts.pod, dnsAddress);
  const resolver =
    ownResolver === undefined ? files.realPath("/etc/resolv.conf") : file("resolv.conf", ownResolver, 0o644);
  const bind = (source: string, target: string, readOnly = true): Mount => ({ kind: "bind", source, target, readOnly });
  const messagePath = cleanPath(container.terminationMessagePath ?? "/dev/termination-log");
  return [
    bind(hostsFile, "/etc/hosts"),
    bind(file("hostname", `${hostnameOf(facts.pod)}\n`, 0o644), "/etc/hostname"),
    bind(file("passwd", withUser(image.users, user), 0o644), "/etc/passwd"),
    ...(resolver === undefined ? [] : [bind(resolver, "/etc/resolv.conf")]),
    bind(file(terminationLog, "", 0o666), messagePath, false),
  ];
}

function userOf({ facts, container, image }: ContainerAttempt) {
  const { metadata, spec } = facts.pod;
  const podContext = spec.securityContext ?? {};
  const own = container.securityContext ?? {};
  const uid = own.runAsUser ?? podContext.runAsUser ?? image.uid;
  const gid = own.runAsGroup ?? podContext.runAsGroup ?? (uid === image.uid ? image.gid : 0);
  if (uid === 0 && (own.runAsNonRoot ?? podContext.runAsNonRoot) === true) {
    const pod = `pod: "${metadata.name}_${metadata.namespace}(${metadata.uid})", container: ${container.name}`;
    const isExplicit = (own.runAsUser ?? podContext.runAsUser) !== undefined;
    const why = isExplicit
      ? "container's runAsUser breaks non-root policy"
      : "container has runAsNonRoot and image will run as root";
    return { problem: `${why} (${pod})` };
  }
  const fsGroup = podContext.fsGroup === undefined ? [] : [podContext.fsGroup];
  return { uid, gid, groups: [...fsGroup, ...(podContext.supplementalGroups ?? [])] };
}
