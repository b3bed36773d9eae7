import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { at } from '../../../base/clock.ts';
import { systemClock } from '../../../host/machine/system-clock.ts';
import { runStream } from '../../../protocol/streams.ts';
import { EventDocument } from '../../../public-json/public-event.ts';
import {
  NotificationDocument,
  ReportDocument,
  WhyDocument,
} from '../../../public-json/reading-documents.ts';
import { RunResult } from '../../../public-json/run-result.ts';
import { StatusDocument } from '../../../public-json/status-document.ts';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';
import { runEvent } from '../../../../test/support/run-event.ts';

describe('the JSON output of a run', { timeout: 300_000 }, () => {
  test('--json prints one value at the end, with the exit code of the command', async () => {
    await using cli = await inProcessCli();
    const words = ['run', 'x', '-a', 'scripted:crashes', '--quiet', '--json'];
    const { code, out, err } = await cli.say(words);
    const result = RunResult.parse(JSON.parse(out));
    assert.deepEqual([code, err, result.exit_code, result.state], [1, '', 1, 'failed']);
    assert.deepEqual(
      result.attempts.map(({ failure, sandbox }) => [failure?.reason, sandbox.backend]),
      [['crashed', 'none']],
    );
  });

  test('--json=stream prints every event, then that value', async () => {
    await using cli = await inProcessCli();
    const { code, out } = await cli.say(['run', '--json=stream', 'x', '-a', 'scripted']);
    const lines = out.trimEnd().split('\n');
    const types = lines.slice(0, -1).map((line) => EventDocument.parse(JSON.parse(line)).type);
    assert.deepEqual([code, types[0], types.at(-1)], [0, 'run.submitted', 'run.ended']);
    const result = RunResult.parse(JSON.parse(lines.at(-1) ?? ''));
    const again = await cli.say(['resume', result.run_id, '--json=stream']);
    assert.equal(again.code, 1, 'a run that succeeded is not resumed');
  });
});

describe('why and report', { timeout: 300_000 }, () => {
  test('explain a failed run with its evidence and the next step', async () => {
    await using cli = await inProcessCli();
    const ran = await cli.say(['run', 'x', '-a', 'scripted:crashes', '--json']);
    const { run_id: run } = RunResult.parse(JSON.parse(ran.out));
    const { code, out } = await cli.say(['why', run]);
    assert.equal(code, 0);
    const [head, ...lines] = out.replaceAll(/\d\d:\d\d:\d\d/g, '<then>').split('\n');
    assert.equal(head, `Run ${run}  failed`);
    assert.match(lines[0] ?? '', /^<then> {2}attempt 1 with scripted:crashes failed, crashed: /);
    assert.ok(
      lines.includes(
        `Next  Read its output with: supervisor logs ${run}. Continue with: supervisor resume ${run}`,
      ),
      out,
    );
    WhyDocument.parse(JSON.parse((await cli.say(['why', run, '--json'])).out));
  });

  test('summarize the runs of a period', async () => {
    await using cli = await inProcessCli();
    assert.equal((await cli.say(['report'])).out, 'No runs in the last 12h00m.\n');
    await cli.say(['run', 'fix it', '-a', 'scripted']);
    await cli.say(['run', 'break it', '-a', 'scripted:crashes']);
    const { out } = await cli.say(['report', '--since', '1h']);
    assert.match(
      out,
      /^The last 1h00m {2}1 unverified, 1 failed, 2 attempts\n\nFailed\n {2}[0-9a-f]{10} {2}break it\n/,
    );
    assert.match(
      out,
      /\nUnverified: no gate has proven the work\n {2}[0-9a-f]{10} {2}fix it\n {4}unverified \d\d:\d\d–\d\d:\d\d, scripted, \//,
    );
    assert.match(out, /\n {4}the agent says: 5 steps are done\n {4}→ /);
    const { out: shown } = await cli.say(['status', 'is:unverified', '--json']);
    const [done] = StatusDocument.parse(JSON.parse(shown)).runs;
    const { out: detail } = await cli.say(['status', done?.run_id ?? '']);
    assert.match(detail, /\noutcome +the agent says: 5 steps are done\n/);
    const report = ReportDocument.parse(JSON.parse((await cli.say(['report', '--json'])).out));
    assert.deepEqual([report.unverified.length, report.failed.length], [1, 1]);
    assert.equal((await cli.say(['report', '--since', 'soon'])).code, 2);
  });

  test('name the run that a resumed run continues', async () => {
    await using cli = await inProcessCli();
    const ran = await cli.say(['run', 'x', '-a', 'scripted:crashes', '--json']);
    const first = RunResult.parse(JSON.parse(ran.out));
    const again = await cli.say(['resume', first.run_id, '--json']);
    const second = RunResult.parse(JSON.parse(again.out));
    assert.notEqual(second.run_id, first.run_id);
    const why = WhyDocument.parse(
      JSON.parse((await cli.say(['why', second.run_id, '--json'])).out),
    );
    assert.match(
      why.causes[0]?.message ?? '',
      new RegExp(`^it continues run ${first.run_id}, which ended after attempt 1: failed: `),
    );
    assert.ok((why.causes[0]?.at ?? '') >= (first.ended_at ?? ''), 'its time is not the old one');

    const old = WhyDocument.parse(JSON.parse((await cli.say(['why', first.run_id, '--json'])).out));
    assert.match(old.remedy ?? '', new RegExp(`^It was resumed as ${second.run_id}\\.`));
    const report = ReportDocument.parse(JSON.parse((await cli.say(['report', '--json'])).out));
    assert.equal(report.attempts, 2);
    assert.deepEqual(
      report.failed.map((row) => [row.run_id, row.attempts, row.resumed_as_run_id]),
      [
        [second.run_id, 1, null],
        [first.run_id, 1, second.run_id],
      ],
    );
    const status = (await cli.say(['status', '--all'])).out;
    assert.match(status, new RegExp(`${first.run_id} .*\\n.*resumed as ${second.run_id}; `));
  });

  test('say when no owner ran', async () => {
    const now = Date.parse('2026-03-05T09:00:00Z');
    const [id, stream] = ['00000000aa', runStream('00000000aa')];
    // A run of a program that this release does not have: it stays active and does nothing.
    const submission = { program: 'gone', task: 'do it', project: '/p', settings: {} };
    const event = runEvent({ type: 'run.submitted', payload: submission });
    const clock = { ...systemClock, now: () => at(now) };
    await using cli = await inProcessCli('', [{ stream, at: now - 900_000, event }], clock);
    const options = { timeZone: 'UTC' };
    assert.match(
      (await cli.say(['why', id], options)).out,
      /no owner ran from .*:45 to .*:00 \(15m00s\), and the run stood still\n/,
    );
    const { out } = await cli.say(['report'], options);
    assert.match(
      out,
      new RegExp(`attempts\nNo owner ran 08:45–09:00 \\(15m00s\\). 1 run stood still: ${id}\n`),
    );
    const report = ReportDocument.parse(JSON.parse((await cli.say(['report', '--json'])).out));
    assert.deepEqual(report.downtimes, [
      {
        from: '2026-03-05T08:45:00.000Z',
        until: '2026-03-05T09:00:00.000Z',
        duration_ms: 900_000,
        run_ids: [id],
      },
    ]);
  });
});

describe('--notify', { timeout: 300_000 }, () => {
  test('runs a command when the run ends, and a failure of that command does not change the run', async () => {
    await using cli = await inProcessCli();
    const file = join(cli.project, 'notified');
    const command = `/bin/sh -c "cat > ${file}.part; mv ${file}.part ${file}; exit 4"`;
    const { code, err } = await cli.say(['run', 'x', '-a', 'scripted', '--notify', command]);
    assert.equal(code, 0);
    const failure = 'Notification that it has ended: not delivered: the command ended with 4';
    assert.ok(err.includes(`${failure}\n`), err);
    assert.ok((await cli.say(['why', 'last'])).out.includes(`${failure}\n`));
    assert.ok((await cli.say(['report'])).out.includes(`    ${failure}\n`));
    const events = ['events', '--run', 'last'];
    const lines = (await cli.say(events)).out.trimEnd().split('\n');
    assert.match(lines.at(-2) ?? '', /sending a notification that it/);
    const ids = lines.map((line) => Number.parseInt(line, 10));
    assert.deepEqual(
      ids,
      ids.toSorted((one, other) => one - other),
    );
    const documents = (await cli.say([...events, '--json'])).out.trimEnd().split('\n');
    const last = EventDocument.parse(JSON.parse(documents.at(-1) ?? ''));
    assert.deepEqual(
      [last.type, last.data],
      ['notification.ended', { result: 'not delivered: the command ended with 4', notifier: null }],
    );
    const few = [...events, '--after', '0', '--limit', String(lines.length - 1)];
    const limited = await cli.say(few);
    const ended = lines.length - 2; // the seq of the last event of the run itself
    assert.match(limited.err, new RegExp(`--after ${ended}\n$`));
    assert.match(
      (await cli.say([...events, '--after', String(ended)])).out,
      /^.*sending a notification.*\n.*not delivered.*\n$/,
    );
    const notice = NotificationDocument.parse(JSON.parse(await readFile(file, 'utf8')));
    assert.deepEqual([notice.event, notice.state], ['ended', 'unverified']);
    const why = WhyDocument.parse(JSON.parse((await cli.say(['why', 'last', '--json'])).out));
    const report = ReportDocument.parse(JSON.parse((await cli.say(['report', '--json'])).out));
    for (const { undelivered } of [why, ...report.unverified])
      assert.deepEqual(
        undelivered.map(({ about, notifier, result }) => ({ about, notifier, result })),
        [
          {
            about: 'ended',
            notifier: null,
            result: 'not delivered: the command ended with 4',
          },
        ],
      );
  });

  test('is taken from the environment, and refused if it can never work', async () => {
    await using cli = await inProcessCli();
    const env = { SUPERVISOR_HOME: cli.dir, SUPERVISOR_NOTIFY: '"open' };
    const { code, err } = await cli.say(['run', 'x', '-a', 'scripted'], { env });
    assert.equal(code, 2);
    assert.match(err, /neither a command nor a URL/);
  });
});
