import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runViewFixture } from '../../../test/support/run-view-fixture.ts';
import type { Client } from '../../client/client.ts';
import type { CliContext } from '../cli-context.ts';
import { showChildren } from './show-children.ts';

const outcome = { kind: 'failed', reason: 'x' } as const;
const top = runViewFixture({ id: 'aaaaaaaaaa', children: 2 });
const views = [
  runViewFixture({ id: 'cccccccccc', parent: top.id, task: 'review', outcome, endedAt: 1 }),
  runViewFixture({ id: 'bbbbbbbbbb', parent: top.id, task: 'plan', children: 1 }),
  runViewFixture({ id: 'dddddddddd', parent: 'bbbbbbbbbb', task: 'look' }),
];
const client: Pick<Client, 'status'> = {
  status: async (filter) =>
    views
      .filter((view) => view.parent === filter?.parent)
      .map((view) => ({ view, reason: null, applied: null })),
};
const context = { terminal: { colours: false }, env: {} } as unknown as CliContext;

test('child runs are listed below their parent, oldest first and indented', async () => {
  assert.equal(
    await showChildren(context, client, top),
    [
      'child      bbbbbbbbbb  queued  plan',
      '             dddddddddd  queued  look',
      'child      cccccccccc  failed  review',
      '',
    ].join('\n'),
  );
});

test('a child shows the first line of its task, and its project if that is another one', async () => {
  const other = runViewFixture({ id: 'eeeeeeeeee', task: 'WRITE\n\nThe rest', project: '/web' });
  const of = { status: async () => [{ view: other, reason: null, applied: null }] };
  assert.equal(
    await showChildren(context, of, top),
    'child      eeeeeeeeee  queued  WRITE  in /web\n',
  );
});

test('a run without children has no such lines', async () => {
  assert.equal(await showChildren(context, client, runViewFixture()), '');
});
