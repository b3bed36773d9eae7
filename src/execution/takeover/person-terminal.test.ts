import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TakeoverItem } from '../../protocol/takeover.ts';
import { PersonTerminal } from './person-terminal.ts';

const agent = { write: async () => {}, resize: async () => {} };
const begun = {
  ...({ kind: 'begun', agent: 'a', attempt: 1, program: 'shell', instead: null } as const),
};

/** What a person gets if this was written before the terminal belonged to the agent. */
async function shown(chunks: number, connects: boolean): Promise<readonly string[]> {
  const terminal = new PersonTerminal({ size: { rows: 20, columns: 70 }, term: 'xterm' });
  for (let chunk = 1; chunk <= chunks; chunk += 1)
    await terminal.show(Buffer.from(`chunk ${chunk}`));
  if (connects) await terminal.connect(agent, begun);
  terminal.end({ kind: 'ended', how: 'stopped', exit: null, failure: null });
  const items: TakeoverItem[] = [];
  for await (const item of terminal.items()) items.push(item);
  return items.map((item) =>
    item.kind === 'output' ? Buffer.from(item.data, 'base64').toString() : item.kind,
  );
}

describe('what is written before the terminal belongs to the agent', () => {
  test('is shown after that', async () => {
    assert.deepEqual(await shown(2, true), ['begun', 'chunk 1', 'chunk 2', 'ended']);
  });

  test('is never shown if the agent does not start', async () => {
    assert.deepEqual(await shown(2, false), ['ended']);
  });

  test(
    'waits for no person, however much it is, and its end is kept',
    { timeout: 60_000 },
    async () => {
      const items = await shown(100, true);
      assert.deepEqual([items[0], items[1], items.length], ['begun', 'chunk 85', 18]);
    },
  );
});
