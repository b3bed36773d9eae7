/** The program of the process that starts commands. `CommandProcess` starts it, and it ends when its channel closes. */
import { systemClock } from '../machine/system-clock.ts';
import type { FromCommandProcess, ToCommandProcess } from './command-process-messages.ts';
import type { OutputSink } from './output-drain.ts';
import { ProcessGroup } from './process-group.ts';
import { processStarts } from './process-starts.ts';

type Start = Extract<ToCommandProcess, { kind: 'start' }>;

const groups = new Map<number, ProcessGroup>();
/** Killed before they were started. */
const calledOff = new Set<number>();

process.on('message', (message) => {
  const request = message as ToCommandProcess;
  if (request.kind === 'start') return void run(request);
  const group = groups.get(request.id);
  if (group === undefined) calledOff.add(request.id);
  else void group.kill().catch(() => undefined); // `ended` rejects too
});
process.once('disconnect', () => void end());
await send({ kind: 'ready' });

async function run({ id, command, tag, outputBytesMax, keepSurvivors }: Start): Promise<void> {
  let bytes = 0;
  // The stream is paused until a part of it is sent. What exceeds the limit tells the other side that it is exceeded.
  const forward =
    (stream: 'stdout' | 'stderr'): OutputSink =>
    async (chunk) => {
      const isOver = bytes > outputBytesMax;
      bytes += chunk.length;
      if (!isOver) await send({ kind: 'output', id, stream, chunk });
    };
  const group = await processStarts.run(
    () =>
      new ProcessGroup(command, {
        ...{ tag, clock: systemClock, keepSurvivors },
        ...{ onStdout: forward('stdout'), onStderr: forward('stderr') },
      }),
  );
  groups.set(id, group);
  if (calledOff.delete(id)) void group.kill().catch(() => undefined);
  const exit = await group.ended;
  groups.delete(id);
  calledOff.delete(id);
  await send({ kind: 'ended', id, exit });
}

/** Resolves when the message is written, or when the channel is closed. */
function send(message: FromCommandProcess): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, undefined, undefined, () => resolve());
  });
}

async function end(): Promise<void> {
  await Promise.allSettled([...groups.values()].map((group) => group.kill()));
  process.exit(0);
}
