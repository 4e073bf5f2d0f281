/**
 * Descriptions of the options, by flag, for the usage text and docs/command-line.md.
 *
 * Not in the option table, because every start loads that table.
 */
export const optionHelp: Readonly<Record<string, string>> = {
  "--master":
    "Master URL: k8s://https://HOST:PORT for a Kubernetes API server, k8s://embedded for the embedded cluster, spark://HOST:PORT, yarn or local (default: local[*]).",
  "--deploy-mode": 'Location of the driver: "cluster", or "client" for this machine (default: client).',
  "--class": "Main class of a Java or Scala application (default: that of the jar's manifest).",
  "--name": "Name of the application.",
  "--jars": "Jars for the class paths of driver and executors, separated by commas.",
  "--packages": "Maven coordinates groupId:artifactId:version of jars that the driver downloads, separated by commas.",
  "--exclude-packages": "Dependencies of --packages to exclude: groupId:artifactId, separated by commas.",
  "--repositories": "Additional repositories for --packages, separated by commas.",
  "--py-files": "Python modules for the PYTHONPATH: .py, .zip and .egg files, separated by commas.",
  "--files": "Files for the working directory of each executor, separated by commas.",
  "--archives":
    "Archives to unpack in the working directory of each executor, separated by commas; #NAME sets the directory.",
  "--conf": "Spark setting; can be repeated.",
  "--properties-file": "Properties file, instead of conf/spark-defaults.conf.",
  "--extra-properties-file":
    "Additional properties file, which overrides --properties-file and earlier ones; can be repeated.",
  "--load-spark-defaults": "Settings of conf/spark-defaults.conf in addition to --properties-file.",
  "--driver-memory": "Heap size of the driver, e.g. 512M or 2G (default: 1024M).",
  "--driver-java-options": "Options for the driver's JVM.",
  "--driver-library-path": "Library path of the driver's JVM.",
  "--driver-class-path": "Entries before the class path of the driver, which contains the jars of --jars anyway.",
  "--driver-default-class-path": "Entries before the class path of the driver, after those of --driver-class-path.",
  "--executor-memory": "Heap size of an executor, e.g. 512M or 2G (default: 1G).",
  "--proxy-user": "User to impersonate; not together with --principal.",
  "--help": "This help text.",
  "--verbose": "Additional output: the parsed arguments and the submission.",
  "--version": "Version.",
  "--usage-error": "This help text and a failure; for Spark's launcher.",
  "--remote": "Spark Connect server, e.g. sc://HOST:PORT; not together with --master and --deploy-mode.",
  "--driver-cores": "Number of cores of the driver (default: 1).",
  "--supervise": "Restart of the driver after a failure.",
  "--kill": "ID of a submission whose driver to kill.",
  "--status": "ID of a submission whose driver status to print.",
  "--total-executor-cores": "Total number of cores of all executors.",
  "--executor-cores":
    "Number of cores of an executor (default: 1 on YARN and Kubernetes, all cores of a worker on standalone).",
  "--num-executors": "Number of executors (default: 2); with dynamic allocation, the initial number is at least this.",
  "--principal": "Kerberos principal for the login.",
  "--keytab": "Path of the keytab of --principal.",
  "--queue": 'YARN queue (default: "default").',
  "--logs": "Logs to print while waiting: none, driver, or all with the executors (default: none).",
  "--fail-fast": "Immediate failure, and deletion of the driver, if it cannot start without a change.",
  "--check": "Check of everything that firesteel doctor checks before the submission, which a failure prevents.",
  "--spark-version":
    "Spark version to emulate, e.g. 4.3.0 or 3.5 (default: that of the image's tag, of SPARK_HOME, or the newest known).",
  "--submission-token":
    "Token of this submission. With a token that was used before, the command waits for the existing driver instead.",
  "--kubernetes-namespace": "Deprecated: use --conf spark.kubernetes.namespace=NAMESPACE.",
  "--staging":
    "Transport of files of this machine to the driver: auto, none, secret, server, s3 or push (default: auto).",
  "--python-env":
    "Python environment of driver and executors: requirements.txt, pyproject.toml, a directory, or an archive of venv-pack or conda-pack.",
  "--mount":
    "Mount of driver and executors: SOURCE[:PATH][:ro] of this machine on the embedded cluster, pvc:NAME:/PATH[:ro], or s3a://BUCKET:SECRET for credentials. Can be repeated.",
  "--profile": "Settings of this name in firesteel.yaml of the project or the user, which options and --conf override.",
  "--json": "JSON output of --status on the standard output.",
};
