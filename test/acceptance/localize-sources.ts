import type { LocalizeSource } from "../../src/staging-client/localize-config.ts";
import { secret } from "./localize.ts";

/** Source of the bundle that `bundleServer` serves. */
export function bundleSource(server: string, tokenFile = secret()): LocalizeSource {
  return { kind: "bundle", server, bundleId: "b1", tokenFile };
}

/** Source of files by their URLs, or lists of URLs, named `f0`, `f1` and so on. */
export function remoteSource(...uris: readonly (string | readonly string[])[]): LocalizeSource {
  const entries = uris.map((_, index) => ({ kind: "file" as const, name: `f${index}` }));
  return { kind: "remote", urlsFile: secret(JSON.stringify(uris)), entries };
}

/** Contents of a bundle with files of each kind. */
export const bundleContents = {
  "jars/app.jar": Buffer.alloc(300_000, "jar"),
  "files/conf.json": "{}",
  "files/empty": "",
  "files/run.sh": "#!/bin/sh\n",
  "pyfiles/a.zip": "zip",
  "archives/env.tar.gz": "archive",
};

/** Modes of the files and directories of the bundle's contents after a run. */
export const placedModes = {
  "archives/": "755",
  "archives/env.tar.gz": "644",
  "files/": "755",
  "files/conf.json": "644",
  "files/empty": "644",
  "files/run.sh": "755",
  "jars/": "755",
  "jars/app.jar": "644",
  "pyfiles/": "755",
  "pyfiles/a.zip": "644",
};
