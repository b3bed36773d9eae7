/** Runs a long-lived agent under a real owner, with its program, its performers and its parent. */
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { LongLivedSettings } from '../../protocol/long-lived-agent.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { defaultSettings } from '../../settings/settings.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { agentTestSubmission } from '../../../test/support/drive-agent.ts';
import type { TestOwner } from '../../../test/support/test-owner.ts';
import { testOwner } from '../../../test/support/test-owner.ts';

/** The machine may be busy. */
const WITHIN_MS = 240_000;

async function spawn(
  { owner, dir }: TestOwner,
  answers: readonly string[],
  life: Partial<LongLivedSettings> & { readonly name: string },
): Promise<RunId> {
  const { settings, ...rest } = agentTestSubmission(life);
  const project = join(dir, life.name);
  await mkdir(project);
  const agent = { id: 'scripted:lives-in-turns', cli: 'scripted', args: answers, env: {} };
  const { sandbox } = defaultSettings;
  const run = await owner.engine.start({
    ...rest,
    project,
    settings: { ...settings, agent, sandbox, unsafe: true, outputBytesMax: 100_000 },
  });
  await owner.engine.signal(run, { kind: 'start-life', life: 1 });
  return run;
}

async function ended({ owner }: TestOwner, run: RunId): Promise<RunView> {
  let view: RunView | undefined;
  await eventually(
    'its end',
    async () => {
      view = await owner.run(run);
      return view.outcome !== null;
    },
    WITHIN_MS,
  );
  return view ?? assert.fail();
}

const fileExists = (name: string): LongLivedSettings['commitments'][number] => ({
  description: `${name} is there`,
  assertion: ['test', '-f', name],
  by: 'parent',
  timeoutMs: 60_000,
});

describe('a long-lived agent with a real owner', { timeout: 600_000 }, () => {
  test('passes real checks, takes work from its queue and notifies its parent', async () => {
    await using at = await testOwner();
    const queue = { dir: join(at.dir, 'queue'), onEmpty: 'terminate' } as const;
    await mkdir(queue.dir);
    await writeFile(join(queue.dir, '1.md'), 'paint it');
    // The lead waits instead of ending, because an ended agent takes its children with it.
    const waits = ['{"status":"waiting"}', 'DONE'];
    const lead = await spawn(at, waits, { name: 'lead', onDone: 'wait' });
    const hand = await spawn(at, ['NOTE: it is blue\\nDONE', 'DONE'], {
      ...{ name: 'hand', parent: lead, onDone: 'next', queue },
      commitments: [fileExists('TURNS.md')],
    });
    const view = await ended(at, hand);
    assert.deepEqual(view.outcome, { kind: 'succeeded', reason: 'its queue is empty' });
    const turns = join(at.dir, 'lead', 'TURNS.md');
    const note = 'from="hand">\nNOTE from hand: it is blue\n';
    await eventually(
      'its parent to receive the note',
      async () => (await readFile(turns, 'utf8').catch(() => '')).includes(note),
      WITHIN_MS,
    );
    await at.owner.engine.signal(lead, { kind: 'stop' });
    await ended(at, lead);
    assert.equal(await readFile(join(queue.dir, 'done', '1.md'), 'utf8'), 'paint it');
    const { chain } = await at.owner.reports.why(hand);
    assert.ok(chain.some(({ what }) => what === 'life 1 starts'));
    assert.ok(chain.some(({ what }) => what.startsWith('gate TURNS.md is there: passed')));
    await assert.rejects(at.owner.newRuns.resume(hand), (error) => error instanceof Refusal);
  });

  test('is not done while a real check fails, and a person decides in the end', async () => {
    await using at = await testOwner();
    const run = await spawn(at, ['DONE'], { name: 'ada', commitments: [fileExists('gone.txt')] });
    let asked: string | undefined;
    await eventually(
      'its question',
      async () => {
        const [question] = await at.owner.questions.inbox();
        asked = question?.question;
        return asked !== undefined;
      },
      WITHIN_MS,
    );
    assert.match(
      asked ?? '',
      /^ada reported that it is done, but its checks failed 3 times: gone\.txt is there/,
    );
    assert.equal((await at.owner.run(run)).attempts, 3);
    const question = await at.owner.questions.asked(run, {});
    await at.owner.questions.answer(question, { choice: 'dismiss' });
    assert.equal((await ended(at, run)).outcome?.kind, 'cancelled');
  });
});
