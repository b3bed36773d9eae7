/** A short scenario on a journal in a folder, with its effects on the world in a file beside it. */
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../src/base/clock.ts';
import type { RunId } from '../../src/base/ids.ts';
import type { Journal } from '../../src/store/journal.ts';
import { followEvents } from '../../src/store/follow.ts';
import type { Effect, CrashScenario } from './crash-scenarios.ts';
import { visitRuns, open, fakePrograms, submit } from './crash-scenarios.ts';

/** Two stages, one wait, one stop. */
const STORY: CrashScenario = {
  name: 'short',
  submissions: [
    fakePrograms('done', [{ perform: 'a' }], [{ waitMs: 1 }]),
    fakePrograms('stopped', [{ perform: 'b' }], [{ waitMs: 1e9 }]),
  ],
  people: async ({ id, task, open: commands, stopAskedAt }, engine) => {
    if (task !== 'stopped' || stopAskedAt !== null) return;
    if (commands.some(({ command }) => command === 'wait'))
      await engine.signal(id as RunId, { kind: 'stop' });
  },
};

export function journalFile(folder: string): string {
  return join(folder, 'journal.db');
}

export function effectFile(folder: string): string {
  return join(folder, 'effects.jsonl');
}

export function readEffects(folder: string): readonly Effect[] {
  const file = effectFile(folder);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Effect);
}

/** Plays the rest of the scenario, and closes the journal. */
export async function playToEnd(journal: Journal, clock: Clock, effects: string): Promise<void> {
  const { engine, defects } = await open(journal, clock, (effect) =>
    appendFileSync(effects, `${JSON.stringify(effect)}\n`),
  );
  await submit(STORY, engine);
  const over = new AbortController();
  // The users look again after every commit.
  for await (const _ of followEvents(journal, { after: 0 }, over.signal))
    if (await visitRuns(STORY, engine)) over.abort();
  await engine.close();
  await journal.close();
  assert.deepEqual(defects, []);
}
