import type { Clock } from '../../base/clock.ts';
import type { HostCommand } from './process-group.ts';
import { ProcessGroup } from './process-group.ts';

export type CommandBounds = {
  readonly clock: Clock;
  readonly tag: string;
  readonly deadlineMs: number;
  /** Ends it early. */
  readonly signal?: AbortSignal;
  /** Of both outputs together. */
  readonly outputBytesMax: number;
};

/** How a command ended that only has to answer. The last four were ended by us, or never began. */
export type CommandAnswer =
  | {
      readonly kind: 'ended';
      /** 128 and more when a signal ended it, as a shell has it. */
      readonly code: number;
      readonly stdout: Buffer;
      readonly stderr: string;
    }
  | { readonly kind: 'late' }
  | { readonly kind: 'called-off' }
  | { readonly kind: 'flooded' }
  | { readonly kind: 'not-started'; readonly message: string };

/** Runs a command to its end and gives back all it said. One that is late or floods is killed with all it started. */
export async function runCommand(
  command: HostCommand,
  { clock, tag, deadlineMs, outputBytesMax, signal }: CommandBounds,
): Promise<CommandAnswer> {
  const over = new AbortController();
  const heard = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[], bytes: 0 };
  const listen = (stream: 'stdout' | 'stderr') => (chunk: Uint8Array) => {
    heard.bytes += chunk.length;
    if (heard.bytes > outputBytesMax) over.abort();
    else heard[stream].push(chunk);
  };
  const group = new ProcessGroup(command, {
    tag,
    clock,
    onStdout: listen('stdout'),
    onStderr: listen('stderr'),
  });
  const callOff = (): void => over.abort();
  signal?.addEventListener('abort', callOff, { once: true });
  if (signal?.aborted === true) callOff();
  const exit = await Promise.race([group.ended, clock.sleep(deadlineMs, over.signal)]);
  signal?.removeEventListener('abort', callOff);
  over.abort();
  if (typeof exit === 'boolean') await group.kill();
  if (heard.bytes > outputBytesMax) return { kind: 'flooded' };
  if (typeof exit === 'boolean') return { kind: signal?.aborted === true ? 'called-off' : 'late' };
  if (exit.kind === 'not-started') return { kind: 'not-started', message: exit.message };
  return {
    kind: 'ended',
    code: exit.kind === 'code' ? exit.code : 128,
    stdout: Buffer.concat(heard.stdout),
    stderr: Buffer.concat(heard.stderr).toString('utf8'),
  };
}
