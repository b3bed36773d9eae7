/**
 * Scripts that prepare the place before an agent starts: first the user's, then the project's. Each is a
 * sandboxed command of its own under the same policy, so its exit code is a fact that no agent
 * can forge; what it leaves behind is what is in the working folder and in a kept HOME.
 */
import { newRunId } from '../base/ids.ts';
import { processScopedName } from '../host/files/process-scoped-name.ts';
import { realPathSync } from '../host/files/system-dirs.ts';
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
    await using file = await fileOf(script, ports);
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

/** A text is written out for this one start: the file that it came from may say something else by now. */
async function fileOf(
  script: PreflightScript,
  { luck }: SandboxPorts,
): Promise<AsyncDisposable & { readonly path: string }> {
  if (typeof script === 'string')
    return { path: script, [Symbol.asyncDispose]: () => Promise.resolve() };
  await using stack = new AsyncDisposableStack();
  const name = processScopedName(NAME_PREFIX, newRunId(luck));
  const scratch = stack.use(await ScratchFolder.make(`${name}-`));
  const path = await scratch.write('preflight.sh', script.text, 0o644);
  const owned = stack.move();
  // A mount may not lie behind a link, which the folder for temporary files does on some systems.
  return { path: realPathSync(path) ?? path, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
