import type { Host } from "../../host/host.ts";

/**
 * Sees to it that no process of a pod outlives us, however we die: a small process that waits for its input to end,
 * which it does with us, and then kills what it was told of.
 */
export interface Watchdog {
  /** A process group, to be killed when we are gone. */
  readonly watch: (group: number) => void;
  /** That group ended by itself. */
  readonly forget: (group: number) => void;
  /** A folder, to be removed when we are gone. The path must have no line break. */
  readonly watchDirectory: (path: string) => void;
  /** A control group, to be removed with those directly below it when we are gone. No line break here, too. */
  readonly watchGroup: (path: string) => void;
  /** Removes a control group as soon as its last process is gone. */
  readonly removeGroup: (path: string) => void;
  /**
   * The value of the variable `FIRESTEEL_SANDBOX` in the environment of processes that are ours even if they left
   * their group.
   */
  readonly mark: string;
  /** Kills what is left, like our death would. */
  readonly stop: () => Promise<void>;
}

/** The variable that marks our processes; containers that see only their own variables do not have it. */
export const sandboxMark = "FIRESTEEL_SANDBOX";

// After a sudden death processes are looked for several times: one that had just begun to start bears its mark only a
// moment later.
const script = `
take() {
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
    'remove '*) take "$value" ;;
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
  for below in "$control"/*/; do take "$below"; done
  take "$control"
done
`;

/** Starts a watchdog. It needs nothing but a POSIX shell; where there is no `/proc`, marks are not looked for. */
export function startWatchdog(host: Pick<Host, "spawn" | "random">): Watchdog {
  const mark = host.random.uuid();
  const shell = host.spawn("sh", ["-c", script, "firesteel-watchdog", mark], {
    detached: true,
    stdin: "pipe",
    stdout: "ignore",
    stderr: "ignore",
  });
  return {
    mark,
    watch: (group) => shell.writeInput(`watch ${group}\n`),
    forget: (group) => shell.writeInput(`forget ${group}\n`),
    watchGroup: (path) => shell.writeInput(`control ${path}\n`),
    removeGroup: (path) => shell.writeInput(`remove ${path}\n`),
    watchDirectory: (path) => shell.writeInput(`directory ${path}\n`),
    async stop() {
      shell.writeInput("leave\n");
      shell.endInput();
      await shell.ended;
    },
  };
}
