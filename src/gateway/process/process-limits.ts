/** The memory and processor limits of a gateway process, and the command that applies them. */
import type { CgroupParents, CgroupPlan } from '../../host/process/cgroup.ts';
import { planCgroup } from '../../host/process/cgroup.ts';

export type ProcessLimits = {
  /** The limit of the V8 heap. Beyond it, the process ends itself. */
  readonly heapBytes: number;
  /** The limit of all writable memory, buffers included. Beyond it, the kernel allocates no more. */
  readonly dataBytes: number;
  /** Its own control group, if this user may create one. */
  readonly group: CgroupPlan;
};

const MB = 1_000_000;
/** V8 reserves half a gigabyte for code when it starts. The kernel counts it although it is not used. */
const RESERVED_BYTES = 560 * MB;
const HEAP_BYTES_MIN = 256 * MB;
/** A request exists as bytes, as text, as parsed values, and as text again where it is compared. */
const HEAP_PER_REQUEST_BYTE = 8;
const BUFFERS_PER_REQUEST_BYTE = 4;
/** The program itself, its stacks, and the kernel's memory for its sockets. */
const PROGRAM_BYTES = 160 * MB;
/**
 * Half of the usual share when the processor is busy. That is enough to answer promptly beside busy agents, and the
 * owner comes first. A process that mostly sleeps is scheduled at once either way.
 */
const CPU_WEIGHT = 50;
const NICE = '5';

export function processLimits(
  requestBytesMax: number,
  name = '',
  where: CgroupParents = { kind: 'none', why: 'no groups were requested' },
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
 * Applies the limits. A limit on data segments needs no rights and no control group, and unlike `resourceLimits` of a
 * worker thread it includes buffers. A control group, if one may be created, also counts kernel memory of the
 * process. The process always yields to the owner: by its nice value and, because each session gets its own processor
 * share, by that of its session. The OOM score makes the kernel kill it first when memory runs out. A step that fails
 * is skipped: the other limits hold without it.
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

/** Other systems do not count mapped memory as data. There, the heap limit is the only one. */
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
  const steps = renderSteps(group);
  return ['/bin/sh', '-c', SCRIPT, 'supervisor-gateway', kb, steps, node, ...flags, ...args];
}

/** One step per line: a folder to create, a value to write, and last the group to join. */
function renderSteps({ folders, writes }: CgroupPlan): string {
  const steps = [
    ...folders.map((folder) => [folder, 'folder']),
    ...writes,
    ...folders.map((folder) => [`${folder}/cgroup.procs`, 'self']),
  ];
  const isPlain = steps.every(([path = '']) => !/[\s\\]/.test(path));
  return isPlain ? steps.map((step) => step.join(' ')).join('\n') : '';
}
