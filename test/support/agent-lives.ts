/**
 * Fixture: the facts of a long-lived agent that was restarted several times, and the output that
 * each life left.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outputName } from '../../src/attempts/output-name.ts';
import { at } from '../../src/base/clock.ts';
import type { RunId } from '../../src/base/ids.ts';
import { indexPath, partPath } from '../../src/host/output/output-parts.ts';
import type { NewRunEvent } from '../../src/protocol/event.ts';
import { runStream } from '../../src/protocol/streams.ts';
import { AGENT_PROGRAM } from '../../src/protocol/agent-program-name.ts';
import type { Journal } from '../../src/store/journal.ts';
import { runEvent } from './run-event.ts';

const TURNS = 2;

/** A turn of that life. Turns are counted across lives: life 2 follows the turns of life 1. */
export function turnKey(life: number, turn: number): string {
  return `attempt-${(life - 1) * TURNS + turn}`;
}

/**
 * Life n begins at 1000 n. Each life works in its own tree. The last turn of the last life is still
 * running.
 */
export async function recordLives(journal: Journal, run: RunId, lives: number): Promise<void> {
  const submission = { program: AGENT_PROGRAM, task: 'watch', project: '/p', settings: {} };
  const add = async (time: number, ...events: NewRunEvent[]): Promise<void> => {
    const stream = runStream(run);
    await journal.append(stream, await journal.lastSeq(stream), events, at(time));
  };
  await add(1, runEvent({ type: 'run.submitted', payload: submission }));
  for (let life = 1; life <= lives; life += 1) {
    await add(1000 * life, {
      type: 'signal.received',
      payload: { signal: { kind: 'start-life', life } },
    });
    for (let turn = 1; turn <= TURNS; turn += 1) {
      const key = turnKey(life, turn);
      const input = { tree: life };
      await add(
        1000 * life + turn,
        runEvent({
          type: 'command.begun',
          payload: { key, command: 'attempt', input, limits: [] },
        }),
      );
      if (life === lives && turn === TURNS) continue;
      const end = { kind: 'done', result: {} } as const;
      await add(1000 * life + turn, runEvent({ type: 'command.ended', payload: { key, end } }));
    }
  }
}

/** Two streams and a recording for each turn, named as the real writer names them. */
export async function writeOutputs(dir: string, lives: number): Promise<void> {
  await mkdir(dir, { recursive: true });
  for (let life = 1; life <= lives; life += 1)
    for (let turn = 1; turn <= TURNS; turn += 1)
      for (const stream of ['stdout', 'stderr', 'calls'] as const) {
        const name = outputName(turnKey(life, turn), stream);
        await writeFile(partPath(dir, name, 0, 0), `life ${life}\n`.repeat(100));
        await writeFile(indexPath(dir, name), '{}');
      }
  await writeFile(join(dir, 'notes.txt'), 'of no command');
}

/** The lives that have output in the folder, and the number of files of each. */
export function livesIn(names: readonly string[]): Readonly<Record<number, number>> {
  const count: Record<number, number> = {};
  for (const name of names) {
    const [, number] = /^attempt-(\d+)-/.exec(name) ?? [];
    if (number === undefined) continue;
    const life = Math.ceil(Number(number) / TURNS);
    count[life] = (count[life] ?? 0) + 1;
  }
  return count;
}
