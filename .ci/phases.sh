# Sourced by .ci/run and .ci/full: names each phase of a run, and records what it took (tools/testing/summary.ts prints it).
results="$PWD/.stack/test-results"
rm -rf "$results" && mkdir -p "$results"

# Milliseconds since the machine started: wall, CPU of all cores, and steal (what other machines on this host took).
machine_times() {
  local user nice system idle iowait irq softirq steal
  read -r _ user nice system idle iowait irq softirq steal _ </proc/stat
  echo "$(date +%s%3N) $(((user + nice + system + irq + softirq) * 10)) $((steal * 10))"
}

phase_name=''
phase() {
  end_phase
  phase_name=$1
  read -r phase_wall phase_cpu phase_steal <<<"$(machine_times)"
  printf '\n== %s (%s s)\n' "$1" "$SECONDS"
}
end_phase() {
  [ -n "$phase_name" ] || return 0
  local wall cpu steal
  read -r wall cpu steal <<<"$(machine_times)"
  printf '%s\t%s\t%s\t%s\n' "$phase_name" $((wall - phase_wall)) $((cpu - phase_cpu)) $((steal - phase_steal)) >>"$results/phases.tsv"
  phase_name=''
}

# The most memory that the whole machine had in use, beside what it used before the run.
memory_in_use() { awk '/^MemTotal/ {total = $2} /^MemAvailable/ {print int((total - $2) / 1024)}' /proc/meminfo; }
(
  before=$(memory_in_use) peak=0
  while sleep 2 && kill -0 $$ 2>/dev/null; do
    used=$(($(memory_in_use) - before))
    [ "$used" -le "$peak" ] || { peak=$used && echo "$peak" >"$results/peak-memory-mb"; }
  done
) &
