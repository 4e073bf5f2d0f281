import { orThrow } from "../../../../errors/submit-error.ts";
import { type HdfsAddress, hdfsAddressOf, hdfsPathOf } from "../../../../hadoop/name-nodes.ts";
import { obtainTokens, tokenServiceOf } from "../../../../hadoop/obtain-tokens.ts";
import { openAccess } from "../../../../hadoop/open-access.ts";
import { isSecure } from "../../../../hadoop/security.ts";
import { openWebHdfs, type WebHdfs } from "../../../../hadoop/webhdfs.ts";
import { keytabLogin } from "../../../../resolve/keytab-login.ts";
import { type DelegationToken, parseTokenStorage } from "../../../../values/delegation-token.ts";
import type { HadoopConf } from "../../../../values/hadoop-conf.ts";
import type { TransferCall } from "../transfer/transfer-files.ts";
import type { RemoteFileSystem } from "./remote-file-system.ts";

/** An HDFS, and the token with which the init container reads it; without Kerberos, it needs none. */
interface OpenedHdfs {
  readonly hdfs: WebHdfs;
  readonly token: DelegationToken | undefined;
}

/**
 * Opens an HDFS over WebHDFS, whose URLs the init container fetches as the same user. With Kerberos, the URLs contain a delegation
 * token: that of the driver, else one of their own, which nothing renews.
 *
 * Rejects with SUBMIT_ERR_KERBEROS_….
 */
export async function remoteHdfs(
  call: Pick<TransferCall, "host" | "log" | "driver" | "signal">,
  hadoop: HadoopConf,
): Promise<RemoteFileSystem> {
  const { host, log, driver, signal } = call;
  const login = keytabLogin(host, driver.conf);
  const access = await openAccess(host, { conf: hadoop, login, proxied: driver.proxyUser });
  const known = driverTokens(driver);
  const cancellations: (() => Promise<void>)[] = [];
  const tokenFor = async ({ uri }: HdfsAddress) => {
    if (!isSecure(hadoop)) return undefined;
    const service = await tokenServiceOf(host, uri, hadoop);
    const existing = known.get(service);
    if (existing !== undefined) return existing;
    const unrenewed = { renewer: "", unrenewed: [], known: new Set<string>() };
    const obtained = await obtainTokens(host, { log, conf: hadoop, access, fileSystems: [uri], signal, ...unrenewed });
    cancellations.push(obtained.cancel);
    return obtained.tokens.get(service);
  };
  const open = async (address: HdfsAddress): Promise<OpenedHdfs> => ({
    hdfs: openWebHdfs(host, { address, ...access, signal }),
    token: await tokenFor(address),
  });
  const opened = new Map<string, Promise<OpenedHdfs>>();
  return {
    async urlsOf(uri) {
      const address = orThrow(hdfsAddressOf(uri, hadoop));
      const opening = opened.get(address.uri) ?? open(address);
      opened.set(address.uri, opening);
      const { hdfs, token } = await opening;
      const path = hdfsPathOf(uri);
      const status = await hdfs.status(path);
      if (status === undefined) throw new Error("the file does not exist");
      if (status.kind === "directory") throw new Error("it is a directory");
      return hdfs.contentUrls(path, token);
    },
    async withdraw() {
      for (const cancel of cancellations) await cancel();
    },
    close: access.close,
  };
}

/** Returns the tokens that the submission obtained for the driver, by service. */
function driverTokens({ facts }: TransferCall["driver"]): ReadonlyMap<string, DelegationToken> {
  const bytes = facts.kerberos.login?.tokens;
  return bytes === undefined ? new Map() : parseTokenStorage(bytes).tokens;
}
