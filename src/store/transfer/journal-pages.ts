/** From a journal to text and back, a page at a time: the memory that it needs does not grow with the journal. */
import { Refusal } from '../../base/errors.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import type { Journal } from '../journal.ts';
import { factLine, headLine, lastLine, ExportReader } from './journal-lines.ts';

const PAGE = 500;
/** No payload comes near. Without a bound, a file without line ends would fill the memory. */
const LINE_CHARS_MAX = 256_000_000;

export type Pages = AsyncIterable<readonly StoredEvent[]>;
export type ReadsAll = Pick<Journal, 'readAll'>;

/** The lines of a whole journal. Refuses it if a fact is damaged: a copy must not hide that. */
export async function* exportLines(journal: ReadsAll): AsyncGenerator<string, number> {
  yield headLine();
  let [facts, after] = [0, 0];
  for (;;) {
    const page = await journal.readAll({ after, limit: PAGE });
    const last = page.at(-1);
    if (last === undefined) break;
    yield page.map(factLine).join('');
    facts += page.length;
    after = last.id;
  }
  yield lastLine(facts);
  return facts;
}

/** The facts of a file. Its last line is read before the iteration ends, so all of them are there. */
export async function* importPages(text: AsyncIterable<string>): Pages {
  const reader = new ExportReader();
  let page: StoredEvent[] = [];
  for await (const line of linesOf(text)) {
    const event = reader.read(line);
    if (event === undefined) continue;
    page.push(event);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  reader.end();
  if (page.length > 0) yield page;
}

async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string, void> {
  let rest = '';
  for await (const chunk of text) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_CHARS_MAX)
      throw new Refusal({
        code: 'store.damaged',
        message: 'A line of the file is too long for a fact. Nothing was imported.',
        hint: 'Write the file again, with: supervisor journal export FILE',
      });
    yield* lines;
  }
  if (rest !== '') yield rest;
}
