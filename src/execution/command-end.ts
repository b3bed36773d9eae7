/** How a sandboxed command of Supervisor ends: a gate or a setup. */
import type { CommandContext } from '../engine/performer.ts';
import type { SandboxedCommand, SandboxResult } from '../sandbox/run-sandboxed.ts';

/** Waits for the end of the command. Stops or kills the command when a signal of the context aborts. */
export async function endOfCommand(
  command: SandboxedCommand,
  context: CommandContext<'gate' | 'setup'>,
  graceMs: number,
): Promise<SandboxResult> {
  const over = new AbortController();
  const once = { once: true, signal: over.signal };
  // An error of these also rejects `result`, which is awaited below.
  const kill = (): void => void command.kill().catch(() => undefined);
  const stop = (): void => void command.stop(graceMs).catch(() => undefined);
  context.cancelSignal.addEventListener('abort', stop, once);
  context.killSignal.addEventListener('abort', kill, once);
  if (context.cancelSignal.aborted) stop(); // cancelled while the command started
  if (context.killSignal.aborted) kill();
  try {
    const { backend: sandbox, enforced, leader } = command;
    await context.note({ kind: 'started', pid: leader?.pid ?? null, sandbox, enforced });
    return await command.result;
  } finally {
    over.abort();
  }
}
