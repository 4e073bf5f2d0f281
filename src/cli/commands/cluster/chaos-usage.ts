/** Help text of `firesteel cluster chaos`. */
export const chaosUsage = `Usage: firesteel cluster chaos <command> [options]

Inject faults into a running cluster, to test what tolerates them. Faults end with the cluster.

  list         list the active rules and how often each injected its fault (default)
  add          add a rule: a fault, and the requests to which it applies
  remove       remove a rule
  clear        remove all rules, return the node and reset the clock
  evict        evict a pod as a node under memory pressure does
  oom          kill a pod's containers as out of memory
  lose-node    stop the node's heartbeats
  return-node  return the node
  step-clock   change the cluster's clock

For the options of a command, run: firesteel cluster chaos <command> --help
`;

const common = `  --name NAME             cluster name (default: default)
  --json                  JSON output
`;

/** Help texts of its commands. */
export const chaosUsages = {
  list: `Usage: firesteel cluster chaos list [options]

List the active rules and how often each injected its fault, and the state of node and clock.

Options:
${common}`,
  add: `Usage: firesteel cluster chaos add FAULT [options]

Add a rule. FAULT is one of:

  401 403 409 410 413 422 429 500 503 504
                          response with this status, as Kubernetes sends it; a watch gets 410 as an event
  slow                    response delayed by --delay
  drop                    connection cut; with --delay, a stream is cut after this time
  silence                 no response, on an open connection
  half-open               watch or followed log without further data, on an open connection
  nonsense                response with status 200 and a page that is not JSON
  image-pull              image pulls fail, even of images on this machine

Options to select requests (default: all; * matches any text):
  --verb VERB             get, list, watch, create, update, patch, delete, deletecollection; can be repeated
  --resource NAME         pods, pods/log, statefulsets.apps; can be repeated
  --path PATH             path of the URL, without its query
  --namespace NAME, --object NAME, --user NAME, --user-agent TEXT
                          namespace, name of the object, user and program of a request
  --image NAME            image (image-pull)

Options for the number of faults (default: each matching request, until the rule is removed):
  --skip N                number of matching requests to skip first
  --times N               maximum number of faults
  --probability P         probability of a fault for each matching request
  --seed N                repeatable choice of these requests
  --for DURATION          lifetime of the rule, e.g. 500ms, 30s, 5min

Options of faults:
  --delay DURATION        delay (slow), or time before a stream is interrupted (drop, half-open)
  --retry-after S         Retry-After header in seconds (429, 500, 503, 504)
  --message TEXT          message instead of that of Kubernetes
  --done                  execution of the request before the fault: only the response fails
  --opened                faults for streams that are open already, too (drop, half-open)
${common}`,
  remove: `Usage: firesteel cluster chaos remove ID [options]

Remove a rule.

Options:
${common}`,
  clear: `Usage: firesteel cluster chaos clear [options]

Remove all rules, return the node and reset the clock.

Options:
${common}`,
  evict: `Usage: firesteel cluster chaos evict POD [options]

Evict a pod as a node under memory pressure does.

Options:
  --namespace NAME        namespace of the pod (default: default)
  --message TEXT          message instead of that of Kubernetes
${common}`,
  oom: `Usage: firesteel cluster chaos oom POD [options]

Kill a pod's containers as out of memory.

Options:
  --namespace NAME        namespace of the pod (default: default)
  --container NAME        only this container
${common}`,
  "lose-node": `Usage: firesteel cluster chaos lose-node [options]

Stop the node's heartbeats: it becomes NotReady, and its pods are deleted when their tolerations expire.

Options:
  --gone                  the machine is off, too: its pods end and are removed
  --for DURATION          time until the node returns, e.g. 500ms, 30s, 5min
${common}`,
  "return-node": `Usage: firesteel cluster chaos return-node [options]

Return the node.

Options:
${common}`,
  "step-clock": `Usage: firesteel cluster chaos step-clock --by DURATION [options]

Change the cluster's clock.

Options:
  --by DURATION           change of the clock, e.g. 1h, -5min
${common}`,
};
