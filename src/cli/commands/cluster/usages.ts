/** Help text of `firesteel cluster`. */
export const clusterUsage = `Usage: firesteel cluster <command> [options]

Manage a Kubernetes cluster on this machine. It runs in the background after the command has ended.

  start    start the cluster with its objects from the last run; succeed if it is running
  stop     stop the cluster and its pods, and keep its objects; succeed if it is not running
  delete   stop the cluster and delete it with all its objects; succeed if it does not exist
  status   print the status; exit with 1 if the cluster is not running
  image    manage your own images for pods
  ui       print the URL of the UI of a running driver
  chaos    inject faults
  env      print the environment for kubectl: eval "$(firesteel cluster env)"

For the options of a command, run: firesteel cluster <command> --help
`;

const nameOption = `  --name NAME             cluster name (default: default; --master k8s://embedded/NAME submits to it)
`;

/** Help texts of its commands. Those of `image` and `chaos` have commands of their own. */
export const clusterUsages = {
  start: `Usage: firesteel cluster start [options]

Start a Kubernetes cluster on this machine in the background, with its objects from the last run. Succeed if it is
running.

Options:
${nameOption}\
  --json                  JSON output
  --api-only              API without a node: no pod runs
  --sandbox MODE          sandbox of the containers: auto, bwrap, unshare, process or fake (default: auto)
  --network MODE          network of pods: pod (one each, if this machine allows it) or shared (this machine's) (default: pod)
  --spark-version VERSION default Spark version of images, a release or a release line
  --sync MODE             time at which a change is on disk: always (before the response), interval (within a second) or
                          never (default: interval); if only the cluster is killed, no mode loses a change
  --host-path DIR         directory allowed for hostPath volumes, with the directories below it; can be repeated
                          (default: your home, the directory for temporary files and Firesteel's cache)
  --no-overcommit         limit of the pods' total requests to what this machine has; further pods wait
  --repair                recovery of the readable part of damaged objects
  --shuffle-service       the shuffle service for executors, at the node's address
  --shuffle-port PORT     its port; 0 is any free port (default: 7337)
  --shuffle-properties FILE
                          its Spark properties, such as spark.authenticate (default: no authentication)
`,
  stop: `Usage: firesteel cluster stop [options]

Stop the cluster and its pods, and keep its objects for the next start. Succeed if it is not running.

Options:
${nameOption}`,
  delete: `Usage: firesteel cluster delete [options]

Stop the cluster, and delete it with all its objects. Succeed if it does not exist.

Options:
${nameOption}`,
  status: `Usage: firesteel cluster status [options]

Print the status. Exit with 1 if the cluster is not running.

Options:
${nameOption}\
  --json                  JSON output
`,
  ui: `Usage: firesteel cluster ui [DRIVER] [options]

Print the URL of the UI of a running driver: of a pod, of an application, or of the newest driver.

Options:
${nameOption}\
  --json                  JSON output
`,
  env: `Usage: firesteel cluster env [options]

Print the environment for kubectl and other clients, for a shell: eval "$(firesteel cluster env)"

Options:
${nameOption}`,
};

/** Help text of `firesteel cluster image`. */
export const clusterImageUsage = `Usage: firesteel cluster image <command> [options]

Manage your own images. Pods use them instead of this machine's programs. All clusters of a user share them.

  load     load an image
  list     list the images
  remove   remove an image

For the options of a command, run: firesteel cluster image <command> --help
`;

/** Help texts of its commands. */
export const clusterImageUsages = {
  load: `Usage: firesteel cluster image load FILE [options]

Load the image of an archive (of docker save, or in the OCI format) or of a directory.

Options:
  --tag NAME              name for the image (default: that in the archive)
  --json                  JSON output
`,
  list: `Usage: firesteel cluster image list [options]

List the images with name, ID and size.

Options:
  --json                  JSON output
`,
  remove: `Usage: firesteel cluster image remove NAME

Remove an image.
`,
};
