/** The views of features, for people with a SQL shell. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { at } from '../../base/clock.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import { submission } from '../../../test/support/run-event.ts';
import { temporaryFolder } from '../../../test/support/journal-files.ts';
import { SqliteJournal } from './sqlite-journal.ts';

const component = (id: string, dependsOn: readonly string[] = []): object => ({
  ...{
    id: `P1T1-PH1-${id}`,
    name: id,
    title: `The part ${id}`,
    task: 'build',
    role: 'implementer',
  },
  ...{ files: [`${id}.txt`], touches: [`${id}.txt`], dependsOn },
});
const PLAN = {
  ...{ id: 'P1T1', title: 'A shop', description: '', workflow: null },
  phases: [
    {
      ...{ id: 'P1T1-PH1', name: 'one', title: 'The first phase', gate: 'all-complete' },
      components: [component('C1'), component('C2'), component('C11', ['P1T1-PH1-C1'])],
    },
  ],
};
const SUBMISSION = submission({
  ...{ program: 'feature', task: 'A shop', project: '/shop' },
  settings: { feature: { plan: PLAN } },
});

const begun = (key: string, command: string): NewRunEvent =>
  ({
    type: 'command.begun',
    payload: { key, command, input: {}, limits: [] },
  }) as unknown as NewRunEvent;
const ended = (key: string, command: string, result: object): NewRunEvent =>
  ({
    type: 'command.ended',
    payload: { key, command, end: { kind: 'done', result } },
  }) as unknown as NewRunEvent;

test('the states of a feature follow its facts, also where another run continues it', async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'journal.db');
  const journal = SqliteJournal.open(file);
  let seq = 0;
  const add = async (run: string, ...events: readonly NewRunEvent[]): Promise<void> => {
    await journal.append(runStream(run), seq, events, at(1000));
    seq += events.length;
  };
  const first = 'a000000000';
  const second = 'b000000000';
  const states = (run: string): readonly unknown[] => {
    using database = new DatabaseSync(file, { readOnly: true });
    const column = (sql: string): readonly unknown[] =>
      database
        .prepare(`${sql} WHERE run = ?`)
        .all(run)
        .map((row) => Object.values(row)[0]);
    return [
      ...column('SELECT status FROM features'),
      ...column('SELECT status FROM phases'),
      ...column('SELECT status FROM components'),
    ];
  };

  await add(first, { type: 'run.submitted', payload: SUBMISSION });
  assert.deepEqual(states(first), ['planning', 'pending', 'pending', 'pending', 'pending']);
  await add(first, begun('run-p1t1-ph1-c1-1', 'run'), begun('run-p1t1-ph1-c2-1', 'run'));
  const both = ['implementing', 'implementing', 'pending'];
  assert.deepEqual(states(first), ['in_progress', 'in_progress', ...both]);
  await add(first, begun('merge-p1t1-ph1-c1-1', 'merge-work'), begun('ask-p1t1-ph1-c2-1', 'ask'));
  assert.deepEqual(states(first), ['review', 'in_progress', 'testing', 'review', 'pending']);
  await add(
    first,
    begun('commit-p1t1-ph1-c1-1', 'commit-work'),
    ended('commit-p1t1-ph1-c1-1', 'commit-work', { kind: 'committed', commit: 'c1' }),
  );
  const landedAt = seq;
  await add(first, {
    type: 'run.ended',
    payload: { outcome: { kind: 'failed', reason: '1 of 3 components landed' } },
  });
  assert.deepEqual(states(first), ['failed', 'failed', 'complete', 'failed', 'pending']);

  seq = 0;
  await add(second, {
    type: 'run.forked',
    payload: { from: first, seq: landedAt, submission: SUBMISSION },
  });
  await add(second, begun('run-p1t1-ph1-c11-1', 'run'));
  assert.deepEqual(states(second), ['review', 'in_progress', 'complete', 'review', 'implementing']);

  const child = submission({
    ...{ program: 'attempts', task: 'build', project: '/shop', settings: {} },
    parent: { run: second, key: 'run-p1t1-ph1-c11-1', depth: 1 },
  });
  seq = 0;
  await add('c000000000', { type: 'run.submitted', payload: child });
  await journal.close();
  using database = new DatabaseSync(file, { readOnly: true });
  const row = (sql: string): object => ({ ...database.prepare(sql).get() });
  assert.deepEqual(row(`SELECT component FROM workflow WHERE id = 'c000000000'`), {
    component: 'P1T1-PH1-C11',
  });
  assert.deepEqual(row(`SELECT * FROM dependencies WHERE run = '${second}'`), {
    ...{ component_id: 'P1T1-PH1-C11', depends_on_id: 'P1T1-PH1-C1', run: second },
  });
  assert.deepEqual(row(`SELECT * FROM components WHERE run = '${first}'`), {
    ...{ id: 'P1T1-PH1-C1', phase_id: 'P1T1-PH1', title: 'The part C1', files: '["C1.txt"]' },
    ...{ depends_on: '[]', status: 'complete', assigned_role: 'implementer' },
    ...{ created_at: 1000, run: first },
  });
});

/** The states of the phase and of its components after each of these facts. */
async function follow(
  plan: object,
  steps: readonly (readonly [NewRunEvent, expected: string])[],
): Promise<void> {
  using folder = temporaryFolder();
  const file = join(folder.path, 'journal.db');
  const journal = SqliteJournal.open(file);
  const run = 'a000000000';
  const first = submission({
    ...{ program: 'feature', task: 'A shop', project: '/shop', settings: { feature: { plan } } },
  });
  await journal.append(runStream(run), 0, [{ type: 'run.submitted', payload: first }], at(1));
  const seen: string[] = [];
  for (const [nth, [event]] of steps.entries()) {
    await journal.append(runStream(run), nth + 1, [event], at(nth + 2));
    using database = new DatabaseSync(file, { readOnly: true });
    const all = (sql: string): readonly unknown[] =>
      database
        .prepare(sql)
        .all()
        .map((row) => Object.values(row)[0]);
    seen.push(
      [...all('SELECT status FROM phases'), ...all('SELECT status FROM components')].join(' '),
    );
  }
  await journal.close();
  assert.deepEqual(
    seen,
    steps.map(([, expected]) => expected),
  );
}

const landed = (key: string): NewRunEvent =>
  ended(key, 'commit-work', { kind: 'committed', commit: key });
const ONE = { ...PLAN, phases: [{ ...PLAN.phases[0], components: [component('C1')] }] };
const LANDED: readonly (readonly [NewRunEvent, string])[] = [
  [begun('run-p1t1-ph1-c1-1', 'run'), 'in_progress implementing'],
  [begun('commit-p1t1-ph1-c1-1', 'commit-work'), 'in_progress testing'],
  [landed('commit-p1t1-ph1-c1-1'), 'complete complete'],
];

test('what starts again after it has landed is at work until it ends again', async () => {
  const again = [
    ...LANDED,
    [begun('run-p1t1-ph1-c1-2', 'run'), 'in_progress implementing'],
    [begun('merge-p1t1-ph1-c1-2', 'merge-work'), 'in_progress testing'],
  ] as const;
  await follow(ONE, [
    ...again,
    [
      ended('merge-p1t1-ph1-c1-2', 'merge-work', { kind: 'merged', work: null, names: [] }),
      'complete complete',
    ],
  ]);
  await follow(ONE, [
    ...again,
    [begun('commit-p1t1-ph1-c1-2', 'commit-work'), 'in_progress testing'],
    [landed('commit-p1t1-ph1-c1-2'), 'complete complete'],
  ]);
  await follow(ONE, [
    ...LANDED,
    [begun('run-p1t1-ph1-c1-2', 'run'), 'in_progress implementing'],
    [begun('collect-p1t1-ph1-c1-2', 'collect-step'), 'in_progress implementing'],
    [
      ended('collect-p1t1-ph1-c1-2', 'collect-step', { work: null, base: null }),
      'complete complete',
    ],
  ]);
});

test('what a person skips has failed at once, and what a person sends back is pending', async () => {
  const asked = [
    [begun('run-p1t1-ph1-c1-1', 'run'), 'in_progress implementing'],
    [begun('ask-p1t1-ph1-c1-1', 'ask'), 'in_progress review'],
  ] as const;
  const answered = (answer: string): NewRunEvent => ended('ask-p1t1-ph1-c1-1', 'ask', { answer });
  await follow(ONE, [...asked, [answered('skip'), 'failed failed']]);
  await follow(ONE, [...asked, [answered('retry'), 'pending pending']]);
  const signal = { kind: 'merge-queue', action: 'skip', component: 'P1T1-PH1-C1' } as const;
  await follow(ONE, [
    [begun('run-p1t1-ph1-c1-1', 'run'), 'in_progress implementing'],
    [begun('merge-p1t1-ph1-c1-1', 'merge-work'), 'in_progress testing'],
    [{ type: 'signal.received', payload: { signal } }, 'failed failed'],
  ]);
});

test('the interfaces of a phase are a column of it, and no component that an agent builds', async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'journal.db');
  const journal = SqliteJournal.open(file);
  const files = [{ path: 't.d.ts', text: 'export type T = 1;' }];
  const locks = { ...component('C0'), interfaces: files };
  const [phase] = PLAN.phases;
  const plan = { ...PLAN, phases: [{ ...phase, components: [locks, component('C1')] }] };
  const first = submission({
    ...{ program: 'feature', task: 'A shop', project: '/shop', settings: { feature: { plan } } },
  });
  await journal.append(
    runStream('a000000000'),
    0,
    [{ type: 'run.submitted', payload: first }, begun('write-p1t1-ph1-c0-1', 'write-interfaces')],
    at(1),
  );
  await journal.close();
  using database = new DatabaseSync(file, { readOnly: true });
  const all = (sql: string): readonly object[] =>
    database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  assert.deepEqual(all('SELECT interfaces, status FROM phases'), [
    { interfaces: JSON.stringify(files), status: 'in_progress' },
  ]);
  assert.deepEqual(all('SELECT id FROM components'), [{ id: 'P1T1-PH1-C1' }]);
  assert.deepEqual(all('SELECT status FROM features'), [{ status: 'in_progress' }]);
});
