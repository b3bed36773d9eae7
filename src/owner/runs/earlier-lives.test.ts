import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { RunId } from '../../base/ids.ts';
import { systemClock } from '../../host/machine/system-clock.ts';
import { which } from '../../host/process/which.ts';
import type { NewOwnerEvent, NewRunEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { livesIn, recordLives, turnKey, writeOutputs } from '../../../test/support/agent-lives.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { createWorkspace } from '../../workspace/create-workspace.ts';
import { readCommittedWork } from '../../workspace/commit-work.ts';
import { LivesFold, stemOfFile } from './earlier-lives.ts';
import { realLeftovers } from './prune-leftovers.ts';
import { Prune } from './prune.ts';
import { runEvent } from '../../../test/support/run-event.ts';

const AGENT = 'a000000000' as RunId;

async function choose(lives: number, before: number, present: readonly string[]) {
  const journal = new MemoryJournal();
  await recordLives(journal, AGENT, lives);
  const fold = new LivesFold(new Set(present));
  for (const event of await journal.readStream(runStream(AGENT), { after: 0, limit: 10_000 }))
    fold.add(event);
  const { stems, ...rest } = fold.choose(before);
  return { ...rest, stems: [...stems].toSorted() };
}

describe('the lives of an agent whose files can be removed', () => {
  const first = ['attempt-1', 'attempt-2'];
  const second = ['attempt-3', 'attempt-4'];
  const all = Array.from({ length: 12 }, (_, index) => `attempt-${index + 1}`);
  const cases: [
    why: string,
    given: [lives: number, before: number, present: readonly string[]],
    expected: { lives: number; treesBelow: number; stems: readonly string[] },
  ][] = [
    ['there is no life yet', [0, 9e9, all], { lives: 0, treesBelow: 0, stems: [] }],
    ['there is only the current life', [1, 9e9, all], { lives: 0, treesBelow: 1, stems: [] }],
    ['the newest three lives are kept', [3, 9e9, all], { lives: 0, treesBelow: 1, stems: [] }],
    [
      'with the fourth life the first can be removed',
      [4, 9e9, all],
      { lives: 1, treesBelow: 2, stems: first },
    ],
    [
      'only lives that ended before the given time',
      [6, 3001, all],
      { lives: 2, treesBelow: 3, stems: [...first, ...second] },
    ],
    [
      'a life ends when the next one starts',
      [6, 2000, all],
      { lives: 0, treesBelow: 1, stems: [] },
    ],
    [
      'only commands with files are named',
      [6, 9e9, ['attempt-2', 'attempt-12']],
      { lives: 3, treesBelow: 4, stems: ['attempt-2'] },
    ],
  ];
  for (const [why, given, expected] of cases)
    test(why, async () => assert.deepEqual(await choose(...given), expected));

  test('an open command of an earlier life keeps its output', () => {
    const fold = new LivesFold(new Set(['gate-1-a']));
    const add = (event: NewRunEvent): void =>
      fold.add({ id: 1, stream: runStream(AGENT), seq: 1, v: 1, at: 1, ...event });
    const live = (life: number): void =>
      add({ type: 'signal.received', payload: { signal: { kind: 'start-life', life } } });
    live(1);
    const begun = { key: 'gate-1.a', command: 'gate', input: {}, limits: [] };
    add(runEvent({ type: 'command.begun', payload: begun }));
    for (const life of [2, 3, 4]) live(life);
    assert.deepEqual([...fold.choose(9).stems], []);
    const end = { kind: 'interrupted' } as const;
    add(runEvent({ type: 'command.ended', payload: { key: 'gate-1.a', end } }));
    assert.deepEqual([...fold.choose(9).stems], ['gate-1-a']);
  });

  const files: [name: string, stem: string | undefined][] = [
    ['attempt-1-stdout.0.0.part', 'attempt-1'],
    ['attempt-10-calls.index.json', 'attempt-10'],
    ['gate-1-a-stderr.4096.12.part', 'gate-1-a'],
    ['attempt-1-stdout', undefined],
    ['notes.txt', undefined],
  ];
  for (const [name, stem] of files)
    test(`the file ${name}`, () => assert.equal(stemOfFile(name), stem));
});

test(
  'R14: the files of earlier lives of a running agent are removed, and those of the newest lives stay',
  { timeout: 300_000 },
  async () => {
    await using dir = await tempDir();
    const root = await realpath(dir.path);
    const [project, home] = [join(root, 'project'), join(root, 'home')];
    const git = {
      git: which('git', process.env) ?? 'git',
      clock: systemClock,
      tag: `lives-test:${process.pid}`,
      userHome: '/nonexistent',
    };
    await mkdir(project);
    await writeFile(join(project, 'old.txt'), 'old');
    const trees = [];
    for (const attempt of [1, 6]) {
      const tree = await createWorkspace({ path: project, home, run: AGENT, attempt }, git);
      await writeFile(join(tree.work, 'new.txt'), String(attempt));
      tree.release();
      trees.push(tree);
    }
    const output = join(home, 'outputs', AGENT);
    await writeOutputs(output, 6);
    await mkdir(join(home, 'homes', AGENT), { recursive: true });
    await writeFile(join(home, 'homes', AGENT, 'session'), 'x');
    const journal = new MemoryJournal();
    await recordLives(journal, AGENT, 6);
    const recorded: NewOwnerEvent[] = [];
    const { signal } = new AbortController();
    const prune = new Prune({
      leftovers: realLeftovers({ home, git, journal: () => journal, signal }),
      journal: () => journal,
      record: async (event) => void recorded.push(event),
      signal,
    });
    const plan = await prune.plan(9e9);
    assert.deepEqual(
      plan.agents.map(({ run, lives, leftovers }) => [
        run,
        lives,
        leftovers.map(({ kind, path }) => [kind, path]),
      ]),
      [
        [
          AGENT,
          3,
          [
            ['workspace', trees[0]?.work],
            ['output', output],
          ],
        ],
      ],
    );
    assert.deepEqual([plan.runs, recorded], [[], []]);
    const pruned = await prune.prune(9e9);
    assert.deepEqual([pruned.agents, pruned.runs, pruned.remaining], [1, 0, []]);
    assert.deepEqual(livesIn(await readdir(output)), { 4: 12, 5: 12, 6: 12 });
    assert.ok(existsSync(join(output, 'notes.txt')) && existsSync(join(home, 'homes', AGENT)));
    assert.deepEqual(
      trees.map(({ work }) => existsSync(work)),
      [false, true],
    );
    const [first] = trees;
    const committed = first === undefined ? undefined : await readCommittedWork(first.id, git);
    assert.deepEqual(
      committed?.changes.map(({ path }) => path),
      ['new.txt'],
    );
    assert.deepEqual(
      recorded.map(({ type, payload }) => [type, 'agents' in payload ? payload.agents : null]),
      [
        ['prune.begun', 1],
        ['prune.ended', 1],
      ],
    );
    assert.equal((await prune.prune(9e9)).agents, 0);
    assert.equal(turnKey(6, 2), 'attempt-12');
  },
);
