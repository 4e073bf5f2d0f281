#!/usr/bin/env bash
# Starts Java with the class data archive of Spark. The archive's class path must be the beginning of Java's, so configuration
# directories move behind Spark's jars. This finds the same files as Spark's order unless a jar has a file of the same name; then,
# and if anything else precedes the jars, Java starts as Spark wants it.
#
# This program is bin/java in a directory with the archive `spark.jsa`, `jars` (the names of its jars in order), `resources` (the
# names of the files in their root directories) and `options` (further options for Java, one a line). CLASS_SHARING_JAVA_HOME is the
# home of Java.
sharing=${BASH_SOURCE[0]%/bin/java}
jars=$SPARK_HOME/jars

# Whether an entry of the class path has only files that no jar has.
is_movable() {
  local file
  [[ -n $1 && $1 != */\* ]] || return 1
  [[ -d $1 || ! -e $1 ]] || return 1
  for file in "$1"/*; do
    [[ -e $file ]] || continue
    [[ -f $file ]] || return 1
    ! grep -qxF -- "${file##*/}" "$sharing/resources" || return 1
  done
}

# Prints the class path with Spark's jars at its beginning; fails if their order matters.
reordered() {
  local entry name before=() after=() first=() leading=() found=
  while IFS= read -r -d : entry; do
    if [[ -n $found ]]; then
      after+=("$entry")
    elif [[ $entry == "$jars/*" ]]; then
      found=yes
    elif [[ ${entry%/*} == "$jars" && $entry == *.jar ]]; then
      leading+=("$entry")
    else
      is_movable "$entry" || return 1
      before+=("$entry")
    fi
  done <<< "$1:"
  [[ -n $found ]] || return 1
  local -A known=()
  while IFS= read -r name; do
    known[$name]=yes
    [[ ! -f $jars/$name ]] || first+=("$jars/$name")
  done < "$sharing/jars"
  # Jars that Spark puts first must be the first ones of the archive.
  local IFS=:
  [[ "${first[*]:0:${#leading[@]}}" == "${leading[*]}" ]] || return 1
  for entry in "$jars"/*.jar; do
    [[ -n ${known[${entry##*/}]} ]] || first+=("$entry")
  done
  printf '%s' "${first[*]}${before[*]:+:${before[*]}}${after[*]:+:${after[*]}}"
}

java=$CLASS_SHARING_JAVA_HOME/bin/java
# Spark's launcher prints a command with this program, as it takes Java from JAVA_HOME. Applications see Java's home.
if [[ " $* " != *" org.apache.spark.launcher.Main "* ]]; then
  export JAVA_HOME=$CLASS_SHARING_JAVA_HOME
  unset CLASS_SHARING_JAVA_HOME
fi
options=()
arguments=("$@")
for ((index = 0; index < $# - 1; index++)); do
  [[ ${arguments[index]} == -cp ]] || continue
  if class_path=$(reordered "${arguments[index + 1]}"); then
    arguments[index + 1]=$class_path
    mapfile -t options < "$sharing/options"
    options+=("-XX:SharedArchiveFile=$sharing/spark.jsa" -Xshare:auto -Xlog:cds=off -Xlog:cds+dynamic=off)
  fi
  break
done
exec "$java" "${options[@]}" "${arguments[@]}"
