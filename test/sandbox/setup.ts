/** One sandboxed shell script, run for real. */
import { mkdtempSync, realpathSync } from 'node:fs';
import { chmod, chown, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { systemRandom } from '../../src/host/machine/system-random.ts';
import type { Backend, SandboxLimits, SandboxPolicy } from '../../src/sandbox/policy.ts';
import { AGENT_LIMITS, offlinePolicy } from '../../src/sandbox/policy.ts';
import { probeFacts } from '../../src/sandbox/probe-facts.ts';
import type { SandboxPorts, SandboxResult } from '../../src/sandbox/run-sandboxed.ts';
import { runSandboxed } from '../../src/sandbox/run-sandboxed.ts';
import { sandboxUser } from '../../src/sandbox/sandbox-user.ts';

const USER_NAME = 'test';
/** No script of a test takes longer; a script that hangs must fail, not hang its test. */
const SCRIPT_MS_MAX = 120_000;

export function portsFor(backend: Backend, env: NodeJS.ProcessEnv = process.env): SandboxPorts {
  const facts = probeFacts(env);
  return {
    clock: systemClock,
    random: systemRandom,
    facts,
    backend,
    protectedPaths: { userDir: '/nonexistent', stateDir: '/nonexistent/.supervisor' },
    user: sandboxUser(USER_NAME, facts),
  };
}

/** A folder that the sandbox's user owns. Closed to other users, as a real one is. */
export async function workFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = mkdtempSync(join(realpathSync(tmpdir()), 'supervisor-work-'));
  const facts = probeFacts({});
  const { uid, gid } = sandboxUser(USER_NAME, facts);
  if (facts.uid === 0) await chown(path, uid, gid);
  await chmod(path, 0o700);
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}

export type ScriptResult = SandboxResult & { readonly stdout: string; readonly stderr: string };

export type Run = {
  readonly backend?: Backend;
  readonly image?: string | null;
  readonly policy?: Partial<SandboxPolicy>;
  readonly limits?: Partial<SandboxLimits>;
  readonly stdin?: string;
  readonly graceMs?: number;
  readonly signal?: AbortSignal;
  readonly onStdout?: (text: string) => void;
  readonly env?: NodeJS.ProcessEnv;
};

let runs = 0;

export async function runScript(
  work: string,
  script: string,
  run: Run = {},
): Promise<ScriptResult> {
  const { backend = 'bubblewrap', image = null, policy = {}, limits = {}, stdin } = run;
  runs += 1;
  const whole: SandboxPolicy = {
    ...offlinePolicy(`test-${process.pid}/${runs}`, work, {
      ...AGENT_LIMITS,
      timeMs: SCRIPT_MS_MAX,
      ...limits,
    }),
    image,
    ...policy,
  };
  const received = { stdout: '', stderr: '' };
  const result = await runSandboxed(
    whole,
    { argv: ['sh', '-c', script], ...(stdin === undefined ? {} : { stdin }) },
    portsFor(backend, run.env),
    {
      tag: `sandbox-test-${process.pid}/${runs}`,
      graceMs: run.graceMs ?? 2000,
      onStdout: (chunk) => {
        received.stdout += Buffer.from(chunk).toString();
        run.onStdout?.(received.stdout);
      },
      onStderr: (chunk) => void (received.stderr += Buffer.from(chunk).toString()),
    },
    run.signal,
  );
  return { ...result, ...received };
}

/** Why the real bubblewrap can't run, which is red in CI; false if nothing is missing. */
export function noBubblewrap(): string | false {
  if (process.platform === 'linux' && probeFacts(process.env).tools.bwrap !== undefined)
    return false;
  return missing('bubblewrap');
}

/** A missing tool skips a test; in CI that is a failure. */
export function missing(what: string): string {
  if (process.env['CI'] !== undefined) throw new Error(`${what} is missing, and CI has to have it`);
  return `${what} is not here`;
}
