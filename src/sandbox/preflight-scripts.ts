/**
 * Runs scripts that prepare the environment before an agent starts: first the user's, then the project's. Each is a
 * separate sandboxed command under the same policy, so no agent can forge its exit code. Only the working folder and
 * a persistent HOME keep what a script leaves.
 */
import { newRunId } from '../base/ids.ts';
import { processScopedName } from '../host/files/process-scoped-name.ts';
import { realPathSync } from '../host/files/real-path.ts';
import { ScratchFolder } from '../host/files/scratch-folder.ts';
import type { PreflightScript } from '../settings/sandbox-config.ts';
import { OURS_INSIDE } from './policy.ts';
import type { SandboxPolicy } from './policy.ts';
import { NAME_PREFIX } from './prepare-mounts.ts';
import type { SandboxIo, SandboxPorts, SandboxResult } from './run-sandboxed.ts';
import { runSandboxed } from './run-sandboxed.ts';

export type PreflightScripts =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly script: string; readonly result: SandboxResult };

/** Runs each script until one fails. */
export async function runPreflightScripts(
  policy: SandboxPolicy,
  scripts: readonly PreflightScript[],
  ports: SandboxPorts,
  io: SandboxIo,
  signal?: AbortSignal,
): Promise<PreflightScripts> {
  for (const [index, script] of scripts.entries()) {
    await using file = await writeScript(script, ports);
    const inside =
      ports.backend === 'none' || ports.backend === 'seatbelt'
        ? file.path
        : `${OURS_INSIDE}-preflight-${index + 1}`;
    const shown = {
      ...policy,
      mounts: [...policy.mounts, { from: file.path, to: inside, mode: 'ro' as const }],
    };
    const result = await runSandboxed(shown, { argv: ['sh', '-e', inside] }, ports, io, signal);
    const isReady = result.exit.kind === 'code' && result.exit.code === 0 && result.oom !== true;
    const name = typeof script === 'string' ? script : script.name;
    if (!isReady) return { kind: 'failed', script: name, result };
  }
  return { kind: 'ready' };
}

/** The text is written to a file for this one start, because the original file may have changed by now. */
async function writeScript(
  script: PreflightScript,
  { random }: SandboxPorts,
): Promise<AsyncDisposable & { readonly path: string }> {
  if (typeof script === 'string')
    return { path: script, [Symbol.asyncDispose]: () => Promise.resolve() };
  await using stack = new AsyncDisposableStack();
  const name = processScopedName(NAME_PREFIX, newRunId(random));
  const scratch = stack.use(await ScratchFolder.make(`${name}-`));
  const path = await scratch.write('preflight.sh', script.text, 0o644);
  const owned = stack.move();
  // A mount source must not contain a symlink, and on some systems the path of the temporary folder does.
  return { path: realPathSync(path) ?? path, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
