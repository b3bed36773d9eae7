import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BoardItem } from '../protocol/views/board.ts';
import { Refusal } from '../base/errors.ts';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import { boardRow, UNICODE } from '../../test/support/top-fixture.ts';
import type { ScreenPort } from './screen-port.ts';
import type { TopClient } from './send.ts';
import { runTop } from './top.ts';

class FakeScreen implements ScreenPort {
  readonly written: string[] = [];
  isOpen = false;
  #input: (text: string) => void = () => {};
  size = (): { columns: number; rows: number } => ({ columns: 80, rows: 20 });
  write = (text: string): void => void this.written.push(text);
  open = (): void => void (this.isOpen = true);
  close = (): void => void (this.isOpen = false);
  suspend = async (): Promise<void> => {};
  onInput = (listener: (text: string) => void): void => void (this.#input = listener);
  onResize = (): void => {};
  onContinue = (): void => {};
  type(text: string): void {
    this.#input(text);
  }
  shows(text: string): boolean {
    return this.written.join('').includes(text);
  }
}

function board(id: string, task: string, upTo: number): BoardItem {
  return {
    kind: 'board',
    isWhole: false,
    rows: [boardRow(id, task)],
    questions: [],
    accounts: [],
    cooling: [],
    schedules: [],
    upTo,
    now: 0,
  };
}

/** Each stream gives its items, and then stays open, or fails. */
function fakeClient(streams: readonly (readonly BoardItem[])[]): {
  client: TopClient;
  asked: number[];
  sent: unknown[];
} {
  const [asked, sent]: [number[], unknown[]] = [[], []];
  const machine = {
    async *followBoard(
      { after }: { after: number },
      signal?: AbortSignal,
    ): AsyncGenerator<BoardItem, void> {
      asked.push(after);
      yield* streams[asked.length - 1] ?? [];
      if (asked.length < streams.length)
        throw new Refusal({ code: 'owner.unreachable', message: 'The owner died.' });
      await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
    },
  };
  const signal = async (...args: unknown[]): Promise<void> => void sent.push(args);
  return { client: { machine, signal } as unknown as TopClient, asked, sent };
}

/** Turns of the clock until the condition holds. */
async function until(clock: ManualClock, condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000; turn += 1) {
    if (condition()) return;
    await clock.advance(50);
  }
  assert.fail('it never happened');
}

describe('the loop of the screen', () => {
  test('continues after a lost owner where the stream broke off', async () => {
    const [screen, clock] = [new FakeScreen(), new ManualClock()];
    const { client, asked } = fakeClient([
      [board('aaaaaaaaa1', 'First', 4)],
      [board('aaaaaaaaa2', 'Second', 6)],
    ]);
    let rejoined = 0;
    const ports = { screen, clock, look: UNICODE, factText: () => '', connect: async () => client };
    const rejoin = async (): Promise<boolean> => (rejoined += 1) > 0;
    const code = runTop({ ...ports, rejoin }, new AbortController().signal);
    await until(clock, () => screen.shows('Second'));
    assert.ok(screen.shows('First') && screen.shows('owner lost'));
    assert.deepEqual([asked, rejoined], [[0, 4], 1]);
    screen.type('q');
    await until(clock, () => !screen.isOpen);
    assert.equal(await code, 0);
  });

  test('sends what a key asks for once, and says that it is done', async () => {
    const [screen, clock] = [new FakeScreen(), new ManualClock()];
    const { client, sent } = fakeClient([[board('aaaaaaaaa1', 'First', 4)]]);
    const ports = { screen, clock, look: UNICODE, factText: () => '', connect: async () => client };
    const code = runTop({ ...ports, rejoin: async () => true }, new AbortController().signal);
    await until(clock, () => screen.shows('First'));
    screen.type('p');
    await until(clock, () => screen.shows('Done: supervisor pause aaaaaaaaa1'));
    assert.deepEqual(sent, [['aaaaaaaaa1', { kind: 'pause' }]]);
    screen.type('\u0003');
    assert.equal(await code, 130);
  });

  for (const [why, leave] of [
    ['q', (screen: FakeScreen) => screen.type('q')],
    ['a signal', (_: FakeScreen, ended: AbortController) => ended.abort()],
  ] as const)
    test(`ends by ${why} while it connects, and gives the terminal back`, async () => {
      const [screen, clock] = [new FakeScreen(), new ManualClock()];
      const connecting = Promise.withResolvers<TopClient>();
      const { client, asked } = fakeClient([[]]);
      const ports = { screen, clock, look: UNICODE, factText: () => '', rejoin: async () => true };
      const ended = new AbortController();
      const code = runTop({ ...ports, connect: () => connecting.promise }, ended.signal);
      assert.ok(screen.isOpen && screen.shows('Supervisor'));
      leave(screen, ended);
      assert.equal(await code, 0);
      assert.equal(screen.isOpen, false);
      connecting.resolve(client);
      await clock.nextTurn();
      assert.deepEqual(asked, []);
    });
});
