import type { Clock } from '../base/clock.ts';
import { newRunId } from '../base/ids.ts';
import type { Random } from '../base/random.ts';
import type { HostExit } from '../host/process/process-group.ts';
import { ProcessGroup } from '../host/process/process-group.ts';
import { which } from '../host/process/which.ts';
import type { CliEnvironment } from './supported-clis.ts';
import type { ProbeAnswer } from './machine-facts.ts';

/** What it takes to start a program and to end it. */
export type ProgramPorts = {
  readonly clock: Clock;
  readonly random: Random;
  /** The environment of this process. A program gets only a part of it. */
  readonly env: CliEnvironment;
};

/** Gemini CLI takes three seconds to print its version. */
const ANSWER_MS_MAX = 5000;
const ANSWER_BYTES_MAX = 16_384;

/** Variables with which programs find their files, settings and daemons. No key is among them. */
const INHERITED = [
  'PATH HOME USER LOGNAME LANG LC_ALL TMPDIR',
  'XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR',
  'DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG CONTAINER_HOST',
  'CLAUDE_CONFIG_DIR CODEX_HOME GEMINI_CLI_HOME COPILOT_HOME',
  'VOLTA_HOME ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR',
].flatMap((names) => names.split(' '));

/** Keeps the CLIs from updating or relaunching themselves when they only print their version. */
const NO_SIDE_EFFECTS = {
  TERM: 'dumb',
  NO_COLOR: '1',
  DISABLE_AUTOUPDATER: '1',
  COPILOT_AUTO_UPDATE: 'false',
  GEMINI_CLI_NO_RELAUNCH: 'true',
  OPENCODE_DISABLE_AUTOUPDATE: '1',
};

/**
 * Runs a program that only has to print something and exit. If it hangs or prints too much, it is killed with
 * all its children, and that is the answer.
 */
export async function probeProgram(
  argv: readonly [string, ...string[]],
  { clock, random, env }: ProgramPorts,
  signal?: AbortSignal,
): Promise<ProbeAnswer> {
  const [name, ...args] = argv;
  const path = which(name, env);
  if (path === undefined) return { kind: 'absent' };

  const over = new AbortController();
  const output = { stdout: '', stderr: '', bytes: 0 };
  const collect = (stream: 'stdout' | 'stderr') => (chunk: Uint8Array) => {
    output.bytes += chunk.length;
    if (output.bytes > ANSWER_BYTES_MAX) over.abort();
    else output[stream] += Buffer.from(chunk).toString('utf8');
  };
  const group = new ProcessGroup(
    { argv: [path, ...args], cwd: '/', env: environment(env) },
    {
      tag: `doctor/${newRunId(random)}`,
      clock,
      onStdout: collect('stdout'),
      onStderr: collect('stderr'),
    },
  );
  const cancelled = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]);
  const exit = await Promise.race([group.ended, clock.sleep(ANSWER_MS_MAX, cancelled)]);
  over.abort();
  if (typeof exit === 'boolean') await group.kill();
  if (output.bytes > ANSWER_BYTES_MAX) return { kind: 'flooded', path, bytesMax: ANSWER_BYTES_MAX };
  if (typeof exit === 'boolean') return { kind: 'unanswered', path, afterMs: ANSWER_MS_MAX };
  const ok = exit.kind === 'code' && exit.code === 0;
  const { stdout, stderr } = output;
  return { kind: 'ended', path, ok, how: describeExit(exit), stdout, stderr };
}

function environment(env: CliEnvironment): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), ...NO_SIDE_EFFECTS };
}

function describeExit(exit: HostExit): string {
  switch (exit.kind) {
    case 'code':
      return `exited with code ${exit.code}`;
    case 'signal':
      return `was killed by ${exit.signal}`;
    case 'not-started':
      return `could not be started (${exit.code})`;
  }
}
