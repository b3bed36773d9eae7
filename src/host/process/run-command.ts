import type { Clock } from '../../base/clock.ts';
import type { HostCommand } from './process-group.ts';
import { startCommand } from './start-command.ts';

export type CommandBounds = {
  readonly clock: Clock;
  readonly tag: string;
  readonly deadlineMs: number;
  /** Ends the command early. */
  readonly signal?: AbortSignal;
  /** The limit of both outputs together. */
  readonly outputBytesMax: number;
  /** Whether processes that outlive it may continue. Nothing searches for them then. */
  readonly keepSurvivors?: boolean;
};

/** How a command ended that only has to answer. The last four were killed by us, or never started. */
export type CommandAnswer =
  | {
      readonly kind: 'ended';
      /** 128 or more if a signal ended it, as in a shell. */
      readonly code: number;
      readonly stdout: Buffer;
      readonly stderr: string;
    }
  | { readonly kind: 'late' }
  | { readonly kind: 'called-off' }
  | { readonly kind: 'flooded' }
  | { readonly kind: 'not-started'; readonly message: string };

/** Without a reason, each abort would make an exception with a stack trace, only to stop a timer. */
const OVER = 'over';

/**
 * Runs a command to its end and returns its output. A command that is late or floods is killed with all its
 * descendants.
 */
export async function runCommand(
  command: HostCommand,
  { clock, tag, deadlineMs, outputBytesMax, signal, keepSurvivors = false }: CommandBounds,
): Promise<CommandAnswer> {
  const cancelled = new AbortController();
  const output = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[], bytes: 0 };
  const collect = (stream: 'stdout' | 'stderr') => (chunk: Uint8Array) => {
    output.bytes += chunk.length;
    if (output.bytes > outputBytesMax) cancelled.abort(OVER);
    else output[stream].push(chunk);
  };
  const group = await startCommand(command, {
    ...{ tag, clock, outputBytesMax, keepSurvivors },
    ...{ onStdout: collect('stdout'), onStderr: collect('stderr') },
  });
  const callOff = (): void => cancelled.abort(OVER);
  signal?.addEventListener('abort', callOff, { once: true });
  if (signal?.aborted === true) callOff();
  const exit = await Promise.race([group.ended, clock.sleep(deadlineMs, cancelled.signal)]);
  signal?.removeEventListener('abort', callOff);
  cancelled.abort(OVER);
  if (typeof exit === 'boolean') await group.kill();
  if (output.bytes > outputBytesMax) return { kind: 'flooded' };
  if (typeof exit === 'boolean') return { kind: signal?.aborted === true ? 'called-off' : 'late' };
  if (exit.kind === 'not-started') return { kind: 'not-started', message: exit.message };
  return {
    kind: 'ended',
    code: exit.kind === 'code' ? exit.code : 128,
    stdout: Buffer.concat(output.stdout),
    stderr: Buffer.concat(output.stderr).toString('utf8'),
  };
}
