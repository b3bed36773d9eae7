import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import { isRefusal } from '../../base/errors.ts';
import { systemClock } from '../../host/machine/system-clock.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import { NOTICE_STREAM, runStream } from '../../protocol/event.ts';
import type { Journal } from '../../store/journal.ts';
import { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { ManualClock, settle } from '../../testing/fakes/manual-clock.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { begins, ended, submitted } from '../../../test/support/run-history-fixture.ts';
import { checkNotify, deliverNotification } from './deliver-notification.ts';
import { Notifications } from './notifications.ts';

const RUN = '0123456789';
const ASKED = begins('ask-1', 'ask', { question: 'Which port?' });
const WISHED = submitted('x', { notify: 'tell-me' });

type World = {
  readonly notices: Notifications;
  readonly said: string[];
  readonly write: (...events: readonly NewRunEvent[]) => Promise<void>;
  readonly facts: () => Promise<readonly string[]>;
};

async function world(
  disk: MemoryDisk,
  deliver?: () => Promise<string>,
  journal: Journal = new MemoryJournal(disk),
): Promise<World> {
  const said: string[] = [];
  const notices = await Notifications.open({
    journal,
    clock: new ManualClock(),
    log: (line) => said.push(line),
    onFault: (why) => said.push(why),
    tell: async (run, event) => ({ event, run_id: run, state: '?', project: '/' }),
    deliver: async (notify, { event }) => {
      said.push(`${notify}: ${event}`);
      return (await deliver?.()) ?? 'told';
    },
  });
  const stream = runStream(RUN);
  return {
    notices,
    said,
    write: async (...events) => {
      await journal.append(stream, await journal.lastSeq(stream), events, at(0));
      await settle();
    },
    facts: async () => {
      const page = await journal.readStream(NOTICE_STREAM, { after: 0, limit: 100 });
      return page.map(({ type, payload }) =>
        type === 'notice.ended' ? `${payload.seq} ${payload.how}` : type,
      );
    },
  };
}

describe('who asked to be told of a run', () => {
  test('is told when it asks and when it ends, each once, written before and after', async () => {
    const given = await world(new MemoryDisk());
    await given.write(WISHED, ASKED);
    await given.write(ended('failed', 'no'));
    await given.notices.close();
    assert.deepEqual(given.said, ['tell-me: asks', 'tell-me: ended']);
    assert.deepEqual(await given.facts(), ['notice.begun', '2 told', 'notice.begun', '3 told']);
  });

  test('is told once of what happens in the moment in which an owner begins to listen', async () => {
    const disk = new MemoryDisk();
    const journal = new MemoryJournal(disk);
    await journal.append(runStream(RUN), 0, [WISHED], at(0));
    const lastId = journal.lastId.bind(journal);
    let isFirst = true;
    journal.lastId = async () => {
      const id = await lastId();
      if (isFirst) await journal.append(runStream(RUN), 1, [ended('failed', 'no')], at(0));
      isFirst = false;
      return id;
    };
    const given = await world(disk, undefined, journal);
    await settle();
    await given.notices.close();
    assert.deepEqual(given.said, ['tell-me: ended']);
  });

  test('nobody is told who did not ask', async () => {
    const given = await world(new MemoryDisk());
    await given.write(submitted(), ASKED, ended('failed', 'no'));
    await given.notices.close();
    assert.deepEqual([given.said, await given.facts()], [[], []]);
  });

  test('is told by the next owner what happened when this one had died, and nothing twice', async () => {
    const disk = new MemoryDisk();
    const first = await world(disk);
    await first.write(WISHED, ASKED);
    await first.notices.close();
    await first.write(ended('failed', 'no')); // nobody listens any more
    const next = await world(disk);
    await next.notices.close();
    assert.deepEqual(next.said, ['tell-me: ended']);
    const last = await world(disk);
    await last.notices.close();
    assert.deepEqual(last.said, []);
  });

  test('is not told again where the owner died while telling, and the record says so', async () => {
    const disk = new MemoryDisk();
    const first = await world(disk, () => new Promise(() => undefined));
    await first.write(WISHED, ASKED);
    assert.deepEqual(await first.facts(), ['notice.begun']);
    const next = await world(disk);
    await next.notices.close();
    assert.deepEqual(next.said, []);
    assert.deepEqual(await next.facts(), [
      'notice.begun',
      '2 its owner died meanwhile; whether it was told is unknown',
    ]);
  });
});

describe('telling', { timeout: 300_000 }, () => {
  const notice = { event: 'ended', run_id: RUN, state: 'failed', project: '/tmp' } as const;
  const ports = {
    clock: systemClock,
    env: { PATH: process.env['PATH'] ?? '' },
    tag: 'supervisor:test/notices',
  };

  test('a command gets the facts on its standard input and the main ones in its environment, without a shell', async () => {
    await using dir = await tempDir();
    const [script, out] = [join(dir.path, 'tell.mjs'), join(dir.path, 'out')];
    const program = `import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
const { SUPERVISOR_EVENT: e, SUPERVISOR_RUN: r, SUPERVISOR_STATE: s, SUPERVISOR_PROJECT: p } = process.env;
writeFileSync(process.argv[2], JSON.stringify([await text(process.stdin), e, r, s, p, process.argv[3]]));`;
    await writeFile(script, program);
    const how = await deliverNotification(
      `'${process.execPath}' ${script} ${out} $HOME`,
      notice,
      ports,
    );
    assert.equal(how, 'told');
    const [body, ...about] = JSON.parse(await readFile(out, 'utf8')) as [string, ...string[]];
    assert.deepEqual(JSON.parse(body), notice);
    assert.deepEqual(about, ['ended', RUN, 'failed', '/tmp', '$HOME']);
  });

  test('a command runs in the home, not in the project that an agent wrote to', async () => {
    await using home = await tempDir();
    await using project = await tempDir();
    const about = { ...notice, project: project.path };
    const env = { ...ports.env, HOME: home.path };
    assert.equal(await deliverNotification('touch here', about, { ...ports, env }), 'told');
    assert.deepEqual([await readdir(home.path), await readdir(project.path)], [['here'], []]);
  });

  const bad: [command: string, how: RegExp][] = [
    ['/bin/sh -c "echo oh no >&2; exit 3"', /^not told: the command ended with 3, oh no$/],
    ['/nowhere/at-all', /^not told: .*ENOENT/],
    ['/bin/sh -c "yes"', /^not told: the command printed without end$/],
    ['http://127.0.0.1:9/', /^not told: /],
  ];
  for (const [command, how] of bad)
    test(`${command} fails in words`, async () => {
      assert.match(await deliverNotification(command, notice, ports), how);
    });

  test('a URL gets them as a POST, once, and its refusal is noted', async () => {
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
      assert.equal(await deliverNotification(`${base}/hook`, notice, ports), 'told');
      const refused = await deliverNotification(`${base}/no`, notice, ports);
      assert.equal(refused, 'not told: the address answered 500');
      assert.deepEqual(
        got,
        ['/hook', '/no'].map((path) => `POST ${path} ${JSON.stringify(notice)}\n`),
      );
    } finally {
      server.close();
    }
  });

  test('what is neither a command nor a URL is refused before there is a run', () => {
    for (const notify of ['  ', '"open', 'http://'])
      assert.throws(
        () => checkNotify(notify),
        (error) => isRefusal(error, 'usage.invalid'),
        notify,
      );
    for (const notify of ['notify-send done', 'https://example.com/hook']) checkNotify(notify);
  });
});
