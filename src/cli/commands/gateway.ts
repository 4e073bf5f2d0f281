import { namespace as namespaceEntry } from "../../conf/entries/submission.ts";
import { issue } from "../../errors/issue.ts";
import { throwIssues } from "../../errors/submit-error.ts";
import type { Host } from "../../host/host.ts";
import { printMaster } from "../../masters/kubernetes/connect/connection-options.ts";
import { readSettings } from "../../resolve/read-settings.ts";
import { withEmbedded, withLauncherEnvironment } from "../environment.ts";
import { exitCodes } from "../exit-codes.ts";
import { isHelpRequest } from "../is-help-request.ts";
import { packageDirectory } from "../package-directory.ts";
import { parseCommandLineSettings } from "../parse-command-line-settings.ts";
import { parseInterleavedArgs } from "../parse-interleaved-args.ts";
import { withCluster } from "../with-cluster.ts";
import { gatewayFlags, gatewayValues } from "./gateway/gateway-options.ts";

const usage = `Usage: firesteel gateway [options]

Serve submissions over HTTP on one port: Livy's batches, the standalone REST protocol, the submitter of the Spark
operator, and Firesteel's own API. Applications run on Kubernetes in cluster mode. Run until SIGTERM or SIGINT. Log to
stdout, one line of JSON per entry.

Options:
  --port NUMBER           port to listen on; 0 is any free port (default: 8998)
  --host ADDRESS          address to listen on (default: 127.0.0.1)
  --cluster embedded[/NAME] applications run on the embedded cluster (default: the cluster of the kubeconfig, or of the pod)
  --rest-port NUMBER      second port, for the standalone REST protocol only, whose clients support neither TLS nor passwords
  --rest-host ADDRESS     address of this port (default: that of --host with the filter JWSFilter, otherwise 127.0.0.1)
  --auth MODE             none: every client may do everything (default on the loopback address);
                          htpasswd: user names and passwords of a file;
                          kubernetes: bearer tokens of the cluster, whose RBAC decides what a user may do;
                          oidc: bearer tokens and logins of an issuer of OpenID Connect;
                          certificate: certificates of clients (default with --tls-client-ca)
  --password-file FILE    file of htpasswd -B, with --auth htpasswd; read again after a change
  --oidc-issuer-url URL   issuer, with --auth oidc
  --oidc-client-id ID     ID of the gateway at the issuer, and audience of tokens
  --oidc-client-secret-file FILE  secret of the gateway at the issuer (default: none)
  --oidc-audience NAME    another audience of bearer tokens
  --oidc-username-claim CLAIM  claim that is the user (default: sub)
  --oidc-username-prefix TEXT  prefix of users; - is none (default: URL# of the issuer, and none for the claim email)
  --oidc-groups-claim CLAIM  claim with the groups of a user (default: no groups)
  --oidc-groups-prefix TEXT  prefix of groups (default: none)
  --oidc-scopes NAMES     scopes of a login, besides openid (default: profile,email)
  --oidc-ca-file FILE     authorities of the issuer's certificate as PEM (default: those of the system)
  --session-key-file FILE  key of browsers' sessions, at least 32 bytes (default: sessions end with the gateway)
  --tls-cert FILE         certificate chain of the server as PEM, for HTTPS; read again after a change
  --tls-key FILE          its private key as PEM
  --tls-client-ca FILE    authorities of clients' certificates as PEM: the subject's CN is the user, each O a group
  --impersonate           submit as the user of the request, with the user's permissions in the cluster
  --user-rate NUMBER      requests of each user per second (default: any number)
  --user-concurrent NUMBER  requests of each user at the same time (default: any number)
  --allowed-hosts NAMES   names of the gateway on the loopback address without authentication, besides localhost
  --csrf                  require the header X-Requested-By for changes, as Livy with its CSRF protection
  --livy-list MODE        batches in a user's list: all, or own: those whose log the user may read (default: all)
  --livy-names MODE       unique: no batch that is kept has the name of another (default); reusable: batches that have
                          ended do not count
  --rejected-settings FILE  settings that clients must not set, one per line, such as Livy's spark-blacklist.conf
  --keep DURATION         time for which applications are kept after their end (default: 1d); with a driver pod, longer
  --keep-max NUMBER       applications that are kept after their end (default: 10000)
  --log-dir LOCATION      keep the complete log of each driver with its application: DIR, s3a://BUCKET/DIR or hdfs://HOST/DIR
                          (default: its last 100 lines)
  --store DIR             keep the records of applications and schedules in a database in this directory; needs the package libsql
                          (default: as Secrets in the namespace)
  --elect                 several gateways with one name: one serves, and another one follows when it ends
  --name NAME             name of the gateway, for its records and labels (default: gateway)
  --prefix PATH           prefix of all paths, e.g. /spark
  --ui-port NUMBER        second port, for the Spark UIs of running applications: with authentication, they are served there only
  --ui-url URL            address that clients use for this port behind a proxy, without a path
  --metrics-port NUMBER   another port of /metrics, /healthz and /readyz, which need neither authentication nor TLS there
  --history-server        start Spark's history server over the event logs of spark.eventLog.dir, and serve the Spark UIs of
                          applications that have ended; needs Spark and Java on this machine
  --external-url URL      address that clients use for the gateway behind a proxy, with all of its path
  -n, --namespace NAME    namespace of the records, and of applications that name none (default:
                          that of spark.kubernetes.namespace)
  --context NAME          context of the kubeconfig (default: the current context)
  --master URL            k8s://https://HOST:PORT (default: the cluster of the kubeconfig, or of the pod)
  --conf, --properties-file and similar options are those of spark-submit

Settings apply to applications that do not set them. A properties file can also have the keys livy.* of a livy.conf, over
which options take precedence.
`;

/** Runs `firesteel gateway` until a signal arrives. @returns the exit code */
export async function runGatewayCommand(host: Host, args: readonly string[]): Promise<number> {
  if (isHelpRequest(args)) {
    host.stdout.write(usage);
    return exitCodes.ok;
  }
  const { own, positionals, rest } = parseInterleavedArgs(args, { flags: gatewayFlags, values: gatewayValues });
  const cluster = own.value("--cluster");
  throwIssues([
    ...positionals.map((option) => issue("SUBMIT_ERR_ARG_UNKNOWN", { option })),
    ...(cluster === undefined || `${cluster}/`.startsWith("embedded/")
      ? []
      : [issue("SUBMIT_ERR_ARG_VALUE", { option: "--cluster", value: cluster, allowed: "embedded or embedded/NAME" })]),
  ]);
  const onEmbedded = cluster === undefined ? [] : ["--master", `k8s://${cluster}`];
  const commandLine = parseCommandLineSettings([...rest, ...onEmbedded], { context: own.value("--context") });
  const machine = await withLauncherEnvironment(host);
  const { settings: defaults, files } = readSettings(machine, commandLine);
  const properties = new Map(files.toReversed().flatMap(({ entries }) => [...entries]));
  const { gatewaySettings } = await import("../../gateway/gateway-settings.ts");
  const { settings: ownSettings, warnings } = gatewaySettings(machine, own, { defaults, properties });
  for (const warning of warnings) machine.stderr.write(`Warning: ${warning}\n`);
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) host.onSignal(signal, resolve);
  });
  return withCluster(
    { host: machine, commandLine, connect: withEmbedded },
    async ({ cluster: found, client, openEmbedded }) => {
      const namespace = own.value("--namespace") ?? own.value("-n") ?? found.conf.get(namespaceEntry);
      const settings = { ...ownSettings, ownNamespace: namespace, namespace, namespaces: [namespace] };
      const { openGateway } = await import("../../gateway/index.ts");
      const openHistory = async () => {
        const { gatewayHistory } = await import("./gateway/gateway-history.ts");
        const isEmbedded = printMaster(found).startsWith("k8s://embedded");
        // The connection that is open already.
        const eventLogs = isEmbedded ? (await openEmbedded({ sparkVersion: undefined })).defaults.eventLogs : undefined;
        return gatewayHistory(machine, { defaults: ownSettings.defaults, eventLogs });
      };
      const { openAuthentication } = await import("../../gateway/authentication/open-authentication.ts");
      const gateway = await openGateway({
        ...{ host: machine, client, master: printMaster(found), settings, conf: found.conf, openEmbedded },
        ...(await openAuthentication({ host: machine, client, settings })),
        history: own.has("--history-server") ? await openHistory() : undefined,
        dashboardDirectory: `${packageDirectory(host)}/dist/dashboard`,
      });
      if (gateway.restPort !== undefined)
        machine.stderr.write(
          `Standalone REST protocol on http://${settings.standalone.listener?.address}:${gateway.restPort}\n`,
        );
      if (gateway.uiPort !== undefined) machine.stderr.write(`Spark UIs on port ${gateway.uiPort}\n`);
      if (gateway.metricsPort !== undefined) machine.stderr.write(`Metrics on port ${gateway.metricsPort}\n`);
      machine.stderr.write(
        `Gateway started on ${settings.tls === undefined ? "http" : "https"}://${settings.address}:${gateway.port}${settings.prefix}\n`,
      );
      const hasFailed = await Promise.race([stopped.then(() => false), gateway.failed.then(() => true)]);
      await gateway.stop();
      return hasFailed ? exitCodes.failed : exitCodes.ok;
    },
  );
}
