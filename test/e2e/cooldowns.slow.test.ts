/**
 * A limit that one project hits holds for all projects and outlives the owner. Also: how many runs
 * may work at once.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TreeAgent } from '../../src/public-json/agent-documents.ts';
import { TreeDocument } from '../../src/public-json/agent-documents.ts';
import { CooldownsDocument, WhyDocument } from '../../src/public-json/reading-documents.ts';
import { RunResult } from '../../src/public-json/run-result.ts';
import { eventually } from '../support/eventually.ts';
import { CliHarness } from './cli-process-harness.ts';

/** The first agent is limited as soon as the trouble file says so. */
function config(trouble: string): string {
  return `agents:
  - { id: first, cli: scripted, args: ['2', '1', '${trouble}'] }
  - { id: second, cli: scripted, args: ['2', '2'] }
selection: { fallbacks: { first: second } }
`;
}

const run = ['run', 'x', '--agent', 'first', '--json'];

describe('a limit', { timeout: 300_000 }, () => {
  test('in one project makes the agent cool down in the next, under the next owner, until a user clears it', async () => {
    await using harness = await CliHarness.create();
    const trouble = join(harness.dir, 'trouble');
    await harness.configure(config(trouble));
    writeFileSync(trouble, 'limit');
    const first = await harness.json(RunResult, run.slice(0, -1));
    assert.deepEqual(
      [first.state, first.attempts.map(({ agent_id: id, failure }) => [id, failure?.reason])],
      [
        'unverified',
        [
          ['first', 'rate_limited'],
          ['second', undefined],
        ],
      ],
    );
    assert.deepEqual(
      first.cooling.map(({ agent_id: id }) => id),
      ['first'],
    );
    const why = await harness.json(WhyDocument, ['why', first.run_id]);
    assert.match(why.causes[0]?.message ?? '', /^attempt 1 with first failed, rate_limited: /);
    assert.match(
      why.causes[1]?.message ?? '',
      /^attempt 2 with second \(next in the chain after first\)/,
    );

    await harness.killOwner();
    const [rests] = (await harness.json(CooldownsDocument, ['cooldowns'])).cooldowns;
    assert.deepEqual([rests?.agent_id, rests?.identity.startsWith('scripted::')], ['first', true]);

    const other = join(harness.dir, 'other');
    mkdirSync(other);
    const elsewhere = async (): Promise<readonly string[]> => {
      const { stdout } = await harness.run(run, { cwd: other });
      return RunResult.parse(JSON.parse(stdout)).attempts.map(({ agent_id: id }) => id);
    };
    assert.deepEqual(await elsewhere(), ['second'], 'nobody tries what is known to be limited');
    const alone = ['run', 'x', '--chain', 'first', '--detach'];
    const waiting = (await harness.run(alone, { cwd: other })).stdout.trim();
    await eventually(
      'that it waits for the limit',
      async () => (await harness.stateOf(waiting)) === 'cooling',
      60_000,
    );
    await harness.run(['cooldowns', 'clear', 'first']);
    await eventually(
      'the end of the run that waited',
      async () => (await harness.stateOf(waiting)) === 'unverified',
      60_000,
    );
    assert.deepEqual(await elsewhere(), ['first']);
  });

  test('makes a long-lived agent wait visibly before its turn, across owners', async () => {
    await using harness = await CliHarness.create();
    const trouble = join(harness.dir, 'trouble');
    await harness.configure(config(trouble));
    writeFileSync(trouble, 'limit');
    await harness.json(RunResult, run.slice(0, -1));
    const [rests] = (await harness.json(CooldownsDocument, ['cooldowns'])).cooldowns;
    await harness.run(['spawn', 'wait for it', '--name', 'ada', '--agent', 'first']);
    const view = async (): Promise<TreeAgent> => {
      const { nodes } = await harness.json(TreeDocument, ['tree', '--all']);
      return nodes.find(({ agent }) => agent?.name === 'ada')?.agent ?? assert.fail('no ada');
    };
    const isCooling = async (): Promise<boolean> => (await view()).cooling_until === rests?.until;
    await eventually('that it waits', isCooling, 60_000);
    await harness.killOwner();
    await harness.run(['up', '--detach']);
    await eventually('that it still waits', isCooling, 60_000);
    const { run_id: id, turn } = await view();
    assert.equal(turn, 0, 'no turn is begun for nothing');
    assert.match((await harness.run(['tree', '--all'])).stdout, /ada +cooling .*, until \d/);
    await harness.run(['retry-now', id]);
    await eventually('its first turn', async () => (await view()).turn > 0, 60_000);
    await harness.run(['dismiss', 'ada']);
  });
});

describe('capacity', { timeout: 300_000 }, () => {
  const cases: [why: string, capacity: string][] = [
    ['per agent', '{ per_agent_max: 1 }'],
    ['per project', '{ runs_max: 1 }'],
  ];
  for (const [why, capacity] of cases)
    test(`${why}: the second waits until the first has ended`, async () => {
      await using harness = await CliHarness.create(`capacity: ${capacity}\n`);
      const begin = async (): Promise<string> =>
        (await harness.run(['run', 'x', '-a', 'scripted:never-speaks', '-d'])).stdout.trim();
      const [one, two] = [await begin(), await begin()];
      const status = (id: string): Promise<string | undefined> => harness.stateOf(id);
      await eventually(
        'the first is at work',
        async () => (await status(one)) === 'running',
        60_000,
      );
      await eventually(
        'the second is queued',
        async () => (await status(two)) === 'queued',
        60_000,
      );
      await harness.run(['kill', one]);
      await eventually(
        'the second is at work',
        async () => (await status(two)) === 'running',
        60_000,
      );
      await harness.run(['kill', two]);
    });
});
