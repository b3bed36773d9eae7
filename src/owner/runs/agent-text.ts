/** An agent's output as what it says: whole lines for a person, without the form that its CLI gives them. */
import type { AgentAdapter } from '../../adapters/adapter.ts';
import type { AgentEvent } from '../../adapters/agent-event.ts';
import { NOISE } from '../../adapters/agent-event.ts';
import { LineReader } from '../../host/output/line-reader.ts';
import type { Line } from '../../host/output/line-reader.ts';
import type { OutputChunk } from '../../protocol/api.ts';

const WORDS_CHARS_MAX = 2000;

export async function* asText(
  chunks: AsyncIterable<OutputChunk>,
  adapter: AgentAdapter | undefined,
): AsyncGenerator<OutputChunk, void> {
  const readers = {
    stdout: new LineReader(),
    stderr: new LineReader(),
    calls: new LineReader(),
  };
  let last: OutputChunk | undefined;
  const said = (stream: OutputChunk['stream'], lines: readonly Line[]): string =>
    lines.map((line) => wordsOf(stream === 'stdout' ? adapter : undefined, line)).join('');
  for await (const chunk of chunks) {
    const { stream } = chunk;
    const text = said(stream, readers[stream].push(Buffer.from(chunk.text)));
    if (text !== '') yield { ...chunk, text };
    last = chunk;
  }
  for (const stream of ['stdout', 'stderr'] as const) {
    const text = said(stream, readers[stream].end());
    if (text !== '' && last !== undefined) yield { key: last.key, stream, text };
  }
}

/** One line of output as lines for a person, or nothing. What the agent concludes is told by the end of its attempt. */
function wordsOf(adapter: AgentAdapter | undefined, { text, truncated }: Line): string {
  const events = adapter?.read(text, 'stdout') ?? NOISE;
  return events
    .map((event) => inLine(event, text, adapter?.structured === true, truncated))
    .join('');
}

function inLine(
  event: AgentEvent,
  line: string,
  isStructured: boolean,
  truncated: boolean,
): string {
  switch (event.kind) {
    case 'said':
      return shortened(event.text.trimEnd(), truncated);
    case 'used-tool':
      return shortened(
        event.args === '' ? `uses ${event.tool}` : `uses ${event.tool} ${event.args}`,
        truncated,
      );
    case 'retrying':
      return shortened(`tries again: ${event.error.message}`, truncated);
    case 'failed':
      return shortened(`failed: ${event.error.message}`, truncated);
    case 'asked':
      return shortened(`asks: ${event.question}`, truncated);
    case 'noise':
      // A CLI that speaks in objects has many that say nothing to a person.
      return isStructured && line.startsWith('{') ? '' : shortened(line, truncated);
    case 'concluded':
    case 'session':
    case 'tool-result':
    case 'usage':
    case 'limit':
      return '';
  }
}

function shortened(text: string, truncated: boolean): string {
  const cut = truncated || text.length > WORDS_CHARS_MAX;
  return cut ? `${text.slice(0, WORDS_CHARS_MAX)} …\n` : `${text}\n`;
}
