import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ScriptedTurn } from '../../../test/support/turn-script.ts';
import {
  at,
  bash,
  edit,
  failed,
  recordsOf,
  SPECIALIST,
  turn,
  turns,
} from '../../../test/support/turn-script.ts';
import type { AttemptNote } from '../../protocol/contracts/attempt-contract.ts';
import type { PinnedOrganization } from '../../protocol/contracts/organization-contract.ts';
import { SaluteReport } from '../../protocol/contracts/salute-contract.ts';
import type { AssessmentRecord } from '../../protocol/contracts/salute-contract.ts';
import { DEFAULT_STEERING } from '../../protocol/contracts/steering-contract.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { RoleReports } from './role-reports.ts';
import { TurnWatcher } from './turn-watcher.ts';

const ORGANIZATION: PinnedOrganization = {
  ...{ id: 'dev', mode: 'microcosm', heartbeatSeconds: 30, routing: {}, roles: [SPECIALIST] },
};

async function watched(
  script: readonly ScriptedTurn[],
  given: { readonly breaks?: true; readonly ended?: 'complete' | 'aborted' } = {},
) {
  const clock = new ManualClock(Date.UTC(2026, 0, 2));
  const notes: AttemptNote[] = [];
  const reports: SaluteReport[] = [];
  const assessments: AssessmentRecord[] = [];
  const note = async (one: AttemptNote) => void notes.push(one);
  const roleReports = new RoleReports({
    ...{ clock, organization: ORGANIZATION, name: null, number: 2, note },
    about: async () => ({ task: 'fix the bug', folder: '/work' }),
    write: async (_role, record) => {
      if (given.breaks === true) throw new Error('the disk is full');
      if ('latest' in record) reports.push(record.latest);
      else assessments.push(record.assessment);
    },
  });
  const watcher = new TurnWatcher({
    ...{ run: '0123456789', steering: { ...DEFAULT_STEERING, organization: ORGANIZATION } },
    ...{ attempt: 'attempt-2', role: null, note, reports: roleReports },
    fingerprint: async () => null,
  });
  for (const record of recordsOf(script)) {
    await clock.advance(1000);
    await watcher.take(record);
  }
  if (given.ended !== undefined) await roleReports.end(given.ended);
  const brief = reports.map(
    ({ status, time }) =>
      `${time.turns_elapsed} ${status.state} ${status.pace_level} ${status.health}`,
  );
  const paces = notes.flatMap((one) => (one.kind === 'pace' ? [`${one.turn} ${one.level}`] : []));
  return { reports, brief, assessments, notes, paces };
}

const work = (count: number) => turns(count, (nth) => turn(edit(`${nth}.ts`)));
const fails = (count: number) => turns(count, (nth) => turn(failed(`try ${nth}`)));
const calm = (count: number) => turns(count, (nth) => turn(bash(`look ${nth}`)));

describe('the reports of a role', () => {
  const cases: [why: string, script: readonly ScriptedTurn[], expected: readonly string[]][] = [
    ['a conversation has none', [{ steps: [], asksNothing: true, text: 'Hi' }], []],
    [
      'come on the interval of the role',
      work(11),
      ['2 active primary nominal', '7 active primary nominal', '12 active primary nominal'],
    ],
    [
      'come at once when the level changes, and when it falls again',
      [...work(1), ...fails(5), ...calm(3)],
      [
        '2 active primary nominal',
        '5 error_recovery alternate degraded',
        '7 escalating contingent critical',
        '10 active primary nominal',
      ],
    ],
    [
      'say that the agent waits',
      [...work(1), turn(bash('sleep 60'))],
      ['2 active primary nominal', '3 waiting primary nominal'],
    ],
  ];
  for (const [why, script, expected] of cases)
    test(why, async () => assert.deepEqual((await watched(script)).brief, expected));

  test('have every field of the form, and are read back as they were written', async () => {
    const { reports } = await watched([at(0.5, edit('src/a.ts')), ...fails(1)]);
    const [first] = reports;
    assert.deepEqual(SaluteReport.parse(JSON.parse(JSON.stringify(first))), first);
    assert.deepEqual(first, {
      _schema: 'orgkernel:salute_report',
      _version: '1.0',
      status: { state: 'active', progress: 0, pace_level: 'primary', health: 'nominal' },
      activity: {
        ...{ current_task: 'fix the bug', bst_domain: 'coding', current_tool: 'Bash' },
        ...{ htn_plan: '', htn_step: 0, htn_total_steps: 0, iterations_on_current_step: 0 },
      },
      location: {
        ...{ working_directory: '/work', files_modified: ['src/a.ts'] },
        ...{ files_read: [], resources_claimed: [] },
      },
      unit: {
        ...{ role_id: 'builder', role_name: 'builder', agent_number: 2 },
        ...{ reports_to: null, organization: 'dev' },
      },
      time: {
        timestamp: '2026-01-02T00:00:02.000Z',
        task_started: '2026-01-02T00:00:00.000Z',
        ...{ elapsed_seconds: 2, turns_elapsed: 2, turns_since_progress: 0 },
        context_turns_remaining: null,
      },
      environment: {
        ...{ model: 'some-model', context_fill_pct: 0.5, gpu_available: false },
        ...{ context_tokens_used: 100_000, context_tokens_max: 200_000 },
        ...{ tool_failures_consecutive: 0, tool_failures_total: 0, memory_fragments_stored: 0 },
        tool_failures_recent: [],
      },
    });
  });

  test('are never changed by our own assessment, which is a record of its own', async () => {
    const same = turns(4, () => turn(failed('npm test')));
    const { assessments } = await watched([...work(1), ...same, ...work(3)]);
    assert.deepEqual(
      assessments.map(({ turn: nth, health, reported_health, anomalies }) => [
        ...[nth, health, reported_health, anomalies.map(({ detector }) => detector)],
      ]),
      [
        [6, 'degraded', 'degraded', ['loop']],
        [9, 'nominal', 'nominal', []],
      ],
    );
  });

  test('include the end of the work', async () => {
    assert.equal(
      (await watched(work(1), { ended: 'complete' })).brief.at(-1),
      '2 complete primary nominal',
    );
    assert.equal(
      (await watched(work(1), { ended: 'aborted' })).brief.at(-1),
      '2 aborted primary nominal',
    );
    assert.deepEqual((await watched([], { ended: 'complete' })).brief, []);
  });

  test('that can not be written are noted once, and the watch continues', async () => {
    const { notes, paces } = await watched([...work(12), ...fails(3)], { breaks: true });
    const failures = notes.filter(({ kind }) => kind === 'report-failed');
    assert.deepEqual(failures, [{ kind: 'report-failed', message: 'Error: the disk is full' }]);
    assert.deepEqual(paces, ['2 primary', '16 alternate']);
  });
});
