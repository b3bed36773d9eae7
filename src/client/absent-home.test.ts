import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../test/support/temp-dir.ts';
import { isRefusal } from '../base/errors.ts';
import { homeAt } from '../host/machine/state-home.ts';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import { absentTransport, isAbsent } from './absent-home.ts';
import { Client } from './client.ts';

describe('a home that does not exist', () => {
  const home = homeAt('/nowhere/home', '/run');

  test('has empty lists, and says once that nothing is there', async () => {
    let told = 0;
    const client = new Client(absentTransport(home, new ManualClock(7), () => (told += 1)));
    assert.deepEqual(
      [
        await client.runs(),
        await client.status({ ended: true }),
        await client.inbox(),
        await client.machine.cooldowns(),
        await client.machine.breakers(),
        await client.machine.schedules(),
        await client.events({ after: 0 }),
        (await client.machine.tree()).nodes,
        (await client.report(1)).failed,
        (await client.stepsReport(1)).templates,
      ],
      [[], [], [], [], [], [], [], [], [], []],
    );
    assert.equal(told, 1);
  });

  test('refuses everything else with its path', async () => {
    const client = new Client(absentTransport(home, new ManualClock(), () => {}));
    for (const call of [
      client.run('3f2a91c04b'),
      client.why('3f2a91c04b'),
      client.find('last', '/p', 'read'),
      client.signal('3f2a91c04b', { kind: 'stop' }),
      client.machine.prunePlan({ before: 0 }),
    ])
      await assert.rejects(
        call,
        (error) =>
          isRefusal(error, 'run.not-found') &&
          error.message === 'The home /nowhere/home does not exist, so there is no run.',
      );
  });

  test('is told from one that is there, or is something else', async () => {
    await using dir = await tempDir();
    await writeFile(join(dir.path, 'file'), '');
    await symlink('gone', join(dir.path, 'link'));
    const found = ['.', 'file', 'link', 'file/x', 'missing', 'missing/x'].map((name) =>
      isAbsent(homeAt(join(dir.path, name), '/run')),
    );
    assert.deepEqual(found, [false, false, false, false, true, true]);
    assert.ok(!existsSync(join(dir.path, 'missing')));
  });
});
