import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CooldownStore } from '../../src/limits/cooldown-store.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { COOLDOWN_STREAM } from '../../src/protocol/streams.ts';
import { SqliteJournal } from '../../src/store/sqlite/sqlite-journal.ts';
import { temporaryFolder } from '../support/journal-files.ts';

const script = fileURLToPath(new URL('children/cools-down.ts', import.meta.url));
const STATEMENTS_MAX = 20;

function live(path: string, k: number): { said: string; killed: boolean } {
  const { stdout, stderr, signal } = spawnSync(process.execPath, [script, path, String(k)], {
    encoding: 'utf8',
    timeout: 300_000,
  });
  if (signal === null) assert.equal(stderr, '');
  return { said: stdout, killed: signal === 'SIGKILL' };
}

async function read(path: string): Promise<{ facts: number; cooling: string[] }> {
  await using journal = new AsyncDisposableStack();
  const opened = SqliteJournal.open(path);
  journal.defer(() => opened.close());
  const book = await CooldownStore.open({ journal: opened, clock: systemClock });
  return {
    facts: await opened.lastSeq(COOLDOWN_STREAM),
    cooling: book.cooling().map(({ identity }) => identity),
  };
}

test('killed after any statement, a recorded cooldown holds, and a repeated one is written once', async () => {
  using folder = temporaryFolder();
  let deaths = 0;
  for (let k = 1; k <= STATEMENTS_MAX; k += 1) {
    const path = join(folder.path, `${k}.db`);
    const first = live(path, k);
    const { cooling } = await read(path);
    assert.deepEqual(
      [...new Set(first.said.replace('.', ''))].filter((identity) => !cooling.includes(identity)),
      [],
      `after statement ${k} an agent whose cooldown was confirmed does not rest`,
    );
    if (!first.killed) break;
    deaths += 1;
    assert.equal(live(path, 0).said, 'aabbcc.');
    assert.deepEqual(await read(path), { facts: 3, cooling: ['a', 'b', 'c'] }, `statement ${k}`);
  }
  assert.ok(deaths >= 3 && deaths < STATEMENTS_MAX, `${deaths} deaths`);
});
