import { createHmac, timingSafeEqual } from "node:crypto";
import { absolutePath } from "../../../host/absolute-path.ts";
import type { Host } from "../../../host/host.ts";
import type { Pod } from "../../../kube/types.ts";
import { archiveAnnotation } from "../../../plan/archive-annotation.ts";
import { type ArchiveLocation, parseArchiveLocation, printArchiveLocation } from "../../../values/archive-location.ts";

/**
 * Builds the value of the annotation, `<signature> <location>`. `undefined` for an invalid location.
 *
 * The cluster writes files as its user. The signature proves that its user specified the location: any pod with permission to create
 * pods could add an annotation.
 *
 * @param key secret that only the user of the cluster has
 */
export function signArchiveRequest(host: Host, text: string, key: string): string | undefined {
  const location = parseArchiveLocation(text);
  if (location === undefined) return undefined;
  const absolute = printAbsolute(host, location);
  return `${signature(absolute, key)} ${absolute}`;
}

/** Returns the location that the annotation of a driver requests, if its signature is valid. */
export function archiveRequestOf(pod: Pod, key: string): string | undefined {
  const [signed = "", location] = split(pod);
  if (location === undefined) return undefined;
  const [actual, expected] = [Buffer.from(signed), Buffer.from(signature(location, key))];
  return actual.length === expected.length && timingSafeEqual(actual, expected) ? location : undefined;
}

/** Whether the cluster of a driver writes its bundle to a location. */
export function isArchivedByCluster(host: Host, pod: Pod, location: ArchiveLocation): boolean {
  return split(pod)[1] === printAbsolute(host, location);
}

function split({ metadata }: Pod): readonly string[] {
  return metadata?.annotations?.[archiveAnnotation]?.split(/ (.*)/s) ?? [];
}

function printAbsolute(host: Host, location: ArchiveLocation): string {
  return location.kind === "directory" ? absolutePath(host, location.path) : printArchiveLocation(location);
}

function signature(location: string, key: string): string {
  return createHmac("sha256", key).update(`${archiveAnnotation} ${location}`).digest("hex");
}
