import type { Files, Host, TextSink } from "../../host/host.ts";
import { overrideHost } from "../../host/override-host.ts";
import { withFiles } from "../../host/with-files.ts";

interface IsolatedHost {
  /** User of the application: its variable `SPARK_USER`. */
  readonly user: string;
  /** Files by absolute path: all that exist. */
  readonly files: ReadonlyMap<string, string>;
  /** Receives what a submission writes to stderr, one text for each write. */
  readonly onOutput: (text: string) => void;
}

/** Returns a machine without files, variables and programs: a submission of a client must not read those of the server. */
export function isolatedHost(host: Host, { user, files, onOutput }: IsolatedHost): Host {
  const sink = (write: TextSink["write"]): TextSink => ({ isTerminal: false, columns: 80, write });
  const isolated = overrideHost(host, {
    ...{ argv: [], env: {}, cwd: "/", files: noFiles, isInputTerminal: false },
    user: { name: user, uid: -1, gid: -1, home: "/" },
    stdout: sink(() => {}),
    stderr: sink((text) => onOutput(Buffer.from(text).toString("utf8"))),
    onSignal: () => () => {},
    spawn: () => rejectUse("start a program"),
    importModule: async () => rejectUse("load a module"),
  });
  return withFiles(isolated, files);
}

const noFiles: Files = {
  ...{ readText: () => undefined, readBytes: () => undefined, readRange: () => undefined },
  ...{ list: () => undefined, info: () => undefined, realPath: () => undefined, readLink: () => undefined },
  ...{ identity: () => undefined, openDirectory: () => undefined },
  write: () => rejectUse("write a file"),
  append: () => rejectUse("write a file"),
  makeDirectory: () => rejectUse("create a directory"),
  openAppend: async () => rejectUse("write a file"),
  makeTemporaryDirectory: () => rejectUse("create a directory"),
  freeBytes: () => 0,
  temporaryRoot: "/tmp",
  link: () => rejectUse("create a link"),
  hardLink: () => rejectUse("create a link"),
  rename: () => rejectUse("rename a file"),
  changeMode: () => rejectUse("change a file"),
  changeModified: () => rejectUse("change a file"),
  changeOwner: () => rejectUse("change a file"),
  copy: () => rejectUse("copy a file"),
  remove: () => {},
};

function rejectUse(action: string): never {
  throw new Error(`A submission through the gateway must not ${action} on its server.`);
}
