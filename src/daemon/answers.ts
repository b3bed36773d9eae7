/** What people answer, as it is written down. */
import { parseRunId } from '../base/ids.ts';
import { runOfStream } from '../protocol/event.ts';
import type { Journal } from '../store/journal.ts';
import { followEvents } from '../store/reader.ts';
import type { Answer } from './gang-monitor.ts';

/** From now on, until the signal aborts. */
export async function* answersIn(
  journal: Journal,
  signal: AbortSignal,
): AsyncGenerator<Answer, void> {
  const after = await journal.lastId();
  for await (const event of followEvents(journal, { after }, signal)) {
    if (event.type !== 'signal.received') continue;
    const told = event.payload.signal;
    const run = parseRunId(runOfStream(event.stream) ?? '');
    if (told.kind === 'answer' && run !== undefined) yield { run, answer: told.answer };
  }
}
