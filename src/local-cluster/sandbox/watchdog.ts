import type { Host } from "../../host/host.ts";

/**
 * Ensures that no pod process outlives Firesteel, even if it crashes. A small process waits for its input to end,
 * which happens when Firesteel ends, and then kills the registered processes.
 */
export interface Watchdog {
  /** Registers a process group to kill when Firesteel ends. */
  readonly watch: (group: number) => void;
  /** Removes a process group that has ended. */
  readonly forget: (group: number) => void;
  /** Registers a directory to remove when Firesteel ends. The path must not contain a line break. */
  readonly watchDirectory: (path: string) => void;
  /**
   * Registers a control group to remove, with its direct children, when Firesteel ends. The path must not contain a
   * line break.
   */
  readonly watchGroup: (path: string) => void;
  /** Removes a control group when its last process has ended. */
  readonly removeGroup: (path: string) => void;
  /**
   * Value of the variable `FIRESTEEL_SANDBOX` in the environment of pod processes; identifies them even if they left
   * their group.
   */
  readonly mark: string;
  /** Kills the remaining processes, as when Firesteel ends. Later calls only wait for that. */
  readonly stop: () => Promise<void>;
}

/** Variable that marks pod processes. Containers with an isolated environment do not have it. */
export const sandboxMark = "FIRESTEEL_SANDBOX";

// After a crash, search for processes several times: a process that was just starting gets its mark a moment later.
const script = `
remove_group() {
  for delay in 0 0.01 0.1 1; do
    [ -d "$1" ] || return
    sleep $delay
    rmdir -- "$1" 2>/dev/null && return
  done
}
groups= directories= controls= delays='0 0.1 0.5 1' newline='
'
while IFS= read -r line; do
  value=\${line#* }
  case $line in
    'watch '*) groups="$groups $value" ;;
    'forget '*)
      kept=
      for group in $groups; do [ "$group" = "$value" ] || kept="$kept $group"; done
      groups=$kept ;;
    'directory '*) directories="$directories$value$newline" ;;
    'control '*) controls="$controls$value$newline" ;;
    'remove '*) remove_group "$value" ;;
    leave) delays=0 ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
for delay in $delays; do
  sleep $delay
  for environment in /proc/[0-9]*/environ; do
    if grep -qz "^FIRESTEEL_SANDBOX=$1\\$" "$environment"; then
      process=\${environment%/environ}
      kill -s KILL "\${process#/proc/}"
    fi
  done
done
IFS=$newline
for directory in $directories; do rm -rf -- "$directory"; done
for control in $controls; do
  for below in "$control"/*/; do remove_group "$below"; done
  remove_group "$control"
done
`;

/** Starts a watchdog. It requires only a POSIX shell; without `/proc`, it does not search for marks. */
export function startWatchdog(host: Pick<Host, "spawn" | "random">): Watchdog {
  const mark = host.random.uuid();
  const shell = host.spawn("sh", ["-c", script, "firesteel-watchdog", mark], {
    detached: true,
    stdin: "pipe",
    stdout: "ignore",
    stderr: "ignore",
  });
  let isStopping = false;
  return {
    mark,
    watch: (group) => shell.writeInput(`watch ${group}\n`),
    forget: (group) => shell.writeInput(`forget ${group}\n`),
    watchGroup: (path) => shell.writeInput(`control ${path}\n`),
    removeGroup: (path) => shell.writeInput(`remove ${path}\n`),
    watchDirectory: (path) => shell.writeInput(`directory ${path}\n`),
    async stop() {
      if (!isStopping) {
        isStopping = true;
        shell.writeInput("leave\n");
        shell.endInput();
      }
      await shell.ended;
    },
  };
}
