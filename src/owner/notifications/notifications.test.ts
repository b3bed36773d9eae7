import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import { systemClock } from '../../host/machine/system-clock.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import { NOTIFICATION_STREAM, OWNER_STREAM, runStream } from '../../protocol/streams.ts';
import type { Journal } from '../../store/journal.ts';
import { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { ManualClock, settle } from '../../testing/fakes/manual-clock.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { begins, ended, notes, submitted } from '../../../test/support/run-history-fixture.ts';
import { Conclusions } from './conclusions.ts';
import type { NotifyAddress } from './deliver-notification.ts';
import { deliverNotification } from './deliver-notification.ts';
import type { Notifier } from './notification-targets.ts';
import { Notifications } from './notifications.ts';

const RUN = '0123456789';
const ASKED = begins('ask-1', 'ask', { question: 'Which port?' });
const SUBMITTED = submitted('x', { notify: 'tell-me' });

const EMERGENCY = {
  ...{ kind: 'anomaly', detector: 'pace-emergency', conversation: 'c', turn: 9, model: 'm' },
  words: 'Nothing works.',
};

type Harness = {
  readonly notices: Notifications;
  readonly lines: string[];
  /** The command that submitted the run tells its exit code. */
  readonly conclude: (exitCode: number) => Promise<void>;
  readonly write: (...events: readonly NewRunEvent[]) => Promise<void>;
  readonly facts: () => Promise<readonly string[]>;
};

async function openNotifications(
  disk: MemoryDisk,
  deliver?: () => Promise<string>,
  journal: Journal = new MemoryJournal(disk),
  notifiers: () => Promise<readonly Notifier[]> = () => Promise.resolve([]),
  clock = new ManualClock(),
): Promise<Harness> {
  const lines: string[] = [];
  const conclusions = new Conclusions(new ManualClock());
  const notices = await Notifications.open({
    journal,
    clock,
    log: (line) => lines.push(line),
    onFault: (why) => lines.push(why),
    conclusion: (run, endedAt, signal) => conclusions.wait(run, endedAt, signal),
    create: async (run, event, conclusion) => {
      const state = conclusion === undefined ? 'failed' : 'succeeded';
      if (conclusion !== undefined) lines.push(`concluded: ${conclusion?.exit_code ?? 'unknown'}`);
      return { event, run_id: run, state, project: '/' };
    },
    notifiers: () => notifiers(),
    deliver: async (target, { event }) => {
      const isSigned = target.kind === 'address' && target.signs;
      const to = target.kind === 'address' ? target.notify : target.notifier.name;
      lines.push(`${to}: ${event}${isSigned ? ', signed' : ''}`);
      return (await deliver?.()) ?? 'delivered';
    },
  });
  const stream = runStream(RUN);
  return {
    notices,
    lines,
    conclude: async (exitCode) => {
      conclusions.give(RUN, { exit_code: exitCode, error: null, apply_error: null });
      await settle();
    },
    write: async (...events) => {
      await journal.append(stream, await journal.lastSeq(stream), events, at(0));
      await settle();
    },
    facts: async () => {
      const page = await journal.readStream(NOTIFICATION_STREAM, { after: 0, limit: 100 });
      return page.map(({ type, payload }) =>
        type === 'notification.ended' ? `${payload.seq} ${payload.how}` : type,
      );
    },
  };
}

describe('a notification', () => {
  test('is delivered once when the run asks and once when it ends, recorded before and after', async () => {
    const harness = await openNotifications(new MemoryDisk());
    await harness.write(SUBMITTED, ASKED);
    await harness.write(ended('failed', 'no'));
    await harness.notices.close();
    assert.deepEqual(harness.lines, ['tell-me: asks', 'tell-me: ended']);
    assert.deepEqual(await harness.facts(), [
      'notification.begun',
      '2 delivered',
      'notification.begun',
      '3 delivered',
    ]);
  });

  test('is delivered once for an event at the moment at which an owner starts to listen', async () => {
    const disk = new MemoryDisk();
    const journal = new MemoryJournal(disk);
    await journal.append(runStream(RUN), 0, [SUBMITTED], at(0));
    const lastId = journal.lastId.bind(journal);
    let isFirst = true;
    journal.lastId = async () => {
      const id = await lastId();
      if (isFirst) await journal.append(runStream(RUN), 1, [ended('failed', 'no')], at(0));
      isFirst = false;
      return id;
    };
    const harness = await openNotifications(disk, undefined, journal);
    await settle();
    await harness.notices.close();
    assert.deepEqual(harness.lines, ['tell-me: ended']);
  });

  test('of a question goes to the address of the run above it, and its end does not', async () => {
    const journal = new MemoryJournal(new MemoryDisk());
    const harness = await openNotifications(new MemoryDisk(), undefined, journal);
    const [top, flow] = ['aaaaaaaaaa', 'bbbbbbbbbb'];
    const link = { key: 'step-plan-1', depth: 1 };
    await journal.append(runStream(top), 0, [SUBMITTED], at(0));
    await journal.append(
      runStream(flow),
      0,
      [submitted('x', { parent: { ...link, run: top } })],
      at(0),
    );
    await harness.write(submitted('x', { parent: { ...link, run: flow } }), ASKED);
    await harness.write(ended('failed', 'no'));
    await harness.notices.close();
    assert.deepEqual(harness.lines, ['tell-me: asks']);
  });

  test('of an end waits for the command that applies the work, and has its exit code', async () => {
    const harness = await openNotifications(new MemoryDisk());
    await harness.write(submitted('x', { notify: 'tell-me', concludes: true }), ASKED);
    await harness.write(ended('succeeded', 'yes'));
    assert.deepEqual(harness.lines, ['tell-me: asks']);
    await harness.conclude(3);
    assert.deepEqual(harness.lines, ['tell-me: asks', 'concluded: 3', 'tell-me: ended']);
    await harness.notices.close();
  });

  test('of an end is delivered when its owner closes, even if no command has concluded the run', async () => {
    const harness = await openNotifications(new MemoryDisk());
    await harness.write(submitted('x', { notify: 'tell-me', concludes: true }));
    await harness.write(ended('succeeded', 'yes'));
    assert.deepEqual(harness.lines, []);
    await harness.notices.close();
    assert.deepEqual(harness.lines, ['concluded: unknown', 'tell-me: ended']);
  });

  const SUBJECT = { step: 'look', work: 'w', files: 1, added: 0, deleted: 0, names: ['a.ts'] };
  const APPROVAL = begins('ask-look-1', 'ask', { question: '?', approval: SUBJECT });
  const policy: [why: string, facts: readonly NewRunEvent[], told: readonly string[]][] = [
    [
      'goes to every notifier whose events name it, and to the address of the run',
      [SUBMITTED, ASKED],
      ['tell-me: asks', 'phone: asks', 'mail: asks'],
    ],
    [
      'about an approval goes to those that wait for approvals',
      [submitted(), APPROVAL],
      ['team: asks', 'mail: asks'],
    ],
    [
      'about an end goes to those that wait for ends',
      [submitted(), ended('failed', 'no')],
      ['mail: ended'],
    ],
    [
      'says that steering has paused the run, and not what else it found',
      [
        submitted(),
        notes('attempt-1', { ...EMERGENCY, decision: 'sent' }),
        notes('attempt-1', { ...EMERGENCY, decision: 'paused' }),
      ],
      ['mail: paused'],
    ],
    [
      'about a question of a long-lived agent goes to notifiers too',
      [submitted('x', { program: 'agent' }), begins('issue-1', 'ask', { question: '?', issue: 1 })],
      ['phone: asks', 'mail: asks'],
    ],
    [
      'about a step of a workflow says what it asks, and not that it ended',
      [
        submitted('x', { parent: { run: 'a', key: 'b', depth: 1 } }),
        ASKED,
        ended('succeeded', 'yes'),
      ],
      ['phone: asks', 'mail: asks'],
    ],
  ];
  const via = { kind: 'slack', url: 'https://example.com' } as const;
  const NOTIFIERS: readonly Notifier[] = [
    { name: 'team', events: ['approval'], via },
    { name: 'phone', events: ['asks'], via },
    { name: 'mail', events: ['approval', 'asks', 'ended', 'login', 'paused'], via },
  ];
  for (const [why, facts, told] of policy)
    test(why, async () => {
      const notifiers = (): Promise<readonly Notifier[]> => Promise.resolve(NOTIFIERS);
      const harness = await openNotifications(new MemoryDisk(), undefined, undefined, notifiers);
      await harness.write(...facts);
      await harness.notices.close();
      assert.deepEqual(harness.lines, told);
    });

  test('that a notifier cannot deliver is recorded, and the others are told', async () => {
    const disk = new MemoryDisk();
    const answers = ['not delivered: it is down', 'delivered'];
    const deliver = (): Promise<string> => Promise.resolve(answers.shift() ?? 'delivered');
    const both = NOTIFIERS.slice(1);
    const notifiers = (): Promise<readonly Notifier[]> => Promise.resolve(both);
    const first = await openNotifications(disk, deliver, undefined, notifiers);
    await first.write(submitted(), ASKED);
    await first.notices.close();
    const log = 'run 0123456789: notification to phone: not delivered: it is down';
    assert.deepEqual(first.lines.toSorted(), ['mail: asks', 'phone: asks', log]);
    assert.deepEqual((await first.facts()).toSorted(), [
      ...['2 delivered', '2 not delivered: it is down'],
      ...['notification.begun', 'notification.begun'],
    ]);
    // The next owner sends nothing twice.
    const next = await openNotifications(disk, undefined, undefined, notifiers);
    await next.notices.close();
    assert.deepEqual(next.lines, []);
  });

  const pasts: [why: string, aliveAt: number, told: readonly string[]][] = [
    ['after the owner before this one has died', 1_000_000, ['mail: ended']],
    ['not long before it died', 1_100_000, ['mail: ended']],
    ['while it was alive for long after that', 1_300_000, []],
  ];
  for (const [why, aliveAt, told] of pasts)
    test(`reaches a notifier that is new about a run that ended ${why}: ${told.length}`, async () => {
      const disk = new MemoryDisk();
      const journal = new MemoryJournal(disk);
      const facts = [submitted(), ended('failed', 'no')];
      await journal.append(runStream(RUN), 0, facts, at(1_050_000));
      const payload = { pid: 1, version: '1.0.0', aliveAt };
      await journal.append(OWNER_STREAM, 0, [{ type: 'owner.started', payload }], at(1_400_000));
      const notifiers = (): Promise<readonly Notifier[]> => Promise.resolve(NOTIFIERS.slice(2));
      const clock = new ManualClock(1_400_000);
      const next = await openNotifications(disk, undefined, journal, notifiers, clock);
      await next.notices.close();
      assert.deepEqual(next.lines, told);
    });

  test('reaches the address of the run even if the settings cannot be read', async () => {
    const broken = (): Promise<never> =>
      Promise.reject(new Refusal({ code: 'config.invalid', message: 'line 3 is wrong' }));
    const harness = await openNotifications(new MemoryDisk(), undefined, undefined, broken);
    await harness.write(SUBMITTED, ASKED);
    await harness.notices.close();
    assert.deepEqual(harness.lines, ['no notifier is told: line 3 is wrong', 'tell-me: asks']);
  });

  test('is not delivered if the run names no address', async () => {
    const harness = await openNotifications(new MemoryDisk());
    await harness.write(submitted(), ASKED, ended('failed', 'no'));
    await harness.notices.close();
    assert.deepEqual([harness.lines, await harness.facts()], [[], []]);
  });

  test('is delivered by the next owner for events after this one died, and never twice', async () => {
    const disk = new MemoryDisk();
    const first = await openNotifications(disk);
    await first.write(SUBMITTED, ASKED);
    await first.notices.close();
    await first.write(ended('failed', 'no')); // no owner is listening any more
    const next = await openNotifications(disk);
    await next.notices.close();
    assert.deepEqual(next.lines, ['tell-me: ended']);
    const last = await openNotifications(disk);
    await last.notices.close();
    assert.deepEqual(last.lines, []);
  });

  test('is not delivered again if the owner died during the delivery, and the record says so', async () => {
    const disk = new MemoryDisk();
    const first = await openNotifications(disk, () => new Promise(() => undefined));
    await first.write(SUBMITTED, ASKED);
    assert.deepEqual(await first.facts(), ['notification.begun']);
    const next = await openNotifications(disk);
    await next.notices.close();
    assert.deepEqual(next.lines, []);
    assert.deepEqual(await next.facts(), [
      'notification.begun',
      '2 its owner died meanwhile; whether it was delivered is unknown',
    ]);
  });
});

describe('the delivery of a notification', { timeout: 300_000 }, () => {
  const notice = { event: 'ended', run_id: RUN, state: 'failed', project: '/tmp' } as const;
  const ports = {
    clock: systemClock,
    env: { PATH: process.env['PATH'] ?? '' },
    tag: 'supervisor:test/notices',
    home: '/nowhere',
    ownerEnv: {},
  };
  const plain = (notify: string): NotifyAddress => ({ notify, signs: false });

  test('reaches a command on its standard input, with the main fields in its environment, without a shell', async () => {
    await using dir = await tempDir();
    const [script, out] = [join(dir.path, 'tell.mjs'), join(dir.path, 'out')];
    const program = `import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
const { SUPERVISOR_EVENT: e, SUPERVISOR_RUN: r, SUPERVISOR_STATE: s, SUPERVISOR_PROJECT: p } = process.env;
writeFileSync(process.argv[2], JSON.stringify([await text(process.stdin), e, r, s, p, process.argv[3]]));`;
    await writeFile(script, program);
    const how = await deliverNotification(
      plain(`'${process.execPath}' ${script} ${out} $HOME`),
      notice,
      ports,
    );
    assert.equal(how, 'delivered');
    const [body, ...about] = JSON.parse(await readFile(out, 'utf8')) as [string, ...string[]];
    assert.deepEqual(JSON.parse(body), notice);
    assert.deepEqual(about, ['ended', RUN, 'failed', '/tmp', '$HOME']);
  });

  test('runs a command in the home, not in the project that an agent wrote to', async () => {
    await using home = await tempDir();
    await using project = await tempDir();
    const about = { ...notice, project: project.path };
    const env = { ...ports.env, HOME: home.path };
    assert.equal(
      await deliverNotification(plain('touch here'), about, { ...ports, env }),
      'delivered',
    );
    assert.deepEqual([await readdir(home.path), await readdir(project.path)], [['here'], []]);
  });

  const bad: [command: string, how: RegExp][] = [
    ['/bin/sh -c "echo oh no >&2; exit 3"', /^not delivered: the command ended with 3, oh no$/],
    ['/nowhere/at-all', /^not delivered: .*ENOENT/],
    ['/bin/sh -c "yes"', /^not delivered: the command printed too much output$/],
    ['http://127.0.0.1:9/', /^not delivered: /],
  ];
  for (const [command, how] of bad)
    test(`to ${command} fails with a message`, async () => {
      assert.match(await deliverNotification(plain(command), notice, ports), how);
    });

  test('that has to be signed is sent only with the secret, of the owner or of the file in its home', async () => {
    await using home = await tempDir();
    const got: string[] = [];
    const server = createServer((request, response) => {
      got.push(
        String(request.headers['x-supervisor-signature']).replace(/^t=\d+,v1=\w{64}$/, 'ok'),
      );
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const address = { notify: `http://127.0.0.1:${port}/`, signs: true };
      const here = { ...ports, home: home.path };
      const file = join(home.path, 'notify-secret');
      assert.equal(
        await deliverNotification(address, notice, here),
        `not sent: it has to be signed, and this owner has no SUPERVISOR_NOTIFY_SECRET. Put the secret into ${file}`,
      );
      const ownerEnv = { SUPERVISOR_NOTIFY_SECRET: 'shared' };
      assert.equal(await deliverNotification(address, notice, { ...here, ownerEnv }), 'delivered');
      await writeFile(file, 'shared\n');
      assert.equal(await deliverNotification(address, notice, here), 'delivered');
      assert.deepEqual(got, ['ok', 'ok']);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test('reaches a URL as one POST, and a refusal is recorded', async () => {
    const got: string[] = [];
    const server = createServer((request, response) => {
      const { method, url } = request;
      void answer();
      async function answer(): Promise<void> {
        got.push(`${method} ${url} ${await text(request)}`);
        response.writeHead(url === '/no' ? 500 : 204).end();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const base = `http://127.0.0.1:${port}`;
      assert.equal(await deliverNotification(plain(`${base}/hook`), notice, ports), 'delivered');
      const refused = await deliverNotification(plain(`${base}/no`), notice, ports);
      assert.equal(refused, 'not delivered: the address answered 500');
      assert.deepEqual(
        got,
        ['/hook', '/no'].map((path) => `POST ${path} ${JSON.stringify(notice)}\n`),
      );
    } finally {
      server.close();
    }
  });
});
