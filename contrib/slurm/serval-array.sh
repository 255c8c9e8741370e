#!/usr/bin/env bash
# Measures a directory of programs and nets on many machines, one part each:
#
#   sbatch --array=1-16 contrib/slurm/serval-array.sh suite results
#   serval bench merge results/part-*.json        # when all have ended
#
# The first argument is the directory, the second where parts are written; what
# follows are options of `serval bench`. A part that has ended is not run again,
# so that the same command continues what was interrupted.
#SBATCH --job-name=serval
#SBATCH --cpus-per-task=2
#SBATCH --mem=8G
set -euo pipefail

if [ "$#" -lt 2 ]; then
  echo "usage: sbatch --array=1-N $0 DIRECTORY RESULTS [OPTIONS OF serval bench]" >&2
  exit 2
fi
directory=$1 results=$2
shift 2

part=${SLURM_ARRAY_TASK_ID:?start this as an array job: sbatch --array=1-N}
of=${SLURM_ARRAY_TASK_COUNT:?start this as an array job: sbatch --array=1-N}
if [ "${SLURM_ARRAY_TASK_MIN:-1}" != 1 ] || [ "${SLURM_ARRAY_TASK_MAX:-$of}" != "$of" ]; then
  echo "the array must be 1-N without gaps" >&2
  exit 2
fi

mkdir -p "$results"
target="$results/part-$part.json"
if [ -s "$target" ]; then
  echo "$target is there already"
  exit 0
fi
status=0
serval bench "$directory" --shard "$part/$of" --jobs "${SLURM_CPUS_PER_TASK:-2}" --format json "$@" >"$target.tmp" || status=$?
# 1 says that a verdict differs: that is a result, which the merged table shows.
if [ "$status" -gt 1 ]; then
  exit "$status"
fi
mv "$target.tmp" "$target"
