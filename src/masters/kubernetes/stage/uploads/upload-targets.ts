import type { SparkConf } from "../../../../conf/spark-conf.ts";
import { type Issue, issue } from "../../../../errors/issue.ts";
import { messageOf } from "../../../../errors/submit-error.ts";
import type { Host } from "../../../../host/host.ts";
import { keytabLogin } from "../../../../resolve/keytab-login.ts";
import type { HadoopConf } from "../../../../values/hadoop-conf.ts";
import type { UploadTarget } from "./upload-target.ts";

/** Settings of the submission that owns uploads. */
export interface UploadOwner {
  readonly conf: SparkConf;
  readonly proxyUser?: string | undefined;
}

/** File systems of one submission, each opened for its first directory. */
export interface UploadTargets {
  readonly of: (directory: string) => Promise<UploadTarget>;
  readonly close: () => void;
}

type Open = (machine: Machine) => Promise<UploadTarget>;

interface Machine {
  readonly host: Host;
  readonly hadoop: () => Promise<HadoopConf>;
  readonly owner: UploadOwner;
}

const hdfs: Open = async ({ host, hadoop, owner }) => {
  const { conf, proxyUser: proxied } = owner;
  const { hdfsTarget } = await import("./hdfs-target.ts");
  return hdfsTarget(host, { conf: await hadoop(), login: keytabLogin(host, conf), proxied });
};

const targets: Readonly<Record<string, Open>> = {
  file: async ({ host }) => (await import("./file-target.ts")).fileTarget(host),
  http: async () => readOnly,
  https: async () => readOnly,
  s3a: async ({ host, hadoop }) => (await import("./s3a-target.ts")).s3aTarget(host, await hadoop()),
  hdfs,
  webhdfs: hdfs,
  swebhdfs: hdfs,
};

/** File system of web servers, which fails as in Spark: they are read-only. Source: Hadoop AbstractHttpFileSystem. */
const readOnly: UploadTarget = {
  upload: () => Promise.reject(new Error("java.lang.UnsupportedOperationException")),
  open: async () => undefined,
  remove: async () => {},
  close: () => {},
};

/** Returns the file systems for the uploads of a submission, by the schemes of their directories. */
export function uploadTargets(host: Host, owner: UploadOwner): UploadTargets {
  const opened = new Map<string, UploadTarget>();
  let known: HadoopConf | undefined;
  const hadoop = async () => {
    const { submissionHadoopConf } = await import("../../../../resolve/submission-hadoop-conf.ts");
    known ??= submissionHadoopConf(host, owner.conf);
    return known;
  };
  return {
    async of(directory) {
      const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(directory)?.[1]?.toLowerCase() ?? "file";
      const open = targets[scheme];
      if (open === undefined) throw new Error(`No FileSystem for scheme "${scheme}"`);
      const target = opened.get(scheme) ?? (await open({ host, hadoop, owner }));
      opened.set(scheme, target);
      return target;
    },
    close() {
      for (const target of opened.values()) target.close();
    },
  };
}

/** Removes directories of uploads. @returns an issue for each directory that could not be removed */
export async function removeDirectories(
  targets: UploadTargets,
  directories: readonly string[],
): Promise<readonly Issue[]> {
  const left: Issue[] = [];
  for (const directory of directories) {
    try {
      await (await targets.of(directory)).remove(directory);
    } catch (error) {
      left.push(issue("SUBMIT_ERR_UPLOAD_CLEANUP_INCOMPLETE", { directory, reason: messageOf(error) }));
    }
  }
  return left;
}
