/** Interfaces: written, checked and locked before their phase, refused at the merge, and changed only if a person agrees. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { randomInt, randomItem, seededRandom } from '../base/random.ts';
import { FeatureWorld, goesWell } from '../../test/support/feature-world.ts';
import type { LooseEnd } from '../../test/support/run-event.ts';
import { interfaceKey, progressOf } from './feature-state.ts';
import { componentStates } from './progress-states.ts';
import { componentOfKey } from './fold-feature.ts';
import { laneNameOf } from './lanes.ts';

const LOCK = 'p1t1-ph1-c0';
const A = 'p1t1-ph1-c1';
const B = 'p1t1-ph1-c2';

/** `a` uses the types, and `b` only the description of the API. */
const PHASES = `  - id: one
    interfaces:
      - { file: t.d.ts, definition: 'export type T = 1;' }
      - { file: api.yaml, definition: 'openapi: 3.1.0' }
    components:
      - { id: a, files: [a], uses: [t.d.ts] }
      - { id: b, files: [b], uses: [api.yaml] }`;

const done = (result: object): LooseEnd => ({ kind: 'done', result });
const asks = (file = 't.d.ts', definition = 'export type U = 2;'): LooseEnd =>
  done({
    work: null,
    base: null,
    interfaceChanges: [{ file, reason: 'it lacks U', definition }],
  });
const answer = (text: string): LooseEnd => done({ answer: text });
const RED = done({ kind: 'failed', name: 'interfaces', exit: 1, tail: 'TS2304' });

type Ends = Readonly<Record<string, LooseEnd>>;

/** Ends the oldest open command first, but those of `last` only if nothing else is open. */
function drive(ends: Ends, { ask = true, last = '' } = {}): FeatureWorld {
  const world = new FeatureWorld({ phases: PHASES, ask });
  for (let steps = 0; world.decide(); steps += 1) {
    assert.ok(steps < 200, 'it decides without end');
    const keys = [...world.open.keys()];
    const cancelled = keys.find((key) => world.open.get(key)?.isCancelled);
    const key = cancelled ?? keys.find((one) => one !== last) ?? last;
    world.end(key, (name, command, isCancelled) =>
      isCancelled ? goesWell(name, command, true) : (ends[name] ?? goesWell(name, command, false)),
    );
  }
  return world;
}

const locks = (nth: number, merge: number): readonly string[] => [
  ...[`write-${LOCK}-${nth}`, `merge-${LOCK}-${merge}`],
  ...[`gate-${LOCK}-${merge}-1`, `commit-${LOCK}-${merge}`],
];
const lands = (id: string, merge: number): readonly string[] => [
  ...[`merge-${id}-${merge}`, `gate-${id}-${merge}-1`, `commit-${id}-${merge}`],
];
const START = ['base', ...locks(1, 1), `run-${A}-1`, `run-${B}-1`, `collect-${A}-1`];
const ENDS = 'succeeded: 3 components on the branch ai/P1T1-a';

describe('the interfaces of a phase', () => {
  test('are written, checked and committed before its components start', () => {
    const { trace } = drive({});
    const rest = [`collect-${B}-1`, ...lands(A, 2), ...lands(B, 3), ENDS];
    assert.deepEqual(trace, [...START, ...rest]);
  });

  type Row = readonly [why: string, ends: Ends, trace: readonly string[], ask?: boolean];
  const rows: readonly Row[] = [
    [
      'are a case for a person if their syntax is wrong',
      {
        [`write-${LOCK}-1`]: done({ kind: 'invalid', faults: ['t.d.ts:1: oops'] }),
        [`ask-${LOCK}-1`]: answer('stop'),
      },
      [
        ...['base', `write-${LOCK}-1`, `ask-${LOCK}-1`],
        'cancelled: stopped by the user after 0 of 3 components',
      ],
    ],
    [
      'block their phase if their gate is red and no person may be asked',
      { [`gate-${LOCK}-1-1`]: RED },
      [
        ...['base', ...locks(1, 1).slice(0, 3)],
        'failed: 0 of 3 components landed: P1T1-PH1-C0: gate interfaces is red: TS2304; blocked by that: P1T1-PH1-C1, P1T1-PH1-C2',
      ],
      false,
    ],
    [
      'are refused at the merge of a component that changes them',
      { [`merge-${A}-2`]: done({ kind: 'merged', work: null, names: ['a', 't.d.ts'] }) },
      [
        ...[...START, `collect-${B}-1`, `merge-${A}-2`, `merge-${B}-3`, `run-${A}-2`],
        ...[`gate-${B}-3-1`, `collect-${A}-2`, `commit-${B}-3`, ...lands(A, 4), ENDS],
      ],
    ],
    [
      'change only if a person agrees, and only those start again that use them',
      { [`collect-${A}-1`]: asks(), [`ask-${A}-1`]: answer('accept') },
      [
        ...[...START, `collect-${B}-1`, `ask-${A}-1`, `merge-${B}-2`, `write-${LOCK}-2`],
        ...[`gate-${B}-2-1`, `commit-${B}-2`],
        ...[...locks(2, 3).slice(1), `run-${A}-2`, `collect-${A}-2`, ...lands(A, 4), ENDS],
      ],
    ],
    ...['x.d.ts', 'constructor'].map((file): Row => [
      `are those of the plan: no person is asked about ${file}`,
      { [`collect-${A}-1`]: asks(file) },
      [
        ...[...START, `collect-${B}-1`, `run-${A}-2`, `merge-${B}-2`, `collect-${A}-2`],
        ...[...lands(B, 2).slice(1), ...lands(A, 3), ENDS],
      ],
    ]),
    [
      'stay if a person refuses the change, and the component is told',
      { [`collect-${A}-1`]: asks(), [`ask-${A}-1`]: answer('refuse') },
      [
        ...[...START, `collect-${B}-1`, `ask-${A}-1`, `merge-${B}-2`, `run-${A}-2`],
        ...[`gate-${B}-2-1`, `collect-${A}-2`, `commit-${B}-2`, ...lands(A, 3), ENDS],
      ],
    ],
    [
      'stay if no person may be asked',
      { [`collect-${A}-1`]: asks() },
      [
        ...[...START, `collect-${B}-1`, `run-${A}-2`, `merge-${B}-2`, `collect-${A}-2`],
        ...[`gate-${B}-2-1`, `commit-${B}-2`, ...lands(A, 3), ENDS],
      ],
      false,
    ],
  ];
  for (const [why, ends, trace, ask] of rows)
    test(why, () => assert.deepEqual(drive(ends, { ask: ask ?? true }).trace, trace));

  test('restart a component that has landed, and one at work, if they use the new version', () => {
    const ends = {
      [`collect-${B}-1`]: asks('t.d.ts'),
      [`ask-${B}-1`]: answer('accept'),
      [`merge-${A}-4`]: done({ kind: 'merged', work: null, names: [] }),
    };
    const world = drive(ends, { last: `collect-${B}-1` });
    assert.deepEqual(world.trace.slice(START.length - 1), [
      ...[`collect-${A}-1`, `collect-${B}-1`, ...lands(A, 2), `ask-${B}-1`],
      ...[...locks(2, 3), `run-${A}-2`, `run-${B}-2`, `collect-${A}-2`, `collect-${B}-2`],
      // What has landed already fits the new version, so it stays as it is.
      ...[`merge-${A}-4`, ...lands(B, 5), ENDS],
    ]);
    assert.equal(world.state.interfaces['t.d.ts']?.version, 2);
    assert.deepEqual(
      world.state.landed.map(({ id }) => id),
      ['P1T1-PH1-C0', 'P1T1-PH1-C1', 'P1T1-PH1-C2'],
    );
  });

  test('keep the version on the branch if two accepted changes do not pass their check', () => {
    const world = new FeatureWorld({
      phases: PHASES.replace('uses: [api.yaml]', 'uses: [t.d.ts]'),
    });
    const end = (key: string, how?: LooseEnd): void => {
      world.decide();
      world.end(key, (name, command) => how ?? goesWell(name, command, false));
    };
    for (const key of ['base', ...locks(1, 1), `run-${A}-1`, `run-${B}-1`]) end(key);
    end(`collect-${A}-1`, asks());
    end(`collect-${B}-1`, asks());
    end(`ask-${A}-1`, answer('accept'));
    end(`ask-${B}-1`, answer('accept'));
    assert.equal(world.state.interfaces['t.d.ts']?.version, 2);
    world.decide();
    const [open = ''] = world.open.keys();
    end(open, done({ kind: 'invalid', faults: ['t.d.ts:1: oops'] }));
    // The first of the two was begun before the second was accepted: its end does not count.
    while (world.state.interfaces['t.d.ts'].before !== null) {
      world.decide();
      const [key = assert.fail('nothing is open')] = world.open.keys();
      end(key, done({ kind: 'invalid', faults: ['t.d.ts:1: oops'] }));
    }
    const { text, version } = world.state.interfaces['t.d.ts'];
    assert.deepEqual([text, version], ['export type T = 1;', 1]);
  });

  test('that are committed while another change is accepted are on the branch all the same', () => {
    const world = new FeatureWorld({
      phases: PHASES.replace('uses: [api.yaml]', 'uses: [t.d.ts]'),
    });
    const end = (key: string, how?: LooseEnd): void => {
      world.decide();
      world.end(key, (name, command) => how ?? goesWell(name, command, false));
    };
    for (const key of ['base', ...locks(1, 1), `run-${A}-1`, `run-${B}-1`]) end(key);
    end(`collect-${A}-1`, asks());
    end(`ask-${A}-1`, answer('accept'));
    end(`collect-${B}-1`, asks('t.d.ts', 'export type V = 3;'));
    for (const key of locks(2, 2).slice(0, 3)) end(key);
    world.decide();
    assert.ok(world.open.has(`commit-${LOCK}-2`));
    end(`ask-${B}-1`, answer('accept'));
    end(`commit-${LOCK}-2`);
    const { lanes, interfaces, components } = world.state;
    assert.equal(lanes['']?.tip?.commit, `merged merge-${LOCK}-2`);
    assert.equal(components[LOCK.toUpperCase()]?.before?.commit, `c ${LOCK.toUpperCase()}`);
    assert.deepEqual(interfaces['t.d.ts'], {
      ...{ text: 'export type V = 3;', version: 3, before: 'export type U = 2;' },
      written: 'export type U = 2;',
    });
  });

  test('keep their old version if the new one does not pass its check', () => {
    const world = drive({
      [`collect-${A}-1`]: asks(),
      [`ask-${A}-1`]: answer('accept'),
      [`gate-${LOCK}-3-1`]: RED,
    });
    assert.equal(world.trace.at(-1), ENDS);
    const { text, version, before } = world.state.interfaces['t.d.ts'] ?? assert.fail();
    assert.deepEqual([text, version, before], ['export type T = 1;', 1, null]);
  });
});

describe('any feature with interfaces', () => {
  test('ends, locks them first, and builds nothing on an old version', () => {
    const seen = new Set<string>();
    let restarts = 0;
    let last: FeatureWorld | undefined;
    for (let seed = 1; seed <= 80; seed += 1) {
      const random = seededRandom(seed);
      try {
        const gate = random() < 0.5 ? ', gate: interfaces-locked' : '';
        const second = `  - { id: two${gate}, interfaces: [{ file: u.d.ts, definition: x }], components: [{ id: c, files: [c] }, { id: d, files: [d], uses: [t.d.ts] }] }`;
        // Every second one spans two projects, which both have t.d.ts.
        const isSpanning = seed % 2 === 0;
        const phases = `${PHASES}\n${second}`;
        const world = new FeatureWorld({
          phases: isSpanning ? inProjects(phases) : phases,
          ...(isSpanning ? { projects: '  api: { path: . }\n  web: { path: ../web }' } : {}),
          capacity: randomInt(random, 1, 4),
          ask: random() < 0.8,
        });
        last = world;
        const branch: Branch = { written: new Map(), committed: new Map() };
        for (let steps = 0; world.decide(); steps += 1) {
          assert.ok(steps < 3000, 'it decides without end');
          if (random() < 0.03) world.crash();
          else if (random() < 0.001) world.stop();
          else if (world.isParked) world.queue('release', null);
          else if (world.open.size > 0) {
            const key = randomItem(random, [...world.open.keys()] as [string]);
            const input = world.open.get(key)?.input ?? {};
            world.end(key, (name, command, isCancelled) => {
              const end = randomEnd(random, name, command, isCancelled);
              const lane = laneNameOf(world.state, componentOfKey(name) ?? '');
              if (end.kind === 'done') noteFiles(branch, name, command, { input, lane });
              return end;
            });
            const all = Object.values(world.state.components);
            restarts += all.filter(({ why }) => why.startsWith('it starts again')).length;
          }
        }
        const { state, outcome } = world;
        seen.add(outcome?.kind ?? '');
        for (const id of Object.keys(state.components)) {
          assert.equal(progressOf(state, id).restarts, false, `${id} waits for nothing any more`);
          if (outcome?.kind === 'succeeded')
            assert.equal(componentStates(state).get(id), 'complete', id);
        }
        if (outcome?.kind === 'succeeded')
          for (const [path, { text, before }] of Object.entries(state.interfaces)) {
            assert.deepEqual([text, before], [branch.committed.get(path), null], path);
            if (path === 'web:t.d.ts') assert.equal(text, state.interfaces['api:t.d.ts']?.text);
          }
        const landed = state.landed.map(({ id }) => id);
        assert.equal(new Set(landed).size, landed.length, 'each has one entry');
      } catch (error) {
        throw new Error(`seed ${seed} ${last?.trace.join(' ')}`, { cause: error });
      }
    }
    assert.deepEqual([...seen].toSorted(), ['cancelled', 'failed', 'succeeded']);
    assert.ok(restarts > 0, 'some components started again');
  });
});

/** `a` and `c` are built in one project, `b` and `d` in the other. */
function inProjects(phases: string): string {
  return phases.replaceAll(/files: \[([a-d])\]/g, (found, name: string) => {
    return `${found}, project: ${name === 'a' || name === 'c' ? 'api' : 'web'}`;
  });
}

/** What the branch has of each interface, as a check of the state that is independent of it. */
type Branch = {
  readonly written: Map<string, readonly { readonly path: string; readonly text: string }[]>;
  readonly committed: Map<string, string>;
};

function noteFiles(
  { written, committed }: Branch,
  key: string,
  command: string,
  { input, lane }: { readonly input: Readonly<Record<string, unknown>>; readonly lane: string },
): void {
  const id = componentOfKey(key) ?? '';
  if (command === 'write-interfaces')
    written.set(id, input['files'] as readonly { path: string; text: string }[]);
  if (command === 'commit-work')
    for (const { path, text } of written.get(id) ?? [])
      committed.set(interfaceKey(lane === '' ? undefined : lane, path), text);
}

function changing(end: LooseEnd, file: string): LooseEnd {
  return done({ ...(end as unknown as { result: object }).result, names: [file] });
}

function randomEnd(
  random: () => number,
  key: string,
  command: string,
  isCancelled: boolean,
): LooseEnd {
  const end = goesWell(key, command, isCancelled);
  if (isCancelled) return end;
  const chance = random();
  switch (command) {
    case 'run':
      return chance < 0.05 ? done({ run: 'c', outcome: { kind: 'failed', reason: 'no' } }) : end;
    case 'write-interfaces':
      if (chance < 0.05) return done({ kind: 'invalid', faults: ['t.d.ts:1: oops'] });
      return chance < 0.1 ? { kind: 'defect', message: 'oops' } : end;
    case 'collect-step':
      return chance < 0.3 ? asks(randomItem(random, ['t.d.ts', 'u.d.ts', 'none.d.ts'])) : end;
    case 'merge-work':
      if (chance < 0.1) return done({ kind: 'conflict', files: ['a'], text: 'diff' });
      return chance < 0.2 ? changing(end, 'u.d.ts') : end;
    case 'gate':
      return chance < 0.1 ? RED : end;
    case 'ask':
      return answer(randomItem(random, ['accept', 'refuse', 'retry', 'retry', 'skip']));
    default:
      return chance < 0.03 ? { kind: 'defect', message: 'oops' } : end;
  }
}
