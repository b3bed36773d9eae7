import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDate } from '../../base/format-time.ts';
import type { ScheduleView } from '../../protocol/views/schedule-view.ts';
import type { CliContext } from '../cli-context.ts';
import { describeSchedules } from './next-schedules.ts';

const context = { terminal: { isTty: false, width: 80, colour: false } } as CliContext;
const AT = Date.parse('2026-11-20T02:00:00Z');

function schedule(name: string, nextAt: number | null, task = 'fix it'): ScheduleView {
  return {
    ...{ name, nextAt, task, cron: '0 2 * * *', timeZone: 'UTC', missed: 'run' },
    ...{ project: '/app', addedAt: 0, last: null },
  };
}

test('status lists the schedules, the next one first, each with its next time', () => {
  assert.equal(describeSchedules(context, []), '');
  const given = [
    schedule('never', null),
    schedule('late', AT + 1000),
    schedule('soon', AT, 'a\nb'),
  ];
  assert.equal(
    describeSchedules(context, given),
    `Scheduled:\n  ${formatDate(AT)}  soon  a b\n  ${formatDate(AT + 1000)}  late  fix it\n  never again  never  fix it\n`,
  );
});

test('and names the command for the rest of them', () => {
  const given = Array.from({ length: 7 }, (_, at) => schedule(`s${at}`, AT + at));
  const lines = describeSchedules(context, given).trimEnd().split('\n');
  assert.equal(lines.length, 7);
  assert.equal(lines.at(-1), '  … and 2 more. List them with: supervisor schedule');
});
