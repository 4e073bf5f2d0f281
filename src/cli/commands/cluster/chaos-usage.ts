/** What `firesteel cluster chaos --help` prints. */
export const chaosUsage = `Usage: firesteel cluster chaos <command> [options]

Makes a running cluster go wrong on demand, to see what goes on all the same. Nothing of it outlives the cluster.

  list              the rules in force, and what they struck (default)
  add FAULT         puts a rule in force:
                      401 403 409 410 413 422 429 500 503 504
                                  answered in Kubernetes' words; 410 comes to a watch as its event
                      slow        the answer comes later, by --delay
                      drop        the connection is cut; with --delay: that of a stream, after a while
                      silence     there is no answer, and the connection stays
                      half-open   a watch or a followed log tells nothing more, and its connection stays
                      nonsense    200, and a page that is no JSON
                      image-pull  images cannot be pulled, even those that are here
  remove ID         takes a rule out of force
  clear             all rules; brings back the node and sets the clock right
  evict POD         ends a pod as a node does that is short of memory
  oom POD           kills a pod's containers, or the one of --container, for want of memory
  lose-node         nothing is heard of the node: NotReady, and its pods are deleted when their tolerations are over;
                    with --gone its machine is off: its pods end, and are removed
  return-node       it is there again
  step-clock        the cluster's clock jumps, by --by

Which requests (default: all; * stands for any text):
  --verb VERB       get, list, watch, create, update, patch, delete, deletecollection; may be given several times
  --resource NAME   pods, pods/log, statefulsets.apps; may be given several times
  --path PATH       of the URL, without its query
  --namespace NAME, --object NAME, --user NAME, --user-agent TEXT, --image NAME (of image-pull)

How often, and for how long (default: each, until it is removed):
  --skip N          spares the first N that fit
  --times N         strikes so many
  --probability P   strikes each with probability P; --seed N makes it the same ones again
  --for DURATION    e.g. 500ms, 30s, 5min; of lose-node: until the node is back

How:
  --delay DURATION  of slow; of drop and half-open: so long a stream goes on first
  --retry-after S   of 429, 500, 503, 504
  --message TEXT    instead of Kubernetes' words
  --done            the API does what is asked for; only its answer goes wrong
  --opened          of drop and half-open: strikes streams that are open already, too
  --container NAME  of oom
  --by DURATION     of step-clock: e.g. 1h, -5min
  --name NAME       another cluster than "default"
  --json            the facts as JSON
`;
