import { shuffleServiceEnabled } from "../../conf/entries/shuffle.ts";
import { shuffleDirectories, shuffleProfile } from "../../conf/entries/shuffle-profile.ts";
import { defaultShuffleDirectory } from "../../conf/entries/shuffle-profile-settings.ts";
import { shuffleServiceEntries } from "../../conf/entries/shuffle-service.ts";
import type { SparkConf } from "../../conf/spark-conf.ts";
import { shuffleServiceAnnotation } from "../../kube/shuffle-service-annotation.ts";
import type { KubeResource, PodSpec } from "../../kube/types.ts";
import { isFields } from "../../values/fields.ts";
import { type Fetched, foundValue } from "../fetch/fetched.ts";
import { type Finding, ok, skipped } from "../finding.ts";
import { isPodSpec } from "../submission.ts";

/** Facts about shuffle services of the cluster. */
interface ShuffleFacts {
  /** Absent if the submission uses no service. */
  readonly shuffleServices: Fetched<readonly KubeResource[]> | undefined;
  readonly nodes: Fetched<readonly KubeResource[]>;
}

const check = "dynamic-allocation";

/** Reports that executors will not find a shuffle service on their nodes, or find one with another port or other directories. */
export function checkShuffleService(conf: SparkConf, { shuffleServices, nodes }: ShuffleFacts): readonly Finding[] {
  if (!conf.readOrAbsent(shuffleServiceEnabled) || shuffleServices === undefined) return [];
  const annotated = (foundValue(nodes) ?? []).filter(
    ({ metadata }) => metadata.annotations?.[shuffleServiceAnnotation] !== undefined,
  );
  if (annotated.length > 0) {
    return [ok(check, `A shuffle service runs on ${annotated.map(({ metadata }) => metadata.name).join(", ")}.`)];
  }
  if (shuffleServices.kind === "unknown") {
    const fix =
      "For this check, ask an administrator for the permission to list DaemonSets: firesteel setup namespace … --allow doctor.";
    return [skipped(check, `Whether nodes have a shuffle service was not checked: ${shuffleServices.reason}`, fix)];
  }
  const services = (foundValue(shuffleServices) ?? []).map(serviceOf);
  return services.length === 0 ? [missing(conf)] : misfits(conf, services);
}

/** DaemonSet of the Helm chart. */
interface Service {
  readonly title: string;
  readonly ports: readonly number[];
  readonly directories: readonly string[];
  readonly ready: number;
  readonly desired: number;
}

function serviceOf({ metadata, spec, status }: KubeResource): Service {
  const template = isFields(spec) && isFields(spec["template"]) ? spec["template"]["spec"] : undefined;
  const pod: PodSpec = isPodSpec(template) ? template : { containers: [] };
  const count = (name: string) => (isFields(status) && typeof status[name] === "number" ? status[name] : 0);
  return {
    title: `${metadata.namespace ?? ""}/${metadata.name ?? ""}`,
    ports: pod.containers.flatMap(({ ports = [] }) =>
      ports.flatMap(({ name, containerPort }) => (name === "shuffle" ? containerPort : [])),
    ),
    directories: (pod.volumes ?? []).flatMap(({ hostPath }) => hostPath?.path ?? []),
    ready: count("numberReady"),
    desired: count("desiredNumberScheduled"),
  };
}

function missing(conf: SparkConf): Finding {
  const usesProfile = conf.readOrAbsent(shuffleProfile) === "service";
  return {
    ...{ check, status: "warning", cause: "executor-shuffle-service-missing" },
    key: usesProfile ? shuffleProfile.key : shuffleServiceEnabled.key,
    reason:
      "The cluster has no DaemonSet of Firesteel's shuffle service: executors end, unless another service runs on their nodes.",
    fix: `Install it with the Helm chart (shuffleService.enabled), or set ${shuffleProfile.key} to tracking, which needs no service.`,
  };
}

/** Reports how services differ from what executors look for. */
function misfits(conf: SparkConf, services: readonly Service[]): readonly Finding[] {
  const problem = (key: string, reason: string, fix: string): Finding => ({
    ...{ check, status: "warning", cause: "executor-shuffle-service-missing", key, reason, fix },
  });
  const port = conf.readOrAbsent(shuffleServiceEntries.port);
  const reachable = services.filter(({ ports }) => ports.includes(port));
  const [first] = services;
  const [service] = reachable;
  if (service === undefined) {
    const other = first?.ports.join(", ") ?? "";
    const reason = `The shuffle service ${first?.title} has the port ${other}, but executors look for it at ${port}.`;
    return [problem(shuffleServiceEntries.port.key, reason, `Set it to ${other}.`)];
  }
  const required =
    conf.readOrAbsent(shuffleProfile) === "service"
      ? (conf.readOrAbsent(shuffleDirectories) ?? [defaultShuffleDirectory])
      : [];
  const absent = required.filter((path) => !service.directories.includes(path.replace(/(?<=.)\/+$/, "")));
  if (absent.length > 0) {
    const reason = `The shuffle service ${service.title} does not serve ${absent.join(", ")}: it rejects executors.`;
    const fix = `Set it to directories of the service: ${service.directories.join(", ")}.`;
    return [problem(shuffleDirectories.key, reason, fix)];
  }
  if (service.ready < service.desired) {
    const reason = `The shuffle service ${service.title} is ready on ${service.ready} of ${service.desired} nodes: executors on the others end.`;
    return [problem(shuffleProfile.key, reason, "Wait until all its pods are ready, or read their logs.")];
  }
  return [ok(check, `The shuffle service ${service.title} is ready on ${service.ready} nodes.`)];
}
