/** Addresses of the link between this machine and the pods' network. At the first one, pods reach this machine's loopback. */
export const link = { machine: "169.254.90.1", network: "169.254.90.2", prefixBits: 24, device: "machine" } as const;

/** Device of the pods' network, which all pods are connected to. */
const bridge = "pods";

/**
 * Builds the shell script that creates the pods' network in a network namespace of its own, then obeys commands on its input:
 * `add N` creates the network of the pod with address `N` and prints `ok N PID`, or `failed N REASON`; `remove N PID` removes it.
 *
 * A pod's namespace is held by a process that sleeps. All processes end with the script, which is process 1 of its namespace.
 * 127/8 is a network like any other here, except for 127.0.0/24: the kernel then accepts packets of it from other devices. In the
 * cluster's namespace, addresses of 127/8 that are not of pods are local, so that ports of this machine can be opened there.
 *
 * @param prefix first three numbers of the addresses, e.g. `127.90.0.`
 */
export function networkScript(prefix: string): string {
  const network = `${prefix}0/24`;
  const serviceAddresses = Array.from({ length: 55 }, (_, index) => `${prefix}${200 + index}`);
  return `
set -e
ip -batch - <<IP
${ownLoopback}
link add ${bridge} type bridge
addr add ${prefix}1/24 dev ${bridge} scope global
${serviceAddresses.map((address) => `addr add ${address}/32 dev ${bridge} scope global`).join("\n")}
link set ${bridge} up
route add local 127.0.0.0/8 dev lo table main
IP
echo 1 > /proc/sys/net/ipv4/ip_nonlocal_bind
echo 1 > /proc/sys/net/ipv4/ip_forward
${settings.join("\n")}
if command -v nft > /dev/null; then
  nft -f - <<NFT
table ip firesteel {
  chain outgoing {
    type nat hook postrouting priority 100;
    ip saddr ${network} ip daddr != ${network} masquerade
  }
}
NFT
else
  iptables -t nat -A POSTROUTING -s ${network} ! -d ${network} -j MASQUERADE
fi
set +e
read -r own _ < /proc/self/stat
echo "ready $own"
while read -r verb number; do
  case $verb in
  add)
    unshare --net sh -c '${podScript(prefix)}' sh "$number" "$own" &
    eval "holder_$number=$!" ;;
  remove)
    eval "kill \\$holder_$number; wait \\$holder_$number"
    ip link del "${bridge}$number" ;;
  esac
done
`;
}

const ownLoopback = `link set lo up
addr del 127.0.0.1/8 dev lo
addr add 127.0.0.1/24 dev lo scope host`;

const settings = [
  "echo 1 > /proc/sys/net/ipv4/conf/all/route_localnet",
  "echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start",
];

/** Builds the script that runs in the new namespace of a pod, with its number and the process of the cluster's network. */
function podScript(prefix: string): string {
  return `
message=$(ip -batch - 2>&1 <<IP
link add eth0 type veth peer name ${bridge}$1 netns 1
${ownLoopback}
addr add ${prefix}$1/24 dev eth0 scope global
link set eth0 up
route add default via ${prefix}1
IP
) && ${settings.join(" && ")} &&
  nsenter "--net=/proc/$2/ns/net" ip link set "${bridge}$1" master ${bridge} up || {
  echo "failed $1 $message"
  exit 1
}
read -r own _ < /proc/self/stat
echo "ok $1 $own"
exec sleep infinity
`;
}
