/** The kernel files and values that set the limits of a cgroup, for both cgroup versions. */

export type CgroupLimits = {
  readonly memoryBytes: number | null;
  readonly cpus: number | null;
  readonly pids: number | null;
  /** The share of a busy processor, where 100 is the default. */
  readonly cpuWeight?: number;
};

const CPU_PERIOD_US = 100_000;
const SHARES_PER_WEIGHT = 10.24;

export function hasLimitFor(
  controller: string,
  { memoryBytes, pids, cpus, cpuWeight }: CgroupLimits,
): boolean {
  return { memory: memoryBytes, pids, cpu: cpus ?? cpuWeight ?? null }[controller] !== null;
}

/** In an order that the kernel accepts: the limit of memory with swap is never below that of memory alone. */
export function cgroupSettings(
  controller: string,
  { memoryBytes, pids, cpus, cpuWeight }: CgroupLimits,
): readonly (readonly [file: string, value: string])[] {
  const quota = cpus === null ? null : Math.max(1000, Math.round(cpus * CPU_PERIOD_US));
  const weights = cpuWeight === undefined ? [] : [cpuWeight];
  const memory = memoryBytes === null ? [] : [String(memoryBytes)];
  switch (controller) {
    case 'memory':
      return memory.flatMap((bytes) => [
        ['memory.limit_in_bytes', bytes] as const,
        ['memory.memsw.limit_in_bytes', bytes] as const,
      ]);
    case 'pids':
      return pids === null ? [] : [['pids.max', String(pids)]];
    case 'cpu':
      return [
        ...(quota === null
          ? []
          : [
              ['cpu.cfs_period_us', String(CPU_PERIOD_US)] as const,
              ['cpu.cfs_quota_us', String(quota)] as const,
            ]),
        ...weights.map(
          (weight) => ['cpu.shares', String(Math.round(weight * SHARES_PER_WEIGHT))] as const,
        ),
      ];
    default:
      return [
        ...memory.flatMap((bytes) => [
          ['memory.max', bytes] as const,
          ['memory.swap.max', '0'] as const,
        ]),
        ...(pids === null ? [] : [['pids.max', String(pids)] as const]),
        ...(quota === null ? [] : [['cpu.max', `${quota} ${CPU_PERIOD_US}`] as const]),
        ...weights.map((weight) => ['cpu.weight', String(weight)] as const),
      ];
  }
}
