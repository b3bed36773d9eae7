import type { Clock } from '../base/clock.ts';
import { newRunId } from '../base/ids.ts';
import type { Random } from '../base/random.ts';
import type { HostExit } from '../host/process/process-group.ts';
import { ProcessGroup } from '../host/process/process-group.ts';
import { which } from '../host/process/which.ts';
import type { CliEnvironment } from './supported-clis.ts';
import type { ProbeAnswer } from './machine-facts.ts';

/** What it takes to start a program and to have done with it. */
export type ProgramPorts = {
  readonly clock: Clock;
  readonly luck: Random;
  /** Ours, with all that is in it; a program is given only what it needs. */
  readonly env: CliEnvironment;
};

/** Gemini CLI takes three seconds to say its version. */
const ANSWER_MS_MAX = 5000;
const ANSWER_BYTES_MAX = 16_384;

/** Where programs find themselves, their settings and their daemons. No key is among them. */
const PASSED_ON = [
  'PATH HOME USER LOGNAME LANG LC_ALL TMPDIR',
  'XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR',
  'DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG CONTAINER_HOST',
  'CLAUDE_CONFIG_DIR CODEX_HOME GEMINI_CLI_HOME COPILOT_HOME',
  'VOLTA_HOME ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR',
].flatMap((names) => names.split(' '));

/** A question about the version is no reason to update, nor to start oneself a second time. */
const QUIET = {
  TERM: 'dumb',
  NO_COLOR: '1',
  DISABLE_AUTOUPDATER: '1',
  COPILOT_AUTO_UPDATE: 'false',
  GEMINI_CLI_NO_RELAUNCH: 'true',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
};

/**
 * Runs a program that only has to say something and end. Whatever it does instead is an answer
 * too: one that hangs or floods is killed with all that it started.
 */
export async function probeProgram(
  argv: readonly [string, ...string[]],
  { clock, luck, env }: ProgramPorts,
  signal?: AbortSignal,
): Promise<ProbeAnswer> {
  const [name, ...args] = argv;
  const path = which(name, env);
  if (path === undefined) return { kind: 'absent' };

  const over = new AbortController();
  const heard = { stdout: '', stderr: '', bytes: 0 };
  const listen = (stream: 'stdout' | 'stderr') => (chunk: Uint8Array) => {
    heard.bytes += chunk.length;
    if (heard.bytes > ANSWER_BYTES_MAX) over.abort();
    else heard[stream] += Buffer.from(chunk).toString('utf8');
  };
  const group = new ProcessGroup(
    { argv: [path, ...args], cwd: '/', env: environment(env) },
    {
      tag: `doctor/${newRunId(luck)}`,
      clock,
      onStdout: listen('stdout'),
      onStderr: listen('stderr'),
    },
  );
  const called = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]);
  const exit = await Promise.race([group.ended, clock.sleep(ANSWER_MS_MAX, called)]);
  over.abort();
  if (typeof exit === 'boolean') await group.kill();
  if (heard.bytes > ANSWER_BYTES_MAX) return { kind: 'flooded', path, bytesMax: ANSWER_BYTES_MAX };
  if (typeof exit === 'boolean') return { kind: 'unanswered', path, afterMs: ANSWER_MS_MAX };
  const ok = exit.kind === 'code' && exit.code === 0;
  const { stdout, stderr } = heard;
  return { kind: 'ended', path, ok, how: describeExit(exit), stdout, stderr };
}

function environment(env: CliEnvironment): Record<string, string> {
  const passed = PASSED_ON.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), ...QUIET };
}

function describeExit(exit: HostExit): string {
  switch (exit.kind) {
    case 'code':
      return `exited with code ${exit.code}`;
    case 'signal':
      return `was ended by ${exit.signal}`;
    case 'not-started':
      return `could not be started (${exit.code})`;
  }
}
