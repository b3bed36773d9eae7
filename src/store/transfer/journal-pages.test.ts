import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import { isRefusal } from '../../base/errors.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { runStream } from '../../protocol/streams.ts';
import { begun, ended, submitted } from '../../testing/conformance/journal-events.ts';
import { MemoryDisk } from '../memory/memory-disk.ts';
import { MemoryJournal } from '../memory/memory-journal.ts';
import { exportLines, importPages } from './journal-pages.ts';

const RUN = runStream('a000000000');
const TASK = 'zero \0, half \ud800, emoji 😀, "quotes"\nand lines\u2028';

async function journalOf(runs: number): Promise<MemoryJournal> {
  const journal = new MemoryJournal(new MemoryDisk());
  await journal.append(RUN, 0, [submitted('/project', TASK), begun('one')], at(0.1));
  await journal.append(RUN, 2, [ended('one')], at(-1.5));
  for (let run = 0; run < runs; run += 1)
    await journal.append(runStream(`b${String(run).padStart(9, '0')}`), 0, [submitted()], at(run));
  return journal;
}

async function textOf(journal: MemoryJournal): Promise<string> {
  const parts: string[] = [];
  for await (const part of exportLines(journal)) parts.push(part);
  return parts.join('');
}

async function* inPieces(text: string, size: number): AsyncGenerator<string, void> {
  for (let from = 0; from < text.length; from += size) yield text.slice(from, from + size);
}

async function read(text: string, size = 64): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const page of importPages(inPieces(text, size))) events.push(...page);
  return events;
}

describe('a journal as lines of text', () => {
  test('has every fact as it was, wherever the text is cut into pieces', async () => {
    const journal = await journalOf(3);
    const text = await textOf(journal);
    const facts = await journal.readAll({ after: 0, limit: 100 });
    for (const size of [1, 7, 4096]) assert.deepEqual(await read(text, size), facts);
    assert.equal(text.split('\n').length, facts.length + 3);
  });

  test('is read and written a page at a time', async () => {
    const journal = await journalOf(1200);
    const asked: number[] = [];
    const watched = {
      readAll: (page: Parameters<MemoryJournal['readAll']>[0]) => {
        asked.push(page.limit);
        return journal.readAll(page);
      },
    };
    const parts: string[] = [];
    for await (const part of exportLines(watched)) parts.push(part);
    assert.ok(asked.length > 2 && asked.every((limit) => limit <= 500), String(asked));
    const sizes: number[] = [];
    for await (const page of importPages(inPieces(parts.join(''), 9999))) sizes.push(page.length);
    assert.deepEqual(sizes, [500, 500, 203]);
  });

  const changes: readonly (readonly [
    why: string,
    change: (text: string) => string,
    says: RegExp,
  ])[] = [
    ['is empty', () => '', /ends after line 0/],
    [
      'was cut off between two lines',
      (text) => `${lines(text).slice(0, 3).join('\n')}\n`,
      /ends after line 3/,
    ],
    ['was cut off in a line', (text) => text.slice(0, text.length - 30), /Line \d+ is no object/],
    [
      'lacks a line in the middle',
      (text) => lines(text).toSpliced(2, 1).join('\n'),
      /counts 3 facts, and there are 2/,
    ],
    [
      'has a changed word',
      (text) => text.replace('/project', '/protect'),
      /Line 2 .* checksum differs/,
    ],
    [
      'has two lines in another order',
      (text) => swap(text, 1, 2),
      /Line 3 has fact 1 after fact 2/,
    ],
    [
      'has a line twice',
      (text) =>
        lines(text)
          .toSpliced(2, 0, lines(text)[2] ?? '')
          .join('\n'),
      /Line 4 has fact 2 after fact 2/,
    ],
    ['has a line after the last', (text) => `${text}${lines(text)[1]}\n`, /after the last line/],
    ['is another file', () => '{"name": "x"}\n', /Line 1 is not the head/],
    [
      'is of a newer release',
      (text) => text.replace('journal/1', 'journal/2'),
      /supervisor\.journal\/2/,
    ],
    ['is no text of lines', () => 'SQLite format 3\0', /Line 1 is no object/],
  ];
  for (const [why, change, says] of changes)
    test(`a file that ${why} is refused`, async () => {
      const text = await textOf(await journalOf(0));
      await assert.rejects(
        read(change(text)),
        (error) => isRefusal(error, 'store.damaged') && says.test(error.message),
      );
    });
});

function lines(text: string): string[] {
  return text.split('\n');
}

function swap(text: string, one: number, other: number): string {
  const all = lines(text);
  return all
    .with(one, all[other] ?? '')
    .with(other, all[one] ?? '')
    .join('\n');
}
