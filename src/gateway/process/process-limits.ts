/** How much memory and processor the process of a gateway may have, and how the kernel is told so. */
import type { CgroupParents, CgroupPlan } from '../../host/process/cgroup.ts';
import { planCgroup } from '../../host/process/cgroup.ts';

export type ProcessLimits = {
  /** Of the heap that V8 manages: beyond it the process ends by itself. */
  readonly heapBytes: number;
  /** Of everything that it can write to, buffers included: beyond it the kernel gives no more. */
  readonly dataBytes: number;
  /** A group of its own, where this user may make one. */
  readonly group: CgroupPlan;
};

const MB = 1_000_000;
/** V8 reserves half a gigabyte for code when it starts, which counts although it is not used. */
const RESERVED_BYTES = 560 * MB;
const HEAP_BYTES_MIN = 256 * MB;
/** A request is there as bytes, as text, as parsed values, and as text again where it is compared. */
const HEAP_PER_REQUEST_BYTE = 8;
const BUFFERS_PER_REQUEST_BYTE = 4;
/** The program itself and its stacks, and what the kernel holds for its sockets. */
const PROGRAM_BYTES = 160 * MB;
/**
 * Half of what others get where all want the processor: enough to answer promptly beside busy agents, and the
 * owner comes first. A process that sleeps most of the time is served at once either way.
 */
const CPU_WEIGHT = 50;
const NICE = '5';

export function processLimits(
  requestBytesMax: number,
  name = '',
  where: CgroupParents = { kind: 'none', why: 'nobody asked for groups' },
): ProcessLimits {
  const heapBytes = Math.max(HEAP_BYTES_MIN, HEAP_PER_REQUEST_BYTE * requestBytesMax);
  const buffers = Math.max(64 * MB, BUFFERS_PER_REQUEST_BYTE * requestBytesMax);
  const memoryBytes = heapBytes + buffers + PROGRAM_BYTES;
  const group = planCgroup(
    name,
    { memoryBytes, cpuWeight: CPU_WEIGHT, cpus: null, pids: null },
    where,
  );
  return { heapBytes, dataBytes: RESERVED_BYTES + heapBytes + buffers, group };
}

/**
 * A limit on data segments needs no rights and no control group, and unlike `resourceLimits` of a worker
 * thread it holds for buffers too. A group, where one may be made, also holds what the kernel keeps for
 * the process. Whether or not there is one, the process gives way to the owner: by its nice value and, since
 * each session shares the processor apart, by that of its session. The kernel is also told whom to end first
 * when the machine is full. What cannot be had is left out: the limits before it hold by themselves.
 */
const SCRIPT = `
ulimit -c 0
ulimit -d "$1"
printf '%s\\n' "$2" | while read -r file value; do
  case $file:$value in
    :) ;;
    *:folder) mkdir "$file" ;;
    *:self) echo $$ >"$file" ;;
    *) echo "$value" >"$file" ;;
  esac 2>/dev/null
done
shift 2
echo 500 2>/dev/null >/proc/self/oom_score_adj
echo ${NICE} 2>/dev/null >/proc/self/autogroup
if command -v nice >/dev/null; then exec nice -n ${NICE} "$@"; fi
exec "$@"
`;

/** Other systems than Linux do not count what is mapped as data: there the heap's limit is the only one. */
export function commandWithin(
  { heapBytes, dataBytes, group }: ProcessLimits,
  node: string,
  args: readonly string[],
  platform: string = process.platform,
): readonly [string, ...string[]] {
  const heapMb = Math.round(heapBytes / 1_048_576);
  const flags = ['--no-warnings', `--max-old-space-size=${heapMb}`, '--max-semi-space-size=4'];
  if (platform === 'darwin') return ['/usr/bin/nice', '-n', NICE, node, ...flags, ...args];
  if (platform !== 'linux') return [node, ...flags, ...args];
  const kb = String(Math.round(dataBytes / 1024));
  const steps = stepsOf(group);
  return ['/bin/sh', '-c', SCRIPT, 'supervisor-gateway', kb, steps, node, ...flags, ...args];
}

/** One step in each line: a folder to make, a value to write, and last the group to become one of. */
function stepsOf({ folders, writes }: CgroupPlan): string {
  const steps = [
    ...folders.map((folder) => [folder, 'folder']),
    ...writes,
    ...folders.map((folder) => [`${folder}/cgroup.procs`, 'self']),
  ];
  const isPlain = steps.every(([path = '']) => !/[\s\\]/.test(path));
  return isPlain ? steps.map((step) => step.join(' ')).join('\n') : '';
}
