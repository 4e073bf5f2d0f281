// Made from src/conf/entries by `npm run update:docs`. Do not edit.
import type { SparkLine } from "../spark-version.ts";

/** Reference to another setting or variable, e.g. `${spark.driver.memory}` or `${env:HOME}`. */
type Reference = `\${${string}}`;

type TrueOrFalse = boolean | "true" | "false" | Reference;

type Numeric = number | `${number}` | Reference;

type Scale = "k" | "m" | "g" | "t" | "p";

type SizeUnit = "b" | "B" | `${Scale | Uppercase<Scale>}${"" | "b" | "B" | "ib" | "iB"}`;

/** Number with a unit, e.g. `512m`; a number alone has the unit that the setting's description names. */
type Size = Numeric | `${number}${SizeUnit}`;

/** Number with a unit, e.g. `30s`; a number alone has the unit of the setting. */
type Duration = Numeric | `${number}${"us" | "ms" | "s" | "m" | "min" | "h" | "d"}`;

/** Items, or a text with commas between them. */
type List = string | readonly string[];

/** Value that only Spark checks. */
type Unchecked = string | number | boolean;

/** Settings of Spark 3.5, 4.0. */
interface SettingsOf35To40 {
  /** Major version of Python; only 3 is allowed. */
  readonly "spark.kubernetes.pyspark.pythonVersion"?: string | undefined;
}

/** Settings of Spark 3.5, 4.0, 4.1, 4.2, 4.3. */
interface SettingsOf35To43 {
  /** Whether only some users may see or change the application. Default: false */
  readonly "spark.acls.enable"?: TrueOrFalse | undefined;
  /** Users that may see and change every application. */
  readonly "spark.admin.acls"?: List | undefined;
  /** Groups of users that may see and change every application. */
  readonly "spark.admin.acls.groups"?: List | undefined;
  /** The id of the application; written by the submission. */
  readonly "spark.app.id"?: string | undefined;
  /** The name of the application: part of the names of its Kubernetes objects and of their labels. Default: spark */
  readonly "spark.app.name"?: string | undefined;
  /** Time of the submission, in ms since 1970. The submission sets it unless it is specified. */
  readonly "spark.app.submitTime"?: string | undefined;
  /** Archives to unpack in the working directory of each executor; `#name` sets the directory. */
  readonly "spark.archives"?: List | undefined;
  /** Driver and executors authenticate to each other with a shared secret. Default: false */
  readonly "spark.authenticate"?: TrueOrFalse | undefined;
  /** The shared secret on clusters other than Kubernetes, where the driver generates it. */
  readonly "spark.authenticate.secret"?: string | undefined;
  /** File with the shared secret for executors. */
  readonly "spark.authenticate.secret.executor.file"?: string | undefined;
  /** Port of block managers. It is also the driver's container port unless the driver has a port of its own. Default: 7079 */
  readonly "spark.blockManager.port"?: Numeric | undefined;
  /** Port of the Spark Connect server. Default: 15002 */
  readonly "spark.connect.grpc.binding.port"?: Numeric | undefined;
  /** Cores of all executors together; standalone clusters only. */
  readonly "spark.cores.max"?: string | undefined;
  /** Executors migrate their blocks before they stop. Default: false */
  readonly "spark.decommission.enabled"?: TrueOrFalse | undefined;
  /** Address that the driver listens on; rejected on Kubernetes. */
  readonly "spark.driver.bindAddress"?: string | undefined;
  /** Port of the driver's block manager. Default: 7079 */
  readonly "spark.driver.blockManager.port"?: Numeric | undefined;
  /** Cores that the driver requests, unless `spark.kubernetes.driver.request.cores` is specified. Default: 1 */
  readonly "spark.driver.cores"?: Numeric | undefined;
  /** Options for the driver's JVM, put before `spark.driver.extraJavaOptions`. */
  readonly "spark.driver.defaultJavaOptions"?: string | undefined;
  /** Put before the class path of the driver. */
  readonly "spark.driver.extraClassPath"?: string | undefined;
  /** Options for the driver's JVM. */
  readonly "spark.driver.extraJavaOptions"?: string | undefined;
  /** Library path of the driver's JVM. */
  readonly "spark.driver.extraLibraryPath"?: string | undefined;
  /** Host of the driver; written by the submission, rejected if a user sets it. */
  readonly "spark.driver.host"?: string | undefined;
  readonly "spark.driver.maxResultSize"?: Unchecked | undefined;
  /** Heap of the driver. The default unit is MiB. Default: 1g */
  readonly "spark.driver.memory"?: Size | undefined;
  /** Memory of the driver's container besides the heap, instead of the computed overhead. The default unit is MiB. */
  readonly "spark.driver.memoryOverhead"?: Size | undefined;
  /** Memory beyond the heap as a part of the heap. Default: 0.1 */
  readonly "spark.driver.memoryOverheadFactor"?: Numeric | undefined;
  /** Port of the driver. Default: 7078 */
  readonly "spark.driver.port"?: Numeric | undefined;
  /** Custom resources of the driver, such as GPUs. */
  readonly [key: `spark.driver.resource.${string}`]: Unchecked | undefined;
  /** Restart a failed driver; standalone clusters only. Default: false */
  readonly "spark.driver.supervise"?: TrueOrFalse | undefined;
  /** Whether the number of executors follows the load. Default: false */
  readonly "spark.dynamicAllocation.enabled"?: TrueOrFalse | undefined;
  /** Number of executors at the start. Default: ${spark.dynamicAllocation.minExecutors} */
  readonly "spark.dynamicAllocation.initialExecutors"?: Numeric | undefined;
  /** Maximum number of executors. Default: 2147483647 */
  readonly "spark.dynamicAllocation.maxExecutors"?: Numeric | undefined;
  /** Minimum number of executors. Default: 0 */
  readonly "spark.dynamicAllocation.minExecutors"?: Numeric | undefined;
  readonly [key: `spark.eventLog.${string}`]: Unchecked | undefined;
  readonly "spark.eventLog.dir"?: Unchecked | undefined;
  readonly "spark.eventLog.enabled"?: Unchecked | undefined;
  /** Cores of an executor. Default: 1 */
  readonly "spark.executor.cores"?: Numeric | undefined;
  /** Options for the executors' JVMs, put before `spark.executor.extraJavaOptions`. */
  readonly "spark.executor.defaultJavaOptions"?: string | undefined;
  /** Put before the class path of the executors. */
  readonly "spark.executor.extraClassPath"?: string | undefined;
  /** Options for the executors' JVMs. */
  readonly "spark.executor.extraJavaOptions"?: string | undefined;
  /** Library path of the executors' JVMs. */
  readonly "spark.executor.extraLibraryPath"?: string | undefined;
  /** Number of executors. */
  readonly "spark.executor.instances"?: Numeric | undefined;
  readonly "spark.executor.maxNumFailures"?: Unchecked | undefined;
  /** Heap of an executor. The default unit is MiB. Default: 1g */
  readonly "spark.executor.memory"?: Size | undefined;
  /** Memory of an executor's container besides the heap, instead of the computed overhead. The default unit is MiB. */
  readonly "spark.executor.memoryOverhead"?: Size | undefined;
  /** Memory of an executor beyond the heap as a part of the heap. Default: 0.1 */
  readonly "spark.executor.memoryOverheadFactor"?: Numeric | undefined;
  /** Memory for Python in an executor. The default unit is MiB. */
  readonly "spark.executor.pyspark.memory"?: Size | undefined;
  /** Custom resources of the executors, such as GPUs. */
  readonly [key: `spark.executor.resource.${string}`]: Unchecked | undefined;
  /** Environment variables of the executors. */
  readonly [key: `spark.executorEnv.${string}`]: Unchecked | undefined;
  /** Files in the working directory of each executor. */
  readonly "spark.files"?: List | undefined;
  /** Directory for a bundle of the application, `<application ID>.tar.gz`, which the waiting submission or the embedded cluster writes after its end: logs, events, pods and diagnosis, without secrets. `DIR`, `s3a://BUCKET/DIR`, `hdfs://…`, or `pvc:CLAIM/DIR`. */
  readonly "spark.firesteel.archive"?: string | undefined;
  /** Delete a driver that cannot start without a change, and fail the submission. Default: false */
  readonly "spark.firesteel.failFast"?: TrueOrFalse | undefined;
  /** JavaScript modules with additional feature steps for the driver's pod: paths or package names. */
  readonly "spark.firesteel.featureSteps"?: List | undefined;
  /** Delete the driver on an interrupt while waiting. Default: false */
  readonly "spark.firesteel.killOnInterrupt"?: TrueOrFalse | undefined;
  /** Logs to show while waiting for the application: `none`, `driver`, or `all` for driver and executors. Each line of an executor starts with its ID. Default: none */
  readonly "spark.firesteel.logs"?: "none" | "driver" | "all" | Reference | undefined;
  /** Mounts of driver and executors on Kubernetes: `SOURCE[:PATH][:ro]` for a file or directory of this machine (embedded cluster only), `pvc:NAME:/PATH[:ro]` for an existing claim, `s3a://BUCKET:SECRET` for the credentials of S3A from a Secret. */
  readonly "spark.firesteel.mounts"?: List | undefined;
  /** Lock file with the jars of `--packages`, which `firesteel packages lock` writes. The default one is used if it exists; another one must exist. Empty: no lock file. Default: spark-packages.lock */
  readonly "spark.firesteel.packages.lock"?: string | undefined;
  /** Program that resolves `--packages` for Kubernetes in cluster mode: `submission` before the driver starts, with the submitter's repositories, cache and credentials, so that the jars travel like other local files; `driver` as Spark does; `auto` like `submission` unless the driver may need the packages to read other files, or the jars cannot reach it. Default: auto */
  readonly "spark.firesteel.packages.resolver"?: "auto" | "submission" | "driver" | Reference | undefined;
  /** Python environment of driver and executors, for Kubernetes in cluster mode: a requirements file or a `pyproject.toml` from which it is built, a directory with an environment or one of these files, or an archive that venv-pack or conda-pack made. */
  readonly "spark.firesteel.pythonEnv"?: string | undefined;
  /** Processors of the nodes for which `spark.firesteel.pythonEnv` is built. `auto`: those of the node selector `kubernetes.io/arch`, on the embedded cluster those of the local machine, else `x86_64`. Default: auto */
  readonly "spark.firesteel.pythonEnv.platform"?: "auto" | "x86_64" | "aarch64" | Reference | undefined;
  /** Release of the Python in the image for which `spark.firesteel.pythonEnv` is built, e.g. `3.11`. The default for images of the embedded cluster is that of the local `python3`, for others what the variables and labels of the image in its registry name. */
  readonly "spark.firesteel.pythonEnv.version"?: string | undefined;
  /** File with the token for a standalone master's REST gateway that a filter guards, e.g. `org.apache.spark.ui.JWSFilter`. */
  readonly "spark.firesteel.rest.tokenFile"?: string | undefined;
  /** Time after the submission within which the application must end. Otherwise the driver is deleted and the submission fails. `0` means unlimited. Default: 0 */
  readonly "spark.firesteel.runTimeout"?: Duration | undefined;
  /** Kind of storage with which shuffle data outlives executors on Kubernetes. Turns dynamic allocation on, with settings for `tracking`, `decommission`, `service` (the [shuffle service](shuffle-service.md)), or `plugin` (Apache Celeborn, Apache Uniffle, or another `ShuffleDataIO`). */
  readonly "spark.firesteel.shuffle"?: "tracking" | "decommission" | "service" | "plugin" | Reference | undefined;
  /** Directories of the nodes for shuffle files, with `spark.firesteel.shuffle=service`. The shuffle service and the executors see them at the same paths. The default is `/var/lib/spark-local`. */
  readonly "spark.firesteel.shuffle.directories"?: List | undefined;
  /** The Spark version that the submission targets, e.g. `4.1` or `3.5.9`. */
  readonly "spark.firesteel.sparkVersion"?: string | undefined;
  /** Directory of the submitter's files in the driver's container. Default: /opt/spark-deps */
  readonly "spark.firesteel.staging.directory"?: string | undefined;
  /** Image of the init container that fetches files into the driver's pod, which `firesteel image build` makes. The embedded cluster has its own. */
  readonly "spark.firesteel.staging.initContainer.image"?: string | undefined;
  /** Maximum time for the init container to fetch the files from a staging server or a bucket, including retries while the server is not available. Default: 300s */
  readonly "spark.firesteel.staging.initContainer.timeout"?: Duration | undefined;
  /** Pods that get the submitter's files: `driverServed` only the driver, from which executors fetch them; `everywhere` also executors, which read jars from their own directory; `classPathOnly` also executors, with jars on the class path of the JVMs instead of in `spark.jars`. The last two require a transport other than `push`. Default: driverServed */
  readonly "spark.firesteel.staging.mode"?: "driverServed" | "everywhere" | "classPathOnly" | Reference | undefined;
  /** With `Ingress` and `Gateway`: address of the Ingress controller or Gateway for the submitter, with the host name of the rule, e.g. `https://push.example`. */
  readonly "spark.firesteel.staging.push.address"?: string | undefined;
  /** Use the Service for the init container afterwards for the application's web pages, also from outside the cluster. Default: false */
  readonly "spark.firesteel.staging.push.exposeUiPort"?: TrueOrFalse | undefined;
  /** With `Gateway`: Gateway of the HTTPRoute, as `NAME` or `NAMESPACE/NAME`. */
  readonly "spark.firesteel.staging.push.gateway"?: string | undefined;
  /** With `Ingress`: class of the Ingress. The default is that of the cluster. */
  readonly "spark.firesteel.staging.push.ingressClass"?: string | undefined;
  /** With `NodePort`: also connect to the internal addresses of nodes. Default: false */
  readonly "spark.firesteel.staging.push.internalAddresses"?: TrueOrFalse | undefined;
  /** Port on which the init container waits in the driver's pod. Default: 7077 */
  readonly "spark.firesteel.staging.push.port"?: Numeric | undefined;
  /** Connection for sending files into the driver's pod: `PortForward` through the Kubernetes API, `NodePort` through a port of the nodes, `Ingress` through an Ingress, `Gateway` through an HTTPRoute of a Gateway, `ExternalAnnotation` through a URL that a controller of the cluster opens for an annotated service and stores in another annotation, `FeatureStep` through the URL that a module of `spark.firesteel.featureSteps` returns. Default: PortForward */
  readonly "spark.firesteel.staging.push.serviceManagerType"?:
    | "PortForward"
    | "NodePort"
    | "Ingress"
    | "Gateway"
    | "ExternalAnnotation"
    | "FeatureStep"
    | Reference
    | undefined;
  /** Time within which the init container must be ready and reachable. Otherwise the driver is deleted and the submission fails. Default: 10min */
  readonly "spark.firesteel.staging.push.timeout"?: Duration | undefined;
  /** With `NodePort`, `ExternalAnnotation` and `FeatureStep`: whether the init container accepts only TLS, with the certificate in `spark.firesteel.staging.push.tls.serverCertPem`. Default: false */
  readonly "spark.firesteel.staging.push.tls"?: TrueOrFalse | undefined;
  /** File on the submitter's machine with the CA certificate of the init container, the Ingress controller or the Gateway, as PEM. The default is the system's certificates. */
  readonly "spark.firesteel.staging.push.tls.clientCertPem"?: string | undefined;
  /** File with the private key of the init container, as PEM: on the submitter's machine, or `local:` in the image of the init container. */
  readonly "spark.firesteel.staging.push.tls.keyPem"?: string | undefined;
  /** File with the certificate of the init container and its chain, as PEM: on the submitter's machine, or `local:` in the image of the init container. */
  readonly "spark.firesteel.staging.push.tls.serverCertPem"?: string | undefined;
  /** Program that fetches the files of a submission at `http:`, `https:`, `s3a:`, `hdfs:`, `webhdfs:` and `swebhdfs:`: `spark` in the driver, with the classes and credentials in its image; `initContainer` before Spark starts, with the submitter's settings and credentials, into the directory of the submitter's files. Spark fetches those of other schemes. `initContainer` takes precedence over `spark.kubernetes.file.upload.path`. Default: spark */
  readonly "spark.firesteel.staging.remoteFiles"?: "spark" | "initContainer" | Reference | undefined;
  /** Remove the files that were uploaded to `spark.kubernetes.file.upload.path` for a driver when it has ended. The waiting submission removes them; otherwise `kill`, `attach` and `sweep` do. Default: false */
  readonly "spark.firesteel.staging.removeUploads"?: TrueOrFalse | undefined;
  /** File on the submitter's machine with the CA certificate of the S3 server, as PEM. The default is the system's certificates. */
  readonly "spark.firesteel.staging.s3.caCertFile"?: string | undefined;
  /** The S3 server, if it is not Amazon's. */
  readonly "spark.firesteel.staging.s3.endpoint"?: string | undefined;
  /** Address of the S3 server for pods, if it differs from the submitter's. */
  readonly "spark.firesteel.staging.s3.internalUrl"?: string | undefined;
  /** Location in S3 for the submitter's files, each under its SHA-256, e.g. `s3://bucket/staging`. The credentials are those of the AWS tools. */
  readonly "spark.firesteel.staging.s3.path"?: string | undefined;
  /** Whether the bucket is part of the path instead of the host name. The default is `true` for servers other than Amazon's. */
  readonly "spark.firesteel.staging.s3.pathStyle"?: TrueOrFalse | undefined;
  /** The region of the bucket. The default is that of the AWS tools. */
  readonly "spark.firesteel.staging.s3.region"?: string | undefined;
  /** Validity of the signed URLs from which pods fetch the files. URLs of temporary credentials expire with the credentials. Default: 7d */
  readonly "spark.firesteel.staging.s3.urlLife"?: Duration | undefined;
  /** Maximum size of the submitter's files in Secrets, counted in bytes of base64. Default: 512k */
  readonly "spark.firesteel.staging.secret.maxSize"?: Size | undefined;
  /** Staging server for the submitter's files, e.g. `https://staging.example:10000`. */
  readonly "spark.firesteel.staging.server"?: string | undefined;
  /** File on the submitter's machine with the CA certificate of the staging server, as PEM. The default is the system's certificates. */
  readonly "spark.firesteel.staging.server.caCertFile"?: string | undefined;
  /** Address of the staging server for pods, if it differs from the submitter's and the server does not report it. */
  readonly "spark.firesteel.staging.server.internalUrl"?: string | undefined;
  /** File on the submitter's machine with a Kubernetes token that authenticates the submitter to the staging server. */
  readonly "spark.firesteel.staging.server.tokenFile"?: string | undefined;
  /** Transport of the submitter's files to the driver: `secret` in Secrets that the driver mounts, `server` through a staging server and an init container, `s3` through a bucket and an init container, `push` from the submitter into a waiting init container, `none` to reject local files, `auto` for the first available one. Values other than `auto` take precedence over `spark.kubernetes.file.upload.path`. Default: auto */
  readonly "spark.firesteel.staging.transport"?:
    | "auto"
    | "none"
    | "secret"
    | "server"
    | "s3"
    | "push"
    | Reference
    | undefined;
  /** Time within which the driver's container must start, e.g. `10min`. Otherwise the driver is deleted and the submission fails. `0` means unlimited. Default: 0 */
  readonly "spark.firesteel.startTimeout"?: Duration | undefined;
  /** Submissions with the same token, namespace and master are one: the first creates the driver, the others adopt it and return its result, as long as its pod exists. Submissions with different content are rejected. */
  readonly "spark.firesteel.submissionToken"?: string | undefined;
  /** Properties of Hadoop, for uploads, remote templates and delegation tokens. */
  readonly [key: `spark.hadoop.${string}`]: Unchecked | undefined;
  readonly "spark.hadoop.fs.s3a.endpoint"?: Unchecked | undefined;
  readonly "spark.hadoop.hive.metastore.uris"?: Unchecked | undefined;
  readonly [key: `spark.history.${string}`]: Unchecked | undefined;
  /** The Spark distribution whose `conf` is taken when SPARK_CONF_DIR is not set. */
  readonly "spark.home"?: string | undefined;
  /** Jars on the class paths of driver and executors. */
  readonly "spark.jars"?: List | undefined;
  /** `groupId:artifactId` of dependencies to exclude from the packages. */
  readonly "spark.jars.excludes"?: List | undefined;
  /** The directory of Ivy's cache. */
  readonly "spark.jars.ivy"?: string | undefined;
  /** A file with settings for Ivy. */
  readonly "spark.jars.ivySettings"?: string | undefined;
  /** Maven coordinates of jars, resolved by the driver. */
  readonly "spark.jars.packages"?: List | undefined;
  /** Further repositories for the packages. */
  readonly "spark.jars.repositories"?: List | undefined;
  /** Kafka clusters that require delegation tokens. */
  readonly [key: `spark.kafka.clusters.${string}`]: Unchecked | undefined;
  /** Further HDFS for which the driver gets delegation tokens besides the default file system: `hdfs://nn2:8020,webhdfs://nn3:9870`. */
  readonly "spark.kerberos.access.hadoopFileSystems"?: List | undefined;
  /** File with the keys of the principal. */
  readonly "spark.kerberos.keytab"?: string | undefined;
  /** Kerberos principal. */
  readonly "spark.kerberos.principal"?: string | undefined;
  /** Delay between two requests of the driver for executors. Since Spark 4.0, more than 100 ms. Default: 1s */
  readonly "spark.kubernetes.allocation.batch.delay"?: Duration | undefined;
  readonly "spark.kubernetes.allocation.batch.size"?: Unchecked | undefined;
  readonly "spark.kubernetes.allocation.driver.readinessTimeout"?: Unchecked | undefined;
  readonly "spark.kubernetes.allocation.executor.timeout"?: Unchecked | undefined;
  readonly "spark.kubernetes.allocation.maxPendingPods"?: Unchecked | undefined;
  readonly "spark.kubernetes.allocation.pods.allocator"?: Unchecked | undefined;
  /** Grace period of the pods that `--kill` deletes. */
  readonly "spark.kubernetes.appKillPodDeletionGracePeriod"?: Duration | undefined;
  readonly "spark.kubernetes.authenticate.caCertFile"?: Unchecked | undefined;
  readonly "spark.kubernetes.authenticate.clientCertFile"?: Unchecked | undefined;
  readonly "spark.kubernetes.authenticate.clientKeyFile"?: Unchecked | undefined;
  /** CA certificate that proves the API server to the driver; read here and uploaded. */
  readonly "spark.kubernetes.authenticate.driver.caCertFile"?: string | undefined;
  /** Client certificate of the driver; read here and uploaded. */
  readonly "spark.kubernetes.authenticate.driver.clientCertFile"?: string | undefined;
  /** Key of the client certificate of the driver; read here and uploaded. */
  readonly "spark.kubernetes.authenticate.driver.clientKeyFile"?: string | undefined;
  /** CA certificate that proves the API server to the driver, as a path in its pod. */
  readonly "spark.kubernetes.authenticate.driver.mounted.caCertFile"?: string | undefined;
  /** Client certificate of the driver, as a path in its pod. */
  readonly "spark.kubernetes.authenticate.driver.mounted.clientCertFile"?: string | undefined;
  /** Key of the client certificate of the driver, as a path in its pod. */
  readonly "spark.kubernetes.authenticate.driver.mounted.clientKeyFile"?: string | undefined;
  /** File with the bearer token of the driver, as a path in its pod. */
  readonly "spark.kubernetes.authenticate.driver.mounted.oauthTokenFile"?: string | undefined;
  /** Bearer token of the driver. */
  readonly "spark.kubernetes.authenticate.driver.oauthToken"?: string | undefined;
  readonly "spark.kubernetes.authenticate.driver.oauthTokenFile"?: Unchecked | undefined;
  /** Service account of the driver's pod, unless credentials are uploaded. */
  readonly "spark.kubernetes.authenticate.driver.serviceAccountName"?: string | undefined;
  readonly "spark.kubernetes.authenticate.executor.caCertFile"?: Unchecked | undefined;
  readonly "spark.kubernetes.authenticate.executor.clientCertFile"?: Unchecked | undefined;
  readonly "spark.kubernetes.authenticate.executor.clientKeyFile"?: Unchecked | undefined;
  readonly "spark.kubernetes.authenticate.executor.oauthToken"?: Unchecked | undefined;
  readonly "spark.kubernetes.authenticate.executor.oauthTokenFile"?: Unchecked | undefined;
  /** Service account of the executors' pods. The default is the driver's. */
  readonly "spark.kubernetes.authenticate.executor.serviceAccountName"?: string | undefined;
  readonly "spark.kubernetes.authenticate.oauthToken"?: Unchecked | undefined;
  readonly "spark.kubernetes.authenticate.oauthTokenFile"?: Unchecked | undefined;
  /** CA certificate that proves the API server to the submission. */
  readonly "spark.kubernetes.authenticate.submission.caCertFile"?: string | undefined;
  /** Client certificate of the submission. */
  readonly "spark.kubernetes.authenticate.submission.clientCertFile"?: string | undefined;
  /** Key of the client certificate of the submission. */
  readonly "spark.kubernetes.authenticate.submission.clientKeyFile"?: string | undefined;
  /** Bearer token of the submission. */
  readonly "spark.kubernetes.authenticate.submission.oauthToken"?: string | undefined;
  /** File with the bearer token of the submission. */
  readonly "spark.kubernetes.authenticate.submission.oauthTokenFile"?: string | undefined;
  /** Maximum size of the ConfigMap with the files of the configuration directory, in bytes. Default: 1048576 */
  readonly "spark.kubernetes.configMap.maxSize"?: Numeric | undefined;
  /** Image of driver and executors; `{{SPARK_VERSION}}` stands for the version. */
  readonly "spark.kubernetes.container.image"?: string | undefined;
  /** When images are pulled. Default: IfNotPresent */
  readonly "spark.kubernetes.container.image.pullPolicy"?: "Always" | "Never" | "IfNotPresent" | Reference | undefined;
  /** Secrets for pulling images. */
  readonly "spark.kubernetes.container.image.pullSecrets"?: List | undefined;
  /** The context of the kubeconfig. The default is the current context, also for an empty value. */
  readonly "spark.kubernetes.context"?: string | undefined;
  /** Script that an executor's container runs before it stops, if decommissioning is enabled. Default: /opt/decom.sh */
  readonly "spark.kubernetes.decommission.script"?: string | undefined;
  /** Annotations of the driver's pod. */
  readonly [key: `spark.kubernetes.driver.annotation.${string}`]: Unchecked | undefined;
  readonly "spark.kubernetes.driver.connectionTimeout"?: Unchecked | undefined;
  /** Image of the driver. Default: ${spark.kubernetes.container.image} */
  readonly "spark.kubernetes.driver.container.image"?: string | undefined;
  /** Labels of the driver's pod. */
  readonly [key: `spark.kubernetes.driver.label.${string}`]: Unchecked | undefined;
  /** CPU limit of the driver's container, a Kubernetes quantity. */
  readonly "spark.kubernetes.driver.limit.cores"?: string | undefined;
  /** Address of the API server for the driver. Default: https://kubernetes.default.svc */
  readonly "spark.kubernetes.driver.master"?: string | undefined;
  /** Labels that the driver's node must have; they win over those for all pods. */
  readonly [key: `spark.kubernetes.driver.node.selector.${string}`]: Unchecked | undefined;
  readonly "spark.kubernetes.driver.ownPersistentVolumeClaim"?: Unchecked | undefined;
  /** Class names of further steps that build the driver's pod. */
  readonly "spark.kubernetes.driver.pod.featureSteps"?: List | undefined;
  /** Name of the driver's pod. */
  readonly "spark.kubernetes.driver.pod.name"?: string | undefined;
  /** Container in the template on which the driver's container is based. The default is the first. */
  readonly "spark.kubernetes.driver.podTemplateContainerName"?: string | undefined;
  /** A pod in YAML or JSON that the driver's pod starts from. */
  readonly "spark.kubernetes.driver.podTemplateFile"?: string | undefined;
  /** CPU that the driver's container asks for, a Kubernetes quantity. */
  readonly "spark.kubernetes.driver.request.cores"?: string | undefined;
  readonly "spark.kubernetes.driver.requestTimeout"?: Unchecked | undefined;
  readonly "spark.kubernetes.driver.resourceNamePrefix"?: Unchecked | undefined;
  readonly "spark.kubernetes.driver.reusePersistentVolumeClaim"?: Unchecked | undefined;
  /** Scheduler of the driver's pod. */
  readonly "spark.kubernetes.driver.scheduler.name"?: string | undefined;
  /** Environment variables of the driver that come from secrets, as `secret:key`. */
  readonly [key: `spark.kubernetes.driver.secretKeyRef.${string}`]: Unchecked | undefined;
  /** Secrets mounted in the driver, by name; the value is the path. */
  readonly [key: `spark.kubernetes.driver.secrets.${string}`]: Unchecked | undefined;
  /** Annotations of the driver's service. */
  readonly [key: `spark.kubernetes.driver.service.annotation.${string}`]: Unchecked | undefined;
  readonly "spark.kubernetes.driver.service.deleteOnTermination"?: Unchecked | undefined;
  /** IP families of the driver's service. Default: IPv4 */
  readonly "spark.kubernetes.driver.service.ipFamilies"?:
    | "IPv4"
    | "IPv6"
    | "IPv4,IPv6"
    | "IPv6,IPv4"
    | Reference
    | undefined;
  /** IP family policy of the driver's service. Default: SingleStack */
  readonly "spark.kubernetes.driver.service.ipFamilyPolicy"?:
    | "SingleStack"
    | "PreferDualStack"
    | "RequireDualStack"
    | Reference
    | undefined;
  /** Labels of the driver's service. */
  readonly [key: `spark.kubernetes.driver.service.label.${string}`]: Unchecked | undefined;
  /** Volumes of the driver: `<type>.<name>.mount.path`, `.mount.readOnly`, `.mount.subPath`, `.options.<option>`. */
  readonly [key: `spark.kubernetes.driver.volumes.${string}`]: Unchecked | undefined;
  readonly "spark.kubernetes.driver.waitToReusePersistentVolumeClaim"?: Unchecked | undefined;
  /** Environment variables of the driver. */
  readonly [key: `spark.kubernetes.driverEnv.${string}`]: Unchecked | undefined;
  readonly "spark.kubernetes.dynamicAllocation.deleteGracePeriod"?: Unchecked | undefined;
  /** Annotations of the executors' pods. */
  readonly [key: `spark.kubernetes.executor.annotation.${string}`]: Unchecked | undefined;
  readonly "spark.kubernetes.executor.apiPollingInterval"?: Unchecked | undefined;
  readonly "spark.kubernetes.executor.checkAllContainers"?: Unchecked | undefined;
  /** Image of the executors. Default: ${spark.kubernetes.container.image} */
  readonly "spark.kubernetes.executor.container.image"?: string | undefined;
  readonly "spark.kubernetes.executor.decommissionLabel"?: Unchecked | undefined;
  readonly "spark.kubernetes.executor.decommissionLabelValue"?: Unchecked | undefined;
  readonly "spark.kubernetes.executor.deleteOnTermination"?: Unchecked | undefined;
  /** Executors get no ConfigMap with the driver's configuration files. Default: false */
  readonly "spark.kubernetes.executor.disableConfigMap"?: TrueOrFalse | undefined;
  readonly "spark.kubernetes.executor.enableApiPolling"?: Unchecked | undefined;
  readonly "spark.kubernetes.executor.enableApiWatcher"?: Unchecked | undefined;
  readonly "spark.kubernetes.executor.enablePollingWithResourceVersion"?: Unchecked | undefined;
  readonly "spark.kubernetes.executor.eventProcessingInterval"?: Unchecked | undefined;
  /** The ConfigMap with the Hadoop configuration of the executors; written by the submission. */
  readonly "spark.kubernetes.executor.hadoopConfigMapName"?: string | undefined;
  /** Labels of the executors' pods. */
  readonly [key: `spark.kubernetes.executor.label.${string}`]: Unchecked | undefined;
  /** CPU limit of an executor's container, a Kubernetes quantity. */
  readonly "spark.kubernetes.executor.limit.cores"?: string | undefined;
  readonly "spark.kubernetes.executor.minTasksPerExecutorBeforeRolling"?: Unchecked | undefined;
  readonly "spark.kubernetes.executor.missingPodDetectDelta"?: Unchecked | undefined;
  /** Labels that the executors' nodes must have; they win over those for all pods. */
  readonly [key: `spark.kubernetes.executor.node.selector.${string}`]: Unchecked | undefined;
  /** Class names of further steps that build the executor's pod. */
  readonly "spark.kubernetes.executor.pod.featureSteps"?: List | undefined;
  /** Beginning of the names of the executors' pods. */
  readonly "spark.kubernetes.executor.podNamePrefix"?: string | undefined;
  /** Container in the template on which the executor's container is based. The default is the first. */
  readonly "spark.kubernetes.executor.podTemplateContainerName"?: string | undefined;
  /** A pod in YAML or JSON that the executor's pod starts from. */
  readonly "spark.kubernetes.executor.podTemplateFile"?: string | undefined;
  /** CPU request of an executor's container, a Kubernetes quantity. */
  readonly "spark.kubernetes.executor.request.cores"?: string | undefined;
  readonly "spark.kubernetes.executor.rollInterval"?: Unchecked | undefined;
  readonly "spark.kubernetes.executor.rollPolicy"?: Unchecked | undefined;
  /** Scheduler of the executors' pods. */
  readonly "spark.kubernetes.executor.scheduler.name"?: string | undefined;
  /** Environment variables of the executor that come from secrets, as `secret:key`. */
  readonly [key: `spark.kubernetes.executor.secretKeyRef.${string}`]: Unchecked | undefined;
  /** Secrets mounted in the executor, by name; the value is the path. */
  readonly [key: `spark.kubernetes.executor.secrets.${string}`]: Unchecked | undefined;
  /** Volumes of the executor: `<type>.<name>.mount.path`, `.mount.readOnly`, `.mount.subPath`, `.options.<option>`. */
  readonly [key: `spark.kubernetes.executor.volumes.${string}`]: Unchecked | undefined;
  readonly "spark.kubernetes.executorSnapshotsSubscribersShutdownGracePeriod"?: Unchecked | undefined;
  /** URI to which local dependencies are uploaded. */
  readonly "spark.kubernetes.file.upload.path"?: string | undefined;
  /** A ConfigMap with the Hadoop configuration, instead of HADOOP_CONF_DIR. */
  readonly "spark.kubernetes.hadoop.configMapName"?: string | undefined;
  /** A ConfigMap with a krb5.conf for the driver. */
  readonly "spark.kubernetes.kerberos.krb5.configMapName"?: string | undefined;
  /** A local krb5.conf for the driver. */
  readonly "spark.kubernetes.kerberos.krb5.path"?: string | undefined;
  /** The key of the tokens in that secret. */
  readonly "spark.kubernetes.kerberos.tokenSecret.itemKey"?: string | undefined;
  /** A secret with delegation tokens. */
  readonly "spark.kubernetes.kerberos.tokenSecret.name"?: string | undefined;
  /** Claims created on demand have the access mode ReadWriteOnce instead of ReadWriteOncePod. Default: false */
  readonly "spark.kubernetes.legacy.useReadWriteOnceAccessMode"?: TrueOrFalse | undefined;
  /** Default local directories are in memory. Default: false */
  readonly "spark.kubernetes.local.dirs.tmpfs"?: TrueOrFalse | undefined;
  /** Memory besides the heap as a fraction of the heap, for roles without a factor of their own. The default for Python and R is 0.4. Default: 0.1 */
  readonly "spark.kubernetes.memoryOverheadFactor"?: Numeric | undefined;
  /** The namespace of all objects; the namespace of the kubeconfig is ignored. Default: default */
  readonly "spark.kubernetes.namespace"?: string | undefined;
  /** Labels that the nodes of all pods must have. */
  readonly [key: `spark.kubernetes.node.selector.${string}`]: Unchecked | undefined;
  /** Interval of Spark's status lines while waiting; used only with FIRESTEEL_STRICT=1. Default: 1s */
  readonly "spark.kubernetes.report.interval"?: Duration | undefined;
  /** Language of the application: java, python or r; written by the submission. */
  readonly "spark.kubernetes.resource.type"?: "java" | "python" | "r" | Reference | undefined;
  /** Scheduler of all pods. */
  readonly "spark.kubernetes.scheduler.name"?: string | undefined;
  /** A file with Volcano's PodGroup. */
  readonly "spark.kubernetes.scheduler.volcano.podGroupTemplateFile"?: string | undefined;
  readonly "spark.kubernetes.setSubmitTimeInDriver"?: Unchecked | undefined;
  /** Timeout of a connection to the API server, in ms. Default: 10000 */
  readonly "spark.kubernetes.submission.connectionTimeout"?: Numeric | undefined;
  /** Timeout of a request to the API server, in ms. Default: 10000 */
  readonly "spark.kubernetes.submission.requestTimeout"?: Numeric | undefined;
  /** Set for the spark-submit in the driver's pod; written by the submission. Default: false */
  readonly "spark.kubernetes.submitInDriver"?: TrueOrFalse | undefined;
  /** Do not verify the certificate of the API server. Default: false */
  readonly "spark.kubernetes.trust.certificates"?: TrueOrFalse | undefined;
  /** Directories for scratch space, when the variable SPARK_LOCAL_DIRS is not set. */
  readonly "spark.local.dir"?: string | undefined;
  /** The cluster manager to connect to, e.g. `k8s://https://host:6443`. */
  readonly "spark.master"?: string | undefined;
  /** Submit to a standalone master through its REST gateway. Default: false */
  readonly "spark.master.rest.enabled"?: TrueOrFalse | undefined;
  /** Executors use memory beyond the heap. Default: false */
  readonly "spark.memory.offHeap.enabled"?: TrueOrFalse | undefined;
  /** Off-heap memory of executors. The default unit is bytes. Default: 0 */
  readonly "spark.memory.offHeap.size"?: Size | undefined;
  readonly [key: `spark.metrics.${string}`]: Unchecked | undefined;
  /** Users that may change the application. */
  readonly "spark.modify.acls"?: List | undefined;
  /** Groups of users that may change the application. */
  readonly "spark.modify.acls.groups"?: List | undefined;
  readonly [key: `spark.network.${string}`]: Unchecked | undefined;
  /** Classes that run beside driver and executors, separated by commas. */
  readonly "spark.plugins"?: string | undefined;
  /** The Python of the driver. */
  readonly "spark.pyspark.driver.python"?: string | undefined;
  /** The Python of driver and executors. */
  readonly "spark.pyspark.python"?: string | undefined;
  /** Command that `sparkR` starts. Default: R */
  readonly "spark.r.shell.command"?: string | undefined;
  /** Settings whose key or value this expression finds are shown as `*********(redacted)`. Default: (?i)secret|password|token|access[.]?key|credential */
  readonly "spark.redaction.regex"?: string | undefined;
  /** The Spark Connect server to use instead of a master. */
  readonly "spark.remote"?: string | undefined;
  /** `NAME.enabled`: whether the driver needs delegation tokens of the service NAME: `hadoopfs`, `hive`, `hbase`, `kafka`. */
  readonly [key: `spark.security.credentials.${string}`]: Unchecked | undefined;
  readonly [key: `spark.sql.${string}`]: Unchecked | undefined;
  /** Wait for the end of an application that a standalone master runs in cluster mode. Default: false */
  readonly "spark.standalone.submit.waitAppCompletion"?: TrueOrFalse | undefined;
  /** Whether the driver runs here (`client`) or in the cluster (`cluster`). Default: client */
  readonly "spark.submit.deployMode"?: string | undefined;
  /** Python files, zips and eggs on the PYTHONPATH. */
  readonly "spark.submit.pyFiles"?: List | undefined;
  /** URL of the executors' logs for the application's web pages. */
  readonly "spark.ui.custom.executor.log.url"?: string | undefined;
  /** Port of the application's pages. Default: 4040 */
  readonly "spark.ui.port"?: Numeric | undefined;
  /** Users that may see the application. */
  readonly "spark.ui.view.acls"?: List | undefined;
  /** Groups of users that may see the application. */
  readonly "spark.ui.view.acls.groups"?: List | undefined;
  /** After this time a failed attempt on YARN counts no more. */
  readonly "spark.yarn.am.attemptFailuresValidityInterval"?: Duration | undefined;
  /** Labels of the nodes on which YARN may run the driver. */
  readonly "spark.yarn.am.nodeLabelExpression"?: string | undefined;
  /** Properties of Hadoop with which YARN renews tokens; only through a JVM. */
  readonly "spark.yarn.am.tokenConfRegex"?: string | undefined;
  /** Environment variables of the driver on YARN. */
  readonly [key: `spark.yarn.appMasterEnv.${string}`]: Unchecked | undefined;
  /** Type of the application that YARN shows. Default: SPARK */
  readonly "spark.yarn.applicationType"?: string | undefined;
  /** An archive with Spark's jars for every container of an application on YARN, e.g. `hdfs:///spark/4.3.0.zip`. */
  readonly "spark.yarn.archive"?: string | undefined;
  /** Files that YARN distributes: the archive of all configuration; written by the submission. */
  readonly "spark.yarn.cache.confArchive"?: List | undefined;
  /** Files that YARN distributes: URIs, each with its name in a container; written by the submission. */
  readonly "spark.yarn.cache.filenames"?: List | undefined;
  /** Files that YARN distributes: sizes in bytes; written by the submission. */
  readonly "spark.yarn.cache.sizes"?: List | undefined;
  /** Files that YARN distributes: times of change, in ms since 1970; written by the submission. */
  readonly "spark.yarn.cache.timestamps"?: List | undefined;
  /** Files that YARN distributes: whether they are unpacked; written by the submission. */
  readonly "spark.yarn.cache.types"?: List | undefined;
  /** Files that YARN distributes: who may use the copies on nodes; written by the submission. */
  readonly "spark.yarn.cache.visibilities"?: List | undefined;
  /** A path on the submitter's machine that is different on the nodes of YARN; see `spark.yarn.config.replacementPath`. */
  readonly "spark.yarn.config.gatewayPath"?: string | undefined;
  /** Path for `spark.yarn.config.gatewayPath` on the nodes of YARN. */
  readonly "spark.yarn.config.replacementPath"?: string | undefined;
  /** Archives that YARN distributes; `--archives` joins them. */
  readonly "spark.yarn.dist.archives"?: List | undefined;
  /** Files that YARN distributes; `--files` joins them. */
  readonly "spark.yarn.dist.files"?: List | undefined;
  /** Schemes of URIs whose files are fetched here and uploaded, instead of being read by the cluster; `*` is all. */
  readonly "spark.yarn.dist.forceDownloadSchemes"?: List | undefined;
  /** Jars that YARN distributes; `--jars` joins them. */
  readonly "spark.yarn.dist.jars"?: List | undefined;
  /** Python files, zips and eggs that YARN distributes; `--py-files` joins them. */
  readonly "spark.yarn.dist.pyFiles"?: List | undefined;
  /** Further resources of the driver on YARN, such as GPUs; only through a JVM. */
  readonly [key: `spark.yarn.driver.resource.${string}`]: Unchecked | undefined;
  /** Whether reports of an application on YARN name the driver's logs. Default: false */
  readonly "spark.yarn.includeDriverLogsLink"?: TrueOrFalse | undefined;
  /** Whether the application on YARN is in Python; written by the submission. Default: false */
  readonly "spark.yarn.isPython"?: TrueOrFalse | undefined;
  /** Spark's jars for containers on YARN if there is no archive: `hdfs:///spark/jars/*`, or `local:/opt/spark/jars/*` if every node has them. */
  readonly "spark.yarn.jars"?: List | undefined;
  /** Hosts or nameservices whose delegation tokens YARN cannot renew. */
  readonly "spark.yarn.kerberos.renewal.excludeHadoopFileSystems"?: List | undefined;
  /** Number of times that YARN starts the driver before the application has failed. Otherwise the cluster decides. */
  readonly "spark.yarn.maxAppAttempts"?: Numeric | undefined;
  /** Whether Hadoop's own class path joins that of the containers; for a Spark without Hadoop. Default: false */
  readonly "spark.yarn.populateHadoopClasspath"?: TrueOrFalse | undefined;
  /** Whether to keep files of a submission to YARN in HDFS when the application has ended. Default: false */
  readonly "spark.yarn.preserve.staging.files"?: TrueOrFalse | undefined;
  /** The priority of the application among those that wait in its queue on YARN; the higher goes first. */
  readonly "spark.yarn.priority"?: Numeric | undefined;
  /** The YARN queue. Default: default */
  readonly "spark.yarn.queue"?: string | undefined;
  /** Interval of status requests to YARN. Default: 1s */
  readonly "spark.yarn.report.interval"?: Duration | undefined;
  /** Number of unchanged responses of YARN after which a status line is printed. Default: 30 */
  readonly "spark.yarn.report.loggingFrequency"?: Numeric | undefined;
  /** Log files that YARN does not gather while the application runs. */
  readonly "spark.yarn.rolledLog.excludePattern"?: string | undefined;
  /** Log files that YARN gathers while the application runs. */
  readonly "spark.yarn.rolledLog.includePattern"?: string | undefined;
  /** Names of further jars in the containers of YARN; written by the submission. */
  readonly "spark.yarn.secondary.jars"?: List | undefined;
  /** The directory in HDFS for the files of a submission to YARN while it runs. The default is the home directory of the user. */
  readonly "spark.yarn.stagingDir"?: string | undefined;
  /** Number of copies that HDFS keeps of files of a submission to YARN. Otherwise HDFS decides. */
  readonly "spark.yarn.submit.file.replication"?: Numeric | undefined;
  /** Whether a submission to YARN waits until the application is over. Default: true */
  readonly "spark.yarn.submit.waitAppCompletion"?: TrueOrFalse | undefined;
  /** Tags of the application on YARN. */
  readonly "spark.yarn.tags"?: List | undefined;
  /** The application's jar, if it is on every node; written by the submission. */
  readonly "spark.yarn.user.jar"?: string | undefined;
}

/** Settings of Spark 4.0, 4.1, 4.2, 4.3. */
interface SettingsOf40To43 {
  /** Whether applications run on Spark Classic or on Spark Connect. Default: classic */
  readonly "spark.api.mode"?: "connect" | "classic" | Reference | undefined;
  /** Put before the class path of the driver, after `spark.driver.extraClassPath`. */
  readonly "spark.driver.defaultExtraClassPath"?: string | undefined;
  /** Minimum of the computed overhead. The default unit is MiB. Default: 384m */
  readonly "spark.driver.minMemoryOverhead"?: Size | undefined;
  /** Minimum of an executor's computed overhead. The default unit is MiB. Default: 384m */
  readonly "spark.executor.minMemoryOverhead"?: Size | undefined;
  /** Schemes of jars that the driver does not copy, so that executors fetch them directly; `*` matches all. */
  readonly "spark.kubernetes.jars.avoidDownloadSchemes"?: List | undefined;
  /** Filters of the REST gateway, for `firesteel gateway`: `org.apache.spark.ui.JWSFilter` requires a signed JSON web token of each request. */
  readonly "spark.master.rest.filters"?: string | undefined;
  /** Key of the tokens that `org.apache.spark.ui.JWSFilter` accepts, as Base64 for URLs: at least 32 bytes. */
  readonly "spark.org.apache.spark.ui.JWSFilter.param.secretKey"?: string | undefined;
}

/** Settings of Spark 4.1, 4.2, 4.3. */
interface SettingsOf41To43 {
  readonly "spark.kubernetes.allocation.maxPendingPodsPerRp"?: Unchecked | undefined;
  readonly "spark.kubernetes.allocation.maximum"?: Unchecked | undefined;
  /** Store the exception that ends the driver in an annotation of its pod. Default: false */
  readonly "spark.kubernetes.driver.annotateExitException"?: TrueOrFalse | undefined;
  /** Class names of steps that do not take part in building the driver's pod. */
  readonly "spark.kubernetes.driver.pod.excludedFeatureSteps"?: List | undefined;
  readonly "spark.kubernetes.executor.deletedExecutorsCacheTimeout"?: Unchecked | undefined;
  /** Class names of steps that do not take part in building the executor's pod. */
  readonly "spark.kubernetes.executor.pod.excludedFeatureSteps"?: List | undefined;
  /** Grace period of an executor's pod. The default unit is seconds. Default: 30s */
  readonly "spark.kubernetes.executor.terminationGracePeriodSeconds"?: Duration | undefined;
  /** Executors connect to the IP address of the driver's pod instead of its service. The default is `true` since Spark 4.3. */
  readonly "spark.kubernetes.executor.useDriverPodIP"?: TrueOrFalse | undefined;
  /** Exit the JVM when the application's main method returns. Default: false */
  readonly "spark.submit.callSystemExitOnMainExit"?: TrueOrFalse | undefined;
}

/** Settings of Spark 4.2, 4.3. */
interface SettingsOf42To43 {
  readonly "spark.kubernetes.allocation.recoveryMode.enabled"?: Unchecked | undefined;
  readonly "spark.kubernetes.executor.podDeletionCost"?: Unchecked | undefined;
  readonly "spark.kubernetes.executor.pvc.resizeFactor"?: Unchecked | undefined;
  readonly "spark.kubernetes.executor.pvc.resizeInterval"?: Unchecked | undefined;
  readonly "spark.kubernetes.executor.pvc.resizeThreshold"?: Unchecked | undefined;
  readonly "spark.kubernetes.executor.resizeFactor"?: Unchecked | undefined;
  readonly "spark.kubernetes.executor.resizeInterval"?: Unchecked | undefined;
  readonly "spark.kubernetes.executor.resizeThreshold"?: Unchecked | undefined;
  /** Volcano's PodGroup as JSON, if no file is specified. */
  readonly "spark.kubernetes.scheduler.volcano.podGroupTemplateJson"?: string | undefined;
}

/** Settings of Spark 4.3. */
interface SettingsOf43 {
  /** Whether processes of the driver's container may gain more privileges than their parents. Default: ${spark.kubernetes.securityContext.allowPrivilegeEscalation} */
  readonly "spark.kubernetes.driver.securityContext.allowPrivilegeEscalation"?: TrueOrFalse | undefined;
  /** The name of the driver's service is found before the driver is ready. Default: false */
  readonly "spark.kubernetes.driver.service.publishNotReadyAddresses"?: TrueOrFalse | undefined;
  /** Whether processes of the executors' containers may gain more privileges than their parents. Default: ${spark.kubernetes.securityContext.allowPrivilegeEscalation} */
  readonly "spark.kubernetes.executor.securityContext.allowPrivilegeEscalation"?: TrueOrFalse | undefined;
  /** Whether processes of the containers may gain more privileges than their parents. Default: false */
  readonly "spark.kubernetes.securityContext.allowPrivilegeEscalation"?: TrueOrFalse | undefined;
}

/** Settings of each line. */
interface SettingsByLine {
  readonly "3.5": SettingsOf35To43 & SettingsOf35To40;
  readonly "4.0": SettingsOf35To43 & SettingsOf40To43 & SettingsOf35To40;
  readonly "4.1": SettingsOf35To43 & SettingsOf40To43 & SettingsOf41To43;
  readonly "4.2": SettingsOf35To43 & SettingsOf40To43 & SettingsOf41To43 & SettingsOf42To43;
  readonly "4.3": SettingsOf35To43 & SettingsOf40To43 & SettingsOf41To43 & SettingsOf42To43 & SettingsOf43;
}

/**
 * Settings of Spark and Firesteel with their types: those of one release line, e.g. `SparkSettings<"4.3">`, or of any. Other keys and values
 * do not compile. Spark also reads settings that Firesteel does not know: use `extraConf` for them, and for values that are known only at
 * run time.
 *
 * @example
 * ```ts
 * const conf: SparkSettings<"4.3"> = {
 *   "spark.executor.instances": 4,
 *   "spark.executor.memory": "8g",
 *   "spark.kubernetes.driver.label.team": "billing",
 * };
 * ```
 */
export type SparkSettings<Line extends SparkLine = SparkLine> = SettingsByLine[Line];
