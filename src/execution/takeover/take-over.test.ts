import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { which } from '../../host/process/which.ts';
import { systemClock } from '../../host/machine/system-clock.ts';
import type { TakeoverItem } from '../../protocol/takeover.ts';
import { beginAttempt } from '../../../test/support/attempt-harness.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { PersonTerminal } from './person-terminal.ts';
import { howEnded } from './take-over.ts';
import { PersonTerminals } from './person-terminals.ts';

const RUN = 'a000000000';
const skip = which('script', process.env) === undefined ? 'missing: script' : false;
const taken = { why: { kind: 'takeover' } } as const;
const request = { size: { rows: 20, columns: 70 }, term: 'xterm' };

/** What a person sees of their terminal. */
class Screen {
  text = '';
  readonly items: TakeoverItem[] = [];
  readonly over: Promise<void>;
  readonly terminal: PersonTerminal;

  constructor(terminals: PersonTerminals) {
    this.terminal = terminals.open(RUN, request);
    this.over = this.#read();
  }

  type(text: string): Promise<void> {
    return this.terminal.type(Buffer.from(text));
  }

  shows(text: string): Promise<void> {
    return eventually(`${text} on the screen`, () => this.text.includes(text));
  }

  async #read(): Promise<void> {
    for await (const item of this.terminal.items())
      if (item.kind === 'output') this.text += Buffer.from(item.data, 'base64').toString();
      else this.items.push(item);
  }
}

describe('a person at the terminal of an agent', { skip, timeout: 300_000 }, () => {
  test('types into its program, in its conversation, until the program ends', async () => {
    await using dir = await tempDir();
    const terminals = new PersonTerminals();
    const screen = new Screen(terminals);
    await using attempt = beginAttempt(dir.path, 'works-in-steps', {
      ...{ ...taken, terminals, resume: 's1', deadlineMs: 1 },
    });
    await screen.shows('conversation s1');
    await screen.type('keep the old name\r');
    await screen.shows('noted: keep the old name');
    await screen.type('exit\r');
    assert.deepEqual(await attempt.outcome, { kind: 'stopped' });
    await screen.over;
    assert.equal(readFileSync(join(dir.path, 'NOTES.md'), 'utf8'), 'keep the old name\n');
    assert.deepEqual(screen.items, [
      {
        ...{ kind: 'begun', agent: 'scripted:works-in-steps', attempt: 1 },
        ...{ program: 'conversation', instead: null },
      },
      { kind: 'ended', how: 'program-ended', exit: 0, failure: null },
    ]);
    assert.deepEqual(
      attempt.notes.filter(({ kind }) => kind !== 'started'),
      [
        { kind: 'session', session: 's1' },
        { kind: 'takeover-ended', how: 'program-ended', exit: 0 },
      ],
    );
  });

  test('sees the size of the window, also after it has changed', async () => {
    await using dir = await tempDir();
    const terminals = new PersonTerminals();
    const screen = new Screen(terminals);
    await using attempt = beginAttempt(dir.path, 'works-in-steps', { ...taken, terminals });
    await screen.shows('> ');
    await screen.type('size\r');
    await screen.shows('20 x 70');
    await screen.terminal.resize({ rows: 33, columns: 99 });
    await screen.type('size\r');
    await screen.shows('33 x 99');
    attempt.kill.abort();
    await screen.over;
    assert.equal(screen.items.at(-1)?.kind, 'ended');
  });

  test('gets a shell on request, or if the CLI has no such program', async () => {
    await using dir = await tempDir();
    for (const [why, agent, instead] of [
      [{ kind: 'takeover', shell: true }, undefined, null],
      [
        { kind: 'takeover' },
        { id: 'mine', cli: 'custom', args: [], env: {}, command: ['true'] },
        'Supervisor does not know how mine continues a conversation at a terminal.',
      ],
    ] as const) {
      const terminals = new PersonTerminals();
      const screen = new Screen(terminals);
      await using attempt = beginAttempt(dir.path, 'works-in-steps', {
        ...{ why, terminals },
        ...(agent === undefined ? {} : { agent }),
      });
      await eventually('the shell', () => screen.items.length > 0);
      await screen.type('echo $((40 + 2)); exit 3\r');
      await screen.shows('42');
      await attempt.outcome;
      await screen.over;
      const [begun, ended] = screen.items;
      assert.deepEqual(begun?.kind === 'begun' && [begun.program, begun.instead], [
        'shell',
        instead,
      ]);
      assert.equal(ended?.kind === 'ended' && ended.exit, 3);
    }
  });

  test('that shows nothing any more is stopped all the same', async () => {
    await using dir = await tempDir();
    const terminals = new PersonTerminals();
    const terminal = terminals.open(RUN, request);
    const show = terminal.show.bind(terminal);
    let shown = 0;
    terminal.show = async (bytes) => {
      shown += 1;
      await show(bytes);
    };
    const items = terminal.items();
    await using attempt = beginAttempt(dir.path, 'works-in-steps', {
      ...{ why: { kind: 'takeover', shell: true }, terminals },
    });
    assert.equal((await items.next()).value?.kind, 'begun');
    await terminal.type(Buffer.from('yes\r'));
    await eventually('the full queue', () => shown > 32);
    attempt.kill.abort();
    assert.deepEqual(await attempt.outcome, { kind: 'stopped' });
    assert.deepEqual(attempt.notes.at(-1), { kind: 'takeover-ended', how: 'stopped', exit: null });
    let last: TakeoverItem | undefined;
    for await (const item of items) last = item;
    assert.equal(last?.kind, 'ended');
  });

  test(
    'that can not be connected with its program ends the program',
    { timeout: 60_000 },
    async () => {
      await using dir = await tempDir();
      const terminals = new PersonTerminals();
      const terminal = terminals.open(RUN, request);
      terminal.connect = () => Promise.reject(new Error('no terminal'));
      await using attempt = beginAttempt(dir.path, 'works-in-steps', { ...taken, terminals });
      await assert.rejects(attempt.outcome, /no terminal/);
      const pid = Number(attempt.notes.find(({ kind }) => kind === 'started')?.['pid']);
      assert.throws(() => process.kill(pid, 0), /ESRCH/);
    },
  );

  for (const how of ['left', 'lost'] as const)
    test(`that is ${how === 'left' ? 'left with a key' : 'lost'} ends the program`, async () => {
      await using dir = await tempDir();
      const terminals = new PersonTerminals();
      const screen = new Screen(terminals);
      await using attempt = beginAttempt(dir.path, 'works-in-steps', { ...taken, terminals });
      await screen.shows('> ');
      screen.terminal.leave(how);
      assert.deepEqual(await attempt.outcome, { kind: 'stopped' });
      await screen.over;
      const last = screen.items.at(-1);
      assert.deepEqual(last?.kind === 'ended' && last.how, how === 'left' && how);
      assert.deepEqual(attempt.notes.at(-1), { kind: 'takeover-ended', how, exit: null });
    });
});

describe('how a takeover ended', () => {
  const calm = { oomKilled: false, lost: false, startError: null };
  const here = { gone: new AbortController().signal, how: 'lost' } as const;
  const left = { gone: AbortSignal.abort(), how: 'left' } as const;
  for (const [expected, isStopped, who, container] of [
    ['program-ended', false, here, null],
    ['program-ended', false, here, calm],
    ['out-of-memory', false, here, { ...calm, oomKilled: true }],
    ['disk-limit', false, here, { ...calm, overLimit: 'disk' }],
    ['disk-limit', false, here, { ...calm, overLimit: 'free-space' }],
    ['left', false, left, { ...calm, oomKilled: true }],
    ['stopped', true, left, { ...calm, oomKilled: true }],
  ] as const)
    test(`is ${expected} after ${JSON.stringify([isStopped, who.how, container])}`, () => {
      assert.equal(howEnded(isStopped, who, container), expected);
    });
});

describe('the terminals of people', () => {
  test('are one for each run at most, until its person is gone', () => {
    const terminals = new PersonTerminals();
    const first = terminals.open(RUN, request);
    assert.throws(() => terminals.open(RUN, request), /already in the terminal of a person/);
    terminals.open('b000000000', request);
    first.leave('lost');
    const second = terminals.open(RUN, request);
    terminals.close(RUN, first); // no longer that of the run
    assert.equal(terminals.find(RUN), second);
  });

  test('are waited for, because a run may begin before its command has connected', async () => {
    const terminals = new PersonTerminals();
    const waiting = terminals.waitFor(RUN, systemClock, new AbortController().signal);
    const opened = terminals.open(RUN, request);
    assert.equal(await waiting, opened);
  });

  test('are not waited for without end', async () => {
    await using dir = await tempDir();
    const clock = new ManualClock();
    await using attempt = beginAttempt(dir.path, 'works-in-steps', {
      ...{ ...taken, clock, terminals: new PersonTerminals() },
    });
    await eventually('the wait', () => clock.sleeping > 0);
    await clock.advance(30_000);
    assert.deepEqual(await attempt.outcome, { kind: 'stopped' });
    assert.deepEqual(attempt.notes, [{ kind: 'takeover-ended', how: 'no-terminal', exit: null }]);
  });
});
