import { createHash } from "node:crypto";
import type { Host } from "../host/host.ts";
import type { OwnTranslation } from "../spark-application/own/translate-own.ts";
import { parseDependencyUri } from "../values/dependency-uri.ts";

/** Digests of the files of this machine that a submission names, by path. */
export function localContents(
  { cwd, files }: Host,
  { fields, resource }: Pick<OwnTranslation, "fields" | "resource">,
): Readonly<Record<string, string>> {
  const lists = [fields.jars, fields.files, fields.archives, fields.pyFiles];
  const named = [resource, ...lists.flatMap((list) => (list ?? "").split(","))].filter((path) => path !== "");
  const digests = named.flatMap((name) => {
    const uri = parseDependencyUri(name);
    if (uri.kind !== "submitterLocal") return [];
    const path = uri.path.startsWith("/") ? uri.path : `${cwd}/${uri.path}`;
    if (files.info(path)?.kind !== "file") return [];
    return [
      [
        name,
        createHash("sha256")
          .update(files.readBytes(path) ?? "")
          .digest("hex"),
      ],
    ];
  });
  return Object.fromEntries(digests);
}
