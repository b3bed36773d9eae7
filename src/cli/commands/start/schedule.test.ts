import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { systemClock } from '../../../host/machine/system-clock.ts';
import { SCHEDULE_STREAM } from '../../../protocol/streams.ts';
import type { Payload } from '../../../protocol/event.ts';
import { ReportDocument } from '../../../public-json/reading-documents.ts';
import { SchedulesDocument } from '../../../public-json/schedule-documents.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import type { InProcessCli } from '../../../../test/support/cli-harness.ts';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';

type Schedules = SchedulesDocumentType['schedules'];
type SchedulesDocumentType = ReturnType<typeof SchedulesDocument.parse>;

const DAY_MS = 86_400_000;
const RUN = ['--', 'run', 'fix it', '--agent', 'scripted'];

async function listed(cli: InProcessCli): Promise<Schedules> {
  const { out } = await cli.say(['schedule', 'list', '--json']);
  return SchedulesDocument.parse(JSON.parse(out)).schedules;
}

/** A home to which an owner of two days ago has added a schedule. */
function withMissed(
  more: Partial<Payload<'schedule.added'>>,
  request: Readonly<Record<string, unknown>> = {},
): Promise<InProcessCli> {
  return inProcessCli('', async (_, project) => [
    {
      stream: SCHEDULE_STREAM,
      at: systemClock.now() - 2 * DAY_MS,
      event: {
        type: 'schedule.added',
        payload: {
          ...{ name: 'nightly', cron: '0 0 * * *', timeZone: 'UTC', missed: 'run' },
          runRequest: { task: 'fix it', project, agent: 'scripted', ...request },
          ...more,
        },
      },
    },
  ]);
}

/** Around midnight in UTC, the next time may be due as well, so tests of missed times use another hour then. */
const hour = (new Date(systemClock.now()).getUTCHours() + 12) % 24;
const cron = `0 ${hour} * * *`;

describe('schedule', { timeout: 300_000 }, () => {
  test('adds, lists and removes a run at set times', async () => {
    await using cli = await inProcessCli();
    const zone = ['--time-zone', 'Europe/Berlin'];
    const added = await cli.say(['schedule', 'add', cron, ...zone, ...RUN]);
    assert.equal(added.code, 0, added.err);
    assert.match(added.out, /^Schedule schedule-1 is due next: .* Its zone is Europe\/Berlin\./);
    const named = ['schedule', 'add', '@weekly', '--name', 'tidy', '--missed', 'skip'];
    assert.equal((await cli.say([...named, ...RUN, '--budget-usd', '2'])).code, 0);
    const found = await listed(cli);
    assert.deepEqual(
      found.map((one) => [one.name, one.cron, one.missed, one.task, one.last]),
      [
        ['schedule-1', cron, 'run', 'fix it', null],
        ['tidy', '@weekly', 'skip', 'fix it', null],
      ],
    );
    assert.match((await cli.say(['schedule'])).out, /^name +next.*\n.*Europe.*\ntidy .*@weekly/);
    assert.match((await cli.say(['events'])).out, /schedule tidy: @weekly/);
    const removed = await cli.say(['schedule', 'remove', 'tidy']);
    assert.deepEqual(removed, { code: 0, out: 'Schedule tidy is removed.\n', err: '' });
    assert.equal((await listed(cli)).length, 1);
  });

  const refused: [why: string, argv: string[], code: number, message: RegExp][] = [
    ['an expression with four fields', ['0 2 * *', ...RUN], 2, /does not have five fields/],
    ['a zone that does not exist', ['@daily', '--time-zone', 'Mars', ...RUN], 2, /no time zone/],
    ['another command', ['@daily', '--', 'spawn', 'x'], 2, /"spawn" can't be scheduled/],
    ['what needs the end', ['@daily', ...RUN, '--apply'], 2, /--apply can't be scheduled/],
    ['an option that does not exist', ['@daily', ...RUN, '--agnet', 'x'], 2, /'--agnet'/],
    ['an empty task', ['@daily', '--', 'run', ' '], 2, /The task is empty/],
    ['a name with blanks', ['@daily', '--name', 'a b', ...RUN], 2, /is no name/],
    ['a policy that does not exist', ['@daily', '--missed', 'twice', ...RUN], 2, /run, skip/],
    [
      'a run that could not begin',
      ['@daily', '--', 'run', 'x', '--agent', 'no-such-agent'],
      2,
      /nothing is scheduled/,
    ],
  ];
  for (const [why, argv, code, message] of refused)
    test(`refuses ${why}`, async () => {
      await using cli = await inProcessCli();
      const said = await cli.say(['schedule', 'add', ...argv]);
      assert.equal(said.code, code, said.out + said.err);
      assert.match(said.out + said.err, message);
      assert.deepEqual(await listed(cli), []);
    });

  test('refuses a name that is taken, and one that is not there', async () => {
    await using cli = await inProcessCli();
    const add = ['schedule', 'add', '@daily', '--name', 'a', ...RUN];
    assert.equal((await cli.say(add)).code, 0);
    const again = await cli.say(add);
    assert.match(again.err, /There is a schedule a already\.\n.*supervisor schedule remove a/);
    const absent = await cli.say(['schedule', 'remove', 'b']);
    assert.deepEqual([again.code, absent.code], [1, 2]);
    assert.match(absent.err, /There is no schedule "b"\.\nUse one of: a/);
  });

  test('a missed time starts one run, with the options that were typed', async () => {
    await using cli = await withMissed({ cron });
    await eventually('the run', async () => (await listed(cli))[0]?.last?.result === 'started');
    const [one] = await listed(cli);
    const run = one?.last?.run_id ?? '';
    await cli.say(['wait', run]);
    const status = await cli.say(['status', run]);
    assert.match(status.out, /fix it/);
    assert.equal(/schedule nightly started run/.test((await cli.say(['events'])).out), true);
    assert.match((await cli.say(['schedule'])).out, new RegExp(`run ${run}`));
  });

  test('a missed time is skipped if the person said so', async () => {
    await using cli = await withMissed({ cron, missed: 'skip' });
    await eventually('the end', async () => (await listed(cli))[0]?.last?.result === 'missed');
    assert.match((await cli.say(['schedule'])).out, /: missed/);
    assert.equal((await cli.say(['status', '--all', '--json'])).out.includes('fix it'), false);
  });

  test('a run that is refused when it is due says why', async () => {
    await using cli = await withMissed({ cron }, { agent: 'gone' });
    await eventually('the end', async () => (await listed(cli))[0]?.last?.result === 'refused');
    assert.match((await listed(cli))[0]?.last?.reason ?? '', /gone/);
    assert.match((await cli.say(['events'])).out, /schedule nightly started no run: .*gone/);
    const { out } = await cli.say(['report']);
    assert.match(out, /^No runs in the last 12h00m\.\n.*: schedule nightly started no run: .*gone/);
    const report = ReportDocument.parse(JSON.parse((await cli.say(['report', '--json'])).out));
    assert.deepEqual(
      report.times_without_run.map(({ schedule, times, because }) => [schedule, times, because]),
      [['nightly', 1, 'refused']],
    );
  });
});
