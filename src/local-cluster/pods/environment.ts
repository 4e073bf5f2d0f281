import type { Container, EnvVar, StringMap } from "../../kube/types.ts";
import { ownMember } from "../../values/own-member.ts";
import type { Store } from "../api/store.ts";
import { homeOf } from "../images/account-files.ts";
import type { Image } from "../images/image.ts";
import { expandVariables } from "./expand-variables.ts";
import { type PodFacts, podField, resourceField } from "./pod-fields.ts";
import { serviceVariables } from "./service-variables.ts";
import { isConfigMap, isSecret, isService } from "./stored-object.ts";

interface EnvironmentSources {
  readonly store: Store;
  readonly facts: PodFacts;
  readonly container: Container;
  readonly image: Image;
  readonly uid: number;
  readonly hostname: string;
  readonly api: { readonly address: string; readonly port: number };
}

/** A container's variables and command line, or Kubernetes' message why they cannot be resolved. */
type ContainerEnvironment =
  | { readonly env: StringMap; readonly command: readonly string[] }
  | { readonly problem: string };

/**
 * Resolves a container's variables and its command.
 *
 * Services override the image's variables, `envFrom` overrides services, and `env` overrides `envFrom`. Values in
 * `env` may refer to earlier variables. Source: Kubernetes, "Define Environment Variables for a Container".
 */
export function containerEnvironment(sources: EnvironmentSources): ContainerEnvironment {
  const { container, image, facts, uid, hostname } = sources;
  const problems: string[] = [];
  const services = linkedServices(sources);
  const own = declaredVariables({ ...sources, reportProblem: (problem) => problems.push(problem) }, services);
  const [problem] = problems;
  if (problem !== undefined) return { problem };
  const fromFields = Object.entries(image.fieldEnv).map(([name, path]) => [name, podField(facts, path) ?? ""]);
  const known: StringMap = { ...services, ...own };
  const expand = (text: string) => expandVariables(text, (name) => ownMember(known, name));
  const { command = [], args = [] } = container;
  const entrypoint = command.length > 0 ? command.map(expand) : image.entrypoint;
  const rest = args.length > 0 ? args.map(expand) : command.length > 0 ? [] : image.command;
  return {
    env: {
      HOME: homeOf(image.users, uid),
      ...image.env,
      ...Object.fromEntries(fromFields),
      HOSTNAME: hostname,
      ...known,
    },
    command: [...entrypoint, ...rest],
  };
}

/** The sources, and a callback for missing ones. */
interface Resolution extends EnvironmentSources {
  readonly reportProblem: (problem: string) => void;
}

function declaredVariables(sources: Resolution, services: StringMap): StringMap {
  const { envFrom = [], env = [] } = sources.container;
  const result: Record<string, string> = {};
  for (const from of envFrom) Object.assign(result, sourceVariables(sources, from));
  for (const variable of env) {
    const known = (name: string) => ownMember(result, name) ?? ownMember(services, name);
    const { name, value: text = "", valueFrom: source } = variable;
    const value = source === undefined ? expandVariables(text, known) : valueFrom(sources, source);
    if (value !== undefined) result[name] = value;
  }
  return result;
}

function linkedServices({ store, facts, api }: EnvironmentSources): StringMap {
  const { pod } = facts;
  const result: Record<string, string> = {};
  if (pod.spec.enableServiceLinks !== false) {
    for (const service of store.list("services", pod.metadata.namespace).filter(isService)) {
      const address = service.spec?.clusterIP;
      if (address === undefined || address === "" || address === "None") continue;
      const ports = service.spec?.ports ?? [];
      Object.assign(result, serviceVariables({ name: service.metadata.name, address, ports }));
    }
  }
  const ports = [{ name: "https", port: api.port, protocol: "TCP" }];
  return { ...result, ...serviceVariables({ name: "kubernetes", address: api.address, ports }) };
}

type EnvFrom = NonNullable<Container["envFrom"]>[number];

function sourceVariables(sources: Resolution, from: EnvFrom): Record<string, string> {
  const { prefix = "", configMapRef, secretRef } = from;
  const data = {
    ...(configMapRef?.name === undefined ? {} : configMapData(sources, configMapRef)),
    ...(secretRef?.name === undefined ? {} : secretData(sources, secretRef)),
  };
  const usable = Object.entries(data).filter(([key]) => key !== "" && !key.includes("="));
  return Object.fromEntries(usable.map(([key, value]) => [`${prefix}${key}`, value]));
}

function valueFrom(
  sources: Resolution,
  { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef }: NonNullable<EnvVar["valueFrom"]>,
): string | undefined {
  const { facts, container } = sources;
  if (fieldRef !== undefined) {
    const value = podField(facts, fieldRef.fieldPath);
    if (value === undefined) sources.reportProblem(`unsupported fieldPath: ${fieldRef.fieldPath}`);
    return value;
  }
  if (resourceFieldRef !== undefined) {
    return resourceField(facts, resourceFieldRef, container);
  }
  if (configMapKeyRef !== undefined) {
    return keyOf(sources, "ConfigMap", configMapData(sources, configMapKeyRef), configMapKeyRef);
  }
  if (secretKeyRef !== undefined) {
    return keyOf(sources, "Secret", secretData(sources, secretKeyRef), secretKeyRef);
  }
  return undefined;
}

interface Reference {
  readonly name?: string;
  readonly optional?: boolean;
}

function keyOf(
  { facts, reportProblem }: Resolution,
  kind: "ConfigMap" | "Secret",
  data: StringMap | undefined,
  { name, key, optional }: Reference & { readonly key: string },
): string | undefined {
  const value = ownMember(data ?? {}, key);
  if (value === undefined && optional !== true) {
    reportProblem(`couldn't find key ${key} in ${kind} ${facts.pod.metadata.namespace}/${name ?? ""}`);
  }
  return value;
}

function configMapData(sources: Resolution, ref: Reference): StringMap | undefined {
  const object = findObject(sources, "configmap", ref);
  return object !== undefined && isConfigMap(object) ? (object.data ?? {}) : undefined;
}

function secretData(sources: Resolution, ref: Reference): StringMap | undefined {
  const object = findObject(sources, "secret", ref);
  if (object === undefined || !isSecret(object)) return undefined;
  return Object.fromEntries(
    Object.entries(object.data ?? {}).map(([key, value]) => [key, Buffer.from(value, "base64").toString("utf8")]),
  );
}

function findObject(
  { store, facts, reportProblem }: Resolution,
  kind: "configmap" | "secret",
  { name = "", optional }: Reference,
) {
  const object = store.get(`${kind}s`, facts.pod.metadata.namespace, name);
  if (object === undefined && optional !== true) reportProblem(`${kind} "${name}" not found`);
  return object;
}
