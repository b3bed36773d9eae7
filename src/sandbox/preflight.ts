/**
 * Scripts that prepare the place before an agent starts: first the user's, then the project's. Each is a
 * sandboxed command of its own under the same policy, so its exit code is a fact that no agent
 * can forge; what it leaves behind is what is in the working folder and in a kept HOME.
 */
import { OURS_INSIDE } from './policy.ts';
import type { SandboxPolicy } from './policy.ts';
import type { SandboxIo, SandboxPorts, SandboxResult } from './run-sandboxed.ts';
import { runSandboxed } from './run-sandboxed.ts';

export type Preflight =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly script: string; readonly result: SandboxResult };

/** Runs each script, given by its path on the host, until one fails. */
export async function runPreflight(
  policy: SandboxPolicy,
  scripts: readonly string[],
  ports: SandboxPorts,
  io: SandboxIo,
  signal?: AbortSignal,
): Promise<Preflight> {
  for (const [index, script] of scripts.entries()) {
    const inside =
      ports.backend === 'none' || ports.backend === 'seatbelt'
        ? script
        : `${OURS_INSIDE}-preflight-${index + 1}`;
    const shown = {
      ...policy,
      mounts: [...policy.mounts, { from: script, to: inside, mode: 'ro' as const }],
    };
    const result = await runSandboxed(shown, { argv: ['sh', '-e', inside] }, ports, io, signal);
    const isReady = result.exit.kind === 'code' && result.exit.code === 0 && result.oom !== true;
    if (!isReady) return { kind: 'failed', script, result };
  }
  return { kind: 'ready' };
}
