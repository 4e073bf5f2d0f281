import type { Shell } from "./print-completion.ts";

/** Programs with completion. */
const programs = [
  ...["firesteel", "spark-submit", "pyspark", "spark-shell", "spark-sql", "sparkR", "run-example"],
  ...["spark-pipelines", "spark-connect-shell"],
];

const names = programs.join(" ");

/** Script of each shell. It calls `firesteel completion suggest` for suggestions, and completes files itself. */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: `# Completion of Firesteel for bash: source <(firesteel completion bash)
_firesteel() {
  COMPREPLY=()
  local kind= line
  while IFS= read -r line; do
    if [ -z "$kind" ]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <(firesteel completion suggest bash "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  case $kind in
    partial) compopt -o nospace 2>/dev/null ;;
    file) compopt -o default 2>/dev/null ;;
    directory) compopt -o dirnames 2>/dev/null ;;
  esac
}
complete -F _firesteel ${names}
`,
  zsh: `#compdef ${names}
# Completion of Firesteel for zsh: source <(firesteel completion zsh), or a file _firesteel in a directory of fpath.
_firesteel() {
  local -a lines
  lines=("\${(@f)$(firesteel completion suggest zsh "\${(@)words[1,CURRENT]}" 2>/dev/null)}")
  case $lines[1] in
    full) lines=("\${(@)lines[2,-1]}"); _describe command lines ;;
    partial) lines=("\${(@)lines[2,-1]}"); _describe command lines -S '' ;;
    file) compset -P '--*='; _files ;;
    directory) compset -P '--*='; _files -/ ;;
  esac
}
if [ "$funcstack[1]" = "_firesteel" ]; then _firesteel "$@"; else compdef _firesteel ${names}; fi
`,
  fish: `# Completion of Firesteel for fish: firesteel completion fish | source
function __firesteel_complete
  set -l lines (firesteel completion suggest fish (commandline -opc) (commandline -ct) 2>/dev/null)
  switch "$lines[1]"
    case full partial
      printf '%s\\n' $lines[2..-1]
    case file directory
      __fish_complete_path (string replace -r -- '^--[^=]*=' '' (commandline -ct))
  end
end
for program in ${names}
  complete -c $program -f -a '(__firesteel_complete)'
end
`,
};
