/** How much memory the process of a gateway may have, and how the kernel is told so. */

export type MemoryLimits = {
  /** Of the heap that V8 manages: beyond it the process ends by itself. */
  readonly heapBytes: number;
  /** Of everything that it can write to, buffers included: beyond it the kernel gives no more. */
  readonly dataBytes: number;
};

const MB = 1_000_000;
/** V8 reserves half a gigabyte for code when it starts, which counts although it is not used. */
const RESERVED_BYTES = 560 * MB;
const HEAP_BYTES_MIN = 256 * MB;
/** A request is there as bytes, as text, as parsed values, and as text again where it is compared. */
const HEAP_PER_REQUEST_BYTE = 8;
const BUFFERS_PER_REQUEST_BYTE = 4;

export function memoryLimits(requestBytesMax: number): MemoryLimits {
  const heapBytes = Math.max(HEAP_BYTES_MIN, HEAP_PER_REQUEST_BYTE * requestBytesMax);
  const buffers = Math.max(64 * MB, BUFFERS_PER_REQUEST_BYTE * requestBytesMax);
  return { heapBytes, dataBytes: RESERVED_BYTES + heapBytes + buffers };
}

/**
 * A limit on data segments needs no rights and no control group, and unlike `resourceLimits` of a worker
 * thread it holds for buffers too. The kernel is also told whom to end first when the machine is full.
 */
const SCRIPT = `
ulimit -c 0
ulimit -d "$1"
shift
echo 500 2>/dev/null >/proc/self/oom_score_adj
exec "$@"
`;

/** Other systems than Linux do not count what is mapped as data: there the heap's limit is the only one. */
export function commandWithin(
  { heapBytes, dataBytes }: MemoryLimits,
  node: string,
  args: readonly string[],
  platform: string = process.platform,
): readonly [string, ...string[]] {
  const heapMb = Math.round(heapBytes / 1_048_576);
  const flags = ['--no-warnings', `--max-old-space-size=${heapMb}`, '--max-semi-space-size=4'];
  if (platform !== 'linux') return [node, ...flags, ...args];
  const kb = String(Math.round(dataBytes / 1024));
  return ['/bin/sh', '-c', SCRIPT, 'supervisor-gateway', kb, node, ...flags, ...args];
}
