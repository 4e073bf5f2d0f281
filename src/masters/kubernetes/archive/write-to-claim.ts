import type { Clock, Files } from "../../../host/host.ts";
import { forbiddenCode } from "../../../kube/forbidden-code.ts";
import { ownedBy } from "../../../kube/owner-reference.ts";
import { isFinalPhase } from "../../../kube/pod-phase.ts";
import { resourceTypes } from "../../../kube/resources.ts";
import { statusOf } from "../../../kube/status.ts";
import type { KubeResource, Pod } from "../../../kube/types.ts";
import type { KubeClient } from "../../../kube-client/client.ts";
import type { BundleTarget } from "./bundle-target.ts";

interface ClaimFile {
  readonly claim: string;
  /** Path below the root of the claim. */
  readonly file: string;
  /** Path on this machine. */
  readonly path: string;
  readonly sizeBytes: number;
}

const container = "archive";
const mountPath = "/archive";
const startTimeoutMs = 120_000;
const pollMs = 500;
/** The pod ends by itself if this program is killed. */
const maxPodSeconds = 1800;
/** Another client can archive the same driver. */
const suffixChars = 8;
/** Limit of a pod's name that can be a host name. */
const maxNameChars = 63;
const pieceBytes = 32 * 1024;

/**
 * Writes a file of a size under another name first: readers of the claim must not find an incomplete bundle. The input also ends when
 * the connection does. Its arguments are the path, the size, and a suffix that no other pod has.
 */
const script = `set -e
mkdir -p "$(dirname "$1")"
draft="$1.$3.tmp"
trap 'rm -f "$draft"' EXIT
umask 027
head -c "$2" > "$draft"
[ "$(wc -c < "$draft")" -eq "$2" ] || { echo "only a part of the bundle arrived" >&2; exit 1; }
mv "$draft" "$1"`;

/**
 * Writes a file to a PersistentVolumeClaim, through a pod with the driver's image that mounts it. Deletes the pod.
 *
 * @throws SUBMIT_ERR_KUBE_…, Error with the reason
 */
export async function writeToClaim(
  { client, driver, host, signal }: Pick<BundleTarget, "client" | "driver" | "host" | "signal">,
  file: ClaimFile,
): Promise<void> {
  const suffix = host.random.uuid().slice(0, suffixChars);
  const object = claimPod(driver, file.claim, suffix);
  const { namespace = "", name = "" } = object.metadata;
  const pod = { type: resourceTypes.pod, namespace, name };
  try {
    await client.create({ ...pod, object, ...(signal !== undefined && { signal }) });
    try {
      await untilRunning({ client, clock: host.clock, signal, ...pod });
      await client.runInPod({
        ...{ namespace, pod: name, container, signal },
        command: ["/bin/sh", "-c", script, "sh", `${mountPath}/${file.file}`, String(file.sizeBytes), suffix],
        input: piecesOf(host.files, file),
      });
    } finally {
      await client.delete({ ...pod, gracePeriodSeconds: 0 }).catch(() => {});
    }
  } catch (error) {
    throw withPermissionHint(error, namespace);
  }
}

/** Names the command that grants the permissions, if the account lacks them. */
function withPermissionHint(error: unknown, namespace: string): unknown {
  const status = statusOf(error);
  if (status?.code !== 403 || forbiddenCode(status) !== "SUBMIT_ERR_KUBE_FORBIDDEN") return error;
  const reason = (status.message ?? "").replace(/\.$/, "");
  const command = `firesteel setup namespace ${namespace} --allow archive`;
  return new Error(`${reason}. To grant the permission, an administrator runs: ${command}`, { cause: error });
}

/** Builds a pod that runs where and as the driver ran, and sleeps. */
function claimPod({ metadata = {}, spec }: Pod, claim: string, suffix: string): KubeResource {
  const { namespace = "", name = "", uid, deletionTimestamp } = metadata;
  const [main] = spec?.containers ?? [];
  const ending = `-archive-${suffix}`;
  const inherited = [
    "imagePullSecrets",
    "nodeSelector",
    "tolerations",
    "securityContext",
    "serviceAccountName",
  ] as const;
  const pod: KubeResource = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...{ name: `${name.slice(0, maxNameChars - ending.length).replace(/[-.]+$/, "")}${ending}`, namespace },
      labels: { "app.kubernetes.io/managed-by": "firesteel" },
    },
    spec: {
      ...Object.fromEntries(inherited.flatMap((key) => (spec?.[key] === undefined ? [] : [[key, spec[key]]]))),
      ...{ restartPolicy: "Never", automountServiceAccountToken: false, activeDeadlineSeconds: maxPodSeconds },
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          ...{
            name: container,
            image: main?.image ?? "",
            ...(main?.imagePullPolicy !== undefined && { imagePullPolicy: main.imagePullPolicy }),
          },
          ...(main?.securityContext !== undefined && { securityContext: main.securityContext }),
          command: ["/bin/sh", "-c", `exec sleep ${maxPodSeconds}`],
          volumeMounts: [{ name: "archive", mountPath }],
          resources: { requests: { cpu: "10m", memory: "32Mi" }, limits: { cpu: "500m", memory: "128Mi" } },
        },
      ],
      volumes: [{ name: "archive", persistentVolumeClaim: { claimName: claim } }],
    },
  };
  // The garbage collector would delete a pod whose owner does not exist.
  return uid === undefined || deletionTimestamp !== undefined ? pod : ownedBy(pod, { metadata });
}

interface StartingPod {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly type: typeof resourceTypes.pod;
  readonly namespace: string;
  readonly name: string;
  readonly signal: AbortSignal | undefined;
}

async function untilRunning({ client, clock, signal, ...target }: StartingPod): Promise<void> {
  const end = clock.monotonic() + startTimeoutMs;
  for (;;) {
    const { status } = await client.get<Pod>(target);
    if (status?.containerStatuses?.some(({ state }) => state?.running !== undefined) === true) return;
    const waiting = status?.conditions?.find(({ status: value }) => value === "False")?.message;
    const reason = waiting ?? status?.message ?? status?.phase ?? "";
    const missing = /persistentvolumeclaims? "[^"]+" (?:not found|is being deleted)/.exec(reason)?.[0];
    if (missing !== undefined) throw new Error(missing);
    if (isFinalPhase(status?.phase)) throw new Error(`the pod ${target.name} ended: ${reason}`);
    if (clock.monotonic() > end) throw new Error(`the pod ${target.name} did not start in 2 min: ${reason}`);
    if (signal?.aborted === true) throw new Error("it was interrupted");
    await clock.sleep(pollMs, signal === undefined ? {} : { signal });
  }
}

function* piecesOf(files: Files, { path, sizeBytes }: ClaimFile): Generator<Uint8Array> {
  for (let offset = 0; offset < sizeBytes; offset += pieceBytes) {
    yield files.readRange(path, offset, Math.min(pieceBytes, sizeBytes - offset)) ?? new Uint8Array();
  }
}
