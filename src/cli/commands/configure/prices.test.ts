import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { PricesDocument } from '../../../public-json/price-documents.ts';
import { ManualClock } from '../../../testing/fakes/manual-clock.ts';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';

describe('supervisor prices', { timeout: 120_000 }, () => {
  test('sets, shows and removes a price of the user', async () => {
    await using cli = await inProcessCli();
    assert.equal((await cli.say(['prices', 'show', 'house'])).code, 2);
    const set = ['prices', 'set', 'house', '--input', '0.5', '--output', '2'];
    const { code, out } = await cli.say([...set, '--json']);
    const [price] = PricesDocument.parse(JSON.parse(out)).prices;
    const { date, ...row } = price ?? assert.fail(out);
    assert.match(date ?? '', /^\d{4}-\d{2}-\d{2}$/);
    assert.deepEqual(
      [code, row],
      [
        0,
        {
          model: 'house',
          input_usd: 0.5,
          output_usd: 2,
          cached_usd: 0.5,
          cache_write_usd: 0.5,
          source: 'yours',
        },
      ],
    );
    assert.match((await cli.say(['prices'])).out, /^house +0\.5 +0\.5 +2 {2}yours, /m);
    assert.equal((await cli.say(['prices', 'unset', 'house'])).out, 'house has no price now.\n');
    const again = await cli.say(['prices', 'unset', 'house']);
    assert.match(again.err, /^error: You have set no price of "house"\.$/m);
    assert.equal(again.code, 2);
  });

  test('warns if the settings price the model, and shows that price', async () => {
    await using cli = await inProcessCli(
      'gateway: { prices: [{ model: house, input: 7, output: 8 }] }\n',
    );
    const set = await cli.say(['prices', 'set', 'house[1m]', '--input', '1', '--output', '2']);
    assert.match(set.err, /^warning: .*gateway\.prices in .*config\.yaml names house and counts/m);
    for (const { code, out } of [
      set,
      await cli.say(['prices', 'show', 'house']),
      await cli.say(['prices']),
    ]) {
      assert.equal(code, 0);
      assert.match(out, /^house +7 +7 +8 {2}settings, gateway\.prices$/m);
    }
    const other = await cli.say(['prices', 'set', 'other', '--input', '1', '--output', '2']);
    assert.deepEqual([other.code, other.err], [0, '']);
    const { out: help } = await cli.say(['prices', '--help']);
    assert.match(help, /1\. gateway\.prices.*\n *2\. your own prices.*\n *3\. the newer of/);
  });

  test('installs a newer table, and refuses an older one and a wrong one', async () => {
    await using cli = await inProcessCli();
    const write = (name: string, date: string, row: object) =>
      writeFile(join(cli.project, name), JSON.stringify({ date, sources: [], prices: [row] }));
    const row = { model: 'gpt-6.1-sol', input: 7, output: 8 };
    await write('new.json', '2999-01-01', row);
    await write('old.json', '2020-01-01', { ...row, model: 'gpt-0' });
    await write('wrong.json', '2999-01-01', { ...row, input: 'free' });
    const early = await cli.say(['prices', 'update', 'new.json'], {
      clock: new ManualClock(Date.parse('2998-12-30')),
    });
    assert.match(early.err, /new\.json:1:\d+: date: expected a date up to 2998-12-31/);
    const clock = new ManualClock(Date.parse('2999-01-01'));
    const installed = await cli.say(['prices', 'update', 'new.json'], { clock });
    assert.equal(installed.out, 'Installed 1 price of 2999-01-01: 0 new, 1 changed.\n');
    const shown = await cli.say(['prices', 'show', 'gpt-6.1-sol']);
    assert.match(shown.out, /gpt-6\.1-sol +7 +7 +8 {2}installed, 2999-01-01/);
    const older = await cli.say(['prices', 'update', 'old.json']);
    assert.match(older.err, /old\.json is of 2020-01-01, and the prices in use are of 2999-01-01/);
    const wrong = await cli.say(['prices', 'update', 'wrong.json'], { clock });
    assert.match(wrong.err, /wrong\.json:1:\d+: prices\[0\]\.input: expected a number from 0/);
    const gone = await cli.say(['prices', 'update', 'gone.json']);
    const folder = await cli.say(['prices', 'update', '.']);
    assert.match(folder.err, /The file \. cannot be read: it is a folder/);
    const codes = [early, older, wrong, gone, folder].map(({ code }) => code);
    assert.deepEqual(codes, [2, 2, 2, 2, 2]);
    assert.equal((await cli.say(['prices', 'show', 'gpt-0'])).code, 2);
    await cli.say(['prices', 'update', 'old.json', '--older']);
    assert.equal((await cli.say(['prices', 'show', 'gpt-0'])).code, 0);
  });

  test('checks the models of the agents, and exits with 1 if one has no price', async () => {
    const agents = [
      '{ id: new, cli: claude, model: claude-99 }',
      '{ id: short, cli: claude, model: sonnet }',
    ];
    await using cli = await inProcessCli(`agents: [${agents.join(', ')}]\n`);
    const { code, out } = await cli.say(['prices', 'check']);
    assert.equal(code, 1);
    assert.match(out, /^✗ claude-99 +has no price \(new\)$/m);
    assert.match(out, /^\? sonnet +is a short name/m);
    assert.match(out, /^✓ gpt-6\.1-sol +has a price \(codex .* by default\)$/m);
    await cli.say(['prices', 'set', 'claude-99', '--input', '1', '--output', '2']);
    assert.equal((await cli.say(['prices', 'check', '--json'])).code, 0);
  });

  test('says when prices are old', async () => {
    await using cli = await inProcessCli();
    const clock = new ManualClock(Date.parse('2028-01-01'));
    const { out } = await cli.say(['prices', 'check'], { clock });
    assert.match(out, /days old\. They may have changed: supervisor prices update FILE/);
  });

  test('reads no price of a project', async () => {
    await using cli = await inProcessCli();
    await mkdir(join(cli.project, '.supervisor'));
    const own = [{ set: '2026-11-17', model: 'gpt-6.1-sol', input: 0, output: 0 }];
    for (const folder of ['.', '.supervisor'])
      await writeFile(join(cli.project, folder, 'prices.json'), JSON.stringify({ own }));
    const { out } = await cli.say(['prices', 'show', 'gpt-6.1-sol']);
    assert.match(out, /gpt-6\.1-sol +2 +0\.1 +10 {2}shipped/);
  });
});
