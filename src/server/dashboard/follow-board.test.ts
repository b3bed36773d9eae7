import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { writeHistory } from '../../../test/support/dashboard-history.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { openTestOwner, testOwner } from '../../../test/support/test-owner.ts';
import type { TestOwner } from '../../../test/support/test-owner.ts';
import { systemClock } from '../../host/machine/system-clock.ts';
import type { BoardItem, BoardRequest } from '../../protocol/views/board.ts';
import { followBoard } from './follow-board.ts';

type Following = AsyncDisposable & { readonly items: BoardItem[] };

function follow({ owner }: Pick<TestOwner, 'owner'>, request: Partial<BoardRequest>): Following {
  const over = new AbortController();
  const items: BoardItem[] = [];
  const reading = (async () => {
    const wanted = { after: 0, seq: 0, tree: false, ...request };
    for await (const item of followBoard(owner, systemClock, wanted, over.signal)) items.push(item);
  })();
  return {
    items,
    [Symbol.asyncDispose]: async () => {
      over.abort();
      await reading;
    },
  };
}

async function submit({ owner, project }: TestOwner, agent: string): Promise<string> {
  return (await owner.submit({ task: 'do it', project, agent })).id;
}

function boards(items: readonly BoardItem[]): readonly Extract<BoardItem, { kind: 'board' }>[] {
  return items.filter((item) => item.kind === 'board');
}

const isEnded =
  (run: string) =>
  (item: BoardItem): boolean =>
    item.kind === 'board' &&
    item.rows.some(({ row }) => row.view.id === run && row.view.outcome !== null);

describe('the stream of a dashboard', { timeout: 300_000 }, () => {
  test('has the runs that start at set times, also one that is added while it is open', async () => {
    await using given = await testOwner();
    const { owner, project } = given;
    const add = (name: string, cron: string) =>
      owner.schedules.add(
        { name, cron, timeZone: 'UTC', run: { task: 'do it', project } },
        undefined,
      );
    await add('yearly', '0 2 1 1 *');
    await using page = follow(given, {});
    const names = (): readonly string[] =>
      boards(page.items)
        .at(-1)
        ?.schedules.map(({ name }) => name) ?? [];
    await eventually('the first one', () => names().join(' ') === 'yearly');
    await add('hourly', '0 * * * *');
    await eventually('the second one, due before', () => names().join(' ') === 'hourly yearly');
  });

  test('begins with all runs, and then has each run that changes', async () => {
    await using given = await testOwner();
    const first = await submit(given, 'scripted');
    await using page = follow(given, {});
    await eventually('the first board', () => page.items.length > 0);
    const second = await submit(given, 'scripted:never-speaks');
    await eventually('the end of the first', () => page.items.some(isEnded(first)));
    await eventually('the bar of the second', () =>
      boards(page.items).some(({ rows }) =>
        rows.some(({ row, bars }) => row.view.id === second && bars[0]?.mark === 'open'),
      ),
    );
    const [whole, ...changes] = boards(page.items);
    assert.deepEqual([whole?.isWhole, changes.some(({ isWhole }) => isWhole)], [true, false]);
    await given.owner.questions.signal(second as never, { kind: 'kill' });
  });

  test('of a long list comes in parts, and has no position before the last', async () => {
    await using folder = await tempDir();
    await writeHistory(folder.path, 120, Date.now());
    const owner = await openTestOwner(folder.path);
    await using closing = { [Symbol.asyncDispose]: () => owner.close('the test is over') };
    void closing;
    await using page = follow({ owner }, {});
    await eventually('the last part', () => boards(page.items).some(({ upTo }) => upTo > 0));
    assert.deepEqual(
      boards(page.items).map(({ isWhole, rows, upTo }) => [isWhole, rows.length, upTo > 0]),
      [
        [true, 50, false],
        [false, 50, false],
        [false, 20, false],
        [false, 0, true],
      ],
    );
  });

  test('continues after the last event that the page has seen', async () => {
    await using given = await testOwner();
    const first = await submit(given, 'scripted');
    let upTo = 0;
    {
      await using page = follow(given, {});
      await eventually('its end', () => page.items.some(isEnded(first)));
      upTo = boards(page.items).at(-1)?.upTo ?? 0;
    }
    const second = await submit(given, 'scripted');
    await using page = follow(given, { after: upTo });
    await eventually('the end of the second', () => page.items.some(isEnded(second)));
    const shown = boards(page.items).flatMap(({ rows }) => rows.map(({ row }) => row.view.id));
    assert.deepEqual([...new Set(shown)], [second]);
    assert.ok(boards(page.items).every(({ isWhole }) => !isWhole));
  });

  test('has every fact and the output of the run that is open, once', async () => {
    await using given = await testOwner();
    const run = await submit(given, 'scripted:crashes');
    await using page = follow(given, { run });
    await eventually('its end', () => page.items.some(isEnded(run)));
    const facts = (): readonly number[] =>
      page.items.flatMap((item) =>
        item.kind === 'facts' ? item.events.map(({ seq }) => seq) : [],
      );
    const { seq } = await given.owner.run(run as never);
    await eventually('all facts', () => facts().length >= seq);
    assert.deepEqual(
      facts(),
      Array.from({ length: seq }, (_, index) => index + 1),
    );
    await eventually('the output', () =>
      page.items.some(
        (item) =>
          item.kind === 'output' && item.chunks.some(({ text }) => text.includes('TypeError')),
      ),
    );
  });

  test('has the tree of long-lived agents if the page asks for it', async () => {
    await using given = await testOwner();
    await using page = follow(given, { tree: true });
    await eventually('the tree', () => page.items.some(({ kind }) => kind === 'tree'));
    await using other = follow(given, {});
    await eventually('a board', () => other.items.length > 0);
    assert.ok(other.items.every(({ kind }) => kind === 'board'));
  });

  test('of a page on a run that does not exist has all others', async () => {
    await using given = await testOwner();
    await using page = follow(given, { run: '0000000000' });
    await eventually('a board', () => page.items.length > 0);
    assert.deepEqual(boards(page.items)[0]?.rows, []);
  });
});
