/** Help text of `firesteel cluster chaos`. */
export const chaosUsage = `Usage: firesteel cluster chaos <command> [options]

Inject faults into a running cluster, to test what tolerates them. Faults end with the cluster.

  list              list the active rules and how often each injected its fault (default)
  add FAULT         add a rule. FAULT is one of:
                      401 403 409 410 413 422 429 500 503 504
                                  response with this status, as Kubernetes sends it; a watch gets 410 as an event
                      slow        response delayed by --delay
                      drop        connection cut; with --delay, a stream is cut after this time
                      silence     no response, on an open connection
                      half-open   watch or followed log without further data, on an open connection
                      nonsense    response with status 200 and a page that is not JSON
                      image-pull  image pulls fail, even of images on this machine
  remove ID         remove a rule
  clear             remove all rules, return the node and reset the clock
  evict POD         evict a pod as a node under memory pressure does
  oom POD           kill a pod's containers, or that of --container, as out of memory
  lose-node         stop the node's heartbeats: it becomes NotReady, and its pods are deleted when their tolerations
                    expire; with --gone the machine is off: its pods end and are removed
  return-node       return the node
  step-clock        change the cluster's clock by --by

Options to select requests (default: all; * matches any text):
  --verb VERB       get, list, watch, create, update, patch, delete, deletecollection; can be repeated
  --resource NAME   pods, pods/log, statefulsets.apps; can be repeated
  --path PATH       path of the URL, without its query
  --namespace NAME, --object NAME, --user NAME, --user-agent TEXT, --image NAME (image-pull)

Options for the number of faults (default: each matching request, until the rule is removed):
  --skip N          number of matching requests to skip first
  --times N         maximum number of faults
  --probability P   probability of a fault for each matching request; --seed N makes the choice repeatable
  --for DURATION    lifetime of the rule, e.g. 500ms, 30s, 5min; for lose-node: time until the node returns

Options of faults:
  --delay DURATION  delay (slow), or time before a stream is interrupted (drop, half-open)
  --retry-after S   Retry-After header in seconds (429, 500, 503, 504)
  --message TEXT    message instead of that of Kubernetes
  --done            execution of the request before the fault: only the response fails
  --opened          faults for streams that are open already, too (drop, half-open)
  --container NAME  container to kill (oom)
  --by DURATION     change of the clock (step-clock), e.g. 1h, -5min
  --name NAME       cluster name (default: default)
  --json            JSON output
`;
