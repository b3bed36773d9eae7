import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { SteeringBox } from '../../host/files/steering-box.ts';
import type { Injected } from '../../steering/injector.ts';
import { takeWatchedMessage } from './take-watched-message.ts';

const BEGAN = Date.UTC(2026, 0, 2);
const NOW = BEGAN + 600_000;

async function take(
  change: Readonly<Record<string, unknown>> = {},
  answers: readonly Injected['kind'][] = ['queued'],
): Promise<{ readonly words: readonly string[]; readonly files: readonly string[] }> {
  await using dir = await tempDir();
  const text = '[SUPERVISOR] There was no progress for 13 turns.';
  await new SteeringBox(dir.path, 'coder').add((seq) =>
    JSON.stringify({
      ...{ _schema: 'supervisor:steering', seq, role_id: 'coder', detector: 'stall', text },
      ...{ written_at: new Date(NOW - 1000).toISOString(), about: { timestamp: 't', turn: 1 } },
      ...change,
    }),
  );
  const words: string[] = [];
  for (const kind of answers)
    await takeWatchedMessage(
      { shared: dir.path, role: 'coder', since: BEGAN, now: NOW },
      async (one) => {
        words.push(`${one.origin} ${one.to} ${one.cause}: ${one.text}`);
        return kind === 'undelivered' ? { kind, why: 'busy' } : { kind, message: 'm', why: '' };
      },
    );
  const files = await readdir(join(dir.path, 'steering', 'coder'));
  return { words, files: files.filter((name) => name !== '1.json') };
}

const WORDS =
  'steering main watch coder 1 2026-01-02T00:09:59.000Z: There was no progress for 13 turns.';

describe('a message of a watch to the agent of a run', () => {
  test('goes through the injector, once', async () => {
    assert.deepEqual(await take({}, ['queued', 'queued']), { words: [WORDS], files: ['1.done'] });
  });

  test('waits if the injector has other words first, and has the same cause then', async () => {
    assert.deepEqual(await take({}, ['undelivered', 'queued']), {
      words: [WORDS, WORDS],
      files: ['1.done'],
    });
  });

  test('is never dropped while nothing takes it', async () => {
    assert.deepEqual(await take({}, ['undelivered']), { words: [WORDS], files: [] });
  });

  const refused: [why: string, change: Readonly<Record<string, unknown>>][] = [
    ['from before the attempt', { written_at: new Date(BEGAN - 1).toISOString() }],
    ['from the future', { written_at: '2099-01-01T00:00:00.000Z' }],
    ['to another role', { role_id: 'lead' }],
    ['of another form', { _schema: 'x' }],
    ['that is too long', { text: 'x'.repeat(3000) }],
  ];
  for (const [why, change] of refused)
    test(`${why} is set aside, and the agent never reads it`, async () => {
      assert.deepEqual(await take(change), { words: [], files: ['1.refused'] });
    });
});
