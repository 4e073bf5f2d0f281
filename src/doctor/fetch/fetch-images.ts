import { resourceTypes } from "../../kube/resources.ts";
import type { Container, KubeResource } from "../../kube/types.ts";
import type { KubeClient } from "../../kube-client/client.ts";
import { fetchImage, type ImageFacts } from "../../registry/fetch-image.ts";
import { findPullCredentials, type PullCredentials } from "../../registry/pull-credentials.ts";
import type { SendToRegistry } from "../../registry/session.ts";
import { embeddedImageKind, embeddedRuntimePrefix } from "../../values/embedded-image.ts";
import { isFields } from "../../values/fields.ts";
import { type ImageReference, parseImageReference, printImageReference } from "../../values/image-reference.ts";
import type { PlannedPod, Role } from "../submission.ts";

/** An image of the application, and what its registry knows about it. */
export interface FetchedImage {
  /** As in the pod. */
  readonly image: string;
  readonly roles: readonly Role[];
  /**
   * `present`: a node has it, and does not pull it again. `notPulled`: no node has it, and none pulls it. `made`: the embedded cluster makes
   * it. `notLoaded`: the embedded cluster neither has nor makes it, and does not pull it.
   */
  readonly facts: ImageFacts | { readonly kind: "present" | "notPulled" | "invalid" | "made" | "notLoaded" };
}

/** Inputs that the images are fetched with. */
interface ImagesInput {
  readonly pods: readonly PlannedPod[];
  readonly nodes: readonly KubeResource[];
  readonly namespace: string;
  readonly send: SendToRegistry;
}

/** Fetches the facts about each image of the pods. */
export async function fetchImages(
  client: KubeClient,
  { pods, nodes, namespace, send }: ImagesInput,
): Promise<readonly FetchedImage[]> {
  const present = new Set(nodes.flatMap(imagesOf));
  const isEmbedded = nodes.length > 0 && nodes.every(isOfEmbeddedCluster);
  const names = [...new Set(pods.flatMap((pod) => containersOf(pod).map(({ image = "" }) => image)))];
  return Promise.all(
    names.map(async (image): Promise<FetchedImage> => {
      const users = pods.filter((pod) => containersOf(pod).some((container) => container.image === image));
      const roles = users.map(({ role }) => role);
      const parsed = parseImageReference(image);
      if ("problem" in parsed) return { image, roles, facts: { kind: "invalid" } };
      const containers = users.flatMap(containersOf).filter((container) => container.image === image);
      const { repository, tag = "" } = parsed;
      const digest = image.split("@")[1];
      const isPresent = present.has(printImageReference(parsed)) || present.has(`${repository}@${digest}`);
      if (isEmbedded) return { image, roles, facts: { kind: isPresent ? "present" : embeddedFacts(parsed) } };
      const isKept = containers.every(({ imagePullPolicy }) => imagePullPolicy !== "Always");
      if (isKept && isPresent) return { image, roles, facts: { kind: "present" } };
      if (containers.every(({ imagePullPolicy }) => imagePullPolicy === "Never"))
        return { image, roles, facts: { kind: "notPulled" } };
      const credentials = await fetchCredentials(client, { users, namespace, repository });
      const reference = digest ?? tag;
      return { image, roles, facts: await fetchImage(send, { repository, reference }, credentials) };
    }),
  );
}

/** Whether a node is one of an embedded cluster, which has no registry. */
function isOfEmbeddedCluster({ status }: KubeResource): boolean {
  const info = isFields(status) ? status["nodeInfo"] : undefined;
  return isFields(info) && String(info["containerRuntimeVersion"]).startsWith(embeddedRuntimePrefix);
}

function embeddedFacts(reference: ImageReference): "made" | "notLoaded" {
  return embeddedImageKind(reference) === undefined ? "notLoaded" : "made";
}

function containersOf({ spec }: PlannedPod): readonly Container[] {
  return [...(spec.initContainers ?? []), ...spec.containers];
}

/** Names of the images that a node has. The kubelet reports the 50 largest. */
function imagesOf({ status }: KubeResource): readonly string[] {
  const images = isFields(status) && Array.isArray(status["images"]) ? status["images"].filter(isFields) : [];
  return images.flatMap(({ names }) => (Array.isArray(names) ? names.filter((name) => typeof name === "string") : []));
}

interface CredentialsInput {
  readonly users: readonly PlannedPod[];
  readonly namespace: string;
  readonly repository: string;
}

/** Reads the pull secrets of the pods, one after the other; `undefined` if none has credentials that this account may read. */
async function fetchCredentials(
  client: KubeClient,
  { users, namespace, repository }: CredentialsInput,
): Promise<PullCredentials | undefined> {
  const names = new Set(users.flatMap(({ spec }) => (spec.imagePullSecrets ?? []).map(({ name = "" }) => name)));
  for (const name of names) {
    const secret = await client
      .get<KubeResource>({ type: resourceTypes.secret, namespace, name })
      .catch(() => undefined);
    const credentials = findPullCredentials(secret?.["data"], repository);
    if (credentials !== undefined) return credentials;
  }
  return undefined;
}
