/** Target of the bundles of applications. */
export type ArchiveLocation =
  /** Directory of this machine; relative paths start at the working directory. */
  | { readonly kind: "directory"; readonly path: string }
  /** Directory of a bucket or of a Hadoop file system. */
  | { readonly kind: "store"; readonly scheme: (typeof storeSchemes)[number]; readonly uri: string }
  /** Directory of a PersistentVolumeClaim in the namespace of the driver; the path has no slash at its ends. */
  | { readonly kind: "claim"; readonly claim: string; readonly path: string };

const storeSchemes = ["s3a", "hdfs", "webhdfs", "swebhdfs"] as const;
const claimForm = /^pvc:([a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)((?:\/[A-Za-z0-9._-]+)*)\/?$/;

/** Parses a value of `spark.firesteel.archive`: `DIR`, `file:///DIR`, `s3a://BUCKET/DIR` and other stores, `pvc:CLAIM/DIR`. `undefined` for other texts. */
export function parseArchiveLocation(text: string): ArchiveLocation | undefined {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]+):/.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return text === "" ? undefined : { kind: "directory", path: text };
  if (scheme === "pvc") {
    const [, claim, path = ""] = claimForm.exec(text) ?? [];
    const names = path.split("/").slice(1);
    return claim === undefined || names.some((name) => /^\.+$/.test(name))
      ? undefined
      : { kind: "claim", claim, path: names.join("/") };
  }
  if (scheme === "file") {
    const path = text.replace(/^file:(\/\/(localhost)?(?=\/))?/i, "");
    return path.startsWith("/") ? { kind: "directory", path } : undefined;
  }
  const store = storeSchemes.find((known) => known === scheme);
  const uri = text.replace(/\/+$/, "");
  return store === undefined || !/^[^:]+:\/\/[^/]+/.test(uri) ? undefined : { kind: "store", scheme: store, uri };
}

/** Prints a location. */
export function printArchiveLocation(location: ArchiveLocation): string {
  if (location.kind === "directory") return location.path;
  if (location.kind === "store") return location.uri;
  return `pvc:${location.claim}${location.path === "" ? "" : `/${location.path}`}`;
}
