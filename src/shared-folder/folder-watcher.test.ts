import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { crashes, crashingFiles } from '../../test/support/crashing-files.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { isRefusal } from '../base/errors.ts';
import type { SteeringFiles } from '../host/files/steering-box.ts';
import type { PinnedSteering } from '../protocol/contracts/steering-contract.ts';
import { DEFAULT_STEERING } from '../protocol/contracts/steering-contract.ts';
import { FolderWatcher } from './folder-watcher.ts';

const STEER: PinnedSteering = { ...DEFAULT_STEERING, mode: 'steer', heldOut: 0 };
const NOW = Date.UTC(2026, 0, 2);

type Said = {
  readonly turn: number;
  readonly level?: string;
  readonly idle?: number;
  readonly context?: number;
  readonly failures?: readonly { readonly tool: string; readonly signature?: string }[];
  readonly consecutive?: number;
  readonly started?: string;
};

function report({ turn, level = 'primary', idle = 0, context = 0.2, ...rest }: Said): string {
  const { failures, consecutive = failures?.length ?? 0, started = 'a' } = rest;
  return JSON.stringify({
    _schema: 'orgkernel:salute_report',
    status: { state: 'active', pace_level: level, health: 'nominal' },
    activity: { current_task: 'build the parser' },
    unit: { role_id: 'coder', role_name: 'Coder', organization: 'dev' },
    time: {
      timestamp: new Date(NOW + turn * 1000).toISOString(),
      ...{ task_started: started, turns_elapsed: turn, turns_since_progress: idle },
    },
    environment: {
      ...{ context_fill_pct: context, tool_failures_consecutive: consecutive },
      ...(failures !== undefined && {
        tool_failures_recent: failures.map((one) => ({ error_type: 'execution', ...one })),
      }),
    },
  });
}

class Folder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  static async make(path: string): Promise<Folder> {
    for (const name of ['roles', 'reports']) await mkdir(join(path, name));
    await writeFile(join(path, 'active.json'), '{"org_id": "dev", "heartbeat_seconds": 7}');
    await writeFile(join(path, 'roles', 'coder.json'), '{"role_id": "coder"}');
    return new Folder(path);
  }

  async say(text: string, name = 'coder'): Promise<void> {
    await writeFile(join(this.path, 'reports', `${name}_latest.json`), text);
  }

  open(steering = STEER, files?: SteeringFiles): Promise<FolderWatcher> {
    return FolderWatcher.open(this.path, steering, files);
  }

  async messages(): Promise<readonly string[]> {
    const folder = join(this.path, 'steering', 'coder');
    const names = await readdir(folder).catch(() => []);
    const texts = names
      .filter((name) => name.endsWith('.json'))
      .map(
        async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as { text: string },
      );
    return (await Promise.all(texts)).map(({ text }) => text);
  }
}

/** What was found after the reports, one after the other: `detector decision`. */
async function found(all: readonly Said[], steering = STEER): Promise<readonly string[]> {
  await using dir = await tempDir();
  const folder = await Folder.make(dir.path);
  const watcher = await folder.open(steering);
  const facts: string[] = [];
  for (const one of all) {
    await folder.say(report(one));
    for (const fact of await watcher.look(NOW))
      if (fact.kind === 'anomaly') facts.push(`${fact.detector} ${fact.decision}`);
  }
  return facts;
}

const same = (count: number) =>
  Array.from({ length: count }, () => ({ tool: 'Bash', signature: 'npm test' }));

describe('the watch over a folder', () => {
  const cases: [why: string, reports: readonly Said[], expected: readonly string[]][] = [
    ['finds nothing in good reports', [{ turn: 5 }, { turn: 10 }, { turn: 15 }], []],
    ['finds a stall by the limit of the role', [{ turn: 20, idle: 13 }], ['stall sent']],
    ['no stall within the limit', [{ turn: 20, idle: 12 }], []],
    ['finds a full context', [{ turn: 20, context: 0.81 }], ['context sent']],
    ['finds a loop', [{ turn: 9, failures: same(3) }], ['loop sent']],
    [
      'finds a cascade, which goes first',
      [{ turn: 9, failures: [{ tool: 'a' }, { tool: 'b' }, { tool: 'c' }] }],
      ['cascade sent'],
    ],
    [
      'does not call failures a loop if their calls are not known',
      [{ turn: 9, consecutive: 4 }],
      [],
    ],
    [
      'finds the level that the agent reports',
      [{ turn: 9, level: 'contingent' }],
      ['pace-contingent sent'],
    ],
    [
      'finds the level by the number of failures',
      [{ turn: 9, consecutive: 5 }],
      ['pace-contingent sent'],
    ],
    ['finds an emergency', [{ turn: 40, idle: 19 }], ['pace-emergency sent', 'stall outranked']],
    [
      'is quiet for three turns, and then speaks again',
      [
        { turn: 20, idle: 13 },
        { turn: 22, idle: 15 },
        { turn: 23, idle: 16 },
      ],
      ['stall sent', 'stall sent'],
    ],
    [
      'begins again with other work',
      [
        { turn: 20, idle: 13 },
        { turn: 2, started: 'b' },
        { turn: 3, idle: 0, started: 'b' },
      ],
      ['stall sent'],
    ],
  ];
  for (const [why, reports, expected] of cases)
    test(why, async () => assert.deepEqual(await found(reports), expected));

  test('writes nothing but an assessment in shadow', async () => {
    await using dir = await tempDir();
    const folder = await Folder.make(dir.path);
    await folder.say(report({ turn: 20, idle: 13 }));
    const before = await readFile(join(dir.path, 'reports', 'coder_latest.json'), 'utf8');
    await (await folder.open(DEFAULT_STEERING)).look(NOW);
    assert.deepEqual(await folder.messages(), []);
    const path = join(dir.path, 'reports', 'coder_assessment.json');
    const {
      health,
      reported_health: reported,
      anomalies,
    } = JSON.parse(await readFile(path, 'utf8'));
    assert.deepEqual([health, reported, anomalies[0].detector], ['degraded', 'nominal', 'stall']);
    assert.equal(await readFile(join(dir.path, 'reports', 'coder_latest.json'), 'utf8'), before);
  });

  test('writes one message about a report, however often it looks and starts', async () => {
    await using dir = await tempDir();
    const folder = await Folder.make(dir.path);
    await folder.say(report({ turn: 20, idle: 13 }));
    for (let nth = 0; nth < 3; nth += 1) {
      const watcher = await folder.open();
      await watcher.look(NOW);
      await watcher.look(NOW);
    }
    assert.deepEqual(await folder.messages(), [
      '[SUPERVISOR] There was no progress for 13 turns while working on: build the parser. Leave this step, and reach the goal with other tools. Seen in turns 8 to 20.',
    ]);
  });

  for (const [nth, when] of crashes(2))
    test(`writes one message if it dies ${when} write ${nth}, and a successor looks`, async () => {
      await using dir = await tempDir();
      const folder = await Folder.make(dir.path);
      await folder.say(report({ turn: 20, idle: 13 }));
      await assert.rejects((await folder.open(STEER, crashingFiles(nth, when))).look(NOW));
      await (await folder.open()).look(NOW);
      assert.equal((await folder.messages()).length, 1);
    });

  const bad: [why: string, text: string, name: string, expected: RegExp][] = [
    ['no JSON', '{', 'coder', /it is not JSON/],
    ['another format', '{"_schema": "x"}', 'coder', /_schema/],
    [
      'no state',
      report({ turn: 1 }).replace('"state":"active"', '"state":"well"'),
      'coder',
      /status\.state/,
    ],
    [
      'a report of another role',
      report({ turn: 1 }).replace('"coder"', '"boss"'),
      'coder',
      /report of "boss"/,
    ],
    [
      'a role that would leave the folder',
      report({ turn: 1 }).replace('"coder"', '"../x"'),
      'coder',
      /unit\.role_id/,
    ],
    ['a role that is unknown', report({ turn: 1 }), 'stranger', /no such role/],
    ['a file that is too large', 'x'.repeat(300_000), 'coder', /too large|larger/],
  ];
  for (const [why, text, name, expected] of bad)
    test(`refuses ${why} visibly, once, and continues`, async () => {
      await using dir = await tempDir();
      const folder = await Folder.make(dir.path);
      const watcher = await folder.open();
      await folder.say(text, name);
      const [fact, ...more] = await watcher.look(NOW);
      assert.ok(fact?.kind === 'refused');
      assert.match(`${fact.file} ${fact.why}`, expected);
      assert.deepEqual([more, await watcher.look(NOW)], [[], []]);
      await folder.say(report({ turn: 20, idle: 13 }));
      assert.equal((await watcher.look(NOW)).length, 2);
    });

  test('is refused for a folder without an organization', async () => {
    await using dir = await tempDir();
    await assert.rejects(FolderWatcher.open(dir.path, STEER), (error) =>
      isRefusal(error, 'usage.invalid'),
    );
  });

  test('has the heartbeat of its organization', async () => {
    await using dir = await tempDir();
    assert.equal((await (await Folder.make(dir.path)).open()).heartbeatMs, 7000);
  });
});
