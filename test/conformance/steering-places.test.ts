/** One suite over the places in which agents are watched: a run, a long-lived agent, and a folder of reports. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { loadOrganization } from '../../src/config/load-organization.ts';
import { watchTurns } from '../../src/execution/turns/attempt-turns.ts';
import { listFolder } from '../../src/host/files/list-folder.ts';
import { readTextFile } from '../../src/host/files/read-text-file.ts';
import type { AttemptInput } from '../../src/protocol/contracts/attempt-contract.ts';
import type { PinnedSteering } from '../../src/protocol/contracts/steering-contract.ts';
import { DEFAULT_STEERING } from '../../src/protocol/contracts/steering-contract.ts';
import { FolderWatcher } from '../../src/shared-folder/folder-watcher.ts';
import { ManualClock } from '../../src/testing/fakes/manual-clock.ts';
import { ATTEMPT_REQUEST } from '../support/prepared-attempt.ts';
import { tempDir } from '../support/temp-dir.ts';
import type { ScriptedTurn } from '../support/turn-script.ts';
import { at, broken, edit, failed, read, recordsOf, turn, turns } from '../support/turn-script.ts';

type Place = 'a run' | 'a long-lived agent' | 'a folder of reports';
const PLACES: readonly Place[] = ['a run', 'a long-lived agent', 'a folder of reports'];

/** It reports after every turn, so that a report shows what the turn shows. */
const ROLE = '{"role_id": "coder", "doctrine": {"salute_interval_turns": 1}}';

/** The detectors that fire, each once, and the texts of the messages. */
async function play(place: Place, script: readonly ScriptedTurn[]) {
  await using dir = await tempDir();
  const organization = join(dir.path, '.supervisor', 'organization');
  await mkdir(join(organization, 'roles'), { recursive: true });
  await writeFile(join(organization, 'active.json'), '{"org_id": "dev"}');
  await writeFile(join(organization, 'roles', 'coder.json'), ROLE);
  const loaded = await loadOrganization(organization, {
    read: (path, bytesMax) => readTextFile(join(organization, path), bytesMax),
    list: (path) => listFolder(join(organization, path)),
  });
  assert.ok(loaded !== undefined);
  const steer: PinnedSteering = { ...DEFAULT_STEERING, mode: 'steer', heldOut: 0, checkTurns: 1 };
  const isElsewhere = place === 'a folder of reports';
  const found = new Set<string>();
  const told: string[] = [];
  const clock = new ManualClock(Date.UTC(2026, 0, 2));
  const { signal } = new AbortController();
  // The same two fields that a run of a role and a long-lived agent have.
  const member: Partial<AttemptInput> =
    place === 'a run'
      ? {
          brief: { role: 'coder', hash: '', answer: null } as unknown as AttemptInput['brief'] & {},
        }
      : { member: 'coder' };
  const { context } = watchTurns(
    {
      ...ATTEMPT_REQUEST,
      input: {
        ...ATTEMPT_REQUEST.input,
        project: dir.path,
        // An agent elsewhere only reports. Its watcher speaks.
        steering: { ...(isElsewhere ? { ...steer, mode: 'off' } : steer), organization: loaded },
        ...member,
      },
    },
    {
      cancelSignal: signal,
      killSignal: signal,
      note: async (note) => void (note.kind === 'anomaly' && found.add(note.detector)),
    },
    {
      clock,
      treeFingerprint: async () => null,
      steering: {
        inject: async (_run, { text }) => {
          told.push(text);
          return { kind: 'queued', message: 'm' };
        },
        pause: async () => {},
        numbers: async () => [],
        healthy: async () => [],
      },
    },
  );
  const watcher = await FolderWatcher.open(organization, steer);
  for (const record of recordsOf(script)) {
    await clock.advance(1000);
    await context.note({ kind: 'turn', turn: record });
    for (const fact of isElsewhere ? await watcher.look(clock.now()) : [])
      if (fact.kind === 'anomaly') found.add(fact.detector);
  }
  return { found: [...found].toSorted(), told };
}

const start = turn(edit('a.ts'));
const same = (count: number) => turns(count, () => turn(failed('npm test')));

const CASES: [why: string, script: readonly ScriptedTurn[], expected: readonly string[]][] = [
  ['healthy work', turns(20, (nth) => turn(edit(`${nth}.ts`))), []],
  ['the same call fails again and again', [start, ...same(3)], ['loop']],
  [
    'two calls fail in turn',
    [start, ...turns(4, (nth) => turn(failed(nth % 2 === 0 ? 'npm test' : 'npm run build')))],
    ['oscillation'],
  ],
  [
    'different tools fail',
    [start, turn(broken('Read')), turn(broken('Edit')), turn(broken('Bash'))],
    ['cascade'],
  ],
  ['the context is nearly full', [start, at(0.82, edit('b.ts'))], ['context']],
  ['no progress', [start, ...turns(13, (nth) => turn(read(`${nth}`)))], ['stall']],
  [
    'all plans but the last have failed',
    // Different commands: the same one with a counter would be a loop.
    [start, ...['make', 'ninja', 'cargo build', 'tsc', 'go build'].map((one) => turn(failed(one)))],
    ['pace-contingent'],
  ],
  [
    'an emergency',
    [start, ...turns(19, (nth) => turn(read(`${nth}`)))],
    ['pace-emergency', 'stall'],
  ],
];

for (const place of PLACES)
  describe(`in ${place}`, () => {
    for (const [why, script, expected] of CASES)
      test(`${why}: ${expected.join(', ') || 'nothing'} is found`, async () => {
        const { found } = await play(place, script);
        assert.deepEqual(found, expected);
      });
  });
